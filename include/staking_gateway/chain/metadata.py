"""What only the runtime's own description tells, read with substrate-interface.

The library is given our connection instead of one of its own: over HTTP its own has no time limit, and a websocket which the
server has closed stays broken for ever.
"""

from __future__ import annotations

import contextlib
import json
import re
from typing import TYPE_CHECKING, Any

from staking_gateway import errors
from staking_gateway.chain.state import Layout, Staking

if TYPE_CHECKING:
    from collections.abc import Iterator

    from staking_gateway.chain.node import Node

_METADATA = re.compile(r"0x6d657461([0-9a-f]{2})")
"""The bytes `meta` and the version."""
_VERSIONS = range(9, 15)
_UNREADABLE = "the description of its runtime cannot be read ({}). Use another of the chain's nodes"


class RuntimeMetadata:
    """The description of one runtime. Decoding it takes seconds and tens of megabytes; keep it.

    :param block: hash of a block of that runtime.
    :raises ChainError: the node does not tell it, or it cannot be read.
    """

    def __init__(self, node: Node, block: str) -> None:
        from substrateinterface import SubstrateInterface

        self._node = node
        with self._readable("state_getMetadata"):
            self._interface: Any = SubstrateInterface(
                websocket=_Pipe(node),
                auto_discover=False,
                auto_reconnect=False,
                # For runtimes older than metadata 14, which do not describe their types.
                type_registry_preset="legacy",
                # Instead of asking the node for a list, which many do not tell: what all of them have.
                config={"rpc_methods": ["state_getRuntimeVersion"]},
            )
            self._interface.init_runtime(block_hash=block)

    def layout(self) -> Layout:
        """Where this runtime keeps eras and elections.

        :raises ChainUnsupported: it has no staking pallet that is known here.
        """
        with self._readable("state_getMetadata"):
            has = self._has
            if has("Staking", "ActiveEra"):
                if has("Staking", "EraElectionStatus"):
                    return Layout(Staking.ELECTION_STATUS)
                election = self._election_pallet()
                return Layout(Staking.PHASES, election) if election else Layout(Staking.NO_WINDOW)
            if has("ParachainStaking", "Era"):
                return Layout(Staking.PARACHAIN)
        raise self._node.refused(
            errors.ChainUnsupported,
            "state_getMetadata",
            "its runtime has neither Staking.ActiveEra nor ParachainStaking.Era. Set Host to a node of the chain that stakes",
        )

    def _election_pallet(self) -> str | None:
        """Runtimes name it as they like; what it stores has one name."""
        names = [str(pallet.name) for pallet in self._interface.metadata.pallets]
        found = [name for name in names if self._has(name, "CurrentPhase")]
        return next((name for name in found if "election" in name.lower()), found[0] if found else None)

    def _has(self, pallet: str, item: str) -> bool:
        described = self._interface.metadata.get_metadata_pallet(pallet)
        return described is not None and described.get_storage_function(item) is not None

    def value(self, pallet: str, item: str, block: str) -> Any:
        """A plain storage value at a block; its default where nothing is stored."""
        with self._readable("state_getStorage"):
            return self._interface.query(pallet, item, block_hash=block).value

    def constant(self, pallet: str, name: str, block: str) -> int | None:
        """A constant that is a number, or None."""
        with self._readable("state_getMetadata"):
            constant = self._interface.get_constant(pallet, name, block_hash=block)
        value = constant.value if constant is not None else None
        return value if isinstance(value, int) and value > 0 else None

    @contextlib.contextmanager
    def _readable(self, method: str) -> Iterator[None]:
        """Whatever the library raises over a runtime it cannot read - and it raises anything - becomes one of our errors."""
        from substrateinterface.exceptions import BlockNotFound, SubstrateRequestException

        try:
            yield
        except errors.ChainError:
            raise
        except (BlockNotFound, SubstrateRequestException) as error:
            problem = (
                "it does not know a block it named a moment ago. Ask again, or use a single node instead of several"
            )
            raise self._node.refused(errors.NodeAnswerInvalid, method, problem) from error
        except Exception as error:
            text = _UNREADABLE.format(f"{type(error).__name__}: {str(error)[:120]}")
            raise self._node.refused(errors.ChainUnsupported, method, text) from error


class _Pipe:
    """What substrate-interface takes for its websocket: our node, asked when it sends and answering when it receives."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._answer = ""

    def send(self, text: str) -> None:
        request = json.loads(text)
        method = request["method"]
        result = self._node.ask(method, request["params"] or [], expect=(object,))
        if method == "state_getMetadata":
            self._check_version(result)
        self._answer = json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result})

    def recv(self) -> str:
        return self._answer

    def _check_version(self, metadata: Any) -> None:
        """The library would misread others, or say nothing of the reason."""
        found = _METADATA.match(metadata) if isinstance(metadata, str) else None
        if found is None:
            problem = "it does not describe its runtime. Check that Host is a Substrate node"
        elif int(found[1], 16) not in _VERSIONS:
            problem = (
                f"it describes its runtime in metadata version {int(found[1], 16)}, and this package reads "
                f"{_VERSIONS.start} to {_VERSIONS.stop - 1}. Use a node that still tells one of those"
            )
        else:
            return
        raise self._node.refused(errors.ChainUnsupported, "state_getMetadata", problem)

    def close(self) -> None:
        """Nothing is its own."""
