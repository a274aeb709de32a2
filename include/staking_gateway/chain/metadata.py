"""Runtime metadata: where eras and elections are stored, the names of phases, constants.

Metadata 14, of today's runtimes, is read here in milliseconds. Older metadata does not describe its types, so substrate-interface
reads it. That takes seconds and some hundred megabytes.
"""

from __future__ import annotations

import contextlib
import json
import re
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Protocol

from staking_gateway import errors
from staking_gateway.chain import storage
from staking_gateway.chain.metadata14 import Metadata14
from staking_gateway.chain.state import Layout, Staking

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from staking_gateway.chain.node import Node

_METADATA = re.compile(r"0x6d657461([0-9a-f]{2})")
"""The bytes `meta` and the version."""
_OWN_VERSION = 14
_LIBRARY_VERSIONS = range(9, 14)
_UNREADABLE = "the description of its runtime cannot be read ({}). Use another of the chain's nodes"


class State(Protocol):
    """The storage at one block."""

    hash: str

    def stored(self, key: str) -> bytes | None:
        """The bytes under a key."""


class Runtime(ABC):
    """The metadata of one runtime."""

    def __init__(self, node: Node) -> None:
        self.node = node

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
        found = [name for name in self.pallets() if self.has(name, "CurrentPhase")]
        return next((name for name in found if "election" in name.lower()), found[0] if found else None)

    @abstractmethod
    def pallets(self) -> Iterable[str]:
        """The names of the pallets."""

    @abstractmethod
    def has(self, pallet: str, item: str) -> bool:
        """Whether the runtime has a storage item."""

    @abstractmethod
    def key(self, pallet: str, item: str) -> str | None:
        """The storage key that `value` reads through `State.stored`; None when it reads the node itself."""

    @abstractmethod
    def map_key(self, pallet: str, item: str, *arguments: bytes) -> str | None:
        """The storage key of a map's entry, for encoded arguments; None when there is no such map."""

    @abstractmethod
    def value(self, pallet: str, item: str, state: State) -> Any:
        """The value of a plain storage item, or its default.

        :raises ChainError: the value cannot be read.
        """

    @abstractmethod
    def constant(self, pallet: str, name: str, state: State) -> int | None:
        """A constant that is a number above 0, or None.

        :raises ChainError: the constant cannot be read.
        """


def read_runtime(node: Node, block: str) -> Runtime:
    """The metadata of the runtime of a block.

    :raises ChainError: no metadata, or unreadable metadata.
    """
    metadata = node.ask("state_getMetadata", (block,), expect=(object,))
    if _checked_version(node, metadata) == _OWN_VERSION:
        return _Metadata14Runtime(node, metadata)
    return _LibraryRuntime(node, block, metadata)


def _checked_version(node: Node, metadata: Any) -> int:
    """The version of the metadata. The library misreads unknown versions."""
    found = _METADATA.match(metadata) if isinstance(metadata, str) else None
    if found is None:
        problem = "it does not describe its runtime. Check that Host is a Substrate node"
    elif (version := int(found[1], 16)) in (*_LIBRARY_VERSIONS, _OWN_VERSION):
        return version
    else:
        problem = (
            f"it describes its runtime in metadata version {version}, and this package reads "
            f"{_LIBRARY_VERSIONS.start} to {_OWN_VERSION}. Use a node with one of those"
        )
    raise node.error(errors.ChainUnsupported, "state_getMetadata", problem)


class _Metadata14Runtime(Runtime):
    def __init__(self, node: Node, metadata: str) -> None:
        super().__init__(node)
        try:
            self._metadata = Metadata14(bytes.fromhex(metadata[2:]))
        except ValueError as error:
            text = _UNREADABLE.format(str(error)[:120])
            raise node.error(errors.ChainUnsupported, "state_getMetadata", text) from None

    def pallets(self) -> Iterable[str]:
        return self._metadata.pallets

    def has(self, pallet: str, item: str) -> bool:
        found = self._metadata.pallets.get(pallet)
        return found is not None and item in found.items

    def key(self, pallet: str, item: str) -> str | None:
        return storage.key(self._metadata.pallets[pallet].prefix, item)

    def map_key(self, pallet: str, item: str, *arguments: bytes) -> str | None:
        if not self.has(pallet, item):
            return None
        found = self._metadata.pallets[pallet]
        return storage.map_key(found.prefix, item, found.items[item].hashers, arguments)

    def value(self, pallet: str, item: str, state: State) -> Any:
        found = self._metadata.pallets[pallet]
        described = found.items[item]
        raw = state.stored(storage.key(found.prefix, item))
        if raw is None:
            raw = described.default
        if raw is None:
            return None
        if described.kind is None:
            raise self._unreadable(f"{pallet}.{item}", "it is a map")
        return self._decoded(f"{pallet}.{item}", described.kind, raw)

    def constant(self, pallet: str, name: str, state: State) -> int | None:
        del state
        described = self._metadata.pallets.get(pallet)
        constant = described.constants.get(name) if described else None
        if constant is None:
            return None
        return _positive(self._decoded(f"{pallet}.{name}", constant.kind, constant.value))

    def _decoded(self, name: str, kind: int, data: bytes) -> Any:
        try:
            return self._metadata.decode(kind, data)
        except ValueError as error:
            raise self._unreadable(name, str(error)) from None

    def _unreadable(self, name: str, problem: str) -> errors.ChainError:
        text = f"{name} cannot be read as the runtime describes it: {problem}. Use another of the chain's nodes"
        return self.node.error(errors.ChainUnsupported, "state_getStorage", text)


