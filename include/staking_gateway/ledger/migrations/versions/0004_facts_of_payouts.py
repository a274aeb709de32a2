"""Columns for facts that were texts or counts of events, and a table of fees without a payout.

Version 0.1.0 gave payloads up by time. The newest such payload of each user returns to UNKNOWN, where evidence settles it. The others are
marked, so that a nonce that they may have used confirms no other part.
"""

import re
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_IN_FLIGHT = "state IN ('SIGNED', 'SUBMITTED', 'UNKNOWN')"
_IN_LANE = sa.text(f"{_IN_FLIGHT} AND staking_nonce IS NOT NULL")
_RUN = "ledger upgrade 0004"
_SIGNATURE = re.compile(r"0x[0-9a-fA-F]{65,}|[0-9a-fA-F]{96,}")


def _rejected_because(*causes: str) -> str:
    """The last payload of a row of `payouts` was rejected with one of these causes, in any later state."""
    known = ", ".join(f"'{cause}'" for cause in causes)
    return f"""EXISTS (SELECT 1 FROM payout_events AS e WHERE e.payout_id = payouts.id AND e.to_state = 'REJECTED'
        AND e.cause IN ({known}) AND e.version > (SELECT max(s.version) FROM payout_events AS s
        WHERE s.payout_id = payouts.id AND s.to_state = 'SIGNED'))"""  # noqa: S608 - constants


_BY_TIME = "it was never executed and no longer can be"
_OTHERS_TOO = "its staking nonce was used by another payload"
_NOT_BY_US = "the staking nonce has moved, and the payment nonce has not"
_FEE_ONLY = "the payment nonce has moved, and the staking nonce has not"
"""Causes of version 0.1.0 for giving up a payload: by time, or because nonces had moved."""
_MAY_HAVE_EXECUTED = f"""staking_nonce IS NOT NULL AND state NOT IN ('SIGNED', 'SUBMITTED', 'UNKNOWN', 'CONFIRMED')
    AND ((state = 'EMPTY' AND unanswered > 0) OR {_rejected_because(_BY_TIME, _OTHERS_TOO)})"""

_FILL = (
    """UPDATE payouts SET hold = CASE WHEN reason = 'the election window is open' THEN 'window'
       WHEN reason LIKE 'the fee %' THEN 'fee' ELSE 'unsupported' END WHERE state = 'HELD'""",
    """UPDATE payouts SET signed_by = (SELECT run FROM payout_events AS e WHERE e.payout_id = payouts.id
       AND e.to_state = 'SIGNED' ORDER BY e.version DESC LIMIT 1)""",
    """UPDATE payouts SET signed_try = (SELECT try_number FROM payout_events AS e WHERE e.payout_id = payouts.id
       AND e.to_state = 'SIGNED' ORDER BY e.version DESC LIMIT 1)""",
    """UPDATE payouts SET signatures = (SELECT count(*) FROM payout_events AS e WHERE e.payout_id = payouts.id
       AND e.to_state = 'SIGNED' AND e.run = payouts.signed_by AND e.try_number = payouts.signed_try)""",
    f"UPDATE payouts SET copies_out = true WHERE state = 'UNKNOWN' OR ({_IN_FLIGHT} AND (plans > 1 OR unanswered > 0))",  # noqa: S608
    "UPDATE payouts SET fee_charged = true WHERE state = 'CONFIRMED' AND fee IS NOT NULL",
    # Only these payloads can never execute. A refused payload can execute once its fee is right again.
    f"""UPDATE payouts SET asked = false WHERE state IN ('REJECTED', 'HELD', 'PLANNED') AND proxy_signature IS NOT NULL
        AND {_rejected_because(_OTHERS_TOO, _FEE_ONLY)}""",  # noqa: S608
    f"""UPDATE payouts SET used_nonce = staking_nonce WHERE state IN ('REJECTED', 'HELD', 'PLANNED') AND staking_nonce IS NOT NULL
        AND {_rejected_because(_OTHERS_TOO, _NOT_BY_US)}""",  # noqa: S608
    f"""UPDATE payouts SET given_up_by = (SELECT run FROM payout_events AS e WHERE e.payout_id = payouts.id
        ORDER BY e.version DESC LIMIT 1) WHERE {_MAY_HAVE_EXECUTED}""",  # noqa: S608
)
_GIVEN_UP = f"""SELECT id, chain, user_key FROM payouts WHERE state IN ('REJECTED', 'HELD', 'PLANNED')
    AND staking_nonce IS NOT NULL AND {_rejected_because(_BY_TIME)}
    AND NOT EXISTS (SELECT 1 FROM payouts AS o WHERE o.chain = payouts.chain AND o.user_key = payouts.user_key
    AND (o.{_IN_FLIGHT} OR (o.state = 'CONFIRMED' AND o.staking_nonce = payouts.staking_nonce)))
    ORDER BY signed_at DESC, id DESC"""  # noqa: S608 - constants
