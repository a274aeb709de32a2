from datetime import timedelta

from airflow.sdk import DAG

from staking_gateway_provider.operators.alerts import StakingAlertsOperator

with DAG("watch_devnet", schedule=timedelta(minutes=15), max_active_runs=1):
    StakingAlertsOperator(task_id="alerts", network="devnet", retries=2)
