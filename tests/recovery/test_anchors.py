"""An anchor appended to the calendar: what is past stays where it was."""

from __future__ import annotations

from datetime import datetime, timedelta

from livenet import ACTIVE, PATIENCE

DRIFT = timedelta(minutes=7)


def test_a_backfill_after_an_anchor_was_appended_finds_every_earlier_run(steady):
    first, missed, last = ACTIVE - 12, ACTIVE - 11, ACTIVE - 10
    steady.finished([steady.trigger(first), steady.trigger(last)])
    dates = {run["dag_run_id"]: run["partition_date"] for run in steady.all_runs()}
    next_start = steady.calendar.end(ACTIVE) + DRIFT

    steady.settings.append_anchor(steady.name, ACTIVE + 1, next_start)
    steady.parse_again(steady.dag_id)
    steady.wait(lambda: next_run_after(steady) == next_start, PATIENCE, "the new anchor counts")
    made = steady.backfill(first, last)

    assert [int(run["partition_key"]) for run in steady.finished(made)] == [missed]
    assert {run["dag_run_id"]: run["partition_date"] for run in steady.all_runs()}.items() >= dates.items()
    assert {era: steady.executed()[era] for era in (first, missed, last)} == {first: 1, missed: 1, last: 1}

    assert steady.backfill(first, last) == []
    assert steady.backfill(ACTIVE - 1, ACTIVE - 1) == []


def next_run_after(network):
    """When the next run of the schedule is due."""
    return datetime.fromisoformat(network.stack.api.dag(network.dag_id)["next_dagrun_run_after"].replace("Z", "+00:00"))
