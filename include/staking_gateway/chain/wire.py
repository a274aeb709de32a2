"""Carrying texts to a node and back, over HTTP or a websocket, with limits that hold: an answer has a deadline and a size.

Neither library has both: requests and websocket-client bound only the pause between two pieces of an answer.
"""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING, Any, Protocol

import requests
import urllib3
import websocket

from staking_gateway.endpoint import HEADERS
from staking_gateway.transport import OneAnswerSession, TimedAdapter

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable

    from staking_gateway.chain.endpoint import NodeEndpoint

_PIECE = 64 * 1024


class WireError(Exception):
    """No answer; the text says why and what to do."""


class WireTimeout(WireError):
    """The time is up."""


class WireBroken(WireError):
    """The connection ended before the answer was complete; on a kept connection perhaps before it was even asked."""


class AnswerTooLong(WireError):
    """The answer is longer than the limit."""


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
    return _WebsocketWire(endpoint) if endpoint.is_websocket else _HttpWire(endpoint)


def _wrong_status(status: int) -> WireError:
    if status in (408, 429) or status >= 500:
        return WireError(f"HTTP {status}; it may be overloaded and is asked again later")
    if status in (401, 403):
        return NoNodeHere(f"HTTP {status}, it refuses access. Correct the access key in Host, or use another node")
    return NoNodeHere(f"HTTP {status}, which no Substrate node answers. Correct Host, path included")


def _timed_out(endpoint: NodeEndpoint) -> WireTimeout:
    return WireTimeout(f"no answer within {endpoint.timeout:g} s. Check that the node runs, or raise timeout")


def _too_long(endpoint: NodeEndpoint) -> AnswerTooLong:
    return AnswerTooLong(f"the answer is longer than {endpoint.max_response_bytes} bytes. Check that this is a node")


_NO_PROXY = {"http_proxy_host": "none", "http_proxy_port": 1, "http_no_proxy": ["*"]}
"""websocket-client heeds an exception only beside a proxy that is given; else it takes the environment's."""
_NOT_TRUSTED = "its certificate is not trusted. Set ca_bundle to its authority's file"
_NO_CONNECTION = "no connection. Check Host and the network, and that the node runs"


class _HttpWire:
    def __init__(self, endpoint: NodeEndpoint) -> None:
        self._endpoint = endpoint
        self._session = OneAnswerSession()
        self._session.trust_env = not endpoint.is_local
        self._session.headers = requests.structures.CaseInsensitiveDict(HEADERS)
        for scheme in ("https://", "http://"):
            self._session.mount(scheme, TimedAdapter(endpoint.timeout))
        self._answer = b""

    def send(self, text: str) -> None:
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
                    raise _wrong_status(response.status_code)
                self._answer = self._read(response)
        except (requests.exceptions.ContentDecodingError, urllib3.exceptions.DecodeError):
            raise NoNodeHere("the answer cannot be decompressed. Correct Host") from None
        except requests.exceptions.SSLError:
            raise WireError(_NOT_TRUSTED) from None
        except (requests.RequestException, urllib3.exceptions.HTTPError, OSError) as error:
            raise _http_error(endpoint, error) from None

    def receive(self) -> bytes:
        return self._answer

    def close(self) -> None:
        self._session.close()

    def _read(self, response: requests.Response) -> bytes:
        body = bytearray()
        while piece := response.raw.read1(_PIECE, decode_content=True):
            body += piece
            if len(body) > self._endpoint.max_response_bytes:
                raise _too_long(self._endpoint)
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
            return WireError(_NO_CONNECTION)
        if isinstance(cause, (urllib3.exceptions.TimeoutError, requests.Timeout, TimeoutError)):
            return _timed_out(endpoint)
        if isinstance(cause, BaseException):
            queue += [cause.__cause__, getattr(cause, "reason", None), *cause.args]
    return WireBroken("the connection broke before the answer. It is asked again; if that lasts, check the node")


