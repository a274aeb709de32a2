"""Connections to a node over a websocket."""

from __future__ import annotations

import contextlib
import logging
import socket
from typing import TYPE_CHECKING, Any

from websockets.exceptions import (
    ConnectionClosed,
    InvalidMessage,
    InvalidProxyStatus,
    InvalidStatus,
    WebSocketException,
)
from websockets.sync.client import ClientConnection, connect

from staking_gateway import errors
from staking_gateway.chain import wire
from staking_gateway.http.network import way_to
from staking_gateway.http.session import HEADERS, NoAnswer, no_connection, refused_by_proxy

if TYPE_CHECKING:
    from staking_gateway.chain.endpoint import NodeEndpoint

_TOO_BIG = 1009
"""The close code of a websocket for a message over the limit (RFC 6455, section 7.4.1)."""
_NO_WEBSOCKET = "the server does not open a websocket. Correct Host, path included"
_TARGET = "X-Redirect-Target"
_SILENT = logging.getLogger(f"{__name__}.silent")
"""For the library's log, which shows addresses with their keys."""
_SILENT.addFilter(lambda _: False)  # a later configuration of logging would set `disabled` back


class WebsocketWire:
    """A connection that stays open."""

    def __init__(self, endpoint: NodeEndpoint, fail: wire.Fail) -> None:
        self._endpoint, self._fail = endpoint, fail
        proxy, tls = way_to(endpoint.url, endpoint.ca_bundle)
        try:
            self._socket = connect(
                endpoint.url,
                create_connection=_Connection,
                ssl=tls if endpoint.url.startswith("wss:") else None,
                proxy=proxy,
                proxy_ssl=tls if (proxy or "").startswith("https:") else None,
                user_agent_header=HEADERS["User-Agent"],
                compression=None,
                open_timeout=endpoint.timeout,
                close_timeout=1,
                ping_interval=None,
                max_size=endpoint.max_response_bytes,
                logger=_SILENT,
            ).__enter__()
        except (OSError, WebSocketException, ValueError) as error:
            raise self._not_opened(error, proxy) from None

    def _not_opened(self, error: Exception, proxy: str | None) -> errors.ChainError:
        endpoint, fail = self._endpoint, self._fail
        if isinstance(error, TimeoutError):
            return wire.failed(endpoint, fail, NoAnswer(errors.Failed.TIMEOUT))
        if isinstance(error, InvalidProxyStatus):
            return wire.failed(endpoint, fail, refused_by_proxy(proxy or "", error.response.status_code))
        if isinstance(error, InvalidStatus):
            return wire.wrong_status(fail, error.response.status_code, error.response.headers.get(_TARGET))
        ended = isinstance(error, InvalidMessage) and isinstance(error.__cause__, EOFError)
        if isinstance(error, OSError) or ended:
            return wire.failed(endpoint, fail, no_connection(error, endpoint.url, proxy))
        return fail(errors.Failed.NODE_UNSUPPORTED, _NO_WEBSOCKET)

    def ask(self, request: str) -> bytes:
        """The next message of the node."""
        try:
            self._socket.send(request)
            return self._socket.recv(self._endpoint.timeout, decode=False)
        except TimeoutError:
            raise wire.failed(self._endpoint, self._fail, NoAnswer(errors.Failed.TIMEOUT)) from None
        except ConnectionClosed as error:
            if error.sent is not None and error.sent.code == _TOO_BIG:
                raise wire.too_long(self._endpoint, self._fail) from None
            raise self._fail(errors.Failed.NODE_UNREACHABLE, wire.BROKE) from None

    def close(self) -> None:
        with contextlib.suppress(OSError, WebSocketException):
            self._socket.close()


class _Connection(ClientConnection):
    """The library's connection, which follows no redirect, and whose closing ends."""

    def handshake(self, *args: Any, **kwargs: Any) -> None:
        """Hide the target of a redirect from the library."""
        try:
            super().handshake(*args, **kwargs)
        except InvalidStatus as error:
            headers = error.response.headers
            targets = headers.get_all("Location")
            if targets:
                del headers["Location"]
                headers[_TARGET] = targets[0]
            raise

    def close_socket(self) -> None:
        """End also the thread that reads inside a TLS record: the library waits for this thread, and closing alone does not wake it."""
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        super().close_socket()
