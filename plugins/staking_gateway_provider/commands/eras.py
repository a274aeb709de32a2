"""`airflow staking eras`: where each era stands that can still be paid."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from staking_gateway.text import count, duration
from staking_gateway_provider.commands.output import report_errors, say, show
from staking_gateway_provider.commands.session import NetworkSession

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from staking_gateway.catch_up.plan import CatchUpPlan
    from staking_gateway.ledger import Payout

_MOST_ERAS = 1_000_000


@dataclass(frozen=True)
class EraStanding:
    """One era as the command tells it.

    :param outcome: an outcome's word, or how far its payout has come; UNPAID when there is no record of it.
    :param lag: seconds from the era's end to its confirmed payout, or until now while it is owed; None when nobody knows.
    :param fee: paid for all its parts, in the smallest unit.
    :param eras_left: changes of era until its rewards are gone; None when nothing is owed.
    """

    era: int
    outcome: str
    ended_at: datetime
    lag: float | None
    fee: int | None
    request_id: str | None
    tx_hash: str | None
    eras_left: int | None
    why: str

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON: amounts as decimal text, times as ISO 8601 UTC."""
        return {
            "era": self.era,
            "outcome": self.outcome,
            "ended_at": self.ended_at.isoformat(),
            "lag_seconds": self.lag,
            "fee": None if self.fee is None else str(self.fee),
            "request_id": self.request_id,
            "tx_hash": self.tx_hash,
            "eras_left": self.eras_left,
            "why": self.why,
        }

    def as_row(self, *, short: bool) -> dict[str, Any]:
        """For people.

        :param short: cuts request and transaction, so that the row stays one line.
        """
        request, transaction = self.request_id, self.tx_hash
        if short:
            request, transaction = (f"{text[:10]}.." if text else text for text in (request, transaction))
        return {
            "era": self.era,
            "outcome": self.outcome,
            "ended": f"{self.ended_at:%Y-%m-%d %H:%M:%S}",
            "lag": "" if self.lag is None else duration(timedelta(seconds=self.lag)),
            "fee": self.fee,
            "request": request,
            "transaction": transaction,
            "eras left": self.eras_left,
            "why": self.why,
        }


@report_errors
def eras(arguments: Namespace) -> None:
    """`airflow staking eras`: oldest first; ends with status 1 when an era is owed or has newly expired.

    While the gateway does not answer, ledger and calendar are all there is to go by; that is said, and the status is 1.
    """
    from staking_gateway.catch_up.survey import Request
    from staking_gateway.errors import GatewayError, InvalidInput
    from staking_gateway.http.endpoint import is_transient
    from staking_gateway.types import parse_unsigned

    last = parse_unsigned(arguments.last, _MOST_ERAS, field="last")
    if last == 0:
        raise InvalidInput("last", "0 lists nothing", "Write 1 or more")
    silence = ""
    with NetworkSession(arguments) as session:
        try:
            _, plan = session.plan(Request())
        except GatewayError as error:
            if not is_transient(error):
                raise
            silence, plan = (
                f"The gateway does not answer, so this is what ledger and calendar say: {error}",
                session.plan_by_calendar(),
            )
        standings = _standings(session, plan)
    listed = standings[-last:]
    if arguments.output in ("json", "yaml"):
        show([standing.as_dict() for standing in listed], arguments.output)
    else:
        say(
            f"{session.name}: era {plan.active} is active, {count(len(plan.paid), 'era')} paid, {len(plan.unpaid)} owed; UTC"
        )
        show([standing.as_row(short=arguments.output == "table") for standing in listed], arguments.output)
        for note in plan.notes:
            say(f"Note: {note}")
    _judge(plan, silence=silence, hidden={standing.era for standing in standings[: len(standings) - len(listed)]})


def _judge(plan: CatchUpPlan, *, silence: str, hidden: set[int]) -> None:
    told = []
    if plan.unpaid:
        first = plan.unpaid[0]
        told.append(
            f"{count(len(plan.unpaid), 'era')} of {plan.network} owed, era {first.era} is lost first, in "
            f"{count(first.countdown.eras_left, 'era')}"
        )
    if plan.expired:
        told.append(f"{count(len(plan.expired), 'era')} expired unpaid")
    unseen = hidden & {*plan.expired, *(owed.era for owed in plan.unpaid)}
    if unseen:
        told.append(f"{len(unseen)} of them are older than those listed")
    remedy = f"{'; '.join(told)}. Pay with: airflow staking catch-up --network {plan.network}" if told else ""
    if silence or told:
        raise SystemExit("\n".join(filter(None, (silence, remedy))))


def _standings(session: NetworkSession, plan: CatchUpPlan) -> list[EraStanding]:
    from staking_gateway.eras.calendar import utc_now

    owed = {unpaid.era: unpaid for unpaid in plan.unpaid}
    numbers = sorted({*plan.paid, *owed, *plan.expired})
    records = session.ledger.payouts_of(session.name, range(numbers[0], plan.active)) if numbers else {}
    calendar, now = session.config.calendar, utc_now()
    found = []
    for era in numbers:
        parts, ended, unpaid = records.get(era, []), calendar.end(era), owed.get(era)
        if era in plan.expired:
            standing = _standing(era, parts, ended, "EXPIRED", until=now, why="its rewards are gone")
        elif unpaid is not None:
            standing = _standing(era, parts, ended, outcome_word(parts, owed=True), until=now, why=unpaid.why)
            standing = replace(standing, eras_left=unpaid.countdown.eras_left)
        else:
            confirmed = max((part.confirmed_at for part in parts if part.confirmed_at), default=None)
            standing = _standing(era, parts, ended, outcome_word(parts, owed=False), until=confirmed, why="")
        found.append(standing)
    return found


def _standing(
    era: int, parts: Sequence[Payout], ended: datetime, outcome: str, *, until: datetime | None, why: str
) -> EraStanding:
    fees = [part.fee for part in parts if part.confirmed_at is not None and part.fee is not None]
    return EraStanding(
        era=era,
        outcome=outcome,
        ended_at=ended,
        lag=None if until is None or until < ended else round((until - ended).total_seconds(), 3),
        fee=sum(fees) if fees else None,
        request_id=next((part.request_id for part in reversed(parts) if part.request_id), None),
        tx_hash=next((part.tx_hash for part in reversed(parts) if part.tx_hash), None),
        eras_left=None,
        why=why,
    )


def outcome_word(parts: Sequence[Payout], *, owed: bool) -> str:
    """One word for where an era stands, the outcome's word wherever there is one."""
    from staking_gateway.ledger import PayoutState
    from staking_gateway.payout.outcomes import Outcome, hold_of
    from staking_gateway.payout.standing import unsettled

    if not owed:
        paid = any(part.state is PayoutState.CONFIRMED for part in parts)
        return str((Outcome.PAID if paid else Outcome.ALREADY_PAID).value)
    waiting = unsettled(parts)
    if waiting is None:
        return Outcome.PARTIAL.value if parts else "UNPAID"
    return str((hold_of(waiting) or waiting.state).value)
