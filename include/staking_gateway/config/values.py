"""Readers of the values of `staking.yaml`: durations, times, amounts, accounts, names.

A reader refuses a value with a problem and a remedy. It quotes no text that may be a key phrase.
"""

import re
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Annotated, Any, Literal, NoReturn, TypeVar
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, PlainValidator, TypeAdapter, ValidationError
from pydantic_core import PydanticCustomError

from staking_gateway.eras.calendar import to_utc
from staking_gateway.errors import InvalidInput
from staking_gateway.http.rate_limit import check_rate
from staking_gateway.text import SYMBOL, shown
from staking_gateway.types import MAX_AMOUNT, parse_unsigned

_T = TypeVar("_T")
ADDRESS = re.compile(r"((0x)?[0-9a-fA-F]{64}|[1-9A-HJ-NP-Za-km-z]{32,60})\Z")
_DURATION = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,6})?)([smhd]?)\Z")
_DECIMAL = re.compile(r"[0-9]{1,12}(\.[0-9]{1,6})?\Z")
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
_LONGEST = timedelta(days=3650)
_INSTANT = re.compile(r"([0-9-]{10})[T ]([0-9:]{8})(?:\.([0-9]{1,6}))?(Z|[+-][0-9]{2}:[0-9]{2})\Z")
_EXPLORER = re.compile(r"https?://[\x21-\x7e]{1,500}\Z")
_NETWORK_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}\Z")
_CLASS = re.compile(r"(?!\d)\w+(\.(?!\d)\w+)+\Z", re.ASCII)
_SECRET_ARGUMENT = re.compile(
    r"pass(word|wd|phrase)|token|secret|seed|mnemonic|phrase|suri|credential|private|(api|access|routing|integration)_?key|webhook",
    re.I,
)
_CONNECTION_ID = re.compile(r"(?!eyJ|0x)[A-Za-z0-9_.\-]{1,250}\Z")
"""A JSON web token begins with `eyJ`, a seed with `0x`. As an id it would be quoted, because Airflow finds no such connection."""


def refused(problem: str, remedy: str) -> PydanticCustomError:
    """The error of a reader; `loader.py` adds the value's path."""
    return PydanticCustomError("refused", "{problem}", {"problem": problem, "remedy": remedy})


def refuse(problem: str, remedy: str) -> NoReturn:
    """Raise the error of a reader."""
    raise refused(problem, remedy)


def check_value(field: str, kind: TypeAdapter[_T], value: object) -> _T:
    """A value that is not in `staking.yaml`, read by the rule of the file.

    :raises InvalidInput: the reader refuses it.
    """
    try:
        return kind.validate_python(value)
    except ValidationError as error:
        told = error.errors(include_url=False)[0]["ctx"]
        raise InvalidInput(field, told["problem"], told["remedy"]) from None


def _duration(value: object, least: timedelta) -> timedelta:
    match = _DURATION.match(str(value)) if isinstance(value, (int, str)) and not isinstance(value, bool) else None
    if match is None:
        refuse(f"{shown(value)} is not a duration", "Write e.g. 20s, 90m, 6h, 1d, or a number of seconds")
    microseconds = int(Decimal(match[1]) * _SECONDS[match[2]] * 1_000_000)
    if microseconds > _LONGEST // timedelta(microseconds=1):
        refuse(f"{shown(value)} is too long", f"Write at most {_LONGEST.days}d")
    if (length := timedelta(microseconds=microseconds)) < least:
        refuse(f"{shown(value)} is too short", "Write a duration of more than zero")
    return length


def _instant(value: object) -> datetime:
    match = _INSTANT.match(value) if isinstance(value, str) else None
    remedy = "Write it with its time zone, e.g. 2026-01-01T00:00:00Z"
    if match is None:
        refuse(f"{shown(value)} is not a time with a time zone", remedy)
    zone = "+00:00" if match[4] == "Z" else match[4]
    try:
        return to_utc(datetime.fromisoformat(f"{match[1]}T{match[2]}.{match[3] or '':0<6}{zone}"))
    except ValueError:
        refuse(f"{shown(value)} is not a valid time", remedy)


def whole(low: int, high: int) -> PlainValidator:
    """Reads a whole number from `low` to `high`."""

    def read(value: object) -> int:
        try:
            number = parse_unsigned(value, high, field="")
        except InvalidInput:
            number = -1
        return number if number >= low else refuse(f"{shown(value)} is refused", f"Write {low} to {high}")

    return PlainValidator(read)


def optional_whole(low: int, high: int) -> PlainValidator:
    """The same, or None."""
    return _or_none(whole(low, high).func)


def _or_none(read: Any) -> PlainValidator:
    return PlainValidator(lambda value: None if value is None else read(value))


