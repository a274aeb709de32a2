"""The identity of the ledger, and proofs of any length."""

import uuid

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table with its row, and change the columns. All names are written out, because a migration must not change with the code."""
    table = op.create_table(
        "ledger_identity", sa.Column("identity", sa.String(32), primary_key=True), sqlite_with_rowid=False
    )
    op.bulk_insert(table, [{"identity": uuid.uuid4().hex}])
    if op.get_bind().dialect.name == "postgresql":  # SQLite stores longer texts than it declares
        for column in ("proxy_signature", "fee_payment_signature"):
            op.alter_column("payouts", column, type_=sa.Text())
