"""A node with the runtimes that are known of its chain, and the chain at one block."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta, timezone
from time import monotonic
from typing import TYPE_CHECKING, Any

from staking_gateway import errors, text
from staking_gateway.chain import scale
from staking_gateway.chain.endpoint import is_block_hash
from staking_gateway.chain.metadata import Metadata
from staking_gateway.chain.node import Node
from staking_gateway.chain.runtime import ChainState, Staking, election_pallet, family, judge_phase
from staking_gateway.types import MAX_ERA, MAX_NONCE, ElectionWindow, NonceKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from staking_gateway.chain.endpoint import NodeEndpoint
    from staking_gateway.chain.scale import Decode

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_METHOD = "state_queryStorageAt"
_KEYS_PER_CALL = 200
_NO_PARENT = "0x" + "0" * 64
_EVERYWHERE = "0x3a65787472696e7369635f696e646578"
"""`:extrinsic_index`, a key of every chain: a node that has pruned a block's state refuses to read it."""
_QUOTED = 120
"""Length limit of a problem that quotes the node."""
_KNOWN_RUNTIMES = 8
_YOUNG = 14_400
"""Blocks of a day, after which a chain with staking has an active era."""
_MOVED = "StakingAhClient"
"""The pallet of a relay chain whose staking has moved to its Asset Hub."""

ACTIVE_ERA = scale.struct(index=scale.u32, start=scale.maybe(scale.u64))
"""The start is in milliseconds since 1970."""

_runtimes: dict[tuple[str, int], Metadata] = {}
"""Runtimes by genesis hash and spec version, for all nodes of a process."""


class KnownNode:
    """A node; all readers of one address share it."""

    def __init__(self, endpoint: NodeEndpoint) -> None:
        self.node = Node(endpoint)
        self.lock = threading.Lock()
        self._token: tuple[text.Token | None] | None = None

    def finalized(self) -> Block:
        """The newest finalized block."""
        return self._block(self.node.ask("chain_getFinalizedHead", expect=(str,)))

    def at(self, number: int) -> Block | str:
        """A block by its number; or why the node does not have it, and what to do.

        A node that refuses its state twice, and answers for the newest block between, has pruned it.
        """
        hash_ = self.node.ask("chain_getBlockHash", number, expect=(str, type(None)))
        if hash_ is None:
            return f"the node has no block {number}. Use a node that has all blocks"
        for _ in range(2):
            try:
                block = self._block(hash_)
                block.stored([_EVERYWHERE])
            except errors.NodeRefused:
                self.finalized().stored([_EVERYWHERE])
            else:
                if block.number != number:
                    raise block.invalid("chain_getHeader", f"the header of block {number} has another number")
                return block
        return f"the node has pruned the state of block {number}. Use an archive node"

    def _block(self, hash_: str) -> Block:
        """A block. Its runtime is that of its parent's state, because an upgrade takes effect after its block."""
        node = self.node
        header = node.ask("chain_getHeader", hash_, expect=(dict,))
        parent = header.get("parentHash")
        try:
            number = int(header.get("number"), 16)
        except (TypeError, ValueError):
            number = -1
        if not 0 <= number <= MAX_NONCE or not isinstance(parent, str) or not is_block_hash(parent):
            raise _invalid(node, "chain_getHeader", "the header has no number or no parentHash")
        built_on = hash_ if parent == _NO_PARENT else parent
        spec = node.ask("state_getRuntimeVersion", built_on, expect=(dict,)).get("specVersion")
        if type(spec) is not int:
            raise _invalid(node, "state_getRuntimeVersion", "the runtime has no specVersion")
        which = (node.identity().genesis_hash, spec)
        if which not in _runtimes:
            while len(_runtimes) >= _KNOWN_RUNTIMES:
                _runtimes.pop(next(iter(_runtimes)))
            _runtimes[which] = _read_metadata(node, built_on)
        return Block(self, hash_, number, _runtimes[which])

    def token(self) -> text.Token | None:
        """The chain's token, read once; None when the node names none."""
        if self._token is None:
            try:
                self._token = (_token(self.node.ask("system_properties", expect=(dict,))),)
            except errors.ChainError:
                self._token = (None,)
        return self._token[0]


