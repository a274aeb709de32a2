"""Reads era and window from a node, once and cold: `python -m benchmarks.node_run WAY URL WINDOW`.

WAY is `ours` or `peer`, WINDOW the item that tells the window, as Pallet.Item. The last line it writes is JSON: the active era, the
window, and the seconds from connecting to the answer.
"""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    Reading = Callable[[str, str], tuple[int, Any]]


def _load_ours() -> Reading:
    from staking_gateway.chain import ChainReader
    from staking_gateway.chain.websocket_wire import WebsocketWire

    _ = WebsocketWire  # else loaded on connecting; the peer loads the same library with itself

    def read(url: str, _: str) -> tuple[int, Any]:
        state = ChainReader(url).state()
        return state.active_era, state.phase

    return read


def _load_peer() -> Reading:
    from substrateinterface import SubstrateInterface

    def read(url: str, window: str) -> tuple[int, Any]:
        with SubstrateInterface(url=url) as node:
            era = node.query("Staking", "ActiveEra").value["index"]
            return era, node.query(*window.split(".")).value

    return read


def _main(way: str, url: str, window: str) -> None:
    read = _load_ours() if way == "ours" else _load_peer()
    start = time.perf_counter()
    era, phase = read(url, window)
    told = {"era": era, "window": phase, "reading": time.perf_counter() - start}
    sys.stdout.write("\n" + json.dumps(told) + "\n")


if __name__ == "__main__":
    _main(*sys.argv[1:])
