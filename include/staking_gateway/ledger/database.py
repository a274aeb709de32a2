"""Connections to a ledger's database, and translation of its errors.

SQLite runs in WAL mode. Each write is one immediate transaction, so concurrent writers queue. PostgreSQL runs in READ COMMITTED, where
an update that loses a race changes no row. Both wait 30 s for a lock, then raise `LedgerError`.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import time
import weakref
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from staking_gateway.errors import LedgerError, StakingGatewayError
from staking_gateway.ledger.database_errors import ledger_name, translate_error

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping

_T = TypeVar("_T")
_OLDEST_SQLITE = (3, 35, 0)
"""The first version with RETURNING."""
_DRIVERS = {
    "sqlite": "sqlite",
    "sqlite+pysqlite": "sqlite",
    "postgres": "postgresql+psycopg2",
    "postgresql": "postgresql+psycopg2",
    "postgresql+psycopg2": "postgresql+psycopg2",
    "postgresql+psycopg": "postgresql+psycopg",
}
"""Schemes of a URL. Each names its driver, because SQLAlchemy's default depends on its version."""
_STREAMED = 1000
"""Rows of a stream that are in memory at a time."""
_SPELLING = "Write sqlite:////path/to/file or postgresql://user@host/database"
_LOGGING_NAME = "staking_ledger"

_STATEMENT_LOG = logging.getLogger(f"sqlalchemy.engine.Engine.{_LOGGING_NAME}")

_WAIT_FOR_THE_DISK = (
    "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
)
"""A payload is sent after its record is committed. With synchronous_commit off, a crash of the server could lose that record."""


def neighbours(numbers: Iterable[int]) -> list[range]:
    """Numbers as ranges without gaps, in order. A query reads the rows of a range together."""
    found: list[range] = []
    for number in sorted(numbers):
        start = found.pop().start if found and found[-1].stop == number else number
        found.append(range(start, number + 1))
    return found


@dataclass(frozen=True)
class _Backend:
    """Settings of one kind of database.

    :param insert: its INSERT with ON CONFLICT.
    :param connect: arguments of a new connection; the URL overrides them.
    :param session: statements that set up a new connection.
    :param write: first statement of a transaction that writes.
    :param upgrade: first statement of a transaction that runs migrations; it excludes other processes.
    """

    insert: Any
    connect: Mapping[str, Any]
    session: tuple[str, ...]
    write: str | None
    upgrade: str
    engine: Mapping[str, Any] = field(default_factory=dict)
    reader: Mapping[str, Any] = field(default_factory=dict)


_BACKENDS = {
    "sqlite": _Backend(
        insert=sqlite.insert,
        # No implicit transactions: reading needs none, and writing takes the lock at once.
        connect={"isolation_level": None, "timeout": 30},
        session=("PRAGMA synchronous=FULL", "PRAGMA foreign_keys=ON"),
        write="BEGIN IMMEDIATE",
        upgrade="BEGIN IMMEDIATE",
    ),
    "postgresql": _Backend(
        insert=postgresql.insert,
        # Detects a lost server within a minute (PostgreSQL manual, section 34.1.2).
        connect={
            "connect_timeout": 10,
            "keepalives_idle": 30,
            "keepalives_interval": 10,
            "keepalives_count": 3,
            "tcp_user_timeout": 30_000,
        },
        session=("SET lock_timeout = '30s'", _WAIT_FOR_THE_DISK),
        write=None,
        # A random number, which no other program locks in this database.
        upgrade="SELECT pg_advisory_xact_lock(7301846215)",
        engine={"isolation_level": "READ COMMITTED", "pool_pre_ping": True},
        reader={"isolation_level": "AUTOCOMMIT"},
    ),
}


