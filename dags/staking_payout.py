"""Pays every era of a staking network exactly once.

One Airflow DAG per network of `include/staking.yaml`, one run per era. A run waits until its era has ended and the election window is closed,
pays the era, checks the staking status of every account, also after a failed payout, reports, and sends alerts. It is green only when the
era is paid and every account is in the right state. A run triggered by hand pays the *Era* of its form, or the era before the active one.
"""

from staking_gateway_provider.dags import payouts_asset, staking_networks, statuses_asset
from staking_gateway_provider.operators.era import EraReportOperator, PreviousEraOperator
from staking_gateway_provider.operators.payout import PayoutStakersOperator
from staking_gateway_provider.operators.status import StakingStatusOperator
from staking_gateway_provider.sensors.election import ElectionWindowClosedSensor

for network in staking_networks():
    name, statuses = network.name, [statuses_asset(network.name)]
    with network.payout_dag(doc_md=__doc__) as dag:
        wait = ElectionWindowClosedSensor(task_id="wait_for_window", network=name)
        era = PreviousEraOperator(task_id="previous_era", network=name)
        # Nobody reads what these return: the XComs `outcome` and `report` hold it, and the ledger.
        unread = {"network": name, "era": era.output, "do_xcom_push": False}
        pay = PayoutStakersOperator(task_id="payout", outlets=[payouts_asset(name)], **unread)
        accounts = StakingStatusOperator(task_id="staking_status", outlets=statuses, trigger_rule="all_done", **unread)
        report = EraReportOperator(task_id="report", **unread)
        wait >> era >> pay >> accounts >> report
