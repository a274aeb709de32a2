"""Who may do what on the Staking page, from the list that a test tries with each role."""

from __future__ import annotations

from docs.tools.tables import table
from tests.airflow.rights import BUTTONS, RIGHTS, ROLES


def part() -> str:
    """The table: a row for the people with the same rights."""
    actions: dict[str, list[str]] = {}
    people = {right.action: right.people for right in RIGHTS} | {action: who for action, (_, who) in BUTTONS.items()}
    for action, who in people.items():
        named = (
            "all who have logged in" if who == frozenset(ROLES) else ", ".join(role for role in ROLES if role in who)
        )
        actions.setdefault(named, []).append(action)
    return table(["Role", "May on the Staking page"], [(who, "; ".join(done)) for who, done in actions.items()])
