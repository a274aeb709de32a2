"""One live Airflow for all tests of this folder."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from livenet import ACTIVE, BRISK, PATIENCE, Livenet

ERAS_DOWN = 7


@pytest.fixture(scope="session")
def livenet(tmp_path_factory):
    """Airflow, and the networks; nothing is scheduled yet."""
    with Livenet(tmp_path_factory.mktemp("recovery")) as livenet:
        yield livenet


@pytest.fixture(scope="session")
def rivals(livenet):
    """Ids of runs of one era, of which one paid it: a backfill's, the schedule's and two manual ones.

    They waited at the open election window, and were let go at once.
    """
    steady = livenet.steady
    steady.control.window("open")
    (backfilled,) = steady.backfill(ACTIVE - 1, ACTIVE - 1)
    manual = [steady.trigger(ACTIVE - 1) for _ in range(2)]
    steady.stack.api.unpause(steady.dag_id)

    def look():
        return next((run["dag_run_id"] for run in steady.all_runs() if run["run_type"] == "scheduled"), None)

    scheduled = steady.wait(look, PATIENCE, "the scheduler has begun")
    run_ids = [backfilled, *manual, scheduled]
    for run_id in run_ids:
        steady.deferred(run_id)
    assert steady.sends() == 0
    steady.control.window("closed")
    assert [run["state"] for run in steady.finished(run_ids)] == ["success"] * 4
    assert {steady.outcome(run_id) for run_id in run_ids} <= {"PAID", "ALREADY_PAID"}
    assert steady.executed()[ACTIVE - 1] == len(steady.requested(ACTIVE - 1)) == 1
    return run_ids


@pytest.fixture
def steady(livenet, rivals):
    """The network with eras of an hour, whose Airflow DAG the scheduler runs; the era before the active one is paid."""
    return livenet.steady


@dataclass(frozen=True)
class Outage:
    """A time in which the chain went on and Airflow did not.

    :param first: the first era the network ever owed.
    :param eras: those that ended while Airflow was down.
    """

    network: object
    first: int
    eras: range


@pytest.fixture(scope="session")
def after_seven_eras_down(livenet):
    """Every brisk network after its outage, by name, its Airflow DAG paused: scheduler, triggerer, dag-processor and api-server
    were down for seven eras, and the scheduler has gone on with a later one.
    """
    networks = [livenet.networks[name] for name in BRISK]
    first = {}
    for network in networks:
        livenet.give_birth(network)
        first[network.name] = network.control.state()["first_payable_era"]
        network.stack.api.unpause(network.dag_id)
    for network in networks:
        network.wait(network.executed, PATIENCE, f"{network.name} has paid an era")
    livenet.stop()
    eras = {}
    for network in networks:
        active = network.active()
        eras[network.name] = range(active, active + ERAS_DOWN)
    for network in networks:
        last = eras[network.name][-1]
        network.wait(lambda n=network, e=last: n.active() > e, PATIENCE, f"era {last} of {network.name} is over")
        assert not set(eras[network.name]) & set(network.executed())
    livenet.start()
    for network in networks:
        last = eras[network.name][-1]
        network.wait(lambda n=network, e=last: max(n.runs_per_era()) > e, PATIENCE, "the scheduler goes on")
        network.pause()
    return {network.name: Outage(network, first[network.name], eras[network.name]) for network in networks}
