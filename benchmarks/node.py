"""Era and window from a node, beside substrate-interface, which decodes the runtime's metadata first."""

from __future__ import annotations

import statistics
from typing import Any

from benchmarks.node_server import ERA
from benchmarks.processes import ProcessFailed, fresh, served
from benchmarks.results import Line, Scale, at_least, duration
from tests.chain.packages import HERE
from tests.support import npm

_ROW = "node read"
_FASTER = 50.0
_RUNTIME = ("v14", "polkadot", "ElectionProviderMultiPhase.CurrentPhase")
"""A runtime of today: metadata 14, an election in phases, which each runtime numbers in its own way."""


def era_and_window(scale: Scale) -> list[Line]:
    """Each read in a process of its own, so that nothing is known yet."""
    npm.install(HERE)
    seconds = _read(scale.of(5, 1))
    line = Line(
        _ROW,
        "substrate-interface's query, cold: from connecting to the answer",
        duration(seconds["ours"]),
        duration(seconds["peer"]),
        seconds["peer"] / seconds["ours"],
        at_least(_FASTER, "x faster"),
        "with the metadata, once for each runtime and process",
        "each runtime names its phases in its metadata, so that ours receives the metadata and walks through it too",
    )
    return [line]


def _read(rounds: int) -> dict[str, float]:
    version, chain, window = _RUNTIME
    found: dict[str, list[dict[str, Any]]] = {"ours": [], "peer": []}
    with served("benchmarks.node_server", version, chain) as node:
        for _ in range(rounds):
            for way, told in found.items():
                told.append(fresh("benchmarks.node_run", way, node, window))
    answers = {(one["era"], one["window"]) for told in found.values() for one in told}
    if len(answers) != 1 or next(iter(answers))[0] != ERA:
        raise ProcessFailed(f"era and window are not the same for all: {answers}")
    return {way: statistics.median(one["reading"] for one in told) for way, told in found.items()}
