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
INSERT INTO "alert_messages" VALUES('88dba31f81f0492ca60237665c952c46','quiet','cleared','not_paid','info','[{"topic": "era:652315", "kind": "not_paid", "severity": "info", "subject": "Era 652315", "era": 652315, "cause": "Era 652315 is paid", "next_step": ""}]','2026-06-01 00:00:07.000000','staking_payout_quiet/alerts#1','[]',1,NULL,NULL,1);
INSERT INTO "alert_messages" VALUES('a67001ae37d14f0882e4b8a64b42016b','quiet','raised','not_paid','warning','[{"topic": "era:652315", "kind": "not_paid", "severity": "warning", "subject": "Era 652315", "era": 652315, "cause": "the fee is too high", "next_step": "Raise the ceiling"}]','2026-06-01 00:00:06.000000','staking_payout_quiet/alerts#1','[]',2,'2026-06-01 00:00:36.000000',NULL,1);
INSERT INTO "alert_messages" VALUES('ca3240f4718e48f6a228925b5eeb7732','quiet','raised','held','warning','[{"topic": "era:652316", "kind": "held", "severity": "warning", "subject": "Era 652316", "era": 652316, "cause": "the fee is too high", "next_step": "Raise the ceiling"}]','2026-06-01 00:00:06.000000','staking_payout_quiet/alerts#1','["operator"]',4,NULL,'2026-06-01 00:00:06.000000',1);
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
INSERT INTO "catch_up_plans" VALUES('quiet','8fb0eebaddc243e2','{"network": "quiet", "terms": {"chain": "chain of quiet", "relayer": "5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty", "user": "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY", "payer": "5FLSigC9HGRKVhB9FiEo4Y3koPsNmBmLJbpXg2mp1hXcS59Y", "parts": 1, "history_depth": 84}, "fee": "25000000000000", "pay": [{"era": 652236, "why": "never attempted", "expires_at_era": 652321, "eras_left": 1, "expiry_warning": 95}, {"era": 652237, "why": "never attempted", "expires_at_era": 652322, "eras_left": 2, "expiry_warning": 95}, {"era": 652238, "why": "never attempted", "expires_at_era": 652323, "eras_left": 3, "expiry_warning": 95}, {"era": 652239, "why": "never attempted", "expires_at_era": 652324, "eras_left": 4, "expiry_warning": 95}, {"era": 652240, "why": "never attempted", "expires_at_era": 652325, "eras_left": 5, "expiry_warning": 95}, {"era": 652241, "why": "never attempted", "expires_at_era": 652326, "eras_left": 6, "expiry_warning": 80}, {"era": 652242, "why": "never attempted", "expires_at_era": 652327, "eras_left": 7, "expiry_warning": 80}, {"era": 652243, "why": "never attempted", "expires_at_era": 652328, "eras_left": 8, "expiry_warning": 80}, {"era": 652244, "why": "never attempted", "expires_at_era": 652329, "eras_left": 9, "expiry_warning": 80}, {"era": 652245, "why": "never attempted", "expires_at_era": 652330, "eras_left": 10, "expiry_warning": 80}, {"era": 652246, "why": "never attempted", "expires_at_era": 652331, "eras_left": 11, "expiry_warning": 80}, {"era": 652247, "why": "never attempted", "expires_at_era": 652332, "eras_left": 12, "expiry_warning": 80}, {"era": 652248, "why": "never attempted", "expires_at_era": 652333, "eras_left": 13, "expiry_warning": 80}, {"era": 652249, "why": "never attempted", "expires_at_era": 652334, "eras_left": 14, "expiry_warning": 80}, {"era": 652250, "why": "never attempted", "expires_at_era": 652335, "eras_left": 15, "expiry_warning": 80}, {"era": 652251, "why": "never attempted", "expires_at_era": 652336, "eras_left": 16, "expiry_warning": 80}, {"era": 652252, "why": "never attempted", "expires_at_era": 652337, "eras_left": 17, "expiry_warning": 80}, {"era": 652253, "why": "never attempted", "expires_at_era": 652338, "eras_left": 18, "expiry_warning": 50}, {"era": 652254, "why": "never attempted", "expires_at_era": 652339, "eras_left": 19, "expiry_warning": 50}, {"era": 652255, "why": "never attempted", "expires_at_era": 652340, "eras_left": 20, "expiry_warning": 50}, {"era": 652256, "why": "never attempted", "expires_at_era": 652341, "eras_left": 21, "expiry_warning": 50}, {"era": 652257, "why": "never attempted", "expires_at_era": 652342, "eras_left": 22, "expiry_warning": 50}, {"era": 652258, "why": "never attempted", "expires_at_era": 652343, "eras_left": 23, "expiry_warning": 50}, {"era": 652259, "why": "never attempted", "expires_at_era": 652344, "eras_left": 24, "expiry_warning": 50}, {"era": 652260, "why": "never attempted", "expires_at_era": 652345, "eras_left": 25, "expiry_warning": 50}, {"era": 652261, "why": "never attempted", "expires_at_era": 652346, "eras_left": 26, "expiry_warning": 50}, {"era": 652262, "why": "never attempted", "expires_at_era": 652347, "eras_left": 27, "expiry_warning": 50}, {"era": 652263, "why": "never attempted", "expires_at_era": 652348, "eras_left": 28, "expiry_warning": 50}, {"era": 652264, "why": "never attempted", "expires_at_era": 652349, "eras_left": 29, "expiry_warning": 50}, {"era": 652265, "why": "never attempted", "expires_at_era": 652350, "eras_left": 30, "expiry_warning": 50}, {"era": 652266, "why": "never attempted", "expires_at_era": 652351, "eras_left": 31, "expiry_warning": 50}, {"era": 652267, "why": "never attempted", "expires_at_era": 652352, "eras_left": 32, "expiry_warning": 50}, {"era": 652268, "why": "never attempted", "expires_at_era": 652353, "eras_left": 33, "expiry_warning": 50}, {"era": 652269, "why": "never attempted", "expires_at_era": 652354, "eras_left": 34, "expiry_warning": 50}, {"era": 652270, "why": "never attempted", "expires_at_era": 652355, "eras_left": 35, "expiry_warning": 50}, {"era": 652271, "why": "never attempted", "expires_at_era": 652356, "eras_left": 36, "expiry_warning": 50}, {"era": 652272, "why": "never attempted", "expires_at_era": 652357, "eras_left": 37, "expiry_warning": 50}, {"era": 652273, "why": "never attempted", "expires_at_era": 652358, "eras_left": 38, "expiry_warning": 50}, {"era": 652274, "why": "never attempted", "expires_at_era": 652359, "eras_left": 39, "expiry_warning": 50}, {"era": 652275, "why": "never attempted", "expires_at_era": 652360, "eras_left": 40, "expiry_warning": 50}, {"era": 652276, "why": "never attempted", "expires_at_era": 652361, "eras_left": 41, "expiry_warning": 50}, {"era": 652277, "why": "never attempted", "expires_at_era": 652362, "eras_left": 42, "expiry_warning": 50}, {"era": 652278, "why": "never attempted", "expires_at_era": 652363, "eras_left": 43, "expiry_warning": 50}, {"era": 652279, "why": "never attempted", "expires_at_era": 652364, "eras_left": 44, "expiry_warning": null}, {"era": 652280, "why": "never attempted", "expires_at_era": 652365, "eras_left": 45, "expiry_warning": null}, {"era": 652281, "why": "never attempted", "expires_at_era": 652366, "eras_left": 46, "expiry_warning": null}, {"era": 652282, "why": "never attempted", "expires_at_era": 652367, "eras_left": 47, "expiry_warning": null}, {"era": 652283, "why": "never attempted", "expires_at_era": 652368, "eras_left": 48, "expiry_warning": null}, {"era": 652284, "why": "never attempted", "expires_at_era": 652369, "eras_left": 49, "expiry_warning": null}, {"era": 652285, "why": "never attempted", "expires_at_era": 652370, "eras_left": 50, "expiry_warning": null}, {"era": 652286, "why": "never attempted", "expires_at_era": 652371, "eras_left": 51, "expiry_warning": null}, {"era": 652287, "why": "never attempted", "expires_at_era": 652372, "eras_left": 52, "expiry_warning": null}, {"era": 652288, "why": "never attempted", "expires_at_era": 652373, "eras_left": 53, "expiry_warning": null}, {"era": 652289, "why": "never attempted", "expires_at_era": 652374, "eras_left": 54, "expiry_warning": null}, {"era": 652290, "why": "never attempted", "expires_at_era": 652375, "eras_left": 55, "expiry_warning": null}, {"era": 652291, "why": "never attempted", "expires_at_era": 652376, "eras_left": 56, "expiry_warning": null}, {"era": 652292, "why": "never attempted", "expires_at_era": 652377, "eras_left": 57, "expiry_warning": null}, {"era": 652293, "why": "never attempted", "expires_at_era": 652378, "eras_left": 58, "expiry_warning": null}, {"era": 652294, "why": "never attempted", "expires_at_era": 652379, "eras_left": 59, "expiry_warning": null}, {"era": 652295, "why": "never attempted", "expires_at_era": 652380, "eras_left": 60, "expiry_warning": null}, {"era": 652296, "why": "never attempted", "expires_at_era": 652381, "eras_left": 61, "expiry_warning": null}, {"era": 652297, "why": "never attempted", "expires_at_era": 652382, "eras_left": 62, "expiry_warning": null}, {"era": 652298, "why": "never attempted", "expires_at_era": 652383, "eras_left": 63, "expiry_warning": null}, {"era": 652299, "why": "never attempted", "expires_at_era": 652384, "eras_left": 64, "expiry_warning": null}, {"era": 652300, "why": "never attempted", "expires_at_era": 652385, "eras_left": 65, "expiry_warning": null}, {"era": 652301, "why": "never attempted", "expires_at_era": 652386, "eras_left": 66, "expiry_warning": null}, {"era": 652302, "why": "never attempted", "expires_at_era": 652387, "eras_left": 67, "expiry_warning": null}, {"era": 652303, "why": "never attempted", "expires_at_era": 652388, "eras_left": 68, "expiry_warning": null}, {"era": 652304, "why": "never attempted", "expires_at_era": 652389, "eras_left": 69, "expiry_warning": null}, {"era": 652305, "why": "never attempted", "expires_at_era": 652390, "eras_left": 70, "expiry_warning": null}, {"era": 652306, "why": "never attempted", "expires_at_era": 652391, "eras_left": 71, "expiry_warning": null}, {"era": 652307, "why": "never attempted", "expires_at_era": 652392, "eras_left": 72, "expiry_warning": null}, {"era": 652308, "why": "never attempted", "expires_at_era": 652393, "eras_left": 73, "expiry_warning": null}, {"era": 652309, "why": "never attempted", "expires_at_era": 652394, "eras_left": 74, "expiry_warning": null}, {"era": 652310, "why": "never attempted", "expires_at_era": 652395, "eras_left": 75, "expiry_warning": null}, {"era": 652311, "why": "never attempted", "expires_at_era": 652396, "eras_left": 76, "expiry_warning": null}, {"era": 652312, "why": "never attempted", "expires_at_era": 652397, "eras_left": 77, "expiry_warning": null}, {"era": 652313, "why": "never attempted", "expires_at_era": 652398, "eras_left": 78, "expiry_warning": null}, {"era": 652314, "why": "never attempted", "expires_at_era": 652399, "eras_left": 79, "expiry_warning": null}, {"era": 652316, "why": "held (HELD): the fee is 100000000000000000, more than max_fee_per_payout 1", "expires_at_era": 652401, "eras_left": 81, "expiry_warning": null}, {"era": 652317, "why": "rejected (REJECTED): proxyPayoutstakers: JSON-RPC error -32600: Invalid Request (invalid fee authorisation: feePaymentSignature is not the payer''s over this user, relayer, proxySignature, a fee of 25000000000000 and payment nonce 1)", "expires_at_era": 652402, "eras_left": 82, "expiry_warning": null}, {"era": 652318, "why": "planned; nothing was sent (PLANNED): proxyPayoutstakers: no connection", "expires_at_era": 652403, "eras_left": 83, "expiry_warning": null}, {"era": 652319, "why": "held (HELD): the election window is open", "expires_at_era": 652404, "eras_left": 84, "expiry_warning": null}], "expired": [], "hash": "8fb0eebaddc243e2", "active_era": 652320, "paid": [652315], "notes": [], "later": []}','2026-06-01 00:00:06.000000','staking_catch_up_quiet/manual__1#1');
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
INSERT INTO "payout_events" VALUES(3,1,'2026-06-01 00:00:00.000000','SIGNED','SUBMITTED',3,'accepted as 3699955e-0045-4aef-b07f-6d5c1d6b694c','staking_payout_accepted/scheduled__era-652317__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(4,1,'2026-06-01 00:00:06.000000','SUBMITTED','CONFIRMED',4,'request Processed, and the staking nonce moved','staking_payout_accepted/scheduled__era-652317__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(5,2,'2026-06-01 00:00:06.000000',NULL,'PLANNED',1,'planned','staking_payout_accepted/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(6,2,'2026-06-01 00:00:06.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 1, payment nonce 1','staking_payout_accepted/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(7,2,'2026-06-01 00:00:06.000000','SIGNED','SUBMITTED',3,'accepted as 2979c4bc-c1ed-46b9-93f2-76e1565fb8f2','staking_payout_accepted/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(8,2,'2026-06-01 00:00:12.000000','SUBMITTED','CONFIRMED',4,'request Processed, and the staking nonce moved','staking_payout_accepted/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(9,3,'2026-06-01 00:00:12.000000',NULL,'PLANNED',1,'planned','staking_payout_accepted/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(10,3,'2026-06-01 00:00:12.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 2, payment nonce 2','staking_payout_accepted/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(11,3,'2026-06-01 00:00:12.000000','SIGNED','SUBMITTED',3,'accepted as 8f976403-cfc6-4a91-b1d2-3195003982ec','staking_payout_accepted/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(12,4,'2026-06-01 00:00:00.000000',NULL,'PLANNED',1,'planned','staking_payout_executed/scheduled__era-652317__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(13,4,'2026-06-01 00:00:00.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 0, payment nonce 0','staking_payout_executed/scheduled__era-652317__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(14,4,'2026-06-01 00:00:00.000000','SIGNED','SUBMITTED',3,'accepted as 2a208316-8be0-4a9f-824f-36f6bfcaddcb','staking_payout_executed/scheduled__era-652317__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(15,4,'2026-06-01 00:00:06.000000','SUBMITTED','CONFIRMED',4,'request Processed, and the staking nonce moved','staking_payout_executed/scheduled__era-652317__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(16,5,'2026-06-01 00:00:06.000000',NULL,'PLANNED',1,'planned','staking_payout_executed/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(17,5,'2026-06-01 00:00:06.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 1, payment nonce 1','staking_payout_executed/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(18,5,'2026-06-01 00:00:06.000000','SIGNED','SUBMITTED',3,'accepted as c4022db2-5a27-451d-92ce-78812b1784e3','staking_payout_executed/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(19,5,'2026-06-01 00:00:12.000000','SUBMITTED','CONFIRMED',4,'request Processed, and the staking nonce moved','staking_payout_executed/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(20,6,'2026-06-01 00:00:12.000000',NULL,'PLANNED',1,'planned','staking_payout_executed/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(21,6,'2026-06-01 00:00:12.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 2, payment nonce 2','staking_payout_executed/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(22,6,'2026-06-01 00:00:12.000000','SIGNED','SUBMITTED',3,'accepted as f5c2a87d-2117-42d1-b3bb-29e2b9dfd9d9','staking_payout_executed/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(23,7,'2026-06-01 00:00:00.000000',NULL,'PLANNED',1,'planned','staking_payout_signed/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(24,7,'2026-06-01 00:00:00.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 0, payment nonce 0','staking_payout_signed/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(25,7,'2026-06-01 00:00:00.000000','SIGNED','SUBMITTED',3,'accepted as 9a4b1350-e1ec-4757-ab5a-313c64646839','staking_payout_signed/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(26,7,'2026-06-01 00:00:06.000000','SUBMITTED','CONFIRMED',4,'request Processed, and the staking nonce moved','staking_payout_signed/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(27,8,'2026-06-01 00:00:06.000000',NULL,'PLANNED',1,'planned','staking_payout_signed/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(28,8,'2026-06-01 00:00:06.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 1, payment nonce 1','staking_payout_signed/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(29,9,'2026-06-01 00:00:00.000000',NULL,'PLANNED',1,'planned','staking_payout_sent/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(30,9,'2026-06-01 00:00:00.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 0, payment nonce 0','staking_payout_sent/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(31,9,'2026-06-01 00:00:00.000000','SIGNED','SUBMITTED',3,'accepted as 49d4031f-9506-4ad7-ab4a-bad4402c1668','staking_payout_sent/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(32,9,'2026-06-01 00:00:06.000000','SUBMITTED','CONFIRMED',4,'request Processed, and the staking nonce moved','staking_payout_sent/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(33,10,'2026-06-01 00:00:06.000000',NULL,'PLANNED',1,'planned','staking_payout_sent/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(34,10,'2026-06-01 00:00:06.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 1, payment nonce 1','staking_payout_sent/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(35,11,'2026-06-01 00:00:00.000000',NULL,'PLANNED',1,'planned','staking_payout_lost/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(36,11,'2026-06-01 00:00:00.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 0, payment nonce 0','staking_payout_lost/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(37,11,'2026-06-01 00:00:00.000000','SIGNED','UNKNOWN',3,'sent, no usable answer: proxyPayoutstakers: reset','staking_payout_lost/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(38,12,'2026-06-01 00:00:00.000000',NULL,'PLANNED',1,'planned','staking_payout_unanswered/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(39,12,'2026-06-01 00:00:00.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 0, payment nonce 0','staking_payout_unanswered/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(40,12,'2026-06-01 00:00:00.000000','SIGNED','SUBMITTED',3,'accepted as 738e7c2b-9f87-4d6f-b597-562ef2382d9a','staking_payout_unanswered/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(41,12,'2026-06-01 00:00:06.000000','SUBMITTED','CONFIRMED',4,'request Processed, and the staking nonce moved','staking_payout_unanswered/scheduled__era-652318__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(42,13,'2026-06-01 00:00:06.000000',NULL,'PLANNED',1,'planned','staking_payout_unanswered/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(43,13,'2026-06-01 00:00:06.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 1, payment nonce 1','staking_payout_unanswered/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(44,13,'2026-06-01 00:00:06.000000','SIGNED','UNKNOWN',3,'sent, no usable answer: proxyPayoutstakers: reset','staking_payout_unanswered/scheduled__era-652319__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(45,14,'2026-06-01 00:00:00.000000',NULL,'PLANNED',1,'planned','staking_payout_quiet/scheduled__era-652315__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(46,14,'2026-06-01 00:00:00.000000','PLANNED','SIGNED',2,'signed with fee 100000000000000000, staking nonce 0, payment nonce 0','staking_payout_quiet/scheduled__era-652315__0a1b2c3d',1);
INSERT INTO "payout_events" VALUES(47,14,'2026-06-01 00:00:00.000000','SIGNED','SUBMITTED',3,'accepted as caad2e40-446a-47f4-9c7f-6577fd83a041','staking_payout_quiet/scheduled__era-652315__0a1b2c3d',1);
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
INSERT INTO "payout_events" VALUES(62,19,'2026-06-01 00:00:00.000000','SIGNED','SUBMITTED',3,'accepted as f59a8e2f-92aa-4100-ae92-c74f9edc748f','staking_payout_batches/scheduled__era-652319__0a1b2c3d',1);
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
INSERT INTO "payouts" VALUES(1,'accepted','chain of accepted',652317,0,'CONFIRMED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','0','0','100000000000000000','0x4ad18be87f163c33c0738644ecc5ed548f1cb8e551e99aa45b1c0c266f13eb3011f45ae254fb176a4e60f24f2768acbf69eabfb8344c64e0ddedbebe20bfbd8f','0x8e0f24f8cfb38f99f6c615fe3023f6d68464bbf8df784c705ba620324942a345a852e0b4b5ee1959d377895c4964a4eb2b8d10a04187d6b8baba5c10859dad89','3699955e-0045-4aef-b07f-6d5c1d6b694c','0x8b4382b531393c88fa347758a3b7e40732aee79bc0169124176924db1663182e','13046402','request_state',NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','staking_payout_accepted/scheduled__era-652317__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,0,'staking_payout_accepted/scheduled__era-652317__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(2,'accepted','chain of accepted',652318,0,'CONFIRMED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','1','1','100000000000000000','0xdaecfef780ac5ed3edfb65df529a2bc14adb17e38c53186e5d850745de8e8a25ba859ea2ba2a40ee1b007a5d9f4f7754ed99743519ae17129ade51030da4d487','0xa8ad3df46c9c040ea545cf9b30f87e0a6bb1299990e0187304786a1645cbb8124bd8c96c1bd61104867a7e73b57672fa912b0ddee74ff56a48359135869c1f81','2979c4bc-c1ed-46b9-93f2-76e1565fb8f2','0x43f4a18a73f8eb42ef07a380a76472aae42d7feefcdd4a4224d8ead01d465194','13046408','request_state',NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:06.000000','2026-06-01 00:00:12.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:12.000000','staking_payout_accepted/scheduled__era-652318__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,0,'staking_payout_accepted/scheduled__era-652318__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(3,'accepted','chain of accepted',652319,0,'SUBMITTED',3,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','2','2','100000000000000000','0x4e7804dd712718d3e6b1d9273a7d3a14af9b8ccc6db6745b56fcfaf2d0817f26410656cdc00aecb68874cbae2e0928149b4d6326050008be458c38e42d476380','0xd6a20e3ccd4f098e4a9dda7bc7599048e90a7c54c2fcca2b364c6fb68cd2ca635126633bba79d787e47d598dbb446bed827c06d05195abb87cf0daf1fac8a886','8f976403-cfc6-4a91-b1d2-3195003982ec',NULL,NULL,NULL,NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:12.000000','2026-06-01 00:00:12.000000','2026-06-01 00:00:12.000000','2026-06-01 00:00:12.000000',NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,NULL,NULL,1,0,'staking_payout_accepted/scheduled__era-652319__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(4,'executed','chain of executed',652317,0,'CONFIRMED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','0','0','100000000000000000','0xd29c66731e5d09bbb048840c1ed58b08e96ec6fbc7e1aecdf86545b381bef641cbaae87b1b49998bfd8b2d4e8e5ec2eee558a85abbe7f1d5b74d93727525b18c','0x2c215fb9b520d4108cc3d85a9165402f2c3e1b053b17e68df6ee4f4778956843305767268e65597c0ac82203833cd44498ffd5140f600a5dd052d7b028413788','2a208316-8be0-4a9f-824f-36f6bfcaddcb','0x45f27261ceba65f1adaaec69421804efa8c337cf38de0114fb9aad168f38ccce','13046402','request_state',NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','staking_payout_executed/scheduled__era-652317__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,0,'staking_payout_executed/scheduled__era-652317__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(5,'executed','chain of executed',652318,0,'CONFIRMED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','1','1','100000000000000000','0x143a918dda18ed161744f607febf88147852c02a3de099235e74d0bb2917991d191b6a708d383dc1e0aa2c5507c342735faf5bcaed6dcf52c0057c97455bab85','0x1270132b926bde1a9bab4bceacf1952995cfaad72e713c7f6539f1c079042c0e5b7b7679b921843b4b6c3ed7acd0c7b077cca5f736742be42161ff452a27738d','c4022db2-5a27-451d-92ce-78812b1784e3','0x487e0a4b97f3b7c87076aaec7f8f7dd8854338c7605661d14802a8b3da5fd0a5','13046408','request_state',NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:06.000000','2026-06-01 00:00:12.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:12.000000','staking_payout_executed/scheduled__era-652318__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,0,'staking_payout_executed/scheduled__era-652318__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(6,'executed','chain of executed',652319,0,'SUBMITTED',3,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','2','2','100000000000000000','0x74af17311b29f2f6bb4b2f72420e8d871b7a7155c13d52f1eb77383683525471196df1bd701d02f581db068e90ae42789b8a5f4722183290c299b8ebb9abed83','0xe8a2591702c6d4b65c0bfb7d0d479707956402c8f9f5fdcc739973ec6743094e08634fe9c92441c56d1c70dd07c5845d7d59b393b19a2de30fd5392a3c85ef8d','f5c2a87d-2117-42d1-b3bb-29e2b9dfd9d9',NULL,NULL,NULL,NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:12.000000','2026-06-01 00:00:12.000000','2026-06-01 00:00:12.000000','2026-06-01 00:00:12.000000',NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,NULL,NULL,1,0,'staking_payout_executed/scheduled__era-652319__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(7,'signed','chain of signed',652318,0,'CONFIRMED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','0','0','100000000000000000','0xeaba7f85ffd7af4fd93536a321af84bb477143cff3171233a3bff248ba6c1324810a839ecfca169980f1210f7e299a479b2e72c599ddb213eff420f788a7f88e','0x226c5933210a9ade8d0b87d89f5f4587f448f49cb83c17fa7e632671e97b774c598e6b2769ce45acf4124e504f306d0d7a9b0796b8092a980ec6406d0eeef384','9a4b1350-e1ec-4757-ab5a-313c64646839','0x317b24012744c04868a3d6d9b3df434fe81e366176f44dc8a6dd1801e9842b75','13046402','request_state',NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','staking_payout_signed/scheduled__era-652318__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,0,'staking_payout_signed/scheduled__era-652318__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(8,'signed','chain of signed',652319,0,'SIGNED',2,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','1','1','100000000000000000','0xc6d2400dcccd569b1e1e09f383af65f9f22e2bb285bb4bb150feb8b326b5623e7d09428771b64547b4628d3b790381edce336e27f7b7354d3a23a35201707383','0xac0e8980147bb868ea0c80ec77682e450a880046816a76417ed7c9c5f8afac454be27d272b938dc987b6284bcc20bac59e39befd23b88ff0fe310fcd29dcf88d',NULL,NULL,NULL,NULL,NULL,1,0,NULL,'10c5154c1751497abbecaad37e5c592c','2026-06-01 00:02:06.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000',NULL,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,NULL,NULL,1,0,'staking_payout_signed/scheduled__era-652319__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(9,'sent','chain of sent',652318,0,'CONFIRMED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','0','0','100000000000000000','0x08742f8e643e9f7449d5e02d24a6f93a395fea4c41f736535c9db5df8eb55641274aa0704b23fcd95cac0e6951c4a5fce0e5a8e7eca29cd407a4433c11340c80','0x86b4af978b8a7d8383dba8c7fd6c4e54da2bdd0f2465653a801676ea928b7f57e2f55c2d8dfa8793446015ad155a840ff7d27ef571cbb6aed29c33235ec2c681','49d4031f-9506-4ad7-ab4a-bad4402c1668','0x0d38e7784ec6a58aac79e6370672f6243471da0210008acff2e75a5340c2f72f','13046402','request_state',NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','staking_payout_sent/scheduled__era-652318__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,0,'staking_payout_sent/scheduled__era-652318__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(10,'sent','chain of sent',652319,0,'SIGNED',2,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','1','1','100000000000000000','0x828a166a4de2177abc42555ee1bf47baebb22cd3b80adc83dc29c4fdb4ed111fb9090978d175bc9872285f7c306431d1410326d75ce04ccacdde4e3118c5e287','0xc66062fa1d36f22dcbae0d89977feb15aaffef3ce278dbaa28a22877ac53fc53f67f326fb45167213578128cb8d9a2d91119d55a8b1a9409782ccdf22bd27c87',NULL,NULL,NULL,NULL,NULL,1,0,NULL,'d1af96d426c04e84936c824d6c7dee5a','2026-06-01 00:02:06.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000',NULL,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,NULL,NULL,1,0,'staking_payout_sent/scheduled__era-652319__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(11,'lost','chain of lost',652319,0,'UNKNOWN',3,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','0','0','100000000000000000','0xb4f729cba1646d3ed9f04f3160bf1e5e2819346b4f77ec2db06dc4270da95f790df13b43aab73d31e39278cfddf234981fa4bb1f161c809e4ca614a9aebf4f8c','0x44f81bf574228d6dd718cd92cc14cb1cf81654669ba89cd7509128fea92011086cbab0ff4e5274abfe148484595068e0541c19456296295d7f377706e7beb281',NULL,NULL,NULL,NULL,'proxyPayoutstakers: reset',1,1,'2026-06-01 00:00:00.000000',NULL,NULL,'2026-06-01 00:00:00.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:00.000000',NULL,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,NULL,NULL,1,0,'staking_payout_lost/scheduled__era-652319__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(12,'unanswered','chain of unanswered',652318,0,'CONFIRMED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','0','0','100000000000000000','0x68a3241471ec9d77f1802ec1e0d58e9be1017a4b05685ab02d659b3322e33e3ca0ebbda79b52c0ff3ba8855a233318b9a1d74f7a1d0d939f9930ebc50c50b882','0x50b6fed73a83a9d7b46e935952e831f2b480a4aa5d8e355a21d12a4861c5c102a48fc9f7befb9aa5ac0774bb6706a50f49ca3a1b5b32ee3b96dd74babbea4e86','738e7c2b-9f87-4d6f-b597-562ef2382d9a','0x6a6f69e476948801f4d42e02746a99939c954b8bd4be44be671f64fe5e65a734','13046402','request_state',NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','staking_payout_unanswered/scheduled__era-652318__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,0,'staking_payout_unanswered/scheduled__era-652318__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(13,'unanswered','chain of unanswered',652319,0,'UNKNOWN',3,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','1','1','100000000000000000','0x3ca936e866aff9ac9e067e7a9f6b2da94c861e97f28581f0e1b42348d7364641913e4fe03e9060ae8394bc80bf9f572e5fbe8b81382b000b5d70f63f294d0c8d','0xe8baf59398647e5828f51f00782fe94bab662b980780b7a2ca441f9e33e0e12811e9fc5ce42c279f1496d65cb0a62b4b38b5e6d3fcb8a354220b0a0c9550148f',NULL,NULL,NULL,NULL,'proxyPayoutstakers: reset',1,1,'2026-06-01 00:00:06.000000',NULL,NULL,'2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000',NULL,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,NULL,NULL,1,0,'staking_payout_unanswered/scheduled__era-652319__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(14,'quiet','chain of quiet',652315,0,'CONFIRMED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','0','0','100000000000000000','0x9455b7020e99b80a1c4ca01af3dc4b3f0eeb74f51d5c954830e7f6ba06e4465464c8f0782069aec6981bce30178bf0ee5a8e78ce640c79545e903b7fa3e2e880','0xd0c125ed831b1a68a46cce8b4a83265dc34f10a8a2addaebcc37b3b53dcf3d2f2ec7641e4f14c5da530ef6c7a405abdfc509a2d738cffc630a289272bfcacc82','caad2e40-446a-47f4-9c7f-6577fd83a041','0x60625e2aeb50909f52b605bc218a69d58270af1b5f74c92dbfb82c020f3f7bb8','13046402','request_state',NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','staking_payout_quiet/scheduled__era-652315__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,0,'staking_payout_quiet/scheduled__era-652315__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(15,'quiet','chain of quiet',652316,0,'HELD',2,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'the fee is 100000000000000000, more than max_fee_per_payout 1',0,0,NULL,NULL,NULL,'2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000',NULL,NULL,NULL,NULL,'fee',0,0,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,NULL,0,NULL,NULL);
INSERT INTO "payouts" VALUES(16,'quiet','chain of quiet',652317,0,'REJECTED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','1','1','100000000000000000','0x3638647a5899a898745feee8b70fc219e33b12c7701ba324d3fb2cb938479601571d9cc2c1606e0a5059f93fa0b9e2f18db5e61d2259e31268687f30c5d73d8f','0xde994529b00b7e15a8aa5548d554705b5a1ef3808a747e8bfffb3e5dee39f75674506438fb9ef57eb614cb3c9d36167c4689b833ca6b98a6d5fea2ace34fc585',NULL,NULL,NULL,NULL,'the payment nonce has moved, and the staking nonce has not; a fee was charged',1,0,NULL,NULL,NULL,'2026-06-01 00:00:06.000000','2026-06-01 00:00:07.000000','2026-06-01 00:00:06.000000',NULL,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,1,'staking_payout_quiet/scheduled__era-652317__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(17,'quiet','chain of quiet',652318,0,'PLANNED',3,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','1','1','25000000000000','0x54a20ed14a098ac44eb96a6fc25ba4d6e7a9c151e6fd14dff79b3a9bf0396c497eff06525edd4b64a8816c33a9bc47eb8c664fd353e6d51f1fd7fb04dddd1085','0x3c849c1f982351d274dfca7991dbd32e15cd71672ee8fec499c9ef1bae3984646c7e5729550bb45235c1f8a00df3771ed7bca9732373badad1d06ef6a52e708c',NULL,NULL,NULL,NULL,'proxyPayoutstakers: no connection',1,0,NULL,NULL,NULL,'2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000',NULL,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,NULL,NULL,1,0,'staking_payout_quiet/scheduled__era-652318__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(18,'quiet','chain of quiet',652319,0,'HELD',2,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'the election window is open',0,0,NULL,NULL,NULL,'2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000',NULL,NULL,NULL,NULL,'window',0,0,NULL,NULL,NULL,NULL,NULL,NULL,1,0,NULL,NULL,0,NULL,NULL);
INSERT INTO "payouts" VALUES(19,'batches','chain of batches',652319,0,'CONFIRMED',4,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','0','0','100000000000000000','0x561466a6c7757f9ce2e3df909cac34fd53adf2c770e545e78f00f49ceada2940afb35703503a6cbe8b86ee72d6a4732ba524579debae964c81151ce7c6ba9b8a','0x58bca87e90928b5bcb9475accba126c7a6b2436c4573777edeac22a2856794214604b72c1a1922af4ecef927bfa7d2b6dcac3d18acc862e55b4bb481c27fde85','f59a8e2f-92aa-4100-ae92-c74f9edc748f','0x2bb61f8f48c49940ae9e0f08dc20e494ad2642869a427648d317926369c72a8d','13046402','request_state',NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:00.000000','2026-06-01 00:00:06.000000','staking_payout_batches/scheduled__era-652319__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,1,1,0,'staking_payout_batches/scheduled__era-652319__0a1b2c3d',1,1,NULL,NULL);
INSERT INTO "payouts" VALUES(20,'batches','chain of batches',652319,1,'EMPTY',3,'0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d','0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22','0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48','1','1','100000000000000000','0xd655bf614540cab3cdd0e02cf95b911c60c573c976cf290c6716520f58f6af1c8cb00825b3e3dd2eed21b63dbbcd6f3068deb705827312fb5a3dc72ac461868d','0x3ad7cd8b14ef97ad1bd205bee025d6bdf963e2f078c74554b73aa130e593350829e6864c5e12604e1dcccb36fa08fe788b7697dff24d5674c7b42c522e34c98c',NULL,NULL,NULL,NULL,NULL,1,0,NULL,NULL,NULL,'2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000','2026-06-01 00:00:06.000000',NULL,NULL,'staking_payout_batches/scheduled__era-652319__0a1b2c3d#1',NULL,0,0,NULL,NULL,NULL,NULL,NULL,NULL,1,0,'staking_payout_batches/scheduled__era-652319__0a1b2c3d',1,1,NULL,NULL);
CREATE TABLE staking_ledger_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT staking_ledger_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "staking_ledger_version" VALUES('0005');
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
