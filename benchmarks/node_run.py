"""Reads era and window from a node, once and cold: `python -m benchmarks.node_run WAY URL WINDOW`.

WAY is `ours` or `peer`, WINDOW the item that tells the window, as Pallet.Item. The last line it writes is JSON: the active era, the
window, the seconds it took to load what it needs, and those from connecting to the answer.
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
        # Metadata before 14 names its types and leaves it to a registry what they are.
        with SubstrateInterface(url=url, type_registry_preset="kusama") as node:
            era = node.query("Staking", "ActiveEra").value["index"]
            return era, node.query(*window.split(".")).value

    return read


def _main(way: str, url: str, window: str) -> None:
    start = time.perf_counter()
    read = _load_ours() if way == "ours" else _load_peer()
    loaded = time.perf_counter()
    era, phase = read(url, window)
    answered = time.perf_counter()
    told = {"era": era, "window": phase, "loading": loaded - start, "reading": answered - loaded}
    sys.stdout.write("\n" + json.dumps(told) + "\n")


if __name__ == "__main__":
    _main(*sys.argv[1:])
