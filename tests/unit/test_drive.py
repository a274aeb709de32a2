"""What uses up the time to wait for an era, and what does not."""

import json
from datetime import timedelta
from itertools import islice

import pytest

from staking_gateway.config.models import TimingSettings
from staking_gateway.errors import Failed, GatewayError
from staking_gateway.payout.drive import EraDriver, pay_eras
from staking_gateway.payout.outcomes import EraOutcome, Outcome, Wait, WaitFor
from tests.support.failed import fails

POLL = 60.0
DAY = timedelta(days=1)
TIMING = TimingSettings(poll_interval="60s", window_timeout="2h", confirmation_timeout="10m")
COUNTED, OTHERS = (WaitFor.CONFIRMATION, WaitFor.REPLAY), {*WaitFor} - {WaitFor.CONFIRMATION, WaitFor.REPLAY}


class Driven:
    """An era whose every step is a new process, with a clock that is moved by hand."""

    def __init__(self, timing=TIMING, longest=DAY):
        self.now, self.reason, self.limits, self.spent = 1_790_000_000.0, WaitFor.CONFIRMATION, (timing, longest), "{}"

    def advance(self, era):
        return Wait(self.reason, "not yet", timedelta(seconds=POLL), abandoned=Outcome.UNKNOWN)

    def abandon(self, era, wait):
        return EraOutcome("net", era, wait.abandoned, wait.message, ())

    def step(self, reason=WaitFor.CONFIRMATION, *, late=0.0, planned=None):
        """One step and the pause after it; how long the task would pause, or None at its end."""
        self.reason = reason
        driver = EraDriver(self, 7, *self.limits, json.loads(self.spent), lambda: self.now)
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
        pauses = [*islice(iter(lambda: self.step(**options), None), 50)]
        assert len(pauses) < 50, "it waits for ever"
        return sum(pauses)


@pytest.mark.parametrize("reason", COUNTED)
def test_the_time_for_a_confirmation_is_used_up_by_looks_that_do_not_find_it(reason):
    assert Driven().seconds_left(reason=reason) == pytest.approx(600, abs=0.1)
    assert Driven().seconds_left(reason=reason, planned=170) == pytest.approx(600, abs=0.1), "the last pause is shorter"
    assert Driven(TimingSettings(confirmation_timeout=timedelta(milliseconds=1))).step(reason) is None


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
    slow = TimingSettings(window_timeout="30h", confirmation_timeout="2h")
    for timing, longest, end in ((TIMING, DAY, DAY), (slow, None, timedelta(hours=32) + DAY)):
        era = Driven(timing, longest)
        era.step(WaitFor.LANE, late=end.total_seconds() - POLL - 1)
        assert era.step(reason) == 1
        assert era.step(reason) is None
    late = EraDriver(era, 7, TIMING, DAY, {"began": 0.0, "window": 0.0}, lambda: DAY.total_seconds() + 5)
    assert late.pause(era.advance(7)) == 0, "a worker that was held up between step and pause"


# --- several eras in one process ---------------------------------------------------------------------------------------------


class Scripted:
    """An engine that plays the steps of each era: a wait, an error, or an outcome. Each step takes a second; `story` has the steps and sleeps."""

    def __init__(self, **steps):
        self.steps = {int(name.removeprefix("era")): list(played) for name, played in steps.items()}
        self.now, self.story, self.told = 0.0, [], []

    def advance(self, era):
        self.now += 1
        self.story.append(era)
        step = self.steps[era].pop(0)
        if isinstance(step, Exception):
            raise step
        if isinstance(step, WaitFor):
            return Wait(step, f"era {era}: {step.value}", timedelta(seconds=POLL), abandoned=Outcome.UNKNOWN)
        return EraOutcome("net", era, step, "", ())

    def abandon(self, era, wait):
        return EraOutcome("net", era, wait.abandoned, wait.message, ())

    def sleep(self, seconds):
        assert len(self.story) < 200, "it sleeps for ever"
        self.now += seconds
        self.story.append(f"sleeps {seconds:.0f}")

    def pay(self, eras, **options):
        """The outcome of each era, in the order in which they are known."""
        told = {"on_wait": lambda wait: self.told.append(wait.message), "sleep": self.sleep, "clock": lambda: self.now}
        return [(one.era, one.outcome) for one in pay_eras(self, eras, timing=TIMING, **told, **options)]


FINAL, LANE, PAID = WaitFor.FINALITY, WaitFor.LANE, Outcome.PAID


def test_eras_are_paid_in_their_order_and_the_next_begins_while_the_earlier_ones_wait_for_finality_only():
    engine = Scripted(era8=[FINAL, PAID], era9=[LANE, LANE, FINAL, PAID], era7=[PAID])
    assert engine.pay([8, 9, 7]) == [(8, PAID), (7, PAID), (9, PAID)]
    assert engine.story == [8, 9, "sleeps 59", 8, 9, "sleeps 60", 9, 7, "sleeps 59", 9]


def test_a_wait_is_told_when_its_words_are_new():
    engine = Scripted(era8=[LANE, LANE, FINAL, LANE, PAID])
    engine.pay([8])
    assert engine.told == ["era 8: lane", "era 8: finality", "era 8: lane"]
    assert [*pay_eras(Scripted(era8=[PAID]), [8])]


def test_a_gateway_that_does_not_answer_has_the_time_of_a_confirmation_and_other_errors_end_all():
    silent = GatewayError("silence", method="m", how=Failed.TIMEOUT)
    engine = Scripted(era8=[silent] * 20, era9=[silent, PAID])
    assert engine.pay([8, 9]) == [(8, Outcome.UNKNOWN), (9, PAID)]
    assert engine.told[0].startswith("era 8: m: silence")
    assert 600 <= engine.now <= 600 + 4 * POLL
    with fails(Failed.TIMEOUT):
        EraDriver(Scripted(era8=[silent]), 8).step()  # a task is repeated by Airflow
    with fails(Failed.NO_TOKEN):
        Scripted(era8=[GatewayError("no", method="m", status=401, how=Failed.NO_TOKEN)]).pay([8])
