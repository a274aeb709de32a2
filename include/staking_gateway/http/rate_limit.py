"""Rate limits for many calls: calls in flight, calls per second, and the gateway's refusals.

`AdaptiveRateLimiter` holds the rules. `AsyncRateLimiter` makes coroutines wait for it. All calls of a task share one limiter.
"""

from __future__ import annotations

import asyncio
import copy
import logging
from collections import deque
from contextvars import ContextVar

from staking_gateway.errors import Failed, GatewayError, InvalidInput
from staking_gateway.http.meanings import asks_for_fewer_calls

_log = logging.getLogger(__name__)

PATIENCE = 300.0
"""Seconds without an answer, or in `Retry-After`, after which a check gives up."""
MAX_CONCURRENCY = 1000
"""Most calls of a task in flight."""
MAX_RATE = 100_000.0
"""Highest configurable number of calls per second."""
_OUTAGES = (Failed.UNREACHABLE, Failed.TIMEOUT, Failed.BROKEN, Failed.FAILED, Failed.TOO_MANY)
_LONGEST_GAP = 5.0
_SHORTEST_GAP = 0.05
_REFUSALS_BEFORE_GAP = 2
"""Consecutive refusals of single calls that start or double the gap between calls."""
_TIMER_DELAY = 0.01
"""Seconds that a call may start late without delaying the next one. Timers are about a millisecond late."""


def check_concurrency(value: object) -> int:
    """A number of calls in flight.

    :raises InvalidInput: not an integer, or less than one.
    """
    if type(value) is not int:
        raise InvalidInput("concurrency", f"{str(value)[:40]!r} is not a number", "Write 1 or more")
    if value < 1:
        raise InvalidInput("concurrency", f"{_shown(value)} is less than one", "Write 1 or more")
    return value


def check_rate(value: object) -> float | None:
    """A number of calls per second, or None for no limit.

    :raises InvalidInput: not a number, not more than zero, or above `MAX_RATE`.
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
    # Python does not convert integers of thousands of digits to text.
    return str(number) if abs(number) < 10**9 else "a huge number"


class AdaptiveRateLimiter:
    """The rules. The caller passes the time; nothing waits here.

    A refusal (HTTP 429 or 503) halves the window, once for all calls that were in flight together. Answers widen it again.
    Consecutive refusals of single calls without `Retry-After` put a growing gap between calls; answers close it. `Retry-After`
    delays every call.

    :param concurrency: most calls in flight, at least 1.
    :param rate: most calls per second; None for no limit.
    :param patience: seconds; see `given_up`.
    :ivar window: number of calls that may be in flight now.
    :ivar gap: seconds between the starts of two calls.
    :ivar refusals: number of refused calls.
    :ivar given_up: the last error after `patience` seconds without an answer, or the refusal with a longer `Retry-After`. No call
        starts after it.
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
        self._next_start = 0.0
        self._slowdowns = 0
        self._refusals_in_row = 0
        self._slowest_logged = self.window
        self._failing_since: float | None = None

    def opens_in(self, now: float) -> float | None:
        """Seconds until the next call may start; None when a call in flight must end first."""
        if self.in_flight >= int(self.window):
            return None
        return max(0.0, self._next_start - now)

    def start(self, now: float) -> int:
        """Count a call that starts; `opens_in` must have been 0.

        :returns: the number of slowdowns so far, for `failed`.
        """
        self.in_flight += 1
        if self.gap:
            self._next_start = max(self._next_start, now - _TIMER_DELAY) + self.gap
        return self._slowdowns

    def cancelled(self) -> None:
        """Count a call that its caller cancelled."""
        self.in_flight -= 1

    def answered(self) -> None:
        """Count an answered call, and speed up."""
        self.in_flight -= 1
        self._failing_since = None
        self._refusals_in_row = 0
        if self.gap > self._least_gap:
            gap = self.gap * 0.9
            self.gap = gap if gap >= max(self._least_gap, _SHORTEST_GAP / 4) else self._least_gap
        elif self.window < self.limit:
            self.window = min(self.window + 1.0 / self.window, float(self.limit))

    def failed(self, slowdowns: int, error: BaseException, now: float) -> None:
        """Count a failed call, and slow down after a refusal.

        :param slowdowns: the result of `start` for this call.
        """
        self.in_flight -= 1
        if not (isinstance(error, GatewayError) and error.how in _OUTAGES):
            self._failing_since = None
            return
        if asks_for_fewer_calls(error):
            self._refused(slowdowns, error, now)
        if self._failing_since is None:
            self._failing_since = now
        elif now - self._failing_since > self.patience and self.given_up is None:
            _log.warning("No answer for %.0f s: the remaining calls are not made", self.patience)
            self.given_up = error

    def _refused(self, slowdowns: int, error: GatewayError, now: float) -> None:
        self.refusals += 1
        pause = error.retry_after or 0.0
        if pause > self.patience:
            if self.given_up is None:
                _log.warning("The gateway asks to wait %.0f s: the remaining calls are not made", pause)
            self.given_up = error
            return
        is_news = slowdowns == self._slowdowns
        if pause and now + pause > self._next_start:
            if is_news:
                _log.warning("The gateway asks to wait %.0f s (HTTP %s): no call starts before", pause, error.status)
            self._next_start = now + pause
        if is_news:
            self._slow_down(error.status or 0, now, grow_gap=not pause)

    def _slow_down(self, status: int, now: float, *, grow_gap: bool) -> None:
        self._slowdowns += 1
        self._refusals_in_row += 1
        if grow_gap and self.window < 2 and self._refusals_in_row >= _REFUSALS_BEFORE_GAP:
            self.gap = min(max(2 * self.gap, _SHORTEST_GAP), max(_LONGEST_GAP, self._least_gap))
            self._next_start = max(self._next_start, now + self.gap)
        self.window = max(1.0, self.window / 2)
        speed = self.window / (1.0 + self.gap)
        if 2 * speed <= self._slowest_logged:  # one line per halving, not per refusal
            self._slowest_logged = speed
            every = f", one every {self.gap:.2f} s" if self.gap > self._least_gap else ""
            _log.info("The gateway refuses calls (HTTP %s): %d at a time now%s", status, self.window, every)


