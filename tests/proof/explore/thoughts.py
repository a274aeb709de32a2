"""What a process reads and decides: the real `decide`, through every answer to what it asks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cache
from itertools import islice
from typing import Any, TypeAlias

from staking_gateway.ledger.records import Mark, Payout, PayoutState
from staking_gateway.payout.copies import Copies
from staking_gateway.payout.evidence import Ask, Done, Evidence, Fact, Move, Raise, Reading, Repeat, Settle, Sign
from staking_gateway.payout.outcomes import Wait, WaitFor
from staking_gateway.types import ElectionWindow, RequestState, RequestStatus
from tests.proof.explore import ledger
from tests.proof.explore.environment import ACTIVE, BOOK, CHAIN, PARTS, REQUESTS, State, Who, lane_of
from tests.proof.explore.reach import Rules
from tests.proof.explore.scenario import FINAL, Frame, Process, Scenario
from tests.proof.explore.truth import Truth


class NoAnswer(Exception):
    """A read or a write of the model that fails."""


ERROR: Any = NoAnswer()
_WINDOW = (ElectionWindow.CLOSED, ElectionWindow.OPEN)
_STATUSES = {
    "pending": RequestStatus.PENDING,
    "processed": RequestStatus.PROCESSED,
    "hasty": RequestStatus.PROCESSED,
    "rejected": RequestStatus.REJECTED,
    "early": RequestStatus.REJECTED,
    "denied": RequestStatus.SENDING_FAILED,
    "dropped": RequestStatus.NOT_FOUND,
}
Told: TypeAlias = "tuple[int, Any, tuple[Any, ...]]"
"""The place of the part, what is done, and what was read for it: the fact, what it is about, its value, and whether that is late."""
WRITES = (Sign, Repeat, Move)
"""Actions that begin with a transaction of the ledger."""
OF_LEDGER = frozenset({Fact.COPIES, Fact.LANE, Fact.KEY_USED, Fact.KEY_SHARED, Fact.BUSY, Fact.SPENT, Fact.FLOOR})


@dataclass(slots=True, eq=False)
class Thought:
    """What `decide` says of a part with some evidence: a fact to read, a part to drive on first, or an action."""

    number: int
    record: int
    who: Who
    readings: dict[Any, Reading]
    sends: int
    fact: Fact | None = None
    about: Any = None
    first: Frame | None = None
    act: int = -1
    then: dict[Any, Thought] = field(default_factory=dict)


class Thoughts(Truth):
    """What processes can decide in a state.

    :param rules: the decision that the processes make.
    """

    def __init__(self, scenario: Scenario, rules: Rules | None = None) -> None:
        super().__init__(scenario)
        self.rules = rules or Rules()
        self.reached: set[str] = set()
        self.broken: dict[int, str] = {}
        self._thoughts: list[Thought] = []
        self._roots: dict[Any, Thought] = {}
        self._age = cache(self._older)
        self._left_by = cache(self._without)
        self._looks: dict[Any, list[Any]] = {}
        self._answers: dict[Any, Any] = {}
        self._copies = cache(self._with_mark)

    def _without(self, number: int, name: str) -> int:
        """A part after the process of a slot has gone."""
        return self.values[ledger.left_by(self.of[number], name)]

    def _own_frame(self, state: State, slot: int) -> Frame | str:
        """The part that a run works on next, or how its call ends: as `advance`."""
        for index in self.slots[slot].parts:
            part = self.part(state, index)
            if part.state is PayoutState.EMPTY:
                return "done PAID"
            if not part.state.settled:
                return Frame(index, state[PARTS + index])
        return "done PARTIAL" if self.scenario.parts is None else "done PAID"

    def _decisions(self, state: State, slot: int, process: Process, fails: bool) -> Iterator[tuple[Any, Told]]:
        """What a process can decide. `fails`: whether a read may fail, one on each way."""
        frames = process.frames
        anew = not frames or process.stage == "idle" or self.part(state, frames[0].place).state.settled
        if anew and len(frames) < 2:
            found = self._own_frame(state, slot)
            if isinstance(found, str):
                yield found, (-1, found, ())
                return
            frames = (found,)
            process = process._replace(driven=())
        process = process._replace(stage="look", frames=frames, paid=False, age=0)
        yield from self._think_on(state, slot, process, fails, ())

    def _think_on(
        self, state: State, slot: int, process: Process, fails: bool, reads: tuple[Any, ...]
    ) -> Iterator[tuple[Any, Told]]:
        """The decisions about the last of a process's frames, through every answer to what is asked."""
        frame = process.frames[-1]
        who = self._who(slot, process)
        if not who.me.own and not self._of_copies(state, frame.record).open:
            yield from self._back(state, slot, process, fails, reads)
            return
        branches: list[Any] = [(self._root(state, frame, who), (), fails, reads)]
        while branches:
            thought, heard, fails, reads = branches.pop()
            if heard:  # nobody thinks further than is asked for
                value, key = heard
                thought = self._hear(thought, value, key, 0, state)
            while thought.fact is not None:
                told = thought.fact, thought.about
                (key, value), *stale = self.answers(state, slot, thought)
                if fails and thought.fact not in OF_LEDGER:
                    branches.append((thought, (ERROR, "unreadable"), False, (*reads, (*told, ERROR, True))))
                for other, old in stale:
                    branches.append((thought, (old, other), fails, (*reads, (*told, old, True))))
                reads = (*reads, (*told, value, False))
                thought = self._hear(thought, value, key, 0, state)
            yield from self._concluded(state, slot, process, thought, fails, reads)

    def _concluded(  # noqa: PLR0917 - the branches of one look
        self, state: State, slot: int, process: Process, thought: Thought, fails: bool, reads: tuple[Any, ...]
    ) -> Iterator[tuple[Any, Told]]:
        """What a process does with its decision: as `_work` and `_settle`."""
        if thought.first is not None:
            inner = thought.first
            if inner.place in process.driven:
                yield "wait", (process.frames[-1].place, "waits", reads)
                return
            driven = tuple(sorted((*process.driven, inner.place)))
            deeper = process._replace(frames=(*process.frames, inner), driven=driven)
            yield from self._think_on(state, slot, deeper, fails, reads)
            return
        act = self.of[thought.act]
        told = process.frames[-1].place, act, reads
        own = len(process.frames) == 1
        if isinstance(act, WRITES):
            yield process._replace(stage="act", now=thought.act), told
        elif not own and is_final(act):
            yield from self._back(state, slot, process, fails, reads)
        else:
            yield ends(act, own=own), told

    def _back(self, state: State, slot: int, process: Process, *told: Any) -> Iterator[Any]:
        """The part that was in the way has been driven on: decide again about the one that waits for it."""
        return self._think_on(state, slot, process._replace(frames=process.frames[:-1]), *told)

    def _who(self, slot: int, process: Process) -> Who:
        where = self.slots[slot]
        return (where.own if len(process.frames) == 1 else where.other)[process.settings]

    def _of_copies(self, state: State, record: int) -> Copies:
        """The copies of a part, with the mark that the process knows."""
        book = self.book(state)
        return self._copies(record, book.marked, book.copies)

    def _with_mark(self, record: int, marked: Any, copies: int) -> Copies:
        return Copies(self.of[record], None if marked is None else Mark(marked, "", "", copies))

    def _root(self, state: State, frame: Frame, who: Who) -> Thought:
        book = self.book(state)
        known = () if book.marked is None else (book.marked, book.copies)
        key = frame.record, who, frame.sends > 0, known
        found = self._roots.get(key)
        if found is None:
            copies = self._of_copies(state, frame.record)
            found = self._roots[key] = self._think(copies, frame.record, who, {}, frame.sends)
        return found

    def _hear(self, thought: Thought, value: Any, key: Any, age: int, state: State) -> Thought:
        """What is thought once the fact that was asked for is known."""
        where = key if age == 0 else (key, age)
        found = thought.then.get(where)
        if found is None:
            began: Any = -age
            readings = {**thought.readings, (thought.fact, thought.about): Reading(value, began)}
            copies = self._of_copies(state, thought.record)
            found = thought.then[where] = self._think(copies, thought.record, thought.who, readings, thought.sends)
        return found

    def _think(self, copies: Copies, record: int, who: Who, readings: dict[Any, Reading], sends: int) -> Thought:
        """Ask the real `decide`; what it answers depends on nothing else."""
        thought = Thought(len(self._thoughts), record, who, readings, sends)
        self._thoughts.append(thought)
        seen = Evidence(readings, sends)
        action, reached = self.rules.decide(copies.part, copies, who.me, seen, ledger.NOW, who.terms)
        self.reached |= reached
        if isinstance(action, Ask):
            thought.fact, thought.about = action.fact, action.about
        elif isinstance(action, Settle):
            assert Copies(action.rival).open, f"nothing can drive {action.rival} on, and {copies.part} waits for it"
            thought.first = Frame(action.rival.id, self.values[action.rival])
        else:
            thought.act = self.values[kept(action)]
        return thought

    def answers(self, state: State, slot: int, thought: Thought, age: int = 0) -> Any:
        """What a read can tell, each value with a key: the truth first, then what a replica that is behind tells."""
        fact, about = thought.fact, thought.about
        if fact in OF_LEDGER:
            parts = state[PARTS : self.first_process]
            key: Any = thought.record, fact, about, thought.who, state[BOOK], parts
        elif fact is Fact.REQUEST:
            key = fact, about, state[REQUESTS], state[PARTS : self.first_process], age
        else:
            key = thought.record if fact is Fact.ERA_PAID else 0, fact, about, thought.who, state[CHAIN], age
        found = self._answers.get(key)
        if found is None:
            possible = self._possible(state, fact, about, thought, age)
            found = self._answers[key] = list(islice(possible, 1 if self.scenario.fresh else None))
        return found

    def _possible(self, state: State, fact: Any, about: Any, thought: Thought, age: int) -> Iterator[tuple[Any, Any]]:
        chain, scenario = self.chain(state), self.scenario
        part: Payout = self.of[thought.record]
        if fact in OF_LEDGER:
            yield self._from_ledger(state, fact, about, thought, part)
            return
        values: Any
        if fact in (Fact.STAKING_NONCE, Fact.PAYMENT_NONCE):
            values = (None,) if not scenario.nonces else self._nonces(chain, fact, about, part, age)
        elif fact is Fact.PAYS_BY_ITSELF:
            values = (scenario.never == "pays by itself",)
        elif fact is Fact.ACTIVE_ERA:
            values = (chain.active, chain.active - 1) if chain.active > ACTIVE else (chain.active,)
        elif fact is Fact.WINDOW:
            now = _WINDOW[chain.open]
            values = (now, _WINDOW[not chain.open]) if chain.turned <= scenario.lag + age else (now,)
        elif fact is Fact.FEE:
            values = (chain.fee,)
        elif fact is Fact.REQUEST:
            values = tuple(self._polled(state, about, part, age))
        else:
            values = self._word_of_node(chain.paid[self.era_of(part.id)], age) if scenario.node else (None,)
        for value in values:
            yield value, value

    def _nonces(self, chain: Any, fact: Fact, about: str, part: Payout, age: int) -> tuple[int, ...]:
        lane, whose = lane_of(part.chain), int(about[1:])
        if fact is Fact.STAKING_NONCE:
            value, before = chain.staking[self.user(lane, whose)]
        else:
            value, before = chain.payment[self.payer(lane, whose)]
        return (
            value,
            *dict.fromkeys(old for old, ended in before if ended <= self.scenario.lag + age and old != value),
        )

    def _word_of_node(self, paid: int, age: int) -> tuple[bool, ...]:
        """A node reads finalized blocks, and may lag behind them."""
        if paid < FINAL:
            return (False,)
        return (True, False) if paid < FINAL + self.scenario.lag + age else (True,)

    def _polled(self, state: State, about: str, part: Payout, age: int) -> Iterator[Any]:
        if not self.scenario.states or ledger.request_ids(self.all_parts(state), part.chain, about) != 1:
            yield None
            return
        found = next((one for one in reversed(self.of[state[REQUESTS]]) if one.id == about), None)
        if found is None:
            yield _told("dropped", None)
            return
        dropped = found.status == "dropped" and not self.scenario.forgets
        now = _told("pending" if dropped else found.status, found.block)
        yield now
        if found.before and found.age <= self.scenario.lag + age:
            before = _told(found.before, None)
            if before != now:
                yield before

    def _from_ledger(self, state: State, fact: Fact, about: Any, thought: Thought, part: Payout) -> tuple[Any, Any]:
        parts, who = self.all_parts(state), thought.who
        value: Any
        if fact is Fact.LANE:
            lane = ledger.lane_of(parts, part, *about)
            rivals: Any = tuple(state[PARTS + one.id] for one in lane.rivals)
            return replace(lane, rivals=rivals), lane
        if fact is Fact.BUSY:
            value = ledger.busy_payer(parts, (part.chain, *about), who.me.user_key, self.scenario.times[2])
            return None if value is None else state[PARTS + value.id], value
        if fact is Fact.KEY_USED:
            value = ledger.key_used(parts, about)
        elif fact is Fact.COPIES:
            value = ledger.last_copy(parts)
        elif fact is Fact.KEY_SHARED:
            value = ledger.key_shared(parts, about, part)
        elif fact is Fact.FLOOR:
            value = self.book(state).floors[self.user(lane_of(part.chain), int(about[1:]))]
        else:
            value = ledger.spent(parts, part.network, about)
        return value, value

    def needs_no_call(self, state: State, fact: Fact, about: Any, place: int) -> bool:
        """Whether the engine answers a fact without a call to gateway or node."""
        if fact is Fact.REQUEST:
            return ledger.request_ids(self.all_parts(state), self.records[place].chain, about) != 1
        return fact in OF_LEDGER or (fact is Fact.ERA_PAID and not self.scenario.node)

    def _thought(self, record: int, who: Who, readings: dict[Any, Reading], key: Any) -> Thought:
        """A thought that time has passed over."""
        found = self._roots.get(key)
        if found is None:
            before = self._thoughts[key[1]]
            copies = Copies(self.of[record], None)
            found = self._roots[key] = self._think(copies, record, who, readings, before.sends)
            found.fact, found.about = before.fact, before.about
        return found


