"""Pays every era of a staking network when the chain reports its end, instead of by the calendar.

Two DAGs per network of `include/staking.yaml`. `staking_eras_<network>` turns the eras that the network's watcher announces into
partitions of an asset. `staking_events_<network>` runs once per partition and pays the era, with the tasks of `staking_payout.py`.
It can also be triggered by hand, with an era as the partition key.
"""

# mypy: ignore-errors
from typing import Any

from airflow.sdk import Asset, AssetWatcher, PartitionedAssetTimetable, task

from staking_gateway_provider.dags import staking_networks
from staking_gateway_provider.lineage import payouts_asset, statuses_asset
from staking_gateway_provider.operators.era import EraReportOperator, PreviousEraOperator
from staking_gateway_provider.operators.payout import PayoutStakersOperator
from staking_gateway_provider.operators.status import StakingStatusOperator
from staking_gateway_provider.sensors.election import ElectionWindowClosedSensor
from staking_gateway_provider.triggers.era import NewEraTrigger, new_partition_keys


def pass_on_eras(new_era: Asset, ended_era: Asset) -> None:
    """Events of a watcher have no partition key: pass their eras on in events with one."""

    @task(inlets=[new_era, ended_era], outlets=[ended_era])
    def pass_on(*, inlet_events: Any, outlet_events: Any) -> None:
        announced = inlet_events[new_era].ascending(False).limit(500)
        passed_on = inlet_events[ended_era].ascending(False).limit(1000)
        outlet_events[ended_era].add_partitions(new_partition_keys(announced, passed_on))

    pass_on()


for network in staking_networks():
    name, config = network.name, network.config
    trigger = NewEraTrigger(
        gateway_conn_id=config.gateway_conn_id,
        poll_interval=config.timing.poll_interval.total_seconds(),
        history_depth=config.history_depth,
        network=name,
    )
    watcher = AssetWatcher(name=f"{name}_eras", trigger=trigger)
    new_era = Asset(name=f"{name}_new_era", uri=f"staking://{name}/new_era", watchers=[watcher])
    ended_era = Asset(name=f"{name}_ended_era", uri=f"staking://{name}/ended_era")

    with network.dag(f"staking_eras_{name}", schedule=[new_era], max_active_runs=1, doc_md=__doc__):
        pass_on_eras(new_era, ended_era)

    schedule = PartitionedAssetTimetable(assets=ended_era)
    with network.dag(f"staking_events_{name}", schedule=schedule, max_active_runs=8, doc_md=__doc__):
        wait = ElectionWindowClosedSensor(task_id="wait_for_window", network=name)
        era = PreviousEraOperator(task_id="previous_era", network=name)
        pay = PayoutStakersOperator(task_id="payout", network=name, era=era.output, outlets=[payouts_asset(name)])
        accounts = StakingStatusOperator(
            task_id="staking_status",
            network=name,
            era=era.output,
            outlets=[statuses_asset(name)],
            trigger_rule="all_done",
        )
        report = EraReportOperator(task_id="report", network=name, era=era.output)
        wait >> era >> pay >> accounts >> report
