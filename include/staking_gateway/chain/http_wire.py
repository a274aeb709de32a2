"""Asking a node over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING

import requests
import urllib3

from staking_gateway.chain.wire import (
    NO_CONNECTION,
    NOT_TRUSTED,
    NoNodeHere,
    WireBroken,
    WireError,
    timed_out,
    too_long,
    wrong_status,
)
from staking_gateway.http.transport import open_session

if TYPE_CHECKING:
    from staking_gateway.chain.endpoint import NodeEndpoint

_PIECE = 64 * 1024


class HttpWire:
    """A connection to a node over HTTP; each answer is read whole when its request is sent."""

    def __init__(self, endpoint: NodeEndpoint) -> None:
        self._endpoint = endpoint
        self._session = open_session(endpoint.timeout, is_local=endpoint.is_local)
        self._answer = b""

    def send(self, text: str) -> None:
        """Ask, and read the answer."""
        endpoint = self._endpoint
        try:
            with self._session.post(
                endpoint.url,
                data=text.encode(),
                auth=_leave_as_it_is,
                timeout=(endpoint.timeout, endpoint.timeout),
                allow_redirects=False,
                verify=endpoint.ca_bundle or True,
                stream=True,
            ) as response:
                if response.status_code != 200:
                    raise wrong_status(response.status_code)
                self._answer = self._read(response)
        except (requests.exceptions.ContentDecodingError, urllib3.exceptions.DecodeError):
            raise NoNodeHere("the answer cannot be decompressed. Correct Host") from None
        except requests.exceptions.SSLError:
            raise WireError(NOT_TRUSTED) from None
        except (requests.RequestException, urllib3.exceptions.HTTPError, OSError) as error:
            raise _http_error(endpoint, error) from None

    def receive(self) -> bytes:
        """The answer to what was sent last."""
        return self._answer

    def close(self) -> None:
        """Give back the connection."""
        self._session.close()

    def _read(self, response: requests.Response) -> bytes:
        body = bytearray()
        while piece := response.raw.read1(_PIECE, decode_content=True):
            body += piece
            if len(body) > self._endpoint.max_response_bytes:
                raise too_long(self._endpoint)
        return bytes(body)


def _leave_as_it_is(request: requests.PreparedRequest) -> requests.PreparedRequest:
    """Being an auth object, it keeps a `.netrc` from adding one."""
    return request


_NEVER_CONNECTED = (
    urllib3.exceptions.NewConnectionError,
    urllib3.exceptions.ConnectTimeoutError,
    urllib3.exceptions.ProxyError,
)


def _http_error(endpoint: NodeEndpoint, error: Exception) -> WireError:
    queue: list[object] = [error]
    while queue:
        cause = queue.pop()
        if isinstance(cause, _NEVER_CONNECTED):
            return WireError(NO_CONNECTION)
        if isinstance(cause, (urllib3.exceptions.TimeoutError, requests.Timeout, TimeoutError)):
            return timed_out(endpoint)
        if isinstance(cause, BaseException):
            queue += [cause.__cause__, getattr(cause, "reason", None), *cause.args]
    return WireBroken("the connection broke before the answer. It is asked again; if that lasts, check the node")
