"""Statuses of many accounts, beside avn-api, the gateway's published JavaScript client.

`python -m benchmarks.status LATENCY` is a gateway that answers every call with `isStaking` after so many seconds.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from aiohttp import web

from benchmarks.harness import PACKAGES, Line, MeasurementFailed, by_turns, run, served
from staking_gateway import AsyncGatewayClient
from staking_gateway.accounts import check_statuses, run_quickly
from staking_gateway.types import AccountId, StakingStatus

TOKEN = "simulator-token"
AT_A_TIME, WARM_UP = 64, 256
WALL, PROCESSOR = 0, 1  # of the figures of each way


def measure() -> list[Line]:
    """Wait for a slow gateway, where wall time counts; then keep a quick one busy, where the client's processor time counts."""
    accounts = [AccountId.parse(f"0x{number:064x}") for number in range(1, 5_001)]
    with served("benchmarks.status", "0.02") as slow, served("benchmarks.status", "0") as quick:
        waiting = by_turns(lambda: ours(slow, accounts)[WALL], lambda: avn_api(slow, accounts)[WALL], 5)
        beside = by_turns(lambda: ours(quick, accounts)[PROCESSOR], lambda: avn_api(quick, accounts)[PROCESSOR], 5)
    version = json.loads((PACKAGES / "avn-api" / "package.json").read_text())["version"]
    peer = f"avn-api {version}"
    return [
        Line("5,000 statuses, 64 at a time, 20 ms per answer: wall time", peer, waiting),
        Line("5,000 statuses: the client's processor time", peer, beside),
    ]


def ours(gateway: str, accounts: Sequence[AccountId]) -> tuple[float, float]:
    """`check_statuses`, as the operator calls it: wall and processor seconds, after a warm-up."""

    async def check() -> tuple[float, float]:
        async with AsyncGatewayClient(gateway, TOKEN) as client:
            for some in (accounts[:WARM_UP], accounts):
                wall, processor = time.perf_counter(), time.process_time()
                found: dict[AccountId, object] = {}
                await check_statuses(client, some, concurrency=AT_A_TIME, on_answer=found.__setitem__)
                if list(found.values()) != [StakingStatus.IS_STAKING] * len(some):
                    raise MeasurementFailed("a wrong answer")
            return time.perf_counter() - wall, time.process_time() - processor

    return run_quickly(check())


def avn_api(gateway: str, accounts: Sequence[AccountId]) -> tuple[float, float]:
    """The JavaScript client with as many calls at a time."""
    given = {"gateway": gateway, "accounts": [account.address for account in accounts]}
    command = ["node", str(Path(__file__).with_name("statuses.js"))]
    told = run(command, {**given, "warm_up": WARM_UP, "at_a_time": AT_A_TIME})
    return told["wall"], told["processor"]


async def serve(latency: float) -> None:
    async def answer(request: web.Request) -> web.Response:
        asked = await request.json()
        await asyncio.sleep(latency)
        return web.json_response({"jsonrpc": "2.0", "id": asked["id"], "result": "isStaking"})

    app = web.Application()
    app.router.add_post("/{path:.*}", answer)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, backlog=1024).start()
    print(f"http://127.0.0.1:{runner.addresses[0][1]}", flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    await runner.cleanup()


if __name__ == "__main__":
    asyncio.run(serve(float(sys.argv[1])))
