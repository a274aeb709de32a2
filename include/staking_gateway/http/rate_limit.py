"""How fast many calls may follow one another: a window of calls in flight, a rate, and the gateway's own wishes.

`Pace` holds the rules alone: it is told the time and never waits. `Turnstile` makes coroutines wait by it. The calls of one task
share one turnstile, so that what one of them is told, all of them heed.
"""

from __future__ import annotations

import asyncio
import copy
import logging
from collections import deque
from contextvars import ContextVar
from typing import TYPE_CHECKING

from staking_gateway import errors
from staking_gateway.errors import InvalidInput

if TYPE_CHECKING:
    from staking_gateway.errors import GatewayError

_log = logging.getLogger(__name__)

PATIENCE = 300.0
"""Seconds without a single answer, or asked for by `Retry-After`, after which a check gives up."""
MAX_CONCURRENCY = 1000
"""Most calls of a task in flight."""
MAX_RATE = 100_000.0
"""Most calls per second that can be asked for."""
REFUSALS = (429, 503)
"""HTTP statuses by which a gateway says that it is asked too much."""
_LONGEST_GAP = 5.0
_SHORTEST_GAP = 0.05
_RUN_OF_REFUSALS = 2
"""Refusals in a row, one call at a time, that make the next one come later."""
_LATE = 0.01
"""Seconds a waiting call may be behind its time and the next still keep theirs: timers are about a millisecond late."""


def check_concurrency(value: object) -> int:
    """A number of calls in flight.

    :raises InvalidInput: it is no number, or less than one.
    """
    if type(value) is not int:
        raise InvalidInput("concurrency", f"{str(value)[:40]!r} is not a number", "Write 1 or more")
    if value < 1:
        raise InvalidInput("concurrency", f"{_shown(value)} is less than one", "Write 1 or more")
    return value


def check_rate(value: object) -> float | None:
    """A number of calls per second, or None for no limit.

    :raises InvalidInput: it is no number, not more than zero, or above `MAX_RATE`.
    """
    if value is None:
        return None
    remedy = f"Write more than 0 and at most {MAX_RATE:.0f}, or null for no limit"
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise InvalidInput("rate", f"{str(value)[:40]!r} is not a number of calls per second", remedy)
    if not 0 < value <= MAX_RATE:
        raise InvalidInput("rate", f"{_shown(value)} calls per second are refused", remedy)
    return float(value)


def _shown(number: float) -> str:
    return (
        str(number) if abs(number) < 10**9 else "a huge number"
    )  # Python refuses to spell integers of thousands of digits.


