"""The tables of the ledger.

Amounts, nonces and block numbers are decimal text, because u64 and u128 do not fit an SQL integer. Times are aware UTC. A migration creates
the tables; a test compares them with these definitions.
"""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import sqlalchemy as sa

from staking_gateway.errors import InvalidInput
from staking_gateway.types import MAX_AMOUNT, parse_unsigned

_LONGEST_TEXT = 2_000


class UtcTime(sa.TypeDecorator[datetime]):
    """An aware UTC time; SQLite itself stores no zone."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> Any:
        """Store UTC; refuse a time without a zone."""
        del dialect
        if value is not None and value.tzinfo is None:
            raise InvalidInput("time", f"{value} has no time zone", "Use an aware time, e.g. in UTC")
        return None if value is None else value.astimezone(timezone.utc)

    def process_result_value(self, value: Any | None, dialect: sa.Dialect) -> datetime | None:
        del dialect
        if value is not None and value.tzinfo is None:
            value = value.replace(tzinfo=timezone.utc)
        return None if value is None else value.astimezone(timezone.utc)


class WholeNumber(sa.TypeDecorator[int]):
    """An unsigned integer of up to 128 bits as decimal text."""

    impl = sa.String(39)
    cache_ok = True

    def process_bind_param(self, value: int | None, dialect: sa.Dialect) -> Any:
        del dialect
        return None if value is None else str(parse_unsigned(value, MAX_AMOUNT, field="number"))

    def process_result_value(self, value: Any | None, dialect: sa.Dialect) -> int | None:
        del dialect
        return None if value is None else int(value)


class PlainText(sa.TypeDecorator[str]):
    """Foreign text that any database can store; otherwise its payout could not be stored."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: sa.Dialect) -> Any:
        """Shorten it, and replace NUL and lone surrogates, which databases refuse."""
        del dialect
        if value is None:
            return None
        return value[:_LONGEST_TEXT].replace("\0", "?").encode("utf-8", "replace").decode()


metadata = sa.MetaData()

UNSETTLED = sa.text("state NOT IN ('CONFIRMED', 'EMPTY')")
"""A part that is not done. A query in the same words, without parameters, can use the partial index."""

UNCONFIRMED = sa.text("confirmed_by = 'none'")
"""A part that is green without confirmation: its copies may still be executed."""


def _only(where: sa.TextClause) -> dict[str, Any]:
    """Options of a partial index."""
    return {"sqlite_where": where, "postgresql_where": where}


def _nonce_index(name: str, key: str, nonce: str) -> sa.Index:
    """An index that finds the highest nonce of an account. Nonces are decimal text: more digits make the higher number."""
    return sa.Index(name, "chain", key, sa.text(f"length({nonce})"), nonce)


ledger_identity = sa.Table(
    "ledger_identity",
    metadata,
    sa.Column("identity", sa.String(32), primary_key=True),
    sa.Column("server", sa.String(32)),
    sa.Column("timeline", sa.String(8)),
    sqlite_with_rowid=False,
)
"""One row, made with the ledger. A backup has the identity of its ledger; another ledger has another one.

`server` and `timeline` are the system identifier and the timeline of PostgreSQL when they were last seen.
"""

ledger_marks = sa.Table(
    "ledger_marks",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("at", UtcTime, nullable=False),
    sa.Column("why", PlainText, nullable=False),
    sa.Column("run", PlainText, nullable=False),
    sa.Column("copies", sa.Integer, nullable=False),
)
"""Each time the ledger was restored; the newest row counts."""

ledger_stop = sa.Table(
    "ledger_stop",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("at", UtcTime, nullable=False),
    sa.Column("why", PlainText, nullable=False),
    sa.Column("run", PlainText, nullable=False),
    sa.Column("ended_at", UtcTime),
    sa.Column("ended_by", PlainText),
)
"""Each time a person stopped the ledger. The ledger is stopped while a row has not ended."""

