"""`python -m tests.proof.harness`: run seeded schedules and print what they came to."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import time
from collections import Counter
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from tests.proof.harness.payers import HABITS
from tests.proof.harness.schedule import TWICE, Result, memory_folder, run_schedule
from tests.proof.harness.storage import Storage
from tests.support.seeds import known_seeds, seed_of
from tests.support.servers import PostgreSQL

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_SHOWN_VIOLATIONS = 20
_NAIVE = 50
"""Schedules of each naive payer; one of them must catch it."""


@contextmanager
def _ledger(kind: str) -> Iterator[str]:
    """URL of a ledger in a PostgreSQL of its own; empty for a file of each process."""
    if kind == "sqlite":
        yield ""
        return
    with PostgreSQL() as server:  # type: ignore[no-untyped-call]
        # Only schedules die here, not the machine.
        server.execute("ALTER SYSTEM SET fsync = off", "SELECT pg_reload_conf()")
        url = server.database("harness").render_as_string(hide_password=False)
        Storage(url).ledger.close()  # the tables are there before several processes look
        yield url


def _results(seeds: Sequence[int], jobs: int, ledger: str) -> Iterator[Result]:
    with memory_folder() as folder:
        run = partial(run_schedule, payer="engine", folder=folder, ledger=ledger)
        if jobs == 1:
            yield from map(run, seeds)
            return
        with multiprocessing.get_context("spawn").Pool(jobs) as pool:
            yield from pool.imap_unordered(run, seeds, chunksize=8)


def _catch_the_naive_payer(console: Console, habit: str, seed: int, ledger: str) -> bool:
    """Whether the harness catches a payer that is known to pay twice."""
    with memory_folder() as folder:
        for number in range(seed, seed + _NAIVE):
            broken = [text for text in run_schedule(number, habit, folder, ledger).violations if TWICE in text]
            if broken:
                told = f"naive payer that {habit}: caught by seed {number}: {broken[0]}"
                console.print(told, markup=False, soft_wrap=True)
                return True
    console.print(f"[bold red]naive payer that {habit}: not caught by {_NAIVE} schedules; the harness finds nothing[/]")
    return False


class Tally:
    """What many schedules came to."""

    def __init__(self) -> None:
        self.faults: Counter[str] = Counter()
        self.totals: Counter[str] = Counter()
        self.violated: list[Result] = []

    def add(self, result: Result) -> None:
        """Count one more."""
        self.faults += result.faults
        self.totals.update(
            schedules=1,
            processes=result.processes,
            deaths=result.deaths,
            restarts=result.restarts,
            executed=result.executed,
            doubts=len(result.doubts),
        )
        if result.violations:
            self.violated.append(result)


def _show(console: Console, tally: Tally, seconds: float, ledger: str) -> None:
    faults = Table("fault", "times", "fault ", "times ", title="Faults that took effect", title_justify="left")
    rows = sorted(tally.faults.items())
    half = -(-len(rows) // 2)
    for left, right in zip(rows[:half], [*rows[half:], ("", "")], strict=False):
        faults.add_row(left[0], str(left[1]), right[0], str(right[1]))
    console.print(faults)
    totals = tally.totals
    console.print(
        f"engine: {totals['schedules']} schedules in {seconds:.0f} s ({totals['schedules'] / seconds:.0f} seeds/s), "
        f"{totals['processes']} processes of which {totals['deaths']} were killed, {totals['restarts']} gateway restarts, "
        f"{sum(tally.faults.values())} faults, {totals['executed']} payouts executed, "
        f"{totals['doubts']} eras held in doubt",
        soft_wrap=True,
    )
    for number, result in enumerate(sorted(tally.violated, key=lambda result: result.seed)[:_SHOWN_VIOLATIONS]):
        console.print(f"  seed {result.seed}: {'; '.join(result.violations)}", markup=False, soft_wrap=True)
        if number == 0:
            console.print("\n".join(result.story), markup=False, soft_wrap=True)
        console.print(
            f"    again: make faults SEED={result.seed} SCHEDULES=1 LEDGER={ledger}", markup=False, soft_wrap=True
        )
    console.print(f"violations: {len(tally.violated)}", style="bold red" if tally.violated else "bold green")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.proof.harness",
        description="Seeded schedules of faults of gateway and database, killed processes, rivals and restarts. Afterwards, in "
        "peace, every era must become paid: no payout executed twice, no era green and unpaid, no era red without a reason, no "
        "fees above the limit, no gap in the ledger's history.",
        epilog="Exit status: 0 when the engine kept every promise and each naive payer was caught; 1 otherwise.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument(
        "--schedules", type=int, default=10_000, metavar="N", help="how many, after those that failed once"
    )
    parser.add_argument("--seed", type=int, metavar="N", help="seed of the first (default: SEED, or the clock)")
    parser.add_argument("--ledger", choices=("sqlite", "postgresql"), default="sqlite", help="database of the ledger")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="processes of this machine")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    :returns: the exit status.
    """
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.schedules < 1 or options.jobs < 1:
        parser.error("--schedules and --jobs take 1 or more")
    console, seed = Console(), seed_of("faults", options.seed)
    seeds = [*known_seeds("faults"), *range(seed, seed + options.schedules)]
    tally, started = Tally(), time.monotonic()
    columns = (TextColumn("engine"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with _ledger(options.ledger) as ledger:
        with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
            task = progress.add_task("schedules", total=len(seeds))
            for result in _results(seeds, min(options.jobs, options.schedules), ledger):
                tally.add(result)
                progress.advance(task)
        _show(console, tally, time.monotonic() - started, options.ledger)
        caught = [_catch_the_naive_payer(console, habit, seed, ledger) for habit in HABITS]
    return int(bool(tally.violated) or not all(caught))


if __name__ == "__main__":
    sys.exit(main())
