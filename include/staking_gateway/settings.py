"""What `staking.yaml` may say: its sections as frozen models, and the readers of their values.

Durations are `timedelta`, times aware UTC `datetime`, amounts integers in the smallest unit. A reader refuses a value with
a problem and a remedy; `config.py` turns these into one error that names each value's path. No reader quotes a text that
may be a key phrase.
"""

import re
from datetime import datetime, timedelta
from decimal import Decimal
from enum import Enum
from functools import cached_property
from typing import Annotated, Any, Literal, NoReturn

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PlainValidator,
    StrictBool,
    StrictStr,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_core import InitErrorDetails, PydanticCustomError

from staking_gateway.eras import EraAnchor, EraCalendar, to_utc
from staking_gateway.errors import ConfigError, InvalidAccount, InvalidInput
from staking_gateway.expiry import Depths, depths
from staking_gateway.pacing import MAX_CONCURRENCY, check_rate
from staking_gateway.terms import ConfirmBy
from staking_gateway.types import MAX_AMOUNT, MAX_ERA, AccountId, parse_unsigned

ADDRESS = re.compile(r"(0x[0-9a-fA-F]{64}|[1-9A-HJ-NP-Za-km-z]{32,60})\Z")
_DURATION = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,6})?)([smhd]?)\Z")
_DECIMAL = re.compile(r"[0-9]{1,12}(\.[0-9]{1,6})?\Z")
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
_LONGEST = timedelta(days=3650)
_INSTANT = re.compile(r"([0-9-]{10})[T ]([0-9:]{8})(?:\.([0-9]{1,6}))?(Z|[+-][0-9]{2}:[0-9]{2})\Z")
_NETWORK_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}\Z")
_CONNECTION_ID = re.compile(r"[A-Za-z0-9_.\-]{1,250}\Z")


def shown(value: object) -> str:
    """A value as an error may show it: short, and nothing that may be a key phrase or a seed."""
    if isinstance(value, (dict, list)):
        return "a mapping" if isinstance(value, dict) else "a list"
    if value is None or isinstance(value, bool):
        return {None: "nothing", True: "true", False: "false"}[value]
    text = str(value)
    return repr(text) if len(text) <= 50 and len(text.split()) <= 3 else f"a text of {len(text)} characters"


def _refused(problem: str, remedy: str) -> PydanticCustomError:
    return PydanticCustomError("refused", "{problem}", {"problem": problem, "remedy": remedy})


def _refuse(problem: str, remedy: str) -> NoReturn:
    raise _refused(problem, remedy)


def _duration(value: object, least: timedelta) -> timedelta:
    match = _DURATION.match(str(value)) if isinstance(value, (int, str)) and not isinstance(value, bool) else None
    if match is None:
        _refuse(f"{shown(value)} is not a duration", "Write e.g. 20s, 90m, 6h, 1d, or a number of seconds")
    microseconds = int(Decimal(match[1]) * _SECONDS[match[2]] * 1_000_000)
    if microseconds > _LONGEST // timedelta(microseconds=1):
        _refuse(f"{shown(value)} is too long", f"Write at most {_LONGEST.days}d")
    if (length := timedelta(microseconds=microseconds)) < least:
        _refuse(f"{shown(value)} is too short", "Write a duration of more than zero")
    return length


def _instant(value: object) -> datetime:
    match = _INSTANT.match(value) if isinstance(value, str) else None
    remedy = "Write it with its time zone, e.g. 2026-01-01T00:00:00Z"
    if match is None:
        _refuse(f"{shown(value)} is not a time with a time zone", remedy)
    zone = "+00:00" if match[4] == "Z" else match[4]
    try:
        return to_utc(datetime.fromisoformat(f"{match[1]}T{match[2]}.{match[3] or '':0<6}{zone}"))
    except ValueError:
        _refuse(f"{shown(value)} is no time of any calendar", remedy)


