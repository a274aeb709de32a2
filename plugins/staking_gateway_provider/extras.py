"""The extras of the connections, as pydantic models: a name, a type and a default each. Other names are refused.

`get_provider_info.py` describes each extra in the form of its connection. The connection of the ledger has Airflow's form.

No error quotes a value, because it may be a secret in the wrong field.
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


class GatewayExtras(Extras):
    """Of a connection of type `staking_gateway`."""

    bearer_signer_conn_id: str | None = None
    bearer_payer: str | None = None
    allow_http: Flag = False
    ca_bundle: str | None = None
    connect_timeout: Seconds = 5
    read_timeout: Seconds = 35
    total_timeout: Annotated[float, _in_range(0.1, 3600)] = 60
    read_attempts: Annotated[int, _in_range(1, 100, "a whole number")] = 4
    payout_method: Method = None
    send_path: Path = None
    query_path: Path = None
    poll_path: Path = None
    node_conn_id: str | None = None

    @field_validator("bearer_payer")
    @classmethod
    def _pays_for_own_tokens(cls, payer: str | None, info: ValidationInfo) -> str | None:
        if payer and not info.data.get("bearer_signer_conn_id"):
            refuse("goes into a self-made token only", "Remove it, or set bearer_signer_conn_id too")
        return payer


class SignerExtras(Extras):
    """Of a connection of type `staking_signer`."""

    allow_http: Flag = False
    ca_bundle: str | None = None
    gateways: Annotated[tuple[str, ...], PlainValidator(_addresses)] = ()


class NodeExtras(Extras):
    """Of a connection of type `substrate`."""

    timeout: Seconds = 10
    genesis_hash: str | None = None
    chain_name: str | None = None
    allow_ws: Flag = False
    ca_bundle: str | None = None


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
