"""Finds the unpaid eras of a staking network, and pays them, soonest to expire first.

One Airflow DAG per network of `include/staking.yaml`. It compares the ledger, the chain and the calendar over all eras that can still be
paid. It pays the unpaid eras within the budget, one after the other, and sends alerts. A dry run only writes the plan, with a hash. A run
with this hash in `approve` pays exactly that plan, or nothing. At the end it compares the ledger with gateway and chain.
"""

from staking_gateway_provider.dags import payouts_asset, staking_networks
from staking_gateway_provider.operators.catch_up import CatchUpPlanOperator, CatchUpReportOperator
from staking_gateway_provider.operators.payout import PayoutStakersOperator
from staking_gateway_provider.operators.reconcile import ReconcileOperator

for network in staking_networks():
    name = network.name
    with network.catch_up_dag(doc_md=__doc__) as dag:
        plan = CatchUpPlanOperator(task_id="plan", network=name)
        # Airflow starts mapped tasks in order, and counts deferred tasks too. One era is sent at a time; the others wait for finality.
        pay = PayoutStakersOperator.partial(
            task_id="payout",
            network=name,
            outlets=[payouts_asset(name)],
            max_active_tis_per_dagrun=8,
            do_xcom_push=False,
        ).expand(era=plan.output)
        report = CatchUpReportOperator(task_id="report", network=name)
        # A teardown: a difference is told by page, alert and this task, and a run that has paid everything stays green.
        pay >> report >> ReconcileOperator(task_id="reconcile", network=name).as_teardown()
