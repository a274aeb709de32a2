"""The eras of a plan, one line each: state, payment delay, fee, request and transaction."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from staking_gateway.ledger.records import PayoutState
from staking_gateway.payout.copies import SEEN_PAID, unsettled
from staking_gateway.payout.outcomes import Outcome, hold_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from staking_gateway.catch_up.plan import CatchUpPlan
    from staking_gateway.eras.calendar import EraCalendar
    from staking_gateway.ledger import Ledger, Payout


@dataclass(frozen=True)
class ListedEra:
    """One era.

    :param outcome: an outcome, or the state of an unfinished payout; UNPAID when none was attempted.
    :param lag_seconds: from the era's end to its confirmed payout, or until now while it is unpaid; None when unknown.
    :param fee: paid for all its parts, in the smallest unit.
    :param eras_left: changes of era until its rewards are gone; None for an era that is not unpaid.
    """

    era: int
    outcome: str
    ended_at: datetime
    lag_seconds: float | None
    fee: int | None
    request_id: str | None
    tx_hash: str | None
    eras_left: int | None
    why: str

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON: amounts as decimal text, times as ISO 8601 UTC."""
        fee = None if self.fee is None else str(self.fee)
        return {**asdict(self), "ended_at": self.ended_at.isoformat(), "fee": fee}


def list_eras(plan: CatchUpPlan, ledger: Ledger, calendar: EraCalendar, now: datetime) -> list[ListedEra]:
    """Paid, unpaid and expired eras of a plan, oldest first."""
    unpaid = {era.era: era for era in plan.unpaid}
    numbers = sorted({*plan.paid, *unpaid, *plan.expired})
    records = ledger.payouts_of(plan.network, numbers)
    listed = []
    for number in numbers:
        parts, ended, era = records.get(number, []), calendar.end(number), unpaid.get(number)
        until: datetime | None = now
        if number in plan.expired:
            outcome, why = Outcome.EXPIRED.value, "its rewards are gone"
        elif era is not None:
            outcome, why = _unpaid_word(parts), era.why
        else:
            paid = any(part.state is PayoutState.CONFIRMED for part in parts)
            outcome = (Outcome.PAID if paid else Outcome.ALREADY_PAID).value
            why = "" if any(part.state.settled for part in parts) else SEEN_PAID
            until = max((part.confirmed_at for part in parts if part.confirmed_at), default=None)
        fees = [part.fee for part in parts if part.confirmed_at is not None and part.fee is not None]
        listed.append(
            ListedEra(
                era=number,
                outcome=outcome,
                ended_at=ended,
                lag_seconds=None if until is None or until < ended else round((until - ended).total_seconds(), 3),
                fee=sum(fees) if fees else None,
                request_id=next((part.request_id for part in reversed(parts) if part.request_id), None),
                tx_hash=next((part.tx_hash for part in reversed(parts) if part.tx_hash), None),
                eras_left=None if era is None or number in plan.expired else era.countdown.eras_left,
                why=why,
            )
        )
    return listed


def _unpaid_word(parts: Sequence[Payout]) -> str:
    waiting = unsettled(parts)
    if waiting is None:
        return Outcome.PARTIAL.value if parts else "UNPAID"
    return str((hold_of(waiting) or waiting.state).value)
