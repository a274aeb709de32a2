"""Runs a soak: `python -m benchmarks.soak`, from the root of the repository.

Exit status: 0 all well, 1 a violation, growth or a program that ended by itself, 2 it could not be started as asked, 128 + the signal
when it was interrupted.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table
from sqlalchemy.exc import SQLAlchemyError

from benchmarks import databases, machine, results_file
from benchmarks.results import MeasurementFailed
from benchmarks.soak import report
from benchmarks.soak.course import Course
from benchmarks.soak.judge import violations
from benchmarks.soak.memory import trends
from benchmarks.soak.run import Outcome, Soak
from benchmarks.soak.stand import Stand
from demo.services import DemoFailed
from staking_gateway.errors import StakingGatewayError

ROOT = Path(__file__).parents[2]
HOME = ROOT / ".airflow" / "soak"
ENOUGH = 500
"""Eras from which on a soak proves something, and is written down beside this package unless told otherwise."""


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    course = Course()
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    parser.add_argument("--eras", type=int, default=course.eras, help=f"eras of all networks together ({course.eras})")
    parser.add_argument("--pace", type=float, default=course.pace, help=f"seconds from era to era ({course.pace:g})")
    parser.add_argument("--networks", type=int, default=course.count, help=f"how many ({course.count})")
    parser.add_argument("--accounts", type=int, default=course.accounts, help=f"of each network ({course.accounts})")
    parser.add_argument("--chance", type=float, default=course.chance, help=f"of each fault ({course.chance})")
    parser.add_argument("--seed", type=int, default=course.seed, help="decides where chance has a part in it")
    parser.add_argument("--home", type=Path, default=HOME, metavar="FOLDER", help="where Airflow lives; emptied")
    parser.add_argument(
        "--output",
        type=Path,
        metavar="FOLDER",
        help=f"where RESULTS.md goes; {ENOUGH} eras or more are written to benchmarks/",
    )
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    """Soak, show and write down.

    :returns: the exit status.
    """
    options = _parse(arguments)
    console = Console(width=None if sys.stdout.isatty() else 200)
    try:
        course = Course(
            options.eras, options.pace, options.networks, options.accounts, options.chance, seed=options.seed
        )
    except ValueError as error:
        console.print(f"Error: {error}", markup=False)
        return 2
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    facts, folder = machine.facts(), options.output
    if folder is None and course.total >= ENOUGH:
        folder = ROOT / "benchmarks"

    def tell(line: str) -> None:
        console.print(f"[dim]{time.strftime('%H:%M:%S')}[/]  {line}", highlight=False)

    try:
        databases.install_postgresql()
        with Stand(options.home, course) as stand:
            outcome = Soak(stand, course, tell).run()
    except (DemoFailed, MeasurementFailed, StakingGatewayError, SQLAlchemyError, OSError) as error:
        console.print(f"Error: {error}", markup=False, highlight=False)
        return 1
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    return conclude(console, course, outcome, facts, folder)


def conclude(console: Console, course: Course, outcome: Outcome, facts: dict[str, str], folder: Path | None) -> int:
    """Judge, show and write down.

    :param folder: where RESULTS.md is; None writes nothing.
    :returns: 0 when all is well, else 1.
    """
    wrong, found = violations(outcome.networks, outcome.airflow), trends(outcome.samples)
    growing = report.growing(found)
    table = Table(title="Memory")
    for heading in report.MEMORY_HEADINGS:
        table.add_column(heading, overflow="fold")
    for row in report.memory_rows(found):
        table.add_row(*row)
    console.print(table)
    for name, fact in {**facts, **report.figures(course, outcome)}.items():
        console.print(f"{name}: {fact}", markup=False, highlight=False)
    for line in [*wrong, *growing]:
        console.print(f"WRONG  {line}", markup=False, highlight=False)
    console.print(f"{len(wrong)} violations, {len(growing)} programs grow")
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        results_file.put(
            folder / "RESULTS.md", results_file.SOAK, report.markdown(course, outcome, [*wrong, *growing], facts)
        )
        console.print(f"Written to {folder / 'RESULTS.md'}", markup=False)
    return 1 if wrong or growing else 0


if __name__ == "__main__":
    sys.exit(main())
