CREATE FUNCTION staking_ledger_refuses() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    BEGIN RAISE EXCEPTION 'payout_events is append-only, payouts are never deleted' USING ERRCODE = '23001'; END $$;
CREATE TABLE account_rewards (
    network character varying(250) NOT NULL,
    era bigint NOT NULL,
    account_key character varying(66) NOT NULL,
    address character varying(66) NOT NULL,
    amount character varying(39) NOT NULL,
    source character varying(16) NOT NULL,
    block_number character varying(39),
    noted_at timestamp with time zone NOT NULL,
    run text NOT NULL
);
CREATE TABLE account_statuses (
    network character varying(250) NOT NULL,
    era bigint NOT NULL,
    account_key character varying(66) NOT NULL,
    address character varying(66) NOT NULL,
    status character varying(16) NOT NULL,
    checked_at timestamp with time zone NOT NULL
);
CREATE TABLE alert_messages (
    id character varying(32) NOT NULL,
    network character varying(250) NOT NULL,
    phase character varying(8) NOT NULL,
    kind character varying(32) NOT NULL,
    severity character varying(16) NOT NULL,
    conditions json NOT NULL,
    made_at timestamp with time zone NOT NULL,
    run text NOT NULL,
    received json NOT NULL,
    version integer NOT NULL,
    claimed_until timestamp with time zone,
    sent_at timestamp with time zone,
    total integer
);
CREATE TABLE alerts (
    network character varying(250) NOT NULL,
    topic character varying(128) NOT NULL,
    state character varying(8) NOT NULL,
    kind character varying(32) NOT NULL,
    rank integer NOT NULL,
    era bigint,
    subject text NOT NULL,
    cause text NOT NULL,
    version integer NOT NULL,
    raised_at timestamp with time zone NOT NULL,
    absent_since timestamp with time zone,
    changed_at timestamp with time zone NOT NULL,
    run text NOT NULL
);
CREATE TABLE calendar_anchors (
    network character varying(250) NOT NULL,
    era bigint NOT NULL,
    start timestamp with time zone NOT NULL,
    length_microseconds bigint NOT NULL,
    noted_at timestamp with time zone NOT NULL,
    run text NOT NULL
);
CREATE TABLE catch_up_plans (
    network character varying(250) NOT NULL,
    hash character varying(64) NOT NULL,
    body json NOT NULL,
    made_at timestamp with time zone NOT NULL,
    run text NOT NULL
);
CREATE TABLE era_facts (
    network character varying(250) NOT NULL,
    era bigint NOT NULL,
    chain character varying(250),
    ended_at timestamp with time zone,
    reward character varying(39),
    reward_source character varying(16),
    reward_block character varying(39),
    symbol text,
    decimals integer,
    noted_at timestamp with time zone NOT NULL,
    run text NOT NULL
);
CREATE TABLE era_notices (
    network character varying(250) NOT NULL,
    era bigint NOT NULL,
    kind character varying(32) NOT NULL,
    text text NOT NULL,
    at timestamp with time zone NOT NULL,
    run text NOT NULL
);
CREATE TABLE ledger_identity (
    identity character varying(32) NOT NULL
);
CREATE TABLE payout_events (
    id integer NOT NULL,
    payout_id integer NOT NULL,
    at timestamp with time zone NOT NULL,
    from_state character varying(16),
    to_state character varying(16) NOT NULL,
    version integer NOT NULL,
    cause text NOT NULL,
    run text NOT NULL,
    try_number integer NOT NULL
);
CREATE SEQUENCE payout_events_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE payout_events_id_seq OWNED BY payout_events.id;
CREATE TABLE payouts (
    id integer NOT NULL,
    network character varying(250) NOT NULL,
    chain character varying(250) NOT NULL,
    era bigint NOT NULL,
    part integer NOT NULL,
    state character varying(16) NOT NULL,
    version integer NOT NULL,
    user_key character varying(66) NOT NULL,
    payer_key character varying(66) NOT NULL,
    relayer_key character varying(66) NOT NULL,
    staking_nonce character varying(39),
    payment_nonce character varying(39),
    fee character varying(39),
    proxy_signature text,
    fee_payment_signature text,
    request_id character varying(36),
    tx_hash character varying(66),
    block_number character varying(39),
    confirmed_by character varying(32),
    reason text,
    plans integer NOT NULL,
    unanswered integer NOT NULL,
    unanswered_at timestamp with time zone,
    lease_owner character varying(64),
    lease_until timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    signed_at timestamp with time zone,
    accepted_at timestamp with time zone,
    confirmed_at timestamp with time zone,
    settled_by text,
    hold character varying(16),
    copies_out boolean DEFAULT false NOT NULL,
    refused boolean DEFAULT false NOT NULL,
    request_status character varying(32),
    disagree character varying(24),
    disagree_since timestamp with time zone,
    over character varying(8),
    over_since timestamp with time zone,
    fee_charged boolean,
    asked boolean DEFAULT true NOT NULL,
    wasted integer DEFAULT 0 NOT NULL,
    signed_by text,
    signed_try integer,
    signatures integer DEFAULT 0 NOT NULL,
    given_up_by text,
    used_nonce character varying(39)
);
CREATE SEQUENCE payouts_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE payouts_id_seq OWNED BY payouts.id;
CREATE TABLE reconciliations (
    network character varying(250) NOT NULL,
    era bigint NOT NULL,
    subject character varying(16) NOT NULL,
    agrees boolean,
    finding character varying(32) NOT NULL,
    ledger_says text,
    gateway_says text,
    chain_says text,
    text text NOT NULL,
    checked_at timestamp with time zone NOT NULL,
    run text NOT NULL
);
CREATE TABLE wasted_fees (
    payout_id integer NOT NULL,
    payment_nonce character varying(39) NOT NULL,
    fee character varying(39) NOT NULL,
    signed_at timestamp with time zone NOT NULL,
    signed_by text NOT NULL
);
CREATE VIEW staking_eras AS
 SELECT (v.network)::text AS network,
    v.era,
    (v.chain)::text AS chain,
    v.ended_at,
    v.state,
    v.parts,
    v.confirmed_parts,
    (v.fee)::numeric(39,0) AS fee,
    ((((v.fee)::text || 'e-'::text) || ( SELECT f.decimals
           FROM era_facts f
          WHERE (((f.network)::text = (v.network)::text) AND (f.era = v.era)))))::numeric AS fee_scaled,
    (v.reward)::numeric(39,0) AS reward,
    ((((v.reward)::text || 'e-'::text) || ( SELECT f.decimals
           FROM era_facts f
          WHERE (((f.network)::text = (v.network)::text) AND (f.era = v.era)))))::numeric AS reward_scaled,
    (v.reward_source)::text AS reward_source,
    (v.reward_block)::numeric(39,0) AS reward_block,
    v.symbol,
    (v.decimals)::bigint AS decimals,
    v.first_signed_at,
    v.confirmed_at,
    (v.lag_seconds)::double precision AS lag_seconds
   FROM ( SELECT e.network,
            e.era,
            e.ended_at,
            e.reward,
            e.reward_source,
            e.reward_block,
            e.symbol,
            e.decimals,
            e.chain,
            e.parts,
            e.confirmed_parts,
            e.empty,
            e.held,
            e.in_flight,
            e.fees_unknown,
            e.expired,
            e.due,
            e.seen_paid,
            e.first_signed_at,
            e.confirmed_at,
            e.charged,
                CASE
                    WHEN ((e.parts > 0) AND ((e.empty > 0) OR (e.confirmed_parts = e.parts))) THEN
                    CASE
                        WHEN (e.confirmed_parts > 0) THEN 'PAID'::text
                        ELSE 'ALREADY_PAID'::text
                    END
                    WHEN (e.in_flight > 0) THEN 'IN_FLIGHT'::text
                    WHEN (e.seen_paid > 0) THEN 'ALREADY_PAID'::text
                    WHEN (e.expired > 0) THEN 'EXPIRED'::text
                    WHEN (e.held > 0) THEN 'HELD'::text
                    WHEN ((e.parts > 0) OR (e.due > 0)) THEN 'UNPAID'::text
                    ELSE 'UNKNOWN'::text
                END AS state,
                CASE
                    WHEN ((e.parts > 0) AND (e.in_flight = 0) AND (e.fees_unknown = 0)) THEN e.charged
                    ELSE NULL::numeric
                END AS fee,
                CASE
                    WHEN ((e.confirmed_at >= e.ended_at) AND ((e.empty > 0) OR (e.confirmed_parts = e.parts))) THEN round(EXTRACT(epoch FROM (e.confirmed_at - e.ended_at)), 3)
                    ELSE NULL::numeric
                END AS lag_seconds
           FROM ( SELECT k.network,
                    k.era,
                    f.ended_at,
                    f.reward,
                    f.reward_source,
                    f.reward_block,
                    f.symbol,
                    f.decimals,
                    COALESCE(( SELECT p.chain
                           FROM payouts p
                          WHERE (((p.network)::text = (k.network)::text) AND (p.era = k.era))
                          ORDER BY p.part DESC
                         LIMIT 1), f.chain) AS chain,
                    ( SELECT count(*) AS count
                           FROM payouts p
                          WHERE (((p.network)::text = (k.network)::text) AND (p.era = k.era))) AS parts,
                    ( SELECT count(*) AS count
                           FROM payouts p
                          WHERE (((p.network)::text = (k.network)::text) AND (p.era = k.era) AND ((p.state)::text = 'CONFIRMED'::text))) AS confirmed_parts,
                    ( SELECT count(*) AS count
                           FROM payouts p
                          WHERE (((p.network)::text = (k.network)::text) AND (p.era = k.era) AND ((p.state)::text = 'EMPTY'::text))) AS empty,
                    ( SELECT count(*) AS count
                           FROM payouts p
                          WHERE (((p.network)::text = (k.network)::text) AND (p.era = k.era) AND ((p.state)::text = 'HELD'::text))) AS held,
                    ( SELECT count(*) AS count
                           FROM payouts p
                          WHERE (((p.network)::text = (k.network)::text) AND (p.era = k.era) AND ((p.state)::text = ANY ((ARRAY['SIGNED'::character varying, 'SUBMITTED'::character varying, 'UNKNOWN'::character varying])::text[])))) AS in_flight,
                    ( SELECT count(*) AS count
                           FROM payouts p
                          WHERE (((p.network)::text = (k.network)::text) AND (p.era = k.era) AND ((((p.state)::text = 'CONFIRMED'::text) AND (p.fee IS NULL)) OR (p.given_up_by IS NOT NULL) OR (p.wasted > ( SELECT count(*) AS count
                                   FROM wasted_fees w
                                  WHERE (w.payout_id = p.id)))))) AS fees_unknown,
                    ( SELECT count(*) AS count
                           FROM era_notices n
                          WHERE (((n.network)::text = (k.network)::text) AND (n.era = k.era) AND ((n.kind)::text = ANY ((ARRAY['expired'::character varying, 'lost'::character varying])::text[])))) AS expired,
                    ( SELECT count(*) AS count
                           FROM era_notices n
                          WHERE (((n.network)::text = (k.network)::text) AND (n.era = k.era) AND (substr((n.kind)::text, 1, 7) = 'expiry_'::text))) AS due,
                    ( SELECT count(*) AS count
                           FROM reconciliations r
                          WHERE (((r.network)::text = (k.network)::text) AND (r.era = k.era) AND ((r.subject)::text = 'execution'::text) AND (r.chain_says = 'paid'::text))) AS seen_paid,
                    ( SELECT min(s.at) AS min
                           FROM (payouts p
                             JOIN payout_events s ON ((s.payout_id = p.id)))
                          WHERE (((p.network)::text = (k.network)::text) AND (p.era = k.era) AND ((s.to_state)::text = 'SIGNED'::text))) AS first_signed_at,
                    ( SELECT max(p.confirmed_at) AS max
                           FROM payouts p
                          WHERE (((p.network)::text = (k.network)::text) AND (p.era = k.era) AND ((p.state)::text = 'CONFIRMED'::text))) AS confirmed_at,
                    ( SELECT COALESCE(sum((x.fee)::numeric), (0)::numeric) AS "coalesce"
                           FROM ( SELECT p.fee
                                   FROM payouts p
                                  WHERE (((p.network)::text = (k.network)::text) AND (p.era = k.era) AND ((p.state)::text = 'CONFIRMED'::text))
                                UNION ALL
                                 SELECT w.fee
                                   FROM (payouts p
                                     JOIN wasted_fees w ON (((w.payout_id = p.id) AND (NOT (EXISTS ( SELECT 1
   FROM payouts c
  WHERE (((c.chain)::text = (p.chain)::text) AND ((c.payer_key)::text = (p.payer_key)::text) AND ((c.state)::text = 'CONFIRMED'::text) AND (length((c.payment_nonce)::text) = length((w.payment_nonce)::text)) AND ((c.payment_nonce)::text = (w.payment_nonce)::text))))))))
                                  WHERE (((p.network)::text = (k.network)::text) AND (p.era = k.era))) x) AS charged
                   FROM (( SELECT DISTINCT a.network,
                            a.era
                           FROM ( SELECT payouts.network,
                                    payouts.era
                                   FROM payouts
                                UNION ALL
                                 SELECT era_facts.network,
                                    era_facts.era
                                   FROM era_facts
                                UNION ALL
                                 SELECT r.network,
                                    r.era
                                   FROM reconciliations r
                                  WHERE (((r.subject)::text = 'execution'::text) AND (r.chain_says = 'paid'::text))
                                UNION ALL
                                 SELECT era_notices.network,
                                    era_notices.era
                                   FROM era_notices
                                  WHERE (((era_notices.kind)::text = ANY ((ARRAY['expired'::character varying, 'lost'::character varying])::text[])) OR (substr((era_notices.kind)::text, 1, 7) = 'expiry_'::text))) a) k
                     LEFT JOIN era_facts f ON ((((f.network)::text = (k.network)::text) AND (f.era = k.era))))) e) v;
