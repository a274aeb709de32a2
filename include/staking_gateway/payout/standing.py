"""The state of an era in the ledger: paid, or why it is unpaid.

An era has one record for each part that was attempted; see `payout.decide` for the states of a part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from staking_gateway.ledger.records import PayoutState
from staking_gateway.payout.copies import in_flight

if TYPE_CHECKING:
    from collections.abc import Sequence

    from staking_gateway.ledger import Payout

NEVER_TRIED = "never attempted"
STATE_WORDS = {
    PayoutState.PLANNED: "planned; nothing was sent",
    PayoutState.SIGNED: "signed; perhaps sent",
    PayoutState.SUBMITTED: "sent; not confirmed yet",
    PayoutState.UNKNOWN: "sent; result unknown",
    PayoutState.HELD: "held",
    PayoutState.REJECTED: "rejected",
}
"""What the state of an unsettled part means."""
SEEN_PAID = "paid by something else; seen on the chain"


def is_paid(records: Sequence[Payout], parts: int | None) -> bool:
    """Whether an era is paid by the ledger.

    :param records: the era's parts.
    :param parts: calls per era; None repeats until nothing is left.
    """
    if any(record.state is PayoutState.EMPTY for record in records):
        return True
    confirmed = sum(record.state is PayoutState.CONFIRMED for record in records)
    return parts is not None and confirmed >= parts


def was_paid(records: Sequence[Payout]) -> bool:
    """Whether an old era was paid. Each of its parts is settled, however many parts an era has today."""
    return bool(records) and all(record.state.settled for record in records)


def is_seen_paid(records: Sequence[Payout], *, on_chain: bool) -> bool:
    """Whether something else has paid an era: the chain was seen to have paid it, and no payload of this ledger may still execute.

    :param on_chain: `Facts.paid_on_chain` has the era.
    """
    return on_chain and not any(in_flight(record) for record in records)


def unsettled(records: Sequence[Payout]) -> Payout | None:
    """The first part of an era that is not settled."""
    return next((record for record in records if not record.state.settled), None)


def why_unpaid(records: Sequence[Payout]) -> str:
    """Why an era is unpaid: the state of its first unsettled part, and the reason."""
    waiting = unsettled(records)
    if waiting is None:
        return NEVER_TRIED if not records else f"{len(records)} parts are paid, more may be unpaid"
    why = waiting.reason
    words = STATE_WORDS[waiting.state]
    return f"{words} ({waiting.state.value}): {why}" if why else f"{words} ({waiting.state.value})"
