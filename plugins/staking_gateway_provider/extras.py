"""The extras of the connections, as pydantic models: each with its type, its default, and its label and meaning in the connection's form.

Other extras are refused. The connection of the ledger has Airflow's form. No error quotes a value, because it may be a secret in the wrong field.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PlainValidator,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    field_validator,
    model_validator,
)

from staking_gateway.config.types import refuse

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo
    from pydantic_core import ErrorDetails


def _flag(value: Any) -> bool:
    # Stricter than pydantic: an unclear word must not switch a protection off.
    if str(value).lower() not in ("true", "false"):
        refuse("is neither true nor false", "Write true or false")
    return str(value).lower() == "true"


def _in_range(least: float, most: float, what: str = "a number") -> WrapValidator:
    """Reads a number, perhaps from a text as a form sends it."""

    def read(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
        try:
            number = None if isinstance(value, bool) else handler(value)
        except ValidationError:
            number = None
        if number is None or not least <= number <= most:
            refuse(f"is not {what} in range", f"Write {least:g} to {most:g}")
        return number

    return WrapValidator(read)


def _like(pattern: str, problem: str, remedy: str) -> AfterValidator:
    """Requires that a text, where it is given, has a form."""
    form = re.compile(pattern, re.ASCII)
    return AfterValidator(lambda text: text if text is None or form.fullmatch(text) else refuse(problem, remedy))


def _addresses(value: Any) -> tuple[str, ...]:
    """Reads a list of addresses, or a text with commas as a form sends it."""
    listed = value.replace(",", " ").split() if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
        refuse("is not a list of addresses", "Write them with commas between, e.g. https://gateway.example")
    return tuple(listed)


Flag = Annotated[bool, PlainValidator(_flag)]
Seconds = Annotated[float, _in_range(0.1, 600)]
Path = Annotated[str | None, _like(r"/[\w.~/-]*", "is not a path", "Write it like /send")]
Method = Annotated[
    str | None, _like(r"[A-Za-z][\w.]*", "is not the name of a method", "Write it like proxyPayoutstakers")
]


class Extras(BaseModel):
    """The extras of one connection. A blank field of a form counts as missing."""

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
    """Words for an error of one extra. Pydantic's own text is not used: it quotes the value."""
    if error["type"] == "extra_forbidden":
        known = ", ".join(model.model_fields)
        return "is unknown", f"Remove it, or use one of {known}" if known else "Remove it"
    if error["type"] == "string_type":
        return "is not a text", "Write it in quotes"
    if error["type"] == "literal_error":
        words = error["ctx"]["expected"].replace("'", "")
        return "is none of its words", f"Write {words}"
    return error["ctx"]["problem"], error["ctx"]["remedy"]


def form(model: type[Extras]) -> dict[str, dict[str, Any]]:
    """The fields of a connection's form, as Airflow reads them. A blank field is sent as null."""
    return {name: _form_field(field) for name, field in model.model_fields.items()}


def _form_field(field: FieldInfo) -> dict[str, Any]:
    kind = next((word for known, word in _WORDS.items() if field.annotation is known), "string")
    schema = {"type": [kind, "null"], **({"default": field.default} if kind == "boolean" else {})}
    return {"label": field.title, "description": field.description, "schema": schema}


_WORDS = {bool: "boolean", float: "number", int: "integer"}
CaBundle = Annotated[
    str | None,
    Field(
        title="CA bundle",
        description="File with the certificate authorities to trust, e.g. /etc/ssl/certs/gateway-ca.pem; empty: those of the system",
    ),
]


class GatewayExtras(Extras):
    """Of a connection of type `staking_gateway`."""

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
        35,
        title="Read timeout",
        description="Seconds to wait for the next piece of an answer, e.g. 35, the default",
    )
    total_timeout: Annotated[float, _in_range(0.1, 3600)] = Field(
        60, title="Total timeout", description="Seconds to wait for a whole answer, e.g. 60, the default"
    )
    read_attempts: Annotated[int, _in_range(1, 100, "a whole number")] = Field(
        4,
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
    """Of a connection of type `staking_signer`."""

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
    chain_name: str | None = Field(
        None,
        title="Chain name",
        description="Name of the chain as the node reports it, e.g. Polkadot; a node of another chain is refused. Empty: any chain",
    )
    allow_ws: Flag = Field(
        False,
        title="Allow plain ws",
        description="Accept a Node URL with ws:// or http:// on another machine. Other computers on the network path could then change answers",
    )
    ca_bundle: CaBundle = None


class PostgresExtras(Extras):
    """Of a ledger's connection of type `postgres`, as libpq names them."""

    sslmode: Literal["disable", "allow", "prefer", "require", "verify-ca", "verify-full"] | None = Field(
        None,
        description="how much of TLS is insisted on: disable, allow, prefer, require, verify-ca or verify-full",
    )
    sslrootcert: str | None = Field(
        None, description="file with the certificate authorities to trust for the server, or system"
    )
    sslcrl: str | None = Field(None, description="file with certificates that are revoked")
    sslcert: str | None = Field(None, description="file with the certificate this client shows")
    sslkey: str | None = Field(None, description="file with the key of that certificate")
    channel_binding: Literal["disable", "prefer", "require"] | None = Field(
        None, description="disable, prefer or require: whether the password is bound to the TLS connection"
    )
    connect_timeout: Annotated[int, _in_range(0, 3600, "a whole number")] = Field(
        0, description="seconds until the connection must stand, 10 by default"
    )
    target_session_attrs: Literal["any", "read-write", "primary"] | None = Field(
        None, description="any, read-write or primary: which of several hosts to take"
    )
    application_name: str | None = Field(None, description="what the server calls the session")
    options: str | None = Field(None, description="settings of the session, e.g. -csearch_path=ledger")


class NoExtras(Extras):
    """Of a connection that may have none."""
