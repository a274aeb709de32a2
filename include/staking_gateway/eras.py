"""Eras: the calendar, and which eras can still be paid.

The chain keeps the rewards of the last `history_depth` eras. It counts from the era that is planned: on some chains this is the next one all
the time, on others only in the last session of an era. So in its last era a payout may be refused: it is tried, and no deadline counts on it.
An account that has left the chain may lose rewards earlier (after 28 eras of 84): that makes an era urgent earlier, but not unpayable.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from itertools import pairwise
from typing import Any, Self

from staking_gateway.errors import EraNotEnded, Failed, GatewayError, InvalidEra, InvalidInput
from staking_gateway.text import count
from staking_gateway.types import MAX_ERA, parse_era

_MICROSECOND = timedelta(microseconds=1)
RUN_GRACE = timedelta(minutes=2)
"""How late a run may begin, unless eras are shorter or `calendar.delay` is longer."""
MOST_SQUEEZED = 100
"""Most eras that a new anchor may squeeze; more is a mistake in the file."""


def utc_now() -> datetime:
    """This machine's aware UTC time: the default clock."""
    return datetime.now(timezone.utc)


def to_utc(when: datetime, *, field: str = "when") -> datetime:
    """A time as a plain `datetime` in UTC. Raises InvalidInput without a time zone."""
    if not isinstance(when, datetime):
        raise InvalidInput(field, f"expected a time, got {type(when).__name__}", "Give a datetime with a time zone")
    if when.utcoffset() is None:
        raise InvalidInput(field, f"{when.isoformat()} has no time zone", "Give it one, e.g. timezone.utc")
    try:
        utc = when.astimezone(timezone.utc)
    except OverflowError:
        raise InvalidInput(field, f"{when.isoformat()} is outside the years 1 to 9999 in UTC", "Check it") from None
    # A plain datetime, because the arithmetic of subclasses such as pendulum's DateTime is inexact and slow.
    return datetime.combine(utc.date(), utc.time(), timezone.utc)


def to_microseconds(length: timedelta) -> int:
    """A length in whole microseconds; exact for subclasses that override division (pendulum's Duration)."""
    return timedelta.__floordiv__(length, _MICROSECOND)


@dataclass(frozen=True)
class EraAnchor:
    """An era (u32) with its start (aware, stored in UTC), and the length of this era and the later ones. Raises InvalidInput."""

    era: int
    start: datetime
    length: timedelta

    def __post_init__(self) -> None:
        if not isinstance(self.length, timedelta) or to_microseconds(self.length) < 1:
            raise InvalidInput(
                "length",
                f"{self.length} is not the length of an era",
                "Give a timedelta of more than zero, e.g. timedelta(hours=6)",
            )
        object.__setattr__(self, "era", parse_era(self.era))
        object.__setattr__(self, "start", to_utc(self.start, field="start"))
        object.__setattr__(self, "length", timedelta(microseconds=to_microseconds(self.length)))


