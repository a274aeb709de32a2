"""A node on loopback, over HTTP and websocket, with storage a test writes and faults a test orders."""

import asyncio
import contextlib
import hashlib
import json
import threading
from collections import Counter

import xxhash
from aiohttp import WSMsgType, web

from staking_gateway_simulator.node import NodeRpc
from tests.chain.metadata14 import avn_runtime
from tests.support.nodes import close_nodes

GENESIS = "0x" + "ab" * 32
NAME = "Fake Chain"


def storage_key(pallet, item):
    """Key of a plain storage item."""
    parts = (xxhash.xxh64(name.encode(), seed=seed) for name in (pallet, item) for seed in (0, 1))
    return "0x" + b"".join(part.intdigest().to_bytes(8, "little") for part in parts).hex()


def map_key(pallet, item, *arguments, hasher="Twox64Concat"):
    """Key of an entry of a map whose arguments are hashed alike."""
    found = storage_key(pallet, item)
    for argument in arguments:
        digest = hashlib.blake2b(argument, digest_size=16).digest()
        if hasher == "Twox64Concat":
            digest = xxhash.xxh64(argument, seed=0).intdigest().to_bytes(8, "little")
        found += (digest + argument).hex()
    return found


class FakeNode(NodeRpc):
    """Serves on 127.0.0.1 until `close()`.

    :param metadata: answer to `state_getMetadata`, 0x hex; by default that of a chain like AvN's first one.

    `faults` holds what happens to each coming message, None for a good answer; when it is empty all is well:

    - `close`, `abort`: the connection ends instead of an answer; `close_after`, `abort_after`: after it
    - `silence`: nothing is said; `drip`: an answer begins and never ends
    - `huge`, `not_json`, `not_rpc`, `other_id`: an answer of that kind
    - `busy`: a JSON-RPC error; `unknown`: the one for a missing method
    - a number: this HTTP status

    `on` holds the same for every message with a method.

    `changing` is called with a method, its parameters and the good result, and returns the result that is sent.

    `errors` holds the code and the message for a method and its first parameter (None for a list, or without one); `messages` the
    methods, in the order in which they came.
    """

    def __init__(self, metadata=None, tls=None):
        self.metadata = avn_runtime() if metadata is None else metadata
        self.genesis, self.name = GENESIS, NAME
        self.properties = {}
        self.block = 100
        self.final = None
        self.storage = {}
        self.blocks = {}
        self.results = {}
        self.faults = []
        self.on = {}
        self.errors = {}
        self.changing = lambda method, params, result: result
        self.messages = []
        self.calls = Counter()
        self.connections = 0
        self.asked = threading.Semaphore(0)
        self.hung_up = threading.Event()
        self._tls = tls
        self._loop = asyncio.new_event_loop()
        self._stopping = asyncio.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._ready = threading.Event()
        self.port = 0
        self._thread.start()
        assert self._ready.wait(10)

    def url(self, scheme):
        return f"{scheme}{'s' if self._tls else ''}://127.0.0.1:{self.port}"

    def close(self):
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stopping.set)
            self._thread.join(10)
            assert not self._thread.is_alive()

    def store(self, pallet, item, value):
        self.storage[storage_key(pallet, item)] = value

    # --- serving -------------------------------------------------------------------------------------------------------

    def _run(self):
        self._loop.run_until_complete(self._serve())
        self._loop.close()

    async def _serve(self):
        app = web.Application(client_max_size=1 << 24)
        app.router.add_route("*", "/{path:.*}", self._handle)
        runner = web.AppRunner(app, shutdown_timeout=0.2, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=self._tls)
        await site.start()
        self.port = runner.addresses[0][1]
        self._ready.set()
        await self._stopping.wait()
        await runner.cleanup()

    async def _handle(self, request):
        if request.headers.get("Upgrade", "").lower() == "websocket":
            self.connections += 1
            if self.faults and isinstance(self.faults[0], int):
                return web.Response(status=self.faults.pop(0))
            return await self._websocket(request)
        return await self._http(request)

    async def _websocket(self, request):
        socket = web.WebSocketResponse(timeout=0.05, autoclose=False, autoping=False)
        await socket.prepare(request)
        async for message in socket:
            if message.type is not WSMsgType.TEXT:
                continue
            asked = json.loads(message.data)
            fault = self._fault(asked)
            end = str(fault).partition("_")
            if fault in ("close", "abort"):
                await self._hang_up(request, socket, end[0])
                break
            if fault == "silence":
                await self._stopping.wait()
                break
            if fault == "drip":
                await self._drip(request, b"\x81\x7e\x40\x00")
                break
            await socket.send_str(self._answer(asked, fault))
            if fault in ("close_after", "abort_after"):
                await self._hang_up(request, socket, end[0])
                break
        return socket

    async def _http(self, request):
        asked = json.loads(await request.read())
        fault = self._fault(asked)
        if isinstance(fault, int):
            return web.Response(status=fault, headers={"Location": "/elsewhere"})
        if fault in ("abort", "close"):
            assert request.transport
            request.transport.abort()
            return web.Response()
        if fault == "silence":
            await self._stopping.wait()
            return web.Response()
        if fault == "drip":
            await self._drip(request, b"HTTP/1.1 200 OK\r\nContent-Length: 16000\r\n\r\n")
            return web.Response()
        response = web.Response(text=self._answer(asked, fault), content_type="application/json")
        if fault in ("close_after", "abort_after"):
            await response.prepare(request)
            await response.write_eof()
            assert request.transport
            request.transport.abort() if fault == "abort_after" else request.transport.close()
            self.hung_up.set()
        return response

    async def _hang_up(self, request, socket, how):
        if how == "close":
            await socket.close()
        else:
            assert request.transport
            request.transport.abort()
        self.hung_up.set()

    async def _drip(self, request, head):
        transport = request.transport
        transport.write(head)
        while not transport.is_closing() and not self._stopping.is_set():
            transport.write(b" ")
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), 0.02)

    # --- answering -----------------------------------------------------------------------------------------------------

    def _fault(self, asked):
        self.messages.append(asked["method"])
        self.calls[asked["method"]] += 1
        self.asked.release()
        return (self.faults.pop(0) if self.faults else None) or self.on.get(asked["method"])

    def _answer(self, asked, fault):
        if fault == "not_json":
            return "<html>Bad gateway</html>"
        if fault == "not_rpc":
            return "[]"
        return json.dumps(self._reply(asked, fault))

    def _reply(self, call, fault):
        reply = {"jsonrpc": "2.0", "id": call["id"] + 1000 * (fault == "other_id")}
        if fault == "huge":
            return reply | {"result": "x" * 5_000_000}
        error = {"busy": (-32000, "Server is busy"), "unknown": (-32601, "Method not found")}.get(str(fault))
        try:
            if error is None:
                method, params = call["method"], call["params"]
                return reply | {"result": self.changing(method, params, self._result(method, params))}
        except LookupError as missing:
            error = missing.args[0]
        code, message = error
        return reply | {"error": {"code": code, "message": message}}

    def _result(self, method, params):
        error = self.errors.get((method, params[0] if params and not isinstance(params[0], list) else None))
        if error is not None:
            raise LookupError(error)
        if method in self.results:
            return self.results[method]
        return self.result(method, params)

    # --- blocks --------------------------------------------------------------------------------------------------------

    def newest(self):
        return self.block

    def finalized(self):
        return self.block if self.final is None else self.final

    def hash_of(self, number):
        return self.genesis if number == 0 else f"0x{number:064x}"

    def number_of(self, hash_):
        return 0 if hash_ == self.genesis else int(hash_, 16)

    def is_pruned(self, number):
        return number != self.block and self.hash_of(number) not in self.blocks

    def check_runtime(self, params):
        """A block whose state is kept has the runtime of the block before."""
        number = self.number_of(params[0])
        if self.is_pruned(number + 1):
            self._state(params)

    def value(self, key, number):
        return self.blocks.get(self.hash_of(number), self.storage).get(key)


@contextlib.contextmanager
def serving(stored, **options):
    """A node with this in its storage; afterwards nobody in this process keeps a connection to it."""
    running = FakeNode(**options)
    running.storage = dict(stored)
    yield running
    close_nodes()
    running.close()
