"""What the explorer reaches: the rules that decide, the outcomes they name and the holds they write; and decisions with a rule changed.

The names come from `payout/decide.py` itself. Its docstring numbers the rules. A line that returns an action names its rule in a comment
(`# 6`); the other lines of a function belong to the rule that begins its docstring (`Rule 6:`).
"""

import ast
import inspect
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from staking_gateway.payout import decide as rules
from staking_gateway.payout.evidence import Ask, Done, Move
from staking_gateway.payout.outcomes import Hold, Wait

_SOURCE = inspect.getsource(rules)
_TAG = re.compile(r"  # ([\d, ]+)$")
_BEGINS = re.compile(r"Rule (\d+)\b")


def serves() -> dict[int, str]:
    """Each numbered rule, with what it serves: S(afety), L(iveness) or C(ourtesy)."""
    found = re.findall(r"^(\d+)\. +([SLC]) ", rules.__doc__ or "", re.MULTILINE)
    return {int(number): kind for number, kind in found}


def wanted() -> list[str]:
    """Everything that some scenario must reach."""
    outcomes, holds = (sorted(set(re.findall(rf"\b{name}\.([A-Z_]+)\b", _SOURCE))) for name in ("Outcome", "Hold"))
    return [
        *(f"rule {number}" for number in sorted(serves())),
        *(f"outcome {name}" for name in outcomes),
        *(f"hold {name}" for name in holds),
    ]


class _Noting(ast.NodeTransformer):
    """Each return of a rule notes the rule and the value."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._rule: str | None = None

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        begins = _BEGINS.match(ast.get_docstring(node) or "")
        self._rule = begins[1] if begins else None
        return self.generic_visit(node)

    def visit_Return(self, node: ast.Return) -> ast.AST:
        found = next(
            (
                tag[1]
                for line in range(node.lineno - 1, node.end_lineno or 0)
                if (tag := _TAG.search(self._lines[line]))
            ),
            self._rule,
        )
        if found is not None and node.value is not None:
            node.value = ast.Call(ast.Name("_note", ast.Load()), [ast.Constant(found), node.value], [])
        return node


class Rules:
    """The decision, with what it reaches.

    :param old: a text of the source of `payout/decide.py` that is replaced by `new`; empty: the decision as it is.
    """

    def __init__(self, old: str = "", new: str = "") -> None:
        if old and _SOURCE.count(old) != 1:
            raise ValueError(f"{old!r} occurs {_SOURCE.count(old)} times in payout/decide.py")
        source = _SOURCE.replace(old, new) if old else _SOURCE
        module = ModuleType(rules.__name__)
        self._notes: list[tuple[str, Any]] = []
        vars(module)["_note"] = self._note
        tree = _Noting(source.splitlines()).visit(ast.parse(source))
        exec(compile(ast.fix_missing_locations(tree), "decide", "exec"), vars(module))
        self._decide, self._after_send = module.decide, module.after_send

    def _note(self, rule: str, value: Any) -> Any:
        self._notes.append((rule, value))
        return value

    def decide(self, *given: Any) -> tuple[Any, set[str]]:
        """The action, and what it reaches: the rules through which it returned, its outcome and its hold."""
        self._notes.clear()
        action = self._decide(*given)
        if isinstance(action, Ask):
            return action, set()
        reached = {f"rule {number}" for rule, value in self._notes if value is action for number in rule.split(", ")}
        return action, reached | set(_named(action))

    def after_send(self, *given: Any) -> tuple[Any, set[str]]:
        """What the answer to a send makes of the part."""
        action = self._after_send(*given)
        return action, set(_named(action))


def outcome_of(action: Any) -> str:
    """The outcome that an action names, or an empty text."""
    then = action.then if isinstance(action, Move) else action
    named = then.outcome if isinstance(then, Done) else then.abandoned if isinstance(then, Wait) else None
    return named.value if named else ""


def _named(action: Any) -> Iterator[str]:
    """The outcome and the hold of an action."""
    if outcome := outcome_of(action):
        yield f"outcome {outcome}"
    if isinstance(action, Move) and (hold := action.changes.get("hold")) is not None:
        yield f"hold {Hold(hold).name}"
