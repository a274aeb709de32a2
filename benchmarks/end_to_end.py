"""Many accounts through the operator: what the ledger costs, and how memory grows."""

from __future__ import annotations

import json
import statistics
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks import checks
from benchmarks.processes import fresh, served
from benchmarks.results import Curve, Findings, Line, Scale, at_least, at_most, rate
from benchmarks.rounds import where_time_goes
from staking_gateway.accounts import BATCH
from staking_gateway.ledger import Ledger
from staking_gateway.types import StakingStatus

_ROW = "status end to end"
_AT_A_TIME = 64
_MEGABYTE = 1e6


def operator(scale: Scale) -> Findings:
    """`StakingStatusOperator.execute()`, with and without the ledger, each in turn in one process; and its peak memory."""
    count, few = scale.of(10_000, 2_000), scale.of(1_000, 200)
    addresses = [account.address for account in checks.accounts(count)]
    with served("benchmarks.server") as gateway:
        pairs = [(True, False), (False, True)] * scale.of(4, 1)
        seconds = _run(gateway, addresses, [stored for pair in pairs for stored in pair])["seconds"]
        took = [dict(zip(pair, seconds[2 * turn :], strict=False)) for turn, pair in enumerate(pairs)]
        stored, unstored = (statistics.median(pair[kept] for pair in took) for kept in (True, False))
        ratio = statistics.median(pair[False] / pair[True] for pair in took)
        steps = sorted({few, 2 * few, 5 * few, count})
        peaks = {step: float(_run(gateway, addresses[:step], [True])["peak"]) for step in steps}
    each = (peaks[count] - peaks[few]) / (count - few)
    memory = [(float(step), peak / _MEGABYTE) for step, peak in peaks.items()]
    own, peer = count / stored, count / unstored
    speed = Line(
        _ROW,
        f"the same {count:,} checks without the ledger",
        rate(own),
        rate(peer),
        ratio,
        at_least(0.8),
        f"the ledger takes {(stored - unstored) / count * 1e6:.0f} us an account",
    )
    if not speed.reached:
        speed = replace(
            speed,
            reason=f"{count:,} checks took {unstored:.2f} s, storing them {stored - unstored:.2f} s more, and both want the same "
            f"processor; profiled, storing goes to {_storing(count)}",
        )
    size = Line(
        _ROW,
        f"peak memory of {few:,} accounts",
        f"{peaks[count] / _MEGABYTE:.0f} MB with {count:,}",
        f"{peaks[few] / _MEGABYTE:.0f} MB",
        peaks[count] / peaks[few],
        at_most(1.2),
        f"{each / 1000:.2f} kB more an account",
        reason=f"each account keeps {each / 1000:.2f} kB",
    )
    curve = Curve(
        "status-memory", "Peak memory of a status task", "accounts", "MB", {"StakingStatusOperator.execute()": memory}
    )
    return Findings([speed, size], [curve])


def _storing(count: int) -> str:
    """Where the time of the ledger's writes goes."""
    found = [(account, StakingStatus.IS_STAKING) for account in checks.accounts(count)]
    with tempfile.TemporaryDirectory(prefix="staking-gateway-benchmark-") as folder:
        ledger = Ledger(f"sqlite:///{Path(folder) / 'ledger.db'}")
        try:
            parts = [found[start : start + BATCH] for start in range(0, count, BATCH)]
            return where_time_goes(lambda: [ledger.record_statuses("benchmark", 1, part) for part in parts])
        finally:
            ledger.close()


def _run(gateway: str, addresses: list[str], turns: list[bool]) -> Any:
    connection = {"conn_type": "staking_gateway", "host": gateway, "password": checks.TOKEN}
    with tempfile.TemporaryDirectory(prefix="staking-gateway-benchmark-") as home:
        return fresh(
            "benchmarks.operator_run",
            given={"accounts": addresses, "at_a_time": _AT_A_TIME, "turns": turns},
            AIRFLOW_HOME=home,
            AIRFLOW__CORE__LOAD_EXAMPLES="False",
            AIRFLOW_CONN_STAKING_GATEWAY_DEFAULT=json.dumps(connection),
        )
