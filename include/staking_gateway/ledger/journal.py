"""Notices about eras, failures of tasks, plans to approve, anchors of calendars, and alerts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from staking_gateway.eras.calendar import to_microseconds
from staking_gateway.errors import ConfigError
from staking_gateway.ledger.alerts import AlertBook
from staking_gateway.ledger.records import ActiveEraSeen, Notice, TaskFailure
from staking_gateway.ledger.tables import active_eras, calendar_anchors, catch_up_plans, era_notices, task_failures
from staking_gateway.problem import Problem, Topic

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from staking_gateway.eras.calendar import EraAnchor, EraCalendar
    from staking_gateway.ledger.database import Database
    from staking_gateway.ledger.records import Actor


class Journal:
    """Notices, failures, plans, anchors and alerts, at `Ledger.journal`."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._clock = clock
        self.alerts = AlertBook(database, clock)

    def note_once(self, network: str, era: int, kind: str, text: str, actor: Actor) -> bool:
        """Store a notice about an era, once per kind (at most 32 characters). Returns whether the notice is new."""
        row = {"network": network, "era": era, "kind": kind, "text": text, "at": self._clock(), "run": str(actor)}
        insert = self._database.insert(era_notices).values(row).on_conflict_do_nothing()
        with self._database.writing() as connection:
            return connection.execute(insert.returning(era_notices.c.era)).first() is not None

    def notices(self, network: str, kind: str | None = None, *, since: int = 0) -> list[Notice]:
        """The notices about a network's eras from `since` on, in the order of the eras; all kinds, or one."""
        where = [era_notices.c.network == network, era_notices.c.era >= since]
        where += [] if kind is None else [era_notices.c.kind == kind]
        query = sa.select(era_notices).where(*where).order_by(era_notices.c.era, era_notices.c.kind)
        return self._database.rows(query, lambda row: Notice(row.era, row.kind, row.text, row.at, row.run))

    def noted_eras(self, network: str, kind: str, *, since: int = 0) -> list[int]:
        """The eras from `since` on with a notice of a kind, in order."""
        where = era_notices.c.network == network, era_notices.c.kind == kind, era_notices.c.era >= since
        query = sa.select(era_notices.c.era).where(*where).order_by(era_notices.c.era)
        return self._database.rows(query, lambda row: int(row.era))

    def note_active_era(self, network: str, active: int, history_depth: int, actor: Actor) -> None:
        """Store the active era that the chain reports, instead of an earlier one.

        :param history_depth: eras for which the chain keeps rewards.
        """
        seen = self.active_era(network)
        if seen is not None and (seen.active, seen.history_depth) == (active, history_depth):
            return
        row = {"active": active, "history_depth": history_depth, "at": self._clock(), "run": str(actor)}
        insert = self._database.insert(active_eras).values(network=network, **row)
        with self._database.writing() as connection:
            connection.execute(insert.on_conflict_do_update(index_elements=("network",), set_=row))

    def active_era(self, network: str) -> ActiveEraSeen | None:
        """The newest active era that was read from the chain; None: none was."""
        query = sa.select(active_eras).where(active_eras.c.network == network)
        found = self._database.rows(query, lambda row: ActiveEraSeen(row.active, row.history_depth, row.at, row.run))
        return next(iter(found), None)

    def note_failure(self, network: str, era: int | None, problem: Problem, actor: Actor) -> None:
        """Store why a task has failed, instead of an earlier failure.

        :param era: the era that its run pays; None for a catch-up.
        """
        row = {
            "network": network,
            "subject": _subject(era),
            "topic": problem.topic.anchor,
            "facts": problem.facts,
            "about": problem.about,
            "remedy": problem.own_remedy,
            "at": self._clock(),
            "run": actor.run,
        }
        insert = self._database.insert(task_failures).values(row)
        newer = {name: insert.excluded[name] for name in row if name not in ("network", "subject")}
        with self._database.writing() as connection:
            connection.execute(insert.on_conflict_do_update(index_elements=("network", "subject"), set_=newer))

    def forget_failure(self, network: str, era: int | None) -> None:
        """Delete the failure of an era's run, or of the catch-up: a later try has succeeded."""
        where = task_failures.c.network == network, task_failures.c.subject == _subject(era)
        with self._database.writing() as connection:
            connection.execute(task_failures.delete().where(*where))

    def failures(self, network: str) -> dict[int | None, TaskFailure]:
        """The stored failures by era; None for the catch-up's."""
        query = sa.select(task_failures).where(task_failures.c.network == network)
        return {failure.era: failure for failure in self._database.rows(query, _failure)}

    def keep_plan(self, network: str, plan_hash: str, body: dict[str, Any], actor: Actor) -> None:
        """Store a plan, so that its hash can approve it."""
        row = {"network": network, "hash": plan_hash, "body": body, "made_at": self._clock(), "run": str(actor)}
        insert = self._database.insert(catch_up_plans).values(row)
        newer = {name: insert.excluded[name] for name in ("body", "made_at", "run")}
        with self._database.writing() as connection:
            connection.execute(insert.on_conflict_do_update(index_elements=("network", "hash"), set_=newer))

    def plan(self, network: str, plan_hash: str) -> dict[str, Any] | None:
        query = sa.select(catch_up_plans.c.body).where(
            catch_up_plans.c.network == network, catch_up_plans.c.hash == plan_hash
        )
        return self._database.value(query)

    def check_calendar(self, network: str, calendar: EraCalendar) -> list[EraAnchor]:
        """Refuse a calendar that moves the start of an earlier era.

        The start of an era identifies its run. With an edited anchor, a backfill would create second runs of some eras, and the schedule
        would skip others.

        :returns: the new anchors.
        :raises ConfigError: an anchor was edited or removed; the error names its old value.
        """
        given = {anchor.era: anchor for anchor in calendar.anchors}
        query = (
            sa.select(calendar_anchors).where(calendar_anchors.c.network == network).order_by(calendar_anchors.c.era)
        )
        known = self._database.rows(query, lambda row: row)
        for index, row in enumerate(known):
            anchor = given.pop(row.era, None)
            if anchor is None or (anchor.start, to_microseconds(anchor.length)) != (row.start, row.length_microseconds):
                raise _edited(network, index, row, anchor)
        if known and given and min(given) < known[-1].era:
            raise ConfigError(
                f"networks.{network}.calendar.anchors",
                f"era {min(given)} comes before the earlier anchor of era {known[-1].era}",
                "Append anchors only at the end",
            )
        return list(given.values())

    def agree_on_calendar(self, network: str, calendar: EraCalendar, actor: Actor) -> None:
        """`check_calendar`, and store the new anchors before runs are created with them."""
        rows = [
            {
                "network": network,
                "era": anchor.era,
                "start": anchor.start,
                "length_microseconds": to_microseconds(anchor.length),
                "noted_at": self._clock(),
                "run": str(actor),
            }
            for anchor in self.check_calendar(network, calendar)
        ]
        if rows:
            insert = self._database.insert(calendar_anchors).on_conflict_do_nothing()
            with self._database.writing() as connection:
                connection.execute(insert, rows)

    def forget_calendar(self, network: str) -> int:
        """Delete the stored anchors, so that the next run accepts any calendar. Returns their number."""
        with self._database.writing() as connection:
            return connection.execute(calendar_anchors.delete().where(calendar_anchors.c.network == network)).rowcount


_CATCH_UP = "catch_up"


def _subject(era: int | None) -> str:
    return _CATCH_UP if era is None else f"era:{era}"


def _era(subject: str) -> int | None:
    return None if subject == _CATCH_UP else int(subject.removeprefix("era:"))


def _failure(row: sa.Row[Any]) -> TaskFailure:
    problem = Problem(Topic.of(row.topic), row.facts, row.about, own_remedy=row.remedy)
    return TaskFailure(_era(row.subject), problem, row.at, row.run)


def _edited(network: str, index: int, row: sa.Row[Any], anchor: EraAnchor | None) -> ConfigError:
    now = "gone" if anchor is None else f"{anchor.start.isoformat()} and {anchor.length.total_seconds():g} s"
    problem = (
        f"the anchor of era {row.era} was {row.start.isoformat()} and {row.length_microseconds / 1e6:g} s, when runs were created "
        f"with it; now it is {now}"
    )
    return ConfigError(
        f"networks.{network}.calendar.anchors[{index}]",
        problem,
        "Restore it, and append a new anchor at the end instead: eras with runs must keep their start. If it has no "
        f"runs, run: airflow staking ledger forget-calendar --network {network}",
    )
