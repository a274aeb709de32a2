"""What the explorer reaches: the rules that decide, the outcomes they name and the holds they write.

The names come from `payout/decide.py` itself. Its docstring numbers the rules. A line that returns an action names its rule in a comment
(`# 6`); the other lines of a function belong to the rule that begins its docstring (`Rule 6:`).
"""

from __future__ import annotations

import ast
import inspect
import re
from types import ModuleType
from typing import TYPE_CHECKING, Any

from staking_gateway.payout import decide as rules
from staking_gateway.payout.evidence import Ask, Done, Move
from staking_gateway.payout.outcomes import Hold, Wait

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.proof.explore.search import Verdict

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


def _tag(node: ast.stmt) -> int | None:
    """The rule that the comment of a statement's last line names."""
    found = _TAG.search(_LINES[(node.end_lineno or node.lineno) - 1])
    return int(found[1]) if found else None


class _Noting(ast.NodeTransformer):
    """Each return of a rule notes the rule and the value."""

    _rule: int | None = None

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        begins = re.match(r"Rule (\d+):", ast.get_docstring(node) or "")
        self._rule = int(begins[1]) if begins else None
        return self.generic_visit(node)

    def visit_Return(self, node: ast.Return) -> ast.AST:
        rule = _tag(node) or self._rule
        if rule is not None and node.value is not None:
            node.value = ast.Call(ast.Name("_note", ast.Load()), [ast.Constant(rule), node.value], [])
        return node


class _Off(ast.NodeTransformer):
    """The returns of one rule do nothing."""

    def __init__(self, rule: int) -> None:
        self._rule = rule

    def visit_Return(self, node: ast.Return) -> ast.AST:
        return ast.copy_location(ast.Pass(), node) if _tag(node) == self._rule else node


def _changed(change: ast.NodeTransformer, **names: Any) -> Any:
    """`decide` of a changed copy of its module."""
    module = ModuleType(rules.__name__)
    vars(module).update(names)
    exec(compile(ast.fix_missing_locations(change.visit(ast.parse(_SOURCE))), "decide", "exec"), vars(module))
    return module.decide


_notes: list[tuple[int, Any]] = []


def _note(rule: int, value: Any) -> Any:
    _notes.append((rule, value))
    return value


_HONEST, _NOTED = rules.decide, _changed(_Noting(), _note=_note)


def watched(*given: Any) -> tuple[Any, set[str]]:
    """The action of `decide`, and what it reaches: the rules through which the action returned, its outcome and its hold."""
    if rules.decide is not _HONEST:
        return rules.decide(*given), set()
    _notes.clear()
    action = _NOTED(*given)
    if isinstance(action, Ask):
        return action, set()
    return action, {f"rule {rule}" for rule, value in _notes if value is action} | set(_named(action))


def without(rule: int) -> Any:
    """`decide` with a rule switched off: no line that names the rule returns an action."""
    return _changed(_Off(rule))


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
