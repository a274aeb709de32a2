"""Airflow's connections: their extras as pydantic models, with label and meaning in the form; finding one, and reading it strictly.

Unknown fields are refused. An error names the field, and quotes no value: it may be a secret in the wrong field. Airflow masks secrets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Annotated, Any, Generic, Literal, TypeVar

from airflow.sdk import BaseHook, Connection
from airflow.sdk.exceptions import AirflowNotFoundException
from airflow.sdk.log import mask_secret
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PlainValidator,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_core import ErrorDetails
from sqlalchemy import URL

from staking_gateway.config.types import ConnectionId, Flag, explained, like, refuse
from staking_gateway.errors import InvalidConnection, InvalidInput, StakingGatewayError
from staking_gateway.http.foreign_text import secrets_of_address
from staking_gateway.problem import Topic
from staking_gateway.problem import connection as connection_id
from staking_gateway.text import shown, shown_key
from staking_gateway.types import AccountId

Value = TypeVar("Value")


class ConnectionMissing(StakingGatewayError):
    """Airflow gives no connection to the argument, setting or extra: there is none of that name, or a secrets backend does not answer."""

    usual = Topic.CONNECTION_MISSING

    def __init__(self, field: str, fault: str, about: str = "") -> None:
        self.fault = fault
        super().__init__(f"{field}: {fault}", remedy=self.usual.remedy, about=about)


def check_value(field: str, kind: TypeAdapter[Value], value: object) -> Value:
    """A value that is not in `staking.yaml`, read by the rule of the file; InvalidInput if the type refuses it."""
    try:
        return kind.validate_python(value)
    except ValidationError as error:
        raise InvalidInput(field, *explained(error.errors(include_url=False)[0])) from None


# --- extras --------------------------------------------------------------------------------------------------------------


def _addresses(value: Any) -> tuple[str, ...]:
    """Reads a list of addresses, or a text with commas as a form sends it."""
    listed = value.replace(",", " ").split() if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
        refuse("is not a list of addresses", "Write them with commas between, e.g. https://gateway.example")
    return tuple(listed)


Seconds = Annotated[float, Field(ge=0.1, le=600)]
Path = Annotated[str, like(r"/[\w.~/-]*\Z", "Write it like /send")] | None
Method = Annotated[str, like(r"[A-Za-z][\w.]*\Z", "Write it like proxyPayoutstakers")] | None


class Extras(BaseModel):
    """The extras of one connection; none here. A blank field of a form counts as missing."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    @model_validator(mode="before")
    @classmethod
    def _without_blanks(cls, extras: Any) -> Any:
        if not isinstance(extras, dict):
            return extras
        return {
            name: value for name, value in extras.items() if name not in cls.model_fields or value not in (None, "")
        }


def problem_and_remedy(error: ErrorDetails, model: type[Extras]) -> tuple[str, str]:
    """Words for an error of one extra; pydantic's own quote no value."""
    own = error.get("ctx", {}).get("error")
    if error["type"] == "extra_forbidden":
        known = ", ".join(model.model_fields)
        return "is unknown", f"Remove it, or use one of {known}" if known else "Remove it"
    fault, remedy = (own.fault, own.problem.remedy) if isinstance(own, InvalidInput) else ("", error["msg"])
    return fault or "is refused", remedy


CaBundle = Annotated[
    str | None,
    Field(
        title="CA bundle",
        description="File with the certificate authorities to trust, e.g. /etc/ssl/certs/gateway-ca.pem; empty: those of the system",
    ),
]


class GatewayExtras(Extras):
    """Of a connection of type `stakinggateway`."""

    bearer_signer_conn_id: str | None = Field(
        None,
        title="Token signer",
        description="Id of a Staking Signer connection, e.g. staking_signer_user. Its key signs the access tokens; Password stays empty",
    )
    bearer_payer: str | None = Field(
        None,
        title="Token payer",
        description="Account that pays the fees of the token's owner, e.g. 5FLSigC9...; only with a token signer. Empty: none",
    )
    allow_http: Flag = Field(
        False,
        title="Allow plain http",
        description="Accept a Host with http:// on another machine, e.g. http://10.0.0.5:8080. Token and payouts then travel unencrypted",
    )
    ca_bundle: CaBundle = None
    connect_timeout: Seconds = Field(
        5, title="Connect timeout", description="Seconds to wait for the connection, e.g. 5, the default"
    )
    read_timeout: Seconds = Field(
        35, title="Read timeout", description="Seconds to wait for the next piece of an answer, e.g. 35, the default"
    )
    total_timeout: float = Field(
        60,
        ge=0.1,
        le=3600,
        title="Total timeout",
        description="Seconds to wait for a whole answer, e.g. 60, the default",
    )
    read_attempts: int = Field(
        4,
        ge=1,
        le=100,
        title="Read attempts",
        description="How often a failed read is sent at most, e.g. 4, the default. A payout is never repeated by this",
    )
    payout_method: Method = Field(
        None,
        title="Payout method",
        description="The gateway's name of the payout call: proxyPayoutstakers, the default, or e.g. proxyPayoutStakers",
    )
    send_path: Path = Field(
        None, title="Send path", description="Path of the payout call below Host, e.g. /send, the default"
    )
    query_path: Path = Field(
        None, title="Query path", description="Path of the reads below Host, e.g. /query, the default"
    )
    poll_path: Path = Field(
        None, title="Poll path", description="Path of the states of requests below Host, e.g. /poll, the default"
    )
    node_conn_id: str | None = Field(
        None,
        title="Node connection",
        description="Id of the Substrate Node connection of a node of the chain, e.g. substrate_default. Empty: no node",
    )

    @field_validator("bearer_payer")
    @classmethod
    def _pays_for_own_tokens(cls, payer: str | None, info: ValidationInfo) -> str | None:
        if payer and not info.data.get("bearer_signer_conn_id"):
            refuse("goes into a self-made token only", "Remove it, or set bearer_signer_conn_id too")
        return payer


