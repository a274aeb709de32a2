-- Once, as a superuser, in the ledger's database: psql --dbname staking_ledger. The login staking_ledger owns its tables.
CREATE ROLE staking_worker LOGIN PASSWORD '...';
CREATE ROLE staking_page LOGIN PASSWORD '...';
CREATE ROLE staking_report LOGIN PASSWORD '...';
GRANT CONNECT ON DATABASE staking_ledger TO staking_worker, staking_page, staking_report;
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE, CREATE ON SCHEMA public TO staking_ledger;
GRANT USAGE ON SCHEMA public TO staking_worker, staking_page, staking_report;
