"""Finding an Airflow connection, and reading it strictly: known fields, right types, errors that name the field. Airflow masks its secrets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

from airflow.sdk import BaseHook, Connection
from airflow.sdk.exceptions import AirflowNotFoundException
from airflow.sdk.log import mask_secret
from pydantic import TypeAdapter, ValidationError
from sqlalchemy import URL

from staking_gateway.config.types import ConnectionId, check_value
from staking_gateway.errors import ConnectionMissing, InvalidConnection, InvalidInput
from staking_gateway.http.foreign_text import secrets_of_address
from staking_gateway.problem import connection as connection_id
from staking_gateway.text import shown, shown_key
from staking_gateway.types import AccountId
from staking_gateway_provider.extras import Extras, NoExtras, PostgresExtras, problem_and_remedy

SomeExtras = TypeVar("SomeExtras", bound=Extras)
_CONNECTION_IDS = TypeAdapter(ConnectionId)
_FROM_PROVIDERS = ("http", "postgres", "sqlite")
"""Types that come with a provider of the same name."""
_FIELDS = {"base_url": "host", "url": "host", "token": "password"}
"""The core's name of a value to the field of a connection."""


_SHORTEST_KEY = 16
"""Shorter parts of an address are names such as `/polkadot`: masking them would hide words of a log."""


def wanted_type(found: str | None, *wanted: str) -> str:
    """The remedy for a connection of another type."""
    remedy = f"Name a connection of type {' or '.join(wanted)}"
    missing = [f"apache-airflow-providers-{name}" for name in wanted if name in _FROM_PROVIDERS]
    if found != "generic" or not missing:
        return remedy
    return (
        f"{remedy}. Airflow's form and `airflow connections add` make a `generic` one of every type they have no provider for: "
        f"install {' or '.join(missing)}, or set the connection as an environment variable or with `airflow connections import`"
    )


def checked_connection_id(field: str, conn_id: str) -> str:
    """Check a connection's id before Airflow sees it: Airflow quotes an unknown id, which may be a pasted address with a password.

    :param field: the field with the id.
    :raises InvalidInput: not an id, by the rule of `staking.yaml`. The error does not quote the value.
    """
    return check_value(field, _CONNECTION_IDS, conn_id)


class ConnectionFields(Generic[SomeExtras]):
    """The fields of one connection.

    :param connection: the connection.
    :param conn_type: the type it must have.
    :param model: the extras it may have; any other is refused, so that a typing error is not ignored.
    :ivar extras: its extras.
    :raises InvalidConnection: a wrong type, an extra that cannot be used, or extras that are not a JSON object.
    """

    def __init__(self, connection: Connection, conn_type: str, model: type[SomeExtras]) -> None:
        self._name = f"Connection {connection.conn_id!r}"
        self._connection = connection
        if connection.conn_type != conn_type:
            raise self.refused(
                "type", f"is {shown(connection.conn_type)}", wanted_type(connection.conn_type, conn_type)
            )
        try:
            # Not `extra_dejson`: it reads invalid JSON as no extras, and blocks the event loop of a triggerer.
            self.extras = model.model_validate_json(connection.extra or "{}")
        except ValidationError as error:
            found = error.errors(include_url=False, include_input=False)[0]
            if not found["loc"]:
                raise self.refused("extra", "is not a JSON object", 'Write it like {"allow_http": true}') from None
            raise self.refused(
                f"extra '{shown_key(str(found['loc'][0]))}'", *problem_and_remedy(found, model)
            ) from None

    def refused(self, field: str, problem: str, remedy: str) -> InvalidConnection:
        """An error about one field. Never pass a secret as the problem."""
        about = connection_id(str(self._connection.conn_id))
        return InvalidConnection(f"{self._name}, {field}", problem, remedy, about=about)

    @contextmanager
    def naming(self) -> Iterator[None]:
        """Errors about a value of this connection name its field or extra. Other errors, such as those about a variable, pass unchanged."""
        try:
            yield
        except InvalidInput as error:
            extra = f"extra {error.field!r}" if error.field in type(self.extras).model_fields else None
            field = _FIELDS.get(error.field, extra)
            if field is None:
                raise
            raise self.refused(field, error.fault, error.problem.remedy) from None

    def base_url(self, example: str) -> str:
        """Host, and port if it is set, as a URL."""
        host, port, schema = self._connection.host, self._connection.port, self._connection.schema
        if not host:
            raise self.refused("host", "is empty", f"Set Host to the URL, e.g. {example}")
        if schema:
            # Where Airflow puts the path of a connection written as a URI.
            raise self.refused(
                "schema", "is set", f"Leave it empty; scheme and path belong into Host, e.g. {example}/path"
            )
        if port is None:
            return host
        scheme, separator, rest = host.partition("://")
        authority, *_ = re.split("[/?#]", rest, maxsplit=1)
        if not separator or ":" in authority.rpartition("]")[2]:
            raise self.refused(
                "port", "is set beside a Host without scheme or with a port of its own", f"Write {example}"
            )
        return f"{scheme}://{authority}:{port}{rest.removeprefix(authority)}"

    def account(self, field: str, text: str) -> AccountId:
        """An account. The error about an invalid account does not quote it: it may be a pasted key."""
        try:
            return AccountId.parse(text, field=field)
        except InvalidInput:
            raise self.refused(
                field, "is neither an SS58 address nor a 0x public key", "Copy the account's address again"
            ) from None


