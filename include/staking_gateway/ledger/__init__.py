"""The ledger: every payout with its state and history, staking statuses, plans and alerts."""

from __future__ import annotations

from staking_gateway.ledger.database import NotGranted, ledger_name
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
from staking_gateway.ledger.schema import identity_of, schema_version
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
    "Sight",
    "Sighting",
    "TaskFailure",
    "identity_of",
    "ledger_name",
    "schema_version",
]
