"""The whole ledger: tables and indexes, guards, views, and its identity.

It follows the definitions of the code until the first release. Before the second migration, write them out here as they are then.

The guards are triggers. They refuse each change that could forget what was signed or sent, because it would be signed again.
"""

# ruff: noqa: S608 - only constants are put together

import uuid
from collections.abc import Iterator

from alembic import op
from sqlalchemy.schema import CreateIndex, CreateTable

from staking_gateway.ledger.tables import ledger_identity, metadata
from staking_gateway.ledger.views import create_views

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

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
    for table in ("payouts", *_SAME):
        refuse = _REFUSE[dialect].format(table=table)
        yield f"CREATE TRIGGER {table}_are_not_deleted BEFORE DELETE ON {table} {each} {refuse}"
        if dialect == "postgresql":
            yield f"CREATE TRIGGER {table}_are_not_truncated BEFORE TRUNCATE ON {table} FOR EACH STATEMENT {refuse}"
    for table, same in _SAME.items():
        refuse = _REFUSE[dialect].format(table=table)
        kept = ", ".join(
            column.name for column in metadata.tables[table].c if column.name not in _CHANGEABLE.get(table, ())
        )
        yield f"CREATE TRIGGER {table}_are_not_changed BEFORE UPDATE OF {kept} ON {table} {each} {refuse}"
        if dialect == "sqlite":  # INSERT OR REPLACE deletes without firing the triggers above
            found = f"EXISTS (SELECT 1 FROM {table} WHERE {same})"
            yield f"CREATE TRIGGER {table}_are_not_replaced BEFORE INSERT ON {table} WHEN {found} {refuse}"
    refuse = _REFUSE[dialect].format(table="payout_sends")
    yield f"""CREATE TRIGGER answers_are_not_changed BEFORE UPDATE OF {", ".join(_ANSWER)} ON payout_sends {each}
        WHEN (OLD.answer IS NOT NULL) {refuse}"""


def upgrade() -> None:
    """Create all in an empty database, or fail at the first table that exists."""
    connection = op.get_bind()
    for table in metadata.sorted_tables:
        connection.execute(CreateTable(table))
        # Of two indexes that serve a query alike, SQLite takes the newer one. A partial index has fewer rows, so it comes later.
        for index in sorted(
            table.indexes, key=lambda one: (one.dialect_options["sqlite"]["where"] is not None, one.name)
        ):
            connection.execute(CreateIndex(index))
    for guard in _guards(connection.dialect.name):
        op.execute(guard)
    create_views(connection)
    op.bulk_insert(ledger_identity, [{"identity": uuid.uuid4().hex}])
