"""Connections to a node, over HTTP or a websocket, with limits for the time and the size of an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from staking_gateway import errors
from staking_gateway.http.foreign_text import ForeignTexts, redirect_target
from staking_gateway.http.meanings import how_of_status
from staking_gateway.http.session import NoAnswer, Session

if TYPE_CHECKING:
    from collections.abc import Callable

    from staking_gateway.chain.endpoint import NodeEndpoint

    Fail = Callable[..., errors.ChainError]
    """Makes the error for a failed call."""

BROKE = "the connection broke before the answer. The call is repeated; if the error stays, check the node"


class Wire(Protocol):
    """One connection to a node, for one thread at a time."""

    def ask(self, request: str) -> bytes:
        """The answer to a request.

        :raises ChainError: no complete answer. The connection must not be used again.
        """

    def close(self) -> None: ...


class HttpWire:
    """A connection over HTTP."""

    def __init__(self, endpoint: NodeEndpoint, fail: Fail) -> None:
        self._endpoint, self._fail = endpoint, fail
        self._session = Session(endpoint.url, endpoint.timeout, endpoint.ca_bundle)

    def ask(self, request: str) -> bytes:
        """The body of the answer."""
        endpoint, limit = self._endpoint, self._endpoint.max_response_bytes
        try:
            answered = self._session.ask(
                "POST", endpoint.url, limit=limit, data=request.encode(), timeout=(endpoint.timeout, endpoint.timeout)
            )
        except NoAnswer as error:
            raise failed(endpoint, self._fail, error) from None
        if answered.status != 200:
            raise wrong_status(self._fail, answered.status, answered.headers.get("Location"))
        if not answered.is_whole:
            raise too_long(endpoint, self._fail)
        return answered.body

    def close(self) -> None:
        self._session.close()


def failed(endpoint: NodeEndpoint, fail: Fail, failure: NoAnswer) -> errors.ChainError:
    """The error for a call without a complete answer."""
    how = errors.Failed.NODE_UNREACHABLE
    if failure.how is errors.Failed.TIMEOUT:
        return fail(how, f"no answer within {endpoint.timeout:g} s", "Check that the node runs, or raise timeout")
    if failure.how is errors.Failed.BROKEN:
        return fail(how, BROKE)
    if failure.how is errors.Failed.MALFORMED:
        how = errors.Failed.NODE_UNSUPPORTED
    return fail(how, failure.facts, failure.remedy)


def wrong_status(fail: Fail, status: int, location: str | None) -> errors.ChainError:
    """The error for an HTTP status other than the expected one.

    :param location: the target of a redirect.
    """
    if how_of_status(status).passes:
        problem, remedy = f"HTTP {status}; the node may be overloaded", "The call is repeated later"
        return fail(errors.Failed.NODE_UNREACHABLE, problem, remedy)
    problem = "which no Substrate node answers. Correct Host, path included"
    if 300 <= status < 400:
        problem = f"a redirect to {redirect_target(location, ForeignTexts(()))}. Correct Host, path included"
    if status in (401, 403):
        problem = "it refuses access. Correct the access key in Host, or use another node"
    return fail(errors.Failed.NODE_UNSUPPORTED, f"HTTP {status}, {problem}")


def too_long(endpoint: NodeEndpoint, fail: Fail) -> errors.ChainError:
    """The error for an answer over the limit."""
    problem = f"the answer is longer than {endpoint.max_response_bytes} bytes. Check that this is a node"
    return fail(errors.Failed.NODE_ANSWER, problem)
