"""A simulator in a thread of its own, for tests and notebooks, and a client of the control interface."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

import requests

from staking_gateway.errors import StakingGatewayError
from staking_gateway.simulator.server import SimulatorServer
from staking_gateway.simulator.settings import SimulatorSettings
from staking_gateway.simulator.simulation import Simulation

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import TracebackType

_CONTROL_TIMEOUT = 30.0


class ControlRefused(StakingGatewayError):
    """The control interface refused a call; the text is its message."""


class SimulatorControl:
    """Drives the control interface of a simulator, in this process or in another one. Safe to use from any thread.

    :param url: base URL of the simulator.
    """

    def __init__(self, url: str) -> None:
        self._url = url

    def truth(self) -> dict[str, Any]:
        """What was executed, requested, owed and lost."""
        return self._call("GET", "truth")

    def state(self) -> dict[str, Any]:
        """Where the chain is now and what changes next."""
        return self._call("GET", "state")

    def advance(self, *, eras: int | None = None, seconds: float | None = None) -> dict[str, Any]:
        """Put the chain's clock forward; the state after it is returned, as by every change."""
        given = {"eras": eras, "seconds": seconds}
        return self._call("POST", "advance", **{name: value for name, value in given.items() if value is not None})

    def window(self, state: str) -> dict[str, Any]:
        """Force the election window `open` or `closed`, or give it back with `auto`."""
        return self._call("POST", "window", state=state)

    def latency(self, seconds: float) -> dict[str, Any]:
        """Hold every answer of the gateway back for so long."""
        return self._call("POST", "latency", seconds=seconds)

    def fee(self, amount: int) -> dict[str, Any]:
        """Change the relayer fee."""
        return self._call("POST", "fee", amount=str(amount))

    def staking(self, account: str, staking: bool) -> dict[str, Any]:
        """Say whether an account stakes."""
        return self._call("POST", "staking", account=account, staking=staking)

    def nonce(self, account: str, kind: str, by: int = 1) -> dict[str, Any]:
        """Use nonces of an account, as somebody else would."""
        return self._call("POST", "nonce", account=account, kind=str(kind), by=by)

    def _call(self, method: str, name: str, **fields: Any) -> dict[str, Any]:
        response = requests.request(
            method, f"{self._url}/control/{name}", json=fields if method == "POST" else None, timeout=_CONTROL_TIMEOUT
        )
        value: dict[str, Any] = response.json()
        if response.status_code != 200:
            raise ControlRefused(f"/control/{name}: {value.get('message')}")
        return value


class RunningSimulator:
    """A simulator on 127.0.0.1 for as long as the context lasts.

    :param settings: see `SimulatorSettings`.
    :param state: the state file; None keeps everything in memory.
    :param port: 0 takes a free one.
    :param read_clock: real time in seconds since 1970.
    """

    def __init__(
        self,
        settings: SimulatorSettings | None = None,
        *,
        state: Path | None = None,
        port: int = 0,
        read_clock: Callable[[], float] = time.time,
    ) -> None:
        self.settings = settings or SimulatorSettings()
        self.token = self.settings.tokens[0] if self.settings.tokens else ""
        self.port = port
        self._state = state
        self._read_clock = read_clock
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop
        self._stop: asyncio.Event

    @property
    def url(self) -> str:
        """Base URL."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def control(self) -> SimulatorControl:
        """Its control interface."""
        return SimulatorControl(self.url)

    def start(self) -> None:
        """Start serving; returns when calls are answered.

        :raises OSError: the port is taken.
        :raises StateFileError: the state file cannot be used.
        """
        simulation = Simulation(self.settings, self._state, self._read_clock)
        listening: Future[int] = Future()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._serve(simulation, listening)), name="simulator", daemon=True
        )
        self._thread.start()
        self.port = listening.result()

    def stop(self) -> None:
        """Stop serving; returns when the port and the state file are free."""
        if self._thread is not None and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join()

    def __enter__(self) -> RunningSimulator:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    async def _serve(self, simulation: Simulation, listening: Future[int]) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        server = SimulatorServer(simulation)
        try:
            listening.set_result(await server.start("127.0.0.1", self.port))
            await self._stop.wait()
        except OSError as error:
            listening.set_exception(error)
        finally:
            await server.stop()
