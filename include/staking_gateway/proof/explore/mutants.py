"""`python -m staking_gateway.proof.explore.mutants`: change the rules one at a time, and see each change found.

Every condition of the pure modules of the payout engine is turned on and off, every comparison is moved by one, and every fact that a
write sets is left out. A mutant is killed by the unit tests of the rules or by the exhaustive check. What survives both must be listed in
`courtesy.txt` with its reason: it changes how many calls or signatures are made, or the words, and no promise.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

import staking_gateway

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_PACKAGE = Path(staking_gateway.__file__).parent
_MUTATED = ("payout/decide.py", "payout/lanes.py", "payout/fee_limits.py")
_COURTESY = Path(__file__).with_name("courtesy.txt")
_MOVED = {ast.LtE: "<", ast.Lt: "<=", ast.Gt: ">=", ast.GtE: ">"}
_FIRST = ("test_decide", "test_ledger_lanes")
_THEN = ("test_payouts", "test_settlement", "test_failed_payloads", "test_engine_paths")


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


def courtesies() -> dict[str, str]:
    """Mutants that break no promise: name to reason."""
    lines = _COURTESY.read_text().splitlines() if _COURTESY.exists() else []
    pairs = [line.partition(" || ") for line in lines if line and not line.startswith("#")]
    return {name: reason for name, _, reason in pairs}


def _kill(mutant: Mutant, seconds: float) -> str:
    """What finds a mutant: `explore`, `unit tests` or nothing."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "staking_gateway"
        shutil.copytree(_PACKAGE, tree, ignore=shutil.ignore_patterns("__pycache__"))
        source = (_PACKAGE / mutant.file).read_bytes()
        (tree / mutant.file).write_bytes(source[: mutant.start] + mutant.text.encode() + source[mutant.end :])
        environment = {**os.environ, "PYTHONPATH": folder, "PYTHONDONTWRITEBYTECODE": "1"}
        explored = [sys.executable, "-m", "staking_gateway.proof.explore.mutants", "--judge", str(seconds)]
        for by, command in (("unit tests", _pytest(_FIRST)), ("explore", explored), ("unit tests", _pytest(_THEN))):
            if command is None:
                continue
            try:
                ended = subprocess.run(  # noqa: S603 - this program itself
                    command, env=environment, capture_output=True, timeout=seconds + 240, check=False
                )
            except subprocess.TimeoutExpired:
                return by
            if ended.returncode:
                return by
    return "nothing"


def _pytest(names: Sequence[str]) -> list[str] | None:
    """The command that runs some unit tests; None where there are none."""
    files = [f"tests/unit/{name}.py" for name in names if Path(f"tests/unit/{name}.py").exists()]
    return [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *files] if files else None


def judge(seconds: float) -> int:
    """Explore with the rules that are there, quickest scenarios first; 1 when a promise breaks."""
    from staking_gateway.proof.explore.catalogue import killers
    from staking_gateway.proof.explore.search import explore

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
    parser = argparse.ArgumentParser(prog="python -m staking_gateway.proof.explore.mutants", description=__doc__)
    parser.add_argument("--count", type=int, metavar="N", help="only so many, drawn with --seed")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the draw (default: 1)")
    parser.add_argument("--only", default="", metavar="TEXT", help="only those whose name holds this text")
    parser.add_argument(
        "--seconds", type=float, default=30.0, metavar="N", help="of exploring for one mutant (default: 30)"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="side by side")
    parser.add_argument("--judge", type=float, metavar="N", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.judge is not None:
        return judge(options.judge)
    chosen = [mutant for mutant in mutants() if options.only in mutant.name]
    if options.count is not None and options.count < len(chosen):
        chosen = random.Random(options.seed).sample(chosen, options.count)  # noqa: S311 - has to be repeatable
    return _report(Console(), chosen, options.seconds, options.jobs)


def _report(console: Console, chosen: Sequence[Mutant], seconds: float, jobs: int) -> int:
    """Try to kill each mutant, and tell what found it; 1 when one survives that is no courtesy."""
    known = courtesies()
    found: Counter[str] = Counter()
    survivors, stale = [], []
    table = Table("mutant", "found by", title="Changed rules", title_justify="left")
    with ThreadPoolExecutor(jobs) as threads:
        for mutant, killer in zip(chosen, threads.map(lambda one: _kill(one, seconds), chosen), strict=True):
            by = killer
            if by == "nothing" and mutant.name in known:
                by = f"courtesy: {known[mutant.name]}"
            elif by == "nothing":
                survivors.append(mutant.name)
            elif mutant.name in known:
                stale.append(mutant.name)
            found[by.partition(":")[0]] += 1
            table.add_row(mutant.name, by)
            if not console.is_terminal:
                sys.stdout.write(f"{by:12} {mutant.name}\n")
                sys.stdout.flush()
    if console.is_terminal:
        console.print(table)
    told = ", ".join(f"{count} by {by}" for by, count in found.items())
    console.print(f"{len(chosen)} mutants of {len(mutants())}: {told}")
    for name in survivors:
        console.print(f"[red]survives[/red] {name}", soft_wrap=True)
    for name in stale:
        console.print(f"listed as courtesy, but found: {name}", markup=False, soft_wrap=True)
    return int(bool(survivors))


if __name__ == "__main__":
    sys.exit(main())