def _whole(low: int, high: int) -> PlainValidator:
    def read(value: object) -> int:
        try:
            number = parse_unsigned(value, high, field="")
        except InvalidInput:
            number = -1
        return number if number >= low else _refuse(f"{shown(value)} is refused", f"Write {low} to {high}")

    return PlainValidator(read)


def _optional_whole(low: int, high: int) -> PlainValidator:
    read = _whole(low, high).func
    return PlainValidator(lambda value: None if value is None else read(value))  # type: ignore[call-arg]


def _amount(value: object) -> int | None:
    if value is None:
        return None
    if value in (0, "0") and value is not False:
        _refuse("0 would refuse every payout", "Write null for no limit, or `enabled: false` to pay nothing")
    try:
        return parse_unsigned(value, MAX_AMOUNT, field="")
    except InvalidInput:
        _refuse(
            f"{shown(value)} is not an amount", "Write it in the smallest unit, in plain digits, or null for no limit"
        )


def _parts(value: object) -> object:
    if value == "until_empty":
        return value
    try:
        number = parse_unsigned(value, 1000, field="")
    except InvalidInput:
        number = 0
    return number or _refuse(f"{shown(value)} is refused", "Write 1 to 1000, or until_empty")


def _account(value: object, info: ValidationInfo) -> str:
    if not isinstance(value, str) or not ADDRESS.match(value):
        _refuse(f"{shown(value)} is not an account", "Write its SS58 address or its 0x public key")
    if (info.context or {}).get("check_accounts", True):
        try:
            AccountId.parse(value)
        except InvalidAccount as error:
            _refuse(error.problem, error.remedy)
    return value


def _connection_id(value: object) -> str:
    if not isinstance(value, str) or not _CONNECTION_ID.match(value):
        # Not quoted: this is where a secret would be pasted by mistake.
        _refuse("this is not a connection id", "Write the id of an Airflow connection: letters, digits and _ . -")
    return value


def _network_name(value: object) -> str:
    if not isinstance(value, str) or not _NETWORK_NAME.match(value):
        _refuse(
            "this is not a network name", "Use up to 40 of a-z, 0-9 and _, a letter first: it becomes part of DAG ids"
        )
    return value


def _label(value: object) -> str:
    if not isinstance(value, str) or len(value) > 100 or not value.isprintable():
        _refuse(f"{shown(value)} is not a label", "Write up to 100 characters on one line, in quotes if it is a number")
    return value


Duration = Annotated[timedelta, PlainValidator(lambda value: _duration(value, timedelta(0)))]
PositiveDuration = Annotated[timedelta, PlainValidator(lambda value: _duration(value, timedelta(microseconds=1)))]
Instant = Annotated[datetime, PlainValidator(_instant)]
Amount = Annotated[int | None, PlainValidator(_amount)]
Account = Annotated[str, PlainValidator(_account)]
ConnectionId = Annotated[str, PlainValidator(_connection_id)]
NetworkName = Annotated[str, PlainValidator(_network_name)]


class Section(BaseModel):
    """A mapping of the file; a missing field's description says what to write."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Expectation(str, Enum):
    """What an account's staking status should be."""

    STAKING = "staking"
    NOT_STAKING = "not_staking"
    ANY = "any"


class WatchedAccount(Section):
    """An account whose staking status is checked each era; in the file also just the account's text."""

    account: Account = Field(description="the account's SS58 address or 0x public key")
    label: Annotated[str, PlainValidator(_label)] = ""
    expect: Expectation = Expectation.ANY
    history_depth: Annotated[int | None, _optional_whole(1, 100_000)] = None

    @model_validator(mode="before")
    @classmethod
    def _read_text(cls, value: Any) -> Any:
        return {"account": value} if isinstance(value, str) else value

    @property
    def account_id(self) -> AccountId:
        """The account, parsed now."""
        return AccountId.parse(self.account)


