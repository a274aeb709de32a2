"""Asking a node for the active era and the election window."""

from __future__ import annotations

import os
import re
import threading
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from staking_gateway import errors
from staking_gateway.chain import storage
from staking_gateway.chain.endpoint import NodeEndpoint, is_block_hash
from staking_gateway.chain.exchange import Question
from staking_gateway.chain.metadata import Runtime, read_runtime
from staking_gateway.chain.node import ChainIdentity, Node, told
from staking_gateway.chain.state import ChainState, Layout, Staking, judge_phase
from staking_gateway.types import MAX_ERA, MAX_NONCE, ElectionWindow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

T = TypeVar("T")
_HEX = re.compile(r"0x([0-9a-fA-F]{2})*\Z")
_NO_PARENT = "0x" + "0" * 64
_PROBED = (storage.ACTIVE_ERA, storage.ERA_ELECTION_STATUS, storage.MULTI_PHASE, storage.MULTI_BLOCK)
"""What is asked of a runtime nothing is known of."""
_KEYS = {
    Staking.ELECTION_STATUS: (storage.ACTIVE_ERA, storage.ERA_ELECTION_STATUS),
    Staking.PHASES: (storage.ACTIVE_ERA,),
    Staking.NO_WINDOW: (storage.ACTIVE_ERA,),
    Staking.PARACHAIN: (),
}
"""What is asked of a runtime like the last one; should it be another, the rest is asked for when it is wanted."""


