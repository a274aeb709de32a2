"""One node: JSON-RPC over HTTP, or over a websocket that stays open."""

from __future__ import annotations

import itertools
import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from staking_gateway import errors
from staking_gateway.chain import wire
from staking_gateway.chain.endpoint import is_block_hash
from staking_gateway.http.foreign_text import QUOTED_CHARACTERS, ForeignTexts, read_json, secrets_of_address
from staking_gateway.http.meanings import METHOD_NOT_FOUND

if TYPE_CHECKING:
    from staking_gateway.chain.endpoint import NodeEndpoint

_IDLE_SECONDS = 30.0
"""Seconds after which an unused connection is replaced: nodes and proxies drop idle connections, often silently."""
_CODES = 2**31
"""Limit of error codes; JSON-RPC 2.0 defines some of five digits."""
_NO_RPC = "the answer is not JSON-RPC. Check that Host is a Substrate node"
_NO_NODE = "it is no Substrate node, or hides its state. Set Host to a node that shows its state"


@dataclass(frozen=True)
class ChainIdentity:
    """The chain of a node.

    :param genesis_hash: hash of the first block, 0x and 64 hex digits.
    :param chain_name: name of the chain, as the node reports it.
    """

    genesis_hash: str
    chain_name: str


class Node:
    """Calls to one node, from one thread at a time."""

    def __init__(self, endpoint: NodeEndpoint) -> None:
        self.endpoint = endpoint
        self._texts = ForeignTexts(secrets_of_address(endpoint.url))
        self._ids = itertools.count(1)
        self._wire: wire.Wire | None = None
        self._identity: ChainIdentity | None = None
        self._used = 0.0
        self._asked = ""

    def identity(self) -> ChainIdentity:
        """The chain of the node, read once per connection."""
        if self._wire is not None and time.monotonic() - self._used > _IDLE_SECONDS:
            self.close()
        if self._identity is None:
            genesis = self.ask("chain_getBlockHash", 0, expect=(str,))
            name = self.ask("system_chain", expect=(str,))
            if not is_block_hash(genesis):
                raise self.fail(errors.Failed.NODE_UNSUPPORTED, _NO_NODE)
            self._identity = ChainIdentity(genesis.lower(), self._texts.clean(name))
        return self._identity

    def ask(self, method: str, *params: Any, expect: tuple[type, ...]) -> Any:
        """The result of a call.

        :param expect: types that the result may have.
        :raises ChainError: no such result. After no complete answer, the next call connects again.
        """
        number, self._asked = next(self._ids), "connect"
        request = json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        try:
            if self._wire is None:
                self._wire = _connected(self.endpoint, self.fail)
            self._asked = method
            answer = self._read(self._wire.ask(request), number)
        except errors.ChainError:
            self.close()
            raise
        self._used = time.monotonic()
        return self._result(answer, expect)

    def fail(self, how: errors.Failed, facts: str, remedy: str = "") -> errors.ChainError:
        """An error that names this node, and the last call."""
        return errors.ChainError(
            self._texts.clean(facts), node=self.endpoint.name, method=self._asked, how=how, remedy=remedy
        )

    def close(self) -> None:
        """Close the connection; the next call connects again."""
        if self._wire is not None:
            self._wire.close()
        self._wire = self._identity = None

    def _read(self, text: bytes, number: int) -> dict[str, Any]:
        """The answer to the call with this number."""
        try:
            answer = read_json(text)
        except ValueError:
            answer = None
        if not isinstance(answer, dict) or not ("result" in answer or "error" in answer):
            raise self.fail(errors.Failed.NODE_ANSWER, _NO_RPC)
        if answer.get("id") != number:
            raise self.fail(errors.Failed.NODE_ANSWER, "the answer belongs to another question", "Ask again")
        return answer

    def _result(self, answer: dict[str, Any], expect: tuple[type, ...]) -> Any:
        error = answer.get("error")
        if error is not None:
            code = error.get("code") if isinstance(error, dict) else None
            if code == METHOD_NOT_FOUND:
                raise self.fail(errors.Failed.NODE_UNSUPPORTED, _NO_NODE)
            text = self._texts.clean(error.get("message") if isinstance(error, dict) else error, QUOTED_CHARACTERS)
            raise errors.NodeRefused(
                f"it answers with error {self._texts.clean(code, 20)}: {text}. Ask again, or use a node with more of the chain's state",
                node=self.endpoint.name,
                method=self._asked,
                code=code if type(code) is int and abs(code) < _CODES else 0,
            )
        result = answer.get("result")
        if isinstance(result, expect):
            return result
        problem, remedy = f"the result is of type {type(result).__name__}", "Check that Host is a Substrate node"
        raise self.fail(errors.Failed.NODE_ANSWER, problem, remedy)


def _connected(endpoint: NodeEndpoint, fail: wire.Fail) -> wire.Wire:
    """A connection of the kind that the address names.

    :raises ChainError: no connection.
    """
    # Loading one of the two libraries takes longer than a call.
    if endpoint.is_websocket:
        from staking_gateway.chain.websocket import WebsocketWire

        return WebsocketWire(endpoint, fail)
    return wire.HttpWire(endpoint, fail)
