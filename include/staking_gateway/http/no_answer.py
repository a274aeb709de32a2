"""Calls without a complete answer: one error, and its words for all libraries."""

from __future__ import annotations

import re
import ssl
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

from staking_gateway.errors import Failed
from staking_gateway.http.limits import QUOTED_CHARACTERS
from staking_gateway.http.network import host_of, name_of

if TYPE_CHECKING:
    from staking_gateway.http.foreign_text import ForeignTexts

E = TypeVar("E", bound=BaseException)

_OTHER_HOST = "is for another host", "Write the host that it names"
_UNKNOWN_AUTHORITY = "comes from an unknown authority", "Set ca_bundle to its authority's file"
_FAULTS = {
    9: ("is not valid yet", "Set this machine's clock"),
    10: ("has expired", "Renew it on the server, or set this machine's clock"),
    **dict.fromkeys((62, 64), _OTHER_HOST),
    **dict.fromkeys((2, 18, 19, 20, 21, 27), _UNKNOWN_AUTHORITY),
}
"""Problem and remedy for `X509_V_ERR_*` of OpenSSL."""
_TUNNEL_STATUS = re.compile(r"Tunnel connection failed: ([0-9]{3})\b")
"""The text of `http.client`."""


class NoAnswer(Exception):
    """No complete answer. Facts and remedy name no secret.

    :param how: `UNREACHABLE`, `TIMEOUT`, `BROKEN`, or `MALFORMED` for an answer that cannot be decompressed.
    :param facts: empty: the sentence of `how`.
    :param remedy: what to do, where the reason is known; empty: callers know more.
    """

    def __init__(self, how: Failed, facts: str = "", remedy: str = "") -> None:
        self.how = how
        self.facts = facts or how.sentence
        self.remedy = remedy
        super().__init__(f"{self.facts}. {remedy}" if remedy else self.facts)


def broken(error: BaseException) -> NoAnswer:
    """The error for a connection that broke before the answer was complete."""
    return NoAnswer(Failed.BROKEN, f"{Failed.BROKEN.sentence} ({type(error).__name__})")


def undecodable() -> NoAnswer:
    """The error for an answer that cannot be decompressed."""
    return NoAnswer(Failed.MALFORMED, "the answer cannot be decompressed")


def no_connection(error: BaseException, url: str, proxy: str | None, *, past_proxy: bool) -> NoAnswer:
    """The error for a connection that was not made.

    :param error: of a library. Causes are searched too.
    :param url: address of the server.
    :param proxy: address of the proxy.
    :param past_proxy: whether the proxy may have been reached.
    """
    server = host_of(url)
    if proxy is None:
        return _reason(error, server) or _unreachable(f"no connection to {server}")
    status = getattr(error, "status", None) or next(map(int, _TUNNEL_STATUS.findall(str(error))), None)
    if status is not None:
        return refused_by_proxy(proxy, status)
    name = f"the proxy {name_of(proxy)}"
    if not past_proxy:
        return _reason(error, name) or _unreachable(f"no connection to {name}", "Correct HTTPS_PROXY or NO_PROXY")
    # The end of the connection may come from the proxy.
    found = None if cause(error, ssl.SSLEOFError) else _reason(error, server)
    remedy = "Check that the server runs, and that the proxy reaches it"
    return found or _unreachable(f"no connection to {server} through {name}", remedy)


def refused_by_proxy(proxy: str, status: int) -> NoAnswer:
    """The error for a proxy that answered instead of the server."""
    remedy = "Write user:password@ into its address" if status == 407 else "Check its rules"
    problem = f"the proxy {name_of(proxy)} answered HTTP {status}"
    return _unreachable(problem, f"{remedy}, or list the host in NO_PROXY")


def _unreachable(facts: str, remedy: str = "") -> NoAnswer:
    return NoAnswer(Failed.UNREACHABLE, facts, remedy)


def _reason(error: BaseException, server: str) -> NoAnswer | None:
    """The error for TLS that failed; None for another reason."""
    certificate = cause(error, ssl.SSLCertVerificationError)
    if certificate is not None:
        other = f"is refused: {certificate.verify_message}", "Ask the server's operator"
        problem, remedy = _FAULTS.get(certificate.verify_code, other)
        return _unreachable(f"the certificate of {server} {problem}", remedy)
    if cause(error, ssl.SSLError) is not None:
        return _unreachable(f"no TLS connection to {server}", "Check that it speaks TLS")
    return None


def cause(error: BaseException, *kinds: type[E]) -> E | None:
    """The first error of some classes that an error is or wraps: requests wraps in `args`, urllib3 in `reason`.

    `__context__` does not count: it may be an unrelated error that the caller handles.
    """
    seen: list[BaseException] = []
    queue: list[object] = [error]
    while queue:
        item = queue.pop()
        if isinstance(item, kinds):
            return item
        if isinstance(item, BaseException) and item not in seen:
            seen.append(item)
            queue += [item.__cause__, getattr(item, "reason", None), *item.args]
    return None


def redirect_target(location: str | None, texts: ForeignTexts) -> str:
    """The target of a redirect, for a message: without login, query and the secrets of `texts`."""
    try:
        parts = urlsplit(location or "")
        host = parts.netloc.rpartition("@")[2]
    except ValueError:
        return "an invalid address"
    scheme = f"{parts.scheme}:" if parts.scheme else ""
    return texts.clean(f"{scheme}{host and '//' + host}{parts.path}", QUOTED_CHARACTERS) or "no address"
