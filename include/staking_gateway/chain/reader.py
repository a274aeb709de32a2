"""The reader of a chain: active era, election window, paid eras, rewards and nonces."""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

from staking_gateway import errors
from staking_gateway.chain import history, paid, rewards
from staking_gateway.chain.block import BlockUnavailable, KnownNode, layouts
from staking_gateway.chain.endpoint import NodeEndpoint
from staking_gateway.chain.node import ChainIdentity  # noqa: TC001 - other modules import it from here
from staking_gateway.types import MAX_NONCE, AccountId, NonceKind, parse_era, parse_unsigned

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from staking_gateway.chain.block import Block
    from staking_gateway.chain.history import PastStatuses
    from staking_gateway.chain.rewards import EraReward, PaidRewards
    from staking_gateway.chain.state import ChainState
    from staking_gateway.text import Token

T = TypeVar("T")
_SEARCH_TIMEOUTS = 6
"""Time limit of the search of a block, in timeouts of the node. The search reads about 25 blocks."""


class ChainReader:
    """Reads the chain of a node, for any number of threads. Transient errors are repeated within `timeout`.

    All readers of one address in a process share the connection and the knowledge of the runtime.

    :param endpoint: the node's address, or a `NodeEndpoint` with limits and the expected chain.
    :raises InvalidConnection: the address cannot be used.
    """

    def __init__(self, endpoint: str | NodeEndpoint) -> None:
        self._endpoint = endpoint if isinstance(endpoint, NodeEndpoint) else NodeEndpoint(endpoint)

    @property
    def endpoint(self) -> NodeEndpoint:
        """The node's address, with limits and the expected chain."""
        return self._endpoint

    def identity(self) -> ChainIdentity:
        """The chain of the node.

        :raises WrongChain: not the expected chain.
        :raises ChainError: the node cannot be read.
        """
        return self._ask(lambda _, identity: identity)

    def token(self) -> Token | None:
        """The chain's token, read once per process; None when the node names none.

        :raises ChainError: the node cannot be read.
        """
        return self._ask(lambda known, _: known.token())

    def state(self) -> ChainState:
        """Active era and election window, at the newest block.

        :raises WrongChain: not the expected chain.
        :raises ChainUnsupported: no Substrate node, or its runtime is unreadable or has no known staking pallet.
        :raises EraNotBegun: the chain has no active era yet.
        :raises ChainError: the node did not answer properly; ask again.
        """
        return self._ask(lambda known, identity: known.at_head(identity).state())

    def era_paid(self, era: int | str) -> bool | None:
        """Whether nothing of an era is unpaid, at the newest block.

        :param era: index of the era.
        :returns: True when each validator with reward points has claimed its rewards. Validators that have unbonded can claim
            nothing, and are ignored. False when a validator has not claimed its rewards. None when the storage shows neither: the
            era has not ended or is too old, no validator earned points, or the runtime keeps other records.
        :raises InvalidEra: not an era index.
        :raises ChainError: as `state`.
        """
        index = parse_era(era)
        return self._ask(lambda known, identity: paid.era_paid(known.at_head(identity), index))

    def era_reward(self, era: int | str) -> EraReward | None:
        """The total reward of an era, at the newest block.

        :param era: index of the era.
        :returns: None when the chain does not keep it: the era has not ended or is too old, a parachain has paid it, or the runtime
            keeps other records.
        :raises InvalidEra: not an era index.
        :raises ChainError: as `state`.
        """
        index = parse_era(era)
        return self._ask(lambda known, identity: rewards.era_reward(known.at_head(identity), index))

    def paid_rewards(self, block: int) -> PaidRewards:
        """The rewards that accounts got in a block, from its events. Needs metadata 14, and the block's state.

        :param block: number of the block.
        :returns: all rewards of the block, or none with the reason.
        :raises InvalidInput: not a block number.
        :raises ChainError: as `state`.
        """
        number = parse_unsigned(block, MAX_NONCE, field="block")

        def read(known: KnownNode, identity: ChainIdentity) -> PaidRewards:
            try:
                return rewards.paid_rewards(known.at(number, identity))
            except BlockUnavailable as error:
                return rewards.PaidRewards(number, None, str(error))

        return self._ask(read)

    def staking_at_end_of(self, era: int | str, accounts: Sequence[str | AccountId]) -> PastStatuses:
        """Staking statuses in the last block of a past era. Needs an archive node, which is asked about 25 blocks.

        :param era: index of the era.
        :param accounts: SS58 addresses or 0x public keys.
        :returns: the statuses of all accounts, or none with the reason.
        :raises InvalidEra: not an era index.
        :raises InvalidAccount: not an account.
        :raises ChainError: as `state`.
        """
        index, parsed = parse_era(era), [AccountId.parse(account) for account in accounts]
        head = self.state()
        if index >= head.active_era:
            return history.PastStatuses(index, None, reason=f"era {index} has not ended. Ask again after its end")
        number = history.last_block(index, head.block, self._values_of(lambda block: block.active_era()))

        def read(known: KnownNode, identity: ChainIdentity) -> PastStatuses:
            try:
                return history.statuses_in(known.at(max(number, 0), identity), index, parsed)
            except BlockUnavailable as error:
                return history.PastStatuses(index, None, reason=str(error))

        return self._ask(read)

    def _values_of(self, read: Callable[[Block], int | None]) -> Callable[[int], int | None]:
        """A value by block number, for one search; None when the block's state is unavailable, or has no value yet."""
        until = monotonic() + _SEARCH_TIMEOUTS * self._endpoint.timeout

        def value_of(number: int) -> int | None:
            if monotonic() > until:
                raise errors.NodeUnreachable(
                    f"the search of a block takes longer than {_SEARCH_TIMEOUTS * self._endpoint.timeout:g} s. "
                    "Use a faster node, or raise timeout",
                    node=self._endpoint.name,
                    method="state_getStorage",
                )
            try:
                return self._ask(lambda known, identity: read(known.at(number, identity)))
            except BlockUnavailable:
                return None

        return value_of

    def nonce(self, account: str | AccountId, kind: NonceKind | str) -> int | None:
        """Next unused nonce of an account for proxied payouts, at the newest block.

        :param account: SS58 address or 0x public key.
        :param kind: `staking` for the user's nonce, `payment` for the payer's.
        :returns: None when the runtime keeps no such nonces.
        :raises InvalidAccount: not an account.
        :raises ValueError: not a kind of nonce.
        :raises ChainError: as `state`.
        """
        key, which = AccountId.parse(account).public_key, NonceKind(kind)
        return self._ask(lambda known, identity: known.at_head(identity).nonce(key, which))

    def block_of_nonce(self, account: str | AccountId, kind: NonceKind | str, nonce: int) -> int | None:
        """The block in which an account used a nonce. Needs the state of that block and of the one before; about 25 blocks are read.

        :param account: SS58 address or 0x public key.
        :param kind: `staking` for the user's nonce, `payment` for the payer's.
        :param nonce: the used nonce.
        :returns: number of the block. None when the nonce is unused, the node has no state of the block, or the runtime keeps no such nonces.
        :raises InvalidAccount: not an account.
        :raises InvalidInput: not a nonce.
        :raises ValueError: not a kind of nonce.
        :raises ChainError: as `state`.
        """
        key, which = AccountId.parse(account).public_key, NonceKind(kind)
        used = parse_unsigned(nonce, MAX_NONCE, field="nonce")
        nonce_in = self._values_of(lambda block: block.nonce(key, which))
        newest = self._ask(lambda known, identity: known.at_head(identity).number)
        if (nonce_in(newest) or 0) <= used:
            return None
        before = history.last_block(used, newest, nonce_in)
        return None if before < 0 or nonce_in(before) is None else before + 1

    def _ask(self, question: Callable[[KnownNode, ChainIdentity], T]) -> T:
        answer: T = self._endpoint.retry.call(self._ask_once, question)
        return answer

    def _ask_once(self, question: Callable[[KnownNode, ChainIdentity], T]) -> T:
        with _shared(self._endpoint) as known:
            identity = known.node.identity
            self._check(identity)
            return question(known, identity)

    def _check(self, identity: ChainIdentity) -> None:
        endpoint = self._endpoint
        for field, expected, found in (
            ("genesis_hash", endpoint.genesis_hash, identity.genesis_hash),
            ("chain_name", endpoint.chain_name, identity.chain_name),
        ):
            if expected is not None and expected != found:
                raise errors.WrongChain(
                    f"it belongs to a chain whose {field} is {found[:80]!r}, not {expected[:80]!r}. "
                    f"Set Host to a node of the right chain, or correct {field}",
                    node=endpoint.name,
                    method="chain_getBlockHash" if field == "genesis_hash" else "system_chain",
                )


