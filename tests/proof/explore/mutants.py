"""`python -m tests.proof.explore.mutants`: change the rules one at a time, and see each change found.

Every condition of the pure modules of the payout engine is turned on and off, every comparison is moved by one, and every fact that a
write sets is left out. A mutant is killed by the unit tests of the rules or by the exhaustive check. What survives both must be listed in
`courtesy.txt` with its reason: it changes how many calls or signatures are made, or the words, and no promise.
"""

from __future__ import annotations

import argparse
import ast
import io
import multiprocessing
import os
import random
import signal
import sys
import time
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any

import pytest
from rich.console import Console
from rich.markup import escape
from rich.table import Table

import staking_gateway
from tests.proof.explore.catalogue import killers
from tests.proof.explore.search import explore

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_PACKAGE = Path(staking_gateway.__file__).parent
_MUTATED = ("payout/decide.py", "payout/lanes.py", "payout/fee_limits.py")
_COURTESY = Path(__file__).with_name("courtesy.txt")
_MOVED = {ast.LtE: "<", ast.Lt: "<=", ast.Gt: ">=", ast.GtE: ">"}
_FIRST = ("test_decide", "test_ledger_lanes", "test_chain_lanes")
_THEN = ("test_payouts", "test_settlement", "test_failed_payloads")


@dataclass(frozen=True)
class Mutant:
    """One change.

    :param name: function, what is changed, and into what; the same while that line is.
    :param start: where the changed text begins in the file; `end` where it ends.
    """

    name: str
    file: str
    start: int
    end: int
    text: str


def mutants() -> list[Mutant]:
    """Every mutant, in the order of the code."""
    return [mutant for file in _MUTATED for mutant in _of_file(file, (_PACKAGE / file).read_text())]


def _of_file(file: str, source: str) -> Iterator[Mutant]:
    starts = [0]
    for line in source.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    seen: Counter[str] = Counter()
    for function in ast.walk(ast.parse(source)):
        if not isinstance(function, ast.FunctionDef):
            continue
        for node in ast.walk(function):
            if not isinstance(node, (ast.stmt, ast.expr)):
                continue
            where = node.test if isinstance(node, (ast.If, ast.IfExp)) else node
            for what, text in _changes(node):
                name = f"{function.name}: {what}"
                seen[name] += 1
                name += f" ({seen[name]})" if seen[name] > 1 else ""
                start = starts[where.lineno - 1] + where.col_offset
                end = starts[(where.end_lineno or where.lineno) - 1] + (where.end_col_offset or 0)
                yield Mutant(name, file, start, end, text)


def _changes(node: ast.AST) -> Iterator[tuple[str, str]]:
    """What can be changed about a node: a description, and the new text."""
    if _is_for_people(node):
        return
    if isinstance(node, (ast.If, ast.IfExp)):
        test = ast.unparse(node.test)
        yield f"if {test} -> never", "False"
        yield f"if {test} -> always", "True"
    elif isinstance(node, ast.BoolOp):
        for left_out, value in enumerate(node.values):
            rest = [f"({ast.unparse(one)})" for number, one in enumerate(node.values) if number != left_out]
            joined = (" and " if isinstance(node.op, ast.And) else " or ").join(rest)
            yield f"without {ast.unparse(value)} in {ast.unparse(node)}", f"({joined})"
    elif isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _MOVED:
        left, right = ast.unparse(node.left), ast.unparse(node.comparators[0])
        moved = _MOVED[type(node.ops[0])]
        yield f"{ast.unparse(node)} -> {moved}", f"({left} {moved} {right})"
    elif isinstance(node, ast.Dict) and node.keys:
        for left_out, key in enumerate(node.keys):
            if isinstance(key, ast.Constant) and key.value not in ("reason", "tx_hash", "block_number"):
                rest = [
                    f"**({ast.unparse(value)})" if one is None else f"{ast.unparse(one)}: {ast.unparse(value)}"
                    for number, (one, value) in enumerate(zip(node.keys, node.values, strict=True))
                    if number != left_out
                ]
                yield f"without {key.value!r} in {ast.unparse(node)[:60]}", "{" + ", ".join(rest) + "}"


def _is_for_people(node: ast.AST) -> bool:
    """Whether a node only chooses words, or gives a missing value a default for the types."""
    if isinstance(node, ast.IfExp):
        return all(
            isinstance(one, (ast.JoinedStr, ast.Constant)) and not _is_number(one) for one in (node.body, node.orelse)
        )
    return isinstance(node, ast.BoolOp) and any(isinstance(one, ast.Constant) for one in node.values)


def _is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and not isinstance(node.value, str)


def courtesies() -> dict[str, str]:
    """Mutants that break no promise: name to reason."""
    lines = _COURTESY.read_text().splitlines() if _COURTESY.exists() else []
    pairs = [line.partition(" || ") for line in lines if line and not line.startswith("#")]
    return {name: reason for name, _, reason in pairs}


