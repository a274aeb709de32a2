"""The pace of many calls to one gateway: so many a second, and `Retry-After` obeyed by all of them."""

from __future__ import annotations

import asyncio
import copy
import logging
from typing import TYPE_CHECKING, TypeVar

from staking_gateway.errors import Failed, GatewayError
from staking_gateway.http.meanings import asks_for_fewer_calls

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

A = TypeVar("A")
T = TypeVar("T")
PATIENCE = 300.0
"""Seconds without an answer, or in `Retry-After`, after which a check gives up."""
_OUTAGES = (Failed.UNREACHABLE, Failed.TIMEOUT, Failed.BROKEN, Failed.FAILED, Failed.TOO_MANY)
_FIRST_PAUSE, _LONGEST_PAUSE = 0.2, 15.0
_log = logging.getLogger(__name__)


class Pace:
    """Lets the calls of one event loop start.

    After a refusal (HTTP 429 or 503) no call starts for its `Retry-After`, or for a pause that doubles; the refused call is repeated.
    When nothing was answered for `patience` seconds, or `Retry-After` is longer, it and all later calls get the error.

    :param rate: most calls per second; None for no limit.
    :ivar given_up: the error that ended all calls.
    """

    def __init__(self, rate: float | None = None, *, patience: float = PATIENCE) -> None:
        self._gap = 1 / rate if rate else 0.0
        self._patience = patience
        self._next = self._held_until = 0.0
        self._pause = _FIRST_PAUSE
        self._failing_since: float | None = None
        self.given_up: GatewayError | None = None

    async def call(self, ask: Callable[[A], Awaitable[T]], question: A) -> T:
        """The answer to one call.

        :raises GatewayError: that of the call, or the one that ended all calls.
        """
        while True:
            await self._turn()
            try:
                answer = await ask(question)
            except GatewayError as error:
                self._failed(error)
                if not asks_for_fewer_calls(error):
                    raise
            else:
                self._failing_since, self._pause = None, _FIRST_PAUSE
                return answer

    async def _turn(self) -> None:
        clock = asyncio.get_running_loop().time
        while self.given_up is None:
            wait = max(self._next, self._held_until) - (now := clock())
            if wait <= 0:
                self._next = max(self._next, now - 0.01) + self._gap if self._gap else 0.0
                return
            await asyncio.sleep(min(wait, 1.0))
        raise copy.copy(self.given_up)

    def _failed(self, error: GatewayError) -> None:
        if error.how not in _OUTAGES:
            self._failing_since = None
            return
        now = asyncio.get_running_loop().time()
        self._failing_since = now if self._failing_since is None else self._failing_since
        pause = 0.0
        if asks_for_fewer_calls(error):
            pause = error.retry_after or 0.0
            if not pause and now >= self._held_until:  # else another call of the same moment was refused too
                pause, self._pause = self._pause, min(2 * self._pause, _LONGEST_PAUSE)
        if self.given_up is None and (pause > self._patience or now - self._failing_since > self._patience):
            _log.warning("The remaining calls are not made: %s", error)
            self.given_up = error
        elif now + pause > self._held_until and pause:
            _log.info("The gateway refuses calls: none starts for %.1f s", pause)
            self._held_until = now + pause
