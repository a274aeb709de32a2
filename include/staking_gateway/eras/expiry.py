"""Expiry: which eras can still be paid, which have expired, and when the others expire.

The chain keeps the rewards of the last `history_depth` eras. It counts from the era that is planned: on some chains this is the next one all
the time, on others only in the last session of an era. So in its last era a payout may be refused: it is tried, and no deadline counts on it.

Some accounts have less time: an account that has left the chain may lose rewards after 28 eras, when the network's depth is 84. A smaller depth
of an account makes an era urgent earlier, but not unpayable.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from staking_gateway.errors import EraNotEnded, Failed, GatewayError, InvalidEra
from staking_gateway.text import count
from staking_gateway.types import MAX_ERA, parse_era, parse_unsigned

if TYPE_CHECKING:
    from datetime import datetime

    from staking_gateway.eras.calendar import EraCalendar

WARNINGS = (50, 80, 95)
"""Percentages of the history depth at which an unpaid era gets a warning, once each."""
HISTORY_DEPTH = 84
"""Eras for which most chains keep rewards."""
MAX_DRIFT = 10
"""Eras by which the gateway's active era may be ahead of the calendar's before nothing is signed; a catch-up also stops behind it."""
_MOMENT = 0.25
"""The part of an era for which a difference of one era is normal."""
URGENT_PERCENT = 80
"""From this warning on, an unpaid era is critical."""


def payable_eras(active: int, history_depth: int) -> range:
    """The eras that can be paid while `active` runs: from max(0, active - history_depth) to active - 1."""
    active = parse_era(active, field="active")
    return range(max(0, active - _depth(history_depth)), active)


def expires_at_era(era: int, history_depth: int) -> int:
    """The first active era at which `era` can certainly no longer be paid."""
    return parse_era(era) + _depth(history_depth) + 1


def _depth(value: int) -> int:
    return parse_unsigned(value, MAX_ERA, field="history_depth")


def check_payable(era: int, active: int, history_depth: int, *, field: str = "era") -> None:
    """Refuse an era that has not ended (EraNotEnded) or has expired (InvalidEra)."""
    payable = payable_eras(active, history_depth)
    must_have_ended(era, active, field=field)
    if era < payable.start:
        raise InvalidEra(
            field,
            f"era {era} has expired: while era {active} is active, the oldest that can be paid is {payable.start}",
            f"Write {payable.start} or more",
        )


def must_have_ended(era: int, active: int, *, field: str = "era") -> None:
    """Raise EraNotEnded for an era that a person names too early; a run waits for its own."""
    if era >= active:
        raise EraNotEnded(field, f"era {era} has not ended, era {active} is active", "Name an era that has ended")


@dataclass(frozen=True)
class ActiveEra:
    """The active era, from the chain and from the calendar.

    :param chain: from the gateway or a node; None: unavailable, and with `unanswered` the request failed.
    :param calendar: from the calendar; None before its first era and after its last.
    :param max_drift: eras by which the two may differ, unless `by_node`: the era comes from a node of the chain, which is believed.
    :param reached: the newest era that was paid on this chain, if any.
    :param passed: the part of the calendar's era that has passed; None: unknown, so a difference of one era is no drift.
    """

    chain: int | None
    calendar: int | None
    history_depth: int
    unanswered: bool = False
    max_drift: int = MAX_DRIFT
    by_node: bool = False
    reached: int | None = None
    passed: float | None = None

    @classmethod
    def at(cls, now: datetime, calendar: EraCalendar, chain: int | None, history_depth: int, **known: Any) -> ActiveEra:
        """The active era at a time; `known` are further fields."""
        era = calendar.era_or_none(now)
        if era is None:
            return cls(chain, None, history_depth, **known)
        start, end = calendar.start(era), calendar.end(era)
        return cls(chain, era, history_depth, passed=(now - start) / (end - start), **known)

    @property
    def credible(self) -> bool:
        """Whether the chain's era is believed: it comes from a node, or is at most `max_drift` ahead of the calendar's.

        A chain behind its calendar is believed, because blocks may be missed.
        """
        if self.chain is None or self.calendar is None:
            return self.chain is not None
        return self.by_node or self.chain - self.calendar <= self.max_drift

    @property
    def era(self) -> int:
        """The active era: from the chain if that is credible, else from the calendar."""
        return (self.chain if self.credible else self.calendar) or 0

    @property
    def drifts(self) -> bool:
        """Whether chain and calendar differ for more than a moment. Around a change of era, a difference of one is normal.

        A chain that is one era behind has been so since the calendar's era began. One that is ahead stays so until the calendar's era ends.
        """
        if self.chain is None or self.calendar is None:
            return self.chain is not None
        ahead = self.chain - self.calendar
        if abs(ahead) != 1 or self.passed is None:
            return abs(ahead) > 1
        return (1 - self.passed if ahead > 0 else self.passed) > _MOMENT

    @property
    def far_apart(self) -> bool:
        """Whether the chain's era is too far from the calendar's for a catch-up, and does not come from a node.

        A chain behind its calendar is believed when it is past every era that was paid on it: a chain never goes back.
        """
        if self.chain is None or self.calendar is None or self.by_node:
            return False
        if self.chain < self.calendar and self.reached is not None and self.chain > self.reached:
            return False
        return abs(self.chain - self.calendar) > self.max_drift

    def check(self, network: str) -> None:
        """Raise a GatewayError with both eras if they are far apart."""
        if self.far_apart:
            raise GatewayError(
                f"era {self.chain} is active by the gateway, era {self.calendar} by the calendar: they differ by more than "
                f"calendar.max_drift {self.max_drift}, so nothing is signed",
                remedy="Check the gateway. Then append an anchor to "
                f"networks.{network}.calendar.anchors, or approve the plan of: airflow staking pay --network {network} --dry-run",
                method="active era",
                how=Failed.DOUBTFUL_ERA,
            )

    @property
    def payable(self) -> range:
        """The eras that can be paid."""
        return payable_eras(self.era, self.history_depth)

    @property
    def expired_before(self) -> int:
        """Unpaid eras before this one have certainly expired. The calendar decides only if the chain cannot report its era."""
        certain = self.credible or (self.chain is None and not self.unanswered)
        return self.payable.start if certain else 0


@dataclass(frozen=True)
class Depths:
    """After how many eras rewards are gone: the chain's history depth, and own depths of accounts."""

    network: int
    accounts: tuple[int, ...] = ()

    def countdown(self, era: int, active: int) -> Countdown:
        """How long an unpaid era can still be paid in full: until the smallest depth that it has not passed."""
        ahead = [depth for depth in self.accounts if depth < self.network and active <= era + depth]
        return Countdown(era, active, min(ahead, default=self.network))


