"""One cell of the overview: what became of the payout of one era, in a letter, a word and a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import Enum
from typing import TYPE_CHECKING, Any

from staking_gateway.catch_up.plan import is_paid, reason_of, standing, unsettled, was_paid
from staking_gateway.ledger.records import PayoutState
from staking_gateway.payout.outcomes import Outcome, hold_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from staking_gateway.eras.calendar import EraCalendar
    from staking_gateway.ledger import Payout

FRESH = timedelta(minutes=5)
"""A record that was changed so recently has somebody at work on it, whether or not a run of Airflow is known."""
_GRACE = timedelta(minutes=2)
"""How long after it is due a run may take to begin, unless eras are shorter."""


class State(str, Enum):
    """Where the payout of an era stands; the value is its letter."""

    PAID = "P"
    WAITING = "W"
    HELD = "H"
    REJECTED = "R"
    EXPIRED = "X"
    UNKNOWN = "U"
    OWED = "O"
    EARLIER = "?"
    LEFT_ALONE = "-"

    @property
    def word(self) -> str:
        """The same in words."""
        return {"?": "not known to be paid"}.get(self.value, self.name.lower().replace("_", " "))


OPEN = (State.WAITING, State.HELD, State.REJECTED, State.UNKNOWN, State.OWED, State.EARLIER)
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
        """Whether it has not come to its end."""
        return self.state in ("queued", "running")

    def as_dict(self) -> dict[str, str]:
        """Plain JSON."""
        return {"dag_id": self.dag_id, "run_id": self.run_id, "state": self.state}


@dataclass(frozen=True)
class Situation:
    """What it takes to judge any era.

    :param payable: the eras that can be paid.
    :param since: eras before it are nobody's business.
    :param first_known: the oldest era this installation has a record of.
    :param parts: calls an era takes; None repeats until nothing is left.
    :param delay: how long after an era's end its run starts.
    :param runs: era to its latest run; None when nobody knows.
    :param automatic: the chain pays its stakers without being asked.
    :param catching_up: a catch-up run pays what is owed, or is about to.
    """

    calendar: EraCalendar
    now: datetime
    payable: range
    since: int | None
    first_known: int | None
    parts: int | None
    delay: timedelta
    runs: Mapping[int, EraRun] | None
    automatic: bool
    catching_up: bool = False

    def just_ended(self, era: int) -> bool:
        """Whether an era ended so recently that its run may not have begun."""
        end = self.calendar.end(era)
        grace = min(_GRACE, self.calendar.end(era) - self.calendar.start(era))
        return self.now < end + self.delay + grace

    def is_expected(self, era: int) -> bool:
        """Whether an era that was never tried should have been paid by this installation."""
        if self.since is not None:
            return era >= self.since
        return self.first_known is not None and era >= self.first_known


@dataclass(frozen=True)
class PayoutCell:
    """The payout of one era.

    :param in_hand: somebody is at work on it.
    :param lag: seconds from the era's end to the confirmation.
    :param fee: of all confirmed parts, in the smallest unit.
    """

    era: int
    state: State
    reason: str
    in_hand: bool
    run: EraRun | None
    tx_hash: str | None
    fee: int | None
    lag: float | None
    ended_at: datetime

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON; what there is not is left out."""
        told = {
            "era": self.era,
            "state": self.state.value,
            "reason": self.reason,
            "in_hand": self.in_hand or None,
            "dag_id": self.run.dag_id if self.run else None,
            "run_id": self.run.run_id if self.run else None,
            "tx_hash": self.tx_hash,
            "fee": None if self.fee is None else str(self.fee),
            "lag": None if self.lag is None else round(self.lag, 1),
            "ended_at": self.ended_at.isoformat(),
        }
        return {name: value for name, value in told.items() if value not in (None, "")}


