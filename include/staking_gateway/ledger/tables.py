"""The tables of the ledger.

Amounts, nonces and block numbers are decimal text, because u64 and u128 do not fit an SQL integer. Times are aware UTC. The migrations create
the tables; a test compares them with these definitions.
"""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Dialect,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
    false,
    text,
    true,
)

from staking_gateway.errors import InvalidInput
from staking_gateway.types import MAX_AMOUNT, parse_unsigned

_LONGEST_TEXT = 2_000


class UtcTime(TypeDecorator[datetime]):
    """An aware UTC time; SQLite itself stores no zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        """Store UTC; refuse a time without a zone."""
        del dialect
        if value is not None and value.tzinfo is None:
            raise InvalidInput("time", f"{value} has no time zone", "Use an aware time, e.g. in UTC")
        return None if value is None else value.astimezone(timezone.utc)

    def process_result_value(self, value: Any | None, dialect: Dialect) -> datetime | None:
        """Return UTC."""
        del dialect
        if value is not None and value.tzinfo is None:
            value = value.replace(tzinfo=timezone.utc)
        return None if value is None else value.astimezone(timezone.utc)


class WholeNumber(TypeDecorator[int]):
    """An unsigned integer of up to 128 bits as decimal text."""

    impl = String(39)
    cache_ok = True

    def process_bind_param(self, value: int | None, dialect: Dialect) -> Any:
        """Store digits."""
        del dialect
        return None if value is None else str(parse_unsigned(value, MAX_AMOUNT, field="number"))

    def process_result_value(self, value: Any | None, dialect: Dialect) -> int | None:
        """Return an int."""
        del dialect
        return None if value is None else int(value)


class PlainText(TypeDecorator[str]):
    """Foreign text that any database can store; otherwise its payout could not be stored."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> Any:
        """Shorten it, and replace NUL and lone surrogates, which databases refuse."""
        del dialect
        if value is None:
            return None
        return value[:_LONGEST_TEXT].replace("\0", "?").encode("utf-8", "replace").decode()


metadata = MetaData()

_in_flight = text("state IN ('SIGNED', 'SUBMITTED', 'UNKNOWN') AND staking_nonce IS NOT NULL")

_spent = text(
    "state IN ('SIGNED', 'SUBMITTED', 'UNKNOWN', 'CONFIRMED') AND (confirmed_by IS NULL OR confirmed_by <> 'none')"
)
"""These payloads have used their staking nonces, or may still use them. No other part is signed with them."""