CREATE VIEW staking_fees AS
 SELECT (v.network)::text AS network,
    v.era,
    (v.part)::bigint AS part,
    (v.payment_nonce)::numeric(39,0) AS payment_nonce,
    (v.fee)::numeric(39,0) AS fee,
    ((((v.fee)::text || 'e-'::text) || ( SELECT f.decimals
           FROM era_facts f
          WHERE (((f.network)::text = (v.network)::text) AND (f.era = v.era)))))::numeric AS fee_scaled,
    v.purpose,
    v.signed_at,
    v.signed_by
   FROM ( SELECT payouts.network,
            payouts.era,
            payouts.part,
            payouts.payment_nonce,
            payouts.fee,
            'payout'::text AS purpose,
            payouts.signed_at,
            payouts.signed_by
           FROM payouts
          WHERE ((payouts.state)::text = 'CONFIRMED'::text)
        UNION ALL
         SELECT p.network,
            p.era,
            p.part,
            w.payment_nonce,
            w.fee,
            'wasted'::text,
            w.signed_at,
            w.signed_by
           FROM (payouts p
             JOIN wasted_fees w ON (((w.payout_id = p.id) AND (NOT (EXISTS ( SELECT 1
                   FROM payouts c
                  WHERE (((c.chain)::text = (p.chain)::text) AND ((c.payer_key)::text = (p.payer_key)::text) AND ((c.state)::text = 'CONFIRMED'::text) AND (length((c.payment_nonce)::text) = length((w.payment_nonce)::text)) AND ((c.payment_nonce)::text = (w.payment_nonce)::text))))))))) v;
CREATE TABLE staking_ledger_version (
    version_num character varying(32) NOT NULL
);
CREATE VIEW staking_payouts AS
 SELECT (v.network)::text AS network,
    (v.chain)::text AS chain,
    v.era,
    (v.part)::bigint AS part,
    (v.state)::text AS state,
    (v.user_key)::text AS user_key,
    (v.payer_key)::text AS payer_key,
    (v.relayer_key)::text AS relayer_key,
    (v.staking_nonce)::numeric(39,0) AS staking_nonce,
    (v.payment_nonce)::numeric(39,0) AS payment_nonce,
    (v.fee)::numeric(39,0) AS signed_fee,
    ((((v.fee)::text || 'e-'::text) || ( SELECT f.decimals
           FROM era_facts f
          WHERE (((f.network)::text = (v.network)::text) AND (f.era = v.era)))))::numeric AS signed_fee_scaled,
    (
        CASE
            WHEN (v.confirmed_at IS NOT NULL) THEN v.fee
            ELSE NULL::character varying
        END)::numeric(39,0) AS fee,
    ((((
        CASE
            WHEN (v.confirmed_at IS NOT NULL) THEN v.fee
            ELSE NULL::character varying
        END)::text || 'e-'::text) || ( SELECT f.decimals
           FROM era_facts f
          WHERE (((f.network)::text = (v.network)::text) AND (f.era = v.era)))))::numeric AS fee_scaled,
    (v.request_id)::text AS request_id,
    (v.tx_hash)::text AS tx_hash,
    (v.block_number)::numeric(39,0) AS block_number,
    (v.confirmed_by)::text AS confirmed_by,
    v.reason,
    (v.plans)::bigint AS plans,
    (v.unanswered)::bigint AS unanswered,
    v.created_at,
    v.updated_at,
    v.signed_at,
    v.accepted_at,
    v.confirmed_at,
    v.settled_by,
    (v.hold)::text AS hold,
    v.copies_out,
    v.refused,
    (v.request_status)::text AS request_status,
    (v.disagree)::text AS disagree,
    v.disagree_since,
    (v.over)::text AS over,
    v.over_since,
    v.fee_charged,
    (v.used_nonce)::numeric(39,0) AS used_nonce,
    v.asked,
    (v.wasted)::bigint AS wasted,
    v.signed_by,
    (v.signed_try)::bigint AS signed_try,
    (v.signatures)::bigint AS signed_payloads,
    v.given_up_by
   FROM payouts v;
