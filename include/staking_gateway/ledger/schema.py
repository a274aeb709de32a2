"""The schema of a ledger, which opening it creates: tables, indexes, views, its identity, and guards. These are triggers, which refuse each change
that could forget what was signed or sent, because it would be signed again.
"""
# ruff: noqa: S608 - only constants are put together

import hashlib
import uuid
from collections.abc import Iterator
from contextlib import closing

import sqlalchemy as sa
from sqlalchemy.schema import CreateIndex, CreateTable

from staking_gateway.errors import LedgerError
from staking_gateway.ledger.database import Database, NotGranted
from staking_gateway.ledger.describe import metadata
from staking_gateway.ledger.tables import ledger_identity
from staking_gateway.ledger.views import VIEWS, view_statements

HEAD = "3c6b654dca25"
"""The schema of this version, a digest of what it has and of the words stored in it (a test says which). A ledger with another one is refused."""
VERSION_TABLE = "staking_ledger_version"
"""As Alembic keeps it, for the version that has a second schema."""
AIRFLOW_SCHEMA = sa.text("""
    SELECT namespace.nspname FROM pg_class AS found JOIN pg_namespace AS namespace ON namespace.oid = found.relnamespace
    WHERE found.relname IN ('alembic_version', 'dag_run', 'connection') AND found.relkind IN ('r', 'p')
    GROUP BY namespace.nspname HAVING count(*) = 3 LIMIT 1""")
"""The schema with the tables of Airflow's own database, on PostgreSQL."""


def schema_version(url: str) -> str | None:
    """The version of a ledger's schema, or None without tables. Nothing is changed; LedgerError for a database of another program."""
    with closing(Database(url)) as database:
        return _stored_version(database)


def identity_of(url: str) -> str | None:
    """The identity of a ledger, made with its tables, if it exists. A moved file keeps it, and a copy has another one: it includes the inode."""
    with closing(Database(url)) as database:
        if _stored_version(database) is None:
            return None
        identity: str | None = database.value(sa.select(ledger_identity.c.identity))
    if identity is None or database.file is None:
        return identity
    return hashlib.blake2b(f"{identity} {database.file.stat().st_ino}".encode(), digest_size=16).hexdigest()


def ensure_schema(database: Database) -> None:
    """Create the ledger's tables, unless they exist; LedgerError for a ledger of another version."""
    version = _stored_version(database)
    if version is None:
        database.make_file()
        with database.writing("schema of a staking ledger") as connection:
            version = _version(connection, database) or _create(connection)
    if version != HEAD:
        raise LedgerError(
            f"The ledger at {database.name} has schema {version}, this version knows {HEAD}",
            remedy="Install the version of airflow-provider-staking-gateway that made it on this machine; nothing was changed",
        )
    database.prefer_wal()


def _stored_version(database: Database) -> str | None:
    if database.missing:
        return None
    with database.reading() as connection:
        return _version(connection, database)


def _version(connection: sa.Connection, database: Database) -> str | None:
    # Read the tables once, because another process may be creating them.
    present = set(sa.inspect(connection).get_table_names())
    if VERSION_TABLE in present:
        version = connection.scalar(sa.text(f"SELECT version_num FROM {VERSION_TABLE}"))
        if version is not None:
            return str(version)
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
    if connection.scalar(sa.select(sa.func.current_schema())) is None:
        raise NotGranted(
            f"The ledger at {database.name} is in a schema that its login may not use, or in none",
            remedy="Have the schema's owner run: GRANT USAGE ON SCHEMA public TO <login>; nothing was changed",
        )
    airflow = connection.scalar(AIRFLOW_SCHEMA)
    if airflow is not None:
        raise LedgerError(
            f"The ledger at {database.name} would share Airflow's own database, whose tables are in schema {airflow!r}",
            remedy="Create a database for the ledger alone, and set Schema of the ledger's connection to its name; nothing was changed",
        )


_SAME = {
    "payout_events": "id = NEW.id OR payout_id = NEW.payout_id AND version = NEW.version",
    "payout_copies": "id = NEW.id",
    "payout_sends": "copy_id = NEW.copy_id AND number = NEW.number",
    "payout_sightings": "id = NEW.id",
    "ledger_marks": "id = NEW.id",
}
"""The tables to which rows are only added; in SQLite, when a new row would replace an old one."""
_ANSWER = ("answer", "answered_at", "text", "request_id")
_CHANGEABLE = {
    "payout_copies": ("chain",),
    "payout_sends": (*_ANSWER, "status", "read_at", "rejected_at", "block_number", "tx_hash"),
}
"""The columns of these tables that may change; an answer only once."""
_REFUSE = {
    "sqlite": "BEGIN SELECT RAISE(ABORT, '{table}: append-only, rows are never deleted'); END",
    "postgresql": "EXECUTE FUNCTION staking_ledger_refuses()",
}


def _guards(dialect: str) -> Iterator[str]:
    each = "FOR EACH ROW" if dialect == "postgresql" else ""
    if dialect == "postgresql":
        yield """CREATE FUNCTION staking_ledger_refuses() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION '%: append-only, rows are never deleted', TG_TABLE_NAME USING ERRCODE = '23001'; END $$"""
    for table, same in {"payouts": None, **_SAME}.items():
        refuse = _REFUSE[dialect].format(table=table)
        yield f"CREATE TRIGGER {table}_are_not_deleted BEFORE DELETE ON {table} {each} {refuse}"
        if dialect == "postgresql":
            yield f"CREATE TRIGGER {table}_are_not_truncated BEFORE TRUNCATE ON {table} FOR EACH STATEMENT {refuse}"
        if same is None:
            continue
        kept = ", ".join(one.name for one in metadata.tables[table].c if one.name not in _CHANGEABLE.get(table, ()))
        yield f"CREATE TRIGGER {table}_are_not_changed BEFORE UPDATE OF {kept} ON {table} {each} {refuse}"
        if dialect == "sqlite":  # INSERT OR REPLACE deletes without firing the triggers above
            found = f"EXISTS (SELECT 1 FROM {table} WHERE {same})"
            yield f"CREATE TRIGGER {table}_are_not_replaced BEFORE INSERT ON {table} WHEN {found} {refuse}"
    refuse = _REFUSE[dialect].format(table="payout_sends")
    yield f"""CREATE TRIGGER answers_are_not_changed BEFORE UPDATE OF {", ".join(_ANSWER)} ON payout_sends {each}
        WHEN (OLD.answer IS NOT NULL) {refuse}"""


def _create(connection: sa.Connection) -> str:
    """Create all in an empty database, or fail at the first table that exists."""
    dialect = connection.dialect.name
    for table in metadata.sorted_tables:
        connection.execute(CreateTable(table))
        # Of two indexes that serve a query alike, SQLite takes the newer one. A partial index has fewer rows, so it comes later.
        for index in sorted(table.indexes, key=lambda i: (i.dialect_options["sqlite"]["where"] is not None, i.name)):
            connection.execute(CreateIndex(index))
    for guard in _guards(dialect):
        connection.execute(sa.text(guard))
    for view in view_statements(dialect):
        connection.exec_driver_sql(view)
    connection.exec_driver_sql(f"CREATE TABLE {VERSION_TABLE} (version_num VARCHAR(32) NOT NULL PRIMARY KEY)")
    connection.exec_driver_sql(f"INSERT INTO {VERSION_TABLE} VALUES ('{HEAD}')")
    connection.execute(ledger_identity.insert(), {"identity": uuid.uuid4().hex})
    return HEAD
