"""The sections of `staking.yaml` as frozen models.

Durations are `timedelta`, times aware UTC `datetime`, amounts integers in the smallest unit. `values.py` reads the values. `loader.py` combines
all mistakes into one error with paths.
"""

from datetime import timedelta
from functools import cached_property
from typing import Annotated

from pydantic import Field, StrictBool, StrictStr, ValidationError, ValidationInfo, field_validator
from pydantic_core import InitErrorDetails

from staking_gateway.config import defaults
from staking_gateway.config.values import (
    Account,
    Amount,
    ConnectionId,
    Duration,
    ExplorerUrl,
    Instant,
    NetworkName,
    Notifier,
    OptionalDuration,
    Parts,
    PositiveDuration,
    Rate,
    Section,
    TokenSymbol,
    optional_whole,
    refuse,
    refused,
    whole,
)
from staking_gateway.config.watched import AccountLines, WatchedAccount
from staking_gateway.eras.calendar import EraAnchor, EraCalendar
from staking_gateway.eras.expiry import MAX_DRIFT, Depths, depths
from staking_gateway.errors import ConfigError, InvalidInput, NetworkUnknown
from staking_gateway.http.rate_limit import MAX_CONCURRENCY
from staking_gateway.text import MAX_DECIMALS, Token, shown_key
from staking_gateway.types import MAX_ERA, AccountId, ConfirmBy


class AnchorSettings(Section):
    """An era with a known start. `length` applies from this era on; the default is the calendar's `era_length`."""

    era: Annotated[int, whole(0, MAX_ERA)] = Field(description="the number of an era whose start is known")
    start: Instant = Field(description="when that era started, e.g. 2026-01-01T00:00:00Z")
    length: PositiveDuration | None = None


class CalendarSettings(Section):
    """When eras start and end, and how long after an era's end its run starts.

    Nothing is signed while the gateway's active era is more than `max_drift` eras ahead of the calendar's.
    """

    era_length: PositiveDuration = Field(description="how long an era lasts, e.g. 6h")
    delay: Duration = timedelta(0)
    max_drift: Annotated[int, whole(1, MAX_ERA)] = MAX_DRIFT
    anchors: tuple[AnchorSettings, ...] = Field(description="at least one era and its start: {era: 0, start: ...}")

    @field_validator("anchors")
    @classmethod
    def _check_anchors(cls, anchors: tuple[AnchorSettings, ...], info: ValidationInfo) -> tuple[AnchorSettings, ...]:
        if not anchors:
            refuse("there is none", "Write at least one era and its start: {era: 0, start: 2026-01-01T00:00:00Z}")
        if "era_length" not in info.data:
            return anchors
        built = [_anchor(anchor, info.data["era_length"]) for anchor in anchors]
        found = [error for index in range(1, len(built)) for error in _misplaced(index, built[index - 1 : index + 1])]
        if found:
            raise ValidationError.from_exception_data("anchors", found)
        return anchors

    @cached_property
    def eras(self) -> EraCalendar:
        return EraCalendar(tuple(_anchor(anchor, self.era_length) for anchor in self.anchors))


def _anchor(settings: AnchorSettings, era_length: timedelta) -> EraAnchor:
    return EraAnchor(settings.era, settings.start, settings.length or era_length)


def _misplaced(index: int, neighbours: list[EraAnchor]) -> list[InitErrorDetails]:
    try:
        EraCalendar(tuple(neighbours))
    except InvalidInput as error:
        where = (index, error.field.rpartition(".")[2])
        return [InitErrorDetails(type=refused(error.problem, error.remedy), loc=where, input=None)]
    return []


class PayoutSettings(Section):
    """How an era is paid, and the limits of each signature. Amounts are in the smallest unit.

    Only for a gateway on this machine may the two limits of fees be None, which is no limit.
    """

    parts: Parts = 1
    max_parts: Annotated[int, whole(1, 1000)] = defaults.MAX_PARTS
    max_fee_per_payout: Amount = None
    max_fee_per_day: Amount = None
    max_replans: Annotated[int, whole(0, 100)] = defaults.MAX_REPLANS
    max_fees_for_nothing: Annotated[int, whole(1, 100)] = defaults.MAX_FEES_FOR_NOTHING
    confirm: ConfirmBy = ConfirmBy.AUTO

    @property
    def calls(self) -> int | None:
        """Calls per era; None repeats until nothing is left."""
        return None if self.parts == "until_empty" else self.parts


