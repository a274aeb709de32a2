"""One node: JSON-RPC over a connection that stays open, and is replaced when it broke."""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from staking_gateway import errors
from staking_gateway.chain import wire
from staking_gateway.chain.endpoint import is_block_hash
from staking_gateway.chain.exchange import Exchange, Question
from staking_gateway.http.foreign_text import ForeignTexts, secrets_of_address
from staking_gateway.http.limits import QUOTED_CHARACTERS
from staking_gateway.http.meanings import METHOD_NOT_FOUND

if TYPE_CHECKING:
    from staking_gateway.chain.endpoint import NodeEndpoint

_IDLE_SECONDS = 30.0
"""Seconds after which an unused connection is replaced: nodes and proxies drop idle connections, often silently."""
_CODES = 2**31
"""Limit of error codes; JSON-RPC 2.0 defines some of five digits."""
_IDENTITY = (Question("chain_getBlockHash", (0,), (str,)), Question("system_chain", (), (str,)))


@dataclass(frozen=True)
class ChainIdentity:
    """The chain of a node.

    :param genesis_hash: hash of the first block, 0x and 64 hex digits.
    :param chain_name: name of the chain, as the node reports it.
    """

    genesis_hash: str
    chain_name: str


@dataclass(frozen=True)
class _Link:
    exchange: Exchange
    identity: ChainIdentity


class Node:
    """Calls to one node, from one thread at a time."""

    def __init__(self, endpoint: NodeEndpoint) -> None:
        self._endpoint = endpoint
        self._texts = ForeignTexts(secrets_of_address(endpoint.url))
        self._ids = itertools.count(1)
        self._link: _Link | None = None
        self._used = 0.0
        self._avoids_batches = False

    @property
    def identity(self) -> ChainIdentity:
        """The chain of the node, read once per connection."""
        return self._connected().identity

    def ask(self, method: str, params: tuple[Any, ...], *, expect: tuple[type, ...]) -> Any:
        """The result of a call.

        :param expect: types the result may have.
        :raises ChainError: no valid result.
        """
        (answer,) = self.ask_together(Question(method, params, expect))
        return result_of(answer)

    def ask_together(self, *questions: Question) -> list[Any]:
        """The results of independent calls, in the order of the questions.

        :returns: for a refused or invalid call, a `ChainError`, which `result_of` raises.
        :raises ChainError: not all questions were answered.
        """
        before = self._link
        link = self._connected()
        method = questions[0].method
        try:
            try:
                answers = link.exchange.ask(questions)
            except wire.WireBroken:  # perhaps before the call, and reads can be repeated
                self.close()
                link = self._connected()
                answers = link.exchange.ask(questions, together=False)
        except wire.WireError as error:
            raise self._failed(error, method) from None
        self._used = time.monotonic()
        if before is not None and link.identity != before.identity:
            raise self.error(errors.NodeAnswerInvalid, method, "the node's chain has changed. Ask again")
        return [self._checked(answer, question) for answer, question in zip(answers, questions, strict=True)]

    def close(self) -> None:
        """Close the connection; the next call connects again."""
        if self._link is not None:
            self._close(self._link.exchange)
        self._link = None

    def forget(self) -> None:
        """Drop the connection without closing it: after a fork, it belongs to the parent process."""
        self._link = None

    def error(self, kind: type[errors.ChainError], method: str, message: str) -> errors.ChainError:
        """An error that names this node."""
        return kind(self._texts.clean(message), node=self._endpoint.name, method=method)

    # --- the connection ------------------------------------------------------------------------------------------------

    def _connected(self) -> _Link:
        if self._link is not None and time.monotonic() - self._used <= _IDLE_SECONDS:
            return self._link
        self.close()
        return self._connect()

    def _connect(self) -> _Link:
        try:
            opened = _open(self._endpoint)
        except wire.WireError as error:
            raise self._failed(error, "connect") from None
        together = not self._avoids_batches
        exchange = Exchange(opened, self._ids, notified=self._endpoint.is_websocket, together=together)
        try:
            self._link = _Link(exchange, self._identify(exchange))
        except errors.ChainError:
            self._close(exchange)
            if exchange.batch_ignored:
                return self._connect()  # once: the new connection sends no batches
            raise
        self._used = time.monotonic()
        return self._link

    def _close(self, exchange: Exchange) -> None:
        exchange.close()
        self._avoids_batches = exchange.batch_suspect or (self._avoids_batches and not exchange.batch_worked)

    def _identify(self, exchange: Exchange) -> ChainIdentity:
        try:
            answers = exchange.ask(_IDENTITY)
        except wire.WireError as error:
            raise self._failed(error, _IDENTITY[0].method) from None
        genesis, name = (result_of(self._checked(*pair)) for pair in zip(answers, _IDENTITY, strict=True))
        if not is_block_hash(genesis):
            raise self._not_a_node(_IDENTITY[0].method)
        return ChainIdentity(genesis.lower(), self._texts.clean(name))

    # --- one answer ----------------------------------------------------------------------------------------------------

    def _checked(self, answer: dict[str, Any], question: Question) -> Any:
        method, error = question.method, answer.get("error")
        if error is not None:
            code = error.get("code") if isinstance(error, dict) else None
            if code == METHOD_NOT_FOUND:
                return self._not_a_node(method)
            text = self._texts.clean(error.get("message") if isinstance(error, dict) else error, QUOTED_CHARACTERS)
            return errors.NodeRefused(
                f"it answers with error {self._texts.clean(code, 20)}: {text}. Ask again, or use a node with more of the chain's state",
                node=self._endpoint.name,
                method=method,
                code=code if type(code) is int and abs(code) < _CODES else 0,
            )
        result = answer.get("result")
        if isinstance(result, question.expect):
            return result
        problem = f"the result is of type {type(result).__name__}. Check that Host is a Substrate node"
        return self.error(errors.NodeAnswerInvalid, method, problem)

    def _not_a_node(self, method: str) -> errors.ChainError:
        problem = "it is no Substrate node, or hides its state. Set Host to a node that shows its state"
        return self.error(errors.ChainUnsupported, method, problem)

    def _failed(self, error: wire.WireError, method: str) -> errors.ChainError:
        """Close the connection; returns the error for a failed call."""
        self.close()
        failed = self.error(error.kind, method, str(error))
        failed.remedy = error.remedy
        return failed


def result_of(answer: Any) -> Any:
    """An answer of `Node.ask_together`.

    :raises ChainError: the answer is this error.
    """
    if isinstance(answer, errors.ChainError):
        raise answer
    return answer


def _open(endpoint: NodeEndpoint) -> wire.Wire:
    """A connection of the kind that the address names.

    :raises WireError: no connection.
    """
    # Loading one of the two libraries takes longer than a call.
    if endpoint.is_websocket:
        from staking_gateway.chain.websocket_wire import WebsocketWire

        return WebsocketWire(endpoint)
    from staking_gateway.chain.http_wire import HttpWire

    return HttpWire(endpoint)
