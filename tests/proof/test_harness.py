"""The fault harness: it repeats what a seed says, and it catches whoever breaks a promise. `make faults` runs it at length."""

import pytest

from staking_gateway.ledger import PayoutState
from staking_gateway.payout import decide as rules
from staking_gateway.payout import engine
from staking_gateway.payout.evidence import Move
from tests.proof.harness import __main__ as command
from tests.proof.harness import payers, schedule
from tests.proof.harness.__main__ import main
from tests.proof.harness.payers import NaivePayer
from tests.proof.harness.schedule import memory_folder, run_schedule

TWICE, UNPAID = "were to be made", "is green with"


@pytest.fixture
def folder():
    with memory_folder() as folder:
        yield folder


def test_the_engine_keeps_every_promise(folder):
    assert [run_schedule(seed, "engine", folder).violations for seed in range(3)] == [[]] * 3


def test_a_naive_payer_is_caught_paying_twice_and_calling_unpaid_eras_paid(folder):
    """Each schedule runs twice: its seed decides everything."""
    found = []
    for seed in (2, 8):
        result = run_schedule(seed, "naive", folder)
        assert run_schedule(seed, "naive", folder) == result
        found += result.violations
    text = " ".join(found)
    assert "executed payouts, 1 were to be made" in text or "is green with 2 of 1" in text
    assert "is green with 0 of" in text


def test_rules_that_sign_anew_after_a_lost_answer_are_caught(monkeypatch, folder):
    dead = Move(PayoutState.REJECTED, "it was lost", rules.NOTHING_OUT)

    def sign_anew(record, me, seen, now, terms):
        lost = record.state is PayoutState.UNKNOWN and (record.lease_until is None or record.lease_until <= now)
        return dead if lost else rules.decide(record, me, seen, now, terms)

    monkeypatch.setattr(engine, "decide", sign_anew)
    found = (text for seed in range(8, 30) for text in run_schedule(seed, "engine", folder).violations)
    assert any(TWICE in text or UNPAID in text for text in found)


def test_the_command_says_what_it_ran_and_catches_the_naive_payer(capsys, monkeypatch):
    monkeypatch.setattr(command, "known_seeds", lambda suite: [1])
    assert main(["--schedules", "2", "--seed", "7", "--jobs", "1"]) == 0
    printed = capsys.readouterr().out
    assert "faults: SEED=7" in printed
    assert "engine: 3 schedules" in printed
    assert "naive payer: caught by seed 7" in printed


def test_the_command_fails_when_nothing_is_caught(monkeypatch):
    monkeypatch.setattr(command, "known_seeds", lambda suite: [])
    monkeypatch.setattr(schedule, "NaivePayer", lambda: payers.engine)
    monkeypatch.setattr(command, "_NAIVE", 1)
    assert main(["--schedules", "1", "--seed", "7", "--jobs", "1"]) == 1


def test_a_violation_is_reproduced_with_one_command(capsys, monkeypatch):
    monkeypatch.setattr(command, "known_seeds", lambda suite: [])
    monkeypatch.setattr(schedule, "engine", NaivePayer())
    assert main(["--schedules", "1", "--seed", "8", "--jobs", "1"]) == 1
    assert "again: make faults SEED=8 SCHEDULES=1" in capsys.readouterr().out
