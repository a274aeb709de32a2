-- The rows of the SQL views, whose columns `views.py` describes. A name in braces stands for the part of that name, which comes before.
--
-- A condition on network and era must reach the indexes. So `staking_eras` has scalar subqueries instead of joins with groups, and no UNION, into
-- which SQLite passes no condition.

--- executed
-- What was paid, with its fee: the highest that the part signed with the payment nonce. Fees are decimal text: more digits make the higher number.
SELECT p.network, p.era, p.part, c.payment_nonce, c.signed_at, c.run,
  (SELECT h.fee FROM payout_copies AS h
    WHERE h.payout_id = p.id AND h.chain = c.chain AND h.payer_key = c.payer_key AND h.payment_nonce = c.payment_nonce
      AND h.fee IS NOT NULL
    ORDER BY length(h.fee) DESC, h.fee DESC LIMIT 1) AS fee
FROM payouts AS p
LEFT JOIN payout_copies AS c ON c.id = p.executed
WHERE p.state = 'CONFIRMED'

--- wasted
-- A payment nonce is charged once. It is no waste when a copy with it was executed; else it belongs to the part that signed it first.
SELECT p.network, p.era, p.part, c.payment_nonce, c.signed_at, c.run,
  (SELECT h.fee FROM payout_copies AS h
    WHERE h.chain = c.chain AND h.payer_key = c.payer_key AND h.payment_nonce = c.payment_nonce AND h.fee IS NOT NULL
    ORDER BY length(h.fee) DESC, h.fee DESC LIMIT 1) AS fee
FROM payouts AS p
JOIN payout_copies AS c ON c.payout_id = p.id
WHERE NOT EXISTS (SELECT 1 FROM payout_copies AS o
    WHERE o.chain = c.chain AND o.payer_key = c.payer_key AND o.payment_nonce = c.payment_nonce AND o.id < c.id)
  AND EXISTS (SELECT 1 FROM payout_copies AS o
    JOIN payout_sightings AS s ON s.payout_id = o.payout_id AND s.kind = 'charged'
      AND s.payer_key = o.payer_key AND s.nonce = o.payment_nonce
    WHERE o.chain = c.chain AND o.payer_key = c.payer_key AND o.payment_nonce = c.payment_nonce)
  AND NOT EXISTS (SELECT 1 FROM payout_copies AS o
    JOIN payouts AS q ON q.id = o.payout_id AND q.executed = o.id AND q.state = 'CONFIRMED'
    WHERE o.chain = c.chain AND o.payer_key = c.payer_key AND o.payment_nonce = c.payment_nonce)

--- charged
-- The fees of an era `k`.
SELECT p.fee FROM ({executed}) AS p WHERE p.network = k.network AND p.era = k.era
UNION ALL SELECT p.fee FROM ({wasted}) AS p WHERE p.network = k.network AND p.era = k.era

--- sum postgresql
SELECT coalesce(sum(CAST(x.fee AS numeric)), 0) FROM ({charged}) AS x

--- sum sqlite
-- SQLite has integers of 63 bits: three groups of 13 digits are added, and carried.
SELECT coalesce(nullif(ltrim(printf('%d%013d%013d',
    a + (b + c / 10000000000000) / 10000000000000, (b + c / 10000000000000) % 10000000000000, c % 10000000000000),
  '0'), ''), '0')
FROM (SELECT sum(CAST(substr(digits, 1, 13) AS INTEGER)) AS a, sum(CAST(substr(digits, 14, 13) AS INTEGER)) AS b,
    sum(CAST(substr(digits, 27) AS INTEGER)) AS c
  FROM (SELECT substr('000000000000000000000000000000000000000' || fee, -39) AS digits FROM ({charged}) AS x) AS y) AS z

--- lag postgresql
round(CAST(extract(epoch FROM confirmed_at - ended_at) AS numeric), 3)

--- lag sqlite
round((julianday(confirmed_at) - julianday(ended_at)) * 86400, 3)

--- staking_eras
-- It has expired by the newest active era that was read from the chain, and the history depth of that time. `due`: it was noticed that it expires
-- soon. `responsible`: this installation should pay it.
SELECT e.*,
  CASE
    WHEN parts > 0 AND (empty > 0 OR confirmed_parts = parts)
      THEN CASE WHEN confirmed_parts > 0 THEN 'PAID' ELSE 'ALREADY_PAID' END
    WHEN in_flight > 0 THEN 'IN_FLIGHT'
    WHEN seen_paid > 0 THEN 'ALREADY_PAID'
    WHEN expired > 0 AND (parts > 0 OR due > 0 OR responsible > 0) THEN 'EXPIRED'
    WHEN held > 0 THEN 'HELD'
    WHEN parts > 0 OR due > 0 THEN 'UNPAID'
    ELSE 'UNKNOWN'
  END AS state,
  CASE WHEN parts > 0 AND in_flight = 0 AND fees_unknown = 0 THEN charged END AS fee,
  CASE WHEN confirmed_at >= ended_at AND (empty > 0 OR confirmed_parts = parts) THEN {lag} END AS lag_seconds
