"""The settings of `staking.yaml` as frozen models: each with its limits, its default and its meaning, and nowhere else. The page of settings is made
of them. Durations are `timedelta`, times aware UTC `datetime`, amounts integers in the smallest unit.
"""

from datetime import datetime, timedelta
from enum import Enum
from functools import cached_property
from typing import Annotated, Any, Self, get_args, get_type_hints

from pydantic import Field, SkipValidation, ValidationInfo, field_validator, model_validator
from pydantic.fields import FieldInfo

from staking_gateway.config import types
from staking_gateway.eras import (
    HISTORY_DEPTH,
    MAX_DRIFT,
    RUN_GRACE,
    ActiveEra,
    Countdown,
    EraAnchor,
    EraCalendar,
    check_payable,
)
from staking_gateway.errors import ConfigError
from staking_gateway.text import MAX_DECIMALS, Token
from staking_gateway.types import MAX_ERA, ConfirmBy, StakingStatus

HistoryDepth = Annotated[int, Field(ge=1, le=100_000)]


class AnchorSettings(types.Section):
    """One era with a known start."""

    era: Annotated[int, Field(ge=0, le=MAX_ERA)]
    """the number of the era"""
    start: types.Instant
    """when it started, e.g. 2026-01-01T00:00:00Z"""
    length: types.Duration | None = None
    """length of this era and later ones; default `era_length`"""


class CalendarSettings(types.Section):
    """See [calendars](missed-eras.md#calendars)."""

    era_length: types.Duration
    """how long an era lasts, e.g. 6h"""
    delay: types.AnyDuration = timedelta(0)
    """wait after an era's end before its run starts"""
    max_drift: Annotated[int, Field(ge=1, le=MAX_ERA)] = MAX_DRIFT
    """eras by which the gateway's active era may differ from the calendar's. Beyond that nothing is signed, see
    [drift](runbook.md#drift). Without effect with a node"""
    anchors: tuple[AnchorSettings, ...]
    """eras with a known start, oldest first, e.g. {era: 0, start: ...}. Never edit an old line"""

    @model_validator(mode="after")
    def _check_order(self) -> Self:
        _ = self.eras
        return self

    @cached_property
    def eras(self) -> EraCalendar:
        """The calendar, which refuses an impossible order."""
        return EraCalendar(tuple(EraAnchor(one.era, one.start, one.length or self.era_length) for one in self.anchors))


class PayoutSettings(types.Section):
    """Above a fee limit nothing is signed, and the era is `HELD_FEE`."""

    parts: types.Parts = 1
    """calls per era. `until_empty` repeats until nothing is left"""
    max_parts: Annotated[int, Field(ge=1, le=1000)] = 20
    """the most calls per era with `until_empty`; then the era is `PARTIAL`"""
    max_fee_per_payout: types.Amount | None = None
    """highest fee of a call. Required, except for a gateway on this machine"""
    max_fee_per_day: types.Amount | None = None
    """highest sum of signed fees of a UTC day. A payment nonce counts on the day of its first signature, with its highest fee. Required
    likewise"""
    max_fees_for_nothing: Annotated[int, Field(ge=1, le=100)] = 2
    """fees that may be charged for one part without a payout; then [a person
    decides](runbook.md#fees-were-charged-for-nothing)"""
    confirm: ConfirmBy = ConfirmBy.AUTO
    """what confirms a payout; `auto` takes the first of these that the gateway offers"""


class TimingSettings(types.Section):
    """Intervals and timeouts of a run."""

    poll_interval: types.Duration = timedelta(seconds=2)
    """time between two requests of a wait; use a minute for eras of a day"""
    window_timeout: types.AnyDuration = timedelta(hours=12)
    """how long a run waits for the end of its era and the closed election window; then it is `HELD_WINDOW`"""
    confirmation_timeout: types.AnyDuration = timedelta(minutes=30)
    """how long a run looks for a confirmation; then it is `UNKNOWN`. Other waits do not count"""
    lag: types.Duration = timedelta(seconds=30)
    """the longest that a nonce, a request's state or an era that the gateway reports may be older than the chain"""
    finalized_within: types.Duration = timedelta(seconds=60)
    """the longest time in which the chain may take back a block. A payout is green at a second look, `lag` and this
    time after the first"""
    wait_for_closed_window: types.Flag = True
    """`false` for chains that pay during the election"""


class CatchUpSettings(types.Section):
    """See [missed eras](missed-eras.md)."""

    scheduled: types.Flag = True
    """`false`: runs only when triggered"""
    interval: types.Duration | None = None
    """time between two runs; default: an era, at least 15 minutes"""
    max_eras: Annotated[int, Field(ge=1, le=100_000)] | None = None
    """the most eras one run pays"""
    max_fees: types.Amount | None = None
    """the most fees one run pays"""