class TimingSettings(Section):
    """Intervals and timeouts of a run."""

    poll_interval: PositiveDuration = defaults.POLL_INTERVAL
    window_timeout: PositiveDuration = defaults.WINDOW_TIMEOUT
    confirmation_timeout: PositiveDuration = defaults.CONFIRMATION_TIMEOUT
    lease: PositiveDuration = defaults.LEASE
    lag: PositiveDuration = defaults.LAG
    finalized_within: PositiveDuration = defaults.FINALIZED_WITHIN
    wait_for_closed_window: StrictBool = True


class CatchUpSettings(Section):
    """How often unpaid eras are searched, and how many one run pays. Amounts are in the smallest unit; None is no limit."""

    scheduled: StrictBool = True
    interval: PositiveDuration | None = None
    max_eras: Annotated[int | None, optional_whole(1, 100_000)] = None
    max_fees: Amount = None


class StatusSettings(Section):
    """Calls at a time and calls per second of the status checks (None is no limit), and eras to keep."""

    concurrency: Annotated[int, whole(1, MAX_CONCURRENCY)] = defaults.STATUS_CONCURRENCY
    rate: Rate = None
    keep_eras: Annotated[int, whole(10, 1_000_000)] = defaults.KEEP_STATUSES


class AlertSettings(Section):
    """Limits and delivery of alerts. Without `notifiers`, messages go only to the task's log.

    An alert ends after its condition was absent for `clear_after`; None uses the length of an era.
    """

    notifiers: tuple[Notifier, ...] = ()
    paid_within: PositiveDuration = timedelta(minutes=30)
    held_after: PositiveDuration = timedelta(hours=1)
    runway_warning: Annotated[int, whole(0, 100_000)] = 7
    runway_critical: Annotated[int, whole(0, 100_000)] = 1
    clear_after: OptionalDuration = None

    @field_validator("runway_critical")
    @classmethod
    def _check_runway(cls, critical: int, info: ValidationInfo) -> int:
        warning = info.data.get("runway_warning", critical)
        if critical > warning:
            refuse(f"{critical} is more than runway_warning", f"Write {warning} or less")
        return critical


class TokenSettings(Section):
    """The token in which amounts are shown. Settings are in its smallest unit."""

    symbol: TokenSymbol = Field(description="the token's symbol, e.g. DOT")
    decimals: Annotated[int, whole(0, MAX_DECIMALS)] = Field(description="the token's decimals, e.g. 10")


