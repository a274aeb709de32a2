"""How a reply goes out over HTTP: whole, or as its fault will have it, down to the connection."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from typing import TYPE_CHECKING

from aiohttp import web

from staking_gateway_simulator.faults import Delivery

if TYPE_CHECKING:
    from staking_gateway_simulator.faulty_gateway import Reply
    from staking_gateway_simulator.gateway import Answer

_RESET_ON_CLOSE = struct.pack("ii", 1, 0)
"""See SO_LINGER in socket(7): unsent data is thrown away and the peer is told with an RST."""


async def deliver(request: web.Request, reply: Reply, stopping: asyncio.Event) -> web.StreamResponse:
    """Send a reply, or do to the connection what its fault says.

    :param stopping: set when the server stops; nothing is held back any longer then.
    """
    delivery = reply.fault.delivery if reply.fault is not None else Delivery.ANSWERED
    if reply.fault is not None and delivery is Delivery.LATE:
        await hold(reply.fault.seconds, stopping)
    if delivery is Delivery.SILENT:
        await stopping.wait()
    if reply.answer is None:
        close(request, reset=delivery is Delivery.RESET)
        return web.Response()
    if delivery is Delivery.TRUNCATED:
        return await _send_half(request, reply.answer)
    return whole(reply.answer)


async def hold(seconds: float, stopping: asyncio.Event) -> None:
    """Wait, but not beyond the server's end."""
    with contextlib.suppress(asyncio.TimeoutError):
        await asyncio.wait_for(stopping.wait(), seconds)


def whole(answer: Answer) -> web.Response:
    """The answer as it is."""
    return web.Response(status=answer.status, body=answer.body, headers=answer.headers)


def close(request: web.Request, *, reset: bool) -> None:
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
