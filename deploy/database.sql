-- Makes a PostgreSQL user and a database of the same name, which no other user but the superuser can reach; or brings them to that
-- state. `name` is the user's and the database's, `file` the one its password is in:
--   psql --set ON_ERROR_STOP=1 --set name=staking_ledger --set file=./ledger_password --file deploy/database.sql
SET log_min_error_statement = panic; -- a statement that fails would be logged, and one below holds the password
\set password `cat :'file'`
SELECT format('CREATE ROLE %I', :'name') WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = :'name') \gexec
ALTER ROLE :"name" WITH LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD :'password';
SELECT format($$CREATE DATABASE %I TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8'$$, :'name')
    WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = :'name') \gexec
REVOKE ALL ON DATABASE :"name" FROM PUBLIC;
GRANT CONNECT ON DATABASE :"name" TO :"name";
\connect :"name"
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE, CREATE ON SCHEMA public TO :"name";
