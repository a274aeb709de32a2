"""Finds the eras of a staking network that are owed, and pays them, the one that would be lost first in front.

One Airflow DAG per network of `include/staking.yaml`. It compares the ledger, the chain and the calendar over all eras that can still be
paid, and pays what is missing, one task per era and one after the other, within the budget. A dry run only writes the plan, with a
hash; a run that is given this hash in `approve` pays that plan or nothing. At last, what has gone wrong and what is over is told, once.
"""

from staking_gateway_provider.lineage import payouts_asset
from staking_gateway_provider.operators.alerts import StakingAlertsOperator
from staking_gateway_provider.operators.catch_up import TEMPLATES, CatchUpPlanOperator, CatchUpReportOperator
from staking_gateway_provider.operators.payout import PayoutStakersOperator
from staking_gateway_provider.parsing import catch_up_dags

for name, dag in catch_up_dags("staking_catch_up", doc_md=__doc__):
    with dag:
        plan = CatchUpPlanOperator(task_id="plan", network=name, **TEMPLATES)
        payout = PayoutStakersOperator.partial(
            task_id="payout",
            network=name,
            deferrable=True,
            max_fee_per_run=TEMPLATES["max_fees"],
            max_fee_per_payout="{{ ti.xcom_pull(task_ids='plan', key='fee_ceiling') }}",
            # Airflow starts mapped tasks in their order, and counts the deferred ones: the next era waits for this one.
            max_active_tis_per_dagrun=1,
            outlets=[payouts_asset(name)],
        ).expand(era=plan.output)
        report = CatchUpReportOperator(task_id="report", network=name, trigger_rule="all_done")
        # A teardown, so that the run is as green or red as its report; what cannot be sent, the next run sends.
        alerts = StakingAlertsOperator(task_id="alerts", network=name, retries=2).as_teardown()
        payout >> report >> alerts
