"""The proof itself: it repeats what a seed says, it catches whoever breaks a promise, and the engine keeps them all."""

from __future__ import annotations

import pytest

from staking_gateway.ledger import PayoutState
from staking_gateway.payout import decide as rules
from staking_gateway.payout import engine
from staking_gateway.payout.evidence import Move
from staking_gateway_simulator.harness.__main__ import main
from staking_gateway_simulator.harness.processes import Killed, Process
from staking_gateway_simulator.harness.schedule import memory_folder, run_schedule

SEEDS = range(100)


@pytest.fixture
def folder():
    with memory_folder() as folder:
        yield folder


def violations(folder, seeds=SEEDS, payer="engine"):
    return [violation for seed in seeds for violation in run_schedule(seed, payer, folder).violations]


def caught(folder):
    """Stops at the first seed that shows a payout too many, or an era that is green and unpaid."""
    return any(
        "were to be made" in violation or "is green with" in violation
        for seed in SEEDS
        for violation in run_schedule(seed, "engine", folder).violations
    )


def test_the_engine_keeps_every_promise(folder):
    assert violations(folder, range(25)) == []


def test_a_seed_decides_everything(folder):
    first, again = (run_schedule(11, "naive", folder) for _ in range(2))
    assert first == again


def test_a_naive_payer_is_caught_paying_twice_and_calling_unpaid_eras_paid(folder):
    found = " ".join(violations(folder, range(40), payer="naive"))
    assert "executed payouts, 1 were to be made" in found or "is green with 2 of 1" in found
    assert "is green with 0 of" in found


@pytest.fixture
def mutant(monkeypatch):
    """Let `instead` answer in place of the rules, wherever it has an answer."""

    def install(instead):
        def decide(record, me, *rest):
            return instead(record, me, *rest) or rules.decide(record, me, *rest)

        monkeypatch.setattr(engine, "decide", decide)

    return install


def lost(record, now):
    """An answer is missing, and nobody is sending."""
    return record.state is PayoutState.UNKNOWN and (record.lease_until is None or record.lease_until <= now)


def test_rules_that_sign_anew_after_a_lost_answer_are_caught(folder, mutant):
    dead = Move(PayoutState.REJECTED, "it was lost", rules.NOTHING_OUT)
    mutant(lambda record, me, seen, now, terms: dead if lost(record, now) else None)
    assert caught(folder)


def test_rules_that_take_a_lost_answer_for_success_are_caught(folder, mutant):
    paid = Move(PayoutState.CONFIRMED, "it was sent", {**rules.NOTHING_OUT, "confirmed_by": "nonce"})
    mutant(lambda record, me, seen, now, terms: paid if lost(record, now) else None)
    assert caught(folder)


def test_rules_that_ignore_leases_and_forget_that_a_payload_may_be_sent_are_caught(folder, mutant):
    fresh = Move(PayoutState.PLANNED, "as if never sent", rules.NOTHING_OUT)

    def forget(record, me, *_):
        return fresh if record.state is PayoutState.SIGNED and record.lease_owner != me.owner else None

    mutant(forget)
    assert caught(folder)


@pytest.mark.parametrize(("payer", "status"), [("engine", 0), ("naive", 0)])
def test_the_command_says_what_it_ran_and_ends_well_when_the_naive_payer_is_caught(payer, status, capsys):
    assert main(["--schedules", "30", "--payer", payer, "--jobs", "1"]) == status
    printed = capsys.readouterr().out
    assert f"{payer}: 30 schedules" in printed
    assert "seeds/s" in printed


def test_the_command_reproduces_a_violation_with_one_command(capsys):
    main(["--schedules", "30", "--payer", "naive", "--jobs", "1"])
    command = next(line for line in capsys.readouterr().out.splitlines() if "again:" in line)
    arguments = command.partition("staking_gateway_simulator.harness ")[2].split()
    assert main([*arguments, "--jobs", "1"]) == 0
    assert "violations: 1" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["--schedules", "0"], ["--first", "-1"], ["--jobs", "0"], ["--payer", "x"]])
def test_arguments_that_make_no_sense_are_refused(arguments, capsys):
    with pytest.raises(SystemExit) as refused:
        main(arguments)
    assert refused.value.code == 2
    assert "usage:" in capsys.readouterr().err


def test_processes_take_turns_and_can_be_killed():
    seen = []

    def body(process):
        try:
            seen.append("started")
            process.pause()
            seen.append("never reached")
        except Killed:
            seen.append("killed")
            raise

    process = Process(body)
    assert process.resume()
    process.kill()
    assert not process.alive
    assert seen == ["started", "killed"]
    process.kill()
    assert not process.resume()
