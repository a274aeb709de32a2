"""Connections to a ledger's database, and translation of its errors, which quote no statement and no value: these hold signatures.

In SQLite, writers queue. In PostgreSQL's READ COMMITTED, an update that loses a race changes no row.
"""

import logging
import os
import re
import time
import weakref
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from staking_gateway.eras import utc_now
from staking_gateway.errors import InvalidInput, LedgerConflict, LedgerError, StakingGatewayError
from staking_gateway.text import without_signatures

_T = TypeVar("_T")
_DRIVERS = {
    "sqlite": "sqlite",
    "sqlite+pysqlite": "sqlite",
    "postgres": "postgresql+psycopg2",
    "postgresql": "postgresql+psycopg2",
    "postgresql+psycopg2": "postgresql+psycopg2",
}
"""Schemes of a URL. Each names its driver, because SQLAlchemy's default depends on its version."""
_SPELLING = "Write sqlite:////path/to/file or postgresql://user@host/database"
_LOGGING_NAME = "staking_ledger"
# At DEBUG, SQLAlchemy logs rows with signatures.
logging.getLogger(f"sqlalchemy.engine.Engine.{_LOGGING_NAME}").addFilter(lambda record: record.levelno > logging.DEBUG)

_LONGEST_STATEMENT = 300
"""Seconds."""
_STEPS = 1_000_000
"""SQLite looks at the clock each time it has executed so many instructions."""
_CONNECT: dict[str, dict[str, Any]] = {
    # No implicit transactions: reading needs none, and writing takes the lock at once.
    "sqlite": {"isolation_level": None, "timeout": 30},
    # Detects a lost server within a minute (PostgreSQL manual, section 34.1.2).
    "postgresql": {
        "connect_timeout": 10,
        "keepalives_idle": 30,
        "keepalives_interval": 10,
        "keepalives_count": 3,
        "tcp_user_timeout": 30_000,
    },
}
"""Arguments of a new connection; the URL overrides them."""
_SESSION = {
    "sqlite": ("PRAGMA synchronous=FULL", "PRAGMA foreign_keys=ON"),
    "postgresql": (
        "SET lock_timeout = '30s'",
        f"SELECT set_config('statement_timeout', '{_LONGEST_STATEMENT}s', false) WHERE current_setting('statement_timeout') = '0'",
        # A payload is sent after its record is committed: a crash of the server could else lose the record.
        "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'",
    ),
}

_FOREIGN = (ValueError, OverflowError, LookupError, OSError)
"""What drivers and types also raise."""
_LOST_RACES = ("40001", "40P01")
"""SQLSTATE of a serialization failure and of a deadlock: another process was faster, and nothing was written."""
_NOT_GRANTED = "42501"
_REMEDIES = {
    r"unable to open": "Its folder must exist, and this user must be able to read and write folder and file",
    r"readonly": "Give this user the right to write the file, those beside it that end in -wal and -shm, and its folder",
    r"is full|\(53100": "Free space for it; the change was not made, and the next call repeats it",
    r"locked|\(55P03": "Another process holds it; wait for that process or end it, and try again",
    r"interrupted|\(57014": "A statement took longer than its time limit; try again when the database is less busy",
    r"not a database": "The file is not an SQLite database; name another one. Nothing was changed",
    r"malformed": "The file is damaged; restore it from a backup",
    r"certificate": "Check sslrootcert, sslcert and sslkey of its connection, and the name in the server's certificate",
    r"\(25006": "This server only reads; name the primary one",
    rf"\({_NOT_GRANTED}": "Grant its login the right to use its schema and tables; for an upgrade also the right to create tables there",
    r"\((\)|28|3D|3F|53|57)": "Check that the server runs, and host, port, database, login and password of its connection; "
    "the next call reconnects and reads the stored records",
    r"": "A value does not fit the ledger's tables, or another program changed them; fix the tables, or restore a backup",
}
"""A pattern of a message with its SQLSTATE in brackets, to the remedy; the first counts. `()`: libpq without a connection."""


class NotGranted(LedgerError):
    """The login lacks a right; the owner of the tables or of the schema can grant it."""


