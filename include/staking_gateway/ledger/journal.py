"""What is on record beside payouts: statuses of accounts, facts and notices about eras, failures, plans, calendars, and alerts."""

import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, TypeVar

import sqlalchemy as sa

from staking_gateway.eras import EraAnchor, EraCalendar
from staking_gateway.errors import ConfigError
from staking_gateway.ledger import records, tables
from staking_gateway.ledger.database import Database, LedgerPart
from staking_gateway.ledger.describe import TABLES
from staking_gateway.ledger.records import Alert, AlertMessage
from staking_gateway.ledger.tables import OPEN_ALERT, alert_messages, alerts
from staking_gateway.problem import Problem, Topic
from staking_gateway.types import AccountId, StakingStatus

_Row = TypeVar("_Row", bound=records.OfEra)


def of_eras(table: sa.Table, network: str, eras: range) -> sa.Select[Any]:
    """The rows of a range of eras, in the order of their key."""
    where = table.c.network == network, table.c.era >= eras.start, table.c.era < eras.stop
    return sa.select(table).where(*where).order_by(*table.primary_key.columns)


_status = tables.account_statuses.c


class Statuses(LedgerPart):
    """Staking statuses: a part of `Ledger`."""

    def record_statuses(
        self, network: str, era: int, statuses: Iterable[tuple[AccountId, StakingStatus]], *, keep_from: int = 0
    ) -> int:
        """Store the statuses of accounts in an era; returns their number. Statuses of eras before `keep_from` are deleted, with each call those of the
        two oldest eras, so that others need not wait for it.
        """
        about = {"network": network, "era": era, "checked_at": self._database.now()}
        rows = {
            account.hex: {**about, "account_key": account.hex, "address": account.address, "status": status}
            for account, status in statuses
        }
        self._database.put(tables.account_statuses, *rows.values())
        if keep_from > 0:
            oldest = sa.select(sa.func.min(_status.era)).where(_status.network == network).scalar_subquery()
            old = _status.network == network, _status.era < keep_from, _status.era <= oldest + 1
            with self._database.writing() as connection:
                connection.execute(tables.account_statuses.delete().where(*old))
        return len(rows)

    def newest_status_era(self, network: str) -> int | None:
        return self._database.value(sa.select(sa.func.max(_status.era)).where(_status.network == network))

    def statuses_of(
        self, network: str, eras: range, accounts: Collection[str] | None = None
    ) -> dict[int, dict[str, StakingStatus]]:
        """The stored staking statuses of a range of eras, of some accounts or all: era, then 0x key. Eras without any are left out."""
        of_accounts = sa.true() if accounts is None else _status.account_key.in_(accounts)
        query = of_eras(tables.account_statuses, network, eras).where(of_accounts)
        found: dict[int, dict[str, StakingStatus]] = {}
        for one in self._database.records(query, records.AccountStatus):
            found.setdefault(one.era, {})[one.account_key] = one.status
        return found

    def newest_statuses(self, network: str, eras: range, accounts: Collection[str]) -> dict[str, StakingStatus]:
        """The newest stored status of accounts, by 0x key, in a range of eras. Accounts without any are left out."""
        newest = of_eras(tables.account_statuses, network, eras).where(_status.account_key.in_(accounts)).order_by(None)
        newest = newest.with_only_columns(_status.account_key, sa.func.max(_status.era).label("era"))
        of_account = newest.group_by(_status.account_key).subquery()
        same = sa.and_(_status.era == of_account.c.era, _status.account_key == of_account.c.account_key)
        query = sa.select(tables.account_statuses).join(of_account, same).where(_status.network == network)
        return {one.account_key: one.status for one in self._database.records(query, records.AccountStatus)}


class Facts(LedgerPart):
    """Rows about eras, at `Ledger.facts`: AccountReward, AccountStatus, EraFacts and Reconciliation."""

    def note(self, *rows: records.OfEra) -> None:
        """Store rows of one kind, in place of those with the same key; None in EraFacts replaces nothing."""
        if rows:
            table = TABLES[type(rows[0])]
            self._database.put(table, *map(vars, rows), keep=table is tables.era_facts)

    def era(self, network: str, era: int) -> records.EraFacts | None:
        return next(iter(self.rows(records.EraFacts, network, range(era, era + 1))), None)

    def rows(self, record: type[_Row], network: str, eras: range, *where: sa.TextClause) -> list[_Row]:
        """The rows of a range of eras that meet all conditions, in the order of their key."""
        return self._database.records(of_eras(TABLES[record], network, eras).where(*where), record)

    def paid_on_chain(self, network: str, eras: Sequence[int]) -> set[int]:
        """The eras from the first to the last that the newest comparison saw paid on the chain."""
        known = range(eras[0], eras[-1] + 1) if eras else range(0)
        return {one.era for one in self.rows(records.Reconciliation, network, known, tables.SEEN_PAID)}