class Block:
    """The chain at one block. `stored_together` starts no call after the endpoint's timeout.

    :ivar metadata: that of the block's runtime.
    """

    def __init__(self, known: KnownNode, hash_: str, number: int, described: Metadata) -> None:
        self._node = known.node
        self.hash = hash_
        self.number = number
        self.metadata = described
        self._answers: dict[str, bytes | None] = {}
        self._until = monotonic() + known.node.endpoint.timeout

    # --- era and window -----------------------------------------------------------------------------------------------

    def state(self) -> ChainState:
        """Active era and election window."""
        if self.staking is Staking.PARACHAIN:
            current, first = self.parachain_era()
            return ChainState(current, self._time_of(first), ElectionWindow.CLOSED, None, True, self.number)
        active = self.read("Staking", "ActiveEra", ACTIVE_ERA)
        if active is None:
            raise self._no_era()
        window, phase, remark = ElectionWindow.CLOSED, None, ""
        if self.staking is Staking.ELECTION_STATUS:
            phase = self._election_status()
            window = ElectionWindow.OPEN if phase == "Open" else window
        elif (pallet := election_pallet(self.metadata)) is not None:
            window, phase, remark = judge_phase(self.value(pallet, "CurrentPhase"))
        started = None if active["start"] is None else self._moment(active["start"])
        pays = self.staking is Staking.PHASES
        return ChainState(active["index"], started, window, phase, False, self.number, remark, pays)

    def active_era(self) -> int | None:
        """Index of the active era; None when the block has none yet."""
        found = family(self.metadata)
        if found is None:  # a runtime from before staking
            return None
        if found is Staking.PARACHAIN:
            return self.parachain_era()[0]
        active = self.read("Staking", "ActiveEra", ACTIVE_ERA)
        return None if active is None else active["index"]

    def parachain_era(self) -> tuple[int, int]:
        """Index of the era, and its first block."""
        era = self.value("ParachainStaking", "Era")
        numbers: list[Any] = [era.get(name) if isinstance(era, dict) else None for name in ("current", "first")]
        if not all(isinstance(number, int) and 0 <= number <= MAX_ERA for number in numbers):
            raise self.invalid(_METHOD, "ParachainStaking.Era is not an era")
        return numbers[0], numbers[1]

    def _election_status(self) -> str:
        """Close, the default, or Open with a block number of 32 bits, on some chains 64."""
        raw = self.stored_item("Staking", "EraElectionStatus") or b"\0"
        if raw == b"\0":
            return "Close"
        if raw[0] == 1 and len(raw) in (5, 9):
            return "Open"
        raise self.invalid("state_queryStorageAt", f"{len(raw)} bytes are not an election status")

    def _no_era(self) -> errors.ChainError:
        kind: type[errors.ChainError]
        kind, problem = errors.ChainUnsupported, f"the chain has no active era in block {self.number}"
        remedy = "Set Host to a node of the chain that stakes"
        if _MOVED in self.metadata.pallets:
            problem, remedy = "this chain's staking has moved", "Set Host to a node of its Asset Hub"
        elif self.number <= _YOUNG:
            kind, problem = errors.EraNotBegun, "the chain has no active era yet"
            remedy = "Ask again after the start of its first era"
        return self._node.error(kind, _METHOD, f"{problem}. {remedy}")

    def _time_of(self, number: int) -> datetime | None:
        """Time of an older block; None when the node has pruned its state."""
        key = self.metadata.key("Timestamp", "Now")
        try:
            hash_ = self._node.ask("chain_getBlockHash", number, expect=(str, type(None)))
            raw = self._read([key], hash_)[key] if hash_ and key else None
        except errors.NodeRefused:
            return None
        return None if raw is None else self._moment(self._decoded(scale.u64, raw))

    def _moment(self, milliseconds: int) -> datetime:
        try:
            return _EPOCH + timedelta(milliseconds=milliseconds)
        except OverflowError:
            raise self.invalid(_METHOD, f"{milliseconds} ms is not a valid time") from None

    # --- the runtime --------------------------------------------------------------------------------------------------

    @property
    def staking(self) -> Staking:
        """The family of the runtime.

        :raises ChainUnsupported: no known staking pallet.
        """
        found = family(self.metadata)
        if found is None:
            problem = "its runtime has neither Staking.ActiveEra nor ParachainStaking.Era. Set Host to a node of the chain that stakes"
            raise self._node.error(errors.ChainUnsupported, "state_getMetadata", problem)
        return found

    def history_depth(self) -> int | None:
        """Number of eras whose rewards pallet-staking keeps, from storage or, in newer runtimes, a constant; None when unknown."""
        if self.metadata.item("Staking", "HistoryDepth"):
            depth = self.value("Staking", "HistoryDepth")
        else:
            depth = self._described(lambda: self.metadata.constant("Staking", "HistoryDepth"), "Staking.HistoryDepth")
        return depth if isinstance(depth, int) and depth > 0 else None

    def nonce(self, public_key: bytes, kind: NonceKind) -> int | None:
        """Next unused nonce of an account; None when the runtime keeps none of this kind."""
        staking = "ParachainStaking" if self.staking is Staking.PARACHAIN else "ValidatorsManager"
        pallet, item = ("AvnProxy", "PaymentNonces") if kind is NonceKind.PAYMENT else (staking, "ProxyNonces")
        key = self.metadata.key(pallet, item, public_key)
        if key is None:
            return None
        (raw,) = self.stored([key])
        try:
            return 0 if raw is None else scale.decode(scale.u64, raw)
        except ValueError:
            return None

    def value(self, pallet: str, item: str) -> Any:
        """The value of a plain storage item as the runtime describes it, or its default; None without one.

        :raises ChainUnsupported: it cannot be read so.
        """
        described = self.metadata.item(pallet, item)
        raw = None if described is None else self.stored_item(pallet, item)
        if described is None or (raw is None and described.default is None):
            return None
        found = described.default if raw is None else raw
        return self._described(lambda: self.metadata.decode(described.kind, found or b""), f"{pallet}.{item}")

    def _described(self, read: Any, name: str) -> Any:
        try:
            return read()
        except ValueError as error:
            problem = text.one_line(str(error)[:_QUOTED])
            message = f"{name} cannot be read as the runtime describes it: {problem}. Use another of the chain's nodes"
            raise self._node.error(errors.ChainUnsupported, _METHOD, message) from None

    # --- reading ------------------------------------------------------------------------------------------------------

    def read(self, pallet: str, item: str, layout: Decode) -> Any:
        """The value of a plain storage item whose layout is the same in all runtimes; None when nothing is stored."""
        raw = self.stored_item(pallet, item)
        return None if raw is None else self._decoded(layout, raw)

    def stored_item(self, pallet: str, item: str) -> bytes | None:
        """The bytes of a plain storage item; None also when the runtime has no such item."""
        key = self.metadata.key(pallet, item)
        return None if key is None else self.stored([key])[0]

    def stored(self, keys: Sequence[str]) -> list[bytes | None]:
        """The bytes under storage keys.

        :raises NodeUnreachable: the reads of this block take longer than the endpoint's timeout.
        """
        missing = [key for key in dict.fromkeys(keys) if key not in self._answers]
        for start in range(0, len(missing), _KEYS_PER_CALL):
            if monotonic() > self._until:
                timeout = self._node.endpoint.timeout
                problem = f"reading a block takes longer than {timeout:g} s. Ask again, or raise timeout"
                raise self._node.error(errors.NodeUnreachable, _METHOD, problem)
            self._answers |= self._read(missing[start : start + _KEYS_PER_CALL], self.hash)
        return [self._answers[key] for key in keys]

    def _read(self, keys: list[str], block: str) -> dict[str, bytes | None]:
        change_sets = self._node.ask(_METHOD, keys, block, expect=(list,))
        found: dict[str, Any] = {}
        try:
            for one in change_sets:
                found.update(one["changes"])
            return {key: None if found[key] is None else bytes_of(found[key]) for key in keys}
        except (TypeError, ValueError, LookupError):
            raise self.invalid(_METHOD, "the answer lacks requested values") from None

    def _decoded(self, layout: Decode, raw: bytes) -> Any:
        try:
            return scale.decode(layout, raw)
        except ValueError as error:
            raise self.invalid(_METHOD, str(error)) from None

    def invalid(self, method: str, problem: str) -> errors.ChainError:
        """The error for an answer that no node of such a chain gives."""
        return _invalid(self._node, method, problem)


