"""What deferred waits cost while nothing happens: questions to the gateway, CPU and memory, for 1, 8 and 64 of them.
A network's DAG has eight runs at most.

Each count runs in a Python process of its own against a simulator in another one, as the triggerer and a gateway would: the window
is open all the time, and every trigger waits for it. All counts are measured at the same time; what is counted is the processes' own.

Run it with `python -m benchmarks.waiting [seconds]`.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

COUNTS = (1, 8, 64)
POLL_INTERVAL = 2.0
"""Seconds; what a network's settings hold when nothing is written."""
CONN_ID = "staking_gateway_default"
_READY = re.compile(r"ready at (\S+)")


@contextlib.contextmanager
def simulator(*arguments: str) -> Iterator[str]:
    """A simulator in a process of its own; gives its URL."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "staking_gateway_simulator", "--port", "0", "--state", f"{folder}/state"]
        with subprocess.Popen([*command, *arguments], stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 # our own program
            try:
                ready = _READY.search(process.stdout.readline() if process.stdout else "")
                if ready is None:
                    raise RuntimeError("the simulator did not start")
                yield ready[1]
            finally:
                process.terminate()


def airflow_environment(url: str, folder: str) -> dict[str, str]:
    """Where Airflow finds the connection to a simulator, and a home of its own."""
    from staking_gateway_simulator.settings import DEFAULT_TOKEN

    connection = {"conn_type": "staking_gateway", "host": url, "password": DEFAULT_TOKEN}
    return {**os.environ, f"AIRFLOW_CONN_{CONN_ID.upper()}": json.dumps(connection), "AIRFLOW_HOME": folder}


def waiting(*, counts: tuple[int, ...] = COUNTS, seconds: float = 60.0) -> dict[str, Any]:
    """Measure.

    :param counts: how many triggers wait, ascending; the first and the last ones' difference is what a trigger costs.
    :param seconds: how long they wait.
    :returns: `by_count`: for each count `requests_per_minute`, `cpu` (cores in use), `rss` (bytes); and per trigger `cpu_per_trigger`
        (cores), `rss_per_trigger` and `traced_per_trigger` (bytes, by the resident set and by what Python allocated).
    """
    with contextlib.ExitStack() as stack:
        running = [(count, stack.enter_context(_started(count, seconds))) for count in counts]
        traced = stack.enter_context(_started(counts[-1], min(seconds, 6.0), trace=True))
        by_count = {count: json.loads(process.communicate()[0]) for count, process in running}
        traced_bytes = json.loads(traced.communicate()[0])["traced"]
    few, many = by_count[counts[-2]], by_count[counts[-1]]
    more = counts[-1] - counts[-2]
    return {
        "by_count": by_count,
        "cpu_per_trigger": (many["cpu"] - few["cpu"]) / more,
        "rss_per_trigger": (many["rss"] - few["rss"]) / more,
        "traced_per_trigger": traced_bytes / counts[-1],
    }


@contextlib.contextmanager
def _started(count: int, seconds: float, *, trace: bool = False) -> Iterator[subprocess.Popen[str]]:
    with contextlib.ExitStack() as stack:
        url = stack.enter_context(simulator("--era-length", "86400", "--window", "0"))
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        command = [sys.executable, "-m", "benchmarks.waiting", "child", url, str(count), str(seconds), str(int(trace))]
        with subprocess.Popen(  # noqa: S603 # our own program
            command,
            stdout=subprocess.PIPE,
            text=True,
            env=airflow_environment(url, folder),
            cwd=Path(__file__).parents[1],
        ) as process:
            try:
                yield process
            finally:
                process.terminate()


async def _wait(url: str, count: int, seconds: float, trace: bool) -> dict[str, float]:
    """In the child: let so many triggers wait."""
    import psutil  # type: ignore[import-untyped]

    from staking_gateway_provider.triggers.election import ElectionWindowTrigger
    from staking_gateway_simulator.running import SimulatorControl

    control = SimulatorControl(url)
    control.window("open")
    era = control.state()["active_era"] - 1
    process = psutil.Process()
    deadline = time.time() + 86400

    async def one() -> None:
        trigger = ElectionWindowTrigger(
            gateway_conn_id=CONN_ID, poll_interval=POLL_INTERVAL, deadline=deadline, era=era
        )
        async for _ in trigger.run():
            raise RuntimeError("the window is open: nothing may fire")

    # One wait that comes and goes, so that what is loaded at the first use is not counted.
    await _cancelled([asyncio.create_task(one())], after=POLL_INTERVAL + 1)
    if trace:
        tracemalloc.start()
    asked_before = _reads(control)
    cpu_before, started = time.process_time(), time.monotonic()
    tasks = [asyncio.create_task(one()) for _ in range(count)]
    await asyncio.sleep(seconds)
    lasted = time.monotonic() - started
    figures = {
        "cpu": (time.process_time() - cpu_before) / lasted,
        "rss": float(process.memory_info().rss),
        "traced": float(tracemalloc.get_traced_memory()[0]) if trace else 0.0,
        "requests_per_minute": (_reads(control) - asked_before) * 60 / lasted,
    }
    if any(task.done() for task in tasks):
        raise RuntimeError("a wait ended early")
    await _cancelled(tasks)
    return figures


def _reads(control: Any) -> int:
    return int(control.truth()["calls"]["by_path"].get("/query", 0))


async def _cancelled(tasks: list[asyncio.Task[None]], *, after: float = 0.0) -> None:
    await asyncio.sleep(after)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def main(arguments: list[str]) -> None:
    """Measure and print."""
    if arguments[:1] == ["child"]:
        url, count, seconds, trace = arguments[1:]
        figures = asyncio.run(_wait(url, int(count), float(seconds), trace == "1"))
        sys.stdout.write(json.dumps(figures))
    else:
        result = waiting(seconds=float(arguments[0]) if arguments else 60.0)
        sys.stdout.write(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
