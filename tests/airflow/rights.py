"""Who may do what on the Staking page, with the roles of Airflow's simple auth manager. `make docs` writes the table into docs/security.md."""

from typing import NamedTuple

ANYBODY = "not logged in"
"""Somebody without a log-in, who may do nothing."""
ROLES = {"no role": None, "viewer": "viewer", "user": "user", "op": "op", "admin": "admin"}
"""Logged-in people, and their role."""


class Right(NamedTuple):
    """One thing to do on the page.

    :param action: the thing, for the documentation.
    :param method: the HTTP method of its request.
    :param path: the path of its request; `{network}` stands for the network, `{era}` for an era.
    :param people: who may do it; all others are refused.
    """

    action: str
    method: str
    path: str
    people: frozenset[str]


_READERS = frozenset({"viewer", "user", "op", "admin"})
_ACTORS = _READERS - {"viewer"}
RIGHTS = (
    Right("load the page without data", "GET", "/", frozenset(ROLES)),
    Right("read the runbook", "GET", "/help", frozenset(ROLES)),
    Right("see a network", "GET", "/api/networks/{network}/overview", _READERS),
    Right("see an era's timeline", "GET", "/api/networks/{network}/eras/{era}", _READERS),
    Right("plan a catch-up", "POST", "/api/networks/{network}/plan", _ACTORS),
)
BUTTONS = {
    "start a catch-up": ("may_catch_up", _ACTORS),
    "unpause the catch-up": ("may_unpause", _ACTORS),
    "unpause the payouts": ("may_unpause_payouts", _ACTORS),
}
"""Actions of Airflow's API, for which the page shows a button; the field of `/api/networks`, and who has it."""
