"""What ledger, gateway and chain say about one era: whether it is paid, and whether its nonces and fees were used. An executed payload uses a
staking nonce of the user, and a charged fee a payment nonce of the payer: a nonce below the chain's next one that no record has was used by others.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from typing import TypeAlias, TypeVar

from staking_gateway.chain import ChainReader
from staking_gateway.config.models import NetworkConfig
from staking_gateway.errors import ChainError, GatewayError
from staking_gateway.gateway.gateway import Gateway
from staking_gateway.ledger import Actor, Ledger, Payout, PayoutState
from staking_gateway.ledger.records import Reconciliation
from staking_gateway.payout.copies import in_flight, is_paid, was_paid, why_unpaid
from staking_gateway.types import NonceKind, RequestStatus

T = TypeVar("T")
SETTLED = timedelta(minutes=5)
"""A payout that was settled within this time may be missing in the state that a node reads."""
_A_MOMENT_AGO = "paid a moment ago, and the node may not have the block yet"

Result: TypeAlias = tuple[str, str]
"""The result of a comparison: a word of `Reconciliation.finding`, and a sentence."""
_AGREES = {"agrees": True, "unknown": None}
"""Any other finding is a difference."""


@dataclass
class Sides:
    """Ledger, gateway and chain of a network at one moment. A dead gateway or node costs one time-out: nothing more is asked after its first failure.

    :ivar active_era: by the node; None before its first answer.
    :ivar node_problem: why the node is not asked any more, with its `failure`; likewise `gateway_problem`.
    """

    name: str
    network: NetworkConfig
    ledger: Ledger
    gateway: Gateway | None
    node: ChainReader | None
    actor: Actor
    now: datetime
    active_era: int | None = None
    node_problem: str = ""
    gateway_problem: str = ""
    failure: ChainError | None = None

    def ask(self, read: Callable[[ChainReader], T]) -> T | None:
        """The chain's answer; None after a failure."""
        if self.node is None or self.node_problem:
            return None
        try:
            if self.active_era is None:
                self.active_era = self._era_near_calendar(self.node)
            return read(self.node)
        except ChainError as error:
            self.node_problem, self.failure = error.problem.facts, error
            return None

    def _era_near_calendar(self, node: ChainReader) -> int:
        active, expected = node.state().active_era, self.network.calendar.era_or_none(self.now)
        if expected is not None and abs(active - expected) > self.network.calendar_settings.max_drift:
            problem = (
                f"node {node.name}: era {active} is active by the node, era {expected} by the calendar, so the node is not "
                "asked: it may belong to another chain, or be out of date"
            )
            raise ChainError(problem, method="active era")
        return active

    def request_states(self, part: Payout) -> dict[str, RequestStatus | None]:
        """The gateway's states of all requests of a part; None where it tells no end. A send without a request is the key ''."""
        sent = dict.fromkeys(send.request_id or "" for copy in part.copies for send in copy.sends)
        return {request: self._end_of(request) for request in sent}

    def _end_of(self, request: str) -> RequestStatus | None:
        if not request or self.gateway is None or self.gateway_problem:
            return None
        try:
            status = self.gateway.request_state(request).status
        except GatewayError as error:
            self.gateway_problem = error.problem.facts
            return None
        return status if status.succeeded or status.failed else None

    def row(self, era: int, subject: str, result: Result, **says: str | None) -> Reconciliation:
        """A result as a row of the ledger, with what each side says."""
        finding, text = result
        return Reconciliation(
            network=self.name,
            era=era,
            subject=subject,  # type: ignore[arg-type]
            agrees=_AGREES.get(finding, False),
            finding=finding,  # type: ignore[arg-type]
            text=f"era {era}: {text}",
            checked_at=self.now,
            run=str(self.actor),
            **says,
        )

    def store(self, rows: Sequence[Reconciliation]) -> list[Reconciliation]:
        """Store results, but no unknown one over a known one: the chain forgets. Returns them, with known differences in place of unknown ones."""
        if not rows:
            return []
        eras = range(min(row.era for row in rows), max(row.era for row in rows) + 1)
        stored = self.ledger.facts.rows(Reconciliation, self.name, eras)
        known = {(row.era, row.subject): row for row in stored if row.agrees is not None}
        kept = [known.get((row.era, row.subject), row) if row.agrees is None else row for row in rows]
        self.ledger.facts.note(*(row for row, one in zip(rows, kept, strict=True) if one is row))
        return [row if one.agrees else one for row, one in zip(rows, kept, strict=True)]


