"""Takes an era from its first step to its outcome, and gives a wait up when its time is over.

`EraDriver` makes one step at a time, so that the caller decides how to wait: an Airflow task defers, a test turns its clock.
`pay_era` waits in place.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from staking_gateway.config import defaults
from staking_gateway.errors import GatewayError
from staking_gateway.http.meanings import is_transient
from staking_gateway.payout.outcomes import EraOutcome, Outcome, Wait, WaitFor

if TYPE_CHECKING:
    from collections.abc import Callable, MutableMapping
    from datetime import timedelta

    from staking_gateway.payout.engine import PayoutEngine


ANY = "any"
"""Ends whichever wait it is; see `EraDriver.step`."""


class Limit(str, Enum):
    """Which of the two time limits a wait falls under."""

    WINDOW = "window"
    CONFIRMATION = "confirmation"

    @classmethod
    def of(cls, wait: Wait) -> Limit:
        return cls.WINDOW if wait.reason is WaitFor.WINDOW else cls.CONFIRMATION


@dataclass(frozen=True)
class Patience:
    """How long to wait for an era.

    :param window: for the closed election window.
    :param confirmation: for everything else.
    """

    window: timedelta = defaults.WINDOW_TIMEOUT
    confirmation: timedelta = defaults.CONFIRMATION_TIMEOUT

    def seconds(self, limit: Limit) -> float:
        """How long one kind of wait may take."""
        return (self.window if limit is Limit.WINDOW else self.confirmation).total_seconds()


@dataclass
class EraDriver:
    """Drives one era.

    :param deadlines: when each kind of wait ends, by `clock`; a limit's value to seconds. Plain JSON, so that a deferred task keeps it.
    :param clock: seconds; by default since 1970.
    """

    engine: PayoutEngine
    era: int
    patience: Patience = field(default_factory=Patience)
    deadlines: MutableMapping[str, float] = field(default_factory=dict)
    clock: Callable[[], float] = time.time

    def step(self, *, over: str | None = None) -> Wait | EraOutcome:
        """Make one step. When the time of a wait is over, this step is its last.

        Each kind of wait has its own time, which begins with the first wait of the kind.

        :param over: the kind of wait that ends now, independent of the clock: a limit's value, or `ANY`.
        :raises LedgerError: the ledger failed; nothing is lost, call again.
        :raises GatewayError: the gateway failed, and nothing changed; call again, or not.
        """
        step = self.engine.advance(self.era)
        return step if isinstance(step, EraOutcome) else self.limited(step, over=over)

    def limited(self, wait: Wait, *, over: str | None = None) -> Wait | EraOutcome:
        """The wait, or the era's outcome when its time is over."""
        limit = Limit.of(wait)
        deadline = self.deadlines.setdefault(limit.value, self.clock() + self.patience.seconds(limit))
        if over in (limit.value, ANY) or self.clock() >= deadline:
            return self.engine.abandon(self.era, wait)
        return wait

    def deadline(self, wait: Wait) -> float:
        """When the wait is given up, by `clock`."""
        return self.deadlines[Limit.of(wait).value]

    def pause(self, wait: Wait) -> float:
        """Seconds until the next step."""
        return max(0.0, min(wait.retry_in.total_seconds(), self.deadline(wait) - self.clock()))


def pay_era(
    engine: PayoutEngine,
    era: int,
    *,
    patience: Patience | None = None,
    on_wait: Callable[[Wait], object] | None = None,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> EraOutcome:
    """Pay an era, and wait in place. The wait for a gateway that does not answer has the time of a confirmation.

    :param on_wait: is called with a wait whose message is new.
    :raises LedgerError: the ledger failed; nothing is lost, call again.
    :raises GatewayError: the gateway refuses to answer, for example because of the token.
    """
    driver = EraDriver(engine, era, patience or Patience(), clock=clock)
    message = ""
    while True:
        try:
            step = driver.step()
        except GatewayError as error:
            if not is_transient(error):
                raise
            wait = Wait(WaitFor.REPLAY, f"era {era}: {error}", engine.poll_interval, abandoned=Outcome.UNKNOWN)
            step = driver.limited(wait)
        if isinstance(step, EraOutcome):
            return step
        if on_wait is not None and step.message != message:
            message = step.message
            on_wait(step)
        sleep(driver.pause(step))