def apply(mutant: Mutant) -> None:
    """Change the rules of this process."""
    source = (_PACKAGE / mutant.file).read_bytes()
    text = source[: mutant.start] + mutant.text.encode() + source[mutant.end :]
    module = import_module(f"staking_gateway.{mutant.file.removesuffix('.py').replace('/', '.')}")
    changed: dict[str, Any] = {"__name__": module.__name__}
    exec(compile(text, mutant.file, "exec"), changed)
    _replace(vars(module), changed, module.__name__)


def _replace(old: Mapping[str, Any], new: Mapping[str, Any], module: str) -> None:
    """Give functions and methods their changed code, also where other modules have imported them."""
    for name, value in new.items():
        before = old.get(name)
        if isinstance(value, type) and value.__module__ == module:
            _replace(vars(before), vars(value), module)
            continue
        function, changed = getattr(before, "fget", before), getattr(value, "fget", value)
        if isinstance(changed, FunctionType) and isinstance(function, FunctionType) and function.__module__ == module:
            function.__code__ = changed.__code__


def _kill(mutant: Mutant, seconds: float) -> str:
    """What finds a mutant, in a process of its own: `unit tests`, `explore` or nothing."""
    with Path(os.devnull).open("w") as nothing, redirect_stdout(nothing), redirect_stderr(nothing):
        apply(mutant)
        for by, found in (
            ("unit tests", partial(_tested, _FIRST)),
            ("explore", partial(judge, seconds)),
            ("unit tests", partial(_tested, _THEN)),
        ):
            signal.alarm(int(seconds) + 120)
            try:
                if found():
                    return by
            except BaseException:  # noqa: BLE001 - whatever a changed rule leads to
                return by
            finally:
                signal.alarm(0)
    return "nothing"


def _tested(names: Sequence[str]) -> int:
    """Run some unit tests, where there are any; not 0 when one fails."""
    files = [f"tests/unit/{name}.py" for name in names if Path(f"tests/unit/{name}.py").exists()]
    return int(pytest.main(["-q", "-x", "-p", "no:cacheprovider", *files])) if files else 0


def judge(seconds: float) -> int:
    """Explore with the rules that are there, quickest scenarios first; 1 when a promise breaks."""
    ends = time.monotonic() + seconds
    for scenario in killers():
        left = ends - time.monotonic()
        if left <= 0:
            break
        if not explore(scenario, seconds=min(left, seconds / 3)).held:
            return 1
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    :returns: the exit status.
    """
    parser = argparse.ArgumentParser(prog="python -m tests.proof.explore.mutants", description=__doc__)
    parser.add_argument("--count", type=int, metavar="N", help="only so many, drawn with --seed")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the draw (default: 1)")
    parser.add_argument("--only", default="", metavar="TEXT", help="only those whose name holds this text")
    parser.add_argument(
        "--seconds", type=float, default=30.0, metavar="N", help="of exploring for one mutant (default: 30)"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="side by side")
    options = parser.parse_args(arguments)
    chosen = [mutant for mutant in mutants() if options.only in mutant.name]
    if options.count is not None and options.count < len(chosen):
        chosen = random.Random(options.seed).sample(chosen, options.count)
    return _report(Console(), chosen, options.seconds, options.jobs)


def _too_long(*_: object) -> None:
    raise TimeoutError


def _killers(chosen: Sequence[Mutant], seconds: float, jobs: int) -> Iterator[str]:
    """What finds each mutant. Each gets a copy of this process, which has imported everything."""
    signal.signal(signal.SIGALRM, _too_long)
    with redirect_stdout(io.StringIO()):
        pytest.main(["-q", "-p", "no:cacheprovider", "--collect-only", "tests/unit/test_decide.py"])
    with multiprocessing.get_context("fork").Pool(jobs, maxtasksperchild=1) as pool:
        yield from pool.imap(partial(_kill, seconds=seconds), chosen)


def _report(console: Console, chosen: Sequence[Mutant], seconds: float, jobs: int) -> int:
    """Try to kill each mutant, and tell what found it; 1 when one survives that is no courtesy."""
    known = courtesies()
    found: Counter[str] = Counter()
    survivors, stale = [], []
    table = Table("mutant", "found by", title="Changed rules", title_justify="left")
    for mutant, killer in zip(chosen, _killers(chosen, seconds, jobs), strict=True):
        by = killer
        if by == "nothing" and mutant.name in known:
            by = f"courtesy: {known[mutant.name]}"
        elif by == "nothing":
            survivors.append(mutant.name)
        elif mutant.name in known:
            stale.append(mutant.name)
        found[by.partition(":")[0]] += 1
        table.add_row(escape(mutant.name), escape(by))
        if not console.is_terminal:
            sys.stdout.write(f"{by:12} {mutant.name}\n")
            sys.stdout.flush()
    if console.is_terminal:
        console.print(table)
    told = ", ".join(f"{count} by {by}" for by, count in found.items())
    console.print(f"{len(chosen)} mutants of {len(mutants())}: {told}")
    for name in survivors:
        console.print(f"[red]survives[/red] {escape(name)}", soft_wrap=True)
    for name in stale:
        console.print(f"listed as courtesy, but found: {name}", markup=False, soft_wrap=True)
    return int(bool(survivors))


if __name__ == "__main__":
    sys.exit(main())
