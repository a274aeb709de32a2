"""Programs the demo runs beside itself: started, watched and ended together."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager

GRACE_SECONDS = 3.0
"""How long a program may take to end by itself."""
_SLACK_SECONDS = 2.0
_KEEPER = Path(__file__).with_name("keeper.py")


class DemoFailed(Exception):
    """The demo cannot go on; the text says why and where to look."""


@dataclass(frozen=True)
class Service:
    """One running program."""

    name: str
    log: Path
    keeper: subprocess.Popen[bytes]

    @property
    def pid(self) -> int:
        """Its keeper's process, which is also the session everything it starts belongs to."""
        return self.keeper.pid


class Services:
    """The programs of one stack.

    :param shield: holds signals back while a program is being started, so that none is ever forgotten.
    :param kept_open: descriptor of a lock that the keepers hold as well, so that it outlives this process until they are done.
    """

    def __init__(
        self,
        shield: Callable[[], AbstractContextManager[None]] = contextlib.nullcontext,
        kept_open: Sequence[int] = (),
    ) -> None:
        self._shield = shield
        self._kept_open = kept_open
        self._running: list[Service] = []

    def start(self, name: str, command: Sequence[str], environment: Mapping[str, str], log: Path) -> Service:
        """Start a program; what it prints goes to the log file."""
        log.parent.mkdir(parents=True, exist_ok=True)
        keeper = [sys.executable, "-I", "-S", str(_KEEPER), str(GRACE_SECONDS), *command]
        with self._shield(), log.open("ab") as output:
            process = subprocess.Popen(  # noqa: S603 - our own programs
                keeper,
                env=dict(environment),
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=output,
                start_new_session=True,
                pass_fds=self._kept_open,
            )
            service = Service(name, log, process)
            self._running.append(service)
        return service

    def finish(self, service: Service, timeout: float) -> int:
        """Wait for a program that ends by itself.

        :returns: its exit status, or 124 when it took too long.
        """
        until = time.monotonic() + timeout
        while service.keeper.poll() is None and time.monotonic() < until:
            time.sleep(0.05)
        status = service.keeper.poll()
        if status is not None:
            self._running.remove(service)
            _cut_leash(service)
        return 124 if status is None else status

    def sessions(self) -> set[int]:
        """The sessions of all that runs; whatever a program starts is in its session."""
        return {service.pid for service in self._running}

    def check(self) -> None:
        """See that all are alive.

        :raises DemoFailed: one has ended; names its log and quotes the end of it.
        """
        for service in self._running:
            status = service.keeper.poll()
            if status is not None:
                raise DemoFailed(f"The {service.name} has ended with status {status}.\n{quote(service.log)}")

    def stop(self, hurried: Callable[[], bool] = bool) -> None:
        """End all and wait until nothing is left of them.

        :param hurried: tells that somebody is tired of waiting; what still runs is killed then.
        """
        running, self._running = self._running, []
        for service in running:
            _cut_leash(service)
        until = time.monotonic() + GRACE_SECONDS + _SLACK_SECONDS
        while any(service.keeper.poll() is None for service in running):
            if hurried() or time.monotonic() >= until:
                for service in running:
                    service.keeper.terminate()
            time.sleep(0.05)


def _cut_leash(service: Service) -> None:
    if service.keeper.stdin is not None:
        service.keeper.stdin.close()


def quote(log: Path, most: int = 12) -> str:
    """Name a log file and quote its last relevant lines: from the last error on, or else the end."""
    try:
        lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
    except OSError:
        return f"There is no log at {log}."
    marks = ("Traceback (most recent", "error", "critical", "exception")
    first = next((i for i in range(len(lines) - 1, -1, -1) if any(mark in lines[i].lower() for mark in marks)), None)
    shown = lines[-most:] if first is None or first >= len(lines) - most else [*lines[first : first + most]]
    return "\n".join([f"Its log is {log}; it says:", *(f"  {line[:300]}" for line in shown)])
