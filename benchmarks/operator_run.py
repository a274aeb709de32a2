"""Runs StakingStatusOperator in a process of its own: `python -m benchmarks.operator_run`, with JSON on standard input.

Given `accounts`, `at_a_time` and `turns`, a list of booleans: whether a turn stores what it finds in the ledger. The last line it
writes is JSON: the `seconds` of each turn, and the `peak` memory of the process in bytes.
"""

from __future__ import annotations

import json
import logging
import resource
import sys
import time
from pathlib import Path
from typing import Any

_STATUS = Path("/proc/self/status")


class _TaskInstance:
    """What the operator uses of Airflow's."""

    dag_id, run_id, try_number = "benchmark", "manual__1", 1

    def xcom_push(self, key: str, value: Any) -> None:
        """Take the result as the worker does, which spells it as JSON."""
        del key
        json.dumps(value)


def peak_memory() -> int:
    """Most bytes this process has had in memory at once."""
    if _STATUS.exists():  # what getrusage tells on Linux may be the parent's
        (line,) = (line for line in _STATUS.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _check(accounts: list[str], at_a_time: int, era: int | None) -> float:
    from staking_gateway_provider.operators.status import StakingStatusOperator

    operator = StakingStatusOperator(
        task_id=f"statuses_{era}", accounts=accounts, era=era, network="benchmark", concurrency=at_a_time
    )
    start = time.perf_counter()
    result = operator.execute({"ti": _TaskInstance(), "partition_key": None})
    seconds = time.perf_counter() - start
    if result["staking"] != len(accounts):
        raise SystemExit(f"{result['staking']} of {len(accounts)} accounts were checked")
    return seconds


def _main() -> None:
    given = json.load(sys.stdin)
    logging.disable(logging.CRITICAL)  # what a worker would write to a file
    accounts, at_a_time = given["accounts"], given["at_a_time"]
    _check(accounts[:64], at_a_time, 1)  # imports what is imported on first use, makes the ledger
    seconds = [_check(accounts, at_a_time, turn if stored else None) for turn, stored in enumerate(given["turns"], 2)]
    sys.stdout.write("\n" + json.dumps({"seconds": seconds, "peak": peak_memory()}) + "\n")


if __name__ == "__main__":
    _main()
