"""Runs the cases of a target, and keeps those that end in a new way."""

from __future__ import annotations

import faulthandler
import hashlib
import random
import re
import resource
import signal
import sys
import threading
import traceback
from collections import Counter
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from staking_gateway.errors import StakingGatewayError
from tests.fuzz.grammar import changed_bytes

if TYPE_CHECKING:
    from collections.abc import Callable


SEEDS = Path(__file__).parents[1] / "data" / "fuzz"
FINDINGS = Path(".fuzz")
SECONDS, ROOM = 1.0, 64 * 1024
"""Limits of a case: seconds of processor time, and KiB of memory."""
HANGS = 60
"""Seconds after which a case that waits for something is given up, with the whole process."""
LONGEST = 256 * 1024


@dataclass(frozen=True)
class Target:
    """A decoder.

    :param grow: a case from the grammar.
    :param run: what a case comes to, in few words; any exception is a finding.
    :param weight: its share of the cases; those without a connection are quicker.
    :param tokens: pieces that are put into cases.
    """

    name: str
    grow: Callable[[random.Random], bytes]
    run: Callable[[bytes], str]
    weight: int = 1
    tokens: tuple[bytes, ...] = ()

    def seeds(self):
        """The cases in `tests/data/fuzz`."""
        return [path.read_bytes() for path in sorted((SEEDS / self.name).glob("*"))]


@dataclass
class Result:
    """What the cases of a target came to.

    :ivar finding: the first case with a finding, and its description.
    """

    outcomes: Counter[str] = field(default_factory=Counter)
    finding: tuple[bytes, str] | None = None


class TooSlow(Exception):
    """A case needs too much processor time."""


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


def answer_with(server, answer):
    """Answers every request with these bytes, then ends the connection; the requests before are forgotten."""

    def behave(exchange):
        exchange.send(answer(exchange.request) if callable(answer) else answer)
        exchange.finish()

    server.requests.clear()
    server.script = [behave]


@contextmanager
def limits():
    """Keeps the limits of a case.

    :raises TooSlow: more processor time than a case may need.
    :raises MemoryError: more memory.
    """

    def stop(number, frame):
        raise TooSlow(f"it needs more than {SECONDS:g} s of processor time")

    before = signal.signal(signal.SIGVTALRM, stop)
    floor = _peak(reset=True)
    faulthandler.dump_traceback_later(HANGS, exit=True)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        faulthandler.cancel_dump_traceback_later()
        signal.signal(signal.SIGVTALRM, before)
    if (used := _peak() - floor) > ROOM:
        raise MemoryError(f"it needs {used // 1024} MB")


@contextmanager
def threads_raise():
    """Raises what a thread, such as the hostile server's, did not catch: its case was never sent as it was meant."""
    before, raised = threading.excepthook, []
    threading.excepthook = lambda failure: raised.append(failure.exc_value)
    try:
        yield
    finally:
        threading.excepthook = before
        if raised:
            raise raised[0]


def _peak(*, reset=False):
    """The most memory of this process so far, in KiB. Linux can forget what was before; elsewhere only growth is seen."""
    try:
        if reset:
            Path("/proc/self/clear_refs").write_text("5")
        return int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1])
    except OSError:
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most // 1024 if sys.platform == "darwin" else most


def fuzz(target, seed, cases):
    """Run the seeds, then cases of a target, up to the first finding."""
    result, pool = Result(), target.seeds()
    warm_up(target)
    for number in range(-len(pool), cases):
        chance = random.Random(f"{seed}:{target.name}:{number}")
        case = pool[number + len(pool)] if number < 0 else _case(target, chance, pool)
        outcome, finding = run_limited(target, case)
        if finding:
            result.finding = case, finding
            return result
        if outcome not in result.outcomes and number >= 0:
            pool.append(case)
        result.outcomes[outcome] += 1
    return result


def warm_up(target):
    """Load the libraries of a target, so that they count for no case."""
    with suppress(Exception):
        target.run(next(iter(target.seeds()), b""))


def run_limited(target, case):
    """What a case comes to, and the description of a finding. A case is slow when it is slow twice, on a machine that may be busy."""
    try:
        with threads_raise():
            with suppress(TooSlow), limits():
                return target.run(case), ""
            with limits():
                return target.run(case), ""
    except Exception as error:  # noqa: BLE001 - whatever is raised is a finding
        place = traceback.extract_tb(error.__traceback__)[-1]
        return "", f"{type(error).__name__}: {str(error)[:500]} ({Path(place.filename).name}:{place.lineno})"


def _case(target, chance, pool):
    if not pool or chance.random() < 0.4:
        return target.grow(chance)[:LONGEST]
    case = chance.choice(pool)
    for _ in range(chance.choice((1, 1, 2, 3, 6))):
        at, kind = chance.randrange(len(case) + 1), chance.random()
        if kind < 0.2 and target.tokens:
            case = case[:at] + chance.choice(target.tokens) + case[at + chance.choice((0, 0, 1, 4)) :]
        elif kind < 0.3:
            other = chance.choice(pool)
            case = case[:at] + other[chance.randrange(len(other) + 1) :]
        elif kind < 0.35:
            piece = case[at : at + chance.randrange(1, 30)]
            case = case[:at] + piece * chance.choice((10, 300, 3000)) + case[at:]
        else:
            case = changed_bytes(chance, case)
    return case[:LONGEST]


def keep(target, case):
    """The file of a finding."""
    FINDINGS.mkdir(exist_ok=True)
    path = FINDINGS / f"{target.name}-{hashlib.sha256(case).hexdigest()[:8]}"
    path.write_bytes(case)
    return path
