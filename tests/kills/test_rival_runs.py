"""Several runs of one era, at once and one after the other: one of them pays it."""

from __future__ import annotations

from tests.support.live import ACTIVE

ERA = ACTIVE - 1


def test_of_scheduled_and_manual_runs_let_go_at_once_one_pays_and_all_are_green(killnet, rivals):
    assert killnet.finished(*rivals) == ["success"] * len(rivals)
    assert sorted(killnet.outcome(run_id) for run_id in rivals) == [
        "ALREADY_PAID",
        "ALREADY_PAID",
        "ALREADY_PAID",
        "PAID",
    ]
    assert len(killnet.executed(ERA)) == len(killnet.requested(ERA)) == 1


def test_a_paid_run_cleared_and_run_again_is_green_and_sends_nothing(killnet, rivals):
    run_id = next(run_id for run_id in rivals if killnet.outcome(run_id) == "PAID")
    sends = killnet.sends()

    killnet.stack.api.call("POST", f"dags/{killnet.dag_id}/dagRuns/{run_id}/clear", {"dry_run": False})

    assert killnet.finished(run_id) == ["success"]
    assert killnet.task(run_id)["try_number"] > 1
    assert killnet.outcome(run_id) == "PAID", "this run signed what was executed, in whichever try"
    assert killnet.sends() == sends
    assert len(killnet.executed(ERA)) == 1


def test_every_run_of_the_dag_cleared_by_command_is_green_again_and_sends_nothing(killnet, rivals):
    run_ids = [run["dag_run_id"] for run in killnet.stack.api.runs(killnet.dag_id)]
    sends, executed = killnet.sends(), killnet.control.truth()["payouts"]
    tries = {run_id: killnet.task(run_id)["try_number"] for run_id in run_ids}
    outcomes = {run_id: killnet.outcome(run_id) for run_id in run_ids}

    # Runs of one era each have no logical date, by which the command could choose among them.
    cleared = killnet.stack.run("tasks", "clear", killnet.dag_id, "--task-regex", "payout", "--downstream", "--yes")
    assert cleared.returncode == 0, cleared.stderr

    assert {*killnet.finished(*run_ids)} == {"success"}
    for run_id in run_ids:
        assert killnet.task(run_id)["try_number"] > tries[run_id]
        assert killnet.outcome(run_id) == outcomes[run_id]
    assert killnet.sends() == sends
    assert killnet.control.truth()["payouts"] == executed
