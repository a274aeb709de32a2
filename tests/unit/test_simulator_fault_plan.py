"""Which fault happens to which call: rules as they are written, and a plan that decides the same way every time."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from staking_gateway.errors import InvalidInput
from staking_gateway_simulator.fault_plan import ANY, FaultPlan, FaultRule
from staking_gateway_simulator.faults import FAULTS

PAYOUT = ("/send", "proxyPayoutstakers")
NONCE = ("/query", "getNonce")
ERA = ("/query", "getActiveEra")
STATE = ("/poll", "requestState")
CALLS = [PAYOUT, NONCE, ERA, STATE]


# -- rules ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "field"),
    [
        *[(wrong, "fault") for wrong in ("", "nothing", "any:fault=late", {}, ["late"], None, {"fault": ["late"]})],
        *[(f"late:seconds{wrong}", "seconds") for wrong in ("", "=1:seconds=2", "=nan", "=-1", "=86401")],
        *[
            ("late:second=1", "second"),
            ("late:by=1", "by"),
            ("empty:seconds=1", "seconds"),
            ("any:seconds=1", "seconds"),
        ],
        *[(f"fee-before:by={wrong}", "by") for wrong in ("1.5", "-1", "1000001")],
        *[(f"late:times={wrong}", "times") for wrong in ("x", "-1", "9999999999999999999")],
        *[(f"late:probability={wrong}", "probability") for wrong in ("1.1", "often")],
        *[
            ({"fault": "late", name: []}, name)
            for name in ("path", "method", "times", "skip", "probability", "seconds")
        ],
        *[({"fault": "late", "times": True}, "times"), ({"fault": "late", "seen": 1}, "seen")],
    ],
)
def test_a_rule_that_cannot_be_followed_is_refused_by_field(rule, field):
    with pytest.raises(InvalidInput) as refused:
        FaultRule.of(rule)
    assert refused.value.field == field


# -- plans ----------------------------------------------------------------------------------------------------------------


rules = st.builds(
    FaultRule,
    fault=st.sampled_from([ANY, *FAULTS]),
    path=st.none() | st.sampled_from(["/send", "/query", "/poll"]),
    method=st.none() | st.sampled_from([method for _, method in CALLS]),
    probability=st.sampled_from([0.0, 0.01, 0.3, 0.7, 1.0]),
    skip=st.integers(0, 3),
    times=st.none() | st.integers(0, 5),
)
calls = st.lists(st.sampled_from(CALLS), max_size=60)


@given(st.lists(rules, max_size=5), st.integers(0, 2**64 - 1), calls)
def test_a_schedule_is_a_function_of_seed_rules_and_calls(given_rules, seed, given_calls):
    first, second = FaultPlan(given_rules, seed), FaultPlan([FaultRule("empty")], 1)
    second.next(*PAYOUT)
    second.set([FaultRule.of(json.loads(json.dumps(vars(rule)))) for rule in given_rules], seed)
    assert [first.next(*call) for call in given_calls] == [second.next(*call) for call in given_calls]
    assert first.describe() == second.describe()
