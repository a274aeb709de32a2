"""Airflow is stopped in the middle of two payouts, the package is replaced, and each era is paid exactly once."""

from __future__ import annotations

import pytest

from staking_gateway.ledger import schema_state
from tests.support.live import ACTIVE
from tests.upgrades.upgradenet import Upgradenet, versions

IN_FLIGHT, WAITING = ACTIVE - 3, ACTIVE - 2
EXECUTED_AFTER = 90
"""Seconds from the acceptance of the payout in flight to its execution: it is in flight still when Airflow stops."""


@pytest.fixture(scope="module")
def upgraded(tmp_path_factory):
    """The network, and the runs that were in the middle of something when the package was replaced."""
    folder = tmp_path_factory.mktemp("upgrade")
    older, newer = versions(folder)
    net = Upgradenet.alone(folder, "upgraded", timing={"poll_interval": "1s", "lease": "4s"})
    with net.stack as stack:
        net.install(older)
        net.bring_up()
        net.control.set_faults(f"slow-execution:times=1:seconds={EXECUTED_AFTER}")
        runs = [net.trigger(IN_FLIGHT)]
        net.wait(lambda: net.requested(IN_FLIGHT), net.patience, "the payout is accepted")
        net.deferred(runs[0])
        before = schema_state(f"sqlite:///{stack.home / 'staking_ledger.db'}").current
        net.control.window("open")
        runs.append(net.trigger(WAITING))
        net.deferred(runs[1], "wait_for_window")
        assert net.executed(IN_FLIGHT) == []
        net.stop_all()

        net.install(newer)
        status = net.command("ledger", "status")
        upgrade = net.command("ledger", "upgrade")
        again = net.command("ledger", "status")
        net.start_all()
        net.control.window("closed")
        states = net.finished(*runs)
        yield net, older, runs, before, (status, upgrade, again), states


def test_runs_that_were_under_way_end_green_and_each_era_is_paid_exactly_once(upgraded):
    net, _, runs, *_, states = upgraded
    assert states == ["success", "success"]
    # Whoever comes first settles what is in flight: its own run, or the one that waits for the lane.
    assert net.outcome(runs[0]) in {"PAID", "ALREADY_PAID"}
    assert net.outcome(runs[1]) == "PAID"
    for era in (IN_FLIGHT, WAITING):
        assert len(net.requested(era)) == len(net.executed(era)) == 1


def test_no_task_was_tried_again(upgraded):
    net, _, runs, *_ = upgraded
    for run in runs:
        # Statuses of an era that is over for long cannot be known: their tasks are skipped. A task that the newer DAG lacks is removed.
        tasks = [task for task in net.stack.api.tasks(net.dag_id, run) if task["state"] not in {"skipped", "removed"}]
        assert {"wait_for_window", "previous_era", "payout", "report"} <= {task["task_id"] for task in tasks}
        assert {task["task_id"]: task["try_number"] for task in tasks} == {task["task_id"]: 1 for task in tasks}


def test_the_ledger_says_that_it_is_due_and_is_brought_up_to_date_by_command(upgraded):
    *_, before, (status, upgrade, again), _ = upgraded
    assert status[0] == 1
    assert before in status[1]
    assert (upgrade[0], again[0]) == (0, 0)


def test_the_older_version_refuses_the_upgraded_ledger_and_says_what_to_do(upgraded):
    net, older, *_ = upgraded
    net.stop_all()
    net.install(older)
    status, said = net.command("ledger", "upgrade")
    assert status == 1
    assert "Upgrade airflow-provider-staking-gateway on this machine; nothing was changed" in " ".join(said.split())
