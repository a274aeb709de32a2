"""The HTTP server around the signing service, and one in a thread of its own for tests and notebooks."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from aiohttp import web

from staking_gateway.signing import LocalSigner
from staking_gateway_simulator.serving import RunningServer
from staking_gateway_simulator.signer.counts import CountFile
from staking_gateway_simulator.signer.policy import Role, SigningPolicy
from staking_gateway_simulator.signer.service import SigningService

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MAX_BODY = 4096
"""Longest request body in bytes; the longest known message takes 436 of them."""
PATIENCE = 5.0
"""Seconds in which a caller must send the header of a request, and again its body. Otherwise the connection ends."""


class SignerServer:
    """Serves one signing service until it is stopped.

    :param counts: closed together with the server.
    :param patience: seconds for a header, and again for a body.
    """

    def __init__(self, service: SigningService, counts: CountFile, *, patience: float = PATIENCE) -> None:
        self._service = service
        self._patience = patience
        self._counts = counts
        app = web.Application(client_max_size=MAX_BODY)
        app.router.add_get("/accounts/{account}", self._serve_account)
        app.router.add_post("/sign", self._serve_signature)
        # aiohttp measures the wait for each header with this setting, also for the first one of a connection.
        self._runner = web.AppRunner(
            app, access_log=None, shutdown_timeout=1.0, keepalive_timeout=patience, lingering_time=patience
        )

    async def start(self, host: str, port: int) -> int:
        """Listen.

        :param port: 0 takes a free one.
        :returns: the port.
        :raises OSError: the address cannot be listened on.
        """
        await self._runner.setup()
        await web.TCPSite(self._runner, host, port).start()
        return int(self._runner.addresses[0][1])

    async def stop(self) -> None:
        """Stop listening and close the count file."""
        await self._runner.cleanup()
        self._counts.close()

    async def _serve_account(self, request: web.Request) -> web.Response:
        if not self._service.admits(request.headers.get("Authorization", "")):
            return _refused()
        status, value = self._service.holds(request.match_info["account"])
        return web.json_response(value, status=status)

    async def _serve_signature(self, request: web.Request) -> web.Response:
        if not self._service.admits(request.headers.get("Authorization", "")):
            return _refused()
        try:
            body = await asyncio.wait_for(request.read(), self._patience)
        except TimeoutError:
            response = web.json_response({"reason": f"the body did not arrive in {self._patience:g} s"}, status=408)
            response.force_close()
            return response
        except web.HTTPRequestEntityTooLarge:
            return web.json_response({"reason": f"a request has {MAX_BODY} bytes at most"}, status=413)
        status, value = self._service.sign(body)
        return web.json_response(value, status=status)


class RunningSigner(RunningServer):
    """A signer on 127.0.0.1 for as long as the context lasts. What it signed is kept in memory.

    :param policy: what may be signed.
    :param users: mnemonics, 0x seeds or key URIs of users.
    :param payers: the same of payers.
    :param token: access token every caller must have.
    :param port: 0 takes a free one.
    :param read_clock: real time in seconds since 1970.
    :param patience: seconds for the header of a request, and again for its body.
    """

    def __init__(
        self,
        policy: SigningPolicy,
        *,
        users: Sequence[str] = ("//Alice",),
        payers: Sequence[str] = ("//Charlie",),
        token: str,
        port: int = 0,
        read_clock: Callable[[], float] = time.time,
        patience: float = PATIENCE,
    ) -> None:
        super().__init__(port)
        self.token = token
        self._policy = policy
        self._signers = {
            role: [LocalSigner(key) for key in keys] for role, keys in ((Role.USER, users), (Role.PAYER, payers))
        }
        self._read_clock = read_clock
        self._patience = patience

    def _make_server(self) -> SignerServer:
        counts = CountFile(None)
        service = SigningService(self._signers, self._policy, counts, self.token, self._read_clock)
        return SignerServer(service, counts, patience=self._patience)


def _refused() -> web.Response:
    return web.json_response({"reason": "the bearer token is missing or wrong"}, status=403)