def _amount(value: object) -> int:
    if value in (0, "0") and value is not False:
        refuse("0 would refuse every payout", "Write null for no limit, or `enabled: false` to pay nothing")
    try:
        return parse_unsigned(value, MAX_AMOUNT, field="")
    except InvalidInput:
        refuse(
            f"{shown(value)} is not an amount", "Write it in the smallest unit, in plain digits, or null for no limit"
        )


def _parts(value: object) -> object:
    if value == "until_empty":
        return value
    try:
        number = parse_unsigned(value, 1000, field="")
    except InvalidInput:
        number = 0
    return number or refuse(f"{shown(value)} is refused", "Write 1 to 1000, or until_empty")


def _account(value: object) -> str:
    # The loader checks checksums, which need a key library.
    if not isinstance(value, str) or not ADDRESS.match(value):
        refuse(f"{shown(value)} is not an account", "Write its SS58 address or its 0x public key")
    return value


def _connection_id(value: object) -> str:
    if not isinstance(value, str) or not _CONNECTION_ID.match(value):
        # Not quoted, because it may be a secret in the wrong place.
        refuse("this is not a connection id", "Write the id of an Airflow connection: letters, digits and _ . -")
    return value


def _network_name(value: object) -> str:
    if not isinstance(value, str) or not _NETWORK_NAME.match(value):
        refuse(
            "this is not a network name", "Use up to 40 of a-z, 0-9 and _, a letter first: it becomes part of DAG ids"
        )
    return value


def _label(value: object) -> str:
    how = "Write up to 100 characters on one line, in quotes if it is a number"
    if not isinstance(value, str) or len(value) > 100 or len(value.splitlines()) > 1:
        refuse(f"{shown(value)} is not a label", how)
    unseen = next((one for one in value if not one.isprintable()), None)
    if unseen is not None:
        refuse(f"{shown(value)} has an invisible character, U+{ord(unseen):04X}", how)
    return value


def _notifier(value: object) -> dict[str, Any]:
    """A notifier: its class, and the keyword arguments of the class."""
    if not isinstance(value, dict) or not isinstance(value.get("class"), str) or not _CLASS.match(value["class"]):
        refuse(
            "this is not a notifier", "Write the path of its class and its arguments: {class: package.module.Name, ...}"
        )
    for name in value:
        if not isinstance(name, str) or not name.isidentifier():
            refuse("it has an argument without a name", "Write each argument as `name: value`")
        if _SECRET_ARGUMENT.search(name) and not name.endswith("_conn_id"):
            refuse(f"{name} is a secret", "Put it into an Airflow connection, and write the connection's id instead")
    return value


def _symbol(value: object) -> str:
    if not isinstance(value, str) or not SYMBOL.match(value):
        refuse(f"{shown(value)} is not the symbol of a token", "Write up to 12 letters and digits, e.g. DOT")
    return value


def _rate(value: object) -> float | None:
    try:
        return check_rate(float(value) if isinstance(value, str) and _DECIMAL.match(value) else value)
    except InvalidInput as error:
        refuse(f"{shown(value)} is refused", error.remedy)


def _explorer_url(value: object) -> str:
    template = value if isinstance(value, str) and _EXPLORER.match(value) else ""
    try:
        host, _, rest = template.partition("://")[2].partition("/")
        known = bool(urlsplit(template).hostname) and "@" not in host and "{" not in host
    except ValueError:
        known = False
    if not known or rest.count("{tx_hash}") != 1 or {"{", "}"} & set(rest.replace("{tx_hash}", "")):
        # Not quoted, because an address may hold a token.
        refuse(
            "this is not the address of an explorer with {tx_hash} in its path",
            "Write e.g. https://explorer.example/tx/{tx_hash}, or null",
        )
    return template


Duration = Annotated[timedelta, PlainValidator(lambda value: _duration(value, timedelta(0)))]
PositiveDuration = Annotated[timedelta, PlainValidator(lambda value: _duration(value, timedelta(microseconds=1)))]
OptionalDuration = Annotated[timedelta | None, _or_none(lambda value: _duration(value, timedelta(0)))]
Instant = Annotated[datetime, PlainValidator(_instant)]
Amount = Annotated[int | None, _or_none(_amount)]
Account = Annotated[str, PlainValidator(_account)]
ConnectionId = Annotated[str, PlainValidator(_connection_id)]
NetworkName = Annotated[str, PlainValidator(_network_name)]
Notifier = Annotated[dict[str, Any], PlainValidator(_notifier)]
Rate = Annotated[float | None, PlainValidator(_rate)]
Label = Annotated[str, PlainValidator(_label)]
TokenSymbol = Annotated[str, PlainValidator(_symbol)]
Parts = Annotated[int | Literal["until_empty"], PlainValidator(_parts)]
ExplorerUrl = Annotated[str | None, _or_none(_explorer_url)]


class Section(BaseModel):
    """A mapping of the file. The description of a field is the remedy when it is missing."""

    model_config = ConfigDict(frozen=True, extra="forbid")
