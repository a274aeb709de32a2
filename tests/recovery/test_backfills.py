"""Missed eras by backfill; the simulator's word on what was really executed."""

from __future__ import annotations

import json

import pytest
from livenet import ACTIVE, FAR_FUTURE, PATIENCE

MISSED = [ACTIVE - 7, ACTIVE - 6, ACTIVE - 5, ACTIVE - 3, ACTIVE - 2]
HAD_A_RUN = [ACTIVE - 4, ACTIVE - 1]


@pytest.fixture(scope="module")
def backfilled(livenet, rivals):
    """The finished runs of a backfill, by default settings, from an era that was missed into the far future."""
    steady = livenet.steady
    in_flight = steady.trigger(ACTIVE - 4)
    made = steady.backfill(MISSED[0], FAR_FUTURE)
    assert len(made) == len(MISSED)  # a run of an era that has not ended would never end
    *runs, _ = steady.finished([*made, in_flight])
    return runs


def test_a_backfill_makes_one_run_per_missed_era_and_none_that_has_one_or_has_not_ended(backfilled):
    assert [int(run["partition_key"]) for run in backfilled] == MISSED
    assert {run["state"] for run in backfilled} == {"success"}


def test_a_backfill_begins_with_the_oldest_era(backfilled):
    begun = sorted(backfilled, key=lambda run: run["start_date"])
    assert [int(run["partition_key"]) for run in begun] == MISSED


def test_every_missed_era_has_one_executed_payout(steady, backfilled):
    executed = steady.executed()
    assert {era: executed[era] for era in MISSED + HAD_A_RUN} == dict.fromkeys(MISSED + HAD_A_RUN, 1)
    assert not set(steady.owing()) & {*MISSED, *HAD_A_RUN}


def test_chosen_eras_get_one_run_each_by_command_in_order_of_expiry_and_are_paid_once(steady):
    chosen = [ACTIVE - 30, ACTIVE - 28, ACTIVE - 27]

    def backfill(*words):
        eras = f"{chosen[1]}-{chosen[2]},{chosen[0]}"
        words = ("staking", "backfill", "--network", steady.name, "--eras", eras, "--output", "json", *words)
        done = steady.stack.run(*words, timeout=PATIENCE)
        assert done.returncode == 0, done.stdout + done.stderr
        return [(row["era"], row["action"], row["run"]) for row in json.loads(done.stdout)["eras"]]

    before = steady.runs_per_era()
    assert backfill() == [(era, "make", None) for era in chosen]
    assert steady.runs_per_era() == before

    made = backfill("--yes")
    runs = steady.finished([run for _, _, run in made])
    assert [(int(run["partition_key"]), run["state"]) for run in runs] == [(era, "success") for era in chosen]
    assert sorted(runs, key=lambda run: run["start_date"]) == runs
    executed = steady.executed()
    assert [executed[era] for era in chosen] == [1, 1, 1]

    assert backfill("--yes") == [(era, "paid", None) for era in chosen]
    assert steady.runs_per_era() == {**before, **dict.fromkeys(chosen, 1)}
