"""The reader of a chain: active era, election window, paid eras, rewards and nonces."""

from __future__ import annotations

import os
from bisect import bisect_right
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from staking_gateway import errors
from staking_gateway.chain import paid, rewards
from staking_gateway.chain.block import Block, block_at, finalized, token
from staking_gateway.chain.node import Node, NodeEndpoint
from staking_gateway.http.foreign_text import QUOTED_CHARACTERS
from staking_gateway.types import MAX_NONCE, AccountId, NonceKind, StakingStatus, parse_era, parse_unsigned

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from staking_gateway.chain.block import ChainState
    from staking_gateway.chain.node import ChainIdentity
    from staking_gateway.chain.rewards import EraReward, PaidRewards
    from staking_gateway.text import Token

T = TypeVar("T")


@dataclass(frozen=True)
class PastStatuses:
    """Staking statuses at the end of an era. As for the gateway, an account that nominates is staking.

    :param statuses: by 0x public key; None when they are unknown.
    :param block: number of the era's last block.
    :param reason: why they are unknown, and what to do.
    """

    era: int
    statuses: dict[str, StakingStatus] | None
    block: int | None = None
    reason: str = ""


class ChainReader:
    """Reads the chain of a node at the newest finalized block, for any number of threads. Methods block.

    All readers of one endpoint in a process share the connection and the knowledge of the runtime. Transient errors are repeated
    within `timeout`. Every method raises a ChainError; its `how` is OTHER_CHAIN, NODE_UNSUPPORTED, or one that may pass. Eras, blocks,
    nonces and accounts that are none raise InvalidInput.

    :param endpoint: the node's address, or a `NodeEndpoint` with limits and the expected chain.
    :raises InvalidConnection: the address cannot be used.
    """

    def __init__(self, endpoint: str | NodeEndpoint) -> None:
        self.endpoint = endpoint if isinstance(endpoint, NodeEndpoint) else NodeEndpoint(endpoint)

    def identity(self) -> ChainIdentity:
        """The chain of the node."""
        return self._ask(lambda node: node.identity())

    def token(self) -> Token | None:
        """The chain's token, read once per process; None when the node names none."""
        return self._ask(token)

    def state(self) -> ChainState:
        """Active era and election window."""
        return self._ask(lambda node: finalized(node).state())

    def era_paid(self, era: int | str) -> bool | None:
        """Whether nothing of an era is unpaid.

        :returns: whether each validator with reward points that can claim rewards has claimed them. None when the storage does not show it:
            the era has not ended or is too old, no validator earned points, or the runtime keeps other records.
        """
        index = parse_era(era)
        return self._ask(lambda node: paid.era_paid(finalized(node), index))

    def era_reward(self, era: int | str) -> EraReward | None:
        """The total reward of an era; None when the chain does not keep it."""
        index = parse_era(era)
        return self._ask(lambda node: rewards.era_reward(finalized(node), index))

    def paid_rewards(self, block: int, era: int | str) -> PaidRewards:
        """What accounts got of an era in a block, from its events. Needs metadata 14, and the block's state."""
        number, index = parse_unsigned(block, MAX_NONCE, field="block"), parse_era(era)
        found = self._ask(lambda node: block_at(node, number))
        if not isinstance(found, Block):
            return rewards.PaidRewards(None, found)
        return self._ask(lambda _: rewards.paid_rewards(found, index))

    def staking_at_end_of(self, era: int | str, accounts: Sequence[str | AccountId]) -> PastStatuses:
        """Staking statuses in the last block of a past era. Needs an archive node, which is asked about 25 blocks.

        :param accounts: SS58 addresses or 0x public keys.
        """
        index, parsed = parse_era(era), [AccountId.parse(account) for account in accounts]
        head = self.state()
        if index >= head.active_era:
            return PastStatuses(index, None, reason=f"era {index} has not ended. Ask again after its end")
        number = last_block(index, head.block, self._in_block(lambda block: block.active_era()))
        found = self._ask(lambda node: block_at(node, max(number, 0)))
        if not isinstance(found, Block):
            return PastStatuses(index, None, reason=found)
        return self._ask(lambda _: _statuses_in(found, index, parsed))

    def nonce(self, account: str | AccountId, kind: NonceKind | str) -> int | None:
        """Next unused nonce of an account for proxied payouts; None when the runtime keeps none.

        :param kind: `staking` for the user's nonce, `payment` for the payer's.
        """
        key, which = AccountId.parse(account).public_key, NonceKind(kind)
        return self._ask(lambda node: finalized(node).nonce(key, which))

    def block_of_nonce(self, account: str | AccountId, kind: NonceKind | str, nonce: int) -> int | None:
        """The block in which an account used a nonce; about 25 blocks are read. None when it is unused, or the node does not have it."""
        key, which = AccountId.parse(account).public_key, NonceKind(kind)
        used = parse_unsigned(nonce, MAX_NONCE, field="nonce")
        nonce_in = self._in_block(lambda block: block.nonce(key, which))
        newest = self._ask(lambda node: finalized(node).number)
        if (nonce_in(newest) or 0) <= used:
            return None
        before = last_block(used, newest, nonce_in)
        return None if before < 0 or nonce_in(before) is None else before + 1

    def _in_block(self, read: Callable[[Block], int | None]) -> Callable[[int], int | None]:
        """A value by block number; None when the block's state is unavailable, or has no value yet."""

        def value_of(number: int) -> int | None:
            block = self._ask(lambda node: block_at(node, number))
            return self._ask(lambda _: read(block)) if isinstance(block, Block) else None

        return value_of

    def _ask(self, question: Callable[[Node], T]) -> T:
        answer: T = self.endpoint.retry.call(self._ask_once, question)
        return answer

    def _ask_once(self, question: Callable[[Node], T]) -> T:
        with _shared(self.endpoint) as node:
            expected, found = self.endpoint.genesis_hash, node.identity().genesis_hash
            if expected not in (None, found):
                problem = f"it belongs to a chain whose genesis_hash is {found}, not {expected}"
                remedy = "Set Host to a node of the right chain, or correct genesis_hash"
                raise node.fail(errors.Failed.OTHER_CHAIN, problem, remedy)
            try:
                return question(node)
            except ValueError as error:
                problem = f"a block cannot be read as its runtime describes it: {str(error)[:QUOTED_CHARACTERS]}"
                remedy = "Check that Host is a node of a staking chain, or use another of its nodes"
                raise node.fail(errors.Failed.NODE_ANSWER, problem, remedy) from None


