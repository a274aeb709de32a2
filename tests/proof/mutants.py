"""`python -m tests.proof.mutants`: change the rules one at a time, and see a test find each change.

cosmic-ray makes the changes: a condition turned round, a comparison or a number moved by one, `and` for `or`, another exception, a loop
that never runs. Each change is tried in a copy of this process: it loads the changed module in place of the real one, loads what imports
it anew, and runs the module's tests of `JUDGES`, until one fails. A change that all of them pass survives, and is printed.

`ACCEPTED` names changes that break no promise, with the reason. The run fails when more of the other changes survive than
`MOST_SURVIVORS` allows: one share for `payout/decide.py`, which holds the rules, and one for all other modules together. A few survivors
of a small sample are printed and pass; a list of all survivors would be out of date with each change of the code.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import io
import os
import random
import re
import resource
import select
import signal
import sys
import time
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from importlib.abc import InspectLoader, MetaPathFinder
from importlib.util import spec_from_loader
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

import staking_gateway
from tests.support.seeds import known_seeds, seed_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from importlib.machinery import ModuleSpec
    from types import CodeType, ModuleType

_PACKAGE = Path(staking_gateway.__file__).parent
_RULES = "payout/decide.py"
_ENGINE = ("test_payouts", "test_settlement", "test_failed_payloads", "test_stories")
_PROTOCOL = ("test_protocol", "test_protocol_refusals", "test_protocol_words", "test_protocol_signatures")
_LEDGER = ("test_ledger", "test_ledger_lanes", "test_ledger_words", "test_stories")
JUDGES: dict[str, tuple[str, ...]] = {
    _RULES: ("test_decide", *_ENGINE),
    "payout/case.py": ("test_decide", *_ENGINE),
    "payout/copies.py": ("test_decide", *_ENGINE),
    "payout/drive.py": ("test_payouts", "test_chain_lanes", "test_failed_payloads"),
    "payout/engine.py": _ENGINE,
    "payout/evidence.py": ("test_decide", *_ENGINE),
    "payout/fee_limits.py": ("test_decide", *_ENGINE),
    "payout/foreign_nonces.py": ("test_settlement", "test_failed_payloads", "test_payouts"),
    "payout/lanes.py": ("test_chain_lanes",),
    "payout/outcomes.py": ("test_decide", "test_payouts"),
    "payout/standing.py": ("test_payouts", "test_failed_payloads"),
    "payout/terms.py": ("test_decide", "test_config", "test_payouts"),
    "http/meanings.py": (*_PROTOCOL, "test_endpoint"),
    "gateway/decoding.py": _PROTOCOL,
    "gateway/protocol.py": _PROTOCOL,
    "chain/paid.py": ("../contract/test_node_paid",),
    "ledger/copies.py": _LEDGER,
    "ledger/invariant.py": _LEDGER,
    "ledger/lanes.py": _LEDGER,
    "ledger/standing.py": _LEDGER,
    "ledger/writes.py": (*_LEDGER, "test_ledger_journal"),
}
"""The unit tests that judge each module, quickest first."""
_PLAIN = re.compile(
    r"core/(AddNot|NumberReplacer|Replace(And|Or)With(Or|And)|Replace(True|False)With(False|True)|ExceptionReplacer"
    r"|ZeroIterationForLoop|ReplaceContinueWithBreak|ReplaceBreakWithContinue|ReplaceUnaryOperator_(Delete_Not|USub_UAdd)"
    r"|ReplaceComparisonOperator_(Is_IsNot|IsNot_Is|Eq_NotEq|NotEq_Eq|In_NotIn|NotIn_In|Lt_LtE|LtE_Lt|Gt_GtE|GtE_Gt)"
    r"|ReplaceBinaryOperator_(Add_Sub|Sub_Add|Div_Mul|FloorDiv_Mul|Mod_Add|BitAnd_BitOr))"
)
"""cosmic-ray's operators that are tried. Its others change types (`str | None`), signatures (`*`) or make errors that every call shows."""
_SECONDS, _MOST_SECONDS = 90, 900
"""Limits of one trial: of processor time, and of the clock. A change that goes beyond them is found."""
MOST_SURVIVORS = {"rules": 0.1, "others": 0.6}
"""Of the other modules, about four in ten changes survive today; a small sample of them varies."""
_ALWAYS_PASS = 3
"""So many survivors of a sample never fail the run."""
ACCEPTED: dict[str, str] = {}
"""Changes that break no promise: the changed line, without space around it, to the reason."""


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
    def new_lines(self) -> str:
        return " ".join(line[1:].strip() for line in self.difference if line.startswith("+"))


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


class _Changed(MetaPathFinder, InspectLoader):
    """Loads a changed module in place of the real one."""

    def __init__(self, file: str, source: str) -> None:
        self.name = f"staking_gateway.{file.removesuffix('.py').replace('/', '.')}"
        self._file = str(_PACKAGE / file)
        self._source = source

    def find_spec(self, fullname: str, path: object, target: ModuleType | None = None) -> ModuleSpec | None:
        del path, target
        return spec_from_loader(fullname, self, origin=self._file) if fullname == self.name else None

    def get_source(self, fullname: str) -> str:
        del fullname
        return self._source

    def get_code(self, fullname: str) -> CodeType:
        del fullname
        code: CodeType = compile(self._source, self._file, "exec")
        return code


def _tests(file: str) -> list[str]:
    return [f"tests/unit/{name}.py" for name in JUDGES[file]]


def _judged(tests: Sequence[str], change: _Changed | None) -> int:
    """Run tests, file after file, on a changed module; 0 when they pass."""
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    if change is not None:
        sys.meta_path.insert(0, change)
        _forget(change.name)
    with Path(os.devnull).open("w") as nothing, redirect_stdout(nothing), redirect_stderr(nothing):
        return next((1 for test in tests if pytest.main(["-q", "-x", "--tb=no", "-p", "no:cacheprovider", test])), 0)


