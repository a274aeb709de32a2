"""The ledger: every payout with its state and history, staking statuses, plans and alerts."""

from __future__ import annotations

from staking_gateway.ledger.database import NotGranted
from staking_gateway.ledger.records import (
    AccountReward,
    AccountStatus,
    Actor,
    EraFacts,
    Payout,
    PayoutState,
    Reconciliation,
    Sight,
    Sighting,
    TaskFailure,
)
from staking_gateway.ledger.schema import SchemaState, identity_of, schema_state
from staking_gateway.ledger.standing import LedgerStopped
from staking_gateway.ledger.store import Ledger

__all__ = [
    "AccountReward",
    "AccountStatus",
    "Actor",
    "EraFacts",
    "Ledger",
    "LedgerStopped",
    "NotGranted",
    "Payout",
    "PayoutState",
    "Reconciliation",
    "SchemaState",
    "Sight",
    "Sighting",
    "TaskFailure",
    "identity_of",
    "schema_state",
]
