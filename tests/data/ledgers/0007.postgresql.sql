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
CREATE TABLE task_failures (
    network character varying(250) NOT NULL,
    subject character varying(32) NOT NULL,
    topic character varying(32) NOT NULL,
    text text NOT NULL,
    at timestamp with time zone NOT NULL,
    run text NOT NULL
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
INSERT INTO alert_messages VALUES ('aa39dc373ae34557b2b501e0031b4ebd', 'quiet', 'raised', 'held', 'warning', '[{"topic": "era:652316", "kind": "held", "severity": "warning", "subject": "Era 652316", "era": 652316, "cause": "the fee is too high", "next_step": "Raise the ceiling", "runbook": "held_fee"}]', '2026-06-01 00:00:06+00', 'staking_payout_quiet/alerts#1', '["operator"]', 4, NULL, '2026-06-01 00:00:06+00', 1);
INSERT INTO alert_messages VALUES ('1733033933e749849e38cf888bc86203', 'quiet', 'raised', 'not_paid', 'warning', '[{"topic": "era:652315", "kind": "not_paid", "severity": "warning", "subject": "Era 652315", "era": 652315, "cause": "the fee is too high", "next_step": "Raise the ceiling", "runbook": "unpaid"}]', '2026-06-01 00:00:06+00', 'staking_payout_quiet/alerts#1', '[]', 2, '2026-06-01 00:00:36+00', NULL, 1);
INSERT INTO alert_messages VALUES ('6c206574c0224fea9bbb8377262649d0', 'quiet', 'cleared', 'not_paid', 'info', '[{"topic": "era:652315", "kind": "not_paid", "severity": "info", "subject": "Era 652315", "era": 652315, "cause": "Era 652315 is paid", "next_step": ""}]', '2026-06-01 00:00:07+00', 'staking_payout_quiet/alerts#1', '[]', 1, NULL, NULL, 1);
INSERT INTO alerts VALUES ('quiet', 'era:652316', 'open', 'held', 2, 652316, 'Era 652316', 'the fee is too high', 1, '2026-06-01 00:00:06+00', NULL, '2026-06-01 00:00:06+00', 'staking_payout_quiet/alerts#1');
INSERT INTO alerts VALUES ('quiet', 'era:652315', 'over', 'not_paid', 1, 652315, 'Era 652315', 'the fee is too high', 2, '2026-06-01 00:00:06+00', NULL, '2026-06-01 00:00:07+00', 'staking_payout_quiet/alerts#1');
INSERT INTO calendar_anchors VALUES ('quiet', 652309, '2026-06-01 00:00:00+00', 20000000, '2026-06-01 00:00:06+00', 'staking_catch_up_quiet/manual__1#1');
INSERT INTO calendar_anchors VALUES ('quiet', 652319, '2026-06-01 00:03:20+00', 20250000, '2026-06-01 00:00:06+00', 'staking_catch_up_quiet/manual__1#1');
INSERT INTO catch_up_plans VALUES ('quiet', '8fb0eebaddc243e2', '{"network": "quiet", "terms": {"chain": "chain of quiet", "relayer": "5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty", "user": "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY", "payer": "5FLSigC9HGRKVhB9FiEo4Y3koPsNmBmLJbpXg2mp1hXcS59Y", "parts": 1, "history_depth": 84}, "fee": "25000000000000", "pay": [{"era": 652236, "why": "never attempted", "expires_at_era": 652321, "eras_left": 1, "expiry_warning": 95}, {"era": 652237, "why": "never attempted", "expires_at_era": 652322, "eras_left": 2, "expiry_warning": 95}, {"era": 652238, "why": "never attempted", "expires_at_era": 652323, "eras_left": 3, "expiry_warning": 95}, {"era": 652239, "why": "never attempted", "expires_at_era": 652324, "eras_left": 4, "expiry_warning": 95}, {"era": 652240, "why": "never attempted", "expires_at_era": 652325, "eras_left": 5, "expiry_warning": 95}, {"era": 652241, "why": "never attempted", "expires_at_era": 652326, "eras_left": 6, "expiry_warning": 80}, {"era": 652242, "why": "never attempted", "expires_at_era": 652327, "eras_left": 7, "expiry_warning": 80}, {"era": 652243, "why": "never attempted", "expires_at_era": 652328, "eras_left": 8, "expiry_warning": 80}, {"era": 652244, "why": "never attempted", "expires_at_era": 652329, "eras_left": 9, "expiry_warning": 80}, {"era": 652245, "why": "never attempted", "expires_at_era": 652330, "eras_left": 10, "expiry_warning": 80}, {"era": 652246, "why": "never attempted", "expires_at_era": 652331, "eras_left": 11, "expiry_warning": 80}, {"era": 652247, "why": "never attempted", "expires_at_era": 652332, "eras_left": 12, "expiry_warning": 80}, {"era": 652248, "why": "never attempted", "expires_at_era": 652333, "eras_left": 13, "expiry_warning": 80}, {"era": 652249, "why": "never attempted", "expires_at_era": 652334, "eras_left": 14, "expiry_warning": 80}, {"era": 652250, "why": "never attempted", "expires_at_era": 652335, "eras_left": 15, "expiry_warning": 80}, {"era": 652251, "why": "never attempted", "expires_at_era": 652336, "eras_left": 16, "expiry_warning": 80}, {"era": 652252, "why": "never attempted", "expires_at_era": 652337, "eras_left": 17, "expiry_warning": 80}, {"era": 652253, "why": "never attempted", "expires_at_era": 652338, "eras_left": 18, "expiry_warning": 50}, {"era": 652254, "why": "never attempted", "expires_at_era": 652339, "eras_left": 19, "expiry_warning": 50}, {"era": 652255, "why": "never attempted", "expires_at_era": 652340, "eras_left": 20, "expiry_warning": 50}, {"era": 652256, "why": "never attempted", "expires_at_era": 652341, "eras_left": 21, "expiry_warning": 50}, {"era": 652257, "why": "never attempted", "expires_at_era": 652342, "eras_left": 22, "expiry_warning": 50}, {"era": 652258, "why": "never attempted", "expires_at_era": 652343, "eras_left": 23, "expiry_warning": 50}, {"era": 652259, "why": "never attempted", "expires_at_era": 652344, "eras_left": 24, "expiry_warning": 50}, {"era": 652260, "why": "never attempted", "expires_at_era": 652345, "eras_left": 25, "expiry_warning": 50}, {"era": 652261, "why": "never attempted", "expires_at_era": 652346, "eras_left": 26, "expiry_warning": 50}, {"era": 652262, "why": "never attempted", "expires_at_era": 652347, "eras_left": 27, "expiry_warning": 50}, {"era": 652263, "why": "never attempted", "expires_at_era": 652348, "eras_left": 28, "expiry_warning": 50}, {"era": 652264, "why": "never attempted", "expires_at_era": 652349, "eras_left": 29, "expiry_warning": 50}, {"era": 652265, "why": "never attempted", "expires_at_era": 652350, "eras_left": 30, "expiry_warning": 50}, {"era": 652266, "why": "never attempted", "expires_at_era": 652351, "eras_left": 31, "expiry_warning": 50}, {"era": 652267, "why": "never attempted", "expires_at_era": 652352, "eras_left": 32, "expiry_warning": 50}, {"era": 652268, "why": "never attempted", "expires_at_era": 652353, "eras_left": 33, "expiry_warning": 50}, {"era": 652269, "why": "never attempted", "expires_at_era": 652354, "eras_left": 34, "expiry_warning": 50}, {"era": 652270, "why": "never attempted", "expires_at_era": 652355, "eras_left": 35, "expiry_warning": 50}, {"era": 652271, "why": "never attempted", "expires_at_era": 652356, "eras_left": 36, "expiry_warning": 50}, {"era": 652272, "why": "never attempted", "expires_at_era": 652357, "eras_left": 37, "expiry_warning": 50}, {"era": 652273, "why": "never attempted", "expires_at_era": 652358, "eras_left": 38, "expiry_warning": 50}, {"era": 652274, "why": "never attempted", "expires_at_era": 652359, "eras_left": 39, "expiry_warning": 50}, {"era": 652275, "why": "never attempted", "expires_at_era": 652360, "eras_left": 40, "expiry_warning": 50}, {"era": 652276, "why": "never attempted", "expires_at_era": 652361, "eras_left": 41, "expiry_warning": 50}, {"era": 652277, "why": "never attempted", "expires_at_era": 652362, "eras_left": 42, "expiry_warning": 50}, {"era": 652278, "why": "never attempted", "expires_at_era": 652363, "eras_left": 43, "expiry_warning": 50}, {"era": 652279, "why": "never attempted", "expires_at_era": 652364, "eras_left": 44, "expiry_warning": null}, {"era": 652280, "why": "never attempted", "expires_at_era": 652365, "eras_left": 45, "expiry_warning": null}, {"era": 652281, "why": "never attempted", "expires_at_era": 652366, "eras_left": 46, "expiry_warning": null}, {"era": 652282, "why": "never attempted", "expires_at_era": 652367, "eras_left": 47, "expiry_warning": null}, {"era": 652283, "why": "never attempted", "expires_at_era": 652368, "eras_left": 48, "expiry_warning": null}, {"era": 652284, "why": "never attempted", "expires_at_era": 652369, "eras_left": 49, "expiry_warning": null}, {"era": 652285, "why": "never attempted", "expires_at_era": 652370, "eras_left": 50, "expiry_warning": null}, {"era": 652286, "why": "never attempted", "expires_at_era": 652371, "eras_left": 51, "expiry_warning": null}, {"era": 652287, "why": "never attempted", "expires_at_era": 652372, "eras_left": 52, "expiry_warning": null}, {"era": 652288, "why": "never attempted", "expires_at_era": 652373, "eras_left": 53, "expiry_warning": null}, {"era": 652289, "why": "never attempted", "expires_at_era": 652374, "eras_left": 54, "expiry_warning": null}, {"era": 652290, "why": "never attempted", "expires_at_era": 652375, "eras_left": 55, "expiry_warning": null}, {"era": 652291, "why": "never attempted", "expires_at_era": 652376, "eras_left": 56, "expiry_warning": null}, {"era": 652292, "why": "never attempted", "expires_at_era": 652377, "eras_left": 57, "expiry_warning": null}, {"era": 652293, "why": "never attempted", "expires_at_era": 652378, "eras_left": 58, "expiry_warning": null}, {"era": 652294, "why": "never attempted", "expires_at_era": 652379, "eras_left": 59, "expiry_warning": null}, {"era": 652295, "why": "never attempted", "expires_at_era": 652380, "eras_left": 60, "expiry_warning": null}, {"era": 652296, "why": "never attempted", "expires_at_era": 652381, "eras_left": 61, "expiry_warning": null}, {"era": 652297, "why": "never attempted", "expires_at_era": 652382, "eras_left": 62, "expiry_warning": null}, {"era": 652298, "why": "never attempted", "expires_at_era": 652383, "eras_left": 63, "expiry_warning": null}, {"era": 652299, "why": "never attempted", "expires_at_era": 652384, "eras_left": 64, "expiry_warning": null}, {"era": 652300, "why": "never attempted", "expires_at_era": 652385, "eras_left": 65, "expiry_warning": null}, {"era": 652301, "why": "never attempted", "expires_at_era": 652386, "eras_left": 66, "expiry_warning": null}, {"era": 652302, "why": "never attempted", "expires_at_era": 652387, "eras_left": 67, "expiry_warning": null}, {"era": 652303, "why": "never attempted", "expires_at_era": 652388, "eras_left": 68, "expiry_warning": null}, {"era": 652304, "why": "never attempted", "expires_at_era": 652389, "eras_left": 69, "expiry_warning": null}, {"era": 652305, "why": "never attempted", "expires_at_era": 652390, "eras_left": 70, "expiry_warning": null}, {"era": 652306, "why": "never attempted", "expires_at_era": 652391, "eras_left": 71, "expiry_warning": null}, {"era": 652307, "why": "never attempted", "expires_at_era": 652392, "eras_left": 72, "expiry_warning": null}, {"era": 652308, "why": "never attempted", "expires_at_era": 652393, "eras_left": 73, "expiry_warning": null}, {"era": 652309, "why": "never attempted", "expires_at_era": 652394, "eras_left": 74, "expiry_warning": null}, {"era": 652310, "why": "never attempted", "expires_at_era": 652395, "eras_left": 75, "expiry_warning": null}, {"era": 652311, "why": "never attempted", "expires_at_era": 652396, "eras_left": 76, "expiry_warning": null}, {"era": 652312, "why": "never attempted", "expires_at_era": 652397, "eras_left": 77, "expiry_warning": null}, {"era": 652313, "why": "never attempted", "expires_at_era": 652398, "eras_left": 78, "expiry_warning": null}, {"era": 652314, "why": "never attempted", "expires_at_era": 652399, "eras_left": 79, "expiry_warning": null}, {"era": 652316, "why": "held (HELD): the fee is 100000000000000000 planck, more than max_fee_per_payout 1 planck", "expires_at_era": 652401, "eras_left": 81, "expiry_warning": null}, {"era": 652317, "why": "rejected (REJECTED): proxyPayoutstakers: JSON-RPC error -32600: Invalid Request (invalid fee authorisation: feePaymentSignature is not the payer''s over this user, relayer, proxySignature, a fee of 25000000000000 and payment nonce 1)", "expires_at_era": 652402, "eras_left": 82, "expiry_warning": null}, {"era": 652318, "why": "planned; nothing was sent (PLANNED): proxyPayoutstakers: no connection", "expires_at_era": 652403, "eras_left": 83, "expiry_warning": null}, {"era": 652319, "why": "held (HELD): the election window is open", "expires_at_era": 652404, "eras_left": 84, "expiry_warning": null}], "expired": [], "hash": "8fb0eebaddc243e2", "active_era": 652320, "paid": [652315], "notes": [], "later": []}', '2026-06-01 00:00:06+00', 'staking_catch_up_quiet/manual__1#1');
INSERT INTO era_notices VALUES ('quiet', 652229, 'expired', 'Era 652229 has expired', '2026-06-01 00:00:06+00', 'staking_catch_up_quiet/manual__1#1');
INSERT INTO ledger_identity VALUES ('36876fb1ae874dd8aa0bffed58a8a1f4');
INSERT INTO payout_events VALUES (1, 1, '2026-06-01 00:00:00+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_accepted/scheduled__era-652317__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (2, 1, '2026-06-01 00:00:00+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 0, payment nonce 0', 'staking_payout_accepted/scheduled__era-652317__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (3, 1, '2026-06-01 00:00:00+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as 690d68ce-68f2-47ce-b578-276b475cc38d', 'staking_payout_accepted/scheduled__era-652317__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (4, 1, '2026-06-01 00:00:06+00', 'SUBMITTED', 'CONFIRMED', 4, 'request Processed, and the staking nonce moved', 'staking_payout_accepted/scheduled__era-652317__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (5, 2, '2026-06-01 00:00:06+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_accepted/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (6, 2, '2026-06-01 00:00:06+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 1, payment nonce 1', 'staking_payout_accepted/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (7, 2, '2026-06-01 00:00:06+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as 73879c17-6716-4ae6-9a9a-cf6ade689c99', 'staking_payout_accepted/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (8, 2, '2026-06-01 00:00:12+00', 'SUBMITTED', 'CONFIRMED', 4, 'request Processed, and the staking nonce moved', 'staking_payout_accepted/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (9, 3, '2026-06-01 00:00:12+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_accepted/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (10, 3, '2026-06-01 00:00:12+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 2, payment nonce 2', 'staking_payout_accepted/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (11, 3, '2026-06-01 00:00:12+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as 24d07a14-0bbc-4292-a2e6-9cb5a3766c17', 'staking_payout_accepted/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (12, 4, '2026-06-01 00:00:00+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_executed/scheduled__era-652317__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (13, 4, '2026-06-01 00:00:00+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 0, payment nonce 0', 'staking_payout_executed/scheduled__era-652317__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (14, 4, '2026-06-01 00:00:00+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as 2003df5e-c41c-4da5-bb28-75f438dfd383', 'staking_payout_executed/scheduled__era-652317__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (15, 4, '2026-06-01 00:00:06+00', 'SUBMITTED', 'CONFIRMED', 4, 'request Processed, and the staking nonce moved', 'staking_payout_executed/scheduled__era-652317__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (16, 5, '2026-06-01 00:00:06+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_executed/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (17, 5, '2026-06-01 00:00:06+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 1, payment nonce 1', 'staking_payout_executed/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (18, 5, '2026-06-01 00:00:06+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as c441914a-4d2d-4567-a2cf-1d1ea2ccaa97', 'staking_payout_executed/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (19, 5, '2026-06-01 00:00:12+00', 'SUBMITTED', 'CONFIRMED', 4, 'request Processed, and the staking nonce moved', 'staking_payout_executed/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (20, 6, '2026-06-01 00:00:12+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_executed/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (21, 6, '2026-06-01 00:00:12+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 2, payment nonce 2', 'staking_payout_executed/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (22, 6, '2026-06-01 00:00:12+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as 3a54c44f-de3a-49b6-a43c-7faafe606672', 'staking_payout_executed/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (23, 7, '2026-06-01 00:00:00+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_signed/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (24, 7, '2026-06-01 00:00:00+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 0, payment nonce 0', 'staking_payout_signed/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (25, 7, '2026-06-01 00:00:00+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as e688d87f-f845-4870-8376-d1d3896777a4', 'staking_payout_signed/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (26, 7, '2026-06-01 00:00:06+00', 'SUBMITTED', 'CONFIRMED', 4, 'request Processed, and the staking nonce moved', 'staking_payout_signed/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (27, 8, '2026-06-01 00:00:06+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_signed/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (28, 8, '2026-06-01 00:00:06+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 1, payment nonce 1', 'staking_payout_signed/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (29, 9, '2026-06-01 00:00:00+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_sent/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (30, 9, '2026-06-01 00:00:00+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 0, payment nonce 0', 'staking_payout_sent/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (31, 9, '2026-06-01 00:00:00+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as 018286e5-b46e-4248-b060-bfc6640b82ba', 'staking_payout_sent/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (32, 9, '2026-06-01 00:00:06+00', 'SUBMITTED', 'CONFIRMED', 4, 'request Processed, and the staking nonce moved', 'staking_payout_sent/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (33, 10, '2026-06-01 00:00:06+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_sent/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (34, 10, '2026-06-01 00:00:06+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 1, payment nonce 1', 'staking_payout_sent/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (35, 11, '2026-06-01 00:00:00+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_lost/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (36, 11, '2026-06-01 00:00:00+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 0, payment nonce 0', 'staking_payout_lost/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (37, 11, '2026-06-01 00:00:00+00', 'SIGNED', 'UNKNOWN', 3, 'sent, no usable answer: proxyPayoutstakers: reset', 'staking_payout_lost/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (38, 12, '2026-06-01 00:00:00+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_unanswered/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (39, 12, '2026-06-01 00:00:00+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 0, payment nonce 0', 'staking_payout_unanswered/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (40, 12, '2026-06-01 00:00:00+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as 6ad431c9-be94-4b50-8dcd-b777b2ddfb93', 'staking_payout_unanswered/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (41, 12, '2026-06-01 00:00:06+00', 'SUBMITTED', 'CONFIRMED', 4, 'request Processed, and the staking nonce moved', 'staking_payout_unanswered/scheduled__era-652318__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (42, 13, '2026-06-01 00:00:06+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_unanswered/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (43, 13, '2026-06-01 00:00:06+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 1, payment nonce 1', 'staking_payout_unanswered/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (44, 13, '2026-06-01 00:00:06+00', 'SIGNED', 'UNKNOWN', 3, 'sent, no usable answer: proxyPayoutstakers: reset', 'staking_payout_unanswered/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (45, 14, '2026-06-01 00:00:00+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_quiet/scheduled__era-652315__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (46, 14, '2026-06-01 00:00:00+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 0, payment nonce 0', 'staking_payout_quiet/scheduled__era-652315__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (47, 14, '2026-06-01 00:00:00+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as 2f74dc47-7e81-440f-91bc-5c05882d68a8', 'staking_payout_quiet/scheduled__era-652315__0a1b2c3d', 1);
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
INSERT INTO payout_events VALUES (62, 19, '2026-06-01 00:00:00+00', 'SIGNED', 'SUBMITTED', 3, 'accepted as c19c9550-95c6-4800-8a31-ddf0ae53edac', 'staking_payout_batches/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (63, 19, '2026-06-01 00:00:06+00', 'SUBMITTED', 'CONFIRMED', 4, 'request Processed, and the staking nonce moved', 'staking_payout_batches/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (64, 20, '2026-06-01 00:00:06+00', NULL, 'PLANNED', 1, 'planned', 'staking_payout_batches/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (65, 20, '2026-06-01 00:00:06+00', 'PLANNED', 'SIGNED', 2, 'signed with fee 100000000000000000, staking nonce 1, payment nonce 1', 'staking_payout_batches/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payout_events VALUES (66, 20, '2026-06-01 00:00:06+00', 'SIGNED', 'EMPTY', 3, 'proxyPayoutstakers: JSON-RPC error -32600: Invalid Request (era 652319 has already been paid out)', 'staking_payout_batches/scheduled__era-652319__0a1b2c3d', 1);
INSERT INTO payouts VALUES (1, 'accepted', 'chain of accepted', 652317, 0, 'CONFIRMED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '0', '0', '100000000000000000', '0xd6b19b852ba68ee9ef1f717d3e7f3d3930972354a7734e95396c83af6a9921707dae7b609345f0089437aafa9277aeac33b45afcda4c42f0a29aa493deedf28e', '0x448e752da54e3651d4cd7afeb01cd932ca00421bb4439fb2349b050e13cb347af39f60d9226a7401b28134735e156dcf2be21b2ad26ff822295b5688b87d888a', '690d68ce-68f2-47ce-b578-276b475cc38d', '0xad45295cd1a9925901578a63c9d71840b86d4c22b33fb70c82136782c2171eca', '13046402', 'request_state', NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', 'staking_payout_accepted/scheduled__era-652317__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 0, 'staking_payout_accepted/scheduled__era-652317__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (2, 'accepted', 'chain of accepted', 652318, 0, 'CONFIRMED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '1', '1', '100000000000000000', '0x78e89c89391a034ff02e098a9e34d7d897e664f305f8fdd125dcdcca4cf1827a6d4e0f1419495a44e38f16248d07590d7871b7334e07a824d22e47afb92f9c84', '0x9431426c7b4043adb30fea453d9bec3e3dda91aa739777bda7bf9a905288c60f1b42549fb0888e197c9c0f185ef0f2d8d73497660a944ea5761ca4f1bd60d78b', '73879c17-6716-4ae6-9a9a-cf6ade689c99', '0x7adba35f112af0ae16da2ac6b2cf0ab102e6ebb6d0eb152e432d66cd63bc5959', '13046408', 'request_state', NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:06+00', '2026-06-01 00:00:12+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:12+00', 'staking_payout_accepted/scheduled__era-652318__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 0, 'staking_payout_accepted/scheduled__era-652318__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (3, 'accepted', 'chain of accepted', 652319, 0, 'SUBMITTED', 3, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '2', '2', '100000000000000000', '0xe621c8219a7d54c416f65826e0675632e1a3289d0b6c90572525a7f13440c62ad7f656d61f63ff3ee43647b578497712ed3e024565dd0c3fc2d96d1b4fbb2382', '0x1e830903e7633fb6cf6a2532a577bb0e9003de4584533d2b5e519caadcfa3663727d311313f128de2c84ca8322ede73ec906b72ed2544d6643974c04514a0f8f', '24d07a14-0bbc-4292-a2e6-9cb5a3766c17', NULL, NULL, NULL, NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:12+00', '2026-06-01 00:00:12+00', '2026-06-01 00:00:12+00', '2026-06-01 00:00:12+00', NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, 'staking_payout_accepted/scheduled__era-652319__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (4, 'executed', 'chain of executed', 652317, 0, 'CONFIRMED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '0', '0', '100000000000000000', '0xdcd702c64a48a9906350ad06c4dc6d8f092b0a40ee650cbbbdcf76d14380fc38926800b285827715b956ac40e7ab98cf4272794141c9af176ad494cdb1337f85', '0x02031116a8b487ec157554e379d50e9b570cd4e8400e55bb5e128b911a6de77bd1a3a51c2b56c0be4817800505ee0b8462932890f40e4cfce30db89b422edb8f', '2003df5e-c41c-4da5-bb28-75f438dfd383', '0xb713d39b1fd84b53eeb77315aeda91d1cb4baafbe336195c5b09c93c76347dcf', '13046402', 'request_state', NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', 'staking_payout_executed/scheduled__era-652317__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 0, 'staking_payout_executed/scheduled__era-652317__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (5, 'executed', 'chain of executed', 652318, 0, 'CONFIRMED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '1', '1', '100000000000000000', '0xb6338875c56a93abe4d147af947fcb17fdf58a2f421a736dbd50896f3b67f1114aa71ae84b6fcf182e9eb5359e41fd94377b6ade349d9d1a65378ae5f86a7781', '0xb4fb21276cdd75c4fc3dac3bc099b28f03604209c081250c9055c65127d21a7f58f567258a7fe1978c66ce0668f943823d0adf33e65e2ed19f5feea3a9c6fe83', 'c441914a-4d2d-4567-a2cf-1d1ea2ccaa97', '0x53a18409174a42e80ae290210a7d269a6b081c2b6ae9c31c56914145d10d7e75', '13046408', 'request_state', NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:06+00', '2026-06-01 00:00:12+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:12+00', 'staking_payout_executed/scheduled__era-652318__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 0, 'staking_payout_executed/scheduled__era-652318__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (6, 'executed', 'chain of executed', 652319, 0, 'SUBMITTED', 3, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '2', '2', '100000000000000000', '0x225d59cd21ed5f122ef226f2d5014f090b53bf9436f7f7fca344e74d3e588e19afa48526ae3d2764e1d3dfcdaa9218acd24679759dbb13a5ae5d23ea6d80008b', '0xe028d8623a0fa032d61232ed3980cb15375a99a2477a7f5d5cddd32b3b9e595d79fe80321a6f247a28a5b6c8f94ed05a90d52f1735e15af2dae1e3e22a77c28f', '3a54c44f-de3a-49b6-a43c-7faafe606672', NULL, NULL, NULL, NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:12+00', '2026-06-01 00:00:12+00', '2026-06-01 00:00:12+00', '2026-06-01 00:00:12+00', NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, 'staking_payout_executed/scheduled__era-652319__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (7, 'signed', 'chain of signed', 652318, 0, 'CONFIRMED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '0', '0', '100000000000000000', '0xfe82b050768afa2ba39914afd003f312898270a359f3c15757b1c62470f4661e6f1c72243cd7d5c06f30fbbc849948ccef03832e9b003bdcf360b7d4c3a0d58c', '0x68ec3e923f037e4717d05583c626b5c70898697dfc3261ec2ed9686060daae117f662a89d3cf78c24e7f99a68eb8d4184f0f1a12982c01462c6da94999f8a787', 'e688d87f-f845-4870-8376-d1d3896777a4', '0x253055108de49c72b12653002dedbe02b7c874e43557add9b9ce1493c918eb19', '13046402', 'request_state', NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', 'staking_payout_signed/scheduled__era-652318__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 0, 'staking_payout_signed/scheduled__era-652318__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (8, 'signed', 'chain of signed', 652319, 0, 'SIGNED', 2, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '1', '1', '100000000000000000', '0x188ed664e07b248d160e04b47b113e6f300296938f14f1095f3d81fef8e46b17034ea97f3488cac89590da1e999d62af2ed1e991c2825af04cad4580a6273d89', '0xe8dbe9caf5d6f058066f196b8499d499c3da4b423c86b1ef0ab23fadcba7e563cd545b6a63b26f0d50a3453869e24b80ae0bf5edc5b11d63f2c598becd65f083', NULL, NULL, NULL, NULL, NULL, 1, 0, NULL, '4ff623696e9a4a55ad46f817755289a0', '2026-06-01 00:02:06+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, 'staking_payout_signed/scheduled__era-652319__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (9, 'sent', 'chain of sent', 652318, 0, 'CONFIRMED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '0', '0', '100000000000000000', '0xaa1c8b77b9dc572b9ea8f6ded3f7199faf286f4174f133c077e319b0f27f8b3a4f8d0a09f243053c443dd8a9a53f37041625556a998c3a13c645f21edacaeb8c', '0xf629530c6a7f39dabf6ebb76f8364d1d571d774dd8e27d073091e1984ec17f61fb8f63183143e09a6bf56788370c16399b538c6708377a09b1b96d761a00188d', '018286e5-b46e-4248-b060-bfc6640b82ba', '0x64e4dd963275e2f4e1dffb7389a28a59af35c1d32b799c830fad55b87cd05ca9', '13046402', 'request_state', NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', 'staking_payout_sent/scheduled__era-652318__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 0, 'staking_payout_sent/scheduled__era-652318__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (10, 'sent', 'chain of sent', 652319, 0, 'SIGNED', 2, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '1', '1', '100000000000000000', '0xbada3a1b55fd620b4f1886b0fda795521b2b9a46ddc72a81858f37acb173292d483bb7e7d37f416d4ede3f844ececd29e4427176b222571801cdf82797e32083', '0xfc557ea0fdbf5efbc7806ed6e2faea7f44e4850d7c2cc26ccf14a80e0f1c1e44cdf9b5fde22f6b00c5c037abbcab750ee50baa4a03685bfc95b1b70b0880d289', NULL, NULL, NULL, NULL, NULL, 1, 0, NULL, 'ec2bf4b3ad834f36900c6746df55606e', '2026-06-01 00:02:06+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, 'staking_payout_sent/scheduled__era-652319__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (11, 'lost', 'chain of lost', 652319, 0, 'UNKNOWN', 3, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '0', '0', '100000000000000000', '0xce4188c5d2aa59750b4eb4504f1319f79d7e8c64c299fa949f353b6374410b481aa9e7524b2587b84403e228a95333854c118ecc6a9a06d98bb2cc8773aeb884', '0x02d459f3ebba1e63b8a1c52226c9b3227b71a856bda930fdac62cd3e50d15236c7323600c730001f369ef0210433a4eedd6d5fada19af227ecfc37be51304489', NULL, NULL, NULL, NULL, 'proxyPayoutstakers: reset', 1, 1, '2026-06-01 00:00:00+00', NULL, NULL, '2026-06-01 00:00:00+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:00+00', NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, 'staking_payout_lost/scheduled__era-652319__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (12, 'unanswered', 'chain of unanswered', 652318, 0, 'CONFIRMED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '0', '0', '100000000000000000', '0x109d11f8ddc3a88f054f84970293a2f18968ebb398bfdac04ba83210dd5cac07c94a77c9b13f86b582e0671df1b8203e09a84f414290dcf7c5c6d572ea2ec18d', '0x0632b621e81242508285c276c3151b9caba988236953882ad439c8cad9b2a1309fb7d91fddc2ac809dff127e642b450da316f1df6f4b2eea1bdfa60c300afa8f', '6ad431c9-be94-4b50-8dcd-b777b2ddfb93', '0xd452f9ce244f9b1b1dce3bd0ded47094d31491e021838f102f14950665c3561c', '13046402', 'request_state', NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', 'staking_payout_unanswered/scheduled__era-652318__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 0, 'staking_payout_unanswered/scheduled__era-652318__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (13, 'unanswered', 'chain of unanswered', 652319, 0, 'UNKNOWN', 3, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '1', '1', '100000000000000000', '0x0a0da16ef7ac525a9a9c3e3dd6a270bf998382f333e5b5ec1486038198e8020e4092ac575f96090261c07533e60694546e8115523aab6791a6a07807aed58a83', '0x64dd6af72598c12a804acd2562655343c318b6b990014525be604ce550daa9577308a4dff68f8133ec69a7d9b1abe7ec473c35a4e2ebf0ecd3da6da625d5608a', NULL, NULL, NULL, NULL, 'proxyPayoutstakers: reset', 1, 1, '2026-06-01 00:00:06+00', NULL, NULL, '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, 'staking_payout_unanswered/scheduled__era-652319__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (14, 'quiet', 'chain of quiet', 652315, 0, 'CONFIRMED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '0', '0', '100000000000000000', '0xd05f3dfad92e519919dcd6640fabca8578b51999d073c4676dd3f5e9e68fb6635681db84f63a2fb8345a92879facc5476545a814155b4e0817595dd0f48df08a', '0x6e8909b9baf69c18db017e19f5e953d5d58c412cc6d08c56681a41966a7037795820b3dc10718664053f4a819fecd64b71ea924e5b8f0d1f655f03c661a95e88', '2f74dc47-7e81-440f-91bc-5c05882d68a8', '0x404b1274f69a37cd8cb3494b1443db0314ceb55a47536d033f33042bc2e5883b', '13046402', 'request_state', NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', 'staking_payout_quiet/scheduled__era-652315__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 0, 'staking_payout_quiet/scheduled__era-652315__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (15, 'quiet', 'chain of quiet', 652316, 0, 'HELD', 2, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'the fee is 100000000000000000 planck, more than max_fee_per_payout 1 planck', 0, 0, NULL, NULL, NULL, '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', NULL, NULL, NULL, NULL, 'fee', false, false, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, NULL, NULL, 0, NULL, NULL);
INSERT INTO payouts VALUES (17, 'quiet', 'chain of quiet', 652318, 0, 'PLANNED', 3, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '1', '1', '25000000000000', '0x4e48d5d63fbdb97da7f0f88193fcbcef4c986b73bac3663e4eaddbb76d19260e8514dfd92af43cbd5e517972ba65381b8e3b363795ba81aa6a298f81ad431089', '0xd2d4747275f8ee7f07e270e7866f8daf053341f9c44ae0c1a3b696c6a06539529897f0f6acdd0a3d82f2b48b52729b20ea9554241a904ec9cead6ee71db39785', NULL, NULL, NULL, NULL, 'proxyPayoutstakers: no connection', 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, 'staking_payout_quiet/scheduled__era-652318__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (18, 'quiet', 'chain of quiet', 652319, 0, 'HELD', 2, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'the election window is open', 0, 0, NULL, NULL, NULL, '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', NULL, NULL, NULL, NULL, 'window', false, false, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, NULL, NULL, 0, NULL, NULL);
INSERT INTO payouts VALUES (16, 'quiet', 'chain of quiet', 652317, 0, 'REJECTED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '1', '1', '100000000000000000', '0xb207cb55a255de1e2046ef5a270ec69c4182d0b21167c72632ca3c80c558ea5159ad7ebaaa21bfbb1c887c165c7f8e2a565040473525d47a72879d63f5757e8c', '0x383d51dcb9e609055bef2f9937214d6e812964b046638337cb9df4ec25102913a5f0e9262cb5174f174d8b855afb8902cbc0972c665cd1d6e7692a814364948b', NULL, NULL, NULL, NULL, 'the payment nonce has moved, and the staking nonce has not; a fee was charged', 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:06+00', '2026-06-01 00:00:07+00', '2026-06-01 00:00:06+00', NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 1, 'staking_payout_quiet/scheduled__era-652317__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (19, 'batches', 'chain of batches', 652319, 0, 'CONFIRMED', 4, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '0', '0', '100000000000000000', '0x30f6e5c48d49963b1046f5b21a870e929c0ee63d639eb52594a03359c900d6375eaedcff79fb44a2b5bdb68bb8059ebcaf884f2a1073fabb03bab5f2f9790a85', '0x960c44a64f539be0cf15753858cce53b04bea52257876fbd3e726439e7d3d5048a47b9c5f080ee075a81f37fe4cdd6dd45042f5c6edf7dcb4f5625e445d5ad8a', 'c19c9550-95c6-4800-8a31-ddf0ae53edac', '0x4463498489a3954800e20b2437598c543eaa59ce8100e46c43ad4f52d63617ef', '13046402', 'request_state', NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:00+00', '2026-06-01 00:00:06+00', 'staking_payout_batches/scheduled__era-652319__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, true, true, 0, 'staking_payout_batches/scheduled__era-652319__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO payouts VALUES (20, 'batches', 'chain of batches', 652319, 1, 'EMPTY', 3, '0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d', '0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22', '0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48', '1', '1', '100000000000000000', '0xf8f07c58c91151de70a112ee3285376fde52ff16dd83f2cf8a2df48062401261c6bcafd90222c8adb2f5900a02a13e45e4dae0b38fa5c26c542a36bbfe55948b', '0x6896a47a31e1b988d8115e23db51a09287f8ff1e1d9be3c489df45b2188fc1503d285e0eac489340242f21a4e584f6b6240ac5adfad972ac7d63db0ef3fa9c8a', NULL, NULL, NULL, NULL, NULL, 1, 0, NULL, NULL, NULL, '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', '2026-06-01 00:00:06+00', NULL, NULL, 'staking_payout_batches/scheduled__era-652319__0a1b2c3d#1', NULL, false, false, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, 'staking_payout_batches/scheduled__era-652319__0a1b2c3d', 1, 1, NULL, NULL);
INSERT INTO staking_ledger_version VALUES ('0007');
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
INSERT INTO task_failures VALUES ('quiet', 'era:652319', 'signer', 'the signer is gone', '2026-06-01 00:00:07+00', 'run');
INSERT INTO task_failures VALUES ('quiet', 'catch_up', 'signer', 'the signer is gone', '2026-06-01 00:00:07+00', 'run');
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
ALTER TABLE ONLY staking_ledger_version
    ADD CONSTRAINT staking_ledger_version_pkc PRIMARY KEY (version_num);
ALTER TABLE ONLY staking_statuses
    ADD CONSTRAINT staking_statuses_pkey PRIMARY KEY (network, era, account_key);
ALTER TABLE ONLY task_failures
    ADD CONSTRAINT task_failures_pkey PRIMARY KEY (network, subject);
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
