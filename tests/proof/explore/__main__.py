"""`python -m tests.proof.explore`: visit every state within bounds, and print the verdict."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from tests.proof.explore.canary import CANARIES, broken_without
from tests.proof.explore.catalogue import ASSUMPTIONS, Assumption, features, pairs, singles, special
from tests.proof.explore.model import World
from tests.proof.explore.reach import serves, wanted
from tests.proof.explore.replay import Differs, replay, walks
from tests.proof.explore.scenario import Scenario
from tests.proof.explore.search import Verdict, explore
from tests.proof.explore.story import story
from tests.proof.harness.schedule import memory_folder
from tests.support.seeds import known_seeds, seed_of

SECONDS = {"drawn": 2.0, "small": 6.0, "medium": 4.0, "large": 12.0}
"""The most seconds of processor time for one world."""
_DRAWN = 24
"""Worlds of a drawn run, beside those with eras, settings or proofs of their own."""
_WALKS = {"drawn": 1, "small": 2, "medium": 10, "large": 40}


def _chosen(bound: str, text: str, chance: random.Random) -> list[Scenario]:
    worlds = [*singles(), *special()]
    if bound == "drawn":
        worlds = [*special(), *chance.sample([*singles(), *pairs(), *features()], _DRAWN)]
    if bound in ("medium", "large"):
        worlds += pairs()
    if bound == "large":
        worlds += features()
    return [one for one in worlds if text in one.name]


def _show(verdicts: Sequence[Verdict]) -> None:
    for verdict in verdicts:
        word = "BROKEN" if not verdict.held else "held" if verdict.complete else "held, not complete"
        numbers = f"{verdict.states:9,} states {verdict.transitions:10,} transitions"
        print(f"{verdict.scenario.name:64} {numbers}  {word}")
    states, seconds = sum(one.states for one in verdicts), sum(one.seconds for one in verdicts)
    print(
        f"{states:,} states, {sum(one.transitions for one in verdicts):,} transitions, {states / max(seconds, 0.001):,.0f} states a "
        f"second and core, {sum(not one.complete for one in verdicts)} of {len(verdicts)} scenarios not complete"
    )


def _reached(verdicts: Sequence[Verdict]) -> bool:
    """Print how many worlds reach each rule, outcome and hold, and one of them; whether each is reached."""
    kinds = {f"rule {number}": f" {kind}" for number, kind in serves().items()}
    print("\nReached by")
    unreached = []
    for name in wanted():
        worlds = [verdict.scenario.name for verdict in verdicts if name in verdict.reached]
        print(f"{name + kinds.get(name, ''):22}{len(worlds):4} worlds{f', e.g. {worlds[0]}' if worlds else ''}")
        unreached += [] if worlds else [name]
    if unreached:
        print(f"NO scenario reaches {', '.join(unreached)}")
    return not unreached


def _tell(verdict: Verdict, folder: Path) -> None:
    """The shortest counter-example, and what the real engine makes of it."""
    for promise, path in verdict.violations.items():
        bounds = [f"{name} {value}" for name, value in verdict.scenario.bounds._asdict().items() if value]
        print(f"{verdict.scenario.name}: {promise} ({', '.join(bounds)})")
        for number, sentence in enumerate(story(World(verdict.scenario), path), 1):
            print(f"  {number:2} {sentence}")
        try:
            with tempfile.TemporaryDirectory(dir=folder) as own:
                replay(verdict.scenario, path, Path(own) / "ledger.db")
            print("  the real engine and ledger take the same way")
        except Differs as error:
            print(f"  not replayed: {error}")


def _as_listed(assumption: Assumption, verdict: Verdict) -> bool:
    """Tell what breaks without an assumption; whether it is exactly what is listed."""
    broken = {promise.partition(":")[0] for promise in verdict.violations}
    fits = "as listed" if broken == assumption.broken else "NOT as listed"
    print(f"{fits}: without “{assumption.title}” {sorted(broken) or 'nothing breaks'}")
    return broken == assumption.broken


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.proof.explore",
        description="Explore the payout engine's decision in every reachable state of a chain, a gateway, a ledger and processes. "
        "Safety and the invariant are checked in every state, liveness from every state. Then the real engine and an SQLite ledger "
        "take random walks beside the model, and each assumption is dropped to see what breaks. One rule, drawn by the seed, "
        "is switched off, and must be found broken. The exit status is 0 when all of it held, and every rule, outcome and hold was reached.",
    )
    parser.add_argument(
        "--bound",
        choices=SECONDS,
        default="small",
        help="how far (default: small): each freedom and feature; medium adds pairs of freedoms, large each feature with each freedom; "
        "drawn takes some of all that the seed chooses",
    )
    parser.add_argument("--scenario", default="", metavar="TEXT", help="only scenarios whose name holds this text")
    parser.add_argument("--seed", type=int, metavar="N", help="of the walks and the rule (default: SEED, or the clock)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="processes of this machine")
    options = parser.parse_args(arguments)
    started = time.monotonic()
    seed = seed_of("explore", options.seed)
    chance, drawn = random.Random(seed), options.bound == "drawn"
    off = sorted(CANARIES) if options.bound in ("medium", "large") else [chance.choice(sorted(CANARIES))]
    chosen = _chosen(options.bound, options.scenario, chance)
    dropped = [] if options.scenario else chance.sample(ASSUMPTIONS, 1) if drawn else ASSUMPTIONS
    seeds = [*known_seeds("explore"), *range(seed, seed + _WALKS[options.bound])]
    visit = partial(explore, seconds=SECONDS[options.bound])
    with memory_folder() as folder, multiprocessing.get_context("spawn").Pool(options.jobs) as pool:
        broken = pool.map_async(broken_without, off, chunksize=1)
        visited = pool.map_async(visit, chosen, chunksize=1)
        without = pool.map_async(
            partial(explore, first_only=False, seconds=15), [one.scenario for one in dropped], chunksize=1
        )
        walked = pool.map_async(partial(walks, folder=folder, seeds=seeds), chosen, chunksize=1)
        verdicts = visited.get()
        _show(verdicts)
        reached = bool(options.scenario) or drawn or _reached(verdicts)
        for verdict in verdicts:
            _tell(verdict, folder)
        listed = [_as_listed(*pair) for pair in zip(dropped, without.get(), strict=True)]
        differences = [f"the engine differs from the model: {told}" for told in walked.get() if isinstance(told, str)]
        steps = sum(told for told in walked.get() if isinstance(told, int))
        print("\n".join([*differences, f"{steps:,} random steps of engine and ledger beside the model"]))
        found = broken.get()
        for rule, one in zip(off, found, strict=True):
            told = f"{CANARIES[rule].scenario.name}”: {'found' if one else 'NOT found'}: {CANARIES[rule].broken}"
            print(f"rule {rule} is switched off in “{told}")
    held = all(verdict.held for verdict in verdicts)
    print(f"{time.monotonic() - started:.0f} s")
    return int(not (held and reached and not differences and all(found) and all(listed)))


if __name__ == "__main__":
    sys.exit(main())
