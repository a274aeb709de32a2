# The commands of docs/quick-start.md, in its order. tests/recovery/test_quick_start.py runs each section as it stands.

# --8<-- [start:install]
make wheel
pip install dist/airflow_provider_staking_gateway-*.whl
# --8<-- [end:install]

# --8<-- [start:environment]
export AIRFLOW_HOME="$HOME/airflow"
export STAKING_GATEWAY_CONFIG="$AIRFLOW_HOME/staking.yaml"
export AIRFLOW__CORE__LOAD_EXAMPLES=False
# --8<-- [end:environment]

# --8<-- [start:files]
mkdir -p "$AIRFLOW_HOME/dags"
cp dags/staking_*.py "$AIRFLOW_HOME/dags/"
cp include/staking.yaml "$STAKING_GATEWAY_CONFIG"
airflow db migrate
# --8<-- [end:files]

# --8<-- [start:simulator]
airflow staking simulator --port 8650 --state "$AIRFLOW_HOME/simulator.db"
# --8<-- [end:simulator]

# --8<-- [start:connections]
airflow connections add staking_gateway_default --conn-type staking_gateway \
    --conn-host http://127.0.0.1:8650 --conn-password simulator-token
airflow connections add staking_signer_user --conn-type staking_signer \
    --conn-login 5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY --conn-password //Alice
airflow connections add staking_signer_payer --conn-type staking_signer \
    --conn-login 5FLSigC9HGRKVhB9FiEo4Y3koPsNmBmLJbpXg2mp1hXcS59Y --conn-password //Charlie
# --8<-- [end:connections]

# --8<-- [start:first_payout]
airflow staking catch-up --network devnet
airflow staking eras --network devnet --last 5
# --8<-- [end:first_payout]

# --8<-- [start:airflow]
airflow standalone
# --8<-- [end:airflow]

# --8<-- [start:unpause]
airflow dags unpause staking_payout_devnet
airflow dags unpause staking_catch_up_devnet
airflow staking doctor --network devnet
# --8<-- [end:unpause]

# --8<-- [start:real_connections]
airflow connections import connections.json
rm connections.json
# --8<-- [end:real_connections]

# --8<-- [start:real_look]
airflow staking doctor --network mainnet
airflow staking plan --network mainnet --max-eras 1
# --8<-- [end:real_look]

# --8<-- [start:real_pay]
airflow staking pay --network mainnet --era 1391
airflow staking ledger history --network mainnet --era 1391
# --8<-- [end:real_pay]

# --8<-- [start:real_run]
airflow dags unpause staking_payout_mainnet
airflow dags unpause staking_catch_up_mainnet
# --8<-- [end:real_run]
