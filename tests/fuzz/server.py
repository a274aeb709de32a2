"""A server on loopback that answers each request with given bytes."""

from __future__ import annotations

import contextlib
import socket
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Asked:
    """A request: headers with names in lower case, and body."""

    headers: dict[str, str]
    body: bytes


class CannedServer:
    """Calls `answer` for each request; the connection ends with an answer of which `ends` is true.

    :ivar answer: gives the bytes of an answer.
    """

    def __init__(self) -> None:
        self.answer: Callable[[Asked], bytes] = lambda asked: b""
        self.ends = True
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=16)
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError, ValueError), connection.makefile("rb") as stream:
            while stream.readline():
                headers = {}
                while line := stream.readline().strip():
                    name, _, value = line.decode("latin-1").partition(":")
                    headers[name.lower()] = value.strip()
                body = stream.read(int(headers.get("content-length", 0)))
                connection.sendall(self.answer(Asked(headers, body)))
                if self.ends:
                    connection.shutdown(socket.SHUT_WR)
                    while connection.recv(65536):  # the client may still send
                        pass
                    return