def _forget(changed: str) -> None:
    """Forget a module, and each of this project's modules that imports it, also by another one: they are loaded anew."""
    own = _own_modules()
    old, stale = set[str](), {changed}
    while stale - old:
        old = stale
        stale = old | {name for name, imported in own.items() if imported & old}
    for name in stale - {__name__, "__main__"}:
        sys.modules.pop(name, None)


def _own_modules() -> dict[str, frozenset[str]]:
    """The loaded modules of this project, and the modules that each imports."""
    folders = f"{_PACKAGE.parent}/", f"{Path.cwd()}/tests/", f"{Path.cwd()}/plugins/"
    places = {name: getattr(module, "__file__", None) or "" for name, module in sys.modules.items()}
    return {name: _imported(place) for name, place in places.items() if place.startswith(folders)}


@cache
def _imported(place: str) -> frozenset[str]:
    """The modules that a file names in its imports."""
    names = set()
    for node in ast.walk(ast.parse(Path(place).read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return frozenset(names)


class _Trial:
    """Tests in a copy of this process, of a changed module or, without a change, of the real ones."""

    def __init__(self, tests: Sequence[str], change: _Changed | None = None) -> None:
        self.ends = time.monotonic() + _MOST_SECONDS
        self.pid = os.fork()
        if self.pid == 0:
            os.setpgid(0, 0)
            status = 1
            try:
                status = _judged(tests, change)
            finally:
                os._exit(1 if status else 0)
        self.process = os.pidfd_open(self.pid)

    def survived(self) -> bool:
        """Whether all tests passed. The trial has ended, or its time is over."""
        if not select.select([self.process], [], [], 0)[0]:
            os.kill(self.pid, signal.SIGKILL)
        _, status = os.waitpid(self.pid, 0)
        os.close(self.process)
        return status == 0


def _warm(files: Sequence[str]) -> None:
    """Import what the tests import."""
    tests = sorted({test for file in files for test in _tests(file)})
    with redirect_stdout(io.StringIO()):
        if pytest.main(["-q", "-p", "no:cacheprovider", "--collect-only", *tests]):
            sys.exit(f"cannot collect {tests}")
    _own_modules()


def _verdicts(chosen: Sequence[Mutant], jobs: int) -> Iterator[tuple[Mutant, bool]]:
    """Each change, with whether it survives. The tests must pass without a change; that comes first."""
    for file in dict.fromkeys(mutant.file for mutant in chosen):
        _wait([unchanged := _Trial(_tests(file), _Changed(file, (_PACKAGE / file).read_text()))])
        if not unchanged.survived():
            sys.exit(f"these tests fail without a change: {' '.join(_tests(file))}")
    waiting = list(reversed(chosen))
    running: dict[_Trial, Mutant] = {}
    while waiting or running:
        while waiting and len(running) < jobs:
            mutant = waiting.pop()
            trial = _Trial(_tests(mutant.file), _Changed(mutant.file, mutant.source))
            running[trial] = mutant
        for trial in _wait(list(running)):
            yield running.pop(trial), trial.survived()


def _wait(trials: Sequence[_Trial]) -> list[_Trial]:
    """The trials that have ended, or whose time is over; at least one."""
    while True:
        left = max(0.0, min(trial.ends for trial in trials) - time.monotonic())
        ended, _, _ = select.select([trial.process for trial in trials], [], [], left)
        over = [trial for trial in trials if trial.process in ended or trial.ends <= time.monotonic()]
        if over:
            return over


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
    """Run the command.

    :returns: the exit status.
    """
    parser = argparse.ArgumentParser(prog="python -m tests.proof.mutants", description=__doc__)
    parser.add_argument("--count", type=int, metavar="N", help="only so many, drawn by the seed (default: all)")
    parser.add_argument("--seed", type=int, metavar="N", help="of the draw (default: SEED, or the clock)")
    parser.add_argument("--only", default="", metavar="TEXT", help="only modules whose path holds this text")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="side by side")
    options = parser.parse_args(arguments)
    seed = seed_of("mutants", options.seed)
    chosen = _chosen(options.count, seed, options.only)
    began = time.monotonic()
    _warm(sorted({mutant.file for mutant in chosen}))
    tried, survivors = Counter[str](), []
    for mutant, survives in _verdicts(chosen, options.jobs):
        tried[mutant.file] += 1
        if survives:
            survivors.append(mutant)
            sys.stdout.write("\n".join([f"survives: {mutant.file}, {mutant.operator}", *mutant.difference, ""]))
            sys.stdout.flush()
    return _report(tried, survivors, time.monotonic() - began)


def _report(tried: Counter[str], survivors: Sequence[Mutant], seconds: float) -> int:
    """Print the counts; 1 when too many changes survive."""
    left = Counter(mutant.file for mutant in survivors if mutant.new_lines not in ACCEPTED)
    for file, count in sorted(tried.items()):
        sys.stdout.write(f"  {file:28} {count:4} changes, {left[file]:3} survive\n")
    accepted = len(survivors) - left.total()
    sys.stdout.write(
        f"{tried.total()} changes in {seconds:.0f} s, {left.total()} survive, and {accepted} that break no promise\n"
    )
    failed = False
    for group, share in MOST_SURVIVORS.items():
        count, survive = (
            sum(all_[file] for file in all_ if (file == _RULES) == (group == "rules")) for all_ in (tried, left)
        )
        if survive > max(_ALWAYS_PASS, share * count):
            sys.stdout.write(
                f"Too many changes survive ({group}): {survive} of {count}; at most {share:.0%} may. Write the tests.\n"
            )
            failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
