"""What a check changes in the alerts of a network. Pure: it is worked out before the ledger is locked.

A change names the version of the alert that it was worked out from. Of several runs that find the same change, one stores it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from staking_gateway.text import shorten

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime, timedelta

    import sqlalchemy as sa

    from staking_gateway.ledger.conditions import Condition, Findings

OPEN, OVER, FINAL = "open", "over", "final"
"""States of an alert."""
INFO = "info"
MOST_LISTED = 50
"""A message about more conditions lists the first of them, and counts the others."""
_LONGEST = {"subject": 300, "cause": 1_000, "next_step": 500}
"""Most bytes of a text in a message, as JSON."""
_LONGEST_LIST = 24_000
"""Most bytes of the listed conditions, as JSON: the whole message, with its texts, stays below 64 kB."""
_COLUMNS = ("topic", "state", "kind", "rank", "era", "subject", "cause", "version", "raised_at", "absent_since")


@dataclass(frozen=True)
class Change:
    """The change of one alert.

    :param row: its columns after the change; `version` is one more than that of the alert it was worked out from.
    :param group: phase, kind and rank of the message that reports it; None without a message.
    :param reported: the condition in that message.
    """

    row: Mapping[str, Any]
    group: tuple[str, str, int] | None = None
    reported: Mapping[str, Any] = field(default_factory=dict)

    @property
    def topic(self) -> str:
        return str(self.row["topic"])


def find_changes(
    stored: Mapping[str, sa.Row[Any]], findings: Findings, now: datetime, clear_after: timedelta
) -> Iterator[Change]:
    """The changes that the findings make.

    :param stored: all open alerts, and the stored alerts of present topics.
    :param clear_after: how long a condition must be absent before its alert ends.
    """
    for topic, condition in findings.present.items():
        row = stored.get(topic)
        if row is None or row.state == OVER or (row.state == OPEN and condition.rank > row.rank):
            yield _raised(row, condition, now)
        elif row.state == OPEN and row.absent_since is not None:
            yield Change(_after(row, absent_since=None))
    for topic, row in stored.items():
        if row.state != OPEN or topic in findings.present:
            continue
        if topic in findings.settled:
            yield _ended(row, findings.settled[topic])
        elif topic in findings.absent:
            if row.absent_since is None:
                yield Change(_after(row, absent_since=now))
            elif now - row.absent_since >= clear_after:
                yield _ended(row, findings.absent[topic])


def _after(row: sa.Row[Any], **changes: Any) -> dict[str, Any]:
    kept = {name: getattr(row, name) for name in _COLUMNS}
    return {**kept, **changes, "version": row.version + 1}


def _raised(row: sa.Row[Any] | None, condition: Condition, now: datetime) -> Change:
    values = {
        "topic": condition.topic,
        "state": FINAL if condition.final else OPEN,
        "kind": condition.kind.value,
        "rank": condition.rank,
        "era": condition.era,
        "subject": condition.subject,
        "cause": condition.cause,
        "version": 1 if row is None else row.version + 1,
        "raised_at": row.raised_at if row is not None and row.state == OPEN else now,
        "absent_since": None,
    }
    return Change(values, ("raised", condition.kind.value, condition.rank), condition.as_dict())


def _ended(row: sa.Row[Any], words: str) -> Change:
    about = {"topic": row.topic, "kind": row.kind, "severity": INFO, "subject": row.subject, "era": row.era}
    reported = {**about, "cause": words, "next_step": ""}
    return Change(_after(row, state=OVER, absent_since=None), ("cleared", row.kind, 0), reported)


def listed(conditions: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The first conditions, with texts and as many as fit into a message: at least one, at most `MOST_LISTED`."""
    found: list[dict[str, Any]] = []
    size = 0
    for condition in conditions:
        cut = {**condition, **{name: shorten(condition[name], most) for name, most in _LONGEST.items()}}
        size += len(json.dumps(cut))
        if found and (size > _LONGEST_LIST or len(found) == MOST_LISTED):
            break
        found.append(cut)
    return found