CREATE VIEW staking_reconciliation AS
 SELECT (v.network)::text AS network,
    v.era,
    (v.subject)::text AS subject,
    v.agrees,
    (v.finding)::text AS finding,
    v.ledger_says,
    v.gateway_says,
    v.chain_says,
    v.text,
    v.checked_at,
    v.run
   FROM reconciliations v;
CREATE VIEW staking_rewards AS
 SELECT (v.network)::text AS network,
    v.era,
    (v.account_key)::text AS account_key,
    (v.address)::text AS address,
    (v.amount)::numeric(39,0) AS amount,
    ((((v.amount)::text || 'e-'::text) || ( SELECT f.decimals
           FROM era_facts f
          WHERE (((f.network)::text = (v.network)::text) AND (f.era = v.era)))))::numeric AS amount_scaled,
    (v.source)::text AS source,
    (v.block_number)::numeric(39,0) AS block_number,
    v.noted_at
   FROM ( SELECT account_rewards.network,
            account_rewards.era,
            account_rewards.account_key,
            account_rewards.address,
            account_rewards.amount,
            account_rewards.source,
            account_rewards.block_number,
            account_rewards.noted_at
           FROM account_rewards
        UNION ALL
         SELECT era_facts.network,
            era_facts.era,
            NULL::character varying,
            NULL::character varying,
            era_facts.reward,
            era_facts.reward_source,
            era_facts.reward_block,
            era_facts.noted_at
           FROM era_facts
          WHERE (era_facts.reward IS NOT NULL)) v;
CREATE VIEW staking_statuses AS
 SELECT (v.network)::text AS network,
    v.era,
    (v.account_key)::text AS account_key,
    (v.address)::text AS address,
    (v.status)::text AS status,
    v.checked_at
   FROM account_statuses v;
