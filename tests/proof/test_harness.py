"""The fault harness: it repeats what a seed says, and it catches whoever breaks a promise. `make faults` runs it at length."""

from functools import partial

import pytest

from tests.proof.harness import __main__ as command
from tests.proof.harness import schedule, storage, world
from tests.proof.harness.__main__ import main
from tests.proof.harness.schedule import TWICE, memory_folder, run_schedule
from tests.proof.harness.world import naive
from tests.support.ledgers import KINDS, fresh_url


@pytest.fixture
def folder():
    with memory_folder() as folder:
        yield folder


@pytest.fixture(autouse=True)
def without_known_seeds(monkeypatch):
    monkeypatch.setattr(command, "known_seeds", lambda suite: [])


def test_the_engine_keeps_every_promise(folder):
    assert [run_schedule(seed, folder).violations for seed in range(3)] == [[]] * 3


def test_a_naive_payer_is_caught_paying_twice_and_calling_unpaid_eras_paid(folder):
    """The schedule runs twice: its seed decides everything."""
    result = run_schedule(29, folder, payer=naive())
    assert run_schedule(29, folder, payer=naive()) == result
    text = " ".join(result.violations)
    assert TWICE in text
    assert "is green with 0 of" in text


@pytest.mark.parametrize("kind", KINDS)
def test_each_fault_of_the_database_reaches_the_engine_as_an_error_of_the_ledger(folder, kind):
    """A process ends red with an error of the product's own; any other one would end the schedule."""
    expected = {f"ledger: {name}" for name in (*storage.FAULTS, storage.UNANSWERED, "server stopped")}
    with fresh_url(kind, folder) as url:
        run = partial(run_schedule, folder=folder, ledger=url)
        first, seeds = run(7), iter(range(8, 60))
        met = +first.faults
        while expected - met.keys():
            met += run(next(seeds)).faults
        assert run(7) == first
        schedule.close_ledgers()


def test_the_command_says_what_it_ran_and_catches_the_naive_payer(capsys, monkeypatch):
    monkeypatch.setattr(command, "known_seeds", lambda suite: [1])
    assert main(["--schedules", "2", "--seed", "2", "--jobs", "1"]) == 0
    printed = capsys.readouterr().out
    assert "faults: SEED=2" in printed
    assert "engine: 3 schedules" in printed
    assert "the naive payer is caught by seed" in printed


def test_the_command_fails_when_nothing_is_caught(monkeypatch):
    monkeypatch.setattr(command, "naive", lambda: world.engine)
    monkeypatch.setattr(command, "_NAIVE", 1)
    assert main(["--schedules", "1", "--seed", "2", "--jobs", "1"]) == 1


def test_a_violation_is_reproduced_with_one_command(capsys, monkeypatch):
    monkeypatch.setattr(schedule, "engine", naive())
    assert main(["--schedules", "1", "--seed", "10", "--jobs", "1"]) == 1
    assert "again: make faults SEED=10 SCHEDULES=1 LEDGER=sqlite" in capsys.readouterr().out
