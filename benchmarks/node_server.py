"""A node on loopback that tells an era and an election window, for `node.py`: `python -m benchmarks.node_server FOLDER CHAIN`."""

from __future__ import annotations

import sys

from staking_gateway.chain import storage
from tests.chain.fake_node import FakeNode
from tests.chain.packages import published_metadata

ERA = 1392
_STARTED = "0x70050000" + "01" + "0068e5cf8b010000"
_CLOSED = "0x00"
_METHODS = (
    "chain_getBlockHash",
    "chain_getHead",
    "chain_getHeader",
    "state_getMetadata",
    "state_getRuntimeVersion",
    "state_getStorage",
)


def _main(version: str, chain: str) -> None:
    node = FakeNode(published_metadata(version, chain))
    node.storage[storage.ACTIVE_ERA] = _STARTED
    node.storage[storage.MULTI_PHASE] = _CLOSED
    node.results["rpc_methods"] = {"version": 1, "methods": list(_METHODS)}
    try:
        sys.stdout.write(node.url("ws") + "\n")
        sys.stdout.flush()
        sys.stdin.read()
    finally:
        node.close()


if __name__ == "__main__":
    _main(*sys.argv[1:])
