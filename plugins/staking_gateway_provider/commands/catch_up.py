"""`airflow staking plan` and `airflow staking catch-up`: list the unpaid eras, and pay them."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from staking_gateway.catch_up.plan import Budget, CatchUpPlan, Request, approved_terms, check_approval
from staking_gateway.catch_up.survey import write_notices
from staking_gateway.config.models import NetworkConfig
from staking_gateway.eras.calendar import EraCalendar
from staking_gateway.health.report import catch_up_report
from staking_gateway.payout.terms import PayoutTerms
from staking_gateway.text import count
from staking_gateway_provider.commands.output import for_people, report_errors, say, show, show_one
from staking_gateway_provider.commands.session import NetworkSession


@report_errors
def plan(arguments: Namespace) -> None:
    """`airflow staking plan`: show the plan, or pay exactly that plan with `--approve`."""
    with NetworkSession(arguments, pays=arguments.approve is not None) as session:
        terms, catch_up_plan = session.plan(_request(arguments, session.config))
        if arguments.approve is None:
            _keep(session, catch_up_plan)
            _show_plan(catch_up_plan, session.config.calendar, arguments.output)
            return
        check_approval(session.ledger.journal, arguments.approve, catch_up_plan)
        _pay(session, approved_terms(terms, catch_up_plan), catch_up_plan, arguments.output)


@report_errors
def catch_up(arguments: Namespace) -> None:
    """`airflow staking catch-up`: plan and pay; status 1 while an era is unpaid."""
    with NetworkSession(arguments, pays=True) as session:
        terms, catch_up_plan = session.plan(_request(arguments, session.config))
        if session.for_people:
            say(catch_up_plan.lines()[0])
            for note in catch_up_plan.notes:
                say(f"Note: {note}")
        _keep(session, catch_up_plan)
        catch_up_plan.check()
        _pay(session, terms, catch_up_plan, arguments.output)


def _keep(session: NetworkSession, plan: CatchUpPlan) -> None:
    session.ledger.journal.keep_plan(session.name, plan.hash, plan.as_dict(), session.actor)


def _pay(session: NetworkSession, terms: PayoutTerms, plan: CatchUpPlan, output: str) -> None:
    notices = write_notices(plan, session.ledger, session.actor)
    for notice in notices if session.for_people else ():
        say(notice)
    outcomes = [outcome.as_dict() for outcome in (session.pay(terms, plan.eras) if plan.eras else [])]
    report = catch_up_report({**plan.as_dict(), "dry_run": False}, notices, outcomes, session.ledger)
    if not session.for_people:
        show_one(report.as_dict(), output)
    report.raise_if_red()
    if plan.later:
        raise SystemExit(f"left for the next run: {count(len(plan.later), 'era')}")


def _request(arguments: Namespace, config: NetworkConfig) -> Request:
    return Request(arguments.from_era, arguments.to_era, arguments.eras, budget_of(arguments, config))


def budget_of(arguments: Namespace, config: NetworkConfig) -> Budget:
    """The budget of `--max-eras` and `--max-fees`, or else of `staking.yaml`."""
    return Budget(
        config.catch_up.max_eras if arguments.max_eras is None else arguments.max_eras,
        config.catch_up.max_fees if arguments.max_fees is None else arguments.max_fees,
    )


def _show_plan(plan: CatchUpPlan, calendar: EraCalendar, output: str) -> None:
    if not for_people(output):
        show_one(plan.as_dict(), output)
        return
    say(plan.lines()[0])
    rows: list[dict[str, Any]] = [
        {
            "era": unpaid.era,
            "action": action,
            "eras left": unpaid.countdown.eras_left,
            "expires": f"{unpaid.countdown.expires_at(calendar):%Y-%m-%d %H:%M} UTC",
            "why": unpaid.why,
        }
        for action, group in (("pay", plan.pay), ("later", plan.later))
        for unpaid in group
    ]
    rows += [{"era": era, "action": "expired", "eras left": 0, "expires": "", "why": "gone"} for era in plan.expired]
    show(rows, output)
    for note in plan.notes:
        say(f"Note: {note}")
    if plan.pay:
        say(
            f"To pay exactly this: airflow staking plan --network {plan.network} --approve {plan.hash}, with the same options"
        )
