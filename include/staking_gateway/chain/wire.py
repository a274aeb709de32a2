"""Connections to a node, over HTTP or a websocket, with limits for the time and the size of an answer.

requests and websocket-client limit only the pause between two pieces of an answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from staking_gateway import errors
from staking_gateway.http.foreign_text import ForeignTexts
from staking_gateway.http.meanings import meaning_of_status
from staking_gateway.http.no_answer import (
    CallFailed,
    ConnectionBroke,
    NoAnswer,
    NoConnection,
    Undecodable,
    redirect_target,
)

if TYPE_CHECKING:
    from staking_gateway.chain.endpoint import NodeEndpoint

BROKE = "the connection broke before the answer. The call is repeated; if the error stays, check the node"


class WireError(Exception):
    """No answer; the text names reason and remedy.

    :param status: the HTTP status of the answer, when it was not 200.
    :param remedy: the end of the text, as of `CallFailed`.
    :cvar kind: the public error.
    """

    kind: type[errors.ChainError] = errors.NodeUnreachable

    def __init__(self, message: str, *, status: int | None = None, remedy: str = "") -> None:
        self.status = status
        self.remedy = remedy
        super().__init__(message)


class WireTimeout(WireError):
    """No answer in time."""


class WireBroken(WireError):
    """The connection ended before the answer was complete. A kept connection may have ended before the request."""


class AnswerUnusable(WireError):
    """The answer is too long, or does not fit the request."""

    kind = errors.NodeAnswerInvalid


class NotANode(WireError):
    """The server is not a node."""

    kind = errors.ChainUnsupported


class Wire(Protocol):
    """One connection to a node, for one thread at a time."""

    def send(self, text: str) -> None: ...

    def receive(self) -> bytes:
        """The next message of the node."""

    def close(self) -> None: ...


def failed(endpoint: NodeEndpoint, failure: CallFailed) -> WireError:
    """The error for a call without a complete answer."""
    if isinstance(failure, NoAnswer):
        return timed_out(endpoint)
    kind = _BY_FAILURE[type(failure)]
    return kind(BROKE if kind is WireBroken else str(failure), remedy=failure.remedy)


_BY_FAILURE: dict[type[CallFailed], type[WireError]] = {
    NoConnection: WireError,
    ConnectionBroke: WireBroken,
    Undecodable: NotANode,
}


def wrong_status(status: int, location: str | None = None) -> WireError:
    """The error for an HTTP status other than 200.

    :param location: the target of a redirect.
    """
    if meaning_of_status(status).transient:
        return WireError(f"HTTP {status}; the node may be overloaded. The call is repeated later", status=status)
    text = "which no Substrate node answers. Correct Host, path included"
    if 300 <= status < 400:
        text = f"a redirect to {redirect_target(location, ForeignTexts(()))}. Correct Host, path included"
    if status in (401, 403):
        text = "it refuses access. Correct the access key in Host, or use another node"
    return NotANode(f"HTTP {status}, {text}", status=status)


def timed_out(endpoint: NodeEndpoint) -> WireTimeout:
    """The error for an answer that takes too long."""
    return WireTimeout(f"no answer within {endpoint.timeout:g} s. Check that the node runs, or raise timeout")


def too_long(endpoint: NodeEndpoint) -> AnswerUnusable:
    return AnswerUnusable(f"the answer is longer than {endpoint.max_response_bytes} bytes. Check that this is a node")
