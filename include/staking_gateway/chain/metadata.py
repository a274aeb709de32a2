"""Runtime metadata: where eras and elections are stored, the names of phases, constants."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Protocol

from staking_gateway import errors
from staking_gateway.chain import storage
from staking_gateway.chain.metadata9 import Metadata9
from staking_gateway.chain.metadata14 import Metadata14
from staking_gateway.chain.scale import Reader
from staking_gateway.chain.state import Layout, Staking
from staking_gateway.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from staking_gateway.chain.description import Description
    from staking_gateway.chain.node import Node

_METADATA = re.compile(r"0x6d657461([0-9a-f]{2})")
"""The bytes `meta` and the version."""
_KINDS: dict[int, type[Metadata9 | Metadata14]] = {**dict.fromkeys(range(9, 14), Metadata9), 14: Metadata14}
"""The readers of the versions of metadata."""
_QUOTED = 120
"""Length limit of a problem that quotes the node."""


class StorageAtBlock(Protocol):
    """The storage at one block."""

    hash: str

    def stored(self, key: str) -> bytes | None:
        """The bytes under a key."""


class Runtime:
    """The metadata of one runtime.

    :raises ChainError: no metadata, or unreadable metadata.
    """

    def __init__(self, node: Node, metadata: Any) -> None:
        self.node = node
        self._description = _described(node, metadata)

    def layout(self) -> Layout:
        """The family of the runtime.

        :raises ChainUnsupported: no known staking pallet.
        """
        if self.has("Staking", "ActiveEra"):
            if self.has("Staking", "EraElectionStatus"):
                return Layout(Staking.ELECTION_STATUS)
            election = self._election_pallet()
            return Layout(Staking.PHASES, election) if election else Layout(Staking.NO_WINDOW)
        if self.has("ParachainStaking", "Era"):
            return Layout(Staking.PARACHAIN)
        raise self.node.error(
            errors.ChainUnsupported,
            "state_getMetadata",
            "its runtime has neither Staking.ActiveEra nor ParachainStaking.Era. Set Host to a node of the chain that stakes",
        )

    def _election_pallet(self) -> str | None:
        """The pallet with `CurrentPhase`; runtimes name it differently."""
        found = [name for name in self._description.pallets if self.has(name, "CurrentPhase")]
        return next((name for name in found if "election" in name.lower()), found[0] if found else None)

    def has(self, pallet: str, item: str) -> bool:
        """Whether the runtime has a storage item."""
        found = self._description.pallets.get(pallet)
        return found is not None and item in found.items

    def key(self, pallet: str, item: str) -> str:
        """The storage key of a plain item."""
        return storage.key(self._description.pallets[pallet].prefix, item)

    def map_key(self, pallet: str, item: str, *arguments: bytes) -> str | None:
        """The storage key of a map's entry, for encoded arguments; None when there is no such map."""
        if not self.has(pallet, item):
            return None
        found = self._description.pallets[pallet]
        return storage.map_key(found.prefix, item, found.items[item].hashers, arguments)

    def value(self, pallet: str, item: str, state: StorageAtBlock) -> Any:
        """The value of a plain storage item, or its default.

        :raises ChainError: the value cannot be read.
        """
        described = self._description.pallets[pallet].items[item]
        raw = state.stored(self.key(pallet, item))
        if raw is None:
            raw = described.default
        if raw is None:
            return None
        if described.kind is None:
            raise self._unreadable(f"{pallet}.{item}", "it is a map")
        return self._decoded(f"{pallet}.{item}", described.kind, raw)

    def entries(self, pallet: str, item: str, raw: bytes) -> Iterator[Any]:
        """The entries of a plain storage item that holds a list.

        :raises ValueError: they cannot be read as the runtime describes them.
        """
        if not self.has(pallet, item):
            raise ValueError(f"the runtime has no {pallet}.{item}")
        return self._description.entries(self._description.pallets[pallet].items[item].kind, raw)

    def constant(self, pallet: str, name: str) -> int | None:
        """A constant that is a number above 0, or None.

        :raises ChainError: the constant cannot be read.
        """
        described = self._description.pallets.get(pallet)
        constant = described.constants.get(name) if described else None
        if constant is None:
            return None
        value = self._decoded(f"{pallet}.{name}", constant.kind, constant.value)
        return value if isinstance(value, int) and value > 0 else None

    def _decoded(self, name: str, kind: int | str, data: bytes) -> Any:
        try:
            return self._description.decode(kind, data)
        except ValueError as error:
            raise self._unreadable(name, one_line(str(error)[:_QUOTED])) from None

    def _unreadable(self, name: str, problem: str) -> errors.ChainError:
        text = f"{name} cannot be read as the runtime describes it: {problem}. Use another of the chain's nodes"
        return self.node.error(errors.ChainUnsupported, "state_getStorage", text)


def read_runtime(node: Node, block: str) -> Runtime:
    """The metadata of the runtime of a block.

    :raises ChainError: no metadata, or unreadable metadata.
    """
    metadata = node.ask("state_getMetadata", (block,), expect=(object,))
    if _version(metadata) > max(_KINDS):
        metadata = _older(node, block) or metadata
    return Runtime(node, metadata)


def _older(node: Node, block: str) -> str | None:
    """The metadata in the newest version with a reader; None when the node does not have it.

    `Metadata_metadata_at_version` (polkadot-sdk) returns an option of bytes with their length in front.
    """
    version = "0x" + max(_KINDS).to_bytes(4, "little").hex()
    try:
        answer = node.ask("state_call", ("Metadata_metadata_at_version", version, block), expect=(str,))
        reader = Reader(bytes.fromhex(answer.removeprefix("0x")))
        found = reader.maybe(reader.blob)
    except (errors.NodeRefused, errors.ChainUnsupported, ValueError, IndexError):
        return None
    return None if found is None else "0x" + found.hex()


def _described(node: Node, metadata: Any) -> Description:
    kind = _kind(node, metadata)
    try:
        return kind(bytes.fromhex(metadata[2:]))
    except ValueError as error:
        problem = one_line(str(error)[:_QUOTED])
        text = f"the description of its runtime cannot be read ({problem}). Use another of the chain's nodes"
        raise node.error(errors.ChainUnsupported, "state_getMetadata", text) from None


def _kind(node: Node, metadata: Any) -> type[Metadata9 | Metadata14]:
    """The reader of the metadata's version."""
    version = _version(metadata)
    if not version:
        problem = "it does not describe its runtime. Check that Host is a Substrate node"
    elif version in _KINDS:
        return _KINDS[version]
    else:
        problem = (
            f"it describes its runtime in metadata version {version}, and this package reads "
            f"{min(_KINDS)} to {max(_KINDS)}. Use a node with one of those"
        )
    raise node.error(errors.ChainUnsupported, "state_getMetadata", problem)


def _version(metadata: Any) -> int:
    """The version of metadata; 0 when these are no metadata."""
    found = _METADATA.match(metadata) if isinstance(metadata, str) else None
    return int(found[1], 16) if found else 0
