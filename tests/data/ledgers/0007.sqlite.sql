BEGIN TRANSACTION;
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
INSERT INTO "alert_messages" VALUES('92a95db5aad04f88845ce65a60a02cb4','quiet','raised','not_paid','warning','[{"topic": "era:652315", "kind": "not_paid", "severity": "warning", "subject": "Era 652315", "era": 652315, "cause": "the fee is too high", "next_step": "Raise the ceiling", "runbook": "unpaid"}]','2026-06-01 00:00:06.000000','staking_payout_quiet/alerts#1','[]',2,'2026-06-01 00:00:36.000000',NULL,1);
INSERT INTO "alert_messages" VALUES('9a2b482b451d45ac8bfbd578cd32de72','quiet','raised','held','warning','[{"topic": "era:652316", "kind": "held", "severity": "warning", "subject": "Era 652316", "era": 652316, "cause": "the fee is too high", "next_step": "Raise the ceiling", "runbook": "held_fee"}]','2026-06-01 00:00:06.000000','staking_payout_quiet/alerts#1','["operator"]',4,NULL,'2026-06-01 00:00:06.000000',1);
INSERT INTO "alert_messages" VALUES('c00b008cb95a4fdbacf08d1cf47c0980','quiet','cleared','not_paid','info','[{"topic": "era:652315", "kind": "not_paid", "severity": "info", "subject": "Era 652315", "era": 652315, "cause": "Era 652315 is paid", "next_step": ""}]','2026-06-01 00:00:07.000000','staking_payout_quiet/alerts#1','[]',1,NULL,NULL,1);
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
INSERT INTO "ledger_identity" VALUES('ae899fa45e7d48d7ac156c13c61835ca');
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
INSERT INTO "payout_events" VALUES(3,1,'2026-06-01 00:00:00.000000','SIGNED','SUBMITTED',3,'accepted as 00af3c32-e0d4-4607-991d-f1c405282b25','staking_payout_accepted/scheduled__era-652317__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(4,1,'2026-06-01 00:00:06.000000','SUBMITTED','CONFIRMED',4,'request Processed, and the staking nonce moved','staking_payout_accepted/scheduled__era-652317__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(5,2,'2026-06-01 00:00:06.000000',NULL,'PLANNED',1,'planned','staking_payout_accepted/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(6,2,'2026-06-01 00:00:06.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 1, payment nonce 1','staking_payout_accepted/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(7,2,'2026-06-01 00:00:06.000000','SIGNED','SUBMITTED',3,'accepted as 274d4920-a39d-4dcf-91c8-d4774d11f97d','staking_payout_accepted/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(8,2,'2026-06-01 00:00:12.000000','SUBMITTED','CONFIRMED',4,'request Processed, and the staking nonce moved','staking_payout_accepted/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(9,3,'2026-06-01 00:00:12.000000',NULL,'PLANNED',1,'planned','staking_payout_accepted/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(10,3,'2026-06-01 00:00:12.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 2, payment nonce 2','staking_payout_accepted/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(11,3,'2026-06-01 00:00:12.000000','SIGNED','SUBMITTED',3,'accepted as 396bd848-b7ac-426e-aab1-8b8cd60a64fa','staking_payout_accepted/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(12,4,'2026-06-01 00:00:00.000000',NULL,'PLANNED',1,'planned','staking_payout_executed/scheduled__era-652317__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(13,4,'2026-06-01 00:00:00.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 0, payment nonce 0','staking_payout_executed/scheduled__era-652317__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(14,4,'2026-06-01 00:00:00.000000','SIGNED','SUBMITTED',3,'accepted as bee28302-a8c1-4e8b-86d3-1a834fce988f','staking_payout_executed/scheduled__era-652317__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(15,4,'2026-06-01 00:00:06.000000','SUBMITTED','CONFIRMED',4,'request Processed, and the staking nonce moved','staking_payout_executed/scheduled__era-652317__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(16,5,'2026-06-01 00:00:06.000000',NULL,'PLANNED',1,'planned','staking_payout_executed/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(17,5,'2026-06-01 00:00:06.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 1, payment nonce 1','staking_payout_executed/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(18,5,'2026-06-01 00:00:06.000000','SIGNED','SUBMITTED',3,'accepted as 1ada7c28-7e6f-45fc-b341-ab048422bbac','staking_payout_executed/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(19,5,'2026-06-01 00:00:12.000000','SUBMITTED','CONFIRMED',4,'request Processed, and the staking nonce moved','staking_payout_executed/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(20,6,'2026-06-01 00:00:12.000000',NULL,'PLANNED',1,'planned','staking_payout_executed/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(21,6,'2026-06-01 00:00:12.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 2, payment nonce 2','staking_payout_executed/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(22,6,'2026-06-01 00:00:12.000000','SIGNED','SUBMITTED',3,'accepted as 5ce889e6-1f4d-447a-b812-aa7a72976949','staking_payout_executed/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(23,7,'2026-06-01 00:00:00.000000',NULL,'PLANNED',1,'planned','staking_payout_signed/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(24,7,'2026-06-01 00:00:00.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 0, payment nonce 0','staking_payout_signed/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(25,7,'2026-06-01 00:00:00.000000','SIGNED','SUBMITTED',3,'accepted as f8a74d10-a117-40f4-b9df-710fd4129101','staking_payout_signed/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(26,7,'2026-06-01 00:00:06.000000','SUBMITTED','CONFIRMED',4,'request Processed, and the staking nonce moved','staking_payout_signed/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(27,8,'2026-06-01 00:00:06.000000',NULL,'PLANNED',1,'planned','staking_payout_signed/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(28,8,'2026-06-01 00:00:06.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 1, payment nonce 1','staking_payout_signed/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(29,9,'2026-06-01 00:00:00.000000',NULL,'PLANNED',1,'planned','staking_payout_sent/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(30,9,'2026-06-01 00:00:00.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 0, payment nonce 0','staking_payout_sent/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(31,9,'2026-06-01 00:00:00.000000','SIGNED','SUBMITTED',3,'accepted as ec0a05e0-b519-496d-918c-16c44c791935','staking_payout_sent/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(32,9,'2026-06-01 00:00:06.000000','SUBMITTED','CONFIRMED',4,'request Processed, and the staking nonce moved','staking_payout_sent/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(33,10,'2026-06-01 00:00:06.000000',NULL,'PLANNED',1,'planned','staking_payout_sent/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(34,10,'2026-06-01 00:00:06.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 1, payment nonce 1','staking_payout_sent/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(35,11,'2026-06-01 00:00:00.000000',NULL,'PLANNED',1,'planned','staking_payout_lost/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(36,11,'2026-06-01 00:00:00.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 0, payment nonce 0','staking_payout_lost/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(37,11,'2026-06-01 00:00:00.000000','SIGNED','UNKNOWN',3,'sent, no usable answer: proxyPayoutstakers: reset','staking_payout_lost/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(38,12,'2026-06-01 00:00:00.000000',NULL,'PLANNED',1,'planned','staking_payout_unanswered/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(39,12,'2026-06-01 00:00:00.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 0, payment nonce 0','staking_payout_unanswered/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(40,12,'2026-06-01 00:00:00.000000','SIGNED','SUBMITTED',3,'accepted as be51e6af-6b3e-4381-9ef3-140f5a50eb5d','staking_payout_unanswered/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(41,12,'2026-06-01 00:00:06.000000','SUBMITTED','CONFIRMED',4,'request Processed, and the staking nonce moved','staking_payout_unanswered/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(42,13,'2026-06-01 00:00:06.000000',NULL,'PLANNED',1,'planned','staking_payout_unanswered/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(43,13,'2026-06-01 00:00:06.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 1, payment nonce 1','staking_payout_unanswered/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(44,13,'2026-06-01 00:00:06.000000','SIGNED','UNKNOWN',3,'sent, no usable answer: proxyPayoutstakers: reset','staking_payout_unanswered/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(45,14,'2026-06-01 00:00:00.000000',NULL,'PLANNED',1,'planned','staking_payout_quiet/scheduled__era-652315__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(46,14,'2026-06-01 00:00:00.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 0, payment nonce 0','staking_payout_quiet/scheduled__era-652315__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(47,14,'2026-06-01 00:00:00.000000','SIGNED','SUBMITTED',3,'accepted as 39d275e4-28d7-416d-bac1-bfae951f55b1','staking_payout_quiet/scheduled__era-652315__0a1b2c3d',1);
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
INSERT INTO "payout_events" VALUES(62,19,'2026-06-01 00:00:00.000000','SIGNED','SUBMITTED',3,'accepted as fb062a91-3001-4529-b4c1-86dc599ab792','staking_payout_batches/scheduled__era-652319__0a1b2c3d',1);
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
INSERT INTO "payouts" VALUES(1,'accepted','chain of accepted',652317,0,'CONFIRMED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','0','0','100000000000000000','0x92a7061da6b619dedd443328b2ee252e1b2a9cb5e734e7bbbd8bba48f4feaf0b2697d40eb1a9598e2a694a7b4e2c7ce487e769552fdd3b92fd797d3fc542518d','0xb0dea803948ce1ff81b019bc73fbd10b3fe34cf5301d3f6d2b505c1e87050726b44e056bbd60851845584df8229443c9794e10b2d8b991f50a4ed105b42d9f8d','00af3c32-e0d4-4607-991d-f1c405282b25','0x570b95b8f28c8f286ae65c9f972200019668a96d840562ab0fc158bb1aa42d56','13046402','request_state',NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','staking_payout_accepted/scheduled__era-652317__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,0,'staking_payout_accepted/scheduled__era-652317__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(2,'accepted','chain of accepted',652318,0,'CONFIRMED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','1','1','100000000000000000','0xae5aaf4aa3ce1785051e9d836da57f1a85024602d327731f913952e04ad11109b1167f908cd5eee4769b8267ba49e6268d3cdc6afb054f9ad76a4df707a7d784','0x12a60f558c00b7a20a2ff6977407439147630fdb40b1d66de796482c1262ff1ef29baa437902a30d6d7c0f73b4e93309413d1f19b01c303dee3fc7f7e505fb8d','274d4920-a39d-4dcf-91c8-d4774d11f97d','0x9875b4e40b0f3c10c06f13b625cc1f22520ab133c52459150326d9e730f602ae','13046408','request_state',NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:06.000000','2026-06-01 00:00:12.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:12.000000','staking_payout_accepted/scheduled__era-652318__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,0,'staking_payout_accepted/scheduled__era-652318__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(3,'accepted','chain of accepted',652319,0,'SUBMITTED',3,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','2','2','100000000000000000','0xdc64da4cf51afc28b92691c95b938aa90b413419e519cbab1c560cc0072c7131938bdb5c24358f438b9a6b615642357d1c88dceacb3773af3a2d05b84a7a8886','0x122c9ec14f3eb02c20d6412c5b02c94267a53cc0e35eef8682367e42e9751c2de1336b9ab7f6018fb7e6a163bb44e8c12547dff36067318668914d387fe4ef84','396bd848-b7ac-426e-aab1-8b8cd60a64fa',NULL,NULL,NULL,NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:12.000000','2026-06-01 00:00:12.000000','2026-06-01 00:00:12.000000','2026-06-01 00:00:12.000000',NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,NULL,NULL,1,0,'staking_payout_accepted/scheduled__era-652319__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(4,'executed','chain of executed',652317,0,'CONFIRMED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','0','0','100000000000000000','0x308b1f887ed8db88f056fefbef435c8abf6a4e7f4bff30364d260ef46f261e10cdf23b20e6bbe27cbdbd58e9f0017b6bb4e78803738af1512a37915d00c59784','0x9438fe0413406bf3833bbe5c3043f4a7440b6a960e601beab7c1067d98b06d72fd9a34aa3707a878deab3d08a20b1cf0c90a500a05481320d9aef87b02b68987','bee28302-a8c1-4e8b-86d3-1a834fce988f','0x78f7842c4890aef91a90b762179a0187e43453cef7181c30f2250046dedb66af','13046402','request_state',NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','staking_payout_executed/scheduled__era-652317__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,0,'staking_payout_executed/scheduled__era-652317__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(5,'executed','chain of executed',652318,0,'CONFIRMED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','1','1','100000000000000000','0x86ff2c2985ddb27cb32ad81d6b3fb3ab592c3f70433a6305d30e978ce1aeab1e04fe8c88c6c6da26d0602f7c9eedb454d7dfa12dfcb6904f92d9e23ed76e4285','0x7e0da4f9a8667ed98de31fc5996b1dd935c477862fa5e19c75ae5a0a7455cb28f3488ceeed15c75468fb7c082d034e0f73d72d2d6e35818d6ddaa4e27b0b708f','1ada7c28-7e6f-45fc-b341-ab048422bbac','0x0c3718101935a09e476d82468ad50253296c06aed6ab4351a06ea2b4c3355b81','13046408','request_state',NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:06.000000','2026-06-01 00:00:12.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:12.000000','staking_payout_executed/scheduled__era-652318__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,0,'staking_payout_executed/scheduled__era-652318__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(6,'executed','chain of executed',652319,0,'SUBMITTED',3,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','2','2','100000000000000000','0xa4a477e67ff370bdd118a284d47c2c2d182c4fa8bc0d96831ae7f2f6649ea6171af280d552b9f806a51d2aec545d172e9c397017d610b820c3ee3949e0303c81','0xc61e54795ffedcbb2d5c988044a3cf274e6114deb16c87a4db929361276c997267a618c315a83d0540587a6f7af6355522b91fe922dc13c7f1175ebb9167cb86','5ce889e6-1f4d-447a-b812-aa7a72976949',NULL,NULL,NULL,NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:12.000000','2026-06-01 00:00:12.000000','2026-06-01 00:00:12.000000','2026-06-01 00:00:12.000000',NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,NULL,NULL,1,0,'staking_payout_executed/scheduled__era-652319__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(7,'signed','chain of signed',652318,0,'CONFIRMED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','0','0','100000000000000000','0x105c1dddacf12547d269627be40eae4f75c1c23c34c4f5ada479777017fadf68f8dcd14318be5c388adc6e51e5ddb3dab32f426af65f14bcbf5ca26a4d928a8e','0x22f3c32233f312ecf61ab3b02ef5329aecad08ee9ee3b5abdb60558df4b3c24d58a6425ac94234ab6c38090b9db4c4ad9074670770b94f85c41566c2ea85c08a','f8a74d10-a117-40f4-b9df-710fd4129101','0xcc2a08012353335d1094e63bc58ee08906c3ca3366ec9a80cf22dfcfb4f116b1','13046402','request_state',NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','staking_payout_signed/scheduled__era-652318__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,0,'staking_payout_signed/scheduled__era-652318__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(8,'signed','chain of signed',652319,0,'SIGNED',2,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','1','1','100000000000000000','0xce926d77441dd52c2b74dea48298ab8b7357368de1cc18e90a03cd6695333129c813d3e9ceb852501a542727bfa675d4b12014ff311b120de6f3f18c532c4689','0x5086dbc96593277618552855ea4956575c57aa7b73daca47ae044dc04239ea08f09b4cc401c30b1848ca68c93ba4048086b2caf74c1a672bd6a642caa595d48e',NULL,NULL,NULL,NULL,NULL,1,0,NULL,'c674322f10ce4895b70a893abd488cba','2026-06-01 00:02:06.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000',NULL,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,NULL,NULL,1,0,'staking_payout_signed/scheduled__era-652319__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(9,'sent','chain of sent',652318,0,'CONFIRMED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','0','0','100000000000000000','0x3ac259c890a6fb7b6b23886c1d9a4d5f45b03f02cbd38be5bbf486cdd6805100cd44cf9b56aab2832dce2c972188b6174f2749b165a7175eba437377fb3fee88','0xcad7ffdd56f19425e03c60e381da48d559143cb294e5e5e9d0c70e5a2a5cc60ce8c19b916f368220e8315354d91871aaba75c4d1ef2009d43e0a0d1a806c3882','ec0a05e0-b519-496d-918c-16c44c791935','0xbae24b34cbc2cf746a6623f2e296f13876bf041608214e27e0a416fa5b97d1ea','13046402','request_state',NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','staking_payout_sent/scheduled__era-652318__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,0,'staking_payout_sent/scheduled__era-652318__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(10,'sent','chain of sent',652319,0,'SIGNED',2,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','1','1','100000000000000000','0x9a7c22f67bba1789246e749423d88d3938fea8eeb9ffbd9f019c47024af6a114c0ee5e71b45e7aa0e35637e2820fe76d07c2756728f9c3beed9f30d52599f583','0xb239647b4887ed2f84ea70fdd83288e60daa17df0fc188698b334a0c35e4187686f245046289fc96a05c128af4b90db497d9b724d7ba8867c9e44bc74b544d80',NULL,NULL,NULL,NULL,NULL,1,0,NULL,'750e2dc1c8fb48d0b831ec1f12c7e26e','2026-06-01 00:02:06.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000',NULL,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,NULL,NULL,1,0,'staking_payout_sent/scheduled__era-652319__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(11,'lost','chain of lost',652319,0,'UNKNOWN',3,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','0','0','100000000000000000','0x6ce0cde5b62f2e86562c2f70729841886cf5b395a103490f499ba388c9c696109013e270c94ead4c43df1f9661a10183ec5fd3398cea575f691bcf9241785d80','0x74501ff3d10e5dffc0096ebf53abc6c2ebdbb27ada67bb3ddffb51be3d7a832c4096cf6e5e20f875814d0cfdf49af31e06c96ec03f3a0d7975eeac19a9742b80',NULL,NULL,NULL,NULL,'proxyPayoutstakers: reset',1,1,'2026-06-01 00:00:00.000000',NULL,NULL,'2026-06-01 00:00:00.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:00.000000',NULL,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,NULL,NULL,1,0,'staking_payout_lost/scheduled__era-652319__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(12,'unanswered','chain of unanswered',652318,0,'CONFIRMED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','0','0','100000000000000000','0x927141d424c209cdc548a325b3f0fcb56c25d44e1241b821f64922b7e8544044db68f0ee2f140dc5cfc6c3dbee20844478a4bb4b0b1e63fad5ddd6fd66f6cc87','0xb8eb6ff583f0761c945d19ac9f8fa0fcc937da8dd8547ec29a6db2944a356729511ffa487903051c184929f3892b18f6aa1d725cbb68966c8a0cbf3d806b5d86','be51e6af-6b3e-4381-9ef3-140f5a50eb5d','0xedd9afdba95b0c67fe17335c087d6a4f05da63a4429b102366da075d33ff499b','13046402','request_state',NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','staking_payout_unanswered/scheduled__era-652318__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,0,'staking_payout_unanswered/scheduled__era-652318__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(13,'unanswered','chain of unanswered',652319,0,'UNKNOWN',3,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','1','1','100000000000000000','0xd679e1d75d7659c7621929a1d8624f06103ed616be62676b873933739daee86a680b1bc53604980abb0d84217b44d672c72f337b360f42f2c6b4c7ae1a0bdd8c','0x9eaf0f704e2ac945d74f684a70154986c8ccf8986db0ab93de46ba959a0c502f5de80110d4144ceebd883ff04f403c94de49b91651279a3d2729cdf8b2f47081',NULL,NULL,NULL,NULL,'proxyPayoutstakers: reset',1,1,'2026-06-01 00:00:06.000000',NULL,NULL,'2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000',NULL,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,NULL,NULL,1,0,'staking_payout_unanswered/scheduled__era-652319__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(14,'quiet','chain of quiet',652315,0,'CONFIRMED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','0','0','100000000000000000','0x2ae5252650bede3be2247e5c757de2da9aac8554e18d2c9bbb548b63bcef033fc5b9686094b115533e0ed9d6b0c3e56840b71f7891364f05e431d09ef419d382','0x882a3b8b4222e1cc45713e8899e6f3ce5e39f33674e576c73244753b799ae31b7c74bc6a69f1aaa51b1008e25d6302fa51315e9e094e6230a89e03a38f87aa89','39d275e4-28d7-416d-bac1-bfae951f55b1','0x92b0ffe1fd9bdbebce7c83e50f2560ecaf29c8fa2b8b67e848bfa7d1ad45b410','13046402','request_state',NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','staking_payout_quiet/scheduled__era-652315__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,0,'staking_payout_quiet/scheduled__era-652315__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(15,'quiet','chain of quiet',652316,0,'HELD',2,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'the fee is 100000000000000000 planck, more than max_fee_per_payout 1 planck',0,0,NULL,NULL,NULL,'2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000',NULL,NULL,NULL,NULL,'fee',0,0,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,NULL,0,NULL,NULL);
INSERT INTO "payouts" VALUES(16,'quiet','chain of quiet',652317,0,'REJECTED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','1','1','100000000000000000','0x401ad215ad51b62fc51eeef8de49395de7198e9ac2a8813daf84262787ffb045871f503826e32e74d68c23c4eb34874b1192870a366024d6179ac16392962b8e','0xe80fdc22863beca44721bbc988a7c05fbe3d1a14bf7b810ffdbb0f4d3187536e7d8d74bf6a1b0410a8a200cdcefbf29065eaeac1bacbcd8c5641d13a51880187',NULL,NULL,NULL,NULL,'the payment nonce has moved, and the staking nonce has not; a fee was charged',1,0,NULL,NULL,NULL,'2026-06-01 00:00:06.000000','2026-06-01 00:00:07.000000','2026-06-01 00:00:06.000000',NULL,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,1,'staking_payout_quiet/scheduled__era-652317__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(17,'quiet','chain of quiet',652318,0,'PLANNED',3,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','1','1','25000000000000','0x881ce034fd652a110ff830e0c21428f41192431cdb7e72093e0ffa882c221d65c507cd42686b61bd8e92eb3fec5c609daa1a01e4697b69e350a9428cceb64988','0x282d98de0d816750f881152f17289255de4d33e43a8d7fa80e18fcc42e91157345eb97ca30a9c5b984d9c8515e4b89bb6c6c8d9d78a140b29b8dddad25735a88',NULL,NULL,NULL,NULL,'proxyPayoutstakers: no connection',1,0,NULL,NULL,NULL,'2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000',NULL,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,NULL,NULL,1,0,'staking_payout_quiet/scheduled__era-652318__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(18,'quiet','chain of quiet',652319,0,'HELD',2,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'the election window is open',0,0,NULL,NULL,NULL,'2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000',NULL,NULL,NULL,NULL,'window',0,0,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,NULL,0,NULL,NULL);
INSERT INTO "payouts" VALUES(19,'batches','chain of batches',652319,0,'CONFIRMED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','0','0','100000000000000000','0x6cb7239c218f2d45dbf10e987a322934e1183dbec97cb2c4542ef798ff2366083b5391309a20d44105238d5fb9d97230982ff2eb01610ff5649e6ef8758e938f','0x8eb6779b119e9369214cab1223848305652083498216a1788bd8700b1cb180797219082dd487fb190853e8f8e8bed8ebb12807ee5930076a13725839e55ad984','fb062a91-3001-4529-b4c1-86dc599ab792','0x2624f427c7f45d5cc2fb00713058f4cb6110b878250c3af30eaae834839ccde1','13046402','request_state',NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','staking_payout_batches/scheduled__era-652319__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,0,'staking_payout_batches/scheduled__era-652319__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(20,'batches','chain of batches',652319,1,'EMPTY',3,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','1','1','100000000000000000','0x2a7a40bac20bcef427f3370c1c9723d4ee21e331c7bd9cc16383780b0e0f2a4039f9b4059b226f64aa52e3c4c091e009cf05d4386cc4030753e390189c027b80','0x02c2e0b40e0d84a59c888a7a1bea6b5352f61b4e2fbfb9b64ab1c6783f6cdf3ffa2811ad5f317d7b263eda863f62e2b4f4e27ed8f5c0547267c78fa9886ffe83',NULL,NULL,NULL,NULL,NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000',NULL,NULL,'staking_payout_batches/scheduled__era-652319__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,NULL,1,0,'staking_payout_batches/scheduled__era-652319__0a1b2c3d',1,1,NULL,NULL);
CREATE TABLE staking_ledger_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT staking_ledger_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "staking_ledger_version" VALUES('0007');
CREATE TABLE staking_statuses (
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
INSERT INTO "staking_statuses" VALUES('accepted',652317,'0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty','isNotStaking','2026-06-01 00:00:06.000000');
INSERT INTO "staking_statuses" VALUES('accepted',652317,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY','isStaking','2026-06-01 00:00:06.000000');
INSERT INTO "staking_statuses" VALUES('accepted',652318,'0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty','isNotStaking','2026-06-01 00:00:12.000000');
INSERT INTO "staking_statuses" VALUES('accepted',652318,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY','isStaking','2026-06-01 00:00:12.000000');
INSERT INTO "staking_statuses" VALUES('batches',652319,'0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty','isNotStaking','2026-06-01 00:00:06.000000');
INSERT INTO "staking_statuses" VALUES('batches',652319,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY','isStaking','2026-06-01 00:00:06.000000');
INSERT INTO "staking_statuses" VALUES('executed',652317,'0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty','isNotStaking','2026-06-01 00:00:06.000000');
INSERT INTO "staking_statuses" VALUES('executed',652317,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY','isStaking','2026-06-01 00:00:06.000000');
INSERT INTO "staking_statuses" VALUES('executed',652318,'0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty','isNotStaking','2026-06-01 00:00:12.000000');
INSERT INTO "staking_statuses" VALUES('executed',652318,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY','isStaking','2026-06-01 00:00:12.000000');
INSERT INTO "staking_statuses" VALUES('quiet',652315,'0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty','isNotStaking','2026-06-01 00:00:06.000000');
INSERT INTO "staking_statuses" VALUES('quiet',652315,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY','isStaking','2026-06-01 00:00:06.000000');
INSERT INTO "staking_statuses" VALUES('sent',652318,'0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty','isNotStaking','2026-06-01 00:00:06.000000');
INSERT INTO "staking_statuses" VALUES('sent',652318,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY','isStaking','2026-06-01 00:00:06.000000');
INSERT INTO "staking_statuses" VALUES('signed',652318,'0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty','isNotStaking','2026-06-01 00:00:06.000000');
INSERT INTO "staking_statuses" VALUES('signed',652318,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY','isStaking','2026-06-01 00:00:06.000000');
INSERT INTO "staking_statuses" VALUES('unanswered',652318,'0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty','isNotStaking','2026-06-01 00:00:06.000000');
INSERT INTO "staking_statuses" VALUES('unanswered',652318,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY','isStaking','2026-06-01 00:00:06.000000');
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
COMMIT;
