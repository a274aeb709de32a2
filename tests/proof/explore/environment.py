"""What happens around the processes: the gateway's door, the chain, the clock, and faults."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from staking_gateway.http.meanings import SendAnswer
from staking_gateway.payout.evidence import Me
from tests.proof.explore import writes
from tests.proof.explore.scenario import LAG, OLDEST, Bounds, Scenario
from tests.proof.explore.values import (
    ACTIVE,
    ALIVE,
    FIRST_NONCE,
    Chain,
    Payload,
    Process,
    Record,
    Request,
    Slot,
    Table,
    Terms,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.proof.explore.values import Nonces, State, Step

FIRST_RECORD = 4
"""Where the records begin in a state."""


class Environment:
    """The steps of a scenario that no process takes. `of` gives the value of a number, `values` the number of a value."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.values = Table()
        self.of = self.values.values_by_number
        self.parts = 3 if scenario.until_empty else 1
        self.records: list[Record] = []
        self.slots: list[Slot] = []
        self._aged: dict[tuple[int, str], int] = {}
        self._spent: dict[tuple[int, str], int] = {}
        self._executed: dict[Any, tuple[int, str]] = {}
        self._remembered: dict[tuple[int, ...], int] = {}
        self._ages: dict[str, Callable[[Any], Any]] = {
            "chain": self._older_chain,
            "requests": self._older_requests,
            "record": writes.older,
            "process": _older_process,
        }
        terms = {network: Terms(network, scenario) for network in {era.network for era in scenario.eras}}
        for number, era in enumerate(scenario.eras):
            first = len(self.records)
            for part in range(self.parts):
                index = ACTIVE - len(scenario.eras) + number
                self.records.append(Record(len(self.records), era.network, index, part, era.user, era.payer))
            mine = tuple(range(first, first + self.parts))
            for run in range(era.runs):
                name = f"era {number}" + (f" run {run + 1}" if era.runs > 1 else "")
                me = Me(name, name, 1, era.user, era.payer)  # type: ignore[arg-type]
                self.slots.append(Slot(name, number, me, replace(me, own=False), terms[era.network], mine))
        self.first_process = FIRST_RECORD + len(self.records)

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
        return (
            values[chain],
            values[()],
            values[()],
            values[scenario.bounds],
            *(values[record] for record in self.records),
            *(values[None] for _ in self.slots),
        )

    def record(self, state: State, index: int) -> Record:
        found: Record = self.of[state[FIRST_RECORD + index]]
        return found

    def chain(self, state: State) -> Chain:
        found: Chain = self.of[state[0]]
        return found

    def process(self, state: State, slot: int) -> Process | None:
        """The process of a slot, if one runs."""
        found: Process | None = self.of[state[self.first_process + slot]]
        return found

    def era_of(self, record: Record) -> int:
        return record.id // self.parts

    def spend(self, state: State, kind: str) -> State:
        """The same state with one fault of a kind fewer to come."""
        key = state[3], kind
        left = self._spent.get(key)
        if left is None:
            bounds: Bounds = self.of[state[3]]
            fewer = {kind: getattr(bounds, kind) - 1, "faults": bounds.faults - 1}
            left = self._spent[key] = self.values[replace(bounds, **fewer)]
        return (*state[:3], left, *state[4:])

    # --- requests ------------------------------------------------------------------------------------------------------

    def door(self, chain: Chain, payload: Payload) -> SendAnswer | None:
        """Why the gateway refuses a payload, or None."""
        never = {"no method": SendAnswer.NO_METHOD, "called paid": SendAnswer.PAID}
        if self.scenario.never in never:
            return never[self.scenario.never]
        if not self.scenario.door:
            return None
        record = self.records[payload.record]
        if chain.open:
            return SendAnswer.WINDOW
        if record.era < chain.active - self.scenario.kept:
            return SendAnswer.REFUSED
        if chain.left[self.era_of(record)] == 0:
            return SendAnswer.PAID
        right = chain.staking[record.user_key][0], chain.payment[record.payer_key][0], chain.fee
        return None if right == payload[1:] else SendAnswer.REFUSED

    def accepted(self, state: State, payload: Payload) -> tuple[State, int]:
        """The state with one more request, and the request's id."""
        requests = self.of[state[1]]
        taken = {request.id for request in requests}
        number = next(number for number in range(99) if number not in taken)
        more = (*requests, Request(number, payload))
        return (state[0], self.values[more], *state[2:]), number

    def forget_requests(self, state: State) -> State:
        """Leave out what can no longer matter: ended requests that no record names, and further copies of pending ones."""
        requests = self.of[state[1]]
        if not requests:
            return state
        key = (state[1], *state[FIRST_RECORD:])
        kept = self._remembered.get(key)
        if kept is None:
            kept = self._remembered[key] = self.values[self._matter(state)]
        return (state[0], kept, *state[2:])

    def _matter(self, state: State) -> tuple[Request, ...]:
        requests = self.of[state[1]]
        named = {self.of[number].request_id for number in state[FIRST_RECORD : self.first_process]}
        for number in state[self.first_process :]:
            process = self.of[number]
            if process is not None and process.action >= 0:
                named |= {value for name, value in self.of[process.action].changes if name == "request_id"}
        spare: set[Payload] = set()
        kept = []
        for request in requests:
            if request.id not in named:
                if request.status not in ALIVE or request.payload in spare:
                    continue
                spare.add(request.payload)
                request = Request(-1, request.payload)  # noqa: PLW2901 - nobody knows its id any more
            kept.append(request)
        kept.sort(key=_order)
        return tuple(kept)

    # --- the chain and the clock ---------------------------------------------------------------------------------------

    def chain_steps(self, state: State, bounds: Bounds) -> Iterator[Step]:
        """A request executes, a payload arrives late, or time passes."""
        for at, _ in self._pending_requests(state):
            yield from self._execute(state, at)
        for payload in dict.fromkeys(self.of[state[2]]):
            rest = list(self.of[state[2]])
            rest.remove(payload)
            arrived = (*state[:2], self.values[tuple(rest)], *state[3:])
            if self.door(self.chain(state), payload) is None:
                yield ("arrive", payload, "accepted"), self.accepted(arrived, payload)[0]
            else:
                yield ("arrive", payload, "refused"), arrived
        if bounds.ticks is None or bounds.ticks:
            yield ("tick",), self.tick(state)

    def _pending_requests(self, state: State) -> list[tuple[int, Request]]:
        """Where the pending requests are, one for each payload."""
        seen: dict[Payload, tuple[int, Request]] = {}
        for at, request in enumerate(self.of[state[1]]):
            if request.status in ALIVE:
                seen.setdefault(request.payload, (at, request))
        return list(seen.values())

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
        told = "processed" if status == "charged, processed" else status
        after = self._with_request(requests, at, Request(request.id, request.payload, told, 0))
        yield ("execute", request.payload, status), self.forget_requests((chain, after, *state[2:]))

    def _with_request(self, requests: tuple[Request, ...], at: int, request: Request) -> int:
        changed = (*requests[:at], request, *requests[at + 1 :])
        return self.values[changed]

    def _judge(self, chain: Chain, payload: Payload) -> tuple[int, str]:
        """What the chain makes of a payload: the chain after it, and what /poll says."""
        record, scenario = self.records[payload.record], self.scenario
        user, payer, era = record.user_key, record.payer_key, self.era_of(record)
        number = self.values[chain]
        if (chain.payment[payer][0], chain.fee) != (payload.payment, payload.fee):
            return number, "left out" if scenario.silent else "rejected"
        expired = record.era < chain.active - self.scenario.kept
        paid = chain._replace(payment=_moved(chain.payment, payer), charged=chain.charged + payload.fee)
        if chain.staking[user][0] == payload.staking and chain.left[era] and not chain.open and not expired:
            changed = paid._replace(
                staking=_moved(chain.staking, user),
                left=_counted(chain.left, era, -1),
                executed=_counted(chain.executed, era, 1),
            )
            return self.values[changed], "processed"
        status = "charged, processed" if scenario.lie else "rejected"
        if scenario.bump and chain.staking[user][0] == payload.staking:
            paid = paid._replace(staking=_moved(chain.staking, user))
        if scenario.charge:
            return self.values[paid._replace(wasted=_counted(chain.wasted, era, 1))], status
        return number, status

    def tick(self, state: State) -> State:
        """Let time pass: everything is one step older."""
        bounds: Bounds = self.of[state[3]]
        left = state[3] if bounds.ticks is None else self.values[replace(bounds, ticks=bounds.ticks - 1)]
        return self.forget_requests(
            (
                self._older(state[0], "chain"),
                self._older(state[1], "requests"),
                state[2],
                left,
                *(self._older(number, "record") for number in state[FIRST_RECORD : self.first_process]),
                *(self._older(number, "process") for number in state[self.first_process :]),
            )
        )

    def _older(self, number: int, kind: str) -> int:
        found = self._aged.get((number, kind))
        if found is None:
            found = self._aged[number, kind] = self.values[self._ages[kind](self.of[number])]
        return found

    def _jumped(self, number: int) -> int:
        """A record whose times are all longer ago than every rule asks."""
        for _ in range(LAG + 1):
            number = self._older(number, "record")
        return number

    def _older_chain(self, chain: Chain) -> Chain:
        """A change that no read can miss any more has no age."""
        oldest = self.scenario.lag + 1

        def older(nonces: Nonces) -> Nonces:
            return tuple((value, min(age + 1, oldest)) for value, age in nonces)

        turned = min(chain.turned + 1, oldest)
        return chain._replace(staking=older(chain.staking), payment=older(chain.payment), turned=turned)

    def _older_requests(self, requests: tuple[Request, ...]) -> tuple[Request, ...]:
        oldest = self.scenario.lag + 1
        return tuple(
            request if request.status in (*ALIVE, "dropped") else request._replace(age=min(request.age + 1, oldest))
            for request in requests
        )

    # --- faults --------------------------------------------------------------------------------------------------------

    def faults(self, state: State, bounds: Bounds) -> Iterator[Step]:
        """What goes wrong around the processes, or was not expected."""
        chain = self.chain(state)
        if bounds.dropped:
            requests = self.of[state[1]]
            for at, request in self._pending_requests(state):
                after = self._with_request(requests, at, request._replace(status="dropped"))
                left = self.forget_requests((state[0], after, *state[2:]))
                yield ("drop", request.payload), self.spend(left, "dropped")
        if bounds.denied:
            for at, request in self._pending_requests(state):
                after = self._with_request(self.of[state[1]], at, request._replace(status="denied"))
                yield ("deny", request.payload), self.spend((state[0], after, *state[2:]), "denied")
        if bounds.jump:
            records = [self._jumped(number) for number in state[FIRST_RECORD : self.first_process]]
            jumped = (*state[:FIRST_RECORD], *records, *state[self.first_process :])
            yield ("event", "the ledger's clock jumps ahead"), self.spend(jumped, "jump")
        if bounds.back:
            moved = [
                self.values[writes.ahead(self.of[number], LAG + 1)]
                for number in state[FIRST_RECORD : self.first_process]
            ]
            yield (
                ("event", "the ledger's clock goes back"),
                self.spend((*state[:FIRST_RECORD], *moved, *state[self.first_process :]), "back"),
            )
        for kind, told, changed in (*_events(chain, bounds), *_foreign_events(chain, bounds)):
            yield ("event", told), self.spend((self.values[changed], *state[1:]), kind)
        if chain.open:
            closed = self.values[chain._replace(open=False, turned=0)]
            yield ("event", "the election window closes"), (closed, *state[1:])


