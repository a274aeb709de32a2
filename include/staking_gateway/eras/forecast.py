"""When the active era and the election window will change next, and how long not to ask until then.

Both change once per era, so the next time follows from the last one. Where the era calendar is known it says when an era ends;
what was seen corrects it: `EraForecast` keeps the last change of the era and the last closing of the window, and measures the
length of an era between two of them. It keeps a handful of numbers, in memory alone: a process that has just begun knows the
calendar only, asks at the plain interval for a window, and has learnt its time after the first closing (the second, where nobody
tells the length of an era).

`pause` turns an expected moment into the time until the next question: half the distance to that moment, on both sides of it.
Far away that is up to five plain intervals, close by down to a tenth of one; the last pause before the moment ends right at it, and
when it has passed in vain the pauses grow back to the plain interval. So a change is noticed with a delay of at most a fifth of an
interval, or half of what the forecast was wrong by if that is more; and whatever the forecast said, never later than five
intervals. A forecast decides when to ask, never what the answer means.

All moments are seconds since 1970. No I/O.
"""

from __future__ import annotations

from dataclasses import dataclass

from staking_gateway.types import ElectionWindow

COARSEST = 5.0
"""Longest pause before the expected moment, in plain intervals."""
FINEST = 0.1
"""Shortest pause around it, likewise."""
SHORTEST_PAUSE_SECONDS = 0.02
"""And no shorter than this: what a gateway on the same machine needs for a few answers."""
_LEAST_INTERVALS = 10
"""Eras shorter than so many intervals are asked for at the plain interval: there is nothing to save."""


def pause(now: float, expected: float | None, interval: float, *, era_length: float | None = None) -> float:
    """How long not to ask.

    :param now: the present.
    :param expected: when the change is expected; None if nobody knows.
    :param interval: seconds between two questions when nobody knows; more than zero.
    :param era_length: seconds an era lasts, if known.
    :returns: seconds, `FINEST` to `COARSEST` intervals.
    """
    if expected is None or (era_length is not None and era_length < _LEAST_INTERVALS * interval):
        return interval
    shortest = min(interval, max(FINEST * interval, SHORTEST_PAUSE_SECONDS))
    if shortest <= expected - now < 2 * shortest:
        return expected - now
    longest = interval if now > expected else COARSEST * interval
    return min(longest, max(shortest, abs(expected - now) / 2))


@dataclass(frozen=True)
class _Sighting:
    """Something happened in the time between two answers, in which `era` was the active one at last, if that was asked."""

    after: float
    by: float
    era: int = 0

    @property
    def about(self) -> float:
        return (self.after + self.by) / 2


class EraForecast:
    """What was seen of one chain's eras and windows, and what follows from it. Not for several threads."""

    def __init__(self) -> None:
        self._answered: tuple[float, int | None, ElectionWindow | None] | None = None
        self._begun: _Sighting | None = None
        self._closed: _Sighting | None = None
        self._measured: tuple[float, float] | None = None
        """Bounds of the length of an era, from two changes of the active era."""
        self._between_closings: float | None = None

    def note(self, active: int | None, window: ElectionWindow | None, *, asked_at: float, answered_at: float) -> None:
        """Take in an answer; what was not asked, or is not told, is None.

        :param asked_at: when the question left: the answer was true at some time from then on.
        :param answered_at: when the answer came.
        """
        before, self._answered = self._answered, (asked_at, active, window)
        if before is None or answered_at <= before[0]:
            # The first answer; or the machine's clock was put back.
            self._begun = self._closed = None
            return
        since, active_before, window_before = before
        if active is not None and active_before is not None and active != active_before:
            self._note_era(_Sighting(since, answered_at, active), after=active_before)
        if window is ElectionWindow.CLOSED and window_before is ElectionWindow.OPEN:
            self._note_closing(_Sighting(since, answered_at))

    def _note_era(self, now: _Sighting, *, after: int) -> None:
        last, self._begun = self._begun, now
        if now.era < after:
            # The chain has begun anew: what its predecessor did tells nothing.
            self._begun = self._closed = self._measured = self._between_closings = None
        elif last is not None and now.era > last.era:
            eras = now.era - last.era
            self._measured = (now.after - last.by) / eras, (now.by - last.after) / eras

    def _note_closing(self, now: _Sighting) -> None:
        last, self._closed = self._closed, now
        if last is not None:
            self._between_closings = now.about - last.about

    def era_length(self, given: float | None = None) -> float | None:
        """Seconds an era lasts: as given, unless what was seen contradicts it; None when nothing is known.

        :param given: what the calendar says.
        """
        if self._measured is not None:
            least, most = self._measured
            return min(max(given, least), most) if given is not None else (least + most) / 2
        return given if given is not None else self._between_closings

    def end_of(self, era: int, *, expected_at: float | None = None, era_length: float | None = None) -> float | None:
        """When an era should end.

        :param expected_at: when it does by the calendar; counts unless what was seen contradicts it.
        :param era_length: what the calendar says.
        """
        length = self.era_length(era_length)
        if self._begun is None or length is None:
            return expected_at
        to_come = (era + 1 - self._begun.era) * length
        if expected_at is None:
            return self._begun.about + to_come
        return min(max(expected_at, self._begun.after + to_come), self._begun.by + to_come)

    def next_closing(self, now: float, *, era_length: float | None = None) -> float | None:
        """When an open window should close: the expected moment nearest to now, which may just have passed.

        :param era_length: what the calendar says.
        """
        length = self.era_length(era_length)
        if self._closed is None or not length:
            return None
        return self._closed.about + max(1, round((now - self._closed.about) / length)) * length
