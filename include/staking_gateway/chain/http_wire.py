"""Connections to a node over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING

import requests
import urllib3

from staking_gateway.chain import wire
from staking_gateway.http.transport import StrictSession, has_cause, read_body

if TYPE_CHECKING:
    from staking_gateway.chain.endpoint import NodeEndpoint

_NEVER_CONNECTED = (
    urllib3.exceptions.NewConnectionError,
    urllib3.exceptions.ConnectTimeoutError,
    urllib3.exceptions.ProxyError,
)


class HttpWire:
    """A connection over HTTP. `send` reads the whole answer."""

    def __init__(self, endpoint: NodeEndpoint) -> None:
        self._endpoint = endpoint
        self._session = StrictSession(endpoint.timeout, is_local=endpoint.is_local, ca_bundle=endpoint.ca_bundle)
        self._answer = b""

    def send(self, text: str) -> None:
        """Send a request, and read the answer."""
        endpoint = self._endpoint
        try:
            with self._session.post(endpoint.url, data=text.encode(), timeout=endpoint.timeout) as response:
                if response.status_code != 200:
                    raise wire.wrong_status(response.status_code)
                answer = read_body(response, endpoint.max_response_bytes)
        except (requests.RequestException, urllib3.exceptions.HTTPError, OSError) as error:
            raise _wire_error(endpoint, error) from None
        if answer is None:
            raise wire.too_long(endpoint)
        self._answer = answer

    def receive(self) -> bytes:
        """The answer to the last request."""
        return self._answer

    def close(self) -> None:
        self._session.close()


def _wire_error(endpoint: NodeEndpoint, error: Exception) -> wire.WireError:
    if isinstance(error, (requests.exceptions.ContentDecodingError, urllib3.exceptions.DecodeError)):
        return wire.NotANode("the answer cannot be decompressed. Correct Host")
    if isinstance(error, requests.exceptions.SSLError):
        return wire.WireError(wire.NOT_TRUSTED)
    if isinstance(error, requests.Timeout):
        return wire.timed_out(endpoint)
    if has_cause(error, *_NEVER_CONNECTED):
        return wire.WireError(wire.NO_CONNECTION)
    if has_cause(error, urllib3.exceptions.TimeoutError, TimeoutError):
        return wire.timed_out(endpoint)
    return wire.WireBroken(wire.BROKE)
