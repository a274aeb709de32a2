from airflow.sdk import DAG

from staking_gateway_provider.operators.era import PreviousEraOperator
from staking_gateway_provider.operators.payout import PayoutStakersOperator

with DAG("pay_newest_era"):
    era = PreviousEraOperator(task_id="previous_era", network="devnet")
    PayoutStakersOperator(task_id="payout", network="devnet", era=era.output, deferrable=True)
