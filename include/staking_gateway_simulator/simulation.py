"""One running simulation: the chain's rules, its state file and the real time, held together."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from staking_gateway.errors import InvalidInput, StakingGatewayError
from staking_gateway_simulator.chain import Chain
from staking_gateway_simulator.clock import ChainClock, EraSchedule
from staking_gateway_simulator.events import Born, ClockSet, Event, FeeSet
from staking_gateway_simulator.settings import SimulatorSettings, instant_to_micros, iso_utc, to_micros
from staking_gateway_simulator.store import StateFile

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from staking_gateway_simulator.payout_rules import PayoutCall


class Simulation:
    """A chain whose events are on disk before they take effect.

    :param settings: see `SimulatorSettings`.
    :param state: the state file; None keeps everything in memory.
    :param read_clock: real time in seconds since 1970.
    :raises StakingGatewayError: the file cannot be used, or is of another chain.
    """

    def __init__(self, settings: SimulatorSettings, state: Path | None, read_clock: Callable[[], float]) -> None:
        self.settings = settings
        self.read_clock = read_clock
        self._file = StateFile(state)
        self.state_file = None if state is None else str(state.resolve())
        try:
            self.traffic = self._file.traffic()
            history = self._file.events()
            if history:
                _refuse_another_chain(history[0], settings, state)
            else:
                history = _birth(settings, self.real)
                self._file.append(history, self.traffic)
            self._unsaved: list[Event] = []
            self.chain = Chain(settings, history)
            self._resume()
        except BaseException:
            self._file.close()
            raise

    @property
    def real(self) -> int:
        """Real time in microseconds since 1970."""
        return to_micros(self.read_clock())

    @property
    def now(self) -> int:
        """Chain time in microseconds since 1970."""
        return self.chain.clock.chain_at(self.real)

    @property
    def tick(self) -> int:
        """The present tick, see `ChainClock`."""
        return self.chain.clock.tick_at(self.real)

    def settle(self) -> int:
        """Execute what is due. Everything that reads or changes the chain comes after this.

        :returns: the real time up to which everything is executed.
        """
        real = self.real
        self._unsaved += self.chain.settle(real)
        if self._unsaved:
            # What is due is executed the same way after a restart, so it may take effect before it is written.
            self._file.append(self._unsaved, self.traffic)
            self._unsaved.clear()
        return real

    def happen(self, event: Event) -> None:
        """Write an event, then let it take effect."""
        self._file.append([event], self.traffic)
        self.chain.apply(event)

    def submit(self, call: PayoutCall) -> str:
        """Accept a payout request; it is on disk when this returns.

        :returns: the id of the request.
        :raises Refusal: see `Chain.accept`.
        """
        real = self.settle()
        accepted = self.chain.accept(call, str(uuid.uuid4()), real)
        self.happen(accepted)
        return accepted.request_id

    def pay_elsewhere(self, call: PayoutCall) -> None:
        """Execute a payout of somebody else at once; it is on disk when this returns."""
        real = self.settle()
        events = self.chain.execute_payout(call, str(uuid.uuid4()), real)
        self._file.append(events, self.traffic)
        for event in events:
            self.chain.apply(event)

    def set_clock(self, clock: ChainClock) -> None:
        """Put the clock forward or switch it, pending requests keeping their remaining time."""
        self.settle()
        shift = 0
        if clock.manual != self.chain.clock.manual:
            shift = clock.tick_at(clock.real) - self.chain.clock.tick_at(clock.real)
        self.happen(ClockSet(clock.manual, clock.speed, clock.real, clock.chain, shift))
        self.settle()

    def close(self) -> None:
        """Write the call counts and give the state file back."""
        self._file.append([], self.traffic)
        self._file.close()

    def _resume(self) -> None:
        """Take up a chain where it is by now, with the settings of this start."""
        self.settle()
        clock = self.chain.clock
        if (clock.manual, clock.speed) != (self.settings.manual_clock, self.settings.speed):
            self.set_clock(clock.switched(self.real, manual=self.settings.manual_clock, speed=self.settings.speed))
        if self.settings.fee is not None and self.settings.fee != self.chain.fee:
            self.happen(FeeSet(self.settings.fee))


def _birth(settings: SimulatorSettings, real: int) -> list[Event]:
    """The first events of a new chain."""
    start = real if settings.start_time is None else instant_to_micros(settings.start_time)
    anchor, length = instant_to_micros(settings.anchor_time), to_micros(settings.era_length)
    if start < anchor:
        raise InvalidInput(
            "anchor_time", f"{iso_utc(anchor)} is later than the chain's start {iso_utc(start)}", "Use an earlier time"
        )
    active = EraSchedule(settings.anchor_era, anchor, length, 0).era_at(start)
    return [
        Born(settings.anchor_era, anchor, length, settings.stakers, max(0, active - settings.unpaid_eras)),
        ClockSet(settings.manual_clock, settings.speed, real, start),
    ]


def _refuse_another_chain(first: Event, settings: SimulatorSettings, state: Path | None) -> None:
    """Refuse a file whose eras lie elsewhere: its payouts would be counted for the wrong eras."""
    if not isinstance(first, Born):
        raise StakingGatewayError(
            f"{state} is damaged: it does not begin with a birth", remedy="Choose another file with --state"
        )
    for name, stored, wanted in (
        ("anchor era", first.anchor_era, settings.anchor_era),
        ("anchor time", iso_utc(first.anchor), iso_utc(instant_to_micros(settings.anchor_time))),
        ("era length", f"{first.era_length / 1e6:g} s", f"{to_micros(settings.era_length) / 1e6:g} s"),
        ("number of stakers", first.stakers, settings.stakers),
    ):
        if stored != wanted:
            raise StakingGatewayError(
                f"{state} was made with another {name}: {stored}, not {wanted}",
                remedy="Use the same one, or choose another file with --state",
            )
