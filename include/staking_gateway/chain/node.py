"""One node: JSON-RPC over a connection that is kept, checked and replaced when it has died."""

from __future__ import annotations

import itertools
import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from staking_gateway import errors
from staking_gateway.chain import wire
from staking_gateway.chain.endpoint import is_block_hash

if TYPE_CHECKING:
    from staking_gateway.chain.endpoint import NodeEndpoint

_IDLE_SECONDS = 30.0
"""A connection unused for longer is replaced: nodes and what stands before them drop idle ones, often without a word."""
_METHOD_NOT_FOUND = -32601


@dataclass(frozen=True)
class ChainIdentity:
    """Which chain a node belongs to.

    :param genesis_hash: hash of its first block, 0x and 64 hex digits.
    :param chain_name: its name, as the node tells it.
    """

    genesis_hash: str
    chain_name: str


@dataclass(frozen=True)
class _Link:
    """A connection, and the chain that was found at its other end."""

    wire: wire.Wire
    identity: ChainIdentity


class Node:
    """Asks one node, from one thread at a time."""

    def __init__(self, endpoint: NodeEndpoint) -> None:
        self._endpoint = endpoint
        self._ids = itertools.count(1)
        self._link: _Link | None = None
        self._used = 0.0

    @property
    def identity(self) -> ChainIdentity:
        """The chain at the other end of the connection, as it was told when that was made."""
        return self._connected().identity

    def ask(self, method: str, params: list[Any], *, expect: tuple[type, ...]) -> Any:
        """The result of a call.

        :param expect: types the result may have.
        :raises ChainError: there is none.
        """
        before = self._link
        link = self._connected()
        try:
            answer = self._exchange(link.wire, method, params)
        except wire.WireBroken:
            # It may have died while nobody was looking. Reading twice does no harm.
            self.close()
            link = self._connected()
            answer = self._try(link.wire, method, params)
        except wire.WireError as error:
            raise self._failed(error, method) from None
        self._used = time.monotonic()
        if before is not None and link.identity != before.identity:
            raise self.refused(
                errors.NodeAnswerInvalid, method, "another chain answers there than a moment ago. Ask again"
            )
        return self._checked(answer, method, expect)

    def close(self) -> None:
        """Hang up; the next question connects again."""
        if self._link is not None:
            self._link.wire.close()
        self._link = None

    def forget(self) -> None:
        """Let go of the connection without a word: it belongs to the process this one was forked from."""
        self._link = None

    def refused(self, kind: type[errors.ChainError], method: str, message: str) -> errors.ChainError:
        """An error about an answer of this node."""
        return kind(message, node=self._endpoint.name, method=method)

    # --- the connection ------------------------------------------------------------------------------------------------

    def _connected(self) -> _Link:
        """The connection: the one there is, or a new one."""
        if self._link is not None and time.monotonic() - self._used <= _IDLE_SECONDS:
            return self._link
        self.close()
        try:
            opened = wire.connect(self._endpoint)
        except wire.WireError as error:
            raise self._failed(error, "connect") from None
        try:
            self._link = _Link(opened, self._identify(opened))
        except errors.ChainError:
            opened.close()
            raise
        self._used = time.monotonic()
        return self._link

    def _identify(self, opened: wire.Wire) -> ChainIdentity:
        method = "chain_getBlockHash"
        genesis = self._checked(self._try(opened, method, [0]), method, (str,))
        if not is_block_hash(genesis):
            raise self._no_node(method)
        name = self._checked(self._try(opened, "system_chain", []), "system_chain", (str,))
        return ChainIdentity(genesis.lower(), name)

    # --- one call ------------------------------------------------------------------------------------------------------

    def _try(self, over: wire.Wire, method: str, params: list[Any]) -> dict[str, Any]:
        try:
            return self._exchange(over, method, params)
        except wire.WireError as error:
            raise self._failed(error, method) from None

    def _exchange(self, over: wire.Wire, method: str, params: list[Any]) -> dict[str, Any]:
        number = next(self._ids)
        over.send(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}))
        while True:
            try:
                answer = json.loads(over.receive())
            except (ValueError, RecursionError):
                answer = None
            if isinstance(answer, dict) and "method" in answer and self._endpoint.is_websocket:
                continue  # a notification, which a node may send unasked
            problem = ""
            if not isinstance(answer, dict) or not ("result" in answer or "error" in answer):
                problem = "the answer is not JSON-RPC. Check that Host is a Substrate node"
            elif answer.get("id") != number:
                problem = "the answer belongs to another question. Ask again"
            else:
                return answer
            self.close()
            raise self.refused(errors.NodeAnswerInvalid, method, problem)

    def _checked(self, answer: dict[str, Any], method: str, expect: tuple[type, ...]) -> Any:
        error = answer.get("error")
        if error is not None:
            code = error.get("code") if isinstance(error, dict) else None
            if code == _METHOD_NOT_FOUND:
                raise self._no_node(method)
            text = str(error.get("message") if isinstance(error, dict) else error)[:300]
            raise errors.NodeRefused(
                f"it refuses with error {code}: {text}. Ask again, or use a node with more of the chain's state",
                node=self._endpoint.name,
                method=method,
                code=code if isinstance(code, int) else 0,
            )
        result = answer.get("result")
        if not isinstance(result, expect):
            raise self.refused(
                errors.NodeAnswerInvalid,
                method,
                f"the result is of type {type(result).__name__}. Check that Host is a Substrate node",
            )
        return result

    def _no_node(self, method: str) -> errors.ChainError:
        return self.refused(
            errors.ChainUnsupported,
            method,
            "it is no Substrate node, or hides its state. Set Host to a node that tells it",
        )

    def _failed(self, error: wire.WireError, method: str) -> errors.ChainError:
        """Hang up, and tell why there is no answer."""
        self.close()
        kind: type[errors.ChainError] = errors.NodeUnreachable
        if isinstance(error, wire.NoNodeHere):
            kind = errors.ChainUnsupported
        elif isinstance(error, wire.AnswerTooLong):
            kind = errors.NodeAnswerInvalid
        return self.refused(kind, method, str(error))