class StatusSettings(types.Section):
    """How the accounts are checked each era."""

    concurrency: Annotated[int, Field(ge=1, le=1000)] = 32
    """calls at a time per task"""
    rate: Annotated[float, Field(gt=0, le=100_000, allow_inf_nan=False)] | None = None
    """calls per second per task; default: no limit"""
    keep_eras: Annotated[int, Field(ge=10, le=1_000_000)] = 250
    """eras whose statuses stay in the ledger; payouts always stay. See [size](deploy.md#the-ledger)"""


class AlertSettings(types.Section):
    """See [alerts](alerts.md)."""

    notifiers: tuple[types.Notifier, ...] = ()
    """Airflow notifiers that get each message, see [receivers](alerts.md#receivers); default: only the task's
    log"""
    paid_within: types.Duration = timedelta(minutes=30)
    """an era should be paid this long after its end"""
    held_after: types.Duration = timedelta(hours=1)
    """the same for an era held by fee or election window"""
    runway_warning: Annotated[int, Field(ge=0, le=100_000)] = 7
    """fewest eras that the payer's balance should last"""


class TokenSettings(types.Section):
    """The token of the chain. Amounts in this file stay in its smallest unit."""

    symbol: types.TokenSymbol
    """its symbol, e.g. DOT"""
    decimals: Annotated[int, Field(ge=0, le=MAX_DECIMALS)]
    """one token is 10 to this power of the smallest unit"""


class Expectation(str, Enum):
    """What an account's staking status should be."""

    STAKING = "staking"
    NOT_STAKING = "not_staking"
    ANY = "any"

    def allows(self, status: StakingStatus) -> bool:
        """Whether a staking status meets the expectation."""
        return self is Expectation.ANY or (self is Expectation.STAKING) is (status is StakingStatus.IS_STAKING)


class WatchedAccount(types.Section):
    """One account; an address alone is also valid."""

    account: types.Account
    """the account's SS58 address or 0x public key"""
    label: types.Label = ""
    """a name for people"""
    expect: Expectation = Expectation.ANY
    """the status it must have; the run fails on another one"""
    history_depth: HistoryDepth | None = None
    """eras for which its rewards are kept, if fewer than the network's"""

    @model_validator(mode="before")
    @classmethod
    def _read_text(cls, value: Any) -> Any:
        return {"account": value} if isinstance(value, str) else value

    @property
    def name(self) -> str:
        """The label with the account, or the account."""
        return f"{self.label} ({self.account.spelling})" if self.label else self.account.spelling


