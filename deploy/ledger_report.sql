-- Once, as a superuser, in the ledger's database: psql --dbname staking_ledger. The login reads the views, and no table.
CREATE ROLE staking_report LOGIN PASSWORD '...';
GRANT CONNECT ON DATABASE staking_ledger TO staking_report;
GRANT USAGE ON SCHEMA public TO staking_report;
GRANT SELECT ON staking_eras, staking_payouts, staking_fees, staking_rewards, staking_statuses, staking_reconciliation TO staking_report;
