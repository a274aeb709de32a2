-- As a superuser: a login that will own the ledger's tables, and a database nobody else can enter.
CREATE ROLE staking_ledger LOGIN PASSWORD '...';
CREATE DATABASE staking_ledger OWNER staking_ledger;
REVOKE ALL ON DATABASE staking_ledger FROM PUBLIC;
