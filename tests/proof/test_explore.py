"""The explorer of the payout decision: it visits every state, finds broken rules, and agrees with the engine."""

from contextlib import closing
from dataclasses import replace
from types import SimpleNamespace

import pytest

from staking_gateway.ledger import Ledger
from staking_gateway.payout import decide as rules
from staking_gateway.payout import engine
from staking_gateway.payout.evidence import UNREAD, Sign
from staking_gateway.payout.outcomes import Outcome, Wait, WaitFor
from tests.proof.explore.canary import CANARIES, broken_without
from tests.proof.explore.catalogue import scenarios
from tests.proof.explore.model import World
from tests.proof.explore.reach import missing, serves, wanted
from tests.proof.explore.replay import Differs, replay, walk
from tests.proof.explore.search import explore
from tests.proof.explore.story import story
from tests.support.ledgers import KINDS, ledger_url

CALM = {"faults": 0, "preemptions": 0}
HONEST = rules.decide


def scenario(name, faults=1, preemptions=0):
    return next(one for one in scenarios(faults, preemptions) if one.name == name)


@pytest.fixture(params=KINDS)
def ledger(request, tmp_path):
    with ledger_url(request.param, tmp_path) as url, closing(Ledger(url)) as opened:
        yield opened


@pytest.fixture
def decides(monkeypatch):
    """Replaces the decision of the model, or of the engine."""
    return lambda module, decision: monkeypatch.setattr(module, "decide", decision)


def every_refusal_answers_the_only_send(record, me, seen, now, terms):
    """Rule 2 without its question for earlier copies."""
    if seen.sent is not UNREAD:
        certain = {"unanswered": 0, "copies_out": False}
        named = hasattr(record, "_asdict")
        record = type(record)(**{**record._asdict(), **certain}) if named else replace(record, **certain)
    return HONEST(record, me, seen, now, terms)


def nobody_is_asked(record, me, seen, now, terms):
    """Rule 17 without its end."""
    limits = {name: getattr(terms, name) for name in dir(terms) if not name.startswith("_")}
    return HONEST(record, me, seen, now, SimpleNamespace(**{**limits, "max_fees_for_nothing": 1000}))


def patient(record, me, seen, now, terms):
    """Waits where the real decision signs."""
    action = HONEST(record, me, seen, now, terms)
    waits = Wait(WaitFor.LANE, "not yet", terms.poll_interval, Outcome.UNKNOWN)
    return waits if isinstance(action, Sign) else action


def of_another_nonce(record, me, seen, now, terms):
    action = HONEST(record, me, seen, now, terms)
    if isinstance(action, Sign):
        seen.staking += 1
    return action


def test_every_state_of_a_world_is_visited_unless_there_are_too_many():
    verdict = explore(scenario("paid already, a node says so", **CALM))
    assert (verdict.complete, verdict.held) == (True, True), verdict.violations
    assert 0 < verdict.states <= verdict.transitions + 1
    bounded = explore(scenario("one era"), most_states=50)
    assert (bounded.complete, bounded.states >= 50) == (False, True)


def test_a_broken_rule_is_found_told_and_replayed_and_an_honest_engine_does_not_take_its_path(decides, ledger):
    world = scenario("one era, more batches left")
    decides(rules, every_refusal_answers_the_only_send)
    ((broken, path),) = explore(world, seconds=15).violations.items()
    assert "executed twice" in broken
    assert 0 < len(path) <= 16
    sentences = story(World(world), path)
    assert sentences[0] == "era 0: the process starts"
    for told in ("signs era 0 with (5, 5)", "sends era 0's payload (5, 5) with fee 1"):
        assert any(told in sentence for sentence in sentences)
    decides(engine, patient)
    with pytest.raises(Differs, match="era 0: the model expects 'write', the engine is at 'wait'"):
        replay(world, path, ledger)
    decides(engine, every_refusal_answers_the_only_send)
    assert replay(world, path, ledger) == sentences


def test_an_endless_loss_of_fees_is_an_era_that_never_ends(decides):
    decides(rules, nobody_is_asked)
    verdict = explore(scenario("paid already, accepted and charged", **CALM), seconds=15)
    assert any("never ends" in told for told in verdict.violations)


def test_the_engine_takes_the_steps_of_the_model(ledger):
    assert walk(scenario("one era", 3, 2), ledger, 0) > 0


@pytest.mark.parametrize(
    ("decision", "told"),
    [
        (patient, r"one era, seed 0: .*the model expects 'write', the engine is at 'wait'"),
        (of_another_nonce, "era 0: staking_nonce is 5 in the model, 6 in the ledger"),
    ],
)
def test_an_engine_with_a_rule_of_its_own_differs(decides, ledger, decision, told):
    decides(engine, decision)
    with pytest.raises(Differs, match=told):
        walk(scenario("one era", 3, 2), ledger, 0)


def test_a_rule_that_only_a_deleted_scenario_reached_is_missing():
    """The scenario "paid already, a node says so" alone reaches rule 15."""
    names = ("paid already, a node says so", "paid already, refused", "no limits are set", "the chain pays by itself")
    verdicts = [explore(scenario(name, **CALM)) for name in names]
    assert "rule 15" not in missing(verdicts)
    assert "rule 15" in missing(verdicts[1:])
    assert {"hold LIMIT", "outcome HELD_FEE"} & set(missing(verdicts)) == set()
    assert {"hold LIMIT", "outcome HELD_FEE"} <= set(missing(verdicts[:2]))


def test_every_numbered_rule_is_wanted():
    assert sorted(serves()) == list(range(1, 24))
    assert {"rule 23", "outcome EXPIRED", "hold CONTRADICTION"} <= set(wanted())


@pytest.mark.parametrize("rule", sorted(CANARIES))
def test_a_rule_that_is_switched_off_breaks_a_promise_in_its_world(rule):
    assert broken_without(rule)
    assert rules.decide is HONEST
