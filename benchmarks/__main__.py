"""Runs the benchmarks: `python -m benchmarks`, from the root of the repository."""

from __future__ import annotations

import argparse
import itertools
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from rich.console import Console

from benchmarks import machine, report, results_file
from benchmarks.results import Findings, Line, MeasurementFailed, Scale
from benchmarks.rows import ROWS, Row
from staking_gateway.errors import StakingGatewayError

HERE = Path(__file__).parent


def _names(text: str) -> list[str]:
    names = text.split(",")
    for name in names:
        if name not in ROWS:
            raise argparse.ArgumentTypeError(f"there is no row {name!r}; known are {', '.join(ROWS)}")
    return [name for name in ROWS if name in names]


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "--rows", type=_names, default=list(ROWS), metavar="A,B", help=f"only these; known are {', '.join(ROWS)}"
    )
    parser.add_argument(
        "--quick", action="store_true", help="small samples, to see that it works; the figures prove nothing"
    )
    parser.add_argument(
        "--output",
        type=Path,
        metavar="FOLDER",
        help="where RESULTS.md and plots/ go; a complete run that is not quick writes them beside this module",
    )
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    """Measure, show and write down.

    :returns: 0 when every row was measured, and what does not reach what it must carries its reason; 2 when
        something is missing for the files.
    """
    options = _parse(arguments)
    complete = options.rows == list(ROWS) and not options.quick
    folder: Path | None = options.output or (HERE if complete else None)
    if folder is not None and find_spec("matplotlib") is None:
        sys.stderr.write("matplotlib, which draws the plots, is not installed. Run `make bench`, which installs it\n")
        return 2
    console = Console(width=None if sys.stdout.isatty() else 200)
    facts = machine.facts()
    whole, failed, start = Findings(), 0, time.monotonic()
    for patient, names in itertools.groupby(options.rows, key=lambda name: ROWS[name].patient):
        rows = [ROWS[name] for name in names]
        with ThreadPoolExecutor(len(rows) if patient else 1) as threads:
            for found, broken in threads.map(partial(_measure, console, options.quick), rows):
                failed += broken
                whole.lines += found.lines
                whole.curves += found.curves
    facts["Took"] = f"{(time.monotonic() - start) / 60:.1f} minutes"
    title = "What it costs" + (" (a quick run: the figures prove nothing)" if options.quick else "")
    console.print(report.table(whole.lines, title))
    for reason in report.reasons(whole.lines):
        console.print(f"- {reason}", markup=False, highlight=False)
    for fact, told in facts.items():
        console.print(f"{fact}: {told}", markup=False, highlight=False)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        results_file.put(folder / "RESULTS.md", results_file.COSTS, report.markdown(whole.lines, whole.curves, facts))
        from benchmarks import plots

        plots.draw(whole.curves, folder / "plots")
        console.print(f"Written to {folder / 'RESULTS.md'}", markup=False)
    unexplained = [line for line in whole.lines if not line.reached and not line.reason]
    return 1 if failed or unexplained else 0


def _measure(console: Console, quick: bool, row: Row) -> tuple[Findings, bool]:
    """What a row found, and whether it broke; then the others are measured all the same."""
    console.print(f"[dim]{time.strftime('%H:%M:%S')}[/]  {row.title}: {row.work}", highlight=False)
    try:
        return row.measure(Scale(quick=quick)), False
    except (MeasurementFailed, StakingGatewayError, OSError, RuntimeError, subprocess.SubprocessError) as error:
        line = Line(row.title, row.work, "-", "-", None, None, reason=f"{type(error).__name__}: {error}")
        return Findings([line]), True


if __name__ == "__main__":
    sys.exit(main())
