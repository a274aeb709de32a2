"""The ledger: every payout with its state and history, staking statuses, plans and alerts."""

from __future__ import annotations

from staking_gateway.ledger.database import NotGranted
from staking_gateway.ledger.invariant import InvariantBroken
from staking_gateway.ledger.records import (
    AccountReward,
    AccountStatus,
    Actor,
    Copy,
    EraFacts,
    FeeKey,
    Mark,
    Notice,
    Payout,
    PayoutEvent,
    PayoutState,
    Read,
    Reconciliation,
    Send,
    Sight,
    Sighting,
    Stop,
    TaskFailure,
)
from staking_gateway.ledger.schema import SchemaState, identity_of, schema_state, upgrade_schema
from staking_gateway.ledger.standing import LedgerStopped
from staking_gateway.ledger.store import Ledger

__all__ = [
    "AccountReward",
    "AccountStatus",
    "Actor",
    "Copy",
    "EraFacts",
    "FeeKey",
    "InvariantBroken",
    "Ledger",
    "LedgerStopped",
    "Mark",
    "NotGranted",
    "Notice",
    "Payout",
    "PayoutEvent",
    "PayoutState",
    "Read",
    "Reconciliation",
    "SchemaState",
    "Send",
    "Sight",
    "Sighting",
    "Stop",
    "TaskFailure",
    "identity_of",
    "schema_state",
    "upgrade_schema",
]
