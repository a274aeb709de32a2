"""A gateway on loopback which answers as a test tells it to, down to single bytes, and counts what reaches it."""

import contextlib
import json
import socket
import struct
import threading
from dataclasses import dataclass


@dataclass(frozen=True)
class Request:
    """One request, as it arrived.

    :param connection: number of the connection it came on, from 1.
    """

    verb: str
    target: str
    headers: list[tuple[str, str]]
    body: bytes
    connection: int

    def header(self, name):
        return [value for key, value in self.headers if key.lower() == name.lower()]

    @property
    def json(self):
        return json.loads(self.body)


class Exchange:
    """A request and the open connection to answer it on."""

    def __init__(self, request, connection, stream, stopping):
        self.request = request
        self._connection = connection
        self._stream = stream
        self._stopping = stopping

    def read(self, size):
        """What the client sends after its request."""
        return self._stream.read(size)

    def tunnel(self, port):
        """Pass all bytes on to a port of this machine and back, as a proxy does after CONNECT."""
        with socket.create_connection(("127.0.0.1", port)) as target:
            back = threading.Thread(target=_pump, args=(target, self._connection), daemon=True)
            back.start()
            _pump(self._connection, target)
            back.join(5)

    def send(self, data):
        self._connection.sendall(data)

    def answer(self, body, status="200 OK", headers=()):
        lines = [f"HTTP/1.1 {status}", "Content-Type: application/json", f"Content-Length: {len(body)}", *headers]
        self.send("\r\n".join([*lines, "", ""]).encode("latin-1") + body)

    def result(self, value):
        self.answer(json.dumps({"jsonrpc": "2.0", "result": value, "id": self.request.json["id"]}).encode())

    def repeat(self, data, *, every=0.0):
        """Send the bytes again and again, until the client or the test has had enough."""
        while not self._stopping.wait(every):
            self.send(data)

    def hold(self):
        """Say nothing more until the client hangs up or the test is over."""
        self._connection.settimeout(0.05)
        while not self._stopping.is_set():
            with contextlib.suppress(TimeoutError, socket.timeout):
                if not self._connection.recv(1024):
                    return

    def reset(self):
        """Break the connection the rude way, with an RST."""
        self._connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def _pump(source, target):
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)


class BrokenServer:
    """Serves on 127.0.0.1 until `close()`.

    `script` holds a behaviour for each coming request; the last one stays. A behaviour gets the `Exchange`; when it returns
    True the connection is kept alive, else closed.
    """

    def __init__(self, tls=None):
        self.requests = []
        self.connections = 0
        self.script = []
        self.connection_closed = threading.Event()
        self._tls = tls
        self._stopping = threading.Event()
        self._open = set()
        self._threads = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self.port}"
        self._start(self._accept)

    def close(self):
        self._stopping.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for connection in list(self._open):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(30)
            assert not thread.is_alive()

    @property
    def count(self):
        return len(self.requests)

    def _start(self, target, *args):
        thread = threading.Thread(target=target, args=args, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self):
        while not self._stopping.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            self._start(self._serve, connection, self.connections)

    def _serve(self, connection, number):
        try:
            with contextlib.suppress(OSError):  # the client may hang up at any point, that is what the tests are about
                if self._tls:
                    connection = self._tls.wrap_socket(connection, server_side=True)
                self._open.add(connection)
                with connection.makefile("rb") as stream:
                    while self._exchange(connection, stream, number):
                        pass
        finally:
            self._open.discard(connection)
            connection.close()
            self.connection_closed.set()

    def _exchange(self, connection, stream, number):
        first = stream.readline()
        if not first:
            return False
        verb, target, _ = first.decode("latin-1").split(" ", 2)
        headers = []
        while line := stream.readline().strip():
            name, _, value = line.decode("latin-1").partition(":")
            headers.append((name, value.strip()))
        length = next((int(value) for name, value in headers if name.lower() == "content-length"), 0)
        request = Request(verb, target, headers, stream.read(length), number)
        self.requests.append(request)
        behaviour = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        return bool(behaviour(Exchange(request, connection, stream, self._stopping)))
