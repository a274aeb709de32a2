"""Where a gateway is and how patiently it is called: checked once, shared by both clients."""

from __future__ import annotations

import ipaddress
import re
import ssl
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from staking_gateway import errors
from staking_gateway.errors import InvalidConnection

if TYPE_CHECKING:
    from collections.abc import Callable

    from tenacity import RetryCallState, Retrying
    from tenacity.asyncio import AsyncRetrying

T = TypeVar("T")

HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json",
    "Accept-Encoding": "identity",
    "User-Agent": "airflow-provider-staking-gateway",
}
"""Sent with every call beside `Authorization` (interface document, section 5)."""
_AUTHORITY = re.compile(r"(\[[0-9a-fA-F:.]+\]|[\w-]+(\.[\w-]+)*\.?)(:[0-9]*)?\Z")


@dataclass(frozen=True)
class Timeouts:
    """Patience with one HTTP call, in seconds; every one is finite.

    :param connect: until the connection stands.
    :param read: between two pieces of the answer. Gateways give up near 30 s themselves.
    :param total: for the whole answer, so that a trickle ends too.
    """

    connect: float = 5.0
    read: float = 35.0
    total: float = 60.0

    def __post_init__(self) -> None:
        for name in ("connect", "read", "total"):
            _check_seconds(f"{name}_timeout", getattr(self, name))


@dataclass(frozen=True)
class ReadRetry:
    """How often a read is asked again. Payouts are never repeated by a client.

    :param attempts: calls in all, the first included; 1 to 100.
    :param total: no new attempt starts this many seconds after the first. An error whose `Retry-After` reaches beyond
        that is raised at once.
    :param max_wait: longest pause in seconds between two attempts, unless the gateway asks for more with `Retry-After`.
    :raises InvalidConnection: a number out of range.
    """

    attempts: int = 4
    total: float = 30.0
    max_wait: float = 5.0

    def __post_init__(self) -> None:
        if type(self.attempts) is not int or not 1 <= self.attempts <= 100:
            raise InvalidConnection("attempts", f"{self.attempts!r} is not a number of calls", "Write 1 to 100")
        _check_seconds("retry_total", self.total)
        _check_seconds("retry_max_wait", self.max_wait)

    def call(self, read: Callable[..., T], *arguments: Any) -> T:
        """What a blocking read returns, asked again as often as this allows while it fails in a way that may pass."""
        started = time.monotonic()
        try:
            # Loading tenacity and setting up its controller cost more than a good call, so only failed ones pay for it.
            return read(*arguments)
        except errors.GatewayError as error:
            if not is_transient(error):
                raise
            return self._call_again(read, arguments, error, started)

    def _call_again(
        self, read: Callable[..., T], arguments: tuple[Any, ...], failure: errors.GatewayError, started: float
    ) -> T:
        left = self.total - (time.monotonic() - started)
        if left <= 0:
            raise failure
        first: errors.GatewayError | None = failure

        def attempt() -> T:
            nonlocal first
            if first is not None:
                error, first = first, None
                raise error
            return read(*arguments)

        answer: T = replace(self, total=left).controller()(attempt)
        return answer

    def controller(self) -> Retrying:
        """A tenacity controller for blocking calls."""
        from tenacity import Retrying

        return Retrying(**self._policy())

    def async_controller(self) -> AsyncRetrying:
        """A tenacity controller for coroutines."""
        from tenacity.asyncio import AsyncRetrying

        return AsyncRetrying(**self._policy())

    def _policy(self) -> dict[str, Any]:
        from tenacity import retry_if_exception, stop_after_attempt, stop_before_delay
        from tenacity.wait import wait_random_exponential

        pause = wait_random_exponential(multiplier=0.2, max=self.max_wait)

        def wait(state: RetryCallState) -> float:
            error = state.outcome.exception() if state.outcome else None
            asked = error.retry_after if isinstance(error, errors.HttpError) else None
            return max(pause(state), asked or 0.0)

        return {
            "stop": stop_after_attempt(self.attempts) | stop_before_delay(self.total),
            "wait": wait,
            "retry": retry_if_exception(is_transient),
            "reraise": True,
        }


def _check_seconds(name: str, value: float) -> None:
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 < value <= 3600:
        raise InvalidConnection(name, f"{value!r} is not a time", "Write seconds, more than 0 and at most 3600")


