"""Looking a connection up: one that nobody defined is told with what asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airflow.sdk import BaseHook
from airflow.sdk.exceptions import AirflowNotFoundException

if TYPE_CHECKING:
    from airflow.sdk import Connection


REMEDY = "Create this connection in Admin > Connections, or correct its name"


def find_connection(field: str, conn_id: str) -> Connection:
    """A connection by its id.

    :param field: the argument or extra that names it.
    :raises AirflowNotFoundException: there is none of that name; the text names the field.
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
    # The class stays Airflow's, which says the same of a secrets backend that did not answer: a task is tried again.
    return AirflowNotFoundException(f"{field}: {missing}. {REMEDY}")


def problem_of(missing: AirflowNotFoundException) -> str:
    """What is missing, for who says in words of their own what to do about it."""
    return str(missing).removesuffix(f". {REMEDY}")
