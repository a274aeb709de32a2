"""Breadth first through every state of a scenario: safety and the invariant in each, liveness from each."""

import gc
import time
from collections import deque
from dataclasses import dataclass, field
from itertools import count, pairwise
from math import inf

from staking_gateway.ledger.records import Payout, PayoutState
from staking_gateway.payout.copies import Copies, sends_at
from staking_gateway.payout.outcomes import Hold
from tests.proof.explore import ledger
from tests.proof.explore.environment import CHAIN, MOST_SENDS, PARTS, State
from tests.proof.explore.model import World
from tests.proof.explore.reach import Rules, outcome_of
from tests.proof.explore.scenario import IDLE, Bounds, Chain, Scenario

_CALM = Bounds(sends=999)
_MOST_STEPS = 200
_MOST_ROUNDS = 120
TWICE, NOT_EXECUTED, UNPAID, NOT_FINAL = (
    "an era is executed twice",
    "an era is green and was not executed",
    "an era is green and unpaid",
    "an era is green before it is final",
)
ENDLESS, WASTED, LIMIT, SENDS, BROKEN, UNASKED = (
    "an era never ends",
    "too many fees are charged for nothing",
    "the fees are above the limit",
    "sends without end",
    "the ledger's invariant is broken",
    "a payout is asked for that must not be",
)


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
    complete: bool = False
    reached: set[str] = field(default_factory=set)
    violations: dict[str, list[int]] = field(default_factory=dict)

    @property
    def held(self) -> bool:
        return not self.violations


def explore(
    scenario: Scenario,
    *,
    rules: Rules | None = None,
    most_states: float = inf,
    seconds: float = inf,
    first_only: bool = True,
) -> Verdict:
    """Visit every state.

    :param rules: the decision of the processes; None: the product's.
    :param most_states: stop after so many; the verdict is then not complete.
    :param seconds: likewise after so many seconds of processor time, so that a busy machine searches as far as a quiet one.
    :param first_only: stop at the first broken promise.
    """
    # States refer to nothing that refers to them: looking for cycles among millions of them costs a third of the time.
    gc.disable()
    try:
        return _Search(World(scenario, rules), most_states, seconds, first_only=first_only).run()
    finally:
        gc.enable()


