"""The judgement of one era: paid, in progress, held, rejected, expired or unpaid, and why.

Page, alerts and commands all use this judgement.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import Enum
from typing import TYPE_CHECKING, Any

from staking_gateway.ledger.records import PayoutState
from staking_gateway.payout.copies import (
    NEVER_TRIED,
    SEEN_PAID,
    STATE_WORDS,
    is_paid,
    is_seen_paid,
    unsettled,
    was_paid,
    why_unpaid,
)
from staking_gateway.payout.decide import PAYS_BY_ITSELF
from staking_gateway.payout.outcomes import Outcome, hold_of
from staking_gateway.text import amount

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from staking_gateway.health.state import NetworkState
    from staking_gateway.ledger import Payout
    from staking_gateway.text import Token

FRESH = timedelta(minutes=5)
"""A sent or planned part with a change within this time counts as in progress, if no run of its era has ended."""


class State(str, Enum):
    """State of an era's payout; the value is its letter on the page."""

    PAID = "P"
    WAITING = "W"
    HELD = "H"
    REJECTED = "R"
    EXPIRED = "X"
    UNKNOWN = "U"
    UNPAID = "O"
    EARLIER = "?"
    IGNORED = "-"

    @property
    def word(self) -> str:
        """The state in one or two words."""
        return _WORDS[self][0]

    @property
    def meaning(self) -> str:
        """Meaning of the word; may be empty."""
        return _WORDS[self][1]


_WORDS = {
    State.PAID: ("paid", ""),
    State.WAITING: ("in progress", "its payment is in progress"),
    State.HELD: (
        "held",
        "not sent: the election window is open, the fee is above your limit, or the gateway lacks the payout method",
    ),
    State.REJECTED: ("rejected", "refused by the gateway or the chain, or held until a person decides"),
    State.EXPIRED: ("expired", "never paid, and its rewards are gone"),
    State.UNKNOWN: ("result unknown", "sent; result unknown"),
    State.UNPAID: ("unpaid", "can still be paid"),
    State.EARLIER: ("status unknown", ""),
    State.IGNORED: ("ignored", "not managed by this installation"),
}
OPEN = (State.WAITING, State.HELD, State.REJECTED, State.UNKNOWN, State.UNPAID, State.EARLIER)
"""States of an era that is unpaid and can be paid."""

_STATES = {
    PayoutState.PLANNED: State.WAITING,
    PayoutState.SIGNED: State.WAITING,
    PayoutState.SUBMITTED: State.WAITING,
    PayoutState.UNKNOWN: State.UNKNOWN,
    PayoutState.HELD: State.HELD,
    PayoutState.REJECTED: State.REJECTED,
}


@dataclass(frozen=True)
class EraRun:
    """A run of an Airflow DAG.

    :param state: as Airflow spells it, e.g. `running`.
    """

    dag_id: str
    run_id: str
    state: str = ""

    @property
    def active(self) -> bool:
        """Whether the run has not ended."""
        return self.state in ("queued", "running")

    def as_dict(self) -> dict[str, str]:
        return {"dag_id": self.dag_id, "run_id": self.run_id, "state": self.state}


@dataclass(frozen=True)
class Judgement:
    """State of an era, and why.

    :param in_hand: its payment is in progress.
    """

    state: State
    reason: str
    in_hand: bool = False

    @property
    def is_unpaid(self) -> bool:
        """Whether the era is unpaid, can be paid, and has no payment in progress."""
        return self.state in OPEN and self.state is not State.EARLIER and not self.in_hand


def judge_era(era: int, records: Sequence[Payout], network: NetworkState) -> Judgement:
    """Judge an ended era by its parts in the ledger."""
    airflow = network.airflow
    expired = era < network.active.expired_before
    if is_paid(records, network.network.payout.parts) or (expired and was_paid(records)):
        return Judgement(State.PAID, _how(records))
    if network.live.automatic:
        return Judgement(State.IGNORED, PAYS_BY_ITSELF)
    if is_seen_paid(records, on_chain=era in network.paid_on_chain):
        return Judgement(State.PAID, SEEN_PAID)
    if expired:
        if records or network.is_expected(era):
            return Judgement(State.EXPIRED, f"never paid, and its rewards are gone; {why_unpaid(records)}")
        return Judgement(State.IGNORED, "ended before this installation started, and too old to be paid")
    run = network.run(era)
    running = run is not None and run.active and not airflow.halted
    record = unsettled(records)
    if record is not None:
        ended = run is not None and not running and not airflow.catching_up
        return _judge_part(record, records, network, running=running, ended=ended)
    if running:
        return Judgement(State.WAITING, "its run waits until the era can be paid", in_hand=True)
    return Judgement(State.UNPAID, why_unpaid(records)) if records else _judge_untried(era, run, network)


