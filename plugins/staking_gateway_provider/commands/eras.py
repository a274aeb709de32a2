"""`airflow staking eras`: the state of each era that can still be paid."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from staking_gateway.text import count, duration
from staking_gateway_provider.commands.output import report_errors, say, show
from staking_gateway_provider.commands.session import NetworkSession

if TYPE_CHECKING:
    from argparse import Namespace

    from staking_gateway.catch_up.plan import CatchUpPlan
    from staking_gateway.health.listing import ListedEra

_MOST_ERAS = 1_000_000


@report_errors
def eras(arguments: Namespace) -> None:
    """`airflow staking eras`: oldest first; status 1 when an era is unpaid or has newly expired.

    Without an answer of the gateway the list comes from ledger and calendar, and the status is 1.
    """
    from staking_gateway.catch_up.survey import Request
    from staking_gateway.eras.calendar import utc_now
    from staking_gateway.errors import GatewayError, InvalidInput
    from staking_gateway.health.listing import list_eras
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
            silence = f"The gateway does not answer; this list comes from ledger and calendar: {error}"
            plan = session.plan_by_calendar()
        found = list_eras(plan, session.ledger, session.config.calendar, utc_now())
    hidden, listed = found[:-last], found[-last:]
    if arguments.output in ("json", "yaml"):
        show([era.as_dict() for era in listed], arguments.output)
    else:
        paid, unpaid = count(len(plan.paid), "era"), len(plan.unpaid)
        say(f"{session.name}: era {plan.active} is active, {paid} paid, {unpaid} unpaid; UTC")
        show([_row(era, short=arguments.output == "table") for era in listed], arguments.output)
        for note in plan.notes:
            say(f"Note: {note}")
    lines = [line for line in (silence, _problem(plan, {era.era for era in hidden})) if line]
    if lines:
        raise SystemExit("\n".join(lines))


def _row(era: ListedEra, *, short: bool) -> dict[str, Any]:
    """One line for people; `short` cuts request and transaction."""
    request, transaction = (f"{text[:10]}.." if text and short else text for text in (era.request_id, era.tx_hash))
    return {
        "era": era.era,
        "outcome": era.outcome,
        "ended": f"{era.ended_at:%Y-%m-%d %H:%M:%S}",
        "lag": "" if era.lag_seconds is None else duration(timedelta(seconds=era.lag_seconds)),
        "fee": era.fee,
        "request": request,
        "transaction": transaction,
        "eras left": era.eras_left,
        "why": era.why,
    }


def _problem(plan: CatchUpPlan, hidden: set[int]) -> str:
    problems = []
    if plan.unpaid:
        first = plan.unpaid[0]
        left = count(first.countdown.eras_left, "era")
        problems.append(
            f"{count(len(plan.unpaid), 'era')} of {plan.network} unpaid, era {first.era} expires first, in {left}"
        )
    if plan.expired:
        problems.append(f"{count(len(plan.expired), 'era')} expired unpaid")
    not_listed = hidden & {*plan.expired, *(unpaid.era for unpaid in plan.unpaid)}
    if not_listed:
        problems.append(f"{len(not_listed)} of them are older than those listed")
    pay = f"Pay with: airflow staking catch-up --network {plan.network}"
    return f"{'; '.join(problems)}. {pay}" if problems else ""
