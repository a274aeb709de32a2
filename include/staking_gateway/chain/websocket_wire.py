"""Connections to a node over a websocket."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING, Any

import websocket

from staking_gateway.chain import handshake, wire
from staking_gateway.http.endpoint import HEADERS
from staking_gateway.http.limits import HANDSHAKE_BYTES
from staking_gateway.http.no_answer import NoConnection
from staking_gateway.http.transport import Way, open_socket

if TYPE_CHECKING:
    from collections.abc import Callable

    from staking_gateway.chain.endpoint import NodeEndpoint

_PIECE = 16 * 1024


class WebsocketWire:
    """A connection that stays open."""

    def __init__(self, endpoint: NodeEndpoint) -> None:
        self._endpoint = endpoint
        self._way = Way.to(endpoint.url, endpoint.timeout, endpoint.ca_bundle)
        # The library's check of UTF-8 is slow for long answers; `read_json` checks too.
        self._socket = _BoundedWebSocket(enable_multithread=False, skip_utf8_validation=True)
        self._socket.settimeout(endpoint.timeout)
        self._socket.limits = _Limits(endpoint)
        self._connected = False
        self._guarded(self._connect)
        self._connected = True

    def _connect(self) -> None:
        self._socket.connect(  # type: ignore[no-untyped-call]
            self._way.url,
            socket=open_socket(self._way),
            suppress_origin=True,  # nodes refuse unknown origins
            redirect_limit=0,
            header=[f"User-Agent: {HEADERS['User-Agent']}"],
        )

    def send(self, text: str) -> None:
        self._socket.limits.renew()
        self._socket.settimeout(self._endpoint.timeout)
        self._guarded(lambda: self._socket.send(text))

    def receive(self) -> bytes:
        """The next message of the node."""
        message: bytes = self._guarded(self._read)
        return message

    def _read(self) -> bytes:
        opcode, data = self._socket.recv_data()
        if opcode == websocket.ABNF.OPCODE_CLOSE:
            raise wire.WireBroken(wire.BROKE)
        return bytes(data)

    def close(self) -> None:
        with contextlib.suppress(websocket.WebSocketException, OSError):
            self._socket.send_close()
        self._socket.shutdown()  # type: ignore[no-untyped-call]

    def _guarded(self, action: Callable[[], Any]) -> Any:
        try:
            return action()
        except wire.WireError:
            raise
        except NoConnection as error:
            raise wire.failed(self._endpoint, error) from None
        except (websocket.WebSocketTimeoutException, TimeoutError):
            raise wire.timed_out(self._endpoint) from None
        except (websocket.WebSocketProtocolException, websocket.WebSocketPayloadException):
            raise wire.WireBroken("the answer is not a websocket message. Correct Host") from None
        except (websocket.WebSocketException, OSError, ValueError) as error:
            raise self._wire_error(error) from None

    def _wire_error(self, error: Exception) -> wire.WireError:
        if self._connected or isinstance(error, (websocket.WebSocketConnectionClosedException, OSError)):
            return wire.WireBroken(wire.BROKE)
        return handshake.refused()


class _Limits:
    """The time and the bytes left for an answer."""

    def __init__(self, endpoint: NodeEndpoint) -> None:
        self._endpoint = endpoint
        self.renew()

    def renew(self) -> None:
        """Start the limits of a new answer."""
        self._deadline = time.monotonic() + self._endpoint.timeout
        self._bytes = self._endpoint.max_response_bytes

    def receive(self, sock: Any, size: int) -> bytes:
        """Receive at most `size` bytes."""
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise wire.timed_out(self._endpoint)
        sock.settimeout(left)
        data: bytes = sock.recv(size)
        self._bytes -= len(data)
        if self._bytes < 0:
            raise wire.too_long(self._endpoint)
        return data


class _BoundedWebSocket(websocket.WebSocket):
    """Reads everything, including the handshake, through a `_BoundedSocket`."""

    limits: _Limits

    @property
    def sock(self) -> Any:
        return self.__dict__["sock"]

    @sock.setter
    def sock(self, value: Any) -> None:
        wrapped = value is None or isinstance(value, _BoundedSocket)
        self.__dict__["sock"] = value if wrapped else _BoundedSocket(value, self.limits)


class _BoundedSocket:
    """A socket whose `recv` keeps the limits, and whose first message each way is a checked handshake."""

    _closed = False
    """websocket-client reads it before it closes; sockets of TLS in TLS lack it."""

    def __init__(self, sock: Any, limits: _Limits) -> None:
        self._sock = sock
        self._limits = limits
        self._buffer = b""
        self._asked = self._answered = False

    def send(self, data: bytes) -> int:
        """Send bytes; the library sends the whole handshake at once."""
        if self._asked:
            sent: int = self._sock.send(data)
            return sent
        self._asked = True
        self._sock.sendall(handshake.without_cookies(data))
        return len(data)

    def recv(self, size: int) -> bytes:
        """At most `size` bytes. The library reads headers byte by byte, so further bytes are buffered."""
        if not self._answered:
            self._answered = True
            self._buffer = self._read_handshake()
        if not self._buffer:
            self._buffer = self._limits.receive(self._sock, max(size, _PIECE))
        data, self._buffer = self._buffer[:size], self._buffer[size:]
        return data

    def _read_handshake(self) -> bytes:
        head = b""
        while True:
            while handshake.END not in head:
                if len(head) > HANDSHAKE_BYTES:
                    raise handshake.refused()
                piece = self._limits.receive(self._sock, _PIECE)
                if not piece:
                    raise wire.WireBroken(wire.BROKE)
                head += piece
            first, _, head = head.partition(handshake.END)
            if not handshake.is_interim(first):
                return handshake.checked_answer(first) + head

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sock, name)
