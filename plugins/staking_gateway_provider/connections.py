"""Reading an Airflow connection strictly: known fields, right types, errors that name the field."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from staking_gateway.errors import InvalidAccount, InvalidConnection, InvalidInput

if TYPE_CHECKING:
    from airflow.sdk import Connection
    from pydantic import TypeAdapter

    from staking_gateway.types import AccountId


_FROM_PROVIDERS = ("http", "postgres", "sqlite")
"""Types that come with a provider of the same name."""

LEDGER_EXTRAS = {
    "sslmode": "how much of TLS is insisted on: disable, allow, prefer, require, verify-ca or verify-full",
    "sslrootcert": "file with the certificate authorities to trust for the server, or system",
    "sslcrl": "file with certificates that are revoked",
    "sslcert": "file with the certificate this client shows",
    "sslkey": "file with the key of that certificate",
    "channel_binding": "disable, prefer or require: whether the password is bound to the TLS connection",
    "connect_timeout": "seconds until the connection must stand, 10 by default",
    "target_session_attrs": "any, read-write or primary: which of several hosts to take",
    "application_name": "what the server calls the session",
    "options": "settings of the session, e.g. -csearch_path=ledger",
}
"""Every extra a ledger's connection of type postgres may hold, as libpq names it, with its meaning; others are refused."""
_CHOICES = {
    "sslmode": ("disable", "allow", "prefer", "require", "verify-ca", "verify-full"),
    "channel_binding": ("disable", "prefer", "require"),
    "target_session_attrs": ("any", "read-write", "primary"),
}


def wanted_type(found: str | None, *wanted: str) -> str:
    """What to do about a connection of another type."""
    remedy = f"Name a connection of type {' or '.join(wanted)}"
    missing = [f"apache-airflow-providers-{name}" for name in wanted if name in _FROM_PROVIDERS]
    if found != "generic" or not missing:
        return remedy
    return (
        f"{remedy}. Airflow's form and `airflow connections add` make a `generic` one of every type they have no provider for: "
        f"install {' or '.join(missing)}, or set the connection as an environment variable or with `airflow connections import`"
    )


@cache
def _connection_ids() -> TypeAdapter[str]:
    """Making one takes longer than using it, and every hook does."""
    from pydantic import TypeAdapter

    from staking_gateway.config.values import ConnectionId

    return TypeAdapter(ConnectionId)


def checked_connection_id(field: str, conn_id: str) -> str:
    """A connection's id, before it is looked up: Airflow quotes one it does not find, and here an address with a password may have
    been pasted.

    :param field: where it was written.
    :raises InvalidInput: it is no id, by the rule `staking.yaml` has for them. It is not quoted.
    """
    from pydantic import ValidationError

    try:
        _connection_ids().validate_python(conn_id)
    except ValidationError as error:
        told = error.errors(include_url=False)[0]["ctx"]
        raise InvalidInput(field, told["problem"], told["remedy"]) from None
    return conn_id


