"""The terms of a payout: accounts, limits and times."""

from dataclasses import InitVar, dataclass, fields
from datetime import timedelta

from staking_gateway.config.models import NetworkConfig, PayoutSettings, TimingSettings
from staking_gateway.eras import HISTORY_DEPTH, MAX_DRIFT, EraCalendar
from staking_gateway.errors import InvalidInput
from staking_gateway.types import AccountId, ConfirmBy

__all__ = ["ConfirmBy", "PayoutTerms", "terms_of"]

_PAYOUT, _TIMING = PayoutSettings(), TimingSettings()
_LIMITS = ("max_fee_per_payout", "max_fee_per_day", "max_fee_per_run")
_LEAST = {
    "max_replans": 0,
    **dict.fromkeys(("parts", "max_parts", *_LIMITS, "max_fees_for_nothing", "history_depth"), 1),
}


@dataclass(frozen=True)
class PayoutTerms:
    """The accounts, limits and times of a network's payouts. What has the name of a setting means the same, see `config.models`.

    :param network: key of the ledger.
    :param chain: the chain behind the gateway. Networks of one chain share the nonces of a user and of a payer. None: the engine
        asks, see `chain_of`.
    :param parts: None repeats until nothing is left.
    :param max_fee_per_run: highest sum of the fees of a run. Amounts are in the smallest unit; None is no limit.
    :param max_replans: new signatures after a rejection, per part and try.
    :param needs_limits: nothing is signed without `max_fee_per_payout` and one of the other two limits. The engine sets it for
        gateways on other machines.
    :param calendar: nothing is signed while the gateway's active era is more than `max_drift` eras ahead of the calendar's, unless it
        comes from a node; a person's approval sets `max_drift` to no limit. It also tells which eras ended after a restore.
    :param confirm_by: the setting `confirm`.
    :param not_found_grace: how long a gateway may not yet know a request that it has accepted.
    :param settle_within: an accepted payload without a result is sent again after this time. A payload of another user delays the same
        payer for at most this time.
    :param lease: how long other processes wait for a process that is sending.
    :param again: a person has checked the part: sign although it is held for a person, or its witnesses disagree.
    :param nonces_agree_within: another name of `lag`.
    :raises InvalidInput: a limit is out of range.
    """

    network: str
    relayer: AccountId
    user: AccountId
    payer: AccountId
    chain: str | None = None
    parts: int | None = 1
    max_parts: int = _PAYOUT.max_parts
    max_fee_per_payout: int | None = None
    max_fee_per_day: int | None = None
    max_fee_per_run: int | None = None
    needs_limits: bool = False
    max_replans: int = 3
    history_depth: int = HISTORY_DEPTH
    calendar: EraCalendar | None = None
    max_drift: int = MAX_DRIFT
    confirm_by: ConfirmBy = ConfirmBy.AUTO
    wait_for_closed_window: bool = True
    poll_interval: timedelta = _TIMING.poll_interval
    not_found_grace: timedelta = timedelta(seconds=60)
    lag: timedelta = _TIMING.lag
    finalized_within: timedelta = _TIMING.finalized_within
    settle_within: timedelta = timedelta(minutes=15)
    lease: timedelta = timedelta(minutes=2)
    max_fees_for_nothing: int = _PAYOUT.max_fees_for_nothing
    again: bool = False
    nonces_agree_within: InitVar[timedelta | None] = None

    @property
    def lane(self) -> str:
        """Name of the chain in the ledger."""
        return self.chain or self.network

    @property
    def final_after(self) -> timedelta:
        """A read that begins this long after a first one shows what can no longer change."""
        return self.lag + self.finalized_within

    @property
    def has_limits(self) -> bool:
        return any(getattr(self, limit) is not None for limit in _LIMITS)

    def __post_init__(self, nonces_agree_within: timedelta | None) -> None:
        if nonces_agree_within is not None:
            object.__setattr__(self, "lag", nonces_agree_within)
        for name, least in _LEAST.items():
            value = getattr(self, name)
            if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < least):
                raise InvalidInput(name, f"{value!r} is refused", f"Write {least} or more")


def terms_of(name: str, network: NetworkConfig) -> PayoutTerms:
    """The terms that the configuration sets for a network."""
    timing, known = network.timing, {field.name for field in fields(PayoutTerms)}
    settings = {**dict(network.payout), **dict(timing), "history_depth": network.history_depth}
    return PayoutTerms(
        network=name,
        relayer=network.relayer,
        user=network.user,
        payer=network.payer,
        calendar=network.known_calendar,
        max_drift=network.calendar_settings.max_drift if network.known_calendar else MAX_DRIFT,
        confirm_by=network.payout.confirm,
        lease=timing.lag + timing.finalized_within,  # after this time a read shows what the other process did
        **{setting: value for setting, value in settings.items() if setting in known},
    )
