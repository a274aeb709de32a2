"""A chain, a gateway, a ledger and processes as one frozen tuple of numbers, and every step any of them can take.

The processes run the real `decide`. Everything else is a pure function here. Times are ages: the present is 0, and what is older than
every rule asks about is cut, so that equal situations are equal states. Each component is kept once and named by a number, so that a
state is a short tuple, and what follows from a component is computed once.

A process takes two steps: it looks (reads until `decide` names something to do) and it acts (one ledger write, or one send). It gives way
to others while it waits. Anywhere else something happens in between only when the bound on preemptions allows it. That a read came
before or after something is covered by reads that may be stale.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from staking_gateway.http.meanings import SendAnswer
from staking_gateway.ledger.records import NoncesUsed, PayoutState
from staking_gateway.payout import decide as rules
from staking_gateway.payout.evidence import (
    Ask,
    Done,
    Evidence,
    Fact,
    Move,
    Raise,
    Send,
    SendResult,
    Settle,
    Sign,
)
from staking_gateway.payout.fee_limits import Spent
from staking_gateway.payout.lanes import shared_by
from staking_gateway.payout.outcomes import Outcome, Wait, WaitFor
from staking_gateway.types import ElectionWindow, RequestState, RequestStatus
from tests.proof.explore import writes
from tests.proof.explore.environment import FIRST_RECORD, Environment
from tests.proof.explore.reach import watched
from tests.proof.explore.values import ACTIVE, MOST_SENDS, SETTLE, Act, Process, Record, Slot, Terms

if TYPE_CHECKING:
    from collections.abc import Iterator

    from staking_gateway.payout.evidence import Me
    from tests.proof.explore.scenario import Bounds, Scenario
    from tests.proof.explore.values import Payload, State, Step

_ERROR = RuntimeError("the gateway did not answer")
_WAIT = Wait(WaitFor.LANE, "", 1, Outcome.UNKNOWN)  # type: ignore[arg-type]
_WINDOW = (ElectionWindow.CLOSED, ElectionWindow.OPEN)
_TOLD: dict[str, Any] = {
    "pending": RequestState(RequestStatus.PENDING, "Pending"),
    "processed": RequestState(RequestStatus.PROCESSED, "Processed"),
    "rejected": RequestState(RequestStatus.REJECTED, "Rejected"),
    "denied": RequestState(RequestStatus.SENDING_FAILED, "SendingFailed"),
    "unknown": RequestState(RequestStatus.NOT_FOUND, "Transaction not found"),
    "unreadable": RequestState(RequestStatus.UNREADABLE, "unreadable"),
}


class _Thought:
    """What `decide` says of a record with some evidence: a fact to read, a payload to settle first, or an action."""

    __slots__ = ("action", "blocker", "fact", "seen", "then")

    def __init__(
        self, seen: Evidence, *, fact: Fact | None = None, blocker: int | None = None, action: int = -1
    ) -> None:
        self.seen = seen
        self.fact = fact
        self.blocker = blocker
        self.action = action
        self.then: dict[Any, _Thought] = {}


class World(Environment):
    """Every step of one scenario: what happens around the processes, and what they read, decide, write and send."""

    def __init__(self, scenario: Scenario) -> None:
        super().__init__(scenario)
        self.reached: set[str] = set()
        self._thoughts: dict[tuple[int, int, int], _Thought] = {}
        self._heard: dict[Any, Act] = {}
        self._looks: dict[Any, list[tuple[int, int, int, Any]]] = {}
        self._gone: dict[tuple[int, str], int] = {}
        self._writes: dict[tuple[int, int, int, int], tuple[Record, int]] = {}
        self._alone: dict[tuple[int, ...], tuple[int, ...]] = {}
        payers = {(record.user_key, record.payer_key) for record in self.records}
        self._goes_back = scenario.bounds.back > 0
        self._shares_payer = [
            any(user != record.user_key and payer == record.payer_key for user, payer in payers)
            for record in self.records
        ]

    # --- every step ----------------------------------------------------------------------------------------------------

    def steps(self, state: State) -> Iterator[Step]:
        """Every step that can follow."""
        bounds = self.of[state[3]]
        pending = self._pending(state)
        calm = self._freeze(state, pending)
        for slot in range(len(self.slots)):
            yield from self.process_steps(state, slot, bounds, pending)
        if calm is None:
            return
        yield from self.chain_steps(calm, self.of[calm[3]])
        if bounds.faults:
            yield from self.faults(calm, self.of[calm[3]])

    def _pending(self, state: State) -> list[int]:
        """The processes that are in the middle of something, and have not paid for standing still there."""
        found = []
        for slot in range(len(self.slots)):
            process = self.of[state[self.first_process + slot]]
            if process is not None and process.target >= 0 and not process.frozen:
                found.append(slot)
        return found

    def _freeze(self, state: State, slots: list[int], but: int = -1) -> State | None:
        """Let processes stand still while something else happens; None when the bound does not allow it."""
        waiting = [slot for slot in slots if slot != but]
        if not waiting:
            return state
        bounds: Bounds = self.of[state[3]]
        if bounds.preemptions < len(waiting):
            return None
        changed = list(state)
        changed[3] = self.values[replace(bounds, preemptions=bounds.preemptions - len(waiting))]
        for slot in waiting:
            at = self.first_process + slot
            changed[at] = self.values[self.of[changed[at]]._replace(frozen=True)]
        return tuple(changed)

    def process_steps(self, state: State, slot: int, bounds: Bounds, pending: list[int]) -> Iterator[Step]:
        """What the run of a slot can do next."""
        calm = self._freeze(state, pending, but=slot)
        if calm is None:
            return
        process = self.of[calm[self.first_process + slot]]
        if process is None:
            if any(not self.record(calm, index).state.settled for index in self.slots[slot].records):
                yield ("start", slot), self.with_process(calm, slot, Process(-1))
            return
        if process.action < 0:
            for step, after in self.look(calm, slot, process):
                decided = self.of[after[self.first_process + slot]]
                if bounds.preemptions or decided is None or decided.action < 0:
                    yield step, after
                else:  # nothing can come in between
                    yield from (((*step, act), then) for act, then in self.act(after, slot, decided, bounds))
        else:
            yield from self.act(calm, slot, process, bounds)
        if bounds.faults and bounds.crash:
            yield ("die", slot), self.spend(self._end(calm, slot), "crash")

    def with_process(self, state: State, slot: int, process: Process | None) -> State:
        """The same state with another process in a slot."""
        at = self.first_process + slot
        return (*state[:at], self.values[process], *state[at + 1 :])

    def _end(self, state: State, slot: int) -> State:
        """The try ends; the next one has another number and other leases."""
        name, first = self.slots[slot].name, self.first_process
        records = [self._left_by(number, name) for number in state[FIRST_RECORD:first]]
        processes = (*state[first : first + slot], self.values[None], *state[first + slot + 1 :])
        return (*state[:FIRST_RECORD], *records, *processes)

    def _left_by(self, number: int, name: str) -> int:
        """A record after the process of a slot has gone."""
        found = self._gone.get((number, name))
        if found is None:
            found = self._gone[number, name] = self.values[writes.left_by(self.of[number], name)]
        return found

    def in_peace(self, state: State, bounds: Bounds) -> State:
        """The same state without processes, with other bounds."""
        records = state[FIRST_RECORD : self.first_process]
        left = self._alone.get(records)
        if left is None:
            left = records
            for slot in self.slots:
                left = tuple(self._left_by(number, slot.name) for number in left)
            left = self._alone[records] = (*left, *(self.values[None] for _ in self.slots))
        return (*state[:3], self.values[bounds], *left)

    # --- a process looks -----------------------------------------------------------------------------------------------

    def look(self, state: State, slot: int, process: Process) -> Iterator[Step]:
        """Read and decide. Several steps follow when a read may be stale."""
        key = (slot, process.target, process.sends, *state[:3], *state[FIRST_RECORD : self.first_process])
        found = self._looks.get(key)
        if found is None:
            different: dict[Any, Any] = {}
            for one in self._decisions(state, slot, process):
                different.setdefault(one[:3], one)
            found = self._looks[key] = list(different.values())
        for target, action, sends, reads in found:
            act: Act = self.of[action]
            told = ("look", slot, target, action, reads)
            if act.kind in ("wait", "raise", "done"):
                # Nothing is written: the try goes on later, or it ends and the next one starts.
                after = self.with_process(state, slot, Process(-1)) if act.kind == "wait" else self._end(state, slot)
                yield told, after
            else:
                yield told, self.with_process(state, slot, Process(target, action, sends=sends))

    def _decisions(self, state: State, slot: int, process: Process) -> Iterator[tuple[int, int, int, Any]]:
        target, own = process.target, self.slots[slot].records
        if target >= 0 and target not in own and self.record(state, target).state.in_flight:
            yield from self._branches(state, slot, target, process.sends, ())
            return
        for index in own:
            record = self.record(state, index)
            if record.state is PayoutState.EMPTY:
                yield (index, self.values[Act("done", outcome=Outcome.PAID)], 0, ())
                return
            if not record.state.settled:
                sends = process.sends if index == target else 0
                yield from self._branches(state, slot, index, sends, ())
                return
        outcome = Outcome.PARTIAL if self.scenario.until_empty else Outcome.PAID
        yield (own[-1], self.values[Act("done", outcome=outcome)], 0, ())

    def _branches(
        self, state: State, slot: int, index: int, sends: int, reads: tuple[Any, ...]
    ) -> Iterator[tuple[int, int, int, Any]]:
        where = self.slots[slot]
        me = where.me if index in where.records else where.other
        number = state[FIRST_RECORD + index]
        first = number, slot, sends
        thought = self._thoughts.get(first)
        if thought is None:
            thought = self._thoughts[first] = self._think(number, me, where, Evidence(sends=sends))
        branches = [(thought, reads)]
        while branches:
            thought, reads = branches.pop()
            while thought.fact is not None:
                values = self.answers(state, thought.fact, self.of[number], where)
                for value in values[1:]:
                    other = self._hear(thought, value, number, me, where)
                    branches.append((other, (*reads, (thought.fact, value, True))))
                reads = (*reads, (thought.fact, values[0], False))
                thought = self._hear(thought, values[0], number, me, where)
            if thought.blocker is None:
                yield index, thought.action, sends, reads
            else:
                yield from self._branches(state, slot, thought.blocker, 0, reads)

    def _hear(self, thought: _Thought, value: Any, number: int, me: Me, where: Slot) -> _Thought:
        """What is thought once the fact that was asked for is known."""
        found = thought.then.get(value)
        if found is None:
            seen = Evidence(**{**vars(thought.seen), thought.fact.value: value})  # type: ignore[union-attr]
            found = thought.then[value] = self._think(number, me, where, seen)
        return found

    def _think(self, number: int, me: Me, where: Slot, seen: Evidence) -> _Thought:
        """Ask the real `decide`; what it answers depends on nothing else."""
        record = self.of[number]
        action, reached = watched(record, me, seen, 0, where.terms)
        self.reached |= reached
        if isinstance(action, Ask):
            return _Thought(seen, fact=action.fact)
        if isinstance(action, Settle):
            return _Thought(seen, blocker=action.blocker.id)
        if not me.own and isinstance(action, (Wait, Done)):
            action = _WAIT
        elif not me.own and isinstance(action, Move) and isinstance(action.then, Done):
            action = Move(action.state, action.cause, action.changes, _WAIT)
        return _Thought(seen, action=self.values[_kept(action, seen, record)])

    def answers(self, state: State, fact: Fact, record: Record, where: Slot) -> tuple[Any, ...]:
        """What a read can tell: the truth first, then what a replica that is behind tells."""
        chain, scenario = self.chain(state), self.scenario
        whose: Any = record if record.state.in_flight else where.me
        if fact is Fact.STAKING_NONCE:
            return self._visible(chain.staking[whose.user_key])
        if fact is Fact.PAYMENT_NONCE:
            return self._visible(chain.payment[whose.payer_key])
        if fact is Fact.PAYS_BY_ITSELF:
            return (scenario.never == "pays by itself",)
        if fact is Fact.ACTIVE_ERA:
            return (chain.active, chain.active - 1) if chain.active > ACTIVE else (chain.active,)
        if fact is Fact.WINDOW:
            now = _WINDOW[chain.open]
            return (now, _WINDOW[not chain.open]) if chain.turned <= scenario.lag else (now,)
        if fact is Fact.FEE:
            return (chain.fee,)
        if fact is Fact.REQUEST:
            return self._polled(state, record)
        if fact is Fact.ERA_PAID:
            return (chain.left[self.era_of(record)] == 0 if scenario.node else None,)
        return (self._from_ledger(state, fact, record, where),)

    def _visible(self, nonce: tuple[int, int]) -> tuple[int, ...]:
        value, age = nonce
        return (value, value - 1) if age <= self.scenario.lag else (value,)

    def _polled(self, state: State, record: Record) -> tuple[Any, ...]:
        if self.scenario.poll == "none":
            return (None,)
        if self.scenario.poll == "unreadable":
            return (_TOLD["unreadable"],)
        for request in self.of[state[1]]:
            if request.id == record.request_id:
                if request.status == "dropped":
                    return (_TOLD["unknown" if self.scenario.forgets else "pending"],)
                if request.status == "denied":
                    return (_TOLD["denied"],)
                told = _TOLD[request.status]
                return (told, _TOLD["pending"]) if request.age <= self.scenario.lag else (told,)
        return (_TOLD["unknown"],)

    def _from_ledger(self, state: State, fact: Fact, record: Record, where: Slot) -> Any:
        me: Any = where.me
        records = [self.of[number] for number in state[FIRST_RECORD : self.first_process]]
        if fact is Fact.BLOCKER:
            return _blocker(record, me, records)
        if fact is Fact.NONCES_USED:
            done = [other for other in records if other.state is PayoutState.CONFIRMED]
            used = [other.staking_nonce for other in done if other.user_key == me.user_key]
            used += [
                other.used_nonce for other in records if other.user_key == me.user_key and other.used_nonce is not None
            ]
            return NoncesUsed(
                max(used, default=None),
                max((other.payment_nonce for other in done if other.payer_key == me.payer_key), default=None),
            )
        if fact is Fact.PAYMENT_SHARED:
            theirs = record.payer_key, record.payment_nonce
            return shared_by(
                other for other in records if other.id != record.id and (other.payer_key, other.payment_nonce) == theirs
            )
        return Spent(day=committed(records, but=record.id))

    # --- a process acts ------------------------------------------------------------------------------------------------

    def act(self, state: State, slot: int, process: Process, bounds: Bounds) -> Iterator[Step]:
        """Perform what was decided: one write, or one send."""
        act: Act = self.of[process.action]
        if act.kind == "send":
            yield from self._send(state, slot, process, bounds)
            return
        written = None if process.stale else self._written(state, slot, process, act)
        if written is None:
            yield ("refused", slot, process.target, process.action), self.with_process(state, slot, Process(-1))
            return
        told = ("write", slot, process.target, process.action)
        if act.then == "wait":
            yield told, self.with_process(written, slot, Process(-1))
        elif act.then:
            yield told, self._end(written, slot)
        else:
            yield told, self.with_process(written, slot, Process(process.target, sends=process.sends))

    def _written(self, state: State, slot: int, process: Process, act: Act) -> State | None:
        at = FIRST_RECORD + process.target
        key = state[at], slot, process.action, process.age
        found = self._writes.get(key)
        if found is None:
            changed = writes.written(self.of[state[at]], self.slots[slot].name, process, act)
            limited, shares = self.scenario.limit is not None, self._shares_payer[changed.id] or self._goes_back
            kept = writes.canonical(changed, limited=limited, shares_payer=shares)
            found = self._writes[key] = changed, self.values[kept]
        changed, number = found
        if not self._admits(state, changed):
            return None
        after = [*state[:at], number, *state[at + 1 :]]
        for other in range(len(self.slots)):
            place = self.first_process + other
            rival = self.of[after[place]]
            if other != slot and rival is not None and rival.target == changed.id:
                # What it has decided will be refused; if it has not, its next write would be, and it reads the record again.
                after[place] = self.values[rival._replace(stale=True) if rival.action >= 0 else Process(-1)]
        return self.forget_requests(tuple(after))

    def _admits(self, state: State, changed: Record) -> bool:
        """The two unique indexes of the ledger."""
        if not (changed.state.in_flight or changed.state is PayoutState.CONFIRMED):
            return True
        for number in state[FIRST_RECORD : self.first_process]:
            other: Record = self.of[number]
            if other.id == changed.id or other.user_key != changed.user_key:
                continue
            if other.state.in_flight and changed.state.in_flight:
                return False
            alive = other.state.in_flight or other.state is PayoutState.CONFIRMED
            if alive and other.staking_nonce == changed.staking_nonce:
                return False
        return True

    # --- a process sends -----------------------------------------------------------------------------------------------

    def _send(self, state: State, slot: int, process: Process, bounds: Bounds) -> Iterator[Step]:
        """One send: what the gateway does with it, and what of that reaches the sender."""
        payload: Payload = self.of[process.action].changes[0][1]
        refusal = self.door(self.chain(state), payload)
        if refusal is None:
            taken, answer = self._taken(state, payload)
            yield ("send", slot, payload, "accepted"), self._answered(taken, slot, process, answer)
        else:
            taken, answer = state, SendResult(refusal, error=_ERROR)
            yield ("send", slot, payload, refusal.value), self._answered(state, slot, process, answer)
        if bounds.faults:
            for kind, told, after, heard in self._disturbed(state, taken, payload, bounds):
                left = self.spend(self._answered(after, slot, process, heard), kind)
                yield ("send", slot, payload, told), left

    def _disturbed(
        self, state: State, taken: State, payload: Payload, bounds: Bounds
    ) -> Iterator[tuple[str, str, State, SendResult]]:
        """What can happen on the way: the kind of fault, in words, the state after it, and what the sender hears."""
        lost = SendResult(SendAnswer.LOST, error=_ERROR)
        if bounds.lost:
            yield "lost", "lost on the way", state, lost
            if taken is not state:
                yield "lost", "accepted, the answer is lost", taken, lost
        if bounds.late:
            transit = (*self.of[state[2]], payload)
            yield "late", "held up on the way", (*state[:2], self.values[transit], *state[3:]), lost
        if bounds.duplicated and taken is not state:
            twice, answer = self._taken(taken, payload)
            yield "duplicated", "accepted twice, the second is answered", twice, answer

    def _taken(self, state: State, payload: Payload) -> tuple[State, SendResult]:
        """The gateway accepts a payload: the state after it, and its answer."""
        taken, request = self.accepted(state, payload)
        return taken, SendResult(SendAnswer.ACCEPTED, "", request)  # type: ignore[arg-type]

    def _answered(self, state: State, slot: int, process: Process, result: SendResult) -> State:
        """The process holds the answer, and has decided what to write down."""
        where = self.slots[slot]
        record = self.record(state, process.target)
        me = where.me if process.target in where.records else where.other
        sends = min(process.sends + 1, MOST_SENDS)
        if process.stale or record.lease_owner not in (None, me.owner):
            # The real record has another version by now, so the write would be refused.
            return self.with_process(state, slot, Process(-1))
        key = (
            state[FIRST_RECORD + process.target],
            slot,
            sends,
            result.kind,
            result.request_id,
            state[0] if self.scenario.node else 0,
        )
        kept = self._heard.get(key)
        if kept is None:
            # The process knows the record it has read; its lease may be over, and only the write tells.
            known: Any = (
                record if record.lease_until is None else record._replace(lease_until=max(record.lease_until, 1))
            )
            now: Any = 0
            paid = self.answers(state, Fact.ERA_PAID, record, where)[0]
            seen = Evidence(sent=result, sends=sends, era_paid=paid)
            action, reached = watched(known, me, seen, now, where.terms)
            self.reached |= reached
            kept = self._heard[key] = _kept(action, Evidence(), record)
        if kept.kind == "raise":
            return self._end(state, slot)
        return self.with_process(state, slot, Process(process.target, self.values[kept], sends=sends))


def committed(records: list[Record], but: int = -1) -> int:
    """What the ledger counts against the limit of a day."""
    return sum(
        record.wasted_fees
        + (record.fee or 0) * (record.id != but and (record.state.in_flight or record.state is PayoutState.CONFIRMED))
        for record in records
    )


def _blocker(record: Record, me: Any, records: list[Record]) -> Record | None:
    """As `lanes.blocker_of`."""
    for other in records:
        if other.id != record.id and other.state.in_flight:
            if other.user_key == me.user_key:
                return other
            if other.payer_key == me.payer_key and -(other.signed_at or 0) <= SETTLE:
                return other
    return None


_ENDS = {Wait: "wait", Done: "done", Raise: "raise"}


def _kept(action: Any, seen: Evidence, record: Record) -> Act:
    """An action as a value that can be compared."""
    if isinstance(action, Move):
        return _kept_move(action)
    if isinstance(action, Sign):
        return Act("sign", nonces=(seen.fee, seen.payment, seen.staking))
    if isinstance(action, Send):
        return Act("send", changes=(("payload", record.proxy_signature),))
    if isinstance(action, Done):
        return Act("done", outcome=action.outcome)
    if type(action) in _ENDS:
        return Act(_ENDS[type(action)])
    raise TypeError(f"{action} is not an action")


def _kept_move(move: Move) -> Act:
    changes = {name: value for name, value in move.changes.items() if name in Record._fields and name != "reason"}
    if "unanswered" in changes:
        changes["unanswered"] = min(changes["unanswered"], rules.SENT_IN_VAIN + 1)
    if "wasted" in changes:
        changes["wasted"] = min(changes["wasted"], Terms.max_fees_for_nothing)
    then = move.then
    outcome = then.outcome if isinstance(then, Done) else None
    return Act("move", move.state, tuple(sorted(changes.items())), _ENDS[type(then)] if then else "", outcome)
