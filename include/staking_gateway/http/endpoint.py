"""The address of a server, the time limits of a call, and the one policy by which reads are repeated."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeVar
from urllib.parse import urlsplit

from staking_gateway.errors import GatewayError, InvalidConnection, may_pass
from staking_gateway.http.foreign_text import GATEWAY_ANSWER_BYTES
from staking_gateway.http.network import is_loopback, way_to
from staking_gateway.text import shown

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tenacity import RetryCallState

T = TypeVar("T")

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
    """Repeats reads. Clients never repeat payouts.

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
        """The result of a blocking read, repeated after errors that may pass."""
        from tenacity import Retrying

        return Retrying(**self._policy())(read, *arguments)

    async def acall(self, read: Callable[..., Awaitable[T]], *arguments: Any) -> T:
        """The result of an asynchronous read, repeated after errors that may pass."""
        try:
            return await read(*arguments)  # without tenacity, which costs more processor time than an answered call
        except GatewayError as error:
            failed = [error]
        from tenacity.asyncio import AsyncRetrying

        async def again() -> T:
            if failed:
                raise failed.pop()
            return await read(*arguments)

        return await AsyncRetrying(**self._policy())(again)

    def _policy(self) -> dict[str, Any]:
        from tenacity import retry_if_exception, stop_after_attempt, stop_before_delay
        from tenacity.wait import wait_random_exponential

        pause = wait_random_exponential(multiplier=0.2, max=self.max_wait)

        def wait(state: RetryCallState) -> float:
            error = state.outcome.exception() if state.outcome else None
            return max(pause(state), pause_before_retry(error) if error else 0.0)

        return {
            "stop": stop_after_attempt(self.attempts) | stop_before_delay(self.total),
            "wait": wait,
            "retry": retry_if_exception(lambda error: pause_before_retry(error) is not False),
            "reraise": True,
        }


def pause_before_retry(error: BaseException) -> float | Literal[False]:
    """The least seconds before a read that failed may succeed; False: it will fail again."""
    if not may_pass(error):
        return False
    return (error.retry_after if isinstance(error, GatewayError) else None) or 0.0


def check_seconds(name: str, value: object) -> None:
    """Refuse a time limit that is not a number above 0 and at most 3600.

    :raises InvalidConnection: names the field.
    """
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 < value <= 3600:
        raise InvalidConnection(name, f"{shown(value)} is not a time", "Write seconds, more than 0 and at most 3600")


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
        check_address("base_url", self.base_url, ("http", "https"), plain_by="allow_http", allow_plain=self.allow_http)
        object.__setattr__(self, "base_url", self.base_url.rstrip("/"))
        way_to(self.base_url, self.ca_bundle)

    def url(self, path: str) -> str:
        return self.base_url + path

    @property
    def is_local(self) -> bool:
        """Whether the gateway runs on this machine; then no proxy is used."""
        return is_loopback(urlsplit(self.base_url).hostname or "")


def check_address(
    name: str, url: str, schemes: tuple[str, ...], *, plain_by: str, allow_plain: bool, query: bool = False
) -> None:
    """Refuse an invalid or unsafe address. Errors never quote the address, which may hold a secret.

    :param name: the field for the error.
    :param schemes: the allowed schemes, the safest last.
    :param plain_by: the setting that allows unencrypted connections to other machines.
    :param query: whether a query is allowed.
    :raises InvalidConnection: names problem and remedy.
    """

    def refuse(problem: str, remedy: str = f"Write it like {schemes[-1]}://server.example") -> InvalidConnection:
        return InvalidConnection(name, problem, remedy)

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
        place = (
            "an access key goes into path or query" if query else "the access token goes into the connection's password"
        )
        raise refuse("holds credentials", f"Remove them; {place}")
    if parts.scheme not in schemes or not host:
        raise refuse(f"is not a {', '.join(schemes[:-1])} or {schemes[-1]} address")
    # URL parsers disagree about the host in `a\b`.
    if not _AUTHORITY.match(parts.netloc) or not _is_encodable(host):
        raise refuse("has no host name")
    if "#" in url or ("?" in url and not query):
        what, mark = ("a fragment", "#") if query else ("a query or a fragment", "? or #")
        raise refuse(f"holds {what}", f"Remove everything from {mark} on")
    if parts.scheme in ("http", "ws") and not allow_plain and not is_loopback(host):
        raise refuse(
            f"plain {parts.scheme} would send everything unencrypted to {host[:80]!r}",
            f"Use {parts.scheme}s, or set {plain_by} if the network in between is trusted",
        )


def _is_encodable(host: str) -> bool:
    """Whether DNS allows the name: a label has at most 63 bytes."""
    try:
        host.encode("idna")
    except UnicodeError:
        return False
    return True