@dataclass(frozen=True)
class Countdown:
    """How long an unpaid era can still be paid in full, with the history depth of the rewards that are lost next."""

    era: int
    active: int
    depth: int

    @property
    def expires_at_era(self) -> int:
        """The first active era at which the rewards may be gone."""
        return expires_at_era(self.era, self.depth) - 1

    @property
    def eras_left(self) -> int:
        """Changes of era until the rewards may be gone; 0 or less when they may be."""
        return self.expires_at_era - self.active

    @property
    def when(self) -> str:
        """E.g. `in 3 eras`, or `now`."""
        return f"in {count(self.eras_left, 'era')}" if self.eras_left > 0 else "now"

    @property
    def warning(self) -> int | None:
        """The highest percentage of `WARNINGS` that this era has reached."""
        share = (self.active - self.era) * 100
        return max((percent for percent in WARNINGS if share >= percent * self.depth), default=None)

    def expires_at(self, calendar: EraCalendar) -> datetime:
        """When the rewards may be gone by the calendar; UTC."""
        return calendar.start(self.expires_at_era)

    def as_dict(self, calendar: EraCalendar | None = None) -> dict[str, Any]:
        data = {"expires_at_era": self.expires_at_era, "eras_left": self.eras_left, "expiry_warning": self.warning}
        return data if calendar is None else {**data, "expires_at": self.expires_at(calendar).isoformat()}
