"""Blocking calls to one server, over requests: one time limit, one size limit, no redirect, no cookie, no `.netrc`.

"Never sent" and "perhaps sent" stay apart: a body is read when proxy, connection and TLS stand. A body that was not read was never sent.
The words for calls without an answer are those of all libraries.
"""

from __future__ import annotations

import io
import logging
import re
import ssl
import time
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from http.cookiejar import DefaultCookiePolicy
from typing import Any, TypeVar

import requests
import urllib3

from staking_gateway.errors import Failed, GatewayError, call_failed
from staking_gateway.http.endpoint import host_of, name_of, way_to

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
_NEVER_SENT = (
    urllib3.exceptions.NewConnectionError,
    urllib3.exceptions.ConnectTimeoutError,
    urllib3.exceptions.ProxyError,
    ssl.SSLCertVerificationError,
    requests.exceptions.InvalidURL,
    requests.exceptions.InvalidSchema,
)
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
    if not sent or cause(error, *_NEVER_SENT):
        return no_connection(error, url, proxy, method=method)
    if cause(error, requests.Timeout, urllib3.exceptions.TimeoutError, TimeoutError):
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


class Session(requests.Session):
    """Calls to one server.

    :param url: decides about the proxy.
    :param timeouts: seconds to connect, between two pieces of the answer, and for the whole answer. The total time is looked at after each piece
        of the body; headers, interim answers and trailers without end are ended by the task's `execution_timeout` only.
    :param limit: most bytes of the body of an answer; the rest is not read.
    """

    def __init__(self, url: str, timeouts: tuple[float, float, float], limit: int, ca_bundle: str | None) -> None:
        super().__init__()
        self._url, self._limit = url, limit
        self._pauses, self._total = (timeouts[0], min(timeouts[1:])), timeouts[2]
        self._proxy, tls = way_to(url, ca_bundle)
        self.trust_env = False
        self.headers = requests.structures.CaseInsensitiveDict(HEADERS)
        self.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        if self._proxy:
            self.proxies = dict.fromkeys(("http", "https"), self._proxy)
        if tls is not None:
            for scheme in ("https://", "http://"):
                self.mount(scheme, _Adapter(tls))

    def ask(self, verb: str, url: str, *, data: bytes = b"", token: str = "", call: str = "") -> Answer:
        """The answer to one call.

        :param token: the access token.
        :param call: name of the call for an error.
        :raises GatewayError: no complete answer: `UNREACHABLE`, `TIMEOUT`, or `BROKEN`, also for one that cannot be decompressed.
        """
        until, body, sending = time.monotonic() + self._total, _Body(data), _SENDING.set(True)
        headers, limit = {"Authorization": f"bearer {token}"} if token else {}, self._limit
        try:
            with self.request(
                verb, url, data=body if data else None, headers=headers, timeout=self._pauses, stream=True
            ) as response:
                if response.status_code == 407 and self._proxy:
                    raise refused_by_proxy(self._proxy, 407, method=call)
                found = bytearray()
                while len(found) <= limit and (piece := response.raw.read1(_PIECE, decode_content=True)):
                    found += piece
                    if time.monotonic() > until:
                        raise GatewayError(method=call, how=Failed.TIMEOUT)
                return Answer(
                    response.status_code, bytes(found[:limit]), response.headers, is_whole=len(found) <= limit
                )
        except (requests.RequestException, urllib3.exceptions.HTTPError, OSError) as error:
            sent = body.is_taken or not data
            raise no_answer(error, self._url, self._proxy, method=call, sent=sent) from None
        finally:
            _SENDING.reset(sending)

    def get_redirect_target(self, resp: requests.Response) -> None:
        """None: requests would read a redirect's whole body without limits, and fail on an invalid `Location`."""
        del resp


class _Body(io.BytesIO):
    """The body of a request, which knows whether a library has begun to send it."""

    is_taken = False

    def read(self, size: int | None = -1) -> bytes:
        self.is_taken = True
        return super().read(size)


class _Adapter(requests.adapters.HTTPAdapter):
    """Verifies servers and proxies with the same authorities."""

    def __init__(self, tls: ssl.SSLContext) -> None:
        self._tls = tls
        super().__init__()

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        super().init_poolmanager(*args, ssl_context=self._tls, **kwargs)

    def proxy_manager_for(self, proxy: str, **kwargs: Any) -> Any:
        return super().proxy_manager_for(proxy, ssl_context=self._tls, proxy_ssl_context=self._tls, **kwargs)

    def cert_verify(self, *args: Any, **kwargs: Any) -> None:
        """Nothing: requests would trust its own authorities too."""
        del args, kwargs


def cause(error: BaseException | None, *kinds: type[E]) -> E | None:
    """The first error of some classes that an error is or wraps: requests wraps in `args`, urllib3 in `reason`.

    `__context__` does not count: it may be an unrelated error that the caller handles.
    """
    while error is not None and not isinstance(error, kinds):
        wrapped = (error.__cause__, getattr(error, "reason", None), *error.args)
        error = next((inner for inner in wrapped if isinstance(inner, BaseException)), None)
    return error