class Database:
    """Connections to one ledger, made on first use. Threads may share it.

    :param url: SQLAlchemy URL, `sqlite:////path/to/file` or `postgresql://...`. Its query may hold SQLite's `timeout` or libpq's options.
    :raises LedgerError: the URL is not valid for a ledger.
    """

    def __init__(self, url: str) -> None:
        self.url = _parse(url)
        self.name = ledger_name(self.url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        if self.is_sqlite and sqlite3.sqlite_version_info < _OLDEST_SQLITE:
            raise LedgerError(
                f"The ledger at {self.name} needs SQLite 3.35 or newer, this Python has {sqlite3.sqlite_version}",
                remedy="Use a newer Python, or PostgreSQL",
            )
        self._backend = backend = _BACKENDS[self.url.get_backend_name()]
        self._newest = [float("-inf")]
        try:
            self._engine = _engine(self.url, backend, self._newest)
        except ImportError as error:
            raise LedgerError(
                f"The ledger at {self.name} needs a driver ({error})",
                remedy="Install airflow-provider-staking-gateway[postgres]",
            ) from None
        # Without it the collector closes the connections of a forgotten ledger, some time later.
        weakref.finalize(self, self._engine.dispose).atexit = False
        self._readers = self._engine.execution_options(**backend.reader) if backend.reader else self._engine

    @property
    def newest_connection(self) -> float:
        """When the newest connection was made, by `time.monotonic`. A server that restarts breaks the earlier ones."""
        return self._newest[0]

    @property
    def missing(self) -> bool:
        """Whether this is a file that does not exist yet; connecting would create it."""
        file = self.url.database or ""
        return self.is_sqlite and not file.startswith("file:") and not Path(file).exists()

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A connection on which each statement sees all earlier commits."""
        with self._translated_errors(), self._readers.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """A connection in a transaction, which an exception rolls back."""
        with self._translated_errors(), self._engine.begin() as connection:
            if self._backend.write is not None:
                connection.exec_driver_sql(self._backend.write)
            yield connection

    @contextmanager
    def upgrading(self) -> Iterator[sa.Connection]:
        """As `writing`, and no other process upgrades at the same time."""
        with self._translated_errors(), self._engine.begin() as connection:
            connection.exec_driver_sql(self._backend.upgrade)
            yield connection

    def rows(self, query: sa.Select[Any], read: Callable[[sa.Row[Any]], _T]) -> list[_T]:
        """The rows of a query, each converted by `read`."""
        with self.reading() as connection:
            return [read(row) for row in connection.execute(query)]

    def stream(self, query: sa.Select[Any]) -> Generator[sa.Row[Any]]:
        """The rows of a query as of one moment, for more rows than memory has room for. Close it, if not all rows are read."""
        with self._translated_errors(), self._engine.connect() as connection:
            yield from connection.execution_options(yield_per=_STREAMED).execute(query)

    def value(self, query: sa.Select[Any]) -> Any | None:
        """The first column of a query's first row; None without a row."""
        with self.reading() as connection:
            return connection.scalar(query)

    def insert(self, table: sa.Table) -> Any:
        """An INSERT with ON CONFLICT; SQLAlchemy has one for each database."""
        return self._backend.insert(table)

    def now(self) -> datetime:
        """The UTC time by one clock for all processes: the server's, or this machine's for a file."""
        if self.is_sqlite:
            return datetime.now(timezone.utc)
        with self.reading() as connection:
            moment: datetime = connection.execute(sa.select(sa.func.clock_timestamp())).scalar_one()
            return moment.astimezone(timezone.utc)

    def prefer_wal(self) -> None:
        """Switch an SQLite file to WAL mode for good, so that readers need not wait for its writer."""
        if not self.is_sqlite:
            return
        with self.reading() as connection:
            if connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal":
                return
            # WAL only makes the ledger faster. If the file is in use or read-only, a later connection switches it.
            with suppress(sa.exc.OperationalError):
                connection.exec_driver_sql("PRAGMA journal_mode=WAL")

    def close(self) -> None:
        """Close the connections; the next use opens new ones."""
        self._engine.dispose()

    @contextmanager
    def _translated_errors(self) -> Iterator[None]:
        """Translate foreign exceptions. `from None`, because the original quotes the statement."""
        # At DEBUG, SQLAlchemy logs rows with signatures. Check on every use, because logging may be configured again.
        if _STATEMENT_LOG.isEnabledFor(logging.DEBUG):
            _STATEMENT_LOG.setLevel(logging.INFO)
        try:
            yield
        except StakingGatewayError:
            raise
        except (sa.exc.SQLAlchemyError, ValueError, OverflowError, OSError) as error:
            raise translate_error(error, self.url) from None


def _parse(url: str) -> sa.URL:
    try:
        parsed = sa.make_url(url)
    except (sa.exc.ArgumentError, ValueError):  # their texts quote the URL
        raise LedgerError("The ledger's URL is not valid", remedy=_SPELLING) from None
    if parsed.drivername not in _DRIVERS:
        raise LedgerError(f"The ledger does not support {parsed.drivername}", remedy=_SPELLING)
    parsed = parsed.set(drivername=_DRIVERS[parsed.drivername])
    if parsed.get_backend_name() == "sqlite":
        _check_file(parsed)
    return parsed


def _check_file(url: sa.URL) -> None:
    """Refuse a database in memory and a relative path."""
    path = (url.database or "").removeprefix("file:")
    if not path or ":memory:" in path or "memory" in url.query.get("mode", "") or "memdb" in url.query.get("vfs", ""):
        raise LedgerError("A ledger in memory would lose its records", remedy=_SPELLING)
    if not Path(path).is_absolute():
        raise LedgerError(
            f"The ledger's file {path!r} is a relative path", remedy="Write its absolute path: sqlite:////path/to/file"
        )


def _engine(url: sa.URL, backend: _Backend, newest: list[float]) -> sa.Engine:
    arguments = {name: value for name, value in backend.connect.items() if name not in url.query}
    engine = sa.create_engine(
        url, connect_args=arguments, hide_parameters=True, logging_name=_LOGGING_NAME, **backend.engine
    )
    file = Path(url.database or "") if url.get_backend_name() == "sqlite" else None

    @sa.event.listens_for(engine, "connect")
    def connect(connection: Any, record: Any) -> None:
        record.info["file"] = _file_at(file)
        newest[0] = time.monotonic()
        cursor = connection.cursor()
        for statement in backend.session:
            cursor.execute(statement)
        cursor.close()
        connection.commit()

    @sa.event.listens_for(engine, "checkout")
    def checkout(_connection: Any, record: Any, _proxy: Any) -> None:
        if record.info["file"] != _file_at(file):
            raise sa.exc.DisconnectionError("the ledger's file was moved or deleted")

    return engine


def _file_at(path: Path | None) -> tuple[int, int] | None:
    """Device and inode of the file at a path; None without one."""
    if path is None:
        return None
    try:
        found = os.stat(path)  # noqa: PTH116 - half the time of Path.stat, before every transaction
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino
