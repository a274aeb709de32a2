"""`python -m tests.proof.mutants`: change the rules one at a time, and see a test find each change.

cosmic-ray makes the changes: a condition turned round, a comparison or a number moved by one, `and` for `or`, another exception, a loop
that never runs. pytest collects the tests once. Each change is tried in a copy of this process: it changes the loaded module, and runs
the module's tests of `JUDGES` until one fails. A change that all of them pass survives, and is printed.

`ACCEPTED` names changes that break no promise, with the reason; there are at most `MOST_ACCEPTED`, and none of a rule of `payout/decide.py`
that serves safety. The run fails when another change survives.
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
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

import staking_gateway
from tests.support.seeds import known_seeds, seed_of

_PACKAGE = Path(staking_gateway.__file__).parent
_RULES = "payout/decide.py"
_ENGINE = ("test_payouts", "test_stories")
_PROTOCOL = ("test_protocol", "test_protocol_refusals", "test_protocol_words")
_LEDGER = (
    "test_ledger",
    "test_ledger_lanes",
    "test_ledger_facts",
    "test_ledger_faults",
    "test_ledger_races",
    "test_payouts",
    "test_stories",
)
JUDGES: dict[str, tuple[str, ...]] = {
    _RULES: ("test_decide", *_ENGINE),
    "payout/copies.py": ("test_decide", "test_catch_up", *_ENGINE, "test_seen_on_chain", "test_causes"),
    "payout/drive.py": ("test_drive",),
    "payout/engine.py": ("test_engine", *_ENGINE),
    "payout/evidence.py": ("test_decide", *_ENGINE),
    "payout/fee_limits.py": ("test_decide", "test_ledger_lanes", *_ENGINE),
    "payout/lanes.py": ("test_lanes",),
    "payout/outcomes.py": ("test_decide", "test_payouts", "test_report", "test_causes"),
    "payout/terms.py": ("test_engine", "test_decide", "test_config", "test_payouts"),
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
_PAIRS = "return dict(zip(keys, block.stored([key for key in keys.values() if key]), strict=True))"
ACCEPTED: dict[str, dict[tuple[str, str], str]] = {
    _RULES: {
        (
            "later = first_copy(case.part, nonce) < first_copy(rival, nonce)",
            "later = first_copy(case.part, nonce) <= first_copy(rival, nonce)",
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
    "chain/paid.py": {(_PAIRS, _PAIRS.replace("True", "False")): "each key has one value"},
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


def _change(file: str, source: str) -> None:
    """Change a loaded module where it is: what others have imported from it must change too."""
    module = sys.modules[f"staking_gateway.{file.removesuffix('.py').replace('/', '.')}"]
    before = dict(vars(module))
    for node in ast.parse(source).body:  # one by one, so that constants are made of the classes that others know
        exec(compile(ast.Module([node], []), str(_PACKAGE / file), "exec"), vars(module))
        name = getattr(node, "name", "")
        if isinstance(before.get(name), (type, FunctionType)):
            _become(before[name], vars(module)[name])
            setattr(module, name, before[name])
    for key, old in before.items():
        new = vars(module)[key]
        if new is old or key.startswith("__"):
            continue
        for other in list(sys.modules.values()):
            if getattr(other, "__dict__", {}).get(key) is old:
                setattr(other, key, new)


def _become(old: Any, new: Any) -> None:
    """Give a function or a class the code and the values of its new version."""
    if isinstance(old, FunctionType):
        old.__code__, old.__defaults__, old.__kwdefaults__ = new.__code__, new.__defaults__, new.__kwdefaults__
        return
    for key, fresh in vars(new).items():
        was, now = _function(vars(old).get(key)), _function(fresh)
        if isinstance(was, FunctionType) and len(was.__code__.co_freevars) == len(now.__code__.co_freevars):
            _become(was, now)
        elif isinstance(fresh, (int, float)):
            setattr(old, key, fresh)


def _function(attribute: Any) -> Any:
    """The function in a property or a class method."""
    for name in ("func", "fget", "__func__"):
        attribute = getattr(attribute, name, attribute)
    return attribute


class _Trial:
    """Tests in a copy of this process, of a changed module."""

    def __init__(self, mutant: Mutant, run: Callable[[str], bool]) -> None:
        self.mutant, self.ends = mutant, time.monotonic() + _MOST_SECONDS
        self.pid = os.fork()
        if self.pid == 0:
            status = 1
            try:
                os.setpgid(0, 0)
                resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
                resource.setrlimit(resource.RLIMIT_AS, (_BYTES, _BYTES))
                with Path(os.devnull).open("w") as nothing, redirect_stdout(nothing), redirect_stderr(nothing):
                    _change(mutant.file, mutant.source)
                    status = not run(mutant.file)
            finally:
                os._exit(status)
        self.process = os.pidfd_open(self.pid)

    def survived(self) -> bool:
        """Whether all tests passed. The trial has ended, or its time is over."""
        if not select.select([self.process], [], [], 0)[0]:
            os.kill(self.pid, signal.SIGKILL)
        _, status = os.waitpid(self.pid, 0)
        os.close(self.process)
        return status == 0


class _Trials:
    """A plugin of pytest: instead of running the collected tests once, it tries the changes with them.

    The tests first run in this process, on modules that were changed into what they were: they must pass, and what they load is there for
    each trial.
    """

    def __init__(self, chosen: Sequence[Mutant], jobs: int) -> None:
        self._waiting, self._jobs, self._output = list(reversed(chosen)), jobs, sys.stdout
        self.tried, self.survivors = Counter[str](), list[Mutant]()

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        def run(items: Sequence[pytest.Item]) -> bool:
            for item, following in zip(items, [*items[1:], None], strict=True):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                if session.testsfailed:
                    return False
            return True

        def judge(file: str) -> bool:
            names = [Path(test).stem for test in _tests(file)]
            judges = [item for item in session.items if item.path.stem in names]
            return run(sorted(judges, key=lambda item: names.index(item.path.stem)))

        for file in dict.fromkeys(mutant.file for mutant in self._waiting):
            _change(file, (_PACKAGE / file).read_text())
        if not run(session.items):
            return True
        running = list[_Trial]()
        while self._waiting or running:
            while self._waiting and len(running) < self._jobs:
                running.append(_Trial(self._waiting.pop(), judge))
            for trial in _wait(running):
                running.remove(trial)
                self._note(trial.mutant, trial.survived())
        return True

    def _note(self, mutant: Mutant, survives: bool) -> None:
        self.tried[mutant.file] += 1
        if survives:
            self.survivors.append(mutant)
            lines = [f"survives: {mutant.file}, {mutant.operator}", *mutant.difference, ""]
            self._output.write("\n".join(lines))
            self._output.flush()


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
    tests = dict.fromkeys(test for mutant in chosen for test in _tests(mutant.file))
    trials = _Trials(chosen, options.jobs)
    output = io.StringIO()
    with redirect_stdout(output):
        failed = pytest.main(["-q", "-p", "no:cacheprovider", "--capture=no", *tests], [trials])
    if failed or trials.tried.total() < len(chosen):
        sys.exit(f"the tests fail without a change:\n{output.getvalue()}")
    return _report(trials.tried, trials.survivors, time.monotonic() - began)


def _report(tried: Counter[str], survivors: Sequence[Mutant], seconds: float) -> int:
    """Print the counts; 1 when a change survives that is not accepted."""
    left = Counter(mutant.file for mutant in survivors if not mutant.is_accepted)
    for file, count in sorted(tried.items()):
        sys.stdout.write(f"  {file:28} {count:4} changes, {left[file]:3} survive\n")
    accepted = len(survivors) - left.total()
    sys.stdout.write(
        f"{tried.total()} changes in {seconds:.0f} s, {left.total()} survive, and {accepted} that break no promise\n"
    )
    if left:
        sys.stdout.write(
            "A change that nothing finds: write its test, delete what it changes, or accept it with a reason.\n"
        )
    return int(bool(left))


if __name__ == "__main__":
    sys.exit(main())
