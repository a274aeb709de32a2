"""Processes that take turns: each runs until its next pause, so that a seed decides every interleaving and every death."""

from __future__ import annotations

from greenlet import getcurrent, greenlet


def pause() -> None:
    """Called by whatever a process runs: let others run, or die here. Outside of a process, nothing happens."""
    parent = getcurrent().parent
    if parent is not None:
        parent.switch()


class Process(greenlet):  # type: ignore[misc]
    """Stands for an operating-system process. What it runs calls `pause` wherever another may run in between, or it may die."""

    def resume(self) -> bool:
        """Let it run until its next pause, or its end: whether it is still alive. Whatever it raises is raised here."""
        if not self.dead:
            self.parent = getcurrent()  # whoever resumes it is whom it gives way to
            self.switch()
        return not self.dead

    def kill(self) -> None:
        """Let it die at the pause it is in."""
        if self:
            self.parent = getcurrent()
            self.throw()
