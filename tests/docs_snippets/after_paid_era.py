# ruff: noqa: I001, T201
# --8<-- [start:page]
from airflow.sdk import PartitionedAssetTimetable, dag, task
from staking_gateway_provider.dags import payouts_asset


@dag(schedule=PartitionedAssetTimetable(assets=payouts_asset("devnet")))
def after_paid_era():
    @task
    def book(triggering_asset_events=None):
        for events in triggering_asset_events.values():
            for event in events:
                print(f"era {event.extra['era']} is paid: {event.extra['transactions']}")

    book()


after_paid_era()
# --8<-- [end:page]