"""Payloads of version 0.1.0 that may return to flight: one per lane, and none with the nonce of another."""


def upgrade() -> None:
    """Add the columns and the table, and fill them from the history."""
    time = sa.DateTime(timezone=True)
    for name in ("one_in_flight_per_user", "one_in_flight_per_payer", "one_payload_per_payment_nonce"):
        op.drop_index(name, "payouts")
    for column in (
        sa.Column("hold", sa.String(16)),
        sa.Column("copies_out", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("refused", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("request_status", sa.String(32)),
        sa.Column("disagree", sa.String(24)),
        sa.Column("disagree_since", time),
        sa.Column("over", sa.String(8)),
        sa.Column("over_since", time),
        sa.Column("fee_charged", sa.Boolean),
        sa.Column("asked", sa.Boolean, nullable=False, server_default=sa.true()),
        sa.Column("wasted", sa.Integer, nullable=False, server_default=sa.text("0")),
        sa.Column("signed_by", sa.Text),
        sa.Column("signed_try", sa.Integer),
        sa.Column("signatures", sa.Integer, nullable=False, server_default=sa.text("0")),
        sa.Column("given_up_by", sa.Text),
        sa.Column("used_nonce", sa.String(39)),
    ):
        op.add_column("payouts", column)
    op.create_index(
        "one_in_flight_per_user",
        "payouts",
        ["chain", "user_key"],
        unique=True,
        sqlite_where=_IN_LANE,
        postgresql_where=_IN_LANE,
    )
    op.create_table(
        "wasted_fees",
        sa.Column("payout_id", sa.Integer, sa.ForeignKey("payouts.id"), primary_key=True),
        sa.Column("payment_nonce", sa.String(39), primary_key=True),
        sa.Column("fee", sa.String(39), nullable=False),
        sa.Column("signed_at", time, nullable=False),
        sa.Column("signed_by", sa.Text, nullable=False),
        sqlite_with_rowid=False,
    )
    for statement in _FILL:
        op.execute(statement)
    _forget_quoted_signatures(op.get_bind())
    _back_to_unknown(op.get_bind())


def _forget_quoted_signatures(connection: sa.Connection) -> None:
    """Remove signatures that gateways quoted and version 0.1.0 stored."""
    for row in connection.execute(sa.text("SELECT id, reason FROM payouts WHERE reason IS NOT NULL")).all():
        reason = _SIGNATURE.sub("0x... (removed)", row.reason)
        if reason != row.reason:
            connection.execute(
                sa.text("UPDATE payouts SET reason = :reason WHERE id = :id"), {"reason": reason, "id": row.id}
            )


def _back_to_unknown(connection: sa.Connection) -> None:
    """Return the newest payload of each user that was given up by time to flight; a lane holds one."""
    newest: dict[tuple[str, str], sa.Row[Any]] = {}
    for row in connection.execute(sa.text(_GIVEN_UP)).all():
        newest.setdefault((row.chain, row.user_key), row)
    for row in newest.values():
        cause = "version 0.1.0 gave it up by time; it may have executed, so evidence settles it"
        found = {"id": row.id, "cause": cause}
        connection.execute(
            sa.text(
                "INSERT INTO payout_events (payout_id, at, from_state, to_state, version, cause, run, try_number) "
                "SELECT id, updated_at, state, 'UNKNOWN', version + 1, :cause, :run, 1 FROM payouts WHERE id = :id"
            ),
            {**found, "run": _RUN},
        )
        connection.execute(
            sa.text(
                "UPDATE payouts SET state = 'UNKNOWN', version = version + 1, reason = :cause, hold = NULL, copies_out = true, "
                "asked = true, given_up_by = NULL WHERE id = :id"
            ),
            found,
        )
