"""One era by its partition key, through the API."""

from __future__ import annotations

from datetime import datetime

import pytest
from livenet import ACTIVE

from demo.api import ApiRefused

NOT_AN_ERA = "An era is a whole number such as 1392"
NOT_YET = "Trigger it after that, or name an earlier era"


def as_the_ui_does(network, key):
    """Call the API with all that the UI's dialog sends when only a partition key was entered."""
    body = {
        "conf": {},
        "data_interval_end": None,
        "data_interval_start": None,
        "logical_date": None,
        "partition_key": key,
    }
    return network.stack.api.call("POST", f"dags/{network.dag_id}/dagRuns", body)


def as_a_script_does(network, key):
    """Call the API with the least it asks for."""
    return network.stack.api.call(
        "POST", f"dags/{network.dag_id}/dagRuns", {"logical_date": None, "partition_key": key}
    )


@pytest.mark.parametrize(("era", "call"), [(ACTIVE - 20, as_the_ui_does), (ACTIVE - 21, as_a_script_does)])
def test_an_era_named_by_its_key_is_paid_and_no_backfill_runs_it_again(steady, era, call):
    (run,) = steady.finished([call(steady, str(era))["dag_run_id"]])

    assert (run["partition_key"], run["state"]) == (str(era), "success")
    assert datetime.fromisoformat(run["partition_date"].replace("Z", "+00:00")) == steady.calendar.start(era)
    assert steady.outcome(run["dag_run_id"]) == "PAID"
    assert steady.executed()[era] == 1
    assert steady.backfill(era, era) == []


@pytest.mark.parametrize("call", [as_the_ui_does, as_a_script_does])
@pytest.mark.parametrize(
    ("key", "problem", "remedy"),
    [
        (str(ACTIVE), f"Era {ACTIVE} has not ended: it ends at 20", NOT_YET),
        ("last", "Partition key 'last' is not a number", NOT_AN_ERA),
    ],
)
def test_a_key_that_names_no_payable_era_is_refused_with_the_remedy(steady, call, key, problem, remedy):
    before = steady.runs_per_era()

    with pytest.raises(ApiRefused) as refused:
        call(steady, key)

    assert refused.value.status == 400
    assert problem in refused.value.body
    assert remedy in refused.value.body
    assert steady.runs_per_era() == before