def last_block(limit: int, newest: int, value_of: Callable[[int], int | None]) -> int:
    """The last block whose value is at most `limit`, or unknown; -1 when there is none.

    :param newest: a block with a higher value.
    :param value_of: a value that never falls, such as the active era.
    """
    return bisect_right(range(newest), limit, key=lambda block: -1 if (found := value_of(block)) is None else found) - 1


def _statuses_in(block: Block, era: int, accounts: Sequence[AccountId]) -> PastStatuses:
    """The statuses in the state of a block; unknown when the block is not of the era, or its runtime keeps no nominators."""
    if block.active_era() != era:
        return PastStatuses(era, None, reason=f"the node has no block of era {era}. Use an archive node of the chain")
    parachain = block.pays_by_itself
    entry = ("ParachainStaking", "NominatorState") if parachain else ("Staking", "Nominators")
    keys = [key for account in accounts if (key := block.metadata.key(*entry, account.public_key))]
    if len(keys) < len(accounts):
        return PastStatuses(era, None, reason=f"the runtime of block {block.number} has no {'.'.join(entry)}")
    stored = zip(accounts, block.stored(keys), strict=True)
    kinds = {True: StakingStatus.IS_STAKING, False: StakingStatus.IS_NOT_STAKING}
    return PastStatuses(era, {account.hex: kinds[raw is not None] for account, raw in stored}, block.number)


# --- shared in the process ---------------------------------------------------------------------------------------------

_nodes: dict[tuple[int, NodeEndpoint], Node] = {}
"""By process, because in a forked process the connections belong to the parent."""


@contextmanager
def _shared(endpoint: NodeEndpoint) -> Iterator[Node]:
    """The node of an address, for one thread at a time."""
    node = _nodes.setdefault((os.getpid(), endpoint), Node(endpoint))
    if not node.lock.acquire(timeout=endpoint.timeout):
        problem = f"other threads have used the node for {endpoint.timeout:g} s"
        raise node.fail(errors.Failed.NODE_UNREACHABLE, problem, "Ask again, or raise timeout")
    try:
        yield node
    finally:
        node.lock.release()
