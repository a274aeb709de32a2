"""A node with the runtimes that are known of its chain, and the chain at one block."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from staking_gateway.chain.metadata import Metadata, decode
from staking_gateway.chain.node import Node
from staking_gateway.errors import ChainError, Failed
from staking_gateway.http.foreign_text import QUOTED_CHARACTERS
from staking_gateway.types import MAX_NONCE, ElectionWindow, NonceKind, is_hash, parse_unsigned

T = TypeVar("T")
_KEYS_PER_CALL = 200
_KNOWN_RUNTIMES = 8
_ACTIVE, _ERA = ("Staking", "ActiveEra"), ("ParachainStaking", "Era")

_runtimes: dict[tuple[str, int], Metadata] = {}
"""Runtimes by genesis hash and spec version, for all nodes of a process."""


@dataclass(frozen=True)
class ChainState:
    """The chain at its newest finalized block, with its number. The window is CLOSED also when the runtime has none."""

    active_era: int
    window: ElectionWindow
    pays_by_itself: bool
    block: int


def finalized(node: Node) -> Block:
    return _block(node, node.ask("chain_getFinalizedHead", expect=(str,)))


def in_block(node: Node, number: int, read: Callable[..., T], *arguments: Any) -> T | str:
    """What a block tells; or why the node does not have it, and what to do."""
    hash_ = node.ask("chain_getBlockHash", number, expect=(str, type(None)))
    if hash_ is None:
        return f"the node has no block {number}. Use a node that has all blocks"
    # A node that refuses its runtime twice, and answers for the newest block between, has pruned its state.
    for _ in range(2):
        try:
            found = _block(node, hash_)
        except ChainError as error:
            if error.how is not Failed.NODE_REFUSED:
                raise
            finalized(node)
        else:
            return read(found, *arguments)
    return f"the node has pruned the state of block {number}. Use an archive node"


def _block(node: Node, hash_: str) -> Block:
    """A block. Its runtime is that of its parent's state, because an upgrade takes effect after its block."""
    header = node.ask("chain_getHeader", hash_, expect=(dict,))
    number, parent = header.get("number"), header.get("parentHash")
    if not isinstance(number, str) or not is_hash(parent):
        raise ValueError("a header has no number or no parentHash")
    built_on = hash_ if parent == "0x" + "0" * 64 else parent  # the first block has no parent
    spec = node.ask("state_getRuntimeVersion", built_on, expect=(dict,)).get("specVersion")
    if type(spec) is not int:
        raise ValueError("the runtime has no specVersion")
    which = (node.identity().genesis_hash, spec)
    if which not in _runtimes and len(_runtimes) >= _KNOWN_RUNTIMES:
        _runtimes.clear()
    try:
        metadata = _runtimes.get(which) or Metadata(_bytes_of(node.ask("state_getMetadata", built_on, expect=(str,))))
    except ValueError as error:
        problem = f"its runtime's metadata cannot be read: {str(error)[:QUOTED_CHARACTERS]}"
        raise node.fail(Failed.NODE_UNSUPPORTED, problem, "Use another of the chain's nodes") from None
    _runtimes[which] = metadata
    return Block(node, hash_, parse_unsigned(int(number, 16), MAX_NONCE, field="block"), metadata)


