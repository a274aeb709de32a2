"""Rights of a PostgreSQL login, and other programs' tables in a ledger's database. A file has no logins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

if TYPE_CHECKING:
    from staking_gateway.ledger.database import Database

_HIDDEN = sa.text("""
    SELECT namespace.nspname FROM pg_class AS found JOIN pg_namespace AS namespace ON namespace.oid = found.relnamespace
    WHERE found.relname = :table AND NOT has_schema_privilege(namespace.oid, 'USAGE') AND namespace.nspname IN (
        SELECT trim(both ' "' from replace(part, '$user', current_user::text))
        FROM unnest(string_to_array(current_setting('search_path'), ',')) AS part)
    LIMIT 1""")
_AIRFLOWS = sa.text("""
    SELECT namespace.nspname FROM pg_class AS found JOIN pg_namespace AS namespace ON namespace.oid = found.relnamespace
    WHERE found.relname IN ('alembic_version', 'dag_run', 'connection') AND found.relkind IN ('r', 'p')
    GROUP BY namespace.nspname HAVING count(*) = 3 LIMIT 1""")
_MAY_UPGRADE = sa.text("""
    SELECT coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AND coalesce(
        (SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = to_regclass(:table)), true)""")


def forbidden_schema_of(connection: sa.Connection, table: str) -> str | None:
    """The schema on the login's search path that holds a table and that the login may not use, or None.

    PostgreSQL hides the tables of such a schema, so its ledger seems to be missing.
    """
    return connection.execute(_HIDDEN, {"table": table}).scalar()


def airflow_schema(connection: sa.Connection) -> str | None:
    """The schema with the tables of Airflow's own database, or None."""
    return connection.execute(_AIRFLOWS).scalar()


def may_upgrade(connection: sa.Connection, table: str) -> bool:
    """Whether the login may create tables, and owns the ledger's tables if they exist.

    :param table: a table of the ledger.
    """
    return bool(connection.execute(_MAY_UPGRADE, {"table": table}).scalar())


def can_upgrade(database: Database, table: str) -> bool:
    """`may_upgrade` for any database; True for a file."""
    if database.is_sqlite:
        return True
    with database.reading() as connection:
        return may_upgrade(connection, table)


def beside_airflow(database: Database) -> str | None:
    """`airflow_schema` for any database; None for a file."""
    if database.is_sqlite:
        return None
    with database.reading() as connection:
        return airflow_schema(connection)
