"""What happens around the processes: the gateway's door, the chain, the clock, the operator, and faults."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any

from staking_gateway.errors import SendAnswer
from staking_gateway.ledger.records import Payout
from staking_gateway.payout.evidence import Me
from staking_gateway.payout.terms import ConfirmBy, PayoutTerms
from staking_gateway.signing import Proofs
from tests.proof.explore import ledger
from tests.proof.explore.scenario import Bounds, Era, Scenario, Settings
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
    Book,
    Chain,
    Payload,
    Process,
    Request,
    State,
    Table,
    record,
)

_PARTS = 3
"""Parts of an era that is paid until nothing is left."""


def chain_of(era: Era) -> str:
    """The ledger's name of an era's chain. An alias is another name of the same chain."""
    return f"c{era.lane}" + "'" * era.alias


def lane_of(chain: str) -> int:
    """The number of the chain with this name."""
    return int(chain[1:].rstrip("'"))


class _Given(Proofs):
    """Ready-made proofs whose staking nonce no signature shows."""

    def nonce_near(self, *_: Any) -> int | None:
        return self.staking_nonce


@dataclass(frozen=True, eq=False)
class Who:
    """A run with one of the operator's settings: what `decide` is told of it, for a part of its own or for another."""

    me: Me
    terms: PayoutTerms


@dataclass(eq=False)
class Slot:
    """Where a run's processes live, one at a time.

    :param parts: the places of its parts; `own` and `other` by settings.
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
        self.values = Table()
        self.of = self.values.values_by_number
        self.parts = scenario.parts or _PARTS
        self.records: list[Payout] = []
        self.slots: list[Slot] = []
        final = min(scenario.final, 1) + 1
        grace, _, settle = scenario.times
        seen = final + scenario.lag - 1 + (2 if scenario.bounds.slow else 0)
        if scenario.node:  # rule 7 waits twice
            seen *= 2
        self.horizon = ledger.Horizon(
            seen,
            max(grace, settle, scenario.times[1]),
            settle if len({(one.user, one.payer) for era in scenario.eras for one in era.settings}) > 1 else seen,
            scenario.bounds.reused > 0 or (scenario.bounds.slow > 0 and len(scenario.eras) > 1),
        )
        self.remembers = scenario.lag + (2 if scenario.bounds.slow else 0)
        everyone = [one for era in scenario.eras for one in era.settings]
        self._users = 1 + max(one.user for one in everyone)
        self._payers = 1 + max(one.payer for one in everyone)
        self._lanes = 1 + max(era.lane for era in scenario.eras)
        self._fewer = cache(self._one_fewer)
        self._matters: dict[Any, int] = {}
        self._sends = cache(lambda number: ledger.sends_of([self.of[number]]))
        for number, era in enumerate(scenario.eras):
            self._add(number, era)
        self.first_process = FIRST_PART + len(self.records)

    def _add(self, number: int, era: Era) -> None:
        first, chosen = len(self.records), era.settings[0]
        keys = f"u{chosen.user}", f"p{chosen.payer}", f"r{chosen.relayer}"
        index = ACTIVE - len(self.scenario.eras) + number
        places = tuple(range(first, first + self.parts))
        for part, place in enumerate(places):
            self.records.append(record(place, f"n{era.network}", chain_of(era), index, part, keys=keys))
        for run in range(era.runs + bool(self.scenario.bounds.again)):
            again = run == era.runs
            name = f"era {number}" + (" again" if again else f" run {run + 1}" if era.runs > 1 else "")
            slot = Slot(name, number, places, again)
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
        if settings.given is not None:
            one = settings.given
            signature = f"0x0{slot.era}{len(slot.own)}"
            known = (one.staking, one.fee) if one.known else (None, None)
            given = _Given(signature, signature, one.payment, *known)
        keys = f"u{settings.user}", f"p{settings.payer}", f"r{settings.relayer}"
        for own, mine in ((True, slot.own), (False, slot.other)):
            me = Me(name, 1, *keys, given, own)
            mine.append(Who(me, terms))

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

    def with_part(self, state: State, place: int, number: int) -> State:
        """The same state with another version of a part, which has this number."""
        return (*state[: FIRST_PART + place], number, *state[FIRST_PART + place + 1 :])

    def settings(self, state: State, slot: int) -> int:
        """Which of the operator's settings hold for a run."""
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
        """How many sends the ledger has counted."""
        return sum(map(self._sends, state[FIRST_PART : self.first_process]))

    def payload(self, place: int, copy: Any) -> Payload:
        """What a copy's signatures are over."""
        era = self.scenario.eras[self.era_of(place)]
        staking, fee = copy.staking_nonce, copy.fee
        given = era.settings[int(copy.proxy_signature[-1])].given if copy.proxy_signature else None
        if given is not None:
            staking, fee = given.staking, given.fee
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
        return tuple(sorted(kept, key=order))

    @staticmethod
    def _holds(process: Process | None) -> bool:
        """Whether a process has an answer that it has not stored yet."""
        return process is not None and process.stage == "heard"


def order(request: Request) -> tuple[str, Payload, str]:
    return request.id or "", request.payload, request.status
