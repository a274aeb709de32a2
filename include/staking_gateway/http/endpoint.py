"""The way to a server: its address, proxy, certificate authorities and access token, and the limits and repetitions of a call."""

import ipaddress
import os
import re
import ssl
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NoReturn, Protocol, TypeVar
from urllib.parse import urlsplit

from requests.utils import get_environ_proxies, select_proxy
from tenacity import AsyncRetrying, Retrying, retry, retry_if_exception, stop_after_attempt, stop_before_delay
from tenacity.wait import wait_exception, wait_random_exponential

from staking_gateway.errors import GatewayError, InvalidConnection, may_pass

T = TypeVar("T")
_BUNDLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE")
_ADDRESS = re.compile(
    r"[a-z]+://((?P<login>[^/?#]*)@)?(\[[0-9a-f:.]+\]|[\w-]+(\.[\w-]+)*\.?)(:[0-9]*)?(/[^?#\s]*)?(?P<query>\?[^#\s]*)?\Z",
    re.IGNORECASE,
)
"""A URL without fragment. URL parsers disagree about others, e.g. about the host in `a\\b`."""
_PRIVATE_KEY = re.compile(r"0x[0-9a-fA-F]{64}(/|\Z)|///|//\w{1,32}(//?\w{1,32})*(///.*)?\Z")
"""A seed, or a key URI of short junctions: a token may begin with `//` too. Mnemonics have spaces, tokens have none."""


def _denied(error: BaseException) -> bool:
    return isinstance(error, GatewayError) and error.how.denies_method


_once_more = retry(stop=stop_after_attempt(2), retry=retry_if_exception(_denied), reraise=True)
"""Asks at once for a denied method again, in the same attempt: during a replacement a gateway may deny methods for a short time."""


@dataclass(frozen=True)
class ReadRetry:
    """Repeats reads after errors that may pass. Clients never repeat payouts.

    :param attempts: most calls, the first included; without the repetition of a denied method, see `_once_more`.
    :param total: seconds in which further attempts may start. An error with a longer `Retry-After` is raised at once.
    :param max_wait: longest pause in seconds, beside what `Retry-After` asks for.
    """

    attempts: int = 4
    total: float = 30.0
    max_wait: float = 5.0

    def call(self, read: Callable[..., T], *arguments: Any) -> T:
        return Retrying(**self._policy())(_once_more(read), *arguments)

    async def acall(self, read: Callable[..., Awaitable[T]], *arguments: Any) -> T:
        try:
            return await read(*arguments)  # without tenacity, which costs more processor time than an answered call
        except GatewayError as error:
            failed = [error]

        async def asked() -> T:
            if failed:
                raise failed.pop()
            return await read(*arguments)

        return await AsyncRetrying(**self._policy())(_once_more(asked))

    def _policy(self) -> dict[str, Any]:
        asked = wait_exception(lambda error: getattr(error, "retry_after", None) or 0.0)
        return {
            "stop": stop_after_attempt(self.attempts) | stop_before_delay(self.total),
            "wait": asked + wait_random_exponential(multiplier=0.2, max=self.max_wait),
            "retry": retry_if_exception(may_pass),
            "reraise": True,
        }


@dataclass(frozen=True)
class Endpoint:
    """The address of a gateway, and the limits of a call.

    :param base_url: `https://host[:port][/prefix]`. Plain http only to this machine.
    :param allow_http: accept plain http to other machines too (a test network, a TLS side car).
    :param ca_bundle: file or folder of the certificate authorities to trust instead of the usual ones. TLS is always verified.
    :param timeouts: seconds to connect, between two pieces of the answer, and for the whole answer.
    :raises InvalidConnection: the URL is invalid or unsafe for a token, or authorities or proxy cannot be used.
    """

    base_url: str
    allow_http: bool = False
    ca_bundle: str | None = None
    timeouts: tuple[float, float, float] = (5.0, 35.0, 60.0)
    retry: ReadRetry = field(default_factory=ReadRetry)

    def __post_init__(self) -> None:
        check_address("base_url", self.base_url, ("http", "https"), plain_by="allow_http", allow_plain=self.allow_http)
        object.__setattr__(self, "base_url", self.base_url.rstrip("/"))
        way_to(self.base_url, self.ca_bundle)


