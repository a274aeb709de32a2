"""Asking a node for the active era and the election window."""

from __future__ import annotations

import os
import re
import threading
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from staking_gateway import errors
from staking_gateway.chain import storage
from staking_gateway.chain.metadata import RuntimeMetadata
from staking_gateway.chain.node import ChainIdentity, Node
from staking_gateway.chain.state import ChainState, Layout, Staking, judge_phase
from staking_gateway.types import MAX_ERA, ElectionWindow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from staking_gateway.chain.endpoint import NodeEndpoint

T = TypeVar("T")
_HEX = re.compile(r"0x([0-9a-fA-F]{2})*\Z")
_NO_PARENT = "0x" + "0" * 64


class ChainReader:
    """Tells the active era and the election window of the chain a node belongs to. Any number of threads may use it.

    All readers of one address in a process share a connection, and what was learnt of the runtime. A question that fails in a
    way that may pass is repeated while `timeout` has not gone by.

    :param endpoint: the node's address, or a `NodeEndpoint` that carries it with limits and expectations.
    :raises InvalidConnection: the address cannot be used.
    """

    def __init__(self, endpoint: str | NodeEndpoint) -> None:
        from staking_gateway.chain.endpoint import NodeEndpoint

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

        Reads the runtime's metadata, which takes seconds the first time.

        :returns: None when the runtime has no such constants or the start of the era is not known.
        :raises ChainError: as `state`.
        """
        return self._ask(lambda shared, identity: shared.at_head(identity).expected_end())

    def _ask(self, question: Callable[[_Shared, ChainIdentity], T]) -> T:
        answer: T = self._endpoint.retry.controller()(self._ask_once, question)
        return answer

    def _ask_once(self, question: Callable[[_Shared, ChainIdentity], T]) -> T:
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


class _Shared:
    """What all readers of one address share."""

    def __init__(self, endpoint: NodeEndpoint) -> None:
        self.node = Node(endpoint)
        self.lock = threading.Lock()
        self._metadata: tuple[tuple[str, int], RuntimeMetadata] | None = None

    def at_head(self, identity: ChainIdentity) -> _Block:
        """The newest block, and the runtime it was built with: that of its parent's state, for a runtime which a block brings
        comes to work after it.
        """
        node = self.node
        hash_ = node.ask("chain_getBlockHash", [], expect=(str,))
        header = node.ask("chain_getHeader", [hash_], expect=(dict,))
        parent, number = header.get("parentHash"), header.get("number")
        try:
            number = int(number, 16)
        except (TypeError, ValueError):
            raise _strange(node, "chain_getHeader", "the header has no number") from None
        version = node.ask("state_getRuntimeVersion", [hash_ if parent == _NO_PARENT else parent], expect=(dict,))
        spec = version.get("specVersion")
        if not isinstance(spec, int) or isinstance(spec, bool):
            raise _strange(node, "state_getRuntimeVersion", "the runtime has no specVersion")
        return _Block(self, hash_, number, (identity.genesis_hash, spec))

    def metadata(self, runtime: tuple[str, int], block: str) -> RuntimeMetadata:
        """The description of a runtime; only the newest is kept."""
        if self._metadata is None or self._metadata[0] != runtime:
            self._metadata = None
            self._metadata = (runtime, RuntimeMetadata(self.node, block))
        return self._metadata[1]


class _Block:
    """The chain at one block.

    :param runtime: genesis hash and spec version.
    """

    def __init__(self, shared: _Shared, hash_: str, number: int, runtime: tuple[str, int]) -> None:
        self._shared = shared
        self._hash = hash_
        self._number = number
        self._runtime = runtime

    def state(self) -> ChainState:
        layout = self._layout()
        if layout.staking is Staking.PARACHAIN:
            current, first, _ = self._parachain_era()
            return self._told(current, self._time_of(first), ElectionWindow.CLOSED, None, pays=True)
        raw = self._raw(storage.ACTIVE_ERA)
        if raw is None:
            raise self._refused(
                errors.EraNotBegun, "the chain has no active era yet. Ask again when it has begun to stake"
            )
        era, started_at = self._decoded(storage.decode_active_era, raw)
        if layout.staking is Staking.ELECTION_STATUS:
            window, phase = self._decoded(storage.decode_election_status, self._raw(storage.ERA_ELECTION_STATUS))
            return self._told(era, started_at, window, phase)
        if layout.election is None:
            return self._told(era, started_at, ElectionWindow.CLOSED, None)
        value = self._metadata.value(layout.election, "CurrentPhase", self._hash)
        window, phase, remark = self._decoded(judge_phase, value)
        return self._told(era, started_at, window, phase, remark=remark)

    def expected_end(self) -> datetime | None:
        state, constant = self.state(), self._constant
        if state.pays_by_itself:
            (_, first, length), now = self._parachain_era(), self._raw(storage.NOW)
            pause = constant("Aura", "SlotDuration") or 2 * (constant("Timestamp", "MinimumPeriod") or 0)
            if not pause or now is None:
                return None
            left = timedelta(milliseconds=pause * (first + length - self._number))
            return self._decoded(storage.decode_moment, now) + left
        if state.started_at is None:
            return None
        sessions, slots = constant("Staking", "SessionsPerEra"), constant("Babe", "EpochDuration")
        pause = constant("Babe", "ExpectedBlockTime") or 0
        if not (sessions and slots and pause):
            return None
        return state.started_at + timedelta(milliseconds=sessions * slots * pause)

    # --- what the runtime has -----------------------------------------------------------------------------------------

    def _layout(self) -> Layout:
        """Probed once for each runtime and process. Where both old items are stored, and none of those that replaced them, the
        metadata need not be read at all.
        """
        known = _layouts.get(self._runtime)
        if known is None:
            old = all(self._raw(key) is not None for key in (storage.ACTIVE_ERA, storage.ERA_ELECTION_STATUS))
            if old and all(self._raw(key) is None for key in (storage.MULTI_PHASE, storage.MULTI_BLOCK)):
                known = Layout(Staking.ELECTION_STATUS)
            else:
                known = self._metadata.layout()
            _layouts[self._runtime] = known
        return known

    @property
    def _metadata(self) -> RuntimeMetadata:
        return self._shared.metadata(self._runtime, self._hash)

    def _constant(self, pallet: str, name: str) -> int | None:
        return self._metadata.constant(pallet, name, self._hash)

    def _parachain_era(self) -> tuple[int, int, int]:
        """Index of the era, its first block, and its length in blocks."""
        era = self._metadata.value("ParachainStaking", "Era", self._hash)
        told = [era.get(name) if isinstance(era, dict) else None for name in ("current", "first", "length")]
        current, first, length = (
            number if isinstance(number, int) and 0 <= number <= MAX_ERA else None for number in told
        )
        if current is None or first is None or length is None:
            raise self._refused(errors.NodeAnswerInvalid, "ParachainStaking.Era is not an era. Use another node")
        return current, first, length

    # --- reading ------------------------------------------------------------------------------------------------------

    def _told(
        self,
        era: int,
        started_at: datetime | None,
        window: ElectionWindow,
        phase: str | None,
        *,
        pays: bool = False,
        remark: str = "",
    ) -> ChainState:
        return ChainState(era, started_at, window, phase, pays, self._number, remark)

    def _raw(self, key: str, block: str | None = None) -> bytes | None:
        found = self._shared.node.ask("state_getStorage", [key, block or self._hash], expect=(str, type(None)))
        if found is None:
            return None
        if not _HEX.match(found):
            raise _strange(self._shared.node, "state_getStorage", "the value is not hexadecimal")
        return bytes.fromhex(found[2:])

    def _decoded(self, decode: Callable[[Any], T], raw: Any) -> T:
        try:
            return decode(raw)
        except ValueError as error:
            raise _strange(self._shared.node, "state_getStorage", str(error)) from None

    def _time_of(self, number: int) -> datetime | None:
        """Time of an older block, while the node remembers its state."""
        try:
            hash_ = self._shared.node.ask("chain_getBlockHash", [number], expect=(str, type(None)))
            raw = self._raw(storage.NOW, hash_) if hash_ else None
        except errors.NodeRefused:
            return None
        return self._decoded(storage.decode_moment, raw) if raw is not None else None

    def _refused(self, kind: type[errors.ChainError], message: str) -> errors.ChainError:
        return self._shared.node.refused(kind, "state_getStorage", message)


def _strange(node: Node, method: str, problem: str) -> errors.ChainError:
    return node.refused(errors.NodeAnswerInvalid, method, f"{problem}. Check that Host is a node of a staking chain")


# --- shared in the process ---------------------------------------------------------------------------------------------

_layouts: dict[tuple[str, int], Layout] = {}
"""By genesis hash and spec version."""
_nodes: dict[NodeEndpoint, _Shared] = {}
_nodes_lock = threading.Lock()


@contextmanager
def _shared(endpoint: NodeEndpoint) -> Iterator[_Shared]:
    """What belongs to an address, for one thread at a time; what a reader expects of the chain is its own affair."""
    key = replace(endpoint, genesis_hash=None, chain_name=None)
    with _nodes_lock:
        shared = _nodes.setdefault(key, _Shared(key))
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
        _layouts.clear()
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
