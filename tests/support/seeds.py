"""The seed of a run: each random suite takes it, prints it, and first repeats the seeds that have failed before."""

import os
import sys
import time
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "data" / "seeds"


def seed_of(suite: str, given: int | None = None) -> int:
    """The seed of this run: the given one, `SEED` of the environment, or one of the clock. It is printed."""
    text = os.environ.get("SEED", "").strip()
    seed = given if given is not None else int(text) if text else int(time.time()) % 1_000_000_000
    sys.stdout.write(f"{suite}: SEED={seed}\n")
    sys.stdout.flush()
    return seed


def known_seeds(suite: str) -> list[int]:
    """The seeds that have failed before, from `tests/data/seeds/<suite>.txt`: a number and its reason on each line."""
    file = FOLDER / f"{suite}.txt"
    lines = file.read_text().splitlines() if file.exists() else []
    return [int(line.split()[0]) for line in lines if line and not line.startswith("#")]
