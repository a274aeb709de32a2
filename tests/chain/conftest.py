"""Real runtimes and real metadata."""

import atexit
import json
import os
import shutil
import tempfile
from datetime import datetime, timezone

import pytest
from chopsticks import Chopsticks
from fake_node import FakeNode

from staking_gateway_simulator.running import RunningSimulator
from staking_gateway_simulator.settings import SimulatorSettings
from tests.support.nodes import close_nodes
from tests.support.npm import install

# Before Airflow is imported.
_HOME = tempfile.mkdtemp(prefix="staking-gateway-chain-")
atexit.register(shutil.rmtree, _HOME, ignore_errors=True)
os.environ["AIRFLOW_HOME"] = _HOME
os.environ["AIRFLOW__CORE__LOAD_EXAMPLES"] = "False"


@pytest.fixture(scope="session")
def packages():
    """The packages, installed."""
    install(chain=True)


@pytest.fixture(scope="module")
def chain(packages, tmp_path_factory):
    """Westend's first runtime at its genesis."""
    running = Chopsticks(tmp_path_factory.mktemp("chain"))
    try:
        running.start()
        yield running
    finally:
        close_nodes()
        running.close()


@pytest.fixture
def node(packages):
    """A node that tells what a test puts into it."""
    running = FakeNode()
    yield running
    close_nodes()
    running.close()


@pytest.fixture(scope="module")
def connect():
    """Sets an Airflow connection."""
    with pytest.MonkeyPatch.context() as patch:
        yield lambda conn_id, **fields: patch.setenv(f"AIRFLOW_CONN_{conn_id.upper()}", json.dumps(fields))


@pytest.fixture(scope="module")
def gateway():
    """A gateway whose own chain stands still at the start of era 1000, its window closed."""
    start = datetime(2026, 6, 1, tzinfo=timezone.utc)
    settings = SimulatorSettings(anchor_era=1000, anchor_time=start, start_time=start, manual_clock=True)
    with RunningSimulator(settings) as running:
        yield running
