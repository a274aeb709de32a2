"""Pays every era of a staking network exactly once.

One Airflow DAG per network of `include/staking.yaml`, one run per era. A run waits until its era has ended and the election window is
closed. It pays the era, checks the staking status of every configured account, reports, and sends alerts. The accounts are checked
even when the payout failed. The run is green only when the era is paid and every account is in the right state. A run triggered
without a partition key pays the era before the active one.
"""

from staking_gateway_provider.lineage import payouts_asset, statuses_asset
from staking_gateway_provider.operators.alerts import StakingAlertsOperator
from staking_gateway_provider.operators.era import EraReportOperator, PreviousEraOperator
from staking_gateway_provider.operators.payout import PayoutStakersOperator
from staking_gateway_provider.operators.status import StakingStatusOperator, StatusesStoredOperator
from staking_gateway_provider.parsing import network_dags
from staking_gateway_provider.sensors.election import ElectionWindowClosedSensor

for name, chunks, dag in network_dags("staking_payout", doc_md=__doc__):
    with dag:
        wait = ElectionWindowClosedSensor(task_id="wait_for_window", network=name, deferrable=True)
        era = PreviousEraOperator(task_id="previous_era", network=name)
        payout = PayoutStakersOperator(
            task_id="payout", network=name, era=era.output, deferrable=True, outlets=[payouts_asset(name)]
        )
        statuses = StakingStatusOperator.partial(
            task_id="staking_status", network=name, era=era.output, trigger_rule="all_done"
        ).expand(chunk=chunks)
        stored = StatusesStoredOperator(
            task_id="statuses_stored", network=name, era=era.output, outlets=[statuses_asset(name)]
        )
        report = EraReportOperator(task_id="report", network=name, era=era.output, trigger_rule="all_done")
        # A teardown, so that the report alone decides the run's state. The next run sends unsent alerts.
        alerts = StakingAlertsOperator(task_id="alerts", network=name, era=era.output, retries=2).as_teardown()
        wait >> era >> payout >> statuses >> stored >> report >> alerts
