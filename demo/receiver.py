"""A place alerts are sent to."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import TracebackType


class Receiver:
    """Takes messages on loopback, in the order they come; a context manager.

    :ivar messages: each as `announcement` gives it, and the `Idempotency-Key` it came under as `key`.
    """

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        answer = self.answer

        class Take(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                answer(self, {**body["staking_alert"], "key": self.headers["Idempotency-Key"]})

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Take)
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.1}, name="receiver", daemon=True
        )

    @property
    def base_url(self) -> str:
        """Where it listens; any path will do."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def url(self) -> str:
        """Where messages go."""
        return f"{self.base_url}/alerts"

    def answer(self, exchange: BaseHTTPRequestHandler, message: dict[str, Any]) -> None:
        """Take a message; who wants another answer overrides this."""
        self.messages.append(message)
        self.reply(exchange, 200)

    @staticmethod
    def reply(exchange: BaseHTTPRequestHandler, status: int) -> None:
        """Answer without a body."""
        exchange.send_response(status)
        exchange.send_header("Content-Length", "0")
        exchange.end_headers()

    def __enter__(self) -> Receiver:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
