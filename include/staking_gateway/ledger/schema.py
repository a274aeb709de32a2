"""Which schema a ledger has, and bringing it up to date.

A ledger is brought up to date when it is opened. A command can tell first, with `schema_state`, and do only that, with
`upgrade_schema`.
"""

from __future__ import annotations

import threading
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from staking_gateway.errors import LedgerError
from staking_gateway.ledger.database import Database
from staking_gateway.ledger.failures import NotGranted
from staking_gateway.ledger.rights import airflows_schema, can_upgrade, hidden_in, may_upgrade
from staking_gateway.ledger.tables import metadata

HEAD = "0004"
"""The newest migration this code knows; older ledgers are brought up to it, newer ones are refused."""
VERSION_TABLE = "staking_ledger_version"
_MIGRATIONS = Path(__file__).parent / "migrations"
_ONE_UPGRADE = threading.Lock()
"""Alembic keeps the migration under way in module globals."""


@dataclass(frozen=True)
class SchemaState:
    """What schema a ledger has.

    :param ledger: its URL without password.
    :param current: revision of its schema; None while it is empty.
    :param head: the newest revision this version of the package knows.
    :param upgradable: whether this login may make it, or bring it up to date; of another it is the tables' owner who may.
    """

    ledger: str
    current: str | None
    head: str
    upgradable: bool = True

    @property
    def up_to_date(self) -> bool:
        """Whether there is nothing to do."""
        return self.current == self.head

    @property
    def newer(self) -> bool:
        """Whether a later version of this package has made it: then the package is to be upgraded, not the ledger."""
        # Revisions are numbers of the same length; one that is not known here comes from a later version.
        return self.current is not None and self.current > self.head


def schema_state(url: str) -> SchemaState:
    """Read the schema of a ledger; nothing is changed or made.

    :raises LedgerError: it cannot be read, or is a database of something else.
    """
    with closing(Database(url)) as database:
        if database.missing:
            return SchemaState(database.name, None, HEAD)
        return SchemaState(database.name, current_revision(database), HEAD, can_upgrade(database, VERSION_TABLE))


def upgrade_schema(url: str) -> SchemaState:
    """Bring a ledger up to date, or make it.

    :raises LedgerError: as of opening it.
    """
    with closing(Database(url)) as database:
        ensure_schema(database)
    return schema_state(url)


def ensure_schema(database: Database) -> None:
    """Bring the ledger's tables up to date; does nothing, cheaply, when they are.

    :raises LedgerError: the ledger was written by a newer version of this package, or is a database of something else.
    """
    if current_revision(database) != HEAD:
        with _ONE_UPGRADE:
            _upgrade(database)
    database.prefer_wal()


def current_revision(database: Database) -> str | None:
    """Revision of the schema, or None for an empty database.

    :raises NotGranted: the login may not look.
    :raises LedgerError: the database is one of something else.
    """
    with database.reading() as connection:
        return _revision(connection, database)


def _revision(connection: sa.Connection, database: Database) -> str | None:
    # One look at the tables, since another first user may be making them.
    present = set(sa.inspect(connection).get_table_names())
    if VERSION_TABLE in present:
        revision = connection.execute(sa.text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar()  # noqa: S608
        if revision is not None:
            return str(revision)
    elif not database.is_sqlite:
        _check_server(connection, database)
    # A PostgreSQL database may be shared, a file is not.
    foreign = present - {VERSION_TABLE} if database.is_sqlite else present & set(metadata.tables)
    if foreign:
        raise LedgerError(
            f"The ledger at {database.name} is a database of something else: it has a table {min(foreign)!r} and no "
            f"ledger's version in {VERSION_TABLE}. Name another one; nothing was changed"
        )
    return None


def _check_server(connection: sa.Connection, database: Database) -> None:
    """See that a PostgreSQL database without a ledger in sight may be given one."""
    hidden = hidden_in(connection, VERSION_TABLE)
    if hidden is not None:
        quoted = connection.dialect.identifier_preparer.quote(hidden)
        raise NotGranted(
            f"The ledger at {database.name} is there, in schema {hidden!r}, which its login may not use. "
            f"Have the schema's owner run: GRANT USAGE ON SCHEMA {quoted} TO <login>; nothing was changed"
        )
    airflows = airflows_schema(connection)
    if airflows is not None:
        raise LedgerError(
            f"The ledger at {database.name} would be made in Airflow's own database: its tables are in schema {airflows!r}. "
            "Make a database for the ledger alone, on the same server if you like, and name it as Schema of the ledger's "
            "connection; nothing was changed"
        )


def _upgrade(database: Database) -> None:
    """Run the missing migrations in one transaction, which also keeps two first users apart."""
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    _check_known(current_revision(database), known, database)
    with database.upgrading() as connection:
        revision = _revision(connection, database)
        _check_known(revision, known, database)
        _check_owner(connection, revision, database)
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def _check_known(revision: str | None, known: set[str], database: Database) -> None:
    if revision is not None and revision not in known:
        raise LedgerError(
            f"The ledger at {database.name} has schema {revision}, this version knows {HEAD}. "
            "Upgrade airflow-provider-staking-gateway on this machine; nothing was changed"
        )


def _check_owner(connection: sa.Connection, revision: str | None, database: Database) -> None:
    if revision is not None and not database.is_sqlite and not may_upgrade(connection, VERSION_TABLE):
        raise NotGranted(
            f"The ledger at {database.name} has schema {revision}, this version's is {HEAD}, and its login may not upgrade it. "
            "Run `airflow staking ledger upgrade` with a connection of the login that owns its tables; nothing was changed"
        )


def migration_options() -> dict[str, Any]:
    """Options for Alembic's environment."""
    # Alembic takes SQLite for a database that cannot make tables in a transaction; begun by hand, as here, it can.
    return {"version_table": VERSION_TABLE, "transaction_per_migration": False, "transactional_ddl": True}
