"""Open alerts, and the messages to send. An alert is a problem of one subject that has sent a message, with the rank that it was last sent at.

A check is one transaction: changes of alerts, and the messages about them. A change is a compare-and-set, so only one of several runs that
find the same change creates its message. A run claims a message, sends it, and then marks it as sent. If the run dies in between, the next run
sends the message again with the same id.
"""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa

from staking_gateway.ledger.tables import OPEN_ALERT, alert_messages, alerts
from staking_gateway.problem import Level
from staking_gateway.text import shorten

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from datetime import datetime, timedelta

    from staking_gateway.ledger.database import Database
    from staking_gateway.ledger.records import Actor
    from staking_gateway.problem import Problem

_OPEN, _OVER, _FINAL = "open", "over", "final"
"""States of an alert."""
MOST_LISTED = 50
"""A message about more alerts lists the first of them, and counts the others."""
_LONGEST = {"subject": 300, "cause": 1_000, "next_step": 500}
"""Most bytes of a text in a message, as JSON."""
_LONGEST_LIST = 24_000
"""Most bytes of the listed alerts, as JSON: the whole message, with its texts, stays below 64 kB."""
_CHANGES = ("topic", "state", "kind", "rank", "era", "subject", "cause", "version", "raised_at", "absent_since")
_AT_ONCE = 500
"""Alerts that are read in one query."""


@dataclass(frozen=True)
class Present:
    """A problem that has an alert.

    :param topic: key of the alert, with the network's name: era, account, funds, calendar or a cause.
    :param kind: word of the change in messages, a key of `alerts.words.PREDICATES`.
    :param rank: a higher rank than that of the alert's last message sends another message.
    :param subject: of the alert, in words.
    :param final: nothing can be done any more; the alert gets no further message.
    """

    topic: str
    kind: str
    rank: int
    subject: str
    problem: Problem
    era: int | None = None
    final: bool = False

    def as_dict(self) -> dict[str, Any]:
        """As a message lists it."""
        standing = self.kind == "blocked"
        return {
            "topic": self.topic,
            "kind": self.kind,
            "severity": "critical" if self.problem.level is Level.DANGER else "warning",
            "subject": self.subject,
            "era": self.era,
            "cause": self.problem.facts or self.problem.topic.heading if standing else self.problem.title,
            "next_step": self.problem.remedy,
            "runbook": self.problem.topic.anchor,
        }


class End(NamedTuple):
    """How an alert has ended, after the subject of one, and of several."""

    one: str
    several: str = "are over"


@dataclass
class Findings:
    """The alerts of a network now. One in none of these groups is unknown, and stays as it is.

    :param settled: alerts that have ended for good.
    :param absent: alerts whose problem is gone now; they end once that has lasted.
    """

    present: dict[str, Present] = field(default_factory=dict)
    settled: dict[str, End] = field(default_factory=dict)
    absent: dict[str, End] = field(default_factory=dict)


@dataclass(frozen=True)
class Alert:
    """An open alert.

    :param absent_since: since when its problem is absent; None while it is present.
    """

    topic: str
    kind: str
    era: int | None
    subject: str
    cause: str
    raised_at: datetime
    absent_since: datetime | None


@dataclass(frozen=True)
class AlertMessage:
    """A message about alerts of one kind.

    :param id: 32 hex digits; a repeated message keeps its id.
    :param phase: `raised` or `cleared`.
    :param conditions: the first alerts, each as `Present.as_dict` gives it; in a `cleared` message, `cause` and `several` are those of `End`.
    :param received: names of the receivers that have the message.
    :param total: number of all alerts.
    """

    id: str
    network: str
    phase: str
    kind: str
    severity: str
    conditions: tuple[dict[str, Any], ...]
    made_at: datetime
    received: tuple[str, ...]
    version: int
    total: int

    @property
    def summarised(self) -> bool:
        """Whether it does not list all its alerts."""
        return self.total > len(self.conditions)


