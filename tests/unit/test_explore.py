"""The explorer of the payout decision: it visits every state, finds broken rules, and agrees with the engine."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

import staking_gateway
from staking_gateway.ledger import Ledger
from staking_gateway.payout import decide, engine
from staking_gateway.payout.engine import PayoutEngine
from staking_gateway.payout.evidence import Sign
from staking_gateway.payout.outcomes import Outcome, Wait, WaitFor
from staking_gateway_simulator.explore import __main__ as command
from staking_gateway_simulator.explore import mutants as mutants_command
from staking_gateway_simulator.explore.catalogue import killers, scenarios, small
from staking_gateway_simulator.explore.model import World
from staking_gateway_simulator.explore.mutants import courtesies, mutants
from staking_gateway_simulator.explore.replay import Differs, replay, walk
from staking_gateway_simulator.explore.search import explore
from staking_gateway_simulator.explore.story import story
from tests.support.ledgers import KINDS, ledger_url

PACKAGE = Path(staking_gateway.__file__).parent
ROOT = Path(__file__).parents[2]
CALM = {"faults": 0, "preemptions": 0}


def scenario(name, faults=1, preemptions=0):
    return next(one for one in scenarios(faults, preemptions) if one.name == name)


@pytest.fixture(params=KINDS)
def ledger(request, tmp_path):
    with ledger_url(request.param, tmp_path) as url, closing(Ledger(url)) as opened:
        yield opened


def test_every_state_of_a_world_is_visited_unless_there_are_too_many():
    verdict = explore(scenario("paid already, a node says so", **CALM))
    assert (verdict.complete, verdict.held) == (True, True), verdict.violations
    assert 0 < verdict.states <= verdict.transitions + 1
    bounded = explore(scenario("one era"), most_states=50)
    assert (bounded.complete, bounded.states >= 50) == (False, True)


def test_names_of_worlds_are_unique_and_the_killers_are_all_worlds():
    names = [one.name for one in small()]
    assert len(set(names)) == len(names)
    assert sorted(one.name for one in killers()) == sorted(names)


def every_refusal_answers_the_only_send(case, sent, real=decide._write_answer):
    """Rule 2 without its question for earlier copies."""
    certain = {"unanswered": 0, "copies_out": False}
    named = hasattr(case.record, "_replace")
    record = case.record._replace(**certain) if named else replace(case.record, **certain)
    return real(replace(case, record=record), sent)


BROKEN = [
    ("one era, more batches left", "_write_answer", every_refusal_answers_the_only_send, "executed twice"),
    ("one era", "_is_behind", lambda *_: False, "a fee is counted that was not charged"),
]


class TestBrokenRules:
    @pytest.mark.parametrize("changed", BROKEN, ids=[one[1] for one in BROKEN])
    def test_are_found_told_and_replayed(self, monkeypatch, ledger, changed):
        name, rule, broken, promise = changed
        world = scenario(name)
        monkeypatch.setattr(decide, rule, broken)
        verdict = explore(world, seconds=15)
        path = next(path for told, path in verdict.violations.items() if promise in told)
        assert 0 < len(path) <= 16
        sentences = story(World(world), path)
        assert len(sentences) == len(path)
        assert sentences[0] == "era 0: the process starts"
        assert any("signs era 0 with (5, 5)" in sentence for sentence in sentences)
        assert any("sends era 0's payload (5, 5) with fee 1" in sentence for sentence in sentences)
        assert replay(world, path, ledger) == sentences

    def test_an_endless_loss_of_fees_is_an_era_that_never_ends(self, monkeypatch):
        monkeypatch.setattr(decide, "_hold_for_a_person", lambda case: None)
        verdict = explore(scenario("paid already, accepted and charged", **CALM), seconds=15)
        assert any("never ends" in told for told in verdict.violations)

    def test_a_path_that_an_honest_engine_does_not_take_is_refused_by_name(self, monkeypatch, ledger):
        world = scenario("one era, more batches left")
        with monkeypatch.context() as patched:
            patched.setattr(decide, "_write_answer", every_refusal_answers_the_only_send)
            (path,) = explore(world, seconds=15).violations.values()
            patched.setattr(engine, "decide", patient(decide.decide))
            with pytest.raises(Differs, match="era 0: the model expects 'write', the engine is at 'wait'"):
                replay(world, path, ledger)

    @pytest.mark.parametrize("name", ["until empty", "left by version 0.1.0"])
    def test_worlds_without_a_replay_are_refused_by_name(self, ledger, name):
        with pytest.raises(ValueError, match="of several parts are not replayed"):
            replay(scenario(name), [], ledger)


def patient(real):
    """A decision that waits where the real one signs."""

    def decided(record, me, seen, now, terms):
        action = real(record, me, seen, now, terms)
        return (
            Wait(WaitFor.LANE, "not yet", terms.poll_interval, Outcome.UNKNOWN) if isinstance(action, Sign) else action
        )

    return decided


class TestTheEngineBesideTheModel:
    def test_an_engine_with_a_rule_of_its_own_differs(self, monkeypatch, ledger):
        monkeypatch.setattr(engine, "decide", patient(decide.decide))
        with pytest.raises(Differs, match=r"one era, seed 0: .*the model expects 'write', the engine is at 'wait'"):
            walk(scenario("one era", 3, 2), ledger, 0)

    def test_an_engine_that_signs_another_nonce_differs(self, monkeypatch, ledger):
        real = PayoutEngine._sign

        def another_nonce(self, record, seen):
            return real(self, record, replace(seen, staking=seen.staking + 1))

        monkeypatch.setattr(PayoutEngine, "_sign", another_nonce)
        with pytest.raises(Differs, match="era 0: staking_nonce is 5 in the model, 6 in the ledger"):
            walk(scenario("one era", 3, 2), ledger, 0)


class TestMutants:
    found = mutants()

    def test_change_what_their_names_say_and_leave_a_module_that_can_be_read(self):
        for number, mutant in enumerate(self.found):
            source = (PACKAGE / mutant.file).read_bytes()
            code = ast.unparse(ast.parse(f"({source[mutant.start : mutant.end].decode()})", mode="eval"))
            name = re.sub(r" \(\d+\)$", "", mutant.name)
            ends = (f"if {code} -> never", f"if {code} -> always", f" in {code}", f" in {code[:60]}")
            assert name.endswith(ends) or name.rpartition(" -> ")[0].endswith(f": {code}"), mutant.name
            assert ast.unparse(ast.parse(mutant.text, mode="eval")) != code, mutant.name
            if number % 20 == 0:
                ast.parse(source[: mutant.start] + mutant.text.encode() + source[mutant.end :])

    def test_are_many_with_names_of_their_own_and_each_courtesy_is_one_and_has_a_reason(self):
        names = {mutant.name for mutant in self.found}
        assert len(names) == len(self.found) >= 60
        assert set(courtesies()) <= names
        assert all(courtesies().values())


class TestCommandLines:
    def test_a_scenario_is_explored_and_walked(self, capsys):
        assert command.main(["--scenario", "a node says so", "--jobs", "1"]) == 0
        told = capsys.readouterr().out
        assert "0 of 1 scenarios not complete" in told
        assert "random steps of the real engine and ledger beside the model" in told

    def test_a_changed_rule_is_found(self):
        (name,) = [
            one.name for one in mutants() if one.name == "_write_answer: if sent.kind is SendAnswer.PAID -> never"
        ]
        ran = subprocess.run(
            [sys.executable, "-m", mutants_command.__name__, "--only", name, "--seconds", "5", "--jobs", "1"],
            capture_output=True,
            text=True,
            check=False,
            cwd=ROOT,
        )
        assert ran.returncode == 0, ran.stderr
        assert f"unit tests   {name}" in ran.stdout
        assert f"1 mutants of {len(mutants())}: 1 by unit tests" in ran.stdout

    def test_a_survivor_that_is_no_courtesy_fails(self, monkeypatch, capsys):
        name = mutants()[0].name
        monkeypatch.setattr(mutants_command, "_killers", lambda *_: ["nothing"])
        monkeypatch.setattr(mutants_command, "courtesies", dict)
        assert mutants_command.main(["--only", name, "--jobs", "1"]) == 1
        assert "survives" in capsys.readouterr().out
        monkeypatch.setattr(mutants_command, "courtesies", lambda: {one.name: "fewer calls" for one in mutants()})
        assert mutants_command.main(["--only", name, "--jobs", "1"]) == 0
        assert "courtesy" in capsys.readouterr().out

    def test_the_judge_keeps_its_time_and_finds_a_broken_rule(self, monkeypatch):
        assert mutants_command.judge(0.2) == 0
        monkeypatch.setattr(decide, "_write_answer", every_refusal_answers_the_only_send)
        monkeypatch.setattr(mutants_command, "killers", lambda: [scenario("one era, more batches left")])
        assert mutants_command.judge(9) == 1
