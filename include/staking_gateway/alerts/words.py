"""Texts of alerts, for logs, chats and e-mails. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from staking_gateway.problem import Topic
from staking_gateway.text import count, era_ranges

if TYPE_CHECKING:
    from collections.abc import Sequence

    from staking_gateway.ledger.records import AlertMessage

RAISED, CLEARED = "raised", "cleared"
BLOCKED = "blocked"
_MOST_NAMED = 10
_ACCOUNTS = ("not_staking", "staking")

PREDICATES = {
    "not_paid": ("is not paid in time", "are not paid in time", Topic.UNPAID),
    "held": ("is held back", "are held back", Topic.HELD_FEE),
    "rejected": ("was rejected", "were rejected", Topic.REJECTED),
    "expiring": ("is unpaid and will expire", "are unpaid and will expire", Topic.UNPAID),
    "expired": ("has expired unpaid", "have expired unpaid", Topic.EXPIRED),
    "not_staking": ("is not staking", "are not staking", Topic.ACCOUNTS),
    "staking": ("is staking and must not be", "are staking and must not be", Topic.ACCOUNTS),
    "runway": ("run short", "run short", Topic.RUNWAY),
    "books": ("does not agree with the chain", "do not agree with the chain", Topic.BOOKS),
    "drift": ("does not agree with the chain", "do not agree with the chain", Topic.DRIFT),
    BLOCKED: ("", "", Topic.UNPAID),
}
"""Kind of an alert: what a message says of one subject, and of several; and the section of the runbook when it has ended."""


def announcement(message: AlertMessage) -> dict[str, Any]:
    """A message for notifiers: plain JSON.

    :returns: `id` (the same in a repeated message), `network`, `phase`, `kind`, `severity`, `title`, `text`, `at`, `era` (the oldest),
        `eras`, `cause`, `next_step`, `runbook` (anchor of its section), `count`, and `conditions`. Of many, `eras` and `conditions` list the first; `count` counts all.
        As JSON less than 64 kB.
    """
    conditions = message.conditions
    eras = sorted(condition["era"] for condition in conditions if condition["era"] is not None)
    first = min(conditions, key=lambda condition: (condition["era"] is None, condition["era"] or 0))
    is_blocked = message.kind == BLOCKED
    headline = _blocked(message) if is_blocked else f"{_subjects(message, eras)} {_predicate(message)}"
    if message.kind not in _ACCOUNTS and not is_blocked:  # an account's label keeps its case
        headline = f"{headline[0].upper()}{headline[1:]}"
    title = f"[{message.network}] {headline}"
    several = message.total > 1
    lines = [f"{title}."]
    if message.phase == RAISED:
        for one in conditions if is_blocked else [first]:
            which = f"Cause for {one['subject']}" if several and not is_blocked else "Cause"
            lines += [f"{which}: {one['cause']}.", f"Next: {one['next_step']}."]
    elif several and (message.summarised or len({condition["cause"] for condition in conditions}) > 1):
        lines += [f"{condition['subject']} {condition['cause']}." for condition in conditions[:_MOST_NAMED]]
    return {
        "id": message.id,
        "network": message.network,
        "phase": message.phase,
        "kind": message.kind,
        "severity": message.severity,
        "title": title,
        "text": "\n".join(lines),
        "at": message.made_at.isoformat(),
        "era": eras[0] if eras else None,
        "eras": eras,
        "cause": first["cause"],
        "next_step": first["next_step"],
        "runbook": first.get("runbook") or PREDICATES[message.kind][2].anchor,
        "count": message.total,
        "conditions": [{name: value for name, value in one.items() if name != "several"} for one in conditions],
    }


def _blocked(message: AlertMessage) -> str:
    causes = "; ".join(condition["subject"] for condition in message.conditions)
    return f"{causes}: {'nothing is paid' if message.phase == RAISED else 'this is over'}"


def _subjects(message: AlertMessage, eras: Sequence[int]) -> str:
    conditions, unlisted = message.conditions, message.total - len(message.conditions)
    if message.total == 1:
        return str(conditions[0]["subject"])
    if eras:
        others = f" and {unlisted} more" if unlisted else ""
        return f"{count(message.total, 'era')} ({era_ranges(eras, most=100)}{others})"
    named = ", ".join(condition["subject"] for condition in conditions[:_MOST_NAMED])
    more = message.total - min(len(conditions), _MOST_NAMED)
    return f"{count(message.total, 'account')} ({named}{f' and {more} more' if more > 0 else ''})"


def _predicate(message: AlertMessage) -> str:
    one, several, _ = PREDICATES[message.kind]
    if message.phase == RAISED:
        return several if message.total > 1 else one
    if message.total == 1:
        return str(message.conditions[0]["cause"])
    ends = {str(condition["several"]) for condition in message.conditions}
    return ends.pop() if len(ends) == 1 and not message.summarised else "are over"
