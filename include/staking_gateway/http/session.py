"""Blocking calls to one server, over requests: one time limit, one size limit, no redirect, no cookie, no `.netrc`."""

import io
import logging
import re
import ssl
import time
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from http.cookiejar import DefaultCookiePolicy
from typing import Any

import requests
import urllib3

from staking_gateway.errors import Failed, GatewayError, call_failed
from staking_gateway.http.endpoint import host_of, name_of, way_to

HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json",
    "Accept-Encoding": "identity",
    "User-Agent": "airflow-provider-staking-gateway",
}
"""Of every call, beside `Authorization` (interface document, section 5)."""
_TUNNEL_STATUS = re.compile(r"Tunnel connection failed: ([0-9]{3})\b")
"""The text of `http.client`."""
_NEVER_SENT = (
    urllib3.exceptions.NewConnectionError,
    urllib3.exceptions.ConnectTimeoutError,
    urllib3.exceptions.ProxyError,
    ssl.SSLCertVerificationError,
)
_UNKNOWN_AUTHORITY = (2, 18, 19, 20, 21, 27)
"""`X509_V_ERR_*` of OpenSSL."""
_SENDING = ContextVar("_SENDING", default=False)
# urllib3 logs paths and queries, which may hold secrets: at DEBUG, and for some invalid answers at WARNING.
for _name in ("urllib3.connection", "urllib3.connectionpool"):
    logging.getLogger(_name).addFilter(lambda _record: not _SENDING.get())


@dataclass(frozen=True)
class Answer:
    """An HTTP answer, decompressed."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


def no_answer(error: BaseException, url: str, proxy: str | None, *, method: str, sent: bool) -> GatewayError:
    """The error for a call without a complete answer, by that of any library; `sent`: the server may have received it."""
    if not sent or cause(error, *_NEVER_SENT):
        return no_connection(error, url, proxy, method=method)
    if cause(error, requests.Timeout, urllib3.exceptions.TimeoutError, TimeoutError):
        return GatewayError(method=method, how=Failed.TIMEOUT)
    return call_failed(Failed.BROKEN, f"{Failed.BROKEN.sentence} ({type(error).__name__})", method=method)


def no_connection(
    error: BaseException | None, url: str, proxy: str | None, *, method: str = "", status: int | None = None
) -> GatewayError:
    """The error for a connection that was not made; `status`: that of a proxy that answered instead of the server."""
    status = status or getattr(error, "status", None) or next(map(int, _TUNNEL_STATUS.findall(str(error))), None)
    where = f"{host_of(url)} through the proxy {name_of(proxy)}" if proxy else host_of(url)
    facts, tls = f"no connection to {where}", cause(error, ssl.SSLError)
    remedy = "Check HTTPS_PROXY and NO_PROXY, and that the proxy reaches the server" if proxy else ""
    if proxy and status:
        facts = f"the proxy {name_of(proxy)} answered HTTP {status}"
        remedy = "Write user:password@ into its address" if status == 407 else "Check its rules"
        remedy += ", or list the host in NO_PROXY"
    elif isinstance(tls, ssl.SSLCertVerificationError):
        facts = f"the certificate of {where} is refused: {tls.verify_message}"
        remedy = "Check this machine's clock, or ask the server's operator"
        if tls.verify_code in _UNKNOWN_AUTHORITY:
            remedy = "Set ca_bundle to its authority's file"
    elif tls is not None:
        facts, remedy = f"no TLS connection to {where}", "Check that it speaks TLS"
    return GatewayError(facts, method=method, how=Failed.UNREACHABLE, remedy=remedy)


class Session(requests.Session):
    """Calls to one server.

    :param timeouts: seconds to connect, between two pieces of the answer, and for the whole answer, looked at after each piece of its body.
        Only the task's `execution_timeout` ends headers without end.
    :param limit: most bytes of the body of an answer.
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

    def ask(self, verb: str, path: str = "", *, data: bytes = b"", token: str = "", call: str = "") -> Answer:
        """The answer to one call, whose name an error tells. GatewayError: no complete answer, or one that cannot be decompressed."""
        until, body, sending = time.monotonic() + self._total, _Body(data), _SENDING.set(True)
        headers, url = {"Authorization": f"bearer {token}"} if token else {}, self._url + path
        try:
            with self.request(
                verb, url, data=body if data else None, headers=headers, timeout=self._pauses, stream=True
            ) as response:
                if response.status_code == 407 and self._proxy:
                    raise no_connection(None, self._url, self._proxy, method=call, status=407)
                found = bytearray()
                while piece := response.raw.read1(64 * 1024, decode_content=True):
                    found += piece
                    if time.monotonic() > until:
                        raise GatewayError(method=call, how=Failed.TIMEOUT)
                    if len(found) > self._limit:
                        raise GatewayError(method=call, how=Failed.TOO_LONG)
                return Answer(response.status_code, bytes(found), response.headers)
        except (requests.RequestException, urllib3.exceptions.HTTPError, OSError) as error:
            sent = body.is_taken or not data
            raise no_answer(error, self._url, self._proxy, method=call, sent=sent) from None
        finally:
            _SENDING.reset(sending)

    def get_redirect_target(self, resp: requests.Response) -> None:
        """None: requests would read a redirect's whole body without limits, and fail on an invalid `Location`."""
        del resp


class _Body(io.BytesIO):
    """The body of a request. It is read when proxy, connection and TLS stand: one that was not read was never sent."""

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


def cause(error: BaseException | None, *kinds: type[BaseException]) -> BaseException | None:
    """The first error of some classes that an error is or wraps: requests in `args`, urllib3 in `reason`. `__context__` may be unrelated."""
    while error is not None and not isinstance(error, kinds):
        wrapped = (error.__cause__, getattr(error, "reason", None), *error.args)
        error = next((inner for inner in wrapped if isinstance(inner, BaseException)), None)
    return error
