"""Where alerts go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airflow.sdk import BaseHook

from staking_gateway_provider.connections import ConnectionFields
from staking_gateway_provider.doctor.findings import Finding, ok

if TYPE_CHECKING:
    from collections.abc import Iterator

    from staking_gateway_provider.doctor.case import Case


def check_alerts(case: Case) -> Iterator[Finding]:
    """The connection they are sent through exists, where one is named. Nothing is sent."""
    conn_id = case.config.alerts.webhook_conn_id
    if conn_id is None:
        return
    from staking_gateway_provider.notifications.webhook import CONN_TYPE, EXTRAS

    connection = BaseHook.get_connection(conn_id)
    fields = ConnectionFields(connection, CONN_TYPE, EXTRAS)
    if not connection.host:
        raise fields.refused("host", "is empty", "Set Host to the address alerts are posted to")
    yield ok(f"{conn_id} can be used")
