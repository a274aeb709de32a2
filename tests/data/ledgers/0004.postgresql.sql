CREATE FUNCTION staking_ledger_refuses() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    BEGIN RAISE EXCEPTION 'payout_events is append-only, payouts are never deleted' USING ERRCODE = '23001'; END $$;
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
    sent_at timestamp with time zone
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
CREATE TABLE era_notices (
    network character varying(250) NOT NULL,
    era bigint NOT NULL,
    kind character varying(32) NOT NULL,
    text text NOT NULL,
    at timestamp with time zone NOT NULL,
    run text NOT NULL
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
    proxy_signature character varying(130),
    fee_payment_signature character varying(130),
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
CREATE TABLE staking_ledger_version (
    version_num character varying(32) NOT NULL
);
CREATE TABLE staking_statuses (
    network character varying(250) NOT NULL,
    era bigint NOT NULL,
    account_key character varying(66) NOT NULL,
    address character varying(66) NOT NULL,
    status character varying(16) NOT NULL,
    checked_at timestamp with time zone NOT NULL
);
CREATE TABLE wasted_fees (
    payout_id integer NOT NULL,
    payment_nonce character varying(39) NOT NULL,
    fee character varying(39) NOT NULL,
    signed_at timestamp with time zone NOT NULL,
    signed_by text NOT NULL
);
ALTER TABLE ONLY payout_events ALTER COLUMN id SET DEFAULT nextval('payout_events_id_seq'::regclass);
ALTER TABLE ONLY payouts ALTER COLUMN id SET DEFAULT nextval('payouts_id_seq'::regclass);
INSERT INTO alert_messages VALUES ('92cb8a991a37403f8f91855e2c9dd8e0', 'quiet', 'raised', 'held', 'warning', '[{"topic": "era:652316", "kind": "held", "severity": "warning", "subject": "Era 652316", "era": 652316, "cause": "the fee is too high", "next_step": "Raise the ceiling"}]', '2026-06-01 00:00:06+00', 'staking_payout_quiet/alerts#1', '["operator"]', 4, NULL, '2026-06-01 00:00:06+00');
INSERT INTO alert_messages VALUES ('bbaeb5c20a2340b29433d40aa9167c46', 'quiet', 'raised', 'not_paid', 'warning', '[{"topic": "era:652315", "kind": "not_paid", "severity": "warning", "subject": "Era 652315", "era": 652315, "cause": "the fee is too high", "next_step": "Raise the ceiling"}]', '2026-06-01 00:00:06+00', 'staking_payout_quiet/alerts#1', '[]', 2, '2026-06-01 00:00:36+00', NULL);
INSERT INTO alert_messages VALUES ('62fe8f43f20247fc92268241f982c6a0', 'quiet', 'cleared', 'not_paid', 'info', '[{"topic": "era:652315", "kind": "not_paid", "severity": "info", "subject": "Era 652315", "era": 652315, "cause": "Era 652315 is paid", "next_step": ""}]', '2026-06-01 00:00:07+00', 'staking_payout_quiet/alerts#1', '[]', 1, NULL, NULL);
INSERT INTO alerts VALUES ('quiet', 'era:652316', 'open', 'held', 2, 652316, 'Era 652316', 'the fee is too high', 1, '2026-06-01 00:00:06+00', NULL, '2026-06-01 00:00:06+00', 'staking_payout_quiet/alerts#1');
INSERT INTO alerts VALUES ('quiet', 'era:652315', 'over', 'not_paid', 1, 652315, 'Era 652315', 'the fee is too high', 2, '2026-06-01 00:00:06+00', NULL, '2026-06-01 00:00:07+00', 'staking_payout_quiet/alerts#1');
INSERT INTO calendar_anchors VALUES ('quiet', 652309, '2026-06-01 00:00:00+00', 20000000, '2026-06-01 00:00:06+00', 'staking_catch_up_quiet/manual__1#1');
INSERT INTO calendar_anchors VALUES ('quiet', 652319, '2026-06-01 00:03:20+00', 20250000, '2026-06-01 00:00:06+00', 'staking_catch_up_quiet/manual__1#1');
INSERT INTO catch_up_plans VALUES ('quiet', '8fb0eebaddc243e2', '{"network": "quiet", "terms": {"chain": "chain of quiet", "relayer": "5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty", "user": "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY", "payer": "5FLSigC9HGRKVhB9FiEo4Y3koPsNmBmLJbpXg2mp1hXcS59Y", "parts": 1, "history_depth": 84}, "fee": "25000000000000", "pay": [{"era": 652236, "why": "no payout of it is in the ledger", "expires_at_era": 652321, "eras_left": 1, "expiry_warning": 95}, {"era": 652237, "why": "no payout of it is in the ledger", "expires_at_era": 652322, "eras_left": 2, "expiry_warning": 95}, {"era": 652238, "why": "no payout of it is in the ledger", "expires_at_era": 652323, "eras_left": 3, "expiry_warning": 95}, {"era": 652239, "why": "no payout of it is in the ledger", "expires_at_era": 652324, "eras_left": 4, "expiry_warning": 95}, {"era": 652240, "why": "no payout of it is in the ledger", "expires_at_era": 652325, "eras_left": 5, "expiry_warning": 95}, {"era": 652241, "why": "no payout of it is in the ledger", "expires_at_era": 652326, "eras_left": 6, "expiry_warning": 80}, {"era": 652242, "why": "no payout of it is in the ledger", "expires_at_era": 652327, "eras_left": 7, "expiry_warning": 80}, {"era": 652243, "why": "no payout of it is in the ledger", "expires_at_era": 652328, "eras_left": 8, "expiry_warning": 80}, {"era": 652244, "why": "no payout of it is in the ledger", "expires_at_era": 652329, "eras_left": 9, "expiry_warning": 80}, {"era": 652245, "why": "no payout of it is in the ledger", "expires_at_era": 652330, "eras_left": 10, "expiry_warning": 80}, {"era": 652246, "why": "no payout of it is in the ledger", "expires_at_era": 652331, "eras_left": 11, "expiry_warning": 80}, {"era": 652247, "why": "no payout of it is in the ledger", "expires_at_era": 652332, "eras_left": 12, "expiry_warning": 80}, {"era": 652248, "why": "no payout of it is in the ledger", "expires_at_era": 652333, "eras_left": 13, "expiry_warning": 80}, {"era": 652249, "why": "no payout of it is in the ledger", "expires_at_era": 652334, "eras_left": 14, "expiry_warning": 80}, {"era": 652250, "why": "no payout of it is in the ledger", "expires_at_era": 652335, "eras_left": 15, "expiry_warning": 80}, {"era": 652251, "why": "no payout of it is in the ledger", "expires_at_era": 652336, "eras_left": 16, "expiry_warning": 80}, {"era": 652252, "why": "no payout of it is in the ledger", "expires_at_era": 652337, "eras_left": 17, "expiry_warning": 80}, {"era": 652253, "why": "no payout of it is in the ledger", "expires_at_era": 652338, "eras_left": 18, "expiry_warning": 50}, {"era": 652254, "why": "no payout of it is in the ledger", "expires_at_era": 652339, "eras_left": 19, "expiry_warning": 50}, {"era": 652255, "why": "no payout of it is in the ledger", "expires_at_era": 652340, "eras_left": 20, "expiry_warning": 50}, {"era": 652256, "why": "no payout of it is in the ledger", "expires_at_era": 652341, "eras_left": 21, "expiry_warning": 50}, {"era": 652257, "why": "no payout of it is in the ledger", "expires_at_era": 652342, "eras_left": 22, "expiry_warning": 50}, {"era": 652258, "why": "no payout of it is in the ledger", "expires_at_era": 652343, "eras_left": 23, "expiry_warning": 50}, {"era": 652259, "why": "no payout of it is in the ledger", "expires_at_era": 652344, "eras_left": 24, "expiry_warning": 50}, {"era": 652260, "why": "no payout of it is in the ledger", "expires_at_era": 652345, "eras_left": 25, "expiry_warning": 50}, {"era": 652261, "why": "no payout of it is in the ledger", "expires_at_era": 652346, "eras_left": 26, "expiry_warning": 50}, {"era": 652262, "why": "no payout of it is in the ledger", "expires_at_era": 652347, "eras_left": 27, "expiry_warning": 50}, {"era": 652263, "why": "no payout of it is in the ledger", "expires_at_era": 652348, "eras_left": 28, "expiry_warning": 50}, {"era": 652264, "why": "no payout of it is in the ledger", "expires_at_era": 652349, "eras_left": 29, "expiry_warning": 50}, {"era": 652265, "why": "no payout of it is in the ledger", "expires_at_era": 652350, "eras_left": 30, "expiry_warning": 50}, {"era": 652266, "why": "no payout of it is in the ledger", "expires_at_era": 652351, "eras_left": 31, "expiry_warning": 50}, {"era": 652267, "why": "no payout of it is in the ledger", "expires_at_era": 652352, "eras_left": 32, "expiry_warning": 50}, {"era": 652268, "why": "no payout of it is in the ledger", "expires_at_era": 652353, "eras_left": 33, "expiry_warning": 50}, {"era": 652269, "why": "no payout of it is in the ledger", "expires_at_era": 652354, "eras_left": 34, "expiry_warning": 50}, {"era": 652270, "why": "no payout of it is in the ledger", "expires_at_era": 652355, "eras_left": 35, "expiry_warning": 50}, {"era": 652271, "why": "no payout of it is in the ledger", "expires_at_era": 652356, "eras_left": 36, "expiry_warning": 50}, {"era": 652272, "why": "no payout of it is in the ledger", "expires_at_era": 652357, "eras_left": 37, "expiry_warning": 50}, {"era": 652273, "why": "no payout of it is in the ledger", "expires_at_era": 652358, "eras_left": 38, "expiry_warning": 50}, {"era": 652274, "why": "no payout of it is in the ledger", "expires_at_era": 652359, "eras_left": 39, "expiry_warning": 50}, {"era": 652275, "why": "no payout of it is in the ledger", "expires_at_era": 652360, "eras_left": 40, "expiry_warning": 50}, {"era": 652276, "why": "no payout of it is in the ledger", "expires_at_era": 652361, "eras_left": 41, "expiry_warning": 50}, {"era": 652277, "why": "no payout of it is in the ledger", "expires_at_era": 652362, "eras_left": 42, "expiry_warning": 50}, {"era": 652278, "why": "no payout of it is in the ledger", "expires_at_era": 652363, "eras_left": 43, "expiry_warning": 50}, {"era": 652279, "why": "no payout of it is in the ledger", "expires_at_era": 652364, "eras_left": 44, "expiry_warning": null}, {"era": 652280, "why": "no payout of it is in the ledger", "expires_at_era": 652365, "eras_left": 45, "expiry_warning": null}, {"era": 652281, "why": "no payout of it is in the ledger", "expires_at_era": 652366, "eras_left": 46, "expiry_warning": null}, {"era": 652282, "why": "no payout of it is in the ledger", "expires_at_era": 652367, "eras_left": 47, "expiry_warning": null}, {"era": 652283, "why": "no payout of it is in the ledger", "expires_at_era": 652368, "eras_left": 48, "expiry_warning": null}, {"era": 652284, "why": "no payout of it is in the ledger", "expires_at_era": 652369, "eras_left": 49, "expiry_warning": null}, {"era": 652285, "why": "no payout of it is in the ledger", "expires_at_era": 652370, "eras_left": 50, "expiry_warning": null}, {"era": 652286, "why": "no payout of it is in the ledger", "expires_at_era": 652371, "eras_left": 51, "expiry_warning": null}, {"era": 652287, "why": "no payout of it is in the ledger", "expires_at_era": 652372, "eras_left": 52, "expiry_warning": null}, {"era": 652288, "why": "no payout of it is in the ledger", "expires_at_era": 652373, "eras_left": 53, "expiry_warning": null}, {"era": 652289, "why": "no payout of it is in the ledger", "expires_at_era": 652374, "eras_left": 54, "expiry_warning": null}, {"era": 652290, "why": "no payout of it is in the ledger", "expires_at_era": 652375, "eras_left": 55, "expiry_warning": null}, {"era": 652291, "why": "no payout of it is in the ledger", "expires_at_era": 652376, "eras_left": 56, "expiry_warning": null}, {"era": 652292, "why": "no payout of it is in the ledger", "expires_at_era": 652377, "eras_left": 57, "expiry_warning": null}, {"era": 652293, "why": "no payout of it is in the ledger", "expires_at_era": 652378, "eras_left": 58, "expiry_warning": null}, {"era": 652294, "why": "no payout of it is in the ledger", "expires_at_era": 652379, "eras_left": 59, "expiry_warning": null}, {"era": 652295, "why": "no payout of it is in the ledger", "expires_at_era": 652380, "eras_left": 60, "expiry_warning": null}, {"era": 652296, "why": "no payout of it is in the ledger", "expires_at_era": 652381, "eras_left": 61, "expiry_warning": null}, {"era": 652297, "why": "no payout of it is in the ledger", "expires_at_era": 652382, "eras_left": 62, "expiry_warning": null}, {"era": 652298, "why": "no payout of it is in the ledger", "expires_at_era": 652383, "eras_left": 63, "expiry_warning": null}, {"era": 652299, "why": "no payout of it is in the ledger", "expires_at_era": 652384, "eras_left": 64, "expiry_warning": null}, {"era": 652300, "why": "no payout of it is in the ledger", "expires_at_era": 652385, "eras_left": 65, "expiry_warning": null}, {"era": 652301, "why": "no payout of it is in the ledger", "expires_at_era": 652386, "eras_left": 66, "expiry_warning": null}, {"era": 652302, "why": "no payout of it is in the ledger", "expires_at_era": 652387, "eras_left": 67, "expiry_warning": null}, {"era": 652303, "why": "no payout of it is in the ledger", "expires_at_era": 652388, "eras_left": 68, "expiry_warning": null}, {"era": 652304, "why": "no payout of it is in the ledger", "expires_at_era": 652389, "eras_left": 69, "expiry_warning": null}, {"era": 652305, "why": "no payout of it is in the ledger", "expires_at_era": 652390, "eras_left": 70, "expiry_warning": null}, {"era": 652306, "why": "no payout of it is in the ledger", "expires_at_era": 652391, "eras_left": 71, "expiry_warning": null}, {"era": 652307, "why": "no payout of it is in the ledger", "expires_at_era": 652392, "eras_left": 72, "expiry_warning": null}, {"era": 652308, "why": "no payout of it is in the ledger", "expires_at_era": 652393, "eras_left": 73, "expiry_warning": null}, {"era": 652309, "why": "no payout of it is in the ledger", "expires_at_era": 652394, "eras_left": 74, "expiry_warning": null}, {"era": 652310, "why": "no payout of it is in the ledger", "expires_at_era": 652395, "eras_left": 75, "expiry_warning": null}, {"era": 652311, "why": "no payout of it is in the ledger", "expires_at_era": 652396, "eras_left": 76, "expiry_warning": null}, {"era": 652312, "why": "no payout of it is in the ledger", "expires_at_era": 652397, "eras_left": 77, "expiry_warning": null}, {"era": 652313, "why": "no payout of it is in the ledger", "expires_at_era": 652398, "eras_left": 78, "expiry_warning": null}, {"era": 652314, "why": "no payout of it is in the ledger", "expires_at_era": 652399, "eras_left": 79, "expiry_warning": null}, {"era": 652316, "why": "HELD: the fee is 100000000000000000, more than max_fee_per_payout 1", "expires_at_era": 652401, "eras_left": 81, "expiry_warning": null}, {"era": 652317, "why": "REJECTED: proxyPayoutstakers: JSON-RPC error -32600: Invalid Request (invalid fee authorisation: feePaymentSignature is not the payer''s over this user, relayer, proxySignature, a fee of 25000000000000 and payment nonce 1)", "expires_at_era": 652402, "eras_left": 82, "expiry_warning": null}, {"era": 652318, "why": "PLANNED: proxyPayoutstakers: no connection", "expires_at_era": 652403, "eras_left": 83, "expiry_warning": null}, {"era": 652319, "why": "HELD: the election window is open", "expires_at_era": 652404, "eras_left": 84, "expiry_warning": null}], "expired": [], "hash": "8fb0eebaddc243e2", "active_era": 652320, "paid": [652315], "notes": [], "later": []}', '2026-06-01 00:00:06+00', 'staking_catch_up_quiet/manual__1#1');
INSERT INTO era_notices VALUES ('quiet', 652229, 'expired', 'Era 652229 has expired', '2026-06-01 00:00:06+00', 'staking_catch_up_quiet/manual__1#1');
INSERT INTO payout_events VALUES (1, 1, '2026-06-01 00:00:00+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_accepted/scheduled__era-652317__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (2, 1, '2026-06-01 00:00:00+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 0, payment nonce 0', 'staking_payout_accepted/scheduled__era-652317__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (3, 1, '2026-06-01 00:00:00+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as 22cf941b-d31f-412e-b394-22412c4477bc', 'staking_payout_accepted/scheduled__era-652317__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (4, 1, '2026-06-01 00:00:06+00', 'SUBMITTED', 'CONFIRMED', 4, 'request Processed, and the staking nonce moved', 'staking_payout_accepted/scheduled__era-652317__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (5, 2, '2026-06-01 00:00:06+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_accepted/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (6, 2, '2026-06-01 00:00:06+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 1, payment nonce 1', 'staking_payout_accepted/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (7, 2, '2026-06-01 00:00:06+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as 70b70acb-2638-493f-8c42-b116c053f3aa', 'staking_payout_accepted/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (8, 2, '2026-06-01 00:00:12+00', 'SUBMITTED', 'CONFIRMED', 4, 'request Processed, and the staking nonce moved', 'staking_payout_accepted/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (9, 3, '2026-06-01 00:00:12+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_accepted/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (10, 3, '2026-06-01 00:00:12+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 2, payment nonce 2', 'staking_payout_accepted/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (11, 3, '2026-06-01 00:00:12+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as 7df38116-997c-49d4-bc27-04b175566dfd', 'staking_payout_accepted/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (12, 4, '2026-06-01 00:00:00+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_executed/scheduled__era-652317__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (13, 4, '2026-06-01 00:00:00+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 0, payment nonce 0', 'staking_payout_executed/scheduled__era-652317__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (14, 4, '2026-06-01 00:00:00+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as 9aad9cd8-8196-40bb-9eec-714a842a321a', 'staking_payout_executed/scheduled__era-652317__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (15, 4, '2026-06-01 00:00:06+00', 'SUBMITTED', 'CONFIRMED', 4, 'request Processed, and the staking nonce moved', 'staking_payout_executed/scheduled__era-652317__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (16, 5, '2026-06-01 00:00:06+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_executed/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (17, 5, '2026-06-01 00:00:06+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 1, payment nonce 1', 'staking_payout_executed/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (18, 5, '2026-06-01 00:00:06+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as 261aaada-a02d-4535-9448-af69c1c523cf', 'staking_payout_executed/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (19, 5, '2026-06-01 00:00:12+00', 'SUBMITTED', 'CONFIRMED', 4, 'request Processed, and the staking nonce moved', 'staking_payout_executed/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (20, 6, '2026-06-01 00:00:12+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_executed/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (21, 6, '2026-06-01 00:00:12+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 2, payment nonce 2', 'staking_payout_executed/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (22, 6, '2026-06-01 00:00:12+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as 9668bdf0-639b-4e9d-bbe1-010777c58ceb', 'staking_payout_executed/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (23, 7, '2026-06-01 00:00:00+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_signed/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (24, 7, '2026-06-01 00:00:00+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 0, payment nonce 0', 'staking_payout_signed/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (25, 7, '2026-06-01 00:00:00+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as 6d22dc9f-4bd5-497a-93eb-ebd6d86ffadd', 'staking_payout_signed/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (26, 7, '2026-06-01 00:00:06+00', 'SUBMITTED', 'CONFIRMED', 4, 'request Processed, and the staking nonce moved', 'staking_payout_signed/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (27, 8, '2026-06-01 00:00:06+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_signed/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (28, 8, '2026-06-01 00:00:06+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 1, payment nonce 1', 'staking_payout_signed/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (29, 9, '2026-06-01 00:00:00+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_sent/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (30, 9, '2026-06-01 00:00:00+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 0, payment nonce 0', 'staking_payout_sent/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (31, 9, '2026-06-01 00:00:00+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as f24f72bb-1c96-4c82-a397-1100bea2240d', 'staking_payout_sent/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (32, 9, '2026-06-01 00:00:06+00', 'SUBMITTED', 'CONFIRMED', 4, 'request Processed, and the staking nonce moved', 'staking_payout_sent/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (33, 10, '2026-06-01 00:00:06+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_sent/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (34, 10, '2026-06-01 00:00:06+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 1, payment nonce 1', 'staking_payout_sent/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (35, 11, '2026-06-01 00:00:00+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_lost/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (36, 11, '2026-06-01 00:00:00+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 0, payment nonce 0', 'staking_payout_lost/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (37, 11, '2026-06-01 00:00:00+00', 'SIGNED', 'UNKNOWN', 3, 'sent, no usable answer: proxyPayoutstakers: reset', 'staking_payout_lost/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (38, 12, '2026-06-01 00:00:00+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_unanswered/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (39, 12, '2026-06-01 00:00:00+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 0, payment nonce 0', 'staking_payout_unanswered/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (40, 12, '2026-06-01 00:00:00+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as b56e6e6a-cb1b-4080-9462-83fe41d6cf4f', 'staking_payout_unanswered/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (41, 12, '2026-06-01 00:00:06+00', 'SUBMITTED', 'CONFIRMED', 4, 'request Processed, and the staking nonce moved', 'staking_payout_unanswered/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (42, 13, '2026-06-01 00:00:06+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_unanswered/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (43, 13, '2026-06-01 00:00:06+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 1, payment nonce 1', 'staking_payout_unanswered/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (44, 13, '2026-06-01 00:00:06+00', 'SIGNED', 'UNKNOWN', 3, 'sent, no usable answer: proxyPayoutstakers: reset', 'staking_payout_unanswered/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (45, 14, '2026-06-01 00:00:00+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_quiet/scheduled__era-652315__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (46, 14, '2026-06-01 00:00:00+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 0, payment nonce 0', 'staking_payout_quiet/scheduled__era-652315__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (47, 14, '2026-06-01 00:00:00+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as 58a5d5cd-5b07-45c0-b363-cbefce3d1fbf', 'staking_payout_quiet/scheduled__era-652315__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (48, 14, '2026-06-01 00:00:06+00', 'SUBMITTED', 'CONFIRMED', 4, 'request Processed, and the staking nonce moved', 'staking_payout_quiet/scheduled__era-652315__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (49, 15, '2026-06-01 00:00:06+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_quiet/scheduled__era-652316__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (50, 15, '2026-06-01 00:00:06+00', 'PLANNED', 'HELD', 2, 'the fee is 100000000000000000, more than max_fee_per_payout 1', 'staking_payout_quiet/scheduled__era-652316__0a1b2c3d', 1);
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
INSERT INTO payout_events VALUES (62, 19, '2026-06-01 00:00:00+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as 0d3c4928-7de7-4aef-9cf4-d88587d7a587', 'staking_payout_batches/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (63, 19, '2026-06-01 00:00:06+00', 'SUBMITTED', 'CONFIRMED', 4, 'request Processed, and the staking nonce moved', 'staking_payout_batches/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (64, 20, '2026-06-01 00:00:06+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_batches/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (65, 20, '2026-06-01 00:00:06+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 1, payment nonce 1', 'staking_payout_batches/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (66, 20, '2026-06-01 00:00:06+00', 'SIGNED', 'EMPTY', 3, 'proxyPayoutstakers: JSON-RPC error -32600: Invalid Request (era 652319 has already been paid out)', 'staking_payout_batches/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payouts VALUES (1, 'accepted', 'chain of accepted', 652317, 0, 'CONFIRMED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '0', '0', '100000000000000000', '0x0a54edaaffa256689aa52cf17e1afe977e7a3e5f6533189c6c5240b916a2d419c33d9d4a9c231672d1f18194688c857c4b211a8abe13f484d3a0be2cc9c22284', '0xe40c31d1242276a20055689fdbb19d3a698a80798b67748b19ec29ea17bc326374cc0d2dc8a66279887364916ae35725365e612e32b16432390db429d03b528e', '22cf941b-d31f-412e-b394-22412c4477bc', '0x5a599afdfba22c7206df12af6f9e12c7428d6828d80e4675fb03f9215327d626', '13046402', 'request_state', NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', 'staking_payout_accepted/scheduled__era-652317__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 0, 'staking_payout_accepted/scheduled__era-652317__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (2, 'accepted', 'chain of accepted', 652318, 0, 'CONFIRMED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '1', '1', '100000000000000000', '0x9479a81b7264b03c3699d2879221bf39c2dbcbbfc52dfc603d1501ecd627da0bab24f6a0d276a459772134051c46f468ce458c21ebb96a9d294d3155330ed784', '0xbee73154ed8d186ecef476b5704d574cb53cd75b3cf412daf090c82f754e765faf2e7a069cad7d3bcd703d48a793cad5f39627c0a02dcab89146306272d5eb8a', '70b70acb-2638-493f-8c42-b116c053f3aa', '0x4cdcb85073a3f2da30dde9d530df894bda126808809e0dd7380e0fd76e82e78c', '13046408', 'request_state', NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:06+00', '2026-06-01 00:00:12+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:12+00', 'staking_payout_accepted/scheduled__era-652318__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 0, 'staking_payout_accepted/scheduled__era-652318__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (3, 'accepted', 'chain of accepted', 652319, 0, 'SUBMITTED', 3, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '2', '2', '100000000000000000', '0x628e3d9a74d265230eb5b888501f436c2fb5af6a4b71bd2534f378a752bb88748bd9517ad1a5d7e7bcdf363b9ca1b0cc1001616d372a6d989351199e294fbd85', '0x420b457cb1ab2241261ada9b4711369e2f0ba5fd26373f2b19df68b070c6323470661aff85ff5062d5e1fe0180f09b29dd9d5ad7b0ce11c32ae9d30fe7f4c18a', '7df38116-997c-49d4-bc27-04b175566dfd', NULL, NULL, NULL, NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:12+00', '2026-06-01 00:00:12+00', '2026-06-01 00:00:12+00', '2026-06-01 00:00:12+00', NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, 'staking_payout_accepted/scheduled__era-652319__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (4, 'executed', 'chain of executed', 652317, 0, 'CONFIRMED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '0', '0', '100000000000000000', '0xb0bda92be03969bed4d33a81b75b89779b74ac55e2e05eb1dedeb051067d211027edc291e41b9938c1aa3abdde290ba6e6fd62a55478300d43fb14aa96593081', '0x98d6265f4b80fb743cd97c0a083ba14dcefc6b8ed2eb9e5dbc518618370b7f05c76d8fe90f3dde16cf1ddfd401fe0fd1dcbd7ec332d4e249d010447c42ddc482', '9aad9cd8-8196-40bb-9eec-714a842a321a', '0xac526e91d5f3750159c42a0c005cc16ffbdc8e496b4d9cb917755d5095d0f42a', '13046402', 'request_state', NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', 'staking_payout_executed/scheduled__era-652317__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 0, 'staking_payout_executed/scheduled__era-652317__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (5, 'executed', 'chain of executed', 652318, 0, 'CONFIRMED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '1', '1', '100000000000000000', '0x56ddb82cee691861273626830eb8cb5f9700260b6b0cbcab0d0853633c16b40675a555a43e3633e866b78965513fe130f86075f1645dbbcc74b585438f18928d', '0x04946ecbca776a5df74b7d4ededdf68de60d54b3af85ceb8d959f29967023e3535e68098e346dc898dbcf132d62aad6dc0bfcc2a24a7da6f5ab28ef0af366a80', '261aaada-a02d-4535-9448-af69c1c523cf', '0x75367031a5b89be63759349f897c035bba9a007bb3b906276662f86f5dc2ec54', '13046408', 'request_state', NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:06+00', '2026-06-01 00:00:12+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:12+00', 'staking_payout_executed/scheduled__era-652318__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 0, 'staking_payout_executed/scheduled__era-652318__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (6, 'executed', 'chain of executed', 652319, 0, 'SUBMITTED', 3, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '2', '2', '100000000000000000', '0xc05c474056ccda37b30fe9069ec6780477ff3eb3abad24a6b3949f8287d6ee6f69a951b0665b4620862e95852fd8349653e6342f640ad0a71fbfa23d74a0928f', '0x5ce209d42a2c79d2f6203b6aaa77bd67e6fb85fd4ef91c729a6d3b1551f07c085d8096f09485747067ef0c10e1028ea72fe8b976dafca77c8b0a6548a364028e', '9668bdf0-639b-4e9d-bbe1-010777c58ceb', NULL, NULL, NULL, NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:12+00', '2026-06-01 00:00:12+00', '2026-06-01 00:00:12+00', '2026-06-01 00:00:12+00', NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, 'staking_payout_executed/scheduled__era-652319__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (7, 'signed', 'chain of signed', 652318, 0, 'CONFIRMED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '0', '0', '100000000000000000', '0x1281a9d3b9f5a2fa6278043e914b3ddcdbe53770ee953bae007ba1a47af40165f6c93ff9f0cc2ba3bd602f13229672decf210f41a49ba11d036eaf641f4f0f81', '0x760ba873149dc5a878017277b3cab52fca24bfc172b1544a88eddbd4b7f1060a93cb93fb2a959e42c7ccf8b83cc28f5582ff110c008c9aa0ae48fa59eaa9f685', '6d22dc9f-4bd5-497a-93eb-ebd6d86ffadd', '0x2ada58bd6d05e1da5d2c59f8b97451c9a8de04054bbc06c1f9dbd9e343e2960d', '13046402', 'request_state', NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', 'staking_payout_signed/scheduled__era-652318__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 0, 'staking_payout_signed/scheduled__era-652318__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (8, 'signed', 'chain of signed', 652319, 0, 'SIGNED', 2, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '1', '1', '100000000000000000', '0x6032cca2c462a1eae3ee941b03a4f120a9ec33f99ddf5724fe867e00b0dac55297e527f665d08fb09d39951614a74fe6fd857e5b151061535492a81014299b8f', '0x00bda6389f6bc168e854ba45767f08e18dcf976ffe2e344d3a8043d1ee8adc45b9be29f27d1fb536c7393d8303492fa7f328c5e5b331aca5c939c7c1cdfbcd81', NULL, NULL, NULL, NULL, NULL, 1, 0, NULL, 'c510892ad1b742f797c92ef71bfbcca4', '2026-06-01 00:02:06+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, 'staking_payout_signed/scheduled__era-652319__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (9, 'sent', 'chain of sent', 652318, 0, 'CONFIRMED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '0', '0', '100000000000000000', '0x3cd639c8f77113dcca72448a9486816baa985649100e3990ccc1bdd7e106dd49e908f1f44ed341f0188b656f9a4e53960fd1e4c594453ea24500930f4712dd8e', '0xaa3d7d2c0999314c35deb9821aad248822d87abf525ae6980eb94a813402c8273b7127c94b356e1572eb7d884f5034247283a38ef84d16d08851bbd8c627c386', 'f24f72bb-1c96-4c82-a397-1100bea2240d', '0x9b8d42438e6909d997554c9e9c4477d65958c47abeb58d62bf0e0803102a5aeb', '13046402', 'request_state', NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', 'staking_payout_sent/scheduled__era-652318__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 0, 'staking_payout_sent/scheduled__era-652318__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (10, 'sent', 'chain of sent', 652319, 0, 'SIGNED', 2, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '1', '1', '100000000000000000', '0x2cd00f090a62d8c8d1cae8408d2fdfc3a0a335a7e74d35572cc5cf505ab17c57deb5fa476d189c011630e61bee2f6775cb6fa119bf5ead99c98439df36aa8c8b', '0x1ac84312ffcb5138bb5383b76aa463adf231ed3ceb57fdebbbaba0962ed4c421ae748fef8c87094feeaa30c3f14b81fa941b82a06b1ba1d901a967721fab5c8f', NULL, NULL, NULL, NULL, NULL, 1, 0, NULL, '677ff3ce9f604fa59c47b189b9c5f87e', '2026-06-01 00:02:06+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, 'staking_payout_sent/scheduled__era-652319__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (11, 'lost', 'chain of lost', 652319, 0, 'UNKNOWN', 3, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '0', '0', '100000000000000000', '0x96bb4b93d02da87253ee4d2a2dbd11bc96cc46414470b9af8e5edb66268b45079eff771e2db69f3e892c83d0d0126efc009d715b9002620209a08f6fd0f05485', '0xee2236704a7f61a11d4c44b21aeec05e488f94845fbe0be9ab280a03d891214980f93bc2cf6c44c517855ebec209019bb0218e3a75f2da8d16106cb20482a488', NULL, NULL, NULL, NULL, 'proxyPayoutstakers: reset', 1, 1, '2026-06-01 00:00:00+00', NULL, NULL, '2026-06-01 00:00:00+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:00+00', NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, 'staking_payout_lost/scheduled__era-652319__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (12, 'unanswered', 'chain of unanswered', 652318, 0, 'CONFIRMED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '0', '0', '100000000000000000', '0xb8fc5fb6caceb40205122b58a66e0325e40540ec1b96de8a338c41f9f7f1d9632a6c87ffaf08714dd0472c55981e2c4df612f42fe95672943cad0d8fafa70682', '0xb89b98755de03f1cce9a481e13582320b7fe2f0d4c01a740dda72ba9e751391efd50faa9e73860fe8a4873d45f44288c39ff628d27e92f7fa9c2c780a06db88d', 'b56e6e6a-cb1b-4080-9462-83fe41d6cf4f', '0x7106a0de390f6d4b2b16f3e12b88b36790c9c665c919c0a7e39745aa24381d81', '13046402', 'request_state', NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', 'staking_payout_unanswered/scheduled__era-652318__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 0, 'staking_payout_unanswered/scheduled__era-652318__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (13, 'unanswered', 'chain of unanswered', 652319, 0, 'UNKNOWN', 3, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '1', '1', '100000000000000000', '0xc2e735e606f69b8328a5b642cf5acc0774638bdb01f8194c88ada8d4f20b2d33af052118c625a1fe481c387d87d24583c447d5242c6ec8d3bf3cb53af1e34580', '0xa216ecd30fcb6363248a08c7921d3f85bff86d0e7d15661ef01430c94d80030f96501b10a30fa29392bdec3a7346713a7de06caf827cfacdedab6e70f3ab2f83', NULL, NULL, NULL, NULL, 'proxyPayoutstakers: reset', 1, 1, '2026-06-01 00:00:06+00', NULL, NULL, '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, 'staking_payout_unanswered/scheduled__era-652319__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (14, 'quiet', 'chain of quiet', 652315, 0, 'CONFIRMED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '0', '0', '100000000000000000', '0x3699503b123438385e483117d6c2678dcf4ae2bc1097db2db987fe595cd4c4492cee3875bf1ddf6e2462e0799070c4863b0f6dd234956ddada470783d03e2080', '0x4afd8203384510fd82e0891183a0aabf27b649ac82735efd95e14a941d4470448d9c1d8b644d8553aebbe690560efa56613e2e9a388810ab1e3cf905564dd18b', '58a5d5cd-5b07-45c0-b363-cbefce3d1fbf', '0xe70ebcf32398812532f4b43c499fc2efca46fd0c4ec72f900ac5bf076625efa2', '13046402', 'request_state', NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', 'staking_payout_quiet/scheduled__era-652315__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 0, 'staking_payout_quiet/scheduled__era-652315__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (15, 'quiet', 'chain of quiet', 652316, 0, 'HELD', 2, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'the fee is 100000000000000000, more than max_fee_per_payout 1', 0, 0, NULL, NULL, NULL, '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', NULL, NULL, NULL, NULL, 'fee', false, false, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, NULL, NULL, 0, NULL, NULL);
INSERT INTO payouts VALUES (17, 'quiet', 'chain of quiet', 652318, 0, 'PLANNED', 3, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '1', '1', '25000000000000', '0xb82b6cfedaae51a5acee8b393312f03140006f05cb37f120dc347ed434991359813a29619ad9a100a6b15a99245d6d527b7f37953bc6c3ce040c43117cedfb89', '0xc2a4190616060d3edf50f4c2f9132dd1ca57611e9470fdb97b55c9d3d2427c0774c9177a49414f3dad4bd2447a9d1ee4d0cdc0d48a374c76eeebed25af2e198d', NULL, NULL, NULL, NULL, 'proxyPayoutstakers: no connection', 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, 'staking_payout_quiet/scheduled__era-652318__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (18, 'quiet', 'chain of quiet', 652319, 0, 'HELD', 2, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'the election window is open', 0, 0, NULL, NULL, NULL, '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', NULL, NULL, NULL, NULL, 'window', false, false, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, NULL, NULL, 0, NULL, NULL);
INSERT INTO payouts VALUES (16, 'quiet', 'chain of quiet', 652317, 0, 'REJECTED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '1', '1', '100000000000000000', '0x7008b6875547c02f9528d185edf300ada34c703c8ff293a79ecf760f70c3e50e6697bc60520c03a413217baf1135bc28cfdddd50ed83cbdc4cd4db343fe39f8d', '0x165a6b63eacf2dddadf50dde2620d9b85ced5391468ff373822f1bfc7587181db72ff9a30fa4a160515d8517ad039c146a648f8be6f6f9b7d22dae3cddb0e282', NULL, NULL, NULL, NULL, 'the payment nonce has moved, and the staking nonce has not; a fee was charged', 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:06+00', '2026-06-01 00:00:07+00', '2026-06-01 00:00:06+00', NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 1, 'staking_payout_quiet/scheduled__era-652317__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (19, 'batches', 'chain of batches', 652319, 0, 'CONFIRMED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '0', '0', '100000000000000000', '0xb4f9df6a027bb28f385d58f17e666fb115905fb4dc0ffe102f007943e4a0ef64363cebe3c649817cbbd844ea1b24e9c623845b9a5395519745a71cf195962f84', '0x287dbabec031ede14099d6f6ec54d6b53941efb30c60d27c88506c8aaafdf565eea2a93182c6bc5ad3cf1c171ee4d8567e1cd36959900b11f9783d7f0bbd0b89', '0d3c4928-7de7-4aef-9cf4-d88587d7a587', '0x6f5fecd152ff1aa573eb95374b8f1353040d999c7f55eee202198ae3d3d19801', '13046402', 'request_state', NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', 'staking_payout_batches/scheduled__era-652319__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 0, 'staking_payout_batches/scheduled__era-652319__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (20, 'batches', 'chain of batches', 652319, 1, 'EMPTY', 3, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '1', '1', '100000000000000000', '0xba2f8a5bb157f6c4580de091938b01299c199b34285438a7cce31da38f739f11e210bfc7f68570ddb9e61b061462248e8425b13948bcc2e19ff789d2a06c4d86', '0xf4add6980d3fffca5e38d9bd128fae9353f941d3be7062fc32eb82423db1af058345e37f5ae3a58eb7158a20ae340c8f9e79e6b59a7853bf8abe4a28ae8f3484', NULL, NULL, NULL, NULL, NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', NULL, NULL, 'staking_payout_batches/scheduled__era-652319__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, 'staking_payout_batches/scheduled__era-652319__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO staking_ledger_version VALUES ('0004');
INSERT INTO staking_statuses VALUES ('accepted', 652317, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY', 'isStaking', '2026-06-01 00:00:06+00');
INSERT INTO staking_statuses VALUES ('accepted', 652317, '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty', 'isNotStaking', '2026-06-01 00:00:06+00');
INSERT INTO staking_statuses VALUES ('accepted', 652318, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY', 'isStaking', '2026-06-01 00:00:12+00');
INSERT INTO staking_statuses VALUES ('accepted', 652318, '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty', 'isNotStaking', '2026-06-01 00:00:12+00');
INSERT INTO staking_statuses VALUES ('executed', 652317, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY', 'isStaking', '2026-06-01 00:00:06+00');
INSERT INTO staking_statuses VALUES ('executed', 652317, '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty', 'isNotStaking', '2026-06-01 00:00:06+00');
INSERT INTO staking_statuses VALUES ('executed', 652318, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY', 'isStaking', '2026-06-01 00:00:12+00');
INSERT INTO staking_statuses VALUES ('executed', 652318, '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty', 'isNotStaking', '2026-06-01 00:00:12+00');
INSERT INTO staking_statuses VALUES ('signed', 652318, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY', 'isStaking', '2026-06-01 00:00:06+00');
INSERT INTO staking_statuses VALUES ('signed', 652318, '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty', 'isNotStaking', '2026-06-01 00:00:06+00');
INSERT INTO staking_statuses VALUES ('sent', 652318, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY', 'isStaking', '2026-06-01 00:00:06+00');
INSERT INTO staking_statuses VALUES ('sent', 652318, '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty', 'isNotStaking', '2026-06-01 00:00:06+00');
INSERT INTO staking_statuses VALUES ('unanswered', 652318, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY', 'isStaking', '2026-06-01 00:00:06+00');
INSERT INTO staking_statuses VALUES ('unanswered', 652318, '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty', 'isNotStaking', '2026-06-01 00:00:06+00');
INSERT INTO staking_statuses VALUES ('quiet', 652315, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY', 'isStaking', '2026-06-01 00:00:06+00');
INSERT INTO staking_statuses VALUES ('quiet', 652315, '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty', 'isNotStaking', '2026-06-01 00:00:06+00');
INSERT INTO staking_statuses VALUES ('batches', 652319, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY', 'isStaking', '2026-06-01 00:00:06+00');
INSERT INTO staking_statuses VALUES ('batches', 652319, '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty', 'isNotStaking', '2026-06-01 00:00:06+00');
INSERT INTO wasted_fees VALUES (16, '1', '100000000000000000', '2026-06-01 00:00:06+00', 'staking_payout_quiet/scheduled__era-652317__0a1b2c3d');
SELECT pg_catalog.setval('payout_events_id_seq', 66, true);
SELECT pg_catalog.setval('payouts_id_seq', 20, true);
ALTER TABLE ONLY alert_messages
    ADD CONSTRAINT alert_messages_pkey PRIMARY KEY (id);
ALTER TABLE ONLY alerts
    ADD CONSTRAINT alerts_pkey PRIMARY KEY (network, topic);
ALTER TABLE ONLY calendar_anchors
    ADD CONSTRAINT calendar_anchors_pkey PRIMARY KEY (network, era);
ALTER TABLE ONLY catch_up_plans
    ADD CONSTRAINT catch_up_plans_pkey PRIMARY KEY (network, hash);
ALTER TABLE ONLY era_notices
    ADD CONSTRAINT era_notices_pkey PRIMARY KEY (network, era, kind);
ALTER TABLE ONLY payout_events
    ADD CONSTRAINT one_event_per_version UNIQUE (payout_id, version);
ALTER TABLE ONLY payouts
    ADD CONSTRAINT one_record_per_part UNIQUE (network, era, part);
ALTER TABLE ONLY payout_events
    ADD CONSTRAINT payout_events_pkey PRIMARY KEY (id);
ALTER TABLE ONLY payouts
    ADD CONSTRAINT payouts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY staking_ledger_version
    ADD CONSTRAINT staking_ledger_version_pkc PRIMARY KEY (version_num);
ALTER TABLE ONLY staking_statuses
    ADD CONSTRAINT staking_statuses_pkey PRIMARY KEY (network, era, account_key);
ALTER TABLE ONLY wasted_fees
    ADD CONSTRAINT wasted_fees_pkey PRIMARY KEY (payout_id, payment_nonce);
CREATE UNIQUE INDEX one_in_flight_per_user ON payouts USING btree (chain, user_key) WHERE (((state)::text = ANY ((ARRAY['SIGNED'::character varying, 'SUBMITTED'::character varying, 'UNKNOWN'::character varying])::text[])) AND (staking_nonce IS NOT NULL));
CREATE UNIQUE INDEX one_payload_per_staking_nonce ON payouts USING btree (chain, user_key, staking_nonce) WHERE (((state)::text = ANY ((ARRAY['SIGNED'::character varying, 'SUBMITTED'::character varying, 'UNKNOWN'::character varying, 'CONFIRMED'::character varying])::text[])) AND ((confirmed_by IS NULL) OR ((confirmed_by)::text <> 'none'::text)));
CREATE TRIGGER payout_events_are_not_changed BEFORE DELETE OR UPDATE ON payout_events FOR EACH ROW EXECUTE FUNCTION staking_ledger_refuses();
CREATE TRIGGER payout_events_are_not_truncated BEFORE TRUNCATE ON payout_events FOR EACH STATEMENT EXECUTE FUNCTION staking_ledger_refuses();
CREATE TRIGGER payouts_are_not_deleted BEFORE DELETE ON payouts FOR EACH ROW EXECUTE FUNCTION staking_ledger_refuses();
CREATE TRIGGER payouts_are_not_truncated BEFORE TRUNCATE ON payouts FOR EACH STATEMENT EXECUTE FUNCTION staking_ledger_refuses();
ALTER TABLE ONLY payout_events
    ADD CONSTRAINT payout_events_payout_id_fkey FOREIGN KEY (payout_id) REFERENCES payouts(id);
ALTER TABLE ONLY wasted_fees
    ADD CONSTRAINT wasted_fees_payout_id_fkey FOREIGN KEY (payout_id) REFERENCES payouts(id);