class _WebsocketWire:
    def __init__(self, endpoint: NodeEndpoint) -> None:
        self._endpoint = endpoint
        options: dict[str, Any] = {"context": _tls(endpoint)} if endpoint.url.startswith("wss") else {}
        self._socket = _BoundedWebSocket(sslopt=options, enable_multithread=False)
        self._socket.settimeout(endpoint.timeout)
        self._socket.limits = _Limits(endpoint)
        self._connected = False
        self._guarded(self._connect)
        self._connected = True

    def _connect(self) -> None:
        self._socket.connect(  # type: ignore[no-untyped-call]
            self._endpoint.url,
            # Nodes refuse origins they do not know; only a browser has one.
            suppress_origin=True,
            redirect_limit=0,
            header=[f"User-Agent: {HEADERS['User-Agent']}"],
            **(_NO_PROXY if self._endpoint.is_local else {}),
        )

    def send(self, text: str) -> None:
        self._socket.limits.renew()
        self._socket.settimeout(self._endpoint.timeout)
        self._guarded(lambda: self._socket.send(text))

    def receive(self) -> str | bytes:
        opcode, data = self._guarded(self._socket.recv_data)
        if opcode == websocket.ABNF.OPCODE_CLOSE:
            raise WireBroken("the node closed the connection. It is asked again; if that lasts, check the node")
        message: bytes = data
        return message

    def close(self) -> None:
        with contextlib.suppress(websocket.WebSocketException, OSError):
            self._socket.send_close()
        self._socket.shutdown()  # type: ignore[no-untyped-call]

    def _guarded(self, action: Callable[[], Any]) -> Any:
        try:
            return action()
        except WireError:
            raise
        except websocket.WebSocketBadStatusException as error:
            raise _wrong_status(error.status_code) from None
        except (websocket.WebSocketTimeoutException, TimeoutError):
            raise _timed_out(self._endpoint) from None
        except (websocket.WebSocketAddressException, websocket.WebSocketProxyException):
            raise WireError(_NO_CONNECTION) from None
        except (websocket.WebSocketProtocolException, websocket.WebSocketPayloadException, UnicodeError):
            raise WireBroken("what it sends is no websocket message. Correct Host") from None
        except (websocket.WebSocketException, OSError, ValueError) as error:
            raise self._broken(error) from None

    def _broken(self, error: Exception) -> WireError:
        import ssl

        if isinstance(error, ssl.SSLCertVerificationError):
            return WireError(_NOT_TRUSTED)
        if self._connected or isinstance(error, websocket.WebSocketConnectionClosedException):
            return WireBroken(
                "the connection broke before the answer. It is asked again; if that lasts, check the node"
            )
        if isinstance(error, OSError):
            return WireError(_NO_CONNECTION)
        answered = self._socket.handshake_response
        if answered is not None and answered.status != 101:
            return _wrong_status(answered.status)
        return NoNodeHere("it does not open a websocket. Correct Host, path included")


def _tls(endpoint: NodeEndpoint) -> ssl.SSLContext:
    import ssl

    return ssl.create_default_context(cafile=endpoint.ca_bundle)


class _Limits:
    """What may still come in until the answer must be complete."""

    def __init__(self, endpoint: NodeEndpoint) -> None:
        self._endpoint = endpoint
        self.renew()

    def renew(self) -> None:
        """Begin a new answer."""
        self._deadline = time.monotonic() + self._endpoint.timeout
        self._bytes = self._endpoint.max_response_bytes

    def receive(self, sock: Any, size: int) -> bytes:
        """Some bytes from a socket."""
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise _timed_out(self._endpoint)
        sock.settimeout(left)
        data: bytes = sock.recv(size)
        self._bytes -= len(data)
        if self._bytes < 0:
            raise _too_long(self._endpoint)
        return data


class _BoundedWebSocket(websocket.WebSocket):
    """Reads everything, the handshake included, through a socket that keeps to the limits."""

    limits: _Limits

    @property
    def sock(self) -> Any:
        return self.__dict__["sock"]

    @sock.setter
    def sock(self, value: Any) -> None:
        wrapped = value is None or isinstance(value, _BoundedSocket)
        self.__dict__["sock"] = value if wrapped else _BoundedSocket(value, self.limits)


class _BoundedSocket:
    """A socket, but for `recv`."""

    def __init__(self, sock: Any, limits: _Limits) -> None:
        self._sock = sock
        self._limits = limits

    def recv(self, size: int) -> bytes:
        return self._limits.receive(self._sock, size)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sock, name)
