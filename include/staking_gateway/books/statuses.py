"""Staking statuses at the end of past eras, from an archive node."""

from __future__ import annotations

from typing import TYPE_CHECKING

from staking_gateway.books.verdict import Judgement, Verdict, agreed, unknown
from staking_gateway.text import count
from staking_gateway.types import AccountId, StakingStatus

if TYPE_CHECKING:
    from collections.abc import Mapping

    from staking_gateway.books.amounts import NodeReads

_MOST_NAMED = 5


def compare_statuses(stored: Mapping[int, Mapping[str, StakingStatus]], node: NodeReads) -> dict[int, Verdict]:
    """Compare stored statuses with those at the end of each era.

    The newest era is asked first. A node without an era's blocks has none of older eras, and is not asked for them.

    :param stored: era, then the account's 0x key.
    """
    found, why = {}, ""
    for era in sorted(stored, reverse=True):
        ours, past = stored[era], None
        if not why:
            accounts = [AccountId.parse(key) for key in ours]
            past = node.ask(lambda reader, era=era, accounts=accounts: reader.staking_at_end_of(era, accounts))  # type: ignore[misc]
            why = node.problem if past is None else past.reason
        theirs = None if past is None else past.statuses
        judged = unknown(f"the chain's statuses are unknown: {why}") if theirs is None else _judge(ours, theirs)
        found[era] = Verdict("status", judged, ledger=_says(ours), chain=None if theirs is None else _says(theirs))
    return found


def _judge(ours: Mapping[str, StakingStatus], theirs: Mapping[str, StakingStatus]) -> Judgement:
    other = [key for key, status in ours.items() if theirs[key] is not status]
    if not other:
        return agreed("the accounts had the stored statuses at the end of the era")
    named = ", ".join(
        f"{key} is {ours[key]} in the ledger and {theirs[key]} on the chain" for key in other[:_MOST_NAMED]
    )
    more = f", and {len(other) - _MOST_NAMED} more" if len(other) > _MOST_NAMED else ""
    return Judgement(False, "status_differs", f"{count(len(other), 'account')}: {named}{more}")


def _says(statuses: Mapping[str, StakingStatus]) -> str:
    staking = list(statuses.values()).count(StakingStatus.IS_STAKING)
    return f"{staking} staking, {len(statuses) - staking} not staking"
