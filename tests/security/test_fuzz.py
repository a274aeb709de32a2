"""A small run of the fuzzers: the seeds, which come from findings, and some hundred cases for each decoder. `make fuzz` runs more."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fuzz.runner import Target, fuzz, run_limited
from tests.fuzz.targets import all_targets

SEED, CASES = 20261120, 120
NAMES = (
    "gateway", "clients", "node", "websocket", "metadata", "yaml", "accounts", "token", "signer", "webhook", "page",
)  # fmt: skip
ACCEPTED = {"metadata": "14 [", "webhook": "sent", "page": "200 "}
"""How the outcome of an accepted case begins."""


@pytest.fixture(scope="module")
def targets(tmp_path_factory):
    with all_targets(tmp_path_factory.mktemp("fuzz")) as found:
        yield {target.name: target for target in found}


def test_every_decoder_has_seeds(targets):
    assert tuple(targets) == NAMES
    assert [name for name, target in targets.items() if not target.seeds()] == []


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore")
def test_hostile_input_comes_to_a_value_or_a_documented_error_in_a_second_and_64_mb(targets, name):
    result = fuzz(targets[name], SEED, CASES)
    assert result.finding is None, result.finding
    accepted = ACCEPTED.get(name, "value: ")
    assert [one for one in result.outcomes if one.startswith(accepted)], (
        "cases that are all refused would prove nothing"
    )
    assert len(result.outcomes) > 2


def spin(case):
    while True:
        pass


def grow(case):
    return f"{len(bytearray(200 * 1024 * 1024))}"


def crash(case):
    raise KeyError(case)


@pytest.mark.parametrize(("run", "finding"), [(spin, "TooSlow"), (grow, "MemoryError"), (crash, "KeyError")])
def test_a_case_beyond_the_limits_is_a_finding(run, finding):
    assert run_limited(Target("bad", lambda chance: b"", run), b"")[1].startswith(finding)


def test_the_cases_of_a_seed_are_always_the_same(targets):
    seen = [[], []]
    for cases in seen:
        fuzz(replace(targets["token"], run=lambda case, cases=cases: str(cases.append(case))), 7, 50)
    assert seen[0] == seen[1]
    assert len(set(seen[0])) > 20
