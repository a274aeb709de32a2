"""Which schema a ledger has, and bringing it up to date."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import sqlalchemy as sa

from staking_gateway.errors import LedgerError

HEAD = "0001"
"""The newest migration this code knows; older ledgers are brought up to it, newer ones are refused."""
VERSION_TABLE = "staking_ledger_version"
_MIGRATIONS = Path(__file__).parent / "migrations"
_UPGRADE_LOCK = 7_301_846_215


def current_revision(engine: sa.Engine) -> str | None:
    """Revision of the schema, or None for an empty database."""
    with engine.connect() as connection:
        return _revision(connection)


def _revision(connection: sa.Connection) -> str | None:
    if not sa.inspect(connection).has_table(VERSION_TABLE):
        return None
    return connection.execute(sa.text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar()  # noqa: S608


def ensure_schema(engine: sa.Engine) -> None:
    """Bring the ledger's tables up to date; does nothing, cheaply, when they are.

    :raises LedgerError: the ledger was written by a newer version of this package.
    """
    if current_revision(engine) == HEAD:
        return
    with engine.begin() as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(sa.text("SELECT pg_advisory_xact_lock(:key)"), {"key": _UPGRADE_LOCK})
        _upgrade(connection)


def _upgrade(connection: sa.Connection) -> None:
    """Run the missing migrations; the caller's transaction keeps two first users apart."""
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    revision = _revision(connection)
    if revision is not None and revision not in known:
        raise LedgerError(
            f"The ledger has schema {revision}, this version knows {HEAD}. "
            "Upgrade airflow-provider-staking-gateway on this machine; nothing was changed"
        )
    command.upgrade(config, "head")


def migration_options() -> dict[str, Any]:
    """Options for Alembic's environment."""
    return {"version_table": VERSION_TABLE, "transaction_per_migration": False}
