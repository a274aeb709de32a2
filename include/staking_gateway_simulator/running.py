"""A simulator in a thread of its own, for tests and notebooks, and a client of the control interface."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import requests

from staking_gateway.errors import StakingGatewayError
from staking_gateway_simulator.server import SimulatorServer
from staking_gateway_simulator.serving import RunningServer
from staking_gateway_simulator.settings import SimulatorSettings
from staking_gateway_simulator.simulation import Simulation

if TYPE_CHECKING:
    from staking_gateway_simulator.truth import Truth

_CONTROL_TIMEOUT = 30.0


class SimulatorControl:
    """Drives the control interface of a simulator, in this process or in another one. Safe to use from any thread.

    :param url: base URL of the simulator.
    """

    def __init__(self, url: str) -> None:
        self._url = url

    def truth(self) -> Truth:
        """What was executed, requested, owed and lost."""
        return cast("Truth", self._call("GET", "truth"))

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

    def rewards(self) -> dict[str, Any]:
        """The reward of each era, what of it was paid, and the share of each account."""
        return self._call("GET", "rewards")

    def pay_elsewhere(self, era: int, **accounts: str) -> dict[str, Any]:
        """Pay an era as somebody else would. An era that is paid already is paid again, and pays no staker.

        :param accounts: `user`, `payer` and `relayer`, instead of //Eve and //Ferdie.
        """
        return self._call("POST", "payout", era=era, **accounts)

    def leave_unpaid(self, payouts: int = 1) -> dict[str, Any]:
        """Let the next payouts be Processed without paying a staker."""
        return self._call("POST", "unpaid", payouts=payouts)

    def faults(self) -> dict[str, Any]:
        """Seed and rules of the faults, how often each rule struck, and how often each fault took effect so far."""
        return self._call("GET", "faults")

    def set_faults(self, *rules: str | dict[str, Any], seed: int = 0) -> dict[str, Any]:
        """Replace the rules of the faults; without any, nothing goes wrong any more.

        :param rules: each as `FaultRule.of` reads it, e.g. `reset-after:times=1`.
        :param seed: decides where chance has a part in it.
        """
        return self._call("POST", "faults", rules=list(rules), seed=seed)

    def _call(self, method: str, name: str, **fields: Any) -> dict[str, Any]:
        response = requests.request(
            method, f"{self._url}/control/{name}", json=fields if method == "POST" else None, timeout=_CONTROL_TIMEOUT
        )
        value: dict[str, Any] = response.json()
        if response.status_code != 200:
            raise StakingGatewayError(f"/control/{name}: {value.get('message')}")
        return value


class RunningSimulator(RunningServer):
    """A simulator on 127.0.0.1 for as long as the context lasts.

    :param state: the state file; None keeps everything in memory.
    :param port: 0 takes a free one.
    """

    def __init__(
        self,
        settings: SimulatorSettings | None = None,
        *,
        state: Path | None = None,
        port: int = 0,
        read_clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(port)
        self.settings = settings or SimulatorSettings()
        self.token = self.settings.tokens[0] if self.settings.tokens else ""
        self._state = state
        self._read_clock = read_clock

    @property
    def control(self) -> SimulatorControl:
        return SimulatorControl(self.url)

    def _make_server(self) -> SimulatorServer:
        return SimulatorServer(Simulation(self.settings, self._state, self._read_clock))