_PROOF = sa.String(130).with_variant(sa.Text(), "postgresql")
"""A proof of any length: SQLite ignores the number."""

payouts = sa.Table(
    "payouts",
    metadata,
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
    sa.Column("hold", sa.String(32)),
    sa.Column("reason", PlainText),
    sa.Column("confirmed_by", sa.String(32)),
    sa.Column("confirmed_at", UtcTime),
    sa.Column("executed", sa.Integer),
    sa.Column("settled_by", PlainText),
    sa.Column("created_at", UtcTime, nullable=False),
    sa.Column("updated_at", UtcTime, nullable=False),
    sa.UniqueConstraint("network", "era", "part", name="one_record_per_part"),
    # Each statement of a payout finds its rows by an index: none may take longer as the ledger grows.
    sa.Index("payouts_of_network", "network", "id"),
    sa.Index("payouts_of_chain", "chain"),
    sa.Index("unsettled_payouts_of_network", "network", "id", **_only(UNSETTLED)),
    sa.Index("unconfirmed_payouts", "id", **_only(UNCONFIRMED)),
)

payout_copies = sa.Table(
    "payout_copies",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("payout_id", sa.ForeignKey("payouts.id"), nullable=False),
    sa.Column("network", sa.String(250), nullable=False),
    sa.Column("chain", sa.String(250), nullable=False),
    sa.Column("user_key", sa.String(66), nullable=False),
    sa.Column("payer_key", sa.String(66), nullable=False),
    sa.Column("relayer_key", sa.String(66), nullable=False),
    sa.Column("staking_nonce", WholeNumber),
    sa.Column("payment_nonce", WholeNumber, nullable=False),
    sa.Column("fee", WholeNumber),
    sa.Column("proxy_signature", _PROOF, nullable=False),
    sa.Column("fee_payment_signature", _PROOF, nullable=False),
    sa.Column("signed_at", UtcTime, nullable=False),
    sa.Column("run", PlainText, nullable=False),
    sa.Column("try_number", sa.Integer, nullable=False),
    sa.Index("copies_of_payout", "payout_id", "id"),
    _nonce_index("copies_by_staking_nonce", "user_key", "staking_nonce"),
    _nonce_index("copies_by_payment_nonce", "payer_key", "payment_nonce"),
    sa.Index("copies_by_signing_time", "network", "signed_at"),
    sa.Index("copies_by_run", "network", "run"),
)
"""Every payload that was ever signed. Rows are only added; only `chain` may change, when the chain of a lane becomes known."""

