"""Pay an era: `decide` has the rules, `engine` performs them, `terms` is the input, `outcomes` the result.

The names below are loaded on first use: parsing a DAG file needs the terms, and not the ledger.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from staking_gateway.payout.engine import PayoutEngine
    from staking_gateway.payout.outcomes import EraOutcome, Hold, Outcome, Wait, WaitFor
    from staking_gateway.payout.terms import ConfirmBy, PayoutTerms

_HOMES = {
    "ConfirmBy": "terms",
    "EraOutcome": "outcomes",
    "Hold": "outcomes",
    "Outcome": "outcomes",
    "PayoutEngine": "engine",
    "PayoutTerms": "terms",
    "Wait": "outcomes",
    "WaitFor": "outcomes",
}

__all__ = ["ConfirmBy", "EraOutcome", "Hold", "Outcome", "PayoutEngine", "PayoutTerms", "Wait", "WaitFor"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
