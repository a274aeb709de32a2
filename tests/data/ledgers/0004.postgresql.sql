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
    nonce_used boolean DEFAULT false NOT NULL
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
INSERT INTO alert_messages VALUES ('e0e577e15b2e4f8dbecc4bff5587a1d0', 'quiet', 'raised', 'held', 'warning', '[{"topic": "era:652316", "kind": "held", "severity": "warning", "subject": "Era 652316", "era": 652316, "cause": "the fee is too high", "next_step": "Raise the ceiling"}]', '2026-06-01 00:00:06+00', 'staking_payout_quiet/alerts#1', '["operator"]', 4, NULL, '2026-06-01 00:00:06+00');
INSERT INTO alert_messages VALUES ('227577c848d9459d88d4e8a096adf1c4', 'quiet', 'raised', 'not_paid', 'warning', '[{"topic": "era:652315", "kind": "not_paid", "severity": "warning", "subject": "Era 652315", "era": 652315, "cause": "the fee is too high", "next_step": "Raise the ceiling"}]', '2026-06-01 00:00:06+00', 'staking_payout_quiet/alerts#1', '[]', 2, '2026-06-01 00:00:36+00', NULL);
INSERT INTO alert_messages VALUES ('13137b1a3afb40a6aac7b1697a35c2c6', 'quiet', 'cleared', 'not_paid', 'info', '[{"topic": "era:652315", "kind": "not_paid", "severity": "info", "subject": "Era 652315", "era": 652315, "cause": "Era 652315 is paid", "next_step": ""}]', '2026-06-01 00:00:07+00', 'staking_payout_quiet/alerts#1', '[]', 1, NULL, NULL);
INSERT INTO alerts VALUES ('quiet', 'era:652316', 'open', 'held', 2, 652316, 'Era 652316', 'the fee is too high', 1, '2026-06-01 00:00:06+00', NULL, '2026-06-01 00:00:06+00', 'staking_payout_quiet/alerts#1');
INSERT INTO alerts VALUES ('quiet', 'era:652315', 'over', 'not_paid', 1, 652315, 'Era 652315', 'the fee is too high', 2, '2026-06-01 00:00:06+00', NULL, '2026-06-01 00:00:07+00', 'staking_payout_quiet/alerts#1');
INSERT INTO calendar_anchors VALUES ('quiet', 652309, '2026-06-01 00:00:00+00', 20000000, '2026-06-01 00:00:06+00', 'staking_catch_up_quiet/manual__1#1');
INSERT INTO calendar_anchors VALUES ('quiet', 652319, '2026-06-01 00:03:20+00', 20250000, '2026-06-01 00:00:06+00', 'staking_catch_up_quiet/manual__1#1');
INSERT INTO catch_up_plans VALUES ('quiet', '8fb0eebaddc243e2', '{"network": "quiet", "terms": {"chain": "chain of quiet", "relayer": "5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty", "user": "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY", "payer": "5FLSigC9HGRKVhB9FiEo4Y3koPsNmBmLJbpXg2mp1hXcS59Y", "parts": 1, "history_depth": 84}, "fee": "25000000000000", "pay": [{"era": 652236, "why": "no payout of it is in the ledger", "expires_at_era": 652321, "eras_left": 1, "expiry_warning": 95}, {"era": 652237, "why": "no payout of it is in the ledger", "expires_at_era": 652322, "eras_left": 2, "expiry_warning": 95}, {"era": 652238, "why": "no payout of it is in the ledger", "expires_at_era": 652323, "eras_left": 3, "expiry_warning": 95}, {"era": 652239, "why": "no payout of it is in the ledger", "expires_at_era": 652324, "eras_left": 4, "expiry_warning": 95}, {"era": 652240, "why": "no payout of it is in the ledger", "expires_at_era": 652325, "eras_left": 5, "expiry_warning": 95}, {"era": 652241, "why": "no payout of it is in the ledger", "expires_at_era": 652326, "eras_left": 6, "expiry_warning": 80}, {"era": 652242, "why": "no payout of it is in the ledger", "expires_at_era": 652327, "eras_left": 7, "expiry_warning": 80}, {"era": 652243, "why": "no payout of it is in the ledger", "expires_at_era": 652328, "eras_left": 8, "expiry_warning": 80}, {"era": 652244, "why": "no payout of it is in the ledger", "expires_at_era": 652329, "eras_left": 9, "expiry_warning": 80}, {"era": 652245, "why": "no payout of it is in the ledger", "expires_at_era": 652330, "eras_left": 10, "expiry_warning": 80}, {"era": 652246, "why": "no payout of it is in the ledger", "expires_at_era": 652331, "eras_left": 11, "expiry_warning": 80}, {"era": 652247, "why": "no payout of it is in the ledger", "expires_at_era": 652332, "eras_left": 12, "expiry_warning": 80}, {"era": 652248, "why": "no payout of it is in the ledger", "expires_at_era": 652333, "eras_left": 13, "expiry_warning": 80}, {"era": 652249, "why": "no payout of it is in the ledger", "expires_at_era": 652334, "eras_left": 14, "expiry_warning": 80}, {"era": 652250, "why": "no payout of it is in the ledger", "expires_at_era": 652335, "eras_left": 15, "expiry_warning": 80}, {"era": 652251, "why": "no payout of it is in the ledger", "expires_at_era": 652336, "eras_left": 16, "expiry_warning": 80}, {"era": 652252, "why": "no payout of it is in the ledger", "expires_at_era": 652337, "eras_left": 17, "expiry_warning": 80}, {"era": 652253, "why": "no payout of it is in the ledger", "expires_at_era": 652338, "eras_left": 18, "expiry_warning": 50}, {"era": 652254, "why": "no payout of it is in the ledger", "expires_at_era": 652339, "eras_left": 19, "expiry_warning": 50}, {"era": 652255, "why": "no payout of it is in the ledger", "expires_at_era": 652340, "eras_left": 20, "expiry_warning": 50}, {"era": 652256, "why": "no payout of it is in the ledger", "expires_at_era": 652341, "eras_left": 21, "expiry_warning": 50}, {"era": 652257, "why": "no payout of it is in the ledger", "expires_at_era": 652342, "eras_left": 22, "expiry_warning": 50}, {"era": 652258, "why": "no payout of it is in the ledger", "expires_at_era": 652343, "eras_left": 23, "expiry_warning": 50}, {"era": 652259, "why": "no payout of it is in the ledger", "expires_at_era": 652344, "eras_left": 24, "expiry_warning": 50}, {"era": 652260, "why": "no payout of it is in the ledger", "expires_at_era": 652345, "eras_left": 25, "expiry_warning": 50}, {"era": 652261, "why": "no payout of it is in the ledger", "expires_at_era": 652346, "eras_left": 26, "expiry_warning": 50}, {"era": 652262, "why": "no payout of it is in the ledger", "expires_at_era": 652347, "eras_left": 27, "expiry_warning": 50}, {"era": 652263, "why": "no payout of it is in the ledger", "expires_at_era": 652348, "eras_left": 28, "expiry_warning": 50}, {"era": 652264, "why": "no payout of it is in the ledger", "expires_at_era": 652349, "eras_left": 29, "expiry_warning": 50}, {"era": 652265, "why": "no payout of it is in the ledger", "expires_at_era": 652350, "eras_left": 30, "expiry_warning": 50}, {"era": 652266, "why": "no payout of it is in the ledger", "expires_at_era": 652351, "eras_left": 31, "expiry_warning": 50}, {"era": 652267, "why": "no payout of it is in the ledger", "expires_at_era": 652352, "eras_left": 32, "expiry_warning": 50}, {"era": 652268, "why": "no payout of it is in the ledger", "expires_at_era": 652353, "eras_left": 33, "expiry_warning": 50}, {"era": 652269, "why": "no payout of it is in the ledger", "expires_at_era": 652354, "eras_left": 34, "expiry_warning": 50}, {"era": 652270, "why": "no payout of it is in the ledger", "expires_at_era": 652355, "eras_left": 35, "expiry_warning": 50}, {"era": 652271, "why": "no payout of it is in the ledger", "expires_at_era": 652356, "eras_left": 36, "expiry_warning": 50}, {"era": 652272, "why": "no payout of it is in the ledger", "expires_at_era": 652357, "eras_left": 37, "expiry_warning": 50}, {"era": 652273, "why": "no payout of it is in the ledger", "expires_at_era": 652358, "eras_left": 38, "expiry_warning": 50}, {"era": 652274, "why": "no payout of it is in the ledger", "expires_at_era": 652359, "eras_left": 39, "expiry_warning": 50}, {"era": 652275, "why": "no payout of it is in the ledger", "expires_at_era": 652360, "eras_left": 40, "expiry_warning": 50}, {"era": 652276, "why": "no payout of it is in the ledger", "expires_at_era": 652361, "eras_left": 41, "expiry_warning": 50}, {"era": 652277, "why": "no payout of it is in the ledger", "expires_at_era": 652362, "eras_left": 42, "expiry_warning": 50}, {"era": 652278, "why": "no payout of it is in the ledger", "expires_at_era": 652363, "eras_left": 43, "expiry_warning": 50}, {"era": 652279, "why": "no payout of it is in the ledger", "expires_at_era": 652364, "eras_left": 44, "expiry_warning": null}, {"era": 652280, "why": "no payout of it is in the ledger", "expires_at_era": 652365, "eras_left": 45, "expiry_warning": null}, {"era": 652281, "why": "no payout of it is in the ledger", "expires_at_era": 652366, "eras_left": 46, "expiry_warning": null}, {"era": 652282, "why": "no payout of it is in the ledger", "expires_at_era": 652367, "eras_left": 47, "expiry_warning": null}, {"era": 652283, "why": "no payout of it is in the ledger", "expires_at_era": 652368, "eras_left": 48, "expiry_warning": null}, {"era": 652284, "why": "no payout of it is in the ledger", "expires_at_era": 652369, "eras_left": 49, "expiry_warning": null}, {"era": 652285, "why": "no payout of it is in the ledger", "expires_at_era": 652370, "eras_left": 50, "expiry_warning": null}, {"era": 652286, "why": "no payout of it is in the ledger", "expires_at_era": 652371, "eras_left": 51, "expiry_warning": null}, {"era": 652287, "why": "no payout of it is in the ledger", "expires_at_era": 652372, "eras_left": 52, "expiry_warning": null}, {"era": 652288, "why": "no payout of it is in the ledger", "expires_at_era": 652373, "eras_left": 53, "expiry_warning": null}, {"era": 652289, "why": "no payout of it is in the ledger", "expires_at_era": 652374, "eras_left": 54, "expiry_warning": null}, {"era": 652290, "why": "no payout of it is in the ledger", "expires_at_era": 652375, "eras_left": 55, "expiry_warning": null}, {"era": 652291, "why": "no payout of it is in the ledger", "expires_at_era": 652376, "eras_left": 56, "expiry_warning": null}, {"era": 652292, "why": "no payout of it is in the ledger", "expires_at_era": 652377, "eras_left": 57, "expiry_warning": null}, {"era": 652293, "why": "no payout of it is in the ledger", "expires_at_era": 652378, "eras_left": 58, "expiry_warning": null}, {"era": 652294, "why": "no payout of it is in the ledger", "expires_at_era": 652379, "eras_left": 59, "expiry_warning": null}, {"era": 652295, "why": "no payout of it is in the ledger", "expires_at_era": 652380, "eras_left": 60, "expiry_warning": null}, {"era": 652296, "why": "no payout of it is in the ledger", "expires_at_era": 652381, "eras_left": 61, "expiry_warning": null}, {"era": 652297, "why": "no payout of it is in the ledger", "expires_at_era": 652382, "eras_left": 62, "expiry_warning": null}, {"era": 652298, "why": "no payout of it is in the ledger", "expires_at_era": 652383, "eras_left": 63, "expiry_warning": null}, {"era": 652299, "why": "no payout of it is in the ledger", "expires_at_era": 652384, "eras_left": 64, "expiry_warning": null}, {"era": 652300, "why": "no payout of it is in the ledger", "expires_at_era": 652385, "eras_left": 65, "expiry_warning": null}, {"era": 652301, "why": "no payout of it is in the ledger", "expires_at_era": 652386, "eras_left": 66, "expiry_warning": null}, {"era": 652302, "why": "no payout of it is in the ledger", "expires_at_era": 652387, "eras_left": 67, "expiry_warning": null}, {"era": 652303, "why": "no payout of it is in the ledger", "expires_at_era": 652388, "eras_left": 68, "expiry_warning": null}, {"era": 652304, "why": "no payout of it is in the ledger", "expires_at_era": 652389, "eras_left": 69, "expiry_warning": null}, {"era": 652305, "why": "no payout of it is in the ledger", "expires_at_era": 652390, "eras_left": 70, "expiry_warning": null}, {"era": 652306, "why": "no payout of it is in the ledger", "expires_at_era": 652391, "eras_left": 71, "expiry_warning": null}, {"era": 652307, "why": "no payout of it is in the ledger", "expires_at_era": 652392, "eras_left": 72, "expiry_warning": null}, {"era": 652308, "why": "no payout of it is in the ledger", "expires_at_era": 652393, "eras_left": 73, "expiry_warning": null}, {"era": 652309, "why": "no payout of it is in the ledger", "expires_at_era": 652394, "eras_left": 74, "expiry_warning": null}, {"era": 652310, "why": "no payout of it is in the ledger", "expires_at_era": 652395, "eras_left": 75, "expiry_warning": null}, {"era": 652311, "why": "no payout of it is in the ledger", "expires_at_era": 652396, "eras_left": 76, "expiry_warning": null}, {"era": 652312, "why": "no payout of it is in the ledger", "expires_at_era": 652397, "eras_left": 77, "expiry_warning": null}, {"era": 652313, "why": "no payout of it is in the ledger", "expires_at_era": 652398, "eras_left": 78, "expiry_warning": null}, {"era": 652314, "why": "no payout of it is in the ledger", "expires_at_era": 652399, "eras_left": 79, "expiry_warning": null}, {"era": 652316, "why": "HELD: the fee is 100000000000000000, more than max_fee_per_payout 1", "expires_at_era": 652401, "eras_left": 81, "expiry_warning": null}, {"era": 652317, "why": "REJECTED: proxyPayoutstakers: JSON-RPC error -32600: Invalid Request (invalid fee authorisation: feePaymentSignature is not the payer''s over this user, relayer, proxySignature, a fee of 25000000000000 and payment nonce 1)", "expires_at_era": 652402, "eras_left": 82, "expiry_warning": null}, {"era": 652318, "why": "PLANNED: proxyPayoutstakers: no connection", "expires_at_era": 652403, "eras_left": 83, "expiry_warning": null}, {"era": 652319, "why": "HELD: the election window is open", "expires_at_era": 652404, "eras_left": 84, "expiry_warning": null}], "expired": [], "hash": "8fb0eebaddc243e2", "active_era": 652320, "paid": [652315], "notes": [], "later": []}', '2026-06-01 00:00:06+00', 'staking_catch_up_quiet/manual__1#1');
INSERT INTO era_notices VALUES ('quiet', 652229, 'expired', 'Era 652229 has expired', '2026-06-01 00:00:06+00', 'staking_catch_up_quiet/manual__1#1');
INSERT INTO payout_events VALUES (1, 1, '2026-06-01 00:00:00+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_accepted/scheduled__era-652317__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (2, 1, '2026-06-01 00:00:00+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 0, payment nonce 0', 'staking_payout_accepted/scheduled__era-652317__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (3, 1, '2026-06-01 00:00:00+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as 8e33c8fe-848b-4a5f-86bf-ac53d0d4bfe6', 'staking_payout_accepted/scheduled__era-652317__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (4, 1, '2026-06-01 00:00:06+00', 'SUBMITTED', 'CONFIRMED', 4, 'request Processed, and the staking nonce moved', 'staking_payout_accepted/scheduled__era-652317__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (5, 2, '2026-06-01 00:00:06+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_accepted/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (6, 2, '2026-06-01 00:00:06+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 1, payment nonce 1', 'staking_payout_accepted/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (7, 2, '2026-06-01 00:00:06+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as 7b2bf497-49c8-4feb-b86f-eceda58feaaf', 'staking_payout_accepted/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (8, 2, '2026-06-01 00:00:12+00', 'SUBMITTED', 'CONFIRMED', 4, 'request Processed, and the staking nonce moved', 'staking_payout_accepted/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (9, 3, '2026-06-01 00:00:12+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_accepted/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (10, 3, '2026-06-01 00:00:12+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 2, payment nonce 2', 'staking_payout_accepted/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (11, 3, '2026-06-01 00:00:12+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as 4042b503-3306-4a7f-8b04-0d64eed60ae6', 'staking_payout_accepted/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (12, 4, '2026-06-01 00:00:00+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_executed/scheduled__era-652317__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (13, 4, '2026-06-01 00:00:00+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 0, payment nonce 0', 'staking_payout_executed/scheduled__era-652317__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (14, 4, '2026-06-01 00:00:00+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as abda0bbc-5d35-4748-a02a-94b0041adc50', 'staking_payout_executed/scheduled__era-652317__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (15, 4, '2026-06-01 00:00:06+00', 'SUBMITTED', 'CONFIRMED', 4, 'request Processed, and the staking nonce moved', 'staking_payout_executed/scheduled__era-652317__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (16, 5, '2026-06-01 00:00:06+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_executed/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (17, 5, '2026-06-01 00:00:06+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 1, payment nonce 1', 'staking_payout_executed/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (18, 5, '2026-06-01 00:00:06+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as 0e5c31a8-ce52-4df5-b2c9-c667eddbab36', 'staking_payout_executed/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (19, 5, '2026-06-01 00:00:12+00', 'SUBMITTED', 'CONFIRMED', 4, 'request Processed, and the staking nonce moved', 'staking_payout_executed/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (20, 6, '2026-06-01 00:00:12+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_executed/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (21, 6, '2026-06-01 00:00:12+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 2, payment nonce 2', 'staking_payout_executed/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (22, 6, '2026-06-01 00:00:12+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as 5ad50452-e062-430e-9d91-7046356727cb', 'staking_payout_executed/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (23, 7, '2026-06-01 00:00:00+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_signed/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (24, 7, '2026-06-01 00:00:00+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 0, payment nonce 0', 'staking_payout_signed/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (25, 7, '2026-06-01 00:00:00+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as 39a8afd5-78c3-457f-a6b0-1e3c23709174', 'staking_payout_signed/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (26, 7, '2026-06-01 00:00:06+00', 'SUBMITTED', 'CONFIRMED', 4, 'request Processed, and the staking nonce moved', 'staking_payout_signed/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (27, 8, '2026-06-01 00:00:06+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_signed/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (28, 8, '2026-06-01 00:00:06+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 1, payment nonce 1', 'staking_payout_signed/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (29, 9, '2026-06-01 00:00:00+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_sent/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (30, 9, '2026-06-01 00:00:00+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 0, payment nonce 0', 'staking_payout_sent/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (31, 9, '2026-06-01 00:00:00+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as 87231ce7-75ca-4964-a525-7f7bd02a6ca7', 'staking_payout_sent/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (32, 9, '2026-06-01 00:00:06+00', 'SUBMITTED', 'CONFIRMED', 4, 'request Processed, and the staking nonce moved', 'staking_payout_sent/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (33, 10, '2026-06-01 00:00:06+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_sent/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (34, 10, '2026-06-01 00:00:06+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 1, payment nonce 1', 'staking_payout_sent/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (35, 11, '2026-06-01 00:00:00+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_lost/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (36, 11, '2026-06-01 00:00:00+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 0, payment nonce 0', 'staking_payout_lost/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (37, 11, '2026-06-01 00:00:00+00', 'SIGNED', 'UNKNOWN', 3, 'sent, no usable answer: proxyPayoutstakers: reset', 'staking_payout_lost/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (38, 12, '2026-06-01 00:00:00+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_unanswered/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (39, 12, '2026-06-01 00:00:00+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 0, payment nonce 0', 'staking_payout_unanswered/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (40, 12, '2026-06-01 00:00:00+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as d1f9d86e-c378-40b3-a8cd-aa6f08968ea1', 'staking_payout_unanswered/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (41, 12, '2026-06-01 00:00:06+00', 'SUBMITTED', 'CONFIRMED', 4, 'request Processed, and the staking nonce moved', 'staking_payout_unanswered/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (42, 13, '2026-06-01 00:00:06+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_unanswered/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (43, 13, '2026-06-01 00:00:06+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 1, payment nonce 1', 'staking_payout_unanswered/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (44, 13, '2026-06-01 00:00:06+00', 'SIGNED', 'UNKNOWN', 3, 'sent, no usable answer: proxyPayoutstakers: reset', 'staking_payout_unanswered/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (45, 14, '2026-06-01 00:00:00+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_quiet/scheduled__era-652315__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (46, 14, '2026-06-01 00:00:00+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 0, payment nonce 0', 'staking_payout_quiet/scheduled__era-652315__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (47, 14, '2026-06-01 00:00:00+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as 36b85fed-afc2-46ca-8bd3-b197d18bb218', 'staking_payout_quiet/scheduled__era-652315__0a1b2c3d', 1);
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
INSERT INTO payout_events VALUES (62, 19, '2026-06-01 00:00:00+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as e4ed5317-9063-4213-96d8-6b0afdb065a0', 'staking_payout_batches/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (63, 19, '2026-06-01 00:00:06+00', 'SUBMITTED', 'CONFIRMED', 4, 'request Processed, and the staking nonce moved', 'staking_payout_batches/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (64, 20, '2026-06-01 00:00:06+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_batches/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (65, 20, '2026-06-01 00:00:06+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 1, payment nonce 1', 'staking_payout_batches/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (66, 20, '2026-06-01 00:00:06+00', 'SIGNED', 'EMPTY', 3, 'proxyPayoutstakers: JSON-RPC error -32600: Invalid Request (era 652319 has already been paid out)', 'staking_payout_batches/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payouts VALUES (1, 'accepted', 'chain of accepted', 652317, 0, 'CONFIRMED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '0', '0', '100000000000000000', '0xe80b4f661545bb9c6234f8e407350d1a2adf6d569a913cc6d37a88f57e307c05852dd4f6a0fec9f638020764ffcbc39196d631cd6e11ab0c0a8211566f202d86', '0x2a855288f031a4c92834bfd53f7068323e430f1f7f321f27451f44a8cf25533d0b662a7e64e5f50a9f3e9d8668ef50080992d8de310c5950cd2dd41c46cf0b82', '8e33c8fe-848b-4a5f-86bf-ac53d0d4bfe6', '0xcd5c1a3e794da5940b00c9631c1330762c0fb57dafe28be7c3f66a4fbd4c292b', '13046402', 'request_state', NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', 'staking_payout_accepted/scheduled__era-652317__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 0, 'staking_payout_accepted/scheduled__era-652317__0a1b2c3d', 1, 1, NULL, false);
INSERT INTO payouts VALUES (2, 'accepted', 'chain of accepted', 652318, 0, 'CONFIRMED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '1', '1', '100000000000000000', '0xba8cacdc4b0651353d81ca196ecdb054f0c9a0026ab819e3b7278740838d1d102f2cbaa1962b55924c23f04c88431a520ff20268e386d1619788acaa882b2789', '0x963be88a0a35fb1339fe5f7f7cbc5d5963740ebde4d57763004abd2202a32f611326957abc15bf4fb91aebc729f2f020719e6f44d91bf32486d023dea6c79b82', '7b2bf497-49c8-4feb-b86f-eceda58feaaf', '0x58b89ed6226e728c231c43b15694f528359732af82c53f8a6594eec112f0ec1b', '13046408', 'request_state', NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:06+00', '2026-06-01 00:00:12+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:12+00', 'staking_payout_accepted/scheduled__era-652318__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 0, 'staking_payout_accepted/scheduled__era-652318__0a1b2c3d', 1, 1, NULL, false);
INSERT INTO payouts VALUES (3, 'accepted', 'chain of accepted', 652319, 0, 'SUBMITTED', 3, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '2', '2', '100000000000000000', '0x9c956ec050f249f72b91692ed9db0d522bd8a7a354b4971f9c5f1176d8d9d849be06fd7e4f1155fae01a64a8c654b58a1bd182f61ee184a6f94b94f639ebb085', '0x94e32b220e53095f63fff97d2fe895c294cd1da4f5954edf378da6a1b8870476fb921338872677e7015f73467594e6cda780d66463acbda26f42456e4ab6df82', '4042b503-3306-4a7f-8b04-0d64eed60ae6', NULL, NULL, NULL, NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:12+00', '2026-06-01 00:00:12+00', '2026-06-01 00:00:12+00', '2026-06-01 00:00:12+00', NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, 'staking_payout_accepted/scheduled__era-652319__0a1b2c3d', 1, 1, NULL, false);
INSERT INTO payouts VALUES (4, 'executed', 'chain of executed', 652317, 0, 'CONFIRMED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '0', '0', '100000000000000000', '0x5661030ec22e1ea3732db7d34f45f77cf79402f0939c30ea12f8be93aa629f6d25255436ec718775dd53964968c9e6709e830d215a6430726e926a5adbdecf85', '0x1aad771f650aee3dd99b40b749a2fa6344a894cba22619fef6466f539fe9ab418592196944c838127562e12bccd3412213db88d1603e6a343767414f69e90080', 'abda0bbc-5d35-4748-a02a-94b0041adc50', '0x6b8cb3693f4a1aed5676493e27cab5a7b07974dbb90a206489c2f051fc5d013f', '13046402', 'request_state', NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', 'staking_payout_executed/scheduled__era-652317__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 0, 'staking_payout_executed/scheduled__era-652317__0a1b2c3d', 1, 1, NULL, false);
INSERT INTO payouts VALUES (5, 'executed', 'chain of executed', 652318, 0, 'CONFIRMED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '1', '1', '100000000000000000', '0x8e3b6b6f92e0dc2f9253b8902f4174ac11a707f5d280adc784f47c0ecec23521a765bcc7accb4074d122ca389053399035114a431e3409efd3663d822c486787', '0x382a7d37416d12115f469e67bfc0b8789ccaf1af07fc612b70e823c2bad3a9091ed3078f84a314404a95f0cd72dba262ba2acf463ec4c65a82f33b5787222e8a', '0e5c31a8-ce52-4df5-b2c9-c667eddbab36', '0x55ee5d9d0fea6070bc8bd140d9f19bf5e527bdc7e0d5dbe16882865b69d588fd', '13046408', 'request_state', NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:06+00', '2026-06-01 00:00:12+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:12+00', 'staking_payout_executed/scheduled__era-652318__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 0, 'staking_payout_executed/scheduled__era-652318__0a1b2c3d', 1, 1, NULL, false);
INSERT INTO payouts VALUES (6, 'executed', 'chain of executed', 652319, 0, 'SUBMITTED', 3, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '2', '2', '100000000000000000', '0xa85909e5d1e5c7fa25402cfde7a4c0ad74d46ebdbaa113e09e1993ff4b6f650d1809a5699e8275e208edf1e48919b2fd990fdb42a5af1dc3df60aa367d7a558e', '0xb86a4f645a24b8539d474e18e8fd39fa30649813c05b384c024d1227c78c960dfbd8d125a95bc884c3c859225030cd23447e6c07cbe7f47b87e7092bce970789', '5ad50452-e062-430e-9d91-7046356727cb', NULL, NULL, NULL, NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:12+00', '2026-06-01 00:00:12+00', '2026-06-01 00:00:12+00', '2026-06-01 00:00:12+00', NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, 'staking_payout_executed/scheduled__era-652319__0a1b2c3d', 1, 1, NULL, false);
INSERT INTO payouts VALUES (7, 'signed', 'chain of signed', 652318, 0, 'CONFIRMED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '0', '0', '100000000000000000', '0x602c7afbd56ce099ae2cfa77860c6a6d25aa83285a9756c339e948c4bca1bf45062fdecd3088a3aa2a5db81374a1e2ae75bc5218d139d4d6f241544f155f6a88', '0x4ad4d394b8d3ce8c9152896a9e5c95d4dd8f6283dac241580853ca5330695f45b1bca87ef6f91dc5ecb839c905b5c22a90a1603ae7a84b51e942f41d42bfb184', '39a8afd5-78c3-457f-a6b0-1e3c23709174', '0x7e1cd454a2bcf78aacedaa7965e327a6df1f721457b6881836ca22aaa0a7cb27', '13046402', 'request_state', NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', 'staking_payout_signed/scheduled__era-652318__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 0, 'staking_payout_signed/scheduled__era-652318__0a1b2c3d', 1, 1, NULL, false);
INSERT INTO payouts VALUES (8, 'signed', 'chain of signed', 652319, 0, 'SIGNED', 2, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '1', '1', '100000000000000000', '0xb4c807714b7ea740542e5ccdef096f4183d1df9324b57ac64e1bc4b84356837fd83a297139bd26935658447dd239a9cc699b5bd9d4dfcb9548381a52b1500885', '0x8860bf1b4d00798934ff178ec8d1671a644f00a338cdb5ce0bfcd0010859e662f5724319e748d43e5efc547c4110c889699ad8477cebe558e93e6ed5e7e50289', NULL, NULL, NULL, NULL, NULL, 1, 0, NULL, '47fdedbc2ae94d8198a643577f3f317c', '2026-06-01 00:02:06+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, 'staking_payout_signed/scheduled__era-652319__0a1b2c3d', 1, 1, NULL, false);
INSERT INTO payouts VALUES (9, 'sent', 'chain of sent', 652318, 0, 'CONFIRMED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '0', '0', '100000000000000000', '0xa4ae31a92515e700730e50439a084f7d0a02afd971f589cbc87e3d0bf24ccb170843f38edfb205264a090a7796d11dcf2ba38fe970b78c6bca5ea1a9507e2783', '0xbc5301aa4d5b47b4092fae52c0d07f6bac633d2d16e16b55ffbbc47c2fc2253f96e3867560bad68d1d9152941f9b23cc19aef744f0889b2a76e8d84ee7ded085', '87231ce7-75ca-4964-a525-7f7bd02a6ca7', '0xa2cb29ad3f4f22b96c485a824cc4a2e6fbb43f96d422baa5e5a6cb19bd4c3da7', '13046402', 'request_state', NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', 'staking_payout_sent/scheduled__era-652318__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 0, 'staking_payout_sent/scheduled__era-652318__0a1b2c3d', 1, 1, NULL, false);
INSERT INTO payouts VALUES (10, 'sent', 'chain of sent', 652319, 0, 'SIGNED', 2, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '1', '1', '100000000000000000', '0xba030a723abba98221af5faf7e6ca6be0aa6a607170a04547a4f40d3deca043ec6b5bf90de0697847c9b4657e0273b62f9bd3d09cd59f14e963896bd3e159181', '0xe005dda87ca299300cf21763c5577a9505a095020442a5899621c44b0dd86e7170b43b4fa7a46e07f8b63e173feaf4e059dece82367d93f8b7fac241ad66408b', NULL, NULL, NULL, NULL, NULL, 1, 0, NULL, 'c9e5c5392a9849048cd175ac0f57d321', '2026-06-01 00:02:06+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, 'staking_payout_sent/scheduled__era-652319__0a1b2c3d', 1, 1, NULL, false);
INSERT INTO payouts VALUES (11, 'lost', 'chain of lost', 652319, 0, 'UNKNOWN', 3, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '0', '0', '100000000000000000', '0xea8f8ceae1f56eb95e556becd252cc63c94f57c65cdb0cdad8bf579d0807694ff98049f7fac5dfd6680012d9565976c62bf51b68bf9de2ff9d5774ef8b25b482', '0x16b03fda5c387e351545a0e91b9a298f40c212a417e7f551b72e3778c11ac94a6b2c82a113436fe7f4fe93123216dc6356b1caf927959f9c0d75f1ec5ee15b8c', NULL, NULL, NULL, NULL, 'proxyPayoutstakers: reset', 1, 1, '2026-06-01 00:00:00+00', NULL, NULL, '2026-06-01 00:00:00+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:00+00', NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, 'staking_payout_lost/scheduled__era-652319__0a1b2c3d', 1, 1, NULL, false);
INSERT INTO payouts VALUES (12, 'unanswered', 'chain of unanswered', 652318, 0, 'CONFIRMED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '0', '0', '100000000000000000', '0xbaeb7b9e003d431e9262150c4bb2486b9ce4d070f125c991c9a9374958ef7502fa23c0702e40d1d7cdd70aa3b1dbea146b0e92b0870045051b2e1c15f3ee0984', '0x50e9a64bde8c4dd7a255756d5981e9568353656aa1a6d33dcaf1fc3507e4a7315c2fab2e32fba1ec013e31a0b7f209327fb40e99f453abe6c5aaa51d9c337c83', 'd1f9d86e-c378-40b3-a8cd-aa6f08968ea1', '0x187ca33ce14f66e0077e7af4148e0f3b6bfb4b5023855bdcd74536bd18f5c93c', '13046402', 'request_state', NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', 'staking_payout_unanswered/scheduled__era-652318__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 0, 'staking_payout_unanswered/scheduled__era-652318__0a1b2c3d', 1, 1, NULL, false);
INSERT INTO payouts VALUES (13, 'unanswered', 'chain of unanswered', 652319, 0, 'UNKNOWN', 3, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '1', '1', '100000000000000000', '0xa855ce8240c95ed292bdd82da137cb2fa98f9c214e7696f68d3415d604bbd337c19c494aeefc74d3e915480addfb446eee0dd7cef7a3c8572dd8ec0f9ae8e282', '0x4eba126443c685b063b9d4ffd997f344251f0f148742895fd5bd4d46a91eec7014ae9bf7f5c6592412a561345efeef1388a1a50ee64eaa9b201a4e5bc7938b84', NULL, NULL, NULL, NULL, 'proxyPayoutstakers: reset', 1, 1, '2026-06-01 00:00:06+00', NULL, NULL, '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, 'staking_payout_unanswered/scheduled__era-652319__0a1b2c3d', 1, 1, NULL, false);
INSERT INTO payouts VALUES (14, 'quiet', 'chain of quiet', 652315, 0, 'CONFIRMED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '0', '0', '100000000000000000', '0xa2bd0231dd9871c58034ebb07d35bcda44bd0b3ead46b5281350a5d4f158a63cf78a1b94042beac84b2a255f3270b5eb92a907be3950982633bde2056ba79e88', '0x3c83885c440d03ba7759fb8007f0153a78b811eba9e87c5b9639304e9474766a606ddd9e7862842ffec60e8ce62ca766a0f3959e295124c2bfdc22add976b288', '36b85fed-afc2-46ca-8bd3-b197d18bb218', '0x76795d5db537eb2f6008de61ec964224dd2d34ec19530f6a1b22cb1ad8796a71', '13046402', 'request_state', NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', 'staking_payout_quiet/scheduled__era-652315__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 0, 'staking_payout_quiet/scheduled__era-652315__0a1b2c3d', 1, 1, NULL, false);
INSERT INTO payouts VALUES (15, 'quiet', 'chain of quiet', 652316, 0, 'HELD', 2, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'the fee is 100000000000000000, more than max_fee_per_payout 1', 0, 0, NULL, NULL, NULL, '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', NULL, NULL, NULL, NULL, 'fee', false, false, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, NULL, NULL, 0, NULL, false);
INSERT INTO payouts VALUES (17, 'quiet', 'chain of quiet', 652318, 0, 'PLANNED', 3, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '1', '1', '25000000000000', '0x4e31f3c447db65ef88a8319db17ff3e477f6f73061570f3f7d0373af9e5ac67aa83a8d9467502230b39d67bcf919b80ddcf5a1f7fb6fb64ec603ace0dc71e58b', '0x822d976a6121e037a669a9dfbb923f5492a0b0739e5f5b55a22476a56863af48a6d63c773b2251d0bd27d073acf4d8ab5bab76acc21a90b270f0897314db588f', NULL, NULL, NULL, NULL, 'proxyPayoutstakers: no connection', 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, NULL, false, true, 0, 'staking_payout_quiet/scheduled__era-652318__0a1b2c3d', 1, 1, NULL, false);
INSERT INTO payouts VALUES (18, 'quiet', 'chain of quiet', 652319, 0, 'HELD', 2, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'the election window is open', 0, 0, NULL, NULL, NULL, '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', NULL, NULL, NULL, NULL, 'window', false, false, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, NULL, NULL, 0, NULL, false);
INSERT INTO payouts VALUES (16, 'quiet', 'chain of quiet', 652317, 0, 'REJECTED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '1', '1', '100000000000000000', '0xc4b5d949258ede2fd38ac49b22a932b15214b3939c9f2fcbe0b88adf565e730cda118ff4605770b07df535e628e583a902ca655526fa311ff38bbfd35ccfb788', '0x369c1eb469886890b04086a203cb627747e51043759ac23eedcfd94e52238e3d12e761506272ade66151f098974bb09996f50911f9e85ba8c667dcffa1d9d784', NULL, NULL, NULL, NULL, 'the payment nonce has moved, and the staking nonce has not; a fee was charged', 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:06+00', '2026-06-01 00:00:07+00', '2026-06-01 00:00:06+00', NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 1, 'staking_payout_quiet/scheduled__era-652317__0a1b2c3d', 1, 1, NULL, false);
INSERT INTO payouts VALUES (19, 'batches', 'chain of batches', 652319, 0, 'CONFIRMED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '0', '0', '100000000000000000', '0xeaba0efc94d4d5556fdb0afdff2cdca30ec9d154254633011a0318002cf8eb3abf114418528d4141f4ee22889b7877426c255872cf2019f4f11837fea26b0a80', '0x40e097ca9c10a6cc35831286e7582d57503408fa8d6d5408ee7c83551a1af86cf9b92601717872e1478ac46c4e9af098d6072c0fb807f48ae9a3e526b273718a', 'e4ed5317-9063-4213-96d8-6b0afdb065a0', '0x636e8f2dccd5ea7a8d3f537df9a7956328f5c1c5909a961cade29a13f30a62ca', '13046402', 'request_state', NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', 'staking_payout_batches/scheduled__era-652319__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 0, 'staking_payout_batches/scheduled__era-652319__0a1b2c3d', 1, 1, NULL, false);
INSERT INTO payouts VALUES (20, 'batches', 'chain of batches', 652319, 1, 'EMPTY', 3, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '1', '1', '100000000000000000', '0x7693323c0c389004ee242447f76b81899d9f0b5996e3a66d8c89c6ef54c17a702638628107bd0d039d92c0a0c94f90262322acb926293363ac5599f9398ebc84', '0x9eceb108ed4bf38eb456eb7431d4a688e1a5a41812e7bed78cbe512f7e049e506cd26ac0b3879997dd0f2b6da1652cdf60a496c3f1d85e2fc96ea828c7afb28d', NULL, NULL, NULL, NULL, NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', NULL, NULL, 'staking_payout_batches/scheduled__era-652319__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, false, true, 0, 'staking_payout_batches/scheduled__era-652319__0a1b2c3d', 1, 1, NULL, false);
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
