"""What Airflow loads through the `airflow.plugins` entry point."""

from __future__ import annotations

from airflow.plugins_manager import AirflowPlugin

from staking_gateway_provider.timetables.era import EraTimetable
from staking_gateway_provider.timetables.mapper import EraMapper


class StakingGatewayPlugin(AirflowPlugin):
    """Registers what Airflow needs to store a DAG that uses it: the timetable, and the mapper of events."""

    name = "staking_gateway"
    timetables = [EraTimetable]  # noqa: RUF012 - the shape Airflow declares
    partition_mappers = [EraMapper]  # noqa: RUF012 - the shape Airflow declares
