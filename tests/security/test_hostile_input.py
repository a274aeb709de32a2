"""Hostile input for every decoder: the kept cases first, then new ones. `make fuzz` tries more of them (`CASES=n`, `SEED=n`)."""

from __future__ import annotations

import os
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings

from tests.fuzz import gateway, node, written
from tests.fuzz.runner import Target, cases

CASES = int(os.environ.get("CASES", "120"))
"""New cases for each target."""
NAMES = ("gateway", "node", "yaml", "accounts", "text")


@pytest.fixture(scope="module")
def targets(tmp_path_factory):
    found = [gateway.target(), node.target(), *written.targets(tmp_path_factory.mktemp("fuzz"))]
    return {target.name: target for target in found}


def outcomes(target):
    """What the kept and the new cases of a target come to, each with its number."""
    seeds, seen = target.seeds(), Counter()
    for case in seeds:
        seen[target.examine(case)] += 1

    @settings(max_examples=CASES, deadline=None, suppress_health_check=list(HealthCheck))
    @given(cases(target, seeds))
    def examine(case):
        seen[target.examine(case)] += 1

    examine()
    return seen


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore")
def test_hostile_input_comes_to_a_value_or_a_documented_error(targets, name):
    assert targets[name].seeds()
    seen = outcomes(targets[name])
    assert [one for one in seen if one.startswith("value: ")], "cases that are all refused would prove nothing"
    assert len(seen) > 2


def hang(case):
    raise TimeoutError


def crash(case):
    return {}[case]


@pytest.mark.parametrize("run", [hang, crash])
def test_any_other_exception_is_a_finding(run):
    with pytest.raises((TimeoutError, KeyError)):
        outcomes(Target("none", lambda chance: chance.randbytes(3), run))
