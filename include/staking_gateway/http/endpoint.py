"""The address of a gateway, TLS, timeouts and retries of reads; both clients use them."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from staking_gateway import errors
from staking_gateway.errors import InvalidConnection
from staking_gateway.http.limits import GATEWAY_ANSWER_BYTES
from staking_gateway.http.network import check_network, is_loopback
from staking_gateway.text import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tenacity import RetryCallState, Retrying
    from tenacity.asyncio import AsyncRetrying

T = TypeVar("T")

HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json",
    "Accept-Encoding": "identity",
    "User-Agent": "airflow-provider-staking-gateway",
}
"""Headers of every call beside `Authorization` (interface document, section 5)."""
_AUTHORITY = re.compile(r"(\[[0-9a-fA-F:.]+\]|[\w-]+(\.[\w-]+)*\.?)(:[0-9]*)?\Z")


@dataclass(frozen=True)
class Timeouts:
    """Time limits of one HTTP call, in seconds.

    :param connect: to open the connection.
    :param read: between two pieces of the answer. Gateways themselves stop after about 30 s.
    :param total: for the whole answer.
    """

    connect: float = 5.0
    read: float = 35.0
    total: float = 60.0

    def __post_init__(self) -> None:
        for name in ("connect", "read", "total"):
            check_seconds(f"{name}_timeout", getattr(self, name))


@dataclass(frozen=True)
class ReadRetry:
    """Retries of reads. Clients never repeat payouts.

    :param attempts: number of calls, the first included; 1 to 100.
    :param total: seconds from the first attempt in which further attempts may start. An error with a longer `Retry-After` is raised at
        once.
    :param max_wait: longest pause in seconds between two attempts, unless `Retry-After` asks for more.
    :raises InvalidConnection: a number out of range.
    """

    attempts: int = 4
    total: float = 30.0
    max_wait: float = 5.0

    def __post_init__(self) -> None:
        if type(self.attempts) is not int or not 1 <= self.attempts <= 100:
            raise InvalidConnection("attempts", f"{shown(self.attempts)} is not a number of calls", "Write 1 to 100")
        check_seconds("retry_total", self.total)
        check_seconds("retry_max_wait", self.max_wait)

    def call(self, read: Callable[..., T], *arguments: Any) -> T:
        """The result of a blocking read, repeated after transient errors."""
        started = time.monotonic()
        try:
            # Loading and building tenacity's controller takes longer than a successful call.
            return read(*arguments)
        except errors.GatewayError as error:
            retry, failures = self.remaining(error, started), [error]

        def attempt() -> T:
            if failures:
                raise failures.pop()
            return read(*arguments)

        answer: T = retry.controller()(attempt)
        return answer

    def remaining(self, error: errors.GatewayError, started: float) -> ReadRetry:
        """The policy after a failed attempt outside the controller. The controller's first attempt must raise `error` again.

        :param started: monotonic time of the attempt's start.
        :raises GatewayError: `error`, when it is permanent or the time is over.
        """
        left = self.total - (time.monotonic() - started)
        if left <= 0 or not errors.may_pass(error):
            raise error
        return replace(self, total=left)

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
            retry_after = error.retry_after if isinstance(error, errors.GatewayError) else None
            return max(pause(state), retry_after or 0.0)

        return {
            "stop": stop_after_attempt(self.attempts) | stop_before_delay(self.total),
            "wait": wait,
            "retry": retry_if_exception(errors.may_pass),
            "reraise": True,
        }


def check_seconds(name: str, value: object) -> None:
    """Refuse a time limit that is not a number above 0 and at most 3600.

    :raises InvalidConnection: names the field.
    """
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 < value <= 3600:
        raise InvalidConnection(name, f"{shown(value)} is not a time", "Write seconds, more than 0 and at most 3600")


@dataclass(frozen=True)
class Answer:
    """An HTTP answer.

    :param body: decompressed; the beginning, when it is longer than the limit.
    :param is_whole: whether the body is complete.
    """

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    is_whole: bool = True


@dataclass(frozen=True)
class Endpoint:
    """The address of a gateway, and the limits of a call.

    :param base_url: `https://host[:port][/prefix]`. Plain http only to this machine.
    :param allow_http: accept plain http to other machines too (a test network, a TLS side car).
    :param ca_bundle: file with the certificate authorities to trust instead of the usual ones. TLS is always verified.
    :param max_response_bytes: size limit of an answer.
    :raises InvalidConnection: the URL is invalid or unsafe for a token, or authorities or proxy cannot be used.
    """

    base_url: str
    allow_http: bool = False
    ca_bundle: str | None = None
    timeouts: Timeouts = field(default_factory=Timeouts)
    retry: ReadRetry = field(default_factory=ReadRetry)
    max_response_bytes: int = GATEWAY_ANSWER_BYTES

    def __post_init__(self) -> None:
        _GATEWAY_ADDRESS.check(self.base_url, allow_plain=self.allow_http)
        object.__setattr__(self, "base_url", self.base_url.rstrip("/"))
        check_network(self.base_url, self.ca_bundle)

    def url(self, path: str) -> str:
        return self.base_url + path

    @property
    def is_local(self) -> bool:
        """Whether the gateway runs on this machine; then no proxy is used."""
        return is_loopback(urlsplit(self.base_url).hostname or "")


@dataclass(frozen=True)
class AddressRules:
    """Rules for the address of a server. Errors never quote the address, which may hold a secret.

    :param field: name for the error message.
    :param schemes: the allowed schemes.
    :param example: the default remedy.
    :param credentials: the remedy for `user:password@`.
    :param risk: the danger of an unencrypted connection to `{host}`.
    :param allowance: the setting that allows unencrypted connections to other machines.
    :param query: whether a query is allowed.
    """

    field: str
    schemes: tuple[str, ...]
    example: str
    credentials: str
    risk: str
    allowance: str
    query: bool = False

    def check(self, url: str, *, allow_plain: bool) -> None:
        """Refuse an invalid or unsafe address.

        :raises InvalidConnection: names problem and remedy.
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
        # URL parsers disagree about the host in `a\b`.
        if not _AUTHORITY.match(parts.netloc) or not _is_encodable(host):
            raise refuse("has no host name")
        if "#" in url or ("?" in url and not self.query):
            what, mark = ("a fragment", "#") if self.query else ("a query or a fragment", "? or #")
            raise refuse(f"holds {what}", f"Remove everything from {mark} on")
        if parts.scheme in ("http", "ws") and not allow_plain and not is_loopback(host):
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
    """Whether DNS allows the name: a label has at most 63 bytes."""
    try:
        host.encode("idna")
    except UnicodeError:
        return False
    return True
