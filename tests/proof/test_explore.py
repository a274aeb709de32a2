"""The explorer of the payout decision: it visits every state, finds broken rules, and agrees with the engine."""

from dataclasses import replace

import pytest

from staking_gateway.payout import decide as rules
from staking_gateway.payout import engine
from staking_gateway.payout.evidence import Sign
from staking_gateway.payout.outcomes import Outcome, Wait, WaitFor
from tests.proof.explore.__main__ import _reached
from tests.proof.explore.canary import CANARIES, NOT_SHOWN, broken_without
from tests.proof.explore.catalogue import ASSUMPTIONS, ONE, features, pairs, singles, special
from tests.proof.explore.model import World
from tests.proof.explore.reach import Rules, serves, wanted
from tests.proof.explore.replay import Differs, replay, walk
from tests.proof.explore.scenario import Bounds, Era, Scenario, freely
from tests.proof.explore.search import NOT_EXECUTED, NOT_FINAL, explore
from tests.proof.explore.story import story

HONEST = rules.decide
PAID = Scenario("paid already", (Era(batches=0),), Bounds(sends=2))


@pytest.fixture
def decides(monkeypatch):
    """Replaces the decision of the engine."""
    return lambda decision: monkeypatch.setattr(engine, "decide", decision)


def patient(*given):
    """Waits where the real decision signs."""
    action = HONEST(*given)
    waits = Wait(WaitFor.LANE, "not yet", given[-1].poll_interval, Outcome.UNKNOWN)
    return waits if isinstance(action, Sign) else action


def of_another_nonce(*given):
    action = HONEST(*given)
    return replace(action, staking=action.staking + 1) if isinstance(action, Sign) else action


def test_every_state_of_a_world_is_visited_unless_there_are_too_many():
    verdict = explore(PAID)
    assert (verdict.complete, verdict.held) == (True, True), verdict.violations
    assert 0 < verdict.states <= verdict.transitions + 1
    bounded = explore(Scenario("one era", ONE, freely(2, lost=1)), most_states=50)
    assert (bounded.complete, bounded.states >= 50) == (False, True)


def test_a_broken_rule_is_found_told_and_replayed_and_an_honest_engine_does_not_take_its_path(decides, tmp_path):
    """The time between the two looks at a passed nonce."""
    canary = CANARIES[4]
    broken = Rules(canary.old, canary.new)
    verdict = explore(canary.scenario, rules=broken)
    ((promise, path),) = verdict.violations.items()
    assert promise == canary.broken
    sentences = story(World(canary.scenario, broken), path)
    assert 0 < len(path) <= 16
    assert "era 0: sends era 0's payload (5, 5) with fee 1: accepted" in sentences
    with pytest.raises(Differs, match="era 0: the model expects 'write', the engine is at 'wait'"):
        replay(canary.scenario, path, tmp_path / "honest.db", rules=broken)
    decides(lambda *given: broken.decide(*given)[0])
    assert replay(canary.scenario, path, tmp_path / "broken.db", rules=broken) == sentences


@pytest.mark.parametrize(
    ("world", "seed"),
    [
        ("one era, unheard", 0),
        ("two runs of one era", 0),
        ("a restored ledger", 0),
        ("another payer", 0),
        ("a clock that goes back", 0),
        ("two eras, failed and slow", 20261212),
        ("one era, unheard and paid_elsewhere", 1501516),
        ("two eras, real order of times, failed", 2000),
    ],
)
def test_the_engine_takes_the_steps_of_the_model(world, seed, tmp_path):
    (scenario,) = (one for one in (*singles(), *special(), *pairs(), *features()) if one.name == world)
    assert walk(scenario, tmp_path / "ledger.db", seed) == 60


@pytest.mark.parametrize(
    ("decision", "told"),
    [
        (patient, r"one era, seed 0: .*the model expects 'write', the engine is at 'wait'"),
        (
            of_another_nonce,
            r"copies is \[\(5, 5, 1, \[None\]\)\] in the model, \[\(6, 5, 1, \[None\]\)\] in the ledger",
        ),
    ],
)
def test_an_engine_with_a_rule_of_its_own_differs(decides, tmp_path, decision, told):
    decides(decision)
    with pytest.raises(Differs, match=told):
        walk(Scenario("one era", ONE, freely(2, lost=1)), tmp_path / "ledger.db", 0)


def test_a_rule_that_only_a_deleted_scenario_reached_is_told_and_fails(capsys):
    """Of these worlds, the one with a node alone reaches rule 20."""
    verdicts = [explore(PAID.but(node=True)), explore(PAID)]
    told = [
        (_reached(some), capsys.readouterr().out.rpartition("NO scenario reaches")[2])
        for some in (verdicts, verdicts[1:])
    ]
    assert [("rule 20" in missing, held) for held, missing in told] == [(False, False), (True, False)]


def test_every_world_has_a_name_of_its_own():
    names = [one.name for one in (*singles(), *special(), *pairs(), *features())]
    assert len(names) == len(set(names))


def test_every_numbered_rule_is_wanted_and_each_of_safety_is_switched_off_somewhere_or_named():
    assert sorted(serves()) == list(range(1, 32))
    assert {"rule 31", "outcome EXPIRED", "hold CONTRADICTION"} <= set(wanted())
    assert {rule for rule, kind in serves().items() if kind == "S"} <= set(CANARIES) | set(NOT_SHOWN)


@pytest.mark.parametrize("rule", sorted(CANARIES))
def test_a_rule_that_is_switched_off_breaks_a_promise_in_its_world(rule):
    assert broken_without(rule, seconds=20)


def test_without_an_assumption_what_is_listed_breaks():
    (forks,) = (one for one in ASSUMPTIONS if one.scenario.name == "forks that execute again")
    assert set(explore(forks.scenario, first_only=False).violations) == forks.broken == {NOT_FINAL, NOT_EXECUTED}
