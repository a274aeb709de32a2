"""The fault harness: it repeats what a seed says, and it catches whoever breaks a promise. `make faults` runs it at length."""

import pytest

from staking_gateway.ledger import PayoutState
from staking_gateway.payout import decide as rules
from staking_gateway.payout import engine
from staking_gateway.payout.evidence import Move
from tests.proof.harness.__main__ import main
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


def test_the_command_says_what_it_ran_and_reproduces_a_violation_with_one_command(capsys):
    assert main(["--schedules", "2", "--payer", "engine", "--jobs", "1"]) == 0
    naive = ["--first", "2", "--schedules", "2", "--payer", "naive", "--jobs", "1"]
    assert main(naive) == 0, "the naive payer is to be caught"
    printed = capsys.readouterr().out
    assert "engine: 2 schedules" in printed
    assert "naive: 2 schedules" in printed
    assert "seeds/s" in printed
    command = next(line for line in printed.splitlines() if "again:" in line)
    arguments = command.partition("tests.proof.harness ")[2].split()
    assert main([*arguments, "--jobs", "1"]) == 0
    assert "violations: 1" in capsys.readouterr().out
