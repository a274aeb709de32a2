"""A place alerts are sent to."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Receiver:
    """Takes messages on loopback, in the order they come. A context manager.

    :ivar messages: the `staking_alert` of each.
    """

    def __init__(self):
        self.messages = []
        answer = self.answer

        class Take(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                answer(self, json.loads(body)["staking_alert"])

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Take)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.1,), daemon=True)

    def answer(self, exchange, message):
        """Take a message; a subclass may answer otherwise."""
        self.messages.append(message)
        self.reply(exchange, 200)

    @staticmethod
    def reply(exchange, status):
        """Answer without a body."""
        exchange.send_response(status)
        exchange.send_header("Content-Length", "0")
        exchange.end_headers()

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *raised):
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
