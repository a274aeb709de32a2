"""Breadth first through every state of a scenario: safety and the invariant in each, liveness from each."""

from __future__ import annotations

import gc
import time
from collections import deque
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from staking_gateway.ledger.records import PayoutState
from tests.proof.explore.model import World, committed
from tests.proof.explore.scenario import Bounds, Scenario
from tests.proof.explore.values import ALIVE, MOST_SENDS, Process, Terms

if TYPE_CHECKING:
    from tests.proof.explore.values import Record, State

_CALM = Bounds(faults=0, preemptions=0, crash=0, lost=0, late=0, dropped=0, fee=0)
_MOST_STEPS = 600
_MOST_ROUNDS = 200


@dataclass
class Verdict:
    """What a scenario came to.

    :param complete: whether every state within the bounds was visited.
    :param reached: rules, outcomes and holds; see `reach.py`.
    :param violations: broken promise to the shortest path that breaks it: at each state, which of its steps is taken.
    """

    scenario: Scenario
    states: int = 0
    transitions: int = 0
    seconds: float = 0.0
    depth: int = 0
    complete: bool = True
    reached: set[str] = field(default_factory=set)
    violations: dict[str, list[int]] = field(default_factory=dict)

    @property
    def held(self) -> bool:
        """Whether every promise was kept."""
        return not self.violations


def explore(
    scenario: Scenario, *, most_states: int | None = None, seconds: float | None = None, first_only: bool = True
) -> Verdict:
    """Visit every state.

    :param most_states: stop after so many; the verdict is then not complete.
    :param seconds: likewise after so many seconds of processor time, so that a busy machine searches as far as a quiet one.
    :param first_only: stop at the first broken promise.
    """
    # States refer to nothing that refers to them: looking for cycles among millions of them costs a third of the time.
    collects = gc.isenabled()
    gc.disable()
    try:
        return _Search(World(scenario), most_states, seconds, first_only=first_only).run()
    finally:
        if collects:
            gc.enable()


