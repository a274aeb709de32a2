"""The chain's time and its eras. Pure: the real time is handed in. All times are whole microseconds since 1970."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class ChainClock:
    """Chain time as a function of real time: it was `chain` at `real` and runs from there with `speed`, or stands still.

    Confirmations are timed in ticks: real time, or chain time when the clock is manual, so that a test decides when a
    request is executed and a fast chain does not outrun its clients.
    """

    manual: bool
    speed: float
    real: int
    chain: int

    def chain_at(self, real: int) -> int:
        return self.chain if self.manual else self.chain + round((real - self.real) * self.speed)

    def tick_at(self, real: int) -> int:
        return self.chain if self.manual else real

    def chain_at_tick(self, tick: int) -> int:
        return tick if self.manual else self.chain_at(tick)

    def advanced(self, real: int, by: int) -> ChainClock:
        """The same clock put forward."""
        return replace(self, real=real, chain=self.chain_at(real) + by)

    def switched(self, real: int, *, manual: bool, speed: float) -> ChainClock:
        """A clock that goes on from here in another way."""
        return ChainClock(manual, speed, real, self.chain_at(real))


@dataclass(frozen=True)
class EraSchedule:
    """Which era a moment of chain time lies in, and whether its election window is open by the calendar."""

    anchor_era: int
    anchor: int
    length: int
    window: int

    def era_at(self, chain: int) -> int:
        return self.anchor_era + (chain - self.anchor) // self.length

    def start_of(self, era: int) -> int:
        """Chain time at which an era becomes active."""
        return self.anchor + (era - self.anchor_era) * self.length

    def window_opens(self, chain: int) -> int:
        """Chain time at which the window of the active era opens."""
        return self.start_of(self.era_at(chain) + 1) - self.window

    def is_window_open(self, chain: int) -> bool:
        """Whether the window is open: the last `window` microseconds of every era."""
        return chain >= self.window_opens(chain)
