"""Lost eras: they have expired, and were never paid.

No plan reads the payouts of all history. Each run of an era, and each catch-up, notes the lost eras and up to which era it has checked. Later checks
read only the payouts of later eras and of the noted eras.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from staking_gateway.payout.standing import is_seen_paid, was_paid

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from staking_gateway.ledger import Actor, Ledger

EXPIRED = "expired"
"""Notice that a lost era was reported."""
_LOST = "lost"
"""Notice about an era that was lost when it was checked. A late confirmation may still show that it was paid."""
REVIEWED_BEFORE = "reviewed_before"
"""Notice with an era: each earlier one is paid, or has one of the notices above."""
_ERAS_AT_ONCE = 1000


def not_reviewed(ledger: Ledger, network: str, expired: range) -> range:
    """The eras of a range that no check has noted yet."""
    reviewed = ledger.journal.last_noted(network, REVIEWED_BEFORE) or 0
    return range(min(max(expired.start, reviewed), expired.stop), expired.stop)


def lost_eras(ledger: Ledger, network: str, expired: range) -> list[int]:
    """The lost eras of a range that no catch-up has reported, in order."""
    noted, reported = (
        {era for era in ledger.journal.noted_eras(network, kind, since=expired.start) if era in expired}
        for kind in (_LOST, EXPIRED)
    )
    new = set(_unpaid_of_range(ledger, network, not_reviewed(ledger, network, expired)))
    return sorted({*_unpaid(ledger, network, noted - reported), *(new - reported)})


def note_lost_eras(ledger: Ledger, network: str, expired: range, *, depth: int, actor: Actor) -> None:
    """Note the lost eras, once for each history window. The note of the checked eras comes last: a crash before it repeats the check.

    :param expired: the expired eras that this installation should have paid.
    :param depth: eras of a history window.
    """
    left = not_reviewed(ledger, network, expired)
    if len(left) < depth:
        return
    for start in range(left.start, left.stop, _ERAS_AT_ONCE):
        some = range(start, min(start + _ERAS_AT_ONCE, left.stop))
        for era in _unpaid_of_range(ledger, network, some):
            ledger.journal.note_once(network, era, _LOST, f"era {era} has expired, and was never paid", actor)
        note_reviewed(ledger, network, some.stop, actor)


def note_reviewed(ledger: Ledger, network: str, before: int, actor: Actor) -> None:
    """Note that each earlier era is paid, or noted."""
    text = "each earlier era is paid, or noted as lost or expired"
    ledger.journal.note_once(network, before, REVIEWED_BEFORE, text, actor)


def _unpaid_of_range(ledger: Ledger, network: str, eras: range) -> Iterator[int]:
    """The eras of a range that are not paid; their payouts are read some at a time."""
    for start in range(eras.start, eras.stop, _ERAS_AT_ONCE):
        yield from _unpaid(ledger, network, range(start, min(start + _ERAS_AT_ONCE, eras.stop)))


def _unpaid(ledger: Ledger, network: str, eras: Collection[int]) -> Iterator[int]:
    """The eras that are not paid."""
    records, seen = ledger.payouts_among(network, eras), ledger.facts.paid_on_chain(network, eras)
    for era in eras:
        of_era = records.get(era, ())
        if not was_paid(of_era) and not is_seen_paid(of_era, on_chain=era in seen):
            yield era
