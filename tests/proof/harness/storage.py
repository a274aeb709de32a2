"""A ledger whose database fails: faults between SQLAlchemy and the driver, so that the product itself translates each error.

Wherever it is possible the database or its driver makes the error: a full page limit, a lock, a deadline, a closed socket.
"""

import os
import random
import socket
import sqlite3
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from datetime import datetime, timezone
from functools import partial
from typing import Any

import psycopg2  # type: ignore[import-untyped]
import sqlalchemy as sa
from psycopg2.extensions import TRANSACTION_STATUS_IDLE  # type: ignore[import-untyped]

from staking_gateway.ledger import Ledger
from tests.proof.harness.processes import pause
from tests.support.ledgers import heard

_WRITES = ("BEGIN", "INSERT", "UPDATE", "DELETE")
_SQLSTATES = {"disk-full": "53100", "locked": "55P03", "serialisation": "40001", "deadline": "57014"}
FAULTS = (*_SQLSTATES, "lost")
"""What can happen instead of a statement or a commit. `lost`: the connection, and the transaction with it."""
UNANSWERED = "commit-unanswered"
"""Committed, and the connection is lost before the answer."""
_READ_SHARE = 0.1
"""Reads are many: where each failed as often as a write, nothing would get as far as a write."""
_LONG_QUERY = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 10000) SELECT max(i) FROM n"
_NO_PAGE_LIMIT = 2**30 - 1


class Storage:
    """A ledger of this process, for one schedule after the other, with the faults of its database.

    A write lets other processes run before it begins, sometimes before its later statements and its commit, and after its
    commit. `stopped`: the server does not run, and no connection can be made.

    :param url: of SQLite or PostgreSQL.
    """

    def __init__(self, url: str) -> None:
        self._url = sa.make_url(url)
        self._is_sqlite = self._url.get_backend_name() == "sqlite"
        self.clock: Callable[[], datetime] = lambda: datetime.now(timezone.utc)
        self.counts: Counter[str] = Counter()
        self.war(None)
        # No process waits for a lock, because its holder runs on in this same thread.
        others = self._url.query.get("options", "")
        brief = {"timeout": "0"} if self._is_sqlite else {"options": f"{others} -c lock_timeout=50"}
        url = self._url.update_query_dict(brief).render_as_string(hide_password=False)
        with heard("do_connect", self._adopt):
            self.ledger = Ledger(url, clock=lambda: self.clock())  # noqa: PLW0108 - each schedule has a clock

    def war(self, draw: random.Random | None) -> None:
        """Choose the faults of a schedule: few kinds, and often. None: no more faults, and the server runs."""
        self._draw, self.stopped, self._chances = draw, False, {}
        if draw is not None and draw.random() < 0.7:
            chosen = draw.sample((*FAULTS, UNANSWERED), draw.randint(1, 3))
            self._chances = {name: draw.choice((0.02, 0.1, 0.3)) for name in chosen}

    def _adopt(self, dialect: sa.Dialect, *_: Any) -> None:
        if not sa.event.contains(dialect, "do_execute", self._execute):
            sa.event.listen(dialect, "do_connect", self._connect)
            sa.event.listen(dialect, "do_execute", self._execute)
            dialect.do_commit = self._commit  # type: ignore[method-assign] # SQLAlchemy has no event around it

    def _connect(self, _dialect: sa.Dialect, *_: Any) -> Any:
        if not self.stopped:
            return None
        self.counts["ledger: server stopped"] += 1
        return sqlite3.connect("/nowhere/ledger.db") if self._is_sqlite else psycopg2.connect(host="127.0.0.1", port=1)

    def _execute(self, cursor: Any, statement: str, _parameters: Any, _context: Any) -> None:
        connection, writes = cursor.connection, statement.lstrip().startswith(_WRITES)
        if writes and (not self._in_transaction(connection) or self._happens(0.1)):
            pause()
        self._fail(connection, 1 if writes else _READ_SHARE)

    def _commit(self, dbapi_connection: Any) -> None:
        connection = dbapi_connection.dbapi_connection
        if not self._in_transaction(connection):
            return
        if self._happens(0.2):
            pause()
        self._fail(connection, 1)
        unanswered = self._met(UNANSWERED, 1)
        connection.commit()
        if unanswered:
            self._lose(connection)
        pause()

    def _in_transaction(self, connection: Any) -> bool:
        if self._is_sqlite:
            return bool(connection.in_transaction)
        return bool(connection.info.transaction_status != TRANSACTION_STATUS_IDLE)

    def _happens(self, probability: float) -> bool:
        return probability > 0 and self._draw is not None and self._draw.random() < probability

    def _met(self, name: str, share: float) -> bool:
        met = self._happens(share * self._chances.get(name, 0))
        self.counts[f"ledger: {name}"] += met
        return met

    def _fail(self, connection: Any, share: float) -> None:
        """Raise the driver's error of a fault that the seed wants here."""
        if self.stopped:
            self.counts["ledger: server stopped"] += 1
            self._lose(connection)
        for name in FAULTS:
            if self._met(name, share):
                if name == "lost":
                    self._lose(connection)
                elif self._is_sqlite:
                    self._fail_sqlite(connection, name)
                else:
                    raised = (
                        f"RAISE EXCEPTION 'the server was told to fail: {name}' USING ERRCODE = '{_SQLSTATES[name]}'"
                    )
                    connection.cursor().execute(f"DO $$ BEGIN {raised}; END $$")

    def _fail_sqlite(self, connection: sqlite3.Connection, name: str) -> None:
        if name == "disk-full":
            connection.execute("PRAGMA max_page_count = 1")
            try:
                connection.execute("CREATE TABLE filler AS SELECT zeroblob(1000000)")
            finally:
                connection.execute(f"PRAGMA max_page_count = {_NO_PAGE_LIMIT}")
        elif name == "deadline":
            connection.set_progress_handler(partial(next, iter([1]), 0), 1)  # interrupts once
            connection.execute(_LONG_QUERY).fetchall()
        else:  # SQLite has no other word for a serialisation failure
            with closing(sqlite3.connect(str(self._url.database), timeout=0, isolation_level=None)) as rival:
                rival.execute("BEGIN IMMEDIATE")
                connection.execute("BEGIN IMMEDIATE")

    def _lose(self, connection: Any) -> None:
        """Lose the connection and what it has not committed. A file has none: its disk fails."""
        if self._is_sqlite:
            connection.rollback()
            raise sqlite3.OperationalError("disk I/O error")
        with socket.socket(fileno=os.dup(connection.fileno())) as wire:
            wire.shutdown(socket.SHUT_RDWR)
        connection.cursor().execute("SELECT 1")
