"""A chain, a gateway, a ledger and processes as one frozen tuple of numbers, and every step any of them can take.

The processes run the real `decide`. Everything else is a pure function here. Times are ages: the present is 0, and what is older than
every rule asks about is cut, so that equal situations are equal states. Each component is kept once and named by a number, so that a
state is a short tuple, and what follows from a component is computed once.

A process takes two steps: it looks (reads until `decide` names something to do) and it acts (one ledger write, or one send). It gives way
to others while it waits. Anywhere else something happens in between only when the bound on preemptions allows it. That a read came
before or after something is covered by reads that may be stale.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

from staking_gateway.ledger.records import PayoutState
from staking_gateway.payout import decide as rules
from staking_gateway.payout.engine import _OF_A_PAYLOAD as OF_A_PAYLOAD
from staking_gateway.payout.evidence import (
    Ask,
    Done,
    Evidence,
    Fact,
    Me,
    Move,
    Raise,
    Send,
    SendResult,
    Settle,
    Sign,
)
from staking_gateway.payout.fee_limits import Spent
from staking_gateway.payout.lanes import NoncesUsed
from staking_gateway.payout.outcomes import Outcome, Wait, WaitFor
from staking_gateway.payout.terms import ConfirmBy
from staking_gateway.proof.explore.scenario import LAG, NEVER_STALE, OLDEST, Scenario
from staking_gateway.types import ElectionWindow, RequestState, RequestStatus

State: TypeAlias = "tuple[int, ...]"
Step: TypeAlias = "tuple[tuple[Any, ...], State]"
"""What happens, its kind first, and the state after it; `story.py` puts it into words."""

FIRST_NONCE = 5
ACTIVE = 100
LEASE, SETTLE, GRACE, REPLANS = 1, 1, 1, 1
MOST_SENDS = REPLANS + 4
"""More in one call of `advance` are sends without end."""
_KIND = SendResult.Kind
_ERROR = RuntimeError("the gateway did not answer")
_TIMES = ("accepted_at", "disagree_since", "over_since", "signed_at")


class Record(NamedTuple):
    """A payout of the ledger: what `decide` reads of one. Its payload is in `proxy_signature`."""

    id: int
    network: int
    era: int
    part: int
    user_key: int
    payer_key: int
    state: PayoutState = PayoutState.PLANNED
    staking_nonce: int | None = None
    payment_nonce: int | None = None
    fee: int | None = None
    proxy_signature: Any = None
    request_id: int | None = None
    request_status: str | None = None
    unanswered: int = 0
    copies_out: bool = False
    refused: bool = False
    accepted_at: int | None = None
    signed_at: int | None = None
    disagree: str | None = None
    disagree_since: int | None = None
    over: str | None = None
    over_since: int | None = None
    hold: str | None = None
    fee_charged: bool | None = None
    asked: bool = True
    wasted: int = 0
    wasted_fees: int = 0
    lease_owner: str | None = None
    lease_until: int | None = None
    signed_by: str | None = None
    signed_try: int | None = None
    signatures: int = 0
    given_up_by: str | None = None
    nonce_used: bool = False
    reason: str | None = None
    updated_at: int = 0
    fee_payment_signature: Any = None

    def signatures_by(self, run: str, try_number: int) -> int:
        """As `Payout.signatures_by`."""
        return self.signatures if (self.signed_by, self.signed_try) == (run, try_number) else 0


class Payload(NamedTuple):
    """What a signature is over."""

    record: int
    staking: int
    payment: int
    fee: int


class Request(NamedTuple):
    """What the gateway accepted. `age` counts since it became final."""

    id: int
    payload: Payload
    status: str = "pending"
    age: int = NEVER_STALE


class Chain(NamedTuple):
    """The truth. Nonces are (value, age of the last change) by user and by payer; eras by number."""

    staking: tuple[tuple[int, int], ...]
    payment: tuple[tuple[int, int], ...]
    fee: int
    open: bool
    turned: int
    active: int
    left: tuple[int, ...]
    executed: tuple[int, ...]
    wasted: tuple[int, ...]
    charged: int


class Process(NamedTuple):
    """A try of a run. `action` is what it has decided to do, `age` how long ago; -1 when it looks next.

    :param target: the record it works on.
    :param stale: whether another process changed that record since.
    """

    target: int
    action: int = -1
    age: int = 0
    stale: bool = False
    frozen: bool = False
    sends: int = 0


class Terms:
    """`PayoutTerms` in clock steps."""

    confirm_by = ConfirmBy.AUTO
    wait_for_closed_window = True
    max_replans = REPLANS
    max_fees_for_nothing = 2
    history_depth = 2
    poll_interval = 1
    not_found_grace = GRACE
    nonces_agree_within = LAG
    settle_within = SETTLE
    lease = LEASE
    again = False
    max_fee_per_payout = None
    max_fee_per_run = None

    def __init__(self, network: int, scenario: Scenario) -> None:
        self.network = network
        self.parts = None if scenario.until_empty else 1
        self.max_fee_per_day = scenario.limit


class Table(dict[Any, int]):
    """Values kept once, each named by a number."""

    def __init__(self) -> None:
        super().__init__()
        self.values_by_number: list[Any] = []

    def __missing__(self, value: Any) -> int:
        number = self[value] = len(self.values_by_number)
        self.values_by_number.append(value)
        return number


class Slot(NamedTuple):
    """Where a run's processes live, one at a time."""

    name: str
    era: int
    me: Me
    other: Me
    terms: Any
    records: tuple[int, ...]


