"""Blocking HTTP: no redirect is followed or read, and each answer has one deadline.

requests limits only the pause between two pieces of an answer, so a slow server could hold a task for ever.
"""

from __future__ import annotations

import http.client
import io
import logging
import time
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import requests
import urllib3
from urllib3.exceptions import HeaderParsingError
from urllib3.util.response import assert_header_parsing

from staking_gateway.errors import Failed
from staking_gateway.http.endpoint import HEADERS, Answer
from staking_gateway.http.network import proxy_for, tls_context
from staking_gateway.http.no_answer import (
    NoAnswer,
    broken,
    cause,
    no_connection,
    refused_by_proxy,
    undecodable,
)

if TYPE_CHECKING:
    import socket
    import ssl
    from typing import Self

_PIECE = 64 * 1024
_SENDING = ContextVar("_SENDING", default=False)


def _not_sending(record: logging.LogRecord) -> bool:
    """urllib3 logs paths and queries, which may hold secrets: at DEBUG, and for some invalid answers at WARNING."""
    del record
    return not _SENDING.get()


for _name in ("urllib3.connection", "urllib3.connectionpool"):
    logging.getLogger(_name).addFilter(_not_sending)


@dataclass(frozen=True)
class Way:
    """How a server is reached.

    :param total: seconds for a whole answer.
    :param context: TLS settings for server and proxy; None when neither speaks TLS.
    """

    url: str
    total: float
    proxy: str | None
    context: ssl.SSLContext | None

    @classmethod
    def to(cls, url: str, total: float, ca_bundle: str | None) -> Self:
        """The way to a URL.

        :raises InvalidConnection: the authorities or the proxy of the environment cannot be used.
        """
        proxy = proxy_for(url)
        is_secure = any(urlsplit(address or "").scheme in ("https", "wss") for address in (url, proxy))
        return cls(url, total, proxy, tls_context(ca_bundle) if is_secure else None)

    def timed(self, kind: Any) -> Any:
        """A class of connections that go this way."""
        known = issubclass(kind, _TimedConnection)
        return kind if known else type(kind.__name__, (_TimedConnection, kind), {"way": self})


class StrictSession(requests.Session):
    """Calls to one server. Each answer has one time limit, no redirect is followed, and no login of a `.netrc` is sent.

    :param url: address of the server; it decides about the proxy.
    :param total: seconds for a whole answer.
    :param ca_bundle: file with the certificate authorities to trust instead of the usual ones.
    :raises InvalidConnection: the authorities or the proxy of the environment cannot be used.
    """

    def __init__(self, url: str, total: float, ca_bundle: str | None = None) -> None:
        super().__init__()
        self.trust_env = False
        self.headers = requests.structures.CaseInsensitiveDict(HEADERS)
        self.stream = True
        self._way = Way.to(url, total, ca_bundle)
        if self._way.proxy:
            self.proxies = dict.fromkeys(("http", "https"), self._way.proxy)
        for scheme in ("https://", "http://"):
            self.mount(scheme, TimedAdapter(self._way))

    def ask(self, method: str, url: str, *, limit: int, **options: Any) -> Answer:
        """The answer to one call.

        :param limit: most bytes of the body; the rest is not read.
        :param options: as of `requests.Session.request`.
        :raises NoAnswer: no complete answer.
        """
        try:
            with self.request(method, url, **options) as response:
                if response.status_code == 407 and self._way.proxy:
                    raise refused_by_proxy(self._way.proxy, 407)
                body = _read_body(response, limit)
                return Answer(response.status_code, body[:limit], response.headers, is_whole=len(body) <= limit)
        except (requests.RequestException, urllib3.exceptions.HTTPError, OSError) as error:
            raise self._failure(error) from None

    def _failure(self, error: Exception) -> NoAnswer:
        if isinstance(error, (requests.exceptions.InvalidURL, requests.exceptions.InvalidSchema)):
            return no_connection(error, self._way.url, None, past_proxy=False)
        if cause(error, requests.exceptions.ContentDecodingError, urllib3.exceptions.DecodeError):
            return undecodable()
        if cause(error, requests.Timeout, urllib3.exceptions.TimeoutError, TimeoutError):
            return NoAnswer(Failed.TIMEOUT)
        return broken(error)

    def get_redirect_target(self, resp: requests.Response) -> None:
        """None: requests would read a redirect's whole body without limits, and fail on an invalid `Location`."""
        del resp


