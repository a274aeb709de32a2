"""The JSON-RPC methods with which a node tells its chain: blocks, storage, runtime. No I/O."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from typing import Any

_METHOD_NOT_FOUND = (-32601, "Method not found")
_INVALID_PARAMS = (-32602, "Invalid params")
_INVALID_REQUEST = (-32600, "Invalid request")
_PARSE_ERROR = (-32700, "Parse error")
_DISCARDED = (4003, "Client error: UnknownBlock: State already discarded for {}")
"""The code and the text of polkadot-sdk (`sc-rpc-api`) for the state of a pruned block."""
_NO_PARENT = "0x" + "0" * 64


class NodeRefusal(LookupError):
    """A JSON-RPC error: code and message."""

    def __init__(self, error: tuple[int, str], about: str = "") -> None:
        super().__init__((error[0], error[1].format(about)))


class NodeRpc(ABC):
    """A node, as far as readers of staking need it.

    :ivar name: answer to `system_chain`.
    :ivar metadata: answer to `state_getMetadata`, 0x hex.
    :ivar spec_version: version of the runtime.
    :ivar properties: answer to `system_properties`.
    """

    name: str
    metadata: str
    spec_version = 1
    properties: dict[str, Any]

    @abstractmethod
    def newest(self) -> int:
        """Number of the newest block."""

    def finalized(self) -> int:
        """Number of the newest finalized block."""
        return self.newest()

    @abstractmethod
    def hash_of(self, number: int) -> str:
        """Hash of a block, 0x hex."""

    @abstractmethod
    def number_of(self, hash_: str) -> int | None:
        """Number of a block; None when there is no such block."""

    @abstractmethod
    def is_pruned(self, number: int) -> bool:
        """Whether the state of a block is gone."""

    @abstractmethod
    def value(self, key: str, number: int) -> str | None:
        """What a block's state holds under a storage key, 0x hex."""

    def check_runtime(self, params: list[Any]) -> None:
        """Refuse the runtime of a block whose state is gone."""
        self._state(params[:1])

    def result(self, method: str, params: list[Any]) -> Any:
        """The result of a call.

        :raises LookupError: its argument is the code and the message of a JSON-RPC error.
        """
        if method == "system_chain":
            return self.name
        if method == "system_properties":
            return self.properties
        if method == "chain_getFinalizedHead":
            return self.hash_of(self.finalized())
        if method in ("chain_getBlockHash", "chain_getHead"):
            number = params[0] if params else self.newest()
            return self.hash_of(number) if 0 <= number <= self.newest() else None
        if method == "chain_getHeader":
            return self._header(self._number(params[0]) if params else self.newest())
        if method == "state_getRuntimeVersion":
            self.check_runtime(params)
            return {"specName": "simulated", "specVersion": self.spec_version, "transactionVersion": 1}
        if method == "state_getMetadata":
            self.check_runtime(params)
            return self.metadata
        if method == "state_getStorage":
            return self.value(params[0], self._state(params[1:]))
        if method == "state_queryStorageAt":
            number = self._state(params[1:])
            return [{"block": self.hash_of(number), "changes": [[key, self.value(key, number)] for key in params[0]]}]
        raise NodeRefusal(_METHOD_NOT_FOUND)

    def respond(self, body: bytes) -> Any:
        """The answer to the body of an HTTP request: one call or a batch."""
        try:
            asked = json.loads(body)
        except (ValueError, RecursionError):
            return _error(None, _PARSE_ERROR)
        if isinstance(asked, list) and asked:
            return [self._reply(call) for call in asked]
        return self._reply(asked)

    def _reply(self, call: Any) -> dict[str, Any]:
        if not isinstance(call, dict) or not isinstance(call.get("method"), str):
            return _error(None, _INVALID_REQUEST)
        params = call.get("params", [])
        try:
            if not isinstance(params, list):
                raise TypeError(params)
            return {"jsonrpc": "2.0", "id": call.get("id"), "result": self.result(call["method"], params)}
        except NodeRefusal as refusal:
            return _error(call.get("id"), refusal.args[0])
        except (TypeError, ValueError, IndexError, AttributeError):
            return _error(call.get("id"), _INVALID_PARAMS)

    def _header(self, number: int | None) -> dict[str, str] | None:
        if number is None:
            return None
        parent = _NO_PARENT if number == 0 else self.hash_of(number - 1)
        return {"parentHash": parent, "number": hex(number)}

    def _state(self, params: list[Any]) -> int:
        """The number of a block whose state is kept; the newest block when none is named."""
        hash_ = params[0] if params and params[0] is not None else self.hash_of(self.newest())
        number = self._number(hash_)
        if number is None or self.is_pruned(number):
            raise NodeRefusal(_DISCARDED, hash_)
        return number

    def _number(self, hash_: str) -> int | None:
        number = self.number_of(hash_)
        return number if number is not None and number <= self.newest() else None


def _error(identity: Any, error: tuple[int, str]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": identity, "error": {"code": error[0], "message": error[1]}}
