-- Makes a PostgreSQL user and a database of the same name, closed to all other users; or brings them to that state. In a database that
-- is there already, its owner and whom you have granted it to by name keep their way in. `name` is the user's and the database's, `file`
-- the one its password is in, a single line:
--   psql --set ON_ERROR_STOP=1 --set name=staking_ledger --set file=./ledger_password --file deploy/database.sql
-- Whoever runs it has to be a superuser: nobody else can keep the password out of the server's log. Where the server has none, make both
-- by hand, and set the password with psql's \password, which sends no password but a hash.
\set ON_ERROR_STOP on
\set VERBOSITY terse
\if :{?name}
\else
DO $$BEGIN RAISE 'Nothing was changed: no name is given. Add --set name=staking_ledger'; END$$;
\endif
\if :{?file}
\else
DO $$BEGIN RAISE 'Nothing was changed: no file is given. Add --set file=, with the path of the file the password is in'; END$$;
\endif
-- What reads secrets elsewhere takes all newlines off the end, psql takes one: so more than one is refused, and any other line end.
\set sound `LC_ALL=C awk '/[[:cntrl:]]/ { bad = 1 } { rest = $0 } END { print NR == 1 && rest != "" && !bad ? "true" : "false" }' <:'file' || echo false`
\if :sound
\else
DO $$BEGIN RAISE 'Nothing was changed: the file of the password is missing, empty or not a single line that ends in at most one newline. Write the password into it with printf %%s'; END$$;
\endif
SELECT count(*) = 0 AS allowed FROM pg_roles WHERE rolname = :'name' AND (rolsuper OR rolname IN (current_user, session_user)) \gset
\if :allowed
\else
DO $$BEGIN RAISE 'Nothing was changed: name is a superuser or the user you run this as, who would be locked out. Choose another name'; END$$;
\endif

-- The password is in a statement: whatever would log statements is told not to.
SET log_min_error_statement = panic;
SET log_statement = none;
SET log_min_duration_statement = -1;
SET log_min_duration_sample = -1;
SET log_transaction_sample_rate = 0;
SET pg_stat_statements.track_utility = off;
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
