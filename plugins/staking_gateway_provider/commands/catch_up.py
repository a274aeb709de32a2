"""`airflow staking plan` and `airflow staking catch-up`: what is owed, and paying it from the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from staking_gateway.text import count
from staking_gateway_provider.commands.output import report_errors, say, show
from staking_gateway_provider.commands.session import NetworkSession

if TYPE_CHECKING:
    from argparse import Namespace

    from staking_gateway.catch_up.plan import CatchUpPlan
    from staking_gateway.catch_up.survey import Request
    from staking_gateway.config.models import NetworkConfig
    from staking_gateway.eras.calendar import EraCalendar
    from staking_gateway.payout.terms import PayoutTerms


@report_errors
def plan(arguments: Namespace) -> None:
    """`airflow staking plan`: show what would be paid, or pay exactly that with `--approve`."""
    from staking_gateway.catch_up.plan import at_planned_fee, check_approval

    with NetworkSession(arguments, pays=arguments.approve is not None) as session:
        terms, made = session.plan(_request(arguments, session.config))
        if arguments.approve is None:
            _keep(session, made)
            _show_plan(made, session.config.calendar, arguments.output)
            return
        check_approval(session.ledger.journal, arguments.approve, made)
        _pay(session, at_planned_fee(terms, made), made)


@report_errors
def catch_up(arguments: Namespace) -> None:
    """`airflow staking catch-up`: plan and pay; ends with status 1 when something is owed still."""
    with NetworkSession(arguments, pays=True) as session:
        terms, made = session.plan(_request(arguments, session.config))
        for line in made.lines():
            say(line)
        _keep(session, made)
        _pay(session, terms, made)


def _keep(session: NetworkSession, made: CatchUpPlan) -> None:
    session.ledger.journal.keep_plan(session.name, made.hash, made.as_dict(), session.actor)


def _pay(session: NetworkSession, terms: PayoutTerms, made: CatchUpPlan) -> None:
    from staking_gateway.catch_up.survey import write_notices
    from staking_gateway.health.report import catch_up_report

    notices = write_notices(made, session.ledger, session.actor)
    for notice in notices:
        say(notice)
    outcomes = [outcome.as_dict() for outcome in (session.pay(terms, made.eras) if made.eras else [])]
    report = catch_up_report({**made.as_dict(), "dry_run": False}, notices, outcomes, session.ledger)
    report.raise_if_red()
    if made.later:
        raise SystemExit(f"left for the next time: {count(len(made.later), 'era')}")


def _request(arguments: Namespace, config: NetworkConfig) -> Request:
    from staking_gateway.catch_up.plan import Budget
    from staking_gateway.catch_up.survey import Request

    budget = Budget(
        config.catch_up.max_eras if arguments.max_eras is None else arguments.max_eras,
        config.catch_up.max_fees if arguments.max_fees is None else arguments.max_fees,
    )
    return Request(arguments.from_era, arguments.to_era, budget)


def _show_plan(made: CatchUpPlan, calendar: EraCalendar, output: str) -> None:
    if output in ("json", "yaml"):
        show([made.as_dict()], output)
        return
    say(made.lines()[0])
    rows: list[dict[str, Any]] = [
        {
            "era": owed.era,
            "action": action,
            "eras left": owed.countdown.eras_left,
            "expires": f"{owed.countdown.expires_at(calendar):%Y-%m-%d %H:%M} UTC",
            "why": owed.why,
        }
        for action, group in (("pay", made.pay), ("later", made.later))
        for owed in group
    ]
    rows += [{"era": era, "action": "expired", "eras left": 0, "expires": "", "why": "gone"} for era in made.expired]
    show(rows, output)
    for note in made.notes:
        say(f"Note: {note}")
    if made.pay:
        say(
            f"To pay exactly this: airflow staking plan --network {made.network} --approve {made.hash}, with the same options"
        )