class ChainReader:
    """Tells the active era and the election window of the chain a node belongs to. Any number of threads may use it.

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

    def _ask(self, question: Callable[[_Shared, ChainIdentity], T]) -> T:
        answer: T = self._endpoint.retry.call(self._ask_once, question)
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
        self._runtime: tuple[tuple[str, int], Runtime] | None = None
        self.keys: tuple[str, ...] = _PROBED
        """What the next block will be asked for."""

    def at_head(self, identity: ChainIdentity) -> _Block:
        """The newest block, and the runtime it was built with: that of its parent's state, for a runtime which a block brings
        comes to work after it.

        All there is to ask of a block waits for its hash alone - but for the runtime, which waits for the parent's. That is
        guessed from the newest header, and asked anew when the block's own header names another.
        """
        node = self.node
        newest, best = node.ask_together(
            Question("chain_getBlockHash", (), (str,)), Question("chain_getHeader", (), (dict,))
        )
        hash_ = told(newest)
        guess = _built_on(hash_, best)
        asked = [Question("chain_getHeader", (hash_,), (dict,))]
        asked += [_stored(key, hash_) for key in self.keys]
        if guess is not None:
            asked.append(_version(guess))
        header, *rest = node.ask_together(*asked)
        try:
            number = int(told(header).get("number"), 16)
            if not 0 <= number <= MAX_NONCE:  # a block's number has 64 bits at most
                raise ValueError(number.bit_length())
        except (TypeError, ValueError):
            raise _strange(node, "chain_getHeader", "the header has no number") from None
        built_on = _built_on(hash_, header)
        if built_on is None:
            raise _strange(node, "chain_getHeader", "the header has no parentHash")
        (version,) = rest[len(self.keys) :] if built_on == guess else node.ask_together(_version(built_on))
        spec = told(version).get("specVersion")
        if not isinstance(spec, int) or isinstance(spec, bool):
            raise _strange(node, "state_getRuntimeVersion", "the runtime has no specVersion")
        return _Block(self, hash_, number, (identity.genesis_hash, spec), dict(zip(self.keys, rest, strict=False)))

    def runtime(self, which: tuple[str, int], block: str) -> Runtime:
        """The description of a runtime; only the newest is kept."""
        if self._runtime is None or self._runtime[0] != which:
            self._runtime = None
            self._runtime = (which, read_runtime(self.node, block))
        return self._runtime[1]


class _Block:
    """The chain at one block.

    :param runtime: genesis hash and spec version.
    :param answers: to what was asked already, by storage key.
    """

    def __init__(
        self, shared: _Shared, hash_: str, number: int, runtime: tuple[str, int], answers: dict[str, Any]
    ) -> None:
        self._shared = shared
        self.hash = hash_
        self._number = number
        self._which = runtime
        self._answers = answers

    def state(self) -> ChainState:
        layout = self._layout()
        if layout.staking is Staking.PARACHAIN:
            current, first, _ = self._parachain_era()
            return self._told(current, self._time_of(first), ElectionWindow.CLOSED, None, pays=True)
        raw = self.stored(storage.ACTIVE_ERA)
        if raw is None:
            raise self._refused(
                errors.EraNotBegun, "the chain has no active era yet. Ask again when it has begun to stake"
            )
        era, started_at = self._decoded(storage.decode_active_era, raw)
        if layout.staking is Staking.ELECTION_STATUS:
            window, phase = self._decoded(storage.decode_election_status, self.stored(storage.ERA_ELECTION_STATUS))
            return self._told(era, started_at, window, phase)
        if layout.election is None:
            return self._told(era, started_at, ElectionWindow.CLOSED, None)
        value = self._value(layout.election, "CurrentPhase")
        window, phase, remark = self._decoded(judge_phase, value)
        return self._told(era, started_at, window, phase, remark=remark)

    def expected_end(self) -> datetime | None:
        state, constant = self.state(), self._constant
        if state.pays_by_itself:
            (_, first, length), now = self._parachain_era(), self.stored(storage.NOW)
            pause = constant("Aura", "SlotDuration") or 2 * (constant("Timestamp", "MinimumPeriod") or 0)
            if not pause or now is None:
                return None
            left = pause * (first + length - self._number)
            return self._decoded(lambda now: storage.later(storage.decode_moment(now), left), now)
        if state.started_at is None:
            return None
        sessions, slots = constant("Staking", "SessionsPerEra"), constant("Babe", "EpochDuration")
        pause = constant("Babe", "ExpectedBlockTime") or 0
        if not (sessions and slots and pause):
            return None
        length = sessions * slots * pause
        return self._decoded(lambda start: storage.later(start, length), state.started_at)

    # --- what the runtime has -----------------------------------------------------------------------------------------

    def _layout(self) -> Layout:
        """Probed once for each runtime and process. Where both old items are stored, and none of those that replaced them, the
        metadata need not be read at all.
        """
        known = _layouts.get(self._which)
        if known is None:
            old = all(self.stored(key) is not None for key in (storage.ACTIVE_ERA, storage.ERA_ELECTION_STATUS))
            if old and all(self.stored(key) is None for key in (storage.MULTI_PHASE, storage.MULTI_BLOCK)):
                known = Layout(Staking.ELECTION_STATUS)
            else:
                known = self._runtime.layout()
            _layouts[self._which] = known
        self._shared.keys = _KEYS[known.staking]
        return known

    @property
    def _runtime(self) -> Runtime:
        return self._shared.runtime(self._which, self.hash)

    def _constant(self, pallet: str, name: str) -> int | None:
        return self._runtime.constant(pallet, name, self)

    def _value(self, pallet: str, item: str) -> Any:
        key = self._runtime.key(pallet, item)
        if key is not None and key not in self._shared.keys:
            self._shared.keys += (key,)
        return self._runtime.value(pallet, item, self)

    def _parachain_era(self) -> tuple[int, int, int]:
        """Index of the era, its first block, and its length in blocks."""
        era = self._value("ParachainStaking", "Era")
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

    def stored(self, key: str) -> bytes | None:
        """The bytes under a storage key."""
        if key not in self._answers:
            (self._answers[key],) = self._shared.node.ask_together(_stored(key, self.hash))
        return self._bytes(self._answers[key])

    def _bytes(self, answer: Any) -> bytes | None:
        found = told(answer)
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
            hash_ = self._shared.node.ask("chain_getBlockHash", (number,), expect=(str, type(None)))
            raw = self._bytes(*self._shared.node.ask_together(_stored(storage.NOW, hash_))) if hash_ else None
        except errors.NodeRefused:
            return None
        return self._decoded(storage.decode_moment, raw) if raw is not None else None

    def _refused(self, kind: type[errors.ChainError], message: str) -> errors.ChainError:
        return self._shared.node.refused(kind, "state_getStorage", message)


def _stored(key: str, block: str) -> Question:
    return Question("state_getStorage", (key, block), (str, type(None)))


def _version(block: str) -> Question:
    return Question("state_getRuntimeVersion", (block,), (dict,))


def _built_on(block: str, header: Any) -> str | None:
    """The block whose state holds the runtime a block was built with: its parent, and for the first block itself."""
    parent = header.get("parentHash") if isinstance(header, dict) else None
    if not isinstance(parent, str) or not is_block_hash(parent):
        return None
    return block if parent == _NO_PARENT else parent


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