class NetworkConfig(Section):
    """The settings of one network."""

    enabled: StrictBool = True
    gateway_conn_id: ConnectionId = "staking_gateway_default"
    relayer: Account = Field(description="the SS58 address or 0x public key of the relayer")
    user: Account = Field(description="the SS58 address or 0x public key of the user, who authorises the payout")
    payer: Account = Field(description="the SS58 address or 0x public key of the payer, who pays the relayer's fee")
    user_signer_conn_id: ConnectionId = "staking_signer_user"
    payer_signer_conn_id: ConnectionId = "staking_signer_payer"
    calendar_settings: CalendarSettings = Field(alias="calendar", description="era_length and anchors below it")
    history_depth: Annotated[int, whole(1, 100_000)] = defaults.HISTORY_DEPTH
    start_date: Instant | None = None
    catchup: StrictBool = False
    payout: PayoutSettings = PayoutSettings()
    timing: TimingSettings = TimingSettings()
    statuses: StatusSettings = StatusSettings()
    catch_up: CatchUpSettings = CatchUpSettings()
    alerts: AlertSettings = AlertSettings()
    explorer_url: ExplorerUrl = None
    token_settings: TokenSettings | None = Field(None, alias="token")
    listed_accounts: tuple[WatchedAccount, ...] = Field(
        alias="accounts", description="at least one account to check, or name an accounts_file"
    )
    accounts_file: StrictStr | None = None
    _lines: AccountLines | None = None
    _file: str = "staking.yaml"

    @cached_property
    def accounts(self) -> tuple[WatchedAccount, ...]:
        """All watched accounts: the listed ones, then those of the accounts_file.

        A line with a mistake becomes an account with the line's name, which is never checked.
        """
        return (*self.listed_accounts, *(self._read_line(*line) for line in self.account_lines.entries()))

    def _read_line(self, number: int, entry: dict[str, str]) -> WatchedAccount:
        try:
            return WatchedAccount.model_validate(entry)
        except ValidationError:
            return WatchedAccount.model_construct(account=f"{self.accounts_file}, line {number}")

    @property
    def account_lines(self) -> AccountLines:
        """The lines of the accounts_file; none without a file."""
        return self._lines or AccountLines()

    @property
    def file(self) -> str:
        """The path of the file with these settings, for remedies."""
        return self._file

    def set_file(self, path: str) -> None:
        """Say which file has these settings. The loader does it."""
        self._file = path

    def set_lines(self, lines: AccountLines) -> None:
        """Add the lines of the accounts_file. The loader does it before anybody reads the settings."""
        self._lines = lines

    @property
    def calendar(self) -> EraCalendar:
        """When eras start and end."""
        return self.calendar_settings.eras

    @property
    def delay(self) -> timedelta:
        """How long after an era's end its run starts."""
        return self.calendar_settings.delay

    @property
    def token(self) -> Token | None:
        """The token in which amounts are shown; None leaves it to the chain."""
        given = self.token_settings
        return None if given is None else Token(given.symbol, given.decimals)

    @property
    def first_era(self) -> int | None:
        """The first era that starts at `start_date` or later; None without a `start_date`."""
        return self.calendar.first_era_from(self.start_date) if self.start_date else None

    @property
    def relayer_account(self) -> AccountId:
        return AccountId.parse(self.relayer, field="relayer")

    @property
    def user_account(self) -> AccountId:
        return AccountId.parse(self.user, field="user")

    @property
    def payer_account(self) -> AccountId:
        return AccountId.parse(self.payer, field="payer")

    @property
    def catch_up_interval(self) -> timedelta:
        """How often unpaid eras are searched: as set, or once per era, but at most every 15 minutes."""
        given = self.catch_up.interval
        return given if given is not None else max(self.calendar_settings.era_length, timedelta(minutes=15))

    @property
    def alerts_clear_after(self) -> timedelta:
        """How long a condition must be absent before its alert ends: as set, or an era."""
        given = self.alerts.clear_after
        return given if given is not None else self.calendar_settings.era_length

    @property
    def depths(self) -> Depths:
        """The history depths of the network and of its accounts."""
        return depths(self.history_depth, (account.history_depth for account in self.listed_accounts))

    def check_enabled(self, name: str) -> None:
        """Raise ConfigError if the network with this name is disabled."""
        if not self.enabled:
            raise ConfigError(f"networks.{name}.enabled", "is false, so nothing is paid", "Write true to pay its eras")


class Config(Section):
    """The whole file."""

    networks: dict[NetworkName, NetworkConfig] = Field(description="`networks:`, and below it a name for each network")
    ledger_conn_id: ConnectionId | None = None

    @field_validator("networks")
    @classmethod
    def _check_networks(cls, networks: dict[str, NetworkConfig]) -> dict[str, NetworkConfig]:
        return networks or refuse("there is none", "Write at least one network, e.g. devnet")

    def network(self, name: str) -> NetworkConfig:
        """The settings of one network. Raises NetworkUnknown if it does not exist."""
        if name not in self.networks:
            known = ", ".join(sorted(self.networks))
            raise NetworkUnknown(f"networks.{shown_key(name)}", "there is no such network", f"Known networks: {known}")
        return self.networks[name]
