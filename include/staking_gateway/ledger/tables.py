"""The tables of the ledger: those of records, with their indexes, and the others."""

from typing import Any

import sqlalchemy as sa

from staking_gateway.ledger import records
from staking_gateway.ledger.describe import PlainText, UtcTime, metadata, table_of

UNSETTLED = sa.text("state NOT IN ('CONFIRMED', 'EMPTY')")
"""A part that is not done. A query in the same words, without parameters, can use the partial index."""

UNCONFIRMED = sa.text("confirmed_by = 'none'")
"""A part that is green without confirmation: its copies may still be executed."""


def _only(where: sa.TextClause) -> dict[str, Any]:
    return {"sqlite_where": where, "postgresql_where": where}


ledger_identity = sa.Table(
    "ledger_identity",
    metadata,
    sa.Column("identity", sa.String(32), primary_key=True),
    sa.Column("server", sa.String(32)),
    sa.Column("timeline", sa.String(8)),
    sqlite_with_rowid=False,
)
"""One row, made with the ledger; a backup has the same. `server` and `timeline` are PostgreSQL's when they were last seen."""

ledger_marks = table_of(records.Mark, "ledger_marks")

payouts = table_of(
    records.Payout,
    "payouts",
    sa.UniqueConstraint("network", "era", "part", name="one_record_per_part"),
    # Each statement of a payout finds its rows by an index: none may take longer as the ledger grows.
    sa.Index("payouts_of_network", "network", "id"),
    sa.Index("payouts_of_chain", "chain"),
    sa.Index("unsettled_payouts_of_network", "network", "id", **_only(UNSETTLED)),
    sa.Index("unconfirmed_payouts_of_network", "network", "id", **_only(UNCONFIRMED)),
)

payout_copies = table_of(
    records.Copy,
    "payout_copies",
    sa.Column("payout_id", sa.ForeignKey("payouts.id"), nullable=False),
    sa.Column("network", sa.String(250), nullable=False),
    sa.Index("copies_of_payout", "payout_id", "id"),
    sa.Index("copies_by_staking_nonce", "chain", "user_key", "staking_nonce"),
    sa.Index("copies_by_payment_nonce", "chain", "payer_key", "payment_nonce"),
    sa.Index("copies_by_signing_time", "network", "signed_at"),
    sa.Index("copies_by_run", "network", "run"),
)

payout_sends = table_of(
    records.Send,
    "payout_sends",
    sa.Column("copy_id", sa.ForeignKey("payout_copies.id"), primary_key=True),
    sa.Index("sends_by_request", "request_id", **_only(sa.text("request_id IS NOT NULL"))),
    sa.PrimaryKeyConstraint("copy_id", "number"),
    key=("number",),
)

FLOOR = sa.text("kind = 'floor'")
payout_sightings = table_of(
    records.Sighting,
    "payout_sightings",
    sa.Column("payout_id", sa.ForeignKey("payouts.id"), nullable=False),
    sa.Index("sightings_of_payout", "payout_id", "id"),
    sa.Index("floors_of_user", "user_key", "id", **_only(FLOOR)),
)

payout_events = table_of(
    records.PayoutEvent,
    "payout_events",
    sa.Column("payout_id", sa.ForeignKey("payouts.id"), nullable=False),
    sa.UniqueConstraint("payout_id", "version", name="one_event_per_version"),
)

_OF_ACCOUNT = ("network", "era", "account_key")
account_statuses = table_of(records.AccountStatus, "account_statuses", key=_OF_ACCOUNT)
era_facts = table_of(records.EraFacts, "era_facts", key=("network", "era"))
account_rewards = table_of(records.AccountReward, "account_rewards", key=_OF_ACCOUNT)

DIFFERS = sa.text("agrees IS FALSE")
SEEN_PAID = sa.text("subject = 'execution' AND chain_says = 'paid'")

reconciliations = table_of(records.Reconciliation, "reconciliations", key=("network", "era", "subject"))

era_notices = table_of(
    records.Notice,
    "era_notices",
    sa.PrimaryKeyConstraint("network", "kind", "era"),
    sa.Index("era_notices_by_era", "network", "era"),
    key=("network", "era", "kind"),
)


def _of_network(name: str, *columns: sa.Column[Any]) -> sa.Table:
    network = sa.Column("network", sa.String(250), primary_key=True)
    return sa.Table(name, metadata, network, *columns, sqlite_with_rowid=False)


active_eras = _of_network(
    "active_eras", *(sa.Column(name, sa.BigInteger, nullable=False) for name in ("active", "history_depth"))
)
"""The newest active era that was read from each chain, and the settings' history depth then: they tell whether an era has expired."""

catch_up_plans = _of_network(
    "catch_up_plans", sa.Column("hash", sa.String(64), primary_key=True), sa.Column("body", sa.JSON, nullable=False)
)

calendar_anchors = _of_network(
    "calendar_anchors",
    sa.Column("era", sa.BigInteger, primary_key=True),
    sa.Column("start", UtcTime, nullable=False),
    sa.Column("length", sa.Interval, nullable=False),
)
"""Anchors of existing runs. A calendar that moves one of them would create second runs of the same eras."""

task_failures = _of_network(
    "task_failures",
    sa.Column("subject", sa.String(32), primary_key=True),
    sa.Column("topic", sa.String(32), nullable=False),
    *(sa.Column(name, PlainText, nullable=False) for name in ("facts", "about", "remedy", "run")),
    sa.Column("at", UtcTime, nullable=False),
)

OPEN_ALERT = sa.text("state = 'open'")

alerts = table_of(
    records.Alert,
    "alerts",
    sa.Index("open_alerts", "network", "raised_at", "topic", **_only(OPEN_ALERT)),
    key=("network", "topic"),
)

alert_messages = table_of(
    records.AlertMessage,
    "alert_messages",
    sa.Index("unsent_alert_messages", "network", **_only(sa.text("sent_at IS NULL"))),
)
