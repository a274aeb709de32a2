"""Which era is paid."""

import re

import pytest
from names import ACTIVE, ERA
from tasks import Task

from staking_gateway.errors import InvalidEra, InvalidInput
from staking_gateway_provider.operators.era import PreviousEraOperator


def previous_era(era=None, **arguments):
    return Task(PreviousEraOperator(task_id="previous_era", **arguments), era=era).run()


def test_a_run_without_an_era_pays_the_one_before_the_active_era(gateway):
    assert previous_era() == ERA
    gateway.control.advance(eras=3)
    assert previous_era() == ERA + 3


@pytest.mark.parametrize("era", [ERA, ERA - 4, ACTIVE - 84])
def test_a_run_with_an_era_pays_that_one(gateway, era):
    assert previous_era(era) == era


@pytest.mark.parametrize(
    ("given", "paid"),
    [(ERA - 1, ERA - 1), (str(ERA - 1), ERA - 1), (None, ERA - 2), ("", ERA - 2), ("None", ERA - 2)],
)
def test_an_era_given_as_argument_counts_more_than_the_runs_unless_its_template_rendered_to_nothing(
    gateway, given, paid
):
    assert Task(PreviousEraOperator(task_id="previous_era", era=given), era=ERA - 2).run() == paid


@pytest.mark.parametrize("key", ["abc", "-1", str(2**32), ""])
def test_a_key_that_is_no_era_is_refused_by_name_before_anything_is_sent(gateway, key):
    with pytest.raises(InvalidEra, match=f"partition key: {re.escape(repr(key))} is not a number") as refused:
        previous_era(key)
    assert refused.value.problem.remedy == "An era is a whole number such as 1392"
    assert gateway.control.truth()["calls"]["by_path"] == {}


@pytest.mark.parametrize(
    ("era", "match"),
    [
        (ACTIVE, f"era {ACTIVE} has not ended, era {ACTIVE} is active"),
        (ACTIVE + 1, f"era {ACTIVE + 1} has not ended, era {ACTIVE} is active. Name an era that"),
        (2**32 - 1, f"era {2**32 - 1} has not ended, era {ACTIVE} is active"),
        (
            ACTIVE - 85,
            f"era {ACTIVE - 85} has expired: while era {ACTIVE} is active, the oldest that can be paid is {ACTIVE - 84}",
        ),
        (0, f"era 0 has expired: while era {ACTIVE} is active, the oldest that can be paid is {ACTIVE - 84}"),
    ],
)
def test_the_active_era_a_future_and_an_expired_one_are_refused_by_name(gateway, era, match):
    with pytest.raises(InvalidEra, match=match):
        previous_era(era)


def test_the_history_depth_is_the_networks_or_the_arguments(gateway, network):
    network(history_depth=3)
    assert previous_era(ACTIVE - 3, network="testnet") == ACTIVE - 3
    with pytest.raises(InvalidEra, match=f"the oldest that can be paid is {ACTIVE - 3}"):
        previous_era(ACTIVE - 4, network="testnet")
    assert previous_era(ACTIVE - 4, network="testnet", history_depth=4) == ACTIVE - 4
    with pytest.raises(InvalidInput, match="history_depth: '0' is refused"):
        previous_era(ERA, history_depth=0)


@pytest.mark.usefixtures("gateway_without_methods")
def test_a_gateway_that_does_not_tell_the_active_era_needs_a_run_with_an_era():
    assert previous_era(7) == 7
    with pytest.raises(
        InvalidEra, match=r"this run has none and the gateway does not report .*\. Start the run with an Era"
    ):
        previous_era()
