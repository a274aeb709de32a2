"""What happens around the processes: the gateway's door, the chain, the clock, the operator, and faults."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, TypeAlias, cast

from staking_gateway.errors import SendAnswer
from staking_gateway.ledger.records import Payout, PayoutState
from staking_gateway.payout.evidence import Me
from staking_gateway.payout.terms import ConfirmBy, PayoutTerms
from staking_gateway.signing import Proofs
from tests.proof.explore import ledger
from tests.proof.explore.scenario import (
    FINAL,
    SLOWEST,
    Book,
    Bounds,
    Chain,
    Era,
    Payload,
    Process,
    Request,
    Scenario,
    Settings,
)

State: TypeAlias = "tuple[int, ...]"
"""Numbers of values: (chain, requests, bounds, book, parts..., processes...)."""
Step: TypeAlias = "tuple[tuple[Any, ...], State]"
"""What happens, its kind first, and the state after it; `story.py` puts it into words."""
CHAIN, REQUESTS, BOUNDS, BOOK, PARTS = range(5)
"""Places in a state."""
MOST_SENDS = 6
"""More in one call of `advance` are sends without end."""
ALIVE = ("pending", "denied", "early", "hasty")
"""Requests that may execute; /poll reads SendingFailed of a denied one, Rejected of an early one, and for a while Processed of a hasty one."""
ACTIVE = 100
_FIRST_NONCE = 5
_PARTS = 3
"""Parts of an era that is paid until nothing is left."""


class _Table(dict[Any, int]):
    """Values kept once, each named by a number."""

    def __init__(self) -> None:
        super().__init__()
        self.of: list[Any] = []

    def __missing__(self, value: Any) -> int:
        number = self[value] = len(self.of)
        self.of.append(value)
        return number


def chain_of(era: Era) -> str:
    """The ledger's name of an era's chain. An alias is another name of the same chain."""
    return f"c{era.lane}" + "'" * era.alias


def lane_of(chain: str) -> int:
    return int(chain[1:].rstrip("'"))


class _Given(Proofs):
    """Ready-made proofs whose staking nonce no signature shows."""

    def nonce_near(self, *_: Any) -> int | None:
        return self.staking_nonce


@dataclass(frozen=True, eq=False)
class Who:
    """What `decide` is told of a run with one of the operator's settings, for a part of its own or for another."""

    me: Me
    terms: PayoutTerms


@dataclass(eq=False)
class Slot:
    """Where a run's processes live, one at a time.

    :param parts: the places of its parts; `own` and `other` are for its own parts and for others, by settings.
    """

    name: str
    era: int
    parts: tuple[int, ...]
    again: bool
    own: list[Who] = field(default_factory=list)
    other: list[Who] = field(default_factory=list)