def payout_cell(era: int, records: Sequence[Payout], actor: str | None, situation: Situation) -> PayoutCell:
    """Judge an era.

    :param records: its parts in the ledger.
    :param actor: who made the last change of them, see `Actor.run`.
    """
    run = situation.runs.get(era) if situation.runs is not None else None
    state, reason, in_hand = _judge(era, records, run, situation)
    confirmed = [record for record in records if record.state is PayoutState.CONFIRMED]
    last = max((record.confirmed_at for record in confirmed if record.confirmed_at is not None), default=None)
    ended_at = situation.calendar.end(era)
    return PayoutCell(
        era=era,
        state=state,
        reason=reason,
        in_hand=in_hand,
        run=run if run is not None and run.active else _run_of(actor) or run,
        tx_hash=next((record.tx_hash for record in reversed(records) if record.tx_hash), None),
        fee=sum(record.fee or 0 for record in confirmed) if confirmed else None,
        lag=None if last is None else max(0.0, (last - ended_at).total_seconds()),
        ended_at=ended_at,
    )


def _judge(era: int, records: Sequence[Payout], run: EraRun | None, situation: Situation) -> tuple[State, str, bool]:
    if is_paid(records, situation.parts):
        return State.PAID, _how(records), False
    if era < situation.payable.start:
        return _judge_old(era, records, situation)
    if situation.automatic:
        return State.LEFT_ALONE, "this chain pays its stakers by itself", False
    running = run is not None and run.active
    record = unsettled(records)
    if record is not None:
        in_hand = running or situation.now - record.updated_at < FRESH
        state = _state_of(record)
        if state is State.WAITING and not in_hand:
            return State.OWED, f"{standing(records)}; nobody is at work on it", False
        return state, reason_of(record) or _WAITING[record.state], in_hand
    if running:
        return State.WAITING, "its run waits until the era can be paid", True
    if records:
        return State.OWED, standing(records), False
    return _judge_untried(era, run, situation)


def _state_of(record: Payout) -> State:
    """A part that is held until a person decides is shown as rejected: no run ends that hold by itself."""
    return State.REJECTED if hold_of(record) is Outcome.REJECTED else _STATES[record.state]


_WAITING = {
    PayoutState.PLANNED: "about to be signed",
    PayoutState.SIGNED: "signed, being sent",
    PayoutState.SUBMITTED: "sent, to be confirmed",
    PayoutState.UNKNOWN: "sent; result unknown",
    PayoutState.HELD: "held back",
    PayoutState.REJECTED: "rejected",
}


def _judge_old(era: int, records: Sequence[Payout], situation: Situation) -> tuple[State, str, bool]:
    if was_paid(records):
        return State.PAID, _how(records), False
    if records or situation.is_expected(era):
        return State.EXPIRED, f"never paid, and its rewards are gone; {standing(records)}", False
    return State.LEFT_ALONE, "from before this installation, and too old to be paid", False


def _judge_untried(era: int, run: EraRun | None, situation: Situation) -> tuple[State, str, bool]:
    if situation.since is not None and era < situation.since:
        return State.LEFT_ALONE, "before the network's start_date", False
    if run is not None:
        return State.OWED, f"its run has ended ({run.state}) before it began to pay; see its tasks", False
    if situation.just_ended(era):
        return State.WAITING, "has just ended; its run is about to begin", True
    if not situation.is_expected(era):
        return State.EARLIER, "from before the first payout here; a catch-up finds out", False
    by = "a catch-up is paying what is owed" if situation.catching_up else "no run"
    return State.OWED, f"no payout in the ledger, and {by}", False


def _how(records: Sequence[Payout]) -> str:
    if any(record.state is PayoutState.CONFIRMED for record in records):
        by = next((record.confirmed_by for record in reversed(records) if record.confirmed_by), None)
        return f"confirmed by {by}" if by else "confirmed"
    return "was paid already, the gateway says"


def _run_of(actor: str | None) -> EraRun | None:
    """The run an actor of the ledger names, or None for a command or a script."""
    dag_id, slash, run_id = (actor or "").partition("/")
    return EraRun(dag_id, run_id) if slash and run_id and " " not in dag_id else None
