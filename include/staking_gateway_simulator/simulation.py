"""One running simulation: the chain's rules, its state file and the real time, held together.

The state file has every event in order, in SQLite, on disk before anybody is told of it.
"""

from __future__ import annotations

import sqlite3
import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from staking_gateway.errors import InvalidInput, StakingGatewayError
from staking_gateway_simulator.chain import Chain, ChainClock, EraSchedule
from staking_gateway_simulator.events import Born, ClockSet, Event, FeeSet, PayoutCall, from_json, to_json
from staking_gateway_simulator.settings import SimulatorSettings, instant_to_micros, iso_utc, to_micros

_APPLICATION_ID = 0x53475349
"""Marks the file as a simulator's; see https://www.sqlite.org/pragma.html#pragma_application_id."""
_FORMAT = 2
_ANOTHER = "Choose another file with --state"
_TABLES = (
    "CREATE TABLE events (sequence INTEGER PRIMARY KEY, event TEXT NOT NULL)",
    "CREATE TABLE traffic (kind TEXT, name TEXT, amount INTEGER NOT NULL, PRIMARY KEY (kind, name))",
    f"PRAGMA application_id = {_APPLICATION_ID}",
    f"PRAGMA user_version = {_FORMAT}",
)


@dataclass
class Traffic:
    """Calls since the state file was made: how many per path and per method."""

    calls_by_path: Counter[str] = field(default_factory=Counter)
    calls_by_method: Counter[str] = field(default_factory=Counter)


class StateFile:
    """An open state file, held by one process at a time.

    :param path: the file, made when there is none; None keeps everything in memory.
    :raises StakingGatewayError: not a state file, in use, or not writable.
    """

    def __init__(self, path: Path | None) -> None:
        self._name = str(path) if path is not None else "memory"
        try:
            # Handed from the thread that builds a simulator to the one that runs it, never shared between two at a time.
            self._database = sqlite3.connect(
                str(path) if path is not None else ":memory:", timeout=0, isolation_level=None, check_same_thread=False
            )
        except sqlite3.Error as error:
            raise self._unusable(error) from None
        try:
            self._open()
        except sqlite3.Error as error:
            self._database.close()
            raise self._unusable(error) from None

    def _open(self) -> None:
        run = self._database.execute
        mark = run("PRAGMA application_id").fetchone()[0]
        version = run("PRAGMA user_version").fetchone()[0]
        tables = run("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if (mark, version) != (_APPLICATION_ID, _FORMAT) and (mark or version or tables):
            raise sqlite3.DatabaseError("it is not one of this simulator")
        # A second simulator on the same file would execute every request again, so the lock is never given back.
        run("PRAGMA locking_mode = EXCLUSIVE")
        run("PRAGMA synchronous = FULL")
        run("BEGIN EXCLUSIVE")
        if not tables:
            for statement in _TABLES:
                run(statement)
        run("COMMIT")

    def _unusable(self, error: sqlite3.Error) -> StakingGatewayError:
        reason = "another simulator uses it" if "locked" in str(error) else error
        return StakingGatewayError(f"{self._name} cannot be used as state file: {reason}", remedy=_ANOTHER)

    def events(self) -> list[Event]:
        """All events so far, in order.

        :raises StakingGatewayError: the file is damaged.
        """
        try:
            rows = self._database.execute("SELECT event FROM events ORDER BY sequence").fetchall()
            return [from_json(row[0]) for row in rows]
        except (sqlite3.Error, ValueError) as error:
            raise StakingGatewayError(f"{self._name} is damaged: {error}", remedy=_ANOTHER) from None

    def traffic(self) -> Traffic:
        """The call counts as they were last written."""
        traffic = Traffic()
        for kind, name, amount in self._database.execute("SELECT kind, name, amount FROM traffic"):
            getattr(traffic, kind)[name] = amount
        return traffic

    def append(self, events: Sequence[Event], traffic: Traffic) -> None:
        """Write events and the call counts, all or nothing; when this returns they outlive the process.

        :raises sqlite3.Error: nothing was written.
        """
        counts = [(kind, name, amount) for kind, names in vars(traffic).items() for name, amount in names.items()]
        self._database.execute("BEGIN")
        try:
            self._database.executemany("INSERT INTO events (event) VALUES (?)", [(to_json(event),) for event in events])
            self._database.executemany("INSERT OR REPLACE INTO traffic VALUES (?, ?, ?)", counts)
            self._database.execute("COMMIT")
        except sqlite3.Error:
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            raise

    def close(self) -> None:
        """Give the file back."""
        self._database.close()


class Simulation:
    """A chain whose events are on disk before they take effect.

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
        raise StakingGatewayError(f"{state} is damaged: it does not begin with a birth", remedy=_ANOTHER)
    stored = (first.anchor_era, first.anchor, first.era_length, first.stakers)
    anchor, length = instant_to_micros(settings.anchor_time), to_micros(settings.era_length)
    wanted = (settings.anchor_era, anchor, length, settings.stakers)
    for name, one, other in zip(("anchor era", "anchor time", "era length", "stakers"), stored, wanted, strict=True):
        if one != other:
            raise StakingGatewayError(f"{state} was made with another {name}", remedy=f"Use the same, or: {_ANOTHER}")
