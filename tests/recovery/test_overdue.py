"""More eras are owed than can still be paid, and than one run may pay."""

from __future__ import annotations

from livenet import ACTIVE, OWED

DEPTH = 84
PAYABLE = ACTIVE - DEPTH
BUDGET = 10


def test_a_dry_run_shows_what_the_run_then_does_and_sends_nothing(livenet):
    overdue = livenet.overdue
    state, dry = overdue.catch_up(dry_run=True, max_eras=BUDGET)
    assert state == "success"
    assert overdue.sends() == 0
    assert [entry["era"] for entry in dry["plan"]["pay"]] == [*range(PAYABLE, PAYABLE + BUDGET)]
    assert dry["plan"]["expired"] == [*range(ACTIVE - OWED, PAYABLE)]

    state, report = overdue.catch_up(max_eras=BUDGET, approve=dry["plan"]["hash"])

    assert {**report["plan"], "dry_run": True} == dry["plan"]
    # The ten that would be lost first are paid, in that order; the six that are lost make the run red.
    assert [payout["era"] for payout in overdue.control.truth()["payouts"]] == [*range(PAYABLE, PAYABLE + BUDGET)]
    assert {told["outcome"] for told in report["outcomes"].values()} == {"PAID"}
    assert state == "failed"
    assert list(report["unpaid"]) == [str(era) for era in range(ACTIVE - OWED, PAYABLE)]
    assert all("EXPIRED" in why for why in report["unpaid"].values())


def test_what_has_expired_is_reported_once(livenet):
    overdue = livenet.overdue
    state, report = overdue.catch_up(max_eras=1)
    assert state == "success"
    assert report["plan"]["expired"] == []
    assert len(report["outcomes"]) == 1


def test_of_all_that_is_left_each_era_is_in_the_plan_once(livenet):
    overdue = livenet.overdue
    _, report = overdue.catch_up(dry_run=True)
    plan = report["plan"]
    unpaid = [entry["era"] for entry in plan["pay"]]
    assert sorted([*plan["paid"], *unpaid]) == [*range(PAYABLE, ACTIVE)]
    assert set(unpaid) == set(overdue.owing()) - {*range(ACTIVE - OWED, PAYABLE)}
