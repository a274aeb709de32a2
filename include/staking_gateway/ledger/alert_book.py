"""Open alerts, and the messages to send.

A change and its message are one transaction. A change is a compare-and-set, so only one of several runs creates the message. No transaction
writes more than 100 alerts, so other writers need not wait. A crash between two transactions loses no alert and repeats none: the next run
stores and reports the rest. A run claims a message, sends it, and then marks it as sent. If the run dies in between, the next run sends the
message again with the same id.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from staking_gateway.ledger.alert_changes import Change, find_changes, listed
from staking_gateway.ledger.tables import OPEN_ALERT, alert_messages, alerts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import datetime, timedelta

    from staking_gateway.ledger.conditions import Findings
    from staking_gateway.ledger.database import Database
    from staking_gateway.ledger.records import Actor

_AT_ONCE = 100
"""Changes that are stored in one transaction."""


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
    :param conditions: the first ones, each as `Condition.as_dict` gives it; in a `cleared` message, `cause` says how it ended.
    :param received: names of the receivers that have the message.
    :param total: number of all conditions.
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
        """Whether it does not list all its conditions."""
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
        """Topic and kind of all open alerts of a network."""
        return dict(self._database.rows(_open(network, alerts.c.topic, alerts.c.kind), tuple))

    def update(self, network: str, findings: Findings, *, clear_after: timedelta, actor: Actor) -> int:
        """Store the present conditions, and create the messages about changes.

        :param clear_after: how long a condition must be absent before its alert ends.
        :returns: how many messages were created.
        """
        now, run = self._clock(), str(actor)
        common = {"network": network, "changed_at": now, "run": run}
        changes = list(find_changes(self._stored(network, findings.present), findings, now, clear_after))
        messages = _Messages(network, now, run)
        for low in range(0, len(changes), _AT_ONCE):
            portion = changes[low : low + _AT_ONCE]
            # In the same order in each run: on PostgreSQL, two runs would else wait for each other's rows.
            rows = [{**change.row, **common} for change in sorted(portion, key=lambda change: change.topic)]
            with self._database.writing() as connection:
                stored = set(connection.scalars(self._store, rows))
                messages.report(connection, (change for change in portion if change.topic in stored))
        return messages.made

    def _stored(self, network: str, topics: Iterable[str]) -> dict[str, sa.Row[Any]]:
        """All open alerts, and the stored alerts of the topics."""
        ours = alerts.c.network == network
        found: dict[str, sa.Row[Any]] = {}
        with self._database.reading() as connection:
            found |= {row.topic: row for row in connection.execute(_open(network, alerts))}
            others = sorted({*topics} - found.keys())
            for low in range(0, len(others), _AT_ONCE):
                query = sa.select(alerts).where(ours, alerts.c.topic.in_(others[low : low + _AT_ONCE]))
                found |= {row.topic: row for row in connection.execute(query)}
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


@dataclass
class _Draft:
    """A message about conditions that changed in the same way.

    :param conditions: the first of them.
    :param total: number of all.
    """

    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    conditions: list[dict[str, Any]] = field(default_factory=list)
    total: int = 0

    def add(self, reported: list[Mapping[str, Any]]) -> None:
        """Report further conditions."""
        if self.total == len(self.conditions):
            self.conditions = listed([*self.conditions, *reported])
        self.total += len(reported)


class _Messages:
    """The messages of one update.

    :param made: how many were created.
    """

    def __init__(self, network: str, now: datetime, run: str) -> None:
        self._common = {"network": network, "made_at": now, "run": run, "received": [], "version": 1}
        self._drafts: dict[tuple[str, str, int], _Draft] = {}
        self.made = 0

    def report(self, connection: sa.Connection, changes: Iterable[Change]) -> None:
        """Report changes in the transaction that stores them."""
        groups: dict[tuple[str, str, int], list[Mapping[str, Any]]] = {}
        for change in changes:
            if change.group is not None:
                groups.setdefault(change.group, []).append(change.reported)
        for group, reported in sorted(groups.items(), key=lambda item: item[0]):
            draft = self._drafts.get(group)
            if draft is None or not self._extended(connection, draft, reported):
                self._drafts[group] = draft = _Draft()
                draft.add(reported)
                phase, kind, _ = group
                row = {"id": draft.id, "phase": phase, "kind": kind, "severity": reported[0]["severity"]}
                row |= {"conditions": draft.conditions, "total": draft.total}
                connection.execute(alert_messages.insert(), {**self._common, **row})
                self.made += 1

    @staticmethod
    def _extended(connection: sa.Connection, draft: _Draft, reported: list[Mapping[str, Any]]) -> bool:
        """Report further conditions in a message. False when a run has claimed it: it may be sent already."""
        before = len(draft.conditions)
        draft.add(reported)
        longer = {"conditions": draft.conditions} if len(draft.conditions) > before else {}
        update = alert_messages.update().where(alert_messages.c.id == draft.id, alert_messages.c.version == 1)
        return connection.execute(update.values(total=draft.total, **longer)).rowcount == 1


def _open(network: str, *columns: Any) -> sa.Select[Any]:
    """The open alerts of a network, oldest first. The order is that of their index: without it, SQLite reads all alerts of the network."""
    found = sa.select(*columns).where(alerts.c.network == network, OPEN_ALERT)
    return found.order_by(alerts.c.raised_at, alerts.c.topic)


def _message(row: sa.Row[Any]) -> AlertMessage:
    values = {one.name: getattr(row, one.name) for one in fields(AlertMessage)}
    values |= {"conditions": tuple(listed(row.conditions)), "received": tuple(row.received)}
    return AlertMessage(**values)