CREATE TABLE task_failures (
    network character varying(250) NOT NULL,
    subject character varying(32) NOT NULL,
    topic character varying(32) NOT NULL,
    text text NOT NULL,
    at timestamp with time zone NOT NULL,
    run text NOT NULL
);
ALTER TABLE ONLY payout_events ALTER COLUMN id SET DEFAULT nextval('payout_events_id_seq'::regclass);
ALTER TABLE ONLY payouts ALTER COLUMN id SET DEFAULT nextval('payouts_id_seq'::regclass);
INSERT INTO account_rewards VALUES ('quiet', 652315, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY', '340282366920938463463374607431768211455', 'events', '7', '2026-06-01 00:00:00+00', 'run#1');
INSERT INTO account_statuses VALUES ('accepted', 652317, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY', 'isStaking', '2026-06-01 00:00:06+00');
INSERT INTO account_statuses VALUES ('accepted', 652317, '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty', 'isNotStaking', '2026-06-01 00:00:06+00');
INSERT INTO account_statuses VALUES ('accepted', 652318, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY', 'isStaking', '2026-06-01 00:00:12+00');
INSERT INTO account_statuses VALUES ('accepted', 652318, '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty', 'isNotStaking', '2026-06-01 00:00:12+00');
INSERT INTO account_statuses VALUES ('executed', 652317, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY', 'isStaking', '2026-06-01 00:00:06+00');
INSERT INTO account_statuses VALUES ('executed', 652317, '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty', 'isNotStaking', '2026-06-01 00:00:06+00');
INSERT INTO account_statuses VALUES ('executed', 652318, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY', 'isStaking', '2026-06-01 00:00:12+00');
INSERT INTO account_statuses VALUES ('executed', 652318, '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty', 'isNotStaking', '2026-06-01 00:00:12+00');
INSERT INTO account_statuses VALUES ('signed', 652318, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY', 'isStaking', '2026-06-01 00:00:06+00');
INSERT INTO account_statuses VALUES ('signed', 652318, '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty', 'isNotStaking', '2026-06-01 00:00:06+00');
INSERT INTO account_statuses VALUES ('sent', 652318, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY', 'isStaking', '2026-06-01 00:00:06+00');
INSERT INTO account_statuses VALUES ('sent', 652318, '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty', 'isNotStaking', '2026-06-01 00:00:06+00');
INSERT INTO account_statuses VALUES ('unanswered', 652318, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY', 'isStaking', '2026-06-01 00:00:06+00');
INSERT INTO account_statuses VALUES ('unanswered', 652318, '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty', 'isNotStaking', '2026-06-01 00:00:06+00');
INSERT INTO account_statuses VALUES ('quiet', 652315, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY', 'isStaking', '2026-06-01 00:00:06+00');
INSERT INTO account_statuses VALUES ('quiet', 652315, '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty', 'isNotStaking', '2026-06-01 00:00:06+00');
INSERT INTO account_statuses VALUES ('batches', 652319, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY', 'isStaking', '2026-06-01 00:00:06+00');
INSERT INTO account_statuses VALUES ('batches', 652319, '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty', 'isNotStaking', '2026-06-01 00:00:06+00');
INSERT INTO alert_messages VALUES ('457986cbfa7847d89e47ea2dfcbfa57d', 'quiet', 'raised', 'held', 'warning', '[{"topic": "era:652316", "kind": "held", "severity": "warning", "subject": "Era 652316", "era": 652316, "cause": "the fee is too high", "next_step": "Raise the ceiling", "runbook": "held_fee"}]', '2026-06-01 00:00:06+00', 'staking_payout_quiet/alerts#1', '["operator"]', 4, NULL, '2026-06-01 00:00:06+00', 1);
INSERT INTO alert_messages VALUES ('a1cb47a44bee4b2ca38a27b3ebc80990', 'quiet', 'raised', 'not_paid', 'warning', '[{"topic": "era:652315", "kind": "not_paid", "severity": "warning", "subject": "Era 652315", "era": 652315, "cause": "the fee is too high", "next_step": "Raise the ceiling", "runbook": "unpaid"}]', '2026-06-01 00:00:06+00', 'staking_payout_quiet/alerts#1', '[]', 2, '2026-06-01 00:00:36+00', NULL, 1);
INSERT INTO alert_messages VALUES ('8f9562fe414d4060be8da56d6c79c174', 'quiet', 'cleared', 'not_paid', 'info', '[{"topic": "era:652315", "kind": "not_paid", "severity": "info", "subject": "Era 652315", "era": 652315, "cause": "Era 652315 is paid", "next_step": ""}]', '2026-06-01 00:00:07+00', 'staking_payout_quiet/alerts#1', '[]', 1, NULL, NULL, 1);
INSERT INTO alerts VALUES ('quiet', 'era:652316', 'open', 'held', 2, 652316, 'Era 652316', 'the fee is too high', 1, '2026-06-01 00:00:06+00', NULL, '2026-06-01 00:00:06+00', 'staking_payout_quiet/alerts#1');
INSERT INTO alerts VALUES ('quiet', 'era:652315', 'over', 'not_paid', 1, 652315, 'Era 652315', 'the fee is too high', 2, '2026-06-01 00:00:06+00', NULL, '2026-06-01 00:00:07+00', 'staking_payout_quiet/alerts#1');
INSERT INTO calendar_anchors VALUES ('quiet', 652309, '2026-06-01 00:00:00+00', 20000000, '2026-06-01 00:00:06+00', 'staking_catch_up_quiet/manual__1#1');
INSERT INTO calendar_anchors VALUES ('quiet', 652319, '2026-06-01 00:03:20+00', 20250000, '2026-06-01 00:00:06+00', 'staking_catch_up_quiet/manual__1#1');
INSERT INTO catch_up_plans VALUES ('quiet', '8fb0eebaddc243e2', '{"network": "quiet", "terms": {"chain": "chain of quiet", "relayer": "5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty", "user": "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY", "payer": "5FLSigC9HGRKVhB9FiEo4Y3koPsNmBmLJbpXg2mp1hXcS59Y", "parts": 1, "history_depth": 84}, "fee": "25000000000000", "pay": [{"era": 652236, "why": "never attempted", "expires_at_era": 652321, "eras_left": 1, "expiry_warning": 95}, {"era": 652237, "why": "never attempted", "expires_at_era": 652322, "eras_left": 2, "expiry_warning": 95}, {"era": 652238, "why": "never attempted", "expires_at_era": 652323, "eras_left": 3, "expiry_warning": 95}, {"era": 652239, "why": "never attempted", "expires_at_era": 652324, "eras_left": 4, "expiry_warning": 95}, {"era": 652240, "why": "never attempted", "expires_at_era": 652325, "eras_left": 5, "expiry_warning": 95}, {"era": 652241, "why": "never attempted", "expires_at_era": 652326, "eras_left": 6, "expiry_warning": 80}, {"era": 652242, "why": "never attempted", "expires_at_era": 652327, "eras_left": 7, "expiry_warning": 80}, {"era": 652243, "why": "never attempted", "expires_at_era": 652328, "eras_left": 8, "expiry_warning": 80}, {"era": 652244, "why": "never attempted", "expires_at_era": 652329, "eras_left": 9, "expiry_warning": 80}, {"era": 652245, "why": "never attempted", "expires_at_era": 652330, "eras_left": 10, "expiry_warning": 80}, {"era": 652246, "why": "never attempted", "expires_at_era": 652331, "eras_left": 11, "expiry_warning": 80}, {"era": 652247, "why": "never attempted", "expires_at_era": 652332, "eras_left": 12, "expiry_warning": 80}, {"era": 652248, "why": "never attempted", "expires_at_era": 652333, "eras_left": 13, "expiry_warning": 80}, {"era": 652249, "why": "never attempted", "expires_at_era": 652334, "eras_left": 14, "expiry_warning": 80}, {"era": 652250, "why": "never attempted", "expires_at_era": 652335, "eras_left": 15, "expiry_warning": 80}, {"era": 652251, "why": "never attempted", "expires_at_era": 652336, "eras_left": 16, "expiry_warning": 80}, {"era": 652252, "why": "never attempted", "expires_at_era": 652337, "eras_left": 17, "expiry_warning": 80}, {"era": 652253, "why": "never attempted", "expires_at_era": 652338, "eras_left": 18, "expiry_warning": 50}, {"era": 652254, "why": "never attempted", "expires_at_era": 652339, "eras_left": 19, "expiry_warning": 50}, {"era": 652255, "why": "never attempted", "expires_at_era": 652340, "eras_left": 20, "expiry_warning": 50}, {"era": 652256, "why": "never attempted", "expires_at_era": 652341, "eras_left": 21, "expiry_warning": 50}, {"era": 652257, "why": "never attempted", "expires_at_era": 652342, "eras_left": 22, "expiry_warning": 50}, {"era": 652258, "why": "never attempted", "expires_at_era": 652343, "eras_left": 23, "expiry_warning": 50}, {"era": 652259, "why": "never attempted", "expires_at_era": 652344, "eras_left": 24, "expiry_warning": 50}, {"era": 652260, "why": "never attempted", "expires_at_era": 652345, "eras_left": 25, "expiry_warning": 50}, {"era": 652261, "why": "never attempted", "expires_at_era": 652346, "eras_left": 26, "expiry_warning": 50}, {"era": 652262, "why": "never attempted", "expires_at_era": 652347, "eras_left": 27, "expiry_warning": 50}, {"era": 652263, "why": "never attempted", "expires_at_era": 652348, "eras_left": 28, "expiry_warning": 50}, {"era": 652264, "why": "never attempted", "expires_at_era": 652349, "eras_left": 29, "expiry_warning": 50}, {"era": 652265, "why": "never attempted", "expires_at_era": 652350, "eras_left": 30, "expiry_warning": 50}, {"era": 652266, "why": "never attempted", "expires_at_era": 652351, "eras_left": 31, "expiry_warning": 50}, {"era": 652267, "why": "never attempted", "expires_at_era": 652352, "eras_left": 32, "expiry_warning": 50}, {"era": 652268, "why": "never attempted", "expires_at_era": 652353, "eras_left": 33, "expiry_warning": 50}, {"era": 652269, "why": "never attempted", "expires_at_era": 652354, "eras_left": 34, "expiry_warning": 50}, {"era": 652270, "why": "never attempted", "expires_at_era": 652355, "eras_left": 35, "expiry_warning": 50}, {"era": 652271, "why": "never attempted", "expires_at_era": 652356, "eras_left": 36, "expiry_warning": 50}, {"era": 652272, "why": "never attempted", "expires_at_era": 652357, "eras_left": 37, "expiry_warning": 50}, {"era": 652273, "why": "never attempted", "expires_at_era": 652358, "eras_left": 38, "expiry_warning": 50}, {"era": 652274, "why": "never attempted", "expires_at_era": 652359, "eras_left": 39, "expiry_warning": 50}, {"era": 652275, "why": "never attempted", "expires_at_era": 652360, "eras_left": 40, "expiry_warning": 50}, {"era": 652276, "why": "never attempted", "expires_at_era": 652361, "eras_left": 41, "expiry_warning": 50}, {"era": 652277, "why": "never attempted", "expires_at_era": 652362, "eras_left": 42, "expiry_warning": 50}, {"era": 652278, "why": "never attempted", "expires_at_era": 652363, "eras_left": 43, "expiry_warning": 50}, {"era": 652279, "why": "never attempted", "expires_at_era": 652364, "eras_left": 44, "expiry_warning": null}, {"era": 652280, "why": "never attempted", "expires_at_era": 652365, "eras_left": 45, "expiry_warning": null}, {"era": 652281, "why": "never attempted", "expires_at_era": 652366, "eras_left": 46, "expiry_warning": null}, {"era": 652282, "why": "never attempted", "expires_at_era": 652367, "eras_left": 47, "expiry_warning": null}, {"era": 652283, "why": "never attempted", "expires_at_era": 652368, "eras_left": 48, "expiry_warning": null}, {"era": 652284, "why": "never attempted", "expires_at_era": 652369, "eras_left": 49, "expiry_warning": null}, {"era": 652285, "why": "never attempted", "expires_at_era": 652370, "eras_left": 50, "expiry_warning": null}, {"era": 652286, "why": "never attempted", "expires_at_era": 652371, "eras_left": 51, "expiry_warning": null}, {"era": 652287, "why": "never attempted", "expires_at_era": 652372, "eras_left": 52, "expiry_warning": null}, {"era": 652288, "why": "never attempted", "expires_at_era": 652373, "eras_left": 53, "expiry_warning": null}, {"era": 652289, "why": "never attempted", "expires_at_era": 652374, "eras_left": 54, "expiry_warning": null}, {"era": 652290, "why": "never attempted", "expires_at_era": 652375, "eras_left": 55, "expiry_warning": null}, {"era": 652291, "why": "never attempted", "expires_at_era": 652376, "eras_left": 56, "expiry_warning": null}, {"era": 652292, "why": "never attempted", "expires_at_era": 652377, "eras_left": 57, "expiry_warning": null}, {"era": 652293, "why": "never attempted", "expires_at_era": 652378, "eras_left": 58, "expiry_warning": null}, {"era": 652294, "why": "never attempted", "expires_at_era": 652379, "eras_left": 59, "expiry_warning": null}, {"era": 652295, "why": "never attempted", "expires_at_era": 652380, "eras_left": 60, "expiry_warning": null}, {"era": 652296, "why": "never attempted", "expires_at_era": 652381, "eras_left": 61, "expiry_warning": null}, {"era": 652297, "why": "never attempted", "expires_at_era": 652382, "eras_left": 62, "expiry_warning": null}, {"era": 652298, "why": "never attempted", "expires_at_era": 652383, "eras_left": 63, "expiry_warning": null}, {"era": 652299, "why": "never attempted", "expires_at_era": 652384, "eras_left": 64, "expiry_warning": null}, {"era": 652300, "why": "never attempted", "expires_at_era": 652385, "eras_left": 65, "expiry_warning": null}, {"era": 652301, "why": "never attempted", "expires_at_era": 652386, "eras_left": 66, "expiry_warning": null}, {"era": 652302, "why": "never attempted", "expires_at_era": 652387, "eras_left": 67, "expiry_warning": null}, {"era": 652303, "why": "never attempted", "expires_at_era": 652388, "eras_left": 68, "expiry_warning": null}, {"era": 652304, "why": "never attempted", "expires_at_era": 652389, "eras_left": 69, "expiry_warning": null}, {"era": 652305, "why": "never attempted", "expires_at_era": 652390, "eras_left": 70, "expiry_warning": null}, {"era": 652306, "why": "never attempted", "expires_at_era": 652391, "eras_left": 71, "expiry_warning": null}, {"era": 652307, "why": "never attempted", "expires_at_era": 652392, "eras_left": 72, "expiry_warning": null}, {"era": 652308, "why": "never attempted", "expires_at_era": 652393, "eras_left": 73, "expiry_warning": null}, {"era": 652309, "why": "never attempted", "expires_at_era": 652394, "eras_left": 74, "expiry_warning": null}, {"era": 652310, "why": "never attempted", "expires_at_era": 652395, "eras_left": 75, "expiry_warning": null}, {"era": 652311, "why": "never attempted", "expires_at_era": 652396, "eras_left": 76, "expiry_warning": null}, {"era": 652312, "why": "never attempted", "expires_at_era": 652397, "eras_left": 77, "expiry_warning": null}, {"era": 652313, "why": "never attempted", "expires_at_era": 652398, "eras_left": 78, "expiry_warning": null}, {"era": 652314, "why": "never attempted", "expires_at_era": 652399, "eras_left": 79, "expiry_warning": null}, {"era": 652316, "why": "held (HELD): the fee is 100000000000000000 planck, more than max_fee_per_payout 1 planck", "expires_at_era": 652401, "eras_left": 81, "expiry_warning": null}, {"era": 652317, "why": "rejected (REJECTED): proxyPayoutstakers: JSON-RPC error -32600: Invalid Request (invalid fee authorisation: feePaymentSignature is not the payer''s over this user, relayer, proxySignature, a fee of 25000000000000 and payment nonce 1)", "expires_at_era": 652402, "eras_left": 82, "expiry_warning": null}, {"era": 652318, "why": "planned; nothing was sent (PLANNED): proxyPayoutstakers: no connection", "expires_at_era": 652403, "eras_left": 83, "expiry_warning": null}, {"era": 652319, "why": "held (HELD): the election window is open", "expires_at_era": 652404, "eras_left": 84, "expiry_warning": null}], "expired": [], "hash": "8fb0eebaddc243e2", "active_era": 652320, "paid": [652315], "notes": [], "later": []}', '2026-06-01 00:00:06+00', 'staking_catch_up_quiet/manual__1#1');
INSERT INTO era_facts VALUES ('quiet', 652315, NULL, '2026-06-01 00:00:00+00', '340282366920938463463374607431768211455', 'storage', NULL, 'UNIT', 12, '2026-06-01 00:00:00+00', 'run#1');
INSERT INTO era_notices VALUES ('quiet', 652229, 'expired', 'Era 652229 has expired', '2026-06-01 00:00:06+00', 'staking_catch_up_quiet/manual__1#1');
INSERT INTO ledger_identity VALUES ('8bc7bf8846b44af1b8b8a77ba6ffe626');
INSERT INTO payout_events VALUES (1, 1, '2026-06-01 00:00:00+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_accepted/scheduled__era-652317__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (2, 1, '2026-06-01 00:00:00+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 0, payment nonce 0', 'staking_payout_accepted/scheduled__era-652317__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (3, 1, '2026-06-01 00:00:00+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as af5ab747-42a2-4c18-994e-784264c2e303', 'staking_payout_accepted/scheduled__era-652317__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (4, 1, '2026-06-01 00:00:06+00', 'SUBMITTED', 'CONFIRMED', 4, 'request Processed, and the staking nonce moved', 'staking_payout_accepted/scheduled__era-652317__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (5, 2, '2026-06-01 00:00:06+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_accepted/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (6, 2, '2026-06-01 00:00:06+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 1, payment nonce 1', 'staking_payout_accepted/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (7, 2, '2026-06-01 00:00:06+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as 83a0c313-3628-49de-b044-15674d9bb17f', 'staking_payout_accepted/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (8, 2, '2026-06-01 00:00:12+00', 'SUBMITTED', 'CONFIRMED', 4, 'request Processed, and the staking nonce moved', 'staking_payout_accepted/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (9, 3, '2026-06-01 00:00:12+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_accepted/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (10, 3, '2026-06-01 00:00:12+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 2, payment nonce 2', 'staking_payout_accepted/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (11, 3, '2026-06-01 00:00:12+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as daa47e2d-48f3-4aee-bab8-849517e2589c', 'staking_payout_accepted/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (12, 4, '2026-06-01 00:00:00+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_executed/scheduled__era-652317__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (13, 4, '2026-06-01 00:00:00+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 0, payment nonce 0', 'staking_payout_executed/scheduled__era-652317__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (14, 4, '2026-06-01 00:00:00+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as eedcf2c4-ee81-43e3-ae4e-d8b74268c125', 'staking_payout_executed/scheduled__era-652317__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (15, 4, '2026-06-01 00:00:06+00', 'SUBMITTED', 'CONFIRMED', 4, 'request Processed, and the staking nonce moved', 'staking_payout_executed/scheduled__era-652317__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (16, 5, '2026-06-01 00:00:06+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_executed/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (17, 5, '2026-06-01 00:00:06+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 1, payment nonce 1', 'staking_payout_executed/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (18, 5, '2026-06-01 00:00:06+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as ee1a864f-f142-4031-95ba-f3cd3f9a2c28', 'staking_payout_executed/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (19, 5, '2026-06-01 00:00:12+00', 'SUBMITTED', 'CONFIRMED', 4, 'request Processed, and the staking nonce moved', 'staking_payout_executed/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (20, 6, '2026-06-01 00:00:12+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_executed/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (21, 6, '2026-06-01 00:00:12+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 2, payment nonce 2', 'staking_payout_executed/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (22, 6, '2026-06-01 00:00:12+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as a93b8268-2ebb-485a-b8db-61b4caebac06', 'staking_payout_executed/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (23, 7, '2026-06-01 00:00:00+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_signed/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (24, 7, '2026-06-01 00:00:00+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 0, payment nonce 0', 'staking_payout_signed/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (25, 7, '2026-06-01 00:00:00+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as 788675b8-86a7-4fd2-ba85-a5d47e9c2673', 'staking_payout_signed/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (26, 7, '2026-06-01 00:00:06+00', 'SUBMITTED', 'CONFIRMED', 4, 'request Processed, and the staking nonce moved', 'staking_payout_signed/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (27, 8, '2026-06-01 00:00:06+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_signed/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (28, 8, '2026-06-01 00:00:06+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 1, payment nonce 1', 'staking_payout_signed/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (29, 9, '2026-06-01 00:00:00+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_sent/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (30, 9, '2026-06-01 00:00:00+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 0, payment nonce 0', 'staking_payout_sent/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (31, 9, '2026-06-01 00:00:00+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as 2c16fdeb-74ad-4fdd-a934-f64928fb22a7', 'staking_payout_sent/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (32, 9, '2026-06-01 00:00:06+00', 'SUBMITTED', 'CONFIRMED', 4, 'request Processed, and the staking nonce moved', 'staking_payout_sent/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (33, 10, '2026-06-01 00:00:06+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_sent/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (34, 10, '2026-06-01 00:00:06+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 1, payment nonce 1', 'staking_payout_sent/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (35, 11, '2026-06-01 00:00:00+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_lost/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (36, 11, '2026-06-01 00:00:00+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 0, payment nonce 0', 'staking_payout_lost/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (37, 11, '2026-06-01 00:00:00+00', 'SIGNED', 'UNKNOWN', 3, 'sent, no usable answer: proxyPayoutstakers: reset', 'staking_payout_lost/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (38, 12, '2026-06-01 00:00:00+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_unanswered/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (39, 12, '2026-06-01 00:00:00+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 0, payment nonce 0', 'staking_payout_unanswered/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (40, 12, '2026-06-01 00:00:00+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as 7be519a3-6238-4874-8057-6f76ab51ec33', 'staking_payout_unanswered/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (41, 12, '2026-06-01 00:00:06+00', 'SUBMITTED', 'CONFIRMED', 4, 'request Processed, and the staking nonce moved', 'staking_payout_unanswered/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (42, 13, '2026-06-01 00:00:06+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_unanswered/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (43, 13, '2026-06-01 00:00:06+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 1, payment nonce 1', 'staking_payout_unanswered/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (44, 13, '2026-06-01 00:00:06+00', 'SIGNED', 'UNKNOWN', 3, 'sent, no usable answer: proxyPayoutstakers: reset', 'staking_payout_unanswered/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (45, 14, '2026-06-01 00:00:00+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_quiet/scheduled__era-652315__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (46, 14, '2026-06-01 00:00:00+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 0, payment nonce 0', 'staking_payout_quiet/scheduled__era-652315__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (47, 14, '2026-06-01 00:00:00+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as 73357820-67ed-4268-9220-66150ff004c0', 'staking_payout_quiet/scheduled__era-652315__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (48, 14, '2026-06-01 00:00:06+00', 'SUBMITTED', 'CONFIRMED', 4, 'request Processed, and the staking nonce moved', 'staking_payout_quiet/scheduled__era-652315__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (49, 15, '2026-06-01 00:00:06+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_quiet/scheduled__era-652316__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (50, 15, '2026-06-01 00:00:06+00', 'PLANNED', 'HELD', 2, 'the fee is 100000000000000000 planck, more than max_fee_per_payout 1 planck', 'staking_payout_quiet/scheduled__era-652316__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (51, 16, '2026-06-01 00:00:06+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_quiet/scheduled__era-652317__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (52, 16, '2026-06-01 00:00:06+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 1, payment nonce 1', 'staking_payout_quiet/scheduled__era-652317__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (53, 16, '2026-06-01 00:00:06+00', 'SIGNED', 'REJECTED', 3, 'proxyPayoutstakers: JSON-RPC error -32600: Invalid Request (invalid fee authorisation: feePaymentSignature is not the payer''s over this user, relayer, proxySignature, a fee of 25000000000000 and payment nonce 1)', 'staking_payout_quiet/scheduled__era-652317__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (54, 17, '2026-06-01 00:00:06+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_quiet/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (55, 17, '2026-06-01 00:00:06+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 25000000000000, staking nonce 1, payment nonce 1', 'staking_payout_quiet/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (56, 17, '2026-06-01 00:00:06+00', 'SIGNED', 'PLANNED', 3, 'proxyPayoutstakers: no connection', 'staking_payout_quiet/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (57, 18, '2026-06-01 00:00:06+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_quiet/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (58, 18, '2026-06-01 00:00:06+00', 'PLANNED', 'HELD', 2, 'the election window is open', 'staking_payout_quiet/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (59, 16, '2026-06-01 00:00:07+00', 'REJECTED', 'REJECTED', 4, 'the payment nonce has moved, and the staking nonce has not; a fee was charged', 'staking_payout_quiet/manual__1', 1);
INSERT INTO payout_events VALUES (60, 19, '2026-06-01 00:00:00+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_batches/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (61, 19, '2026-06-01 00:00:00+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 0, payment nonce 0', 'staking_payout_batches/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (62, 19, '2026-06-01 00:00:00+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as 10deb1c0-c60f-4aa5-a84d-356867e460eb', 'staking_payout_batches/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (63, 19, '2026-06-01 00:00:06+00', 'SUBMITTED', 'CONFIRMED', 4, 'request Processed, and the staking nonce moved', 'staking_payout_batches/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (64, 20, '2026-06-01 00:00:06+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_batches/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (65, 20, '2026-06-01 00:00:06+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 1, payment nonce 1', 'staking_payout_batches/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (66, 20, '2026-06-01 00:00:06+00', 'SIGNED', 'EMPTY', 3, 'proxyPayoutstakers: JSON-RPC error -32600: Invalid Request (era 652319 has already been paid out)', 'staking_payout_batches/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payouts VALUES (1, 'accepted', 'chain of accepted', 652317, 0, 'CONFIRMED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '0', '0', '100000000000000000', '0x80c0c47f45ee8fc9f738db71815c9d825fb217feed9bfaca09f2f9127e1da765dc557df0108879b2793b96a8b9838379bbddfc652624cf78aeb6cb0dbe4e7d8a', '0x849690d5ee048cb9bd52e247c9b7952cb0e8c1a21b9c517a11f3783a720c037aa17a3acb8c4881356de32aa3fa1d5a2b825517e6ccffcfdad0b0cde0010bc788', 'af5ab747-42a2-4c18-994e-784264c2e303', '0xfe13aba017ab6642e593c545f8354df1f72c1bea5b0379eb005cc6e33e235c55', '13046402', 'request_state', NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', 'staking_payout_accepted/scheduled__era-652317__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 0, 'staking_payout_accepted/scheduled__era-652317__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (2, 'accepted', 'chain of accepted', 652318, 0, 'CONFIRMED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '1', '1', '100000000000000000', '0xea507faa461f083086b76c29eab1c5440f66f33ff5f893fa05f0c8a69520e6219eec830f1fa48b0f8fd8a486d226037a996d015dfe2dad1730ac549094799386', '0x845e13fc16e8831c6cd0ea9a9554075fbfe0348f7365fcf9b0ab1197f9c9fb5ff347d5c8151c3068d9305bdc9a33313cdf6e529f2ea31c89eda3adfdb0608882', '83a0c313-3628-49de-b044-15674d9bb17f', '0x377a2eac2bec628c7706bd7c91ba178a57dcc075af279c1ab2e734b465f5c8ff', '13046408', 'request_state', NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:06+00', '2026-06-01 00:00:12+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:12+00', 'staking_payout_accepted/scheduled__era-652318__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 0, 'staking_payout_accepted/scheduled__era-652318__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (3, 'accepted', 'chain of accepted', 652319, 0, 'SUBMITTED', 3, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '2', '2', '100000000000000000', '0xe454de9af6770048f52ec35208f12fcb16b1376071d74a3b3efda7a53e9aba3453d28cdd07355168f8f65bee8ac522df3d25b3cd4d446a2d83ca56d64ac4d483', '0xbc4d29d9e4be944a2e9c9d26f2b3f8f4cc9210048ff9cfc9fdbc7381cdf4f511a14461c530dea6512bc23a8811760c7e16854078bc270fdacc484b82d14c8a87', 'daa47e2d-48f3-4aee-bab8-849517e2589c', NULL, NULL, NULL, NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:12+00', '2026-06-01 00:00:12+00', '2026-06-01 00:00:12+00', '2026-06-01 00:00:12+00', NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, 'staking_payout_accepted/scheduled__era-652319__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (4, 'executed', 'chain of executed', 652317, 0, 'CONFIRMED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '0', '0', '100000000000000000', '0x90ae4634da6fea039e1ef62d1837d6315665ccc9167be79803f7b834a773dc06f9ff0b8cffd60d00d4947d535ec2be44ebd93032bc2947c507acbb167f652c81', '0x3e8f90b3b3e060a7e72dd74dde5b1d95006240401517abd70f0ae9fa5fc11f11128674d161369c5838714b437c52da73f2f267a4e0d896cf7d2f490820cfec8e', 'eedcf2c4-ee81-43e3-ae4e-d8b74268c125', '0xdb1141ce72b8afa7ba8aecdfe9f4da2d897c1fa566519cc90277258d3f507ff4', '13046402', 'request_state', NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', 'staking_payout_executed/scheduled__era-652317__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 0, 'staking_payout_executed/scheduled__era-652317__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (5, 'executed', 'chain of executed', 652318, 0, 'CONFIRMED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '1', '1', '100000000000000000', '0xce3944014c1a0c63128bd3fa5c881102f105673e2cde994c17c6ba0c796d3f52440001e382132a37139535c6e1e1e724cd355b476d0a18131e9ad37831357885', '0x8e7d4f1372336e43454b2db63a730e6b7790fc6fae6324967f57c3d4b09e9c15df5a8428f1b9defdcf2a2fde3f187c9439e3e572e7d253a199d759567b080a86', 'ee1a864f-f142-4031-95ba-f3cd3f9a2c28', '0x8a7b9832c309cc5f9eba42336101888b1974bba65e24c74c820ec6123f6bc4a4', '13046408', 'request_state', NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:06+00', '2026-06-01 00:00:12+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:12+00', 'staking_payout_executed/scheduled__era-652318__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 0, 'staking_payout_executed/scheduled__era-652318__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (6, 'executed', 'chain of executed', 652319, 0, 'SUBMITTED', 3, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '2', '2', '100000000000000000', '0xf600c656a9f4ea0d4d9455035917dded081d66925819288b30923fa34a983968a851c6a4c5f5be28048db1fdf1f7dfbb9e9122c3fd3c29fcc6b9a99a67b5be8b', '0x0467a7562e8450dd2571e6fe441170b90875102af62116ed483776dffb53590e59959ff51c25d6d23647dc33535bfdfa8c832d131c8c4a79c0b9e2d26b63e488', 'a93b8268-2ebb-485a-b8db-61b4caebac06', NULL, NULL, NULL, NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:12+00', '2026-06-01 00:00:12+00', '2026-06-01 00:00:12+00', '2026-06-01 00:00:12+00', NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, 'staking_payout_executed/scheduled__era-652319__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (7, 'signed', 'chain of signed', 652318, 0, 'CONFIRMED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '0', '0', '100000000000000000', '0xbcdc3d6ef6acb8144632b99e9bd9fdf18421ad5f0e478dcf9a5d64c25cc7c76b07c82b6e3abc0a7f10dcee0159415e78632cdd4f2bfde568510148b0cb1b1686', '0xb4f2deca0989586716dae75ec2a6e86946e90630351feaf98aed0c08f7c8df452ac8f042fbafa0a641daf8af3339dcccb3e69087d7e16712eda212849e2f5089', '788675b8-86a7-4fd2-ba85-a5d47e9c2673', '0x7dba5d20908920ac5a2d32ed2174ea276f5e921263de6ba6e41be40ac392e704', '13046402', 'request_state', NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', 'staking_payout_signed/scheduled__era-652318__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 0, 'staking_payout_signed/scheduled__era-652318__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (8, 'signed', 'chain of signed', 652319, 0, 'SIGNED', 2, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '1', '1', '100000000000000000', '0xd44ae9d4d9d44002f7a92728213130e725450e663bb077387167317af9ac612bd540c4715c7943741a75607ab68154219dd14065c284d2cd1fee5f0bb4860082', '0x02ad31bf9adea651c34c1e3e6278dd627409bc1a40fd3ba4f70e0a6295733d24772e15b112c0745802a3aab3adace79d31d7e6faf6dfeacb106df7a8176cad8c', NULL, NULL, NULL, NULL, NULL, 1, 0, NULL, 'dbb2150eecc84330a152ad56f1ec13af', '2026-06-01 00:02:06+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, 'staking_payout_signed/scheduled__era-652319__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (9, 'sent', 'chain of sent', 652318, 0, 'CONFIRMED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '0', '0', '100000000000000000', '0x56add48527d350d3f550dcd57834d57cd8eb072ff3e4bc06c39c86ab053ba4531c99c96b334ad31c73523b640c441ed4efe3aba54cb923c580e46b890c22f289', '0xaeddc0700a5b7ff1382dc51a3be8156aa8b4418ea3936bf930142cde102d4529184a64245b9bb48fd40c87efdd0ff4d3033a3c8a9efcb2a6cad4cb2a15151d84', '2c16fdeb-74ad-4fdd-a934-f64928fb22a7', '0xbbde78903003763370354cbbea4b08f351a0420e7b61bf8a1716e7a3d573fd92', '13046402', 'request_state', NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', 'staking_payout_sent/scheduled__era-652318__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 0, 'staking_payout_sent/scheduled__era-652318__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (10, 'sent', 'chain of sent', 652319, 0, 'SIGNED', 2, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '1', '1', '100000000000000000', '0x5401bf91b74ac3b8bf38e3fbcdf2616098b419ab7718fc3570f750a57d3e1338373e011ff8b172ed79a904f7bad5c6b61daec8f0097aacb189a891756bbfee82', '0x2a83ad6bbf14499042bd3bde138c333cb3a262b5d47be3fb68fb1670fb95293a3659a1db725e1197db32e4ded4b49989232ddc43da126b704c6bef9f6ce83286', NULL, NULL, NULL, NULL, NULL, 1, 0, NULL, '8587c1873e8e42b7933483a29a7367ff', '2026-06-01 00:02:06+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, 'staking_payout_sent/scheduled__era-652319__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (11, 'lost', 'chain of lost', 652319, 0, 'UNKNOWN', 3, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '0', '0', '100000000000000000', '0xa2812ec35c980e48acf37bb1b2fc63f53a446b87e71097e0c06d40c94530234e52f6f0382224402152046e767e688b9c47fd443144d784e5306f8f9c54115d87', '0x3a1d83273f9b5c06b45816ff0b0d76f3f4a1f911d348a53abb5bc9186c92da55ef69ed9369eab786191e137f68653fa397ea581fbfe14085c6b7ab1d78271a8e', NULL, NULL, NULL, NULL, 'proxyPayoutstakers: reset', 1, 1, '2026-06-01 00:00:00+00', NULL, NULL, '2026-06-01 00:00:00+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:00+00', NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, 'staking_payout_lost/scheduled__era-652319__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (12, 'unanswered', 'chain of unanswered', 652318, 0, 'CONFIRMED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '0', '0', '100000000000000000', '0x104c5653cfd71378721478984632906606f8630c030352061c624cb6430e2c36ea0cfd58ed003cc71bd5145a1a11a415b17a5d95fc1d229c56a7378b62956d85', '0xaef2305d0c68882f885fa6a3b39e51bd9656c31eb9668747ee9a509e7ac3ce5c3358ce84dead46c3a201cf917b3dd6769bbc0a18c4562fd96d86a59bab210484', '7be519a3-6238-4874-8057-6f76ab51ec33', '0x8b7cded7dc54937bcc2eb079a3b35245afa945332f0449d347400e0fa0ef359c', '13046402', 'request_state', NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', 'staking_payout_unanswered/scheduled__era-652318__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 0, 'staking_payout_unanswered/scheduled__era-652318__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (13, 'unanswered', 'chain of unanswered', 652319, 0, 'UNKNOWN', 3, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '1', '1', '100000000000000000', '0xeeeb603ce9e0f59bf4d1692229a6cc749b2824649ea34052fe63a05f0bf79e4a61a24209f5be5965da3f2a45440d5ab82b543b8dd2694975d5a6870393e56f84', '0x460fd4bcdded7e3fad625d1c935ef1e2c6d7ac6c3bf662febf9282221c45dc727b7bf5418cdc3c43af07ae90cfe40ddd32714f0b5168ea6c1ebf7c92adcb3086', NULL, NULL, NULL, NULL, 'proxyPayoutstakers: reset', 1, 1, '2026-06-01 00:00:06+00', NULL, NULL, '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, 'staking_payout_unanswered/scheduled__era-652319__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (14, 'quiet', 'chain of quiet', 652315, 0, 'CONFIRMED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '0', '0', '100000000000000000', '0xb2abdc23c3e5bdc10c87060e7bd586f66c1f0f05f907b7b6edc6f2fad6a5f61f6dbd347df0a43234e6e20f638e196c1b113cb6cb5bf7c83222b61a5eafe9d78a', '0x921ecb2c4f610e0dc5ce015fe0bf06fed9a8f5785c8c48e54ae23bfab588e04fff938921f2e2a6adcb7a97784fb60bb8a5262a60fda201bee307e7ff68032d8e', '73357820-67ed-4268-9220-66150ff004c0', '0xeeb354ca191b8594bb57a27a40d5108ea20d23249891e3aa32fb4f89648b8e1c', '13046402', 'request_state', NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', 'staking_payout_quiet/scheduled__era-652315__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 0, 'staking_payout_quiet/scheduled__era-652315__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (15, 'quiet', 'chain of quiet', 652316, 0, 'HELD', 2, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'the fee is 100000000000000000 planck, more than max_fee_per_payout 1 planck', 0, 0, NULL, NULL, NULL, '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', NULL, NULL, NULL, NULL, 'fee', false, false, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, NULL, NULL, 0, NULL, NULL);
INSERT INTO payouts VALUES (17, 'quiet', 'chain of quiet', 652318, 0, 'PLANNED', 3, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '1', '1', '25000000000000', '0xcced8d1ac03979cc5aefc971e9df2fb7f7de5f24e4ef3ba2a4996895204844566db961fd5cdf2d3f23d78fbd3e354a3e9646d33c030bcd58f2d0241cce701389', '0xb6f8199621f73aff878a0c25e5719a90a905f135f6bab2169d0398c30439403dd6999857d74df27961cc4c8bb5ac75342b70cb004a86c17405625f4ed5852b8d', NULL, NULL, NULL, NULL, 'proxyPayoutstakers: no connection', 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, 'staking_payout_quiet/scheduled__era-652318__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (18, 'quiet', 'chain of quiet', 652319, 0, 'HELD', 2, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'the election window is open', 0, 0, NULL, NULL, NULL, '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', NULL, NULL, NULL, NULL, 'window', false, false, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, NULL, NULL, 0, NULL, NULL);
INSERT INTO payouts VALUES (16, 'quiet', 'chain of quiet', 652317, 0, 'REJECTED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '1', '1', '100000000000000000', '0xc0659fd5b69ca9926bf6c8ee3a73ed5a6d8dce7d9bdcca895bc384e9ad642a7059a3a722a24d4541a0cee401ec3d9b3a2f5b6b5ded7ce66ebbd697cdf3f6688f', '0x2c791acd6b6975f19f3c2ace2e7853ed1daf1e303312e68374b9fe397f39521e99aac30073838637a0045a20837b776144eaeead228e0840f8dcb67a06283381', NULL, NULL, NULL, NULL, 'the payment nonce has moved, and the staking nonce has not; a fee was charged', 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:06+00', '2026-06-01 00:00:07+00', '2026-06-01 00:00:06+00', NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 1, 'staking_payout_quiet/scheduled__era-652317__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (19, 'batches', 'chain of batches', 652319, 0, 'CONFIRMED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '0', '0', '100000000000000000', '0x189d8a5576cb6a3c6060e2248ad6ebf92cf855bee6cea9db9d9b1eb149a01234225a27b806e914cbf0999da0287b843f7cc00c276bf15881853e0ee7c2b1208c', '0x6285e6deb838bc80f7a510114b5d0e5a1c557c8f806139f65376595608780a1c042623ac51999fcd4ea911184e7ed5c7dd3df898402d2c288c7d449b0a7fe689', '10deb1c0-c60f-4aa5-a84d-356867e460eb', '0x7d978bc5f3ad4e616da5af83b3f400c89426aa6a7a7edd6a735c77c80d63e8ef', '13046402', 'request_state', NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', 'staking_payout_batches/scheduled__era-652319__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 0, 'staking_payout_batches/scheduled__era-652319__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (20, 'batches', 'chain of batches', 652319, 1, 'EMPTY', 3, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '1', '1', '100000000000000000', '0x285aeb19296f8a0dafc2ea6ea0ad792b2816d53b8b8b6dd2cd23329c3e689c2e118aead4664da1e0e2148d7cc1f01bdddbc0fba409b474726fa761b1b198668f', '0x86f7dbd152d42986e7f7c5b47cbb4b900583488b4c4b91c7ad4d5f96ebf1e2211daa4ac5fa6c018fb40215f29d234c7142eeb4a34d072cf36c2eb3c2319bff8a', NULL, NULL, NULL, NULL, NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', NULL, NULL, 'staking_payout_batches/scheduled__era-652319__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, 'staking_payout_batches/scheduled__era-652319__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO reconciliations VALUES ('quiet', 652315, 'execution', false, 'unpaid_green', NULL, NULL, NULL, 'the chain has no payout', '2026-06-01 00:00:00+00', 'run#1');
INSERT INTO staking_ledger_version VALUES ('0009');
INSERT INTO task_failures VALUES ('quiet', 'era:652319', 'signer', 'the signer is gone', '2026-06-01 00:00:07+00', 'run');
INSERT INTO task_failures VALUES ('quiet', 'catch_up', 'signer', 'the signer is gone', '2026-06-01 00:00:07+00', 'run');
INSERT INTO wasted_fees VALUES (16, '1', '100000000000000000', '2026-06-01 00:00:06+00', 'staking_payout_quiet/scheduled__era-652317__0a1b2c3d');
SELECT pg_catalog.setval('payout_events_id_seq', 66, true);
SELECT pg_catalog.setval('payouts_id_seq', 20, true);
ALTER TABLE ONLY account_rewards
    ADD CONSTRAINT account_rewards_pkey PRIMARY KEY (network, era, account_key);
ALTER TABLE ONLY account_statuses
    ADD CONSTRAINT account_statuses_pkey PRIMARY KEY (network, era, account_key);
ALTER TABLE ONLY alert_messages
    ADD CONSTRAINT alert_messages_pkey PRIMARY KEY (id);
ALTER TABLE ONLY alerts
    ADD CONSTRAINT alerts_pkey PRIMARY KEY (network, topic);
ALTER TABLE ONLY calendar_anchors
    ADD CONSTRAINT calendar_anchors_pkey PRIMARY KEY (network, era);
ALTER TABLE ONLY catch_up_plans
    ADD CONSTRAINT catch_up_plans_pkey PRIMARY KEY (network, hash);
ALTER TABLE ONLY era_facts
    ADD CONSTRAINT era_facts_pkey PRIMARY KEY (network, era);
ALTER TABLE ONLY era_notices
    ADD CONSTRAINT era_notices_pkey PRIMARY KEY (network, era, kind);
ALTER TABLE ONLY ledger_identity
    ADD CONSTRAINT ledger_identity_pkey PRIMARY KEY (identity);
ALTER TABLE ONLY payout_events
    ADD CONSTRAINT one_event_per_version UNIQUE (payout_id, version);
ALTER TABLE ONLY payouts
    ADD CONSTRAINT one_record_per_part UNIQUE (network, era, part);
ALTER TABLE ONLY payout_events
    ADD CONSTRAINT payout_events_pkey PRIMARY KEY (id);
ALTER TABLE ONLY payouts
    ADD CONSTRAINT payouts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY reconciliations
    ADD CONSTRAINT reconciliations_pkey PRIMARY KEY (network, era, subject);
ALTER TABLE ONLY staking_ledger_version
    ADD CONSTRAINT staking_ledger_version_pkc PRIMARY KEY (version_num);
ALTER TABLE ONLY task_failures
    ADD CONSTRAINT task_failures_pkey PRIMARY KEY (network, subject);
ALTER TABLE ONLY wasted_fees
    ADD CONSTRAINT wasted_fees_pkey PRIMARY KEY (payout_id, payment_nonce);
CREATE INDEX differing_reconciliations ON reconciliations USING btree (network, era, subject) WHERE (agrees IS FALSE);
CREATE INDEX era_notices_by_kind ON era_notices USING btree (network, kind, era);
CREATE UNIQUE INDEX one_in_flight_per_user ON payouts USING btree (chain, user_key) WHERE (((state)::text = ANY ((ARRAY['SIGNED'::character varying, 'SUBMITTED'::character varying, 'UNKNOWN'::character varying])::text[])) AND (staking_nonce IS NOT NULL));
CREATE UNIQUE INDEX one_payload_per_staking_nonce ON payouts USING btree (chain, user_key, staking_nonce) WHERE (((state)::text = ANY ((ARRAY['SIGNED'::character varying, 'SUBMITTED'::character varying, 'UNKNOWN'::character varying, 'CONFIRMED'::character varying])::text[])) AND ((confirmed_by IS NULL) OR ((confirmed_by)::text <> 'none'::text)));
CREATE INDEX open_alerts ON alerts USING btree (network, raised_at, topic) WHERE ((state)::text = 'open'::text);
CREATE INDEX payouts_by_payment_nonce ON payouts USING btree (chain, payer_key, length((payment_nonce)::text), payment_nonce) WHERE (payment_nonce IS NOT NULL);
CREATE INDEX payouts_by_request ON payouts USING btree (chain, request_id) WHERE (request_id IS NOT NULL);
CREATE INDEX payouts_by_run ON payouts USING btree (network, signed_by);
CREATE INDEX payouts_by_signing_time ON payouts USING btree (network, signed_at);
CREATE INDEX payouts_by_staking_nonce ON payouts USING btree (chain, user_key, length((staking_nonce)::text), staking_nonce) WHERE (staking_nonce IS NOT NULL);
CREATE INDEX payouts_by_used_nonce ON payouts USING btree (chain, user_key, length((used_nonce)::text), used_nonce) WHERE (used_nonce IS NOT NULL);
CREATE INDEX payouts_in_flight ON payouts USING btree (chain) WHERE ((state)::text = ANY ((ARRAY['SIGNED'::character varying, 'SUBMITTED'::character varying, 'UNKNOWN'::character varying])::text[]));
CREATE INDEX payouts_in_flight_of_network ON payouts USING btree (network, id) WHERE ((state)::text = ANY ((ARRAY['SIGNED'::character varying, 'SUBMITTED'::character varying, 'UNKNOWN'::character varying])::text[]));
CREATE INDEX payouts_of_network ON payouts USING btree (network, id);
CREATE INDEX unsent_alert_messages ON alert_messages USING btree (network) WHERE (sent_at IS NULL);
CREATE INDEX wasted_fees_by_run ON wasted_fees USING btree (signed_by);
CREATE INDEX wasted_fees_by_signing_time ON wasted_fees USING btree (signed_at);
CREATE TRIGGER payout_events_are_not_changed BEFORE DELETE OR UPDATE ON payout_events FOR EACH ROW EXECUTE FUNCTION staking_ledger_refuses();
CREATE TRIGGER payout_events_are_not_truncated BEFORE TRUNCATE ON payout_events FOR EACH STATEMENT EXECUTE FUNCTION staking_ledger_refuses();
CREATE TRIGGER payouts_are_not_deleted BEFORE DELETE ON payouts FOR EACH ROW EXECUTE FUNCTION staking_ledger_refuses();
CREATE TRIGGER payouts_are_not_truncated BEFORE TRUNCATE ON payouts FOR EACH STATEMENT EXECUTE FUNCTION staking_ledger_refuses();
ALTER TABLE ONLY payout_events
    ADD CONSTRAINT payout_events_payout_id_fkey FOREIGN KEY (payout_id) REFERENCES payouts(id);
ALTER TABLE ONLY wasted_fees
    ADD CONSTRAINT wasted_fees_payout_id_fkey FOREIGN KEY (payout_id) REFERENCES payouts(id);
