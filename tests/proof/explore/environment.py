"""What happens around the processes: the gateway's door, the chain, the clock, the operator, and faults."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from staking_gateway.http.meanings import SendAnswer
from staking_gateway.payout.evidence import Me
from staking_gateway.payout.terms import ConfirmBy, PayoutTerms
from staking_gateway.signing import Proofs
from tests.proof.explore import ledger
from tests.proof.explore.values import (
    ACTIVE,
    ALIVE,
    BOOK,
    BOUNDS,
    CHAIN,
    FIRST_NONCE,
    FIRST_PART,
    REPLANS,
    REQUESTS,
    TRANSIT,
    Block,
    Book,
    Chain,
    Payload,
    Request,
    Table,
    record,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from staking_gateway.ledger.records import Payout
    from tests.proof.explore.scenario import Bounds, Era, Scenario, Settings
    from tests.proof.explore.values import Nonce, Process, State, Step

_PARTS = 3
"""Parts of an era that is paid until nothing is left."""


def chain_of(era: Era) -> str:
    """The ledger's name of an era's chain. An alias is another name of the same chain."""
    return f"c{era.lane}" + "'" * era.alias


def lane_of(chain: str) -> int:
    """The number of the chain with this name."""
    return int(chain[1:].rstrip("'"))


class Who:
    """A run with one of the operator's settings: what `decide` is told of it, for a part of its own or for another."""

    def __init__(self, number: int, me: Me, terms: PayoutTerms, user: int, payer: int) -> None:
        self.number = number
        self.me = me
        self.terms = terms
        self.user = user
        self.payer = payer


class Slot:
    """Where a run's processes live, one at a time.

    :param parts: the places of its parts; `own` and `other` by settings.
    """

    def __init__(self, name: str, era: int, parts: tuple[int, ...], *, again: bool) -> None:
        self.name = name
        self.era = era
        self.parts = parts
        self.again = again
        self.own: list[Who] = []
        self.other: list[Who] = []