def _events(chain: Chain, bounds: Bounds) -> Iterator[tuple[str, str, Chain]]:
    """What the chain can do by itself: the kind of fault, in words, and the chain after it."""
    if bounds.fee:
        fee = 3 - chain.fee
        yield "fee", f"the fee becomes {fee}", chain._replace(fee=fee)
    if bounds.window and not chain.open:
        yield "window", "the election window opens", chain._replace(open=True, turned=0)
    if bounds.expiry:
        yield "expiry", "an era ends", chain._replace(active=chain.active + 1)


def _foreign_events(chain: Chain, bounds: Bounds) -> Iterator[tuple[str, str, Chain]]:
    """What others can do on the chain."""
    if bounds.paid_elsewhere:
        for era, left in enumerate(chain.left):
            if left:
                paid = chain._replace(left=_counted(chain.left, era, -left))
                yield "paid_elsewhere", f"something else pays era {era}", paid
    if bounds.foreign_payment:
        for payer in range(len(chain.payment)):
            moved = chain._replace(payment=_moved(chain.payment, payer))
            yield "foreign_payment", "something else uses a payment nonce", moved
    if bounds.foreign_staking:
        for user in range(len(chain.staking)):
            moved = chain._replace(staking=_moved(chain.staking, user), payment=_moved(chain.payment, 0))
            yield "foreign_staking", "something else pays for the same user", moved


def _order(request: Request) -> tuple[int, Payload, str]:
    return request.id, request.payload, request.status


def _moved(nonces: Nonces, index: int) -> Nonces:
    return (*nonces[:index], (nonces[index][0] + 1, 0), *nonces[index + 1 :])


def _counted(counts: tuple[int, ...], index: int, by: int) -> tuple[int, ...]:
    return (*counts[:index], counts[index] + by, *counts[index + 1 :])


def _older_process(process: Process | None) -> Process | None:
    return process if process is None or process.action < 0 else process._replace(age=min(process.age + 1, OLDEST))
