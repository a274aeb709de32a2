"""JSON-RPC 2.0 on the serving side: reading a request, writing an answer. No I/O."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from staking_gateway.errors import InvalidInput
from staking_gateway_simulator.accounts import read_account

PARSE_ERROR = (-32700, "Parse error")
INVALID_REQUEST = (-32600, "Invalid Request")
METHOD_NOT_FOUND = (-32601, "Method not found")
INVALID_PARAMS = (-32602, "Invalid params")
INTERNAL_ERROR = (-32603, "Internal error")
POLL_FAILED = "failed to poll chain"
"""The reason of the internal error with which some versions answer for a request they do not know."""
ABSENT = object()
"""In place of params that a request does not have."""


class RpcRefusal(Exception):
    """A request that is answered with an error.

    :param error: code and message.
    :param gateway_error: the reason, as `data.gatewayError` tells it; None leaves that field out.
    """

    def __init__(self, error: tuple[int, str], gateway_error: str | None) -> None:
        self.code, self.message = error
        self.gateway_error = gateway_error
        super().__init__(gateway_error or self.message)


@dataclass
class Request:
    """A request as far as it could be read. A good id is echoed whatever else is wrong."""

    body: bytes
    id: Any = None
    method: str = ""
    params: Any = None

    def read(self) -> None:
        """Fill in the envelope.

        :raises RpcRefusal: not JSON, or not a JSON-RPC 2.0 request.
        """
        try:
            envelope = json.loads(self.body.decode(), parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as error:
            raise RpcRefusal(PARSE_ERROR, f"the body is not JSON: {error}") from None
        if not isinstance(envelope, dict):
            raise RpcRefusal(INVALID_REQUEST, "the body must be one request object")
        if "id" not in envelope:
            raise RpcRefusal(INVALID_REQUEST, "id is missing")
        if isinstance(envelope["id"], bool) or not isinstance(envelope["id"], (int, str)):
            raise RpcRefusal(INVALID_REQUEST, "id must be an integer")
        # The document says integer. The network's JavaScript client sends a UUID, and every gateway echoes it.
        self.id = envelope["id"]
        if envelope.get("jsonrpc") != "2.0":
            raise RpcRefusal(INVALID_REQUEST, 'jsonrpc must be "2.0"')
        method = envelope.get("method")
        if not isinstance(method, str):
            raise RpcRefusal(INVALID_REQUEST, "method must be a string")
        self.method = method
        self.params = envelope.get("params", ABSENT)

    def success(self, result: Any) -> bytes:
        return _encode({"jsonrpc": "2.0", "id": self.id, "result": result})

    def error(self, refusal: RpcRefusal) -> bytes:
        """The answer with an error (interface document, section 7)."""
        reason = {} if refusal.gateway_error is None else {"gatewayError": refusal.gateway_error}
        data = {**reason, "request": self.body.decode("utf-8", "replace")}
        error = {"code": refusal.code, "message": refusal.message, "data": data}
        return _encode({"jsonrpc": "2.0", "id": self.id, "error": error})


@dataclass(frozen=True)
class Params:
    """The params of one call, read one by one; every complaint names the parameter. More than the known ones are fine."""

    method: str
    values: dict[str, Any]

    def refusal(self, name: str, problem: str) -> RpcRefusal:
        """The complaint about one parameter."""
        return RpcRefusal(INVALID_PARAMS, f"invalid parameter ({name}) passed to {self.method}: {problem}")

    def text(self, name: str) -> str:
        """A required string."""
        if name not in self.values:
            raise self.refusal(name, "it is missing")
        value = self.values[name]
        if not isinstance(value, str):
            raise self.refusal(name, "it must be a string")
        return value

    def account(self, name: str) -> str:
        """A required account, as 0x public key."""
        try:
            return read_account(self.text(name)).hex
        except InvalidInput as error:
            raise self.refusal(name, error.fault) from None

    def address(self, name: str) -> str:
        """A required account, spelt as SS58 address and not as public key; as 0x public key."""
        if self.text(name).startswith("0x"):
            raise self.refusal(name, "it must be an SS58 address, not a public key")
        return self.account(name)


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON value")


def _encode(answer: dict[str, Any]) -> bytes:
    return json.dumps(answer, separators=(",", ":")).encode()
