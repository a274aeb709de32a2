"""The timeline of one era: ended, window closed, signed, accepted, confirmed, or where it stopped and why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from staking_gateway.eras import expires_at_era
from staking_gateway.health.facts import run_of
from staking_gateway.health.state import State, judge_era
from staking_gateway.payout.copies import SEEN_PAID, STATE_WORDS
from staking_gateway.payout.outcomes import WINDOW_REASON, Outcome, hold_of
from staking_gateway.types import ElectionWindow

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from staking_gateway.health.state import Judgement, NetworkState
    from staking_gateway.ledger import Ledger, Payout, TaskFailure
    from staking_gateway.ledger.records import PayoutEvent

ENDED, WINDOW, SIGNED, ACCEPTED, CONFIRMED = "ended", "window closed", "signed", "accepted", "confirmed"
EXPIRED = "expired"


class StepState(str, Enum):
    """Whether a step has happened, is being waited for, or stopped the payout."""

    DONE = "done"
    WAITING = "waiting"
    STOPPED = "stopped"


@dataclass(frozen=True)
class Step:
    """One step of an era.

    :param name: `ended`, `window closed`, `signed`, `accepted`, `confirmed` or `expired`.
    :param at: when the step happened or stopped, UTC; None: unknown.
    :param detail: the facts in one sentence, without a full stop; may be empty.
    :param run: `Actor.run` of the change, such as `staking_payout_devnet/scheduled__era-1392`; None without one.
    :param part: the part of the payout; None for a step of the whole era.
    """

    name: str
    at: datetime | None
    state: StepState
    detail: str = ""
    run: str | None = None
    part: int | None = None

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON. `dag_id` and `run_id` are None unless a run of Airflow made the change."""
        run = run_of(self.run)
        return {
            "name": self.name,
            "at": None if self.at is None else self.at.isoformat(),
            "state": self.state.value,
            "detail": self.detail,
            "run": self.run,
            "dag_id": None if run is None else run.dag_id,
            "run_id": None if run is None else run.run_id,
            "part": self.part,
        }


def era_timeline(era: int, ledger: Ledger, state: NetworkState) -> list[Step]:
    """The steps of an era so far. Only the last steps may be waiting or stopped.

    :raises LedgerError: the ledger could not be read.
    """
    end = state.calendar.end(era)
    if era >= state.active.era:
        return [Step(ENDED, end, StepState.WAITING, f"era {era} has not ended")]
    records = ledger.era_payouts(state.name, era)
    judged = judge_era(era, records, state)
    steps = [Step(ENDED, end, StepState.DONE), *_closed(records)]
    seen = judged.reason == SEEN_PAID
    for record in records:
        if seen and not record.state.settled:
            break
        steps += _of_part(record, ledger.events(record)[-1], judged, state)
        if steps[-1].state is not StepState.DONE:
            break
    if seen:
        steps.append(Step(CONFIRMED, None, StepState.DONE, SEEN_PAID))
    unpaid = judged.state not in (State.PAID, State.IGNORED)
    if unpaid and steps[-1].state is StepState.DONE:
        steps.append(_missing(judged, state.failures.get(era), state.live.window))
    if judged.state is State.EXPIRED:
        lost = state.calendar.start(expires_at_era(era, state.active.history_depth))
        steps.append(Step(EXPIRED, lost, StepState.STOPPED, "its rewards are gone"))
    return steps


def _closed(records: Sequence[Payout]) -> Iterator[Step]:
    """The closed window, by the first signature: nothing is signed while the window is open."""
    copies = [copy for record in records for copy in record.copies]
    if copies:
        first = min(copies, key=lambda copy: copy.signed_at)
        yield Step(WINDOW, first.signed_at, StepState.DONE, "closed when the payout was signed", first.run)


def _of_part(record: Payout, newest: PayoutEvent, judged: Judgement, state: NetworkState) -> Iterator[Step]:
    """The steps of the executed payload, or else of the newest, and where the part stopped."""
    part, hold, failure = record.part, hold_of(record), state.failures.get(record.era)
    copy = None if hold in (Outcome.HELD_WINDOW, Outcome.HELD_FEE) else record.last
    sent, done = record.accepted if copy else None, []
    if copy is not None:
        times = f"; payload {record.copies.index(copy) + 1} of this part" if len(record.copies) > 1 else ""
        what = f"signed with {copy.words(state.token)}{times}"
        done.append(Step(SIGNED, copy.signed_at, StepState.DONE, what, copy.run, part))
    if sent is not None:
        done.append(Step(ACCEPTED, sent.answered_at, StepState.DONE, sent.text or "", sent.run, part))
    yield from done
    if record.state.settled:
        yield Step(CONFIRMED, newest.at, StepState.DONE, newest.cause, newest.run, part)
        return
    name = WINDOW if hold is Outcome.HELD_WINDOW else (SIGNED, ACCEPTED, CONFIRMED)[len(done)]
    if failure is not None and failure.at >= record.updated_at and not judged.in_hand:
        yield Step(name, failure.at, StepState.STOPPED, failure.problem.facts, failure.run, part)
        return
    why = record.reason or STATE_WORDS[record.state]
    yield Step(name, record.updated_at, _pending(judged), why, newest.run, part)


def _missing(judged: Judgement, failure: TaskFailure | None, window: ElectionWindow | None) -> Step:
    """Why nothing was signed, or not for all parts."""
    if judged.in_hand and window is ElectionWindow.OPEN:
        return Step(WINDOW, None, StepState.WAITING, WINDOW_REASON)
    if failure is not None and not judged.in_hand:
        return Step(SIGNED, failure.at, StepState.STOPPED, failure.problem.facts, failure.run)
    return Step(SIGNED, None, _pending(judged), judged.reason)


def _pending(judged: Judgement) -> StepState:
    return StepState.WAITING if judged.in_hand and judged.state is not State.REJECTED else StepState.STOPPED
