"""Finds the unpaid eras of a staking network, and pays them, soonest to expire first.

One Airflow DAG per network of `include/staking.yaml`. It compares the ledger, the chain and the calendar over all eras that can still be
paid. It pays the unpaid eras within the budget, one task after the other, and sends alerts. A dry run only writes the plan, with a
hash. A run with this hash in `approve` pays exactly that plan, or nothing. At the end it compares the ledger with gateway and chain.
"""

from staking_gateway_provider.lineage import payouts_asset
from staking_gateway_provider.operators.catch_up import TEMPLATES, CatchUpPlanOperator, CatchUpReportOperator
from staking_gateway_provider.operators.payout import PayoutStakersOperator
from staking_gateway_provider.operators.reconcile import ReconcileOperator
from staking_gateway_provider.parsing import catch_up_dags

for name, dag in catch_up_dags("staking_catch_up", doc_md=__doc__):
    with dag:
        plan = CatchUpPlanOperator(
            task_id="plan",
            task_display_name="Plan the catch-up",
            doc_md="Compares ledger, chain and calendar, and returns the unpaid eras, soonest to expire first.",
            network=name,
            **TEMPLATES,
        )
        payout = PayoutStakersOperator.partial(
            task_id="payout",
            task_display_name="Pay the eras",
            doc_md="Sends one era after the other. It needs no worker while it waits for a confirmation.",
            network=name,
            deferrable=True,
            # The XCom `outcome` holds what it returns. Each XCom is a row of Airflow's database.
            do_xcom_push=False,
            max_fee_per_run=TEMPLATES["max_fees"],
            approve=TEMPLATES["approve"],
            max_fee_per_payout="{{ ti.xcom_pull(task_ids='plan', key='fee_ceiling') }}",
            # Airflow starts mapped tasks in order, and counts deferred tasks too. One era is sent at a time; the others wait for finality.
            max_active_tis_per_dagrun=8,
            outlets=[payouts_asset(name)],
        ).expand(era=plan.output)
        report = CatchUpReportOperator(
            task_id="report",
            task_display_name="Report the catch-up",
            doc_md="Sets the state of the run: red when an era is still unpaid, or has newly expired. Then sends the alerts.",
            network=name,
            send_alerts=True,
            do_xcom_push=False,
            trigger_rule="all_done",
        )
        # A teardown: a difference is told by page, alert and this task, and a run that has paid everything stays green.
        compare = ReconcileOperator(
            task_id="reconcile",
            task_display_name="Compare with the chain",
            doc_md="Compares ledger, gateway and chain. Red when they disagree; skipped without a node of the chain.",
            network=name,
        ).as_teardown()
        payout >> report >> compare
