"""The ceilings that are looked at before every signature: fees per payout, per day, and per run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from staking_gateway.outcomes import FEE_REASON

if TYPE_CHECKING:
    from datetime import datetime

    from staking_gateway.ledger import Ledger, Payout
    from staking_gateway.terms import PayoutTerms


def above_ceiling(
    fee: int, terms: PayoutTerms, ledger: Ledger, *, run: str, now: datetime, payout: Payout | None = None
) -> str | None:
    """Why a fee is too high, or None. What was signed and may still execute counts as spent.

    :param fee: of the next payload, in the smallest unit.
    :param run: name of the run that would sign it.
    :param now: aware UTC time; a day ends at midnight UTC.
    :param payout: the record it would be signed for: of its last payload and the next, one fee at most is charged.
    """
    if terms.max_fee_per_payout is not None and fee > terms.max_fee_per_payout:
        return f"{FEE_REASON}is {fee}, more than max_fee_per_payout {terms.max_fee_per_payout}"
    if terms.max_fee_per_day is not None:
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
        spent = ledger.committed_fees(terms.network, midnight, but=payout)
        if spent + fee > terms.max_fee_per_day:
            return f"{FEE_REASON}{fee} on top of today's {spent} is more than max_fee_per_day {terms.max_fee_per_day}"
    if terms.max_fee_per_run is not None:
        spent = ledger.fees_of_run(terms.network, run, but=payout)
        if spent + fee > terms.max_fee_per_run:
            return (
                f"{FEE_REASON}{fee} on top of this run's {spent} is more than max_fee_per_run {terms.max_fee_per_run}"
            )
    return None
