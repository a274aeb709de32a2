"""Ways of checking the staking status of many accounts: ours, and what one would write or take instead.

Each runs in a fresh event loop, warms up with some checks, and returns the seconds the others took.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from typing import TYPE_CHECKING

import aiohttp

from benchmarks.results import MeasurementFailed
from staking_gateway import AsyncGatewayClient
from staking_gateway.accounts import check_statuses
from staking_gateway.http.endpoint import HEADERS
from staking_gateway.types import AccountId, StakingStatus

if TYPE_CHECKING:
    from collections.abc import Sequence

TOKEN = "simulator-token"
WARM_UP = 256


class WrongAnswer(MeasurementFailed):
    """A contender did not get what it asked for, so that its time means nothing."""


def accounts(count: int) -> list[AccountId]:
    """So many accounts, none of anybody's."""
    return [AccountId.parse(f"0x{number:064x}") for number in range(1, count + 1)]


def ours(gateway: str, watched: Sequence[AccountId], at_a_time: int) -> float:
    """`check_statuses`, as the operator calls it."""

    async def check() -> float:
        async with AsyncGatewayClient(gateway, TOKEN, concurrency=at_a_time) as client:
            await _drain(client, watched[:WARM_UP], at_a_time)
            start = time.perf_counter()
            await _drain(client, watched, at_a_time)
            return time.perf_counter() - start

    return asyncio.run(check())


async def _drain(client: AsyncGatewayClient, watched: Sequence[AccountId], at_a_time: int) -> None:
    found = 0
    async for _, status in check_statuses(client, watched, concurrency=at_a_time):
        found += status is StakingStatus.IS_STAKING
    if found != len(watched):
        raise WrongAnswer(f"{found} of {len(watched)} accounts")


def raw_aiohttp(gateway: str, watched: Sequence[AccountId], at_a_time: int) -> float:
    """The library alone: the same headers and time limits, workers that share the accounts, and the answer read as JSON."""

    async def check() -> float:
        connector = aiohttp.TCPConnector(limit=at_a_time)
        timeout = aiohttp.ClientTimeout(total=60, sock_connect=5, sock_read=35)
        headers = {**HEADERS, "Authorization": f"bearer {TOKEN}"}
        async with aiohttp.ClientSession(connector=connector, timeout=timeout, headers=headers) as session:
            await _share(session, f"{gateway}/query", watched[:WARM_UP], at_a_time)
            start = time.perf_counter()
            await _share(session, f"{gateway}/query", watched, at_a_time)
            return time.perf_counter() - start

    return asyncio.run(check())


async def _share(session: aiohttp.ClientSession, url: str, watched: Sequence[AccountId], at_a_time: int) -> None:
    coming, ids = iter(watched), itertools.count(1)

    async def worker() -> None:
        for account in coming:
            async with session.post(url, data=_body(account, next(ids))) as response:
                answer = await response.json()
                if answer["result"] != "isStaking":
                    raise WrongAnswer(answer)

    await asyncio.gather(*(worker() for _ in range(at_a_time)))


def _body(account: AccountId, number: int) -> bytes:
    params = {"accountId": account.address}
    envelope = {"jsonrpc": "2.0", "method": "getStakingStatus", "params": params, "id": number}
    return json.dumps(envelope, separators=(",", ":")).encode()
