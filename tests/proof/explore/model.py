"""A chain, a gateway, a ledger and processes as one tuple of numbers, and every step any of them can take.

The processes run the real `decide` on the real records of the ledger. Everything else is a pure function here. Times are integers: the
present is 0, and gaps that are longer than every rule asks are cut, so that equal situations are equal states. Each component is kept once
and named by a number, so that a state is a short tuple, and what follows from a component is computed once.

A process looks (it reads until `decide` names something to do), writes to the ledger, sends, and writes the answer. It gives way to others
while it waits. In between something else happens only when the bound on stalls allows it; between two reads, when the bound on slow looks
does. That a read came before or after something is covered by reads that may be stale.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from staking_gateway.http.meanings import SendAnswer
from staking_gateway.ledger.invariant import InvariantBroken, check
from staking_gateway.ledger.records import Mark, PayoutState, Sight
from staking_gateway.payout.copies import Copies
from staking_gateway.payout.evidence import (
    Ask,
    Done,
    Evidence,
    Fact,
    Move,
    Raise,
    Reading,
    Repeat,
    SendResult,
    Settle,
    Sign,
    Unreadable,
)
from staking_gateway.payout.outcomes import Wait, WaitFor
from staking_gateway.types import ElectionWindow, RequestState, RequestStatus
from tests.proof.explore import ledger
from tests.proof.explore.environment import Environment, lane_of
from tests.proof.explore.reach import Rules
from tests.proof.explore.values import (
    ACTIVE,
    BOOK,
    BOUNDS,
    CHAIN,
    FIRST_PART,
    IDLE,
    MOST_SENDS,
    REQUESTS,
    TRANSIT,
    Act,
    Frame,
    Heard,
    Process,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from staking_gateway.ledger.records import Payout
    from tests.proof.explore.environment import Slot, Who
    from tests.proof.explore.scenario import Bounds, Scenario
    from tests.proof.explore.values import Payload, State, Step


class NoAnswer(Exception):
    """A read or a write of the model that fails; its `what` is for people."""

    what = "no answer"


_ERROR: Any = NoAnswer()
_UNREADABLE = Unreadable(_ERROR)
_WINDOW = (ElectionWindow.CLOSED, ElectionWindow.OPEN)
_STATUSES = {
    "pending": RequestStatus.PENDING,
    "processed": RequestStatus.PROCESSED,
    "rejected": RequestStatus.REJECTED,
    "early": RequestStatus.REJECTED,
    "denied": RequestStatus.SENDING_FAILED,
    "dropped": RequestStatus.NOT_FOUND,
}
OF_LEDGER = frozenset({Fact.LANE, Fact.KEY_USED, Fact.KEY_SHARED, Fact.BUSY, Fact.SPENT, Fact.FLOOR})


class Thought:
    """What `decide` says of a part with some evidence: a fact to read, a part to drive on first, or an action."""

    __slots__ = ("about", "act", "fact", "first", "number", "readings", "record", "sends", "then", "who")

    def __init__(self, number: int, record: int, who: Who, readings: dict[Any, Reading], sends: int) -> None:
        self.number = number
        self.record = record
        self.who = who
        self.readings = readings
        self.sends = sends
        self.fact: Fact | None = None
        self.about: Any = None
        self.first: int | None = None
        self.act = -1
        self.then: dict[Any, Thought] = {}


class World(Environment):
    """Every step of one scenario: what happens around the processes, and what they read, decide, write and send.

    :param rules: the decision that the processes make.
    """

    def __init__(self, scenario: Scenario, rules: Rules | None = None) -> None:
        super().__init__(scenario)
        self.rules = rules or Rules()
        self.reached: set[str] = set()
        self.broken: dict[int, str] = {}
        self._thoughts: list[Thought] = []
        self._roots: dict[Any, Thought] = {}
        self._copies: dict[Any, Copies] = {}
        self._looks: dict[Any, list[Any]] = {}
        self._answers: dict[Any, Any] = {}
        self._writes: dict[Any, int] = {}
        self._heard: dict[Any, Any] = {}
        self._gone: dict[tuple[int, str], int] = {}
        self._alone: dict[tuple[int, ...], tuple[int, ...]] = {}
        self._freezes = scenario.bounds.stalls > 0
        self._splits = scenario.bounds.slow > 0

    # --- every step ----------------------------------------------------------------------------------------------------

    def steps(self, state: State) -> Iterator[Step]:
        """Every step that can follow."""
        bounds = self.of[state[BOUNDS]]
        busy = [slot for slot in range(len(self.slots)) if self._busy(state, slot)]
        for slot in range(len(self.slots)):
            calm = self._stalled(state, [other for other in busy if other != slot])
            if calm is not None:
                yield from self.process_steps(calm, slot, self.of[calm[BOUNDS]])
        calm = self._stalled(state, busy)
        if calm is None:
            return
        bounds = self.of[calm[BOUNDS]]
        yield from self.chain_steps(calm)
        yield ("tick",), self.tick(calm)
        if bounds.faults:
            yield from self.faults(calm, bounds)
        elif self.chain(calm).open:
            yield from self.faults(calm, bounds)

    def _busy(self, state: State, slot: int) -> bool:
        """Whether a process is in the middle of something, and has not paid for standing still there."""
        process: Process | None = self.of[state[self.first_process + slot]]
        return process is not None and process.stage not in ("idle", "read") and not process.paid

    def _stalled(self, state: State, slots: list[int]) -> State | None:
        """Let processes stand still while something else happens; None when the bound does not allow it."""
        if not slots:
            return state
        bounds: Bounds = self.of[state[BOUNDS]]
        if bounds.stalls < len(slots):
            return None
        for slot in slots:
            state = self.spend(state, "stalls", fault=False)
            process = self.of[state[self.first_process + slot]]
            state = self.with_process(state, slot, process._replace(paid=True))
        return state

    def process_steps(self, state: State, slot: int, bounds: Bounds) -> Iterator[Step]:
        """What the run of a slot can do next."""
        process = self.process(state, slot)
        where = self.slots[slot]
        if process is None:
            if all(self.part(state, place).state.settled for place in where.parts):
                return
            if where.again:
                if not bounds.again:
                    return
                state = self.spend(state, "again")
            settings = min(self.book(state).settings, len(where.own) - 1)
            yield from self._look(state, slot, IDLE._replace(settings=settings), bounds)
            return
        if process.stage in ("idle", "look"):
            yield from self._look(state, slot, process, bounds)
        elif process.stage == "read":
            yield from self._read(state, slot, process)
        elif process.stage == "act":
            yield from self._write(state, slot, process, bounds)
        elif process.stage == "send":
            yield from self._send(state, slot, process, bounds)
        else:
            yield from self._note_answer(state, slot, process, bounds)
        if bounds.crash:
            yield ("die", slot), self.spend(self._end(state, slot), "crash")

    def with_process(self, state: State, slot: int, process: Process | None) -> State:
        """The same state with another process in a slot."""
        return self.with_value(state, self.first_process + slot, process)

    def _end(self, state: State, slot: int) -> State:
        """The try ends; the next one has another number."""
        name, first = self.slots[slot].name, self.first_process
        parts = [self._left_by(number, name) for number in state[FIRST_PART:first]]
        processes = list(state[first:])
        processes[slot] = self.values[None]
        for other, number in enumerate(processes):
            found: Process | None = self.of[number]
            if found is not None and found.frames:
                frames = tuple(
                    one if one.record < 0 else one._replace(record=self._left_by(one.record, name))
                    for one in found.frames
                )
                processes[other] = self.values[found._replace(frames=frames)]
        return (*state[:FIRST_PART], *parts, *processes)

    def _left_by(self, number: int, name: str) -> int:
        """A part after the process of a slot has gone."""
        found = self._gone.get((number, name))
        if found is None:
            found = self._gone[number, name] = self.values[ledger.left_by(self.of[number], name, named=False)]
        return found

    def in_peace(self, state: State, bounds: Bounds) -> State:
        """The same state without processes, with other bounds."""
        parts = state[FIRST_PART : self.first_process]
        left = self._alone.get(parts)
        if left is None:
            left = parts
            for slot in self.slots:
                left = tuple(self._left_by(number, slot.name) for number in left)
            left = self._alone[parts] = (*left, *(self.values[None] for _ in self.slots))
        book = self.book(state)
        if book.stopped or book.backup is not None:
            state = self.with_value(state, BOOK, book._replace(stopped=False, backup=None))
        return (*state[:BOUNDS], self.values[bounds], state[BOOK], *left)

    def _older(self, number: int) -> int:
        value = self.of[number]
        if not isinstance(value, Process):
            return super()._older(number)
        frames = tuple(one if one.record < 0 else one._replace(record=self._age(one.record)) for one in value.frames)
        aged = value._replace(frames=frames)
        if value.stage in ("act", "read"):
            aged = aged._replace(age=min(value.age + 1, self.horizon.seen))
        if value.stage == "read":
            thought = self._thoughts[value.now]
            readings = {key: Reading(one.value, one.began - 1) for key, one in thought.readings.items()}  # type: ignore[operator]
            again = self._thought(self._age(thought.record), thought.who, readings, ("aged", value.now))
            aged = aged._replace(now=again.number)
        return self.values[aged]

    # --- a process looks -----------------------------------------------------------------------------------------------

    def _look(self, state: State, slot: int, process: Process, bounds: Bounds) -> Iterator[Step]:
        """Read and decide at once. Several steps follow when a read may be stale."""
        if bounds.slow:
            yield from self._begin_to_read(state, slot, process)
        fails = bounds.unreadable > 0 and bounds.faults > 0
        first = self.first_process
        key = (slot, self.values[process], fails, state[CHAIN], state[REQUESTS], *state[BOOK:first])
        found = self._looks.get(key)
        if found is None:
            different: dict[Any, Any] = {}
            for after, costs, told in self._decisions(state, slot, process, fails):
                different.setdefault((after, costs), told)
            found = self._looks[key] = [(*one, told) for one, told in different.items()]
        for after, costs, told in found:
            last = self.spend(state, "unreadable") if costs else state
            yield from self._decided(last, slot, process, after, ("look", slot, *told), bounds)

    def _decided(
        self, state: State, slot: int, process: Process, after: Any, told: tuple[Any, ...], bounds: Bounds
    ) -> Iterator[Step]:
        """What becomes of a process that has decided: `after` is itself, or how its call ends."""
        if isinstance(after, str):
            yield told, self._stop(state, slot, process, after)
            return
        if after.frames[-1].sends >= MOST_SENDS or self._may_act(state, after):
            yield told, self.with_process(state, slot, after)

    def _may_act(self, state: State, process: Process) -> bool:
        """Whether the bound on sends allows what was decided."""
        act: Act = self.of[process.now]
        most = self.of[state[BOUNDS]].sends
        return act.kind == "move" or self.sends(state) < most

    def _stop(self, state: State, slot: int, process: Process, how: str) -> State:
        """The end of a call: the process waits, fails, or its try ends."""
        if how == "wait" or (how == "raise" and self.scenario.lives):
            return self.with_process(state, slot, IDLE._replace(settings=process.settings))
        return self._end(state, slot)

    def _own_frame(self, state: State, slot: int, place: int | None, sends: int) -> Frame | str:
        """The part that a run works on next, or how its call ends: as `advance`."""
        for index in self.slots[slot].parts:
            part = self.part(state, index)
            if part.state is PayoutState.EMPTY:
                return "done PAID"
            if not part.state.settled:
                return Frame(index, state[FIRST_PART + index], sends if index == place else 0)
        return "done PARTIAL" if self.scenario.parts is None else "done PAID"

    def _decisions(
        self, state: State, slot: int, process: Process, fails: bool
    ) -> Iterator[tuple[Any, bool, tuple[Any, ...]]]:
        frames = process.frames
        if len(frames) < 2 and (
            not frames or self.part(state, frames[0].place).state.settled or process.stage == "idle"
        ):
            found = self._own_frame(state, slot, None, 0)
            if isinstance(found, str):
                yield found, False, (-1, found, ())
                return
            frames = (found,)
            process = process._replace(driven=())
        process = process._replace(stage="look", frames=frames, paid=False, age=0)
        yield from self._think_on(state, slot, process, fails, False, ())

    def _think_on(
        self, state: State, slot: int, process: Process, fails: bool, costs: bool, reads: tuple[Any, ...]
    ) -> Iterator[tuple[Any, bool, tuple[Any, ...]]]:
        """The decisions about the last of a process's frames, through every answer to what is asked."""
        frame = process.frames[-1]
        who = self._who(slot, process)
        if not who.me.own and not self._of_copies(state, frame.record, frame.place).open:
            yield from self._back(state, slot, process, fails, costs, reads)
            return
        branches = [(self._root(state, frame, who), reads, costs)]
        while branches:
            thought, reads, costs = branches.pop()
            while thought.fact is not None:
                values = self.answers(state, slot, thought)
                if fails and not costs and thought.fact not in OF_LEDGER:
                    other = self._hear(thought, _UNREADABLE, "unreadable", 0, state)
                    branches.append((other, (*reads, (thought.fact, thought.about, _UNREADABLE, True)), True))
                for key, value in values[1:]:
                    other = self._hear(thought, value, key, 0, state)
                    branches.append((other, (*reads, (thought.fact, thought.about, value, True)), costs))
                key, value = values[0]
                reads = (*reads, (thought.fact, thought.about, value, False))
                thought = self._hear(thought, value, key, 0, state)
            yield from self._concluded(state, slot, process, thought, fails, costs, reads)

    def _concluded(
        self, state: State, slot: int, process: Process, thought: Thought, fails: bool, costs: bool, reads: Any
    ) -> Iterator[tuple[Any, bool, tuple[Any, ...]]]:
        """What a process does with its decision: as `_work` and `_settle`."""
        if thought.first is not None:
            if thought.first in process.driven:
                yield "wait", costs, (process.frames[-1].place, "waits", reads)
                return
            inner = Frame(thought.first, state[FIRST_PART + thought.first])
            deeper = process._replace(
                frames=(*process.frames, inner), driven=tuple(sorted((*process.driven, thought.first)))
            )
            yield from self._think_on(state, slot, deeper, fails, costs, reads)
            return
        act: Act = self.of[thought.act]
        told = process.frames[-1].place, act, reads
        if act.kind in ("sign", "repeat", "move"):
            yield process._replace(stage="act", now=thought.act), costs, told
        elif len(process.frames) == 1:
            yield (
                ("wait" if act.kind == "wait" else act.kind if act.kind == "raise" else f"done {act.outcome}"),
                costs,
                told,
            )
        elif act.kind == "wait" and act.then == "final":
            yield from self._back(state, slot, process, fails, costs, reads)
        else:
            yield ("raise" if act.kind == "raise" else "wait"), costs, told

    def _back(
        self, state: State, slot: int, process: Process, fails: bool, costs: bool, reads: Any
    ) -> Iterator[tuple[Any, bool, tuple[Any, ...]]]:
        """The part that was in the way has been driven on: decide again about the one that waits for it."""
        yield from self._think_on(state, slot, process._replace(frames=process.frames[:-1]), fails, costs, reads)

    def _who(self, slot: int, process: Process) -> Who:
        where = self.slots[slot]
        return (where.own if len(process.frames) == 1 else where.other)[process.settings]

    def _of_copies(self, state: State, record: int, place: int) -> Copies:
        """The copies of a part, with the mark that the process knows."""
        book = self.book(state)
        key = record if book.marked is None else (record, book.marked, book.copies)
        found = self._copies.get(key)
        if found is None:
            at: Any = book.marked
            mark = None if book.marked is None else Mark(at, "", "", book.copies)
            found = self._copies[key] = Copies(self.of[record], mark)
        return found

    def _root(self, state: State, frame: Frame, who: Who) -> Thought:
        book = self.book(state)
        known = () if book.marked is None else (book.marked, book.copies)
        key = frame.record, who.number, frame.sends > 0, known
        found = self._roots.get(key)
        if found is None:
            copies = self._of_copies(state, frame.record, frame.place)
            found = self._roots[key] = self._think(copies, frame.record, who, {}, frame.sends)
        return found

    def _hear(self, thought: Thought, value: Any, key: Any, age: int, state: State) -> Thought:
        """What is thought once the fact that was asked for is known."""
        where = key if age == 0 else (key, age)
        found = thought.then.get(where)
        if found is None:
            began: Any = -age
            readings = {**thought.readings, (thought.fact, thought.about): Reading(value, began)}
            copies = self._of_copies(state, thought.record, self.of[thought.record].id)
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
            thought.first = action.rival.id
        else:
            thought.act = self.values[_kept(action, readings)]
        return thought

    # --- what a process reads ------------------------------------------------------------------------------------------

    def answers(self, state: State, slot: int, thought: Thought, age: int = 0) -> Any:
        """What a read can tell, each value with a key: the truth first, then what a replica that is behind tells."""
        fact, about = thought.fact, thought.about
        if fact in OF_LEDGER:
            key: Any = (
                thought.record,
                fact,
                about,
                thought.who.number,
                state[BOOK],
                state[FIRST_PART : self.first_process],
            )
        elif fact is Fact.REQUEST:
            key = fact, about, state[REQUESTS], state[FIRST_PART : self.first_process], age
        else:
            key = thought.record if fact is Fact.ERA_PAID else 0, fact, about, thought.who.number, state[CHAIN], age
        found = self._answers.get(key)
        if found is None:
            found = self._answers[key] = list(self._possible(state, fact, about, thought, age))
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
        final, lag = self.scenario.final, self.scenario.lag
        if paid < final:
            return (False,)
        return (True, False) if paid < final + lag + age else (True,)

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
            user = part.copies[-1].user_key if part.copies else who.me.user_key
            lane = ledger.lane_of(parts, part, user, about)
            return (
                lane.least,
                lane.lowest,
                lane.before_signed,
                lane.next_signed,
                *(state[FIRST_PART + one.id] for one in lane.rivals),
            ), lane
        if fact is Fact.BUSY:
            value = ledger.busy_payer(parts, (part.chain, *about), who.me.user_key, self.scenario.times[2])
            return None if value is None else state[FIRST_PART + value.id], value
        if fact is Fact.KEY_USED:
            value = ledger.key_used(parts, about)
        elif fact is Fact.KEY_SHARED:
            value = ledger.key_shared(parts, about, part)
        elif fact is Fact.FLOOR:
            value = self.book(state).floors[self.user(lane_of(part.chain), int(about[1:]))]
        else:
            value = ledger.spent(parts, part.network, about)
        return value, value

    # --- a process reads its facts one by one --------------------------------------------------------------------------

    def _begin_to_read(self, state: State, slot: int, process: Process) -> Iterator[Step]:
        frames = process.frames
        if process.stage == "look":
            return
        found = self._own_frame(state, slot, None, 0)
        if isinstance(found, str):
            return
        frames = (found,)
        begun = process._replace(stage="look", frames=frames, driven=())
        thought = self._root(state, found, self._who(slot, begun))
        slow = self.spend(state, "slow", fault=False)
        for step in self._asked(slow, slot, begun, thought, ("slow", slot)):
            yield step

    def needs_no_call(self, state: State, fact: Fact, about: Any, place: int) -> bool:
        """Whether the engine answers a fact without a call to gateway or node."""
        if fact is Fact.REQUEST:
            return ledger.request_ids(self.all_parts(state), self.records[place].chain, about) != 1
        return fact in OF_LEDGER or (fact is Fact.ERA_PAID and not self.scenario.node)

    def _asked(self, state: State, slot: int, process: Process, thought: Thought, told: Any) -> Iterator[Step]:
        """Answer what the ledger can answer, then wait for the next answer of the gateway, or act."""
        while thought.fact is not None and self.needs_no_call(
            state, thought.fact, thought.about, process.frames[-1].place
        ):
            ((key, value),) = self.answers(state, slot, thought)
            thought = self._hear(thought, value, key, 0, state)
        if thought.fact is not None:
            yield told, self.with_process(state, slot, process._replace(stage="read", now=thought.number, age=0))
            return
        bounds = self.of[state[BOUNDS]]
        last = (told[2],) if told[0] == "read" else ()
        for after, _, decided in self._concluded(
            state, slot, process._replace(stage="look", age=0), thought, False, False, last
        ):
            yield from self._decided(state, slot, process, after, ("look", slot, *decided), bounds)

    def _read(self, state: State, slot: int, process: Process) -> Iterator[Step]:
        """The answer to a fact that was asked for some time ago."""
        thought = self._thoughts[process.now]
        for key, value in self.answers(state, slot, thought, process.age):
            after = self._hear(thought, value, key, process.age, state)
            yield from self._asked(
                state, slot, process, after, ("read", slot, (thought.fact, thought.about, value, False))
            )

    def _thought(self, record: int, who: Who, readings: dict[Any, Reading], key: Any) -> Thought:
        """A thought that time has passed over."""
        found = self._roots.get(key)
        if found is None:
            before = self._thoughts[key[1]]
            copies = Copies(self.of[record], None)
            found = self._roots[key] = self._think(copies, record, who, readings, before.sends)
            found.fact, found.about = before.fact, before.about
        return found

    # --- a process writes ----------------------------------------------------------------------------------------------

    def _write(self, state: State, slot: int, process: Process, bounds: Bounds) -> Iterator[Step]:
        """One transaction of the ledger: done, refused, failed, or done with its answer lost."""
        act: Act = self.of[process.now]
        frame = process.frames[-1]
        told = ("write", slot, frame.place, act)
        if act.kind != "move" and self.book(state).stopped:
            yield ("refused", slot, frame.place, act), self._stop(state, slot, process, "wait")
            return
        if frame.record != state[FIRST_PART + frame.place] or self._met(state, slot, process, act):
            again = frame._replace(record=state[FIRST_PART + frame.place])
            after = process._replace(stage="look", frames=(*process.frames[:-1], again), now=-1, age=0, paid=False)
            yield ("refused", slot, frame.place, act), self.with_process(state, slot, after)
            return
        written = self._written(state, slot, process, act)
        yield told, self._went_on(written, slot, process, act)
        if bounds.failed:
            yield ("failed", slot, frame.place, act), self.spend(self._stop(state, slot, process, "raise"), "failed")
        if bounds.unheard:
            yield (
                ("unheard", slot, frame.place, act),
                self.spend(self._stop(written, slot, process, "raise"), "unheard"),
            )

    def _met(self, state: State, slot: int, process: Process, act: Act) -> bool:
        """Whether another part has signed the staking nonce meanwhile."""
        if act.beside is None:
            return False
        part, user = self.part(state, process.frames[-1].place), self._who(slot, process).me.user_key
        return not set(ledger.rivals(self.all_parts(state), part, user, act.nonces[0])) <= set(act.beside)

    def _written(self, state: State, slot: int, process: Process, act: Act) -> State:
        frame = process.frames[-1]
        who = self._who(slot, process)
        last = ledger.last_copy(self.all_parts(state)) if act.kind == "sign" else 0
        key = frame.record, process.now, process.age, who.number, last
        number = self._writes.get(key)
        if number is None:
            part: Payout = self.of[frame.record]
            if act.kind == "sign":
                after = ledger.signed(part, act, who.me, who.terms.lane, process.age, last + 1)
            elif act.kind == "repeat":
                after = ledger.counted(part, act.copy, who.me)
            else:
                after = ledger.moved(part, act, process.age)
            number = self._writes[key] = self._stored(part, after)
        state = (*state[: FIRST_PART + frame.place], number, *state[FIRST_PART + frame.place + 1 :])
        for seen in act.sightings:
            if seen.kind is Sight.FLOOR:
                state = self._with_floor(state, frame.place, seen)
        return self.tidy(state)

    def _stored(self, before: Payout, after: Payout) -> int:
        """The number of a part after a write; a broken invariant is noted."""
        number = self.values[ledger.canonical(after, self.horizon)]
        try:
            check(before, after)
        except InvariantBroken as error:
            self.broken[number] = str(error).rpartition("): ")[2].partition(";")[0]
        return number

    def _with_floor(self, state: State, place: int, seen: Any) -> State:
        book = self.book(state)
        at = self.user(lane_of(self.records[place].chain), int(seen.user_key[1:]))
        if book.floors[at] is not None:
            return state
        floors = (*book.floors[:at], seen.nonce, *book.floors[at + 1 :])
        return self.with_value(state, BOOK, book._replace(floors=floors))

    def _went_on(self, state: State, slot: int, process: Process, act: Act) -> State:
        """The process after its write."""
        frame = process.frames[-1]
        frame = frame._replace(record=state[FIRST_PART + frame.place])
        after = process._replace(frames=(*process.frames[:-1], frame), stage="look", now=-1, age=0, paid=False)
        if act.kind in ("sign", "repeat"):
            part: Payout = self.of[frame.record]
            copy = part.copies[-1] if act.kind == "sign" else ledger.copy_of(part, act.copy)
            sent = Heard(copy.id, len(copy.sends), None)
            frame = frame._replace(sends=min(frame.sends + 1, MOST_SENDS))
            after = after._replace(stage="send", now=self.values[sent], frames=(*process.frames[:-1], frame))
            return self.with_process(state, slot, after)
        return self._then(state, slot, after, act.then, act.outcome)

    def _then(self, state: State, slot: int, process: Process, then: str, outcome: str) -> State:
        """What follows a write: the end of the call, or another look."""
        own = len(process.frames) == 1
        if not then or (then == "final" and not own):
            if not own and then:
                process = process._replace(frames=process.frames[:-1])
            return self.with_process(state, slot, process)
        if then == "done":
            return self._stop(state, slot, process, f"done {outcome}" if own else "wait")
        return self._stop(state, slot, process, "wait" if then == "final" else then)

    # --- a process sends -----------------------------------------------------------------------------------------------

    def _send(self, state: State, slot: int, process: Process, bounds: Bounds) -> Iterator[Step]:
        """One send: what the gateway does with it, and what of that reaches the sender."""
        frame, sent = process.frames[-1], self.of[process.now]
        part: Payout = self.of[frame.record] if frame.record >= 0 else self.part(state, frame.place)
        payload = self._sent_payload(process, part, sent)
        chain = self.chain(state)
        refusal = self.door(chain, payload)
        name = f"{part.id}.{sent.copy}.{sent.number}"
        if refusal is None:
            taken = self._answered(state, slot, process, sent._replace(kind=SendAnswer.ACCEPTED, request=name))
            yield ("send", slot, payload, "accepted"), self.tidy(self.accepted(taken, payload, name))
        else:
            yield (
                ("send", slot, payload, refusal.value),
                self._answered(state, slot, process, sent._replace(kind=refusal)),
            )
        if bounds.faults:
            for kind, told, after, answer, request in self._disturbed(state, payload, bounds, refusal is None, name):
                heard = sent._replace(kind=answer, request=request)
                yield ("send", slot, payload, told), self.spend(self._answered(after, slot, process, heard), kind)

    def _sent_payload(self, process: Process, part: Payout, sent: Heard) -> Payload:
        return self.payload(part.id, ledger.copy_of(part, sent.copy))

    def _disturbed(
        self, state: State, payload: Payload, bounds: Bounds, accepts: bool, name: str
    ) -> Iterator[tuple[str, str, State, SendAnswer, str | None]]:
        """What can happen on the way: the kind of fault, in words, the state after it, and what the sender hears."""
        lost = SendAnswer.LOST
        if bounds.lost:
            yield "lost", "lost on the way", state, lost, None
            if accepts:
                yield "lost", "accepted, the answer is lost", self.accepted(state, payload, None), lost, None
        if bounds.late:
            transit = (*self.of[state[TRANSIT]], payload)
            yield "late", "held up on the way", self.with_value(state, TRANSIT, transit), lost, None
        if not accepts:
            return
        if bounds.duplicated:
            twice = self.accepted(self.accepted(state, payload, None), payload, name)
            yield "duplicated", "accepted twice", twice, SendAnswer.ACCEPTED, name
        if bounds.kept:
            kept = self.accepted(state, payload, None)
            yield "kept", "refused, and kept", kept, SendAnswer.REFUSED, None
        if bounds.reused:
            for request in dict.fromkeys(one.id for one in self.of[state[REQUESTS]]):
                if request is not None:
                    same = self.accepted(state, payload, request)
                    yield "reused", f"accepted as {request}, which is another's", same, SendAnswer.ACCEPTED, request

    def _answered(self, state: State, slot: int, process: Process, heard: Heard) -> State:
        """The process holds the answer, and has decided what to write down."""
        after = process._replace(stage="heard", now=self.values[heard], paid=False)
        return self.tidy(self.with_process(state, slot, after))

    def _note_answer(self, state: State, slot: int, process: Process, bounds: Bounds) -> Iterator[Step]:
        """The answer is stored in any case, as a fact; state, hold and reason only if nobody has changed the part."""
        frame, heard = process.frames[-1], self.of[process.now]
        number = state[FIRST_PART + frame.place]
        told = ("answer", slot, frame.place, heard)
        if frame.record < 0 or not self._waits_for(self.of[number], heard):
            again = frame._replace(record=number)
            after = process._replace(stage="look", frames=(*process.frames[:-1], again), now=-1, paid=False)
            yield ("refused", slot, frame.place, Act("answer")), self.with_process(state, slot, after)
            return
        who, same = self._who(slot, process), frame.record == number
        key = number, frame.record, process.now, who.number
        found = self._heard.get(key)
        if found is None:
            found = self._heard[key] = self._heard_now(state, frame, heard, who, same)
        written, then, outcome = found
        after_state = (*state[: FIRST_PART + frame.place], written, *state[FIRST_PART + frame.place + 1 :])
        again = frame._replace(record=written)
        after = process._replace(stage="look", frames=(*process.frames[:-1], again), now=-1, age=0, paid=False)
        yield told, self.tidy(self._then(after_state, slot, after, then, outcome))
        if bounds.failed:
            yield (
                ("failed", slot, frame.place, Act("answer")),
                self.spend(self._stop(state, slot, process, "raise"), "failed"),
            )
        if bounds.unheard:
            lost = self._stop(after_state, slot, process, "raise")
            yield ("unheard", slot, frame.place, Act("answer")), self.spend(lost, "unheard")

    def _waits_for(self, part: Payout, heard: Heard) -> bool:
        sends = [send for copy in part.copies if copy.id == heard.copy for send in copy.sends]
        return len(sends) >= heard.number and sends[heard.number - 1].answer is None

    def _heard_now(self, state: State, frame: Frame, heard: Heard, who: Who, same: bool) -> Any:
        known = self._of_copies(state, frame.record, frame.place)
        result = SendResult(heard.kind, "", heard.request, None if heard.request else _ERROR)
        move, reached = self.rules.after_send(known.part, known, result, who.terms)
        self.reached |= reached
        present: Payout = self.of[state[FIRST_PART + frame.place]]
        changes: dict[str, Any] = {"hold": present.hold, **_columns(move), "state": move.state} if same else {}
        written = self._stored(present, ledger.answered(present, heard, changes))
        act = _kept(move)
        return written, act.then, act.outcome


