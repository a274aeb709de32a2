"""Runs the benchmarks: `python -m benchmarks`, from the root of the repository."""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

from rich.console import Console

from benchmarks import machine, report, results_file
from benchmarks.results import Line, MeasurementFailed, Scale
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
        help="where RESULTS.md goes; a complete run that is not quick writes them beside this module",
    )
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    """Measure, show and write down.

    :returns: 0 when every row was measured, and what does not reach what it must carries its reason.
    """
    options = _parse(arguments)
    complete = options.rows == list(ROWS) and not options.quick
    folder: Path | None = options.output or (HERE if complete else None)
    console = Console(width=None if sys.stdout.isatty() else 200)
    facts = machine.facts()
    whole, failed, start = list[Line](), 0, time.monotonic()
    for name in options.rows:
        found, broken = _measure(console, options.quick, ROWS[name])
        failed += broken
        whole += found
    facts["Took"] = f"{(time.monotonic() - start) / 60:.1f} minutes"
    title = "What it costs" + (" (a quick run: the figures prove nothing)" if options.quick else "")
    console.print(report.table(whole, title))
    for reason in report.reasons(whole):
        console.print(f"- {reason}", markup=False, highlight=False)
    for fact, told in facts.items():
        console.print(f"{fact}: {told}", markup=False, highlight=False)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        results_file.put(folder / "RESULTS.md", results_file.COSTS, report.markdown(whole, facts))
        console.print(f"Written to {folder / 'RESULTS.md'}", markup=False)
    unexplained = [line for line in whole if not line.reached and not line.reason]
    return 1 if failed or unexplained else 0


def _measure(console: Console, quick: bool, row: Row) -> tuple[list[Line], bool]:
    """What a row found, and whether it broke; then the others are measured all the same."""
    console.print(f"[dim]{time.strftime('%H:%M:%S')}[/]  {row.title}: {row.work}", highlight=False)
    try:
        return row.measure(Scale(quick=quick)), False
    except (MeasurementFailed, StakingGatewayError, OSError, RuntimeError, subprocess.SubprocessError) as error:
        line = Line(row.title, row.work, "-", "-", None, None, reason=f"{type(error).__name__}: {error}")
        return [line], True


if __name__ == "__main__":
    sys.exit(main())