class _Search:
    def __init__(self, world: World, most: float, seconds: float, *, first_only: bool) -> None:
        self.world = world
        self.verdict = Verdict(world.scenario, reached=world.reached)
        self._most = most
        self._seconds = seconds
        self._first_only = first_only
        self._parents: dict[State, State | None] = {}
        self._safe: set[tuple[int, ...]] = set()
        self._judged: set[State] = set()
        self._peace: dict[State, str | None] = {}
        eras = range(len(world.scenario.eras))
        runs = [slot for slot in range(len(world.slots)) if not world.slots[slot].again]
        first = {world.slots[slot].era: slot for slot in reversed(runs)}
        self._orders = sorted({tuple(first[era] for era in order) for order in (eras, reversed(eras))})

    def run(self) -> Verdict:
        started = time.process_time()
        start = self.world.start()
        self._parents[start] = None
        left = deque([start])
        self._check(start)
        for visited in count(1):
            if not left or not self._goes_on(visited, started):
                break
            state = left.popleft()
            for _, after in self.world.steps(state):
                self.verdict.transitions += 1
                if after not in self._parents:
                    self._parents[after] = state
                    left.append(after)
                    self._check(after)
        self.verdict.complete = not left
        self.verdict.states = len(self._parents)
        self.verdict.seconds = time.process_time() - started
        return self.verdict

    def _goes_on(self, visited: int, started: float) -> bool:
        if (self.verdict.violations and self._first_only) or len(self._parents) >= self._most:
            return False
        return visited % 500 != 0 or time.process_time() - started < self._seconds

    def _check(self, state: State) -> None:
        world = self.world
        key = (state[CHAIN], *state[PARTS : world.first_process])
        if key not in self._safe:
            self._safe.add(key)
            self._note(self._unsafe(state), state)
        for number in state[world.first_process :]:
            process = world.of[number]
            if process is not None and any(frame.sends >= MOST_SENDS for frame in process.frames):
                self._note(SENDS, state)
        calm = world.in_peace(state, _CALM)
        if calm not in self._judged:
            self._judged.add(calm)
            for order in self._orders:
                self._note(self._live(calm, order, ""), state)

    def _note(self, violation: str | None, state: State) -> None:
        if violation is not None and violation not in self.verdict.violations:
            self.verdict.violations[violation] = self.path(state)

    def path(self, state: State) -> list[int]:
        states = [state]
        while (parent := self._parents[states[-1]]) is not None:
            states.append(parent)
        states.reverse()
        return [
            next(number for number, (_, after) in enumerate(self.world.steps(before)) if after == wanted)
            for before, wanted in pairwise(states)
        ]

    def _unsafe(self, state: State) -> str | None:
        world, scenario = self.world, self.world.scenario
        chain = world.chain(state)
        if world.broken:
            for number in state[PARTS : world.first_process]:
                if number in world.broken:
                    return f"{BROKEN}: {world.broken[number]}"
        for era in range(len(scenario.eras)):
            broken = self._unsafe_era(state, chain, era)
            if broken is not None:
                return broken
        limits = [one.limit for era in scenario.eras for one in era.settings]
        known = [one for one in limits if one is not None]
        return LIMIT if len(known) == len(limits) and chain.charged > max(known) else None

    def _unsafe_era(self, state: State, chain: Chain, era: int) -> str | None:
        world, scenario = self.world, self.world.scenario
        parts = [world.part(state, era * world.parts + part) for part in range(world.parts)]
        confirmed = sum(
            part.state is PayoutState.CONFIRMED and (scenario.confirm or part.confirmed_by != "none") for part in parts
        )
        empty = any(part.state is PayoutState.EMPTY for part in parts)
        promises = {
            UNASKED: scenario.never in ("pays by itself", "no limits") and any(part.copies for part in parts),
            TWICE: chain.executed[era] > (scenario.parts or scenario.eras[era].batches),
            NOT_EXECUTED: confirmed > chain.executed[era],
            UNPAID: empty and chain.paid[era] < 0 and not self._expired(chain, era),
            NOT_FINAL: any(one.era == era and (empty or (confirmed and one.payload)) for one in chain.blocks),
            WASTED: chain.wasted[era] > scenario.wasted * world.parts and not scenario.bounds.again,
        }
        return next((promise for promise, broken in promises.items() if broken), None)

    def _expired(self, chain: Chain, era: int) -> bool:
        world = self.world
        return world.records[era * world.parts].era < chain.active - world.scenario.kept

    def _live(self, state: State, order: tuple[int, ...], outcome: str) -> str | None:
        """Let faults stop and processes die; then each era's run alone must bring its era to its end, one after the other: what goes wrong, or None."""
        world = self.world
        trail: list[tuple[int, ...]] = []
        began = 0
        found: str | None = None
        while order:
            key = (*state, *order, -1)
            if key in self._peace:
                found = self._peace[key]
                break
            over = key in trail[began:] or len(trail) - began == _MOST_ROUNDS
            if over:  # nothing changes any more, or it goes on and on
                found = self._ends_wrong(state, order[0], outcome or "without end")
                if found is not None:
                    break
            else:
                trail.append(key)
                state, outcome, over = self._go_on(state, order[0], outcome)
            if over:
                state, order, outcome = world.in_peace(state, _CALM), order[1:], ""
                began = len(trail)
        else:
            found = self._unsafe(state)
        for key in trail:
            self._peace[key] = found
        return found

    def _go_on(self, state: State, slot: int, outcome: str) -> tuple[State, str, bool]:
        """Run one process until it waits or ends; then time passes. Returns the state, the last outcome, and whether the era is green."""
        world = self.world
        if world.process(state, slot) is None:
            found = [world.part(state, place).state for place in world.slots[slot].parts]
            if PayoutState.EMPTY in found or all(one.settled for one in found):
                return state, outcome, True
            state = world.with_process(self.deliver(state), slot, IDLE._replace(settings=world.settings(state, slot)))
        for _ in range(_MOST_STEPS):
            step, after = world.fair_step(state, slot, _CALM)
            act = step[3] if step[0] in ("look", "write") else None
            outcome = (act.removeprefix("done ") if isinstance(act, str) else outcome_of(act)) or outcome
            process = world.process(after, slot)
            if process is None or process.stage == "idle":
                return self.deliver(world.tick(after)), outcome, False
            state = after
        return state, "without end", False

    def deliver(self, state: State) -> State:
        """What was under way arrives and executes, and the window closes."""
        world = self.world
        while True:
            chain, step = world.chain(state), next(world.chain_steps(state), None)
            if step is not None:
                state = step[1]
            elif chain.open:
                state = world.with_value(state, CHAIN, chain._replace(open=False))
            else:
                return state

    def _ends_wrong(self, state: State, slot: int, outcome: str) -> str | None:
        world, scenario = self.world, self.world.scenario
        chain, era = world.chain(state), world.slots[slot].era
        parts = [world.part(state, era * world.parts + number) for number in range(world.parts)]
        if self._expired(chain, era) or scenario.never or (outcome == "UNSUPPORTED" and not scenario.nonces):
            return None
        held = {one.hold for one in parts}
        if Hold.CHARGED.value in held and any(self._passed(chain, one) >= scenario.wasted for one in parts):
            return None
        if Hold.CONTRADICTION.value in held and any(self._in_doubt(state, one) for one in parts):
            return None
        if Hold.FEE.value in held and scenario.eras[era].settings[0].limit is not None:
            return None
        given = scenario.eras[era].settings[-1].given
        if given is not None and (outcome == "REJECTED" or given.staking > chain.staking[0][0]):
            return None
        user = f"u{scenario.eras[era].settings[world.settings(state, slot)].user}"
        if outcome == "REJECTED" and any(copy.user_key != user for one in parts for copy in Copies(one).open):
            return None  # only the user who signed can sign it again
        told = scenario.node or (scenario.door and scenario.word)
        if outcome in ("REJECTED", "UNKNOWN") and chain.paid[era] >= 0 and not chain.executed[era] and not told:
            return None  # something else paid it, and nothing that can be asked says so
        return f"{ENDLESS}: era {era} {outcome or 'no outcome'}, {parts[0].state.value}, held: {parts[0].hold}"

    def _in_doubt(self, state: State, part: Payout) -> bool:
        """Whether nothing but a person or a node can tell what used the part's nonce.

        The nonce is shared or may have been used before a restore, and a send with it has no request that can be read.
        """
        world = self.world
        copies, marked = Copies(part).open, world.book(state).marked is not None
        if world.scenario.node or not (copies or marked):
            return False
        if not copies:
            return world.scenario.parts != 1
        copy = copies[-1]
        parts = [part, *ledger.rivals(world.all_parts(state), part, copy.slot)]
        unread = not world.scenario.states or any(
            send.request_id is None for one in parts for send in sends_at(one, copy.slot)
        )
        if world.scenario.bounds.duplicated:
            return True  # the id that is known may be that of the delivery that was not executed
        return (len(parts) > 1 or marked) and (unread or marked)

    def _passed(self, chain: Chain, part: Payout) -> int:
        """How many payment nonces of the part were used by something."""
        world = self.world
        keys = {world.payload(part.id, copy)[2:5:2] for copy in part.copies}
        return sum(payment < chain.payment[payer][0] for payer, payment in keys)
