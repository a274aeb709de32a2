# The commands of docs/quick-start.md, in its order. tests/live/test_quick_start.py runs each section as it stands.

# --8<-- [start:install]
pip install .
# --8<-- [end:install]

# --8<-- [start:environment]
export AIRFLOW_HOME="$HOME/airflow"
export AIRFLOW__CORE__LOAD_EXAMPLES=False
# --8<-- [end:environment]

# --8<-- [start:demo]
airflow staking init --demo
# --8<-- [end:demo]

# --8<-- [start:airflow]
airflow standalone
# --8<-- [end:airflow]

# --8<-- [start:look]
airflow staking eras --last 5
airflow staking doctor
# --8<-- [end:look]

# --8<-- [start:end]
kill "$(cat "$AIRFLOW_HOME/staking_simulator.pid")"
# --8<-- [end:end]

# --8<-- [start:real_connections]
airflow connections import connections.json
rm connections.json
# --8<-- [end:real_connections]

# --8<-- [start:real_look]
airflow staking doctor --network mainnet
airflow staking pay --network mainnet --max-eras 1 --dry-run
# --8<-- [end:real_look]

# --8<-- [start:real_pay]
airflow staking pay --network mainnet --eras 1391 --yes
airflow staking why --network mainnet --era 1391
# --8<-- [end:real_pay]

# --8<-- [start:real_run]
airflow dags unpause staking_payout_mainnet
airflow dags unpause staking_catch_up_mainnet
# --8<-- [end:real_run]
