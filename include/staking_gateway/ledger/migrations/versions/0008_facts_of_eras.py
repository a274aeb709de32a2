"""Facts of eras, rewards of accounts and reconciliations. `staking_statuses` becomes `account_statuses`: the name is a view's."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables, and rename one. All names are written out, because a migration must not change with the code."""
    time = sa.DateTime(timezone=True)
    op.rename_table("staking_statuses", "account_statuses")
    if op.get_bind().dialect.name == "postgresql":
        op.execute("ALTER INDEX staking_statuses_pkey RENAME TO account_statuses_pkey")
    op.create_table(
        "era_facts",
        sa.Column("network", sa.String(250), primary_key=True),
        sa.Column("era", sa.BigInteger, primary_key=True),
        sa.Column("chain", sa.String(250)),
        sa.Column("ended_at", time),
        sa.Column("reward", sa.String(39)),
        sa.Column("reward_source", sa.String(16)),
        sa.Column("reward_block", sa.String(39)),
        sa.Column("symbol", sa.Text),
        sa.Column("decimals", sa.Integer),
        sa.Column("noted_at", time, nullable=False),
        sa.Column("run", sa.Text, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "account_rewards",
        sa.Column("network", sa.String(250), primary_key=True),
        sa.Column("era", sa.BigInteger, primary_key=True),
        sa.Column("account_key", sa.String(66), primary_key=True),
        sa.Column("address", sa.String(66), nullable=False),
        sa.Column("amount", sa.String(39), nullable=False),
        sa.Column("source", sa.String(16), nullable=False),
        sa.Column("block_number", sa.String(39)),
        sa.Column("noted_at", time, nullable=False),
        sa.Column("run", sa.Text, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "reconciliations",
        sa.Column("network", sa.String(250), primary_key=True),
        sa.Column("era", sa.BigInteger, primary_key=True),
        sa.Column("subject", sa.String(16), primary_key=True),
        sa.Column("agrees", sa.Boolean),
        sa.Column("finding", sa.String(32), nullable=False),
        sa.Column("ledger_says", sa.Text),
        sa.Column("gateway_says", sa.Text),
        sa.Column("chain_says", sa.Text),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("checked_at", time, nullable=False),
        sa.Column("run", sa.Text, nullable=False),
        sqlite_with_rowid=False,
    )
    differs = sa.text("agrees IS FALSE")
    op.create_index(
        "differing_reconciliations",
        "reconciliations",
        ["network", "era", "subject"],
        sqlite_where=differs,
        postgresql_where=differs,
    )