class AnchorSettings(Section):
    """An era whose start is known; `length` counts from it on and is the calendar's `era_length` when left out."""

    era: Annotated[int, _whole(0, MAX_ERA)] = Field(description="the number of an era whose start is known")
    start: Instant = Field(description="when that era started, e.g. 2026-01-01T00:00:00Z")
    length: PositiveDuration | None = None


class CalendarSettings(Section):
    """When eras start and end, and how long after an era's end its run starts."""

    era_length: PositiveDuration = Field(description="how long an era lasts, e.g. 6h")
    delay: Duration = timedelta(0)
    anchors: tuple[AnchorSettings, ...] = Field(description="at least one era and its start: {era: 0, start: ...}")

    @field_validator("anchors")
    @classmethod
    def _check_anchors(cls, anchors: tuple[AnchorSettings, ...], info: ValidationInfo) -> tuple[AnchorSettings, ...]:
        if not anchors:
            _refuse("there is none", "Write at least one era and its start: {era: 0, start: 2026-01-01T00:00:00Z}")
        if "era_length" not in info.data:
            return anchors
        built = [_anchor(anchor, info.data["era_length"]) for anchor in anchors]
        found = [error for index in range(1, len(built)) for error in _misplaced(index, built[index - 1 : index + 1])]
        if found:
            raise ValidationError.from_exception_data("anchors", found)
        return anchors

    @cached_property
    def eras(self) -> EraCalendar:
        """The calendar itself."""
        return EraCalendar(tuple(_anchor(anchor, self.era_length) for anchor in self.anchors))


def _anchor(settings: AnchorSettings, era_length: timedelta) -> EraAnchor:
    return EraAnchor(settings.era, settings.start, settings.length or era_length)


def _misplaced(index: int, neighbours: list[EraAnchor]) -> list[InitErrorDetails]:
    try:
        EraCalendar(tuple(neighbours))
    except InvalidInput as error:
        where = (index, error.field.rpartition(".")[2])
        return [InitErrorDetails(type=_refused(error.problem, error.remedy), loc=where, input=None)]
    return []


class PayoutSettings(Section):
    """How an era is paid, and the limits before every signature. Amounts are in the smallest unit; None is no limit."""

    parts: Annotated[int | Literal["until_empty"], PlainValidator(_parts)] = 1
    max_parts: Annotated[int, _whole(1, 1000)] = 20
    max_fee_per_payout: Amount = None
    max_fee_per_day: Amount = None
    max_replans: Annotated[int, _whole(0, 100)] = 3
    confirm: ConfirmBy = ConfirmBy.AUTO


class TimingSettings(Section):
    """How often a run asks, and how long it waits."""

    poll_interval: PositiveDuration = timedelta(seconds=2)
    window_timeout: PositiveDuration = timedelta(hours=12)
    confirmation_timeout: PositiveDuration = timedelta(minutes=30)
    lease: PositiveDuration = timedelta(minutes=2)
    wait_for_closed_window: StrictBool = True


class CatchUpSettings(Section):
    """How unpaid eras are looked for, and how many of them one run pays. Amounts are in the smallest unit; None is no limit."""

    scheduled: StrictBool = True
    interval: PositiveDuration | None = None
    max_eras: Annotated[int | None, _optional_whole(1, 100_000)] = None
    max_fees: Amount = None


def _rate(value: object) -> float | None:
    try:
        return check_rate(float(value) if isinstance(value, str) and _DECIMAL.match(value) else value)
    except InvalidInput as error:
        _refuse(f"{shown(value)} is refused", error.remedy)


class StatusSettings(Section):
    """How the accounts are checked: how many in one task, how many calls at a time and per second; None is no limit."""

    chunk_size: Annotated[int, _whole(1, 100_000)] = 500
    concurrency: Annotated[int, _whole(1, MAX_CONCURRENCY)] = 32
    rate: Annotated[float | None, PlainValidator(_rate)] = None


