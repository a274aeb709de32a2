"""The SQL views for other programs. `docs/data.md` describes them.

A migration creates them. Names and types of columns are a promise; new columns come at the end.

A condition on network and era must reach the indexes. So `staking_eras` has scalar subqueries instead of joins with groups, and no UNION, into
which SQLite passes no condition.
"""
# ruff: noqa: S608 - only constants are put together

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from staking_gateway.ledger.tables import SEEN_PAID
from staking_gateway.ledger.view_columns import ERAS, FEES, PAYOUTS, RECONCILIATION, REWARDS, STATUSES

if TYPE_CHECKING:
    import sqlalchemy as sa

    from staking_gateway.ledger.view_columns import Column


@dataclass(frozen=True)
class View:
    """A view.

    :param source: table or subquery; its alias is `v`. A format with fields of `_DIALECTS`.
    """

    columns: tuple[Column, ...]
    source: str

    def sql(self, dialect: str) -> str:
        """Its SELECT on `sqlite` or `postgresql`."""
        columns = ", ".join(f"{column.expression(dialect)} AS {column.name}" for column in self.columns)
        return f"SELECT {columns} FROM {self.source.format(**_DIALECTS[dialect])} AS v"


_HERE = "p.network = k.network AND p.era = k.era"
_NOTED = "FROM era_notices AS n WHERE n.network = k.network AND n.era = k.era AND"
_LOST = "kind IN ('expired', 'lost')"
_DUE = "substr(kind, 1, 7) = 'expiry_'"
"""Notices that an unpaid era expires soon."""
_SAME_KEY = """{0}.chain = {1}.chain AND {0}.payer_key = {1}.payer_key AND length({0}.payment_nonce) = length({1}.payment_nonce)
      AND {0}.payment_nonce = {1}.payment_nonce"""


def _highest_fee(of: str) -> str:
    """The highest fee of some copies `h`. Fees are decimal text: more digits make the higher number."""
    return f"(SELECT h.fee FROM payout_copies AS h WHERE {of} AND h.fee IS NOT NULL ORDER BY length(h.fee) DESC, h.fee DESC LIMIT 1)"


_EXECUTED = f"""(SELECT p.network, p.era, p.part, c.payment_nonce, c.signed_at, c.run,
    {_highest_fee(f"h.payout_id = p.id AND {_SAME_KEY.format('h', 'c')}")} AS fee
  FROM payouts AS p LEFT JOIN payout_copies AS c ON c.id = p.executed WHERE p.state = 'CONFIRMED')"""
_WASTED = f"""(SELECT p.network, p.era, p.part, c.payment_nonce, c.signed_at, c.run,
    {_highest_fee(_SAME_KEY.format("h", "c"))} AS fee
  FROM payouts AS p JOIN payout_copies AS c ON c.payout_id = p.id
  WHERE NOT EXISTS (SELECT 1 FROM payout_copies AS o WHERE {_SAME_KEY.format("o", "c")} AND o.id < c.id)
    AND EXISTS (SELECT 1 FROM payout_copies AS o JOIN payout_sightings AS s ON s.payout_id = o.payout_id AND s.kind = 'charged'
      AND s.payer_key = o.payer_key AND s.nonce = o.payment_nonce WHERE {_SAME_KEY.format("o", "c")})
    AND NOT EXISTS (SELECT 1 FROM payout_copies AS o JOIN payouts AS q ON q.id = o.payout_id AND q.executed = o.id
      AND q.state = 'CONFIRMED' WHERE {_SAME_KEY.format("o", "c")}))"""
"""A payment nonce is charged once. It is no waste when a copy with it was executed; else it belongs to the part that signed it first."""
_CHARGED = f"""SELECT p.fee FROM {_EXECUTED} AS p WHERE {_HERE}
    UNION ALL SELECT p.fee FROM {_WASTED} AS p WHERE {_HERE}"""
_SENDS = "FROM payout_sends AS x WHERE x.copy_id = c.id AND"
_PAYOUTS = f"""(SELECT p.*, c.staking_nonce, c.payment_nonce, c.signed_at, c.run AS signed_by, c.try_number AS signed_try,
    {_highest_fee(f"h.payout_id = p.id AND {_SAME_KEY.format('h', 'c')}")} AS signed_fee,
    s.request_id, s.tx_hash, s.block_number, s.answered_at AS accepted_at, s.status AS request_status,
    (SELECT count(*) FROM payout_copies AS x WHERE x.payout_id = p.id) AS plans,
    (SELECT count(*) {_SENDS} (x.answer IS NULL OR x.answer = 'lost')) AS unanswered,
    (SELECT count(DISTINCT x.chain || x.payer_key || x.payment_nonce) FROM payout_copies AS x JOIN payout_sightings AS y
      ON y.payout_id = x.payout_id AND y.kind = 'charged' AND y.payer_key = x.payer_key AND y.nonce = x.payment_nonce
      WHERE x.payout_id = p.id AND NOT (p.executed IS NOT NULL AND {_SAME_KEY.format("x", "c")})) AS wasted
  FROM payouts AS p
  LEFT JOIN payout_copies AS c ON c.id = coalesce(p.executed, (SELECT max(x.id) FROM payout_copies AS x WHERE x.payout_id = p.id))
  LEFT JOIN payout_sends AS s ON s.copy_id = c.id AND s.number = (SELECT x.number {_SENDS} x.request_id IS NOT NULL
    ORDER BY CASE x.status WHEN 'Processed' THEN 1 ELSE 0 END DESC, x.number DESC LIMIT 1))"""
"""The last copy is the executed one, or else the newest; its request is the newest that reads Processed, or else the newest."""