class _Search:
    def __init__(self, world: World, most: int | None, seconds: float | None, *, first_only: bool) -> None:
        self.world = world
        self.verdict = Verdict(world.scenario, reached=world.reached)
        self._most = most
        self._seconds = seconds
        self._first_only = first_only
        self._parents: dict[State, State | None] = {}
        self._safe: set[tuple[int, ...]] = set()
        self._peace: dict[State, str | None] = {}
        eras = range(len(world.scenario.eras))
        first = {slot.era: number for number, slot in reversed(list(enumerate(world.slots)))}
        self._orders = sorted({tuple(first[era] for era in order) for order in (eras, reversed(eras))})

    def run(self) -> Verdict:
        started = time.process_time()
        start = self.world.start()
        self._parents[start] = None
        layer: deque[State] = deque([start])
        self._check(start)
        while layer and self._goes_on(started):
            following: deque[State] = deque()
            for state in layer:
                if not self._goes_on(started):
                    break
                for _, after in self.world.steps(state):
                    self.verdict.transitions += 1
                    if after not in self._parents:
                        self._parents[after] = state
                        following.append(after)
                        self._check(after)
            else:
                self.verdict.depth += 1
                layer = following
                continue
            self.verdict.complete = False
            break
        self.verdict.states = len(self._parents)
        self.verdict.seconds = time.process_time() - started
        return self.verdict

    def _goes_on(self, started: float) -> bool:
        if self.verdict.violations and self._first_only:
            return False
        if self._most is not None and len(self._parents) >= self._most:
            return False
        return self._seconds is None or time.process_time() - started < self._seconds

    def _check(self, state: State) -> None:
        key = (state[0], *state[4:])
        if key not in self._safe:
            self._safe.add(key)
            self._note(self._unsafe(state), state)
        self._note(self._shared(state), state)
        for slot in range(len(self.world.slots)):
            process = self.world.process(state, slot)
            if process is not None and process.sends >= MOST_SENDS:
                self._note("sends without end", state)
        for order in self._orders:
            self._note(self._stuck(state, order), state)

    def _note(self, violation: str | None, state: State) -> None:
        if violation is not None and violation not in self.verdict.violations:
            self.verdict.violations[violation] = self.path(state)

    def path(self, state: State) -> list[int]:
        """The steps that lead to a state."""
        states = [state]
        while (parent := self._parents[states[-1]]) is not None:
            states.append(parent)
        states.reverse()
        return [
            next(number for number, (_, after) in enumerate(self.world.steps(before)) if after == wanted)
            for before, wanted in pairwise(states)
        ]

    # --- safety --------------------------------------------------------------------------------------------------------

    def _unsafe(self, state: State) -> str | None:
        """A promise that the truth breaks, or None."""
        world, scenario = self.world, self.world.scenario
        chain = world.chain(state)
        for era, wanted in enumerate(scenario.eras):
            records = [world.record(state, era * world.parts + part) for part in range(world.parts)]
            confirmed = sum(record.state is PayoutState.CONFIRMED for record in records)
            if chain.executed[era] > (wanted.batches if scenario.until_empty else min(1, wanted.batches)):
                return "an era is executed twice"
            if confirmed > chain.executed[era]:
                return "an era is green and was not executed"
            if chain.left[era] and any(record.state is PayoutState.EMPTY for record in records):
                return "an era is green and unpaid"
            if chain.wasted[era] > Terms.max_fees_for_nothing:
                return "more than two fees are charged for nothing"
            if sum(record.wasted for record in records) > chain.wasted[era] and not scenario.bounds.foreign_payment:
                return "a fee is counted that was not charged"
        if scenario.limit is not None and chain.charged > scenario.limit:
            return "the fees are above the limit"
        return None

    def _shared(self, state: State) -> str | None:
        """The invariant: no two payloads that may still execute share a staking nonce across parts."""
        world, scenario = self.world, self.world.scenario
        chain = world.chain(state)
        payloads = {request.payload for request in world.of[state[1]] if request.status in ALIVE}
        payloads |= set(world.of[state[2]])
        for record in world.records:
            found = world.record(state, record.id)
            if found.state.in_flight:
                payloads.add(found.proxy_signature)
        for slot in range(len(world.slots)):
            process = world.process(state, slot)
            if process is not None and process.action >= 0 and world.of[process.action].kind == "send":
                payloads.add(world.of[process.action].changes[0][1])
        alive: dict[tuple[int, int], int] = {}
        for payload in payloads:
            record = world.records[payload.record]
            dead = (
                payload.staking < chain.staking[record.user_key][0]
                or payload.payment < chain.payment[record.payer_key][0]
            )
            if dead or not chain.left[record.id // world.parts] or record.era < chain.active - scenario.kept:
                continue
            if alive.setdefault((record.user_key, payload.staking), payload.record) != payload.record:
                return "two parts share a staking nonce that may still execute"
        return None

    # --- liveness ------------------------------------------------------------------------------------------------------

    def _stuck(self, state: State, order: tuple[int, ...]) -> str | None:
        """Let faults stop and processes die; then each era's run alone must bring its era to its end, one after the other."""
        return self._live(self.world.in_peace(state, _CALM), order, "")

    def _live(self, state: State, order: tuple[int, ...], outcome: str) -> str | None:
        """What goes wrong when the runs of these slots follow each other, or None. Situations that were judged before are known."""
        world = self.world
        trail: list[tuple[int, ...]] = []
        began = 0
        found: str | None = None
        while order:
            key = (*state, *order, -1)
            if key in self._peace:
                found = self._peace[key]
                break
            if key in trail or len(trail) - began == _MOST_ROUNDS:  # nothing changes any more, or it goes on and on
                found = self._ends_wrong(state, world.slots[order[0]].era, outcome or "without end")
                if found is not None:
                    break
                state, order, outcome = world.in_peace(state, _CALM), order[1:], ""
                began = len(trail)
                continue
            trail.append(key)
            state, outcome, green = self._go_on(state, order[0], outcome)
            if green:
                found = self._ends_wrong(state, world.slots[order[0]].era, "green")
                if found is not None:
                    break
                state, order, outcome = world.in_peace(state, _CALM), order[1:], ""
                began = len(trail)
        else:
            found = self._unsafe(state)
        for key in trail:
            self._peace[key] = found
        return found

    def _go_on(self, state: State, slot: int, outcome: str) -> tuple[State, str, bool]:
        """Run one process until it waits or ends; then time passes, and what was under way arrives.

        :returns: the state, the last outcome, and whether the era is green.
        """
        world = self.world
        if world.process(state, slot) is None:
            found = [world.record(state, index).state for index in world.slots[slot].records]
            if PayoutState.EMPTY in found or all(one.settled for one in found):
                return state, outcome, True
            state = world.with_process(self.deliver(state), slot, Process(-1))
        for _ in range(_MOST_STEPS):
            step, after = next(iter(world.process_steps(state, slot, world.of[state[3]], [])))
            step = step[-1] if step[0] == "look" and len(step) > 5 else step
            act = world.of[step[3]] if step[0] in ("look", "write") else None
            if act is not None and act.outcome is not None:
                outcome = act.outcome.value
            waits = act is not None and "wait" in (act.kind, act.then)
            if waits or world.process(after, slot) is None:
                return self.deliver(world.tick(after)), outcome, False
            state = after
        return state, "without end", False

    def deliver(self, state: State) -> State:
        """What was under way arrives and executes, and the window closes."""
        world = self.world
        while True:
            for step, after in world.chain_steps(state, world.of[state[3]]):
                if step[0] != "tick":
                    state = after
                    break
            else:
                chain = world.chain(state)
                return (world.values[chain._replace(open=False)], *state[1:]) if chain.open else state

    def _ends_wrong(self, state: State, era: int, outcome: str) -> str | None:
        world, scenario = self.world, self.world.scenario
        chain = world.chain(state)
        if outcome == "green":
            return None if not chain.left[era] or not scenario.until_empty else "an era is green and unpaid"
        record: Record = world.record(state, era * world.parts)
        if record.era < chain.active - scenario.kept or scenario.never:
            return None
        held = {world.record(state, record.id + part).hold for part in range(world.parts)}
        if chain.wasted[era] >= Terms.max_fees_for_nothing and "charged" in held:
            return None
        counted = committed([world.record(state, other.id) for other in world.records])
        if scenario.limit is not None and counted + chain.fee > scenario.limit:
            return None
        paid_elsewhere = scenario.eras[era].batches == 0 and not (scenario.door or scenario.node)
        if paid_elsewhere and not scenario.charge:
            return None  # nothing that can be asked knows that the era is paid, and asking costs nothing
        return f"an era never ends: {outcome or 'no outcome'}"
