"""Alerts, and the messages to send. An alert is a problem of one subject that has sent a message, with the rank that it was last sent at.

A check is one transaction, which waits for that of another run. A run claims a message, sends it, and then marks it as sent. If it dies in
between, the next run sends the message again with the same id.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from staking_gateway.ledger.records import Alert, AlertMessage
from staking_gateway.ledger.tables import OPEN_ALERT, alert_messages, alerts

if TYPE_CHECKING:
    from staking_gateway.ledger.database import Database

MOST_LISTED = 10
"""A message about more alerts lists the first of them, and counts the others."""
_MESSAGE = [alert_messages.c[one.name] for one in fields(AlertMessage)]


class AlertBook:
    """Alerts and their messages, at `Ledger.journal.alerts`."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._clock = clock

    def open(self, network: str) -> list[Alert]:
        """The open alerts of a network, oldest first."""
        # The order is that of their index: without it, SQLite reads all alerts of the network.
        query = sa.select(alerts).where(alerts.c.network == network, OPEN_ALERT)
        return self._database.records(query.order_by(alerts.c.raised_at, alerts.c.topic), Alert)

    def update(self, network: str, found: Sequence[Alert], *, clear_after: timedelta) -> int:
        """Store the alerts of a network now, and create the messages about changes.

        :param found: those whose problem is present, and those that have ended. An open one that is not among them is unknown, and stays as it is.
        :param clear_after: how long a problem must be absent before its alert ends.
        :returns: how many messages were created.
        """
        now, known = self._clock(), sa.or_(OPEN_ALERT, alerts.c.topic.in_([alert.topic for alert in found]))
        query = sa.select(alerts).where(alerts.c.network == network, known)
        groups: dict[tuple[str, str, int], list[Alert]] = {}
        with self._database.writing("alerts of a staking ledger") as connection:
            stored = {row["topic"]: Alert(**row) for row in connection.execute(query).mappings()}
            for alert, is_sent in _changes(stored, found, now, clear_after):
                connection.execute(self._database.upsert(alerts), asdict(alert))
                if is_sent:
                    over = alert.state == "over"
                    key = ("cleared", alert.kind, 0) if over else ("raised", alert.kind, alert.rank)
                    groups.setdefault(key, []).append(alert)
            for (phase, kind, _), sent in sorted(groups.items(), key=lambda item: item[0]):
                listed = [alert.condition for alert in sent[:MOST_LISTED]]
                about = (uuid.uuid4().hex, network, phase, kind, sent[0].severity, listed)
                connection.execute(alert_messages.insert(), asdict(AlertMessage(*about, now, [], len(sent))))
        return len(groups)

    def unsent(self, network: str) -> list[AlertMessage]:
        """The messages to send, in the order of their creation."""
        column = alert_messages.c
        query = sa.select(*_MESSAGE).where(column.network == network, column.sent_at.is_(None))
        order = column.made_at, column.phase, column.kind, column.id
        return self._database.records(query.order_by(*order), AlertMessage)

    def claim(self, message: AlertMessage, lease: timedelta) -> AlertMessage | None:
        """Claim a message until the lease ends. None when another run has claimed it, or it was sent."""
        now, column = self._clock(), alert_messages.c
        free = sa.or_(column.claimed_until.is_(None), column.claimed_until <= now)
        return self._change(message, sa.and_(column.sent_at.is_(None), free), claimed_until=now + lease)

    def note_received(self, message: AlertMessage, receiver: str) -> AlertMessage | None:
        """Store that a receiver has the message. None when another run has claimed it since."""
        return self._change(message, _claimed(message), received=[*message.received, receiver])

    def end_claim(self, message: AlertMessage, *, sent: bool) -> None:
        """End the claim of a message, and mark it as sent if it was."""
        self._change(message, _claimed(message), claimed_until=None, sent_at=self._clock() if sent else None)

    def _change(self, message: AlertMessage, where: sa.ColumnElement[bool], **values: Any) -> AlertMessage | None:
        statement = alert_messages.update().where(alert_messages.c.id == message.id, where).values(**values)
        with self._database.writing() as connection:
            row = connection.execute(statement.returning(*_MESSAGE)).mappings().first()
        return None if row is None else AlertMessage(**row)


def _claimed(message: AlertMessage) -> sa.ColumnElement[bool]:
    """The message is claimed as it was read: each claim ends at another time."""
    return alert_messages.c.claimed_until == message.claimed_until


def _changes(
    stored: Mapping[str, Alert], found: Sequence[Alert], now: datetime, clear_after: timedelta
) -> Iterator[tuple[Alert, bool]]:
    """The changes that the found alerts make: an alert after its change, and whether a message reports it."""
    for alert in found:
        before = stored.get(alert.topic)
        if before is None or before.state != "open":
            if alert.state in ("open", "final") and (before is None or before.state == "over"):
                yield alert, True
        elif alert.state in ("open", "final"):
            if alert.rank > before.rank:
                yield replace(alert, raised_at=before.raised_at), True
            elif before.absent_since is not None:
                yield replace(before, absent_since=None), False
        elif alert.state == "over" or now - (before.absent_since or now) >= clear_after:
            yield replace(alert, state="over", absent_since=None), True
        elif before.absent_since is None:
            yield replace(before, absent_since=now), False