def _judge_part(
    record: Payout, records: Sequence[Payout], network: NetworkState, *, running: bool, ended: bool
) -> Judgement:
    # A part that is held until a person decides counts as rejected: no run ends that hold by itself.
    state = State.REJECTED if hold_of(record) is Outcome.REJECTED else _STATES[record.state]
    moves = state in (State.WAITING, State.UNKNOWN) and not ended and network.now - record.updated_at < FRESH
    in_hand = (running or moves) and state is not State.REJECTED
    if state is State.WAITING and not in_hand:
        return Judgement(State.UNPAID, f"{why_unpaid(records)}; no payment is in progress")
    return Judgement(state, record.reason or STATE_WORDS[record.state], in_hand)


def _judge_untried(era: int, run: EraRun | None, network: NetworkState) -> Judgement:
    since = network.network.first_era if network.refused is None else None
    if since is not None and era < since:
        return Judgement(State.IGNORED, "before the network's start_date")
    if run is not None and run.active:
        return Judgement(State.UNPAID, "its run does not go on")
    if run is not None:
        return Judgement(State.UNPAID, f"its run ended ({run.state}) before it paid; see its tasks")
    if network.just_ended(era):
        return Judgement(State.WAITING, "has just ended; its run begins soon", in_hand=True)
    if not network.is_expected(era):
        return Judgement(State.EARLIER, "ended before the first payout of this installation; a catch-up finds out")
    has_none = network.airflow.runs is not None and not network.airflow.catching_up
    return Judgement(State.UNPAID, f"{NEVER_TRIED}, and without a run" if has_none else NEVER_TRIED)


def _how(records: Sequence[Payout]) -> str:
    if any(record.state is PayoutState.CONFIRMED for record in records):
        by = next((record.confirmed_by for record in reversed(records) if record.confirmed_by), None)
        return f"confirmed by {by}" if by else "confirmed"
    return "already paid, from gateway"


@dataclass(frozen=True, kw_only=True)
class PayoutCell(Judgement):
    """The payout of one era, for the page.

    :param lag: seconds from the era's end to the confirmation.
    :param fee: of all confirmed parts, in the smallest unit.
    """

    era: int
    run: EraRun | None
    tx_hash: str | None
    fee: int | None
    lag: float | None
    ended_at: datetime

    def as_dict(self, token: Token | None = None) -> dict[str, Any]:
        """Plain JSON without empty values; `fee_text` is the fee in the token's unit."""
        data = {
            "era": self.era,
            "state": self.state.value,
            "reason": self.reason,
            "in_hand": self.in_hand or None,
            "dag_id": self.run.dag_id if self.run else None,
            "run_id": self.run.run_id if self.run else None,
            "tx_hash": self.tx_hash,
            "fee": None if self.fee is None else str(self.fee),
            "fee_text": None if self.fee is None else amount(self.fee, token),
            "lag": None if self.lag is None else round(self.lag, 1),
            "ended_at": self.ended_at.isoformat(),
        }
        return {name: value for name, value in data.items() if value not in (None, "")}


def payout_cell(
    era: int, judged: Judgement, records: Sequence[Payout], actor: str | None, network: NetworkState
) -> PayoutCell:
    """The cell of a judged era, from its parts in the ledger and `Actor.run` of their last change."""
    run = network.run(era)
    confirmed = [record for record in records if record.state is PayoutState.CONFIRMED]
    last = max((record.confirmed_at for record in confirmed if record.confirmed_at is not None), default=None)
    ended_at = network.calendar.end(era)
    return PayoutCell(
        **vars(judged),
        era=era,
        run=run if run is not None and run.active else run_of(actor) or run,
        tx_hash=next((record.tx_hash for record in reversed(records) if record.tx_hash), None),
        fee=sum(record.fee or 0 for record in confirmed) if confirmed else None,
        lag=None if last is None else max(0.0, (last - ended_at).total_seconds()),
        ended_at=ended_at,
    )


def run_of(actor: str | None) -> EraRun | None:
    """The run of Airflow behind an `Actor.run`; None for a command or a script."""
    dag_id, slash, run_id = (actor or "").partition("/")
    return EraRun(dag_id, run_id) if slash and run_id and " " not in dag_id else None
