"""A node with the known facts of its chain's runtime, and the chain at one block."""

from __future__ import annotations

import re
import threading
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from staking_gateway import errors
from staking_gateway.chain import storage
from staking_gateway.chain.endpoint import is_block_hash
from staking_gateway.chain.exchange import Question
from staking_gateway.chain.metadata import Runtime, read_runtime
from staking_gateway.chain.node import ChainIdentity, Node, result_of
from staking_gateway.chain.state import ChainState, Layout, Staking, judge_phase
from staking_gateway.http import limits
from staking_gateway.text import MAX_DECIMALS, SYMBOL, Token
from staking_gateway.types import MAX_ERA, MAX_NONCE, ElectionWindow, NonceKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    from staking_gateway.chain.endpoint import NodeEndpoint

T = TypeVar("T")
layouts: dict[tuple[str, int], Layout] = {}
"""Layouts by genesis hash and spec version, for all nodes of a process."""
_NONCE_BYTES = 8
_SEVERAL = "state_queryStorageAt"
_KEYS_PER_CALL = 200
_HEX = re.compile(r"0x[0-9a-fA-F]*\Z")
_NO_PARENT = "0x" + "0" * 64
_PROBED = (storage.ACTIVE_ERA, storage.ERA_ELECTION_STATUS, storage.MULTI_PHASE, storage.MULTI_BLOCK)
"""Keys to read for an unknown runtime."""
_KEYS = {
    Staking.ELECTION_STATUS: (storage.ACTIVE_ERA, storage.ERA_ELECTION_STATUS),
    Staking.PHASES: (storage.ACTIVE_ERA,),
    Staking.NO_WINDOW: (storage.ACTIVE_ERA,),
    Staking.PARACHAIN: (),
}
"""Keys to read for a known family. Further keys are read on demand."""


class KnownNode:
    """A node with the known facts of its chain's runtime; all readers of one address share it.

    :ivar keys: storage keys to read with the next block.
    :ivar keys_of: the runtime of these keys.
    """

    def __init__(self, endpoint: NodeEndpoint) -> None:
        self.endpoint = endpoint
        self.node = Node(endpoint)
        self.lock = threading.Lock()
        self._runtime: tuple[tuple[str, int], Runtime] | None = None
        self._token: tuple[Token | None] | None = None
        self.keys: tuple[str, ...] = _PROBED
        self.keys_of: tuple[str, int] | None = None

    def at_head(self, identity: ChainIdentity) -> Block:
        """The newest block. Its runtime is that of its parent's state, because an upgrade takes effect after its block.

        The parent is guessed from the newest header, so that one batch reads everything. A wrong guess costs another call.
        """
        node = self.node
        newest, best = node.ask_together(
            Question("chain_getBlockHash", (), (str,)), Question("chain_getHeader", (), (dict,))
        )
        hash_ = result_of(newest)
        guess = _built_on(hash_, best)
        questions = [Question("chain_getHeader", (hash_,), (dict,))]
        questions += [_stored(key, hash_) for key in self.keys]
        if guess is not None:
            questions.append(_version(guess))
        header, *rest = node.ask_together(*questions)
        number, built_on = _read_header(node, hash_, header)
        (version,) = rest[len(self.keys) :] if built_on == guess else node.ask_together(_version(built_on))
        answers = dict(zip(self.keys, rest, strict=False))
        return Block(self, hash_, number, built_on, runtime=_runtime_of(node, identity, version), answers=answers)

    def at(self, number: int, identity: ChainIdentity) -> Block:
        """An older block. A node that refuses its state twice, and answers for the newest block between, has pruned it.

        :raises BlockUnavailable: no such block, or the node has pruned its state.
        """
        node = self.node
        hash_ = node.ask("chain_getBlockHash", (number,), expect=(str, type(None)))
        header = node.ask("chain_getHeader", (hash_,), expect=(dict, type(None))) if hash_ else None
        if header is None:
            raise BlockUnavailable(f"the node has no block {number}. Use a node that has all blocks")
        found, built_on = _read_header(node, hash_, header)
        if found != number:
            raise _invalid(node, "chain_getHeader", f"the header of block {number} has another number")
        questions = _version(built_on), _stored(storage.ACTIVE_ERA, hash_)
        version, era = node.ask_together(*questions)
        if isinstance(version, errors.NodeRefused) or isinstance(era, errors.NodeRefused):
            self.at_head(identity).stored(storage.ACTIVE_ERA)
            version, era = node.ask_together(*questions)
            if isinstance(version, errors.NodeRefused) or isinstance(era, errors.NodeRefused):
                raise BlockUnavailable(f"the node has pruned the state of block {number}. Use an archive node")
        runtime = _runtime_of(node, identity, version)
        return Block(self, hash_, number, built_on, runtime=runtime, answers={storage.ACTIVE_ERA: era})

    def token(self) -> Token | None:
        """The chain's token, read once; None when the node names none."""
        if self._token is None:
            (answer,) = self.node.ask_together(Question("system_properties", (), (dict,)))
            self._token = (None if isinstance(answer, errors.ChainError) else _token(answer),)
        return self._token[0]

    def runtime(self, which: tuple[str, int], block: str) -> Runtime:
        """The metadata of a runtime; only the newest is kept."""
        if self._runtime is None or self._runtime[0] != which:
            self._runtime = None
            self._runtime = (which, read_runtime(self.node, block))
        return self._runtime[1]