payout_sends = sa.Table(
    "payout_sends",
    metadata,
    sa.Column("copy_id", sa.ForeignKey("payout_copies.id"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("began", UtcTime, nullable=False),
    sa.Column("run", PlainText, nullable=False),
    sa.Column("try_number", sa.Integer, nullable=False),
    sa.Column("answer", sa.String(16)),
    sa.Column("answered_at", UtcTime),
    sa.Column("text", PlainText),
    sa.Column("request_id", sa.String(36)),
    sa.Column("status", sa.String(32)),
    sa.Column("read_at", UtcTime),
    sa.Column("rejected_at", UtcTime),
    sa.Column("block_number", WholeNumber),
    sa.Column("tx_hash", sa.String(66)),
    sa.Index("sends_by_request", "request_id", **_only(sa.text("request_id IS NOT NULL"))),
    sqlite_with_rowid=False,
)
"""Every send of a copy, stored before its first byte leaves. A stored answer never changes."""

FLOOR = sa.text("kind = 'floor'")

payout_sightings = sa.Table(
    "payout_sightings",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("payout_id", sa.ForeignKey("payouts.id"), nullable=False),
    sa.Column("user_key", sa.String(66), nullable=False),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("began", UtcTime, nullable=False),
    sa.Column("nonce", WholeNumber),
    sa.Column("payer_key", sa.String(66)),
    sa.Column("block_number", WholeNumber),
    sa.Column("at", UtcTime, nullable=False),
    sa.Index("sightings_of_payout", "payout_id", "id"),
    sa.Index("floors_of_user", "user_key", "id", **_only(FLOOR)),
)
"""What was seen about a part. Rows are only added."""

payout_events = sa.Table(
    "payout_events",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("payout_id", sa.ForeignKey("payouts.id"), nullable=False),
    sa.Column("at", UtcTime, nullable=False),
    sa.Column("from_state", sa.String(16)),
    sa.Column("to_state", sa.String(16), nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("cause", PlainText, nullable=False),
    sa.Column("run", PlainText, nullable=False),
    sa.Column("try_number", sa.Integer, nullable=False),
    sa.UniqueConstraint("payout_id", "version", name="one_event_per_version"),
)

account_statuses = sa.Table(
    "account_statuses",
    metadata,
    sa.Column("network", sa.String(250), primary_key=True),
    sa.Column("era", sa.BigInteger, primary_key=True),
    sa.Column("account_key", sa.String(66), primary_key=True),
    sa.Column("address", sa.String(66), nullable=False),
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("checked_at", UtcTime, nullable=False),
    sqlite_with_rowid=False,
)

era_facts = sa.Table(
    "era_facts",
    metadata,
    sa.Column("network", sa.String(250), primary_key=True),
    sa.Column("era", sa.BigInteger, primary_key=True),
    sa.Column("chain", sa.String(250)),
    sa.Column("ended_at", UtcTime),
    sa.Column("reward", WholeNumber),
    sa.Column("reward_source", sa.String(16)),
    sa.Column("reward_block", WholeNumber),
    sa.Column("symbol", PlainText),
    sa.Column("decimals", sa.Integer),
    sa.Column("noted_at", UtcTime, nullable=False),
    sa.Column("run", PlainText, nullable=False),
    sqlite_with_rowid=False,
)
"""Facts about an era beside its payouts. NULL is unknown."""

account_rewards = sa.Table(
    "account_rewards",
    metadata,
    sa.Column("network", sa.String(250), primary_key=True),
    sa.Column("era", sa.BigInteger, primary_key=True),
    sa.Column("account_key", sa.String(66), primary_key=True),
    sa.Column("address", sa.String(66), nullable=False),
    sa.Column("amount", WholeNumber, nullable=False),
    sa.Column("source", sa.String(16), nullable=False),
    sa.Column("block_number", WholeNumber),
    sa.Column("noted_at", UtcTime, nullable=False),
    sa.Column("run", PlainText, nullable=False),
    sqlite_with_rowid=False,
)

DIFFERS = sa.text("agrees IS FALSE")
"""A reconciliation whose sides differ. A query in the same words can use the partial index."""
SEEN_PAID = sa.text("subject = 'execution' AND chain_says = 'paid'")
"""A reconciliation that saw the era paid on the chain."""

reconciliations = sa.Table(
    "reconciliations",
    metadata,
    sa.Column("network", sa.String(250), primary_key=True),
    sa.Column("era", sa.BigInteger, primary_key=True),
    sa.Column("subject", sa.String(16), primary_key=True),
    sa.Column("agrees", sa.Boolean),
    sa.Column("finding", sa.String(32), nullable=False),
    sa.Column("ledger_says", PlainText),
    sa.Column("gateway_says", PlainText),
    sa.Column("chain_says", PlainText),
    sa.Column("text", PlainText, nullable=False),
    sa.Column("checked_at", UtcTime, nullable=False),
    sa.Column("run", PlainText, nullable=False),
    sa.Index("differing_reconciliations", "network", "era", "subject", **_only(DIFFERS)),
    sqlite_with_rowid=False,
)
"""The newest comparison of ledger, gateway and chain, per era and subject."""

era_notices = sa.Table(
    "era_notices",
    metadata,
    sa.Column("network", sa.String(250), primary_key=True),
    sa.Column("era", sa.BigInteger, primary_key=True),
    sa.Column("kind", sa.String(32), primary_key=True),
    sa.Column("text", PlainText, nullable=False),
    sa.Column("at", UtcTime, nullable=False),
    sa.Column("run", PlainText, nullable=False),
    sa.Index("era_notices_by_kind", "network", "kind", "era"),
    sqlite_with_rowid=False,
)
"""Notices about eras, once per kind."""

catch_up_plans = sa.Table(
    "catch_up_plans",
    metadata,
    sa.Column("network", sa.String(250), primary_key=True),
    sa.Column("hash", sa.String(64), primary_key=True),
    sa.Column("body", sa.JSON, nullable=False),
    sa.Column("made_at", UtcTime, nullable=False),
    sa.Column("run", PlainText, nullable=False),
    sqlite_with_rowid=False,
)
"""Plans that can be approved by their hash."""

calendar_anchors = sa.Table(
    "calendar_anchors",
    metadata,
    sa.Column("network", sa.String(250), primary_key=True),
    sa.Column("era", sa.BigInteger, primary_key=True),
    sa.Column("start", UtcTime, nullable=False),
    sa.Column("length_microseconds", sa.BigInteger, nullable=False),
    sa.Column("noted_at", UtcTime, nullable=False),
    sa.Column("run", PlainText, nullable=False),
    sqlite_with_rowid=False,
)
"""Anchors of existing runs. A calendar that moves one of them would create second runs of the same eras."""

task_failures = sa.Table(
    "task_failures",
    metadata,
    sa.Column("network", sa.String(250), primary_key=True),
    sa.Column("subject", sa.String(32), primary_key=True),
    sa.Column("topic", sa.String(32), nullable=False),
    sa.Column("text", PlainText, nullable=False),
    sa.Column("at", UtcTime, nullable=False),
    sa.Column("run", PlainText, nullable=False),
    sqlite_with_rowid=False,
)
"""Why the newest try of an era's run, or of a catch-up, has failed. Nothing is decided by it; it is shown."""

OPEN_ALERT = sa.text("state = 'open'")
"""An alert whose condition is not over."""

alerts = sa.Table(
    "alerts",
    metadata,
    sa.Column("network", sa.String(250), primary_key=True),
    sa.Column("topic", sa.String(128), primary_key=True),
    sa.Column("state", sa.String(8), nullable=False),
    sa.Column("kind", sa.String(32), nullable=False),
    sa.Column("rank", sa.Integer, nullable=False),
    sa.Column("era", sa.BigInteger),
    sa.Column("subject", PlainText, nullable=False),
    sa.Column("cause", PlainText, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("raised_at", UtcTime, nullable=False),
    sa.Column("absent_since", UtcTime),
    sa.Column("changed_at", UtcTime, nullable=False),
    sa.Column("run", PlainText, nullable=False),
    sa.Index("open_alerts", "network", "raised_at", "topic", **_only(OPEN_ALERT)),
    sqlite_with_rowid=False,
)
"""Present and past alerts: one row per topic."""

alert_messages = sa.Table(
    "alert_messages",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("network", sa.String(250), nullable=False),
    sa.Column("phase", sa.String(8), nullable=False),
    sa.Column("kind", sa.String(32), nullable=False),
    sa.Column("severity", sa.String(16), nullable=False),
    sa.Column("conditions", sa.JSON, nullable=False),
    sa.Column("made_at", UtcTime, nullable=False),
    sa.Column("run", PlainText, nullable=False),
    sa.Column("received", sa.JSON, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("claimed_until", UtcTime),
    sa.Column("sent_at", UtcTime),
    sa.Column("total", sa.Integer, nullable=False),
    sa.Index("unsent_alert_messages", "network", **_only(sa.text("sent_at IS NULL"))),
    sqlite_with_rowid=False,
)
"""Messages about alerts, written in the transaction of the change. `conditions` lists the first of them, `total` counts all."""
