"""A connection to a node over a websocket."""

import contextlib
import logging
import socket
import threading
from typing import Any

from websockets import exceptions
from websockets.sync.client import ClientConnection, connect

from staking_gateway.errors import Failed, GatewayError
from staking_gateway.http.endpoint import way_to
from staking_gateway.http.meanings import how_of_status
from staking_gateway.http.session import HEADERS, Answer, no_connection

_SILENT = logging.getLogger(f"{__name__}.silent")
"""For the library's log, which shows addresses with their keys."""
_SILENT.addFilter(lambda _: False)  # a later configuration of logging would set `disabled` back


class WebsocketWire:
    """A connection that stays open, for one thread at a time, and is asked like a `Session`. `timeout` is for connecting, and again for each answer."""

    def __init__(self, url: str, timeout: float, ca_bundle: str | None, limit: int) -> None:
        self._timeout = timeout
        proxy, tls = way_to(url, ca_bundle)
        try:
            self._socket = connect(
                url,
                create_connection=_Connection,
                ssl=tls if url.startswith("wss:") else None,
                proxy=proxy,
                proxy_ssl=tls if (proxy or "").startswith("https:") else None,
                user_agent_header=HEADERS["User-Agent"],
                compression=None,
                open_timeout=timeout,
                close_timeout=1,
                ping_interval=None,
                max_size=limit,
                logger=_SILENT,
            ).__enter__()
        except (OSError, exceptions.WebSocketException, ValueError) as error:
            raise _not_opened(error, url, proxy) from None

    def ask(self, _verb: str, *, data: bytes) -> Answer:
        """The next message of the node after a request. GatewayError: none is complete; the connection must not be used again."""
        try:
            self._socket.send(data, text=True)
            return Answer(200, self._socket.recv(self._timeout, decode=False))
        except TimeoutError:
            raise GatewayError(how=Failed.TIMEOUT) from None
        except exceptions.ConnectionClosed as error:
            too_long = error.sent is not None and error.sent.code == 1009  # RFC 6455, section 7.4.1
            raise GatewayError(how=Failed.TOO_LONG if too_long else Failed.BROKEN) from None

    def close(self) -> None:
        with contextlib.suppress(OSError, exceptions.WebSocketException):
            self._socket.close()


def _not_opened(error: Exception, url: str, proxy: str | None) -> GatewayError:
    if isinstance(error, TimeoutError):
        return GatewayError(how=Failed.TIMEOUT)
    if isinstance(error, exceptions.InvalidProxyStatus):
        return no_connection(error, url, proxy, status=error.response.status_code)
    ended = isinstance(error, exceptions.InvalidMessage) and isinstance(error.__cause__, EOFError)
    if isinstance(error, OSError) or ended:
        return no_connection(error, url, proxy)
    return GatewayError("the server opens no websocket", how=Failed.NODE_UNSUPPORTED)


class _Connection(ClientConnection):
    """The library's connection, which follows no redirect, reads after it has asked, and whose closing ends."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._written = threading.Event()
        super().__init__(*args, **kwargs)  # it starts the thread that reads

    def handshake(self, *args: Any, **kwargs: Any) -> None:
        """Hide an HTTP status from the library, which would follow a redirect."""
        try:
            super().handshake(*args, **kwargs)
        except exceptions.InvalidStatus as error:
            status = error.response.status_code
            raise GatewayError(how=how_of_status(status), status=status) from None

    def send_data(self) -> None:
        """Write; only then read. A thread that reads TLS 1.3's tickets while another writes loses what is written."""
        super().send_data()
        self._written.set()

    def recv_events(self) -> None:
        self._written.wait()
        super().recv_events()

    def close_socket(self) -> None:
        """End also the thread that reads inside a TLS record, or not yet: the library waits for this thread, and closing alone does not wake it."""
        self._written.set()
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        super().close_socket()