class NetworkConfig(types.Section):
    """Two enabled networks behind one gateway connection may not have the same user or payer."""

    enabled: types.Flag = True
    """`false` disables the network: nothing runs, and no task or command pays"""
    gateway_conn_id: types.ConnectionId = "staking_gateway_default"
    """connection of the gateway"""
    relayer: types.Account
    """the account that submits the payout"""
    user: types.Account
    """the account that authorises the payout"""
    payer: types.Account
    """the account that pays the relayer's fee"""
    user_signer_conn_id: types.ConnectionId = "staking_signer_user"
    """connection that signs for the user"""
    payer_signer_conn_id: types.ConnectionId = "staking_signer_payer"
    """connection that signs for the payer"""
    calendar_settings: Annotated[CalendarSettings, Field(alias="calendar")]
    """when eras start and end"""
    history_depth: HistoryDepth = HISTORY_DEPTH
    """eras for which the chain keeps rewards; older rewards are lost"""
    start_date: types.Instant | None = None
    """eras that started earlier are ignored"""
    catchup: types.Flag = False
    """`true`: the scheduler runs every era since `start_date`; `false`: only the newest"""
    payout: PayoutSettings = PayoutSettings()
    timing: TimingSettings = TimingSettings()
    statuses: StatusSettings = StatusSettings()
    catch_up: CatchUpSettings = CatchUpSettings()
    alerts: AlertSettings = AlertSettings()
    explorer_url: types.ExplorerUrl | None = None
    """website that shows transactions, with `{tx_hash}` once in its path, e.g.
    https://explorer.example/tx/{tx_hash}"""
    token_settings: Annotated[TokenSettings | None, Field(alias="token")] = None
    """the unit of amounts on page and in reports; default: as a node names it, or the smallest unit"""
    accounts_file: str | None = None
    """a file in this folder with one more `account,expect,label` per line, for thousands of accounts"""
    accounts: tuple[WatchedAccount, ...]
    """the accounts whose staking status is checked each era, at least one; or name an `accounts_file`"""
    _file: str = "staking.yaml"

    @classmethod
    def of_arguments(cls) -> "NetworkConfig":
        """A network that `staking.yaml` does not name: it has the defaults, and no calendar, payout accounts or watched accounts."""
        return cls.model_construct(relayer="", user="", payer="", accounts=())

    @field_validator("catchup")
    @classmethod
    def _check_start(cls, catchup: bool, info: ValidationInfo) -> bool:
        if catchup and info.data.get("start_date", "") is None:
            types.refuse("is true, and start_date is missing", "Write as start_date the time from which eras are paid")
        return catchup

    def read_from(self, file: str) -> None:
        """Note the path of `staking.yaml`. The reader of the file does it at once."""
        self._file = file

    @property
    def file(self) -> str:
        """The path of the file with these settings, for remedies."""
        return self._file

    @property
    def calendar(self) -> EraCalendar:
        """When eras start and end."""
        return self.calendar_settings.eras

    @property
    def known_calendar(self) -> EraCalendar | None:
        """The same; None for a network that `staking.yaml` does not name."""
        return self.calendar if "calendar_settings" in self.model_fields_set else None

    @property
    def token(self) -> Token | None:
        """The token in which amounts are shown; None leaves it to the chain."""
        return None if self.token_settings is None else Token(**self.token_settings.model_dump())

    @property
    def first_era(self) -> int | None:
        """The first era that starts at `start_date` or later; None without a `start_date`."""
        return self.calendar.first_era_from(self.start_date) if self.start_date else None

    @property
    def alerts_clear_after(self) -> timedelta:
        """How long a condition must be absent before its alert ends: an era."""
        return self.calendar_settings.era_length

    def active_era(self, now: datetime, chain: int | None, **known: Any) -> ActiveEra:
        """The active era, by the chain and by the calendar; `known` are further fields."""
        drift = self.calendar_settings.max_drift
        return ActiveEra.at(now, self.calendar, chain, self.history_depth, max_drift=drift, **known)

    def countdown(self, era: int, active: int) -> Countdown:
        """How long an unpaid era can still be paid in full: to the smallest depth that it has not passed, the network's or one of an account."""
        own = (account.history_depth for account in self.accounts if account.history_depth is not None)
        ahead = [depth for depth in own if depth < self.history_depth and active <= era + depth]
        return Countdown(era, active, min(ahead, default=self.history_depth))

    def oldest_kept_era(self, era: int, now: datetime) -> int:
        """The oldest era whose statuses stay beside those of `era`, or of the calendar's era if earlier: a gateway's wrong era deletes nothing."""
        by_calendar = None if self.known_calendar is None else self.calendar.era_or_none(now)
        return max(0, min(era, era if by_calendar is None else by_calendar) - self.statuses.keep_eras)

    def knows_status(self, era: int, active: int | None, now: datetime) -> bool:
        """Whether a gateway's statuses of now are those of an era: it is the newest ended one, or ended at most `RUN_GRACE` ago. InvalidEra: it
        has not ended, or has expired. Without an active era the calendar tells it.
        """
        active = self.calendar.era_at(now) if active is None else active
        check_payable(era, active, self.history_depth)
        calendar = self.calendar_settings
        return era >= active - 1 - max(calendar.delay, RUN_GRACE) // calendar.era_length

    def check_enabled(self, name: str) -> None:
        """Raise ConfigError if the network with this name is disabled."""
        if not self.enabled:
            raise ConfigError(f"networks.{name}.enabled", "is false, so nothing is paid", "Write true to pay its eras")


class Config(types.Section):
    """The whole file."""

    networks: Annotated[dict[types.NetworkName, SkipValidation[NetworkConfig]], Field(min_length=1)]
    """the networks, each below a name of a-z, 0-9 and _. The DAGs are `staking_payout_<name>` and
    `staking_catch_up_<name>`"""
    ledger_conn_id: types.ConnectionId | None = None
    """connection of [the ledger](connections.md#the-ledger)"""


def sections(model: type[types.Section] = Config, path: str = "") -> dict[str, type[types.Section]]:
    """The models by their places in the file, without names of networks and places in lists, e.g. `networks.calendar.anchors`."""
    found = {path: model}
    for name, hint in get_type_hints(model).items():
        for inner in (hint, *get_args(hint)):
            if isinstance(inner, type) and issubclass(inner, types.Section):
                found |= sections(inner, f"{path}.{model.model_fields[name].alias or name}".removeprefix("."))
    return found


def meaning(field: FieldInfo) -> str:
    """What a setting means, on one line."""
    return " ".join((field.description or "").split())