_TOLD: dict[tuple[str, int | None], RequestState] = {}


def _told(status: str, block: int | None) -> RequestState:
    if (status, block) not in _TOLD:
        found = _STATUSES[status]
        _TOLD[status, block] = RequestState(found, found.value, block_number=block)
    return _TOLD[status, block]


def _columns(move: Move) -> dict[str, Any]:
    return {name: value for name, value in move.changes.items() if name not in ("confirmed_at", "settled_by")}


def _kept(action: Any, readings: dict[Any, Reading] | None = None) -> Act:
    """An action as a value that can be compared."""
    if isinstance(action, Move):
        act = Act("move") if action.then is None else _kept(action.then)
        then = act.then or act.kind if action.then is not None else ""
        changes = tuple(sorted(_columns(action).items()))
        return Act("move", action.state, action.sightings, action.reads, changes, then, act.outcome)
    if isinstance(action, Sign):
        lane = (readings or {}).get((Fact.LANE, action.staking))
        beside = None if lane is None else tuple(one.id for one in lane.value.rivals)
        return Act("sign", nonces=(action.staking, action.payment, action.fee), beside=beside)
    if isinstance(action, Repeat):
        return Act("repeat", copy=action.copy.id)
    if isinstance(action, Done):
        return Act("done", outcome=action.outcome.value)
    if isinstance(action, Wait):
        final = action.reason is WaitFor.FINALITY
        return Act("wait", then="final" if final else "wait", outcome=action.abandoned.value)
    if isinstance(action, Raise):
        return Act("raise")
    raise TypeError(f"{action} is not an action")