def executed(records: Sequence[Payout]) -> list[Payout]:
    return [part for part in records if part.state is PayoutState.CONFIRMED]


def _is_fresh(records: Sequence[Payout], now: datetime) -> bool:
    return any(now - (part.confirmed_at or part.updated_at) < SETTLED for part in records if part.state.settled)


def execution(
    sides: Sides, era: int, records: Sequence[Payout], on_chain: bool | None, *, expected: bool, automatic: bool
) -> Reconciliation:
    """Compare whether the era is paid. The chain says `on_chain`, or pays by itself (`automatic`). This installation should pay an `expected` era."""
    ours = executed(records)
    proofs = ", ".join(part.tx_hash or f"request {part.request_id}" for part in ours)
    by_ledger = is_paid(records, sides.network.payout.parts) or was_paid(records)
    says = f"unpaid: {why_unpaid(records)}" if records else "no payout"
    if by_ledger:
        says = f"paid, {proofs}" if proofs else "paid by something else"
    requests = {part.part: sides.request_states(part) for part in records}
    done = [[one for one, status in states.items() if status and status.succeeded] for states in requests.values()]
    twice = next((some for some in done if len(some) > 1), None)
    refused = [
        states
        for part in ours
        if (states := requests[part.part]) and all(status and status.failed for status in states.values())
    ]
    if not by_ledger and any(in_flight(part) for part in records):
        result: Result = ("unknown", "a payload may still execute; compare again when it is settled")
    elif twice:
        text = f"the ledger has one payout, and the gateway executed requests {' and '.join(twice)}"
        result = "paid_twice", text
    elif on_chain is None and by_ledger and refused:
        result = "unpaid_green", f"the ledger says paid, and the gateway says that {_words_of(refused[0])}"
    elif on_chain is None:
        why = sides.node_problem or "its storage does not show this era"
        result = "unknown", f"the ledger says {says}, and the chain is unknown: {why}"
    elif on_chain is by_ledger:
        result = "agrees", f"{'paid' if on_chain else 'unpaid'}, by ledger and chain"
    elif by_ledger and _is_fresh(records, sides.now):
        result = "unknown", _A_MOMENT_AGO
    elif by_ledger:
        result = "unpaid_green", f"the ledger says {says}, and the chain says unpaid"
    elif automatic:
        result = "agrees", "paid by the chain itself"
    else:
        result = _of_others(records, says, expected=expected)
    return sides.row(
        era,
        "execution",
        result,
        ledger_says=says,
        gateway_says=", ".join(filter(None, map(_words_of, requests.values()))) or None,
        chain_says={True: "paid", False: "unpaid", None: None}[on_chain],
    )


def _of_others(records: Sequence[Payout], says: str, *, expected: bool) -> Result:
    """Of an era that is paid on the chain, and not by the ledger."""
    if executed(records):
        return "unknown", "paid on the chain; whether the ledger has all parts is unknown"
    if not records and not expected:
        return "unknown", "paid on the chain, before the first payout of this installation"
    return "paid_elsewhere", f"the ledger says {says}, and the chain says paid"


def _words_of(states: Mapping[str, RequestStatus | None]) -> str:
    return ", ".join(f"request {one} is {status.value}" for one, status in states.items() if status)


_SUBJECTS = {
    NonceKind.PAYMENT: ("fee", "fee_differs", "fee_differs", "payer"),
    NonceKind.STAKING: ("nonces", "unpaid_green", "paid_elsewhere", "user"),
}
"""What the nonces of an account tell: the subject, the findings if the chain has not used them or used others too, and whose they are."""


@dataclass(frozen=True)
class Nonces:
    """The nonces of the user for payloads, or of the payer for fees.

    :param told: the chain's next nonce; None: unknown. `foreign`: used nonces that no record has, by era, as of `unrecorded`.
    :param explained: the ledger itself knows as many calls of something else as there are such nonces.
    """

    kind: NonceKind
    told: int | None
    foreign: Mapping[int, Sequence[range]] = field(default_factory=dict)
    explained: bool = False


