"""Why the newest try of an era's run, or of a catch-up, has failed."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table. All names are written out, because a migration must not change with the code."""
    op.create_table(
        "task_failures",
        sa.Column("network", sa.String(250), primary_key=True),
        sa.Column("subject", sa.String(32), primary_key=True),
        sa.Column("topic", sa.String(32), nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("run", sa.Text, nullable=False),
        sqlite_with_rowid=False,
    )
