"""Whether the ledger may be signed in: a person stopped it, or it was restored."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import sqlalchemy as sa

from staking_gateway.errors import LedgerConflict, LedgerError
from staking_gateway.ledger.records import Actor, Mark, Stop
from staking_gateway.ledger.tables import ledger_identity, ledger_marks, ledger_stop, payout_copies
from staking_gateway.problem import Topic

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from staking_gateway.ledger.database import Database

_LOCK = 7301846216
"""A random number, which no other program locks in this database."""
_STOP = sa.select(ledger_stop.c.at, ledger_stop.c.why, ledger_stop.c.run).where(ledger_stop.c.ended_at.is_(None))
_NEWEST_STOP = _STOP.order_by(ledger_stop.c.id.desc()).limit(1)
_NEWEST_MARK = (
    sa.select(*(ledger_marks.c[name] for name in ("at", "why", "run", "copies")))
    .order_by(ledger_marks.c.id.desc())
    .limit(1)
)
_LOOK_AGAIN_AFTER = 60.0
"""Seconds after which the server's identity is read again; sooner on a new connection."""
_MAY_DETECT = sa.text("""
    SELECT NOT pg_is_in_recovery() AND has_function_privilege('pg_control_system()', 'EXECUTE')
        AND has_function_privilege('pg_walfile_name(pg_lsn)', 'EXECUTE')
        AND has_function_privilege('pg_current_wal_lsn()', 'EXECUTE')
        AND has_column_privilege('ledger_identity', 'server', 'UPDATE')
        AND has_column_privilege('ledger_identity', 'timeline', 'UPDATE')
        AND has_table_privilege('ledger_marks', 'INSERT')""")
_SERVER = sa.text("""
    SELECT system_identifier::text AS server, substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) AS timeline
    FROM pg_control_system()""")
_SEEN = sa.select(ledger_identity.c.server, ledger_identity.c.timeline)
_DETECTED = Actor("the ledger itself")


class LedgerStopped(LedgerError):
    """A person stopped the ledger: nothing is signed or sent.

    :ivar why: the person's reason.
    """

    def __init__(self, stop: Stop) -> None:
        self.why = stop.why
        super().__init__(
            f"The ledger was stopped at {stop.at.isoformat(timespec='seconds')} by {stop.run}: {stop.why}",
            topic=Topic.STOPPED,
            remedy="Start it again when the reason is gone",
        )


class Standing:
    """The stop and the marks of a ledger.

    On PostgreSQL, a restored or replaced server sets a mark by itself: its system identifier or its timeline differs from the stored one.
    This is not detected in a file, after a restore into the same server, and with a login that may not call `pg_control_system`,
    `pg_current_wal_lsn` and `pg_walfile_name` or may not write the result. Then a person must set the mark with `restored`.
    """

    _database: Database
    _clock: Callable[[], datetime]
    _looked, _detects = float("-inf"), False

    def mark(self) -> Mark | None:
        """The newest mark of a restore."""
        self._detect()
        with self._database.reading() as connection:
            return _mark(connection)

    def restored(self, why: str, actor: Actor) -> Mark:
        """Mark the ledger as restored: it may lack what was signed and sent before."""
        with self._database.writing(_LOCK) as connection:
            return self._set_mark(connection, why, actor)

    def stop(self, why: str, actor: Actor) -> Stop:
        """Stop the ledger. When this returns, nothing is signed or counted any more; a stopped ledger keeps its first reason."""
        with self._database.writing(_LOCK) as connection:
            if _stop(connection) is None:
                connection.execute(ledger_stop.insert(), {"at": self._clock(), "why": why, "run": actor.run})
            return Stop(*connection.execute(_NEWEST_STOP).one())

    def go(self, actor: Actor) -> bool:
        """End the stop. Returns whether the ledger was stopped."""
        end = ledger_stop.update().where(ledger_stop.c.ended_at.is_(None))
        with self._database.writing(_LOCK) as connection:
            return connection.execute(end.values(ended_at=self._clock(), ended_by=actor.run)).rowcount > 0

    def stopped(self) -> Stop | None:
        with self._database.reading() as connection:
            return _stop(connection)

    def _allow(self, connection: sa.Connection, mark: Mark | None) -> None:
        """Refuse to sign or to send in a stopped ledger, or after a mark that the caller has not seen. The next caller, and a new stop or
        mark, wait until the end of this transaction.
        """
        self._database.lock(connection, _LOCK)
        if not self._database.is_sqlite and self._detects and self._database.newest_connection >= self._looked:
            self._looked = time.monotonic()
            if _changed(connection):
                self._looked = float("-inf")
                raise LedgerConflict("The ledger's server was restored or replaced; read its mark again")
        stop = _stop(connection)
        if stop is not None:
            raise LedgerStopped(stop)
        if _mark(connection) != mark:
            raise LedgerConflict("The ledger was restored since its mark was read; read it again")

    def _set_mark(self, connection: sa.Connection, why: str, actor: Actor) -> Mark:
        copies = connection.scalar(sa.select(sa.func.coalesce(sa.func.max(payout_copies.c.id), 0)))
        row = {"at": self._clock(), "why": why, "run": actor.run, "copies": copies}
        connection.execute(ledger_marks.insert(), row)
        return Mark(*connection.execute(_NEWEST_MARK).one())

    def _detect(self) -> None:
        """Set a mark when PostgreSQL's server is another one, or has another timeline, than when it was last seen."""
        since = time.monotonic() - self._looked
        if self._database.is_sqlite or (since < _LOOK_AGAIN_AFTER and self._database.newest_connection < self._looked):
            return
        with self._database.reading() as connection:
            looked = time.monotonic()
            self._detects = bool(connection.scalar(_MAY_DETECT))
            changed = self._detects and _changed(connection)
        if changed:
            with self._database.writing(_LOCK) as connection:
                server, seen = connection.execute(_SERVER).one(), connection.execute(_SEEN).one()
                connection.execute(ledger_identity.update().values(server=server.server, timeline=server.timeline))
                if None not in seen and seen != server:
                    why = f"PostgreSQL's system identifier and timeline changed from {'/'.join(seen)} to {'/'.join(server)}"
                    self._set_mark(connection, why, _DETECTED)
        self._looked = looked


def _changed(connection: sa.Connection) -> bool:
    return connection.execute(_SERVER).one() != connection.execute(_SEEN).one()


def _mark(connection: sa.Connection) -> Mark | None:
    row = connection.execute(_NEWEST_MARK).first()
    return None if row is None else Mark(*row)


def _stop(connection: sa.Connection) -> Stop | None:
    row = connection.execute(_NEWEST_STOP).first()
    return None if row is None else Stop(*row)