def _read_body(response: requests.Response, limit: int) -> bytes:
    """The decompressed body, or somewhat more of it than the limit."""
    body = bytearray()
    while len(body) <= limit and (piece := response.raw.read1(_PIECE, decode_content=True)):
        body += piece
    return bytes(body)


def open_socket(way: Way) -> socket.socket:
    """A new connection to a server, through its proxy, with TLS for `wss`.

    :raises NoAnswer: no connection was made.
    """
    parts = urlsplit(way.url)
    is_secure, host = parts.scheme == "wss", parts.hostname or ""
    port = parts.port or (443 if is_secure else 80)
    kind = way.timed(urllib3.connection.HTTPSConnection if is_secure else urllib3.connection.HTTPConnection)
    options: dict[str, Any] = {"timeout": way.total, **({"ssl_context": way.context} if is_secure else {})}
    if way.proxy is None:
        connection = kind(host, port, **options)
    else:
        manager = TimedAdapter(way).proxy_manager_for(way.proxy)
        proxy = manager.proxy
        connection = kind(proxy.host, proxy.port, proxy=proxy, proxy_config=manager.proxy_config, **options)
        connection.set_tunnel(host, port, headers=manager.proxy_headers, scheme=proxy.scheme)
    try:
        connection.connect()
    except BaseException:
        connection.close()
        raise
    sock: socket.socket = connection.sock
    connection.sock = None
    return sock


class TimedAdapter(requests.adapters.HTTPAdapter):
    """Limits the total time of an answer. The timeouts of requests start again with every byte."""

    def __init__(self, way: Way) -> None:
        self._way = way
        super().__init__()

    def send(self, *args: Any, **kwargs: Any) -> requests.Response:
        """Send without logging the address: the address of a node may hold a secret."""
        token = _SENDING.set(True)
        try:
            return super().send(*args, **kwargs)
        finally:
            _SENDING.reset(token)

    def cert_verify(self, *args: Any, **kwargs: Any) -> None:
        """Nothing: requests would trust its own authorities too."""
        del args, kwargs

    def proxy_manager_for(self, proxy: str, **kwargs: Any) -> Any:
        """The manager for a proxy, which is verified like a server."""
        return super().proxy_manager_for(proxy, proxy_ssl_context=self._way.context, **kwargs)

    def build_connection_pool_key_attributes(self, *args: Any, **kwargs: Any) -> Any:
        """The key of a pool, with the TLS settings."""
        host, _ = super().build_connection_pool_key_attributes(*args, **kwargs)
        return host, {"ssl_context": self._way.context, "cert_reqs": "CERT_REQUIRED"}

    def get_connection_with_tls_context(self, *args: Any, **kwargs: Any) -> urllib3.connectionpool.ConnectionPool:
        """The pool for a request; its connections have the time limit."""
        pool: Any = super().get_connection_with_tls_context(*args, **kwargs)
        pool.ConnectionCls = self._way.timed(pool.ConnectionCls)
        connections: urllib3.connectionpool.ConnectionPool = pool
        return connections


class _TimedConnection:
    """Mixin for connection classes: `http.client` reads each answer through `response_class`."""

    way: Way

    def response_class(self, sock: socket.socket, *args: Any, **kwargs: Any) -> http.client.HTTPResponse:
        return _StrictResponse(_AnswerStream(sock, self.way.total), *args, **kwargs)  # type: ignore[arg-type]

    def connect(self) -> None:
        """Connect to the server, or to its proxy.

        :raises NoAnswer: urllib3 does not wrap it, as it wraps the errors of libraries.
        """
        try:
            super().connect()  # type: ignore[misc]
        except (urllib3.exceptions.HTTPError, http.client.HTTPException, OSError, ValueError) as error:
            past_proxy: bool = self.has_connected_to_proxy  # type: ignore[attr-defined]
            raise no_connection(error, self.way.url, self.way.proxy, past_proxy=past_proxy) from None


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

    def _read_status(self) -> tuple[str, int, str]:
        """The status of the final answer. Python passes over 100 alone, and not before a tunnel."""
        while True:
            found: tuple[str, int, str] = super()._read_status()  # type: ignore[misc]
            if not 100 <= found[1] < 200 or found[1] == 101:
                return found
            http.client.parse_headers(self.fp)

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
