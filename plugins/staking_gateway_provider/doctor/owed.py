"""What is under way, and what is owed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from staking_gateway.text import count, duration, era_ranges
from staking_gateway_provider.doctor.findings import Finding, Level, error, note, ok, warning
from staking_gateway_provider.doctor.payouts import all_payouts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from staking_gateway.catch_up.plan import CatchUpPlan
    from staking_gateway.ledger import Payout
    from staking_gateway_provider.doctor.case import Case

_NO_LEDGER = "not checked: the ledger is not there yet, or has to be upgraded"


def check_in_flight(case: Case) -> Iterator[Finding]:
    """No payload has been under way for so long that nobody sees to it."""
    if case.ledger is None:
        yield note(_NO_LEDGER)
        return
    under_way = [part for part in all_payouts(case) if part.state.in_flight]
    stuck = [found for found in (_judge_payload(case, part) for part in under_way) if found]
    yield from stuck
    if not stuck:
        yield ok(f"{len(under_way)} payloads under way, none stuck" if under_way else "nothing is under way")


def _judge_payload(case: Case, part: Payout) -> Finding | None:
    from staking_gateway.ledger import PayoutState

    since = (part.accepted_at if part.state is PayoutState.SUBMITTED else part.unanswered_at) or part.updated_at
    age = case.now - since
    told = f"era {part.era} part {part.part} is {part.state.value} for {duration(age)}"
    remedy = (
        f"Settle it: airflow staking pay --network {case.name} --era {part.era}; what happened: "
        f"airflow staking ledger history --network {case.name} --era {part.era}"
    )
    if part.state is PayoutState.SUBMITTED:
        late = age > case.config.timing.confirmation_timeout
        return warning(f"{told}: sent, and not confirmed", remedy) if late else None
    if age <= case.terms().settle_within:
        return None
    return error(f"{told}: sent; result unknown. Other eras of the same user wait for it", remedy)


def check_owed(case: Case) -> Iterator[Finding]:
    """What would be paid by a catch-up, and how long there is for it."""
    if case.plan is None:
        yield note(_NO_LEDGER)
        return
    yield from judge_plan(case.plan, case)


def judge_plan(plan: CatchUpPlan, case: Case) -> Iterator[Finding]:
    """What a plan says about the health of a network."""
    pay = f"Pay: airflow staking catch-up --network {case.name}; and see that the DAG staking_catch_up_{case.name} runs"
    if plan.expired:
        yield error(
            f"{_eras(plan.expired)} expired unpaid; the rewards are gone",
            f"Find out why: airflow staking ledger history --network {case.name} --era {plan.expired[-1]}",
        )
    if not plan.unpaid:
        yield ok(f"nothing; {count(len(plan.paid), 'era')} paid")
        return
    first = plan.unpaid[0]
    if [owed.era for owed in plan.unpaid] == [plan.active - 1]:
        yield note(f"only era {first.era}, which has just ended ({first.why})")
        return
    left = first.countdown
    level = Level.ERROR if (left.warning or 0) >= 95 and not plan.doubtful else Level.WARNING
    eras = _eras(sorted(owed.era for owed in plan.unpaid))
    yield Finding(
        level, f"{eras} owed; era {first.era} is lost first, in {count(left.eras_left, 'era')} ({first.why})", pay
    )


def _eras(eras: Sequence[int]) -> str:
    """E.g. `3 eras (5, 7-8)`."""
    return f"{count(len(eras), 'era')} ({era_ranges(eras)})"
