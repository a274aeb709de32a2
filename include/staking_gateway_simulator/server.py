"""The HTTP server around the gateway and its control interface."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from aiohttp import web

from staking_gateway.http.endpoint import is_loopback
from staking_gateway_simulator.control import Control
from staking_gateway_simulator.fault_plan import FaultPlan
from staking_gateway_simulator.faults import Delivery
from staking_gateway_simulator.faulty_gateway import FaultyGateway, Reply
from staking_gateway_simulator.gateway import PATHS, Answer, Call, front_door
from staking_gateway_simulator.node import SimulatedNode
from staking_gateway_simulator.serving import Server

if TYPE_CHECKING:
    from staking_gateway_simulator.simulation import Simulation

MAX_BODY = 1024 * 1024
"""Longest request body in bytes."""
_LISTEN_AGAIN_SECONDS = 0.05
"""Pause before trying again to take back a port which somebody else took in between."""
_RESET_ON_CLOSE = struct.pack("ii", 1, 0)
"""See SO_LINGER in socket(7): unsent data is thrown away and the peer is told with an RST."""


class SimulatorServer(Server):
    """Serves one simulation until it is stopped.

    :param simulation: closed together with the server.
    """

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        plan = FaultPlan(simulation.settings.faults, simulation.settings.fault_seed)
        self._gateway = FaultyGateway(simulation, plan)
        self._control = Control(simulation, plan)
        self._node = SimulatedNode(simulation)
        self._stopping = asyncio.Event()
        self._away: asyncio.Task[None] | None = None
        app = web.Application(client_max_size=MAX_BODY)
        for path in PATHS:
            app.router.add_post(path, self._serve_gateway)
        app.router.add_post("/node", self._serve_node)
        app.router.add_route("*", "/control/{name}", self._serve_control)
        app.router.add_get("/healthz", _serve_health)
        # A call that is never answered ends when the caller hangs up.
        super().__init__(app, handler_cancellation=True)

    async def stop(self) -> None:
        """Stop listening, answer the calls that are held back, close the state file."""
        self._stopping.set()
        if self._away is not None:
            await self._away
        await super().stop()
        self._simulation.close()

    async def _serve_gateway(self, request: web.Request) -> web.StreamResponse:
        try:
            body = await request.read()
        except web.HTTPRequestEntityTooLarge:
            return _whole(front_door(413, "Request Too Long"))
        if self._is_away:
            # It came over a connection made before.
            _close(request, reset=False)
            return web.Response()
        if request.content_type != "application/json":
            return _whole(front_door(415, "Unsupported Media Type"))
        reply = self._gateway.respond(Call(request.path, request.headers, body))
        if reply.fault is not None and reply.fault.delivery is Delivery.REFUSED and reply.fault.seconds:
            await self._site.stop()
            self._away = asyncio.create_task(self._come_back(reply.fault.seconds))
        elif self._control.latency:
            await _hold(self._control.latency, self._stopping)
        return await _deliver(request, reply, self._stopping)

    @property
    def _is_away(self) -> bool:
        return self._away is not None and not self._away.done()

    async def _come_back(self, seconds: float) -> None:
        """Listen again after a while; until then new connections are refused."""
        await _hold(seconds, self._stopping)
        while not self._stopping.is_set():
            self._site = web.TCPSite(self._runner, self._host, self._port)
            try:
                await self._site.start()
            except OSError:
                await self._site.stop()
                await _hold(_LISTEN_AGAIN_SECONDS, self._stopping)
            else:
                return

    async def _serve_node(self, request: web.Request) -> web.Response:
        return web.json_response(self._node.respond(await request.read()))

    async def _serve_control(self, request: web.Request) -> web.Response:
        remote = (request.remote or "").removeprefix("::ffff:")  # of a socket for both families
        if not (is_loopback(remote) and all(map(_names_loopback, _claimed_hosts(request)))):
            return _whole(front_door(403, "The control interface answers to this machine only"))
        status, value = self._control.respond(request.method, request.match_info["name"], await request.read())
        return web.json_response(value, status=status)


async def _deliver(request: web.Request, reply: Reply, stopping: asyncio.Event) -> web.StreamResponse:
    """Send a reply, or do to the connection what its fault says.

    :param stopping: set when the server stops; nothing is held back any longer then.
    """
    delivery = reply.fault.delivery if reply.fault is not None else Delivery.ANSWERED
    if reply.fault is not None and delivery is Delivery.LATE:
        await _hold(reply.fault.seconds, stopping)
    if delivery is Delivery.SILENT:
        await stopping.wait()
    if reply.answer is None:
        _close(request, reset=delivery is Delivery.RESET)
        return web.Response()
    if delivery is Delivery.TRUNCATED:
        return await _send_half(request, reply.answer)
    return _whole(reply.answer)


async def _hold(seconds: float, stopping: asyncio.Event) -> None:
    """Wait, but not beyond the server's end."""
    with contextlib.suppress(asyncio.TimeoutError):
        await asyncio.wait_for(stopping.wait(), seconds)


def _whole(answer: Answer) -> web.Response:
    """The answer as it is."""
    return web.Response(status=answer.status, body=answer.body, headers=answer.headers)


def _close(request: web.Request, *, reset: bool) -> None:
    """End a connection without an answer. What the handler returns after that finds it closed, and is not sent."""
    transport = request.transport
    if transport is None:
        return
    if reset:
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
    transport.abort()


async def _send_half(request: web.Request, answer: Answer) -> web.StreamResponse:
    response = web.StreamResponse(status=answer.status, headers=answer.headers)
    response.content_length = len(answer.body)
    await response.prepare(request)
    await response.write(answer.body[: len(answer.body) // 2])
    if request.transport is not None:
        request.transport.close()
    return response


async def _serve_health(request: web.Request) -> web.Response:
    del request
    return web.json_response({"status": "ok"})


def _claimed_hosts(request: web.Request) -> list[str]:
    """Whom a browser says it talks to, and on whose behalf: a page from elsewhere must not reach the control interface
    through a name that it points to this machine.
    """
    origin = request.headers.get("Origin")
    return ["//" + request.headers.get("Host", "")] + ([origin] if origin is not None else [])


def _names_loopback(url: str) -> bool:
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return False
    return is_loopback(host)