class AlertBook:
    """Alerts and their messages, at `Ledger.journal.alerts`."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._clock = clock
        insert = database.insert(alerts)
        newer = {column.name: insert.excluded[column.name] for column in alerts.c if not column.primary_key}
        read = alerts.c.version == insert.excluded.version - 1
        self._store = insert.on_conflict_do_update(
            index_elements=("network", "topic"), set_=newer, where=read
        ).returning(alerts.c.topic)

    def open(self, network: str, *, most: int | None = None) -> list[Alert]:
        """The open alerts of a network, oldest first; all, or at most so many."""
        return self._database.rows(
            _open(network, alerts).limit(most),
            lambda row: Alert(row.topic, row.kind, row.era, row.subject, row.cause, row.raised_at, row.absent_since),
        )

    def open_kinds(self, network: str) -> dict[str, str]:
        """Key and kind of all open alerts of a network."""
        return dict(self._database.rows(_open(network, alerts.c.topic, alerts.c.kind), tuple))

    def update(self, network: str, findings: Findings, *, clear_after: timedelta, actor: Actor) -> int:
        """Store the present alerts, and create the messages about changes.

        :param clear_after: how long a problem must be absent before its alert ends.
        :returns: how many messages were created.
        """
        now, run = self._clock(), str(actor)
        changes = list(_changes(self._stored(network, findings.present), findings, now, clear_after))
        if not changes:
            return 0
        # In the same order in each run: on PostgreSQL, two runs would else wait for each other's rows.
        rows = [{**change.row, "network": network, "changed_at": now, "run": run} for change in changes]
        rows.sort(key=lambda row: str(row["topic"]))
        with self._database.writing() as connection:
            stored = set(connection.scalars(self._store, rows))
            groups: dict[tuple[str, str, int], list[Mapping[str, Any]]] = {}
            for change in changes:
                if change.group is not None and change.row["topic"] in stored:
                    groups.setdefault(change.group, []).append(change.reported)
            for (phase, kind, _), reported in sorted(groups.items(), key=lambda item: item[0]):
                message = {
                    "id": uuid.uuid4().hex,
                    "network": network,
                    "phase": phase,
                    "kind": kind,
                    "severity": reported[0]["severity"],
                    "conditions": listed(reported),
                    "total": len(reported),
                    "made_at": now,
                    "run": run,
                    "received": [],
                    "version": 1,
                }
                connection.execute(alert_messages.insert(), message)
        return len(groups)

    def _stored(self, network: str, topics: Iterable[str]) -> dict[str, sa.Row[Any]]:
        """All open alerts, and the stored ones of some keys."""
        with self._database.reading() as connection:
            found = {row.topic: row for row in connection.execute(_open(network, alerts))}
            others = sorted({*topics} - found.keys())
            for low in range(0, len(others), _AT_ONCE):
                where = alerts.c.network == network, alerts.c.topic.in_(others[low : low + _AT_ONCE])
                found |= {row.topic: row for row in connection.execute(sa.select(alerts).where(*where))}
        return dict(sorted(found.items()))

    def unsent(self, network: str) -> list[AlertMessage]:
        """The messages to send, in the order of their creation."""
        query = (
            sa.select(alert_messages)
            .where(alert_messages.c.network == network, alert_messages.c.sent_at.is_(None))
            .order_by(*(alert_messages.c[name] for name in ("made_at", "phase", "kind", "id")))
        )
        return self._database.rows(query, _message)

    def claim(self, message: AlertMessage, lease: timedelta) -> AlertMessage | None:
        """Claim a message until the lease ends. None when another run has claimed it, or it was sent."""
        now, column = self._clock(), alert_messages.c
        free = sa.or_(column.claimed_until.is_(None), column.claimed_until <= now)
        return self._move(message.id, [column.sent_at.is_(None), free], claimed_until=now + lease)

    def note_received(self, message: AlertMessage, receiver: str) -> AlertMessage | None:
        """Store that a receiver has the message. None when another run has claimed it since."""
        received = [*message.received, receiver]
        return self._move(message.id, [alert_messages.c.version == message.version], received=received)

    def end_claim(self, message: AlertMessage, *, sent: bool) -> None:
        """End the claim of a message, and mark it as sent if it was."""
        done = {"sent_at": self._clock()} if sent else {}
        self._move(message.id, [alert_messages.c.version == message.version], claimed_until=None, **done)

    def _move(self, message_id: str, where: list[sa.ColumnElement[bool]], **values: Any) -> AlertMessage | None:
        statement = (
            alert_messages.update()
            .where(alert_messages.c.id == message_id, *where)
            .values(**values, version=alert_messages.c.version + 1)
            .returning(*alert_messages.c)
        )
        with self._database.writing() as connection:
            row = connection.execute(statement).first()
        return None if row is None else _message(row)


@dataclass(frozen=True)
class _Change:
    """The change of one alert.

    :param row: its columns after the change; `version` is one more than that of the alert it was worked out from.
    :param group: phase, kind and rank of the message that reports it; None without a message.
    :param reported: the alert in that message.
    """

    row: Mapping[str, Any]
    group: tuple[str, str, int] | None = None
    reported: Mapping[str, Any] = field(default_factory=dict)


def _changes(
    stored: Mapping[str, sa.Row[Any]], findings: Findings, now: datetime, clear_after: timedelta
) -> Iterator[_Change]:
    """The changes that the findings make.

    :param stored: all open alerts, and the stored ones of present problems.
    """
    for topic, present in findings.present.items():
        row = stored.get(topic)
        if row is None or row.state == _OVER or (row.state == _OPEN and present.rank > row.rank):
            yield _raised(row, present, now)
        elif row.state == _OPEN and row.absent_since is not None:
            yield _Change(_after(row, absent_since=None))
    for topic, row in stored.items():
        if row.state != _OPEN or topic in findings.present:
            continue
        if topic in findings.settled:
            yield _ended(row, findings.settled[topic])
        elif topic in findings.absent:
            if row.absent_since is None:
                yield _Change(_after(row, absent_since=now))
            elif now - row.absent_since >= clear_after:
                yield _ended(row, findings.absent[topic])


def _after(row: sa.Row[Any], **changes: Any) -> dict[str, Any]:
    return {**{name: getattr(row, name) for name in _CHANGES}, **changes, "version": row.version + 1}


def _raised(row: sa.Row[Any] | None, present: Present, now: datetime) -> _Change:
    reported = present.as_dict()
    values = {
        **{name: reported[name] for name in ("topic", "kind", "era", "subject", "cause")},
        "rank": present.rank,
        "state": _FINAL if present.final else _OPEN,
        "version": 1 if row is None else row.version + 1,
        "raised_at": row.raised_at if row is not None and row.state == _OPEN else now,
        "absent_since": None,
    }
    return _Change(values, ("raised", present.kind, present.rank), reported)


def _ended(row: sa.Row[Any], end: End) -> _Change:
    about = {"topic": row.topic, "kind": row.kind, "severity": "info", "subject": row.subject, "era": row.era}
    reported = {**about, "cause": end.one, "several": end.several, "next_step": ""}
    return _Change(_after(row, state=_OVER, absent_since=None), ("cleared", row.kind, 0), reported)


def listed(reported: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The first alerts, with texts and as many as fit into a message: at least one, at most `MOST_LISTED`."""
    found: list[dict[str, Any]] = []
    size = 0
    for one in reported:
        cut = {**one, **{name: shorten(one[name], most) for name, most in _LONGEST.items()}}
        size += len(json.dumps(cut))
        if found and (size > _LONGEST_LIST or len(found) == MOST_LISTED):
            break
        found.append(cut)
    return found


def _open(network: str, *columns: Any) -> sa.Select[Any]:
    """The open alerts of a network, oldest first. The order is that of their index: without it, SQLite reads all alerts of the network."""
    found = sa.select(*columns).where(alerts.c.network == network, OPEN_ALERT)
    return found.order_by(alerts.c.raised_at, alerts.c.topic)


def _message(row: sa.Row[Any]) -> AlertMessage:
    values = {one.name: getattr(row, one.name) for one in fields(AlertMessage)}
    return AlertMessage(**{**values, "conditions": tuple(row.conditions), "received": tuple(row.received)})