class ConnectionFields:
    """The fields of one connection.

    :param connection: the connection.
    :param conn_type: the type it must have.
    :param known: names of the extras that may be set; any other is refused, so that a typing error is not ignored.
    :raises InvalidConnection: an unknown extra, or extras that are not a JSON object.
    """

    def __init__(self, connection: Connection, conn_type: str, known: Mapping[str, str]) -> None:
        self._name = f"Connection {connection.conn_id!r}"
        self._connection = connection
        if connection.conn_type != conn_type:
            raise self.refused("type", f"is {connection.conn_type!r}", wanted_type(connection.conn_type, conn_type))
        extras = self._read_extras()
        unknown = sorted(set(extras) - set(known))
        if unknown:
            remedy = f"Remove it, or use one of {', '.join(known)}" if known else "Remove it"
            raise self.refused(f"extra {unknown[0]!r}", "is unknown", remedy)
        # A form sends empty strings and nulls for what was left blank.
        self._extras = {key: value for key, value in extras.items() if value is not None and value != ""}

    def _read_extras(self) -> dict[str, Any]:
        # Not `extra_dejson`: it takes what is not JSON for no extras at all, and blocks the event loop of a triggerer.
        try:
            extras = json.loads(self._connection.extra or "{}")
        except (ValueError, RecursionError):
            extras = None
        if not isinstance(extras, dict):
            raise self.refused("extra", "is not a JSON object", 'Write it like {"allow_http": true}')
        return extras

    def refused(self, field: str, problem: str, remedy: str) -> InvalidConnection:
        """An error about one field. Never pass a secret as the problem."""
        return InvalidConnection(f"{self._name}, {field}", problem, remedy)

    def base_url(self, example: str) -> str:
        """Host, and port if it is set, as a URL."""
        host, port = self._connection.host, self._connection.port
        if not host:
            raise self.refused("host", "is empty", f"Set Host to the URL, e.g. {example}")
        if self._connection.schema:
            # Where Airflow puts the path of a connection written as a URI.
            raise self.refused(
                "schema", "is set", f"Leave it empty; scheme and path belong into Host, e.g. {example}/path"
            )
        if port is None:
            return host
        scheme, separator, rest = host.partition("://")
        authority, slash, path = rest.partition("/")
        if not separator or ":" in authority.rpartition("]")[2]:
            raise self.refused(
                "port", "is set beside a Host without scheme or with a port of its own", f"Write {example}"
            )
        return f"{scheme}://{authority}:{port}{slash}{path}"

    def account(self, field: str, text: str) -> AccountId:
        """An account. What cannot be read as one is not quoted: a key may have been pasted there."""
        from staking_gateway.types import AccountId

        try:
            return AccountId.parse(text, field=field)
        except InvalidAccount:
            raise self.refused(
                field, "is neither an SS58 address nor a 0x public key", "Copy the account's address again"
            ) from None

    def text(self, name: str) -> str | None:
        """An extra that is a text."""
        value = self._extras.get(name)
        if value is not None and not isinstance(value, str):
            raise self.refused(f"extra {name!r}", "is not a text", "Write it in quotes")
        return value

    def choice(self, name: str, *known: str) -> str | None:
        """An extra that is one of a few words."""
        value = self.text(name)
        if value is not None and value not in known:
            raise self.refused(
                f"extra {name!r}", "is none of its words", f"Write {', '.join(known[:-1])} or {known[-1]}"
            )
        return value

    def flag(self, name: str) -> bool:
        """An extra that is true or false; absent means false."""
        value = self._extras.get(name, False)
        if isinstance(value, str) and value.lower() in ("true", "false"):
            return value.lower() == "true"
        if not isinstance(value, bool):
            raise self.refused(f"extra {name!r}", "is neither true nor false", "Write true or false")
        return value

    def number(self, name: str, default: float, *, least: float, most: float) -> float:
        """An extra that is a number, perhaps as text as a form sends it."""
        value = self._extras.get(name, default)
        try:
            number = float(value) if not isinstance(value, bool) else None
        except (TypeError, ValueError, OverflowError):
            number = None
        if number is None or not least <= number <= most:
            raise self.refused(f"extra {name!r}", "is not a number in range", f"Write {least:g} to {most:g}")
        return number

    def whole_number(self, name: str, default: int, *, least: int, most: int) -> int:
        """An extra that is a number without a fraction."""
        number = self.number(name, default, least=least, most=most)
        if number != int(number):
            raise self.refused(f"extra {name!r}", "is not a whole number", f"Write {least} to {most}")
        return int(number)


def ledger_connection_url(connection: Connection) -> str:
    """SQLAlchemy URL of the database a connection leads to, with its password and all its extras say.

    :raises InvalidInput: a field or an extra cannot be used; the text names it.
    """
    if connection.conn_type == "sqlite":
        return _file_url(connection)
    if connection.conn_type not in ("postgres", "postgresql"):
        raise InvalidInput(
            f"Connection {connection.conn_id!r}, type",
            f"{connection.conn_type!r} is not a database the ledger can live in",
            wanted_type(connection.conn_type, "postgres", "sqlite"),
        )
    from sqlalchemy import URL

    fields = ConnectionFields(connection, connection.conn_type, LEDGER_EXTRAS)
    query = {name: _ledger_extra(fields, name) for name in LEDGER_EXTRAS}
    host, port = connection.host, connection.port
    if host and host.startswith("/"):
        # The folder of a socket, which has no place in front of the path of a URL; nor has the port without a host.
        query |= {"host": host, "port": None if port is None else str(port)}
        host = port = None
    url = URL.create(
        "postgresql+psycopg2",
        username=connection.login,
        password=connection.password,
        host=host,
        port=port,
        database=connection.schema,
        query={name: value for name, value in query.items() if value is not None},
    )
    return url.render_as_string(hide_password=False)


def _ledger_extra(fields: ConnectionFields, name: str) -> str | None:
    if name == "connect_timeout":
        seconds = fields.whole_number(name, 0, least=0, most=3600)
        return str(seconds) if seconds else None
    return fields.choice(name, *_CHOICES[name]) if name in _CHOICES else fields.text(name)


def _file_url(connection: Connection) -> str:
    fields = ConnectionFields(connection, "sqlite", {})
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
