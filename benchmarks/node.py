"""The era from a node with a real runtime's metadata, beside substrate-interface."""

from __future__ import annotations

import json
import sys
from functools import partial
from threading import Thread
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

from benchmarks.harness import PACKAGES, Line, MeasurementFailed, by_turns, run

ERA = 1392
METADATA = PACKAGES / ".metadata/node_modules/@polkadot/types-support/metadata/v14/polkadot-hex.js"
STORAGE = {
    # The item ActiveEra of Staking holds a number and the time of its start.
    "0x5f3e4907f716ac89b6347d15ececedca487df464e44a534ba6b0cbb32407b587": "0x70050000010068e5cf8b010000",
}
HASH = "0x" + "ab" * 32
ANSWERS: dict[str, Any] = {
    "rpc_methods": {"methods": ["chain_getHead", "state_getRuntimeVersion", "state_getStorage"]},
    "system_chain": "Benchmark",
    "system_properties": {"ss58Format": 0, "tokenSymbol": "DOT", "tokenDecimals": 10},
    "chain_getBlockHash": HASH,
    "chain_getHead": HASH,
    "chain_getFinalizedHead": HASH,
    "chain_getHeader": {"parentHash": HASH, "number": "0x1"},
    "state_getRuntimeVersion": {"specName": "benchmark", "specVersion": 1, "transactionVersion": 1},
}
OURS = """
from staking_gateway.chain import ChainReader
def read(url):
    return ChainReader(url).state().active_era
"""
PEER = """
from substrateinterface import SubstrateInterface
def read(url):
    node = SubstrateInterface(url=url)
    return node.query("Staking", "ActiveEra").value["index"]
"""
TIMED = """
import json, sys, time
began = time.process_time()
era = read(sys.argv[1])
print("\\n" + json.dumps([era, time.process_time() - began]))
"""
"""After the way that reads: prints the era and the processor seconds."""


def measure() -> list[Line]:
    """Polkadot's metadata of version 14; each read in a process of its own, from connecting to the answer."""
    text = METADATA.read_text().split("'")[1]
    answers = {**ANSWERS, "state_getMetadata": "0x" + text[text.index("6d657461") :]}  # without the length before it

    def answer(call: dict[str, Any]) -> dict[str, Any]:
        result = answers.get(call["method"])
        if call["method"] == "state_getStorage":
            result = STORAGE.get(call["params"][0])
        elif call["method"] == "state_queryStorageAt":
            result = [{"block": HASH, "changes": [[key, STORAGE.get(key)] for key in call["params"][0]]}]
        return {"jsonrpc": "2.0", "id": call["id"], "result": result}

    def serve(request: dict[str, Any], start: Any) -> list[bytes]:
        asked = json.loads(request["wsgi.input"].read(int(request["CONTENT_LENGTH"])))
        start("200 OK", [("Content-Type", "application/json")])
        return [json.dumps([answer(call) for call in asked] if isinstance(asked, list) else answer(asked)).encode()]

    quiet = type("Quiet", (WSGIRequestHandler,), {"log_message": lambda *_: None})
    with make_server("127.0.0.1", 0, serve, handler_class=quiet) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        pairs = by_turns(partial(read, OURS, url), partial(read, PEER, url), 3)
        server.shutdown()
    return [Line("a process's first read: processor time", "substrate-interface", pairs)]


def read(way: str, url: str) -> float:
    era, spent = run([sys.executable, "-c", way + TIMED, url])
    if era != ERA:
        raise MeasurementFailed(f"read era {era}")
    return float(spent)
