"""The clocks of the other machines: of both databases, of the scheduler and the triggerer, and of whoever wrote to the ledger.

What goes wrong when they are apart: a deferred task is woken too early or too late; a lease seems over while its owner is still
sending; a day's fees are summed for another day; logs cannot be put in order. No payment depends on them.
"""

from __future__ import annotations

from contextlib import closing
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

from staking_gateway_provider.doctor.clock import CLOSE
from staking_gateway_provider.doctor.findings import Finding, warning

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import sqlalchemy as sa
    from sqlalchemy.orm import Session

    from staking_gateway_provider.doctor.case import SetUp

_REMEDY = "Set the clocks of all machines, e.g. timedatectl set-ntp true on each; then run this again"
_NOW = {"postgresql": "SELECT clock_timestamp()", "mysql": "SELECT UTC_TIMESTAMP(6)"}
"""A database in a file has no clock of its own."""


def _apart(whose: str, theirs: datetime, ours: datetime) -> Iterator[Finding]:
    ahead = (theirs - ours).total_seconds()
    if abs(ahead) > CLOSE:
        way = "ahead of" if ahead > 0 else "behind"
        yield warning(f"{whose} clock is {abs(ahead):.0f} s {way} this machine's", _REMEDY)


def _ahead(whose: str, written: datetime | None, ours: datetime) -> Iterator[Finding]:
    """A time that was written down tells only of a clock that is ahead: one that is behind looks like an old record."""
    if written is not None and written - ours > timedelta(seconds=CLOSE):
        yield from _apart(whose, written, ours)


def _of_server(
    whose: str, dialect: str, ask: Callable[[str], datetime | None], clock: Callable[[], datetime]
) -> Iterator[Finding]:
    question = _NOW.get(dialect)
    if question is None:
        return
    before = clock()
    told = ask(question)
    if told is not None:
        theirs = told if told.tzinfo else told.replace(tzinfo=timezone.utc)
        yield from _apart(whose, theirs, before + (clock() - before) / 2)


def check_ledger_clocks(setup: SetUp) -> Iterator[Finding]:
    """The ledger's server, and those who wrote to it."""
    from staking_gateway.ledger.database import Database

    if setup.ledger is None or setup.ledger_url is None:
        return
    with closing(Database(setup.ledger_url)) as database, database.reading() as connection:
        yield from _of_server(
            "the ledger's server's", database.url.get_backend_name(), _scalar(connection), setup.clock
        )
    for name in setup.networks():
        written = setup.ledger.newest_event(name)
        if written is not None:
            yield from _ahead(f"when {written.run} last wrote to the ledger, its machine's", written.at, setup.clock())


def check_airflow_clocks(session: Session, clock: Callable[[], datetime]) -> Iterator[Finding]:
    """Airflow's database, and the processes that leave heartbeats in it."""
    from airflow.jobs.job import most_recent_job

    yield from _of_server(
        "the server of Airflow's database, its", session.get_bind().dialect.name, _scalar(session), clock
    )
    for name, job_type in (("scheduler", "SchedulerJob"), ("triggerer", "TriggererJob")):
        job = most_recent_job(job_type, session=session)
        yield from _ahead(f"the {name}'s", job.latest_heartbeat if job else None, clock())


def _scalar(connection: sa.Connection | Session) -> Callable[[str], datetime | None]:
    import sqlalchemy as sa

    return lambda question: connection.execute(sa.text(question)).scalar()
