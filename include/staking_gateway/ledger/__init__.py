"""The ledger: what was planned, signed, sent and settled, so that nothing is ever paid twice or forgotten."""

from __future__ import annotations

from staking_gateway.ledger.records import AccountStatus, Actor, Payout, PayoutEvent, PayoutState
from staking_gateway.ledger.store import LaneBusy, Ledger

__all__ = ["AccountStatus", "Actor", "LaneBusy", "Ledger", "Payout", "PayoutEvent", "PayoutState"]
