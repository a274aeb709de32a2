"""Pay an era: `decide` has the rules, `engine` performs them, `terms` and `outcomes` are what goes in and comes out."""

from __future__ import annotations

from staking_gateway.payout.engine import PayoutEngine
from staking_gateway.payout.outcomes import EraOutcome, Hold, Outcome, Wait, WaitFor
from staking_gateway.payout.terms import ConfirmBy, Gateway, PayoutTerms

__all__ = ["ConfirmBy", "EraOutcome", "Gateway", "Hold", "Outcome", "PayoutEngine", "PayoutTerms", "Wait", "WaitFor"]
