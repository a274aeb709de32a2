"""Pays every era of a staking network exactly once.

One Airflow DAG per network of `include/staking.yaml`, one run per era. A run waits until its era has ended and the election window is
closed. It pays the era, checks the staking status of every configured account, reports, and sends alerts. The accounts are checked
even when the payout failed. The run is green only when the era is paid and every account is in the right state. A run triggered
by hand pays the *Era* of its form or its partition key; with both empty, the era before the active one.
"""

from staking_gateway_provider.lineage import payouts_asset, statuses_asset
from staking_gateway_provider.operators.era import EraReportOperator, PreviousEraOperator
from staking_gateway_provider.operators.payout import PayoutStakersOperator
from staking_gateway_provider.operators.status import StakingStatusOperator
from staking_gateway_provider.parsing import network_dags
from staking_gateway_provider.sensors.election import ElectionWindowClosedSensor

for name, dag in network_dags("staking_payout", doc_md=__doc__):
    with dag:
        wait = ElectionWindowClosedSensor(
            task_id="wait_for_window",
            task_display_name="Wait for the closed window",
            doc_md="Waits until the era has ended and the election window is closed. It needs no worker while it waits.",
            network=name,
            deferrable=True,
            start_from_trigger=True,
        )
        era = PreviousEraOperator(
            task_id="previous_era",
            task_display_name="Find the era",
            doc_md="Returns the era to pay: the run's era, or the era before the active era.",
            network=name,
        )
        payout = PayoutStakersOperator(
            task_id="payout",
            task_display_name="Pay the era",
            doc_md="Signs the payout, sends it, and waits for its confirmation. It needs no worker while it waits.",
            network=name,
            era=era.output,
            deferrable=True,
            # The XCom `outcome` holds what it returns. Each XCom is a row of Airflow's database.
            do_xcom_push=False,
            outlets=[payouts_asset(name)],
        )
        statuses = StakingStatusOperator(
            task_id="staking_status",
            task_display_name="Check the accounts",
            doc_md="Checks the staking status of all watched accounts, also after a failed payout.",
            network=name,
            era=era.output,
            do_xcom_push=False,
            trigger_rule="all_done",
            outlets=[statuses_asset(name)],
        )
        report = EraReportOperator(
            task_id="report",
            task_display_name="Report the era",
            doc_md="Sets the state of the run: red when the era is unpaid, or an account is in the wrong state. Then sends the alerts.",
            network=name,
            era=era.output,
            send_alerts=True,
            do_xcom_push=False,
            trigger_rule="all_done",
        )
        wait >> era >> payout >> statuses >> report