# --- shared in the process ---------------------------------------------------------------------------------------------

_nodes: dict[NodeEndpoint, KnownNode] = {}
_nodes_lock = threading.Lock()


@contextmanager
def _shared(endpoint: NodeEndpoint) -> Iterator[KnownNode]:
    """The node of an address, for one thread at a time. Readers with different expected chains share it."""
    key = replace(endpoint, genesis_hash=None, chain_name=None)
    with _nodes_lock:
        known = _nodes.setdefault(key, KnownNode(key))
    if not known.lock.acquire(timeout=endpoint.timeout):
        raise errors.NodeUnreachable(
            f"other threads have used the node for {endpoint.timeout:g} s. Ask again, or raise timeout",
            node=endpoint.name,
            method="connect",
        )
    try:
        yield known
    finally:
        known.lock.release()


def close_nodes() -> None:
    """Close all connections, and forget all runtimes. The next read connects again."""
    with _nodes_lock:
        closing = list(_nodes.values())
        _nodes.clear()
        layouts.clear()
    for known in closing:
        with known.lock:
            known.node.close()


def _reset_after_fork() -> None:
    """In a forked process, connections and locks belong to the parent."""
    global _nodes_lock  # noqa: PLW0603 - a thread of the parent may have held the lock
    _nodes_lock = threading.Lock()
    for known in _nodes.values():
        known.node.forget()
    _nodes.clear()


os.register_at_fork(after_in_child=_reset_after_fork)