class Journal(LedgerPart):
    """Notices, failures, plans, anchors and alerts, at `Ledger.journal`."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.alerts = AlertBook(database)

    def note_once(self, network: str, era: int, kind: str, text: str) -> bool:
        """Store a notice about an era, once per kind. Returns whether it is new."""
        row = {"network": network, "era": era, "kind": kind, "text": text, "at": self._database.now()}
        insert = self._database.insert(tables.era_notices).on_conflict_do_nothing()
        with self._database.writing() as connection:
            return connection.execute(insert, row).rowcount > 0

    def notices(self, network: str, kind: str | None = None, *, since: int = 0) -> list[records.Notice]:
        """The notices about a network's eras from `since` on, in the order of the eras; all kinds, or one."""
        column = tables.era_notices.c
        where = column.network == network, column.era >= since, sa.true() if kind is None else column.kind == kind
        query = sa.select(tables.era_notices).where(*where).order_by(column.era, column.kind)
        return self._database.records(query, records.Notice)

    def note_active_era(self, network: str, active: int, history_depth: int) -> None:
        """Store the active era that the chain reports, and how many eras' rewards it keeps."""
        self._database.put(tables.active_eras, {"network": network, "active": active, "history_depth": history_depth})

    def note_failure(self, network: str, era: int | None, problem: Problem, actor: records.Actor) -> None:
        """Store why the newest try of an era's run, or of the catch-up (era None), has failed."""
        told = {"facts": problem.facts, "about": problem.about, "remedy": problem.own_remedy}
        row = {"network": network, "subject": _subject(era), "topic": problem.topic.anchor, **told}
        self._database.put(tables.task_failures, {**row, "at": self._database.now(), "run": actor.run})

    def forget_failure(self, network: str, era: int | None) -> None:
        """A later try has succeeded."""
        where = tables.task_failures.c.network == network, tables.task_failures.c.subject == _subject(era)
        with self._database.writing() as connection:
            connection.execute(tables.task_failures.delete().where(*where))

    def failures(self, network: str) -> dict[int | None, records.TaskFailure]:
        """The stored failures by era; None: the catch-up's."""
        query = sa.select(tables.task_failures).where(tables.task_failures.c.network == network)
        return {failure.era: failure for failure in self._database.rows(query, _failure)}

    def keep_plan(self, network: str, plan_hash: str, body: dict[str, Any]) -> None:
        self._database.put(tables.catch_up_plans, {"network": network, "hash": plan_hash, "body": body})

    def plan(self, network: str, plan_hash: str) -> dict[str, Any] | None:
        column = tables.catch_up_plans.c
        return self._database.value(sa.select(column.body).where(column.network == network, column.hash == plan_hash))

    def check_calendar(self, network: str, calendar: EraCalendar) -> list[EraAnchor]:
        """Refuse a calendar that moves the start of an earlier era, with ConfigError: there would be second runs. Returns the new anchors."""
        column = tables.calendar_anchors.c
        query = sa.select(column.era, column.start, column.length).where(column.network == network)
        known = self._database.records(query.order_by(column.era), EraAnchor)
        for index, stored in enumerate(known):
            if stored not in calendar.anchors[index : index + 1]:
                was = f"era {stored.era}, {stored.start.isoformat()} and {stored.length.total_seconds():g} s"
                raise ConfigError(
                    f"networks.{network}.calendar.anchors[{index}]",
                    f"the anchor was {was}, when runs were created with it; now it is another one, or gone",
                    "Restore it, and append a new anchor at the end instead: eras with runs must keep their start. If it has no "
                    f"runs, run: airflow staking ledger forget-calendar --network {network}",
                )
        return list(calendar.anchors[len(known) :])

    def agree_on_calendar(self, network: str, calendar: EraCalendar) -> None:
        """`check_calendar`, and store the new anchors before runs are created with them."""
        rows = [{"network": network, **vars(one)} for one in self.check_calendar(network, calendar)]
        if rows:
            with self._database.writing() as connection:
                connection.execute(self._database.insert(tables.calendar_anchors).on_conflict_do_nothing(), rows)

    def forget_calendar(self, network: str) -> int:
        """Delete the stored anchors, so that the next run accepts any calendar. Returns their number."""
        anchors = tables.calendar_anchors
        with self._database.writing() as connection:
            return connection.execute(anchors.delete().where(anchors.c.network == network)).rowcount


