"""Notices about eras, plans to approve, and the anchors of calendars."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the three tables. All names are written out, because a migration must not change with the code."""
    time = sa.DateTime(timezone=True)
    op.create_table(
        "era_notices",
        sa.Column("network", sa.String(250), primary_key=True),
        sa.Column("era", sa.BigInteger, primary_key=True),
        sa.Column("kind", sa.String(32), primary_key=True),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("at", time, nullable=False),
        sa.Column("run", sa.Text, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "catch_up_plans",
        sa.Column("network", sa.String(250), primary_key=True),
        sa.Column("hash", sa.String(64), primary_key=True),
        sa.Column("body", sa.JSON, nullable=False),
        sa.Column("made_at", time, nullable=False),
        sa.Column("run", sa.Text, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "calendar_anchors",
        sa.Column("network", sa.String(250), primary_key=True),
        sa.Column("era", sa.BigInteger, primary_key=True),
        sa.Column("start", time, nullable=False),
        sa.Column("length_microseconds", sa.BigInteger, nullable=False),
        sa.Column("noted_at", time, nullable=False),
        sa.Column("run", sa.Text, nullable=False),
        sqlite_with_rowid=False,
    )
