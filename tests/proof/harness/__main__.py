"""`python -m tests.proof.harness`: run seeded schedules and print what they came to."""

import argparse
import multiprocessing
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from tests.proof.harness.schedule import TWICE, Result, memory_folder, run_schedule
from tests.proof.harness.storage import Storage
from tests.proof.harness.world import naive
from tests.support.seeds import known_seeds, seed_of
from tests.support.servers import PostgreSQL

_SHOWN_VIOLATIONS = 20
_TOLD = 500
"""So many schedules are one line of progress."""
_NAIVE = 300
"""Schedules of the naive payer; one of them must catch it."""


@contextmanager
def _ledger(kind: str) -> Iterator[str]:
    """URL of a ledger in a PostgreSQL of its own; empty for a file of each process."""
    if kind == "sqlite":
        yield ""
        return
    with PostgreSQL() as server:
        # Only schedules die here, not the machine.
        server.execute("ALTER SYSTEM SET fsync = off", "SELECT pg_reload_conf()")
        url = server.database("harness").render_as_string(hide_password=False)
        Storage(url).ledger.close()  # the tables are there before several processes look
        yield url


def _results(seeds: Sequence[int], jobs: int, ledger: str) -> Iterator[Result]:
    with memory_folder() as folder:
        run = partial(run_schedule, folder=folder, ledger=ledger)
        if jobs == 1:
            yield from map(run, seeds)
            return
        with multiprocessing.get_context("spawn").Pool(jobs) as pool:
            yield from pool.imap_unordered(run, seeds, chunksize=8)


def _catch_the_naive_payer(seed: int, ledger: str) -> bool:
    """Whether the harness catches a payer that is known to pay twice."""
    with memory_folder() as folder:
        for number in range(seed, seed + _NAIVE):
            broken = [text for text in run_schedule(number, folder, ledger, naive()).violations if TWICE in text]
            if broken:
                print(f"the naive payer is caught by seed {number}: {broken[0]}")
                return True
    print(f"The naive payer is NOT caught by {_NAIVE} schedules; the harness finds nothing")
    return False


def _show(results: Sequence[Result], seconds: float, ledger: str) -> bool:
    """Print what the schedules came to; whether every promise was kept."""
    faults = sum((result.faults for result in results), Counter[str]())
    for name, times in sorted(faults.items()):
        print(f"{times:8,} {name}")
    print(
        f"engine: {len(results)} schedules in {seconds:.0f} s ({len(results) / seconds:.0f} seeds/s), "
        f"{sum(one.processes for one in results)} processes of which {sum(one.deaths for one in results)} were killed, "
        f"{sum(one.restarts for one in results)} gateway restarts, {faults.total()} faults, "
        f"{sum(one.executed for one in results)} payouts executed, {sum(len(one.doubts) for one in results)} eras held in doubt"
    )
    violated = sorted((one for one in results if one.violations), key=lambda result: result.seed)
    for number, result in enumerate(violated[:_SHOWN_VIOLATIONS]):
        print(f"  seed {result.seed}: {'; '.join(result.violations)}", *(result.story if number == 0 else ()), sep="\n")
        print(f"    again: make faults SEED={result.seed} SCHEDULES=1 LEDGER={ledger}")
    print(f"violations: {len(violated)}")
    return not violated


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.proof.harness",
        description="Seeded schedules of faults of gateway and database, killed processes, rivals and restarts. Afterwards, in "
        "peace, every era must become paid: no payout executed twice, no era green and unpaid, no era red without a reason, no "
        "fees above the limit, no gap in the ledger's history.",
        epilog="Exit status: 0 when the engine kept every promise and the naive payer was caught; 1 otherwise.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument(
        "--schedules", type=int, default=10_000, metavar="N", help="how many, after those that failed once"
    )
    parser.add_argument("--seed", type=int, metavar="N", help="seed of the first (default: SEED, or the clock)")
    parser.add_argument("--ledger", choices=("sqlite", "postgresql"), default="sqlite", help="database of the ledger")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="processes of this machine")
    options = parser.parse_args(arguments)
    if options.schedules < 1 or options.jobs < 1:
        parser.error("--schedules and --jobs take 1 or more")
    seed, started = seed_of("faults", options.seed), time.monotonic()
    seeds = [*known_seeds("faults"), *range(seed, seed + options.schedules)]
    with _ledger(options.ledger) as ledger:
        results = []
        for result in _results(seeds, min(options.jobs, options.schedules), ledger):
            results.append(result)
            if len(results) % _TOLD == 0:
                print(f"{len(results)} of {len(seeds)} schedules", flush=True)
        kept = _show(results, time.monotonic() - started, options.ledger)
        caught = _catch_the_naive_payer(seed, ledger)
    return int(not (kept and caught))


if __name__ == "__main__":
    sys.exit(main())
