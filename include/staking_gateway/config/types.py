"""The types of values in `staking.yaml`. None quotes a text that may be a key phrase."""

import re
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Annotated, Any, NoReturn

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    WithJsonSchema,
)

from staking_gateway.config.yaml import Plain
from staking_gateway.eras import to_utc
from staking_gateway.errors import InvalidInput
from staking_gateway.text import SYMBOL, shown
from staking_gateway.types import MAX_AMOUNT, AccountId

_DURATION = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,6})?)([smhd]?)\Z", re.ASCII)
_LONGEST = timedelta(days=3650)
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
_INSTANT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ]", re.ASCII)
_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,39})\Z", re.ASCII)
_CLASS = re.compile(r"(?!\d)\w+(\.(?!\d)\w+)+\Z", re.ASCII)
SECRET_NAME = re.compile(
    r"pass(word|wd|phrase)|token|secret|seed|mnemonic|phrase|suri|credential|private|webhook"
    r"|(api|access|routing|integration|signing)_?key|^keys?$",
    re.I,
)
"""A key of the file whose value may be a secret."""
_SHAPES = {
    "model_type": "Write its settings below it, indented, or remove it",
    "dict_type": "Write one name per line below it, indented, each followed by a colon",
    "too_short": "Write at least one",
    "tuple_type": "Write one item per line below it, each after a dash",
}
"""Words for pydantic's errors that name types of Python."""


def refuse(problem: str, remedy: str) -> NoReturn:
    """Raise the error of a type; the reader of the file adds the value's path. An empty problem: the value is refused."""
    raise InvalidInput("", problem, remedy)


def explained(error: Any) -> tuple[str, str]:
    """Problem and remedy of one of pydantic's errors: of an InvalidInput in it, or the value and pydantic's own message."""
    value, own = error["input"], error.get("ctx", {}).get("error")
    if isinstance(own, InvalidInput) and own.fault:
        return f"{own.field and own.field + ': '}{own.fault}", own.problem.remedy
    remedy = own.problem.remedy if isinstance(own, InvalidInput) else _SHAPES.get(error["type"], error["msg"])
    return f"{shown(value)} is refused", remedy


def like(pattern: str, remedy: str, *, quoted: bool = True) -> AfterValidator:
    """Requires that a text has a form. One that may be a secret in the wrong place is not quoted."""
    form, problem = re.compile(pattern, re.ASCII), "" if quoted else "this is refused"
    return AfterValidator(lambda text: text if form.match(text) else refuse(problem, remedy))


def _form(name: str) -> WithJsonSchema:
    """The word for a type on the page of settings."""
    return WithJsonSchema({"type": "string", "format": name})


def _flag(value: object) -> bool:
    # Stricter than pydantic, which also takes y, on and 1: an unclear word must not switch a protection off.
    text = str(value).lower()
    return text == "true" if text in ("true", "false") else refuse("", "Write true or false")


def _any_duration(value: object) -> timedelta:
    if isinstance(value, timedelta):
        length = value
    elif match := _DURATION.match(str(value)):
        length = timedelta(microseconds=int(Decimal(match[1]) * _SECONDS[match[2]] * 1_000_000))
    else:
        refuse("", "Write e.g. 20s, 90m, 6h, 1d, or a number of seconds")
    return length if timedelta(0) <= length <= _LONGEST else refuse("", f"Write at most {_LONGEST.days}d")


def _duration(value: object) -> timedelta:
    return _any_duration(value) or refuse("", f"Write more than 0s, and at most {_LONGEST.days}d")


def _instant(value: object) -> object:
    # Pydantic would also take a number of seconds since 1970.
    if isinstance(value, datetime) or (isinstance(value, str) and _INSTANT.match(value)):
        return value
    return refuse("", "Write it with its time zone, e.g. 2026-01-01T00:00:00Z")


def _parts(value: object) -> int | None:
    if value == "until_empty":
        return None
    if str(value).isdecimal() and len(str(value)) < 5 and 1 <= int(str(value)) <= 1000:
        return int(str(value))
    return refuse("", "Write 1 to 1000, or until_empty")


def _label(value: str) -> str:
    return value if value.isprintable() else refuse("it has an invisible character", "Write visible text on one line")


def _notifier(value: object) -> dict[str, Any]:
    """A notifier: its class, and the keyword arguments of the class, which have the usual types of YAML."""
    if not isinstance(value, dict) or not isinstance(value.get("class"), str) or not _CLASS.match(value["class"]):
        refuse(
            "this is not a notifier", "Write the path of its class and its arguments: {class: package.module.Name, ...}"
        )
    for name in value:
        if not isinstance(name, str) or not name.isidentifier():
            refuse("it has an argument without a name", "Write each argument as `name: value`")
        if SECRET_NAME.search(name) and not name.endswith("_conn_id"):
            refuse(f"{name} is a secret", "Put it into an Airflow connection, and write the connection's id instead")
    found: dict[str, Any] = _typed(value)
    return found


def _typed(value: object) -> Any:
    """A value with the usual types of YAML: a text without quotes may be true, false or an integer."""
    if isinstance(value, dict):
        return {name: _typed(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_typed(inner) for inner in value]
    if isinstance(value, Plain):
        known: dict[str, object] = {"true": True, "false": False}
        return known.get(value.lower(), int(value) if _INTEGER.match(value) else str(value))
    return value


Flag = Annotated[bool, BeforeValidator(_flag)]
AnyDuration = Annotated[timedelta, BeforeValidator(_any_duration), _form("duration")]
Duration = Annotated[timedelta, BeforeValidator(_duration), _form("duration")]
Instant = Annotated[AwareDatetime, BeforeValidator(_instant), AfterValidator(to_utc), _form("time")]
Amount = Annotated[int, Field(gt=0, le=MAX_AMOUNT), _form("amount")]
Account = Annotated[AccountId, PlainValidator(partial(AccountId.parse, field="")), _form("account")]
# A JSON web token begins with `eyJ`, a seed with `0x`. As an id it would be quoted, because Airflow finds no such connection.
_ID = r"(?!eyJ|0x)[A-Za-z0-9_.\-]{1,250}\Z"
_CONNECTION = like(_ID, "Write the id of an Airflow connection: letters, digits and _ . -", quoted=False)
ConnectionId = Annotated[str, _CONNECTION, _form("connection")]
NetworkName = Annotated[str, like(r"[a-z][a-z0-9_]{0,39}\Z", "Write up to 40 of a-z, 0-9 and _, a letter first")]
Notifier = Annotated[dict[str, Any], PlainValidator(_notifier), _form("{class: package.module.Name, ...}")]
Label = Annotated[str, Field(max_length=100), AfterValidator(_label)]
TokenSymbol = Annotated[str, like(SYMBOL.pattern, "Write up to 12 letters and digits, e.g. DOT")]
_URL = r"(?=.{1,500}\Z)https?://[\w.-]+(:[0-9]{1,5})?/[!-z|~]*\{tx_hash\}[!-z|~]*\Z"
ExplorerUrl = Annotated[str, like(_URL, "Write e.g. https://explorer.example/tx/{tx_hash}, or null", quoted=False)]
Parts = Annotated[int | None, PlainValidator(_parts), _form("1 to 1000, or `until_empty`")]


class Section(BaseModel):
    """A mapping of the file. The description of a field stands on the page of settings, and is the remedy when it is missing."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)
