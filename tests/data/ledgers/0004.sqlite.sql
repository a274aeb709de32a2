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
	sent_at DATETIME, 
	PRIMARY KEY (id)
)
 WITHOUT ROWID

;
INSERT INTO "alert_messages" VALUES('34c07b21e0314c6bb6c90d99e83a98db','quiet','raised','held','warning','[{"topic": "era:652316", "kind": "held", "severity": "warning", "subject": "Era 652316", "era": 652316, "cause": "the fee is too high", "next_step": "Raise the ceiling"}]','2026-06-01 00:00:06.000000','staking_payout_quiet/alerts#1','["operator"]',4,NULL,'2026-06-01 00:00:06.000000');
INSERT INTO "alert_messages" VALUES('860159699c8b4ac49aa90fdb55c84a4b','quiet','cleared','not_paid','info','[{"topic": "era:652315", "kind": "not_paid", "severity": "info", "subject": "Era 652315", "era": 652315, "cause": "Era 652315 is paid", "next_step": ""}]','2026-06-01 00:00:07.000000','staking_payout_quiet/alerts#1','[]',1,NULL,NULL);
INSERT INTO "alert_messages" VALUES('b04002e000ae4e849da55f7bedb56032','quiet','raised','not_paid','warning','[{"topic": "era:652315", "kind": "not_paid", "severity": "warning", "subject": "Era 652315", "era": 652315, "cause": "the fee is too high", "next_step": "Raise the ceiling"}]','2026-06-01 00:00:06.000000','staking_payout_quiet/alerts#1','[]',2,'2026-06-01 00:00:36.000000',NULL);
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
INSERT INTO "catch_up_plans" VALUES('quiet','8fb0eebaddc243e2','{"network": "quiet", "terms": {"chain": "chain of quiet", "relayer": "5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty", "user": "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY", "payer": "5FLSigC9HGRKVhB9FiEo4Y3koPsNmBmLJbpXg2mp1hXcS59Y", "parts": 1, "history_depth": 84}, "fee": "25000000000000", "pay": [{"era": 652236, "why": "no payout of it is in the ledger", "expires_at_era": 652321, "eras_left": 1, "expiry_warning": 95}, {"era": 652237, "why": "no payout of it is in the ledger", "expires_at_era": 652322, "eras_left": 2, "expiry_warning": 95}, {"era": 652238, "why": "no payout of it is in the ledger", "expires_at_era": 652323, "eras_left": 3, "expiry_warning": 95}, {"era": 652239, "why": "no payout of it is in the ledger", "expires_at_era": 652324, "eras_left": 4, "expiry_warning": 95}, {"era": 652240, "why": "no payout of it is in the ledger", "expires_at_era": 652325, "eras_left": 5, "expiry_warning": 95}, {"era": 652241, "why": "no payout of it is in the ledger", "expires_at_era": 652326, "eras_left": 6, "expiry_warning": 80}, {"era": 652242, "why": "no payout of it is in the ledger", "expires_at_era": 652327, "eras_left": 7, "expiry_warning": 80}, {"era": 652243, "why": "no payout of it is in the ledger", "expires_at_era": 652328, "eras_left": 8, "expiry_warning": 80}, {"era": 652244, "why": "no payout of it is in the ledger", "expires_at_era": 652329, "eras_left": 9, "expiry_warning": 80}, {"era": 652245, "why": "no payout of it is in the ledger", "expires_at_era": 652330, "eras_left": 10, "expiry_warning": 80}, {"era": 652246, "why": "no payout of it is in the ledger", "expires_at_era": 652331, "eras_left": 11, "expiry_warning": 80}, {"era": 652247, "why": "no payout of it is in the ledger", "expires_at_era": 652332, "eras_left": 12, "expiry_warning": 80}, {"era": 652248, "why": "no payout of it is in the ledger", "expires_at_era": 652333, "eras_left": 13, "expiry_warning": 80}, {"era": 652249, "why": "no payout of it is in the ledger", "expires_at_era": 652334, "eras_left": 14, "expiry_warning": 80}, {"era": 652250, "why": "no payout of it is in the ledger", "expires_at_era": 652335, "eras_left": 15, "expiry_warning": 80}, {"era": 652251, "why": "no payout of it is in the ledger", "expires_at_era": 652336, "eras_left": 16, "expiry_warning": 80}, {"era": 652252, "why": "no payout of it is in the ledger", "expires_at_era": 652337, "eras_left": 17, "expiry_warning": 80}, {"era": 652253, "why": "no payout of it is in the ledger", "expires_at_era": 652338, "eras_left": 18, "expiry_warning": 50}, {"era": 652254, "why": "no payout of it is in the ledger", "expires_at_era": 652339, "eras_left": 19, "expiry_warning": 50}, {"era": 652255, "why": "no payout of it is in the ledger", "expires_at_era": 652340, "eras_left": 20, "expiry_warning": 50}, {"era": 652256, "why": "no payout of it is in the ledger", "expires_at_era": 652341, "eras_left": 21, "expiry_warning": 50}, {"era": 652257, "why": "no payout of it is in the ledger", "expires_at_era": 652342, "eras_left": 22, "expiry_warning": 50}, {"era": 652258, "why": "no payout of it is in the ledger", "expires_at_era": 652343, "eras_left": 23, "expiry_warning": 50}, {"era": 652259, "why": "no payout of it is in the ledger", "expires_at_era": 652344, "eras_left": 24, "expiry_warning": 50}, {"era": 652260, "why": "no payout of it is in the ledger", "expires_at_era": 652345, "eras_left": 25, "expiry_warning": 50}, {"era": 652261, "why": "no payout of it is in the ledger", "expires_at_era": 652346, "eras_left": 26, "expiry_warning": 50}, {"era": 652262, "why": "no payout of it is in the ledger", "expires_at_era": 652347, "eras_left": 27, "expiry_warning": 50}, {"era": 652263, "why": "no payout of it is in the ledger", "expires_at_era": 652348, "eras_left": 28, "expiry_warning": 50}, {"era": 652264, "why": "no payout of it is in the ledger", "expires_at_era": 652349, "eras_left": 29, "expiry_warning": 50}, {"era": 652265, "why": "no payout of it is in the ledger", "expires_at_era": 652350, "eras_left": 30, "expiry_warning": 50}, {"era": 652266, "why": "no payout of it is in the ledger", "expires_at_era": 652351, "eras_left": 31, "expiry_warning": 50}, {"era": 652267, "why": "no payout of it is in the ledger", "expires_at_era": 652352, "eras_left": 32, "expiry_warning": 50}, {"era": 652268, "why": "no payout of it is in the ledger", "expires_at_era": 652353, "eras_left": 33, "expiry_warning": 50}, {"era": 652269, "why": "no payout of it is in the ledger", "expires_at_era": 652354, "eras_left": 34, "expiry_warning": 50}, {"era": 652270, "why": "no payout of it is in the ledger", "expires_at_era": 652355, "eras_left": 35, "expiry_warning": 50}, {"era": 652271, "why": "no payout of it is in the ledger", "expires_at_era": 652356, "eras_left": 36, "expiry_warning": 50}, {"era": 652272, "why": "no payout of it is in the ledger", "expires_at_era": 652357, "eras_left": 37, "expiry_warning": 50}, {"era": 652273, "why": "no payout of it is in the ledger", "expires_at_era": 652358, "eras_left": 38, "expiry_warning": 50}, {"era": 652274, "why": "no payout of it is in the ledger", "expires_at_era": 652359, "eras_left": 39, "expiry_warning": 50}, {"era": 652275, "why": "no payout of it is in the ledger", "expires_at_era": 652360, "eras_left": 40, "expiry_warning": 50}, {"era": 652276, "why": "no payout of it is in the ledger", "expires_at_era": 652361, "eras_left": 41, "expiry_warning": 50}, {"era": 652277, "why": "no payout of it is in the ledger", "expires_at_era": 652362, "eras_left": 42, "expiry_warning": 50}, {"era": 652278, "why": "no payout of it is in the ledger", "expires_at_era": 652363, "eras_left": 43, "expiry_warning": 50}, {"era": 652279, "why": "no payout of it is in the ledger", "expires_at_era": 652364, "eras_left": 44, "expiry_warning": null}, {"era": 652280, "why": "no payout of it is in the ledger", "expires_at_era": 652365, "eras_left": 45, "expiry_warning": null}, {"era": 652281, "why": "no payout of it is in the ledger", "expires_at_era": 652366, "eras_left": 46, "expiry_warning": null}, {"era": 652282, "why": "no payout of it is in the ledger", "expires_at_era": 652367, "eras_left": 47, "expiry_warning": null}, {"era": 652283, "why": "no payout of it is in the ledger", "expires_at_era": 652368, "eras_left": 48, "expiry_warning": null}, {"era": 652284, "why": "no payout of it is in the ledger", "expires_at_era": 652369, "eras_left": 49, "expiry_warning": null}, {"era": 652285, "why": "no payout of it is in the ledger", "expires_at_era": 652370, "eras_left": 50, "expiry_warning": null}, {"era": 652286, "why": "no payout of it is in the ledger", "expires_at_era": 652371, "eras_left": 51, "expiry_warning": null}, {"era": 652287, "why": "no payout of it is in the ledger", "expires_at_era": 652372, "eras_left": 52, "expiry_warning": null}, {"era": 652288, "why": "no payout of it is in the ledger", "expires_at_era": 652373, "eras_left": 53, "expiry_warning": null}, {"era": 652289, "why": "no payout of it is in the ledger", "expires_at_era": 652374, "eras_left": 54, "expiry_warning": null}, {"era": 652290, "why": "no payout of it is in the ledger", "expires_at_era": 652375, "eras_left": 55, "expiry_warning": null}, {"era": 652291, "why": "no payout of it is in the ledger", "expires_at_era": 652376, "eras_left": 56, "expiry_warning": null}, {"era": 652292, "why": "no payout of it is in the ledger", "expires_at_era": 652377, "eras_left": 57, "expiry_warning": null}, {"era": 652293, "why": "no payout of it is in the ledger", "expires_at_era": 652378, "eras_left": 58, "expiry_warning": null}, {"era": 652294, "why": "no payout of it is in the ledger", "expires_at_era": 652379, "eras_left": 59, "expiry_warning": null}, {"era": 652295, "why": "no payout of it is in the ledger", "expires_at_era": 652380, "eras_left": 60, "expiry_warning": null}, {"era": 652296, "why": "no payout of it is in the ledger", "expires_at_era": 652381, "eras_left": 61, "expiry_warning": null}, {"era": 652297, "why": "no payout of it is in the ledger", "expires_at_era": 652382, "eras_left": 62, "expiry_warning": null}, {"era": 652298, "why": "no payout of it is in the ledger", "expires_at_era": 652383, "eras_left": 63, "expiry_warning": null}, {"era": 652299, "why": "no payout of it is in the ledger", "expires_at_era": 652384, "eras_left": 64, "expiry_warning": null}, {"era": 652300, "why": "no payout of it is in the ledger", "expires_at_era": 652385, "eras_left": 65, "expiry_warning": null}, {"era": 652301, "why": "no payout of it is in the ledger", "expires_at_era": 652386, "eras_left": 66, "expiry_warning": null}, {"era": 652302, "why": "no payout of it is in the ledger", "expires_at_era": 652387, "eras_left": 67, "expiry_warning": null}, {"era": 652303, "why": "no payout of it is in the ledger", "expires_at_era": 652388, "eras_left": 68, "expiry_warning": null}, {"era": 652304, "why": "no payout of it is in the ledger", "expires_at_era": 652389, "eras_left": 69, "expiry_warning": null}, {"era": 652305, "why": "no payout of it is in the ledger", "expires_at_era": 652390, "eras_left": 70, "expiry_warning": null}, {"era": 652306, "why": "no payout of it is in the ledger", "expires_at_era": 652391, "eras_left": 71, "expiry_warning": null}, {"era": 652307, "why": "no payout of it is in the ledger", "expires_at_era": 652392, "eras_left": 72, "expiry_warning": null}, {"era": 652308, "why": "no payout of it is in the ledger", "expires_at_era": 652393, "eras_left": 73, "expiry_warning": null}, {"era": 652309, "why": "no payout of it is in the ledger", "expires_at_era": 652394, "eras_left": 74, "expiry_warning": null}, {"era": 652310, "why": "no payout of it is in the ledger", "expires_at_era": 652395, "eras_left": 75, "expiry_warning": null}, {"era": 652311, "why": "no payout of it is in the ledger", "expires_at_era": 652396, "eras_left": 76, "expiry_warning": null}, {"era": 652312, "why": "no payout of it is in the ledger", "expires_at_era": 652397, "eras_left": 77, "expiry_warning": null}, {"era": 652313, "why": "no payout of it is in the ledger", "expires_at_era": 652398, "eras_left": 78, "expiry_warning": null}, {"era": 652314, "why": "no payout of it is in the ledger", "expires_at_era": 652399, "eras_left": 79, "expiry_warning": null}, {"era": 652316, "why": "HELD: the fee is 100000000000000000, more than max_fee_per_payout 1", "expires_at_era": 652401, "eras_left": 81, "expiry_warning": null}, {"era": 652317, "why": "REJECTED: proxyPayoutstakers: JSON-RPC error -32600: Invalid Request (invalid fee authorisation: feePaymentSignature is not the payer''s over this user, relayer, proxySignature, a fee of 25000000000000 and payment nonce 1)", "expires_at_era": 652402, "eras_left": 82, "expiry_warning": null}, {"era": 652318, "why": "PLANNED: proxyPayoutstakers: no connection", "expires_at_era": 652403, "eras_left": 83, "expiry_warning": null}, {"era": 652319, "why": "HELD: the election window is open", "expires_at_era": 652404, "eras_left": 84, "expiry_warning": null}], "expired": [], "hash": "8fb0eebaddc243e2", "active_era": 652320, "paid": [652315], "notes": [], "later": []}','2026-06-01 00:00:06.000000','staking_catch_up_quiet/manual__1#1');
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
INSERT INTO "payout_events" VALUES(3,1,'2026-06-01 00:00:00.000000','SIGNED','SUBMITTED',3,'accepted as 53b4a5fa-27da-42d5-b6ec-ec9f152fe01e','staking_payout_accepted/scheduled__era-652317__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(4,1,'2026-06-01 00:00:06.000000','SUBMITTED','CONFIRMED',4,'request Processed, and the staking nonce moved','staking_payout_accepted/scheduled__era-652317__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(5,2,'2026-06-01 00:00:06.000000',NULL,'PLANNED',1,'planned','staking_payout_accepted/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(6,2,'2026-06-01 00:00:06.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 1, payment nonce 1','staking_payout_accepted/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(7,2,'2026-06-01 00:00:06.000000','SIGNED','SUBMITTED',3,'accepted as 079e288b-7445-43e1-888a-469fe11b125d','staking_payout_accepted/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(8,2,'2026-06-01 00:00:12.000000','SUBMITTED','CONFIRMED',4,'request Processed, and the staking nonce moved','staking_payout_accepted/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(9,3,'2026-06-01 00:00:12.000000',NULL,'PLANNED',1,'planned','staking_payout_accepted/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(10,3,'2026-06-01 00:00:12.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 2, payment nonce 2','staking_payout_accepted/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(11,3,'2026-06-01 00:00:12.000000','SIGNED','SUBMITTED',3,'accepted as 478ac1f6-57d0-4680-b72a-7d8a0f3a24ac','staking_payout_accepted/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(12,4,'2026-06-01 00:00:00.000000',NULL,'PLANNED',1,'planned','staking_payout_executed/scheduled__era-652317__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(13,4,'2026-06-01 00:00:00.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 0, payment nonce 0','staking_payout_executed/scheduled__era-652317__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(14,4,'2026-06-01 00:00:00.000000','SIGNED','SUBMITTED',3,'accepted as ef74c663-d6f1-4ffd-8c3c-8913a368af68','staking_payout_executed/scheduled__era-652317__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(15,4,'2026-06-01 00:00:06.000000','SUBMITTED','CONFIRMED',4,'request Processed, and the staking nonce moved','staking_payout_executed/scheduled__era-652317__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(16,5,'2026-06-01 00:00:06.000000',NULL,'PLANNED',1,'planned','staking_payout_executed/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(17,5,'2026-06-01 00:00:06.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 1, payment nonce 1','staking_payout_executed/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(18,5,'2026-06-01 00:00:06.000000','SIGNED','SUBMITTED',3,'accepted as e519270e-f220-4be4-a53f-fe3dc4921262','staking_payout_executed/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(19,5,'2026-06-01 00:00:12.000000','SUBMITTED','CONFIRMED',4,'request Processed, and the staking nonce moved','staking_payout_executed/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(20,6,'2026-06-01 00:00:12.000000',NULL,'PLANNED',1,'planned','staking_payout_executed/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(21,6,'2026-06-01 00:00:12.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 2, payment nonce 2','staking_payout_executed/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(22,6,'2026-06-01 00:00:12.000000','SIGNED','SUBMITTED',3,'accepted as 79cf8675-4607-4445-81b7-47f0e6c0aa1c','staking_payout_executed/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(23,7,'2026-06-01 00:00:00.000000',NULL,'PLANNED',1,'planned','staking_payout_signed/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(24,7,'2026-06-01 00:00:00.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 0, payment nonce 0','staking_payout_signed/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(25,7,'2026-06-01 00:00:00.000000','SIGNED','SUBMITTED',3,'accepted as a676df39-5781-41ad-979c-23944b51b762','staking_payout_signed/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(26,7,'2026-06-01 00:00:06.000000','SUBMITTED','CONFIRMED',4,'request Processed, and the staking nonce moved','staking_payout_signed/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(27,8,'2026-06-01 00:00:06.000000',NULL,'PLANNED',1,'planned','staking_payout_signed/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(28,8,'2026-06-01 00:00:06.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 1, payment nonce 1','staking_payout_signed/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(29,9,'2026-06-01 00:00:00.000000',NULL,'PLANNED',1,'planned','staking_payout_sent/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(30,9,'2026-06-01 00:00:00.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 0, payment nonce 0','staking_payout_sent/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(31,9,'2026-06-01 00:00:00.000000','SIGNED','SUBMITTED',3,'accepted as f05247db-f451-45fa-bbcb-1b0701794dda','staking_payout_sent/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(32,9,'2026-06-01 00:00:06.000000','SUBMITTED','CONFIRMED',4,'request Processed, and the staking nonce moved','staking_payout_sent/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(33,10,'2026-06-01 00:00:06.000000',NULL,'PLANNED',1,'planned','staking_payout_sent/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(34,10,'2026-06-01 00:00:06.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 1, payment nonce 1','staking_payout_sent/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(35,11,'2026-06-01 00:00:00.000000',NULL,'PLANNED',1,'planned','staking_payout_lost/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(36,11,'2026-06-01 00:00:00.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 0, payment nonce 0','staking_payout_lost/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(37,11,'2026-06-01 00:00:00.000000','SIGNED','UNKNOWN',3,'sent, no usable answer: proxyPayoutstakers: reset','staking_payout_lost/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(38,12,'2026-06-01 00:00:00.000000',NULL,'PLANNED',1,'planned','staking_payout_unanswered/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(39,12,'2026-06-01 00:00:00.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 0, payment nonce 0','staking_payout_unanswered/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(40,12,'2026-06-01 00:00:00.000000','SIGNED','SUBMITTED',3,'accepted as a316fff5-cdd6-4b8e-b790-940f9130df2a','staking_payout_unanswered/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(41,12,'2026-06-01 00:00:06.000000','SUBMITTED','CONFIRMED',4,'request Processed, and the staking nonce moved','staking_payout_unanswered/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(42,13,'2026-06-01 00:00:06.000000',NULL,'PLANNED',1,'planned','staking_payout_unanswered/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(43,13,'2026-06-01 00:00:06.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 1, payment nonce 1','staking_payout_unanswered/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(44,13,'2026-06-01 00:00:06.000000','SIGNED','UNKNOWN',3,'sent, no usable answer: proxyPayoutstakers: reset','staking_payout_unanswered/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(45,14,'2026-06-01 00:00:00.000000',NULL,'PLANNED',1,'planned','staking_payout_quiet/scheduled__era-652315__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(46,14,'2026-06-01 00:00:00.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 0, payment nonce 0','staking_payout_quiet/scheduled__era-652315__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(47,14,'2026-06-01 00:00:00.000000','SIGNED','SUBMITTED',3,'accepted as ffc01534-8dee-44ae-b829-7736366de7a1','staking_payout_quiet/scheduled__era-652315__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(48,14,'2026-06-01 00:00:06.000000','SUBMITTED','CONFIRMED',4,'request Processed, and the staking nonce moved','staking_payout_quiet/scheduled__era-652315__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(49,15,'2026-06-01 00:00:06.000000',NULL,'PLANNED',1,'planned','staking_payout_quiet/scheduled__era-652316__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(50,15,'2026-06-01 00:00:06.000000','PLANNED','HELD',2,'the fee is 100000000000000000, more than max_fee_per_payout 1','staking_payout_quiet/scheduled__era-652316__0a1b2c3d',1);
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
INSERT INTO "payout_events" VALUES(62,19,'2026-06-01 00:00:00.000000','SIGNED','SUBMITTED',3,'accepted as 4affef24-9156-4ed7-a950-17db2b270ade','staking_payout_batches/scheduled__era-652319__0a1b2c3d',1);
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
INSERT INTO "payouts" VALUES(1,'accepted','chain of accepted',652317,0,'CONFIRMED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','0','0','100000000000000000','0x1885dd14080f916e24a61060bcd7d7119749210caf6bc9f19732c92b55150f18ff2c9d21a2037c8b57225512eb377c7b0d62020ef0742bd2ff13a852e65edf8a','0x987005c3407806fa17f37a3db1d8a5628e1d4de7ab5047cadeb345fa70a0104a346a52b19577ee8126b500a2ab99ed388e836c8d5e4d468c040af303fa3ebe86','53b4a5fa-27da-42d5-b6ec-ec9f152fe01e','0xd7201dd8c3d45d051c95fa781300b3a904f6634c895d61fd4b19a9d7fc169fcc','13046402','request_state',NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','staking_payout_accepted/scheduled__era-652317__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,0,'staking_payout_accepted/scheduled__era-652317__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(2,'accepted','chain of accepted',652318,0,'CONFIRMED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','1','1','100000000000000000','0x42a88f2dcc8c8b3f7bcd9a98a63cdf04de87095c912745992752a825504b0e0808961b6286ccc9092f5a296e2523a7e81b22d4309c24af7f26db605bf0fe3682','0x9ab6501ce9c5536f479396157026c71ef0b0ad3ec8cee22855ffbdd7ef0e745706c3ed668cdb9dac3c44fa69e5fb3b0d277d921b387dd1ce85ee17401d27d983','079e288b-7445-43e1-888a-469fe11b125d','0x70ca6b7080dfd683eb9e1c801112ef0c4b6541c21420d728370dade4a15b5799','13046408','request_state',NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:06.000000','2026-06-01 00:00:12.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:12.000000','staking_payout_accepted/scheduled__era-652318__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,0,'staking_payout_accepted/scheduled__era-652318__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(3,'accepted','chain of accepted',652319,0,'SUBMITTED',3,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','2','2','100000000000000000','0x34758104b7369c77d07e714a09d64769cdc87da5484cfb88846b6f542c81842dd4a1798919abfa4b4825bbcd4bc9c011d7db9fd2208d211c45b6fbf79fb27e80','0x4a947a28e916215c39f1d97a125aae5d9385b18ca7cfd540bcab09052dd12a513183fe05cfe1e896da045e765768f98f6dfa7637057b0460f8b6c21f0008708e','478ac1f6-57d0-4680-b72a-7d8a0f3a24ac',NULL,NULL,NULL,NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:12.000000','2026-06-01 00:00:12.000000','2026-06-01 00:00:12.000000','2026-06-01 00:00:12.000000',NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,NULL,NULL,1,0,'staking_payout_accepted/scheduled__era-652319__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(4,'executed','chain of executed',652317,0,'CONFIRMED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','0','0','100000000000000000','0x2640f288047af7f25b6541d2715b03c983946639a6163e1c50f3683a6506a13a0be74b58cb21324d81f941e1883f14df332f346f0e98fbb32aeb49aaadc04282','0xd6f38a2fd11b7c911a15d37dcedec0d23d285d7f42fcc01015585fd82911ee6ea4904f39c26d5b71826bbbb9d4697c7c0c80906ce03d836b35478fa736a30481','ef74c663-d6f1-4ffd-8c3c-8913a368af68','0x76844b6a5adb05dc6b4e10246ef1f8beaab5fed9f63912a51e9f92e3cb57872f','13046402','request_state',NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','staking_payout_executed/scheduled__era-652317__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,0,'staking_payout_executed/scheduled__era-652317__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(5,'executed','chain of executed',652318,0,'CONFIRMED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','1','1','100000000000000000','0x62f9a7bd0b2fa444143d33a4a47a860f9e363aeec6dfaa2304be78a6bb83452beb249629b5068d4fff7e6a56acfceaeb3061194d9c5e1eb3c5a13613685b9d8f','0x901a30204b1ae6d427a71b4dfff07a1a6b23c9f2c882ec9cf3a5e568db7b590a9a3bd15b41427ee037aa61d732bdd4dc941bfc03ee4f46baff0ebc124c071c8f','e519270e-f220-4be4-a53f-fe3dc4921262','0xf541ae0a9d91b4bd95d76cabf083e2c70a783ea87628ef6fb1355d0137aa7615','13046408','request_state',NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:06.000000','2026-06-01 00:00:12.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:12.000000','staking_payout_executed/scheduled__era-652318__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,0,'staking_payout_executed/scheduled__era-652318__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(6,'executed','chain of executed',652319,0,'SUBMITTED',3,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','2','2','100000000000000000','0xb8ec2b1395b21f7c6732dfdb7d04adbb582c5e3977cf11ff0198494f0f514802bf4eaf6274a4946e742bede51840f02f9398589947c4b4eef5aa570937e54b88','0x8c58f539f814bfab41ac945b22482c94354f4ef0fd3a4469c5fd4c46b0457d4d5079cfc341a912bf2bc4d0b4126afd7ef784afab6f8f7044608eca0c66d04b8b','79cf8675-4607-4445-81b7-47f0e6c0aa1c',NULL,NULL,NULL,NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:12.000000','2026-06-01 00:00:12.000000','2026-06-01 00:00:12.000000','2026-06-01 00:00:12.000000',NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,NULL,NULL,1,0,'staking_payout_executed/scheduled__era-652319__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(7,'signed','chain of signed',652318,0,'CONFIRMED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','0','0','100000000000000000','0xce7159d8a9a0b82e9645a14d979428d549b010ac43c53898f11c3b7f3de2b20c9d89be5d290690f5b64fdeb1a53f0bc81c0f094a3ae0cce2e0459fbbbb2bb482','0xdcff0baab69eff5b81409fb588969e6365354446097316b4ac8425349245e73ca3a1acfc4b9f4210fb539c5f3b8329ecdf5287f533facf0b7dfc7ec25be0568d','a676df39-5781-41ad-979c-23944b51b762','0xfe69bad96c82e4233419d44febc803bbecb40248888ab53efbad73115935e5b3','13046402','request_state',NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','staking_payout_signed/scheduled__era-652318__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,0,'staking_payout_signed/scheduled__era-652318__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(8,'signed','chain of signed',652319,0,'SIGNED',2,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','1','1','100000000000000000','0x6abcd23a4e77956306f3306c872ce832daa425f24cf2757b216e9ab28945f15748cb56d5dac6fc7afc9a7c8e55f1ecee98244792d1018da3632894423af17483','0x74c53aac6c61c9ffd6f8504c00e745f2b876ffc87530b56977f4df8a7934494b12ce239e7d4fcdd111c211358a57486f8b26a616295b4091c1726ae717e8228d',NULL,NULL,NULL,NULL,NULL,1,0,NULL,'1000dc8541294b14a1ae4653c30e1657','2026-06-01 00:02:06.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000',NULL,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,NULL,NULL,1,0,'staking_payout_signed/scheduled__era-652319__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(9,'sent','chain of sent',652318,0,'CONFIRMED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','0','0','100000000000000000','0xce67936d7f1d557fa301a2d21634d83b4543c9f01fb6c58fcea025a29357f77bd9ee2ffcc276e44095ade31326e77e6cf1828decddf496cefe8f2db0085cda8b','0x5ace4bf39a081582850fbaf2f50c46d5184e997e092ceb9a3b38bdee411fc67eca79753c520bb2d1ae879f2010cdd573d1b38696e1771304befbc87f9f232f82','f05247db-f451-45fa-bbcb-1b0701794dda','0x52bfd23283844cfcf5fb0585127ef5d483c4d99cf1b39485235423859fa651dc','13046402','request_state',NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','staking_payout_sent/scheduled__era-652318__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,0,'staking_payout_sent/scheduled__era-652318__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(10,'sent','chain of sent',652319,0,'SIGNED',2,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','1','1','100000000000000000','0x76710cf527be67ada0d4a214754f2494bbead5745b88b02fc911c1ef2d27374128f682a38d44e444491b9a1f9c3c0eb4fbb22f5a80246173525dffce53112285','0xdee99b4dcdc39d23fbea4ee5d116c46c5db6b0cd315fa7b84106d7a2400b7805b2592d9fdc802c29ad6f9a263bed19604548a2b8048b09becc18607c1f42b184',NULL,NULL,NULL,NULL,NULL,1,0,NULL,'574211e45e2b47abb3217964574a1532','2026-06-01 00:02:06.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000',NULL,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,NULL,NULL,1,0,'staking_payout_sent/scheduled__era-652319__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(11,'lost','chain of lost',652319,0,'UNKNOWN',3,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','0','0','100000000000000000','0xac19b2cd4699bccf067a7e4c4eb97ccf20405c224922c05a4a8cb1d7f249c83d474c4321daa25fe596ae5541ece5d07558480aa16a81a2e90ddaab09d7eb3280','0xcc24f65d1576747749851d9ef6d8a0a670ee39c38601e22090fd4bc42d1b813e9542a981992f2d5dfd59303dcd2823e10fde898af95cb4e754c9812d5c510986',NULL,NULL,NULL,NULL,'proxyPayoutstakers: reset',1,1,'2026-06-01 00:00:00.000000',NULL,NULL,'2026-06-01 00:00:00.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:00.000000',NULL,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,NULL,NULL,1,0,'staking_payout_lost/scheduled__era-652319__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(12,'unanswered','chain of unanswered',652318,0,'CONFIRMED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','0','0','100000000000000000','0x9256f77a4e107645688324de53b8d0414e2acc8d9a965c2d182be14830f5871cf3366115f45c053b1d894e8038d51e40d52154429f6c0252e4f0b2e539f59a86','0x5ca98140da7243c268b7e9a9ee21a9939f46e8b6534d4039125191b0bfaa1751c86eb3b48bcf75bbc0bc5fc94bc0a6dd92da1e3f56583284d56f487b5ef10b8a','a316fff5-cdd6-4b8e-b790-940f9130df2a','0xfed43d10863bd10f8ad4792637f3a564d260c52d03e56608306b7f04d784d895','13046402','request_state',NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','staking_payout_unanswered/scheduled__era-652318__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,0,'staking_payout_unanswered/scheduled__era-652318__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(13,'unanswered','chain of unanswered',652319,0,'UNKNOWN',3,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','1','1','100000000000000000','0xd05733eb38478991c037b3e134ce18f747aef2edb970abe8c998bed3a7e0af78ffef9c6b56e31c24c452476334a1d981fb7197bb7a37549c46bca23c3b6dd081','0xf6f738ef1a3d2de3dde4bc83f754d8b19dcfb7ef7604cee3182b27e96e6ab332c0a79ad283bf04f30d383c1eb674628db647da4117053f36a64ee4fbbbf3d28c',NULL,NULL,NULL,NULL,'proxyPayoutstakers: reset',1,1,'2026-06-01 00:00:06.000000',NULL,NULL,'2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000',NULL,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,NULL,NULL,1,0,'staking_payout_unanswered/scheduled__era-652319__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(14,'quiet','chain of quiet',652315,0,'CONFIRMED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','0','0','100000000000000000','0xa4caea83df2f4b48c1ee3f3e2d9342f466248ab2f12cc3513976707ac061f065fe3caf312770cf286d5972fc8d18b8f6e596edeea39a38cf053eb8e4b7629381','0xbe63b03ec389d668c5c0e4ce8c97840293243492fa55e2e4375e1ecd0a6f05396fc1c69e2818d66b882e068c4e075dc10f61544d36e27744ba0335f8753c4788','ffc01534-8dee-44ae-b829-7736366de7a1','0x988841c8e2c9aa97f7d0848b1641bd57d4410cccf974478f60636913f3da6802','13046402','request_state',NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','staking_payout_quiet/scheduled__era-652315__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,0,'staking_payout_quiet/scheduled__era-652315__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(15,'quiet','chain of quiet',652316,0,'HELD',2,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'the fee is 100000000000000000, more than max_fee_per_payout 1',0,0,NULL,NULL,NULL,'2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000',NULL,NULL,NULL,NULL,'fee',0,0,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,NULL,0,NULL,NULL);
INSERT INTO "payouts" VALUES(16,'quiet','chain of quiet',652317,0,'REJECTED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','1','1','100000000000000000','0xa23fd7b074e1f0c8cc006c36dc0b05e4cec9befb5960ea0e8e0d6259f2ec452a08dcfe54087cb8034d40c7ef1f4a90ee12efff4906f4b5c1cb51d0bb05621d8e','0x082badcc91dca2aacfd701bf937f4bc2b6240033b569360d61f93ea99004cb4be0ca812b9b7c053d30835a9aa97930dbafb126471d16eb019d3278b8a738e788',NULL,NULL,NULL,NULL,'the payment nonce has moved, and the staking nonce has not; a fee was charged',1,0,NULL,NULL,NULL,'2026-06-01 00:00:06.000000','2026-06-01 00:00:07.000000','2026-06-01 00:00:06.000000',NULL,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,1,'staking_payout_quiet/scheduled__era-652317__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(17,'quiet','chain of quiet',652318,0,'PLANNED',3,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','1','1','25000000000000','0x6ef475cda694855affd9d8e92e833544376017a2ecfe9b6dc3bf10c04952ff1147d3d2826f48047bdbb377ca104c6d67e05831a802288295392b4ee07dc53586','0xf2364df91b9ee290f97aa9ce83d44e9531660e0c4fdd5810fbad8752817386336185caa6879f0a233550fedf06556d813dc8c610d7eb2b4aa77a420a2a59568c',NULL,NULL,NULL,NULL,'proxyPayoutstakers: no connection',1,0,NULL,NULL,NULL,'2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000',NULL,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,NULL,NULL,1,0,'staking_payout_quiet/scheduled__era-652318__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(18,'quiet','chain of quiet',652319,0,'HELD',2,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'the election window is open',0,0,NULL,NULL,NULL,'2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000',NULL,NULL,NULL,NULL,'window',0,0,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,NULL,0,NULL,NULL);
INSERT INTO "payouts" VALUES(19,'batches','chain of batches',652319,0,'CONFIRMED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','0','0','100000000000000000','0x52f6c1578acb79f9193717d6afc78f61e3d027229be383a409ffe2bbc16cfb0475eadd65abfc4d5a40aef3c28029d5ef908e2d618554587d9e25ed715ebe0088','0x1ca4b9c49fe0049d0b7ebef1dee853364ea5f746977d1026a38924666b2bf2264c865fedc132e22bf5756083312d0a74d621bca40acbaabc23dab15cfd6c278c','4affef24-9156-4ed7-a950-17db2b270ade','0xae30b2b12be480937e069950a1ac25ab3f8a4f3217e07214ef7ba1496838858a','13046402','request_state',NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','staking_payout_batches/scheduled__era-652319__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,0,'staking_payout_batches/scheduled__era-652319__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(20,'batches','chain of batches',652319,1,'EMPTY',3,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','1','1','100000000000000000','0x9a862446a3418af5399852e28b16d3a0febd5a8e9e1b813b562ec1491c538b312872667b7b313d2de3e2c519349615390f875565accf937b42e650e84178a087','0x44fbb71e4a28c0bb246f869432ee0c898c45985a916f5af98c170eec9cf17321a0bd4191c34af1f77b484d221716a4182f6b5e6cdef0f7f7c6416e4ce6de0d80',NULL,NULL,NULL,NULL,NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000',NULL,NULL,'staking_payout_batches/scheduled__era-652319__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,NULL,1,0,'staking_payout_batches/scheduled__era-652319__0a1b2c3d',1,1,NULL,NULL);
CREATE TABLE staking_ledger_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT staking_ledger_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "staking_ledger_version" VALUES('0004');
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
COMMIT;
