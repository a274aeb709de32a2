"""A client that may not have much memory: calls a server whose paths are named after what it does, and tells what came of it.

    python limited_client.py blocking|async|signer|webhook|node URL NAME...

Prints one JSON object: name to the class of the error, or the value.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import resource
import sys
from contextlib import suppress
from urllib.parse import quote

import psutil

from staking_gateway import AsyncGatewayClient, GatewayClient, chain, errors
from staking_gateway.alerts.webhook import Webhook
from staking_gateway.http.endpoint import Endpoint, ReadRetry, Timeouts
from staking_gateway.signing import MessageKind
from staking_gateway.signing import remote as remote_signer
from staking_gateway.types import AccountId

ROOM = 64 * 1024 * 1024
PATIENCE = 0.5
CALLS = 40
"""So often each is asked: what is kept from call to call adds up."""
ACCOUNT = AccountId.parse("0x" + "01" * 32)


async def main(kind: str, url: str, names: list[str]) -> dict[str, object]:
    with suppress(errors.StakingGatewayError):
        await ask(kind, f"{url}/nothing")
    used = psutil.Process().memory_info().data
    resource.setrlimit(resource.RLIMIT_DATA, (used + ROOM, used + ROOM))
    return {name: await came_of(kind, f"{url}/{quote(name)}", CALLS if name == "cookies" else 1) for name in names}


async def came_of(kind: str, url: str, times: int) -> object:
    try:
        return [await ask(kind, url) for _ in range(times)][-1]
    except errors.StakingGatewayError as error:
        return type(error).__name__


async def ask(kind: str, url: str) -> object:
    if kind == "signer":
        return remote_signer.RemoteSigner(url, "a-token", ACCOUNT).sign(MessageKind.PAYOUT, b"message")
    if kind == "webhook":
        return Webhook(url, attempts=1, timeout=PATIENCE).post({"text": "hello", "id": "1"})
    if kind == "node":
        chain.close_nodes()
        return chain.ChainReader(chain.NodeEndpoint(url, timeout=PATIENCE, max_response_bytes=65536)).state().active_era
    return await ask_gateway(GatewayClient if kind == "blocking" else AsyncGatewayClient, url)


CLIENTS: dict[tuple[type, str], GatewayClient | AsyncGatewayClient] = {}


async def ask_gateway(kind: type, url: str) -> object:
    """The client is kept, and with it whatever it keeps."""
    timeouts = Timeouts(connect=30, read=PATIENCE, total=PATIENCE)
    endpoint = Endpoint(url, timeouts=timeouts, retry=ReadRetry(attempts=1), max_response_bytes=64 * 1024)
    client = CLIENTS.setdefault((kind, url), kind(endpoint, "a-token"))
    answer = client.active_era()
    return await answer if inspect.isawaitable(answer) else answer


if __name__ == "__main__":
    remote_signer.ANSWER_SECONDS = PATIENCE
    print(json.dumps(asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3:]))))  # noqa: T201 - the parent reads it
    sys.stdout.flush()
