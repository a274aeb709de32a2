"""Asking a node over a websocket."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING, Any

import websocket

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
from staking_gateway.http.endpoint import HEADERS

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable

    from staking_gateway.chain.endpoint import NodeEndpoint

_PIECE = 16 * 1024
_NO_PROXY = {"http_proxy_host": "none", "http_proxy_port": 1, "http_no_proxy": ["*"]}
"""websocket-client heeds an exception only beside a proxy that is given; else it takes the environment's."""


class WebsocketWire:
    """A connection to a node that stays open."""

    def __init__(self, endpoint: NodeEndpoint) -> None:
        self._endpoint = endpoint
        options: dict[str, Any] = {"context": _tls(endpoint)} if endpoint.url.startswith("wss") else {}
        # Of a long answer the library's own check of UTF-8 takes longer than all else together; `receive` checks as well.
        self._socket = _BoundedWebSocket(sslopt=options, enable_multithread=False, skip_utf8_validation=True)
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
        """Send a request."""
        self._socket.limits.renew()
        self._socket.settimeout(self._endpoint.timeout)
        self._guarded(lambda: self._socket.send(text))

    def receive(self) -> str:
        """The next message of the node."""
        message: str = self._guarded(self._read)
        return message

    def _read(self) -> str:
        opcode, data = self._socket.recv_data()
        if opcode == websocket.ABNF.OPCODE_CLOSE:
            raise WireBroken("the node closed the connection. It is asked again; if that lasts, check the node")
        return bytes(data).decode()

    def close(self) -> None:
        """Hang up."""
        with contextlib.suppress(websocket.WebSocketException, OSError):
            self._socket.send_close()
        self._socket.shutdown()  # type: ignore[no-untyped-call]

    def _guarded(self, action: Callable[[], Any]) -> Any:
        try:
            return action()
        except WireError:
            raise
        except websocket.WebSocketBadStatusException as error:
            raise wrong_status(error.status_code) from None
        except (websocket.WebSocketTimeoutException, TimeoutError):
            raise timed_out(self._endpoint) from None
        except (websocket.WebSocketAddressException, websocket.WebSocketProxyException):
            raise WireError(NO_CONNECTION) from None
        except (websocket.WebSocketProtocolException, websocket.WebSocketPayloadException, UnicodeError):
            raise WireBroken("what it sends is no websocket message. Correct Host") from None
        except (websocket.WebSocketException, OSError, ValueError) as error:
            raise self._broken(error) from None

    def _broken(self, error: Exception) -> WireError:
        import ssl

        if isinstance(error, ssl.SSLCertVerificationError):
            return WireError(NOT_TRUSTED)
        if self._connected or isinstance(error, websocket.WebSocketConnectionClosedException):
            return WireBroken(
                "the connection broke before the answer. It is asked again; if that lasts, check the node"
            )
        if isinstance(error, OSError):
            return WireError(NO_CONNECTION)
        answered = self._socket.handshake_response
        if answered is not None and answered.status != 101:
            return wrong_status(answered.status)
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
            raise timed_out(self._endpoint)
        sock.settimeout(left)
        data: bytes = sock.recv(size)
        self._bytes -= len(data)
        if self._bytes < 0:
            raise too_long(self._endpoint)
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
        self._ahead = b""

    def recv(self, size: int) -> bytes:
        """At most `size` bytes. What came with them is kept for the next time: headers are read byte by byte."""
        if not self._ahead:
            self._ahead = self._limits.receive(self._sock, max(size, _PIECE))
        data, self._ahead = self._ahead[:size], self._ahead[size:]
        return data

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sock, name)
