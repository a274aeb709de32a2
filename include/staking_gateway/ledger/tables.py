"""The three tables of the ledger.

Amounts and nonces are decimal text, since u64 and u128 do not fit an SQL integer. Times are aware UTC.
"""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

from sqlalchemy import (
    BigInteger,
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
    text,
)


class UtcTime(TypeDecorator[datetime]):
    """An aware UTC time; SQLite itself would lose the zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        """Store UTC."""
        del dialect
        return None if value is None else value.astimezone(timezone.utc)

    def process_result_value(self, value: Any | None, dialect: Dialect) -> datetime | None:
        """Give back UTC."""
        del dialect
        if value is None:
            return None
        aware: datetime = value.replace(tzinfo=timezone.utc) if value.tzinfo is None else value.astimezone(timezone.utc)
        return aware


class WholeNumber(TypeDecorator[int]):
    """An unsigned integer of any size as decimal text."""

    impl = String(39)
    cache_ok = True

    def process_bind_param(self, value: int | None, dialect: Dialect) -> Any:
        """Store digits."""
        del dialect
        return None if value is None else str(value)

    def process_result_value(self, value: Any | None, dialect: Dialect) -> int | None:
        """Give back an int."""
        del dialect
        return None if value is None else int(value)


metadata = MetaData()

IN_FLIGHT_STATES = ("SIGNED", "SUBMITTED", "UNKNOWN")
"""A signed payload of these states may still execute; no other may be signed by the same user or payer."""

_in_flight = text("state IN ('SIGNED', 'SUBMITTED', 'UNKNOWN')")

payouts = Table(
    "payouts",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("network", String(64), nullable=False),
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
    Column("block_number", BigInteger),
    Column("confirmed_by", String(32)),
    Column("reason", Text),
    Column("plans", Integer, nullable=False),
    Column("unanswered", Integer, nullable=False),
    Column("lease_owner", String(64)),
    Column("lease_until", UtcTime),
    Column("created_at", UtcTime, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
    Column("signed_at", UtcTime),
    Column("accepted_at", UtcTime),
    Column("confirmed_at", UtcTime),
    Column("settled_by", String(500)),
    UniqueConstraint("network", "era", "part", name="one_record_per_part"),
    Index(
        "one_in_flight_per_user",
        "network",
        "user_key",
        unique=True,
        sqlite_where=_in_flight,
        postgresql_where=_in_flight,
    ),
    Index(
        "one_in_flight_per_payer",
        "network",
        "payer_key",
        unique=True,
        sqlite_where=_in_flight,
        postgresql_where=_in_flight,
    ),
)

payout_events = Table(
    "payout_events",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("payout_id", ForeignKey("payouts.id"), nullable=False, index=True),
    Column("at", UtcTime, nullable=False),
    Column("from_state", String(16)),
    Column("to_state", String(16), nullable=False),
    Column("version", Integer, nullable=False),
    Column("cause", Text, nullable=False),
    Column("run", String(400), nullable=False),
    Column("try_number", Integer, nullable=False),
    UniqueConstraint("payout_id", "version", name="one_event_per_version"),
)

staking_statuses = Table(
    "staking_statuses",
    metadata,
    Column("network", String(64), primary_key=True),
    Column("era", BigInteger, primary_key=True),
    Column("account_key", String(66), primary_key=True),
    Column("address", String(66), nullable=False),
    Column("status", String(16), nullable=False),
    Column("checked_at", UtcTime, nullable=False),
)
