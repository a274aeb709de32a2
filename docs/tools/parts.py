"""The generated parts of the pages: what commands, connections, views, rights, assumptions and topics say of themselves."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from staking_gateway.ledger.views import VIEWS
from staking_gateway.payout.outcomes import Outcome
from staking_gateway.problem import Topic
from staking_gateway_provider.cli import COMMANDS, STATUSES, Command
from staking_gateway_provider.connections import PostgresExtras
from staking_gateway_provider.get_provider_info import get_provider_info
from tests.airflow.rights import BUTTONS, RIGHTS, ROLES
from tests.proof.explore.catalogue import ASSUMPTIONS
from tests.proof.explore.search import ENDLESS, NOT_EXECUTED, NOT_FINAL, TWICE, UNPAID

if TYPE_CHECKING:
    from staking_gateway.ledger.describe import Column

_COMMON = {"--network", "--ledger-conn-id", "--output", "--verbose", "--yes"}
"""Options that the page explains once."""
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
    commands = {"commands": "\n\n".join(map(_section, COMMANDS)), "statuses": _statuses()}
    return {**commands, "rights": _rights(), "assumptions": _assumptions(), **_extras(), **_views()}


def _section(command: Command) -> str:
    """What a command does, its examples and its options."""
    options = [
        f"- `{argument.flags[-1]}`: {argument.kwargs['help']}"
        for argument in command.args
        if argument.flags[-1] not in _COMMON
    ]
    shown = "\n".join(f"airflow staking {example}" for example in command.examples)
    parts = [f"### {command.name}", f"{command.help}.", f"```\n{shown}\n```", "\n".join(options)]
    return "\n\n".join(part for part in parts if part)


def _statuses() -> str:
    """The exit statuses of all commands, and what 0 and 1 mean for each."""
    lines = [f"- {status}: {meaning}" for status, meaning in STATUSES.items()]
    rows = [f"| `{one.name}` | {one.zero} | {one.one} |" for one in COMMANDS]
    return "\n".join([*lines, "", "| command | status 0 | status 1 |", "|---|---|---|", *rows])


def _extras() -> dict[str, str]:
    """Those of the ledger are only names, because libpq defines them. Equal extras are described once."""
    made = {"extras_ledger": ", ".join(f"`{extra}`" for extra in PostgresExtras.model_fields)}
    seen: set[tuple[str, str]] = set()
    for form in get_provider_info()["connection-types"]:
        fields = {extra: field["description"] for extra, field in form["conn-fields"].items()}
        lines = [
            f"- `{name}`" + (": as above" if (name, text) in seen else f": {text}") for name, text in fields.items()
        ]
        made[f"extras_{form['connection-type'].removeprefix('staking')}"] = "\n".join(lines)
        seen |= set(fields.items())
    return made


def _views() -> dict[str, str]:
    """The columns of each view. A scaled amount has no row of its own, and neither have network and era."""
    alone = ("network", "era")
    return {
        name: "\n".join(_column(one) for one in view if one.kind.name != "SCALED" and one.name not in alone)
        for name, view in VIEWS.items()
    }


def _column(column: Column) -> str:
    """Other columns are NULL while their meaning has no answer; a column without a type is text."""
    kind = "" if column.kind.name == "TEXT" else f" ({column.kind.name.lower()})"
    return f"- `{column.name}`{kind}: {column.meaning}"


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
