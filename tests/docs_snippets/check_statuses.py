from airflow.sdk import DAG, task

from staking_gateway_provider.operators.status import StakingStatusOperator

with DAG("check_statuses", schedule="@hourly"):
    statuses = StakingStatusOperator(task_id="staking_status", network="devnet")

    @task
    def require_staking(counts):
        if counts["not_staking"]:
            raise ValueError(f"{counts['not_staking']} accounts are not staking")

    require_staking(statuses.output)
