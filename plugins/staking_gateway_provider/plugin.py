"""What Airflow loads through the `airflow.plugins` entry point."""

from __future__ import annotations

from airflow.plugins_manager import AirflowPlugin

from staking_gateway_provider.timetables.era import EraTimetable


class StakingGatewayPlugin(AirflowPlugin):
    """Registers the timetable, which Airflow needs to store a DAG that uses it."""

    name = "staking_gateway"
    timetables = [EraTimetable]  # noqa: RUF012 - the shape Airflow declares
