"""Pay an era: `decide` has the rules, `engine` performs them, `terms` is the input, `outcomes` the result."""

from staking_gateway.payout.engine import PayoutEngine
from staking_gateway.payout.outcomes import EraOutcome, Hold, Outcome, Wait, WaitFor
from staking_gateway.payout.terms import ConfirmBy, PayoutTerms

__all__ = ["ConfirmBy", "EraOutcome", "Hold", "Outcome", "PayoutEngine", "PayoutTerms", "Wait", "WaitFor"]
