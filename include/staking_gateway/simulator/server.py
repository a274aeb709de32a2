"""The HTTP server around the gateway and its control interface."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from aiohttp import web

from staking_gateway.simulator.control import Control
from staking_gateway.simulator.gateway import PATHS, Answer, Call, Gateway, front_door

if TYPE_CHECKING:
    from staking_gateway.simulator.simulation import Simulation

MAX_BODY = 1024 * 1024
"""Longest request body in bytes."""
_SHUTDOWN_SECONDS = 1.0


class SimulatorServer:
    """Serves one simulation until it is stopped. Everything runs on the event loop it was started on.

    :param simulation: closed together with the server.
    """

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._gateway = Gateway(simulation)
        self._control = Control(simulation)
        self._stopping = asyncio.Event()
        app = web.Application(client_max_size=MAX_BODY)
        for path in PATHS:
            app.router.add_post(path, self._serve_gateway)
        app.router.add_route("*", "/control/{name}", self._serve_control)
        app.router.add_get("/healthz", _serve_health)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=_SHUTDOWN_SECONDS)

    async def start(self, host: str, port: int) -> int:
        """Listen.

        :param port: 0 takes a free one.
        :returns: the port.
        :raises OSError: the address cannot be listened on.
        """
        await self._runner.setup()
        site = web.TCPSite(self._runner, host, port)
        await site.start()
        return int(self._runner.addresses[0][1])

    async def stop(self) -> None:
        """Stop listening, answer the calls that are held back, close the state file."""
        self._stopping.set()
        await self._runner.cleanup()
        self._simulation.close()

    async def _serve_gateway(self, request: web.Request) -> web.Response:
        try:
            body = await request.read()
        except web.HTTPRequestEntityTooLarge:
            return _to_response(front_door(413, "Request Too Long"))
        answer = self._gateway.respond(Call(request.path, request.headers, body))
        if self._control.latency:
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), self._control.latency)
        return _to_response(answer)

    async def _serve_control(self, request: web.Request) -> web.Response:
        if not (_is_loopback(request.remote) and all(map(_names_loopback, _claimed_hosts(request)))):
            return _to_response(front_door(403, "The control interface answers to this machine only"))
        status, value = self._control.respond(request.method, request.match_info["name"], await request.read())
        return web.json_response(value, status=status)


async def _serve_health(request: web.Request) -> web.Response:
    del request
    return web.json_response({"status": "ok"})


def _to_response(answer: Answer) -> web.Response:
    return web.Response(status=answer.status, body=answer.body, headers=answer.headers)


def _claimed_hosts(request: web.Request) -> list[str]:
    """Whom a browser says it talks to, and on whose behalf: a page from elsewhere must not reach the control interface
    through a name that it points to this machine.
    """
    origin = request.headers.get("Origin")
    return ["//" + request.headers.get("Host", "")] + ([origin] if origin is not None else [])


def _names_loopback(url: str) -> bool:
    try:
        host = urlsplit(url).hostname
    except ValueError:
        return False
    return host == "localhost" or _is_loopback(host)


def _is_loopback(address: str | None) -> bool:
    try:
        parsed = ipaddress.ip_address(address or "")
    except ValueError:
        return False
    mapped = getattr(parsed, "ipv4_mapped", None)
    return bool((mapped or parsed).is_loopback)
