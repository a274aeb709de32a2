"""What the chain, the clock, the operator and faults do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

from tests.proof.explore import ledger
from tests.proof.explore.environment import ALIVE, BOOK, BOUNDS, CHAIN, PARTS, REQUESTS, Environment, State, Step, order
from tests.proof.explore.scenario import FINAL, Block, Book, Bounds, Chain, Nonces, Payload, Request, Scenario

_TOLD = {
    "dropped": "the chain drops {}",
    "denied": "the gateway says that it could not send {}, which may execute all the same",
    "early": "the gateway calls {} Rejected, which may execute all the same",
    "hasty": "the gateway calls {} Processed before it is judged",
}
"""What may become of a pending request."""


class Truth(Environment):
    """The steps of a scenario that no process takes."""

    _age: Callable[[int], int]

    def __init__(self, scenario: Scenario) -> None:
        super().__init__(scenario)
        self._judged = cache(self._judge)

    def chain_steps(self, state: State) -> Iterator[Step]:
        requests = self.of[state[REQUESTS]]
        seen: set[Payload] = set()
        for at, request in enumerate(requests):
            if request.status in ALIVE and request.payload not in seen:
                seen.add(request.payload)
                yield from self._execute(state, at)

    def _execute(self, state: State, at: int) -> Iterator[Step]:
        requests = self.of[state[REQUESTS]]
        request = requests[at]
        number, status = self._judged(state[CHAIN], request.payload, request.id)
        if status == "left out":
            return
        told = "processed" if status == "charged, processed" else status
        block = self.of[number].height if told == "processed" and self.scenario.blocks else None
        after = request._replace(status=told, block=block, before=request.status, age=0)
        changed = (*requests[:at], after, *requests[at + 1 :])
        yield (
            ("event", "the chain takes up {}: {}", request.payload, status),
            self.tidy((number, self.values[changed], *state[2:])),
        )

    def _judge(self, number: int, payload: Payload, request_id: str | None) -> tuple[int, str]:
        """What the chain makes of a payload: the chain after it, and what /poll says."""
        chain, scenario, era = self.of[number], self.scenario, self.era_of(payload.part)
        if (chain.payment[payload.payer][0], chain.fee) != (payload.payment, payload.fee):
            if chain.payment[payload.payer][0] < payload.payment:
                return number, "left out"
            return number, "left out" if scenario.silent else "rejected"
        expired = self.records[payload.part].era < chain.active - scenario.kept
        counts = scenario.bounds.fork > 0
        paid = chain._replace(
            payment=_moved(chain.payment, payload.payer),
            charged=chain.charged + payload.fee,
            height=chain.height + counts,
        )
        if chain.staking[payload.user][0] == payload.staking and chain.left[era] and not chain.open and not expired:
            left = _counted(chain.left, era, -1)
            changed = paid._replace(
                staking=_moved(chain.staking, payload.user),
                left=left,
                executed=_counted(chain.executed, era, 1),
                paid=self._paid(chain, era, left[era], chain.executed[era] + 1),
                blocks=(*chain.blocks, Block(era, 1, payload, request_id)) if counts else (),
            )
            return self.values[changed], "processed"
        status = "charged, processed" if scenario.lie else "rejected"
        if not scenario.charge:
            return number, status
        if scenario.bump and chain.staking[payload.user][0] == payload.staking:
            paid = paid._replace(staking=_moved(chain.staking, payload.user))
        return self.values[paid._replace(wasted=_counted(chain.wasted, era, 1), blocks=())], status

    def _paid(self, chain: Chain, era: int, left: int, executed: int) -> tuple[int, ...]:
        """Since when each era is paid, after something happened to one."""
        done = left == 0 or (self.scenario.parts is not None and executed >= self.scenario.parts)
        if chain.paid[era] >= 0 or not done:
            return chain.paid
        return (*chain.paid[:era], 0, *chain.paid[era + 1 :])

    def tick(self, state: State) -> State:
        """Let time pass: everything is one step older."""
        return self.tidy((*map(self._age, state[:BOUNDS]), state[BOUNDS], *map(self._age, state[BOOK:])))

    def _older(self, number: int) -> int:
        value = self.of[number]
        if value is None:
            return number
        if isinstance(value, Chain):
            return self.values[self._older_chain(value)]
        if isinstance(value, Book):
            marked = None if value.marked is None else max(value.marked - 1, -self.horizon.seen)
            backup = None if value.backup is None else tuple(self._age(one) for one in value.backup)
            return self.values[value._replace(marked=marked, backup=backup)]
        if type(value) is tuple:
            return self.values[tuple(self._older_request(one) for one in value)]
        return self.values[ledger.canonical(ledger.shifted(value, lambda time: time - 1), self.horizon)]

    def _older_request(self, request: Request) -> Request:
        if request.status == "hasty":
            return request._replace(status="pending", before="hasty", age=1)
        if not request.before:
            return request
        if request.age >= self.remembers:
            return request._replace(before="", age=0)
        return request._replace(age=request.age + 1)

    def _older_chain(self, chain: Chain) -> Chain:
        oldest = FINAL + self.scenario.lag + 1

        def older(nonces: Nonces) -> Nonces:
            return tuple(
                (value, tuple((old, age + 1) for old, age in before if age < self.remembers))
                for value, before in nonces
            )

        blocks = [one._replace(age=one.age + 1) for one in chain.blocks if one.age + 1 < FINAL]
        return chain._replace(
            staking=older(chain.staking),
            payment=older(chain.payment),
            turned=min(chain.turned + 1, self.remembers + 1),
            paid=tuple(age if age < 0 else min(age + 1, oldest) for age in chain.paid),
            blocks=tuple(blocks),
        )

    def faults(self, state: State, bounds: Bounds) -> Iterator[Step]:
        """What goes wrong around the processes, or was not expected."""
        requests = self.of[state[REQUESTS]]
        for kind, words in _TOLD.items():
            for at, request in enumerate(requests) if getattr(bounds, kind) else ():
                if request.status == "pending":
                    told = request._replace(status=kind, before="pending", age=0)
                    after = self.with_value(state, REQUESTS, (*requests[:at], told, *requests[at + 1 :]))
                    yield ("event", words, request.payload), self.spend(self.tidy(after), kind)
        yield from self._of_the_operator(state, bounds)
        chain = self.chain(state)
        for kind, words, changed in self._events(chain, bounds):
            yield ("event", words), self.spend(self.tidy(self.with_value(state, CHAIN, changed)), kind)
        if chain.open:
            closed = chain._replace(open=False, turned=0)
            yield ("event", "the election window closes"), self.with_value(state, CHAIN, closed)
        if bounds.fork and chain.blocks:
            yield ("event", "a fork takes the last payout back"), self.spend(self._undone(state), "fork")

    def _of_the_operator(self, state: State, bounds: Bounds) -> Iterator[Step]:
        """The clock, the settings and the restore of the ledger."""
        book, first = self.book(state), self.first_process
        parts = state[PARTS:first]
        if bounds.jump:
            after = parts
            for _ in range(self.scenario.lag + 1):
                after = tuple(self._age(one) for one in after)
            yield ("event", "the ledger's clock jumps ahead"), self.spend(self._with_parts(state, after), "jump")
        if bounds.back:
            after = tuple(
                self.values[ledger.shifted(self.of[one], lambda time: time + self.scenario.lag + 1)] for one in parts
            )
            yield ("event", "the ledger's clock goes back"), self.spend(self._with_parts(state, after), "back")
        if bounds.settings and book.settings + 1 < max(len(era.settings) for era in self.scenario.eras):
            changed = self._resettled(state, book._replace(settings=book.settings + 1))
            yield ("event", "the operator changes the settings"), self.spend(changed, "settings")
        if bounds.restore and book.backup is None:
            yield ("event", "a backup of the ledger is made"), self.with_value(state, BOOK, book._replace(backup=parts))
        elif bounds.restore and book.backup != parts and book.backup is not None:
            yield ("event", "the backup is restored"), self.spend(self._restored(state, book), "restore")

    def _resettled(self, state: State, book: Book) -> State:
        """Processes that wait go on with the new settings."""
        state = self.with_value(state, BOOK, book)
        for slot in range(len(self.slots)):
            process = self.process(state, slot)
            if process is not None and process.stage == "idle":
                after = process._replace(settings=self.settings(state, slot))
                state = self.with_value(state, self.first_process + slot, after)
        return state

    def _with_parts(self, state: State, parts: tuple[int, ...]) -> State:
        return (*state[:PARTS], *parts, *state[self.first_process :])

    def _restored(self, state: State, book: Book) -> State:
        """Every process has read parts that are no more."""
        backup = book.backup or ()
        copies = ledger.last_copy(self.of[number] for number in backup)
        marked = book._replace(
            marked=0 if self.scenario.marked else None, copies=copies, floors=(None,) * len(book.floors), backup=None
        )
        state = self._with_parts(self.with_value(state, BOOK, marked), backup)
        first = self.first_process
        processes = [
            self.values[one._replace(frames=tuple(frame._replace(record=-1) for frame in one.frames))]
            if (one := self.of[number]) is not None
            else number
            for number in state[first:]
        ]
        return (*state[:first], *processes)

    def _undone(self, state: State) -> State:
        """The chain without its last payout; the request of an own one is pending again."""
        chain = self.chain(state)
        *blocks, last = chain.blocks
        payload, era = last.payload, last.era
        executed = chain.executed if payload is None else _counted(chain.executed, era, -1)
        is_paid = executed[era] >= (self.scenario.parts or 99)
        changed = chain._replace(
            left=_counted(chain.left, era, last.calls),
            executed=executed,
            paid=chain.paid if is_paid else (*chain.paid[:era], -1, *chain.paid[era + 1 :]),
            blocks=tuple(blocks),
        )
        if payload is None:
            return self.with_value(state, CHAIN, changed)
        changed = changed._replace(
            staking=_moved(chain.staking, payload.user, -1),
            payment=_moved(chain.payment, payload.payer, -1),
            charged=chain.charged - payload.fee,
        )
        requests = list(self.of[state[REQUESTS]])
        for at, request in enumerate(requests):
            if (request.payload, request.id, request.status) == (payload, last.request, "processed"):
                status = "pending" if self.scenario.redone else "dropped"
                requests[at] = request._replace(status=status, block=None, before="processed", age=0)
                break
        else:
            if self.scenario.redone:
                requests.append(Request(None, payload))
        return self.tidy((self.values[changed], self.values[tuple(sorted(requests, key=order))], *state[2:]))

    def _events(self, chain: Chain, bounds: Bounds) -> Iterator[tuple[str, str, Chain]]:
        """What the chain can do by itself, and others on it: the kind of fault, in words, and the chain after it."""
        if bounds.fee:
            fee = 3 - chain.fee
            yield "fee", f"the fee becomes {fee}", chain._replace(fee=fee)
        if bounds.window and not chain.open:
            yield "window", "the election window opens", chain._replace(open=True, turned=0)
        if bounds.expiry:
            yield "expiry", "an era ends", chain._replace(active=chain.active + 1)
        for era, left in enumerate(chain.left if bounds.paid_elsewhere else ()):
            if left:
                paid = self._paid(chain, era, 0, 0)
                blocks = (*chain.blocks, Block(era, left)) if bounds.fork and chain.paid[era] < 0 else ()
                changed = chain._replace(left=_counted(chain.left, era, -left), paid=paid, blocks=blocks)
                yield "paid_elsewhere", f"something else pays era {era}", changed
        for payer in range(len(chain.payment) if bounds.foreign_payment else 0):
            moved = chain._replace(payment=_moved(chain.payment, payer), blocks=())
            yield "foreign_payment", "something else uses a payment nonce", moved
        for user in range(len(chain.staking) if bounds.foreign_staking else 0):
            moved = chain._replace(staking=_moved(chain.staking, user), payment=_moved(chain.payment, 0), blocks=())
            yield "foreign_staking", "something else pays for the same user", moved


def _moved(nonces: Nonces, index: int, by: int = 1) -> Nonces:
    value, before = nonces[index]
    earlier = tuple(one for one in before if one[0] not in (value, value + by))
    return (*nonces[:index], (value + by, ((value, 0), *earlier)), *nonces[index + 1 :])


def _counted(counts: tuple[int, ...], index: int, by: int) -> tuple[int, ...]:
    return (*counts[:index], counts[index] + by, *counts[index + 1 :])
