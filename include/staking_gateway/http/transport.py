"""Blocking HTTP: no redirect is followed or read, and each answer has one deadline.

requests limits only the pause between two pieces of an answer, so a slow server could hold a task for ever.
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

_PIECE = 64 * 1024
_SENDING = ContextVar("_SENDING", default=False)


def _not_sending(record: logging.LogRecord) -> bool:
    """urllib3 logs paths and queries, which may hold secrets: at DEBUG, and for some invalid answers at WARNING."""
    del record
    return not _SENDING.get()


for _name in ("urllib3.connection", "urllib3.connectionpool"):
    logging.getLogger(_name).addFilter(_not_sending)


class StrictSession(requests.Session):
    """Limits the time of each answer, streams it, and follows no redirect. It sends no login of a `.netrc`.

    :param total: seconds for a whole answer.
    :param is_local: whether the server runs on this machine; then no proxy is used.
    :param ca_bundle: file with the certificate authorities to trust instead of the usual ones.
    """

    def __init__(self, total: float, *, is_local: bool, ca_bundle: str | None = None) -> None:
        super().__init__()
        self.trust_env = not is_local
        self.headers = requests.structures.CaseInsensitiveDict(HEADERS)
        self.stream = True
        self.auth = _unchanged  # with an auth object, requests ignores a `.netrc`
        self._ca_bundle = ca_bundle
        for scheme in ("https://", "http://"):
            self.mount(scheme, TimedAdapter(total))

    def merge_environment_settings(self, url: Any, proxies: Any, stream: Any, verify: Any, cert: Any) -> Any:
        """With the bundle in front of the one that the environment names."""
        return super().merge_environment_settings(url, proxies, stream, verify or self._ca_bundle or True, cert)

    def get_redirect_target(self, resp: requests.Response) -> None:
        """None: requests would read a redirect's whole body without limits, and fail on an invalid `Location`."""
        del resp


def _unchanged(request: requests.PreparedRequest) -> requests.PreparedRequest:
    return request


def read_body(response: requests.Response, limit: int) -> bytes | None:
    """The decompressed body of a streamed answer; None when it is longer than `limit` bytes."""
    body = bytearray()
    while piece := response.raw.read1(_PIECE, decode_content=True):
        body += piece
        if len(body) > limit:
            return None
    return bytes(body)


class TimedAdapter(requests.adapters.HTTPAdapter):
    """Limits the total time of an answer. The timeouts of requests start again with every byte."""

    def __init__(self, total: float) -> None:
        self._total = total
        super().__init__()

    def send(self, *args: Any, **kwargs: Any) -> requests.Response:
        """Send without logging the address: the address of a webhook or a node may hold a secret."""
        token = _SENDING.set(True)
        try:
            return super().send(*args, **kwargs)
        finally:
            _SENDING.reset(token)

    def get_connection_with_tls_context(self, *args: Any, **kwargs: Any) -> urllib3.connectionpool.ConnectionPool:
        """The pool for a request; its connections have the time limit."""
        pool: Any = super().get_connection_with_tls_context(*args, **kwargs)
        kind = pool.ConnectionCls
        if not issubclass(kind, _TimedConnection):
            pool.ConnectionCls = type(kind.__name__, (_TimedConnection, kind), {"total": self._total})
        connections: urllib3.connectionpool.ConnectionPool = pool
        return connections


class _TimedConnection:
    """Mixin for connection classes: `http.client` reads each answer through `response_class`."""

    total: float

    def response_class(self, sock: socket.socket, *args: Any, **kwargs: Any) -> http.client.HTTPResponse:
        return _StrictResponse(_AnswerStream(sock, self.total), *args, **kwargs)  # type: ignore[arg-type]


def has_cause(error: BaseException, *kinds: type[BaseException]) -> bool:
    """Whether an error is, or wraps, an error of some classes: requests wraps in `args`, urllib3 in `reason`.

    `__context__` does not count: it may be an unrelated error that the caller handles.
    """
    seen: list[BaseException] = []
    queue: list[object] = [error]
    while queue:
        item = queue.pop()
        if isinstance(item, kinds):
            return True
        if isinstance(item, BaseException) and item not in seen:
            seen.append(item)
            queue += [item.__cause__, getattr(item, "reason", None), *item.args]
    return False


class _StrictResponse(http.client.HTTPResponse):
    """Refuses unreadable headers and negative chunk sizes, and drops cookies."""

    def begin(self) -> None:
        """Read status and headers.

        :raises http.client.HTTPException: unreadable headers. urllib3 would only log them, with the address.
        """
        super().begin()
        try:
            assert_header_parsing(self.msg)
        except (HeaderParsingError, TypeError):
            raise http.client.HTTPException("the headers cannot be read") from None
        # A server could send new cookies with each answer; requests would keep and return all of them.
        for name in ("Set-Cookie", "Set-Cookie2"):
            del self.msg[name]

    def _read_next_chunk_size(self) -> int:
        """The size of the next chunk. Python accepts `-d`, and then reads beyond the chunk."""
        size: int = super()._read_next_chunk_size()  # type: ignore[misc]
        if size < 0:
            raise ValueError("negative chunk size")  # http.client raises IncompleteRead instead
        return size


class _AnswerStream(io.RawIOBase):
    """The receiving half of a socket, with a deadline."""

    def __init__(self, sock: socket.socket, total: float) -> None:
        self._socket = sock
        self._stream = sock.makefile("rb", buffering=0)
        self._read_timeout = sock.gettimeout() or total
        self._deadline = time.monotonic() + total

    def makefile(self, mode: str) -> io.BufferedReader:
        """`http.client` calls this method of a socket."""
        del mode
        return io.BufferedReader(self)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("the answer took longer than the total time")
        self._socket.settimeout(min(left, self._read_timeout))
        return self._stream.readinto(buffer)

    def close(self) -> None:
        self._stream.close()
        super().close()
