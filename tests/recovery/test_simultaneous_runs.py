"""A scheduled, a backfill's and two manual runs of one era, let go at the same moment."""

from __future__ import annotations

from livenet import ACTIVE


def test_of_scheduled_manual_and_backfill_runs_let_go_at_once_one_pays_and_all_are_green(steady, rivals):
    runs = steady.finished(rivals)

    assert sorted(run["run_type"] for run in runs) == ["backfill", "manual", "manual", "scheduled"]
    assert [run["state"] for run in runs] == ["success"] * 4
    assert {steady.outcome(run_id) for run_id in rivals} <= {"PAID", "ALREADY_PAID"}
    assert steady.executed()[ACTIVE - 1] == len(steady.requested(ACTIVE - 1)) == 1