@cache
def _told(status: str, block: int | None) -> RequestState:
    found = _STATUSES[status]
    return RequestState(found, found.value, block_number=block)


def columns(move: Move) -> dict[str, Any]:
    return {name: value for name, value in move.changes.items() if name not in ("confirmed_at", "settled_by")}


def kept(action: Any) -> Any:
    """An action without what only people read, so that equal actions are equal. Of a copy, its id is enough."""
    if isinstance(action, Move):
        changes: Any = tuple(sorted(columns(action).items()))
        return replace(action, cause="", changes=changes, then=kept(action.then))
    if isinstance(action, Repeat):
        number: Any = action.copy.id
        return Repeat(number)
    if isinstance(action, Wait):
        reason = WaitFor.FINALITY if is_final(action) else WaitFor.LANE
        return Wait(reason, "", timedelta(), action.abandoned)
    if isinstance(action, Done):
        return Done(action.outcome, "")
    return Raise(ERROR) if isinstance(action, Raise) else action


def is_final(action: Any) -> bool:
    """Whether an action waits for a second look at what was seen."""
    return isinstance(action, Wait) and action.reason is WaitFor.FINALITY


def ends(action: Any, *, own: bool) -> str:
    """How a call ends with an action, for a part of its own or for another."""
    if isinstance(action, Raise):
        return "raise"
    return f"done {action.outcome.value}" if own and isinstance(action, Done) else "wait"
