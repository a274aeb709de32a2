"""Forecast of the next change of the active era and of the election window, and the pause until the next request.

Both change once per era, so the last change predicts the next one. The calendar gives the end of an era, and observed changes correct it.
`EraForecast` stores the last change of the era and the last closing of the window in memory. Two changes measure the length of an era. A new
process knows only the calendar: it asks for the window at the plain interval until it has seen one closing, or two without a known length.

`pause` waits half the time to the expected change, and afterwards half the time since. It is at most five plain intervals, and at least a tenth
of one. The last pause before the change ends exactly at it. So a change is noticed within a fifth of an interval, or within half of the
forecast's error if that is more, and never later than five intervals. A forecast only decides when to ask.

All times are seconds since 1970. No I/O.
"""

from __future__ import annotations

from dataclasses import dataclass

from staking_gateway.types import ElectionWindow

COARSEST = 5.0
"""Longest pause before the expected change, in plain intervals."""
FINEST = 0.1
"""Shortest pause around the expected change, in plain intervals."""
SHORTEST_PAUSE_SECONDS = 0.02
"""Shortest pause in seconds: a gateway on the same machine needs it for a few answers."""
_LEAST_INTERVALS = 10
"""Eras with fewer intervals use the plain interval, because a forecast saves nothing."""


def pause(now: float, expected: float | None, interval: float, *, era_length: float | None = None) -> float:
    """Seconds until the next request.

    :param now: the present time.
    :param expected: time of the expected change; None: unknown.
    :param interval: seconds between two requests without a forecast; more than zero.
    :param era_length: seconds of an era; None: unknown.
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
    """A change between two answers. `era` is the active era after it, if known."""

    after: float
    by: float
    era: int = 0

    @property
    def about(self) -> float:
        return (self.after + self.by) / 2


class EraForecast:
    """Observed changes of one chain, and the forecast of the next ones. Not for several threads."""

    def __init__(self) -> None:
        self._answered: tuple[float, int | None, ElectionWindow | None] | None = None
        self._begun: _Sighting | None = None
        self._closed: _Sighting | None = None
        self._measured: tuple[float, float] | None = None
        """Bounds of the length of an era, from two changes of the active era."""
        self._between_closings: float | None = None

    def note(self, active: int | None, window: ElectionWindow | None, *, asked_at: float, answered_at: float) -> None:
        """Store an answer; None for an unavailable value.

        :param asked_at: time of the request; the answer was true at some time between both.
        :param answered_at: time of the answer.
        """
        before, self._answered = self._answered, (asked_at, active, window)
        if before is None or answered_at <= before[0]:
            # The first answer, or the machine's clock went back.
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
            # The chain was restarted, so older changes predict nothing.
            self._begun = self._closed = self._measured = self._between_closings = None
        elif last is not None and now.era > last.era:
            eras = now.era - last.era
            self._measured = (now.after - last.by) / eras, (now.by - last.after) / eras

    def _note_closing(self, now: _Sighting) -> None:
        last, self._closed = self._closed, now
        if last is not None:
            self._between_closings = now.about - last.about

    def era_length(self, given: float | None = None) -> float | None:
        """Seconds of an era: as given by the calendar, within the observed bounds; None: unknown."""
        if self._measured is not None:
            least, most = self._measured
            return min(max(given, least), most) if given is not None else (least + most) / 2
        return given if given is not None else self._between_closings

    def end_of(self, era: int, *, expected_at: float | None = None, era_length: float | None = None) -> float | None:
        """The expected end of an era: as expected by the calendar, within the observed bounds; None: unknown."""
        length = self.era_length(era_length)
        if self._begun is None or length is None:
            return expected_at
        to_come = (era + 1 - self._begun.era) * length
        if expected_at is None:
            return self._begun.about + to_come
        return min(max(expected_at, self._begun.after + to_come), self._begun.by + to_come)

    def next_closing(self, now: float, *, era_length: float | None = None) -> float | None:
        """The expected closing of an open window that is nearest to now; it may have passed. None: unknown."""
        length = self.era_length(era_length)
        if self._closed is None or not length:
            return None
        return self._closed.about + max(1, round((now - self._closed.about) / length)) * length
