from airflow.sdk import DAG, Param

from staking_gateway_provider.operators.payout import PayoutStakersOperator

with DAG("pay_one_era", params={"era": Param(type="integer", minimum=0, title="Era")}):
    PayoutStakersOperator(task_id="payout", network="devnet", era="{{ params.era }}", deferrable=True)
