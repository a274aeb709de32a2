"""Payouts, their events, and staking statuses."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_IN_FLIGHT = sa.text("state IN ('SIGNED', 'SUBMITTED', 'UNKNOWN')")


def upgrade() -> None:
    """Create the three tables. Spelt out, for a migration must not change when the code does."""
    time = sa.DateTime(timezone=True)
    op.create_table(
        "payouts",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("network", sa.String(64), nullable=False),
        sa.Column("era", sa.BigInteger, nullable=False),
        sa.Column("part", sa.Integer, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("user_key", sa.String(66), nullable=False),
        sa.Column("payer_key", sa.String(66), nullable=False),
        sa.Column("relayer_key", sa.String(66), nullable=False),
        sa.Column("staking_nonce", sa.String(39)),
        sa.Column("payment_nonce", sa.String(39)),
        sa.Column("fee", sa.String(39)),
        sa.Column("proxy_signature", sa.String(130)),
        sa.Column("fee_payment_signature", sa.String(130)),
        sa.Column("request_id", sa.String(36)),
        sa.Column("tx_hash", sa.String(66)),
        sa.Column("block_number", sa.BigInteger),
        sa.Column("confirmed_by", sa.String(32)),
        sa.Column("reason", sa.Text),
        sa.Column("plans", sa.Integer, nullable=False),
        sa.Column("unanswered", sa.Integer, nullable=False),
        sa.Column("lease_owner", sa.String(64)),
        sa.Column("lease_until", time),
        sa.Column("created_at", time, nullable=False),
        sa.Column("updated_at", time, nullable=False),
        sa.Column("signed_at", time),
        sa.Column("accepted_at", time),
        sa.Column("confirmed_at", time),
        sa.Column("settled_by", sa.String(500)),
        sa.UniqueConstraint("network", "era", "part", name="one_record_per_part"),
    )
    for name, key in (("one_in_flight_per_user", "user_key"), ("one_in_flight_per_payer", "payer_key")):
        op.create_index(
            name, "payouts", ["network", key], unique=True, sqlite_where=_IN_FLIGHT, postgresql_where=_IN_FLIGHT
        )
    op.create_table(
        "payout_events",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("payout_id", sa.Integer, sa.ForeignKey("payouts.id"), nullable=False, index=True),
        sa.Column("at", time, nullable=False),
        sa.Column("from_state", sa.String(16)),
        sa.Column("to_state", sa.String(16), nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("cause", sa.Text, nullable=False),
        sa.Column("run", sa.String(400), nullable=False),
        sa.Column("try_number", sa.Integer, nullable=False),
        sa.UniqueConstraint("payout_id", "version", name="one_event_per_version"),
    )
    op.create_table(
        "staking_statuses",
        sa.Column("network", sa.String(64), primary_key=True),
        sa.Column("era", sa.BigInteger, primary_key=True),
        sa.Column("account_key", sa.String(66), primary_key=True),
        sa.Column("address", sa.String(66), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("checked_at", time, nullable=False),
    )
