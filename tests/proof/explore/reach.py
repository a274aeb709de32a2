"""What the explorer reaches: the rules that decide, the outcomes they name and the holds they write.

The names come from `payout/decide.py` itself. Its docstring numbers the rules. A line that returns an action names its rule in a comment
(`# 6`); the other lines of a function belong to the rule that begins its docstring (`Rule 6:`).
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

from staking_gateway.payout import decide as rules
from staking_gateway.payout.evidence import Ask, Done, Move
from staking_gateway.payout.outcomes import Hold, Wait

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.proof.explore.search import Verdict

_FILE = rules.decide.__code__.co_filename
_SOURCE = inspect.getsource(rules)
_LINES = _SOURCE.splitlines()
_TAG = re.compile(r"  # (\d+)$")


def serves() -> dict[int, str]:
    """Each numbered rule, with what it serves: S(afety), L(iveness) or C(ourtesy)."""
    found = re.findall(r"^(\d+)\. +([SLC])  ", rules.__doc__ or "", re.MULTILINE)
    return {int(number): kind for number, kind in found}


def wanted() -> list[str]:
    """Everything that some scenario must reach."""
    outcomes, holds = (sorted(set(re.findall(rf"\b{name}\.([A-Z_]+)\b", _SOURCE))) for name in ("Outcome", "Hold"))
    return [
        *(f"rule {number}" for number in sorted(serves())),
        *(f"outcome {name}" for name in outcomes),
        *(f"hold {name}" for name in holds),
    ]


def missing(verdicts: Sequence[Verdict]) -> list[str]:
    """What no scenario reaches."""
    reached = {name for verdict in verdicts for name in verdict.reached}
    return [name for name in wanted() if name not in reached]


@cache
def _rule_at(code: Any, line: int) -> int | None:
    """The rule of a line that returns an action."""
    tag = _TAG.search(_LINES[line - 1])
    begins = re.match(r"Rule (\d+):", code.co_consts[0]) if isinstance(code.co_consts[0], str) else None
    found = tag or begins
    return int(found[1]) if found else None


def watched(*given: Any) -> tuple[Any, set[str]]:
    """The action of `decide`, and what it reaches.

    The rules are those of the functions through which the action returned.
    """
    returned: list[tuple[Any, Any, int]] = []

    def note(frame: Any, event: str, value: Any) -> None:
        if event == "return" and value is not None and frame.f_code.co_filename == _FILE:
            returned.append((value, frame.f_code, frame.f_lineno))

    sys.setprofile(note)
    try:
        action = rules.decide(*given)
    finally:
        sys.setprofile(None)
    if isinstance(action, Ask):
        return action, set()
    numbers = {_rule_at(code, line) for value, code, line in returned if value is action}
    return action, {f"rule {number}" for number in numbers if number is not None} | set(_named(action))


def _named(action: Any) -> Iterator[str]:
    """The outcome and the hold of an action."""
    if isinstance(action, Done):
        yield f"outcome {action.outcome.name}"
    elif isinstance(action, Wait):
        yield f"outcome {action.abandoned.name}"
    elif isinstance(action, Move):
        hold = action.changes.get("hold")
        if hold is not None:
            yield f"hold {Hold(hold).name}"
        if action.then is not None:
            yield from _named(action.then)


def without(rule: int) -> Any:
    """`decide` with a rule switched off: no line that names the rule returns an action."""
    tree = ast.parse(_SOURCE)

    class Off(ast.NodeTransformer):
        def visit_Return(self, node: ast.Return) -> ast.stmt:
            tag = _TAG.search(_LINES[(node.end_lineno or node.lineno) - 1])
            return ast.copy_location(ast.Pass(), node) if tag and int(tag[1]) == rule else node

    module = ModuleType(rules.__name__)
    sys.modules.setdefault(module.__name__, module)
    exec(compile(ast.fix_missing_locations(Off().visit(tree)), "a rule switched off", "exec"), vars(module))
    return module.decide
