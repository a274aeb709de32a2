"""The ledger: every payout with its state and history, staking statuses, plans and alerts."""

from staking_gateway.ledger.database import ledger_name
from staking_gateway.ledger.records import Actor, Payout, PayoutState
from staking_gateway.ledger.schema import identity_of
from staking_gateway.ledger.store import Ledger

__all__ = ["Actor", "Ledger", "Payout", "PayoutState", "identity_of", "ledger_name"]
