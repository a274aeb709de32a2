"""The ledger: every payout with its state and history, staking statuses, plans and alerts."""

from __future__ import annotations

from staking_gateway.ledger.database_errors import LaneBusy, NonceSpent, NotGranted
from staking_gateway.ledger.facts import AccountReward, EraFacts, Reconciliation
from staking_gateway.ledger.records import AccountStatus, Actor, Notice, Payout, PayoutEvent, PayoutState, TaskFailure
from staking_gateway.ledger.schema import SchemaState, identity_of, schema_state, upgrade_schema
from staking_gateway.ledger.store import Ledger

__all__ = [
    "AccountReward",
    "AccountStatus",
    "Actor",
    "EraFacts",
    "LaneBusy",
    "Ledger",
    "NonceSpent",
    "NotGranted",
    "Notice",
    "Payout",
    "PayoutEvent",
    "PayoutState",
    "Reconciliation",
    "SchemaState",
    "TaskFailure",
    "identity_of",
    "schema_state",
    "upgrade_schema",
]
