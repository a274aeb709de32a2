"""The whole ledger: tables and indexes, guards, views, and its identity.

It follows the definitions of the code until the first release. Before the second migration, write them out here as they are then.

The guards are triggers. They refuse changes and deletions of events, and deletions of payouts: a deleted part would be paid again.
"""

import uuid

from alembic import op
from sqlalchemy.schema import CreateIndex, CreateTable

from staking_gateway.ledger.tables import ledger_identity, metadata
from staking_gateway.ledger.views import create_views

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_GUARDS = {
    "sqlite": (
        """CREATE TRIGGER payout_events_are_not_changed BEFORE UPDATE ON payout_events
        BEGIN SELECT RAISE(ABORT, 'payout_events is append-only'); END""",
        """CREATE TRIGGER payout_events_are_not_deleted BEFORE DELETE ON payout_events
        BEGIN SELECT RAISE(ABORT, 'payout_events is append-only'); END""",
        # INSERT OR REPLACE deletes without firing the triggers above.
        """CREATE TRIGGER payout_events_are_not_replaced BEFORE INSERT ON payout_events
        WHEN EXISTS (SELECT 1 FROM payout_events WHERE id = NEW.id OR payout_id = NEW.payout_id AND version = NEW.version)
        BEGIN SELECT RAISE(ABORT, 'payout_events is append-only'); END""",
        """CREATE TRIGGER payouts_are_not_deleted BEFORE DELETE ON payouts
        BEGIN SELECT RAISE(ABORT, 'payouts are never deleted'); END""",
    ),
    "postgresql": (
        """CREATE FUNCTION staking_ledger_refuses() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'payout_events is append-only, payouts are never deleted' USING ERRCODE = '23001'; END $$""",
        """CREATE TRIGGER payout_events_are_not_changed BEFORE UPDATE OR DELETE ON payout_events
        FOR EACH ROW EXECUTE FUNCTION staking_ledger_refuses()""",
        """CREATE TRIGGER payout_events_are_not_truncated BEFORE TRUNCATE ON payout_events
        FOR EACH STATEMENT EXECUTE FUNCTION staking_ledger_refuses()""",
        """CREATE TRIGGER payouts_are_not_deleted BEFORE DELETE ON payouts
        FOR EACH ROW EXECUTE FUNCTION staking_ledger_refuses()""",
        """CREATE TRIGGER payouts_are_not_truncated BEFORE TRUNCATE ON payouts
        FOR EACH STATEMENT EXECUTE FUNCTION staking_ledger_refuses()""",
    ),
}


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
    for guard in _GUARDS[connection.dialect.name]:
        op.execute(guard)
    create_views(connection)
    op.bulk_insert(ledger_identity, [{"identity": uuid.uuid4().hex}])
