"""Somebody else's DAG, which runs once for each era that is paid and whose statuses are stored."""

from airflow.sdk import DAG, PartitionedAssetTimetable, task

from staking_gateway_provider.dags import payouts_asset, statuses_asset

with DAG("consumer", schedule=PartitionedAssetTimetable(assets=payouts_asset("watched") & statuses_asset("watched"))):

    @task
    def take(*, partition_key=None, triggering_asset_events):
        return {
            "era": partition_key,
            "events": {asset.uri: events[0].extra for asset, events in triggering_asset_events.items()},
        }

    take()
