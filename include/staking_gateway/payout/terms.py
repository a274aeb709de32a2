"""The terms of a payout: accounts, limits and times; and the methods that the engine needs of a gateway."""

from __future__ import annotations

from dataclasses import InitVar, dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from staking_gateway.config.models import PayoutSettings, TimingSettings
from staking_gateway.eras.expiry import HISTORY_DEPTH, MAX_DRIFT, ActiveEra
from staking_gateway.errors import InvalidInput
from staking_gateway.types import ConfirmBy

if TYPE_CHECKING:
    from datetime import datetime

    from staking_gateway.config.models import NetworkConfig
    from staking_gateway.eras.calendar import EraCalendar
    from staking_gateway.types import AccountId

__all__ = ["ConfirmBy", "PayoutTerms", "terms_of"]


_PAYOUT, _TIMING = PayoutSettings(), TimingSettings()


@dataclass(frozen=True)
class PayoutTerms:
    """The accounts, limits and times of a network's payouts.

    :param network: key of the ledger.
    :param chain: the chain behind the gateway. Networks of one chain share the nonces of a user and of a payer. None takes the network's
        name.
    :param parts: calls per era; None repeats until nothing is left.
    :param max_parts: limit of such a repetition; at the limit the era ends PARTIAL.
    :param max_fee_per_payout: highest fee of a call, in the smallest unit. Above a limit nothing is signed.
    :param max_fee_per_day: highest sum of the fees of a UTC day.
    :param max_fee_per_run: highest sum of the fees of a run, for example of a catch-up.
    :param max_replans: new signatures after a rejection, per part and try.
    :param needs_limits: nothing is signed without `max_fee_per_payout` and one of the other two limits. The engine sets it for
        gateways on other machines.
    :param history_depth: eras after which unpaid rewards are gone.
    :param calendar: nothing is signed while the gateway's active era is more than `max_drift` eras ahead of the calendar's, unless it
        comes from a node. None: not compared, because there is no calendar, or because a person has approved the eras.
    :param not_found_grace: how long a gateway may not yet know a request that it has accepted.
    :param lag: the longest that a read may be older than the chain. `nonces_agree_within` is an earlier name of it.
    :param finalized_within: the longest time in which the chain may take back a block.
    :param settle_within: an accepted payload without a result is sent again after this time. A payload of another user delays the same
        payer for at most this time.
    :param lease: how long other processes wait for a process that is sending.
    :param max_fees_for_nothing: fees that may be charged for one part without a payout; then the part is held for a person.
    :param again: a person has checked the part: sign although it is held for a person, or its witnesses disagree.
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
        """Whether any limit of fees is set."""
        return (self.max_fee_per_payout, self.max_fee_per_day, self.max_fee_per_run) != (None, None, None)

    def ended_before(self, era: int, moment: datetime) -> bool:
        """Whether an era may have ended before a time. Without a calendar, each may have."""
        return self.calendar is None or self.calendar.end(era) <= moment

    def believed(self, active: int, now: datetime) -> int:
        """The active era that a gateway reports, unless it is further than `max_drift` ahead of the calendar.

        A gateway behind the calendar asks for no era that has not ended: its chain may have stood still.

        :raises GatewayError: it is too far ahead.
        """
        by_calendar = None if self.calendar is None else self.calendar.era_or_none(now)
        told = ActiveEra(active, by_calendar, self.history_depth, max_drift=self.max_drift)
        if not told.credible:
            told.check(self.network)
        return active

    def __post_init__(self, nonces_agree_within: timedelta | None) -> None:
        if nonces_agree_within is not None:
            object.__setattr__(self, "lag", nonces_agree_within)
        for name, least, remedy in (
            ("parts", 1, "Write 1 or more, or None to repeat until nothing is left"),
            ("max_parts", 1, "Write 1 or more"),
            ("max_fee_per_payout", 1, "Write an amount in the smallest unit, or None for no limit"),
            ("max_fee_per_day", 1, "Write an amount in the smallest unit, or None for no limit"),
            ("max_fee_per_run", 1, "Write an amount in the smallest unit, or None for no limit"),
            ("max_replans", 0, "Write 0 or more"),
            ("max_fees_for_nothing", 1, "Write 1 or more"),
            ("history_depth", 1, "Write 1 or more"),
        ):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < least):
                raise InvalidInput(name, f"{value!r} is refused", remedy)


def terms_of(name: str, network: NetworkConfig) -> PayoutTerms:
    """The terms that the configuration sets for a network."""
    payout, timing = network.payout, network.timing
    return PayoutTerms(
        network=name,
        relayer=network.relayer_account,
        user=network.user_account,
        payer=network.payer_account,
        parts=payout.parts,
        max_parts=payout.max_parts,
        max_fee_per_payout=payout.max_fee_per_payout,
        max_fee_per_day=payout.max_fee_per_day,
        max_fees_for_nothing=payout.max_fees_for_nothing,
        history_depth=network.history_depth,
        calendar=network.calendar,
        max_drift=network.calendar_settings.max_drift,
        confirm_by=payout.confirm,
        wait_for_closed_window=timing.wait_for_closed_window,
        poll_interval=timing.poll_interval,
        # After this time a read shows what the other process did.
        lease=timing.lag + timing.finalized_within,
        lag=timing.lag,
        finalized_within=timing.finalized_within,
    )
