"""Pays every era of a staking network when the chain reports its end, instead of by the calendar.

Two DAGs per network of `include/staking.yaml`. `staking_eras_<network>` turns the eras that the network's watcher announces into
partitions of an asset. `staking_events_<network>` runs once per partition and pays the era, with the tasks of `staking_payout.py`.
It can also be triggered by hand, with an era as the partition key.
"""

# mypy: ignore-errors
from typing import Any

from airflow.sdk import DAG, Asset, AssetWatcher, PartitionedAssetTimetable, task

from staking_gateway_provider.lineage import payouts_asset, statuses_asset
from staking_gateway_provider.operators.era import EraReportOperator, PreviousEraOperator
from staking_gateway_provider.operators.payout import PayoutStakersOperator
from staking_gateway_provider.operators.status import StakingStatusOperator
from staking_gateway_provider.parsing import DEFAULT_ARGS, enabled_networks
from staking_gateway_provider.sensors.election import ElectionWindowClosedSensor
from staking_gateway_provider.triggers.era import NewEraTrigger, new_partition_keys

ARGUMENTS: dict[str, Any] = {"default_args": DEFAULT_ARGS, "doc_md": __doc__}


def pass_on_eras(new_era: Asset, ended_era: Asset) -> None:
    """Events of a watcher have no partition key: pass their eras on in events with one."""

    @task(inlets=[new_era, ended_era], outlets=[ended_era])
    def pass_on(*, inlet_events: Any, outlet_events: Any) -> None:
        announced = inlet_events[new_era].ascending(False).limit(500)
        passed_on = inlet_events[ended_era].ascending(False).limit(1000)
        outlet_events[ended_era].add_partitions(new_partition_keys(announced, passed_on))

    pass_on()


for name, network in enabled_networks():
    trigger = NewEraTrigger(
        gateway_conn_id=network.gateway_conn_id,
        poll_interval=network.timing.poll_interval.total_seconds(),
        history_depth=network.history_depth,
        network=name,
    )
    watcher = AssetWatcher(name=f"{name}_eras", trigger=trigger)
    new_era = Asset(name=f"{name}_new_era", uri=f"staking://{name}/new_era", watchers=[watcher])
    ended_era = Asset(name=f"{name}_ended_era", uri=f"staking://{name}/ended_era")

    with DAG(f"staking_eras_{name}", schedule=[new_era], max_active_runs=1, tags=["staking", name], **ARGUMENTS):
        pass_on_eras(new_era, ended_era)

    schedule = PartitionedAssetTimetable(assets=ended_era)
    with DAG(f"staking_events_{name}", schedule=schedule, max_active_runs=8, tags=["staking", name], **ARGUMENTS):
        wait = ElectionWindowClosedSensor(
            task_id="wait_for_window",
            network=name,
            timeout=network.timing.window_timeout.total_seconds(),
            deferrable=True,
            start_from_trigger=True,
        )
        era = PreviousEraOperator(task_id="previous_era", network=name)
        payout = PayoutStakersOperator(
            task_id="payout", network=name, era=era.output, deferrable=True, outlets=[payouts_asset(name)]
        )
        statuses = StakingStatusOperator(
            task_id="staking_status",
            network=name,
            era=era.output,
            trigger_rule="all_done",
            outlets=[statuses_asset(name)],
        )
        report = EraReportOperator(
            task_id="report", network=name, era=era.output, send_alerts=True, trigger_rule="all_done"
        )
        wait >> era >> payout >> statuses >> report
