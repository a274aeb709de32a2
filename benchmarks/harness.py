"""Measures two ways of doing the same by turns, so that a busy machine is busy for both."""

from __future__ import annotations

import gc
import json
import os
import statistics
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.servers import PostgreSQL

ROOT = Path(__file__).parent.parent
PACKAGES = ROOT / "benchmarks" / "node_modules"  # `make bench` installs them


class MeasurementFailed(RuntimeError):
    """A way failed, or did something else than it was asked to."""


@dataclass(frozen=True)
class Line:
    """A line of the table.

    :param what: what was measured.
    :param peer: name of the peer or of the limit.
    :param pairs: our figure and the peer's, of each round.
    """

    what: str
    peer: str
    pairs: list[tuple[float, float]]
    is_time: bool = True

    def cells(self) -> list[str]:
        """What it says, ours, the peer's, and the median of the rounds' ratios."""
        ours, theirs = (statistics.median(figures) for figures in zip(*self.pairs, strict=True))
        ratio = statistics.median(one / other for one, other in self.pairs)
        return [self.what, self._shown(ours), f"{self._shown(theirs)}, {self.peer}", f"{ratio:.2f}"]

    def _shown(self, value: float) -> str:
        if not self.is_time:
            return f"{value:.0f}"
        return f"{value:.3g} s" if value >= 1 else f"{value * 1000:.3g} ms"


def by_turns(ours: Callable[[], float], peer: Callable[[], float], rounds: int) -> list[tuple[float, float]]:
    """Run both once per round; each is the first in every second round. Each measures itself and returns its figure."""
    pairs = []
    for number in range(rounds):
        figures = {}
        for way in (ours, peer) if number % 2 == 0 else (peer, ours):
            gc.collect()
            figures[way] = way()
        pairs.append((figures[ours], figures[peer]))
    return pairs


def environment(**more: str) -> dict[str, str]:
    """The environment of another process: our programs are found, and no proxy is between those that are measured."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "NO_PROXY": "*", **more}


def run(command: list[str], given: Any = None, **more: str) -> Any:
    """Run a program that reads JSON, and whose last line of output is JSON.

    :param more: variables of its environment.
    """
    options = {"cwd": ROOT, "env": environment(**more), "timeout": 900, "stdout": subprocess.PIPE}
    done: Any = subprocess.run(command, input=json.dumps(given), text=True, check=True, **options)  # type: ignore[call-overload]
    return json.loads(done.stdout.splitlines()[-1])


@contextmanager
def served(module: str, *arguments: str) -> Iterator[str]:
    """A module that serves until its standard input ends. Its first line is its address, which is returned."""
    command = [sys.executable, "-m", module, *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, env=environment(), stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdin and process.stdout
        try:
            yield process.stdout.readline().strip()
        finally:
            process.stdin.close()


@contextmanager
def sqlite() -> Iterator[Callable[[], str]]:
    """Gives the URL of a new database each time it is called."""
    with tempfile.TemporaryDirectory(prefix="staking-benchmark-") as folder:
        yield lambda: f"sqlite:///{folder}/{uuid.uuid4().hex}.db"


@contextmanager
def postgresql() -> Iterator[Callable[[], str]]:
    """The same with a new PostgreSQL server of Debian's package."""
    with PostgreSQL() as server:

        def new() -> str:
            url = server.database(f"ledger_{uuid.uuid4().hex}").set(drivername="postgresql")
            return str(url.render_as_string(hide_password=False))

        yield new