def read_nonces(sides: Sides) -> list[Nonces]:
    """The nonces of a network's payer and user. The chain's is read first: a payload is in the ledger before it is sent."""
    ledger, network = sides.ledger, sides.network
    accounts = {NonceKind.PAYMENT: network.payer, NonceKind.STAKING: network.user}
    told = {kind: sides.ask(lambda reader, kind=kind: reader.nonce(accounts[kind], kind)) for kind in accounts}  # type: ignore[misc]
    chain, calls = ledger.known_chain(sides.name) or sides.name, network.payout.parts
    known = sum(max((calls or 1) - own, 0) for own in ledger.eras_found_paid(sides.name).values())
    found = []
    for kind, nonce in told.items():
        on_record = ledger.nonces_on_record(chain, accounts[kind], kind)
        foreign = {} if nonce is None else unrecorded(sides.name, nonce, on_record)
        number = sum(len(some) for ranges in foreign.values() for some in ranges)
        explained = known > 0 if calls is None else number <= known
        found.append(Nonces(kind, nonce, foreign, explained=explained))
    return found


def unrecorded(name: str, told: int, on_record: Sequence[tuple[int, str, int]]) -> dict[int, list[range]]:
    """The used nonces after the first record that no record has, by the era of the record after them, or of the last record. `on_record` has nonce,
    network and era of each record, in the order of the nonces.
    """
    found: dict[int, list[range]] = defaultdict(list)
    if not on_record:
        return {}
    newest = (told, *on_record[-1][1:])
    for (before, _, _), (nonce, network, era) in pairwise([*on_record, newest]):
        if before + 1 < nonce <= told and network == name:
            found[era].append(range(before + 1, nonce))
    return dict(found)


def nonces(sides: Sides, era: int, records: Sequence[Payout], account: Nonces) -> list[Reconciliation]:
    """Compare the used nonces of an account; nothing for an era without any. No side stores what a fee amounted to."""
    subject, if_unused, if_foreign, who = _SUBJECTS[account.kind]
    of_user, told, foreign = account.kind is NonceKind.STAKING, account.told, account.foreign.get(era, ())
    paid = executed(records)
    used = [part.last.staking_nonce if of_user else part.last.payment_nonce for part in paid if part.last]
    own = [nonce for nonce in used if nonce is not None]
    if not own and not foreign:
        return []
    unused = [nonce for nonce in own if told is not None and nonce >= told]
    if told is None:
        why = sides.node_problem or "the runtime keeps no such nonces"
        result = "unknown", f"the {who}'s nonce on the chain is unknown: {why}"
    elif unused and _is_fresh(records, sides.now):
        result = "unknown", _A_MOMENT_AGO
    elif unused:
        text = f"the ledger says that the chain has used the {who}'s {_listed(unused)}, and the next is {told}"
        result = if_unused, text
    elif foreign and of_user and account.explained:
        result = "agrees", f"something else used {_words(foreign, 'staking')}; the ledger knows as many such payouts"
    elif foreign:
        used_by_others = f"{_words(foreign, account.kind.value)} of the {who}"
        result = if_foreign, f"the chain has used {used_by_others}, and no record of the ledger has it"
    else:
        result = "agrees", "the chain has used the nonces of the ledger, and no other"
    says = _listed(own)
    if not of_user:
        known_fees = bool(paid) and all(part.fee is not None for part in paid)
        says = f"{sum(part.fee or 0 for part in paid)} for {says}" if known_fees else None
    chain = None if told is None else f"the next nonce is {told}"
    return [sides.row(era, subject, result, ledger_says=says, chain_says=chain)]


def _listed(own: Sequence[int]) -> str | None:
    return f"nonce {', '.join(map(str, own))}" if own else None


def _words(ranges: Sequence[range], kind: str) -> str:
    listed = ", ".join(f"{some[0]}" if len(some) == 1 else f"{some[0]} to {some[-1]}" for some in ranges)
    return f"the {kind} nonce{'s' if sum(map(len, ranges)) > 1 else ''} {listed}"
