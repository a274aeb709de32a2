"""One live Airflow and one simulator for all tests of this folder."""

from __future__ import annotations

import pytest
from killnet import Killnet

from tests.support.live import ACTIVE


@pytest.fixture(scope="session")
def started(tmp_path_factory):
    """Airflow and the simulator, and the ids of rival runs that have come to their end.

    The scheduled run and three manual ones of the same era waited at the open election window, and were let go at once.
    """
    killnet = Killnet.alone(tmp_path_factory.mktemp("kills"), "killnet", timing={"poll_interval": "1s", "lease": "4s"})
    with killnet.stack as stack:
        killnet.bring_up()
        killnet.control.window("open")
        rivals = [killnet.trigger(ACTIVE - 1) for _ in range(3)]
        stack.api.unpause(killnet.dag_id)
        rivals.append(killnet.scheduled_run())
        for run_id in rivals:
            killnet.deferred(run_id, "wait_for_window")
        killnet.control.window("closed")
        killnet.finished(*rivals)
        yield killnet, rivals


@pytest.fixture
def killnet(started):
    """Airflow and the simulator."""
    return started[0]


@pytest.fixture
def rivals(started):
    """The scheduled run of the era before the active one, and three manual runs of it."""
    return started[1]