FROM (
  SELECT k.network, k.era, f.ended_at, f.reward, f.reward_source, f.reward_block, f.symbol, f.decimals,
    coalesce((SELECT p.chain FROM payouts AS p WHERE p.network = k.network AND p.era = k.era ORDER BY p.part DESC LIMIT 1),
      f.chain) AS chain,
    (SELECT count(*) FROM payouts AS p WHERE p.network = k.network AND p.era = k.era) AS parts,
    (SELECT count(*) FROM payouts AS p WHERE p.network = k.network AND p.era = k.era AND p.state = 'CONFIRMED')
      AS confirmed_parts,
    (SELECT count(*) FROM payouts AS p WHERE p.network = k.network AND p.era = k.era AND p.state = 'EMPTY') AS empty,
    (SELECT count(*) FROM payouts AS p WHERE p.network = k.network AND p.era = k.era AND p.state = 'HELD') AS held,
    (SELECT count(*) FROM payouts AS p
      WHERE p.network = k.network AND p.era = k.era AND p.state IN ('SIGNED', 'SUBMITTED', 'UNKNOWN')) AS in_flight,
    (SELECT count(*) FROM ({charged}) AS x WHERE x.fee IS NULL) AS fees_unknown,
    (SELECT count(*) FROM active_eras AS a WHERE a.network = k.network AND k.era < a.active - a.history_depth) AS expired,
    (SELECT count(*) FROM era_notices AS n
      WHERE n.network = k.network AND n.era <= k.era AND n.kind = 'watched_from') AS responsible,
    (SELECT count(*) FROM era_notices AS n
      WHERE n.network = k.network AND n.era = k.era AND substr(kind, 1, 7) = 'expiry_') AS due,
    (SELECT count(*) FROM reconciliations AS r
      WHERE r.network = k.network AND r.era = k.era AND subject = 'execution' AND chain_says = 'paid') AS seen_paid,
    (SELECT min(c.signed_at) FROM payouts AS p JOIN payout_copies AS c ON c.payout_id = p.id
      WHERE p.network = k.network AND p.era = k.era) AS first_signed_at,
    (SELECT max(p.confirmed_at) FROM payouts AS p
      WHERE p.network = k.network AND p.era = k.era AND p.state = 'CONFIRMED') AS confirmed_at,
    ({sum}) AS charged
  FROM (
    SELECT DISTINCT network, era FROM (
      SELECT network, era FROM payouts
      UNION ALL SELECT network, era FROM era_facts
      UNION ALL SELECT network, era FROM reconciliations AS r WHERE subject = 'execution' AND chain_says = 'paid'
      UNION ALL SELECT network, era FROM era_notices WHERE substr(kind, 1, 7) = 'expiry_') AS a) AS k
  LEFT JOIN era_facts AS f ON f.network = k.network AND f.era = k.era) AS e

--- told
p.state NOT IN ('CONFIRMED', 'EMPTY') OR (s.status = 'Processed' AND p.confirmed_by IN ('request_state', 'none'))

--- staking_payouts
-- The last copy `c` is the executed one, or else the newest; its request `s` is the one that read Processed last, or else the newest. The
-- transaction is that of its request unless something else paid the part, see `Payout.transaction`.
SELECT p.*, c.staking_nonce, c.payment_nonce, c.signed_at, c.run AS signed_by, c.try_number AS signed_try,
  (SELECT h.fee FROM payout_copies AS h
    WHERE h.payout_id = p.id AND h.chain = c.chain AND h.payer_key = c.payer_key AND h.payment_nonce = c.payment_nonce
      AND h.fee IS NOT NULL
    ORDER BY length(h.fee) DESC, h.fee DESC LIMIT 1) AS signed_fee,
  s.request_id, s.answered_at AS accepted_at, s.status AS request_status,
  CASE WHEN {told} THEN s.tx_hash END AS tx_hash,
  CASE WHEN {told} THEN s.block_number END AS block_number,
  (SELECT count(*) FROM payout_copies AS x WHERE x.payout_id = p.id) AS plans,
  (SELECT count(*) FROM payout_sends AS x WHERE x.copy_id = c.id AND (x.answer IS NULL OR x.answer = 'lost')) AS unanswered,
  (SELECT count(DISTINCT x.chain || x.payer_key || x.payment_nonce) FROM payout_copies AS x
    JOIN payout_sightings AS y ON y.payout_id = x.payout_id AND y.kind = 'charged'
      AND y.payer_key = x.payer_key AND y.nonce = x.payment_nonce
    WHERE x.payout_id = p.id AND NOT (p.executed IS NOT NULL
      AND x.chain = c.chain AND x.payer_key = c.payer_key AND x.payment_nonce = c.payment_nonce)) AS wasted
FROM payouts AS p
LEFT JOIN payout_copies AS c
  ON c.id = coalesce(p.executed, (SELECT max(x.id) FROM payout_copies AS x WHERE x.payout_id = p.id))
LEFT JOIN payout_sends AS s ON s.copy_id = c.id AND s.number = (
  SELECT x.number FROM payout_sends AS x WHERE x.copy_id = c.id AND x.request_id IS NOT NULL
  ORDER BY CASE x.status WHEN 'Processed' THEN 1 ELSE 0 END DESC, CASE x.status WHEN 'Processed' THEN x.read_at END DESC,
    x.number DESC
  LIMIT 1)

--- staking_fees
SELECT network, era, part, payment_nonce, fee, 'payout' AS purpose, signed_at, run AS signed_by FROM ({executed}) AS p
UNION ALL SELECT network, era, part, payment_nonce, fee, 'wasted', signed_at, run FROM ({wasted}) AS p

--- staking_rewards
SELECT network, era, account_key, address, amount, source, block_number, noted_at FROM account_rewards
UNION ALL SELECT network, era, NULL, NULL, reward, reward_source, reward_block, noted_at FROM era_facts
  WHERE reward IS NOT NULL

--- staking_statuses
SELECT * FROM account_statuses

--- staking_reconciliation
SELECT * FROM reconciliations
