"""Blocking calls to one server, over urllib3: one time limit, one size limit, no redirect, no cookie, no `.netrc`.

"Never sent" and "perhaps sent" stay apart: a body is read when proxy, connection and TLS stand. A body that was not read was never sent.
The words for calls without an answer are those of all libraries.
"""

from __future__ import annotations

import logging
import re
import ssl
import time
from contextlib import closing
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import urllib3
from requests.utils import get_auth_from_url

from staking_gateway.errors import Failed, GatewayError, call_failed
from staking_gateway.http.endpoint import host_of, name_of, way_to

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

E = TypeVar("E", bound=BaseException)

HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json",
    "Accept-Encoding": "identity",
    "User-Agent": "airflow-provider-staking-gateway",
}
"""Headers of every call beside `Authorization` (interface document, section 5)."""
_PIECE = 64 * 1024
_TUNNEL_STATUS = re.compile(r"Tunnel connection failed: ([0-9]{3})\b")
"""The text of `http.client`."""
_UNKNOWN_AUTHORITY = (2, 18, 19, 20, 21, 27)
"""`X509_V_ERR_*` of OpenSSL."""
_SENDING = ContextVar("_SENDING", default=False)
# urllib3 logs paths and queries, which may hold secrets: at DEBUG, and for some invalid answers at WARNING.
for _name in ("urllib3.connection", "urllib3.connectionpool"):
    logging.getLogger(_name).addFilter(lambda _record: not _SENDING.get())


@dataclass(frozen=True)
class Answer:
    """An HTTP answer, decompressed. A body over the limit is cut, and not whole."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    is_whole: bool = True


def no_answer(error: BaseException, url: str, proxy: str | None, *, method: str, sent: bool) -> GatewayError:
    """The error for a call without a complete answer.

    :param error: of a library.
    :param sent: whether the server may have received the call.
    """
    if not sent:
        return no_connection(error, url, proxy, method=method)
    if cause(error, urllib3.exceptions.TimeoutError, TimeoutError):
        return GatewayError(method=method, how=Failed.TIMEOUT)
    return call_failed(Failed.BROKEN, f"{Failed.BROKEN.sentence} ({type(error).__name__})", method=method)


def no_connection(error: BaseException, url: str, proxy: str | None, *, method: str = "") -> GatewayError:
    """The error for a connection that was not made."""
    status = getattr(error, "status", None) or next(map(int, _TUNNEL_STATUS.findall(str(error))), None)
    if proxy and status:
        return refused_by_proxy(proxy, status, method=method)
    where = f"{host_of(url)} through the proxy {name_of(proxy)}" if proxy else host_of(url)
    facts, remedy = f"no connection to {where}", ""
    certificate = cause(error, ssl.SSLCertVerificationError)
    if certificate is not None:
        facts = f"the certificate of {where} is refused: {certificate.verify_message}"
        remedy = "Check this machine's clock, or ask the server's operator"
        if certificate.verify_code in _UNKNOWN_AUTHORITY:
            remedy = "Set ca_bundle to its authority's file"
    elif proxy:
        remedy = "Check HTTPS_PROXY and NO_PROXY, and that the proxy reaches the server"
    elif cause(error, ssl.SSLError) is not None:
        facts, remedy = f"no TLS connection to {where}", "Check that it speaks TLS"
    return GatewayError(facts, method=method, how=Failed.UNREACHABLE, remedy=remedy)


def refused_by_proxy(proxy: str, status: int, *, method: str = "") -> GatewayError:
    """The error for a proxy that answered instead of the server."""
    remedy = "Write user:password@ into its address" if status == 407 else "Check its rules"
    facts, remedy = f"the proxy {name_of(proxy)} answered HTTP {status}", f"{remedy}, or list the host in NO_PROXY"
    return GatewayError(facts, method=method, how=Failed.UNREACHABLE, remedy=remedy)


class Session:
    """Calls to one server.

    :param url: decides about the proxy.
    :param timeouts: seconds to connect, between two pieces of the answer, and for the whole answer. The total time is looked at after each piece
        of the body; headers, interim answers and trailers without end are ended by the task's `execution_timeout` only.
    :param limit: most bytes of the body of an answer; the rest is not read.
    """

    def __init__(self, url: str, timeouts: tuple[float, float, float], limit: int, ca_bundle: str | None) -> None:
        self._url, self._limit = url, limit
        self._total, self._timeout = timeouts[2], urllib3.Timeout(connect=timeouts[0], read=min(timeouts[1:]))
        self._proxy, tls = way_to(url, ca_bundle)
        if self._proxy is None:
            self._pool = urllib3.PoolManager(ssl_context=tls)
        else:
            login = get_auth_from_url(self._proxy)
            headers = urllib3.make_headers(proxy_basic_auth=":".join(login) if any(login) else None)
            self._pool = urllib3.ProxyManager(
                self._proxy, proxy_headers=headers, ssl_context=tls, proxy_ssl_context=tls
            )

    def ask(self, verb: str, url: str, *, data: bytes = b"", token: str = "", call: str = "") -> Answer:
        """The answer to one call.

        :param token: the access token.
        :param call: name of the call for an error.
        :raises GatewayError: no complete answer: `UNREACHABLE`, `TIMEOUT`, or `BROKEN`, also for one that cannot be decompressed.
        """
        until, begun = time.monotonic() + self._total, False

        def body() -> Iterator[bytes]:
            nonlocal begun
            begun = True
            yield data

        headers = {**HEADERS, "Content-Length": str(len(data))}
        if token:
            headers["Authorization"] = f"bearer {token}"
        options: dict[str, Any] = {"redirect": False, "retries": False, "preload_content": False}
        sending = _SENDING.set(True)
        try:
            with closing(
                self._pool.urlopen(verb, url, body=body(), headers=headers, timeout=self._timeout, **options)
            ) as response:
                if response.status == 407 and self._proxy:
                    raise refused_by_proxy(self._proxy, 407, method=call)
                found = bytearray()
                while len(found) <= self._limit and (piece := response.read1(_PIECE, decode_content=True)):
                    found += piece
                    if time.monotonic() > until:
                        raise GatewayError(method=call, how=Failed.TIMEOUT)
                is_whole = len(found) <= self._limit
                return Answer(response.status, bytes(found[: self._limit]), response.headers, is_whole=is_whole)
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise no_answer(error, self._url, self._proxy, method=call, sent=begun) from None
        finally:
            _SENDING.reset(sending)

    def close(self) -> None:
        """Close the kept connections."""
        self._pool.clear()


def cause(error: BaseException | None, *kinds: type[E]) -> E | None:
    """The first error of some classes that an error is or wraps, as its cause or, as urllib3 does, among its arguments."""
    while error is not None and not isinstance(error, kinds):
        error = error.__cause__ or next((inner for inner in error.args if isinstance(inner, BaseException)), None)
    return error