@dataclass(frozen=True)
class EraCalendar:
    """Maps eras to times and back, in whole microseconds. A drift, or a new length, is another anchor at the end.

    The length of an anchor applies up to the next anchor, that of the first one also to earlier eras. So the era right before an anchor may be
    shorter or longer than its neighbours. If the chain was faster than the calendar, a new anchor may start before earlier eras do: these eras,
    at most `MOST_SQUEEZED`, start right before it, one microsecond apart. They have no run yet: by the old calendar they had not begun.

    :param anchors: ascending in era and in time. InvalidInput about another order has a field such as `anchors[1].start`.
    """

    anchors: tuple[EraAnchor, ...]

    def __post_init__(self) -> None:
        given = self.anchors
        if not isinstance(given, Sequence) or not given or not all(isinstance(one, EraAnchor) for one in given):
            raise InvalidInput(
                "anchors", "not a list of eras with known starts", "Give one or more, each with its start"
            )
        object.__setattr__(self, "anchors", tuple(given))
        for index, (previous, anchor) in enumerate(pairwise(self.anchors), 1):
            eras = anchor.era - previous.era
            if eras < 1:
                fault = f"era {anchor.era} does not come after era {previous.era} of the anchor before it"
                remedy = "Write the anchors in ascending order, and append new ones at the end"
                raise InvalidInput(f"anchors[{index}].era", fault, remedy)
            squeezed = eras + (previous.start - anchor.start) // previous.length
            if anchor.start <= previous.start + (eras - 1) * _MICROSECOND or squeezed > MOST_SQUEEZED:
                earlier = _extrapolate(previous, anchor.era - 1).isoformat()
                fault = f"{anchor.start.isoformat()} is not after {earlier}, when era {anchor.era - 1} starts"
                remedy = "Write a later start, or check the era and the length of the anchor before it"
                raise InvalidInput(f"anchors[{index}].start", fault, remedy)

    def start(self, era: int) -> datetime:
        """The start of an era, in UTC. Raises InvalidEra outside the years 1 to 9999."""
        return self._start(parse_era(era))

    def end(self, era: int) -> datetime:
        """The end of an era, which is the start of the next one. Raises as `start`."""
        return self._start(parse_era(era) + 1)

    def _start(self, era: int) -> datetime:
        position = max(1, bisect_right(self.anchors, era, key=lambda anchor: anchor.era))
        start = _extrapolate(self.anchors[position - 1], era)
        if position == len(self.anchors):
            return start
        following = self.anchors[position]
        return min(start, following.start - (following.era - era) * _MICROSECOND)

    def _index(self, moment: datetime) -> int:
        """As `era_at`, but times before era 0 have negative numbers."""
        position = bisect_right(self.anchors, moment, key=lambda anchor: anchor.start)
        anchor = self.anchors[max(0, position - 1)]
        era = anchor.era + (moment - anchor.start) // anchor.length
        if position == len(self.anchors):
            return era
        # The era right before an anchor lasts until that anchor, and squeezed eras lie between.
        following = self.anchors[position]
        return max(min(era, following.era - 1), following.era - (following.start - moment) // _MICROSECOND)

    def era_at(self, when: datetime) -> int:
        """The era at a time: start <= when < end. Raises InvalidEra before era 0, and after the last u32 era."""
        moment = to_utc(when)
        return _checked(self._index(moment), moment)

    def era_or_none(self, when: datetime) -> int | None:
        """As `era_at`, but None before era 0 and after the last era."""
        try:
            return self.era_at(when)
        except InvalidEra:
            return None

    def ended_after(self, when: datetime, era: int, *, active: int | None, now: datetime) -> bool:
        """Whether an era ended later than `when`, also if the chain is as far ahead of the calendar as its active era shows now."""
        begun = self.era_or_none(now)
        ahead = 0 if active is None or begun is None else active - begun
        return self.end(max(0, era - ahead - 1) if ahead > 0 else era) > when

    def first_era_from(self, when: datetime) -> int:
        """The first era that starts at `when` or later; at least era 0. Raises InvalidEra after the last u32 era."""
        moment = to_utc(when)
        era = self._index(moment)
        if era < 0:
            return 0
        return _checked(era if self._start(era) == moment else era + 1, moment)

    def last_finished(self, when: datetime) -> int | None:
        """The newest era that has ended at `when`; None before the end of era 0. Raises InvalidEra after the last u32 era."""
        moment = to_utc(when)
        era = self._index(moment) - 1
        return _checked(era, moment) if era >= 0 else None

    def serialize(self) -> list[list[Any]]:
        """The anchors as plain JSON: era, start, and length in microseconds."""
        return [[one.era, one.start.isoformat(), to_microseconds(one.length)] for one in self.anchors]

    @classmethod
    def deserialize(cls, data: Sequence[Sequence[Any]]) -> Self:
        anchors = ((era, datetime.fromisoformat(start), timedelta(microseconds=length)) for era, start, length in data)
        return cls(tuple(EraAnchor(*anchor) for anchor in anchors))


def _extrapolate(anchor: EraAnchor, era: int) -> datetime:
    try:
        return anchor.start + (era - anchor.era) * anchor.length
    except OverflowError:
        raise InvalidEra(
            "era", f"era {era} starts outside the years 1 to 9999", "Check the era, and the anchors' length"
        ) from None


def _checked(era: int, moment: datetime) -> int:
    if not 0 <= era <= MAX_ERA:
        side, other = ("before era 0", "a later") if era < 0 else (f"after era {MAX_ERA}", "an earlier")
        raise InvalidEra("when", f"{moment.isoformat()} is {side}", f"Give {other} time")
    return era


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
    return range(max(0, active - history_depth), active)


def check_payable(era: int, active: int, history_depth: int, *, field: str = "era") -> None:
    """Refuse an era that has not ended (EraNotEnded) or has expired (InvalidEra)."""
    if era >= active:
        raise EraNotEnded(field, f"era {era} has not ended, era {active} is active", "Name an era that has ended")
    oldest = payable_eras(active, history_depth).start
    if era < oldest:
        fault = f"era {era} has expired: while era {active} is active, the oldest that can be paid is {oldest}"
        raise InvalidEra(field, fault, f"Write {oldest} or more")


@dataclass(frozen=True)
class ActiveEra:
    """The active era, from the chain and from the calendar.

    :param chain: None: unavailable, and with `unanswered` the request failed. `calendar`: None before its first era.
    :param max_drift: eras by which the two may differ, unless `by_node`: the era comes from a node of the chain, which is believed.
    :param reached: the newest era that was paid on this chain, if any; `passed`: the part of the calendar's era that has passed.
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
    def at(cls, now: datetime, calendar: EraCalendar, chain: int | None, history_depth: int, **known: Any) -> Self:
        """The active era at a time; `known` are further fields."""
        era = calendar.era_or_none(now)
        if era is None:
            return cls(chain, None, history_depth, **known)
        start, end = calendar.start(era), calendar.end(era)
        return cls(chain, era, history_depth, passed=(now - start) / (end - start), **known)

    @property
    def credible(self) -> bool:
        """Whether the chain's era is believed: it comes from a node, or is at most `max_drift` ahead. It may be behind: blocks may be missed."""
        if self.chain is None or self.calendar is None:
            return self.chain is not None
        return self.by_node or self.chain - self.calendar <= self.max_drift

    @property
    def era(self) -> int:
        """From the chain if that is credible, else from the calendar."""
        return (self.chain if self.credible else self.calendar) or 0

    @property
    def drifts(self) -> bool:
        """Whether chain and calendar differ for more than a moment around a change of era. A chain that is one era behind has been so since the
        calendar's era began. One that is ahead stays so until the calendar's era ends.
        """
        if self.chain is None or self.calendar is None:
            return self.chain is not None
        ahead = self.chain - self.calendar
        if abs(ahead) != 1 or self.passed is None:
            return abs(ahead) > 1
        return (1 - self.passed if ahead > 0 else self.passed) > _MOMENT

    @property
    def far_apart(self) -> bool:
        """Whether the chain's era is too far from the calendar's for a catch-up, and does not come from a node. A chain behind its calendar is
        believed when it is past every era that was paid on it: a chain never goes back.
        """
        if self.chain is None or self.calendar is None or self.by_node:
            return False
        if self.chain < self.calendar and self.reached is not None and self.chain > self.reached:
            return False
        return abs(self.chain - self.calendar) > self.max_drift

    def check(self, network: str) -> None:
        """Raise GatewayError if the two are far apart."""
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
        return payable_eras(self.era, self.history_depth)

    @property
    def expired_before(self) -> int:
        """Unpaid eras before this one have certainly expired. The calendar decides only if the chain cannot report its era."""
        certain = self.credible or (self.chain is None and not self.unanswered)
        return self.payable.start if certain else 0


@dataclass(frozen=True)
class Countdown:
    """How long an unpaid era can still be paid in full, with the history depth of the rewards that are lost next."""

    era: int
    active: int
    depth: int

    @property
    def expires_at_era(self) -> int:
        """The first active era at which the rewards may be gone."""
        return self.era + self.depth

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
        """The highest of `WARNINGS` that this era has reached."""
        share = (self.active - self.era) * 100
        return max((percent for percent in WARNINGS if share >= percent * self.depth), default=None)

    def as_dict(self) -> dict[str, Any]:
        return {"expires_at_era": self.expires_at_era, "eras_left": self.eras_left, "expiry_warning": self.warning}
