"""What the ledger remembers beside payouts: notices about eras, plans to approve, the anchors of calendars; and alerts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from staking_gateway.eras.calendar import to_microseconds
from staking_gateway.errors import ConfigError
from staking_gateway.ledger.alert_book import AlertBook
from staking_gateway.ledger.records import Notice
from staking_gateway.ledger.tables import calendar_anchors, catch_up_plans, era_notices

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from staking_gateway.eras.calendar import EraAnchor, EraCalendar
    from staking_gateway.ledger.database import Database
    from staking_gateway.ledger.records import Actor


class Journal:
    """Small facts that outlive a run. Reached as `Ledger.journal`."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._clock = clock
        self.alerts = AlertBook(database, clock)

    # --- notices -----------------------------------------------------------------------------------------------------

    def note_once(self, network: str, era: int, kind: str, text: str, actor: Actor) -> bool:
        """Write down that something is said about an era.

        :param kind: what is said, at most 32 characters; said once for each era.
        :returns: whether this is the first time.
        """
        row = {"network": network, "era": era, "kind": kind, "text": text, "at": self._clock(), "run": str(actor)}
        insert = self._database.insert(era_notices).values(row).on_conflict_do_nothing()
        with self._database.writing() as connection:
            return connection.execute(insert.returning(era_notices.c.era)).first() is not None

    def notices(self, network: str, kind: str | None = None) -> list[Notice]:
        """What was said about a network's eras, in the order of the eras.

        :param kind: only notices of this kind.
        """
        where = [era_notices.c.network == network] + ([] if kind is None else [era_notices.c.kind == kind])
        query = sa.select(era_notices).where(*where).order_by(era_notices.c.era, era_notices.c.kind)
        with self._database.reading() as connection:
            return [
                Notice(era=row.era, kind=row.kind, text=row.text, at=row.at, run=row.run)
                for row in connection.execute(query)
            ]

    # --- plans -------------------------------------------------------------------------------------------------------

    def keep_plan(self, network: str, plan_hash: str, body: dict[str, Any], actor: Actor) -> None:
        """Keep a plan, so that it can be approved by its hash."""
        row = {"network": network, "hash": plan_hash, "body": body, "made_at": self._clock(), "run": str(actor)}
        insert = self._database.insert(catch_up_plans).values(row)
        newer = {name: insert.excluded[name] for name in ("body", "made_at", "run")}
        with self._database.writing() as connection:
            connection.execute(insert.on_conflict_do_update(index_elements=("network", "hash"), set_=newer))

    def plan(self, network: str, plan_hash: str) -> dict[str, Any] | None:
        """The plan of a hash, as it was kept; None when there is none."""
        query = sa.select(catch_up_plans.c.body).where(
            catch_up_plans.c.network == network, catch_up_plans.c.hash == plan_hash
        )
        with self._database.reading() as connection:
            body: dict[str, Any] | None = connection.execute(query).scalar()
            return body

    # --- calendars ---------------------------------------------------------------------------------------------------

    def check_calendar(self, network: str, calendar: EraCalendar) -> list[EraAnchor]:
        """Refuse a calendar that moves an era it has dated before.

        Runs are found by the start of their era: were an old anchor edited, a backfill would make second runs of eras that
        have one, and the schedule would skip others.

        :returns: the anchors that are new.
        :raises ConfigError: an anchor was edited or removed; names it and what it was.
        """
        given = {anchor.era: anchor for anchor in calendar.anchors}
        query = (
            sa.select(calendar_anchors).where(calendar_anchors.c.network == network).order_by(calendar_anchors.c.era)
        )
        with self._database.reading() as connection:
            known = connection.execute(query).all()
        for index, row in enumerate(known):
            anchor = given.pop(row.era, None)
            if anchor is None or (anchor.start, to_microseconds(anchor.length)) != (row.start, row.length_microseconds):
                raise _edited(network, index, row, anchor)
        if known and given and min(given) < known[-1].era:
            raise ConfigError(
                f"networks.{network}.calendar.anchors",
                f"era {min(given)} was put in front of era {known[-1].era}, which has dated eras before",
                "Append anchors only at the end",
            )
        return list(given.values())

    def agree_on_calendar(self, network: str, calendar: EraCalendar, actor: Actor) -> None:
        """`check_calendar`, and write down the anchors that are new: runs are about to be made with them.

        :raises ConfigError: an anchor was edited or removed.
        """
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
        """Let the next run accept whatever calendar there is then.

        :returns: how many anchors were forgotten.
        """
        with self._database.writing() as connection:
            return connection.execute(calendar_anchors.delete().where(calendar_anchors.c.network == network)).rowcount


def _edited(network: str, index: int, row: sa.Row[Any], anchor: EraAnchor | None) -> ConfigError:
    was = f"{row.start.isoformat()}, with eras of {row.length_microseconds / 1e6:g} s from there on"
    problem = f"era {row.era} started at {was}, when runs were made with it"
    if anchor is None:
        problem += "; now it is gone"
    else:
        problem += f"; now it says {anchor.start.isoformat()} and {anchor.length.total_seconds():g} s"
    return ConfigError(
        f"networks.{network}.calendar.anchors[{index}]",
        problem,
        "Restore it, and append a new anchor at the end instead: eras that have runs must keep their dates. If no run was "
        f"ever made with it, run: airflow staking ledger forget-calendar --network {network}",
    )
