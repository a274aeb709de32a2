"""Blocking HTTP with limits that hold: no redirect is followed or read, and a whole answer has one deadline.

requests itself bounds only the pause between two pieces of an answer, so a server that trickles could hold a task for ever.
"""

from __future__ import annotations

import http.client
import io
import logging
import time
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import requests
from urllib3.exceptions import HeaderParsingError
from urllib3.util.response import assert_header_parsing

from staking_gateway.http.endpoint import HEADERS

if TYPE_CHECKING:
    import socket

    import urllib3

_DISCREET = ContextVar("_DISCREET", default=False)
"""Whether a request of ours is on its way."""


def _is_told(record: logging.LogRecord) -> bool:
    """urllib3 logs the path and the query of each request at DEBUG, and of some strange answers at WARNING."""
    del record
    return not _DISCREET.get()


for _name in ("urllib3.connection", "urllib3.connectionpool"):
    logging.getLogger(_name).addFilter(_is_told)


class OneAnswerSession(requests.Session):
    """Treats a redirect as an answer like any other. Even when it does not follow one, requests reads its whole body,
    without our limits, and chokes on a strange `Location`.
    """

    def get_redirect_target(self, resp: requests.Response) -> None:
        """There is none."""
        del resp


def open_session(total: float, *, is_local: bool) -> requests.Session:
    """A session whose answers are bounded in time. No redirect is followed, no proxy is used for this machine itself.

    :param total: seconds a whole answer may take.
    :param is_local: whether the server runs on this machine.
    """
    session = OneAnswerSession()
    session.trust_env = not is_local
    session.headers = requests.structures.CaseInsensitiveDict(HEADERS)
    for scheme in ("https://", "http://"):
        session.mount(scheme, TimedAdapter(total))
    return session


class TimedAdapter(requests.adapters.HTTPAdapter):
    """Bounds the time an answer may take in all. The timeouts of requests start anew with every byte, so a server that
    drips headers, or interim answers, would never be given up.
    """

    def __init__(self, total: float) -> None:
        self._total = total
        super().__init__()

    def send(self, *args: Any, **kwargs: Any) -> requests.Response:
        """Send, and keep the address to ourselves: that of a webhook or a node may hold a secret."""
        token = _DISCREET.set(True)
        try:
            return super().send(*args, **kwargs)
        finally:
            _DISCREET.reset(token)

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
        return _PlainResponse(_AnswerStream(sock, self.total), *args, **kwargs)  # type: ignore[arg-type]


class _PlainResponse(http.client.HTTPResponse):
    """An answer whose headers can be read, whose chunks have a size, and which sets no cookie."""

    def begin(self) -> None:
        """Read status and headers.

        :raises http.client.HTTPException: some headers cannot be read. urllib3 would only say so in the log, address and all.
        """
        super().begin()
        try:
            assert_header_parsing(self.msg)
        except (HeaderParsingError, TypeError):
            raise http.client.HTTPException("the headers cannot be read") from None
        # Cookies mean nothing here, and whoever sets new ones with each answer would have them all kept, searched and sent back.
        for name in ("Set-Cookie", "Set-Cookie2"):
            del self.msg[name]

    def _read_next_chunk_size(self) -> int:
        """The size of the next chunk. Python itself takes `-d` for one, and then reads on beyond the chunk, or fails over it."""
        size: int = super()._read_next_chunk_size()  # type: ignore[misc]
        if size < 0:
            raise ValueError("a chunk cannot be smaller than nothing")  # http.client makes IncompleteRead of it
        return size


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
