"""`python -m tests.proof.mutants`: change the rules one at a time, and see a test find each change.

cosmic-ray makes the changes: a condition turned round, a comparison or a number moved by one, `and` for `or`, another exception, a loop
that never runs. Each change is tried in a process of its own, which imports the product with the changed module, and runs the
module's tests of `JUDGES` until one fails. A change that all of them pass survives, and is printed.

`ACCEPTED` names changes that break no promise, with the reason; there are at most `MOST_ACCEPTED`, and none of a rule of `payout/decide.py`
that serves safety. The run fails when another change survives.
"""

from __future__ import annotations

import argparse
import difflib
import os
import random
import re
import resource
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.machinery import SourceFileLoader
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pydantic
import pytest
import requests
import sqlalchemy
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

from tests.support.seeds import known_seeds, seed_of

_PACKAGE = Path(find_spec("staking_gateway").origin or "").parent  # type: ignore[union-attr]
_PRELOADED = pydantic, requests, sqlalchemy
"""What each trial would otherwise load. The product itself must not be here."""
_RULES = "payout/decide.py"
_ENGINE = ("test_payouts", "test_stories")
_PROTOCOL = ("test_protocol", "test_protocol_refusals", "test_protocol_words")
_LEDGER = ("test_ledger", *(f"test_ledger_{of}" for of in ("lanes", "facts", "faults", "races", "opening")), *_ENGINE)
JUDGES: dict[str, tuple[str, ...]] = {
    _RULES: ("test_decide", *_ENGINE),
    "payout/copies.py": ("test_decide", "test_catch_up", *_ENGINE, "test_seen_on_chain", "test_causes"),
    "payout/drive.py": ("test_drive",),
    "payout/engine.py": ("test_engine", *_ENGINE),
    "payout/evidence.py": ("test_decide", *_ENGINE),
    "payout/fee_limits.py": ("test_decide", "test_ledger_lanes", *_ENGINE),
    "payout/lanes.py": ("test_lanes",),
    "payout/outcomes.py": ("test_decide", "test_payouts", "test_report", "test_causes"),
    "payout/terms.py": ("test_engine", "test_lanes", "test_decide", "test_config", "test_payouts"),
    "http/meanings.py": (*_PROTOCOL, "test_endpoint"),
    "gateway/calls.py": _PROTOCOL,
    "chain/paid.py": ("../contract/test_paid",),
    "ledger/invariant.py": ("test_decide", *_LEDGER),
    "ledger/reads.py": _LEDGER,
    "ledger/standing.py": ("test_ledger_lanes", "test_ledger_races", "../security/test_database_grants"),
    "ledger/store.py": _LEDGER,
}
"""The unit tests that judge each module, quickest first."""
_PLAIN = re.compile(
    r"core/(AddNot|NumberReplacer|Replace(And|Or)With(Or|And)|Replace(True|False)With(False|True)|ExceptionReplacer"
    r"|ZeroIterationForLoop|ReplaceContinueWithBreak|ReplaceBreakWithContinue|ReplaceUnaryOperator_(Delete_Not|USub_UAdd)"
    r"|ReplaceComparisonOperator_(Is_IsNot|IsNot_Is|Eq_NotEq|NotEq_Eq|In_NotIn|NotIn_In|Lt_LtE|LtE_Lt|Gt_GtE|GtE_Gt)"
    r"|ReplaceBinaryOperator_(Add_Sub|Sub_Add|Div_Mul|FloorDiv_Mul|Mod_Add|BitAnd_BitOr))"
)
"""cosmic-ray's operators that are tried. Its others change types (`str | None`), signatures (`*`) or make errors that every call shows."""
_SECONDS, _MOST_SECONDS, _BYTES = 90, 900, 4 << 30
"""Limits of one trial: of processor time, and of the clock. A change that goes beyond them is found."""
MOST_ACCEPTED = 20
_DRIVEN = "if isinstance(result, Payout) or (isinstance(result, Wait) and result.reason is WaitFor.FINALITY):"
ACCEPTED: dict[str, dict[tuple[str, str], str]] = {
    _RULES: {
        (
            "later = first_copy(case.part, slot) < first_copy(rival, slot)",
            "later = first_copy(case.part, slot) <= first_copy(rival, slot)",
        ): "26 two copies never have one id",
        (
            'return case.stay(f"payment nonce {new[0].nonce} has passed alone", *new)',
            'return case.stay(f"payment nonce {new[ -1].nonce} has passed alone", *new)',
        ): "18 the text names one of several",
    },
    "payout/engine.py": {
        ("seen.sends += 1", "seen.sends += 2"): "no rule asks how often it was sent",
        ("id=0,", "id= 1,"): "the ledger numbers copies",
        ("id=0,", "id= -1,"): "the ledger numbers copies",
        (_DRIVEN, _DRIVEN.replace("if isinstance", "if not isinstance")): "the call waits, and the next one goes on",
        (_DRIVEN, _DRIVEN.replace(" and ", " or ")): "it is read once more, and then the call waits",
    },
}
"""Changes that break no promise: by module, the line without space around it and the changed line, and the reason. In `payout/decide.py` the
reason begins with the rule's number.
"""


