"""Look a connection up. The error about a missing connection names the field that asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airflow.sdk import BaseHook
from airflow.sdk.exceptions import AirflowNotFoundException

from staking_gateway.errors import ConnectionMissing
from staking_gateway.problem import connection

if TYPE_CHECKING:
    from airflow.sdk import Connection


def find_connection(field: str, conn_id: str) -> Connection:
    """A connection by its id.

    :param field: the argument or extra with the id.
    :raises ConnectionMissing: there is no such connection; the text names the field.
    """
    try:
        return BaseHook.get_connection(conn_id)
    except AirflowNotFoundException as missing:
        raise _missing(field, conn_id, missing) from None


async def afind_connection(field: str, conn_id: str) -> Connection:
    """The same inside an event loop."""
    try:
        return await BaseHook.aget_connection(conn_id)
    except AirflowNotFoundException as missing:
        raise _missing(field, conn_id, missing) from None


def _missing(field: str, conn_id: str, missing: AirflowNotFoundException) -> ConnectionMissing:
    return ConnectionMissing(field, str(missing), connection(conn_id))
