"""Staking statuses at the end of past eras, from an archive node: compared with the ledger, or stored where the ledger has none."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from staking_gateway.accounts import oldest_kept_era
from staking_gateway.books.sides import Result, agreed, unknown
from staking_gateway.errors import InvalidInput
from staking_gateway.text import count
from staking_gateway.types import AccountId, StakingStatus

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from staking_gateway.books.sides import Sides
    from staking_gateway.ledger import Reconciliation

_MOST_NAMED = 5


def compare_statuses(sides: Sides, eras: Collection[int], *, expected: range) -> dict[int, Reconciliation]:
    """Compare stored statuses with those at the end of each era. An expected era without any gets those of the chain.

    The newest era is asked first. A node without an era's blocks has none of older eras, and is not asked for them. The statuses of one era at
    a time are in memory.

    :param expected: the eras whose statuses the ledger should have.
    """
    ledger, network = sides.ledger, sides.network
    watched: list[AccountId] = []
    for account in network.accounts:
        with suppress(InvalidInput):  # the check of the settings names it
            watched.append(account.account_id)
    found, why = {}, ""
    for era in sorted(eras, reverse=True):
        ours: Mapping[str, StakingStatus] = ledger.statuses_of(sides.name, range(era, era + 1)).get(era, {})
        accounts = [AccountId.parse(key) for key in ours] or (watched if era in expected else [])
        if not accounts:
            continue
        past = None
        if not why:
            past = sides.ask(lambda reader, era=era, accounts=accounts: reader.staking_at_end_of(era, accounts))  # type: ignore[misc]
            why = sides.node_problem if past is None else past.reason
        theirs = None if past is None else past.statuses
        if not ours and theirs is not None:
            given = [(account, theirs[account.hex]) for account in accounts]
            ledger.record_statuses(sides.name, era, given, keep_from=oldest_kept_era(network, era, sides.now))
            ours = theirs
        if ours:
            result = unknown(f"the chain's statuses are unknown: {why}") if theirs is None else _judge(ours, theirs)
            chain = None if theirs is None else _says(theirs)
            found[era] = sides.row(era, "status", result, ledger=_says(ours), chain=chain)
    return found


def _judge(ours: Mapping[str, StakingStatus], theirs: Mapping[str, StakingStatus]) -> Result:
    other = [key for key, status in ours.items() if theirs[key] is not status]
    if not other:
        return agreed("the accounts had the stored statuses at the end of the era")
    named = ", ".join(
        f"{key} is {ours[key]} in the ledger and {theirs[key]} on the chain" for key in other[:_MOST_NAMED]
    )
    more = f", and {len(other) - _MOST_NAMED} more" if len(other) > _MOST_NAMED else ""
    return Result(False, "status_differs", f"{count(len(other), 'account')}: {named}{more}")


def _says(statuses: Mapping[str, StakingStatus]) -> str:
    staking = list(statuses.values()).count(StakingStatus.IS_STAKING)
    return f"{staking} staking, {len(statuses) - staking} not staking"