def check_address(
    name: str, url: str, schemes: tuple[str, ...], *, plain_by: str, allow_plain: bool, query: bool = False
) -> None:
    """Refuse an invalid or unsafe address with an InvalidConnection, which never quotes it: it may hold a secret.

    :param schemes: the allowed schemes, the safest last.
    :param plain_by: the setting that allows unencrypted connections to other machines.
    """
    found = _ADDRESS.match(url) if isinstance(url, str) and url.isprintable() else None
    try:
        parts = urlsplit(url if found else "")
        host, _ = parts.hostname or "", parts.port
        host.encode("idna")  # a label of a name in DNS has at most 63 bytes
    except ValueError:
        found = None
    problem, remedy = "", f"Write it like {schemes[-1]}://server.example"
    if found is None or parts.scheme not in schemes:
        listed = ", ".join(schemes[:-1])
        problem = f"is not a {listed} or {schemes[-1]} address, or holds a space, a # or an impossible host or port"
    elif found["login"] is not None:
        problem = "holds credentials"
        remedy = "Remove them" if query else "Remove them; the access token goes into the connection's password"
    elif found["query"] and not query:
        problem, remedy = "holds a query", "Remove everything from ? on"
    elif parts.scheme in ("http", "ws") and not allow_plain and not is_loopback(host):
        problem = f"plain {parts.scheme} would send everything unencrypted to {host[:80]!r}"
        remedy = f"Use {parts.scheme}s, or set {plain_by} if the network in between is trusted"
    if problem:
        raise InvalidConnection(name, problem, remedy)


def is_loopback(host: str) -> bool:
    """Whether a host is this machine: `localhost`, or a loopback address. Other names may lead to other machines, also `*.localhost`."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def host_of(url: str) -> str:
    """Host and port of a URL; empty without a host."""
    parts = urlsplit(url)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    usual = 443 if parts.scheme in ("https", "wss") else 80
    return f"{host}:{parts.port or usual}" if host else ""


def name_of(url: str) -> str:
    """A URL without login, path and query, which may be secrets."""
    try:
        return f"{urlsplit(url).scheme}://{host_of(url)}"
    except ValueError:
        return "(invalid)"


def way_to(url: str, ca_bundle: str | None) -> tuple[str | None, ssl.SSLContext | None]:
    """The proxy for a server, whose address may hold a login, and the TLS settings of both; None where nobody speaks TLS.

    The environment names the proxy, as requests reads it; this machine never has one. Trusted are the authorities of `ca_bundle`, a file or a
    folder, else of the first set variable of `_BUNDLES`, else of the system.

    :raises InvalidConnection: a proxy of another kind, or authorities that cannot be read; names the setting or the variable.
    """
    proxy = _proxy_for(url)
    if not any(urlsplit(address or "").scheme in ("https", "wss") for address in (url, proxy)):
        return proxy, None
    named = [("ca_bundle", ca_bundle), *((name, os.environ.get(name)) for name in _BUNDLES)]
    name, path = next(((name, path) for name, path in named if path), ("", None))
    try:
        return proxy, _trusting(path, Path(path).stat().st_mtime_ns if path else 0)
    except (OSError, ValueError):
        remedy = "Name a PEM file that holds the authority's certificate"
        raise InvalidConnection(name, "is not a readable file of certificates", remedy) from None


@lru_cache(maxsize=16)
def _trusting(path: str | None, changed: int) -> ssl.SSLContext:
    del changed  # cached, as reading the authorities of a system takes 20 ms
    is_folder = path is not None and Path(path).is_dir()
    context = ssl.create_default_context(cafile=None if is_folder else path, capath=path if is_folder else None)
    context.set_alpn_protocols(["http/1.1"])
    return context


def _proxy_for(url: str) -> str | None:
    if is_loopback(urlsplit(url).hostname or ""):
        return None
    as_http = re.sub("^ws", "http", url)
    named = select_proxy(as_http, get_environ_proxies(as_http))
    if not named:
        return None
    proxy = named if "://" in named else f"http://{named}"
    scheme, _, host = name_of(proxy).partition("://")
    if scheme not in ("http", "https") or not host:
        variable = next((name for name, value in os.environ.items() if value == named), "proxy")
        problem = f"the proxy {name_of(proxy)} is not an http or https address"
        raise InvalidConnection(variable, problem, "Correct it, or list the host in NO_PROXY")
    return proxy


class TokenSource(Protocol):
    """Gives the access token for the next call. What derives from it is never shown, copied or pickled."""

    __slots__ = ()

    def value(self) -> str:
        """A token that is valid now."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}(***)"

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"{self!r} is a secret and is never pickled")


class IssuedToken(TokenSource):
    """A token issued to the client (interface document, section 5). InvalidConnection: it is none, or may be a private key."""

    __slots__ = ("_token",)

    def __init__(self, token: str) -> None:
        problem, remedy = "", ""
        if not isinstance(token, str) or not token:
            problem, remedy = "is empty", "Store the issued access token in the connection's password"
        elif not all("!" <= character <= "~" for character in token):
            problem = "holds a space, a line break or another character no token has"
            remedy = "Copy it again, on one line"
        elif _PRIVATE_KEY.match(token):
            problem = "has the form of a private key, and would be sent to the host"
            remedy = "Write the issued token; a key belongs into a staking_signer connection whose host is empty"
        if problem:
            raise InvalidConnection("token", problem, remedy)
        self._token = token

    def value(self) -> str:
        return self._token