class NetworkConfig(Section):
    """One network: whom to ask, who pays whom, and when."""

    enabled: StrictBool = True
    gateway_conn_id: ConnectionId = "staking_gateway_default"
    relayer: Account = Field(description="the SS58 address or 0x public key of the relayer")
    user: Account = Field(description="the SS58 address or 0x public key of the user, who authorises the payout")
    payer: Account = Field(description="the SS58 address or 0x public key of the payer, who pays the relayer's fee")
    user_signer_conn_id: ConnectionId = "staking_signer_user"
    payer_signer_conn_id: ConnectionId = "staking_signer_payer"
    calendar_settings: CalendarSettings = Field(alias="calendar", description="era_length and anchors below it")
    history_depth: Annotated[int, _whole(1, 100_000)] = 84
    start_date: Instant | None = None
    catchup: StrictBool = False
    payout: PayoutSettings = PayoutSettings()
    timing: TimingSettings = TimingSettings()
    statuses: StatusSettings = StatusSettings()
    catch_up: CatchUpSettings = CatchUpSettings()
    accounts: tuple[WatchedAccount, ...] = Field(description="at least one account to check, or name an accounts_file")
    accounts_file: StrictStr | None = None

    @property
    def calendar(self) -> EraCalendar:
        """When eras start and end."""
        return self.calendar_settings.eras

    @property
    def delay(self) -> timedelta:
        """How long after an era's end its run starts."""
        return self.calendar_settings.delay

    @property
    def relayer_account(self) -> AccountId:
        """The relayer, parsed now."""
        return AccountId.parse(self.relayer, field="relayer")

    @property
    def user_account(self) -> AccountId:
        """The user, parsed now."""
        return AccountId.parse(self.user, field="user")

    @property
    def payer_account(self) -> AccountId:
        """The payer, parsed now."""
        return AccountId.parse(self.payer, field="payer")

    @property
    def catch_up_interval(self) -> timedelta:
        """How often unpaid eras are looked for: as set, or once per era but at most every quarter of an hour."""
        given = self.catch_up.interval
        return given if given is not None else max(self.calendar_settings.era_length, timedelta(minutes=15))

    @property
    def depths(self) -> Depths:
        """After how many eras rewards are gone: the chain's, and those of accounts that have less time."""
        return depths(self.history_depth, (account.history_depth for account in self.accounts))

    def account_chunks(self) -> int:
        """Into how many tasks the accounts are split."""
        return -(-len(self.accounts) // self.statuses.chunk_size)

    def accounts_in_chunk(self, index: int) -> tuple[WatchedAccount, ...]:
        """The accounts of one task.

        :param index: 0 to account_chunks() - 1.
        :raises InvalidInput: there is no such chunk.
        """
        index = parse_unsigned(index, self.account_chunks() - 1, field="index")
        size = self.statuses.chunk_size
        return self.accounts[index * size : (index + 1) * size]


class Config(Section):
    """The whole file; `accounts` of a network include those of its accounts_file."""

    networks: dict[NetworkName, NetworkConfig] = Field(description="`networks:`, and below it a name for each network")
    ledger_conn_id: ConnectionId | None = None

    @field_validator("networks")
    @classmethod
    def _check_networks(cls, networks: dict[str, NetworkConfig]) -> dict[str, NetworkConfig]:
        if not networks:
            _refuse("there is none", "Write at least one network, e.g. devnet")
        owners: dict[tuple[str, str, str], str] = {}
        for name, network in networks.items():
            for role, account in (("user", network.user), ("payer", network.payer)):
                owner = owners.setdefault((network.gateway_conn_id, role, account), name)
                if owner != name and network.enabled and networks[owner].enabled:
                    _refuse(
                        f"{name} has the {role} of {owner}, behind the same gateway",
                        f"Give each network a {role} of its own, or disable one of the two",
                    )
        return networks

    def network(self, name: str) -> NetworkConfig:
        """The settings of one network.

        :raises ConfigError: there is no such network; names those there are.
        """
        if name not in self.networks:
            known = ", ".join(sorted(self.networks))
            raise ConfigError(f"networks.{name}", "there is no such network", f"Known networks: {known}")
        return self.networks[name]
