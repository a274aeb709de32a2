"""Reading an Airflow connection strictly: known fields, right types, errors that name the field."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from staking_gateway.errors import InvalidConnection

if TYPE_CHECKING:
    from airflow.sdk import Connection


class ConnectionFields:
    """The fields of one connection.

    :param connection: the connection.
    :param known: names of the extras that may be set; any other is refused, so that a typing error is not ignored.
    :raises InvalidConnection: an unknown extra, or extras that are not a JSON object.
    """

    def __init__(self, connection: Connection, known: Mapping[str, str]) -> None:
        self._name = f"Connection {connection.conn_id!r}"
        self._connection = connection
        extras = self._read_extras()
        unknown = sorted(set(extras) - set(known))
        if unknown:
            raise self.refused(f"extra {unknown[0]!r}", "is unknown", f"Remove it, or use one of {', '.join(known)}")
        # A form sends empty strings and nulls for what was left blank.
        self._extras = {key: value for key, value in extras.items() if value is not None and value != ""}

    def _read_extras(self) -> dict[str, Any]:
        try:
            extras = self._connection.extra_dejson
        except ValueError:
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
        if port is None:
            return host
        scheme, separator, rest = host.partition("://")
        authority, slash, path = rest.partition("/")
        if not separator or ":" in authority:
            raise self.refused(
                "port", "is set beside a Host without scheme or with a port of its own", f"Write {example}"
            )
        return f"{scheme}://{authority}:{port}{slash}{path}"

    def text(self, name: str) -> str | None:
        """An extra that is a text."""
        value = self._extras.get(name)
        if value is not None and not isinstance(value, str):
            raise self.refused(f"extra {name!r}", "is not a text", "Write it in quotes")
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
        except (TypeError, ValueError):
            number = None
        if number is None or not least <= number <= most:
            raise self.refused(f"extra {name!r}", "is not a number in range", f"Write {least:g} to {most:g}")
        return number