class Environment:
    """A scenario's first state, its parts and requests. `of` gives the value of a number, `values` the number of a value."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.values = _Table()
        self.of = self.values.of
        self.parts = scenario.parts or _PARTS
        self.records: list[Payout] = []
        self.slots: list[Slot] = []
        grace, _, settle = scenario.times
        back = (scenario.lag + 1) * scenario.bounds.back  # a time that is told apart no more may become a younger one
        seen = FINAL + scenario.lag + (SLOWEST if scenario.bounds.slow else 0) + back
        if scenario.node:  # rule 7 waits twice
            seen *= 2
        self.horizon = ledger.Horizon(
            seen,
            max(grace, settle, scenario.times[1]) + back,
            settle if len({(one.user, one.payer) for era in scenario.eras for one in era.settings}) > 1 else seen,
            scenario.bounds.reused > 0 or (scenario.bounds.slow > 0 and len(scenario.eras) > 1),
        )
        self.remembers = scenario.lag + (SLOWEST if scenario.bounds.slow else 0)
        everyone = [one for era in scenario.eras for one in era.settings]
        self._users = 1 + max(one.user for one in everyone)
        self._payers = 1 + max(one.payer for one in everyone)
        self._lanes = 1 + max(era.lane for era in scenario.eras)
        self._fewer = cache(self._one_fewer)
        self._matters: dict[Any, int] = {}
        self._sends = cache(lambda number: ledger.sends_of([self.of[number]]))
        for number, era in enumerate(scenario.eras):
            self._add(number, era)
        self.first_process = PARTS + len(self.records)

    def _add(self, number: int, era: Era) -> None:
        first, chosen = len(self.records), era.settings[0]
        keys = f"u{chosen.user}", f"p{chosen.payer}", f"r{chosen.relayer}"
        index = ACTIVE - len(self.scenario.eras) + number
        places = tuple(range(first, first + self.parts))
        nothing, now = (None,) * 6, cast("Any", 0)  # all times of the model are ages below 0
        for part, place in enumerate(places):
            about = place, f"n{era.network}", chain_of(era), index, part, PayoutState.PLANNED, 0, *keys
            self.records.append(Payout(*about, *nothing, now, now))
        for run in range(era.runs + bool(self.scenario.bounds.again)):
            again = run == era.runs
            name = f"era {number}" + (" again" if again else f" run {run + 1}" if era.runs > 1 else "")
            slot = Slot(name, number, places, again)
            for settings in era.settings:
                who = self._who_is(slot, era, settings)
                slot.own.append(who)
                slot.other.append(replace(who, me=replace(who.me, own=False)))
            self.slots.append(slot)

    def _who_is(self, slot: Slot, era: Era, settings: Settings) -> Who:
        scenario = self.scenario
        grace, lease, settle = scenario.times
        own: Any = {
            "relayer": None, "user": None, "payer": None, "poll_interval": 1, "not_found_grace": grace, "lease": lease,
            "settle_within": settle, "lag": min(scenario.lag, 1), "finalized_within": FINAL,
        }  # fmt: skip
        terms = PayoutTerms(
            f"n{era.network}", chain=chain_of(era), parts=scenario.parts, max_parts=_PARTS, max_replans=1, history_depth=2,
            max_fee_per_day=settings.limit, needs_limits=scenario.never == "no limits", again=slot.again,
            confirm_by=ConfirmBy.AUTO if scenario.confirm else ConfirmBy.NONE, max_fees_for_nothing=scenario.wasted, **own,
        )  # fmt: skip
        given, one = None, settings.given
        if one is not None:
            signature = f"0x0{slot.era}{len(slot.own)}"
            given = _Given(signature, signature, one.payment, *((one.staking, one.fee) if one.known else (None, None)))
        keys = f"u{settings.user}", f"p{settings.payer}", f"r{settings.relayer}"
        return Who(Me(slot.name, 1, *keys, given), terms)

    def user(self, lane: int, user: int) -> int:
        """The place of a user's nonce on a chain; `payer` likewise."""
        return lane * self._users + user

    def payer(self, lane: int, payer: int) -> int:
        return lane * self._payers + payer

    def start(self) -> State:
        """The first state: nothing was signed, no process runs."""
        scenario, values = self.scenario, self.values
        eras = scenario.eras
        nothing = (0,) * len(eras)
        chain = Chain(
            ((_FIRST_NONCE, ()),) * (self._lanes * self._users),
            ((_FIRST_NONCE, ()),) * (self._lanes * self._payers),
            1, False, 99, ACTIVE - (scenario.never == "not ended"), tuple(era.batches for era in eras), nothing, nothing,
            tuple(99 if era.batches == 0 else -1 for era in eras),
        )  # fmt: skip
        book = Book(floors=(None,) * len(chain.staking))
        return (
            values[chain],
            values[()],
            values[scenario.bounds],
            values[book],
            *(values[one] for one in self.records),
            *(values[None] for _ in self.slots),
        )

    def part(self, state: State, place: int) -> Payout:
        found: Payout = self.of[state[PARTS + place]]
        return found

    def all_parts(self, state: State) -> list[Payout]:
        return [self.of[number] for number in state[PARTS : self.first_process]]

    def chain(self, state: State) -> Chain:
        found: Chain = self.of[state[CHAIN]]
        return found

    def book(self, state: State) -> Book:
        found: Book = self.of[state[BOOK]]
        return found

    def process(self, state: State, slot: int) -> Process | None:
        found: Process | None = self.of[state[self.first_process + slot]]
        return found

    def with_value(self, state: State, place: int, value: Any) -> State:
        return (*state[:place], self.values[value], *state[place + 1 :])

    def with_part(self, state: State, place: int, number: int) -> State:
        return (*state[: PARTS + place], number, *state[PARTS + place + 1 :])

    def settings(self, state: State, slot: int) -> int:
        return min(self.book(state).settings, len(self.slots[slot].own) - 1)

    def era_of(self, place: int) -> int:
        return place // self.parts

    def spend(self, state: State, kind: str, *, fault: bool = True) -> State:
        """The same state with one event of a kind fewer to come."""
        return (*state[:BOUNDS], self._fewer(state[BOUNDS], kind, fault), *state[BOUNDS + 1 :])

    def _one_fewer(self, number: int, kind: str, fault: bool) -> int:
        bounds: Bounds = self.of[number]
        fewer: Any = {kind: getattr(bounds, kind) - 1, "faults": bounds.faults - fault}
        return self.values[bounds._replace(**fewer)]

    def sends(self, state: State) -> int:
        return sum(map(self._sends, state[PARTS : self.first_process]))

    def payload(self, place: int, copy: Any) -> Payload:
        """What a copy's signatures are over."""
        era = self.scenario.eras[self.era_of(place)]
        staking, fee = copy.staking_nonce, copy.fee
        given = era.settings[int(copy.proxy_signature[-1])].given if copy.proxy_signature else None
        if given is not None:
            staking, fee = given.staking, given.fee
        user, payer = int(copy.user_key[1:]), int(copy.payer_key[1:])
        return Payload(place, self.user(era.lane, user), self.payer(era.lane, payer), staking, copy.payment_nonce, fee)

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
        requests = self.of[state[REQUESTS]]
        return self.with_value(state, REQUESTS, (*requests, Request(request, payload)))

    def tidy(self, state: State) -> State:
        """Leave out what can no longer matter: ended requests that nobody knows, and further copies of pending ones."""
        if not self.of[state[REQUESTS]]:
            return state
        key = (state[CHAIN], state[REQUESTS], *state[PARTS:])
        kept = self._matters.get(key)
        if kept is None:
            kept = self._matters[key] = self.values[self._matter(state)]
        return state if kept == state[REQUESTS] else (state[0], kept, *state[2:])

    def _matter(self, state: State) -> tuple[Request, ...]:
        chain = self.chain(state)
        known = {
            send.request_id for number in state[PARTS : self.first_process] for copy in self.of[number].copies
            for send in copy.sends
        }  # fmt: skip
        processes = (self.of[number] for number in state[self.first_process :])
        known |= {self.of[one.now].request for one in processes if one is not None and one.stage == "heard"}
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
        return tuple(sorted(kept, key=order))


def order(request: Request) -> tuple[str, Payload, str]:
    return request.id or "", request.payload, request.status
