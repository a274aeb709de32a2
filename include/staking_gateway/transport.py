"""Blocking HTTP with limits that hold: no redirect is followed or read, and a whole answer has one deadline.

requests itself bounds only the pause between two pieces of an answer, so a server that trickles could hold a task for ever.
"""

from __future__ import annotations

import http.client
import io
import time
from typing import TYPE_CHECKING, Any

import requests

if TYPE_CHECKING:
    import socket

    import urllib3


class OneAnswerSession(requests.Session):
    """Treats a redirect as an answer like any other. Even when it does not follow one, requests reads its whole body,
    without our limits, and chokes on a strange `Location`.
    """

    def get_redirect_target(self, resp: requests.Response) -> None:
        """There is none."""
        del resp


class TimedAdapter(requests.adapters.HTTPAdapter):
    """Bounds the time an answer may take in all. The timeouts of requests start anew with every byte, so a server that
    drips headers, or interim answers, would never be given up.
    """

    def __init__(self, total: float) -> None:
        self._total = total
        super().__init__()

    def get_connection_with_tls_context(self, *args: Any, **kwargs: Any) -> urllib3.connectionpool.ConnectionPool:
        """The pool for a request; its connections are timed ones."""
        pool: Any = super().get_connection_with_tls_context(*args, **kwargs)
        kind = pool.ConnectionCls
        if not issubclass(kind, _TimedConnection):
            pool.ConnectionCls = type(kind.__name__, (_TimedConnection, kind), {"total": self._total})
        connections: urllib3.connectionpool.ConnectionPool = pool
        return connections


class _TimedConnection:
    """Mixed into a connection class: `http.client` reads every answer through what this method returns."""

    total: float

    def response_class(self, sock: socket.socket, *args: Any, **kwargs: Any) -> http.client.HTTPResponse:
        return http.client.HTTPResponse(_AnswerStream(sock, self.total), *args, **kwargs)  # type: ignore[arg-type]


class _AnswerStream(io.RawIOBase):
    """The receiving half of a socket, up to a deadline."""

    def __init__(self, sock: socket.socket, total: float) -> None:
        self._socket = sock
        self._stream = sock.makefile("rb", buffering=0)
        self._patience = sock.gettimeout() or total
        self._deadline = time.monotonic() + total

    def makefile(self, mode: str) -> io.BufferedReader:
        """What `http.client` asks of a socket."""
        del mode
        return io.BufferedReader(self)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("the answer took longer than the total time")
        self._socket.settimeout(min(left, self._patience))
        return self._stream.readinto(buffer)

    def close(self) -> None:
        self._stream.close()
        super().close()
