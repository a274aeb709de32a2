"""Airflow's own trigger dialog: one era, by the field of its form or by its partition key."""

from __future__ import annotations

import pytest
from livepage import ACTIVE
from playwright.sync_api import expect

PAID = 950
PAID_BY_FORM = 951


@pytest.fixture
def dialog(live, tab_of):
    """The dialog. It shows the fields of its form, and hides the partition key."""
    tab = tab_of()
    tab.goto(f"{live.url}/dags/{live.mainnet.dag_id}")
    tab.get_by_test_id("trigger-dag-button").first.click()
    return tab.get_by_role("dialog")


def runs_of(live, era):
    return [run for run in live.api.runs(live.mainnet.dag_id) if run["partition_key"] == str(era)]


def submit(dialog, era):
    dialog.get_by_text("Advanced Options").click()
    dialog.locator("input[name=partitionKey]").fill(str(era))
    dialog.get_by_test_id("trigger-dag-submit").click()


def test_a_paid_era_is_run_again_and_nothing_is_sent(live, dialog):
    api, dag_id, sends = live.api, live.mainnet.dag_id, live.mainnet.control.truth()["requests"]
    assert runs_of(live, PAID) == []

    submit(dialog, PAID)

    def outcome():
        return [api.xcom(dag_id, run["dag_run_id"], "payout", "outcome") for run in runs_of(live, PAID)]

    (told,) = live.wait(lambda: [one for one in outcome() if one], f"era {PAID} has an outcome")
    assert (told["era"], told["outcome"]) == (PAID, "ALREADY_PAID")
    assert live.mainnet.control.truth()["requests"] == sends


def test_the_form_has_a_field_for_the_era(live, dialog):
    api, dag_id = live.api, live.mainnet.dag_id
    expect(dialog).to_contain_text("Era to pay, e.g. 1234")

    dialog.locator("input[name=element_era]").fill(str(PAID_BY_FORM))
    dialog.get_by_test_id("trigger-dag-submit").click()

    def outcome():
        runs = [run for run in api.runs(dag_id) if (run["conf"] or {}).get("era") == PAID_BY_FORM]
        return [api.xcom(dag_id, run["dag_run_id"], "payout", "outcome") for run in runs]

    (told,) = live.wait(lambda: [one for one in outcome() if one], f"era {PAID_BY_FORM} has an outcome")
    assert (told["era"], told["outcome"]) == (PAID_BY_FORM, "ALREADY_PAID")


def test_an_era_that_still_runs_is_refused_with_what_to_do(live, dialog):
    submit(dialog, ACTIVE)
    expect(dialog).to_contain_text(f"Era {ACTIVE} has not ended")
    assert runs_of(live, ACTIVE) == []
