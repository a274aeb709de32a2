"""One node: JSON-RPC over HTTP, or over a websocket that stays open."""

import itertools
import json
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from staking_gateway.errors import ChainError, Failed, GatewayError
from staking_gateway.http.endpoint import name_of
from staking_gateway.http.foreign_text import NODE_ANSWER_BYTES, QUOTED_CHARACTERS, ForeignTexts, secrets_of_address
from staking_gateway.http.meanings import METHOD_NOT_FOUND, how_of_status
from staking_gateway.http.session import Session
from staking_gateway.problem import Topic
from staking_gateway.types import is_hash

if TYPE_CHECKING:
    from staking_gateway.chain.wire import WebsocketWire  # loads websockets

_IDLE_SECONDS = 30.0
"""Seconds after which an unused connection is replaced: nodes and proxies drop idle connections, often silently."""
_NO_NODE = "it is no Substrate node, or hides its state"


@dataclass(frozen=True)
class ChainIdentity:
    """The chain of a node: the hash of its first block (0x hex), and its name as the node reports it."""

    genesis_hash: str
    chain_name: str


class Node:
    """Calls to one node, from one thread at a time; the settings are those of `ChainReader`."""

    def __init__(self, url: str, timeout: float, ca_bundle: str | None) -> None:
        self.lock = threading.Lock()
        self._settings = url, timeout, ca_bundle
        self._name, self._texts = name_of(url), ForeignTexts(secrets_of_address(url))
        self._ids = itertools.count(1)
        self._wire: Session | WebsocketWire | None = None
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
            if not is_hash(genesis):
                raise self.fail(Failed.NODE_UNSUPPORTED, _NO_NODE)
            self._identity = ChainIdentity(genesis.lower(), self._texts.clean(name))
        return self._identity

    def ask(self, method: str, *params: Any, expect: tuple[type, ...]) -> Any:
        """The result of a call, of one of the expected types. After no complete answer, the next call connects again."""
        number, self._asked = next(self._ids), "connect"
        request = json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        try:
            if self._wire is None:
                self._wire = self._connected()
            self._asked = method
            answered = self._wire.ask("POST", data=request.encode())
            if answered.status != 200:
                raise GatewayError(how=how_of_status(answered.status), status=answered.status)
            answer = self._texts.read_response(answered.body, number)
        except GatewayError as error:
            self.close()
            raise self.fail(*_meaning(error)) from None
        self._used = time.monotonic()
        if "error" in answer:
            code, text = answer["error"]["code"], self._texts.clean(answer["error"]["message"], QUOTED_CHARACTERS)
            if code == METHOD_NOT_FOUND:
                raise self.fail(Failed.NODE_UNSUPPORTED, _NO_NODE)
            raise self.fail(Failed.NODE_REFUSED, f"it answers with error {code}: {text}")
        result = answer["result"]
        if not isinstance(result, expect):
            raise self.fail(Failed.NODE_ANSWER, f"the result is of type {type(result).__name__}")
        return result

    def fail(self, how: Failed, facts: str, remedy: str = "") -> ChainError:
        """An error that names this node, and the last call."""
        facts = f"node {self._name}: {self._texts.clean(facts)}"
        return ChainError(facts, method=self._asked, how=how, remedy=remedy)

    def close(self) -> None:
        if self._wire is not None:
            self._wire.close()
        self._wire = self._identity = None

    def _connected(self) -> "Session | WebsocketWire":
        url, timeout, ca_bundle = self._settings
        if not url.startswith("ws"):
            return Session(url, (timeout, timeout, timeout), NODE_ANSWER_BYTES, ca_bundle)
        from staking_gateway.chain.wire import WebsocketWire

        return WebsocketWire(url, timeout, ca_bundle, NODE_ANSWER_BYTES)


def _meaning(error: GatewayError) -> tuple[Failed, str, str]:
    """What it means for a node that a call got no response: how it failed, the facts, and what to do."""
    how, facts, remedy = error.how, error.problem.facts, error.problem.own_remedy
    if how is Failed.UNREACHABLE:
        return Failed.NODE_UNREACHABLE, facts, remedy or Topic.NODE.remedy
    if how in (Failed.TIMEOUT, Failed.BROKEN):
        return Failed.NODE_UNREACHABLE, facts, remedy
    if error.status is None:
        return how if how is Failed.NODE_UNSUPPORTED else Failed.NODE_ANSWER, facts, remedy
    facts = f"HTTP {error.status}"
    if how.passes:
        return Failed.NODE_UNREACHABLE, f"{facts}; the node may be overloaded", "Ask again later"
    if error.status in (401, 403):
        remedy = "Correct the access key in Host, or use another node"
        return Failed.NODE_UNSUPPORTED, f"{facts}, it refuses access", remedy
    return Failed.NODE_UNSUPPORTED, f"{facts}, which no Substrate node answers", "Correct Host, path included"
