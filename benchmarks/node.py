"""Era and window from a node, beside substrate-interface, which decodes the runtime's metadata first."""

from __future__ import annotations

import statistics
from typing import Any

from benchmarks.node_server import ERA
from benchmarks.processes import ProcessFailed, fresh, served
from benchmarks.results import Findings, Line, Scale, at_least, duration
from tests.chain import packages

_ROW = "node read"
_FASTER = 50.0
_MESSAGES = 3
"""Of ours: which chain, which block, and all there is to know of that block."""
_OLD = ("v11", "substrate", "Staking.EraElectionStatus")
"""The runtimes whose election window the gateway tells: metadata 11, an election status."""
_NEW = ("v14", "polkadot", "ElectionProviderMultiPhase.CurrentPhase")
"""Those of today: metadata 14, an election in phases, which each runtime numbers in its own way."""

Times = dict[str, dict[str, float]]


def era_and_window(scale: Scale) -> Findings:
    """Each read in a process of its own, so that nothing is known yet."""
    packages.install()
    old = _read(_OLD, scale.of(7, 2))
    new = _read(_NEW, scale.of(5, 1))
    size = len(packages.published_metadata(*_OLD[:2])) // 2000
    own, peer = old["ours"], old["peer"]
    lines = [
        _line(
            "substrate-interface's metadata query, cold: from connecting to the answer",
            own["reading"],
            peer["reading"],
            f"constant: no metadata is read; substrate-interface took {duration(peer['reading'])} for {size} kB of it",
            f"ours opens a websocket and exchanges {_MESSAGES} messages with a server in Python; the rest is the machine's",
        ),
        _line(
            "the same in a new Python, with the loading of libraries",
            sum(own.values()),
            sum(peer.values()),
            reason=f"of our {duration(sum(own.values()))}, {duration(own['loading'])} load libraries, once a process; reading takes "
            f"{duration(own['reading'])}",
        ),
        _line(
            "the query of a runtime with election phases (metadata 14), from connecting to the answer",
            new["ours"]["reading"],
            new["peer"]["reading"],
            "with the metadata, once for each runtime and process",
            reason="phases are told by number and each runtime names them in its metadata, so that it is sent and walked through here "
            "too",
        ),
    ]
    return Findings(lines)


def _line(against: str, own: float, peer: float, growth: str = "", reason: str = "") -> Line:
    return Line(_ROW, against, duration(own), duration(peer), peer / own, at_least(_FASTER, "x faster"), growth, reason)


def _read(runtime: tuple[str, str, str], rounds: int) -> Times:
    version, chain, window = runtime
    found: dict[str, list[dict[str, Any]]] = {"ours": [], "peer": []}
    with served("benchmarks.node_server", version, chain) as node:
        for _ in range(rounds):
            for way, told in found.items():
                told.append(fresh("benchmarks.node_run", way, node, window))
    answers = {(one["era"], one["window"]) for told in found.values() for one in told}
    if len(answers) != 1 or next(iter(answers))[0] != ERA:
        raise ProcessFailed(f"era and window are not the same for all: {answers}")
    return {
        way: {part: statistics.median(one[part] for one in told) for part in ("loading", "reading")}
        for way, told in found.items()
    }