payouts = Table(
    "payouts",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("network", String(250), nullable=False),
    Column("chain", String(250), nullable=False),
    Column("era", BigInteger, nullable=False),
    Column("part", Integer, nullable=False),
    Column("state", String(16), nullable=False),
    Column("version", Integer, nullable=False),
    Column("user_key", String(66), nullable=False),
    Column("payer_key", String(66), nullable=False),
    Column("relayer_key", String(66), nullable=False),
    Column("staking_nonce", WholeNumber),
    Column("payment_nonce", WholeNumber),
    Column("fee", WholeNumber),
    Column("proxy_signature", String(130)),
    Column("fee_payment_signature", String(130)),
    Column("request_id", String(36)),
    Column("tx_hash", String(66)),
    Column("block_number", WholeNumber),
    Column("confirmed_by", String(32)),
    Column("reason", PlainText),
    Column("plans", Integer, nullable=False),
    Column("unanswered", Integer, nullable=False),
    Column("unanswered_at", UtcTime),
    Column("lease_owner", String(64)),
    Column("lease_until", UtcTime),
    Column("created_at", UtcTime, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
    Column("signed_at", UtcTime),
    Column("accepted_at", UtcTime),
    Column("confirmed_at", UtcTime),
    Column("settled_by", PlainText),
    Column("hold", String(16)),
    Column("copies_out", Boolean, nullable=False, server_default=false()),
    Column("refused", Boolean, nullable=False, server_default=false()),
    Column("request_status", String(32)),
    Column("disagree", String(24)),
    Column("disagree_since", UtcTime),
    Column("over", String(8)),
    Column("over_since", UtcTime),
    Column("fee_charged", Boolean),
    Column("asked", Boolean, nullable=False, server_default=true()),
    Column("wasted", Integer, nullable=False, server_default=text("0")),
    Column("signed_by", PlainText),
    Column("signed_try", Integer),
    Column("signatures", Integer, nullable=False, server_default=text("0")),
    Column("given_up_by", PlainText),
    Column("used_nonce", WholeNumber),
    UniqueConstraint("network", "era", "part", name="one_record_per_part"),
    Index(
        "one_in_flight_per_user",
        "chain",
        "user_key",
        unique=True,
        sqlite_where=_in_flight,
        postgresql_where=_in_flight,
    ),
    Index(
        "one_payload_per_staking_nonce",
        "chain",
        "user_key",
        "staking_nonce",
        unique=True,
        sqlite_where=_spent,
        postgresql_where=_spent,
    ),
)

payout_events = Table(
    "payout_events",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("payout_id", ForeignKey("payouts.id"), nullable=False),
    Column("at", UtcTime, nullable=False),
    Column("from_state", String(16)),
    Column("to_state", String(16), nullable=False),
    Column("version", Integer, nullable=False),
    Column("cause", PlainText, nullable=False),
    Column("run", PlainText, nullable=False),
    Column("try_number", Integer, nullable=False),
    UniqueConstraint("payout_id", "version", name="one_event_per_version"),
)

wasted_fees = Table(
    "wasted_fees",
    metadata,
    Column("payout_id", ForeignKey("payouts.id"), primary_key=True),
    Column("payment_nonce", WholeNumber, primary_key=True),
    Column("fee", WholeNumber, nullable=False),
    Column("signed_at", UtcTime, nullable=False),
    Column("signed_by", PlainText, nullable=False),
    sqlite_with_rowid=False,
)
"""Fees that were charged without a payout."""

staking_statuses = Table(
    "staking_statuses",
    metadata,
    Column("network", String(250), primary_key=True),
    Column("era", BigInteger, primary_key=True),
    Column("account_key", String(66), primary_key=True),
    Column("address", String(66), nullable=False),
    Column("status", String(16), nullable=False),
    Column("checked_at", UtcTime, nullable=False),
    sqlite_with_rowid=False,
)

era_notices = Table(
    "era_notices",
    metadata,
    Column("network", String(250), primary_key=True),
    Column("era", BigInteger, primary_key=True),
    Column("kind", String(32), primary_key=True),
    Column("text", PlainText, nullable=False),
    Column("at", UtcTime, nullable=False),
    Column("run", PlainText, nullable=False),
    sqlite_with_rowid=False,
)
"""Notices about eras, once per kind."""

catch_up_plans = Table(
    "catch_up_plans",
    metadata,
    Column("network", String(250), primary_key=True),
    Column("hash", String(64), primary_key=True),
    Column("body", JSON, nullable=False),
    Column("made_at", UtcTime, nullable=False),
    Column("run", PlainText, nullable=False),
    sqlite_with_rowid=False,
)
"""Plans that can be approved by their hash."""

calendar_anchors = Table(
    "calendar_anchors",
    metadata,
    Column("network", String(250), primary_key=True),
    Column("era", BigInteger, primary_key=True),
    Column("start", UtcTime, nullable=False),
    Column("length_microseconds", BigInteger, nullable=False),
    Column("noted_at", UtcTime, nullable=False),
    Column("run", PlainText, nullable=False),
    sqlite_with_rowid=False,
)
"""Anchors of existing runs. A calendar that moves one of them would create second runs of the same eras."""

alerts = Table(
    "alerts",
    metadata,
    Column("network", String(250), primary_key=True),
    Column("topic", String(128), primary_key=True),
    Column("state", String(8), nullable=False),
    Column("kind", String(32), nullable=False),
    Column("rank", Integer, nullable=False),
    Column("era", BigInteger),
    Column("subject", PlainText, nullable=False),
    Column("cause", PlainText, nullable=False),
    Column("version", Integer, nullable=False),
    Column("raised_at", UtcTime, nullable=False),
    Column("absent_since", UtcTime),
    Column("changed_at", UtcTime, nullable=False),
    Column("run", PlainText, nullable=False),
    sqlite_with_rowid=False,
)
"""Present and past alerts: one row per topic."""

alert_messages = Table(
    "alert_messages",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("network", String(250), nullable=False),
    Column("phase", String(8), nullable=False),
    Column("kind", String(32), nullable=False),
    Column("severity", String(16), nullable=False),
    Column("conditions", JSON, nullable=False),
    Column("made_at", UtcTime, nullable=False),
    Column("run", PlainText, nullable=False),
    Column("received", JSON, nullable=False),
    Column("version", Integer, nullable=False),
    Column("claimed_until", UtcTime),
    Column("sent_at", UtcTime),
    sqlite_with_rowid=False,
)
"""Messages about alerts, written in the transaction of the change."""
