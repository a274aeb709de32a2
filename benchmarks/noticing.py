"""How soon a payout is accepted after the election window has closed, and how many questions that takes, over sped-up eras.

Two wait for the end of each era at the same time, each with a simulator and a network of its own: a trigger that knows the era
calendar, and a fixed poll, 40 an era, as a sensor or a loop does it. Each then signs and sends the payout with the same bare client,
so that the difference is the waiting alone. The networks' eras are shifted against each other by a half, so that the closing of one
window does not disturb the other.

Run it with `python -m benchmarks.noticing [eras] [seconds per era]`.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from benchmarks.processes import fresh
from benchmarks.results import Line, Scale, at_most, duration
from staking_gateway.signing import LocalSigner, MessageKind, fee_payment_message, payout_message
from staking_gateway_simulator.accounts import DEV_ACCOUNTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from staking_gateway import AsyncGatewayClient

_READY = re.compile(r"ready at (\S+)")
_ROW = "noticing"
_ERA_SECONDS = 6.0
POLLS_PER_ERA = 40
_FEE = 10**17
_LEAD_SECONDS = 3.0
"""From the start of the simulators to the begin of the first era that counts, at least."""


def delays(scale: Scale) -> list[Line]:
    """From the closing of the window to the accepted payout: with the era calendar, and with a fixed poll."""
    eras = scale.of(30, 3)
    told = fresh("benchmarks.noticing", str(eras), str(_ERA_SECONDS))
    found, fixed = told["calendar"], told["fixed"]
    delay = Line(
        _ROW,
        f"a fixed poll, {POLLS_PER_ERA} an era: median delay",
        duration(found["median_delay"]),
        duration(fixed["median_delay"]),
        found["delay_ratio"],
        at_most(0.2),
        f"worst of {eras} eras: {duration(found['worst_delay'])}, fixed poll {duration(fixed['worst_delay'])}",
        f"sending alone is part of both delays; on average {duration(found['mean_delay'])} passed, "
        f"with the fixed poll {duration(fixed['mean_delay'])}",
    )
    requests = Line(
        _ROW,
        f"a fixed poll, {POLLS_PER_ERA} an era: requests",
        f"{found['questions'] / eras:.1f} an era",
        f"{fixed['questions'] / eras:.1f} an era",
        found["questions_ratio"],
        at_most(0.5),
        "linear in eras",
        f"{found['questions']:.0f} requests in {eras} eras, the fixed poll made {fixed['questions']:.0f}",
    )
    return [delay, requests]


@contextlib.contextmanager
def simulator(*arguments: str) -> Iterator[str]:
    """A simulator in a process of its own; gives its URL."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "staking_gateway_simulator", "--port", "0", "--state", f"{folder}/state"]
        with subprocess.Popen([*command, *arguments], stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 # our own program
            try:
                ready = _READY.search(process.stdout.readline() if process.stdout else "")
                if ready is None:
                    raise RuntimeError("the simulator did not start")
                yield ready[1]
            finally:
                process.terminate()


@dataclass
class _Network:
    """A chain whose eras begin at `start` plus a multiple of `length`."""

    name: str
    url: str
    start: float
    length: float
    noticed: list[float] = field(default_factory=list)
    paid: list[float] = field(default_factory=list)
    questions: int = 0

    def end_of(self, era: int) -> float:
        return self.start + (era + 1) * self.length


def noticing(*, eras: int = 30, era_length: float = 8.0) -> dict[str, Any]:
    """Measure.

    :param eras: how many are paid.
    :param era_length: seconds an era lasts; the fixed poll asks every 40th part of it.
    :returns: for `calendar` and `fixed`: `median_delay`, `mean_delay` and `worst_delay` in seconds from the closing to the
        accepted payout; `median_noticed` from the closing to the end of the wait; and `questions`, the requests of the waits.
        `delay_ratio` and `questions_ratio` of the first to the second.
    """
    now = time.time()
    with contextlib.ExitStack() as stack:
        networks = []
        for index, name in enumerate(("calendar", "fixed")):
            start = now - era_length * (1 + index / 2)
            anchor = datetime.fromtimestamp(start, timezone.utc).isoformat()
            url = stack.enter_context(
                simulator(
                    *("--era-length", str(era_length), "--window", str(era_length / 4), "--anchor-time", anchor),
                    *("--confirm-seconds", "0.2", "--unpaid-eras", "0", "--fee", str(_FEE)),
                )
            )
            networks.append(_Network(name, url, start, era_length))
        _prepare_airflow(networks, stack.enter_context(tempfile.TemporaryDirectory()))
        asyncio.run(_measure(networks, eras))
    result: dict[str, Any] = {network.name: _figures(network) for network in networks}
    calendar, fixed = result["calendar"], result["fixed"]
    calendar["delay_ratio"] = calendar["median_delay"] / fixed["median_delay"]
    calendar["questions_ratio"] = calendar["questions"] / fixed["questions"]
    return result


def _figures(network: _Network) -> dict[str, float]:
    return {
        "median_noticed": statistics.median(network.noticed),
        "median_delay": statistics.median(network.paid),
        "mean_delay": statistics.mean(network.paid),
        "worst_delay": max(network.paid),
        "questions": network.questions,
    }


def _prepare_airflow(networks: list[_Network], folder: str) -> None:
    from staking_gateway_simulator.settings import DEFAULT_TOKEN

    os.environ["AIRFLOW_HOME"] = folder
    for network in networks:
        connection = {"conn_type": "staking_gateway", "host": network.url, "password": DEFAULT_TOKEN}
        os.environ[f"AIRFLOW_CONN_{network.name.upper()}"] = json.dumps(connection)


async def _measure(networks: list[_Network], eras: int) -> None:
    await asyncio.gather(*(_pay_all(network, eras) for network in networks))


async def _pay_all(network: _Network, eras: int) -> None:
    """Wait for the end of each era, and pay it."""
    from staking_gateway import AsyncGatewayClient
    from staking_gateway_simulator.running import SimulatorControl
    from staking_gateway_simulator.settings import DEFAULT_TOKEN

    control = SimulatorControl(network.url)
    async with AsyncGatewayClient(network.url, DEFAULT_TOKEN) as client:
        LocalSigner("//Alice").sign(MessageKind.PAYOUT, b"once, to have all loaded")
        # All begin at the begin of an era.
        first = math.ceil((time.time() + _LEAD_SECONDS - network.start) / network.length)
        await asyncio.sleep(network.end_of(first - 1) - time.time())
        asked = await asyncio.to_thread(_questions, control)
        for nonce in range(eras):
            era = first + nonce
            await _wait(network, client, era)
            network.noticed.append(time.time() - network.end_of(era))
            await _pay(client, era, nonce)
            network.paid.append(time.time() - network.end_of(era))
        network.questions = await asyncio.to_thread(_questions, control) - asked


def _questions(control: Any) -> int:
    return int(control.truth()["calls"]["by_path"].get("/query", 0))


async def _pay(client: AsyncGatewayClient, era: int, nonce: int) -> None:
    relayer, user, payer = (DEV_ACCOUNTS[name] for name in ("//Bob", "//Alice", "//Charlie"))
    proxy = LocalSigner("//Alice").sign(MessageKind.PAYOUT, payout_message(relayer, era, nonce))
    fee = fee_payment_message(user, relayer, proxy, _FEE, nonce)
    await client.payout_stakers(
        relayer=relayer,
        user=user,
        payer=payer,
        era=era,
        proxy_signature=proxy,
        fee_payment_signature=LocalSigner("//Charlie").sign(MessageKind.FEE_PAYMENT, fee),
        payment_nonce=nonce,
    )


async def _wait(network: _Network, client: AsyncGatewayClient, era: int) -> None:
    if network.name == "fixed":
        await _poll(network, client, era)
    else:
        await _fire(network, era)


async def _fire(network: _Network, era: int) -> None:
    from staking_gateway_provider.triggers.election import ElectionWindowTrigger

    trigger = ElectionWindowTrigger(
        gateway_conn_id=network.name,
        poll_interval=network.length / POLLS_PER_ERA,
        deadline=time.time() + 10 * network.length,
        era=era,
        expected_at=network.end_of(era),
    )
    async for event in trigger.run():
        if event.payload["status"] != "done":
            raise RuntimeError(event.payload["message"])


async def _poll(network: _Network, client: AsyncGatewayClient, era: int) -> None:
    from staking_gateway.gateway.readiness import areadiness

    interval = network.length / POLLS_PER_ERA
    # Where in its interval a fixed poll stands when the window closes is chance.
    await asyncio.sleep(random.uniform(0, interval))  # noqa: S311
    while not (await areadiness(client, era=era)).ready:  # noqa: ASYNC110 # polling is what is measured
        await asyncio.sleep(interval)


def main(arguments: list[str]) -> None:
    """Measure and print."""
    eras, length = int(arguments[0]) if arguments else 30, float(arguments[1]) if arguments[1:] else 8.0
    sys.stdout.write(json.dumps(noticing(eras=eras, era_length=length), indent=2) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