def _token(properties: dict[str, Any]) -> Token | None:
    """The token of a chain's properties; the first one of several."""
    found = [properties.get(name) for name in ("tokenSymbol", "tokenDecimals")]
    symbol, decimals = (value[0] if isinstance(value, list) and value else value for value in found)
    if not isinstance(symbol, str) or not SYMBOL.match(symbol):
        return None
    return Token(symbol, decimals) if type(decimals) is int and 0 <= decimals <= MAX_DECIMALS else None


def _read_header(node: Node, hash_: str, header: Any) -> tuple[int, str]:
    """Number of a block, and the block whose state holds its runtime."""
    try:
        number = int(result_of(header).get("number"), 16)
        if not 0 <= number <= MAX_NONCE:  # block numbers have up to 64 bits
            raise ValueError(number.bit_length())
    except (TypeError, ValueError):
        raise _invalid(node, "chain_getHeader", "the header has no number") from None
    built_on = _built_on(hash_, header)
    if built_on is None:
        raise _invalid(node, "chain_getHeader", "the header has no parentHash")
    return number, built_on


def _runtime_of(node: Node, identity: ChainIdentity, version: Any) -> tuple[str, int]:
    """Genesis hash and spec version."""
    spec = result_of(version).get("specVersion")
    if not isinstance(spec, int) or isinstance(spec, bool):
        raise _invalid(node, "state_getRuntimeVersion", "the runtime has no specVersion")
    return identity.genesis_hash, spec


class BlockUnavailable(Exception):
    """The state of a block cannot be read from this node; the text says why and what to do."""


