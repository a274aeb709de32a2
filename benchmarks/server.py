"""A gateway that does as little as a gateway can, so that what is measured is the client.

It runs in a process of its own, answers every call with `isStaking` under the call's id after a set delay, and ends with whoever
started it. Its answers are as long as a real gateway's, its checks are none.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import selectors
import sys

_ID = re.compile(rb'"id":\s*("[^"]*"|[0-9]+)')
_LENGTH = re.compile(rb"content-length:\s*([0-9]+)", re.IGNORECASE)
_CLOSE = re.compile(rb"connection:\s*close", re.IGNORECASE)
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: %d\r\n\r\n"
_BODY = b'{"jsonrpc":"2.0","id":%s,"result":"isStaking"}'


class _Connection(asyncio.Protocol):
    """Answers the requests of one connection, each `latency` seconds after it has come in whole."""

    def __init__(self, latency: float) -> None:
        self._latency = latency
        self._received = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way back."""
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - what a TCP server gives
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer what is complete."""
        self._received += data
        while (end := self._received.find(b"\r\n\r\n")) >= 0:
            head = self._received[:end]
            length = _LENGTH.search(head)
            whole = end + 4 + (int(length[1]) if length else 0)
            if len(self._received) < whole:
                return
            body, self._received = self._received[end + 4 : whole], self._received[whole:]
            found = _ID.search(body)
            answer = _BODY % (found[1] if found else b"null")
            self._later(_HEAD % len(answer) + answer, close=_CLOSE.search(head) is not None)

    def _later(self, answer: bytes, *, close: bool) -> None:
        if self._latency:
            asyncio.get_running_loop().call_later(self._latency, self._write, answer, close)
        else:
            self._write(answer, close)

    def _write(self, answer: bytes, close: bool) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(answer)
            if close:
                self._transport.close()


async def _serve(latency: float) -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: _Connection(latency), "127.0.0.1", 0, backlog=1024)
    port = server.sockets[0].getsockname()[1]
    sys.stdout.write(f"http://127.0.0.1:{port}\n")
    sys.stdout.flush()
    # Whoever started this holds the other end of stdin; when it is gone, so is the need for this process.
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each answer")
    latency = parser.parse_args().latency
    # The default selector is quicker, but rounds every wait up to a whole millisecond.
    selector = selectors.SelectSelector() if latency else selectors.DefaultSelector()
    loop = asyncio.SelectorEventLoop(selector)
    try:
        loop.run_until_complete(_serve(latency))
    finally:
        loop.close()


if __name__ == "__main__":
    _main()
