"""One node: JSON-RPC over a connection that is kept, checked and replaced when it has died."""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from staking_gateway import errors
from staking_gateway.chain import wire
from staking_gateway.chain.endpoint import is_block_hash
from staking_gateway.chain.exchange import Exchange, Question
from staking_gateway.text import one_line

if TYPE_CHECKING:
    from staking_gateway.chain.endpoint import NodeEndpoint

_IDLE_SECONDS = 30.0
"""A connection unused for longer is replaced: nodes and what stands before them drop idle ones, often without a word."""
_METHOD_NOT_FOUND = -32601
_IDENTITY = (Question("chain_getBlockHash", (0,), (str,)), Question("system_chain", (), (str,)))


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

    exchange: Exchange
    identity: ChainIdentity


class Node:
    """Asks one node, from one thread at a time."""

    def __init__(self, endpoint: NodeEndpoint) -> None:
        self._endpoint = endpoint
        self._ids = itertools.count(1)
        self._link: _Link | None = None
        self._used = 0.0
        self._doubted = False

    @property
    def identity(self) -> ChainIdentity:
        """The chain at the other end of the connection, as it was told when that was made."""
        return self._connected().identity

    def ask(self, method: str, params: tuple[Any, ...], *, expect: tuple[type, ...]) -> Any:
        """The result of a call.

        :param expect: types the result may have.
        :raises ChainError: there is none.
        """
        (answer,) = self.ask_together(Question(method, params, expect))
        return told(answer)

    def ask_together(self, *questions: Question) -> list[Any]:
        """The results of calls that need not wait for each other, in the order of the questions.

        :returns: for a call that the node refused or answered strangely, the `ChainError` that `told` raises.
        :raises ChainError: the questions were not all answered.
        """
        before = self._link
        link = self._connected()
        method = questions[0].method
        try:
            answers = link.exchange.ask(questions)
        except wire.WireBroken:
            # It may have died while nobody was looking. Reading twice does no harm.
            self.close()
            link = self._connected()
            try:
                answers = link.exchange.ask(questions, together=False)
            except wire.WireError as error:
                raise self._failed(error, method) from None
        except wire.WireError as error:
            raise self._failed(error, method) from None
        self._used = time.monotonic()
        if before is not None and link.identity != before.identity:
            raise self.refused(
                errors.NodeAnswerInvalid, method, "another chain answers there than a moment ago. Ask again"
            )
        return [self._checked(answer, question) for answer, question in zip(answers, questions, strict=True)]

    def close(self) -> None:
        """Hang up; the next question connects again."""
        if self._link is not None:
            self._let_go(self._link.exchange)
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
        return self._connect()

    def _connect(self) -> _Link:
        try:
            opened = wire.connect(self._endpoint)
        except wire.WireError as error:
            raise self._failed(error, "connect") from None
        exchange = Exchange(opened, self._ids, notified=self._endpoint.is_websocket, together=not self._doubted)
        try:
            self._link = _Link(exchange, self._identify(exchange))
        except errors.ChainError:
            self._let_go(exchange)
            if exchange.passed_over:
                return self._connect()  # without batches, and so this once only
            raise
        self._used = time.monotonic()
        return self._link

    def _let_go(self, exchange: Exchange) -> None:
        exchange.close()
        self._doubted = exchange.doubted or (self._doubted and not exchange.proven)

    def _identify(self, exchange: Exchange) -> ChainIdentity:
        try:
            answers = exchange.ask(_IDENTITY)
        except wire.WireError as error:
            raise self._failed(error, _IDENTITY[0].method) from None
        genesis, name = (told(self._checked(*pair)) for pair in zip(answers, _IDENTITY, strict=True))
        if not is_block_hash(genesis):
            raise self._no_node(_IDENTITY[0].method)
        return ChainIdentity(genesis.lower(), one_line(name))

    # --- one answer ----------------------------------------------------------------------------------------------------

    def _checked(self, answer: dict[str, Any], question: Question) -> Any:
        """The result, or the error that says why there is none."""
        method, error = question.method, answer.get("error")
        if error is not None:
            code = error.get("code") if isinstance(error, dict) else None
            if code == _METHOD_NOT_FOUND:
                return self._no_node(method)
            text = str(error.get("message") if isinstance(error, dict) else error)[:300]
            return errors.NodeRefused(
                f"it refuses with error {code}: {text}. Ask again, or use a node with more of the chain's state",
                node=self._endpoint.name,
                method=method,
                code=code if isinstance(code, int) else 0,
            )
        result = answer.get("result")
        if isinstance(result, question.expect):
            return result
        return self.refused(
            errors.NodeAnswerInvalid,
            method,
            f"the result is of type {type(result).__name__}. Check that Host is a Substrate node",
        )

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
        elif isinstance(error, (wire.AnswerTooLong, wire.AnswerUnusable)):
            kind = errors.NodeAnswerInvalid
        return self.refused(kind, method, str(error))


def told(answer: Any) -> Any:
    """A result that `Node.ask_together` brought.

    :raises ChainError: it is none.
    """
    if isinstance(answer, errors.ChainError):
        raise answer
    return answer
