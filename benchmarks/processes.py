"""Other processes: servers that must not share the client's processor time, and work whose cost only a fresh process shows."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.results import MeasurementFailed

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent
_SECONDS = 600
_JSON = re.compile(r"^[\[{]", re.MULTILINE)


class ProcessFailed(MeasurementFailed):
    """Another process ended with an error; the text is what it said."""


def environment(**more: str) -> dict[str, str]:
    """Of a process that measures or is measured: no proxy of this machine may stand in between."""
    kept = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    return {**kept, **more}


@contextmanager
def served(module: str, *arguments: str) -> Iterator[str]:
    """A module that serves, tells its address in its first line and ends when its standard input does.

    :returns: that address.
    """
    command = [sys.executable, "-m", module, *arguments]
    with subprocess.Popen(  # noqa: S603 - a module of this repository
        command, cwd=ROOT, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            address = process.stdout.readline().strip() if process.stdout else ""
            if not address:
                raise ProcessFailed(f"{module} did not start")
            yield address
        finally:
            if process.stdin:
                process.stdin.close()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


def run(command: list[str], *, given: Any = None, **more: str) -> Any:
    """Run a program that reads JSON and ends its output with JSON: an object or a list that begins a line.

    :param more: variables of its environment.
    :raises ProcessFailed: it ended with an error.
    """
    done = subprocess.run(  # noqa: S603 - programs and modules of this repository
        command,
        input=json.dumps(given),
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env=environment(**more),
        timeout=_SECONDS,
    )
    begins = [match.start() for match in _JSON.finditer(done.stdout)]
    if done.returncode != 0 or not begins:
        raise ProcessFailed(f"{' '.join(command)} failed:\n{done.stdout[-1000:]}{done.stderr[-4000:]}")
    return json.loads(done.stdout[begins[-1] :])


def fresh(module: str, *arguments: str, given: Any = None, **more: str) -> Any:
    """Run a module of this repository in a new Python; what it answers, see `run`."""
    return run([sys.executable, "-m", module, *arguments], given=given, **more)
