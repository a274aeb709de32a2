"""A program the payout relies on gets SIGKILL while it is under way; started again, it finds everything as it was."""

from __future__ import annotations

import pytest

from tests.support.live import ACTIVE


@pytest.fixture(autouse=True)
def restored(killnet):
    """What a test makes go wrong ends with it."""
    yield
    killnet.control.set_faults()
    killnet.control.window("closed")


def test_a_payout_deferred_in_the_open_window_outlives_its_triggerer(killnet):
    era = ACTIVE - 5
    killnet.control.window("auto")
    killnet.control.set_faults("window-opens:times=1:seconds=600")
    run_id = killnet.trigger(era)
    task = killnet.deferred(run_id)
    assert task["trigger"]["classpath"].endswith("ElectionWindowTrigger")

    killnet.kill("triggerer")
    killnet.control.window("closed")
    assert killnet.task(run_id)["state"] == "deferred"
    assert killnet.executed(era) == []
    killnet.start("triggerer")

    assert killnet.finished(run_id) == ["success"]
    assert killnet.outcome(run_id) == "PAID"
    assert len(killnet.executed(era)) == len(killnet.requested(era)) == 1


def test_an_accepted_payout_outlives_its_gateway(killnet):
    era = ACTIVE - 6
    killnet.control.set_faults("slow-execution:times=1:seconds=5")
    run_id = killnet.trigger(era)
    killnet.wait(lambda: killnet.requested(era), killnet.patience, "the payout is accepted")
    assert killnet.executed(era) == []

    killnet.kill("simulator")
    killnet.start("simulator")

    assert killnet.finished(run_id) == ["success"]
    assert killnet.outcome(run_id) == "PAID"
    assert len(killnet.executed(era)) == len(killnet.requested(era)) == 1
