"""Whether an era is paid, by ledger, gateway and chain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from staking_gateway.books.verdict import SETTLED, Judgement, Verdict, agreed, unknown
from staking_gateway.ledger import PayoutState
from staking_gateway.payout.copies import in_flight
from staking_gateway.payout.standing import is_paid, was_paid, why_unpaid

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from staking_gateway.books.witnesses import Requests
    from staking_gateway.ledger import Payout

_CHAIN_WORDS: dict[bool | None, str | None] = {True: "paid", False: "unpaid", None: None}


@dataclass(frozen=True)
class Sides:
    """What the three sides say about an era.

    :param records: the ledger's parts.
    :param requests: the gateway's states of their requests, by part.
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
    def ours(self) -> list[Payout]:
        """The executed parts."""
        return executed(self.records)

    @property
    def is_paid(self) -> bool:
        return is_paid(self.records, self.parts) or was_paid(self.records)

    @property
    def ledger_says(self) -> str:
        if not self.records:
            return "no payout"
        if not self.is_paid:
            return f"unpaid: {why_unpaid(self.records)}"
        proofs = ", ".join(part.tx_hash or f"request {part.request_id}" for part in self.ours)
        return f"paid, {proofs}" if proofs else "paid by something else"


def executed(records: Sequence[Payout]) -> list[Payout]:
    """The parts that the ledger says were executed."""
    return [part for part in records if part.state is PayoutState.CONFIRMED]


def is_fresh(records: Sequence[Payout], now: datetime) -> bool:
    """Whether a part was settled so lately that a node may not have the block yet."""
    return any(now - (part.confirmed_at or part.updated_at) < SETTLED for part in records if part.state.settled)


def execution(sides: Sides) -> Verdict:
    """Compare whether the era is paid."""
    return Verdict(
        "execution",
        _judge_paid(sides) if sides.is_paid else _judge_unpaid(sides),
        ledger=sides.ledger_says,
        gateway=", ".join(filter(None, map(str, sides.requests.values()))) or None,
        chain=_CHAIN_WORDS[sides.on_chain],
    )


def _judge_paid(sides: Sides) -> Judgement:
    for states in sides.requests.values():
        if len(states.processed) > 1:
            both = " and ".join(states.processed)
            return Judgement(
                False, "paid_twice", f"the ledger has one payout, and the gateway executed requests {both}"
            )
    failed = next((sides.requests[part.part] for part in sides.ours if sides.requests[part.part].all_failed), None)
    if failed is not None and sides.on_chain is not True:
        return Judgement(False, "unpaid_green", f"the ledger says paid, and the gateway says that {failed}")
    if sides.on_chain is None:
        return unknown(f"the ledger says paid, and the chain is unknown: {sides.why}")
    if sides.on_chain:
        if not sides.ours and not sides.automatic:
            return Judgement(True, "paid_elsewhere", "paid on the chain by something else, as the ledger says")
        return agreed("paid, by ledger and chain")
    if is_fresh(sides.records, sides.now):
        return unknown("paid a moment ago, and the node may not have the block yet")
    return Judgement(False, "unpaid_green", f"the ledger says {sides.ledger_says}, and the chain says unpaid")


def _judge_unpaid(sides: Sides) -> Judgement:
    if any(in_flight(part) for part in sides.records):
        return unknown("a payload may still execute; compare again when it is settled")
    if sides.on_chain is None:
        return unknown(f"the ledger says {sides.ledger_says}, and the chain is unknown: {sides.why}")
    if not sides.on_chain:
        return agreed("unpaid, by ledger and chain")
    if sides.automatic:
        return agreed("paid by the chain itself")
    if sides.ours:
        return unknown("paid on the chain; `airflow staking pay` finds out whether the ledger has all parts")
    if not sides.records and not sides.expected:
        return unknown("paid on the chain, before the first payout of this installation")
    return Judgement(False, "paid_elsewhere", f"the ledger says {sides.ledger_says}, and the chain says paid")
