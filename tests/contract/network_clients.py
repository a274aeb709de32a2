"""Everything that opens a connection, behind one face, and a server that answers all of it."""

import asyncio
import base64
import hashlib
import json

from faults import ALICE, TOKEN

from staking_gateway import AsyncGatewayClient, GatewayClient
from staking_gateway.chain import ChainReader
from staking_gateway.http.endpoint import Endpoint, ReadRetry
from staking_gateway.signing.remote import RemoteSigner
from staking_gateway.types import AccountId
from tests.support.nodes import close_nodes

GENESIS = "0x" + "ab" * 32
ERA = 1392
_ONCE = ReadRetry(attempts=1)


def _blocking(url, ca_bundle):
    with GatewayClient(_gateway(url, ca_bundle), TOKEN) as client:
        assert client.active_era() == ERA


def _async(url, ca_bundle):
    async def ask():
        async with AsyncGatewayClient(_gateway(url, ca_bundle), TOKEN) as client:
            assert await client.active_era() == ERA

    asyncio.run(ask())


def _gateway(url, ca_bundle):
    return Endpoint(url, allow_http=True, ca_bundle=ca_bundle, retry=_ONCE, timeouts=(5, 5, 5))


def _node(url, ca_bundle):
    try:
        reader = ChainReader(url, allow_ws=True, ca_bundle=ca_bundle, timeout=5)
        assert reader.identity().genesis_hash == GENESIS
    finally:
        close_nodes()


def _websocket(url, ca_bundle):
    _node(url.replace("http", "ws", 1), ca_bundle)


def _signer(url, ca_bundle):
    RemoteSigner(url, TOKEN, AccountId.parse(ALICE), allow_http=True, ca_bundle=ca_bundle).check()


CLIENTS = {
    "gateway, blocking": _blocking,
    "gateway, async": _async,
    "node, http": _node,
    "node, websocket": _websocket,
    "remote signer": _signer,
}
"""Each calls the server at a URL, and raises an error of this package when it gets no sound answer."""


def sound(exchange):
    """The right answer to each client."""
    if exchange.request.header("Upgrade"):
        _serve_websocket(exchange)
        return False
    asked = exchange.request.json if exchange.request.body else {}
    exchange.answer(json.dumps(_answer(asked)).encode())
    return True


def _serve_websocket(exchange):
    (key,) = exchange.request.header("Sec-WebSocket-Key")
    accept = base64.b64encode(hashlib.sha1(f"{key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11".encode()).digest())
    exchange.send(
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Accept: %s\r\n\r\n" % accept
    )
    while (head := exchange.read(2)) and head[0] & 15 == 1:
        length = head[1] & 127
        if length == 126:
            length = int.from_bytes(exchange.read(2), "big")
        mask = exchange.read(4)
        asked = json.loads(bytes(byte ^ mask[index % 4] for index, byte in enumerate(exchange.read(length))))
        answer = json.dumps(_answer(asked)).encode()
        exchange.send(b"\x81\x7e" + len(answer).to_bytes(2, "big") + answer)


def _answer(asked):
    results = {"getActiveEra": str(ERA), "chain_getBlockHash": GENESIS, "system_chain": "Chain"}
    return {"jsonrpc": "2.0", "id": asked.get("id"), "result": results.get(asked.get("method"))}
