"""A chain, a gateway, a ledger and processes as one tuple of numbers, and every step any of them can take.

The processes run the real `decide` on the real records of the ledger. Everything else is a pure function here. Times are integers: the
present is 0, and gaps that are longer than every rule asks are cut, so that equal situations are equal states. Each component is kept once
and named by a number, so that a state is a short tuple, and what follows from a component is computed once.

A process looks (it reads until `decide` names something to do), writes to the ledger, sends, and writes the answer. It gives way to others
while it waits. In between something else happens only when the bound on stalls allows it; between two reads, when the bound on slow looks
does. That a read came before or after something is covered by reads that may be stale.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

from staking_gateway.errors import SendAnswer
from staking_gateway.ledger.invariant import InvariantBroken, check
from staking_gateway.ledger.records import Payout, Sight
from staking_gateway.payout.copies import Copies
from staking_gateway.payout.evidence import Lane, Move, Reading, Repeat, SendResult, Sign
from tests.proof.explore import ledger
from tests.proof.explore.environment import BOOK, BOUNDS, CHAIN, MOST_SENDS, PARTS, REQUESTS, State, Step, Who, lane_of
from tests.proof.explore.reach import Rules
from tests.proof.explore.scenario import IDLE, SLOWEST, Bounds, Heard, Payload, Process, Scenario
from tests.proof.explore.thoughts import ERROR, Thought, Thoughts, columns, ends, is_final, kept


class World(Thoughts):
    """Every step of one scenario: what happens around the processes, and what they read, decide, write and send."""

    def __init__(self, scenario: Scenario, rules: Rules | None = None) -> None:
        super().__init__(scenario, rules)
        self._writes, self._heard = cache(self._after_write), cache(self._after_answer)
        self._alone = cache(self._left_by_all)

    def steps(self, state: State) -> Iterator[Step]:
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
        if not any(self._reads_long(calm, slot) for slot in range(len(self.slots))):
            yield ("tick",), self.tick(calm)
        if bounds.faults or self.chain(calm).open:
            yield from self.faults(calm, bounds)

    def _busy(self, state: State, slot: int) -> bool:
        """Whether a process is in the middle of something, and has not paid for standing still there."""
        process: Process | None = self.of[state[self.first_process + slot]]
        return process is not None and process.stage not in ("idle", "read") and not process.paid

    def _reads_long(self, state: State, slot: int) -> bool:
        """Whether a process has read one by one as long as it may."""
        process: Process | None = self.of[state[self.first_process + slot]]
        if process is None or process.stage != "read":
            return False
        readings: Any = self._thoughts[process.now].readings.values()
        return bool(max([process.age, *(-one.began for one in readings)]) >= SLOWEST)

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
            yield from self._look(state, slot, IDLE._replace(settings=self.settings(state, slot)), bounds)
            return
        if process.stage in ("idle", "look"):
            yield from self._look(state, slot, process, bounds)
        elif process.stage == "read":
            yield from self._read(state, slot, process)
        elif process.stage == "act":
            yield from self._write(state, slot, process)
        elif process.stage == "send":
            yield from self._send(state, slot, process, bounds)
        else:
            yield from self._note_answer(state, slot, process)
        if bounds.crash:
            yield ("die", slot), self.spend(self._end(state, slot), "crash")

    def fair_step(self, state: State, slot: int, bounds: Bounds) -> tuple[tuple[Any, ...], State]:
        """The first of `process_steps`: every read is fresh, and nothing fails."""
        process = self.process(state, slot)
        if process is None or process.stage not in ("idle", "look"):
            return next(iter(self.process_steps(state, slot, bounds)))
        after, told = next(self._decisions(state, slot, process, fails=False))
        step = ("look", slot, *told)
        if isinstance(after, str):
            return step, self._stop(state, slot, process, after)
        return step, self.with_process(state, slot, after)

    def with_process(self, state: State, slot: int, process: Process | None) -> State:
        return self.with_value(state, self.first_process + slot, process)

    def _end(self, state: State, slot: int) -> State:
        """The try ends; the next one has another number."""
        name, first = self.slots[slot].name, self.first_process
        parts = [self._left_by(number, name) for number in state[PARTS:first]]
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
        return (*state[:PARTS], *parts, *processes)

    def in_peace(self, state: State, bounds: Bounds) -> State:
        """The same state without processes, with other bounds."""
        left = self._alone(state[PARTS : self.first_process])
        book = self.book(state)
        if book.backup is not None:
            state = self.with_value(state, BOOK, book._replace(backup=None))
        return (*state[:BOUNDS], self.values[bounds], state[BOOK], *left)

    def _left_by_all(self, parts: tuple[int, ...]) -> tuple[int, ...]:
        for slot in self.slots:
            parts = tuple(self._left_by(number, slot.name) for number in parts)
        return (*parts, *(self.values[None] for _ in self.slots))

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
            asked: Any = thought.readings
            readings = {key: Reading(self._aged_fact(one.value), one.began - 1) for key, one in asked.items()}
            again = self._thought(self._age(thought.record), thought.who, readings, ("aged", value.now))
            aged = aged._replace(now=again.number)
        return self.values[aged]

    def _aged_fact(self, value: Any) -> Any:
        """What was read, one clock step later: parts have times."""
        if isinstance(value, Payout):
            return self.of[self._age(self.values[value])]
        if isinstance(value, Lane):
            since: Any = value.since
            rivals = tuple(self._aged_fact(one) for one in value.rivals)
            return replace(value, rivals=rivals, since=None if since is None else since - 1)
        return value

    def _look(self, state: State, slot: int, process: Process, bounds: Bounds) -> Iterator[Step]:
        """Read and decide at once. Several steps follow when a read may be stale."""
        if bounds.slow:
            yield from self._begin_to_read(state, slot, process)
        fails = bounds.unreadable > 0 and bounds.faults > 0
        key = (slot, self.values[process], fails, state[CHAIN], state[REQUESTS], *state[BOOK : self.first_process])
        found = self._looks.get(key)
        if found is None:
            different: dict[Any, Any] = {}
            for after, told in self._decisions(state, slot, process, fails):
                costs = any(value is ERROR for _, _, value, _ in told[2])
                different.setdefault((after, costs), told)
            found = self._looks[key] = [(*one, told) for one, told in different.items()]
        for after, costs, told in found:
            last = self.spend(state, "unreadable") if costs else state
            yield from self._decided(last, slot, process, after, ("look", slot, *told), bounds)

    def _decided(  # noqa: PLR0917 - the branches of one look
        self, state: State, slot: int, process: Process, after: Any, told: tuple[Any, ...], bounds: Bounds
    ) -> Iterator[Step]:
        """What becomes of a process that has decided: `after` is itself, or how its call ends."""
        if isinstance(after, str):
            yield told, self._stop(state, slot, process, after)
            return
        if (
            isinstance(self.of[after.now], Move)
            or after.frames[-1].sends >= MOST_SENDS
            or self.sends(state) < bounds.sends
        ):
            yield told, self.with_process(state, slot, after)

    def _stop(self, state: State, slot: int, process: Process, how: str) -> State:
        """The end of a call: the process waits, fails, or its try ends."""
        if how == "wait" or (how == "raise" and self.scenario.lives):
            return self.with_process(state, slot, IDLE._replace(settings=process.settings))
        return self._end(state, slot)

    def _begin_to_read(self, state: State, slot: int, process: Process) -> Iterator[Step]:
        found = "" if process.stage == "look" else self._own_frame(state, slot)
        if isinstance(found, str):
            return
        begun = process._replace(stage="look", frames=(found,), driven=())
        thought = self._root(state, found, self._who(slot, begun))
        slow = self.spend(state, "slow", fault=False)
        yield from self._asked(slow, slot, begun, thought, ("slow", slot))

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
        for after, decided in self._concluded(state, slot, process._replace(stage="look", age=0), thought, False, last):
            yield from self._decided(state, slot, process, after, ("look", slot, *decided), bounds)

    def _read(self, state: State, slot: int, process: Process) -> Iterator[Step]:
        thought = self._thoughts[process.now]
        for key, value in self.answers(state, slot, thought, process.age):
            after = self._hear(thought, value, key, process.age, state)
            yield from self._asked(
                state, slot, process, after, ("read", slot, (thought.fact, thought.about, value, False))
            )

    def _write(self, state: State, slot: int, process: Process) -> Iterator[Step]:
        """One transaction of the ledger: done, refused, failed, or done with its answer lost."""
        act = self.of[process.now]
        frame = process.frames[-1]
        told = slot, frame.place, act
        if frame.record != state[PARTS + frame.place] or self._met(state, slot, process, act):
            yield ("refused", *told), self.with_process(state, slot, self._looking(state, process))
            return
        written = self._written(state, slot, process, act)
        yield ("write", *told), self._went_on(written, slot, process, act)
        yield from self._fails(state, written, slot, process, told)

    def _looking(self, state: State, process: Process) -> Process:
        """The process looks again, at the part as the ledger has it now."""
        frame = process.frames[-1]
        again = frame._replace(record=state[PARTS + frame.place])
        return process._replace(stage="look", frames=(*process.frames[:-1], again), now=-1, age=0, paid=False)

    def _fails(
        self, state: State, written: State, slot: int, process: Process, told: tuple[Any, ...]
    ) -> Iterator[Step]:
        """A write that is not done, or whose answer is lost."""
        bounds: Bounds = self.of[state[BOUNDS]]
        if bounds.failed:
            yield ("failed", *told), self.spend(self._stop(state, slot, process, "raise"), "failed")
        if bounds.unheard:
            yield ("unheard", *told), self.spend(self._stop(written, slot, process, "raise"), "unheard")

    def _met(self, state: State, slot: int, process: Process, act: Any) -> bool:
        """Whether another copy of the network, user or payer was signed meanwhile."""
        part, me = self.part(state, process.frames[-1].place), self._who(slot, process).me
        return isinstance(act, Sign) and ledger.signed_since(self.all_parts(state), part, me, act.known)

    def _written(self, state: State, slot: int, process: Process, act: Any) -> State:
        frame = process.frames[-1]
        last = ledger.last_copy(self.all_parts(state)) if isinstance(act, Sign) else 0
        number = self._writes(frame.record, process.now, process.age, self._who(slot, process), last)
        state = self.with_part(state, frame.place, number)
        for seen in act.sightings if isinstance(act, Move) else ():
            if seen.kind is Sight.FLOOR:
                state = self._with_floor(state, frame.place, seen)
        return self.tidy(state)

    def _after_write(self, record: int, now: int, age: int, who: Who, last: int) -> int:
        """The number of a part after a write. `last` is the newest copy of all parts."""
        part, act = self.of[record], self.of[now]
        if isinstance(act, Sign):
            return self._stored(part, ledger.signed(part, act, who.me, who.terms.lane, age=age, copy_id=last + 1))
        repeats = isinstance(act, Repeat)
        return self._stored(part, ledger.counted(part, act.copy, who.me) if repeats else ledger.moved(part, act, age))

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

    def _went_on(self, state: State, slot: int, process: Process, act: Any) -> State:
        after = self._looking(state, process)
        frame = after.frames[-1]
        if not isinstance(act, Move):
            part: Payout = self.of[frame.record]
            copy = part.copies[-1] if isinstance(act, Sign) else ledger.copy_of(part, act.copy)
            sent = Heard(copy.id, copy.sends[-1].number, None)
            frame = frame._replace(sends=min(frame.sends + 1, MOST_SENDS))
            after = after._replace(stage="send", now=self.values[sent], frames=(*process.frames[:-1], frame))
            return self.with_process(state, slot, after)
        return self._then(state, slot, after, act.then)

    def _then(self, state: State, slot: int, process: Process, then: Any) -> State:
        """What follows a write: the end of the call, or another look."""
        own = len(process.frames) == 1
        if then is None:
            return self.with_process(state, slot, process)
        if not own and is_final(then):
            return self.with_process(state, slot, process._replace(frames=process.frames[:-1]))
        return self._stop(state, slot, process, ends(then, own=own))

    def _send(self, state: State, slot: int, process: Process, bounds: Bounds) -> Iterator[Step]:
        """One send: what the gateway does with it, and what of that reaches the sender."""
        frame, sent = process.frames[-1], self.of[process.now]
        part: Payout = self.of[frame.record] if frame.record >= 0 else self.part(state, frame.place)
        payload = self.payload(part.id, ledger.copy_of(part, sent.copy))
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

    def _disturbed(
        self, state: State, payload: Payload, bounds: Bounds, accepts: bool, name: str
    ) -> Iterator[tuple[str, str, State, SendAnswer, str | None]]:
        """What can happen on the way: the kind of fault, in words, the state after it, and what the sender hears."""
        lost = SendAnswer.LOST
        if bounds.lost:
            yield "lost", "lost on the way", state, lost, None
            if accepts:
                yield "lost", "accepted, the answer is lost", self.accepted(state, payload, None), lost, None
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

    def _note_answer(self, state: State, slot: int, process: Process) -> Iterator[Step]:
        """The answer is stored in any case, as a fact; state, hold and reason only if nobody has changed the part."""
        frame, heard = process.frames[-1], self.of[process.now]
        number = state[PARTS + frame.place]
        told = slot, frame.place, "writes down the answer"
        sends = (send for copy in self.of[number].copies if copy.id == heard.copy for send in copy.sends)
        if frame.record < 0 or all(send.number != heard.number or send.answer is not None for send in sends):
            yield ("refused", *told), self.with_process(state, slot, self._looking(state, process))
            return
        written, then = self._heard(frame.record, number, process.now, self._who(slot, process))
        after = self.with_part(state, frame.place, written)
        done = self._then(after, slot, self._looking(after, process), then)
        yield ("answer", slot, frame.place, heard), self.tidy(done)
        yield from self._fails(state, after, slot, process, told)

    def _after_answer(self, record: int, number: int, now: int, who: Who) -> tuple[int, Any]:
        """The number of a part after an answer, and what follows. The sender knows it as `record`, and now it is `number`."""
        known, heard = Copies(self.of[record]), self.of[now]
        result = SendResult(heard.kind, "", heard.request, None if heard.request else ERROR)
        move, reached = self.rules.after_send(known.part, known, result, who.terms)
        self.reached |= reached
        present: Payout = self.of[number]
        changes = {"hold": present.hold, **columns(move), "state": move.state} if record == number else {}
        return self._stored(present, ledger.answered(present, heard, changes)), kept(move.then)
