"""When unpaid eras are lost, and how near that is.

The chain keeps the rewards of the last `history_depth` eras. Some accounts have less time: one that has left the chain may be
paid for 28 eras only, while the network's depth is 84. Such a depth of its own does not make an era unpayable, it makes it urgent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from staking_gateway.eras.calendar import expires_at_era

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from staking_gateway.eras.calendar import EraCalendar

WARNINGS = (50, 80, 95)
"""Per cent of the history depth after which an era that is still owed is warned of, once each."""


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
