"""Texts of alerts, for logs, chats and e-mails. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from staking_gateway.alerts.alert_facts import BLOCKED_PREFIX
from staking_gateway.ledger.conditions import AlertKind
from staking_gateway.problem import Topic
from staking_gateway.text import count, era_ranges

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from staking_gateway.ledger.alert_book import AlertMessage

RAISED, CLEARED = "raised", "cleared"
_MOST_NAMED = 10

_ACCOUNTS = {AlertKind.NOT_STAKING.value, AlertKind.STAKING.value}
_PREDICATES = {
    AlertKind.NOT_PAID: ("is not paid in time", "are not paid in time"),
    AlertKind.HELD: ("is held back", "are held back"),
    AlertKind.REJECTED: ("was rejected", "were rejected"),
    AlertKind.EXPIRING: ("is unpaid and will expire", "are unpaid and will expire"),
    AlertKind.EXPIRED: ("has expired unpaid", "have expired unpaid"),
    AlertKind.NOT_STAKING: ("is not staking", "are not staking"),
    AlertKind.STAKING: ("is staking and must not be", "are staking and must not be"),
    AlertKind.RUNWAY: ("run short", "run short"),
    AlertKind.BOOKS: ("does not agree with the chain", "do not agree with the chain"),
    AlertKind.DRIFT: ("does not agree with the chain", "do not agree with the chain"),
}


def announcement(message: AlertMessage) -> dict[str, Any]:
    """A message for notifiers: plain JSON.

    :returns: `id` (the same in a repeated message), `network`, `phase`, `kind`, `severity`, `title`, `text`, `at`, `era` (the oldest),
        `eras`, `cause`, `next_step`, `runbook` (anchor of its section), `count`, and `conditions`. Of many, `eras` and `conditions` list the first; `count` counts all.
        As JSON less than 64 kB.
    """
    conditions = message.conditions
    eras = sorted(condition["era"] for condition in conditions if condition["era"] is not None)
    first = min(conditions, key=lambda condition: (condition["era"] is None, condition["era"] or 0))
    is_blocked = message.kind == AlertKind.BLOCKED.value
    headline = _blocked(message) if is_blocked else f"{_subjects(message, eras)} {_predicate(message)}"
    if message.kind not in _ACCOUNTS and not is_blocked:  # an account's label keeps its case
        headline = f"{headline[0].upper()}{headline[1:]}"
    title = f"[{message.network}] {headline}"
    several = message.total > 1
    lines = [f"{title}."]
    if message.phase == RAISED:
        for one in conditions if is_blocked else [first]:
            which = f"Cause for {one['subject']}" if several and not is_blocked else "Cause"
            cause = one["cause"] if is_blocked else _with_heading(one["cause"], Topic.of(_anchor(message, one)))
            lines += [f"{which}: {cause}.", f"Next: {one['next_step']}."]
    elif message.summarised or (several and len({condition["cause"] for condition in conditions}) > 1):
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
        "runbook": _anchor(message, first),
        "count": message.total,
        "conditions": list(conditions),
    }


def _anchor(message: AlertMessage, condition: Mapping[str, Any]) -> str:
    """The section of the runbook. The end of a condition does not name it."""
    topic = condition["topic"]
    if topic.startswith(BLOCKED_PREFIX):
        return str(topic.removeprefix(BLOCKED_PREFIX))
    return str(condition.get("runbook") or AlertKind(message.kind).topic.anchor)


def _with_heading(cause: str, topic: Topic) -> str:
    return cause if cause.startswith(topic.heading) else f"{topic.heading}: {cause}"


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
    conditions, several = message.conditions, message.total > 1
    if message.phase == RAISED:
        return _PREDICATES[AlertKind(message.kind)][several]
    words = {condition["cause"] for condition in conditions}
    if not several:
        return str(conditions[0]["cause"])
    if all(word.startswith("is paid") for word in words) and not message.summarised:
        return "are paid"
    if len(words) == 1 and not message.summarised:
        word = words.pop()
        return f"are {word.removeprefix('is ')}" if word.startswith("is ") else word
    return "are over"
