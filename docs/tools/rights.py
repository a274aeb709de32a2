"""Who may do what on the Staking page, from the list that a test tries with each role."""

from __future__ import annotations

from docs.tools.tables import table
from tests.airflow.rights import ANYBODY, BUTTONS, RIGHTS, ROLES


def part() -> str:
    people = {right.action: right.people for right in RIGHTS} | {action: who for action, (_, who) in BUTTONS.items()}
    return table(
        ["On the Staking page", ANYBODY, *ROLES],
        [(action, "-", *("yes" if person in who else "-" for person in ROLES)) for action, who in people.items()],
    )
