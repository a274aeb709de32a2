"""Programs that get SIGKILL, and runs that are rivals: each era is paid once.

Why live: only real processes die between a write to the ledger, a send and an answer, and only Airflow's own supervisor, scheduler and
triggerer then decide what is tried again. That every interleaving of the engine's steps is safe is proved without Airflow, by `make
explore` and `make faults`.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from tests.live.network import ACTIVE, Network
from tests.live.stand import Stand
from tests.support.seeds import seed_of

HERE = Path(__file__).parent
RIVALS_ERA = ACTIVE - 1
MOMENTS = ("before", "inside", "after")
EARLY = [
    *(f"{moment} {write}" for write in ("plan", "sign") for moment in MOMENTS),
    *("before the first byte", "after the answer"),
    *(f"{moment} answer" for moment in MOMENTS),
]
"""Steps only the payout's own task takes; so several of these eras are run side by side, in each other's way."""
AT_ONCE = 4
"""More would mostly keep the machine busy with waiting for the lane."""
LATE = [f"{moment} {write}" for write in ("passed", "CONFIRMED") for moment in MOMENTS]
"""Steps that anybody waiting for the lane takes for its owner; so these eras are run one after the other."""
ERA_OF = {point: ACTIVE - 10 - number for number, point in enumerate([*EARLY, *LATE])}
DRAWN = random.Random(seed_of("kills")).sample([*ERA_OF], int(os.environ.get("POINTS") or len(ERA_OF)))
"""The points of this run: all, or as many as `POINTS` says, drawn by the seed."""


class Killnet(Network):
    """A network whose payouts are told where to die."""

    def arm(self, era, *points):
        """Let the payout of an era die at these points, once at each; see `deadly/deaths.py`."""
        for point in points:
            (self.stand.folder / "deaths" / f"{era} {point}.armed").touch()

    def fired(self, era):
        """The points the payout of an era has died at."""
        return {path.stem.partition(" ")[2] for path in (self.stand.folder / "deaths").glob(f"{era} *.fired")}


@pytest.fixture(scope="module")
def started(tmp_path_factory):
    """The network, and the ids of rival runs that have ended.

    The scheduled run and three manual ones of the same era waited at the open election window, and were let go at once.
    """
    network = Killnet("killnet")
    with Stand(tmp_path_factory.mktemp("kills"), [network], dags=HERE / "dags") as stand:
        (stand.folder / "deaths").mkdir()
        stand.environment |= {"KILLS_FOLDER": str(stand.folder / "deaths"), "PYTHONPATH": str(HERE / "deadly")}
        stand.start()
        network.control.window("open")
        rivals = [network.trigger(RIVALS_ERA) for _ in range(3)]
        stand.api.unpause(network.dag_id)
        rivals.append(network.run_of(RIVALS_ERA))
        for run_id in rivals:
            network.deferred(run_id, "wait_for_window")
        network.control.window("closed")
        network.finished(*rivals)
        yield network, rivals


@pytest.fixture
def killnet(started):
    """The network."""
    return started[0]


@pytest.fixture
def rivals(started):
    """The scheduled run of the era before the active one, and three manual runs of it."""
    return started[1]


# --- rival runs ------------------------------------------------------------------------------------------------------


def test_of_scheduled_and_manual_runs_let_go_at_once_one_pays_and_all_are_green(killnet, rivals):
    assert killnet.ended(*rivals) == ["success"] * len(rivals)
    assert sorted(map(killnet.outcome, rivals)) == ["ALREADY_PAID", "ALREADY_PAID", "ALREADY_PAID", "PAID"]
    assert killnet.executed()[RIVALS_ERA] == len(killnet.requested(RIVALS_ERA)) == 1


def test_every_run_of_the_dag_cleared_by_command_is_green_again_and_sends_nothing(killnet, rivals):
    sends, executed = killnet.sends(), killnet.control.truth()["payouts"]
    tries = {run_id: killnet.task(run_id)["try_number"] for run_id in rivals}
    outcomes = {run_id: killnet.outcome(run_id) for run_id in rivals}

    # Runs of one era each have no logical date, by which the command could choose among them.
    cleared = killnet.stand.run("tasks", "clear", killnet.dag_id, "--task-regex", "payout", "--downstream", "--yes")
    assert cleared.returncode == 0, cleared.stderr

    assert {*killnet.ended(*rivals)} == {"success"}
    for run_id in rivals:
        assert killnet.task(run_id)["try_number"] > tries[run_id]
        assert killnet.outcome(run_id) == outcomes[run_id], "PAID stays PAID for the run that signed, in whichever try"
    assert killnet.sends() == sends
    assert killnet.control.truth()["payouts"] == executed


# --- the payout's own process ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def early_runs(started):
    """A run for every early point; each is killed there and has ended."""
    killnet, _ = started
    runs = {}
    early = [point for point in EARLY if point in DRAWN]
    for first in range(0, len(early), AT_ONCE):
        for point in early[first : first + AT_ONCE]:
            killnet.arm(ERA_OF[point], point)
            runs[point] = killnet.trigger(ERA_OF[point])
        killnet.finished(*runs.values())
    return runs


def assert_killed_and_paid_once(killnet, era, run_id, *points):
    assert killnet.ended(run_id) == ["success"]
    assert killnet.fired(era) == {*points}
    assert killnet.task(run_id)["try_number"] > len(points)
    assert killnet.outcome(run_id) in ("PAID", "ALREADY_PAID")
    assert killnet.executed()[era] == 1
    # However often it was sent, it was the same payload.
    assert len({request["payload"] for request in killnet.requested(era)}) == 1


@pytest.mark.parametrize("point", [point for point in EARLY if point in DRAWN])
def test_a_payout_killed_on_its_way_to_the_gateway_is_executed_once(killnet, early_runs, point):
    assert_killed_and_paid_once(killnet, ERA_OF[point], early_runs[point], point)


@pytest.mark.parametrize("point", [point for point in LATE if point in DRAWN])
def test_a_payout_killed_at_its_confirmation_is_executed_once(killnet, early_runs, point):
    era = ERA_OF[point]
    killnet.arm(era, point)
    assert_killed_and_paid_once(killnet, era, killnet.trigger(era), point)
