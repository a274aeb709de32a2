"""The simulator in a process of its own: `python -m benchmarks.simulator_server SETTINGS`, a JSON object of `SimulatorSettings`."""

from __future__ import annotations

import json
import sys
from datetime import timedelta

from staking_gateway_simulator.running import RunningSimulator
from staking_gateway_simulator.settings import SimulatorSettings

ACTIVE_ERA = 2_000


def _main(given: str) -> None:
    chosen = json.loads(given)
    default = SimulatorSettings(**chosen)
    # Right at the start of an era, so that it lasts for the whole run.
    start = default.anchor_time + timedelta(seconds=default.era_length) * ACTIVE_ERA
    with RunningSimulator(SimulatorSettings(**chosen, start_time=start)) as simulator:
        sys.stdout.write(simulator.url + "\n")
        sys.stdout.flush()
        sys.stdin.read()


if __name__ == "__main__":
    _main(sys.argv[1])