class SignerExtras(Extras):
    """Of a connection of type `stakingsigner`."""

    allow_http: Flag = Field(
        False,
        title="Allow plain http",
        description="Accept a Host with http:// on another machine. Its token then travels unencrypted",
    )
    ca_bundle: CaBundle = None
    gateways: Annotated[tuple[str, ...], PlainValidator(_addresses)] = Field(
        (),
        title="Gateways of access tokens",
        description="Gateways for which this key may sign access tokens, with commas, e.g. https://gateway.example. Those on this machine need no entry",
    )


class NodeExtras(Extras):
    """Of a connection of type `substrate`."""

    timeout: Seconds = Field(
        10, title="Timeout", description="Seconds to wait for the connection, and for each answer, e.g. 10, the default"
    )
    genesis_hash: str | None = Field(
        None,
        title="Genesis hash",
        description="Hash of the chain's first block, e.g. 0x91b171bb...; a node of another chain is refused. Empty: any chain",
    )
    allow_ws: Flag = Field(
        False,
        title="Allow plain ws",
        description="Accept a Node URL with ws:// or http:// on another machine. Other computers on the network path could then change answers",
    )
    ca_bundle: CaBundle = None


class PostgresExtras(Extras):
    """Of a ledger's connection of type `postgres`: those of libpq that it may have."""

    sslmode: Literal["disable", "allow", "prefer", "require", "verify-ca", "verify-full"] | None = None
    sslrootcert: str | None = None
    sslcrl: str | None = None
    sslcert: str | None = None
    sslkey: str | None = None
    channel_binding: Literal["disable", "prefer", "require"] | None = None
    connect_timeout: int = Field(0, ge=0, le=3600)
    target_session_attrs: Literal["any", "read-write", "primary"] | None = None
    application_name: str | None = None
    options: str | None = None


# --- reading a connection ------------------------------------------------------------------------------------------------

SomeExtras = TypeVar("SomeExtras", bound=Extras)
_CONNECTION_IDS = TypeAdapter(ConnectionId)
_FIELDS = {"base_url": "host", "url": "host", "token": "password"}
"""The core's name of a value to the field of a connection."""


_SHORTEST_KEY = 16
"""Shorter parts of an address are names such as `/polkadot`: masking them would hide words of a log."""


def _database_type(found: str | None) -> str:
    """The remedy for a connection of another type than those of databases."""
    remedy = "Name a connection of type postgres or sqlite"
    if found != "generic":
        return remedy
    return (
        f"{remedy}. Airflow's form and `airflow connections add` make a `generic` one of every type they have no provider for: install "
        "apache-airflow-providers-postgres or apache-airflow-providers-sqlite, or set the connection as an environment variable or with "
        "`airflow connections import`"
    )


def checked_connection_id(field: str, conn_id: str) -> str:
    """Check a connection's id before Airflow sees it: Airflow quotes an unknown id, which may be a pasted address with a password.

    :raises InvalidInput: not an id, by the rule of `staking.yaml`. The error does not quote the value.
    """
    return check_value(field, _CONNECTION_IDS, conn_id)


class ConnectionFields(Generic[SomeExtras]):
    """The fields of one connection, which must have no extras but those of the model. Its type only chooses Airflow's form.

    :ivar extras: its extras.
    :raises InvalidConnection: an extra that cannot be used, or extras that are not a JSON object.
    """

    def __init__(self, connection: Connection, model: type[SomeExtras]) -> None:
        self._name = f"Connection {connection.conn_id!r}"
        self._connection = connection
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
    """SQLAlchemy URL of a connection's database, with password and extras; InvalidInput names a wrong field."""
    if connection.conn_type == "sqlite":
        return _file_url(connection)
    if connection.conn_type not in ("postgres", "postgresql"):
        raise InvalidInput(
            f"Connection {connection.conn_id!r}, type",
            f"{shown(connection.conn_type)} is not a database the ledger can live in",
            _database_type(connection.conn_type),
        )
    fields = ConnectionFields(connection, PostgresExtras)
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
    fields = ConnectionFields(connection, Extras)
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
    """A connection by its id, which `field` names.

    :raises ConnectionMissing: there is no such connection; the text names the field.
    """
    try:
        found = BaseHook.get_connection(conn_id)
    except AirflowNotFoundException as missing:
        raise ConnectionMissing(field, str(missing), connection_id(conn_id)) from None
    if found.password:
        mask_secret(found.password)
    return found


def mask_address(node: Connection) -> None:
    """Mask the access keys in the address of a node."""
    with suppress(ValueError):  # no address; the hook refuses it by name
        for key in secrets_of_address(node.host or ""):
            if len(key) >= _SHORTEST_KEY:
                mask_secret(key)
