"""Alerts, and the messages about them."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the two tables. All names are written out, because a migration must not change with the code."""
    time = sa.DateTime(timezone=True)
    op.create_table(
        "alerts",
        sa.Column("network", sa.String(250), primary_key=True),
        sa.Column("topic", sa.String(128), primary_key=True),
        sa.Column("state", sa.String(8), nullable=False),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("rank", sa.Integer, nullable=False),
        sa.Column("era", sa.BigInteger),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("cause", sa.Text, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("raised_at", time, nullable=False),
        sa.Column("absent_since", time),
        sa.Column("changed_at", time, nullable=False),
        sa.Column("run", sa.Text, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "alert_messages",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("network", sa.String(250), nullable=False),
        sa.Column("phase", sa.String(8), nullable=False),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("severity", sa.String(16), nullable=False),
        sa.Column("conditions", sa.JSON, nullable=False),
        sa.Column("made_at", time, nullable=False),
        sa.Column("run", sa.Text, nullable=False),
        sa.Column("received", sa.JSON, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("claimed_until", time),
        sa.Column("sent_at", time),
        sqlite_with_rowid=False,
    )
