"""A live Airflow whose network owes an era nobody pays, a receiver for its messages, and a DAG scheduled on its events."""

from __future__ import annotations

import importlib
import shutil
import sys
from pathlib import Path

import pytest

import airflow
from demo.receiver import Receiver
from demo.stack import ROOT
from staking_gateway_simulator.running import RunningSimulator
from staking_gateway_simulator.settings import SimulatorSettings
from tests.support.live import ACTIVE, LiveNetwork
from tests.support.notifiers import webhook

SETTINGS = {
    # The network's era ends just before Airflow comes up.
    "alerts": {"notifiers": [webhook("staking_alerts_default")], "paid_within": "20s", "held_after": "20s"},
    "explorer_url": "https://explorer.example/tx/{tx_hash}",
    "catch_up": {"scheduled": False},
}


@pytest.fixture(scope="module")
def other_providers():
    """Packages of Airflow's other providers, which `make alerts` installs beside .venv."""
    folder = ROOT / ".venv-notifiers"
    if not folder.is_dir():
        pytest.fail("The packages of other providers are missing. Run: make alerts")
    added = str(folder / "airflow")
    sys.path.append(str(folder))
    airflow.__path__.append(added)
    importlib.invalidate_caches()
    yield
    sys.path.remove(str(folder))
    airflow.__path__.remove(added)


@pytest.fixture(scope="session")
def receiver():
    """Where the messages arrive."""
    with Receiver() as made:
        yield made


@pytest.fixture(scope="session")
def net(tmp_path_factory, receiver):
    """Airflow is up, and the election window is open: the run of the era that has ended waits."""
    folder = tmp_path_factory.mktemp("alerts")
    webhook = {"staking_alerts_default": {"conn_type": "http", "host": receiver.url}}
    net = LiveNetwork.alone(folder, "watched", more=webhook, **SETTINGS)
    anchor = net.network.calendar.anchors[0]
    rules = SimulatorSettings(
        anchor_era=ACTIVE,
        anchor_time=net.network.calendar.start(ACTIVE),
        era_length=anchor.length.total_seconds(),
        window=0,
        unpaid_eras=1,
        relayers=(net.network.relayer,),
    )
    dags = folder / "dags"
    shutil.copytree(ROOT / "dags", dags, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(Path(__file__).parent / "dags" / "consumer.py", dags)
    with RunningSimulator(rules, port=net.port), net.stack as stack:
        net.control.window("open")
        net.set_airflow(CORE__DAGS_FOLDER=dags)
        stack.migrate()
        stack.start()
        net.wait_until_up(net.dag_id, "consumer")
        for dag_id in (net.dag_id, "consumer"):
            stack.api.unpause(dag_id)
        yield net


@pytest.fixture(scope="session")
def paid(net):
    """The window has closed, and the run of the era is green; its id."""
    net.control.window("closed")
    run_id = net.scheduled_run()
    assert net.finished(run_id) == ["success"]
    return run_id
