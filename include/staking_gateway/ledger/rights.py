"""Rights of a PostgreSQL login, and other programs' tables in a ledger's database. A file has no logins."""

from __future__ import annotations

import sqlalchemy as sa

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


def forbidden_schema_of(connection: sa.Connection, table: str) -> str | None:
    """The schema on the search path that holds a table, but forbids its use to the login; None without one."""
    return connection.execute(_HIDDEN, {"table": table}).scalar()


def airflow_schema(connection: sa.Connection) -> str | None:
    """The schema with the tables of Airflow's own database, or None."""
    return connection.execute(_AIRFLOW).scalar()


def may_upgrade(connection: sa.Connection, table: str) -> bool:
    """Whether the login may create tables, and owns this one if it exists; True for a file."""
    return connection.dialect.name == "sqlite" or bool(connection.execute(_MAY_UPGRADE, {"table": table}).scalar())
