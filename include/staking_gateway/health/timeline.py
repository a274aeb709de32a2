"""The timeline of one era: its end, the changes of its parts in the ledger, and where it is paid no further, and why."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from staking_gateway.eras import expires_at_era
from staking_gateway.health.facts import run_of
from staking_gateway.health.state import NetworkState, State, judge_era
from staking_gateway.payout.copies import SEEN_PAID

if TYPE_CHECKING:
    from staking_gateway.ledger import Ledger

DONE, WAITING, STOPPED = "done", "waiting", "stopped"


@dataclass(frozen=True)
class Step:
    """One step of an era.

    :param name: `ended`, the state of a part such as `signed` or `confirmed`, `failed`, or the era's own state, such as `unpaid`.
    :param at: when, UTC; None: unknown.
    :param state: `done`, or of the last step also `waiting` or `stopped`.
    :param detail: the facts in one sentence, without a full stop; may be empty.
    :param run: `Actor.run` of the change, such as `staking_payout_devnet/scheduled__era-1392`; None without one.
    :param part: the part of the payout; None for a step of the whole era.
    """

    name: str
    at: datetime | None
    state: str = DONE
    detail: str = ""
    run: str | None = None
    part: int | None = None

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON. `dag_id` and `run_id` are None unless a run of Airflow made the change."""
        run = run_of(self.run)
        by = {"dag_id": None if run is None else run.dag_id, "run_id": None if run is None else run.run_id}
        return {**asdict(self), "at": None if self.at is None else self.at.isoformat(), **by}


def era_timeline(era: int, ledger: Ledger, state: NetworkState) -> list[Step]:
    """The steps of an era so far.

    :raises LedgerError: the ledger could not be read.
    """
    end = state.calendar.end(era)
    if era >= state.active.era:
        return [Step("ended", end, WAITING, f"era {era} has not ended")]
    records, failure, steps = ledger.era_payouts(state.name, era), state.failures.get(era), [Step("ended", end)]
    for part in records:
        events = ledger.events(part)
        steps += [Step(one.to_state.value.lower(), one.at, DONE, one.cause, one.run, part.part) for one in events]
    judged = judge_era(era, records, state)
    if judged.state in (State.PAID, State.IGNORED):
        return [*steps, Step(judged.state.word, None, DONE, SEEN_PAID)] if judged.reason == SEEN_PAID else steps
    waits = judged.in_hand
    failed = failure is not None and all(failure.at >= part.updated_at for part in records)
    if failure is not None and failed:
        steps.append(Step("failed", failure.at, DONE if waits else STOPPED, failure.problem.facts, failure.run))
    if judged.state is State.EXPIRED:
        lost = state.calendar.start(expires_at_era(era, state.active.history_depth))
        steps.append(Step(judged.state.word, lost, STOPPED, "its rewards are gone"))
    elif waits or not failed:
        steps.append(Step(judged.state.word, None, WAITING if waits else STOPPED, judged.reason))
    return steps
