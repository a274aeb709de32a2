"""The total reward of an era, from the chain's storage.

pallet-staking stores it in `ErasValidatorReward` when the era ends, for `HistoryDepth` eras. ParachainStaking stores it in
`DelayedPayouts`, and removes it with the last payment.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from staking_gateway.chain import storage
from staking_gateway.chain.state import Staking

if TYPE_CHECKING:
    from staking_gateway.chain.block import Block


@dataclass(frozen=True)
class EraReward:
    """The total reward of an era.

    :param amount: in the smallest unit.
    :param source: `storage`.
    :param block: number of the block that was read.
    """

    amount: int
    source: str
    block: int


def era_reward(block: Block, era: int) -> EraReward | None:
    """The total reward of an era; None when the chain does not keep it.

    :raises ChainError: the storage cannot be read.
    """
    parachain = block.staking is Staking.PARACHAIN
    entry = ("ParachainStaking", "DelayedPayouts") if parachain else ("Staking", "ErasValidatorReward")
    key = block.map_key(*entry, storage.encode_number(era))
    raw = block.stored(key) if key else None
    try:
        return None if raw is None else EraReward(storage.decode_balance(raw), "storage", block.number)
    except ValueError:  # a value with an unknown layout
        return None
