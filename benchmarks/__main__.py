"""Runs the benchmarks and writes RESULTS.md: `python -m benchmarks [ROW,ROW]`."""

from __future__ import annotations

import os
import platform
import re
import sys
import time
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.harness import Line

ROWS = ("status", "ledger", "catch-up", "loading", "node", "era")
RESULTS = Path(__file__).with_name("RESULTS.md")
_LIBRARIES = ("apache-airflow", "aiohttp", "SQLAlchemy", "substrate-interface")
_INTRODUCTION = """# What it costs

Written by `make bench`. Each figure is a cost. Ours and the peer took turns: a figure is the median of the rounds, a ratio that of their ratios, so
it holds on a busy machine too. *Load*: programs that wanted one of {processors} processors when the row began. The catch-up's limit is computed:
under load its row says nothing.

| Row | What it says | Ours | Peer or limit | Ratio | Load |
|---|---|---|---|---|---|"""


def main(names: list[str]) -> int:
    """Measure rows, show them, and put them into RESULTS.md.

    :returns: 0 when every row was measured.
    """
    failed = False
    for name in names:
        load = f"{os.getloadavg()[0]:.0f}"
        print(f"{time.strftime('%H:%M:%S')} {name}", flush=True)
        try:
            lines: list[Line] = import_module(f"benchmarks.{name.replace('-', '_')}").measure()
            _write(name, [f"| {' | '.join([name, *line.cells(), load])} |" for line in lines])
        except Exception as error:  # noqa: BLE001 - the other rows are measured all the same
            print(f"{name} was not measured: {type(error).__name__}: {error}", flush=True)
            failed = True
    return int(failed)


def _write(name: str, rows: list[str]) -> None:
    """Show a row's lines, and put them in the place of its old ones."""
    old = RESULTS.read_text() if RESULTS.exists() else ""
    print("\n".join(rows), flush=True)
    lines = {row: re.findall(rf"^\| {row} \|.*$", old, re.MULTILINE) for row in ROWS} | {name: rows}
    table = "\n".join(line for row in ROWS for line in lines[row])
    RESULTS.write_text(f"{_INTRODUCTION.format(processors=os.cpu_count())}\n{table}\n\n{_machine()}\n")


def _machine() -> str:
    versions = ", ".join(f"{name} {version(name)}" for name in _LIBRARIES)
    return f"Machine: {os.cpu_count()} processors, {platform.platform(terse=True)}, Python {platform.python_version()}, {versions}."


if __name__ == "__main__":
    chosen = sys.argv[1].split(",") if sys.argv[1:] else ROWS
    sys.exit(main([row for row in ROWS if row in chosen]) if {*chosen} <= {*ROWS} else f"Rows: {', '.join(ROWS)}")
