BEGIN TRANSACTION;
CREATE TABLE account_rewards (
	network VARCHAR(250) NOT NULL, 
	era BIGINT NOT NULL, 
	account_key VARCHAR(66) NOT NULL, 
	address VARCHAR(66) NOT NULL, 
	amount VARCHAR(39) NOT NULL, 
	source VARCHAR(16) NOT NULL, 
	block_number VARCHAR(39), 
	noted_at DATETIME NOT NULL, 
	run TEXT NOT NULL, 
	PRIMARY KEY (network, era, account_key)
)
 WITHOUT ROWID

;
INSERT INTO "account_rewards" VALUES('quiet',652315,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY','340282366920938463463374607431768211455','events','7','2026-06-01 00:00:00.000000','run#1');
CREATE TABLE "account_statuses" (
	network VARCHAR(250) NOT NULL, 
	era BIGINT NOT NULL, 
	account_key VARCHAR(66) NOT NULL, 
	address VARCHAR(66) NOT NULL, 
	status VARCHAR(16) NOT NULL, 
	checked_at DATETIME NOT NULL, 
	PRIMARY KEY (network, era, account_key)
)
 WITHOUT ROWID

;
INSERT INTO "account_statuses" VALUES('accepted',652317,'0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty','isNotStaking','2026-06-01 00:00:06.000000');
INSERT INTO "account_statuses" VALUES('accepted',652317,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY','isStaking','2026-06-01 00:00:06.000000');
INSERT INTO "account_statuses" VALUES('accepted',652318,'0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty','isNotStaking','2026-06-01 00:00:12.000000');
INSERT INTO "account_statuses" VALUES('accepted',652318,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY','isStaking','2026-06-01 00:00:12.000000');
INSERT INTO "account_statuses" VALUES('batches',652319,'0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty','isNotStaking','2026-06-01 00:00:06.000000');
INSERT INTO "account_statuses" VALUES('batches',652319,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY','isStaking','2026-06-01 00:00:06.000000');
INSERT INTO "account_statuses" VALUES('executed',652317,'0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty','isNotStaking','2026-06-01 00:00:06.000000');
INSERT INTO "account_statuses" VALUES('executed',652317,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY','isStaking','2026-06-01 00:00:06.000000');
INSERT INTO "account_statuses" VALUES('executed',652318,'0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty','isNotStaking','2026-06-01 00:00:12.000000');
INSERT INTO "account_statuses" VALUES('executed',652318,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY','isStaking','2026-06-01 00:00:12.000000');
INSERT INTO "account_statuses" VALUES('quiet',652315,'0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty','isNotStaking','2026-06-01 00:00:06.000000');
INSERT INTO "account_statuses" VALUES('quiet',652315,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY','isStaking','2026-06-01 00:00:06.000000');
INSERT INTO "account_statuses" VALUES('sent',652318,'0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty','isNotStaking','2026-06-01 00:00:06.000000');
INSERT INTO "account_statuses" VALUES('sent',652318,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY','isStaking','2026-06-01 00:00:06.000000');
INSERT INTO "account_statuses" VALUES('signed',652318,'0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty','isNotStaking','2026-06-01 00:00:06.000000');
INSERT INTO "account_statuses" VALUES('signed',652318,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY','isStaking','2026-06-01 00:00:06.000000');
INSERT INTO "account_statuses" VALUES('unanswered',652318,'0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty','isNotStaking','2026-06-01 00:00:06.000000');
INSERT INTO "account_statuses" VALUES('unanswered',652318,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY','isStaking','2026-06-01 00:00:06.000000');
CREATE TABLE alert_messages (
	id VARCHAR(32) NOT NULL, 
	network VARCHAR(250) NOT NULL, 
	phase VARCHAR(8) NOT NULL, 
	kind VARCHAR(32) NOT NULL, 
	severity VARCHAR(16) NOT NULL, 
	conditions JSON NOT NULL, 
	made_at DATETIME NOT NULL, 
	run TEXT NOT NULL, 
	received JSON NOT NULL, 
	version INTEGER NOT NULL, 
	claimed_until DATETIME, 
	sent_at DATETIME, total INTEGER, 
	PRIMARY KEY (id)
)
 WITHOUT ROWID

;
INSERT INTO "alert_messages" VALUES('4e0686a2b65540e0a3350c32959f6364','quiet','raised','not_paid','warning','[{"topic": "era:652315", "kind": "not_paid", "severity": "warning", "subject": "Era 652315", "era": 652315, "cause": "the fee is too high", "next_step": "Raise the ceiling", "runbook": "unpaid"}]','2026-06-01 00:00:06.000000','staking_payout_quiet/alerts#1','[]',2,'2026-06-01 00:00:36.000000',NULL,1);
INSERT INTO "alert_messages" VALUES('5229eea4f94c41279382f52f6dbb5abd','quiet','raised','held','warning','[{"topic": "era:652316", "kind": "held", "severity": "warning", "subject": "Era 652316", "era": 652316, "cause": "the fee is too high", "next_step": "Raise the ceiling", "runbook": "held_fee"}]','2026-06-01 00:00:06.000000','staking_payout_quiet/alerts#1','["operator"]',4,NULL,'2026-06-01 00:00:06.000000',1);
INSERT INTO "alert_messages" VALUES('b28cfb68b70442509d51b040e9ed2389','quiet','cleared','not_paid','info','[{"topic": "era:652315", "kind": "not_paid", "severity": "info", "subject": "Era 652315", "era": 652315, "cause": "Era 652315 is paid", "next_step": ""}]','2026-06-01 00:00:07.000000','staking_payout_quiet/alerts#1','[]',1,NULL,NULL,1);
CREATE TABLE alerts (
	network VARCHAR(250) NOT NULL, 
	topic VARCHAR(128) NOT NULL, 
	state VARCHAR(8) NOT NULL, 
	kind VARCHAR(32) NOT NULL, 
	rank INTEGER NOT NULL, 
	era BIGINT, 
	subject TEXT NOT NULL, 
	cause TEXT NOT NULL, 
	version INTEGER NOT NULL, 
	raised_at DATETIME NOT NULL, 
	absent_since DATETIME, 
	changed_at DATETIME NOT NULL, 
	run TEXT NOT NULL, 
	PRIMARY KEY (network, topic)
)
 WITHOUT ROWID

;
INSERT INTO "alerts" VALUES('quiet','era:652315','over','not_paid',1,652315,'Era 652315','the fee is too high',2,'2026-06-01 00:00:06.000000',NULL,'2026-06-01 00:00:07.000000','staking_payout_quiet/alerts#1');
INSERT INTO "alerts" VALUES('quiet','era:652316','open','held',2,652316,'Era 652316','the fee is too high',1,'2026-06-01 00:00:06.000000',NULL,'2026-06-01 00:00:06.000000','staking_payout_quiet/alerts#1');
CREATE TABLE calendar_anchors (
	network VARCHAR(250) NOT NULL, 
	era BIGINT NOT NULL, 
	start DATETIME NOT NULL, 
	length_microseconds BIGINT NOT NULL, 
	noted_at DATETIME NOT NULL, 
	run TEXT NOT NULL, 
	PRIMARY KEY (network, era)
)
 WITHOUT ROWID

;
INSERT INTO "calendar_anchors" VALUES('quiet',652309,'2026-06-01 00:00:00.000000',20000000,'2026-06-01 00:00:06.000000','staking_catch_up_quiet/manual__1#1');
INSERT INTO "calendar_anchors" VALUES('quiet',652319,'2026-06-01 00:03:20.000000',20250000,'2026-06-01 00:00:06.000000','staking_catch_up_quiet/manual__1#1');
CREATE TABLE catch_up_plans (
	network VARCHAR(250) NOT NULL, 
	hash VARCHAR(64) NOT NULL, 
	body JSON NOT NULL, 
	made_at DATETIME NOT NULL, 
	run TEXT NOT NULL, 
	PRIMARY KEY (network, hash)
)
 WITHOUT ROWID

;
INSERT INTO "catch_up_plans" VALUES('quiet','8fb0eebaddc243e2','{"network": "quiet", "terms": {"chain": "chain of quiet", "relayer": "5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty", "user": "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY", "payer": "5FLSigC9HGRKVhB9FiEo4Y3koPsNmBmLJbpXg2mp1hXcS59Y", "parts": 1, "history_depth": 84}, "fee": "25000000000000", "pay": [{"era": 652236, "why": "never attempted", "expires_at_era": 652321, "eras_left": 1, "expiry_warning": 95}, {"era": 652237, "why": "never attempted", "expires_at_era": 652322, "eras_left": 2, "expiry_warning": 95}, {"era": 652238, "why": "never attempted", "expires_at_era": 652323, "eras_left": 3, "expiry_warning": 95}, {"era": 652239, "why": "never attempted", "expires_at_era": 652324, "eras_left": 4, "expiry_warning": 95}, {"era": 652240, "why": "never attempted", "expires_at_era": 652325, "eras_left": 5, "expiry_warning": 95}, {"era": 652241, "why": "never attempted", "expires_at_era": 652326, "eras_left": 6, "expiry_warning": 80}, {"era": 652242, "why": "never attempted", "expires_at_era": 652327, "eras_left": 7, "expiry_warning": 80}, {"era": 652243, "why": "never attempted", "expires_at_era": 652328, "eras_left": 8, "expiry_warning": 80}, {"era": 652244, "why": "never attempted", "expires_at_era": 652329, "eras_left": 9, "expiry_warning": 80}, {"era": 652245, "why": "never attempted", "expires_at_era": 652330, "eras_left": 10, "expiry_warning": 80}, {"era": 652246, "why": "never attempted", "expires_at_era": 652331, "eras_left": 11, "expiry_warning": 80}, {"era": 652247, "why": "never attempted", "expires_at_era": 652332, "eras_left": 12, "expiry_warning": 80}, {"era": 652248, "why": "never attempted", "expires_at_era": 652333, "eras_left": 13, "expiry_warning": 80}, {"era": 652249, "why": "never attempted", "expires_at_era": 652334, "eras_left": 14, "expiry_warning": 80}, {"era": 652250, "why": "never attempted", "expires_at_era": 652335, "eras_left": 15, "expiry_warning": 80}, {"era": 652251, "why": "never attempted", "expires_at_era": 652336, "eras_left": 16, "expiry_warning": 80}, {"era": 652252, "why": "never attempted", "expires_at_era": 652337, "eras_left": 17, "expiry_warning": 80}, {"era": 652253, "why": "never attempted", "expires_at_era": 652338, "eras_left": 18, "expiry_warning": 50}, {"era": 652254, "why": "never attempted", "expires_at_era": 652339, "eras_left": 19, "expiry_warning": 50}, {"era": 652255, "why": "never attempted", "expires_at_era": 652340, "eras_left": 20, "expiry_warning": 50}, {"era": 652256, "why": "never attempted", "expires_at_era": 652341, "eras_left": 21, "expiry_warning": 50}, {"era": 652257, "why": "never attempted", "expires_at_era": 652342, "eras_left": 22, "expiry_warning": 50}, {"era": 652258, "why": "never attempted", "expires_at_era": 652343, "eras_left": 23, "expiry_warning": 50}, {"era": 652259, "why": "never attempted", "expires_at_era": 652344, "eras_left": 24, "expiry_warning": 50}, {"era": 652260, "why": "never attempted", "expires_at_era": 652345, "eras_left": 25, "expiry_warning": 50}, {"era": 652261, "why": "never attempted", "expires_at_era": 652346, "eras_left": 26, "expiry_warning": 50}, {"era": 652262, "why": "never attempted", "expires_at_era": 652347, "eras_left": 27, "expiry_warning": 50}, {"era": 652263, "why": "never attempted", "expires_at_era": 652348, "eras_left": 28, "expiry_warning": 50}, {"era": 652264, "why": "never attempted", "expires_at_era": 652349, "eras_left": 29, "expiry_warning": 50}, {"era": 652265, "why": "never attempted", "expires_at_era": 652350, "eras_left": 30, "expiry_warning": 50}, {"era": 652266, "why": "never attempted", "expires_at_era": 652351, "eras_left": 31, "expiry_warning": 50}, {"era": 652267, "why": "never attempted", "expires_at_era": 652352, "eras_left": 32, "expiry_warning": 50}, {"era": 652268, "why": "never attempted", "expires_at_era": 652353, "eras_left": 33, "expiry_warning": 50}, {"era": 652269, "why": "never attempted", "expires_at_era": 652354, "eras_left": 34, "expiry_warning": 50}, {"era": 652270, "why": "never attempted", "expires_at_era": 652355, "eras_left": 35, "expiry_warning": 50}, {"era": 652271, "why": "never attempted", "expires_at_era": 652356, "eras_left": 36, "expiry_warning": 50}, {"era": 652272, "why": "never attempted", "expires_at_era": 652357, "eras_left": 37, "expiry_warning": 50}, {"era": 652273, "why": "never attempted", "expires_at_era": 652358, "eras_left": 38, "expiry_warning": 50}, {"era": 652274, "why": "never attempted", "expires_at_era": 652359, "eras_left": 39, "expiry_warning": 50}, {"era": 652275, "why": "never attempted", "expires_at_era": 652360, "eras_left": 40, "expiry_warning": 50}, {"era": 652276, "why": "never attempted", "expires_at_era": 652361, "eras_left": 41, "expiry_warning": 50}, {"era": 652277, "why": "never attempted", "expires_at_era": 652362, "eras_left": 42, "expiry_warning": 50}, {"era": 652278, "why": "never attempted", "expires_at_era": 652363, "eras_left": 43, "expiry_warning": 50}, {"era": 652279, "why": "never attempted", "expires_at_era": 652364, "eras_left": 44, "expiry_warning": null}, {"era": 652280, "why": "never attempted", "expires_at_era": 652365, "eras_left": 45, "expiry_warning": null}, {"era": 652281, "why": "never attempted", "expires_at_era": 652366, "eras_left": 46, "expiry_warning": null}, {"era": 652282, "why": "never attempted", "expires_at_era": 652367, "eras_left": 47, "expiry_warning": null}, {"era": 652283, "why": "never attempted", "expires_at_era": 652368, "eras_left": 48, "expiry_warning": null}, {"era": 652284, "why": "never attempted", "expires_at_era": 652369, "eras_left": 49, "expiry_warning": null}, {"era": 652285, "why": "never attempted", "expires_at_era": 652370, "eras_left": 50, "expiry_warning": null}, {"era": 652286, "why": "never attempted", "expires_at_era": 652371, "eras_left": 51, "expiry_warning": null}, {"era": 652287, "why": "never attempted", "expires_at_era": 652372, "eras_left": 52, "expiry_warning": null}, {"era": 652288, "why": "never attempted", "expires_at_era": 652373, "eras_left": 53, "expiry_warning": null}, {"era": 652289, "why": "never attempted", "expires_at_era": 652374, "eras_left": 54, "expiry_warning": null}, {"era": 652290, "why": "never attempted", "expires_at_era": 652375, "eras_left": 55, "expiry_warning": null}, {"era": 652291, "why": "never attempted", "expires_at_era": 652376, "eras_left": 56, "expiry_warning": null}, {"era": 652292, "why": "never attempted", "expires_at_era": 652377, "eras_left": 57, "expiry_warning": null}, {"era": 652293, "why": "never attempted", "expires_at_era": 652378, "eras_left": 58, "expiry_warning": null}, {"era": 652294, "why": "never attempted", "expires_at_era": 652379, "eras_left": 59, "expiry_warning": null}, {"era": 652295, "why": "never attempted", "expires_at_era": 652380, "eras_left": 60, "expiry_warning": null}, {"era": 652296, "why": "never attempted", "expires_at_era": 652381, "eras_left": 61, "expiry_warning": null}, {"era": 652297, "why": "never attempted", "expires_at_era": 652382, "eras_left": 62, "expiry_warning": null}, {"era": 652298, "why": "never attempted", "expires_at_era": 652383, "eras_left": 63, "expiry_warning": null}, {"era": 652299, "why": "never attempted", "expires_at_era": 652384, "eras_left": 64, "expiry_warning": null}, {"era": 652300, "why": "never attempted", "expires_at_era": 652385, "eras_left": 65, "expiry_warning": null}, {"era": 652301, "why": "never attempted", "expires_at_era": 652386, "eras_left": 66, "expiry_warning": null}, {"era": 652302, "why": "never attempted", "expires_at_era": 652387, "eras_left": 67, "expiry_warning": null}, {"era": 652303, "why": "never attempted", "expires_at_era": 652388, "eras_left": 68, "expiry_warning": null}, {"era": 652304, "why": "never attempted", "expires_at_era": 652389, "eras_left": 69, "expiry_warning": null}, {"era": 652305, "why": "never attempted", "expires_at_era": 652390, "eras_left": 70, "expiry_warning": null}, {"era": 652306, "why": "never attempted", "expires_at_era": 652391, "eras_left": 71, "expiry_warning": null}, {"era": 652307, "why": "never attempted", "expires_at_era": 652392, "eras_left": 72, "expiry_warning": null}, {"era": 652308, "why": "never attempted", "expires_at_era": 652393, "eras_left": 73, "expiry_warning": null}, {"era": 652309, "why": "never attempted", "expires_at_era": 652394, "eras_left": 74, "expiry_warning": null}, {"era": 652310, "why": "never attempted", "expires_at_era": 652395, "eras_left": 75, "expiry_warning": null}, {"era": 652311, "why": "never attempted", "expires_at_era": 652396, "eras_left": 76, "expiry_warning": null}, {"era": 652312, "why": "never attempted", "expires_at_era": 652397, "eras_left": 77, "expiry_warning": null}, {"era": 652313, "why": "never attempted", "expires_at_era": 652398, "eras_left": 78, "expiry_warning": null}, {"era": 652314, "why": "never attempted", "expires_at_era": 652399, "eras_left": 79, "expiry_warning": null}, {"era": 652316, "why": "held (HELD): the fee is 100000000000000000 planck, more than max_fee_per_payout 1 planck", "expires_at_era": 652401, "eras_left": 81, "expiry_warning": null}, {"era": 652317, "why": "rejected (REJECTED): proxyPayoutstakers: JSON-RPC error -32600: Invalid Request (invalid fee authorisation: feePaymentSignature is not the payer''s over this user, relayer, proxySignature, a fee of 25000000000000 and payment nonce 1)", "expires_at_era": 652402, "eras_left": 82, "expiry_warning": null}, {"era": 652318, "why": "planned; nothing was sent (PLANNED): proxyPayoutstakers: no connection", "expires_at_era": 652403, "eras_left": 83, "expiry_warning": null}, {"era": 652319, "why": "held (HELD): the election window is open", "expires_at_era": 652404, "eras_left": 84, "expiry_warning": null}], "expired": [], "hash": "8fb0eebaddc243e2", "active_era": 652320, "paid": [652315], "notes": [], "later": []}','2026-06-01 00:00:06.000000','staking_catch_up_quiet/manual__1#1');
CREATE TABLE era_facts (
	network VARCHAR(250) NOT NULL, 
	era BIGINT NOT NULL, 
	chain VARCHAR(250), 
	ended_at DATETIME, 
	reward VARCHAR(39), 
	reward_source VARCHAR(16), 
	reward_block VARCHAR(39), 
	symbol TEXT, 
	decimals INTEGER, 
	noted_at DATETIME NOT NULL, 
	run TEXT NOT NULL, 
	PRIMARY KEY (network, era)
)
 WITHOUT ROWID

;
INSERT INTO "era_facts" VALUES('quiet',652315,NULL,'2026-06-01 00:00:00.000000','340282366920938463463374607431768211455','storage',NULL,'UNIT',12,'2026-06-01 00:00:00.000000','run#1');
CREATE TABLE era_notices (
	network VARCHAR(250) NOT NULL, 
	era BIGINT NOT NULL, 
	kind VARCHAR(32) NOT NULL, 
	text TEXT NOT NULL, 
	at DATETIME NOT NULL, 
	run TEXT NOT NULL, 
	PRIMARY KEY (network, era, kind)
)
 WITHOUT ROWID

;
INSERT INTO "era_notices" VALUES('quiet',652229,'expired','Era 652229 has expired','2026-06-01 00:00:06.000000','staking_catch_up_quiet/manual__1#1');
CREATE TABLE ledger_identity (
	identity VARCHAR(32) NOT NULL, 
	PRIMARY KEY (identity)
)
 WITHOUT ROWID

;
INSERT INTO "ledger_identity" VALUES('c183956e3c264e13aef2c06743aa5bb3');
CREATE TABLE payout_events (
	id INTEGER NOT NULL, 
	payout_id INTEGER NOT NULL, 
	at DATETIME NOT NULL, 
	from_state VARCHAR(16), 
	to_state VARCHAR(16) NOT NULL, 
	version INTEGER NOT NULL, 
	cause TEXT NOT NULL, 
	run TEXT NOT NULL, 
	try_number INTEGER NOT NULL, 
	PRIMARY KEY (id), 
	CONSTRAINT one_event_per_version UNIQUE (payout_id, version), 
	FOREIGN KEY(payout_id) REFERENCES payouts (id)
);
INSERT INTO "payout_events" VALUES(1,1,'2026-06-01 00:00:00.000000',NULL,'PLANNED',1,'planned','staking_payout_accepted/scheduled__era-652317__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(2,1,'2026-06-01 00:00:00.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 0, payment nonce 0','staking_payout_accepted/scheduled__era-652317__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(3,1,'2026-06-01 00:00:00.000000','SIGNED','SUBMITTED',3,'accepted as faa0d235-d890-42d8-91c8-7b8fd5de9108','staking_payout_accepted/scheduled__era-652317__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(4,1,'2026-06-01 00:00:06.000000','SUBMITTED','CONFIRMED',4,'request Processed, and the staking nonce moved','staking_payout_accepted/scheduled__era-652317__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(5,2,'2026-06-01 00:00:06.000000',NULL,'PLANNED',1,'planned','staking_payout_accepted/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(6,2,'2026-06-01 00:00:06.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 1, payment nonce 1','staking_payout_accepted/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(7,2,'2026-06-01 00:00:06.000000','SIGNED','SUBMITTED',3,'accepted as 4e3bcfef-846d-4ad6-9499-641a5c599b90','staking_payout_accepted/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(8,2,'2026-06-01 00:00:12.000000','SUBMITTED','CONFIRMED',4,'request Processed, and the staking nonce moved','staking_payout_accepted/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(9,3,'2026-06-01 00:00:12.000000',NULL,'PLANNED',1,'planned','staking_payout_accepted/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(10,3,'2026-06-01 00:00:12.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 2, payment nonce 2','staking_payout_accepted/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(11,3,'2026-06-01 00:00:12.000000','SIGNED','SUBMITTED',3,'accepted as ef45e6a3-8d03-4477-9304-708a8ec1fd30','staking_payout_accepted/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(12,4,'2026-06-01 00:00:00.000000',NULL,'PLANNED',1,'planned','staking_payout_executed/scheduled__era-652317__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(13,4,'2026-06-01 00:00:00.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 0, payment nonce 0','staking_payout_executed/scheduled__era-652317__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(14,4,'2026-06-01 00:00:00.000000','SIGNED','SUBMITTED',3,'accepted as 122c279e-c579-4154-bb7b-659d6cb4384a','staking_payout_executed/scheduled__era-652317__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(15,4,'2026-06-01 00:00:06.000000','SUBMITTED','CONFIRMED',4,'request Processed, and the staking nonce moved','staking_payout_executed/scheduled__era-652317__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(16,5,'2026-06-01 00:00:06.000000',NULL,'PLANNED',1,'planned','staking_payout_executed/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(17,5,'2026-06-01 00:00:06.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 1, payment nonce 1','staking_payout_executed/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(18,5,'2026-06-01 00:00:06.000000','SIGNED','SUBMITTED',3,'accepted as e0df4c7a-a3d6-4e08-b3c1-ac03b1e9e8e7','staking_payout_executed/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(19,5,'2026-06-01 00:00:12.000000','SUBMITTED','CONFIRMED',4,'request Processed, and the staking nonce moved','staking_payout_executed/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(20,6,'2026-06-01 00:00:12.000000',NULL,'PLANNED',1,'planned','staking_payout_executed/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(21,6,'2026-06-01 00:00:12.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 2, payment nonce 2','staking_payout_executed/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(22,6,'2026-06-01 00:00:12.000000','SIGNED','SUBMITTED',3,'accepted as bc786a8f-38bf-4df3-a1f3-451a11339469','staking_payout_executed/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(23,7,'2026-06-01 00:00:00.000000',NULL,'PLANNED',1,'planned','staking_payout_signed/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(24,7,'2026-06-01 00:00:00.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 0, payment nonce 0','staking_payout_signed/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(25,7,'2026-06-01 00:00:00.000000','SIGNED','SUBMITTED',3,'accepted as 7ba21e2f-c69b-4fb6-b49e-7e096e6ee5f1','staking_payout_signed/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(26,7,'2026-06-01 00:00:06.000000','SUBMITTED','CONFIRMED',4,'request Processed, and the staking nonce moved','staking_payout_signed/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(27,8,'2026-06-01 00:00:06.000000',NULL,'PLANNED',1,'planned','staking_payout_signed/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(28,8,'2026-06-01 00:00:06.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 1, payment nonce 1','staking_payout_signed/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(29,9,'2026-06-01 00:00:00.000000',NULL,'PLANNED',1,'planned','staking_payout_sent/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(30,9,'2026-06-01 00:00:00.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 0, payment nonce 0','staking_payout_sent/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(31,9,'2026-06-01 00:00:00.000000','SIGNED','SUBMITTED',3,'accepted as c9278545-eb07-40de-8089-db2f6c203489','staking_payout_sent/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(32,9,'2026-06-01 00:00:06.000000','SUBMITTED','CONFIRMED',4,'request Processed, and the staking nonce moved','staking_payout_sent/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(33,10,'2026-06-01 00:00:06.000000',NULL,'PLANNED',1,'planned','staking_payout_sent/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(34,10,'2026-06-01 00:00:06.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 1, payment nonce 1','staking_payout_sent/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(35,11,'2026-06-01 00:00:00.000000',NULL,'PLANNED',1,'planned','staking_payout_lost/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(36,11,'2026-06-01 00:00:00.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 0, payment nonce 0','staking_payout_lost/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(37,11,'2026-06-01 00:00:00.000000','SIGNED','UNKNOWN',3,'sent, no usable answer: proxyPayoutstakers: reset','staking_payout_lost/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(38,12,'2026-06-01 00:00:00.000000',NULL,'PLANNED',1,'planned','staking_payout_unanswered/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(39,12,'2026-06-01 00:00:00.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 0, payment nonce 0','staking_payout_unanswered/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(40,12,'2026-06-01 00:00:00.000000','SIGNED','SUBMITTED',3,'accepted as 32143a62-60bb-4b33-89a0-ae167a5597c5','staking_payout_unanswered/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(41,12,'2026-06-01 00:00:06.000000','SUBMITTED','CONFIRMED',4,'request Processed, and the staking nonce moved','staking_payout_unanswered/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(42,13,'2026-06-01 00:00:06.000000',NULL,'PLANNED',1,'planned','staking_payout_unanswered/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(43,13,'2026-06-01 00:00:06.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 1, payment nonce 1','staking_payout_unanswered/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(44,13,'2026-06-01 00:00:06.000000','SIGNED','UNKNOWN',3,'sent, no usable answer: proxyPayoutstakers: reset','staking_payout_unanswered/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(45,14,'2026-06-01 00:00:00.000000',NULL,'PLANNED',1,'planned','staking_payout_quiet/scheduled__era-652315__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(46,14,'2026-06-01 00:00:00.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 0, payment nonce 0','staking_payout_quiet/scheduled__era-652315__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(47,14,'2026-06-01 00:00:00.000000','SIGNED','SUBMITTED',3,'accepted as 03bed3ab-a8b5-43b0-81a0-c2d013e07d59','staking_payout_quiet/scheduled__era-652315__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(48,14,'2026-06-01 00:00:06.000000','SUBMITTED','CONFIRMED',4,'request Processed, and the staking nonce moved','staking_payout_quiet/scheduled__era-652315__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(49,15,'2026-06-01 00:00:06.000000',NULL,'PLANNED',1,'planned','staking_payout_quiet/scheduled__era-652316__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(50,15,'2026-06-01 00:00:06.000000','PLANNED','HELD',2,'the fee is 100000000000000000 planck, more than max_fee_per_payout 1 planck','staking_payout_quiet/scheduled__era-652316__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(51,16,'2026-06-01 00:00:06.000000',NULL,'PLANNED',1,'planned','staking_payout_quiet/scheduled__era-652317__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(52,16,'2026-06-01 00:00:06.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 1, payment nonce 1','staking_payout_quiet/scheduled__era-652317__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(53,16,'2026-06-01 00:00:06.000000','SIGNED','REJECTED',3,'proxyPayoutstakers: JSON-RPC error -32600: Invalid Request (invalid fee authorisation: feePaymentSignature is not the payer''s over this user, relayer, proxySignature, a fee of 25000000000000 and payment nonce 1)','staking_payout_quiet/scheduled__era-652317__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(54,17,'2026-06-01 00:00:06.000000',NULL,'PLANNED',1,'planned','staking_payout_quiet/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(55,17,'2026-06-01 00:00:06.000000','PLANNED','SIGNED',2,'signed with fee 25000000000000, staking nonce 1, payment nonce 1','staking_payout_quiet/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(56,17,'2026-06-01 00:00:06.000000','SIGNED','PLANNED',3,'proxyPayoutstakers: no connection','staking_payout_quiet/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(57,18,'2026-06-01 00:00:06.000000',NULL,'PLANNED',1,'planned','staking_payout_quiet/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(58,18,'2026-06-01 00:00:06.000000','PLANNED','HELD',2,'the election window is open','staking_payout_quiet/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(59,16,'2026-06-01 00:00:07.000000','REJECTED','REJECTED',4,'the payment nonce has moved, and the staking nonce has not; a fee was charged','staking_payout_quiet/manual__1',1);
INSERT INTO "payout_events" VALUES(60,19,'2026-06-01 00:00:00.000000',NULL,'PLANNED',1,'planned','staking_payout_batches/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(61,19,'2026-06-01 00:00:00.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 0, payment nonce 0','staking_payout_batches/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(62,19,'2026-06-01 00:00:00.000000','SIGNED','SUBMITTED',3,'accepted as 3fedf4a1-4745-46a6-8902-8e6a39754190','staking_payout_batches/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(63,19,'2026-06-01 00:00:06.000000','SUBMITTED','CONFIRMED',4,'request Processed, and the staking nonce moved','staking_payout_batches/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(64,20,'2026-06-01 00:00:06.000000',NULL,'PLANNED',1,'planned','staking_payout_batches/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(65,20,'2026-06-01 00:00:06.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 1, payment nonce 1','staking_payout_batches/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(66,20,'2026-06-01 00:00:06.000000','SIGNED','EMPTY',3,'proxyPayoutstakers: JSON-RPC error -32600: Invalid Request (era 652319 has already been paid out)','staking_payout_batches/scheduled__era-652319__0a1b2c3d',1);
CREATE TABLE payouts (
	id INTEGER NOT NULL, 
	network VARCHAR(250) NOT NULL, 
	chain VARCHAR(250) NOT NULL, 
	era BIGINT NOT NULL, 
	part INTEGER NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	version INTEGER NOT NULL, 
	user_key VARCHAR(66) NOT NULL, 
	payer_key VARCHAR(66) NOT NULL, 
	relayer_key VARCHAR(66) NOT NULL, 
	staking_nonce VARCHAR(39), 
	payment_nonce VARCHAR(39), 
	fee VARCHAR(39), 
	proxy_signature VARCHAR(130), 
	fee_payment_signature VARCHAR(130), 
	request_id VARCHAR(36), 
	tx_hash VARCHAR(66), 
	block_number VARCHAR(39), 
	confirmed_by VARCHAR(32), 
	reason TEXT, 
	plans INTEGER NOT NULL, 
	unanswered INTEGER NOT NULL, 
	unanswered_at DATETIME, 
	lease_owner VARCHAR(64), 
	lease_until DATETIME, 
	created_at DATETIME NOT NULL, 
	updated_at DATETIME NOT NULL, 
	signed_at DATETIME, 
	accepted_at DATETIME, 
	confirmed_at DATETIME, 
	settled_by TEXT, hold VARCHAR(16), copies_out BOOLEAN DEFAULT 0 NOT NULL, refused BOOLEAN DEFAULT 0 NOT NULL, request_status VARCHAR(32), disagree VARCHAR(24), disagree_since DATETIME, over VARCHAR(8), over_since DATETIME, fee_charged BOOLEAN, asked BOOLEAN DEFAULT 1 NOT NULL, wasted INTEGER DEFAULT 0 NOT NULL, signed_by TEXT, signed_try INTEGER, signatures INTEGER DEFAULT 0 NOT NULL, given_up_by TEXT, used_nonce VARCHAR(39), 
	PRIMARY KEY (id), 
	CONSTRAINT one_record_per_part UNIQUE (network, era, part)
);
INSERT INTO "payouts" VALUES(1,'accepted','chain of accepted',652317,0,'CONFIRMED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','0','0','100000000000000000','0xe844c4238188f44118970c4b6621cb49196dbc5084982acf71f3c814a8823260e2b76e3efc8c7d845d722f2f6ad7897fd9178f423f1bc1ff5691456925b6848b','0xe89051ef3111484d4d2bbb4d9049f24a10394161864b9c0acd50c83852838e55fd7ff868022e2a55e41f3c745c2a100a9790d529fab1036ce53cb59d2133768e','faa0d235-d890-42d8-91c8-7b8fd5de9108','0xd01ce8dd12090492ff9cb3a4beaa089dec534cfe67119fd635655eab869945be','13046402','request_state',NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','staking_payout_accepted/scheduled__era-652317__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,0,'staking_payout_accepted/scheduled__era-652317__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(2,'accepted','chain of accepted',652318,0,'CONFIRMED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','1','1','100000000000000000','0xa62a4cacd327b449ce50810934bbffb2c5d1999cb1c80405d1c17ccbb740193faa9ec70e1f9263b1e4438598edad3c191ae636775bd06c3f57ef2dfd96dfc383','0x94c2364d64d560ee1950d1aea1142c706183baee89587c484310dc5c195d2e403645e6d6828e47de300f2e196c861ab4c80d284c62c86a7e2f8114ec1bd3428d','4e3bcfef-846d-4ad6-9499-641a5c599b90','0xfa15d6bad8c1e1182714d08bd7336e3c7628cc1348cdfd1e48e5868cf6c5ba00','13046408','request_state',NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:06.000000','2026-06-01 00:00:12.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:12.000000','staking_payout_accepted/scheduled__era-652318__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,0,'staking_payout_accepted/scheduled__era-652318__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(3,'accepted','chain of accepted',652319,0,'SUBMITTED',3,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','2','2','100000000000000000','0x747f64c76ed345a1293b7dc0a35122b19d9593c24f09831132c1e4ab9562f839ea0414e04fc3ea3f68237f0e726854f85f46bdf05854bdd092fba92157516281','0x8a8f694e4b3178c816702d9cd615584cf1f5dca71be052f5d6805cbab8257e0ba5566dea66d576db124535416942cf451f248c34b49da7519d099e579872d784','ef45e6a3-8d03-4477-9304-708a8ec1fd30',NULL,NULL,NULL,NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:12.000000','2026-06-01 00:00:12.000000','2026-06-01 00:00:12.000000','2026-06-01 00:00:12.000000',NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,NULL,NULL,1,0,'staking_payout_accepted/scheduled__era-652319__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(4,'executed','chain of executed',652317,0,'CONFIRMED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','0','0','100000000000000000','0x2ee262bf779197d1294536aa5a44795de7d98f909845f4293dfd0ca6ca607d58b452bb7d55f702cd4b0ad5ef3c7e29f868559a12cfc3c0176be43592deb10e8a','0x6ac93d5109500a1d258aeafd3576a5b42a30b4f12857f03ff75c2329eaf48331616881c89deb6281d4eb32ac62a40e7c8ec556cdd82fd1ca4ef74ace1103e88b','122c279e-c579-4154-bb7b-659d6cb4384a','0x5ab7a85287903a0f60073df1070fb1ae3d484f0bed924563a4a0be810c2a6fb7','13046402','request_state',NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','staking_payout_executed/scheduled__era-652317__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,0,'staking_payout_executed/scheduled__era-652317__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(5,'executed','chain of executed',652318,0,'CONFIRMED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','1','1','100000000000000000','0xf6812a334df45bbe78f9d4c73ffdf7371ec49f2a0de933fa988fc507e0872b4b7f01418c1da8a5bc93bba82c9a847e2426ea4229ef99b0e7aedd0fcd52246f85','0xa45d15bc8a037aababbe5c3957882a3bc62413ddb1d7828bf0dbf5b05f1fc42d681f7e4a86ff8ab738c505951b220f2779b900148ed35a8b569292bc88210085','e0df4c7a-a3d6-4e08-b3c1-ac03b1e9e8e7','0xd41adc1b7a3b70f1cc29dd77c4624760c8c4f49eb9a312c800e8f1f9a3042889','13046408','request_state',NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:06.000000','2026-06-01 00:00:12.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:12.000000','staking_payout_executed/scheduled__era-652318__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,0,'staking_payout_executed/scheduled__era-652318__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(6,'executed','chain of executed',652319,0,'SUBMITTED',3,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','2','2','100000000000000000','0x466dec2ac222862f344b842efdfc2242c03dab106271c237d16ba0e0b14e7b0a36a0459f3a2c9eb22a82d9cb65099df2279d974f8633dbabc7282e63d2fe9584','0x88383e7b9d09bdd56d7e926c5feb16fb002efa1b662639bb2d77c4855bcce12e191247af5eda18686552f16fc83d628ad57225f7af8c1e305df6bd278698f587','bc786a8f-38bf-4df3-a1f3-451a11339469',NULL,NULL,NULL,NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:12.000000','2026-06-01 00:00:12.000000','2026-06-01 00:00:12.000000','2026-06-01 00:00:12.000000',NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,NULL,NULL,1,0,'staking_payout_executed/scheduled__era-652319__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(7,'signed','chain of signed',652318,0,'CONFIRMED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','0','0','100000000000000000','0x8e3e9fabc8bc06ceb643f7b18d7a6573dfd471fcdf56c81f69194b5f3be74e3b56cb8abb8888f0c24556d73b0dcad472a68c6bb7f9d9d621395655e5f35acc82','0x7033f19ea93144c367f1441d8c2758b51b191c7488aa22c858bf16582aeda87b211d40f48776676441e05442efd71cf47d8d5ba80e3459bcb6d9c5328d84b781','7ba21e2f-c69b-4fb6-b49e-7e096e6ee5f1','0x69c1de46833ee8f3e6395d6082a8505691ca4441a1682178132116a9c1d20e69','13046402','request_state',NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','staking_payout_signed/scheduled__era-652318__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,0,'staking_payout_signed/scheduled__era-652318__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(8,'signed','chain of signed',652319,0,'SIGNED',2,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','1','1','100000000000000000','0x68b7e80d87f3397ba8a9e605240c3b40a21858f0cdfc8ad4e181f432ef793c169d825da26cf5ef64edef4776b992afa0ca7670238de47a2235be33713de29e80','0xcc7eabb7d404ec9887de6cd110313a9f0b2bc5e4f8fcbd01330abfac0f18cb64e0e0d900f777d31d937e9e0cadb8cfec2ca519175bb97951236417e638e4f482',NULL,NULL,NULL,NULL,NULL,1,0,NULL,'1f4a7e87cad049589e3d53497b8b7308','2026-06-01 00:02:06.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000',NULL,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,NULL,NULL,1,0,'staking_payout_signed/scheduled__era-652319__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(9,'sent','chain of sent',652318,0,'CONFIRMED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','0','0','100000000000000000','0x264876815a1a7fbad0dd48562f1c90d5ddb5cc68868a7ceab73fbaca41822c2cca2872885fc089dbcc026a736e076c370b2c77e86b3e4fc52b620547ffb94b88','0xa0953895fc1344ce16dbf4e16b9907a507c67a18eee965d91ebcb3f28e52b14d8fdab1e193c152f5576260cdd34a31ff50891485b6e577a29b724d9ddd7b7389','c9278545-eb07-40de-8089-db2f6c203489','0x0b156403a3851e6b0a6dee9ad7e1112317ce00501f44edd1ac91378d99d76cba','13046402','request_state',NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','staking_payout_sent/scheduled__era-652318__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,0,'staking_payout_sent/scheduled__era-652318__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(10,'sent','chain of sent',652319,0,'SIGNED',2,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','1','1','100000000000000000','0x5c1edfc40d07db60a6b6905156c1035271617db2c29f037a14d772e62b64f2477d112a3793c9084be42b084f5af85fbcdae81a1956a39757f095543533e41b84','0x6af665ea44714552b067a14380f0769ae2ae705607b36f8bacdd85bdaca30644ab254d6155f812f3fac887e193f1667b650d1196ae9f9628aa1d7a3ad514ae82',NULL,NULL,NULL,NULL,NULL,1,0,NULL,'250a1a982a3a48999b1a4c2aacc69d95','2026-06-01 00:02:06.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000',NULL,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,NULL,NULL,1,0,'staking_payout_sent/scheduled__era-652319__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(11,'lost','chain of lost',652319,0,'UNKNOWN',3,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','0','0','100000000000000000','0x6a5024cb4bdd640e35bfdf3e0a77c432cd8e785cd8cf3aad316e02940784de756640d38970fd8f2fd609d5ffb56cd1a27fc4b28229b2a0fbdd7694ecc36a5781','0x261afd6df7235edc94ff161d4bc3c82021afb41c9cd506147024af34838d150c61095645f8794f69885eed9032b18bfe4783906aeca89738994754aefd076c8d',NULL,NULL,NULL,NULL,'proxyPayoutstakers: reset',1,1,'2026-06-01 00:00:00.000000',NULL,NULL,'2026-06-01 00:00:00.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:00.000000',NULL,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,NULL,NULL,1,0,'staking_payout_lost/scheduled__era-652319__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(12,'unanswered','chain of unanswered',652318,0,'CONFIRMED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','0','0','100000000000000000','0xde9af9798b66bafc79ae2507d5725ad1104752177443186e78ce6e099d81ab33d4f4343d12ee519cebbe05d7fccac770cd97b66248c561fea1f5ff77c9ee5988','0xbc8c21eb28284590602fcf6626e3640dacf33c6fcc4ba0492f37f4a49aee1e517892358fd4fbcc05b8f4a2ae2c98fa573ea4ce9b8907b2243a462e6b71468e8c','32143a62-60bb-4b33-89a0-ae167a5597c5','0x7d8b0f911e323ef5b6ff9b76e33329526536bc2b0377ce79ad94bc1685b8cffa','13046402','request_state',NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','staking_payout_unanswered/scheduled__era-652318__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,0,'staking_payout_unanswered/scheduled__era-652318__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(13,'unanswered','chain of unanswered',652319,0,'UNKNOWN',3,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','1','1','100000000000000000','0x1013c8c6bc0e16625175d318059e7fee10003b6775358d673c63da8b92c136282ab2cf00908f4da27af3107a1e9ad91d2f360b1503b501030240e2221d298c81','0xce89a383a036f77a3da538cde31b14564102c6432eb840578860f5345bf2c8076769177e152b54cd377551ab745f95aff5a51dd985e1d2894e536baa37d4ed8f',NULL,NULL,NULL,NULL,'proxyPayoutstakers: reset',1,1,'2026-06-01 00:00:06.000000',NULL,NULL,'2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000',NULL,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,NULL,NULL,1,0,'staking_payout_unanswered/scheduled__era-652319__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(14,'quiet','chain of quiet',652315,0,'CONFIRMED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','0','0','100000000000000000','0xe004d9cbbbf8f64eaf63f6eb34be304bac8bb57de5908aacaeeb16c48427c9074f9ed9878db46f46566456439ab91c4536d3dc736a2c71f18362cabf13bdb887','0x3cd47c9d94dcc9211a33fec0b6b06a47def23fa3f91bbd634bd6fbec8f881e3c5674c73e0430574941db8b71d275d7baf447acb3e326ab5dbd6f35d72999c786','03bed3ab-a8b5-43b0-81a0-c2d013e07d59','0xa3deec55ee0804946d9ad22c55336b654f882ef4ad5b3828fb31567da5039802','13046402','request_state',NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','staking_payout_quiet/scheduled__era-652315__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,0,'staking_payout_quiet/scheduled__era-652315__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(15,'quiet','chain of quiet',652316,0,'HELD',2,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'the fee is 100000000000000000 planck, more than max_fee_per_payout 1 planck',0,0,NULL,NULL,NULL,'2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000',NULL,NULL,NULL,NULL,'fee',0,0,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,NULL,0,NULL,NULL);
INSERT INTO "payouts" VALUES(16,'quiet','chain of quiet',652317,0,'REJECTED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','1','1','100000000000000000','0x3a605257d94538ed975316b9b4a8b970b62b88bbf04c2dfdf64775923ffbf97cf8beded864aeafa46a37c2947312700e570294770a571b704fc3ef63f40ba48f','0xf222e9d10b5aeec13ba21f60fdbbef4d376537c0cb51a39fb611919c685cb176d849990046093716e8836b27716e4ac84d2c1a2f5987c0516fb99fd85d95cb82',NULL,NULL,NULL,NULL,'the payment nonce has moved, and the staking nonce has not; a fee was charged',1,0,NULL,NULL,NULL,'2026-06-01 00:00:06.000000','2026-06-01 00:00:07.000000','2026-06-01 00:00:06.000000',NULL,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,1,'staking_payout_quiet/scheduled__era-652317__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(17,'quiet','chain of quiet',652318,0,'PLANNED',3,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','1','1','25000000000000','0x62ecc64b432324793383d0b2bbece264de8d08d5972326384a876c8546008770a7ae21891fe4d5d11d672f1fee3879972eb76e78e0d615ab63816cb413092b84','0xe0716446c5d66caaceff370e0ba761aa9eab46793edba63c3eaf65db948a974d92819cb7874a7a8b87eba55482393f7efaf63a5b595cce85009a68093ecc7589',NULL,NULL,NULL,NULL,'proxyPayoutstakers: no connection',1,0,NULL,NULL,NULL,'2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000',NULL,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,NULL,NULL,1,0,'staking_payout_quiet/scheduled__era-652318__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(18,'quiet','chain of quiet',652319,0,'HELD',2,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'the election window is open',0,0,NULL,NULL,NULL,'2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000',NULL,NULL,NULL,NULL,'window',0,0,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,NULL,0,NULL,NULL);
INSERT INTO "payouts" VALUES(19,'batches','chain of batches',652319,0,'CONFIRMED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','0','0','100000000000000000','0x66832e7dacf77a711a4b5aeb4ec1eb74b5d52ebe1af4d10d9e67e7ca69e4482a137e6e36910b9bb26a77e87402ca40328bb0e93cb0660c1d7a45fe1271f18e82','0x208284eda07eb8194dd0b244f446d470f614424fd104022abaed70c6e238611fd3c444dbaf7e2fb253403f021851d2ab04c6c665714e4233ba0d6fdf631f0e8f','3fedf4a1-4745-46a6-8902-8e6a39754190','0x104a4d148d34abffe9e892665be8ceac408f9f46c731c395144e5c2d908745f2','13046402','request_state',NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','staking_payout_batches/scheduled__era-652319__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,0,'staking_payout_batches/scheduled__era-652319__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(20,'batches','chain of batches',652319,1,'EMPTY',3,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','1','1','100000000000000000','0xc898bcc3918e221a6fda03aa5c76a788da1b853d423d0fe9219ec80f0267fd02038893ecd47125b36ca01f594d1405e1e284ca9fe28038a3d4dd3e45729fb285','0x96e7f1957faeae8b53d0a4c619fc1b54c0d15e67b6bf9f5b935f5f6c74079a38ece61fa2129f8da023909ac03e8f6a88e28b1ff25f821bb0167f8be38c5e2a8f',NULL,NULL,NULL,NULL,NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000',NULL,NULL,'staking_payout_batches/scheduled__era-652319__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,NULL,1,0,'staking_payout_batches/scheduled__era-652319__0a1b2c3d',1,1,NULL,NULL);
CREATE TABLE reconciliations (
	network VARCHAR(250) NOT NULL, 
	era BIGINT NOT NULL, 
	subject VARCHAR(16) NOT NULL, 
	agrees BOOLEAN, 
	finding VARCHAR(32) NOT NULL, 
	ledger_says TEXT, 
	gateway_says TEXT, 
	chain_says TEXT, 
	text TEXT NOT NULL, 
	checked_at DATETIME NOT NULL, 
	run TEXT NOT NULL, 
	PRIMARY KEY (network, era, subject)
)
 WITHOUT ROWID

;
INSERT INTO "reconciliations" VALUES('quiet',652315,'execution',0,'unpaid_green',NULL,NULL,NULL,'the chain has no payout','2026-06-01 00:00:00.000000','run#1');
CREATE TABLE staking_ledger_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT staking_ledger_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "staking_ledger_version" VALUES('0009');
CREATE TABLE task_failures (
	network VARCHAR(250) NOT NULL, 
	subject VARCHAR(32) NOT NULL, 
	topic VARCHAR(32) NOT NULL, 
	text TEXT NOT NULL, 
	at DATETIME NOT NULL, 
	run TEXT NOT NULL, 
	PRIMARY KEY (network, subject)
)
 WITHOUT ROWID

;
INSERT INTO "task_failures" VALUES('quiet','catch_up','signer','the signer is gone','2026-06-01 00:00:07.000000','run');
INSERT INTO "task_failures" VALUES('quiet','era:652319','signer','the signer is gone','2026-06-01 00:00:07.000000','run');
CREATE TABLE wasted_fees (
	payout_id INTEGER NOT NULL, 
	payment_nonce VARCHAR(39) NOT NULL, 
	fee VARCHAR(39) NOT NULL, 
	signed_at DATETIME NOT NULL, 
	signed_by TEXT NOT NULL, 
	PRIMARY KEY (payout_id, payment_nonce), 
	FOREIGN KEY(payout_id) REFERENCES payouts (id)
)
 WITHOUT ROWID

;
INSERT INTO "wasted_fees" VALUES(16,'1','100000000000000000','2026-06-01 00:00:06.000000','staking_payout_quiet/scheduled__era-652317__0a1b2c3d');
CREATE UNIQUE INDEX one_payload_per_staking_nonce ON payouts (chain, user_key, staking_nonce) WHERE state IN ('SIGNED', 'SUBMITTED', 'UNKNOWN', 'CONFIRMED') AND (confirmed_by IS NULL OR confirmed_by <> 'none');
CREATE TRIGGER payout_events_are_not_changed BEFORE UPDATE ON payout_events
    BEGIN SELECT RAISE(ABORT, 'payout_events is append-only'); END;
CREATE TRIGGER payout_events_are_not_deleted BEFORE DELETE ON payout_events
    BEGIN SELECT RAISE(ABORT, 'payout_events is append-only'); END;
CREATE TRIGGER payout_events_are_not_replaced BEFORE INSERT ON payout_events
    WHEN EXISTS (SELECT 1 FROM payout_events WHERE id = NEW.id OR payout_id = NEW.payout_id AND version = NEW.version)
    BEGIN SELECT RAISE(ABORT, 'payout_events is append-only'); END;
CREATE TRIGGER payouts_are_not_deleted BEFORE DELETE ON payouts
    BEGIN SELECT RAISE(ABORT, 'payouts are never deleted'); END;
CREATE UNIQUE INDEX one_in_flight_per_user ON payouts (chain, user_key) WHERE state IN ('SIGNED', 'SUBMITTED', 'UNKNOWN') AND staking_nonce IS NOT NULL;
CREATE INDEX payouts_of_network ON payouts (network, id);
CREATE INDEX payouts_in_flight_of_network ON payouts (network, id) WHERE state IN ('SIGNED', 'SUBMITTED', 'UNKNOWN');
CREATE INDEX payouts_in_flight ON payouts (chain) WHERE state IN ('SIGNED', 'SUBMITTED', 'UNKNOWN');
CREATE INDEX payouts_by_request ON payouts (chain, request_id) WHERE request_id IS NOT NULL;
CREATE INDEX payouts_by_signing_time ON payouts (network, signed_at);
CREATE INDEX payouts_by_run ON payouts (network, signed_by);
CREATE INDEX payouts_by_staking_nonce ON payouts (chain, user_key, length(staking_nonce), staking_nonce) WHERE staking_nonce IS NOT NULL;
CREATE INDEX payouts_by_payment_nonce ON payouts (chain, payer_key, length(payment_nonce), payment_nonce) WHERE payment_nonce IS NOT NULL;
CREATE INDEX payouts_by_used_nonce ON payouts (chain, user_key, length(used_nonce), used_nonce) WHERE used_nonce IS NOT NULL;
CREATE INDEX wasted_fees_by_signing_time ON wasted_fees (signed_at);
CREATE INDEX wasted_fees_by_run ON wasted_fees (signed_by);
CREATE INDEX era_notices_by_kind ON era_notices (network, kind, era);
CREATE INDEX open_alerts ON alerts (network, raised_at, topic) WHERE state = 'open';
CREATE INDEX unsent_alert_messages ON alert_messages (network) WHERE sent_at IS NULL;
CREATE INDEX differing_reconciliations ON reconciliations (network, era, subject) WHERE agrees IS FALSE;
CREATE VIEW staking_eras AS SELECT v.network AS network, v.era AS era, chain AS chain, ended_at AS ended_at, state AS state, parts AS parts, confirmed_parts AS confirmed_parts, fee AS fee, CAST(CAST(fee AS TEXT) || 'e-' || (SELECT f.decimals FROM era_facts AS f WHERE f.network = v.network AND f.era = v.era) AS real) AS fee_scaled, reward AS reward, CAST(CAST(reward AS TEXT) || 'e-' || (SELECT f.decimals FROM era_facts AS f WHERE f.network = v.network AND f.era = v.era) AS real) AS reward_scaled, reward_source AS reward_source, reward_block AS reward_block, symbol AS symbol, decimals AS decimals, first_signed_at AS first_signed_at, confirmed_at AS confirmed_at, lag_seconds AS lag_seconds FROM (SELECT e.*,
    CASE WHEN parts > 0 AND (empty > 0 OR confirmed_parts = parts) THEN CASE WHEN confirmed_parts > 0 THEN 'PAID' ELSE 'ALREADY_PAID' END
      WHEN in_flight > 0 THEN 'IN_FLIGHT' WHEN seen_paid > 0 THEN 'ALREADY_PAID' WHEN expired > 0 THEN 'EXPIRED' WHEN held > 0 THEN 'HELD'
      WHEN parts > 0 OR due > 0 THEN 'UNPAID' ELSE 'UNKNOWN' END AS state,
    CASE WHEN parts > 0 AND in_flight = 0 AND fees_unknown = 0 THEN charged END AS fee,
    CASE WHEN confirmed_at >= ended_at AND (empty > 0 OR confirmed_parts = parts) THEN round((julianday(confirmed_at) - julianday(ended_at)) * 86400, 3) END AS lag_seconds
  FROM (SELECT k.network, k.era, f.ended_at, f.reward, f.reward_source, f.reward_block, f.symbol, f.decimals,
    coalesce((SELECT p.chain FROM payouts AS p WHERE p.network = k.network AND p.era = k.era ORDER BY p.part DESC LIMIT 1), f.chain) AS chain,
    (SELECT count(*) FROM payouts AS p WHERE p.network = k.network AND p.era = k.era) AS parts,
    (SELECT count(*) FROM payouts AS p WHERE p.network = k.network AND p.era = k.era AND p.state = 'CONFIRMED') AS confirmed_parts,
    (SELECT count(*) FROM payouts AS p WHERE p.network = k.network AND p.era = k.era AND p.state = 'EMPTY') AS empty,
    (SELECT count(*) FROM payouts AS p WHERE p.network = k.network AND p.era = k.era AND p.state = 'HELD') AS held,
    (SELECT count(*) FROM payouts AS p WHERE p.network = k.network AND p.era = k.era AND p.state IN ('SIGNED', 'SUBMITTED', 'UNKNOWN')) AS in_flight,
    (SELECT count(*) FROM payouts AS p WHERE p.network = k.network AND p.era = k.era AND (p.state = 'CONFIRMED' AND p.fee IS NULL OR p.given_up_by IS NOT NULL
      OR p.wasted > (SELECT count(*) FROM wasted_fees AS w WHERE w.payout_id = p.id))) AS fees_unknown,
    (SELECT count(*) FROM era_notices AS n WHERE n.network = k.network AND n.era = k.era AND kind IN ('expired', 'lost')) AS expired,
    (SELECT count(*) FROM era_notices AS n WHERE n.network = k.network AND n.era = k.era AND substr(kind, 1, 7) = 'expiry_') AS due,
    (SELECT count(*) FROM reconciliations AS r WHERE r.network = k.network AND r.era = k.era AND subject = 'execution' AND chain_says = 'paid') AS seen_paid,
    (SELECT min(s.at) FROM payouts AS p JOIN payout_events AS s ON s.payout_id = p.id
      WHERE p.network = k.network AND p.era = k.era AND s.to_state = 'SIGNED') AS first_signed_at,
    (SELECT max(p.confirmed_at) FROM payouts AS p WHERE p.network = k.network AND p.era = k.era AND p.state = 'CONFIRMED') AS confirmed_at,
    (SELECT coalesce(nullif(ltrim(printf('%d%013d%013d', a + (b + c / 10000000000000) / 10000000000000, (b + c / 10000000000000) % 10000000000000, c % 10000000000000),
    '0'), ''), '0') FROM (SELECT sum(CAST(substr(digits, 1, 13) AS INTEGER)) AS a, sum(CAST(substr(digits, 14, 13) AS INTEGER)) AS b,
    sum(CAST(substr(digits, 27) AS INTEGER)) AS c
    FROM (SELECT substr('000000000000000000000000000000000000000' || fee, -39) AS digits FROM (SELECT p.fee FROM payouts AS p WHERE p.network = k.network AND p.era = k.era AND p.state = 'CONFIRMED'
    UNION ALL SELECT w.fee FROM payouts AS p JOIN wasted_fees AS w ON w.payout_id = p.id AND NOT EXISTS (
    SELECT 1 FROM payouts AS c WHERE c.chain = p.chain AND c.payer_key = p.payer_key AND c.state = 'CONFIRMED'
    AND length(c.payment_nonce) = length(w.payment_nonce) AND c.payment_nonce = w.payment_nonce) WHERE p.network = k.network AND p.era = k.era) AS x) AS y) AS z) AS charged
  FROM (SELECT DISTINCT network, era FROM (SELECT network, era FROM payouts UNION ALL SELECT network, era FROM era_facts
    UNION ALL SELECT network, era FROM reconciliations AS r WHERE subject = 'execution' AND chain_says = 'paid'
    UNION ALL SELECT network, era FROM era_notices WHERE kind IN ('expired', 'lost') OR substr(kind, 1, 7) = 'expiry_') AS a) AS k
  LEFT JOIN era_facts AS f ON f.network = k.network AND f.era = k.era) AS e) AS v;
CREATE VIEW staking_payouts AS SELECT v.network AS network, chain AS chain, v.era AS era, part AS part, state AS state, user_key AS user_key, payer_key AS payer_key, relayer_key AS relayer_key, staking_nonce AS staking_nonce, payment_nonce AS payment_nonce, fee AS signed_fee, CAST(CAST(fee AS TEXT) || 'e-' || (SELECT f.decimals FROM era_facts AS f WHERE f.network = v.network AND f.era = v.era) AS real) AS signed_fee_scaled, CASE WHEN confirmed_at IS NOT NULL THEN fee END AS fee, CAST(CAST(CASE WHEN confirmed_at IS NOT NULL THEN fee END AS TEXT) || 'e-' || (SELECT f.decimals FROM era_facts AS f WHERE f.network = v.network AND f.era = v.era) AS real) AS fee_scaled, request_id AS request_id, tx_hash AS tx_hash, block_number AS block_number, confirmed_by AS confirmed_by, reason AS reason, plans AS plans, unanswered AS unanswered, created_at AS created_at, updated_at AS updated_at, signed_at AS signed_at, accepted_at AS accepted_at, confirmed_at AS confirmed_at, settled_by AS settled_by, hold AS hold, copies_out AS copies_out, refused AS refused, request_status AS request_status, disagree AS disagree, disagree_since AS disagree_since, over AS over, over_since AS over_since, fee_charged AS fee_charged, used_nonce AS used_nonce, asked AS asked, wasted AS wasted, signed_by AS signed_by, signed_try AS signed_try, signatures AS signed_payloads, given_up_by AS given_up_by FROM payouts AS v;
CREATE VIEW staking_fees AS SELECT v.network AS network, v.era AS era, part AS part, payment_nonce AS payment_nonce, fee AS fee, CAST(CAST(fee AS TEXT) || 'e-' || (SELECT f.decimals FROM era_facts AS f WHERE f.network = v.network AND f.era = v.era) AS real) AS fee_scaled, purpose AS purpose, signed_at AS signed_at, signed_by AS signed_by FROM (SELECT network, era, part, payment_nonce, fee, 'payout' AS purpose, signed_at, signed_by FROM payouts
    WHERE state = 'CONFIRMED'
  UNION ALL SELECT p.network, p.era, p.part, w.payment_nonce, w.fee, 'wasted', w.signed_at, w.signed_by FROM payouts AS p JOIN wasted_fees AS w ON w.payout_id = p.id AND NOT EXISTS (
    SELECT 1 FROM payouts AS c WHERE c.chain = p.chain AND c.payer_key = p.payer_key AND c.state = 'CONFIRMED'
    AND length(c.payment_nonce) = length(w.payment_nonce) AND c.payment_nonce = w.payment_nonce)) AS v;
CREATE VIEW staking_rewards AS SELECT v.network AS network, v.era AS era, account_key AS account_key, address AS address, amount AS amount, CAST(CAST(amount AS TEXT) || 'e-' || (SELECT f.decimals FROM era_facts AS f WHERE f.network = v.network AND f.era = v.era) AS real) AS amount_scaled, source AS source, block_number AS block_number, noted_at AS noted_at FROM (SELECT network, era, account_key, address, amount, source, block_number, noted_at FROM account_rewards
  UNION ALL SELECT network, era, NULL, NULL, reward, reward_source, reward_block, noted_at FROM era_facts WHERE reward IS NOT NULL) AS v;
CREATE VIEW staking_statuses AS SELECT v.network AS network, v.era AS era, account_key AS account_key, address AS address, status AS status, checked_at AS checked_at FROM account_statuses AS v;
CREATE VIEW staking_reconciliation AS SELECT v.network AS network, v.era AS era, subject AS subject, agrees AS agrees, finding AS finding, ledger_says AS ledger_says, gateway_says AS gateway_says, chain_says AS chain_says, text AS text, checked_at AS checked_at, run AS run FROM reconciliations AS v;
COMMIT;
