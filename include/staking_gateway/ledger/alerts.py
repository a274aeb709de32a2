"""Open alerts, and the messages to send. An alert is a problem of one subject that has sent a message, with the rank that it was last sent at.

A check is one transaction, which waits for that of another run: changes of alerts, and the messages about them. A run claims a message, sends it,
and then marks it as sent. If the run dies in between, the next run sends the message again with the same id.
"""

from __future__ import annotations

import uuid
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa

from staking_gateway.ledger.records import Alert, AlertMessage
from staking_gateway.ledger.tables import OPEN_ALERT, alert_messages, alerts
from staking_gateway.problem import Level

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from datetime import datetime, timedelta

    from staking_gateway.ledger.database import Database
    from staking_gateway.problem import Problem

_OPEN, _OVER, _FINAL = "open", "over", "final"
"""States of an alert."""
MOST_LISTED = 10
"""A message about more alerts lists the first of them, and counts the others."""
_MESSAGE = [alert_messages.c[one.name] for one in fields(AlertMessage)]


@dataclass(frozen=True)
class Present:
    """A problem that has an alert.

    :param topic: key of the alert, with the network's name: era, account, funds, calendar or a cause.
    :param kind: word of the change in messages, a key of `alerts.find.KINDS`.
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
    """How an alert has ended, after its subject.

    :param at_once: for good; other alerts end once the absence of their problem has lasted.
    """

    text: str = "over"
    at_once: bool = False


class Findings(NamedTuple):
    """The alerts of a network now, by key. An open one in neither group is unknown, and stays as it is."""

    present: Mapping[str, Present] = {}
    ended: Mapping[str, End] = {}


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

    def update(self, network: str, findings: Findings, *, clear_after: timedelta) -> int:
        """Store the present alerts, and create the messages about changes.

        :param clear_after: how long a problem must be absent before its alert ends.
        :returns: how many messages were created.
        """
        now, known = self._clock(), sa.or_(OPEN_ALERT, alerts.c.topic.in_(findings.present))
        query = sa.select(alerts).where(alerts.c.network == network, known).order_by(alerts.c.topic)
        groups: dict[tuple[str, str, int], list[dict[str, Any]]] = {}
        with self._database.writing("alerts of a staking ledger") as connection:
            stored = {row["topic"]: Alert(**row) for row in connection.execute(query).mappings()}
            for alert, told in _changes(network, stored, findings, now, clear_after):
                connection.execute(self._database.upsert(alerts), asdict(alert))
                if told:
                    over = alert.state == _OVER
                    key = ("cleared", alert.kind, 0) if over else ("raised", alert.kind, alert.rank)
                    groups.setdefault(key, []).append(told)
            for (phase, kind, _), all_told in sorted(groups.items(), key=lambda item: item[0]):
                about = (uuid.uuid4().hex, network, phase, kind, all_told[0]["severity"], all_told[:MOST_LISTED])
                connection.execute(alert_messages.insert(), asdict(AlertMessage(*about, now, [], len(all_told))))
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
        return self._move(message.id, [column.sent_at.is_(None), free], claimed_until=now + lease)

    def note_received(self, message: AlertMessage, receiver: str) -> AlertMessage | None:
        """Store that a receiver has the message. None when another run has claimed it since."""
        return self._move(message.id, [_claim_of(message)], received=[*message.received, receiver])

    def end_claim(self, message: AlertMessage, *, sent: bool) -> None:
        """End the claim of a message, and mark it as sent if it was."""
        done = {"sent_at": self._clock()} if sent else {}
        self._move(message.id, [_claim_of(message)], claimed_until=None, **done)

    def _move(self, message_id: str, where: list[sa.ColumnElement[bool]], **values: Any) -> AlertMessage | None:
        statement = alert_messages.update().where(alert_messages.c.id == message_id, *where).values(**values)
        with self._database.writing() as connection:
            row = connection.execute(statement.returning(*_MESSAGE)).mappings().first()
        return None if row is None else AlertMessage(**row)


def _claim_of(message: AlertMessage) -> sa.ColumnElement[bool]:
    """The message is claimed as it was read: each claim ends at another time."""
    return alert_messages.c.claimed_until == message.claimed_until


def _changes(
    network: str, stored: Mapping[str, Alert], findings: Findings, now: datetime, clear_after: timedelta
) -> Iterator[tuple[Alert, dict[str, Any]]]:
    """The changes that the findings make: an alert after its change, and as a message reports it; empty without a message.

    :param stored: all open alerts, and the stored ones of present problems.
    """
    for topic, present in findings.present.items():
        alert = stored.get(topic)
        if alert is None or alert.state == _OVER or (alert.state == _OPEN and present.rank > alert.rank):
            told, state = present.as_dict(), _FINAL if present.final else _OPEN
            since = alert.raised_at if alert is not None and alert.state == _OPEN else now
            what, kind = (present.era, present.subject, told["cause"]), present.kind
            yield Alert(network, topic, state, kind, present.rank, *what, raised_at=since), told
        elif alert.state == _OPEN and alert.absent_since is not None:
            yield replace(alert, absent_since=None), {}
    for topic, alert in stored.items():
        end = findings.ended.get(topic)
        if alert.state != _OPEN or topic in findings.present or end is None:
            continue
        if end.at_once or (alert.absent_since is not None and now - alert.absent_since >= clear_after):
            about = {name: getattr(alert, name) for name in ("topic", "kind", "subject", "era")}
            told = {**about, "severity": "info", "cause": end.text, "next_step": ""}
            yield replace(alert, state=_OVER, absent_since=None), told
        elif alert.absent_since is None:
            yield replace(alert, absent_since=now), {}
