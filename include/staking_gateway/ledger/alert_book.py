"""Open alerts, and the messages to send.

A change and its message are one transaction. A change is a compare-and-set, so only one of several runs creates the message. A run claims
a message, sends it, and then marks it as sent. If the run dies in between, the next run sends the message again with the same id.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from staking_gateway.ledger.tables import alert_messages, alerts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime, timedelta

    from staking_gateway.ledger.conditions import Condition, Findings
    from staking_gateway.ledger.database import Database
    from staking_gateway.ledger.records import Actor

_OPEN, _OVER, _FINAL = "open", "over", "final"
_INFO = "info"


@dataclass(frozen=True)
class Alert:
    """An open alert.

    :param kind: an `AlertKind`'s value.
    :param absent_since: since when its condition is absent; None while it is present.
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
    """A message about conditions of one kind.

    :param id: 32 hex digits; a repeated message keeps its id.
    :param phase: `raised` or `cleared`.
    :param conditions: each as `Condition.as_dict` gives it; in a `cleared` message, `cause` says how the condition ended.
    :param received: names of the receivers that have the message.
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


class AlertBook:
    """Alerts and their messages, at `Ledger.journal.alerts`."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._clock = clock

    def open(self, network: str) -> list[Alert]:
        """The open alerts of a network, oldest first."""
        query = (
            sa.select(alerts)
            .where(alerts.c.network == network, alerts.c.state == _OPEN)
            .order_by(alerts.c.raised_at, alerts.c.topic)
        )
        return self._database.rows(
            query,
            lambda row: Alert(row.topic, row.kind, row.era, row.subject, row.cause, row.raised_at, row.absent_since),
        )

    def update(self, network: str, findings: Findings, *, clear_after: timedelta, actor: Actor) -> int:
        """Store the present conditions, and create the messages about changes.

        :param clear_after: how long a condition must be absent before its alert ends.
        :returns: how many messages were created.
        """
        now = self._clock()
        with self._database.writing() as connection:
            change = _Change(connection, self._database, network, now, str(actor))
            rows = change.rows(findings.present)
            for topic, condition in findings.present.items():
                change.present(rows.get(topic), condition)
            for topic, row in rows.items():
                if row.state != _OPEN or topic in findings.present:
                    continue
                if topic in findings.settled:
                    change.end(row, findings.settled[topic])
                elif topic in findings.absent:
                    change.absent(row, findings.absent[topic], clear_after)
            return change.make_messages()

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


class _Change:
    """One transaction of `update`."""

    def __init__(self, connection: sa.Connection, database: Database, network: str, now: datetime, run: str) -> None:
        self._connection = connection
        self._database = database
        self._network = network
        self._now = now
        self._run = run
        self._raised: dict[tuple[str, int], list[dict[str, Any]]] = {}
        self._cleared: dict[str, list[dict[str, Any]]] = {}

    def rows(self, topics: Iterable[str]) -> dict[str, sa.Row[Any]]:
        """The stored alerts of the topics, and all open alerts."""
        found: dict[str, sa.Row[Any]] = {}
        ours = alerts.c.network == self._network
        wanted = sorted(topics)
        conditions = [alerts.c.state == _OPEN]
        conditions += [alerts.c.topic.in_(wanted[low : low + 500]) for low in range(0, len(wanted), 500)]
        for condition in conditions:
            found |= {row.topic: row for row in self._connection.execute(sa.select(alerts).where(ours, condition))}
        return found

    def present(self, row: sa.Row[Any] | None, condition: Condition) -> None:
        """A condition is present."""
        if row is None or row.state == _OVER or (row.state == _OPEN and condition.rank > row.rank):
            if self._raise(row, condition):
                self._raised.setdefault((condition.kind.value, condition.rank), []).append(condition.as_dict())
        elif row.state == _OPEN and row.absent_since is not None:
            self._set(row, absent_since=None)

    def absent(self, row: sa.Row[Any], words: str, clear_after: timedelta) -> None:
        """A condition is absent, which must last for `clear_after`."""
        if row.absent_since is None:
            self._set(row, absent_since=self._now)
        elif self._now - row.absent_since >= clear_after:
            self.end(row, words)

    def end(self, row: sa.Row[Any], words: str) -> None:
        """A condition has ended."""
        if self._set(row, state=_OVER, absent_since=None):
            ended = {
                "topic": row.topic,
                "kind": row.kind,
                "severity": _INFO,
                "subject": row.subject,
                "era": row.era,
                "cause": words,
                "next_step": "",
            }
            self._cleared.setdefault(row.kind, []).append(ended)

    def make_messages(self) -> int:
        """Create one message for all conditions that changed in the same way."""
        changed = [("raised", kind, group) for (kind, _), group in sorted(self._raised.items())]
        changed += [("cleared", kind, group) for kind, group in sorted(self._cleared.items())]
        rows = [
            {
                "id": uuid.uuid4().hex,
                "network": self._network,
                "phase": phase,
                "kind": kind,
                "severity": group[0]["severity"],
                "conditions": group,
                "made_at": self._now,
                "run": self._run,
                "received": [],
                "version": 1,
            }
            for phase, kind, group in changed
        ]
        if rows:
            self._connection.execute(alert_messages.insert(), rows)
        return len(rows)

    def _raise(self, row: sa.Row[Any] | None, condition: Condition) -> bool:
        values = {
            "state": _FINAL if condition.final else _OPEN,
            "kind": condition.kind.value,
            "rank": condition.rank,
            "era": condition.era,
            "subject": condition.subject,
            "cause": condition.cause,
            "absent_since": None,
        }
        if row is not None:
            started = row.raised_at if row.state == _OPEN else self._now
            return self._set(row, **values, raised_at=started)
        times = {"raised_at": self._now, "changed_at": self._now, "run": self._run, "version": 1}
        insert = self._database.insert(alerts).values(network=self._network, topic=condition.topic, **values, **times)
        made = self._connection.execute(insert.on_conflict_do_nothing().returning(alerts.c.topic))
        return made.first() is not None

    def _set(self, row: sa.Row[Any], **values: Any) -> bool:
        """Change an alert, unless it has changed since it was read."""
        statement = (
            alerts.update()
            .where(alerts.c.network == row.network, alerts.c.topic == row.topic, alerts.c.version == row.version)
            .values(**values, version=row.version + 1, changed_at=self._now, run=self._run)
            .returning(alerts.c.topic)
        )
        return self._connection.execute(statement).first() is not None


def _message(row: sa.Row[Any]) -> AlertMessage:
    values = {field.name: getattr(row, field.name) for field in fields(AlertMessage)}
    return AlertMessage(**{**values, "conditions": tuple(row.conditions), "received": tuple(row.received)})
