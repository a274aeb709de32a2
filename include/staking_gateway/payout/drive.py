"""Takes an era from its first step to its outcome, and gives a wait up when its time is over. `EraDriver` makes one step at a time, so that the
caller decides how to wait: an Airflow task defers, a test turns its clock. `pay_eras` waits in place.
"""

import time
from collections.abc import Callable, Iterable, Iterator, MutableMapping
from dataclasses import dataclass, field
from datetime import timedelta

from staking_gateway.config.models import TimingSettings
from staking_gateway.errors import GatewayError, may_pass
from staking_gateway.payout.engine import PayoutEngine
from staking_gateway.payout.outcomes import EraOutcome, Outcome, Wait, WaitFor

_COUNTED = (WaitFor.CONFIRMATION, WaitFor.REPLAY)
"""Waits that use up the time for a confirmation. The chain or a person ends the others."""
_LATE = 10.0
"""Seconds by which a step may come late, and the time still counts. Later, nobody was looking: Airflow's triggerer was down."""
_REST = 0.001
"""Seconds that count as none: sums of fractions leave a rest that no clock shows."""
_OTHERS = timedelta(days=1)
_TIMING = TimingSettings()


@dataclass
class EraDriver:
    """Drives one era.

    :param timing: `window_timeout` counts from the first wait for the closed election window, `confirmation_timeout` while a look finds no result.
        Neither the wait for another era, for finality or for a stopped ledger counts, nor the time in which nobody looked.
    :param longest: the time for everything together; None: a day more than the other two.
    :param spent: what is spent of these times. Plain JSON, so that a deferred or repeated task keeps it: `began` and `window`, the times of the
        first step and of the first wait for the window; `waited`, the seconds without a confirmation; while these count, `looked`, the time of
        the last step, and `until`, the latest time of the next one that counts.
    :param clock: seconds; by default since 1970.
    """

    engine: PayoutEngine
    era: int
    timing: TimingSettings = _TIMING
    longest: timedelta | None = None
    spent: MutableMapping[str, float] = field(default_factory=dict)
    clock: Callable[[], float] = time.time

    def step(self, *, patient: bool = False) -> Wait | EraOutcome:
        """Make one step. When the time of its wait is over, it is the last. LedgerError, GatewayError: nothing is lost, call again.

        :param patient: a gateway that does not answer is waited for, as for a confirmation.
        """
        try:
            step = self.engine.advance(self.era)
        except GatewayError as error:
            if not patient or not may_pass(error):
                raise
            step = Wait(WaitFor.REPLAY, f"era {self.era}: {error}", self.timing.poll_interval, Outcome.UNKNOWN)
        if isinstance(step, EraOutcome):
            return step
        spent, now = self.spent, self.clock()
        looked, until = spent.pop("looked", now), spent.pop("until", now)
        if step.reason in _COUNTED:
            spent["looked"] = now
            spent["waited"] = spent.get("waited", 0.0) + max(0.0, min(now, until) - looked)
        elif step.reason is WaitFor.WINDOW:
            spent.setdefault("window", now)
        return step if self.left(step) > _REST else self.engine.abandon(self.era, step)

    def left(self, wait: Wait | None = None) -> float:
        """Seconds until the wait is given up; None: until every wait is."""
        now, window, confirmation = self.clock(), self.timing.window_timeout, self.timing.confirmation_timeout
        longest = window + confirmation + _OTHERS if self.longest is None else self.longest
        left = self.spent.setdefault("began", now) + longest.total_seconds() - now
        if wait is not None and wait.reason in _COUNTED:
            left = min(left, confirmation.total_seconds() - self.spent["waited"])
        elif wait is not None and wait.reason is WaitFor.WINDOW:
            left = min(left, self.spent["window"] + window.total_seconds() - now)
        return left

    def pause(self, wait: Wait, planned: float | None = None) -> float:
        """Seconds until the next step, which the caller then makes; `planned`: it looks in another way meanwhile, and this often."""
        pause = max(0.0, min(wait.retry_in.total_seconds() if planned is None else planned, self.left(wait)))
        if wait.reason in _COUNTED:
            self.spent["until"] = self.clock() + pause + _LATE
        return pause


def pay_eras(
    engine: PayoutEngine,
    eras: Iterable[int],
    *,
    timing: TimingSettings = _TIMING,
    on_wait: Callable[[Wait], object] | None = None,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[EraOutcome]:
    """Pay eras in their order, and wait in place. The next era begins while the earlier ones only wait for finality.

    :param on_wait: is called with a wait whose message is new.
    :returns: the outcomes, each when it is known. LedgerError, and GatewayError for one that refuses to answer: nothing is lost, call again.
    """
    todo = iter([EraDriver(engine, era, timing, clock=clock) for era in eras])
    begun: dict[int, tuple[EraDriver, Wait, float]] = {}
    while True:
        now = clock()
        driver = next((driver for driver, _, due in begun.values() if due <= now), None)
        if driver is None and all(wait.reason is WaitFor.FINALITY for _, wait, _ in begun.values()):
            driver = next(todo, None)
        if driver is None:
            if not begun:
                return
            sleep(min(due for *_, due in begun.values()) - now)
            continue
        step, era = driver.step(patient=True), driver.era
        if isinstance(step, EraOutcome):
            begun.pop(era, None)
            yield step
            continue
        if on_wait is not None and (era not in begun or begun[era][1].message != step.message):
            on_wait(step)
        begun[era] = driver, step, clock() + driver.pause(step)
