"""Processes that take turns: each runs until its next pause, so that a seed decides every interleaving and every death."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import greenlet

if TYPE_CHECKING:
    from collections.abc import Callable


class Killed(BaseException):
    """The process dies here; nothing it runs may catch this."""


def pause() -> None:
    """Called by whatever a process runs: let others run. Outside of a process, nothing happens.

    :raises Killed: the process will not run again.
    """
    parent = greenlet.getcurrent().parent
    if parent is not None:
        parent.switch()


class Process:
    """Stands for an operating-system process.

    :param body: what it does; it calls `pause` wherever another process may run in between, or it may die.
    """

    def __init__(self, body: Callable[[Process], None]) -> None:
        self._stack = greenlet.greenlet(body)

    def resume(self) -> bool:
        """Let it run until its next pause, or its end. Whatever its body raises is raised here.

        :returns: whether it is still alive.
        """
        if not self._stack.dead:
            # Whoever resumes it is whom it gives way to.
            self._stack.parent = greenlet.getcurrent()
            self._stack.switch(*() if self._stack else (self,))
        return not self._stack.dead

    def kill(self) -> None:
        """Let it die at the pause it is in."""
        if self._stack:
            self._stack.parent = greenlet.getcurrent()
            with contextlib.suppress(Killed):
                self._stack.throw(Killed)
