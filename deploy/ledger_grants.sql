-- As the login that owns the ledger's tables, in its database, after `airflow staking ledger upgrade`.
REVOKE ALL ON ALL TABLES IN SCHEMA public FROM PUBLIC, staking_worker, staking_page, staking_report;

-- Workers: every task that pays, checks accounts or sends alerts. They can add to the history of a payout, and never change it.
GRANT SELECT ON staking_ledger_version, ledger_identity TO staking_worker;
GRANT UPDATE (server, timeline) ON ledger_identity TO staking_worker;
GRANT SELECT, INSERT, UPDATE ON payouts, account_statuses, active_eras, catch_up_plans, alerts, alert_messages, era_facts, account_rewards,
    reconciliations TO staking_worker;
GRANT SELECT, INSERT, UPDATE, DELETE ON task_failures TO staking_worker;
GRANT DELETE ON account_statuses TO staking_worker;
GRANT SELECT ON staking_eras, staking_payouts, staking_fees, staking_rewards, staking_statuses, staking_reconciliation TO staking_worker;
GRANT SELECT, INSERT ON payout_events, payout_copies, payout_sends, payout_sightings, ledger_marks, era_notices, calendar_anchors
    TO staking_worker;
GRANT UPDATE (chain) ON payout_copies TO staking_worker;
GRANT UPDATE (answer, answered_at, text, request_id, status, read_at, rejected_at, block_number, tx_hash) ON payout_sends TO staking_worker;
GRANT USAGE ON SEQUENCE payouts_id_seq, payout_events_id_seq, payout_copies_id_seq, payout_sightings_id_seq, ledger_marks_id_seq TO staking_worker;

-- The Staking page and `airflow staking export`: they read; the page also keeps the plan that it shows.
GRANT SELECT ON staking_ledger_version, ledger_identity, payouts, payout_events, payout_copies, payout_sends, payout_sightings, ledger_marks,
    account_statuses, active_eras, era_notices, calendar_anchors, task_failures, era_facts, account_rewards, reconciliations TO staking_page;
GRANT SELECT ON staking_eras, staking_payouts, staking_fees, staking_rewards, staking_statuses, staking_reconciliation TO staking_page;
GRANT SELECT, INSERT, UPDATE ON catch_up_plans TO staking_page;

-- Reports of your own: the views for data teams, and no table. They hold no signature.
GRANT SELECT ON staking_eras, staking_payouts, staking_fees, staking_rewards, staking_statuses, staking_reconciliation TO staking_report;
