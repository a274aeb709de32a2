"""Which eras can still be paid, which have expired, and how near that is.

The chain keeps the rewards of the last `history_depth` eras. Some accounts have less time: one that has left the chain may be
paid for 28 eras only, while the network's depth is 84. Such a depth of its own does not make an era unpayable, it makes it urgent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from staking_gateway.errors import InvalidEra
from staking_gateway.types import MAX_ERA, parse_era, parse_unsigned

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from staking_gateway.eras.calendar import EraCalendar

WARNINGS = (50, 80, 95)
"""Per cent of the history depth after which an era that is still owed is warned of, once each."""


def payable_eras(active: int, history_depth: int) -> range:
    """The eras whose rewards can be paid while `active` runs, oldest first.

    The chain keeps the rewards of the last `history_depth` eras (`Staking.HistoryDepth`, 84 on most networks); those of
    older ones are gone.

    :param active: the active era; it cannot be paid itself.
    :param history_depth: number of eras the chain keeps.
    :returns: from max(0, active - history_depth) to active - 1.
    """
    active = parse_era(active, field="active")
    return range(max(0, active - _depth(history_depth)), active)


def expires_at_era(era: int, history_depth: int) -> int:
    """The first active era at which `era` can no longer be paid.

    :param era: the era owed.
    :param history_depth: number of eras the chain keeps.
    """
    return parse_era(era) + _depth(history_depth) + 1


def _depth(value: int) -> int:
    return parse_unsigned(value, MAX_ERA, field="history_depth")


def check_payable(era: int, active: int, history_depth: int, *, field: str = "era") -> None:
    """Refuse an era that cannot be paid now.

    :param field: what the error names.
    :raises InvalidEra: the era has not ended, or has expired.
    """
    payable = payable_eras(active, history_depth)
    if era in payable:
        return
    if era >= active:
        raise InvalidEra(field, f"era {era} has not ended, era {active} is active", "Name an era that has ended")
    raise InvalidEra(
        field,
        f"era {era} has expired: while era {active} is active, the oldest that can be paid is {payable.start}",
        f"Write {payable.start} or more",
    )


@dataclass(frozen=True)
class ActiveEra:
    """Which era is active, by the chain and by the calendar.

    :param chain: what the chain reports, through the gateway or a node; None: nothing.
    :param calendar: what the calendar says; None before its first era and after its last.
    :param history_depth: eras the chain keeps rewards for.
    :param unanswered: the chain was asked, and did not answer.
    """

    chain: int | None
    calendar: int | None
    history_depth: int
    unanswered: bool = False

    @property
    def credible(self) -> bool:
        """Whether the chain's era can be true. An era more than a history depth ahead of the calendar is rather another chain's,
        and would make every unpaid era expire.
        """
        return self.chain is not None and (self.calendar is None or self.chain - self.calendar <= self.history_depth)

    @property
    def era(self) -> int:
        """The active era: from the chain when that is credible, else from the calendar."""
        return (self.chain if self.credible else self.calendar) or 0

    @property
    def drifts(self) -> bool:
        """Whether chain and calendar disagree. For a moment at the end of an era they may differ by one."""
        return self.chain is not None and (self.calendar is None or abs(self.chain - self.calendar) > 1)

    @property
    def far_apart(self) -> bool:
        """Whether chain and calendar disagree by more than a history depth: one of the two is another chain's."""
        return self.drifts and (self.calendar is None or abs((self.chain or 0) - self.calendar) > self.history_depth)

    @property
    def payable(self) -> range:
        """The eras that can be paid."""
        return payable_eras(self.era, self.history_depth)

    @property
    def expired_before(self) -> int:
        """Unpaid eras before this one have expired for certain.

        An expiry is reported once and for all. So the calendar alone decides only where the chain does not report its era at all.
        """
        certain = self.credible or (self.chain is None and not self.unanswered)
        return self.payable.start if certain else 0


@dataclass(frozen=True)
class Depths:
    """After how many eras rewards are gone.

    :param network: the chain's history depth.
    :param accounts: depths of accounts that have less time than the others.
    """

    network: int
    accounts: tuple[int, ...] = ()

    def next_loss(self, era: int, active: int) -> int:
        """The depth at which the next rewards of an era are lost: the smallest one that is not behind it yet."""
        ahead = [depth for depth in self.accounts if depth < self.network and active <= era + depth]
        return min(ahead, default=self.network)


def depths(network: int, accounts: Iterable[int | None] = ()) -> Depths:
    """The depths of a network and its accounts; None stands for an account without one of its own."""
    return Depths(network, tuple(sorted({depth for depth in accounts if depth is not None})))


@dataclass(frozen=True)
class Countdown:
    """How long an unpaid era can still be paid in full.

    :param depth: eras its next rewards are kept.
    :param expires_at_era: the first active era at which they are gone.
    :param eras_left: changes of era until then; none or less when they are gone.
    """

    era: int
    active: int
    depth: int

    @property
    def expires_at_era(self) -> int:
        """The first active era at which the rewards are gone."""
        return expires_at_era(self.era, self.depth)

    @property
    def eras_left(self) -> int:
        """Changes of era until the rewards are gone."""
        return self.expires_at_era - self.active

    @property
    def warning(self) -> int | None:
        """The highest of `WARNINGS` this era has come to, in per cent of its depth."""
        share = (self.active - self.era) * 100
        return max((percent for percent in WARNINGS if share >= percent * self.depth), default=None)

    def expires_at(self, calendar: EraCalendar) -> datetime:
        """When the rewards are gone, as far as the calendar knows; UTC.

        :raises InvalidEra: that is after the year 9999.
        """
        return calendar.start(self.expires_at_era)

    def as_dict(self, calendar: EraCalendar | None = None) -> dict[str, Any]:
        """Plain JSON."""
        told = {"expires_at_era": self.expires_at_era, "eras_left": self.eras_left, "expiry_warning": self.warning}
        return told if calendar is None else {**told, "expires_at": self.expires_at(calendar).isoformat()}


def countdown(era: int, active: int, kept: Depths) -> Countdown:
    """How long an era can still be paid in full.

    :param era: the era owed.
    :param active: the active era.
    """
    return Countdown(era, active, kept.next_loss(era, active))
