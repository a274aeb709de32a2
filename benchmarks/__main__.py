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
from benchmarks.results_file import COSTS, ERA, GROWTH
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
        help="folder of RESULTS.md; without it, a section is written beside this module when all its rows were measured in full",
    )
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    """Measure, show and write down.

    :returns: 0 when every row was measured, and what does not reach what it must carries its reason.
    """
    options = _parse(arguments)
    console = Console(width=None if sys.stdout.isatty() else 200)
    facts = machine.facts()
    whole, failed, took = list[Line](), 0, dict.fromkeys((COSTS, ERA, GROWTH), 0.0)
    for name in options.rows:
        start = time.monotonic()
        found, broken = _measure(console, options.quick, ROWS[name])
        failed += broken
        whole += found
        took[ROWS[name].section] += time.monotonic() - start
    title = "What it costs" + (" (a quick run: the figures prove nothing)" if options.quick else "")
    console.print(report.table(whole, title))
    for reason in report.reasons(whole):
        console.print(f"- {reason}", markup=False, highlight=False)
    for fact, told in facts.items():
        console.print(f"{fact}: {told}", markup=False, highlight=False)
    for section, seconds in took.items():
        folder = options.output or (HERE if _is_whole(section, options) else None)
        titles = {row.title for row in ROWS.values() if row.section == section}
        lines = [line for line in whole if line.row in titles]
        if folder is not None and lines:
            folder.mkdir(parents=True, exist_ok=True)
            text = report.markdown(lines, {**facts, "Took": f"{seconds / 60:.1f} minutes"}, section)
            results_file.put(folder / "RESULTS.md", section, text)
            console.print(f"Written to {folder / 'RESULTS.md'}: {section}", markup=False)
    unexplained = [line for line in whole if not line.reached and not line.reason]
    return 1 if failed or unexplained else 0


def _is_whole(section: str, options: argparse.Namespace) -> bool:
    """Whether all rows of a section were measured, so that their figures may be kept."""
    names = {name for name, row in ROWS.items() if row.section == section}
    return names <= {*options.rows} and not options.quick


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