class _LibraryRuntime(Runtime):
    """Metadata below 14.

    The library uses the connection of `Node`: its own HTTP has no time limit, and its own websocket never reconnects.
    """

    def __init__(self, node: Node, block: str, metadata: str) -> None:
        super().__init__(node)
        from substrateinterface import SubstrateInterface

        with self._readable("state_getMetadata"):
            self._interface: Any = SubstrateInterface(
                websocket=_NodeSocket(node, metadata),
                auto_discover=False,
                auto_reconnect=False,
                type_registry_preset="legacy",
                # The library would ask the node for this list, which many nodes hide.
                config={"rpc_methods": ["state_getRuntimeVersion"]},
            )
            self._interface.init_runtime(block_hash=block)

    def pallets(self) -> Iterable[str]:
        with self._readable("state_getMetadata"):
            return [str(pallet.name) for pallet in self._interface.metadata.pallets]

    def has(self, pallet: str, item: str) -> bool:
        with self._readable("state_getMetadata"):
            described = self._interface.metadata.get_metadata_pallet(pallet)
            return described is not None and described.get_storage_function(item) is not None

    def key(self, pallet: str, item: str) -> str | None:
        del pallet, item
        return None

    def map_key(self, pallet: str, item: str, *arguments: bytes) -> str | None:
        with self._readable("state_getMetadata"):
            found = self._interface.metadata.get_metadata_pallet(pallet)
            described = found.get_storage_function(item) if found is not None else None
            if described is None or "Plain" in described.value["type"]:
                return None
            prefix, hashers = found.value["storage"]["prefix"], described.get_param_hashers()
        return storage.map_key(prefix, item, hashers, arguments)

    def value(self, pallet: str, item: str, state: State) -> Any:
        with self._readable("state_getStorage"):
            return self._interface.query(pallet, item, block_hash=state.hash).value

    def constant(self, pallet: str, name: str, state: State) -> int | None:
        with self._readable("state_getMetadata"):
            constant = self._interface.get_constant(pallet, name, block_hash=state.hash)
        return None if constant is None else _positive(constant.value)

    @contextlib.contextmanager
    def _readable(self, method: str) -> Iterator[None]:
        """Turn every error of the library into a `ChainError`; the library raises errors of any class."""
        from substrateinterface.exceptions import BlockNotFound, SubstrateRequestException

        try:
            yield
        except errors.ChainError:
            raise
        except (BlockNotFound, SubstrateRequestException) as error:
            problem = (
                "it does not know a block that it named before. Ask again, or use a single node instead of several"
            )
            raise self.node.error(errors.NodeAnswerInvalid, method, problem) from error
        except Exception as error:
            text = _UNREADABLE.format(f"{type(error).__name__}: {str(error)[:120]}")
            raise self.node.error(errors.ChainUnsupported, method, text) from error


def _positive(value: Any) -> int | None:
    return value if isinstance(value, int) and value > 0 else None


class _NodeSocket:
    """The websocket for substrate-interface: `send` calls the node, `recv` returns the answer. Metadata is not read again."""

    def __init__(self, node: Node, metadata: str) -> None:
        self._node = node
        self._metadata = metadata
        self._answer = ""

    def send(self, text: str) -> None:
        request = json.loads(text)
        method = request["method"]
        if method == "state_getMetadata":
            result = self._metadata
        else:
            result = self._node.ask(method, tuple(request["params"] or ()), expect=(object,))
        self._answer = json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result})

    def recv(self) -> str:
        return self._answer

    def close(self) -> None:
        """`Node` closes the connection."""
