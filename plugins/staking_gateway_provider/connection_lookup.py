"""Look a connection up. The error about a missing connection names the field that asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airflow.sdk import BaseHook
from airflow.sdk.exceptions import AirflowNotFoundException

if TYPE_CHECKING:
    from airflow.sdk import Connection


REMEDY = "Create this connection in Admin > Connections, or correct its name"


def find_connection(field: str, conn_id: str) -> Connection:
    """A connection by its id.

    :param field: the argument or extra with the id.
    :raises AirflowNotFoundException: there is no such connection; the text names the field.
    """
    try:
        return BaseHook.get_connection(conn_id)
    except AirflowNotFoundException as missing:
        raise _explained(field, missing) from None


async def afind_connection(field: str, conn_id: str) -> Connection:
    """The same inside an event loop."""
    try:
        return await BaseHook.aget_connection(conn_id)
    except AirflowNotFoundException as missing:
        raise _explained(field, missing) from None


def _explained(field: str, missing: AirflowNotFoundException) -> AirflowNotFoundException:
    # Airflow's own class: Airflow raises it also when a secrets backend does not answer, so the task is tried again.
    return AirflowNotFoundException(f"{field}: {missing}. {REMEDY}")


def problem_of(missing: AirflowNotFoundException) -> str:
    """The problem without its remedy."""
    return str(missing).removesuffix(f". {REMEDY}")