class Environment:
    """The steps of a scenario that no process takes. `of` gives the value of a number, `values` the number of a value."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.values = Table()
        self.of = self.values.values_by_number
        self.parts = scenario.parts or _PARTS
        self.records: list[Payout] = []
        self.slots: list[Slot] = []
        final = min(scenario.final, 1) + 1
        grace, _, settle = scenario.times
        self.horizon = ledger.Horizon(
            final + scenario.lag - 1 + (2 if scenario.bounds.slow else 0),
            max(grace, settle, scenario.times[1]),
            settle if len({(one.user, one.payer) for era in scenario.eras for one in era.settings}) > 1 else 1,
            scenario.bounds.reused > 0,
        )
        self.remembers = scenario.lag + (2 if scenario.bounds.slow else 0)
        self._everyone = [one for era in scenario.eras for one in era.settings]
        self._users = 1 + max(one.user for one in self._everyone)
        self._payers = 1 + max(one.payer for one in self._everyone)
        self._lanes = 1 + max(era.lane for era in scenario.eras)
        self._runs = 0
        self._aged: dict[int, int] = {}
        self._spent: dict[tuple[int, str], int] = {}
        self._executed: dict[Any, tuple[int, str]] = {}
        self._matters: dict[Any, int] = {}
        self._sends: dict[int, int] = {}
        for number, era in enumerate(scenario.eras):
            self._add(number, era)
        self.first_process = FIRST_PART + len(self.records)

    def _add(self, number: int, era: Era) -> None:
        first, chosen = len(self.records), era.settings[0]
        keys = f"u{chosen.user}", f"p{chosen.payer}", f"r{chosen.relayer}"
        index = ACTIVE - len(self.scenario.eras) + number
        places = tuple(range(first, first + self.parts))
        for part, place in enumerate(places):
            self.records.append(record(place, f"n{era.network}", chain_of(era), index, part, keys))
        for run in range(era.runs + bool(self.scenario.bounds.again)):
            again = run == era.runs
            name = f"era {number}" + (" again" if again else f" run {run + 1}" if era.runs > 1 else "")
            slot = Slot(name, number, places, again=again)
            for settings in era.settings:
                self._settle(slot, era, settings, name)
            self.slots.append(slot)

    def _settle(self, slot: Slot, era: Era, settings: Settings, name: str) -> None:
        scenario = self.scenario
        grace, lease, settle = scenario.times
        durations: Any = {
            "poll_interval": 1,
            "not_found_grace": grace,
            "lease": lease,
            "settle_within": settle,
            "lag": min(scenario.lag, 1),
            "finalized_within": min(scenario.final, 1),
        }
        account: Any = None
        terms = PayoutTerms(
            f"n{era.network}", account, account, account, chain_of(era), scenario.parts, _PARTS,
            None, settings.limit, None, scenario.never == "no limits", REPLANS, 2,
            confirm_by=ConfirmBy.AUTO if scenario.confirm else ConfirmBy.NONE, max_fees_for_nothing=scenario.wasted,
            again=slot.again, **durations,
        )  # fmt: skip
        given = None
        if era.given is not None:
            one = era.given
            signature = f"0x0{slot.era}"
            known = (one.staking, one.fee) if one.known else (None, None)
            given = Proofs(signature, signature, one.payment, *known)
        keys = f"u{settings.user}", f"p{settings.payer}", f"r{settings.relayer}"
        user, payer = self.user(era.lane, settings.user), self.payer(era.lane, settings.payer)
        for own, mine in ((True, slot.own), (False, slot.other)):
            me = Me(name, 1, *keys, given, own)
            self._runs += 1
            mine.append(Who(self._runs, me, terms, user, payer))

    def user(self, lane: int, user: int) -> int:
        """The place of a user's nonce on a chain; `payer` likewise."""
        return lane * self._users + user

    def payer(self, lane: int, payer: int) -> int:
        return lane * self._payers + payer

    # --- states --------------------------------------------------------------------------------------------------------

    def start(self) -> State:
        """The first state: nothing was signed, no process runs."""
        scenario, values = self.scenario, self.values
        eras = scenario.eras
        nothing = (0,) * len(eras)
        chain = Chain(
            ((FIRST_NONCE, ()),) * (self._lanes * self._users),
            ((FIRST_NONCE, ()),) * (self._lanes * self._payers),
            1, False, 99, ACTIVE, tuple(era.batches for era in eras), nothing, nothing,
            tuple(99 if era.batches == 0 else -1 for era in eras),
        )  # fmt: skip
        book = Book(floors=(None,) * len(chain.staking))
        return (
            values[chain],
            values[()],
            values[()],
            values[scenario.bounds],
            values[book],
            *(values[one] for one in self.records),
            *(values[None] for _ in self.slots),
        )

    def part(self, state: State, place: int) -> Payout:
        found: Payout = self.of[state[FIRST_PART + place]]
        return found

    def all_parts(self, state: State) -> list[Payout]:
        return [self.of[number] for number in state[FIRST_PART : self.first_process]]

    def chain(self, state: State) -> Chain:
        found: Chain = self.of[state[CHAIN]]
        return found

    def book(self, state: State) -> Book:
        found: Book = self.of[state[BOOK]]
        return found

    def process(self, state: State, slot: int) -> Process | None:
        """The process of a slot, if one runs."""
        found: Process | None = self.of[state[self.first_process + slot]]
        return found

    def with_value(self, state: State, place: int, value: Any) -> State:
        """The same state with another value in a place."""
        return (*state[:place], self.values[value], *state[place + 1 :])

    def era_of(self, place: int) -> int:
        return place // self.parts

    def spend(self, state: State, kind: str, *, fault: bool = True) -> State:
        """The same state with one event of a kind fewer to come."""
        key = state[BOUNDS], kind
        left = self._spent.get(key)
        if left is None:
            bounds: Bounds = self.of[state[BOUNDS]]
            fewer: Any = {kind: getattr(bounds, kind) - 1, "faults": bounds.faults - fault}
            left = self._spent[key] = self.values[bounds._replace(**fewer)]
        return (*state[:BOUNDS], left, *state[BOUNDS + 1 :])

    def sends(self, state: State) -> int:
        """How many sends the ledger has counted."""
        total = 0
        for number in state[FIRST_PART : self.first_process]:
            if number not in self._sends:
                self._sends[number] = ledger.sends_of([self.of[number]])
            total += self._sends[number]
        return total

    def payload(self, place: int, copy: Any) -> Payload:
        """What a copy's signatures are over."""
        era = self.scenario.eras[self.era_of(place)]
        staking, fee = copy.staking_nonce, copy.fee
        if copy.proxy_signature and era.given is not None:
            staking, fee = era.given.staking, era.given.fee
        user, payer = int(copy.user_key[1:]), int(copy.payer_key[1:])
        return Payload(place, self.user(era.lane, user), self.payer(era.lane, payer), staking, copy.payment_nonce, fee)

    # --- requests ------------------------------------------------------------------------------------------------------

    def door(self, chain: Chain, payload: Payload) -> SendAnswer | None:
        """Why the gateway refuses a payload, or None."""
        scenario = self.scenario
        never = {"no method": SendAnswer.NO_METHOD, "called paid": SendAnswer.PAID}
        if scenario.never in never:
            return never[scenario.never]
        if chain.open:
            return SendAnswer.WINDOW
        if not scenario.door:
            return None
        if self.records[payload.part].era < chain.active - scenario.kept:
            return SendAnswer.REFUSED
        right = chain.staking[payload.user][0], chain.payment[payload.payer][0], chain.fee
        era = self.era_of(payload.part)
        if chain.left[era] and right == payload[3:]:
            return None
        return SendAnswer.PAID if scenario.word and chain.paid[era] >= 0 else SendAnswer.REFUSED

    def accepted(self, state: State, payload: Payload, request: str | None) -> State:
        """The state with one more request."""
        requests = self.of[state[REQUESTS]]
        return self.with_value(state, REQUESTS, (*requests, Request(request, payload)))

    def tidy(self, state: State) -> State:
        """Leave out what can no longer matter: ended requests that nobody knows, and further copies of pending ones."""
        if not self.of[state[REQUESTS]]:
            return state
        key = (state[CHAIN], state[REQUESTS], *state[FIRST_PART:])
        kept = self._matters.get(key)
        if kept is None:
            kept = self._matters[key] = self.values[self._matter(state)]
        return state if kept == state[REQUESTS] else (state[0], kept, *state[2:])

    def _matter(self, state: State) -> tuple[Request, ...]:
        chain = self.chain(state)
        known = {
            send.request_id for number in state[FIRST_PART : self.first_process] for copy in self.of[number].copies
            for send in copy.sends
        }  # fmt: skip
        known |= {
            self.of[one.now].request for number in state[self.first_process :] if self._holds(one := self.of[number])
        }
        spare: set[Payload] = set()
        kept = []
        for request in self.of[state[REQUESTS]]:
            if request.id is None or request.id not in known:
                payload = request.payload
                over = chain.payment[payload.payer][0] > payload.payment and not self.scenario.bounds.fork
                if request.status not in ALIVE or payload in spare or over:
                    continue
                spare.add(payload)
                kept.append(Request(None, payload))
            else:
                kept.append(request)
        return tuple(sorted(kept, key=_order))

    @staticmethod
    def _holds(process: Process | None) -> bool:
        """Whether a process has an answer that it has not stored yet."""
        return process is not None and process.stage == "heard"

    # --- the chain and the clock ---------------------------------------------------------------------------------------

    def chain_steps(self, state: State) -> Iterator[Step]:
        """A request executes, or a payload arrives late."""
        requests = self.of[state[REQUESTS]]
        seen: set[Payload] = set()
        for at, request in enumerate(requests):
            if request.status in ALIVE and request.payload not in seen:
                seen.add(request.payload)
                yield from self._execute(state, at)
        for payload in dict.fromkeys(self.of[state[TRANSIT]]):
            rest = list(self.of[state[TRANSIT]])
            rest.remove(payload)
            arrived = self.with_value(state, TRANSIT, tuple(rest))
            if self.door(self.chain(state), payload) is None:
                yield ("arrive", payload, "accepted"), self.tidy(self.accepted(arrived, payload, None))
            else:
                yield ("arrive", payload, "refused"), arrived

    def _execute(self, state: State, at: int) -> Iterator[Step]:
        requests = self.of[state[REQUESTS]]
        request = requests[at]
        key = state[CHAIN], request.payload, request.id
        found = self._executed.get(key)
        if found is None:
            found = self._executed[key] = self._judge(self.chain(state), request)
        number, status = found
        if status == "left out":
            return
        told = "processed" if status == "charged, processed" else status
        block = self.of[number].height if told == "processed" and self.scenario.blocks else None
        after = request._replace(status=told, block=block, before=request.status, age=0)
        changed = (*requests[:at], after, *requests[at + 1 :])
        yield ("execute", request.payload, status), self.tidy((number, self.values[changed], *state[2:]))

    def _judge(self, chain: Chain, request: Request) -> tuple[int, str]:
        """What the chain makes of a payload: the chain after it, and what /poll says."""
        payload, scenario = request.payload, self.scenario
        era = self.era_of(payload.part)
        number = self.values[chain]
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
                paid=self._paid(chain, era, left[era]),
                blocks=(*chain.blocks, Block(payload, request.id)) if counts else (),
            )
            return self.values[changed], "processed"
        status = "charged, processed" if scenario.lie else "rejected"
        if not scenario.charge:
            return number, status
        if scenario.bump and chain.staking[payload.user][0] == payload.staking:
            paid = paid._replace(staking=_moved(chain.staking, payload.user))
        return self.values[paid._replace(wasted=_counted(chain.wasted, era, 1), blocks=())], status

    def _paid(self, chain: Chain, era: int, left: int) -> tuple[int, ...]:
        """Since when each era is paid, after a call; a call of one part pays all of it."""
        if chain.paid[era] >= 0 or (self.scenario.parts is None and left):
            return chain.paid
        return (*chain.paid[:era], 0, *chain.paid[era + 1 :])

    def tick(self, state: State) -> State:
        """Let time pass: everything is one step older."""
        aged = self._aged
        changed = []
        for place, number in enumerate(state):
            if place in (TRANSIT, BOUNDS):
                changed.append(number)
                continue
            found = aged.get(number)
            if found is None:
                found = aged[number] = self._older(number)
            changed.append(found)
        return self.tidy(tuple(changed))

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
        return self.values[self.older_part(value)]

    def older_part(self, value: Any) -> Any:
        return ledger.older(value, self.horizon)

    def _age(self, number: int) -> int:
        if number not in self._aged:
            self._aged[number] = self._older(number)
        return self._aged[number]

    def _older_request(self, request: Request) -> Request:
        if not request.before:
            return request
        if request.age >= self.remembers:
            return request._replace(before="", age=0)
        return request._replace(age=request.age + 1)

    def _older_chain(self, chain: Chain) -> Chain:
        oldest = self.scenario.final + self.scenario.lag + 1

        def older(nonces: tuple[Nonce, ...]) -> tuple[Nonce, ...]:
            return tuple(
                (value, tuple((old, age + 1) for old, age in before if age < self.remembers))
                for value, before in nonces
            )

        blocks = [one._replace(age=one.age + 1) for one in chain.blocks if one.age + 1 < self.scenario.final]
        return chain._replace(
            staking=older(chain.staking),
            payment=older(chain.payment),
            turned=min(chain.turned + 1, self.remembers + 1),
            paid=tuple(age if age < 0 else min(age + 1, oldest) for age in chain.paid),
            blocks=tuple(blocks),
        )

    # --- faults --------------------------------------------------------------------------------------------------------

    def faults(self, state: State, bounds: Bounds) -> Iterator[Step]:
        """What goes wrong around the processes, or was not expected."""
        for kind, name, status in (
            ("dropped", "drop", "dropped"),
            ("denied", "deny", "denied"),
            ("early", "early", "early"),
        ):
            if getattr(bounds, kind):
                requests = self.of[state[REQUESTS]]
                for at, request in enumerate(requests):
                    if request.status == "pending":
                        told = request._replace(status=status, before="pending", age=0)
                        after = self.with_value(state, REQUESTS, (*requests[:at], told, *requests[at + 1 :]))
                        yield (name, request.payload), self.spend(self.tidy(after), kind)
        yield from self._of_the_operator(state, bounds)
        chain = self.chain(state)
        for kind, words, changed in (*_events(chain, bounds), *self._foreign(chain, bounds)):
            yield ("event", words), self.spend(self.tidy(self.with_value(state, CHAIN, changed)), kind)
        if chain.open:
            closed = chain._replace(open=False, turned=0)
            yield ("event", "the election window closes"), self.with_value(state, CHAIN, closed)
        if bounds.fork and chain.blocks:
            yield ("event", "a fork takes the last execution back"), self.spend(self._undone(state), "fork")

    def _of_the_operator(self, state: State, bounds: Bounds) -> Iterator[Step]:
        """The clock, the settings, the stop and the restore of the ledger."""
        book, first = self.book(state), self.first_process
        parts = state[FIRST_PART:first]
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
        if book.stopped:
            gone = book._replace(stopped=False)
            yield ("event", "a person lets the ledger go on"), self.with_value(state, BOOK, gone)
        elif bounds.stop:
            stopped = book._replace(stopped=True)
            yield ("event", "a person stops the ledger"), self.spend(self.with_value(state, BOOK, stopped), "stop")
        if bounds.restore and book.backup is None:
            yield ("event", "a backup of the ledger is made"), self.with_value(state, BOOK, book._replace(backup=parts))
        elif bounds.restore and book.backup != parts and book.backup is not None:
            yield ("event", "the backup is restored"), self.spend(self._restored(state, book), "restore")

    def _resettled(self, state: State, book: Book) -> State:
        """Processes that wait go on with the new settings."""
        state = self.with_value(state, BOOK, book)
        for slot, where in enumerate(self.slots):
            process = self.process(state, slot)
            if process is not None and process.stage == "idle":
                settings = min(book.settings, len(where.own) - 1)
                state = self.with_value(state, self.first_process + slot, process._replace(settings=settings))
        return state

    def _with_parts(self, state: State, parts: tuple[int, ...]) -> State:
        return (*state[:FIRST_PART], *parts, *state[self.first_process :])

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
        """The chain without its last execution; the request is pending again."""
        chain = self.chain(state)
        *blocks, last = chain.blocks
        payload = last.payload
        era = self.era_of(payload.part)
        executed = _counted(chain.executed, era, -1)
        paid = chain.paid if executed[era] else (*chain.paid[:era], -1, *chain.paid[era + 1 :])
        changed = chain._replace(
            staking=_moved(chain.staking, payload.user, -1),
            payment=_moved(chain.payment, payload.payer, -1),
            left=_counted(chain.left, era, 1),
            executed=executed,
            paid=paid,
            charged=chain.charged - payload.fee,
            blocks=tuple(blocks),
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
        return self.tidy((self.values[changed], self.values[tuple(sorted(requests, key=_order))], *state[2:]))

    def _foreign(self, chain: Chain, bounds: Bounds) -> Iterator[tuple[str, str, Chain]]:
        """What others can do on the chain."""
        if bounds.paid_elsewhere:
            for era, left in enumerate(chain.left):
                if left:
                    paid = self._paid(chain, era, 0)
                    changed = chain._replace(left=_counted(chain.left, era, -left), paid=paid, blocks=())
                    yield "paid_elsewhere", f"something else pays era {era}", changed
        if bounds.foreign_payment:
            for payer in range(len(chain.payment)):
                moved = chain._replace(payment=_moved(chain.payment, payer), blocks=())
                yield "foreign_payment", "something else uses a payment nonce", moved
        if bounds.foreign_staking:
            for user in range(len(chain.staking)):
                moved = chain._replace(staking=_moved(chain.staking, user), payment=_moved(chain.payment, 0), blocks=())
                yield "foreign_staking", "something else pays for the same user", moved


def _events(chain: Chain, bounds: Bounds) -> Iterator[tuple[str, str, Chain]]:
    """What the chain can do by itself: the kind of fault, in words, and the chain after it."""
    if bounds.fee:
        fee = 3 - chain.fee
        yield "fee", f"the fee becomes {fee}", chain._replace(fee=fee)
    if bounds.window and not chain.open:
        yield "window", "the election window opens", chain._replace(open=True, turned=0)
    if bounds.expiry:
        yield "expiry", "an era ends", chain._replace(active=chain.active + 1)


def _order(request: Request) -> tuple[str, Payload, str]:
    return request.id or "", request.payload, request.status


def _moved(nonces: tuple[Nonce, ...], index: int, by: int = 1) -> tuple[Nonce, ...]:
    value, before = nonces[index]
    earlier = tuple(one for one in before if one[0] not in (value, value + by))
    return (*nonces[:index], (value + by, ((value, 0), *earlier)), *nonces[index + 1 :])


def _counted(counts: tuple[int, ...], index: int, by: int) -> tuple[int, ...]:
    return (*counts[:index], counts[index] + by, *counts[index + 1 :])
