"""A decoder as a target, and what one case comes to."""

from __future__ import annotations

import re
import signal
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from staking_gateway.errors import StakingGatewayError
from tests.fuzz.grammar import changed_bytes

if TYPE_CHECKING:
    import random
    from collections.abc import Callable


SEEDS = Path(__file__).parents[1] / "data" / "fuzz"
PATIENCE = 30
"""Seconds after which a case hangs."""
LONGEST = 256 * 1024


@dataclass(frozen=True)
class Target:
    """A decoder.

    :param grow: a case from the grammar.
    :param run: what a case comes to, in few words; any exception is a finding.
    :param tokens: pieces that are put into cases.
    """

    name: str
    grow: Callable[[random.Random], bytes]
    run: Callable[[bytes], str]
    tokens: tuple[bytes, ...] = ()

    def seeds(self):
        """The cases in `tests/data/fuzz`: each was once a finding, or is a sound one to change."""
        return [path.read_bytes() for path in sorted((SEEDS / self.name).glob("*"))]

    def examine(self, case):
        """What a case comes to.

        :raises TimeoutError: it hangs.
        :raises Exception: anything else is a finding as well.
        """
        with _patience():
            return self.run(case)


@st.composite
def cases(draw, target, seeds):
    """A case from the grammar, or a changed seed."""
    chance = draw(st.randoms(use_true_random=False))
    if not seeds or chance.random() < 0.4:
        return target.grow(chance)[:LONGEST]
    case = chance.choice(seeds)
    for _ in range(chance.choice((1, 1, 2, 3, 6))):
        at, kind = chance.randrange(len(case) + 1), chance.random()
        if kind < 0.2 and target.tokens:
            case = case[:at] + chance.choice(target.tokens) + case[at + chance.choice((0, 0, 1, 4)) :]
        elif kind < 0.3:
            other = chance.choice(seeds)
            case = case[:at] + other[chance.randrange(len(other) + 1) :]
        elif kind < 0.35:
            piece = case[at : at + chance.randrange(1, 30)]
            case = case[:at] + piece * chance.choice((10, 300, 3000)) + case[at:]
        else:
            case = changed_bytes(chance, case)
    return case[:LONGEST]


def judged(action, *secrets, kinds=StakingGatewayError):
    """The value of an action, or its documented error, whose text must be safe and short. Neither may tell a secret."""
    try:
        value = action()
    except kinds as error:
        caught = error
    else:
        assert not _told(f"{value} {value!r}", secrets), "a value tells a secret"
        return value
    assert not _told(f"{caught} {caught!r} {vars(caught)}", secrets), "an error tells a secret"
    assert all(line.isprintable() for line in str(caught).split("\n")), "an error has control characters"
    assert len(str(caught)) < 100_000, "an error is endless"
    return caught


def _told(text, secrets):
    return [secret for secret in secrets if secret.lower() in text.lower()]


def said(outcome):
    """An outcome in few words, the same for outcomes of one kind."""
    if isinstance(outcome, Exception):
        words = re.sub(r"'.*?'|\".*?\"|\W|[\d_]|\b0x\w+", " ", str(outcome)[:300])
        return f"{type(outcome).__name__}: {' '.join(words.split()[:9])}"
    return f"value: {type(outcome).__name__}"


@contextmanager
def _patience():
    def stop(number, frame):
        raise TimeoutError(f"a case needs more than {PATIENCE} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
