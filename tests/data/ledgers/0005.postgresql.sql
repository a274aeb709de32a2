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
INSERT INTO alert_messages VALUES ('902bfe6a6de8438c9a0963210d2e7939', 'quiet', 'raised', 'held', 'warning', '[{"topic": "era:652316", "kind": "held", "severity": "warning", "subject": "Era 652316", "era": 652316, "cause": "the fee is too high", "next_step": "Raise the ceiling"}]', '2026-06-01 00:00:06+00', 'staking_payout_quiet/alerts#1', '["operator"]', 4, NULL, '2026-06-01 00:00:06+00', 1);
INSERT INTO alert_messages VALUES ('4d63e705e2604e038cd65de88aec9083', 'quiet', 'raised', 'not_paid', 'warning', '[{"topic": "era:652315", "kind": "not_paid", "severity": "warning", "subject": "Era 652315", "era": 652315, "cause": "the fee is too high", "next_step": "Raise the ceiling"}]', '2026-06-01 00:00:06+00', 'staking_payout_quiet/alerts#1', '[]', 2, '2026-06-01 00:00:36+00', NULL, 1);
INSERT INTO alert_messages VALUES ('5d24595fdaff4f0da8fd692d105c3928', 'quiet', 'cleared', 'not_paid', 'info', '[{"topic": "era:652315", "kind": "not_paid", "severity": "info", "subject": "Era 652315", "era": 652315, "cause": "Era 652315 is paid", "next_step": ""}]', '2026-06-01 00:00:07+00', 'staking_payout_quiet/alerts#1', '[]', 1, NULL, NULL, 1);
INSERT INTO alerts VALUES ('quiet', 'era:652316', 'open', 'held', 2, 652316, 'Era 652316', 'the fee is too high', 1, '2026-06-01 00:00:06+00', NULL, '2026-06-01 00:00:06+00', 'staking_payout_quiet/alerts#1');
INSERT INTO alerts VALUES ('quiet', 'era:652315', 'over', 'not_paid', 1, 652315, 'Era 652315', 'the fee is too high', 2, '2026-06-01 00:00:06+00', NULL, '2026-06-01 00:00:07+00', 'staking_payout_quiet/alerts#1');
INSERT INTO calendar_anchors VALUES ('quiet', 652309, '2026-06-01 00:00:00+00', 20000000, '2026-06-01 00:00:06+00', 'staking_catch_up_quiet/manual__1#1');
INSERT INTO calendar_anchors VALUES ('quiet', 652319, '2026-06-01 00:03:20+00', 20250000, '2026-06-01 00:00:06+00', 'staking_catch_up_quiet/manual__1#1');
INSERT INTO catch_up_plans VALUES ('quiet', '8fb0eebaddc243e2', '{"network": "quiet", "terms": {"chain": "chain of quiet", "relayer": "5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty", "user": "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY", "payer": "5FLSigC9HGRKVhB9FiEo4Y3koPsNmBmLJbpXg2mp1hXcS59Y", "parts": 1, "history_depth": 84}, "fee": "25000000000000", "pay": [{"era": 652236, "why": "never attempted", "expires_at_era": 652321, "eras_left": 1, "expiry_warning": 95}, {"era": 652237, "why": "never attempted", "expires_at_era": 652322, "eras_left": 2, "expiry_warning": 95}, {"era": 652238, "why": "never attempted", "expires_at_era": 652323, "eras_left": 3, "expiry_warning": 95}, {"era": 652239, "why": "never attempted", "expires_at_era": 652324, "eras_left": 4, "expiry_warning": 95}, {"era": 652240, "why": "never attempted", "expires_at_era": 652325, "eras_left": 5, "expiry_warning": 95}, {"era": 652241, "why": "never attempted", "expires_at_era": 652326, "eras_left": 6, "expiry_warning": 80}, {"era": 652242, "why": "never attempted", "expires_at_era": 652327, "eras_left": 7, "expiry_warning": 80}, {"era": 652243, "why": "never attempted", "expires_at_era": 652328, "eras_left": 8, "expiry_warning": 80}, {"era": 652244, "why": "never attempted", "expires_at_era": 652329, "eras_left": 9, "expiry_warning": 80}, {"era": 652245, "why": "never attempted", "expires_at_era": 652330, "eras_left": 10, "expiry_warning": 80}, {"era": 652246, "why": "never attempted", "expires_at_era": 652331, "eras_left": 11, "expiry_warning": 80}, {"era": 652247, "why": "never attempted", "expires_at_era": 652332, "eras_left": 12, "expiry_warning": 80}, {"era": 652248, "why": "never attempted", "expires_at_era": 652333, "eras_left": 13, "expiry_warning": 80}, {"era": 652249, "why": "never attempted", "expires_at_era": 652334, "eras_left": 14, "expiry_warning": 80}, {"era": 652250, "why": "never attempted", "expires_at_era": 652335, "eras_left": 15, "expiry_warning": 80}, {"era": 652251, "why": "never attempted", "expires_at_era": 652336, "eras_left": 16, "expiry_warning": 80}, {"era": 652252, "why": "never attempted", "expires_at_era": 652337, "eras_left": 17, "expiry_warning": 80}, {"era": 652253, "why": "never attempted", "expires_at_era": 652338, "eras_left": 18, "expiry_warning": 50}, {"era": 652254, "why": "never attempted", "expires_at_era": 652339, "eras_left": 19, "expiry_warning": 50}, {"era": 652255, "why": "never attempted", "expires_at_era": 652340, "eras_left": 20, "expiry_warning": 50}, {"era": 652256, "why": "never attempted", "expires_at_era": 652341, "eras_left": 21, "expiry_warning": 50}, {"era": 652257, "why": "never attempted", "expires_at_era": 652342, "eras_left": 22, "expiry_warning": 50}, {"era": 652258, "why": "never attempted", "expires_at_era": 652343, "eras_left": 23, "expiry_warning": 50}, {"era": 652259, "why": "never attempted", "expires_at_era": 652344, "eras_left": 24, "expiry_warning": 50}, {"era": 652260, "why": "never attempted", "expires_at_era": 652345, "eras_left": 25, "expiry_warning": 50}, {"era": 652261, "why": "never attempted", "expires_at_era": 652346, "eras_left": 26, "expiry_warning": 50}, {"era": 652262, "why": "never attempted", "expires_at_era": 652347, "eras_left": 27, "expiry_warning": 50}, {"era": 652263, "why": "never attempted", "expires_at_era": 652348, "eras_left": 28, "expiry_warning": 50}, {"era": 652264, "why": "never attempted", "expires_at_era": 652349, "eras_left": 29, "expiry_warning": 50}, {"era": 652265, "why": "never attempted", "expires_at_era": 652350, "eras_left": 30, "expiry_warning": 50}, {"era": 652266, "why": "never attempted", "expires_at_era": 652351, "eras_left": 31, "expiry_warning": 50}, {"era": 652267, "why": "never attempted", "expires_at_era": 652352, "eras_left": 32, "expiry_warning": 50}, {"era": 652268, "why": "never attempted", "expires_at_era": 652353, "eras_left": 33, "expiry_warning": 50}, {"era": 652269, "why": "never attempted", "expires_at_era": 652354, "eras_left": 34, "expiry_warning": 50}, {"era": 652270, "why": "never attempted", "expires_at_era": 652355, "eras_left": 35, "expiry_warning": 50}, {"era": 652271, "why": "never attempted", "expires_at_era": 652356, "eras_left": 36, "expiry_warning": 50}, {"era": 652272, "why": "never attempted", "expires_at_era": 652357, "eras_left": 37, "expiry_warning": 50}, {"era": 652273, "why": "never attempted", "expires_at_era": 652358, "eras_left": 38, "expiry_warning": 50}, {"era": 652274, "why": "never attempted", "expires_at_era": 652359, "eras_left": 39, "expiry_warning": 50}, {"era": 652275, "why": "never attempted", "expires_at_era": 652360, "eras_left": 40, "expiry_warning": 50}, {"era": 652276, "why": "never attempted", "expires_at_era": 652361, "eras_left": 41, "expiry_warning": 50}, {"era": 652277, "why": "never attempted", "expires_at_era": 652362, "eras_left": 42, "expiry_warning": 50}, {"era": 652278, "why": "never attempted", "expires_at_era": 652363, "eras_left": 43, "expiry_warning": 50}, {"era": 652279, "why": "never attempted", "expires_at_era": 652364, "eras_left": 44, "expiry_warning": null}, {"era": 652280, "why": "never attempted", "expires_at_era": 652365, "eras_left": 45, "expiry_warning": null}, {"era": 652281, "why": "never attempted", "expires_at_era": 652366, "eras_left": 46, "expiry_warning": null}, {"era": 652282, "why": "never attempted", "expires_at_era": 652367, "eras_left": 47, "expiry_warning": null}, {"era": 652283, "why": "never attempted", "expires_at_era": 652368, "eras_left": 48, "expiry_warning": null}, {"era": 652284, "why": "never attempted", "expires_at_era": 652369, "eras_left": 49, "expiry_warning": null}, {"era": 652285, "why": "never attempted", "expires_at_era": 652370, "eras_left": 50, "expiry_warning": null}, {"era": 652286, "why": "never attempted", "expires_at_era": 652371, "eras_left": 51, "expiry_warning": null}, {"era": 652287, "why": "never attempted", "expires_at_era": 652372, "eras_left": 52, "expiry_warning": null}, {"era": 652288, "why": "never attempted", "expires_at_era": 652373, "eras_left": 53, "expiry_warning": null}, {"era": 652289, "why": "never attempted", "expires_at_era": 652374, "eras_left": 54, "expiry_warning": null}, {"era": 652290, "why": "never attempted", "expires_at_era": 652375, "eras_left": 55, "expiry_warning": null}, {"era": 652291, "why": "never attempted", "expires_at_era": 652376, "eras_left": 56, "expiry_warning": null}, {"era": 652292, "why": "never attempted", "expires_at_era": 652377, "eras_left": 57, "expiry_warning": null}, {"era": 652293, "why": "never attempted", "expires_at_era": 652378, "eras_left": 58, "expiry_warning": null}, {"era": 652294, "why": "never attempted", "expires_at_era": 652379, "eras_left": 59, "expiry_warning": null}, {"era": 652295, "why": "never attempted", "expires_at_era": 652380, "eras_left": 60, "expiry_warning": null}, {"era": 652296, "why": "never attempted", "expires_at_era": 652381, "eras_left": 61, "expiry_warning": null}, {"era": 652297, "why": "never attempted", "expires_at_era": 652382, "eras_left": 62, "expiry_warning": null}, {"era": 652298, "why": "never attempted", "expires_at_era": 652383, "eras_left": 63, "expiry_warning": null}, {"era": 652299, "why": "never attempted", "expires_at_era": 652384, "eras_left": 64, "expiry_warning": null}, {"era": 652300, "why": "never attempted", "expires_at_era": 652385, "eras_left": 65, "expiry_warning": null}, {"era": 652301, "why": "never attempted", "expires_at_era": 652386, "eras_left": 66, "expiry_warning": null}, {"era": 652302, "why": "never attempted", "expires_at_era": 652387, "eras_left": 67, "expiry_warning": null}, {"era": 652303, "why": "never attempted", "expires_at_era": 652388, "eras_left": 68, "expiry_warning": null}, {"era": 652304, "why": "never attempted", "expires_at_era": 652389, "eras_left": 69, "expiry_warning": null}, {"era": 652305, "why": "never attempted", "expires_at_era": 652390, "eras_left": 70, "expiry_warning": null}, {"era": 652306, "why": "never attempted", "expires_at_era": 652391, "eras_left": 71, "expiry_warning": null}, {"era": 652307, "why": "never attempted", "expires_at_era": 652392, "eras_left": 72, "expiry_warning": null}, {"era": 652308, "why": "never attempted", "expires_at_era": 652393, "eras_left": 73, "expiry_warning": null}, {"era": 652309, "why": "never attempted", "expires_at_era": 652394, "eras_left": 74, "expiry_warning": null}, {"era": 652310, "why": "never attempted", "expires_at_era": 652395, "eras_left": 75, "expiry_warning": null}, {"era": 652311, "why": "never attempted", "expires_at_era": 652396, "eras_left": 76, "expiry_warning": null}, {"era": 652312, "why": "never attempted", "expires_at_era": 652397, "eras_left": 77, "expiry_warning": null}, {"era": 652313, "why": "never attempted", "expires_at_era": 652398, "eras_left": 78, "expiry_warning": null}, {"era": 652314, "why": "never attempted", "expires_at_era": 652399, "eras_left": 79, "expiry_warning": null}, {"era": 652316, "why": "held (HELD): the fee is 100000000000000000, more than max_fee_per_payout 1", "expires_at_era": 652401, "eras_left": 81, "expiry_warning": null}, {"era": 652317, "why": "rejected (REJECTED): proxyPayoutstakers: JSON-RPC error -32600: Invalid Request (invalid fee authorisation: feePaymentSignature is not the payer''s over this user, relayer, proxySignature, a fee of 25000000000000 and payment nonce 1)", "expires_at_era": 652402, "eras_left": 82, "expiry_warning": null}, {"era": 652318, "why": "planned; nothing was sent (PLANNED): proxyPayoutstakers: no connection", "expires_at_era": 652403, "eras_left": 83, "expiry_warning": null}, {"era": 652319, "why": "held (HELD): the election window is open", "expires_at_era": 652404, "eras_left": 84, "expiry_warning": null}], "expired": [], "hash": "8fb0eebaddc243e2", "active_era": 652320, "paid": [652315], "notes": [], "later": []}', '2026-06-01 00:00:06+00', 'staking_catch_up_quiet/manual__1#1');
INSERT INTO era_notices VALUES ('quiet', 652229, 'expired', 'Era 652229 has expired', '2026-06-01 00:00:06+00', 'staking_catch_up_quiet/manual__1#1');
INSERT INTO payout_events VALUES (1, 1, '2026-06-01 00:00:00+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_accepted/scheduled__era-652317__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (2, 1, '2026-06-01 00:00:00+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 0, payment nonce 0', 'staking_payout_accepted/scheduled__era-652317__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (3, 1, '2026-06-01 00:00:00+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as ab9d0506-9e8d-46ef-a2f3-5ad601580c93', 'staking_payout_accepted/scheduled__era-652317__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (4, 1, '2026-06-01 00:00:06+00', 'SUBMITTED', 'CONFIRMED', 4, 'request Processed, and the staking nonce moved', 'staking_payout_accepted/scheduled__era-652317__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (5, 2, '2026-06-01 00:00:06+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_accepted/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (6, 2, '2026-06-01 00:00:06+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 1, payment nonce 1', 'staking_payout_accepted/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (7, 2, '2026-06-01 00:00:06+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as ae42bb23-845f-4990-8b1f-42680a4e3558', 'staking_payout_accepted/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (8, 2, '2026-06-01 00:00:12+00', 'SUBMITTED', 'CONFIRMED', 4, 'request Processed, and the staking nonce moved', 'staking_payout_accepted/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (9, 3, '2026-06-01 00:00:12+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_accepted/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (10, 3, '2026-06-01 00:00:12+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 2, payment nonce 2', 'staking_payout_accepted/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (11, 3, '2026-06-01 00:00:12+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as 61636d2f-6bda-45a6-8f39-db2951e6d1a6', 'staking_payout_accepted/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (12, 4, '2026-06-01 00:00:00+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_executed/scheduled__era-652317__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (13, 4, '2026-06-01 00:00:00+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 0, payment nonce 0', 'staking_payout_executed/scheduled__era-652317__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (14, 4, '2026-06-01 00:00:00+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as 6362badc-fbe5-4a19-88f2-9caaf8fe5a59', 'staking_payout_executed/scheduled__era-652317__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (15, 4, '2026-06-01 00:00:06+00', 'SUBMITTED', 'CONFIRMED', 4, 'request Processed, and the staking nonce moved', 'staking_payout_executed/scheduled__era-652317__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (16, 5, '2026-06-01 00:00:06+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_executed/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (17, 5, '2026-06-01 00:00:06+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 1, payment nonce 1', 'staking_payout_executed/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (18, 5, '2026-06-01 00:00:06+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as f79166b6-2294-4695-8f2e-f0f1ede87ffa', 'staking_payout_executed/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (19, 5, '2026-06-01 00:00:12+00', 'SUBMITTED', 'CONFIRMED', 4, 'request Processed, and the staking nonce moved', 'staking_payout_executed/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (20, 6, '2026-06-01 00:00:12+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_executed/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (21, 6, '2026-06-01 00:00:12+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 2, payment nonce 2', 'staking_payout_executed/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (22, 6, '2026-06-01 00:00:12+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as ae9a70cf-4a8e-4778-b115-02f25e85ae46', 'staking_payout_executed/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (23, 7, '2026-06-01 00:00:00+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_signed/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (24, 7, '2026-06-01 00:00:00+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 0, payment nonce 0', 'staking_payout_signed/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (25, 7, '2026-06-01 00:00:00+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as ac0d63db-f2d0-4943-9abe-a2786d2ab01b', 'staking_payout_signed/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (26, 7, '2026-06-01 00:00:06+00', 'SUBMITTED', 'CONFIRMED', 4, 'request Processed, and the staking nonce moved', 'staking_payout_signed/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (27, 8, '2026-06-01 00:00:06+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_signed/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (28, 8, '2026-06-01 00:00:06+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 1, payment nonce 1', 'staking_payout_signed/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (29, 9, '2026-06-01 00:00:00+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_sent/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (30, 9, '2026-06-01 00:00:00+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 0, payment nonce 0', 'staking_payout_sent/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (31, 9, '2026-06-01 00:00:00+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as d66d823c-d9d4-42c2-8c76-542b4530d49c', 'staking_payout_sent/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (32, 9, '2026-06-01 00:00:06+00', 'SUBMITTED', 'CONFIRMED', 4, 'request Processed, and the staking nonce moved', 'staking_payout_sent/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (33, 10, '2026-06-01 00:00:06+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_sent/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (34, 10, '2026-06-01 00:00:06+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 1, payment nonce 1', 'staking_payout_sent/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (35, 11, '2026-06-01 00:00:00+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_lost/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (36, 11, '2026-06-01 00:00:00+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 0, payment nonce 0', 'staking_payout_lost/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (37, 11, '2026-06-01 00:00:00+00', 'SIGNED', 'UNKNOWN', 3, 'sent, no usable answer: proxyPayoutstakers: reset', 'staking_payout_lost/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (38, 12, '2026-06-01 00:00:00+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_unanswered/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (39, 12, '2026-06-01 00:00:00+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 0, payment nonce 0', 'staking_payout_unanswered/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (40, 12, '2026-06-01 00:00:00+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as b534f479-64e1-497b-b0fa-ea69f9c6a416', 'staking_payout_unanswered/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (41, 12, '2026-06-01 00:00:06+00', 'SUBMITTED', 'CONFIRMED', 4, 'request Processed, and the staking nonce moved', 'staking_payout_unanswered/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (42, 13, '2026-06-01 00:00:06+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_unanswered/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (43, 13, '2026-06-01 00:00:06+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 1, payment nonce 1', 'staking_payout_unanswered/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (44, 13, '2026-06-01 00:00:06+00', 'SIGNED', 'UNKNOWN', 3, 'sent, no usable answer: proxyPayoutstakers: reset', 'staking_payout_unanswered/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (45, 14, '2026-06-01 00:00:00+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_quiet/scheduled__era-652315__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (46, 14, '2026-06-01 00:00:00+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 0, payment nonce 0', 'staking_payout_quiet/scheduled__era-652315__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (47, 14, '2026-06-01 00:00:00+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as 50be7bed-2fa4-42b4-8b50-860ee08abce5', 'staking_payout_quiet/scheduled__era-652315__0a1b2c3d', 1);
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
INSERT INTO payout_events VALUES (62, 19, '2026-06-01 00:00:00+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as 7fc7138b-9f2e-48df-93c8-a6f6743b3d72', 'staking_payout_batches/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (63, 19, '2026-06-01 00:00:06+00', 'SUBMITTED', 'CONFIRMED', 4, 'request Processed, and the staking nonce moved', 'staking_payout_batches/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (64, 20, '2026-06-01 00:00:06+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_batches/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (65, 20, '2026-06-01 00:00:06+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 1, payment nonce 1', 'staking_payout_batches/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (66, 20, '2026-06-01 00:00:06+00', 'SIGNED', 'EMPTY', 3, 'proxyPayoutstakers: JSON-RPC error -32600: Invalid Request (era 652319 has already been paid out)', 'staking_payout_batches/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payouts VALUES (1, 'accepted', 'chain of accepted', 652317, 0, 'CONFIRMED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '0', '0', '100000000000000000', '0x2cb5a70872da9057520c2ed0d6bd0175f57c6652b8a7a0892d87c8f6faaf360d9fa5f27ea9a145ccd1920472d910a5d67ffe0f45106b65cbbfae59d5c67f4887', '0x8442dcd73d35b77257f2082f59b0b74c959d8e05d5538ed4110f85cfc26a9a59ce8f7841592ac26090b2fb9a9ca0229af9f98dea18b9b63456158c7cd42ed086', 'ab9d0506-9e8d-46ef-a2f3-5ad601580c93', '0x3f44e4e3c95cde0d057b44c84dcf1cae0c533c36d785f07e21d6fde696eb74e0', '13046402', 'request_state', NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', 'staking_payout_accepted/scheduled__era-652317__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 0, 'staking_payout_accepted/scheduled__era-652317__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (2, 'accepted', 'chain of accepted', 652318, 0, 'CONFIRMED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '1', '1', '100000000000000000', '0x5228e8c9a945cb7698808235f27f9cf36d9f8fe0d6a6b1b181c55f5213db0f5bd8a7ffffb967a6964ba0e73e4b49ea78e916a6b0476a05a162c5673d6c01e081', '0xf2cde6228eab8248ac5b42f5fea4803eaf48953d18cde10bc26312ffabde585ebc317f56b80b300924012347d216a4e851dc21ba25cee9f8f472838e8b46f98e', 'ae42bb23-845f-4990-8b1f-42680a4e3558', '0xcea167e3961cd8ac6f3609034fe0ab4eb4fea76912b1a83d932cabef1b058af6', '13046408', 'request_state', NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:06+00', '2026-06-01 00:00:12+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:12+00', 'staking_payout_accepted/scheduled__era-652318__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 0, 'staking_payout_accepted/scheduled__era-652318__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (3, 'accepted', 'chain of accepted', 652319, 0, 'SUBMITTED', 3, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '2', '2', '100000000000000000', '0xd4216b94daff51828640ceb8a682d2eedbea77cc0916b2192ded1f20f3b73a2bea09a6d4360cbcdd126b5cfd498ec889e4cc8779d12bcc4d5f1c9e33b2c77a87', '0x8ab07b172e0d9577ea512cf6a91a2d7bba71752f16176f5046259202c6f574104d5b45f8254574da9f8bdc5908f752ab923eeb6ec4814a85ab607247d58b708e', '61636d2f-6bda-45a6-8f39-db2951e6d1a6', NULL, NULL, NULL, NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:12+00', '2026-06-01 00:00:12+00', '2026-06-01 00:00:12+00', '2026-06-01 00:00:12+00', NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, 'staking_payout_accepted/scheduled__era-652319__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (4, 'executed', 'chain of executed', 652317, 0, 'CONFIRMED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '0', '0', '100000000000000000', '0x52e754877cf5f17f6ddbf4eee94e7ddb8b45c274a12b171fcf9bd71e75e8cc1be2d017e46c064f86b1a5ef03614b4db91c9c55c8466c36374b47daa731e73681', '0xcc1be3b4bfab6859f525b58fd1ab02b400a4a4a3c65b777012f4cef59b12216e5abd49c1b8226250481658a3a189b5d5e0deb8ce73fce0a83728d52b8970168d', '6362badc-fbe5-4a19-88f2-9caaf8fe5a59', '0x14ff8de1233a23b400acd1117ecad149b4997a2087971c357c1d225a1b70a564', '13046402', 'request_state', NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', 'staking_payout_executed/scheduled__era-652317__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 0, 'staking_payout_executed/scheduled__era-652317__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (5, 'executed', 'chain of executed', 652318, 0, 'CONFIRMED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '1', '1', '100000000000000000', '0xb601b5f31dcb6313bb4d5025a08a8582b6ddc0827b93dfa31ed7f9bea767c24dd17187e1ceb1d52446acbb8f33f48e33041d90e6efeabd12d24066b5abdb7686', '0x9e23aa30bfa5bfd8387be6bb0b4456a32da424dc80e6573d84dfddd486bc325a37a8b9c3f72ecbb1c094cab3b65e7c8fb309f351c093ac118f5c7e557964e38c', 'f79166b6-2294-4695-8f2e-f0f1ede87ffa', '0x2aca99f455ab94a3545c52e7ad2aa4280f96ee8e0e4874725cd9046c75677eee', '13046408', 'request_state', NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:06+00', '2026-06-01 00:00:12+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:12+00', 'staking_payout_executed/scheduled__era-652318__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 0, 'staking_payout_executed/scheduled__era-652318__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (6, 'executed', 'chain of executed', 652319, 0, 'SUBMITTED', 3, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '2', '2', '100000000000000000', '0xe04d3b3c93d8c5ff61cebe3f90d5d5aec9dc382ae4a8aaed1f666987653cdc6e06966edb02ed7281369bd6ad02244a1191eae2b761e35203da153f55d774bd88', '0x38852395634ebd5de51626d54aeb4fcdbff1ef064ef559a22e226c025d68ad01df65b395e25d2dded021321e3615ed1e96417529f7df39b182fa0403d7ed7389', 'ae9a70cf-4a8e-4778-b115-02f25e85ae46', NULL, NULL, NULL, NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:12+00', '2026-06-01 00:00:12+00', '2026-06-01 00:00:12+00', '2026-06-01 00:00:12+00', NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, 'staking_payout_executed/scheduled__era-652319__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (7, 'signed', 'chain of signed', 652318, 0, 'CONFIRMED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '0', '0', '100000000000000000', '0x2aec20dc9c58df981496a1365696efd0fc6c163a3f5736b37d68357e6efaad64d53a959d740f3dcce83b20cd2b386130b1f6483b7f8e2a2bae29ad9e6680e98f', '0xb4cc106bb68430bb566893f5719e9fad747289079db71d52ccb291ca4a36023a5d74bd6885488489f3cbfcca673297744b62e3d4a106d8b496ddbc0c9b77678b', 'ac0d63db-f2d0-4943-9abe-a2786d2ab01b', '0x234ea5d6df85ae7bc17d0ba6e5d39ec9f06e1a5f5d3a92e5aa07d316e3218536', '13046402', 'request_state', NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', 'staking_payout_signed/scheduled__era-652318__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 0, 'staking_payout_signed/scheduled__era-652318__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (8, 'signed', 'chain of signed', 652319, 0, 'SIGNED', 2, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '1', '1', '100000000000000000', '0x7861d74787830368d0570ebae5a38475c4adb82068add49916b45f58dc4258042cf22340606c190566d1f831054e68420fc399673c281201061faeff3791c288', '0x66173db59f1f50253f140d54ea22f55cc5d688183cb0496320408f672fa8304ccbc5797236a4359893aafbd99db11da0587392e792b5cacb149662999009e383', NULL, NULL, NULL, NULL, NULL, 1, 0, NULL, 'db78c3b50a3846e98e2c8868dbd9089c', '2026-06-01 00:02:06+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, 'staking_payout_signed/scheduled__era-652319__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (9, 'sent', 'chain of sent', 652318, 0, 'CONFIRMED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '0', '0', '100000000000000000', '0x6ad4180d2e34eb90315b8c91c4f025da5928e9bd47e3f316f4d4bdb8a0dd696f641da7422d7fd95a1effed9673de99df0465b0f1f1c001c5f54d6904956b6c89', '0xb439fa0359387fd342e07ab4b6e9f4a4a3082e9db50eaffc2b9d2c4ca378f26c0cc4bc88bb54895620ee7c51ddc5570d885d36db4979a152fc6de174c25aac8a', 'd66d823c-d9d4-42c2-8c76-542b4530d49c', '0xfca94dff586a7b6731d621c59626de3e68ac33c2e4d6ae1beef946898b55da69', '13046402', 'request_state', NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', 'staking_payout_sent/scheduled__era-652318__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 0, 'staking_payout_sent/scheduled__era-652318__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (10, 'sent', 'chain of sent', 652319, 0, 'SIGNED', 2, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '1', '1', '100000000000000000', '0x2ef9febb71d2be429609200283d2de994beb9b7322c8506c65274a813921021fe68b5b95c3964e94e84daf768852123e8a48efe17a4f98f54c6cea155a08de87', '0xace033164b93bb014e845cb8c677b364ce93537541e85cb1f43d9a23e1aa1a0cb5a4e93569df256e461d80c6f3a4b972f10816e6ff23fd8d397c61cd497a8985', NULL, NULL, NULL, NULL, NULL, 1, 0, NULL, 'b38d8794b6434c8192160fa6d4804081', '2026-06-01 00:02:06+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, 'staking_payout_sent/scheduled__era-652319__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (11, 'lost', 'chain of lost', 652319, 0, 'UNKNOWN', 3, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '0', '0', '100000000000000000', '0x9cd4e9b059dd060d18c3f2fe41a1cca35141670586ecb69906f0ea0b8bbf2f6d567c060499e1728e654257a9f5fbccf686a09ca01b71da54f1d67ccfb3ddf680', '0x50461cf775ed651e39f2dd3720b60eb3a39ee8e03ef371f1b549e6c11487501f337c2d414d50d436e45d057ccfa695c6a976f10240238e538958a9fd42cb2b82', NULL, NULL, NULL, NULL, 'proxyPayoutstakers: reset', 1, 1, '2026-06-01 00:00:00+00', NULL, NULL, '2026-06-01 00:00:00+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:00+00', NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, 'staking_payout_lost/scheduled__era-652319__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (12, 'unanswered', 'chain of unanswered', 652318, 0, 'CONFIRMED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '0', '0', '100000000000000000', '0xb20e89ac47e675257b7ae9b882319993412520d74f1509615847555121305a0373f2fece91545e5736795b0761b90cef28b1739736e60f2917b1dbb9b25f1a81', '0xeca84f230495dc5c5e0547f43bcabc095269c989e5047558f06cd0faaa202d35a35f6952bfe6a13c3ea395c81a3cbf6a7bbb7866aa6084af272e83cc21b8d58e', 'b534f479-64e1-497b-b0fa-ea69f9c6a416', '0x43b18c3119d8ecda0c286bbfe6ffd222ff3e0b9763a5b8cf36c4c331b3260ffc', '13046402', 'request_state', NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', 'staking_payout_unanswered/scheduled__era-652318__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 0, 'staking_payout_unanswered/scheduled__era-652318__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (13, 'unanswered', 'chain of unanswered', 652319, 0, 'UNKNOWN', 3, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '1', '1', '100000000000000000', '0xba54cf52b5ca094fdf0bf25a7ae58d62083e6618b7e6c93507affe9b1f385577570b27a878af532c8a99578248177f6b097988743913ce67b312bf7f7baa588a', '0x18ee77fe738bc55dcdf6e385752347c3f3d3d3776acdfb360a9da23caf5afb5cebd2af7fd9a3b87259b4537b01a669b0a6def365396b315a76b41a58c8ed6080', NULL, NULL, NULL, NULL, 'proxyPayoutstakers: reset', 1, 1, '2026-06-01 00:00:06+00', NULL, NULL, '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, 'staking_payout_unanswered/scheduled__era-652319__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (14, 'quiet', 'chain of quiet', 652315, 0, 'CONFIRMED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '0', '0', '100000000000000000', '0x1602e0cd3a7b3aeddc73b6ad73dd32dfb92b5a8ddcd4d140bb32304e53bf2e148fce030fd1130acc76d40724d54f6dfabecb052fe60ba7fdba4bfedeaf505a89', '0xa0437af89e47fe4e3752ff083f5fa1c7352b61fea885f6635126f860d50f66658e6c7809e05d7373e62daff56fc86696bc0f02cf4e7008ae465c2545992e7185', '50be7bed-2fa4-42b4-8b50-860ee08abce5', '0x7d7327793156a120d579732782b8ed8c9bf5ed7129afef085810e1e7968739b3', '13046402', 'request_state', NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', 'staking_payout_quiet/scheduled__era-652315__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 0, 'staking_payout_quiet/scheduled__era-652315__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (15, 'quiet', 'chain of quiet', 652316, 0, 'HELD', 2, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'the fee is 100000000000000000, more than max_fee_per_payout 1', 0, 0, NULL, NULL, NULL, '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', NULL, NULL, NULL, NULL, 'fee', false, false, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, NULL, NULL, 0, NULL, NULL);
INSERT INTO payouts VALUES (17, 'quiet', 'chain of quiet', 652318, 0, 'PLANNED', 3, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '1', '1', '25000000000000', '0x48bfaab6690c56e30e1694f2bec57285a90b388ec1949637df15b54f832fcf3a656ff690ab5adb1547316fa8ba4e41dc7c6a7371f9586ab8ad2bff03746a3380', '0x28564024ee3e62794bca982e6c8df541dec9cebce61909b9cfc034b6f06a3f46060701e6cb42824014bbe681207cf471a260e367932ad82a91b4b4bff8e9b687', NULL, NULL, NULL, NULL, 'proxyPayoutstakers: no connection', 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, 'staking_payout_quiet/scheduled__era-652318__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (18, 'quiet', 'chain of quiet', 652319, 0, 'HELD', 2, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'the election window is open', 0, 0, NULL, NULL, NULL, '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', NULL, NULL, NULL, NULL, 'window', false, false, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, NULL, NULL, 0, NULL, NULL);
INSERT INTO payouts VALUES (16, 'quiet', 'chain of quiet', 652317, 0, 'REJECTED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '1', '1', '100000000000000000', '0x14d33926873a8099f05227d67fbd9ac393bba2d7afdaef2386170407a35f11710658c1055d6b073e51f01982bd041f0e82192df012119efe86f074132adf6389', '0x4c9cf072206bc91c3b0d832d3c2b466e410e5e618e67c5154bec82ad2155ca08a2c7c416d9e7600a50a1fa570ed0f365e3f64c15398de98e613ab814d7123f86', NULL, NULL, NULL, NULL, 'the payment nonce has moved, and the staking nonce has not; a fee was charged', 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:06+00', '2026-06-01 00:00:07+00', '2026-06-01 00:00:06+00', NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 1, 'staking_payout_quiet/scheduled__era-652317__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (19, 'batches', 'chain of batches', 652319, 0, 'CONFIRMED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '0', '0', '100000000000000000', '0x741d5b552e83ea2b3fd72f01346f53a0d7299d7e2b376ce619f071c7eec8f05e649153fc675b23ae325bd7b072ea1f1f85142dff79c205177ea46ad29933288b', '0xca33cb37560ef960945bc083037beb363e26510161533e33435804ea572dfd11fb23284b779ea6533c2f558b94d1163d31b4f34e086b90d0b260e13c2d1b2c84', '7fc7138b-9f2e-48df-93c8-a6f6743b3d72', '0xa052b8adcc6ee10eded854578abb3f309f6c3f7e1cc833051343c53dfd4d290e', '13046402', 'request_state', NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', 'staking_payout_batches/scheduled__era-652319__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 0, 'staking_payout_batches/scheduled__era-652319__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (20, 'batches', 'chain of batches', 652319, 1, 'EMPTY', 3, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '1', '1', '100000000000000000', '0x86f5b129198833ab31800de6ba1abd05a162e2be8a6de027a0b30fc6b0296f764860a624223bb197778ff55d101a3a6d23403433e23efbc159002a91e2419d8d', '0x1067ec95ebeb4b7c8f05b56017e60da98f75e5812fb45ba664de41ace4be37170debc07bb53248d9634c2d5fd94880b8394f8665cf53fe0789a369c4d86a668e', NULL, NULL, NULL, NULL, NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', NULL, NULL, 'staking_payout_batches/scheduled__era-652319__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, 'staking_payout_batches/scheduled__era-652319__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO staking_ledger_version VALUES ('0005');
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
