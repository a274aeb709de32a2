from datetime import datetime, timedelta, timezone

from airflow.sdk import DAG, task

from staking_gateway_provider.timetables.era import EraTimetable

start = datetime(2026, 11, 20, tzinfo=timezone.utc)
with DAG("after_each_era", schedule=EraTimetable(anchor_era=1392, anchor_time=start, era_length=timedelta(days=1))):

    @task
    def close_books(partition_key=None):
        return f"era {partition_key} has ended"

    close_books()