class Block:
    """The chain at one block. `stored_together` starts no call after the endpoint's timeout.

    :param built_on: hash of the block whose state holds the runtime.
    :param runtime: genesis hash and spec version.
    :param answers: known answers by storage key.
    """

    def __init__(
        self,
        known: KnownNode,
        hash_: str,
        number: int,
        built_on: str,
        *,
        runtime: tuple[str, int],
        answers: dict[str, Any],
    ) -> None:
        self._known = known
        self.hash = hash_
        self.number = number
        self._built_on = built_on
        self._which = runtime
        self._answers = answers
        self._until = monotonic() + known.endpoint.timeout

    def state(self) -> ChainState:
        """Active era and election window."""
        layout = self._layout()
        if layout.staking is Staking.PARACHAIN:
            current, first = self.parachain_era()
            return ChainState(current, self._time_of(first), ElectionWindow.CLOSED, None, True, self.number)
        raw = self.stored(storage.ACTIVE_ERA)
        if raw is None:
            problem = "the chain has no active era yet. Ask again after the start of its first era"
            raise self._error(errors.EraNotBegun, problem)
        era, started_at = self._decoded(storage.decode_active_era, raw)
        window, phase, remark = ElectionWindow.CLOSED, None, ""
        if layout.staking is Staking.ELECTION_STATUS:
            window, phase = self._decoded(storage.decode_election_status, self.stored(storage.ERA_ELECTION_STATUS))
        elif layout.election is not None:
            window, phase, remark = self._decoded(judge_phase, self._value(layout.election, "CurrentPhase"))
        return ChainState(era, started_at, window, phase, False, self.number, remark)

    def active_era(self) -> int | None:
        """Index of the active era; None when the block has none yet."""
        raw = self.stored(storage.ACTIVE_ERA)
        if raw is not None:
            return self._decoded(storage.decode_active_era, raw)[0]
        try:
            parachain = self.staking is Staking.PARACHAIN
        except errors.ChainUnsupported:  # a runtime from before staking
            return None
        return self.parachain_era()[0] if parachain else None

    def nonce(self, public_key: bytes, kind: NonceKind) -> int | None:
        """Next unused nonce of an account; None when the runtime keeps none of this kind.

        Older runtimes need metadata only for a missing nonce: the metadata shows whether it means 0.
        """
        staking = "ParachainStaking" if self.staking is Staking.PARACHAIN else "ValidatorsManager"
        pallet, item = ("AvnProxy", "PaymentNonces") if kind is NonceKind.PAYMENT else (staking, "ProxyNonces")
        key = self.map_key(pallet, item, public_key)
        raw = self.stored(key) if key else None
        if raw is None:
            key = self._runtime.map_key(pallet, item, public_key)
            if key is None:
                return None
            raw = self.stored(key)
        if raw is None:
            return 0
        return int.from_bytes(raw, "little") if len(raw) == _NONCE_BYTES else None

    # --- the runtime --------------------------------------------------------------------------------------------------

    def _layout(self) -> Layout:
        """The layout, read once per runtime and process. A runtime that stores both old items and no new one needs no metadata."""
        known = layouts.get(self._which)
        if known is None:
            old = all(self.stored(key) is not None for key in (storage.ACTIVE_ERA, storage.ERA_ELECTION_STATUS))
            if old and all(self.stored(key) is None for key in (storage.MULTI_PHASE, storage.MULTI_BLOCK)):
                known = Layout(Staking.ELECTION_STATUS)
            else:
                known = self._runtime.layout()
            layouts[self._which] = known
        if self._known.keys_of != self._which:
            self._known.keys, self._known.keys_of = _KEYS[known.staking], self._which
        return known

    @property
    def staking(self) -> Staking:
        """The family of the runtime."""
        return self._layout().staking

    def map_key(self, pallet: str, item: str, *arguments: bytes) -> str | None:
        """The storage key of a map's entry; None when the runtime has no such map."""
        if self.staking is Staking.ELECTION_STATUS:
            return storage.old_map_key(pallet, item, *arguments)
        return self._runtime.map_key(pallet, item, *arguments)

    def history_depth(self) -> int | None:
        """Number of eras whose rewards pallet-staking keeps; None when unknown.

        :raises ValueError: the stored number is invalid.
        """
        if self.staking is Staking.ELECTION_STATUS:
            raw = self.stored(storage.key("Staking", "HistoryDepth"))
            return storage.OLD_HISTORY_DEPTH if raw is None else storage.decode_number(raw)
        if self._runtime.has("Staking", "HistoryDepth"):
            depth = self._runtime.value("Staking", "HistoryDepth", self)
            return depth if isinstance(depth, int) else None
        return self._runtime.constant("Staking", "HistoryDepth")

    @property
    def _runtime(self) -> Runtime:
        return self._known.runtime(self._which, self._built_on)

    def events(self) -> Iterator[Any]:
        """The records of `System.Events`, decoded as the block's runtime describes them.

        :raises ValueError: they cannot be read so.
        """
        answer = self._known.node.ask("state_getStorage", (storage.EVENTS, self.hash), expect=(str, type(None)))
        raw = self._bytes(answer, limits.EVENTS_BYTES)
        return self._runtime.entries("System", "Events", raw) if raw is not None else iter(())

    def _value(self, pallet: str, item: str) -> Any:
        key = self._runtime.key(pallet, item)
        if key not in self._known.keys:
            self._known.keys += (key,)
        return self._runtime.value(pallet, item, self)

    def parachain_era(self) -> tuple[int, int]:
        """Index of the era, and its first block."""
        era = self._value("ParachainStaking", "Era")
        numbers: list[Any] = [era.get(name) if isinstance(era, dict) else None for name in ("current", "first")]
        if not all(isinstance(number, int) and 0 <= number <= MAX_ERA for number in numbers):
            raise self._error(errors.NodeAnswerInvalid, "ParachainStaking.Era is not an era. Use another node")
        current, first = numbers
        return current, first

    # --- reading ------------------------------------------------------------------------------------------------------

    def stored(self, key: str) -> bytes | None:
        """The bytes under a storage key."""
        if key not in self._answers:
            (self._answers[key],) = self._known.node.ask_together(_stored(key, self.hash))
        return self._bytes(self._answers[key])

    def stored_together(self, keys: Sequence[str]) -> list[bytes | None]:
        """The bytes under several storage keys.

        :raises NodeUnreachable: the reads of this block take longer than the endpoint's timeout.
        """
        missing = [key for key in dict.fromkeys(keys) if key not in self._answers]
        for start in range(0, len(missing), _KEYS_PER_CALL):
            if monotonic() > self._until:
                timeout = self._known.endpoint.timeout
                problem = f"reading a block takes longer than {timeout:g} s. Ask again, or raise timeout"
                raise self._known.node.error(errors.NodeUnreachable, _SEVERAL, problem)
            self._answers.update(self._values(missing[start : start + _KEYS_PER_CALL]))
        return [self._bytes(self._answers[key]) for key in keys]

    def _values(self, keys: list[str]) -> dict[str, str | None]:
        change_sets = self._known.node.ask(_SEVERAL, (keys, self.hash), expect=(list,))
        found: dict[str, str | None] = {}
        try:
            for one in change_sets:
                found.update(one["changes"])
            values = {key: found[key] for key in keys}
        except (TypeError, ValueError, LookupError):
            raise _invalid(self._known.node, _SEVERAL, "the answer lacks requested values") from None
        if not all(value is None or isinstance(value, str) for value in values.values()):
            raise _invalid(self._known.node, _SEVERAL, "a value is not a text")
        return values

    def _bytes(self, answer: Any, most: int = limits.STORED_BYTES) -> bytes | None:
        found = result_of(answer)
        if found is None:
            return None
        if len(found) > 2 + 2 * most:
            raise _invalid(self._known.node, "state_getStorage", f"the value has more than {most} bytes")
        if len(found) % 2 or not _HEX.match(found):
            raise _invalid(self._known.node, "state_getStorage", "the value is not hexadecimal")
        return bytes.fromhex(found[2:])

    def _decoded(self, decode: Callable[[Any], T], raw: Any) -> T:
        try:
            return decode(raw)
        except ValueError as error:
            raise _invalid(self._known.node, "state_getStorage", str(error)) from None

    def _time_of(self, number: int) -> datetime | None:
        """Time of an older block; None when the node has pruned its state."""
        try:
            hash_ = self._known.node.ask("chain_getBlockHash", (number,), expect=(str, type(None)))
            raw = self._bytes(*self._known.node.ask_together(_stored(storage.NOW, hash_))) if hash_ else None
        except errors.NodeRefused:
            return None
        return self._decoded(storage.decode_moment, raw) if raw is not None else None

    def _error(self, kind: type[errors.ChainError], message: str) -> errors.ChainError:
        return self._known.node.error(kind, "state_getStorage", message)


def _stored(key: str, block: str) -> Question:
    return Question("state_getStorage", (key, block), (str, type(None)))


def _version(block: str) -> Question:
    return Question("state_getRuntimeVersion", (block,), (dict,))


def _built_on(block: str, header: Any) -> str | None:
    """The block whose state holds a block's runtime: its parent, or the first block itself."""
    parent = header.get("parentHash") if isinstance(header, dict) else None
    if not isinstance(parent, str) or not is_block_hash(parent):
        return None
    return block if parent == _NO_PARENT else parent


def _invalid(node: Node, method: str, problem: str) -> errors.ChainError:
    return node.error(errors.NodeAnswerInvalid, method, f"{problem}. Check that Host is a node of a staking chain")
