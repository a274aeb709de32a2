"""An event loop whose time passes at once: when nothing is left to do, it is the time of the next timer."""

import asyncio
import selectors
from typing import TypeVar

T = TypeVar("T")


class _Selector(selectors.SelectSelector):
    now = 0.0

    def select(self, timeout=None):
        if timeout is None:  # A thread is waited for, and nothing else.
            return super().select(10)
        self.now += timeout
        return super().select(0)


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self):
        self._clock = _Selector()
        super().__init__(self._clock)

    def time(self):
        return self._clock.now


def run(coroutine):
    """Run to the end, in no time."""
    loop = _Loop()
    try:
        return loop.run_until_complete(coroutine)
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()
