"""`airflow staking pay`: show the plan, ask, and pay it in this process, or by runs of the payout DAG."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from airflow.api.common.trigger_dag import trigger_dag
from airflow.exceptions import AirflowConfigException
from airflow.utils.platform import getuser
from airflow.utils.types import DagRunTriggeredByType

from staking_gateway.catch_up import (
    CatchUpPlan,
    Request,
    UnpaidEra,
    approved_plan,
    approved_terms,
    eras_of,
    write_notices,
)
from staking_gateway.eras import utc_now
from staking_gateway.errors import InvalidEra, InvalidInput
from staking_gateway.health.report import catch_up_report
from staking_gateway.health.state import AirflowFacts
from staking_gateway.ledger.standing import LedgerStopped
from staking_gateway.payout.copies import SEEN_PAID, is_paid
from staking_gateway.payout.drive import pay_eras
from staking_gateway.payout.engine import PayoutEngine
from staking_gateway.payout.outcomes import EraOutcome
from staking_gateway.payout.terms import PayoutTerms
from staking_gateway.text import amount, count, era_ranges
from staking_gateway_provider.alerting import note_eras
from staking_gateway_provider.commands.output import agreed, for_people, report_errors, say, show, tell, working
from staking_gateway_provider.commands.session import Session, network_session
from staking_gateway_provider.networks import proof_maker
from staking_gateway_provider.ui import PAYOUT_DAG
from staking_gateway_provider.ui.runs import read_airflow


@report_errors
def pay(arguments: Namespace) -> None:
    """`airflow staking pay`: status 0 when every era of the plan is paid or has a run, or when the plan is only shown."""
    _check_options(arguments)
    with network_session(arguments, pays=not (arguments.dry_run or arguments.runs)) as session:
        if not arguments.dry_run and (stop := session.ledger.stopped()) is not None:
            raise LedgerStopped(stop)
        terms, plan = _plan(arguments, session)
        if arguments.runs:
            _make_runs(arguments, session, plan)
        else:
            _pay(arguments, session, terms, plan)
    if plan.later and not arguments.dry_run:
        raise SystemExit(f"left for the next call: {count(len(plan.later), 'era')}")


def _check_options(arguments: Namespace) -> None:
    limits = ("max_fees",) if arguments.runs else ()  # in this process they bound the payment of an approved plan too
    chosen = [name for name in ("eras", "from_era", "to_era", "max_eras", *limits) if getattr(arguments, name)]
    if arguments.again and (arguments.eras is None or arguments.runs):
        raise InvalidInput(
            "again", "only named eras are signed again, and in this process", "Add --eras, without --runs"
        )
    if arguments.approve and (chosen or arguments.again):
        other = (chosen or ["again"])[0].replace("_", "-")
        raise InvalidInput("approve", "the approved plan names the eras and the fee", f"Leave out --{other}")


def _plan(arguments: Namespace, session: Session) -> tuple[PayoutTerms, CatchUpPlan]:
    """The plan to pay, of now or approved. The ledger keeps it under its hash."""
    limits, journal = session.config.catch_up, session.ledger.journal
    request = Request(
        arguments.from_era,
        arguments.to_era,
        arguments.eras,
        limits.max_eras if arguments.max_eras is None else arguments.max_eras,
        limits.max_fees if arguments.max_fees is None else arguments.max_fees,
    )
    if arguments.approve is None:
        terms, plan = session.plan(request)
        if arguments.eras is not None:
            plan = _with_seen_eras(session, terms, plan)
        elif not arguments.runs:
            plan = _without_runs(session, plan)
    else:
        eras = eras_of(journal.plan(session.name, arguments.approve) or {"pay": []})
        try:
            terms, plan = session.plan(Request(min(eras), max(eras), max_fees=request.max_fees) if eras else Request())
        except InvalidEra as error:
            raise InvalidEra("plan", error.fault, "Make a new plan: airflow staking pay --dry-run") from None
        plan = approved_plan(journal, arguments.approve, plan)
    journal.keep_plan(session.name, plan.hash, plan.as_dict())
    return terms, plan


def _with_seen_eras(session: Session, terms: PayoutTerms, plan: CatchUpPlan) -> CatchUpPlan:
    """The plan also with named eras that only the chain was seen to have paid: then the ledger gets to know them, and nothing is sent."""
    records = session.ledger.payouts_of(session.name, sorted(plan.paid))
    seen = [era for era in plan.paid if not is_paid(records.get(era, ()), terms.parts)]
    more = tuple(UnpaidEra(era, SEEN_PAID, session.config.countdown(era, plan.active)) for era in seen)
    return replace(plan, pay=(*plan.pay, *more), paid=tuple(era for era in plan.paid if era not in seen))


def _without_runs(session: Session, plan: CatchUpPlan) -> CatchUpPlan:
    """The plan without the eras that their own runs are paying."""
    airflow = read_airflow(session.name, plan.eras)
    going = [] if airflow.halted else [era for era, run in (airflow.runs or {}).items() if run.active]
    if not going:
        return plan
    note = f"left out, because their own runs are paying them: {era_ranges(sorted(going))}"
    return replace(plan, pay=tuple(one for one in plan.pay if one.era not in going), notes=(*plan.notes, note))


def _pay(arguments: Namespace, session: Session, terms: PayoutTerms, plan: CatchUpPlan) -> None:
    """Pay in this process. What a person has seen, as a plan's hash, at the question or with `--again`, needs no support by the calendar."""
    people, journal = for_people(arguments.output), session.ledger.journal
    if people or arguments.dry_run:
        budget = "" if arguments.max_fees is None else f" --max-fees {arguments.max_fees}"
        show(arguments.output, plan.as_dict(), *_plan_lines(plan, session, hint=budget if arguments.dry_run else None))
    if arguments.dry_run:
        return
    what = f"Pay {count(len(plan.pay) - plan.in_flight, 'era')}"
    if plan.in_flight:
        what = f"{what}, and wait for {plan.in_flight} in flight"
    if arguments.approve is not None or _has_agreed(arguments, what, plan.eras, plan.lines(session.token)):
        terms = approved_terms(terms, plan.fee)
    elif not arguments.again:
        plan.seen.check(plan.network)
    if arguments.again:
        terms = replace(approved_terms(terms, None), again=True)
    notices = write_notices(plan, session.ledger)
    for notice in notices if people else ():
        say(notice)
    if plan.pay:
        journal.agree_on_calendar(session.name, session.config.calendar)
    outcomes: list[dict[str, Any]] = []
    try:
        outcomes.extend(outcome.as_dict() for outcome in _paid(session, terms, plan.eras, people=people))
    finally:  # after an error too, tell what was paid before it
        report = catch_up_report({**plan.as_dict(), "dry_run": False}, outcomes, session.ledger)
        show(arguments.output, report.data)
    report.raise_if_red()


