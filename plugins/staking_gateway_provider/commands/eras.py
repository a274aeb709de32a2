"""`airflow staking eras`: the state of each era that can still be paid."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from staking_gateway.catch_up.plan import CatchUpPlan, Request, UnpaidEra
from staking_gateway.eras.calendar import utc_now
from staking_gateway.errors import GatewayError, InvalidInput, may_pass
from staking_gateway.health.eras import State, judge_era
from staking_gateway.health.facts import LiveFacts
from staking_gateway.health.listing import ListedEra, list_eras
from staking_gateway.health.state import situation_of
from staking_gateway.text import Token, amount, count, duration
from staking_gateway.types import parse_unsigned
from staking_gateway_provider.commands.output import for_people, report_errors, say, show
from staking_gateway_provider.commands.session import NetworkSession
from staking_gateway_provider.commands.views import read_airflow

_MOST_ERAS = 1_000_000


@report_errors
def eras(arguments: Namespace) -> None:
    """`airflow staking eras`: oldest first; status 1 when an era waits for a person or has newly expired.

    An era whose payment is in progress, or that ended before this installation, does not change the status. Without an answer of the gateway the list comes from ledger and calendar, and the status is 1.
    """
    last = parse_unsigned(arguments.last, _MOST_ERAS, field="last")
    if last == 0:
        raise InvalidInput("last", "0 lists nothing", "Write 1 or more")
    silence = ""
    with NetworkSession(arguments) as session:
        try:
            _, plan = session.plan(Request())
        except GatewayError as error:
            if not may_pass(error):
                raise
            silence = f"The gateway does not answer; this list comes from ledger and calendar: {error}"
            plan = session.plan_by_calendar()
        found = list_eras(plan, session.ledger, session.config.calendar, utc_now())
        waiting, token = _waiting(session, plan, utc_now()), session.token
    hidden, listed = found[:-last], found[-last:]
    if not for_people(arguments.output):
        show([era.as_dict() for era in listed], arguments.output)
    else:
        paid, unpaid = count(len(plan.paid), "era"), len(plan.unpaid)
        say(f"{session.name}: era {plan.active} is active, {paid} paid, {unpaid} unpaid; UTC")
        show([_row(era, token, short=arguments.output == "table") for era in listed], arguments.output)
        others = len(plan.unpaid) - len(waiting)
        if others:
            say(
                f"Note: {count(others, 'unpaid era')}: in progress, or older than the first payout of this installation"
            )
        for note in plan.notes:
            say(f"Note: {note}")
    lines = [line for line in (silence, _problem(plan, waiting, {era.era for era in hidden})) if line]
    if lines:
        raise SystemExit("\n".join(lines))


def _row(era: ListedEra, token: Token | None, *, short: bool) -> dict[str, Any]:
    """One line for people; `short` cuts request and transaction."""
    request, transaction = (f"{text[:10]}.." if text and short else text for text in (era.request_id, era.tx_hash))
    return {
        "era": era.era,
        "outcome": era.outcome,
        "ended": f"{era.ended_at:%Y-%m-%d %H:%M:%S}",
        "lag": "" if era.lag_seconds is None else duration(timedelta(seconds=era.lag_seconds)),
        "fee": None if era.fee is None else amount(era.fee, token),
        "request": request,
        "transaction": transaction,
        "eras left": era.eras_left,
        "why": era.why,
    }


def _waiting(session: NetworkSession, plan: CatchUpPlan, now: datetime) -> list[UnpaidEra]:
    """The unpaid eras that wait for a person, by the judgement of the page."""
    eras = [unpaid.era for unpaid in plan.unpaid]
    if not eras:
        return []
    known = range(min(eras), max(eras) + 1)
    airflow, live = read_airflow(session.name, known), LiveFacts(active=plan.active)
    situation = situation_of(session.name, session.config, session.ledger, live, now=now, airflow=airflow)
    records = session.ledger.payouts_of(session.name, known)

    def waits(era: int) -> bool:
        judged = judge_era(era, records.get(era, ()), situation)
        return judged.state is State.REJECTED or not (judged.in_hand or judged.state is State.EARLIER)

    return [unpaid for unpaid in plan.unpaid if waits(unpaid.era)]


def _problem(plan: CatchUpPlan, unpaid: Sequence[UnpaidEra], hidden: set[int]) -> str:
    problems = []
    if unpaid:
        first = unpaid[0]
        problems.append(
            f"{count(len(unpaid), 'era')} of {plan.network} unpaid, era {first.era} expires first, {first.countdown.when}"
        )
    if plan.expired:
        problems.append(f"{count(len(plan.expired), 'era')} expired unpaid")
    not_listed = hidden & {*plan.expired, *(one.era for one in unpaid)}
    if not_listed:
        problems.append(f"{len(not_listed)} of them are older than those listed")
    pay = f"Pay with: airflow staking catch-up --network {plan.network}"
    return f"{'; '.join(problems)}. {pay}" if problems else ""
