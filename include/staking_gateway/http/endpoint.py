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
        _GATEWAY_ADDRESS.check(self.base_url, allow_plain=self.allow_http)
        object.__setattr__(self, "base_url", self.base_url.rstrip("/"))
        if self.ca_bundle is not None:
            self.tls_context()

    def url(self, path: str) -> str:
        """The full URL of a path."""
        return self.base_url + path

    def tls_context(self) -> ssl.SSLContext:
        """Trusts `ca_bundle`, or the authorities this machine trusts."""
        return tls_context(self.ca_bundle)

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


def tls_context(ca_bundle: str | None) -> ssl.SSLContext:
    """Trusts a file of certificate authorities, or those this machine trusts.

    :raises InvalidConnection: the file cannot be read.
    """
    try:
        return ssl.create_default_context(cafile=ca_bundle)
    except (OSError, ValueError):
        raise InvalidConnection(
            "ca_bundle", f"{ca_bundle!r} cannot be read", "Name a PEM file that holds the authority's certificate"
        ) from None


@dataclass(frozen=True)
class AddressRules:
    """What the address of a server must be like. Errors never quote the address: it may hold a secret.

    :param field: what an error names.
    :param schemes: the schemes that are allowed; of each pair, the one without the final `s` is plain text.
    :param example: the remedy where there is no better one.
    :param credentials: the remedy for `user:password@`.
    :param risk: what plain text would do; `{host}` is the server.
    :param allowance: the setting that allows plain text to other machines.
    :param query: whether a query may follow the path.
    """

    field: str
    schemes: tuple[str, ...]
    example: str
    credentials: str
    risk: str
    allowance: str
    query: bool = False

    def check(self, url: str, *, allow_plain: bool) -> None:
        """Refuse an address that cannot be used.

        :raises InvalidConnection: says why.
        """

        def refuse(problem: str, remedy: str = self.example) -> InvalidConnection:
            return InvalidConnection(self.field, problem, remedy)

        if not isinstance(url, str) or not url:
            raise refuse("is empty")
        if any(character.isspace() or not character.isprintable() for character in url):
            raise refuse("holds a space, a line break or a control character")
        try:
            parts = urlsplit(url)
            host, _ = parts.hostname, parts.port
        except ValueError:
            raise refuse("is not a URL") from None
        if "@" in parts.netloc:
            raise refuse("holds credentials", self.credentials)
        if parts.scheme not in self.schemes or not host:
            raise refuse(f"is not a {', '.join(self.schemes[:-1])} or {self.schemes[-1]} address")
        # `a\b` is one host to some URL parsers, another to others
        if not _AUTHORITY.match(parts.netloc) or not _is_encodable(host):
            raise refuse("has no host name")
        if "#" in url or ("?" in url and not self.query):
            what, mark = ("a fragment", "#") if self.query else ("a query or a fragment", "? or #")
            raise refuse(f"holds {what}", f"Remove everything from {mark} on")
        if not parts.scheme.endswith("s") and not allow_plain and not is_loopback(host):
            raise refuse(
                f"plain {parts.scheme} would {self.risk.format(host=repr(host[:80]))}",
                f"Use {parts.scheme}s, or set {self.allowance} if the network in between is trusted",
            )


_GATEWAY_ADDRESS = AddressRules(
    field="base_url",
    schemes=("http", "https"),
    example="Write it like https://gateway.example or https://gateway.example/prefix",
    credentials="Remove them; the access token goes into the connection's password",
    risk="send the token unencrypted to {host}",
    allowance="allow_http",
)


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
