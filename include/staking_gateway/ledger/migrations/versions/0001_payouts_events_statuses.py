"""Payouts, their events, and staking statuses.

Triggers refuse changes and deletions of events, and deletions of payouts: a deleted part would be paid again.
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_IN_FLIGHT = sa.text("state IN ('SIGNED', 'SUBMITTED', 'UNKNOWN')")
_SPENT = sa.text(
    "state IN ('SIGNED', 'SUBMITTED', 'UNKNOWN', 'CONFIRMED') AND (confirmed_by IS NULL OR confirmed_by <> 'none')"
)

_SQLITE_GUARDS = (
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
)
_POSTGRESQL_GUARDS = (
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
)


def upgrade() -> None:
    """Create the three tables. All names are written out, because a migration must not change with the code."""
    time = sa.DateTime(timezone=True)
    op.create_table(
        "payouts",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("network", sa.String(250), nullable=False),
        sa.Column("chain", sa.String(250), nullable=False),
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
        sa.Column("block_number", sa.String(39)),
        sa.Column("confirmed_by", sa.String(32)),
        sa.Column("reason", sa.Text),
        sa.Column("plans", sa.Integer, nullable=False),
        sa.Column("unanswered", sa.Integer, nullable=False),
        sa.Column("unanswered_at", time),
        sa.Column("lease_owner", sa.String(64)),
        sa.Column("lease_until", time),
        sa.Column("created_at", time, nullable=False),
        sa.Column("updated_at", time, nullable=False),
        sa.Column("signed_at", time),
        sa.Column("accepted_at", time),
        sa.Column("confirmed_at", time),
        sa.Column("settled_by", sa.Text),
        sa.UniqueConstraint("network", "era", "part", name="one_record_per_part"),
    )
    for name, key in (("one_in_flight_per_user", "user_key"), ("one_in_flight_per_payer", "payer_key")):
        op.create_index(
            name, "payouts", ["chain", key], unique=True, sqlite_where=_IN_FLIGHT, postgresql_where=_IN_FLIGHT
        )
    for kind, key in (("staking", "user_key"), ("payment", "payer_key")):
        op.create_index(
            f"one_payload_per_{kind}_nonce",
            "payouts",
            ["chain", key, f"{kind}_nonce"],
            unique=True,
            sqlite_where=_SPENT,
            postgresql_where=_SPENT,
        )
    op.create_table(
        "payout_events",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("payout_id", sa.Integer, sa.ForeignKey("payouts.id"), nullable=False),
        sa.Column("at", time, nullable=False),
        sa.Column("from_state", sa.String(16)),
        sa.Column("to_state", sa.String(16), nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("cause", sa.Text, nullable=False),
        sa.Column("run", sa.Text, nullable=False),
        sa.Column("try_number", sa.Integer, nullable=False),
        sa.UniqueConstraint("payout_id", "version", name="one_event_per_version"),
    )
    op.create_table(
        "staking_statuses",
        sa.Column("network", sa.String(250), primary_key=True),
        sa.Column("era", sa.BigInteger, primary_key=True),
        sa.Column("account_key", sa.String(66), primary_key=True),
        sa.Column("address", sa.String(66), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("checked_at", time, nullable=False),
        sqlite_with_rowid=False,
    )
    for statement in _SQLITE_GUARDS if op.get_bind().dialect.name == "sqlite" else _POSTGRESQL_GUARDS:
        op.execute(statement)
