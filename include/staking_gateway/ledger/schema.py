"""Schema of a ledger: its revision, and its creation by migrations.

Opening a ledger creates its tables. `schema_state` reads the revision without a change. `upgrade_schema` only creates the tables.
"""

from __future__ import annotations

import hashlib
import threading
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from staking_gateway.errors import LedgerError
from staking_gateway.ledger.database import Database
from staking_gateway.ledger.database_errors import NotGranted
from staking_gateway.ledger.tables import ledger_identity, metadata
from staking_gateway.ledger.views import VIEWS

HEAD = "0001"
"""The schema of this version. A ledger with another one is refused."""
VERSION_TABLE = "staking_ledger_version"
_MIGRATIONS = Path(__file__).parent / "migrations"
_HIDDEN = sa.text("""
    SELECT namespace.nspname FROM pg_class AS found JOIN pg_namespace AS namespace ON namespace.oid = found.relnamespace
    WHERE found.relname = :table AND NOT has_schema_privilege(namespace.oid, 'USAGE') AND namespace.nspname IN (
        SELECT trim(both ' "' from replace(part, '$user', current_user::text))
        FROM unnest(string_to_array(current_setting('search_path'), ',')) AS part)
    LIMIT 1""")
_AIRFLOW = sa.text("""
    SELECT namespace.nspname FROM pg_class AS found JOIN pg_namespace AS namespace ON namespace.oid = found.relnamespace
    WHERE found.relname IN ('alembic_version', 'dag_run', 'connection') AND found.relkind IN ('r', 'p')
    GROUP BY namespace.nspname HAVING count(*) = 3 LIMIT 1""")
_MAY_UPGRADE = sa.text("""
    SELECT coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AND coalesce(
        (SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = to_regclass(:table)), true)""")
_ONE_UPGRADE = threading.Lock()
"""Alembic keeps the running migration in module globals."""


@dataclass(frozen=True)
class SchemaState:
    """Schema of a ledger.

    :param ledger: its URL without password.
    :param current: revision of its schema; None while it is empty.
    :param head: the revision of this version of the package.
    :param upgradable: whether this login may create or change its tables.
    """

    ledger: str
    current: str | None
    head: str
    upgradable: bool = True

    @property
    def up_to_date(self) -> bool:
        """Whether the schema is that of this version."""
        return self.current == self.head

    @property
    def of_another_version(self) -> bool:
        """Whether another version of this package made it."""
        return self.current not in (None, self.head)


def schema_state(url: str) -> SchemaState:
    """Read the schema of a ledger without a change.

    :raises LedgerError: it cannot be read, or is a database of another program.
    """
    with closing(Database(url)) as database:
        if database.missing:
            return SchemaState(database.name, None, HEAD)
        with database.reading() as connection:
            revision = _revision(connection, database)
            return SchemaState(database.name, revision, HEAD, _may_upgrade(connection, VERSION_TABLE))


def identity_of(url: str) -> str | None:
    """The identity of a ledger, made with its tables. None: it does not exist yet.

    The identity of an SQLite file includes the file's number in its file system (inode): a moved file keeps it, a copy has another one.

    :raises LedgerError: it cannot be read, or is a database of another program.
    """
    with closing(Database(url)) as database:
        if database.missing:
            return None
        with database.reading() as connection:
            if _revision(connection, database) is None:
                return None
            identity = connection.execute(sa.select(ledger_identity.c.identity)).scalar()
    file = sa.make_url(url).database if database.is_sqlite else None
    if identity is None or not file:
        return identity
    return hashlib.blake2b(f"{identity} {Path(file).stat().st_ino}".encode(), digest_size=16).hexdigest()


def upgrade_schema(url: str) -> SchemaState:
    """Create the tables of a ledger. Raises as `ensure_schema`."""
    with closing(Database(url)) as database:
        ensure_schema(database)
    return schema_state(url)


def ensure_schema(database: Database) -> None:
    """Create the ledger's tables; one quick query when they exist.

    :raises LedgerError: another version of this package made the ledger, or it is a database of another program.
    """
    revision = current_revision(database)
    _check_version(revision, database)
    if revision is None:
        with _ONE_UPGRADE:
            _upgrade(database)
    database.prefer_wal()


def current_revision(database: Database) -> str | None:
    """Revision of the schema, or None for an empty database. Raises LedgerError as `schema_state`."""
    with database.reading() as connection:
        return _revision(connection, database)


def _revision(connection: sa.Connection, database: Database) -> str | None:
    # Read the tables once, because another process may be creating them.
    present = set(sa.inspect(connection).get_table_names())
    if VERSION_TABLE in present:
        revision = connection.execute(sa.text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar()  # noqa: S608
        if revision is not None:
            return str(revision)
    elif not database.is_sqlite:
        _check_server(connection, database)
    # A PostgreSQL database may be shared, a file is not.
    foreign = present - {VERSION_TABLE} if database.is_sqlite else present & {*metadata.tables, *VIEWS}
    if foreign:
        raise LedgerError(
            f"The ledger at {database.name} is a database of another program: it has a table {min(foreign)!r}, and no "
            f"version in {VERSION_TABLE}",
            remedy="Name another database; nothing was changed",
        )
    return None


def _check_server(connection: sa.Connection, database: Database) -> None:
    """Refuse a PostgreSQL database with a forbidden ledger, or with Airflow's tables."""
    hidden = _forbidden_schema_of(connection, VERSION_TABLE)
    if hidden is not None:
        quoted = connection.dialect.identifier_preparer.quote(hidden)
        raise NotGranted(
            f"The ledger at {database.name} is in schema {hidden!r}, which its login may not use",
            remedy=f"Have the schema's owner run: GRANT USAGE ON SCHEMA {quoted} TO <login>; nothing was changed",
        )
    airflow = airflow_schema(connection)
    if airflow is not None:
        raise LedgerError(
            f"The ledger at {database.name} would share Airflow's own database, whose tables are in schema {airflow!r}",
            remedy="Create a database for the ledger alone, and set Schema of the ledger's connection to its name; nothing was changed",
        )


def _upgrade(database: Database) -> None:
    """Run the missing migrations in one transaction, which excludes other processes."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    with database.upgrading() as connection:
        _check_version(_revision(connection, database), database)
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def _check_version(revision: str | None, database: Database) -> None:
    if revision not in (None, HEAD):
        raise LedgerError(
            f"The ledger at {database.name} has schema {revision}, this version knows {HEAD}",
            remedy="Install the version of airflow-provider-staking-gateway that made it on this machine; nothing was changed",
        )


def _forbidden_schema_of(connection: sa.Connection, table: str) -> str | None:
    """The schema on the search path that holds a table, but forbids its use to the login; None without one."""
    return connection.execute(_HIDDEN, {"table": table}).scalar()


def airflow_schema(connection: sa.Connection) -> str | None:
    """The schema with the tables of Airflow's own database, or None."""
    return connection.execute(_AIRFLOW).scalar()


def _may_upgrade(connection: sa.Connection, table: str) -> bool:
    """Whether the login may create tables, and owns this one if it exists; True for a file."""
    return connection.dialect.name == "sqlite" or bool(connection.execute(_MAY_UPGRADE, {"table": table}).scalar())
