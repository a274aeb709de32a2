"""Look a connection up. The error about a missing connection names the field that asks for it; Airflow masks its secrets in every log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airflow.sdk import BaseHook
from airflow.sdk.exceptions import AirflowNotFoundException
from airflow.sdk.log import amask_secret, mask_secret

from staking_gateway.errors import ConnectionMissing
from staking_gateway.problem import connection

if TYPE_CHECKING:
    from airflow.sdk import Connection

_SHORTEST_KEY = 16
"""Shorter parts of an address are names such as `/polkadot`: masking them would hide words of a log."""


def find_connection(field: str, conn_id: str) -> Connection:
    """A connection by its id.

    :param field: the argument or extra with the id.
    :raises ConnectionMissing: there is no such connection; the text names the field.
    """
    try:
        found = BaseHook.get_connection(conn_id)
    except AirflowNotFoundException as missing:
        raise _missing(field, conn_id, missing) from None
    for secret in _secrets(found):
        mask_secret(secret)
    return found


async def afind_connection(field: str, conn_id: str) -> Connection:
    """The same inside an event loop."""
    try:
        found = await BaseHook.aget_connection(conn_id)
    except AirflowNotFoundException as missing:
        raise _missing(field, conn_id, missing) from None
    for secret in _secrets(found):
        await amask_secret(secret)
    return found


def _secrets(found: Connection) -> list[str]:
    """The password, and the access keys in the address of a node."""
    from staking_gateway.http.foreign_text import secrets_of_address

    try:
        keys = secrets_of_address(found.host or "") if found.conn_type == "substrate" else []
    except ValueError:  # no address; the hook refuses it by name
        keys = []
    return [*filter(None, [found.password]), *(key for key in keys if len(key) >= _SHORTEST_KEY)]


def _missing(field: str, conn_id: str, missing: AirflowNotFoundException) -> ConnectionMissing:
    return ConnectionMissing(field, str(missing), connection(conn_id))
