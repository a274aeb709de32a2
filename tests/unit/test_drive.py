"""What uses up the time to wait for an era, and what does not."""

import json
from datetime import timedelta

import pytest

from staking_gateway.payout.drive import EraDriver, Patience
from staking_gateway.payout.outcomes import EraOutcome, Outcome, Wait, WaitFor

POLL = 60.0
PATIENCE = Patience(window=timedelta(hours=2), confirmation=timedelta(minutes=10), whole=timedelta(days=1))
COUNTED, OTHERS = (WaitFor.CONFIRMATION, WaitFor.REPLAY), {*WaitFor} - {WaitFor.CONFIRMATION, WaitFor.REPLAY}


class Driven:
    """An era whose every step is a new process, with a clock that is moved by hand."""

    def __init__(self, patience=PATIENCE):
        self.now, self.reason, self.patience, self.spent = 1_790_000_000.0, WaitFor.CONFIRMATION, patience, "{}"

    def advance(self, era):
        return Wait(self.reason, "not yet", timedelta(seconds=POLL), abandoned=Outcome.UNKNOWN)

    def abandon(self, era, wait):
        return EraOutcome("net", era, wait.abandoned, wait.message, ())

    def step(self, reason=WaitFor.CONFIRMATION, *, late=0.0, planned=None):
        """One step and the pause after it; how long the task would pause, or None at its end."""
        self.reason = reason
        driver = EraDriver(self, 7, self.patience, json.loads(self.spent), lambda: self.now)
        step = driver.step()
        if isinstance(step, EraOutcome):
            assert step.outcome is Outcome.UNKNOWN
            return None
        pause = driver.pause(step, planned)
        self.spent = json.dumps(driver.spent)
        self.now += pause + late
        return pause

    def seconds_left(self, **options):
        """How long it waits for a confirmation from here on."""
        total = 0.0
        while (pause := self.step(**options)) is not None:
            total += pause
        return total


@pytest.mark.parametrize("reason", COUNTED)
def test_the_time_for_a_confirmation_is_used_up_by_looks_that_do_not_find_it(reason):
    assert Driven().seconds_left(reason=reason) == pytest.approx(600, abs=0.1)
    assert Driven().seconds_left(reason=reason, planned=170) == pytest.approx(600, abs=0.1), "the last pause is shorter"
    assert Driven(Patience(confirmation=timedelta(0))).step(reason) is None


@pytest.mark.parametrize("reason", sorted(OTHERS))
def test_other_waits_use_up_none_of_it_nor_does_the_time_between_them_and_a_look(reason):
    era = Driven()
    for _ in range(5):
        assert era.step() == era.step(reason, late=1200) == POLL
    assert era.seconds_left() == pytest.approx(600, abs=0.1)


def test_an_hour_in_which_nobody_looked_counts_as_one_poll():
    era = Driven()
    era.step(late=3600)
    assert era.seconds_left() == pytest.approx(600 - POLL - 10, abs=0.1)
    late = Driven()
    assert late.seconds_left(late=5) < 600, "a worker that starts late has waited"


def test_a_clock_that_goes_back_gives_no_time_back_and_takes_none():
    era = Driven()
    era.step(late=-7200)
    assert era.seconds_left() == pytest.approx(600, abs=0.1)


def test_the_window_has_its_own_time_from_the_first_wait_for_it():
    era = Driven()
    assert era.step(WaitFor.WINDOW, late=7199 - POLL) == POLL
    assert era.step(WaitFor.WINDOW) == 1
    assert era.step(WaitFor.WINDOW) is None
    assert era.step() == POLL, "the payload that is on its way has its time all the same"


@pytest.mark.parametrize("reason", sorted(OTHERS))
def test_every_wait_ends_with_the_task(reason):
    day = timedelta(days=1)
    for patience, end in (
        (PATIENCE, day),
        (Patience(timedelta(hours=30), timedelta(hours=2)), timedelta(hours=32) + day),
    ):
        era = Driven(patience)
        era.step(WaitFor.LANE, late=end.total_seconds() - POLL - 1)
        assert era.step(reason) == 1
        assert era.step(reason) is None
