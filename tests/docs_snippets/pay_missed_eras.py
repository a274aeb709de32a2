from datetime import timedelta

from airflow.sdk import DAG

from staking_gateway_provider.operators.catch_up import CatchUpPlanOperator, CatchUpReportOperator
from staking_gateway_provider.operators.payout import PayoutStakersOperator

with DAG("pay_missed_eras", schedule=timedelta(hours=6), max_active_runs=1):
    plan = CatchUpPlanOperator(task_id="plan", network="devnet", max_eras=10)
    payout = PayoutStakersOperator.partial(
        task_id="payout", network="devnet", deferrable=True, max_active_tis_per_dagrun=8
    ).expand(era=plan.output)
    payout >> CatchUpReportOperator(task_id="report", network="devnet", trigger_rule="all_done")
