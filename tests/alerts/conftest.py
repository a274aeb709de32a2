"""A live Airflow whose network owes an era nobody pays, a receiver for its messages, and a DAG scheduled on its events."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from watchnet import PATIENCE, Watched

from demo.receiver import Receiver
from demo.stack import ROOT


@pytest.fixture(scope="session")
def receiver():
    """Where the messages arrive."""
    with Receiver() as made:
        yield made


@pytest.fixture(scope="session")
def net(tmp_path_factory, receiver):
    """Airflow is up, and the election window is open: the run of the era that has ended waits."""
    folder = tmp_path_factory.mktemp("alerts")
    watched = Watched(folder, receiver)
    dags = folder / "dags"
    shutil.copytree(ROOT / "dags", dags, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(Path(__file__).parent / "dags" / "consumer.py", dags)
    with watched.chain, watched.stack:
        watched.control.window("open")
        watched.stack.environment["AIRFLOW__CORE__DAGS_FOLDER"] = str(dags)
        watched.stack.migrate()
        watched.stack.start()
        watched.wait(lambda: not watched.stack.unhealthy(), PATIENCE, "Airflow is up", watched.stack.unhealthy)
        api = watched.stack.api
        api.log_in()
        for dag_id in (watched.dag_id, "consumer"):
            watched.wait(lambda dag_id=dag_id: api.dag(dag_id), PATIENCE, f"{dag_id} is known", api.import_errors)
            api.unpause(dag_id)
        yield watched


@pytest.fixture(scope="session")
def paid(net):
    """The window has closed, and the run of the era is green; its id."""
    net.control.window("closed")
    run_id = net.wait(net.newest_run, PATIENCE, "the scheduler has made the run")["dag_run_id"]
    net.wait(lambda: net.newest_run()["state"] == "success", PATIENCE, "the run is green", lambda: net.states(run_id))
    return run_id