def _has_agreed(arguments: Namespace, what: str, eras: Sequence[int], lines: Sequence[str]) -> bool:
    """Whether a person was asked, and agreed; False when nobody had to be asked. Where programs read the result, the `lines` show the plan."""
    if arguments.yes or not eras:
        return False
    for line in () if for_people(arguments.output) else lines:
        tell(line)
    if not agreed(f"{what}?"):
        raise SystemExit("Nothing was paid")
    return True


def _paid(session: Session, terms: PayoutTerms, eras: Sequence[int], *, people: bool) -> Iterator[EraOutcome]:
    """Pay eras in turn, and say the outcome of each to people."""
    if not eras:
        return
    config, token = session.config, session.token
    proofs = proof_maker(config)
    engine = PayoutEngine(terms, session.client, proofs, session.ledger, session.actor)

    def wait(message: str) -> None:
        working(message)
        tell(message)

    working(f"Paying {count(len(eras), 'era')} of {session.name}")
    for outcome in pay_eras(engine, eras, timing=config.timing, on_wait=lambda one: wait(one.message)):
        if people:
            say(f"era {outcome.era}: {outcome.outcome.value} {outcome.reason}".rstrip())
            for part in outcome.parts:
                fee = "unknown" if part.fee is None else amount(part.fee, token)
                say(
                    f"  part {part.part}: {part.state.value}, request {part.request_id}, transaction {part.tx_hash}, fee {fee}"
                )
        working(f"Paying the next era of {session.name}")
        yield outcome
    working("Reading the rewards")
    note_eras(session.name, config, eras, ledger=session.ledger, actor=session.actor)


