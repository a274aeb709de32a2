"""The generated parts of the pages: what commands, connections, views, rights, assumptions and topics say of themselves."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from staking_gateway.ledger.views import VIEWS
from staking_gateway.payout.outcomes import Outcome
from staking_gateway.problem import Topic
from staking_gateway_provider.cli import get_commands
from staking_gateway_provider.extras import PostgresExtras
from staking_gateway_provider.get_provider_info import get_provider_info
from tests.airflow.rights import BUTTONS, RIGHTS, ROLES
from tests.proof.explore.catalogue import ASSUMPTIONS
from tests.proof.explore.search import ENDLESS, NOT_EXECUTED, NOT_FINAL, TWICE, UNPAID

if TYPE_CHECKING:
    from collections.abc import Iterator

    from staking_gateway.ledger.describe import Column

_COMMON = {"--network", "--ledger-conn-id", "--output", "--verbose", "--yes"}
"""Options that the page explains once."""
_FAILED = "the command failed; the last line says why"
"""The usual meaning of the exit status 1."""
_EFFECTS = {
    TWICE: "paid twice",
    NOT_EXECUTED: "green but not executed",
    UNPAID: "green but unpaid",
    NOT_FINAL: "green before it is final",
    ENDLESS: "never ends",
}
"""A broken promise, to its effect on an era."""


def parts() -> dict[str, str]:
    """Name of a part to its text."""
    (staking,) = get_commands()
    commands = "\n\n".join(_sections(staking, staking.name, {}))
    return {"commands": commands, "rights": _rights(), "assumptions": _assumptions(), **_extras(), **_views()}


def _sections(command: Any, path: str, known: dict[tuple[str, str], str]) -> Iterator[str]:
    """A section for the command, or for each command below it.

    :param path: its words.
    :param known: an option and its help, to the command that explains them first.
    """
    below = [one for argument in command.args for one in getattr(argument, "commands", ())]
    for one in below:
        yield from _sections(one, f"{path} {one.name}", known)
    if not below:
        examples, statuses = command.epilog.split("\n\n")
        zero, one = re.findall(r"^  [01]  (.+)$", statuses, re.MULTILINE)
        status = f"Status 0: {zero}" + (f"; 1: {one}." if one != _FAILED else ".")
        options = []
        again: dict[str, list[str]] = {}
        for argument in command.args:
            flag, text = argument.flags[-1], argument.kwargs.get("help", "")
            first = known.setdefault((flag, text), command.name)
            if flag not in _COMMON and first == command.name:
                options.append(f"- `{flag}`: {text.partition('; by default')[0]}")
            elif flag not in _COMMON:
                again.setdefault(first, []).append(f"`{flag}`")
        options += [f"- {', '.join(flags)}: see `{first}`" for first, flags in again.items()]
        given = [line.strip() for line in examples.splitlines()[1:]]
        shown = min([line for line in given if line != f"airflow {path}"] or given, key=len)
        parts = [f"### {path.removeprefix('staking ')}", f"{command.help}. {status}", f"`{shown}`", "\n".join(options)]
        yield "\n\n".join(part for part in parts if part)


def _extras() -> dict[str, str]:
    """Those of the ledger are only names, because libpq defines them. Equal extras are described once."""
    made = {"extras_ledger": ", ".join(f"`{extra}`" for extra in PostgresExtras.model_fields)}
    seen: set[tuple[str, str]] = set()
    for form in get_provider_info()["connection-types"]:
        fields = {extra: field["description"] for extra, field in form["conn-fields"].items()}
        lines = [
            f"- `{name}`" + (": as above" if (name, text) in seen else f": {text}") for name, text in fields.items()
        ]
        made[f"extras_{form['hook-class-name'].split('.')[-2]}"] = "\n".join(lines)
        seen |= set(fields.items())
    return made


def _views() -> dict[str, str]:
    """The columns of each view. A scaled amount has no row of its own, and neither have network and era."""
    alone = ("network", "era")
    return {
        name: "\n".join(_column(one) for one in view.columns if one.kind.name != "SCALED" and one.name not in alone)
        for name, view in VIEWS.items()
    }


def _column(column: Column) -> str:
    """Other columns are NULL while their meaning has no answer; a column without a type is text."""
    kind = "" if column.kind.name == "TEXT" else f" ({column.kind.name.lower()})"
    null = f". NULL: {column.null}" if column.null and column.kind.name in ("AMOUNT", "SECONDS") else ""
    return f"- `{column.name}`{kind}: {column.meaning}{null}"


def _rights() -> str:
    """A line for the people with the same rights."""
    actions: dict[str, list[str]] = {}
    for action, people in {
        **{right.action: right.people for right in RIGHTS},
        **{action: who for action, (_, who) in BUTTONS.items()},
    }.items():
        everybody = people == frozenset(ROLES)
        named = "all who have logged in" if everybody else ", ".join(role for role in ROLES if role in people)
        actions.setdefault(named, []).append(action)
    return "\n".join(f"- {who}: {'; '.join(done)}" for who, done in actions.items())


def _assumptions() -> str:
    """Each assumption, with what can happen to an era without it."""
    return "\n".join(
        f"- **{one.title}** {one.why} *Without it: {', '.join(_EFFECTS[promise] for promise in sorted(one.broken))}.*"
        for one in ASSUMPTIONS
    )


def with_topics(text: str) -> str:
    """The runbook, with each topic's heading and, in the paragraph below it, its remedy."""
    for topic in Topic:
        outcome = next((f"{one.value}: " for one in Outcome if one.value.lower() == topic.anchor), "")
        section = rf"^### [^\n]*{{#{topic.anchor}}}\n\n[^\n]*\n"
        made = f"### {outcome}{topic.heading} {{#{topic.anchor}}}\n\n**{topic.remedy}.**\n"
        text = re.sub(section, lambda _, made=made: made, text, count=1, flags=re.MULTILINE)
    return text
