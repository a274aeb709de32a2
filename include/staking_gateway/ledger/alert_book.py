"""What the ledger remembers of alerts: what was told and is not over, and the messages that have to be sent.

A change and its message are one transaction, and a change is a compare-and-set: of several runs that see the same at once, one
makes the message. A message is claimed for a while, sent, and only then marked as sent; who dies in between leaves it to the next
run, which sends it again under the same id.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
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
    """Something that was told of.

    :param kind: an `AlertKind`'s value.
    :param absent_since: when it was found gone for the first time since it was last there.
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
    """Something to say.

    :param id: 32 hex digits; a message that is sent again keeps it.
    :param phase: `raised` or `cleared`.
    :param conditions: what it is about, each as `Condition.as_dict` gives it; when cleared, `cause` says how it ended.
    :param received: names of the receivers that have it already.
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
    """Alerts and their messages. Reached as `Ledger.journal.alerts`."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._clock = clock

    # --- alerts ------------------------------------------------------------------------------------------------------

    def open(self, network: str) -> list[Alert]:
        """What was told of a network and is not over, the oldest first."""
        query = (
            sa.select(alerts)
            .where(alerts.c.network == network, alerts.c.state == _OPEN)
            .order_by(alerts.c.raised_at, alerts.c.topic)
        )
        with self._database.reading() as connection:
            return [
                Alert(row.topic, row.kind, row.era, row.subject, row.cause, row.raised_at, row.absent_since)
                for row in connection.execute(query)
            ]

    def update(self, network: str, findings: Findings, *, clear_after: timedelta, actor: Actor) -> int:
        """Take in what is there now, and make the messages about what has changed.

        :param clear_after: what is absent is over when it was absent before, at least this long ago, and never since there.
        :returns: how many messages were made.
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
                    change.over(row, findings.settled[topic])
                elif topic in findings.absent:
                    change.absent(row, findings.absent[topic], clear_after)
            return change.make_messages()

    # --- messages ----------------------------------------------------------------------------------------------------

    def unsent(self, network: str) -> list[AlertMessage]:
        """What has to be said still, in the order in which it happened."""
        query = (
            sa.select(alert_messages)
            .where(alert_messages.c.network == network, alert_messages.c.sent_at.is_(None))
            .order_by(*(alert_messages.c[name] for name in ("made_at", "phase", "kind", "id")))
        )
        with self._database.reading() as connection:
            return [_message(row) for row in connection.execute(query)]

    def claim(self, message: AlertMessage, lease: timedelta) -> AlertMessage | None:
        """Take a message for sending, as it is now; None when somebody else has it, or it was sent.

        :param lease: after this time others may take it.
        """
        now, column = self._clock(), alert_messages.c
        free = sa.or_(column.claimed_until.is_(None), column.claimed_until <= now)
        return self._move(message.id, [column.sent_at.is_(None), free], claimed_until=now + lease)

    def note_received(self, message: AlertMessage, receiver: str) -> AlertMessage | None:
        """A receiver has it. None when the claim was lost: then somebody else may be sending it too."""
        received = [*message.received, receiver]
        return self._move(message.id, [alert_messages.c.version == message.version], received=received)

    def release(self, message: AlertMessage, *, sent: bool) -> None:
        """Give back a message, done or not."""
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
        """What is known of the topics, and all that is open."""
        found: dict[str, sa.Row[Any]] = {}
        ours = alerts.c.network == self._network
        wanted = sorted(topics)
        conditions = [alerts.c.state == _OPEN]
        conditions += [alerts.c.topic.in_(wanted[low : low + 500]) for low in range(0, len(wanted), 500)]
        for condition in conditions:
            found |= {row.topic: row for row in self._connection.execute(sa.select(alerts).where(ours, condition))}
        return found

    def present(self, row: sa.Row[Any] | None, condition: Condition) -> None:
        """A condition is there."""
        if row is None or row.state == _OVER or (row.state == _OPEN and condition.rank > row.rank):
            if self._raise(row, condition):
                self._raised.setdefault((condition.kind.value, condition.rank), []).append(condition.as_dict())
        elif row.state == _OPEN and row.absent_since is not None:
            self._set(row, absent_since=None)

    def absent(self, row: sa.Row[Any], words: str, clear_after: timedelta) -> None:
        """A condition is not there, which has to last before it counts."""
        if row.absent_since is None:
            self._set(row, absent_since=self._now)
        elif self._now - row.absent_since >= clear_after:
            self.over(row, words)

    def over(self, row: sa.Row[Any], words: str) -> None:
        """A condition is gone."""
        if self._set(row, state=_OVER, absent_since=None):
            told = {"topic": row.topic, "kind": row.kind, "severity": _INFO, "subject": row.subject, "era": row.era}
            self._cleared.setdefault(row.kind, []).append({**told, "cause": words, "next_step": ""})

    def make_messages(self) -> int:
        """One message for all that changed in the same way."""
        made = [("raised", kind, group) for (kind, _), group in sorted(self._raised.items())]
        made += [("cleared", kind, group) for kind, group in sorted(self._cleared.items())]
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
            for phase, kind, group in made
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
        """Change an alert, if nobody else has since it was read."""
        statement = (
            alerts.update()
            .where(alerts.c.network == row.network, alerts.c.topic == row.topic, alerts.c.version == row.version)
            .values(**values, version=row.version + 1, changed_at=self._now, run=self._run)
            .returning(alerts.c.topic)
        )
        return self._connection.execute(statement).first() is not None


def _message(row: sa.Row[Any]) -> AlertMessage:
    return AlertMessage(
        id=row.id,
        network=row.network,
        phase=row.phase,
        kind=row.kind,
        severity=row.severity,
        conditions=tuple(row.conditions),
        made_at=row.made_at,
        received=tuple(row.received),
        version=row.version,
    )
