"""The page of assumptions, from the list the explorer checks."""

from __future__ import annotations

from docs.tools.tables import table
from staking_gateway_simulator.explore.catalogue import ASSUMPTIONS

_HEAD = """# What the promise rests on

Each era is executed at most once. No green era is unpaid. Every era comes to its end once faults stop. These promises hold while the
assumptions below hold. `make explore` checks this in every state of the payout engine within bounds, and drops each assumption in turn.

"""


def page() -> str:
    return _HEAD + table(
        ["Assumption", "Without it"],
        [
            (f"**{assumption.title}** {assumption.why}", "; ".join(sorted(assumption.broken)))
            for assumption in ASSUMPTIONS
        ],
    )
