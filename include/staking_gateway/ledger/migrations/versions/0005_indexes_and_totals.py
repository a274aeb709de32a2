"""Indexes, so that no statement reads all rows of a table that grows, and the number of conditions of an alert's message."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_IN_FLIGHT = "state IN ('SIGNED', 'SUBMITTED', 'UNKNOWN')"
_INDEXES = (
    ("payouts_of_network", "payouts", ("network", "id"), None),
    ("payouts_in_flight_of_network", "payouts", ("network", "id"), _IN_FLIGHT),
    ("payouts_in_flight", "payouts", ("chain",), _IN_FLIGHT),
    ("payouts_by_request", "payouts", ("chain", "request_id"), "request_id IS NOT NULL"),
    ("payouts_by_signing_time", "payouts", ("network", "signed_at"), None),
    ("payouts_by_run", "payouts", ("network", "signed_by"), None),
    *(
        (f"payouts_by_{name}", "payouts", ("chain", key, f"length({name})", name), f"{name} IS NOT NULL")
        for name, key in (("staking_nonce", "user_key"), ("payment_nonce", "payer_key"), ("used_nonce", "user_key"))
    ),
    ("wasted_fees_by_signing_time", "wasted_fees", ("signed_at",), None),
    ("wasted_fees_by_run", "wasted_fees", ("signed_by",), None),
    ("era_notices_by_kind", "era_notices", ("network", "kind", "era"), None),
    ("open_alerts", "alerts", ("network", "raised_at", "topic"), "state = 'open'"),
    ("unsent_alert_messages", "alert_messages", ("network",), "sent_at IS NULL"),
)
"""Name, table, columns or expressions, and the condition of a partial index."""


def upgrade() -> None:
    """Add the column and the indexes. All names are written out, because a migration must not change with the code."""
    op.add_column("alert_messages", sa.Column("total", sa.Integer))
    for name, table, columns, condition in _INDEXES:
        where = None if condition is None else sa.text(condition)
        parts = [sa.text(one) if "(" in one else one for one in columns]
        op.create_index(name, table, parts, sqlite_where=where, postgresql_where=where)
