"""Connections to a node over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from staking_gateway.chain import wire
from staking_gateway.http.no_answer import CallFailed
from staking_gateway.http.transport import StrictSession

if TYPE_CHECKING:
    from staking_gateway.chain.endpoint import NodeEndpoint


class HttpWire:
    """A connection over HTTP. `send` reads the whole answer."""

    def __init__(self, endpoint: NodeEndpoint) -> None:
        self._endpoint = endpoint
        self._session = StrictSession(endpoint.url, endpoint.timeout, endpoint.ca_bundle)
        self._answer = b""

    def send(self, text: str) -> None:
        """Send a request, and read the answer."""
        endpoint = self._endpoint
        try:
            answered = self._session.ask(
                "POST",
                endpoint.url,
                limit=endpoint.max_response_bytes,
                data=text.encode(),
                timeout=endpoint.timeout,
            )
        except CallFailed as error:
            raise wire.failed(endpoint, error) from None
        if answered.status != 200:
            raise wire.wrong_status(answered.status, answered.headers.get("Location"))
        if not answered.is_whole:
            raise wire.too_long(endpoint)
        self._answer = answered.body

    def receive(self) -> bytes:
        """The answer to the last request."""
        return self._answer

    def close(self) -> None:
        self._session.close()