@dataclass(frozen=True)
class Mutant:
    """One change of a module: cosmic-ray's operator, and which of the places where it fits."""

    file: str
    operator: str
    occurrence: int

    @property
    def source(self) -> str:
        """The changed module."""
        changed = mutate_code((_PACKAGE / self.file).read_text(), get_operator(self.operator)(), self.occurrence)
        return str(changed)

    @property
    def difference(self) -> list[str]:
        before = (_PACKAGE / self.file).read_text().splitlines()
        lines = difflib.unified_diff(before, self.source.splitlines(), lineterm="", n=1)
        return [line for line in lines if not line.startswith(("---", "+++"))]

    @property
    def is_accepted(self) -> bool:
        old, new = (" ".join(line[1:].strip() for line in self.difference if line.startswith(sign)) for sign in "-+")
        return (old, new) in ACCEPTED.get(self.file, {})


def mutants(files: Sequence[str] = tuple(JUDGES)) -> Iterator[Mutant]:
    """Every change that is tried, in the order of the modules."""
    operators = [(name, get_operator(name)()) for name in operator_names() if _PLAIN.fullmatch(name)]
    for file in files:
        text = (_PACKAGE / file).read_text()
        nodes, lines = list(ast_nodes(get_ast(text))), text.splitlines()
        for name, operator in operators:
            places = [start for node in nodes for start, _ in operator.mutation_positions(node)]
            for occurrence, (line, _) in enumerate(places):
                if (
                    not lines[line - 1].lstrip().startswith(("if TYPE_CHECKING", "@dataclass("))
                ):  # both are for readers and mypy
                    yield Mutant(file, name, occurrence)


def _tests(file: str) -> list[str]:
    return [f"tests/unit/{name}.py" for name in JUDGES[file]]


def _run(tests: Sequence[str], mutant: Mutant | None = None) -> int:
    """Run tests until one fails, in a process of its own that imports the product with one module changed.

    :returns: the process; its status is 0 if all pass.
    """
    pid = os.fork()
    if pid:
        return pid
    try:
        if mutant is not None:
            resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
            resource.setrlimit(resource.RLIMIT_AS, (_BYTES, _BYTES))
            signal.alarm(_MOST_SECONDS)
            _change(mutant)
        failed = pytest.main(["-x", "-q", "-p", "no:cacheprovider", *tests])
        sys.stdout.flush()
        os._exit(failed)
    finally:
        os._exit(1)


def _change(mutant: Mutant) -> None:
    """Let this process import the changed module, and be silent."""
    path, source, load = str(_PACKAGE / mutant.file), mutant.source, SourceFileLoader.get_code

    def changed(loader: SourceFileLoader, name: str) -> Any:
        return compile(source, path, "exec") if loader.path == path else load(loader, name)

    patch.object(SourceFileLoader, "get_code", changed).start()
    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)


def _tried(chosen: Sequence[Mutant], jobs: int) -> Iterator[tuple[Mutant, bool]]:
    """Try changes side by side; each, when its trial has ended, and whether it survives."""
    waiting, running = list(reversed(chosen)), dict[int, Mutant]()
    while waiting or running:
        while waiting and len(running) < jobs:
            mutant = waiting.pop()
            running[_run(_tests(mutant.file), mutant)] = mutant
        pid, status = os.wait()
        yield running.pop(pid), status == 0


def _chosen(count: int | None, seed: int, only: str) -> list[Mutant]:
    """The changes to try: those drawn by the seed, after those of each seed that is kept."""
    every = list(mutants([file for file in JUDGES if only in file]))
    if count is None or count >= len(every):
        return every
    drawn: dict[Mutant, None] = {}
    for one in (*known_seeds("mutants"), seed):
        drawn |= dict.fromkeys(random.Random(one).sample(every, count))
    return list(drawn)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.proof.mutants", description=__doc__)
    parser.add_argument("--count", type=int, metavar="N", help="only so many, drawn by the seed (default: all)")
    parser.add_argument("--seed", type=int, metavar="N", help="of the draw (default: SEED, or the clock)")
    parser.add_argument("--only", default="", metavar="TEXT", help="only modules whose path holds this text")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="side by side")
    options = parser.parse_args(arguments)
    seed = seed_of("mutants", options.seed)
    chosen = _chosen(options.count, seed, options.only)
    began = time.monotonic()
    _run([*dict.fromkeys(test for mutant in chosen for test in _tests(mutant.file))])
    if os.wait()[1]:
        sys.exit("the tests fail without a change")
    tried, survivors = Counter[str](), list[Mutant]()
    for mutant, survives in _tried(chosen, options.jobs):
        tried[mutant.file] += 1
        if survives:
            survivors.append(mutant)
            print(f"survives: {mutant.file}, {mutant.operator}", *mutant.difference, "", sep="\n", flush=True)
    return _report(tried, survivors, time.monotonic() - began)


def _report(tried: Counter[str], survivors: Sequence[Mutant], seconds: float) -> int:
    """Print the counts; 1 when a change survives that is not accepted."""
    left = Counter(mutant.file for mutant in survivors if not mutant.is_accepted)
    for file, count in sorted(tried.items()):
        print(f"  {file:28} {count:4} changes, {left[file]:3} survive")
    accepted = len(survivors) - left.total()
    print(f"{tried.total()} changes in {seconds:.0f} s, {left.total()} survive, and {accepted} that break no promise")
    if left:
        print("A change that nothing finds: write its test, delete what it changes, or accept it with a reason.")
    return int(bool(left))


if __name__ == "__main__":
    sys.exit(main())
