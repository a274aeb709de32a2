"""The calendar: the era at a time, and start and end of an era.

A calendar is a list of anchors. An anchor is an era with its start, and the length of the eras from there on. A drift, or a new length of eras,
becomes another anchor at the end. It never changes the start of earlier eras. All arithmetic uses whole microseconds.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

from staking_gateway.errors import InvalidEra, InvalidInput
from staking_gateway.types import MAX_ERA, parse_era

if TYPE_CHECKING:
    from collections.abc import Mapping

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
    return datetime(
        utc.year, utc.month, utc.day, utc.hour, utc.minute, utc.second, utc.microsecond, tzinfo=timezone.utc
    )


def to_microseconds(length: timedelta) -> int:
    """A length in whole microseconds; exact for subclasses that override division (pendulum's Duration)."""
    return timedelta.__floordiv__(length, _MICROSECOND)


@dataclass(frozen=True)
class EraAnchor:
    """An era with a known start.

    :param era: u32.
    :param start: aware time, stored in UTC.
    :param length: length of this era and the later ones, more than zero.
    :raises InvalidInput: one of them is not valid.
    """

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
    """Maps eras to times and back.

    The length of an anchor applies up to the next anchor. The last anchor has no end, and the first one also applies to earlier eras. So the
    era right before an anchor may be shorter or longer than its neighbours.

    If the chain was faster than the calendar, a new anchor may start before earlier eras do. These eras, at most `MOST_SQUEEZED`, are squeezed:
    they start right before the anchor, one microsecond apart. They have no run yet, because by the old calendar they had not begun.

    :param anchors: one or more, ascending in era and in time.
    :raises InvalidInput: an anchor is not valid; the field is e.g. `anchors[1].start`.
    """

    anchors: tuple[EraAnchor, ...]

    def __post_init__(self) -> None:
        given = self.anchors
        if not isinstance(given, Sequence) or not given or not all(isinstance(one, EraAnchor) for one in given):
            raise InvalidInput("anchors", "not a list of eras with known starts", "Give one or more: [EraAnchor(...)]")
        object.__setattr__(self, "anchors", tuple(given))
        for index in range(1, len(self.anchors)):
            self._check_successor(index)

    def _check_successor(self, index: int) -> None:
        previous, anchor = self.anchors[index - 1 : index + 1]
        if anchor.era <= previous.era:
            raise InvalidInput(
                f"anchors[{index}].era",
                f"era {anchor.era} does not come after era {previous.era} of the anchor before it",
                "Write the anchors in ascending order, and append new ones at the end",
            )
        squeezed = _squeezed(previous, anchor)
        if anchor.start <= previous.start + (anchor.era - previous.era - 1) * _MICROSECOND or squeezed > MOST_SQUEEZED:
            try:
                earlier = _extrapolate(previous, anchor.era - 1)
            except InvalidEra as error:
                raise InvalidInput(f"anchors[{index}].era", error.fault, error.problem.remedy) from None
            raise InvalidInput(
                f"anchors[{index}].start",
                f"{anchor.start.isoformat()} is not after {earlier.isoformat()}, when era {anchor.era - 1} starts",
                "Write a later start, or check the era and the length of the anchor before it",
            )

    def start(self, era: int) -> datetime:
        """The start of an era, in UTC. Raises InvalidEra outside the years 1 to 9999."""
        return self._start(parse_era(era))

    def end(self, era: int) -> datetime:
        """The end of an era, which is the start of the next one. Raises as `start`."""
        return self._start(parse_era(era) + 1)

    def _start(self, era: int) -> datetime:
        position = max(1, bisect_right(self.anchors, era, key=lambda anchor: anchor.era))
        start = _extrapolate(self.anchors[position - 1], era)
        if position == len(self.anchors) or era < self.anchors[0].era:
            return start
        following = self.anchors[position]
        return min(start, following.start - (following.era - era) * _MICROSECOND)

    def _index(self, moment: datetime) -> int:
        """As `era_at`, but times before era 0 have negative numbers."""
        position = bisect_right(self.anchors, moment, key=lambda anchor: anchor.start)
        anchor = self.anchors[max(0, position - 1)]
        era = anchor.era + (moment - anchor.start) // anchor.length
        if position in (0, len(self.anchors)):
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

    def serialize(self) -> dict[str, Any]:
        """The calendar as plain JSON, exact to the microsecond."""
        return {
            "anchors": [
                {
                    "era": anchor.era,
                    "start": anchor.start.isoformat(),
                    "length_microseconds": to_microseconds(anchor.length),
                }
                for anchor in self.anchors
            ]
        }

    @classmethod
    def deserialize(cls, data: Mapping[str, Any]) -> EraCalendar:
        """Read the result of `serialize`."""
        return cls(
            tuple(
                EraAnchor(
                    anchor["era"],
                    datetime.fromisoformat(anchor["start"]),
                    timedelta(microseconds=anchor["length_microseconds"]),
                )
                for anchor in data["anchors"]
            )
        )


def _extrapolate(anchor: EraAnchor, era: int) -> datetime:
    try:
        return anchor.start + (era - anchor.era) * anchor.length
    except OverflowError:
        raise InvalidEra(
            "era", f"era {era} starts outside the years 1 to 9999", "Check the era, and the anchors' length"
        ) from None


def _squeezed(previous: EraAnchor, anchor: EraAnchor) -> int:
    """How many eras between two anchors would start at the second one or later, by the first one's length."""
    natural = -((previous.start - anchor.start) // previous.length)  # eras that start before the second anchor
    return max(0, anchor.era - previous.era - natural)


def _checked(era: int, moment: datetime) -> int:
    if not 0 <= era <= MAX_ERA:
        side, other = ("before era 0", "a later") if era < 0 else (f"after era {MAX_ERA}", "an earlier")
        raise InvalidEra("when", f"{moment.isoformat()} is {side}", f"Give {other} time")
    return era
