"""What was measured on what: machine, versions, date."""

from __future__ import annotations

import os
import platform
import shutil
import sqlite3
import subprocess
from datetime import datetime, timezone
from importlib.metadata import version
from pathlib import Path

_LIBRARIES = (
    "apache-airflow",
    "aiohttp",
    "requests",
    "SQLAlchemy",
    "pydantic",
    "substrate-interface",
    "py-sr25519-bindings",
)
_PROGRAMS = {"Node.js": ("node", "--version"), "PostgreSQL": ("postgres", "--version")}


def facts() -> dict[str, str]:
    """In the order they are told."""
    return {
        "Date": f"{datetime.now(timezone.utc):%Y-%m-%d %H:%M} UTC",
        "Machine": f"{os.cpu_count()} processors ({_processor()}), {_memory()}, {platform.system()} {platform.release()}",
        "Load before": _load(),
        "Versions": ", ".join(
            [
                f"airflow-provider-staking-gateway {version('airflow-provider-staking-gateway')}",
                f"Python {platform.python_version()}",
                *(f"{name} {version(name)}" for name in _LIBRARIES),
                f"SQLite {sqlite3.sqlite_version}",
                *(f"{name} {found}" for name, command in _PROGRAMS.items() if (found := _told(command))),
            ]
        ),
    }


def _processor() -> str:
    cpus = Path("/proc/cpuinfo")
    if cpus.exists():
        for line in cpus.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.machine()


def _memory() -> str:
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return f"{pages / 2**30:.0f} GiB"


def _load() -> str:
    return f"{os.getloadavg()[0]:.1f} processes ready to run, on average of the last minute"


def _told(command: tuple[str, ...]) -> str:
    program = shutil.which(command[0])
    if program is None:
        return ""
    done = subprocess.run([program, *command[1:]], capture_output=True, text=True, check=False, timeout=10)  # noqa: S603
    words = done.stdout.split()
    return next((word.lstrip("v") for word in words if word.lstrip("v")[:1].isdigit()), "")
