"""The total reward of an era, from the chain's storage, and the amounts that accounts got, from a block's events.

pallet-staking stores an era's reward in `ErasValidatorReward` when the era ends, for `HistoryDepth` eras. ParachainStaking stores it in
`DelayedPayouts`, and removes it with the last payment. No runtime stores what an account got: only `Rewarded` of `System.Events` tells it, in the
state of the payout's block. In newer runtimes `PayoutStarted` precedes the rewards of an era.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from staking_gateway import errors
from staking_gateway.chain import storage
from staking_gateway.chain.state import Staking
from staking_gateway.text import one_line
from staking_gateway.types import MAX_ERA

if TYPE_CHECKING:
    from collections.abc import Iterator

    from staking_gateway.chain.block import Block

_PALLETS = ("Staking", "ParachainStaking")
_REWARDED = {"Rewarded": (("stash", "account"), ("amount", "rewards")), "Reward": (("stash",), ("amount",))}
"""Events that pay an account, with the names of their fields in the versions of the pallets. Older ones have no names."""
_STARTED = "PayoutStarted"
_ACCOUNT_BYTES = 32
_QUOTED = 120
"""Length limit of a problem that quotes the node."""


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


@dataclass(frozen=True)
class PaidReward:
    """A reward that an account got.

    :param account_key: 0x public key.
    :param amount: in the smallest unit.
    :param era: era of the reward; None when the runtime does not tell it.
    :param transaction: index in the block of the transaction that paid; None for the chain itself.
    """

    account_key: str
    amount: int
    era: int | None
    transaction: int | None


@dataclass(frozen=True)
class PaidRewards:
    """The rewards that were paid in a block: all or none.

    :param block: number of the block.
    :param rewards: in their order; None when they are unknown.
    :param reason: why they are unknown, and what to do; an empty text when they are known.
    """

    block: int
    rewards: tuple[PaidReward, ...] | None
    reason: str = ""

    def amounts(self, era: int, transaction: int | None = None) -> dict[str, int] | None:
        """What each account got of an era, by public key; None when the rewards are unknown.

        :param era: rewards whose era the runtime does not tell count too.
        :param transaction: only the rewards that this transaction of the block paid; None for those of the whole block.
        """
        if self.rewards is None:
            return None
        found: dict[str, int] = {}
        for one in self.rewards:
            if one.era in (era, None) and transaction in (None, one.transaction):
                found[one.account_key] = found.get(one.account_key, 0) + one.amount
        return found


def paid_rewards(block: Block) -> PaidRewards:
    """The rewards that were paid in a block.

    :raises ChainError: the block cannot be read.
    """
    try:
        return PaidRewards(block.number, tuple(_rewards(block.events())))
    except (ValueError, errors.ChainUnsupported) as error:
        problem = one_line(str(error))[:_QUOTED]
        return PaidRewards(block.number, None, f"the events of block {block.number} cannot be read: {problem}")


def _rewards(records: Iterator[Any]) -> Iterator[PaidReward]:
    """The rewards of event records. A payout's events follow each other.

    :raises ValueError: a reward has another form.
    """
    phase, era = None, None
    for record in records:
        found, event = _field(record, "phase"), _field(record, "event")
        if found != phase:
            phase, era = found, None
        for pallet in _PALLETS:
            told = event.get(pallet) if isinstance(event, dict) else None
            name, content = next(iter(told.items())) if isinstance(told, dict) else (told, None)
            if name == _STARTED:
                era = _number(_value(content, ("era_index",), 0), MAX_ERA)
            elif name in _REWARDED:
                accounts, amounts = _REWARDED[name]
                account = _value(content, accounts, 0)
                if not isinstance(account, bytes) or len(account) != _ACCOUNT_BYTES:
                    raise ValueError("the account of a reward is no public key")
                transaction = phase.get("ApplyExtrinsic") if isinstance(phase, dict) else None
                yield PaidReward("0x" + account.hex(), _number(_value(content, amounts, -1)), era, transaction)


def _field(record: Any, name: str) -> Any:
    if not isinstance(record, dict) or name not in record:
        raise ValueError(f"a record has no {name}")
    return record[name]


def _value(content: Any, names: tuple[str, ...], place: int) -> Any:
    """A field by one of its names, or by its place in an event without names."""
    if isinstance(content, tuple) and content:
        return content[place]
    found = [content[name] for name in names if name in content] if isinstance(content, dict) else []
    if len(found) != 1:
        raise ValueError(f"an event has no {names[0]}")
    return found[0]


def _number(value: Any, most: int = 2**128 - 1) -> int:
    if type(value) is not int or not 0 <= value <= most:
        raise ValueError("an event's number has another type")
    return value


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
