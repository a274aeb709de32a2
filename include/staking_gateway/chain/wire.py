"""Connections to a node, over HTTP or a websocket, and what an HTTP status means before a node answers."""

from __future__ import annotations

import contextlib
import logging
import socket
from typing import Any

from websockets.exceptions import (
    ConnectionClosed,
    InvalidMessage,
    InvalidProxyStatus,
    InvalidStatus,
    WebSocketException,
)
from websockets.sync.client import ClientConnection, connect

from staking_gateway.errors import Failed, GatewayError
from staking_gateway.http.endpoint import way_to
from staking_gateway.http.meanings import how_of_status
from staking_gateway.http.session import HEADERS, Session, no_connection, refused_by_proxy

_TOO_BIG = 1009
"""The close code of a websocket for a message over the limit (RFC 6455, section 7.4.1)."""
_SILENT = logging.getLogger(f"{__name__}.silent")
"""For the library's log, which shows addresses with their keys."""
_SILENT.addFilter(lambda _: False)  # a later configuration of logging would set `disabled` back


class HttpWire:
    """A connection over HTTP, for one thread at a time.

    :param timeout: seconds to connect, and again for each answer.
    :param limit: most bytes of an answer.
    """

    def __init__(self, url: str, timeout: float, ca_bundle: str | None, limit: int) -> None:
        self._url = url
        self._session = Session(url, (timeout, timeout, timeout), limit, ca_bundle)

    def ask(self, request: str) -> bytes:
        """The answer to a request.

        :raises GatewayError: no complete answer. The connection must not be used again.
        """
        answered = self._session.ask("POST", self._url, data=request.encode())
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
    if status in (401, 403):
        problem = "it refuses access. Correct the access key in Host, or use another node"
    return GatewayError(f"HTTP {status}, {problem}", how=Failed.NODE_UNSUPPORTED)


class WebsocketWire:
    """A connection that stays open. Parameters as `HttpWire`.

    :raises GatewayError: no connection.
    """

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
        except (OSError, WebSocketException, ValueError) as error:
            raise _not_opened(error, url, proxy) from None

    def ask(self, request: str) -> bytes:
        """The next message of the node."""
        try:
            self._socket.send(request)
            return self._socket.recv(self._timeout, decode=False)
        except TimeoutError:
            raise GatewayError(how=Failed.TIMEOUT) from None
        except ConnectionClosed as error:
            too_long = error.sent is not None and error.sent.code == _TOO_BIG
            raise GatewayError(how=Failed.TOO_LONG if too_long else Failed.BROKEN) from None

    def close(self) -> None:
        with contextlib.suppress(OSError, WebSocketException):
            self._socket.close()


def _not_opened(error: Exception, url: str, proxy: str | None) -> GatewayError:
    if isinstance(error, TimeoutError):
        return GatewayError(how=Failed.TIMEOUT)
    if isinstance(error, InvalidProxyStatus):
        return refused_by_proxy(proxy or "", error.response.status_code)
    ended = isinstance(error, InvalidMessage) and isinstance(error.__cause__, EOFError)
    if isinstance(error, OSError) or ended:
        return no_connection(error, url, proxy)
    return GatewayError(
        "the server does not open a websocket. Correct Host, path included", how=Failed.NODE_UNSUPPORTED
    )


class _Connection(ClientConnection):
    """The library's connection, which follows no redirect, and whose closing ends."""

    def handshake(self, *args: Any, **kwargs: Any) -> None:
        """Hide an HTTP status from the library, which would follow a redirect."""
        try:
            super().handshake(*args, **kwargs)
        except InvalidStatus as error:
            raise wrong_status(error.response.status_code) from None

    def close_socket(self) -> None:
        """End also the thread that reads inside a TLS record: the library waits for this thread, and closing alone does not wake it."""
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        super().close_socket()
