"""`airflow staking doctor`: checks of the set-up, with remedies."""

from __future__ import annotations

from argparse import Namespace
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from airflow.models.dag import DagModel
from airflow.utils.session import create_session
from sqlalchemy import update

from staking_gateway.ledger import schema_state, upgrade_schema
from staking_gateway.problem import Level, Problem
from staking_gateway.text import count
from staking_gateway_provider.commands.output import agreed, report_errors, show, tell, working
from staking_gateway_provider.doctor.case import Installation
from staking_gateway_provider.doctor.examine import WORDS, Line, examine
from staking_gateway_provider.networks import ledger_url


@report_errors
def doctor(arguments: Namespace) -> None:
    """`airflow staking doctor`: run all checks, and list the problems, root cause first; status 1 when there is an error."""
    lines = _examine(arguments)
    if arguments.fix and _do_safe_steps(lines, arguments):
        lines = _examine(arguments)
    problems = [line for line in lines if line.level is not Level.OK]
    listed = [line.as_dict() for line in (lines if arguments.all else problems)]
    rows = [_row(line, arguments.output) for line in listed]
    show(arguments.output, listed, *([rows] if rows else ()), _summary(problems))
    if any(line.level is Level.DANGER for line in lines):
        raise SystemExit(1)


def _examine(arguments: Namespace) -> list[Line]:
    return examine(Installation(arguments.network), lambda name: working(f"Checking: {name}"))


# --- safe steps: idempotent, and none of them pays -----------------------------------------------------------------------------


def _do_safe_steps(lines: Sequence[Line], arguments: Namespace) -> bool:
    """Name each safe step, ask, and do it. Returns whether one was done.

    :raises InvalidInput: there is no terminal to ask in.
    """
    actions = [line.said.action for line in lines if isinstance(line.said, Problem) and line.said.action is not None]
    steps = {words: action for action in actions if (words := _words(action)) is not None}
    if not steps:
        tell("No problem has a safe step.")
    done = False
    for words, action in steps.items():
        tell(f"Step: {words}")
        if arguments.yes or agreed("Do this step?"):
            _do(action)
            tell("Done.")
            done = True
    return done


def _words(action: Mapping[str, Any]) -> str | None:
    if action["kind"] == "create_ledger":
        return f"Create the ledger {schema_state(ledger_url()).ledger}"
    if action["kind"] == "unpause":
        return f"Unpause the DAG {action['dag_id']}; its scheduled runs then start"
    return None


def _do(action: Mapping[str, Any]) -> None:
    if action["kind"] == "create_ledger":
        upgrade_schema(ledger_url())
        return
    with create_session() as session:
        session.execute(update(DagModel).where(DagModel.dag_id == action["dag_id"]).values(is_paused=False))


# --- output ------------------------------------------------------------------------------------------------------------------


def _row(line: Mapping[str, Any], output: str) -> dict[str, object]:
    row: dict[str, object] = {name: line[name] or "" for name in ("level", "network", "check")}
    if output == "plain":
        return {
            **row,
            "finding": line["what"],
            "what to do": line["remedy"],
            "blocks": line["blocks"],
            "help": line["help"],
        }
    texts = {"": "what", "blocks ": "blocks", "-> ": "remedy", "Help: ": "help"}
    return {**row, "finding": [f"{start}{line[name]}" for start, name in texts.items() if line[name]]}


def _summary(problems: Sequence[Line]) -> str:
    if not problems:
        return "Healthy: nothing to do."
    counts = Counter(WORDS[line.level] for line in problems)
    told = [count(counts[word], word) for word in ("error", "warning") if counts[word]]
    advice = " Fix the first error first: later errors may follow from it." if counts["error"] else ""
    return f"{' and '.join(told)}.{advice}"
