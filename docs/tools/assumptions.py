"""The page of assumptions, from the list that the explorer checks."""

from __future__ import annotations

from docs.tools.tables import table
from tests.proof.explore.catalogue import (
    ASSUMPTIONS,
    COUNTED,
    ENDLESS,
    NOT_EXECUTED,
    SHARED,
    TWICE,
    UNPAID,
)

_HEAD = """# What the promise rests on

Each era is executed at most once. No green era is unpaid. Every era comes to its end once faults stop. These promises hold under the
following assumptions. `make explore` checks this in every state of the payout engine within bounds, and drops each assumption in turn.

"""
_RESULTS = {
    TWICE: "paid twice",
    NOT_EXECUTED: "green but not executed",
    UNPAID: "green but unpaid",
    ENDLESS: "never ends",
    COUNTED: "a fee counted by mistake",
    SHARED: "a nonce shared with another part",
}
"""A broken promise, to its effect on an era."""


def page() -> str:
    return _HEAD + table(
        ["Assumption", "Possible effect on an era without it"],
        [
            (
                f"**{assumption.title}** {assumption.why}",
                ", ".join(_RESULTS[promise] for promise in sorted(assumption.broken)),
            )
            for assumption in ASSUMPTIONS
        ],
    )
