"""Ctrl-C, SIGTERM and a closed terminal, turned into one exception that comes when it can do no harm."""

from __future__ import annotations

import contextlib
import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class StopRequested(BaseException):
    """Somebody wants the demo to end.

    :param number: the signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number


class Interruption:
    """Raises `StopRequested` in the main thread at the first signal, once; within `shielded` it is kept until the end of that."""

    def __init__(self) -> None:
        self._shields = 0
        self._kept: int | None = None
        self._raised = False

    def install(self) -> None:
        """Answer signals from now on."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda number, _: self._answer(number))

    @contextlib.contextmanager
    def shielded(self) -> Iterator[None]:
        """Keep signals back within the block."""
        self._shields += 1
        try:
            yield
        finally:
            self._shields -= 1
            if self._kept is not None and not self._shields:
                kept, self._kept = self._kept, None
                self._answer(kept)

    def is_waiting(self) -> bool:
        """Whether a signal has come within the block that keeps signals back."""
        return self._kept is not None

    def _answer(self, number: int) -> None:
        if self._shields:
            self._kept = number
        elif not self._raised:
            self._raised = True
            raise StopRequested(number)