class Database:
    """Connections to one ledger, and its clock. The URL's query may hold SQLite's `timeout` or libpq's options."""

    def __init__(self, url: str, clock: Callable[[], datetime] = utc_now) -> None:
        self.url = _parse(url)
        self._clock = clock
        self.name = ledger_name(self.url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self.file = Path(self.url.database or "") if self.is_sqlite else None
        options: dict[str, Any] = {} if self.is_sqlite else {"isolation_level": "READ COMMITTED", "pool_pre_ping": True}
        given = _CONNECT[self.url.get_backend_name()]
        options["connect_args"] = {name: value for name, value in given.items() if name not in self.url.query}
        try:
            self._engine = sa.create_engine(self.url, hide_parameters=True, logging_name=_LOGGING_NAME, **options)
        except ImportError as error:
            raise LedgerError(
                f"The ledger at {self.name} needs a driver ({error})",
                remedy="Install airflow-provider-staking-gateway[postgres]",
            ) from None
        _watch(self._engine, weakref.proxy(self))
        autocommit = self._engine.execution_options(isolation_level="AUTOCOMMIT")
        self._readers = self._engine if self.is_sqlite else autocommit
        # Without it the collector closes the connections of a forgotten ledger, some time later.
        weakref.finalize(self, self._engine.dispose).atexit = False

    @property
    def missing(self) -> bool:
        return self.file is not None and not self.file.exists()

    def make_file(self) -> None:
        with self._translated_errors():
            if self.file is not None:
                os.close(os.open(self.file, os.O_CREAT | os.O_WRONLY, 0o600))  # for its user alone

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A connection on which each statement sees all earlier commits."""
        with self._translated_errors(), self._readers.connect() as connection:
            yield connection

    @contextmanager
    def writing(self, lock: str | None = None) -> Iterator[sa.Connection]:
        """A connection in a transaction, which holds the named `lock`."""
        with self._translated_errors(), self._engine.begin() as connection:
            if self.is_sqlite:
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            if lock is not None:
                self.lock(connection, lock)
            yield connection

    def lock(self, connection: sa.Connection, name: str) -> None:
        """Hold a lock until the end of the transaction. A file has one writer at a time anyway."""
        if not self.is_sqlite:
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(zlib.crc32(name.encode()))))

    def rows(self, query: sa.Select[Any], read: Callable[[sa.Row[Any]], _T]) -> list[_T]:
        with self.reading() as connection:
            return [read(row) for row in connection.execute(query)]

    def records(self, query: sa.Select[Any], record: type[_T]) -> list[_T]:
        with self.reading() as connection:
            return [record(**row) for row in connection.execute(query).mappings()]

    def value(self, query: sa.Select[Any]) -> Any | None:
        """The first column of a query's first row, if any."""
        with self.reading() as connection:
            return connection.scalar(query.limit(1))

    def insert(self, table: sa.Table) -> Any:
        """An INSERT with ON CONFLICT; SQLAlchemy has one for each database."""
        return (sqlite.insert if self.is_sqlite else postgresql.insert)(table)

    def upsert(self, table: sa.Table, *, keep: bool = False) -> sa.Insert:
        """An INSERT, which changes the rows with the same primary key; with `keep`, None replaces nothing."""
        insert = self.insert(table)
        new = {one: insert.excluded[one.name] for one in table.c if not one.primary_key}
        values = {one.name: sa.func.coalesce(value, one) if keep else value for one, value in new.items()}
        statement: sa.Insert = insert.on_conflict_do_update(index_elements=table.primary_key.columns, set_=values)
        return statement

    def put(self, table: sa.Table, *rows: Mapping[str, Any], keep: bool = False) -> None:
        """Store rows, if there are any, as `upsert` does."""
        if rows:
            with self.writing() as connection:
                connection.execute(self.upsert(table, keep=keep), [*rows])

    def now(self, writer: sa.Connection | None = None) -> datetime:
        """The aware UTC time by the server's clock, or this machine's for a file; `writer` is the connection of a transaction."""
        if self.is_sqlite or self._clock is not utc_now:
            return self._clock()
        with self.reading() if writer is None else nullcontext(writer) as connection:
            moment: datetime = connection.execute(sa.select(sa.func.clock_timestamp())).scalar_one()
            return moment.astimezone(timezone.utc)

    def prefer_wal(self) -> None:
        """Let readers of a file not wait for its writer; a later call does it if the file is in use."""
        if self.is_sqlite:
            with self.reading() as connection, suppress(sa.exc.OperationalError):
                connection.exec_driver_sql("PRAGMA journal_mode=WAL")

    def close(self) -> None:
        self._engine.dispose()

    @contextmanager
    def _translated_errors(self) -> Iterator[None]:
        """Translate foreign exceptions. `from None`, because the original quotes the statement."""
        try:
            yield
        except StakingGatewayError:
            raise
        except (sa.exc.SQLAlchemyError, self._engine.dialect.loaded_dbapi.Error, *_FOREIGN) as error:
            raise translate_error(error, self.url) from None


class LedgerPart:
    """A part of a ledger, over its database."""

    def __init__(self, database: Database) -> None:
        self._database = database


def _watch(engine: sa.Engine, ledger: Database) -> None:
    """Set up each connection; of a file, refuse one that is gone, and end a statement that takes too long."""

    @sa.event.listens_for(engine, "do_connect")
    def connecting(*_: Any) -> None:
        if ledger.missing:  # SQLite would make an empty one
            remedy = "Put it back, or restore a backup; nothing was changed"
            raise LedgerError(f"The ledger at {ledger.name} is gone: its file is missing", remedy=remedy) from None

    @sa.event.listens_for(engine, "connect")
    def connect(connection: Any, record: Any) -> None:
        info = record.info
        info["file"], info["began"] = _identity(ledger.file), time.monotonic()
        cursor = connection.cursor()
        for statement in _SESSION[engine.dialect.name]:
            cursor.execute(statement)
        cursor.close()
        connection.commit()
        if ledger.is_sqlite:
            connection.set_progress_handler(lambda: time.monotonic() - info["began"] > _LONGEST_STATEMENT, _STEPS)

    @sa.event.listens_for(engine, "checkout")
    def checkout(_connection: Any, record: Any, _proxy: Any) -> None:
        if record.info["file"] != _identity(ledger.file):
            raise sa.exc.DisconnectionError("the ledger's file was moved or deleted")

    @sa.event.listens_for(engine, "before_cursor_execute")
    def begin(connection: sa.Connection, *_: Any) -> None:
        connection.info["began"] = time.monotonic()


def _parse(url: str) -> sa.URL:
    try:
        parsed = sa.make_url(url)
    except (sa.exc.ArgumentError, ValueError):  # their texts quote the URL
        raise LedgerError("The ledger's URL is not valid", remedy=_SPELLING) from None
    if parsed.drivername not in _DRIVERS:
        raise LedgerError(f"The ledger does not support {parsed.drivername}", remedy=_SPELLING)
    parsed = parsed.set(drivername=_DRIVERS[parsed.drivername])
    if parsed.get_backend_name() == "sqlite" and (
        "uri" in parsed.query or not Path(parsed.database or "").is_absolute()
    ):
        raise LedgerError("The ledger's file needs an absolute path", remedy=_SPELLING)
    return parsed


def _identity(path: Path | None) -> tuple[int, int] | None:
    if path is None:
        return None
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def ledger_name(url: sa.URL | str) -> str:
    """The URL without password and options, which may hold a password too."""
    return sa.make_url(url).set(query={}).render_as_string(hide_password=True)


def translate_error(error: Exception, url: sa.URL) -> StakingGatewayError:
    """The exception to raise instead of an error of the database, its driver or SQLAlchemy."""
    where = f"The ledger at {ledger_name(url)}"
    origin = getattr(error, "orig", None) or error
    if isinstance(origin, InvalidInput):
        return origin
    message, state = _message(origin), "-"
    if isinstance(error, sa.exc.DBAPIError) and url.get_backend_name() != "sqlite":
        state = getattr(origin, "pgcode", None) or ""
    if state in _LOST_RACES:
        told = f"{where} was changed by another process at the same time: {message}"
        return LedgerConflict(told, remedy="Read it again")
    remedy = next(remedy for pattern, remedy in _REMEDIES.items() if re.search(pattern, f"{message} ({state})"))
    return (NotGranted if state == _NOT_GRANTED else LedgerError)(f"{where} failed: {message}", remedy=remedy)


def _message(origin: Exception) -> str:
    """The first line: PostgreSQL quotes values only in later lines, another error anywhere."""
    if isinstance(origin, OSError):
        return f"unable to open database file ({origin.strerror})"
    if isinstance(origin, (sa.exc.SQLAlchemyError, *_FOREIGN)):
        return f"it cannot store or read a value ({type(origin).__name__})"
    primary = getattr(getattr(origin, "diag", None), "message_primary", None)
    line = (primary or str(origin) or type(origin).__name__).strip().splitlines()[0]
    return without_signatures(line)[:300]
