"""From an empty folder to the first paid era: the words of the quick start, with the built wheel and nothing of the checkout."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from release.programs import ReleaseFailed, finished, plain_environment, run

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_PATIENCE = 300
"""Seconds from the start of Airflow to the first paid era."""
_LIST = ("staking", "eras", "--network", "devnet", "--last", "5", "--output", "json")


def first_era(wheel: Path, folder: Path) -> str:
    """Install the wheel with pip, start the demo and Airflow, and wait until an era is paid; what each took.

    :param folder: an empty one.
    :raises ReleaseFailed: a command fails, or no era is paid in time.
    """
    begun = time.monotonic()
    run([sys.executable, "-m", "venv", folder / "venv"])
    run([folder / "venv" / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel])
    installed, airflow, environment = time.monotonic(), folder / "venv" / "bin" / "airflow", _environment(folder)
    run([airflow, "staking", "init", "--demo"], cwd=folder, env=environment)
    ready = time.monotonic()
    with (folder / "standalone.log").open("w") as log:
        running = subprocess.Popen(  # noqa: S603 - our own program
            [airflow, "standalone"], cwd=folder, env=environment, stdout=log, stderr=log, start_new_session=True
        )
        try:
            era = _wait_for_a_paid_era(airflow, folder, environment)
        finally:
            _end(running.pid, signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                running.wait(30)
            _end(running.pid, signal.SIGKILL)
            _end(int((folder / "airflow" / "staking_simulator.pid").read_text()), signal.SIGTERM)
    paid = time.monotonic()
    return (
        f"from an empty folder, era {era} of the demo is paid: pip install {installed - begun:.0f} s, "
        f"airflow staking init --demo {ready - installed:.0f} s, airflow standalone to the first paid era {paid - ready:.0f} s"
    )


def _environment(folder: Path) -> dict[str, str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    return plain_environment(
        PATH=f"{folder / 'venv' / 'bin'}{os.pathsep}{os.environ['PATH']}",
        AIRFLOW_HOME=str(folder / "airflow"),
        AIRFLOW__CORE__LOAD_EXAMPLES="False",
        AIRFLOW__API__PORT=str(port),
        AIRFLOW__API__BASE_URL=url,
        AIRFLOW__CORE__EXECUTION_API_SERVER_URL=f"{url}/execution/",
        NO_PROXY="127.0.0.1,localhost",
    )


def _wait_for_a_paid_era(airflow: Path, folder: Path, environment: Mapping[str, str]) -> int:
    deadline, said = time.monotonic() + _PATIENCE, ""
    while time.monotonic() < deadline:
        listed = finished([airflow, *_LIST], cwd=folder, env=environment)
        said = listed.stdout + listed.stderr
        with suppress(json.JSONDecodeError):
            paid = [int(row["era"]) for row in json.loads(listed.stdout) if row["outcome"] == "PAID"]
            if paid:
                return paid[0]
        time.sleep(1)
    log = (folder / "standalone.log").read_text()[-3000:]
    raise ReleaseFailed(f"No era is paid {_PATIENCE} s after `airflow standalone`:\n{said[-2000:]}\n{log}")


def _end(group: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.killpg(group, number)