def _plan_lines(
    plan: CatchUpPlan, session: Session, *, hint: str | None, runs: Mapping[int, str] | None = None
) -> Iterator[str | list[dict[str, Any]]]:
    """The plan for people, and the command that pays it with the options `hint`; `runs` is the run of an era that has one, None when the eras
    are paid in this process.
    """
    if plan.unpaid or plan.expired:
        yield plan.lines(session.token)[0]
        rows: list[dict[str, Any]] = [
            {
                "era": unpaid.era,
                "action": _action(unpaid, action, runs),
                "eras left": unpaid.countdown.eras_left,
                "expires": f"{session.config.calendar.start(unpaid.countdown.expires_at_era):%Y-%m-%d %H:%M} UTC",
                "why": unpaid.why,
            }
            for action, group in (("pay", plan.pay), ("later", plan.later))
            for unpaid in group
        ]
        rows += [
            {"era": era, "action": "expired", "eras left": 0, "expires": "", "why": "gone"} for era in plan.expired
        ]
        yield rows
    else:
        yield f"Nothing to pay while era {plan.active} is active: {count(len(plan.paid), 'chosen era')} paid already"
    yield from (f"Note: {note}" for note in plan.notes)
    if plan.pay and hint is not None:
        yield f"To pay exactly this: airflow staking pay --network {plan.network}{hint} --approve {plan.hash}"


def _action(unpaid: UnpaidEra, action: str, runs: Mapping[int, str] | None) -> str:
    if unpaid.sent:
        return "in flight"
    if runs is None or action == "later":
        return action
    return "under way" if unpaid.era in runs else "make"


# --- runs -----------------------------------------------------------------------------------------------------------


def _make_runs(arguments: Namespace, session: Session, plan: CatchUpPlan) -> None:
    """Make a run of the payout DAG for each era that has none, soonest to expire first: the scheduler starts them in this order."""
    session.config.check_enabled(session.name)
    airflow, dag_id = read_airflow(session.name, plan.eras), PAYOUT_DAG + session.name
    runs = {era: run.run_id for era, run in (airflow.runs or {}).items() if run.active}
    missing = [era for era in plan.eras if era not in runs]
    _check_runs(session, plan, missing, dag_id, airflow)
    told = {**plan.as_dict(), "dag_id": dag_id, "made": missing if not arguments.dry_run else [], "runs": runs}
    if for_people(arguments.output) or arguments.dry_run:
        show(
            arguments.output,
            told,
            *_plan_lines(plan, session, hint=" --runs" if arguments.dry_run else None, runs=runs),
        )
        if airflow.paused:
            tell(f"{dag_id} is paused: its runs wait. To start them: airflow dags unpause {dag_id}")
        for topic in airflow.dead:
            tell(f"{topic.heading}. {topic.remedy}")
    if arguments.dry_run:
        return
    if arguments.approve is None:
        _has_agreed(arguments, f"Make {count(len(missing), 'run')} of {dag_id}", missing, plan.lines(session.token))
    form, user = {"approve": arguments.approve} if arguments.approve else None, None
    with suppress(AirflowConfigException, OSError):  # a container's user may have no name
        user = getuser()
    for number, era in enumerate(missing):
        working(f"Making runs of {dag_id}: {number} of {len(missing)}")
        run = trigger_dag(
            dag_id, partition_key=str(era), conf=form, triggered_by=DagRunTriggeredByType.CLI, triggering_user_name=user
        )
        runs[era] = str(run.run_id) if run else ""
        if for_people(arguments.output):  # at once: the next one may fail
            say(f"era {era}: run {runs[era]}")
    show(arguments.output, told)


def _check_runs(
    session: Session, plan: CatchUpPlan, missing: Sequence[int], dag_id: str, airflow: AirflowFacts
) -> None:
    """Refuse everything before the first run is made: also an era that has ended on the chain only, whose run the timetable would refuse."""
    if not airflow.known:
        raise InvalidInput(
            "dag",
            f"Airflow does not know {dag_id}, or its database cannot be read",
            "Put the files of dags/ into the DAGs folder, and run this where Airflow's scheduler runs",
        )
    plan.seen.check(plan.network)
    newest = max(missing, default=None)
    if newest is not None and session.config.calendar.end(newest) > utc_now():
        raise InvalidEra(
            "plan",
            f"era {newest} has not ended by the calendar",
            "Append an anchor to the calendar, or pay without --runs",
        )