def is_transient(error: BaseException) -> bool:
    """Whether the same read may well succeed a moment later."""
    return isinstance(
        error,
        (
            errors.TransportError,
            errors.RateLimited,
            errors.GatewayUnavailable,
            errors.ProtocolError,
            errors.RpcInternalError,
            errors.MethodWithdrawn,
            errors.NodeUnreachable,
            errors.NodeRefused,
            errors.NodeAnswerInvalid,
            errors.EraNotBegun,
        ),
    )


@dataclass(frozen=True)
class Endpoint:
    """A gateway's address and the limits of a call to it.

    :param base_url: `https://host[:port][/prefix]`; a path prefix is kept. Plain http only to this machine itself.
    :param allow_http: accept plain http to other machines too (a test network, a TLS side car).
    :param ca_bundle: file with the certificate authorities to trust instead of the usual ones. TLS is always verified.
    :param max_response_bytes: longest answer that is read.
    :raises InvalidConnection: the URL is not one a token may be sent to, or `ca_bundle` holds no certificates.
    """

    base_url: str
    allow_http: bool = False
    ca_bundle: str | None = None
    timeouts: Timeouts = field(default_factory=Timeouts)
    retry: ReadRetry = field(default_factory=ReadRetry)
    max_response_bytes: int = 1024 * 1024

    def __post_init__(self) -> None:
        object.__setattr__(self, "base_url", _check_base_url(self.base_url, self.allow_http))
        if self.ca_bundle is not None:
            self.tls_context()

    def url(self, path: str) -> str:
        """The full URL of a path."""
        return self.base_url + path

    def tls_context(self) -> ssl.SSLContext:
        """Trusts `ca_bundle`, or the authorities this machine trusts."""
        try:
            return ssl.create_default_context(cafile=self.ca_bundle)
        except (OSError, ValueError):
            raise InvalidConnection(
                "ca_bundle",
                f"{self.ca_bundle!r} cannot be read",
                "Name a PEM file that holds the authority's certificate",
            ) from None

    @property
    def is_local(self) -> bool:
        """Whether the gateway runs on this machine; no proxy of the environment is asked for it then."""
        return is_loopback(urlsplit(self.base_url).hostname or "")

    def proxy(self) -> str | None:
        """The proxy which the environment (`HTTPS_PROXY`, `NO_PROXY`, ...) names for this gateway."""
        from urllib.request import getproxies, proxy_bypass

        parts = urlsplit(self.base_url)
        if self.is_local or proxy_bypass(parts.netloc):
            return None
        return getproxies().get(parts.scheme)


def _check_base_url(base_url: str, allow_http: bool) -> str:
    # The address is not quoted: it may hold credentials.
    example = "Write it like https://gateway.example or https://gateway.example/prefix"

    def refuse(problem: str, remedy: str = example) -> InvalidConnection:
        return InvalidConnection("base_url", problem, remedy)

    if not isinstance(base_url, str) or not base_url:
        raise refuse("is empty")
    if any(character.isspace() or not character.isprintable() for character in base_url):
        raise refuse("holds a space, a line break or a control character")
    try:
        parts = urlsplit(base_url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise refuse("is not a URL") from None
    if "@" in parts.netloc:
        raise refuse("holds credentials", "Remove them; the access token goes into the connection's password")
    if parts.scheme not in ("http", "https") or not host:
        raise refuse("is not an http or https address")
    if not _AUTHORITY.match(parts.netloc) or not _is_encodable(
        host
    ):  # `a\b` is one host to some URL parsers, another to others
        raise refuse("has no host name")
    if parts.query or parts.fragment or "?" in base_url or "#" in base_url:
        raise refuse("holds a query or a fragment", "Remove everything from ? or # on")
    if parts.scheme == "http" and not allow_http and not is_loopback(host):
        raise refuse(
            f"plain http would send the token unencrypted to {host[:80]!r}",
            "Use https, or set allow_http if the network in between is trusted",
        )
    return base_url.rstrip("/")


def _is_encodable(host: str) -> bool:
    """Whether a resolver takes the name: no label is longer than 63 bytes."""
    try:
        host.encode("idna")
    except UnicodeError:
        return False
    return True


def is_loopback(host: str) -> bool:
    """Whether a host name means this machine itself."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