_IN_FLIGHT = "p.state IN ('SIGNED', 'SUBMITTED', 'UNKNOWN')"
_PARTS = f"SELECT count(*) FROM payouts AS p WHERE {_HERE}"
_ERAS = f"""(SELECT e.*,
    CASE WHEN parts > 0 AND (empty > 0 OR confirmed_parts = parts) THEN CASE WHEN confirmed_parts > 0 THEN 'PAID' ELSE 'ALREADY_PAID' END
      WHEN in_flight > 0 THEN 'IN_FLIGHT' WHEN seen_paid > 0 THEN 'ALREADY_PAID' WHEN expired > 0 THEN 'EXPIRED' WHEN held > 0 THEN 'HELD'
      WHEN parts > 0 OR due > 0 THEN 'UNPAID' ELSE 'UNKNOWN' END AS state,
    CASE WHEN parts > 0 AND in_flight = 0 AND fees_unknown = 0 THEN charged END AS fee,
    CASE WHEN confirmed_at >= ended_at AND (empty > 0 OR confirmed_parts = parts) THEN {{lag}} END AS lag_seconds
  FROM (SELECT k.network, k.era, f.ended_at, f.reward, f.reward_source, f.reward_block, f.symbol, f.decimals,
    coalesce((SELECT p.chain FROM payouts AS p WHERE {_HERE} ORDER BY p.part DESC LIMIT 1), f.chain) AS chain,
    ({_PARTS}) AS parts,
    ({_PARTS} AND p.state = 'CONFIRMED') AS confirmed_parts,
    ({_PARTS} AND p.state = 'EMPTY') AS empty,
    ({_PARTS} AND p.state = 'HELD') AS held,
    ({_PARTS} AND {_IN_FLIGHT}) AS in_flight,
    (SELECT count(*) FROM ({_CHARGED}) AS x WHERE x.fee IS NULL) AS fees_unknown,
    (SELECT count(*) {_NOTED} {_LOST}) AS expired,
    (SELECT count(*) {_NOTED} {_DUE}) AS due,
    (SELECT count(*) FROM reconciliations AS r WHERE r.network = k.network AND r.era = k.era AND {SEEN_PAID.text}) AS seen_paid,
    (SELECT min(c.signed_at) FROM payouts AS p JOIN payout_copies AS c ON c.payout_id = p.id WHERE {_HERE}) AS first_signed_at,
    (SELECT max(p.confirmed_at) FROM payouts AS p WHERE {_HERE} AND p.state = 'CONFIRMED') AS confirmed_at,
    ({{sum}}) AS charged
  FROM (SELECT DISTINCT network, era FROM (SELECT network, era FROM payouts UNION ALL SELECT network, era FROM era_facts
    UNION ALL SELECT network, era FROM reconciliations AS r WHERE {SEEN_PAID.text}
    UNION ALL SELECT network, era FROM era_notices WHERE {_LOST} OR {_DUE}) AS a) AS k
  LEFT JOIN era_facts AS f ON f.network = k.network AND f.era = k.era) AS e)"""

_FEES = f"""(SELECT network, era, part, payment_nonce, fee, 'payout' AS purpose, signed_at, run AS signed_by FROM {_EXECUTED} AS p
  UNION ALL SELECT network, era, part, payment_nonce, fee, 'wasted', signed_at, run FROM {_WASTED} AS p)"""

_REWARDS = """(SELECT network, era, account_key, address, amount, source, block_number, noted_at FROM account_rewards
  UNION ALL SELECT network, era, NULL, NULL, reward, reward_source, reward_block, noted_at FROM era_facts WHERE reward IS NOT NULL)"""

_E13 = 10**13
_SQLITE_SUM = f"""SELECT coalesce(nullif(ltrim(printf('%d%013d%013d', a + (b + c / {_E13}) / {_E13}, (b + c / {_E13}) % {_E13}, c % {_E13}),
    '0'), ''), '0') FROM (SELECT sum(CAST(substr(digits, 1, 13) AS INTEGER)) AS a, sum(CAST(substr(digits, 14, 13) AS INTEGER)) AS b,
    sum(CAST(substr(digits, 27) AS INTEGER)) AS c
    FROM (SELECT substr('{"0" * 39}' || fee, -39) AS digits FROM ({_CHARGED}) AS x) AS y) AS z"""
"""The exact sum of decimal texts: SQLite has integers of 63 bits, so it adds three groups of 13 digits, and carries."""

_DIALECTS = {
    "sqlite": {
        "sum": _SQLITE_SUM,
        "lag": "round((julianday(confirmed_at) - julianday(ended_at)) * 86400, 3)",
    },
    "postgresql": {
        "sum": f"SELECT coalesce(sum(CAST(x.fee AS numeric)), 0) FROM ({_CHARGED}) AS x",
        "lag": "round(CAST(extract(epoch FROM confirmed_at - ended_at) AS numeric), 3)",
    },
}

VIEWS = {
    "staking_eras": View(ERAS, _ERAS),
    "staking_payouts": View(PAYOUTS, _PAYOUTS),
    "staking_fees": View(FEES, _FEES),
    "staking_rewards": View(REWARDS, _REWARDS),
    "staking_statuses": View(STATUSES, "account_statuses"),
    "staking_reconciliation": View(RECONCILIATION, "reconciliations"),
}
"""The views by their names. None has signatures."""


def create_views(connection: sa.Connection) -> None:
    """Create the views."""
    for name, view in VIEWS.items():
        connection.exec_driver_sql(f"CREATE VIEW {name} AS {view.sql(connection.dialect.name)}")