class Act(NamedTuple):
    """An action as a process keeps it. `kind` is sign, send, move, wait, done or raise."""

    kind: str
    state: PayoutState | None = None
    changes: tuple[tuple[str, Any], ...] = ()
    then: str = ""
    outcome: Outcome | None = None
    nonces: tuple[int, int, int] | None = None


class World:
    """Every step of one scenario. A state is (chain, requests, in transit, budget, records..., processes...)."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.values = Table()
        self.of = self.values.values_by_number
        self._looks: dict[Any, list[tuple[int, int, int, Any]]] = {}
        self._aged: dict[tuple[int, str], int] = {}
        self._executed: dict[Any, tuple[int, str]] = {}
        self._gone: dict[tuple[int, str], int] = {}
        self._writes: dict[tuple[int, int, int, int], int] = {}
        self._alone: dict[tuple[int, ...], tuple[int, ...]] = {}
        self.parts = 3 if scenario.until_empty else 1
        self.records: list[Record] = []
        self.slots: list[Slot] = []
        self.terms = {network: Terms(network, scenario) for network in {era.network for era in scenario.eras}}
        for number, era in enumerate(scenario.eras):
            first = len(self.records)
            for part in range(self.parts):
                index = ACTIVE - len(scenario.eras) + number
                self.records.append(Record(len(self.records), era.network, index, part, era.user, era.payer))
            mine = tuple(range(first, first + self.parts))
            for run in range(era.runs):
                name = f"era {number}" + (f" run {run + 1}" if era.runs > 1 else "")
                me = Me(name, name, 1, era.user, era.payer)  # type: ignore[arg-type]
                other = Me(name, name, 1, era.user, era.payer, own=False)  # type: ignore[arg-type]
                self.slots.append(Slot(name, number, me, other, self.terms[era.network], mine))
        self._first_record = 4
        self._first_process = 4 + len(self.records)
        self._shares_payer = {
            record.id: any(
                other.payer_key == record.payer_key and other.user_key != record.user_key for other in self.records
            )
            for record in self.records
        }

    # --- states --------------------------------------------------------------------------------------------------------

    def start(self) -> State:
        """The first state: nothing was signed, no process runs."""
        scenario, values = self.scenario, self.values
        users, payers = 1 + max(era.user for era in scenario.eras), 1 + max(era.payer for era in scenario.eras)
        still = (FIRST_NONCE, scenario.lag + 1)
        eras = len(scenario.eras)
        chain = Chain(
            (still,) * users, (still,) * payers, 1, False, scenario.lag + 1, ACTIVE,
            tuple(era.batches for era in scenario.eras), (0,) * eras, (0,) * eras, 0,
        )  # fmt: skip
        records, requests = list(self.records), ()
        if scenario.given_up:
            records, requests = self._left_by_an_older_version()
        return (
            values[chain],
            values[requests],
            values[()],
            values[scenario.bounds],
            *(values[record] for record in records),
            *(values[None] for _ in self.slots),
        )

    def _left_by_an_older_version(self) -> tuple[list[Record], Any]:
        """Era 0 was given up by time and may still execute; era 1 has signed the same nonce and was accepted."""
        lost, alive = Payload(0, FIRST_NONCE, FIRST_NONCE, 1), Payload(1, FIRST_NONCE, FIRST_NONCE, 1)
        old = {"staking_nonce": FIRST_NONCE, "payment_nonce": FIRST_NONCE, "fee": 1, "signed_at": -OLDEST}
        records = list(self.records)
        records[0] = records[0]._replace(
            **old, state=PayoutState.REJECTED, proxy_signature=lost, given_up_by="an old run", asked=False
        )
        records[1] = records[1]._replace(
            **old, state=PayoutState.UNKNOWN, proxy_signature=alive, copies_out=True, unanswered=1
        )
        return records, (Request(0, lost), Request(1, alive))

    def record(self, state: State, index: int) -> Record:
        """A record of a state."""
        found: Record = self.of[state[self._first_record + index]]
        return found

    def chain(self, state: State) -> Chain:
        """The chain of a state."""
        found: Chain = self.of[state[0]]
        return found

    def process(self, state: State, slot: int) -> Process | None:
        """The process of a slot, if one runs."""
        found: Process | None = self.of[state[self._first_process + slot]]
        return found

    # --- every step ----------------------------------------------------------------------------------------------------

    def steps(self, state: State) -> Iterator[Step]:
        """Every step that can follow."""
        bounds = self.of[state[3]]
        frozen = self._pending(state)
        calm = self._freeze(state, frozen)
        for slot in range(len(self.slots)):
            yield from self.process_steps(state, slot, bounds, frozen)
        if calm is None:
            return
        yield from self.chain_steps(calm, self.of[calm[3]])
        if bounds.faults:
            yield from self._faults(calm, self.of[calm[3]])

    def _pending(self, state: State) -> list[int]:
        """The processes that are in the middle of something, and have not paid for standing still there."""
        found = []
        for slot in range(len(self.slots)):
            process = self.of[state[self._first_process + slot]]
            if process is not None and process.target >= 0 and not process.frozen:
                found.append(slot)
        return found

    def _freeze(self, state: State, slots: list[int], but: int = -1) -> State | None:
        """Let processes stand still while something else happens; None when the bound does not allow it."""
        waiting = [slot for slot in slots if slot != but]
        if not waiting:
            return state
        bounds = self.of[state[3]]
        if bounds.preemptions < len(waiting):
            return None
        changed = list(state)
        changed[3] = self.values[bounds.__class__(**{**vars(bounds), "preemptions": bounds.preemptions - len(waiting)})]
        for slot in waiting:
            at = self._first_process + slot
            changed[at] = self.values[self.of[changed[at]]._replace(frozen=True)]
        return tuple(changed)

    def process_steps(self, state: State, slot: int, bounds: Any, pending: list[int]) -> Iterator[Step]:
        """What the run of a slot can do next."""
        calm = self._freeze(state, pending, but=slot)
        if calm is None:
            return
        process = self.of[calm[self._first_process + slot]]
        if process is None:
            if self._is_open(calm, slot):
                yield ("start", slot), self.with_process(calm, slot, Process(-1))
            return
        if process.action < 0:
            for step, after in self.look(calm, slot, process):
                decided = self.of[after[self._first_process + slot]]
                if bounds.preemptions or decided is None or decided.action < 0:
                    yield step, after
                else:  # nothing can come in between
                    yield from (((*step, act), then) for act, then in self.act(after, slot, decided, bounds))
        else:
            yield from self.act(calm, slot, process, bounds)
        if bounds.faults and bounds.crash:
            yield ("die", slot), self._spend(self._end(calm, slot), "crash")

    def _is_open(self, state: State, slot: int) -> bool:
        return any(not self.record(state, index).state.settled for index in self.slots[slot].records)

    def with_process(self, state: State, slot: int, process: Process | None) -> State:
        at = self._first_process + slot
        return (*state[:at], self.values[process], *state[at + 1 :])

    def _end(self, state: State, slot: int) -> State:
        """The try ends; the next one has another number and other leases."""
        name, at = self.slots[slot].name, self._first_process
        records = [self._left_by(number, name) for number in state[self._first_record : at]]
        return (
            *state[: self._first_record],
            *records,
            *state[at : at + slot],
            self.values[None],
            *state[at + slot + 1 :],
        )

    def _left_by(self, number: int, name: str) -> int:
        """A record after the process of a slot has gone."""
        found = self._gone.get((number, name))
        if found is None:
            record = self.of[number]
            gone: dict[str, Any] = {}
            if record.lease_owner == name:
                gone["lease_owner"] = "gone"
            if record.signed_by == name and record.signed_try == 1:
                gone |= {"signed_try": 0, "signatures": 0}
            found = self._gone[number, name] = self.values[record._replace(**gone)]
        return found

    def in_peace(self, state: State, bounds: Any) -> State:
        """The same state without processes, with other bounds."""
        records = state[self._first_record : self._first_process]
        left = self._alone.get(records)
        if left is None:
            left = records
            for slot in self.slots:
                left = tuple(self._left_by(number, slot.name) for number in left)
            left = self._alone[records] = (*left, *(self.values[None] for _ in self.slots))
        return (*state[:3], self.values[bounds], *left)

    def _spend(self, state: State, kind: str, *, faults: int = 1) -> State:
        bounds = self.of[state[3]]
        fewer = {**vars(bounds), kind: getattr(bounds, kind) - 1, "faults": bounds.faults - faults}
        return (*state[:3], self.values[bounds.__class__(**fewer)], *state[4:])

    # --- a process looks -----------------------------------------------------------------------------------------------

    def look(self, state: State, slot: int, process: Process) -> Iterator[Step]:
        """Read and decide. Several steps follow when a read may be stale."""
        key = (slot, process.target, process.sends, *state[:3], *state[self._first_record : self._first_process])
        found = self._looks.get(key)
        if found is None:
            different = {one[:3]: one for one in reversed(list(self._decisions(state, slot, process)))}
            found = self._looks[key] = list(different.values())[::-1]
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
            yield from self._branches(state, slot, target, Evidence(sends=process.sends), ())
            return
        for index in own:
            record = self.record(state, index)
            if record.state is PayoutState.EMPTY:
                yield (index, self._act(Act("done", outcome=Outcome.PAID)), 0, ())
                return
            if not record.state.settled:
                sends = process.sends if index == target else 0
                yield from self._branches(state, slot, index, Evidence(sends=sends), ())
                return
        outcome = Outcome.PARTIAL if self.scenario.until_empty else Outcome.PAID
        yield (own[-1], self._act(Act("done", outcome=outcome)), 0, ())

    def _act(self, act: Act) -> int:
        return self.values[act]

    def _branches(
        self, state: State, slot: int, index: int, seen: Evidence, reads: tuple[Any, ...]
    ) -> Iterator[tuple[int, int, int, Any]]:
        where = self.slots[slot]
        me = where.me if index in where.records else where.other
        record = self.record(state, index)
        others = []
        while True:
            action = rules.decide(record, me, seen, 0, where.terms)  # type: ignore[arg-type]
            if isinstance(action, Ask):
                values = self.answers(state, action.fact, record, where)
                for value in values[1:]:
                    other = Evidence(**{**vars(seen), action.fact.value: value})
                    others.append((other, (*reads, (action.fact, value, True))))
                setattr(seen, action.fact.value, values[0])
                reads = (*reads, (action.fact, values[0], False))
            elif isinstance(action, Settle):
                yield from self._branches(state, slot, action.blocker.id, Evidence(), reads)
                break
            else:
                if not me.own and isinstance(action, (Wait, Done)):
                    action = _WAIT
                elif not me.own and isinstance(action, Move) and isinstance(action.then, Done):
                    action = Move(action.state, action.cause, action.changes, _WAIT)
                yield index, self._act(_kept(action, seen, record)), seen.sends, reads
                break
        for other, before in others:
            yield from self._branches(state, slot, index, other, before)

    def answers(self, state: State, fact: Fact, record: Record, where: Slot) -> tuple[Any, ...]:
        """What a read can tell: the truth first, then what a replica that is behind tells."""
        chain, scenario = self.chain(state), self.scenario
        user, payer = (
            (record.user_key, record.payer_key) if record.state.in_flight else (where.me.user_key, where.me.payer_key)
        )
        if fact is Fact.STAKING_NONCE:
            return self._visible(chain.staking[user])  # type: ignore[index]
        if fact is Fact.PAYMENT_NONCE:
            return self._visible(chain.payment[payer])  # type: ignore[index]
        if fact is Fact.PAYS_BY_ITSELF:
            return (False,)
        if fact is Fact.ACTIVE_ERA:
            return (chain.active, chain.active - 1) if chain.active > ACTIVE else (chain.active,)
        if fact is Fact.WINDOW:
            told = (ElectionWindow.CLOSED, ElectionWindow.OPEN)
            now = told[chain.open]
            return (now, told[not chain.open]) if chain.turned <= scenario.lag else (now,)
        if fact is Fact.FEE:
            return (chain.fee,)
        if fact is Fact.REQUEST:
            return self._polled(state, record)
        if fact is Fact.ERA_PAID:
            return (chain.left[self._era_of(record)] == 0 if scenario.node else None,)
        return (self._from_ledger(state, fact, record, where),)

    def _visible(self, nonce: tuple[int, int]) -> tuple[int, ...]:
        value, age = nonce
        return (value, value - 1) if age <= self.scenario.lag else (value,)

    def _era_of(self, record: Record) -> int:
        return record.id // self.parts

    def _polled(self, state: State, record: Record) -> tuple[Any, ...]:
        if self.scenario.poll == "none":
            return (None,)
        if self.scenario.poll == "unreadable":
            return (_STATES["unreadable"],)
        for request in self.of[state[1]]:
            if request.id == record.request_id:
                told = _STATES[request.status]
                if request.status == "dropped":
                    return (_STATES["unknown" if self.scenario.forgets else "pending"],)
                return (told, _STATES["pending"]) if request.age <= self.scenario.lag else (told,)
        return (_STATES["unknown"],)

    def _from_ledger(self, state: State, fact: Fact, record: Record, where: Slot) -> Any:
        me = where.me
        records = [self.of[number] for number in state[self._first_record : self._first_process]]
        if fact is Fact.BLOCKER:
            for other in records:
                if other.id != record.id and other.state.in_flight:
                    if other.user_key == me.user_key:
                        return other
                    if other.payer_key == me.payer_key and -(other.signed_at or 0) <= SETTLE:
                        return other
            return None
        if fact is Fact.NONCES_USED:
            done = [other for other in records if other.state is PayoutState.CONFIRMED]
            used = [other for other in records if other.state is PayoutState.CONFIRMED or other.nonce_used]
            return NoncesUsed(
                max((other.staking_nonce for other in used if other.user_key == me.user_key), default=None),
                max((other.payment_nonce for other in done if other.payer_key == me.payer_key), default=None),
            )
        if fact is Fact.STAKING_SHARED:
            mine = record.user_key, record.staking_nonce
            return any(
                other.given_up_by and other.id != record.id and (other.user_key, other.staking_nonce) == mine
                for other in records
            )
        return Spent(day=self.committed(records, but=record.id))

    def committed(self, records: list[Record], but: int = -1) -> int:
        """What the ledger counts against the limit of a day."""
        return sum(
            record.wasted_fees
            + (record.fee or 0)
            * (record.id != but and (record.state.in_flight or record.state is PayoutState.CONFIRMED))
            for record in records
        )

    # --- a process acts ------------------------------------------------------------------------------------------------

    def act(self, state: State, slot: int, process: Process, bounds: Any) -> Iterator[Step]:
        """Perform what was decided: one write, or one send."""
        act: Act = self.of[process.action]
        if act.kind == "send":
            yield from self._send(state, slot, process, bounds)
            return
        again = Process(process.target, sends=process.sends)
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
            yield told, self.with_process(written, slot, again)

    def _written(self, state: State, slot: int, process: Process, act: Act) -> State | None:
        at = self._first_record + process.target
        key = state[at], slot, process.action, process.age
        number = self._writes.get(key)
        if number is None:
            number = self._writes[key] = self.values[self._changed(self.of[state[at]], slot, process, act)]
        changed: Record = self.of[number]
        if not self._admits(state, changed):
            return None
        after = [*state[:at], self.values[self._canonical(changed)], *state[at + 1 :]]
        for other in range(len(self.slots)):
            place = self._first_process + other
            found = self.of[after[place]]
            if other != slot and found is not None and found.target == changed.id:
                # What it has decided will be refused; if it has not, its next write would be, and it reads the record again.
                after[place] = self.values[found._replace(stale=True) if found.action >= 0 else Process(-1)]
        return self._forget_requests(tuple(after))

    def _changed(self, record: Record, slot: int, process: Process, act: Act) -> Record:
        """A record after a write."""
        where = self.slots[slot]
        if act.kind == "sign":
            fee, payment, staking = act.nonces or (0, 0, 0)
            again = record.state.in_flight
            reset = {name: value for name, value in OF_A_PAYLOAD.items() if name in Record._fields}
            return record._replace(**reset)._replace(
                state=PayoutState.SIGNED,
                staking_nonce=staking,
                payment_nonce=payment,
                fee=max(fee, record.fee or 0) if again else fee,
                proxy_signature=Payload(record.id, staking, payment, fee),
                signed_at=-min(process.age, OLDEST),
                signed_by=where.name,
                signed_try=1,
                signatures=min(record.signatures_by(where.name, 1) + 1, REPLANS + 1),
                copies_out=again,
                lease_owner=where.name,
                lease_until=max(LEASE - process.age, 0),
            )
        changes = dict(act.changes)
        for name in _TIMES:
            if changes.get(name) is not None:
                changes[name] = max(changes[name] - process.age, -OLDEST)
        if changes.get("lease_until"):
            changes["lease_until"] = max(changes["lease_until"] - process.age, 0)
        if "wasted" in changes:
            changes["wasted_fees"] = record.wasted_fees + (record.fee or 0)
        return record._replace(**changes, state=act.state or record.state)

    def _canonical(self, record: Record) -> Record:
        """Forget what no rule can read any more in this state, so that equal situations are equal states."""
        kept = record._replace(reason=None)
        if self.scenario.limit is None:
            kept = kept._replace(fee=1, wasted_fees=0)
        if not self._shares_payer[record.id]:
            kept = kept._replace(signed_at=None)
        if record.state.settled:
            nothing = {
                name: value for name, value in _NOTHING.items() if name != "hold" or record.state is PayoutState.EMPTY
            }
            return kept._replace(
                **nothing, proxy_signature=None, asked=True, wasted=0, signed_by=None, signed_try=None, signatures=0
            )
        if not record.state.in_flight:
            return kept._replace(**{**_NOTHING, "hold": record.hold, "fee_charged": record.fee_charged}, signed_at=None)
        if record.state is not PayoutState.SUBMITTED:
            kept = kept._replace(accepted_at=None)
        return kept

    def _admits(self, state: State, changed: Record) -> bool:
        """The two unique indexes of the ledger."""
        if not (changed.state.in_flight or changed.state is PayoutState.CONFIRMED):
            return True
        for number in state[self._first_record : self._first_process]:
            other: Record = self.of[number]
            if other.id == changed.id or other.user_key != changed.user_key:
                continue
            if other.state.in_flight and changed.state.in_flight:
                return False
            alive = other.state.in_flight or other.state is PayoutState.CONFIRMED
            if alive and other.staking_nonce == changed.staking_nonce:
                return False
        return True

    def _forget_requests(self, state: State) -> State:
        """Leave out what can no longer matter: ended requests that no record names, and further copies of pending ones."""
        requests = self.of[state[1]]
        if not requests:
            return state
        named = {self.of[number].request_id for number in state[self._first_record : self._first_process]}
        for number in state[self._first_process :]:
            process = self.of[number]
            if process is not None and process.action >= 0:
                named |= {value for name, value in self.of[process.action].changes if name == "request_id"}
        spare: set[Payload] = set()
        kept = []
        for request in requests:
            if request.id not in named:
                if request.status != "pending" or request.payload in spare:
                    continue
                spare.add(request.payload)
                request = Request(-1, request.payload)  # noqa: PLW2901 - nobody knows its id any more
            kept.append(request)
        kept.sort(key=_order)
        return (state[0], self.values[tuple(kept)], *state[2:])

    # --- sending -------------------------------------------------------------------------------------------------------

    def _send(self, state: State, slot: int, process: Process, bounds: Any) -> Iterator[Step]:
        """One send: what the gateway does with it, and what of that reaches the sender."""
        record = self.record(state, process.target)
        payload = self.of[process.action].changes[0][1]
        refusal = self._door(self.chain(state), payload)
        if refusal is not None:
            yield (
                ("send", slot, payload, refusal.value),
                self._answered(state, slot, process, SendResult(refusal, error=_ERROR)),
            )
        else:
            taken, request = self._accepted(state, payload)
            yield (
                ("send", slot, payload, "accepted"),
                self._answered(taken, slot, process, SendResult(_KIND.ACCEPTED, "", request)),
            )  # type: ignore[arg-type]
        if not bounds.faults:
            return
        lost = SendResult(_KIND.LOST, error=_ERROR)
        if bounds.lost:
            yield (
                ("send", slot, payload, "lost on the way"),
                self._spend(self._answered(state, slot, process, lost), "lost"),
            )
            if refusal is None:
                told = ("send", slot, payload, "accepted, the answer is lost")
                yield told, self._spend(self._answered(taken, slot, process, lost), "lost")
        if bounds.late:
            transit = self.values[(*self.of[state[2]], payload)]
            held = (*state[:2], transit, *state[3:])
            yield (
                ("send", slot, payload, "held up on the way"),
                self._spend(self._answered(held, slot, process, lost), "late"),
            )
        if bounds.duplicated and refusal is None:
            twice, second = self._accepted(taken, payload)
            told = ("send", slot, payload, "accepted twice, the second is answered")
            yield (
                told,
                self._spend(
                    self._answered(twice, slot, process, SendResult(_KIND.ACCEPTED, "", second)),
                    "duplicated",  # type: ignore[arg-type]
                ),
            )

    def _answered(self, state: State, slot: int, process: Process, result: SendResult) -> State:
        """The process holds the answer, and has decided what to write down."""
        where = self.slots[slot]
        record = self.record(state, process.target)
        me = where.me if process.target in where.records else where.other
        sends = min(process.sends + 1, MOST_SENDS)
        if process.stale or record.lease_owner not in (None, me.owner):
            # The real record has another version by now, so the write would be refused.
            return self.with_process(state, slot, Process(-1))
        # The process knows the record it has read; its lease may be over, and only the write tells.
        known = record if record.lease_until is None else record._replace(lease_until=1)
        action = rules.decide(known, me, Evidence(sent=result, sends=sends), 0, where.terms)  # type: ignore[arg-type]
        kept = self._act(_kept(action, Evidence(), record))
        if self.of[kept].kind == "raise":
            return self._end(state, slot)
        return self.with_process(state, slot, Process(process.target, kept, sends=sends))

    def _door(self, chain: Chain, payload: Payload) -> SendResult.Kind | None:
        """Why the gateway refuses a payload, or None."""
        if not self.scenario.door:
            return None
        record = self.records[payload.record]
        if chain.open:
            return _KIND.WINDOW
        if record.era < chain.active - Terms.history_depth:
            return _KIND.REFUSED
        if chain.left[self._era_of(record)] == 0:
            return _KIND.PAID
        right = chain.staking[record.user_key][0], chain.payment[record.payer_key][0], chain.fee
        return None if right == payload[1:] else _KIND.REFUSED

    def _accepted(self, state: State, payload: Payload) -> tuple[State, int]:
        requests = self.of[state[1]]
        taken = {request.id for request in requests}
        number = next(number for number in range(99) if number not in taken)
        return (state[0], self.values[(*requests, Request(number, payload))], *state[2:]), number

    # --- the chain, the clock and the world ------------------------------------------------------------------------------

    def chain_steps(self, state: State, bounds: Any) -> Iterator[Step]:
        seen = set()
        for at, request in enumerate(self.of[state[1]]):
            if request.status == "pending" and request.payload not in seen:
                seen.add(request.payload)
                yield from self._execute(state, at)
        for payload in dict.fromkeys(self.of[state[2]]):
            rest = list(self.of[state[2]])
            rest.remove(payload)
            arrived = (*state[:2], self.values[tuple(rest)], *state[3:])
            if self._door(self.chain(state), payload) is None:
                yield ("arrive", payload, "accepted"), self._accepted(arrived, payload)[0]
            else:
                yield ("arrive", payload, "refused"), arrived
        if bounds.ticks is None or bounds.ticks:
            yield ("tick",), self.tick(state)

    def _execute(self, state: State, at: int) -> Iterator[Step]:
        requests = self.of[state[1]]
        request = requests[at]
        key = state[0], request.payload
        found = self._executed.get(key)
        if found is None:
            found = self._executed[key] = self._judge(self.chain(state), request.payload)
        chain, status = found
        if status == "left out":
            return
        ended = Request(
            request.id,
            request.payload,
            "processed" if status == "charged, processed" else status.split(",")[-1].strip(),
            0,
        )
        after = self.values[(*requests[:at], ended, *requests[at + 1 :])]
        yield ("execute", request.payload, status), self._forget_requests((chain, after, *state[2:]))

    def _judge(self, chain: Chain, payload: Payload) -> tuple[int, str]:
        """What the chain makes of a payload: the chain after it, and what /poll says."""
        record, scenario = self.records[payload.record], self.scenario
        user, payer, era = record.user_key, record.payer_key, self._era_of(record)
        number = self.values[chain]
        if (chain.payment[payer][0], chain.fee) != (payload.payment, payload.fee):
            return number, "left out" if scenario.silent else "rejected"
        expired = record.era < chain.active - Terms.history_depth
        paid = dict(payment=_moved(chain.payment, payer), charged=chain.charged + payload.fee)
        if chain.staking[user][0] == payload.staking and chain.left[era] and not chain.open and not expired:
            changed = chain._replace(
                **paid,
                staking=_moved(chain.staking, user),
                left=_changed(chain.left, era, -1),
                executed=_changed(chain.executed, era, 1),
            )
            return self.values[changed], "processed"
        status = "charged, processed" if scenario.lie else "rejected"
        if scenario.charge:
            return self.values[chain._replace(**paid, wasted=_changed(chain.wasted, era, 1))], status
        return number, status

    def tick(self, state: State) -> State:
        """Let time pass: everything is one step older."""
        bounds = self.of[state[3]]
        if bounds.ticks is not None:
            bounds = bounds.__class__(**{**vars(bounds), "ticks": bounds.ticks - 1})
        return self._forget_requests(
            (
                self._older(state[0], "chain"),
                self._older(state[1], "requests"),
                state[2],
                self.values[bounds],
                *(self._older(number, "record") for number in state[self._first_record : self._first_process]),
                *(self._older(number, "process") for number in state[self._first_process :]),
            )
        )

    def _older(self, number: int, kind: str) -> int:
        found = self._aged.get((number, kind))
        if found is None:
            older = {"chain": self._older_chain, "requests": self._older_requests}.get(kind)
            older = older or {"record": _older_record, "process": _older_process}[kind]
            found = self._aged[number, kind] = self.values[older(self.of[number])]
        return found

    def _older_chain(self, chain: Chain) -> Chain:
        """A change that no read can miss any more has no age."""
        oldest = self.scenario.lag + 1

        def older(nonces: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], ...]:
            return tuple((value, min(age + 1, oldest)) for value, age in nonces)

        turned = min(chain.turned + 1, oldest)
        return chain._replace(staking=older(chain.staking), payment=older(chain.payment), turned=turned)

    def _older_requests(self, requests: tuple[Request, ...]) -> tuple[Request, ...]:
        oldest = self.scenario.lag + 1
        return tuple(
            request if request.status in ("pending", "dropped") else request._replace(age=min(request.age + 1, oldest))
            for request in requests
        )

    def _faults(self, state: State, bounds: Any) -> Iterator[Step]:
        chain = self.chain(state)
        if bounds.dropped:
            seen = set()
            for at, request in enumerate(self.of[state[1]]):
                if request.status == "pending" and request.payload not in seen:
                    seen.add(request.payload)
                    rest = self.of[state[1]]
                    after = self.values[(*rest[:at], request._replace(status="dropped"), *rest[at + 1 :])]
                    yield (
                        ("drop", request.payload),
                        self._spend(self._forget_requests((state[0], after, *state[2:])), "dropped"),
                    )
        changes: list[tuple[str, str, Chain]] = []
        if bounds.fee:
            changes.append(("fee", f"the fee becomes {3 - chain.fee}", chain._replace(fee=3 - chain.fee)))
        if bounds.window and not chain.open:
            changes.append(("window", "the election window opens", chain._replace(open=True, turned=0)))
        if bounds.expiry:
            changes.append(("expiry", "an era ends", chain._replace(active=chain.active + 1)))
        if bounds.paid_elsewhere:
            for era, left in enumerate(chain.left):
                if left:
                    paid = chain._replace(left=_changed(chain.left, era, -left))
                    changes.append(("paid_elsewhere", f"something else pays era {era}", paid))
        if bounds.foreign_payment:
            for payer in range(len(chain.payment)):
                moved = chain._replace(payment=_moved(chain.payment, payer))
                changes.append(("foreign_payment", "something else uses a payment nonce", moved))
        if bounds.foreign_staking:
            for user in range(len(chain.staking)):
                moved = chain._replace(staking=_moved(chain.staking, user), payment=_moved(chain.payment, 0))
                changes.append(("foreign_staking", "something else pays for the same user", moved))
        for kind, told, after in changes:
            yield ("event", told), self._spend((self.values[after], *state[1:]), kind)
        if chain.open:
            yield (
                ("event", "the election window closes"),
                (self.values[chain._replace(open=False, turned=0)], *state[1:]),
            )


_WAIT = Wait(WaitFor.LANE, "", 1, Outcome.UNKNOWN)  # type: ignore[arg-type]

_NOTHING: dict[str, Any] = {
    "request_id": None,
    "request_status": None,
    "unanswered": 0,
    "copies_out": False,
    "refused": False,
    "accepted_at": None,
    "disagree": None,
    "disagree_since": None,
    "over": None,
    "over_since": None,
    "hold": None,
    "fee_charged": None,
    "lease_owner": None,
    "lease_until": None,
}

_STATES: dict[str, Any] = {
    "pending": RequestState(RequestStatus.PENDING, "Pending"),
    "processed": RequestState(RequestStatus.PROCESSED, "Processed"),
    "rejected": RequestState(RequestStatus.REJECTED, "Rejected"),
    "unknown": RequestState(RequestStatus.NOT_FOUND, "Transaction not found"),
    "dropped": None,
    "unreadable": RequestState(RequestStatus.UNREADABLE, "unreadable"),
}


def _kept(action: Any, seen: Evidence, record: Record) -> Act:
    """An action as a value that can be compared."""
    if isinstance(action, Sign):
        return Act("sign", nonces=(seen.fee, seen.payment, seen.staking))
    if isinstance(action, Send):
        return Act("send", changes=(("payload", record.proxy_signature),))
    if isinstance(action, Wait):
        return Act("wait")
    if isinstance(action, Done):
        return Act("done", outcome=action.outcome)
    if isinstance(action, Raise):
        return Act("raise")
    if not isinstance(action, Move):
        raise TypeError(f"{action} is not an action")
    changes = {name: value for name, value in action.changes.items() if name in Record._fields and name != "reason"}
    if "unanswered" in changes:
        changes["unanswered"] = min(changes["unanswered"], rules.SENT_IN_VAIN + 1)
    if "wasted" in changes:
        changes["wasted"] = min(changes["wasted"], Terms.max_fees_for_nothing)
    then = action.then
    end = (
        "wait" if isinstance(then, Wait) else "done" if isinstance(then, Done) else "raise" if then is not None else ""
    )
    return Act(
        "move", action.state, tuple(sorted(changes.items())), end, then.outcome if isinstance(then, Done) else None
    )


def _order(request: Request) -> tuple[int, Payload, str]:
    return request.id, request.payload, request.status


def _moved(nonces: tuple[tuple[int, int], ...], index: int) -> tuple[tuple[int, int], ...]:
    return (*nonces[:index], (nonces[index][0] + 1, 0), *nonces[index + 1 :])


def _changed(counts: tuple[int, ...], index: int, by: int) -> tuple[int, ...]:
    return (*counts[:index], counts[index] + by, *counts[index + 1 :])


def _older_record(record: Record) -> Record:
    changes: dict[str, Any] = {
        name: max(value - 1, -OLDEST) for name in _TIMES if (value := getattr(record, name)) is not None
    }
    if record.lease_until:
        changes["lease_until"] = record.lease_until - 1
    return record._replace(**changes) if changes else record


def _older_process(process: Process | None) -> Process | None:
    return process if process is None or process.action < 0 else process._replace(age=min(process.age + 1, OLDEST))
