"""A connection to a node over HTTP, and what an HTTP status means before a node answers."""

from __future__ import annotations

from staking_gateway.errors import Failed, GatewayError
from staking_gateway.http.meanings import how_of_status
from staking_gateway.http.session import Session


class HttpWire:
    """A connection over HTTP, for one thread at a time.

    :param timeout: seconds to connect, and again for each answer.
    :param limit: most bytes of an answer.
    """

    def __init__(self, url: str, timeout: float, ca_bundle: str | None, limit: int) -> None:
        self._url, self._timeout, self._limit = url, timeout, limit
        self._session = Session(url, timeout, ca_bundle)

    def ask(self, request: str) -> bytes:
        """The answer to a request.

        :raises GatewayError: no complete answer. The connection must not be used again.
        """
        times = (self._timeout, self._timeout)
        answered = self._session.ask("POST", self._url, limit=self._limit, data=request.encode(), timeout=times)
        if answered.status != 200:
            raise wrong_status(answered.status)
        if not answered.is_whole:
            raise GatewayError(how=Failed.TOO_LONG)
        return answered.body

    def close(self) -> None:
        self._session.close()


def wrong_status(status: int) -> GatewayError:
    """The error for an HTTP status other than the expected one."""
    if how_of_status(status).passes:
        problem = f"HTTP {status}; the node may be overloaded"
        return GatewayError(problem, how=Failed.NODE_UNREACHABLE, remedy="The call is repeated later")
    problem = "which no Substrate node answers. Correct Host, path included"
    if 300 <= status < 400:
        problem = "a redirect. Correct Host, path included"
    if status in (401, 403):
        problem = "it refuses access. Correct the access key in Host, or use another node"
    return GatewayError(f"HTTP {status}, {problem}", how=Failed.NODE_UNSUPPORTED)
