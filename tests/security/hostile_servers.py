"""What a hostile server does with a connection, beyond the faults of the contract tests: it floods, drips, packs and plants."""

from __future__ import annotations

import gzip
import json
import secrets
import threading
from functools import cache
from typing import TYPE_CHECKING, Any

from faults import CHUNKED, endless, raw

if TYPE_CHECKING:
    from collections.abc import Callable

    from broken_server import Exchange

    Behaviour = Callable[[Exchange], Any]

_OK = b"HTTP/1.1 200 OK\r\n"
_LINE = b"y" * 4000


@cache
def _packed(size: int) -> bytes:
    """An answer of compressed zeros."""
    content = gzip.compress(bytes(size), 9)
    return _OK + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(content) + content


def bomb(size: int) -> Behaviour:
    """Sends such an answer."""

    def behave(exchange: Exchange) -> Any:
        return raw(_packed(size))(exchange)

    return behave


def plant_cookies(exchange: Exchange) -> bool:
    """Ninety cookies of four kilobytes, other ones each time, with a sound answer."""
    asked = json.loads(exchange.request.body or b"{}")
    number = asked.get("id") if isinstance(asked, dict) else None
    body = json.dumps({"jsonrpc": "2.0", "result": "1392", "id": number}).encode()
    planted = tuple(f"Set-Cookie: {secrets.token_hex(8)}={secrets.token_hex(2000)}" for _ in range(90))
    exchange.answer(body, headers=planted)
    return True


FLOODS: dict[str, Behaviour] = {
    "a body": endless(_OK + b"\r\n", b"[[[[" * 1000),
    "chunks": endless(CHUNKED, b"fa0\r\n" + _LINE + b"\r\n"),
    "headers": endless(_OK, b"X-H: " + _LINE + b"\r\n"),
    "one header": endless(_OK + b"X-H: ", _LINE),
    "a gzip bomb": bomb(20_000_000),
}
"""Each goes on for as long as the client reads, or unpacks to far more than an answer may have."""

_HANGS = 120
"""Seconds after which something hangs; the clients here give up after one or less."""


def bounded(call: Callable[[], Any], kind: type[Exception]) -> Any:
    """The value of a call, or its error of a kind; it must not hang."""
    came: list[Any] = []

    def run() -> None:
        try:
            came.append(call())
        except kind as error:
            came.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(_HANGS)
    assert not thread.is_alive(), "it hangs"
    assert came, "something else was raised, see the thread's error"
    return came[0]