def _subject(era: int | None) -> str:
    return "" if era is None else str(era)


def _failure(row: sa.Row[Any]) -> records.TaskFailure:
    problem = Problem(Topic.of(row.topic), row.facts, row.about, own_remedy=row.remedy)
    return records.TaskFailure(int(row.subject) if row.subject else None, problem, row.at, row.run)


MOST_LISTED = 10
"""Alerts that a message lists; it counts the others."""
_LISTED = ("topic", "kind", "severity", "subject", "era", "cause", "next_step", "runbook")


class AlertBook(LedgerPart):
    """Alerts and their messages. A run claims a message, sends it and marks it as sent; if it dies in between, the next run repeats it."""

    def open(self, network: str) -> list[Alert]:
        """The open alerts of a network, oldest first."""
        # The order is that of their index: without it, SQLite reads all alerts of the network.
        query = sa.select(alerts).where(alerts.c.network == network, OPEN_ALERT)
        return self._database.records(query.order_by(alerts.c.raised_at, alerts.c.topic), Alert)

    def update(self, network: str, found: Sequence[Alert], *, clear_after: timedelta) -> int:
        """Store the alerts of a network, and create the messages about changes; returns their number.

        `found` are those whose problem is present, and those that have ended. An open one that is not among them stays as it is. An alert ends
        when its problem has been absent for `clear_after`.
        """
        topics = [alert.topic for alert in found]
        query = sa.select(alerts).where(alerts.c.network == network, alerts.c.topic.in_(topics))
        groups: dict[tuple[str, str, int], list[Alert]] = {}
        with self._database.writing("alerts of a staking ledger") as connection:
            now = self._database.now(connection)
            stored = {row["topic"]: Alert(**row) for row in connection.execute(query).mappings()}
            for alert, is_sent in _changes(stored, found, now, clear_after):
                connection.execute(self._database.upsert(alerts), vars(alert))
                if is_sent:
                    over = alert.state == "over"
                    key = ("cleared", alert.kind, 0) if over else ("raised", alert.kind, alert.rank)
                    groups.setdefault(key, []).append(alert)
            for (phase, kind, _), sent in sorted(groups.items(), key=lambda item: item[0]):
                listed = [{name: getattr(alert, name) for name in _LISTED} for alert in sent[:MOST_LISTED]]
                about = (uuid.uuid4().hex, network, phase, kind, sent[0].severity, listed)
                connection.execute(alert_messages.insert(), vars(AlertMessage(*about, now, [], len(sent))))
        return len(groups)

    def unsent(self, network: str | None = None) -> list[AlertMessage]:
        """The messages to send, in the order of their creation; None: of all networks."""
        column = alert_messages.c
        of_network = sa.true() if network is None else column.network == network
        query = sa.select(alert_messages).where(of_network, column.sent_at.is_(None))
        order = column.made_at, column.phase, column.kind, column.id
        return self._database.records(query.order_by(*order), AlertMessage)

    def claim(self, message: AlertMessage, lease: timedelta) -> AlertMessage | None:
        """Claim a message until the lease ends. None when another run has claimed it, or it was sent."""
        now, column = self._database.now(), alert_messages.c
        free = sa.or_(column.claimed_until.is_(None), column.claimed_until <= now)
        return self._change(message, sa.and_(column.sent_at.is_(None), free), claimed_until=now + lease)

    def note_received(self, message: AlertMessage, receiver: str) -> AlertMessage | None:
        """Store that a receiver has the message. None when another run has claimed it since."""
        return self._change(message, _claimed(message), received=[*message.received, receiver])

    def end_claim(self, message: AlertMessage, *, sent: bool) -> None:
        """End the claim of a message, and mark it as sent if it was."""
        self._change(message, _claimed(message), claimed_until=None, sent_at=self._database.now() if sent else None)

    def _change(self, message: AlertMessage, where: sa.ColumnElement[bool], **values: Any) -> AlertMessage | None:
        statement = alert_messages.update().where(alert_messages.c.id == message.id, where).values(**values)
        with self._database.writing() as connection:
            row = connection.execute(statement.returning(alert_messages)).mappings().first()
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
            # What became final by a mistake, such as a wrong history depth, may be open again.
            if alert.state == "open" or (alert.state == "final" and (before is None or before.state == "over")):
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
