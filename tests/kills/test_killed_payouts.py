"""The process of the task `payout` gets SIGKILL at every step of the state machine; the retry leaves one executed payout."""

from __future__ import annotations

import pytest

from tests.support.live import ACTIVE

EARLY = [
    "before PLANNED",
    "inside PLANNED",
    "after PLANNED",
    "before SIGNED",
    "inside SIGNED",
    "after SIGNED",
    "before send",
    "after send",
    "before SUBMITTED",
    "inside SUBMITTED",
    "after SUBMITTED",
]
"""Steps only the payout's own task takes; so several of these eras are run side by side, in each other's way."""
AT_ONCE = 4
"""More would mostly keep the machine busy with waiting for the lane."""
LATE = ["before CONFIRMED", "inside CONFIRMED", "after CONFIRMED"]
"""A step that anybody waiting for the lane takes for its owner; so these eras are run one after the other."""
ERA_OF = {point: ACTIVE - 10 - number for number, point in enumerate([*EARLY, *LATE])}


@pytest.fixture(scope="session")
def early_runs(started):
    """A run for every early point; each is killed there and has come to its end."""
    killnet, _ = started
    runs = {}
    for first in range(0, len(EARLY), AT_ONCE):
        for point in EARLY[first : first + AT_ONCE]:
            killnet.arm(ERA_OF[point], point)
            runs[point] = killnet.trigger(ERA_OF[point])
        killnet.finished(*runs.values())
    return runs


def assert_killed_and_paid_once(killnet, era, run_id, *points):
    assert killnet.fired(era) == {*points}
    assert killnet.task(run_id)["try_number"] > len(points)
    assert killnet.finished(run_id) == ["success"]
    assert killnet.outcome(run_id) in ("PAID", "ALREADY_PAID")
    assert len(killnet.executed(era)) == 1
    # However often it was sent, it was the same payload.
    assert len({request["payload"] for request in killnet.requested(era)}) == 1


@pytest.mark.parametrize("point", EARLY)
def test_a_payout_killed_on_its_way_to_the_gateway_is_executed_once(killnet, early_runs, point):
    assert_killed_and_paid_once(killnet, ERA_OF[point], early_runs[point], point)


@pytest.mark.parametrize("point", LATE)
def test_a_payout_killed_at_its_confirmation_is_executed_once(killnet, early_runs, point):
    era = ERA_OF[point]
    killnet.arm(era, point)

    run_id = killnet.trigger(era)

    killnet.finished(run_id)
    assert_killed_and_paid_once(killnet, era, run_id, point)


def test_a_payout_killed_on_every_try_but_the_last_is_executed_once(killnet, early_runs):
    era = ACTIVE - 30
    deaths = ["after SIGNED", "before send", "after send", "before CONFIRMED", "after CONFIRMED"]
    killnet.arm(era, *deaths)

    run_id = killnet.trigger(era)

    killnet.finished(run_id)
    assert_killed_and_paid_once(killnet, era, run_id, *deaths)
    assert killnet.outcome(run_id) == "PAID", "this run signed what was executed, in whichever try"


def test_a_payout_killed_while_its_request_is_pending_is_repeated_and_never_made_anew(killnet):
    era = ACTIVE - 31
    sends = killnet.sends()
    killnet.control.set_faults("slow-execution:times=1:seconds=20")
    killnet.arm(era, "after send")

    run_id = killnet.trigger(era)

    killnet.finished(run_id)
    assert killnet.sends() > sends + 1
    assert_killed_and_paid_once(killnet, era, run_id, "after send")
