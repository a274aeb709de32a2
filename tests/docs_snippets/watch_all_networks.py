from datetime import timedelta

from airflow.sdk import DAG

from staking_gateway_provider.operators.watch import StakingWatchOperator

with DAG("watch_every_minute", schedule=timedelta(minutes=1), max_active_runs=1):
    StakingWatchOperator(task_id="watch")