@dataclass(frozen=True)
class Block:
    """The chain at one block. Every method raises ValueError for what its runtime does not describe."""

    node: Node
    hash: str
    number: int
    metadata: Metadata

    def state(self) -> ChainState:
        """Active era and election window."""
        pays_by_itself, active = self.pays_by_itself, self.active_era()
        if active is None:
            raise self._no_era()
        raw = self.value("Staking", "EraElectionStatus") or b"\0"
        # Close, or open with a block number of 32 bits, on some chains 64. Runtimes without it never refuse payouts.
        if raw != b"\0" and (raw[0] != 1 or len(raw) not in (5, 9)):
            raise ValueError(f"{len(raw)} bytes are not an election status")
        window = ElectionWindow.OPEN if raw[0] else ElectionWindow.CLOSED
        return ChainState(active, window, pays_by_itself, self.number)

    def active_era(self) -> int | None:
        """Index of the active era; None when the block has none yet, or its runtime is from before staking."""
        if _ERA in self.metadata.items and _ACTIVE not in self.metadata.items:
            return int(decode("(u32, u32, u32)", self.value(*_ERA) or b"")[0])
        raw = self.value(*_ACTIVE)
        return None if raw is None else int(decode("ActiveEraInfo", raw)["index"])

    def _no_era(self) -> ChainError:
        if "StakingAhClient" in self.metadata.pallets:
            remedy = "Set Host to a node of its Asset Hub"
            return self.node.fail(Failed.NODE_UNSUPPORTED, "this chain's staking has moved", remedy)
        if self.number <= 14_400:  # blocks of a day: a chain with staking then has an active era
            return self.node.fail(Failed.NODE_NO_ERA, "the chain has no active era yet")
        return self.node.fail(Failed.NODE_UNSUPPORTED, f"the chain has no active era in block {self.number}")

    @property
    def pays_by_itself(self) -> bool:
        """Whether the runtime has ParachainStaking, which pays its stakers by itself, and not pallet-staking. ChainError: it has neither."""
        if _ACTIVE in self.metadata.items:
            return False
        if _ERA in self.metadata.items:
            return True
        problem = "its runtime has neither Staking.ActiveEra nor ParachainStaking.Era"
        raise self.node.fail(Failed.NODE_UNSUPPORTED, problem)

    def history_depth(self) -> int:
        """Number of eras whose rewards pallet-staking keeps, from storage or, in newer runtimes, a constant; 0 when unknown."""
        raw = self.value("Staking", "HistoryDepth") or self.metadata.constants.get(("Staking", "HistoryDepth"))
        return 0 if raw is None else int(decode("u32", raw))

    def nonce(self, public_key: bytes, kind: NonceKind) -> int | None:
        """Next unused nonce of an account; None when the runtime keeps none of this kind."""
        staking = "ParachainStaking" if self.pays_by_itself else "ValidatorsManager"
        pallet, item = ("AvnProxy", "PaymentNonces") if kind is NonceKind.PAYMENT else (staking, "ProxyNonces")
        try:
            raw = self.entries(pallet, item, [public_key])[public_key]
        except ValueError:
            return None
        return 0 if raw is None else int(decode("u64", raw))

    def value(self, pallet: str, name: str) -> bytes | None:
        """The bytes of a plain storage item, or its default; None also when the runtime has no such item."""
        item = self.metadata.items.get((pallet, name))
        return None if item is None else self.stored([self.metadata.key(pallet, name)])[0] or item.default

    def entries(self, pallet: str, name: str, arguments: Collection[bytes], *before: int) -> dict[bytes, bytes | None]:
        """The bytes of entries of a map by their last argument, behind the same other ones; ValueError without such a map."""
        keys = [self.metadata.key(pallet, name, *before, argument) for argument in arguments]
        return dict(zip(arguments, self.stored(keys), strict=True))

    def stored(self, keys: Sequence[str]) -> list[bytes | None]:
        found: dict[str, bytes | None] = {}
        for start in range(0, len(keys), _KEYS_PER_CALL):
            asked = keys[start : start + _KEYS_PER_CALL]
            change_sets = self.node.ask("state_queryStorageAt", asked, self.hash, expect=(list,))
            try:
                told = dict(change for one in change_sets for change in one["changes"])
                found |= {key: None if told[key] is None else _bytes_of(told[key]) for key in asked}
            except (TypeError, ValueError, LookupError):
                raise self.node.fail(Failed.NODE_ANSWER, "the answer lacks requested values") from None
        return [found[key] for key in keys]


def _bytes_of(hex_: Any) -> bytes:
    if not isinstance(hex_, str) or not hex_.startswith("0x") or not hex_.isalnum():
        raise ValueError("it is not hexadecimal")
    return bytes.fromhex(hex_[2:])
