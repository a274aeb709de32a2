"""Carrying texts to a node and back, over HTTP or a websocket, with limits that hold: an answer has a deadline and a size.

Neither library has both: requests and websocket-client bound only the pause between two pieces of an answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from staking_gateway.chain.endpoint import NodeEndpoint

NOT_TRUSTED = "its certificate is not trusted. Set ca_bundle to its authority's file"
NO_CONNECTION = "no connection. Check Host and the network, and that the node runs"


class WireError(Exception):
    """No answer; the text says why and what to do.

    :param status: the HTTP status that came instead of an answer.
    """

    def __init__(self, message: str, *, status: int | None = None) -> None:
        self.status = status
        super().__init__(message)


class WireTimeout(WireError):
    """The time is up."""


class WireBroken(WireError):
    """The connection ended before the answer was complete; on a kept connection perhaps before it was even asked."""


class AnswerTooLong(WireError):
    """The answer is longer than the limit."""


class AnswerUnusable(WireError):
    """The answer is not one to what was asked."""


class NoNodeHere(WireError):
    """Something answers, but not the way a node does."""


class Wire(Protocol):
    """One connection to a node; used by one thread at a time."""

    def send(self, text: str) -> None:
        """Send a request."""

    def receive(self) -> str | bytes:
        """The next message of the node."""

    def close(self) -> None:
        """Hang up."""


def connect(endpoint: NodeEndpoint) -> Wire:
    """A connection of the kind the address asks for.

    :raises WireError: it could not be made.
    """
    # Each brings a library of its own, and loading it takes longer than asking.
    if endpoint.is_websocket:
        from staking_gateway.chain.websocket_wire import WebsocketWire

        return WebsocketWire(endpoint)
    from staking_gateway.chain.http_wire import HttpWire

    return HttpWire(endpoint)


def wrong_status(status: int) -> WireError:
    """What an answer without 200 means."""
    if status in (408, 429) or status >= 500:
        return WireError(f"HTTP {status}; it may be overloaded and is asked again later", status=status)
    text = "which no Substrate node answers. Correct Host, path included"
    if status in (401, 403):
        text = "it refuses access. Correct the access key in Host, or use another node"
    return NoNodeHere(f"HTTP {status}, {text}", status=status)


def timed_out(endpoint: NodeEndpoint) -> WireTimeout:
    """The time is up, and what to do."""
    return WireTimeout(f"no answer within {endpoint.timeout:g} s. Check that the node runs, or raise timeout")


def too_long(endpoint: NodeEndpoint) -> AnswerTooLong:
    """The answer is too long, and what to do."""
    return AnswerTooLong(f"the answer is longer than {endpoint.max_response_bytes} bytes. Check that this is a node")