class AsyncRateLimiter:
    """Makes the coroutines of one event loop wait for an `AdaptiveRateLimiter`.

    :param rules: the rules.
    """

    def __init__(self, rules: AdaptiveRateLimiter) -> None:
        self.rules = rules
        self._queue: deque[asyncio.Future[int]] = deque()
        self._timer: asyncio.TimerHandle | None = None

    async def acquire(self, *, again: bool = False) -> int:
        """Wait until a call may start.

        :param again: whether the call is a repetition. Repetitions go first, so that begun accounts are finished.
        :returns: the number of slowdowns so far, for `failed`.
        :raises GatewayError: the rules have given up with this error.
        """
        rules, loop = self.rules, asyncio.get_running_loop()
        if rules.given_up is not None:
            raise copy.copy(rules.given_up)
        if not self._queue or again:
            now = loop.time()
            if rules.opens_in(now) == 0.0:
                return rules.start(now)
        future: asyncio.Future[int] = loop.create_future()
        if again:
            self._queue.appendleft(future)
        else:
            self._queue.append(future)
        self._start_waiting()
        try:
            return await future
        except asyncio.CancelledError:
            if not future.cancelled() and future.exception() is None:
                self.cancelled()
            raise

    def answered(self) -> None:
        """Count an answered call."""
        self.rules.answered()
        self._start_waiting()

    def failed(self, slowdowns: int, error: BaseException) -> None:
        """Count a failed call.

        :param slowdowns: the result of `acquire` for this call.
        """
        self.rules.failed(slowdowns, error, asyncio.get_running_loop().time())
        self._start_waiting()

    def cancelled(self) -> None:
        """Count a call that its caller cancelled."""
        self.rules.cancelled()
        self._start_waiting()

    def _start_waiting(self) -> None:
        """Start all waiting calls that may start now, and set a timer for the next one."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        loop, rules = asyncio.get_running_loop(), self.rules
        while self._queue:
            if self._queue[0].done():
                self._queue.popleft()
            elif rules.given_up is not None:
                self._queue.popleft().set_exception(copy.copy(rules.given_up))
            elif (wait := rules.opens_in(now := loop.time())) == 0.0:
                self._queue.popleft().set_result(rules.start(now))
            else:
                if wait is not None:
                    self._timer = loop.call_later(wait, self._start_waiting)
                return


RATE_LIMITER: ContextVar[AsyncRateLimiter | None] = ContextVar("staking_gateway_rate_limiter", default=None)
"""The limiter for reads of `AsyncGatewayClient` in the task that sets it; None for no limit."""
