"""Whether the ledger may be signed in: a person stopped it, or it was restored."""

from dataclasses import fields
from typing import Any

import sqlalchemy as sa

from staking_gateway.errors import LedgerConflict, LedgerError
from staking_gateway.ledger.database import LedgerPart, NotGranted
from staking_gateway.ledger.records import Actor, Mark
from staking_gateway.ledger.tables import FLOOR, ledger_identity, ledger_marks, payout_copies, payout_sightings
from staking_gateway.problem import Topic

_LOCK = "marks of a staking ledger"
_MARKS = sa.select(*(ledger_marks.c[one.name] for one in fields(Mark))).order_by(ledger_marks.c.id.desc())
_RESTORE = _MARKS.where(ledger_marks.c.kind == "restored")
_STOP = _MARKS.where(ledger_marks.c.kind.in_(("stopped", "released")))
_SERVER = sa.text("""
    SELECT system_identifier::text, substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8), server, timeline
    FROM pg_control_system(), ledger_identity WHERE NOT pg_is_in_recovery()""")
"""The server's system identifier and timeline, and those that were seen last."""


class LedgerStopped(LedgerError):
    """A person stopped the ledger: nothing is signed or sent."""

    def __init__(self, stop: Mark) -> None:
        super().__init__(
            f"The ledger was stopped at {stop.at.isoformat(timespec='seconds')} by {stop.run}: {stop.why}",
            topic=Topic.STOPPED,
            remedy=Topic.STOPPED.remedy,
        )


class Standing(LedgerPart):
    """The stop and the marks of a ledger. A restored or replaced PostgreSQL server is detected, where the login may read and store its identity. Else a
    person calls `restored`.
    """

    _detects: bool

    def mark(self) -> Mark | None:
        """The newest mark of a restore."""
        self._detect()
        with self._database.reading() as connection:
            return _newest(connection, _RESTORE)

    def restored(self, why: str, actor: Actor) -> Mark:
        """Mark the ledger as restored: it may lack what was signed and sent before."""
        with self._database.writing(_LOCK) as connection:
            return self._set_mark(connection, "restored", why, actor)

    def stop(self, why: str, actor: Actor) -> Mark:
        """Stop the ledger. When this returns, nothing is signed or counted any more; a stopped ledger keeps its first reason."""
        with self._database.writing(_LOCK) as connection:
            return _stop(connection) or self._set_mark(connection, "stopped", why, actor)

    def go(self, actor: Actor) -> bool:
        """End the stop. Returns whether the ledger was stopped."""
        with self._database.writing(_LOCK) as connection:
            stop = _stop(connection)
            if stop is not None:
                self._set_mark(connection, "released", f"the end of: {stop.why}", actor)
            return stop is not None

    def stopped(self) -> Mark | None:
        with self._database.reading() as connection:
            return _stop(connection)

    def _allow(self, connection: sa.Connection, mark: Mark | None) -> None:
        """Refuse to sign or send in a stopped ledger, or after an unseen mark. The caller has its row: to wait for one would keep a stop waiting."""
        self._database.lock(connection, _LOCK)
        if self._moved(connection):
            raise LedgerConflict("The ledger's server was restored or replaced; read its mark again")
        stop = _stop(connection)
        if stop is not None:
            raise LedgerStopped(stop)
        if _newest(connection, _RESTORE) != mark:
            raise LedgerConflict("The ledger was restored since its mark was read; read it again")

    def _set_mark(self, connection: sa.Connection, kind: str, why: str, actor: Actor) -> Mark:
        copies = connection.scalar(sa.select(sa.func.max(payout_copies.c.id))) or 0
        floor = connection.scalar(sa.select(sa.func.max(payout_sightings.c.began)).where(FLOOR))
        now = self._database.now(connection)
        # The clock may have gone back: the nonces that were read after an earlier mark are older than this one.
        mark = Mark(now if floor is None else max(now, floor), why, actor.run, copies, kind)
        connection.execute(ledger_marks.insert(), vars(mark))
        return mark

    def _moved(self, connection: sa.Connection) -> bool:
        """Whether PostgreSQL's server is another one, or has another timeline, than when it was last seen."""
        if not self._detects:
            return False
        seen = connection.execute(_SERVER).first()
        return seen is not None and seen[:2] != seen[2:]

    def _detect(self) -> None:
        """Set a mark when the server has moved, if this login may see and store it."""
        self._detects = not self._database.is_sqlite
        try:
            with self._database.reading() as connection:
                if not self._moved(connection):
                    return
            with self._database.writing(_LOCK) as connection:
                server, timeline, *seen = connection.execute(_SERVER).one()
                connection.execute(ledger_identity.update().values(server=server, timeline=timeline))
                if None not in seen and seen != [server, timeline]:
                    why = f"PostgreSQL's system identifier and timeline changed from {'/'.join(seen)} to {server}/{timeline}"
                    self._set_mark(connection, "restored", why, Actor("the ledger itself"))
        except NotGranted:
            self._detects = False


def _newest(connection: sa.Connection, marks: sa.Select[Any]) -> Mark | None:
    row = connection.execute(marks).first()
    return None if row is None else Mark(*row)


def _stop(connection: sa.Connection) -> Mark | None:
    mark = _newest(connection, _STOP)
    return None if mark is None or mark.kind == "released" else mark