def _invalid(node: Node, method: str, problem: str) -> errors.ChainError:
    return node.error(errors.NodeAnswerInvalid, method, f"{problem}. Check that Host is a node of a staking chain")


def _token(properties: dict[str, Any]) -> text.Token | None:
    """The token of a chain's properties; the first one of several."""
    found = [properties.get(name) for name in ("tokenSymbol", "tokenDecimals")]
    symbol, decimals = (value[0] if isinstance(value, list) and value else value for value in found)
    if not isinstance(symbol, str) or not text.SYMBOL.match(symbol):
        return None
    return text.Token(symbol, decimals) if type(decimals) is int and 0 <= decimals <= text.MAX_DECIMALS else None


def _read_metadata(node: Node, block: str) -> Metadata:
    """The metadata of the runtime of a block.

    :raises ChainUnsupported: no metadata, or metadata that is not read here.
    """
    try:
        return Metadata(bytes_of(node.ask("state_getMetadata", block, expect=(str,))))
    except ValueError as error:
        problem = f"its runtime's metadata cannot be read: {text.one_line(str(error)[:_QUOTED])}. Use another of the chain's nodes"
        raise node.error(errors.ChainUnsupported, "state_getMetadata", problem) from None


def bytes_of(hex_: Any) -> bytes:
    """The bytes of 0x hex; raises ValueError for anything else."""
    if not isinstance(hex_, str) or not hex_.startswith("0x") or not hex_.isalnum():
        raise ValueError("it is not hexadecimal")
    return bytes.fromhex(hex_[2:])


def forget_runtimes() -> None:
    """Forget the metadata of all runtimes."""
    _runtimes.clear()
