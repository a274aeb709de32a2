"""Whether one era is paid, and whether its nonces and fees were used, by what ledger, gateway and chain say.

An executed payload uses a staking nonce of the user, and a charged fee a payment nonce of the payer. So the chain's next nonce tells whether
a payload was executed. A nonce below it that no record has was used by something else.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

from staking_gateway.books.sides import Result, agreed, unknown
from staking_gateway.ledger import PayoutState
from staking_gateway.payout.copies import in_flight
from staking_gateway.payout.standing import is_paid, was_paid, why_unpaid
from staking_gateway.types import NonceKind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from staking_gateway.books.sides import Requests, Sides
    from staking_gateway.ledger import Payout, Reconciliation

SETTLED = timedelta(minutes=5)
"""A payout that was settled within this time may be missing in the state that a node reads."""
_A_MOMENT_AGO = "paid a moment ago, and the node may not have the block yet"


def executed(records: Sequence[Payout]) -> list[Payout]:
    """The parts that the ledger says were executed."""
    return [part for part in records if part.state is PayoutState.CONFIRMED]


def _is_fresh(records: Sequence[Payout], now: datetime) -> bool:
    return any(now - (part.confirmed_at or part.updated_at) < SETTLED for part in records if part.state.settled)


# --- whether it is paid -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Claims:
    """What ledger, gateway and chain say about an era.

    :param records: the ledger's parts; `requests` the gateway's states of their requests, by part.
    :param on_chain: whether the era is paid; None: unknown. `why` says why it is unknown.
    :param parts: calls per era; None repeats until nothing is left.
    :param expected: this installation should have paid the era.
    :param automatic: the chain pays its stakers by itself.
    """

    records: Sequence[Payout]
    requests: Mapping[int, Requests]
    on_chain: bool | None
    why: str
    parts: int | None
    expected: bool
    automatic: bool
    now: datetime

    @property
    def is_paid(self) -> bool:
        """Whether the era is paid by the ledger."""
        return is_paid(self.records, self.parts) or was_paid(self.records)

    @property
    def ledger_says(self) -> str:
        if not self.records:
            return "no payout"
        if not self.is_paid:
            return f"unpaid: {why_unpaid(self.records)}"
        proofs = ", ".join(part.tx_hash or f"request {part.request_id}" for part in executed(self.records))
        return f"paid, {proofs}" if proofs else "paid by something else"


def execution(sides: Sides, era: int, claims: Claims) -> Reconciliation:
    """Compare whether the era is paid."""
    return sides.row(
        era,
        "execution",
        judge_paid(claims) if claims.is_paid else judge_unpaid(claims),
        ledger=claims.ledger_says,
        gateway=", ".join(filter(None, map(str, claims.requests.values()))) or None,
        chain={True: "paid", False: "unpaid", None: None}[claims.on_chain],
    )


def judge_paid(claims: Claims) -> Result:
    """The result about an era that the ledger counts as paid."""
    ours = executed(claims.records)
    for states in claims.requests.values():
        if len(states.processed) > 1:
            both = " and ".join(states.processed)
            return Result(False, "paid_twice", f"the ledger has one payout, and the gateway executed requests {both}")
    failed = next((claims.requests[part.part] for part in ours if claims.requests[part.part].all_failed), None)
    if failed is not None and claims.on_chain is not True:
        return Result(False, "unpaid_green", f"the ledger says paid, and the gateway says that {failed}")
    if claims.on_chain is None:
        return unknown(f"the ledger says paid, and the chain is unknown: {claims.why}")
    if claims.on_chain:
        if not ours and not claims.automatic:
            return Result(True, "paid_elsewhere", "paid on the chain by something else, as the ledger says")
        return agreed("paid, by ledger and chain")
    if _is_fresh(claims.records, claims.now):
        return unknown(_A_MOMENT_AGO)
    return Result(False, "unpaid_green", f"the ledger says {claims.ledger_says}, and the chain says unpaid")


def judge_unpaid(claims: Claims) -> Result:
    """The result about an era that the ledger does not count as paid."""
    if any(in_flight(part) for part in claims.records):
        return unknown("a payload may still execute; compare again when it is settled")
    if claims.on_chain is None:
        return unknown(f"the ledger says {claims.ledger_says}, and the chain is unknown: {claims.why}")
    if not claims.on_chain:
        return agreed("unpaid, by ledger and chain")
    if claims.automatic:
        return agreed("paid by the chain itself")
    if executed(claims.records):
        return unknown("paid on the chain; `airflow staking pay` finds out whether the ledger has all parts")
    if not claims.records and not claims.expected:
        return unknown("paid on the chain, before the first payout of this installation")
    return Result(False, "paid_elsewhere", f"the ledger says {claims.ledger_says}, and the chain says paid")


# --- its nonces and fees ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Nonces:
    """The nonces of one account.

    :param told: the chain's next nonce; None: unknown. `why` says why it is unknown.
    :param foreign: era to the used nonces that no record has: those before its own nonce, or after the last nonce on record.
    :param explained: the ledger itself knows as many calls of something else as there are such nonces.
    """

    told: int | None
    why: str = ""
    foreign: Mapping[int, Sequence[range]] = field(default_factory=dict)
    explained: bool = False

    @property
    def chain_says(self) -> str | None:
        return None if self.told is None else f"the next nonce is {self.told}"


def read_nonces(sides: Sides) -> tuple[Nonces, Nonces]:
    """The nonces of a network's user, for payloads, and of its payer, for fees.

    The chain's nonce is read first: a payload is in the ledger before it is sent.
    """
    ledger, network = sides.ledger, sides.network
    accounts = ((network.user_account, NonceKind.STAKING), (network.payer_account, NonceKind.PAYMENT))
    told = [sides.ask(lambda reader, key=key, kind=kind: reader.nonce(key, kind)) for key, kind in accounts]  # type: ignore[misc]
    why = sides.node_problem or "the runtime keeps no such nonces"
    chain, calls = ledger.known_chain(sides.name) or sides.name, network.payout.parts
    known = sum(max((calls or 1) - own, 0) for own in ledger.eras_found_paid(sides.name).values())
    found = []
    for nonce, (account, kind) in zip(told, accounts, strict=True):
        foreign = {} if nonce is None else unrecorded(sides.name, nonce, ledger.nonces_on_record(chain, account, kind))
        number = sum(len(some) for ranges in foreign.values() for some in ranges)
        enough = known > 0 if calls is None else number <= known
        found.append(Nonces(nonce, why, foreign, explained=enough))
    return found[0], found[1]


def unrecorded(name: str, told: int, on_record: Sequence[tuple[int, str, int]]) -> dict[int, list[range]]:
    """The used nonces that no record has, by the era of the record after them, or of the last record.

    Nonces before the first record are older than this installation.

    :param told: the chain's next nonce.
    :param on_record: nonce, network and era of each record, in the order of the nonces.
    """
    found: dict[int, list[range]] = defaultdict(list)
    for (before, _, _), (nonce, network, era) in pairwise(on_record):
        if nonce > before + 1 and nonce <= told and network == name:
            found[era].append(range(before + 1, nonce))
    if on_record:
        last, network, era = on_record[-1]
        if told > last + 1 and network == name:
            found[era].append(range(last + 1, told))
    return dict(found)


def nonces(sides: Sides, era: int, records: Sequence[Payout], user: Nonces) -> list[Reconciliation]:
    """Compare the staking nonces of an era; nothing for an era without an executed payload."""
    foreign = user.foreign.get(era, ())
    own = [part.staking_nonce for part in executed(records) if part.staking_nonce is not None]
    if not own and not foreign:
        return []
    result = _of_own(own, user, "unpaid_green", "executed the payout", who="user", fresh=_is_fresh(records, sides.now))
    if foreign and result.agrees:
        used = (
            f"the chain has used {_words(foreign, 'staking')} of the user, and no record of the ledger has it: something "
            "else pays with this user, or it signed something else"
        )
        known = f"{used}; the ledger knows as many such payouts"
        result = Result(True, "paid_elsewhere", known) if user.explained else Result(False, "paid_elsewhere", used)
    return [sides.row(era, "nonces", result, ledger=_listed(own), chain=user.chain_says)]


def fees(sides: Sides, era: int, records: Sequence[Payout], payer: Nonces) -> list[Reconciliation]:
    """Compare the number of charged fees of an era; nothing for an era without a fee. No side stores what a fee amounted to."""
    foreign, paid = payer.foreign.get(era, ()), executed(records)
    own = [part.payment_nonce for part in paid if part.payment_nonce is not None]
    if not own and not foreign:
        return []
    result = _of_own(own, payer, "fee_differs", "charged the fee", who="payer", fresh=_is_fresh(records, sides.now))
    if foreign:
        text = f"the chain has charged {_words(foreign, 'payment')} of the payer, and no record of the ledger has it"
        result = Result(False, "fee_differs", text)
    fee = None if any(part.fee is None for part in paid) else str(sum(part.fee or 0 for part in paid))
    says = None if fee is None or not paid else f"{fee} for {_listed(own)}"
    return [sides.row(era, "fee", result, ledger=says, chain=payer.chain_says)]


def _of_own(own: Sequence[int], account: Nonces, finding: str, did: str, *, who: str, fresh: bool) -> Result:
    told = account.told
    if told is None:
        return unknown(f"the {who}'s nonce on the chain is unknown: {account.why}")
    unused = [nonce for nonce in own if nonce >= told]
    if not unused:
        return agreed("the chain has used the nonces of the ledger, and no other")
    if fresh:
        return unknown(_A_MOMENT_AGO)
    text = f"the ledger says that the chain has {did} with {_listed(unused)}, and the chain's next nonce is {told}"
    return Result(False, finding, text)


def _listed(own: Sequence[int]) -> str | None:
    return f"nonce {', '.join(map(str, own))}" if own else None


def _words(ranges: Sequence[range], kind: str) -> str:
    listed = ", ".join(f"{some[0]}" if len(some) == 1 else f"{some[0]} to {some[-1]}" for some in ranges)
    return f"the {kind} nonce{'s' if sum(map(len, ranges)) > 1 else ''} {listed}"
