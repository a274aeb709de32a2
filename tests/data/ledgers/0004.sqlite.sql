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
INSERT INTO "alert_messages" VALUES('9655b574ea7f45a696a93a777c199a60','quiet','raised','held','warning','[{"topic": "era:652316", "kind": "held", "severity": "warning", "subject": "Era 652316", "era": 652316, "cause": "the fee is too high", "next_step": "Raise the ceiling"}]','2026-06-01 00:00:06.000000','staking_payout_quiet/alerts#1','["operator"]',4,NULL,'2026-06-01 00:00:06.000000');
INSERT INTO "alert_messages" VALUES('a1afba6d2f714826b861f062f01a75fe','quiet','cleared','not_paid','info','[{"topic": "era:652315", "kind": "not_paid", "severity": "info", "subject": "Era 652315", "era": 652315, "cause": "Era 652315 is paid", "next_step": ""}]','2026-06-01 00:00:07.000000','staking_payout_quiet/alerts#1','[]',1,NULL,NULL);
INSERT INTO "alert_messages" VALUES('e5341596ada34561938a05f7589fcc60','quiet','raised','not_paid','warning','[{"topic": "era:652315", "kind": "not_paid", "severity": "warning", "subject": "Era 652315", "era": 652315, "cause": "the fee is too high", "next_step": "Raise the ceiling"}]','2026-06-01 00:00:06.000000','staking_payout_quiet/alerts#1','[]',2,'2026-06-01 00:00:36.000000',NULL);
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
INSERT INTO "payout_events" VALUES(3,1,'2026-06-01 00:00:00.000000','SIGNED','SUBMITTED',3,'accepted as c2c2b8b4-a6e4-492e-8046-cd8d24249d0f','staking_payout_accepted/scheduled__era-652317__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(4,1,'2026-06-01 00:00:06.000000','SUBMITTED','CONFIRMED',4,'request Processed, and the staking nonce moved','staking_payout_accepted/scheduled__era-652317__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(5,2,'2026-06-01 00:00:06.000000',NULL,'PLANNED',1,'planned','staking_payout_accepted/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(6,2,'2026-06-01 00:00:06.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 1, payment nonce 1','staking_payout_accepted/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(7,2,'2026-06-01 00:00:06.000000','SIGNED','SUBMITTED',3,'accepted as 0362c34b-9b62-4a21-9a62-89dedd0542bb','staking_payout_accepted/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(8,2,'2026-06-01 00:00:12.000000','SUBMITTED','CONFIRMED',4,'request Processed, and the staking nonce moved','staking_payout_accepted/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(9,3,'2026-06-01 00:00:12.000000',NULL,'PLANNED',1,'planned','staking_payout_accepted/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(10,3,'2026-06-01 00:00:12.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 2, payment nonce 2','staking_payout_accepted/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(11,3,'2026-06-01 00:00:12.000000','SIGNED','SUBMITTED',3,'accepted as fcac458b-422b-4f30-8cfc-ce7a70f191ac','staking_payout_accepted/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(12,4,'2026-06-01 00:00:00.000000',NULL,'PLANNED',1,'planned','staking_payout_executed/scheduled__era-652317__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(13,4,'2026-06-01 00:00:00.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 0, payment nonce 0','staking_payout_executed/scheduled__era-652317__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(14,4,'2026-06-01 00:00:00.000000','SIGNED','SUBMITTED',3,'accepted as 73c43a53-9582-451d-832f-851ab01c3c1f','staking_payout_executed/scheduled__era-652317__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(15,4,'2026-06-01 00:00:06.000000','SUBMITTED','CONFIRMED',4,'request Processed, and the staking nonce moved','staking_payout_executed/scheduled__era-652317__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(16,5,'2026-06-01 00:00:06.000000',NULL,'PLANNED',1,'planned','staking_payout_executed/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(17,5,'2026-06-01 00:00:06.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 1, payment nonce 1','staking_payout_executed/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(18,5,'2026-06-01 00:00:06.000000','SIGNED','SUBMITTED',3,'accepted as d2f9d8ff-7d1d-4d55-af48-6b8ed04a7259','staking_payout_executed/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(19,5,'2026-06-01 00:00:12.000000','SUBMITTED','CONFIRMED',4,'request Processed, and the staking nonce moved','staking_payout_executed/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(20,6,'2026-06-01 00:00:12.000000',NULL,'PLANNED',1,'planned','staking_payout_executed/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(21,6,'2026-06-01 00:00:12.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 2, payment nonce 2','staking_payout_executed/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(22,6,'2026-06-01 00:00:12.000000','SIGNED','SUBMITTED',3,'accepted as 63ec9a4c-09f7-48e4-be7b-f615c4589f84','staking_payout_executed/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(23,7,'2026-06-01 00:00:00.000000',NULL,'PLANNED',1,'planned','staking_payout_signed/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(24,7,'2026-06-01 00:00:00.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 0, payment nonce 0','staking_payout_signed/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(25,7,'2026-06-01 00:00:00.000000','SIGNED','SUBMITTED',3,'accepted as 7c4cdb65-8fb3-4940-914f-d7f2e4c7a770','staking_payout_signed/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(26,7,'2026-06-01 00:00:06.000000','SUBMITTED','CONFIRMED',4,'request Processed, and the staking nonce moved','staking_payout_signed/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(27,8,'2026-06-01 00:00:06.000000',NULL,'PLANNED',1,'planned','staking_payout_signed/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(28,8,'2026-06-01 00:00:06.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 1, payment nonce 1','staking_payout_signed/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(29,9,'2026-06-01 00:00:00.000000',NULL,'PLANNED',1,'planned','staking_payout_sent/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(30,9,'2026-06-01 00:00:00.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 0, payment nonce 0','staking_payout_sent/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(31,9,'2026-06-01 00:00:00.000000','SIGNED','SUBMITTED',3,'accepted as 2605f987-bec9-49ae-b968-383a43d5b015','staking_payout_sent/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(32,9,'2026-06-01 00:00:06.000000','SUBMITTED','CONFIRMED',4,'request Processed, and the staking nonce moved','staking_payout_sent/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(33,10,'2026-06-01 00:00:06.000000',NULL,'PLANNED',1,'planned','staking_payout_sent/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(34,10,'2026-06-01 00:00:06.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 1, payment nonce 1','staking_payout_sent/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(35,11,'2026-06-01 00:00:00.000000',NULL,'PLANNED',1,'planned','staking_payout_lost/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(36,11,'2026-06-01 00:00:00.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 0, payment nonce 0','staking_payout_lost/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(37,11,'2026-06-01 00:00:00.000000','SIGNED','UNKNOWN',3,'sent, no usable answer: proxyPayoutstakers: reset','staking_payout_lost/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(38,12,'2026-06-01 00:00:00.000000',NULL,'PLANNED',1,'planned','staking_payout_unanswered/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(39,12,'2026-06-01 00:00:00.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 0, payment nonce 0','staking_payout_unanswered/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(40,12,'2026-06-01 00:00:00.000000','SIGNED','SUBMITTED',3,'accepted as c64ddc22-6d8c-4e6b-afeb-c480e97e171a','staking_payout_unanswered/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(41,12,'2026-06-01 00:00:06.000000','SUBMITTED','CONFIRMED',4,'request Processed, and the staking nonce moved','staking_payout_unanswered/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(42,13,'2026-06-01 00:00:06.000000',NULL,'PLANNED',1,'planned','staking_payout_unanswered/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(43,13,'2026-06-01 00:00:06.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 1, payment nonce 1','staking_payout_unanswered/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(44,13,'2026-06-01 00:00:06.000000','SIGNED','UNKNOWN',3,'sent, no usable answer: proxyPayoutstakers: reset','staking_payout_unanswered/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(45,14,'2026-06-01 00:00:00.000000',NULL,'PLANNED',1,'planned','staking_payout_quiet/scheduled__era-652315__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(46,14,'2026-06-01 00:00:00.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 0, payment nonce 0','staking_payout_quiet/scheduled__era-652315__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(47,14,'2026-06-01 00:00:00.000000','SIGNED','SUBMITTED',3,'accepted as 6f4669f1-ebe9-4694-ba08-36a1b611a93f','staking_payout_quiet/scheduled__era-652315__0a1b2c3d',1);
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
INSERT INTO "payout_events" VALUES(62,19,'2026-06-01 00:00:00.000000','SIGNED','SUBMITTED',3,'accepted as df106426-7589-4b86-9e96-ac797896ca6c','staking_payout_batches/scheduled__era-652319__0a1b2c3d',1);
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
	settled_by TEXT, hold VARCHAR(16), copies_out BOOLEAN DEFAULT 0 NOT NULL, refused BOOLEAN DEFAULT 0 NOT NULL, request_status VARCHAR(32), disagree VARCHAR(24), disagree_since DATETIME, over VARCHAR(8), over_since DATETIME, fee_charged BOOLEAN, asked BOOLEAN DEFAULT 1 NOT NULL, wasted INTEGER DEFAULT 0 NOT NULL, signed_by TEXT, signed_try INTEGER, signatures INTEGER DEFAULT 0 NOT NULL, given_up_by TEXT, nonce_used BOOLEAN DEFAULT 0 NOT NULL, 
	PRIMARY KEY (id), 
	CONSTRAINT one_record_per_part UNIQUE (network, era, part)
);
INSERT INTO "payouts" VALUES(1,'accepted','chain of accepted',652317,0,'CONFIRMED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','0','0','100000000000000000','0x3c9f00fcb5ab7e716ab6eeb688c87c83ea73beeca9a46b7b0f0f145a55be98718ee05e32990aaf064fa58f192471cb4c7a4986a42882871b8ac5ba88c6ed9b88','0xba72b3dfd8895c101477ff41b82cb85096bf0f15beaedca8076a0516f4e2ee1d7f94158da14a91f76ba38b6a414fc9d3f22925df36d8323b2557678ced09f788','c2c2b8b4-a6e4-492e-8046-cd8d24249d0f','0x394e12c9832627edbe3bc9d294bf96538fa42381249084aff07e170511628977','13046402','request_state',NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','staking_payout_accepted/scheduled__era-652317__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,0,'staking_payout_accepted/scheduled__era-652317__0a1b2c3d',1,1,NULL,0);
INSERT INTO "payouts" VALUES(2,'accepted','chain of accepted',652318,0,'CONFIRMED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','1','1','100000000000000000','0x24292dfff09c7a0474334d178f13705ee209f817f94836f3d73212c10824e764e38745eda726a181affc6679b8cb7a2b2c6d1b99e17099ca7ef9f88584a58281','0x42f8f3d31c9261442d801d3a5ab263fe92fc5960373eb52fcb1ab59b245dac40b99b1180922ee145a29765429071e2a144076acb8cd478679ab2674fc4706a8f','0362c34b-9b62-4a21-9a62-89dedd0542bb','0x1befe6fc03682092c9a24ba9e74750526e6a4ee39bd07a13d65d24e851c35605','13046408','request_state',NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:06.000000','2026-06-01 00:00:12.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:12.000000','staking_payout_accepted/scheduled__era-652318__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,0,'staking_payout_accepted/scheduled__era-652318__0a1b2c3d',1,1,NULL,0);
INSERT INTO "payouts" VALUES(3,'accepted','chain of accepted',652319,0,'SUBMITTED',3,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','2','2','100000000000000000','0x909118bfc8163c4d9d5394d019980ec85c89fdab6ffd8a0caaeb3698d1bd12651616d3c9c90a73be94128bf8669b70414710a26bf43ae8fcd1f9614673021681','0x40f76e3d4f5778cdc8382b7dd5502e0249804837d7d4f6d08cd4f181154a8031dd6fb47c871114f2dcc41f3be5808baaa2087d9b7b1700377f81bfd76c46ce82','fcac458b-422b-4f30-8cfc-ce7a70f191ac',NULL,NULL,NULL,NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:12.000000','2026-06-01 00:00:12.000000','2026-06-01 00:00:12.000000','2026-06-01 00:00:12.000000',NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,NULL,NULL,1,0,'staking_payout_accepted/scheduled__era-652319__0a1b2c3d',1,1,NULL,0);
INSERT INTO "payouts" VALUES(4,'executed','chain of executed',652317,0,'CONFIRMED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','0','0','100000000000000000','0xf6babfac6b8e592bdd6f69cf1ce3a0807ff34df724c073552bd15c3d83a58a2096fc4dd1cc4092382046ffb0b438616f0f2748305cd5c0c0c07c170c307d538b','0x0ce2d99310023dadb76b0a940eb67dae2ef16de476d40f7d0d8e6499949a9e1d6da399a4d4f18597a4d6f81350241cbe9d61b178c02d4f3adb88ca730379608a','73c43a53-9582-451d-832f-851ab01c3c1f','0x5fb1edaac364fe7ff47b13301693229851477d87bb051c633faa120655d27199','13046402','request_state',NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','staking_payout_executed/scheduled__era-652317__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,0,'staking_payout_executed/scheduled__era-652317__0a1b2c3d',1,1,NULL,0);
INSERT INTO "payouts" VALUES(5,'executed','chain of executed',652318,0,'CONFIRMED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','1','1','100000000000000000','0x0e27924f931970f507fa54db0246117ed33cd618c729cddeb2b2433e377fcf6ec987194e240a3bc69b7d51b74b570f1df1ca953db976e73e4254291311435d88','0x5afaab7e8460a430ec633985b1c78ad168775ef2bed526d40909beb1cd187550fcc9521e1d7d312f3f02f1ad7058b13e0c61ef7e058e44a0d94585acb2b9538e','d2f9d8ff-7d1d-4d55-af48-6b8ed04a7259','0x0955e2ce390e84038fb64956597ff2a38306cf4f631a49c09e1508933791a450','13046408','request_state',NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:06.000000','2026-06-01 00:00:12.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:12.000000','staking_payout_executed/scheduled__era-652318__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,0,'staking_payout_executed/scheduled__era-652318__0a1b2c3d',1,1,NULL,0);
INSERT INTO "payouts" VALUES(6,'executed','chain of executed',652319,0,'SUBMITTED',3,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','2','2','100000000000000000','0xee446434578dcd5da637d674e694d7ddcd82ee4f42e015839082cdd6829a6e51a30b9b309280f2504a5cdaadb98feded5d622528ed5be33673feec65c6d1f480','0x4230d9ec48956be37caeba123e6b374aecb8318063aaa2747012d2001fcd5452825dc7d4a210bc5dd25d12d8fb99c907159c68895aa57d4833cb2a0f46e2c48c','63ec9a4c-09f7-48e4-be7b-f615c4589f84',NULL,NULL,NULL,NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:12.000000','2026-06-01 00:00:12.000000','2026-06-01 00:00:12.000000','2026-06-01 00:00:12.000000',NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,NULL,NULL,1,0,'staking_payout_executed/scheduled__era-652319__0a1b2c3d',1,1,NULL,0);
INSERT INTO "payouts" VALUES(7,'signed','chain of signed',652318,0,'CONFIRMED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','0','0','100000000000000000','0xfe92280acc914a6cd6b63c039285f4824e1529696017798f06464650484d036e76c8d6bae5f5fb04323968f751dab968a32a91e188d3070aa49fbde424252985','0x20a8fdebed85c985b9cbfff4adc6f3bcb2d97dad29d79286af52181de3e87d0e49049e123b86a50e5ff86d434ceea53dcd6455bdc71a844535b5b72389a8a281','7c4cdb65-8fb3-4940-914f-d7f2e4c7a770','0x6314395259449f7083337a27ba829c44fc33e1b31685c3eb2928fcef9b43020a','13046402','request_state',NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','staking_payout_signed/scheduled__era-652318__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,0,'staking_payout_signed/scheduled__era-652318__0a1b2c3d',1,1,NULL,0);
INSERT INTO "payouts" VALUES(8,'signed','chain of signed',652319,0,'SIGNED',2,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','1','1','100000000000000000','0xa045f2f59e3a0ac8d5101bdca06b37cd3f4444cbb501d59e67d3bdd46993a7012a8ec42aba7cfecdf6037123ecbc1cceddc36c5cdc099146742a053c1c29a581','0xea747321dd60cf8c9e7dff7564ef41a82b51bf096e6b1443702acc00dc27322b38adfb9582dadc417eaf12a9022843084c7af663aa445428e0bd61781504fc88',NULL,NULL,NULL,NULL,NULL,1,0,NULL,'7124f9deba2d4cebb0e078e362d12da4','2026-06-01 00:02:06.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000',NULL,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,NULL,NULL,1,0,'staking_payout_signed/scheduled__era-652319__0a1b2c3d',1,1,NULL,0);
INSERT INTO "payouts" VALUES(9,'sent','chain of sent',652318,0,'CONFIRMED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','0','0','100000000000000000','0xc2cca1cb81c9ad5ff36d21a16b04e0bab4b52d0100459cac85d6796a1088711dafbb4ab72f236a091e7b25a146ed5708e98c7d697c5f884e39f4483ebd913589','0x309511dc0d78a63343628e8e20a08c68f46b4411c3a06df5d073fd0b0eabff2f36606d9e91869261d97060cb10c6d4e90e57c9114d5f799e33eb3ca3108a338b','2605f987-bec9-49ae-b968-383a43d5b015','0xbd9523924bdf99b170d1d615bdf95ff2ae8747c1d6d7cf87058976fe7c6b4a14','13046402','request_state',NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','staking_payout_sent/scheduled__era-652318__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,0,'staking_payout_sent/scheduled__era-652318__0a1b2c3d',1,1,NULL,0);
INSERT INTO "payouts" VALUES(10,'sent','chain of sent',652319,0,'SIGNED',2,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','1','1','100000000000000000','0xdc85eb8f8fe78cc881162f70030f056a82b9597fc67f75b74dce8df797abe31d1eecd8a7363e57b984cb90372bb4d555a0f28b67aa15c4411ee089e513c37a85','0xf45c9bfd740d2f4a3bb6e5bbf285159106ddb03e83b3183c457951e2903c5b119262f2b2b073a6015ee6ad527e04946926664174b1899ea2642d54c912d3eb86',NULL,NULL,NULL,NULL,NULL,1,0,NULL,'1151cfd2010143789385f8a4193bb68a','2026-06-01 00:02:06.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000',NULL,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,NULL,NULL,1,0,'staking_payout_sent/scheduled__era-652319__0a1b2c3d',1,1,NULL,0);
INSERT INTO "payouts" VALUES(11,'lost','chain of lost',652319,0,'UNKNOWN',3,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','0','0','100000000000000000','0x168debed86b980233f325ae596075490cef7c8bdfe48d3cd3c933b53a93f874e0ed0dcd90295a098e5f01d7b5fb176517f9de133116b7079fcc3e8fa131e1684','0x7252d4824de28c9f7c6c25a3be732b4679e1bfb4f43755f2614baac25ffa85335bc72ea7a8f65f7518d99191deeee5a8dc0aacbb0d6bdae7ea3c45edf87dca88',NULL,NULL,NULL,NULL,'proxyPayoutstakers: reset',1,1,'2026-06-01 00:00:00.000000',NULL,NULL,'2026-06-01 00:00:00.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:00.000000',NULL,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,NULL,NULL,1,0,'staking_payout_lost/scheduled__era-652319__0a1b2c3d',1,1,NULL,0);
INSERT INTO "payouts" VALUES(12,'unanswered','chain of unanswered',652318,0,'CONFIRMED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','0','0','100000000000000000','0x5ce2564b61e45fbec9a7f9ff85ad22f8edd9c6029b16cf83183dbd6b2093401be8a6c2b7976b69f2d789e2a990bf942821800d997e2f72279b46762c23cd4b83','0x4074fe6031e6a61a13f593df86074fc089e17d47e96173eae966d24267c5b45c3cae011f3cba81f7e15cc76ee066a3024cc6eedadadc524698373d8cb0404187','c64ddc22-6d8c-4e6b-afeb-c480e97e171a','0x33c55689840af10c955d81963fe9277d0e3d3fb1ad824761b63676e91d4547ac','13046402','request_state',NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','staking_payout_unanswered/scheduled__era-652318__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,0,'staking_payout_unanswered/scheduled__era-652318__0a1b2c3d',1,1,NULL,0);
INSERT INTO "payouts" VALUES(13,'unanswered','chain of unanswered',652319,0,'UNKNOWN',3,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','1','1','100000000000000000','0x9e19a1f8fe6d340be14a02c13f4c978b819bb7f5263d650c8d6b645c3de62b7367a2f92cbcbb9b8036aea03e4230f576f50c50dd4073c474fa3fb32127d3a580','0x1aac2fb839bc8c9b852cdb0e5bfde690ece74f269c3dc30f43b432fcd78bea067ff007cd68a17aeb4698c2464536e9f79f7d6992f6f283f7f5899a3be74adc88',NULL,NULL,NULL,NULL,'proxyPayoutstakers: reset',1,1,'2026-06-01 00:00:06.000000',NULL,NULL,'2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000',NULL,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,NULL,NULL,1,0,'staking_payout_unanswered/scheduled__era-652319__0a1b2c3d',1,1,NULL,0);
INSERT INTO "payouts" VALUES(14,'quiet','chain of quiet',652315,0,'CONFIRMED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','0','0','100000000000000000','0x4abcd2319cc89560233a9a41eb153ac28bc0cd8a8dd6715d19b5f009640ff93b4eb1173926dec4338d921ad3322497de38deecc0d8062f2729eebc885cf7b48e','0x16473b047b4ad16760e9ce5d5a321e671479927be16fe7a694108933f8ce1e7fa7bde0bf879d005346030cd6baf198b8d3009d33e3f8d0a3c05e67778aeb6b88','6f4669f1-ebe9-4694-ba08-36a1b611a93f','0xe4e80221cbd017e4a445094758d465aee354133487ade6a6f3d9eb6b3dd96329','13046402','request_state',NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','staking_payout_quiet/scheduled__era-652315__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,0,'staking_payout_quiet/scheduled__era-652315__0a1b2c3d',1,1,NULL,0);
INSERT INTO "payouts" VALUES(15,'quiet','chain of quiet',652316,0,'HELD',2,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'the fee is 100000000000000000, more than max_fee_per_payout 1',0,0,NULL,NULL,NULL,'2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000',NULL,NULL,NULL,NULL,'fee',0,0,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,NULL,0,NULL,0);
INSERT INTO "payouts" VALUES(16,'quiet','chain of quiet',652317,0,'REJECTED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','1','1','100000000000000000','0x0e2538990cd2e109a0ffcf2c56bb8d5e970c57a88f6566dedf4ad2e73936d10b35f68c911aa373a75b89265226e41a68c9cdbf70b3eddbf751424a78c76d878f','0x3653186bae40a16d2803932332f8947af27e8f8f4a80b7e2f4e8207f3b1d425710a385cf3ca553a9f548633414b968ef4906df362ab1e868387967ac3f88ab86',NULL,NULL,NULL,NULL,'the payment nonce has moved, and the staking nonce has not; a fee was charged',1,0,NULL,NULL,NULL,'2026-06-01 00:00:06.000000','2026-06-01 00:00:07.000000','2026-06-01 00:00:06.000000',NULL,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,1,'staking_payout_quiet/scheduled__era-652317__0a1b2c3d',1,1,NULL,0);
INSERT INTO "payouts" VALUES(17,'quiet','chain of quiet',652318,0,'PLANNED',3,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','1','1','25000000000000','0xbe456f9c5385bdbe0ff56846bb6bbbdc3d614a879cb7deb574cf537ae8ae5225be17ad7588312e8cf81fbfb13c83e00cd87e2596dac614961e08216901ac238e','0x4cb350b7ac0ff36c604f0505aa66f938beeb4e489377dc15b6c938442da177585bd562fbcb4c37854cf0378209ea1552ae89567664aaa211b4101c62894e9f82',NULL,NULL,NULL,NULL,'proxyPayoutstakers: no connection',1,0,NULL,NULL,NULL,'2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000',NULL,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,NULL,0,1,0,'staking_payout_quiet/scheduled__era-652318__0a1b2c3d',1,1,NULL,0);
INSERT INTO "payouts" VALUES(18,'quiet','chain of quiet',652319,0,'HELD',2,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'the election window is open',0,0,NULL,NULL,NULL,'2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000',NULL,NULL,NULL,NULL,'window',0,0,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,NULL,0,NULL,0);
INSERT INTO "payouts" VALUES(19,'batches','chain of batches',652319,0,'CONFIRMED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','0','0','100000000000000000','0x92d702e08ed6aac8519a1e7b1b9e0880b1438311a65e585020d508b08ca6cb1a764e0159e0d7efd8ea0c175ab57040027080aa6096619850af67eafbea0a9789','0x94d57ccac187af6de2fa0eb0eec307c0c40c99e43cda3b5e74d491feeae2fe0a2407934485a4d87d83d0fadf46376c3645d8040de968d9bb2d5b7cd51552b58d','df106426-7589-4b86-9e96-ac797896ca6c','0xcb0572e8825f6d8f7fb6306aaf5ecea6029957f3774163a1251630b4fce53e9f','13046402','request_state',NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','staking_payout_batches/scheduled__era-652319__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,0,'staking_payout_batches/scheduled__era-652319__0a1b2c3d',1,1,NULL,0);
INSERT INTO "payouts" VALUES(20,'batches','chain of batches',652319,1,'EMPTY',3,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','1','1','100000000000000000','0x82f1f99ab8fa05e344d7002ef555e6592ee51c400e680b30e5217354f87f6455c27e7affb897c5bcfd5bc289f6641019fd29a1d49b11f9b2625829d5af2f548c','0x144c8e97847d70ff40d2865f27a10cd069ff74d137a8f8ad114e7be2d90cea1ccc4907cab0446a05b9465918da108616b743eb7506cc7917cf1183dcfddeed8e',NULL,NULL,NULL,NULL,NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000',NULL,NULL,'staking_payout_batches/scheduled__era-652319__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,0,1,0,'staking_payout_batches/scheduled__era-652319__0a1b2c3d',1,1,NULL,0);
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