def ledger_connection_url(connection: Connection) -> str:
    """SQLAlchemy URL of a connection's database, with password and extras.

    :raises InvalidInput: a field or an extra is invalid; the text names it.
    """
    if connection.conn_type == "sqlite":
        return _file_url(connection)
    if connection.conn_type not in ("postgres", "postgresql"):
        raise InvalidInput(
            f"Connection {connection.conn_id!r}, type",
            f"{shown(connection.conn_type)} is not a database the ledger can live in",
            wanted_type(connection.conn_type, "postgres", "sqlite"),
        )
    fields = ConnectionFields(connection, connection.conn_type, PostgresExtras)
    query = {name: str(value) for name, value in fields.extras.model_dump(exclude_defaults=True).items()}
    host, port = connection.host, connection.port
    if host and host.startswith("/"):
        # A host can be the folder of a socket. A URL has no place for such a folder, and for a port without a host.
        query |= {"host": host} if port is None else {"host": host, "port": str(port)}
        host = port = None
    url = URL.create(
        "postgresql+psycopg2",
        username=connection.login,
        password=connection.password,
        host=host,
        port=port,
        database=connection.schema,
        query=query,
    )
    return url.render_as_string(hide_password=False)


def _file_url(connection: Connection) -> str:
    fields = ConnectionFields(connection, "sqlite", NoExtras)
    path = connection.host
    if not path:
        raise fields.refused("host", "is empty", "Set Host to the path of the ledger's file")
    if not path.startswith("/") or "?" in path:
        raise fields.refused(
            "host",
            "is no absolute path of a file: it would lead to another ledger elsewhere, or to none",
            "Write the whole path, e.g. /var/lib/airflow/staking_ledger.db, without options",
        )
    return f"sqlite:///{path}"


def find_connection(field: str, conn_id: str) -> Connection:
    """A connection by its id.

    :param field: the argument or extra with the id.
    :raises ConnectionMissing: there is no such connection; the text names the field.
    """
    try:
        found = BaseHook.get_connection(conn_id)
    except AirflowNotFoundException as missing:
        raise ConnectionMissing(field, str(missing), connection_id(conn_id)) from None
    for secret in _secrets(found):
        mask_secret(secret)
    return found


def _secrets(found: Connection) -> list[str]:
    """The password, and the access keys in the address of a node."""
    try:
        keys = secrets_of_address(found.host or "") if found.conn_type == "substrate" else []
    except ValueError:  # no address; the hook refuses it by name
        keys = []
    return [*filter(None, [found.password]), *(key for key in keys if len(key) >= _SHORTEST_KEY)]