class Pace:
    """The rules, without a clock.

    A refusal (HTTP 429 or 503) halves the window, once for all the calls that were on their way together; each answer then widens it
    by its share of one. A gateway that refuses even one call at a time, several in a row, and does not say for how long, gets a
    growing gap between two calls, which answers close again; one that refuses some calls at whatever pace, as it does with one of
    its machines dead, gets none. `Retry-After` holds every call back until then.

    :param concurrency: most calls in flight, at least 1.
    :param rate: most calls per second; None for no limit.
    :param patience: seconds; see `given_up`.
    :ivar window: calls that may be in flight now.
    :ivar gap: seconds between the starts of two calls.
    :ivar refusals: how many calls were refused.
    :ivar given_up: the failure after which nothing was answered for `patience` seconds, or which asked to wait longer than that;
        no call starts any more.
    :raises InvalidInput: concurrency, rate or patience out of range.
    """

    def __init__(self, concurrency: int, rate: float | None = None, *, patience: float = PATIENCE) -> None:
        self.limit = check_concurrency(concurrency)
        rate = check_rate(rate)
        if not 0 < patience <= 3600:
            raise InvalidInput("patience", f"{patience} is refused", "Write seconds, more than 0 and at most 3600")
        self.patience = patience
        self.window = float(self.limit)
        self.in_flight = 0
        self.refusals = 0
        self.given_up: GatewayError | None = None
        self._least_gap = 1.0 / rate if rate else 0.0
        self.gap = self._least_gap
        self._opens = 0.0
        self._lesson = 0
        self._in_row = 0
        self._slowest = self.window
        self._silent_since: float | None = None

    def opens_in(self, now: float) -> float | None:
        """Seconds until the next call may start, 0 for now; None when one that is in flight has to end first."""
        if self.in_flight >= int(self.window):
            return None
        return max(0.0, self._opens - now)

    def start(self, now: float) -> int:
        """A call starts; `opens_in` must have been 0.

        :returns: what it knows of the gateway, to be handed to `answered` or `failed`.
        """
        self.in_flight += 1
        if self.gap:
            self._opens = max(self._opens, now - _LATE) + self.gap
        return self._lesson

    def cancelled(self) -> None:
        """A call was given up by its caller."""
        self.in_flight -= 1

    def answered(self) -> None:
        """A call was answered."""
        self.in_flight -= 1
        self._silent_since = None
        self._in_row = 0
        if self.gap > self._least_gap:
            gap = self.gap * 0.9
            self.gap = gap if gap >= max(self._least_gap, _SHORTEST_GAP / 4) else self._least_gap
        elif self.window < self.limit:
            self.window = min(self.window + 1.0 / self.window, float(self.limit))

    def failed(self, lesson: int, error: BaseException, now: float) -> None:
        """A call failed.

        :param lesson: what `start` returned for it.
        """
        self.in_flight -= 1
        if isinstance(error, errors.HttpError) and error.status in REFUSALS:
            self._slow_down(lesson, error, now)
        elif not isinstance(error, (errors.TransportError, errors.GatewayUnavailable)):
            self._silent_since = None
            return
        if self._silent_since is None:
            self._silent_since = now
        elif now - self._silent_since > self.patience and self.given_up is None:
            _log.warning("Not one answer for %.0f s: the calls that are left are not made", self.patience)
            self.given_up = error

    def _slow_down(self, lesson: int, error: errors.HttpError, now: float) -> None:
        self.refusals += 1
        asked = error.retry_after or 0.0
        if asked > self.patience:
            if self.given_up is None:
                _log.warning("The gateway asks to wait %.0f s: the calls that are left are not made", asked)
            self.given_up = error
            return
        if asked and now + asked > self._opens:
            if lesson == self._lesson:
                _log.warning("The gateway asks to wait %.0f s (HTTP %s): no call starts before", asked, error.status)
            self._opens = now + asked
        if lesson != self._lesson:
            return
        self._lesson += 1
        self._in_row += 1
        if self.window < 2 and not asked and self._in_row >= _RUN_OF_REFUSALS:
            self.gap = min(max(2 * self.gap, _SHORTEST_GAP), max(_LONGEST_GAP, self._least_gap))
            self._opens = max(self._opens, now + self.gap)
        self.window = max(1.0, self.window / 2)
        if (
            2 * (speed := self.window / (1.0 + self.gap)) <= self._slowest
        ):  # told once for each depth, not at each swing
            self._slowest = speed
            every = f", one every {self.gap:.2f} s" if self.gap > self._least_gap else ""
            _log.info("The gateway refuses calls (HTTP %s): %d at a time now%s", error.status, self.window, every)


class Turnstile:
    """Lets calls through at a pace; for use in one event loop.

    :param pace: the rules.
    """

    def __init__(self, pace: Pace) -> None:
        self.pace = pace
        self._queue: deque[asyncio.Future[int]] = deque()
        self._timer: asyncio.TimerHandle | None = None

    async def turn(self, *, again: bool = False) -> int:
        """Wait until a call may start.

        :param again: whether this repeats a call: those go first, so that an account that was begun is finished.
        :returns: what to hand to `failed`.
        :raises GatewayError: the pace has given up; the error is what it gave up with.
        """
        pace, loop = self.pace, asyncio.get_running_loop()
        if pace.given_up is not None:
            raise copy.copy(pace.given_up)
        if not self._queue or again:
            now = loop.time()
            if pace.opens_in(now) == 0.0:
                return pace.start(now)
        future: asyncio.Future[int] = loop.create_future()
        if again:
            self._queue.appendleft(future)
        else:
            self._queue.append(future)
        self._serve()
        try:
            return await future
        except asyncio.CancelledError:
            if not future.cancelled() and future.exception() is None:
                self.cancelled()
            raise

    def answered(self) -> None:
        """A call was answered."""
        self.pace.answered()
        if self._queue:
            self._serve()

    def failed(self, lesson: int, error: BaseException) -> None:
        """A call failed.

        :param lesson: what `turn` returned for it.
        """
        self.pace.failed(lesson, error, asyncio.get_running_loop().time())
        if self._queue:
            self._serve()

    def cancelled(self) -> None:
        """A call was given up by its caller."""
        self.pace.cancelled()
        self._serve()

    def _serve(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        loop, pace = asyncio.get_running_loop(), self.pace
        while self._queue:
            if self._queue[0].done():
                self._queue.popleft()
            elif pace.given_up is not None:
                self._queue.popleft().set_exception(copy.copy(pace.given_up))
            elif (wait := pace.opens_in(now := loop.time())) == 0.0:
                self._queue.popleft().set_result(pace.start(now))
            else:
                if wait is not None:
                    self._timer = loop.call_later(wait, self._serve)
                return


TURNSTILE: ContextVar[Turnstile | None] = ContextVar("staking_gateway_turnstile", default=None)
"""At which the reads of an `AsyncGatewayClient` take their turns, in the task that sets it; None lets them go at once."""
