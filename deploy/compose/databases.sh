#!/bin/bash
# Makes a user and a database for Airflow's metadata, and another pair for the payout ledger. It runs at every start and sets each
# password to what its secret says, so a password is changed by changing the file.
set -euo pipefail

export PGHOST=postgres PGUSER=postgres PGDATABASE=postgres PGCONNECT_TIMEOUT=10
PGPASSWORD="$(cat /run/secrets/postgres_password)"
export PGPASSWORD

run() { psql --quiet --no-psqlrc --set ON_ERROR_STOP=1 "$@"; }

pair() { # name, secret
    run --set name="$1" --set file="/run/secrets/$2" --file /opt/database.sql
}

pair airflow metadata_password
pair staking_ledger ledger_password
run --command 'REVOKE ALL ON DATABASE postgres, template1 FROM PUBLIC'
