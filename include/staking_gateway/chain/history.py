"""Past blocks: the block in which a value changed, and the staking statuses at the end of an era.

`isStaking` means what the public gateway means by it: the account nominates. Its record is `Staking.Nominators` or
`ParachainStaking.NominatorState`; a validator that does not nominate is `isNotStaking`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from staking_gateway.chain.runtime import Staking
from staking_gateway.types import StakingStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from staking_gateway.chain.block import Block
    from staking_gateway.types import AccountId


@dataclass(frozen=True)
class PastStatuses:
    """Staking statuses at the end of an era: of all accounts or of none.

    :param era: index of the era.
    :param statuses: by 0x public key; None when they are unknown.
    :param block: number of the era's last block; None when it is unknown.
    :param reason: why they are unknown, and what to do; an empty text when they are known.
    """

    era: int
    statuses: dict[str, StakingStatus] | None
    block: int | None = None
    reason: str = ""


def last_block(limit: int, newest: int, value_of: Callable[[int], int | None]) -> int:
    """The last block whose value is at most `limit`, or unknown; -1 when there is none.

    :param newest: a block with a higher value.
    :param value_of: a value that never falls, such as the active era, in a block's state; None when the state is unavailable, or has no
        value yet.
    """
    before, behind = -1, newest
    while behind - before > 1:
        middle = (before + behind) // 2
        found = value_of(middle)
        if found is None or found <= limit:
            before = middle
        else:
            behind = middle
    return before


def statuses_in(block: Block, era: int, accounts: Sequence[AccountId]) -> PastStatuses:
    """The statuses in the state of a block; unknown when the block is not of the era, or its runtime keeps no nominators.

    :raises ChainError: the block cannot be read.
    """
    if block.active_era() != era:
        return PastStatuses(era, None, reason=f"the node has no block of era {era}. Use an archive node of the chain")
    parachain = block.staking is Staking.PARACHAIN
    entry = ("ParachainStaking", "NominatorState") if parachain else ("Staking", "Nominators")
    keys = [key for account in accounts if (key := block.metadata.key(*entry, account.public_key))]
    if len(keys) < len(accounts):
        return PastStatuses(era, None, reason=f"the runtime of block {block.number} has no {'.'.join(entry)}")
    stored = zip(accounts, block.stored(keys), strict=True)
    kinds = {True: StakingStatus.IS_STAKING, False: StakingStatus.IS_NOT_STAKING}
    return PastStatuses(era, {account.hex: kinds[raw is not None] for account, raw in stored}, block.number)
