"""Asking a node for the active era, the election window, paid eras and nonces."""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from staking_gateway import errors
from staking_gateway.chain import paid
from staking_gateway.chain.block import KnownNode, layouts
from staking_gateway.chain.endpoint import NodeEndpoint
from staking_gateway.chain.node import ChainIdentity  # noqa: TC001 - other modules import it from here
from staking_gateway.types import AccountId, NonceKind, parse_era

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from staking_gateway.chain.state import ChainState

T = TypeVar("T")


class ChainReader:
    """Reads eras, election window, payouts and nonces of the chain a node belongs to. Any number of threads may use it.

    All readers of one address in a process share a connection, and what was learnt of the runtime. A question that fails in a
    way that may pass is repeated while `timeout` has not gone by.

    :param endpoint: the node's address, or a `NodeEndpoint` that carries it with limits and expectations.
    :raises InvalidConnection: the address cannot be used.
    """

    def __init__(self, endpoint: str | NodeEndpoint) -> None:
        self._endpoint = endpoint if isinstance(endpoint, NodeEndpoint) else NodeEndpoint(endpoint)

    @property
    def endpoint(self) -> NodeEndpoint:
        """Where is asked."""
        return self._endpoint

    def identity(self) -> ChainIdentity:
        """Which chain the node belongs to.

        :raises WrongChain: another one than the endpoint expects.
        :raises ChainError: the node does not tell.
        """
        return self._ask(lambda _, identity: identity)

    def state(self) -> ChainState:
        """Active era and election window, both at the newest block.

        :raises WrongChain: the node belongs to another chain than the endpoint expects.
        :raises ChainUnsupported: no Substrate node, or a runtime that cannot be read or has no known staking pallet.
        :raises EraNotBegun: the chain has not begun its first era.
        :raises ChainError: the node did not answer properly; ask again.
        """
        return self._ask(lambda shared, identity: shared.at_head(identity).state())

    def expected_end(self) -> datetime | None:
        """When the active era should end, from the runtime's constants: an estimate, for blocks can be skipped and eras be forced.

        Reads the runtime's metadata: milliseconds the first time; seconds, where it is older than version 14.

        :returns: None when the runtime has no such constants or the start of the era is not known.
        :raises ChainError: as `state`.
        """
        return self._ask(lambda shared, identity: shared.at_head(identity).expected_end())

    def era_paid(self, era: int | str) -> bool | None:
        """Whether nothing of an era is left to pay, at the newest block.

        :param era: index of the era.
        :returns: True when each validator with reward points has claimed the rewards of the era. A validator that has unbonded
            can claim nothing and is passed over. False when a validator has not claimed them. None when the chain's storage
            shows neither: the era has not ended or is too old, nobody earned points, or the runtime keeps other records.
        :raises InvalidEra: that is no index of an era.
        :raises ChainError: as `state`.
        """
        index = parse_era(era)
        return self._ask(lambda known, identity: paid.era_paid(known.at_head(identity), index))

    def nonce(self, account: str | AccountId, kind: NonceKind | str) -> int | None:
        """Next unused nonce of an account for proxied payouts, at the newest block.

        :param account: SS58 address or 0x public key.
        :param kind: `staking` for the user's nonce, `payment` for the payer's.
        :returns: None when the runtime keeps no such nonces.
        :raises InvalidAccount: that is no account.
        :raises ValueError: that is no kind of nonce.
        :raises ChainError: as `state`.
        """
        key, which = AccountId.parse(account).public_key, NonceKind(kind)
        return self._ask(lambda known, identity: known.at_head(identity).nonce(key, which))

    def _ask(self, question: Callable[[KnownNode, ChainIdentity], T]) -> T:
        answer: T = self._endpoint.retry.call(self._ask_once, question)
        return answer

    def _ask_once(self, question: Callable[[KnownNode, ChainIdentity], T]) -> T:
        with _shared(self._endpoint) as shared:
            identity = shared.node.identity
            self._check(identity)
            return question(shared, identity)

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
    """What belongs to an address, for one thread at a time; what a reader expects of the chain is its own affair."""
    key = replace(endpoint, genesis_hash=None, chain_name=None)
    with _nodes_lock:
        shared = _nodes.setdefault(key, KnownNode(key))
    if not shared.lock.acquire(timeout=endpoint.timeout):
        raise errors.NodeUnreachable(
            f"others have been asking it for {endpoint.timeout:g} s. Ask again, or raise timeout",
            node=endpoint.name,
            method="connect",
        )
    try:
        yield shared
    finally:
        shared.lock.release()


def close_nodes() -> None:
    """Hang up on every node and forget what was learnt; the next question connects again."""
    with _nodes_lock:
        closing = list(_nodes.values())
        _nodes.clear()
        layouts.clear()
    for shared in closing:
        with shared.lock:
            shared.node.close()


def _start_anew() -> None:
    """In a forked process: connections and locks are the parent's."""
    global _nodes_lock  # noqa: PLW0603 - another thread of the parent may have held it
    _nodes_lock = threading.Lock()
    for shared in _nodes.values():
        shared.node.forget()
    _nodes.clear()


os.register_at_fork(after_in_child=_start_anew)
