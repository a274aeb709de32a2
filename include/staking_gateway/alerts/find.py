"""The alerts of a network now, from its state and its problems. Pure: no network, no disk, no clock.

An alert is about an era, an account, the payer's funds, the calendar, the books of an era, or a problem that stands before every payout. It has one
problem, and a rank. The ranks of an era::

    not_paid -> held -> rejected -> expiring (50, 80, 95 %) -> expired

While a problem that stands before every payout has its alert, the eras that it blocks send only `expiring` and `expired`. While the calendar is
refused, or apart from the chain, that alert comes first, and those that rest on the calendar pause: not paid in time, held too long.

A message is sent for a higher rank than in the last message, and once for the end. So an era sends five messages at most, and one when it is paid.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from staking_gateway.config.models import Expectation
from staking_gateway.eras.expiry import URGENT_PERCENT
from staking_gateway.health.eras import State
from staking_gateway.health.problems import problem_of
from staking_gateway.health.remedies import located
from staking_gateway.ledger.alerts import End, Findings, Present
from staking_gateway.payout.copies import SEEN_PAID, unsettled
from staking_gateway.problem import Alert, Level, Problem, Topic
from staking_gateway.text import count
from staking_gateway.types import ElectionWindow, StakingStatus

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import timedelta

    from staking_gateway.config.models import WatchedAccount
    from staking_gateway.health.state import NetworkState
    from staking_gateway.ledger import Payout

OVER = End("this is over")
_RUNWAY, _CALENDAR = "runway", "calendar"
_BLOCKED, _BOOKS, _ERA, _ACCOUNT = "blocked:", "books:", "era:", "account:"
_OF_AIRFLOW = (Topic.SCHEDULER_DEAD, Topic.TRIGGERER_DEAD)


def find_alerts(
    state: NetworkState,
    found: Sequence[Problem],
    open_alerts: Mapping[str, str],
    statuses: Mapping[int, Mapping[str, StakingStatus]],
    *,
    paying: int | None = None,
    airflow_known: bool = True,
) -> Findings:
    """The alerts of a network.

    :param found: its problems, as `problems` gives them.
    :param open_alerts: key of an open alert to its kind.
    :param statuses: staking statuses of the newest eras: era, then the account's 0x key.
    :param paying: the era of the present run; None: the run of the newest ended era counts as present.
    :param airflow_known: whether anything is known of Airflow's programs.
    """
    findings = Findings()
    _standing(state, found, open_alerts, findings, airflow_known=airflow_known)
    for era in state.cells:
        _era(era, state, found, open_alerts, findings, paying=paying)
    watched = {f"{_ACCOUNT}{account.status_key}": account for account in state.network.accounts}
    for key, account in watched.items():
        own = account.status_key
        if seen := {era: statuses[era][own] for era in sorted(statuses) if own in statuses[era]}:
            _account(account, state, open_alerts.get(key), seen, findings)
    for key in open_alerts:
        if key.startswith(_ACCOUNT) and key not in watched:
            findings.settled[key] = End("is no longer watched")
    by_topic = {problem.topic: problem for problem in found}
    _funds(state, by_topic.get(Topic.RUNWAY), findings)
    _calendar(state, by_topic.get(Topic.DRIFT), findings)
    _books(state, open_alerts, findings)
    return findings


def open_eras(open_alerts: Collection[str]) -> list[int]:
    """The eras among the keys of open alerts."""
    return [int(key.removeprefix(_ERA)) for key in open_alerts if key.startswith(_ERA)]


# --- what stands before every payout -------------------------------------------------------------------------------------


def blocked(problem: Problem) -> Present:
    """The alert of a problem that stands before every payout."""
    return Present(f"{_BLOCKED}{problem.topic.anchor}", "blocked", 1, problem.topic.heading, problem)


def _standing(
    state: NetworkState,
    found: Sequence[Problem],
    open_alerts: Mapping[str, str],
    findings: Findings,
    *,
    airflow_known: bool,
) -> None:
    situation, network, live = state.situation, state.network, state.live
    for problem in found:
        refused = state.refused is not None and problem.topic is Topic.CONFIGURATION
        if not problem.standing or (problem.topic.alert is Alert.NEVER and not refused):
            continue
        # Whether an era is late is known by the calendar alone.
        overdue = situation.now - network.calendar.end(problem.eras[0]) if problem.eras and situation.dated else None
        late = overdue is not None and overdue >= network.alerts.paid_within
        if late or problem.topic.alert is not Alert.WHEN_LATE:
            present = blocked(replace(problem, level=Level.DANGER))
            findings.present[present.topic] = present
    for key in open_alerts:
        if not key.startswith(_BLOCKED) or key in findings.present:
            continue
        topic = Topic.of(key.removeprefix(_BLOCKED))
        known = airflow_known if topic in _OF_AIRFLOW else live.at is not None and live.problem is None
        if topic is Topic.PAYER_EMPTY:
            known = live.balance is not None
        if topic is Topic.CONFIGURATION:
            findings.settled[key] = OVER
        elif known:
            findings.absent[key] = OVER


# --- eras ----------------------------------------------------------------------------------------------------------------


def _era(
    era: int,
    state: NetworkState,
    found: Sequence[Problem],
    open_alerts: Mapping[str, str],
    findings: Findings,
    *,
    paying: int | None,
) -> None:
    key, judged = f"{_ERA}{era}", state.cells[era]
    if judged.state is State.PAID:
        how = f"is {SEEN_PAID}" if judged.reason == SEEN_PAID else _how_paid(state.records.get(era, ()))
        findings.settled[key] = End(how, "are paid")
    elif judged.state is State.IGNORED:
        findings.settled[key] = End(f"is ignored: {judged.reason}", "are ignored")
    elif judged.state is State.EXPIRED:
        if era in state.expired or key in open_alerts:
            gone = Problem(Topic.EXPIRED, judged.reason)
            findings.present[key] = Present(key, "expired", 100, f"era {era}", gone, era, final=True)
    elif judged.state is State.EARLIER:
        return
    elif (unpaid := _unpaid(key, era, state, found, findings, paying=paying, is_open=key in open_alerts)) is not None:
        findings.present[key] = unpaid


def _unpaid(
    key: str,
    era: int,
    state: NetworkState,
    found: Sequence[Problem],
    findings: Findings,
    *,
    paying: int | None,
    is_open: bool,
) -> Present | None:
    """The alert of an unpaid era. A problem that has its own alert leaves only the expiry to the era."""
    situation, network, alerts = state.situation, state.network, state.network.alerts
    problem, untried = problem_of(era, state, found), unsettled(state.records.get(era, ())) is None
    waits = era == (situation.active.era - 1 if paying is None else paying)
    if untried and waits and state.live.window is ElectionWindow.OPEN and not problem.standing:
        problem = Problem(Topic.HELD_WINDOW)
    elif problem.topic in (Topic.UNPAID, Topic.RUN_FAILED):
        command = f"Command: airflow dags trigger staking_catch_up_{state.name}"
        problem = replace(problem, more=". ".join(filter(None, (problem.more, command))))
    kind, rank, level = "not_paid", 1 + (problem.topic is not Topic.UNPAID), Level.ATTENTION
    limit: timedelta | None = alerts.paid_within
    if state.cells[era].state is State.REJECTED:
        kind, rank, limit, level = "rejected", 4, None, Level.DANGER
    elif problem.topic is Topic.HELD_WINDOW or state.cells[era].state is State.HELD:
        kind, rank, limit = "held", 3, alerts.held_after
    left = network.depths.countdown(era, situation.active.era)
    if left.warning is not None:
        kind, rank = "expiring", left.warning
        level = Level.DANGER if left.warning >= URGENT_PERCENT else level
        expiry = f"it expires {left.when}, when era {left.expires_at_era} begins"
        problem = replace(problem, facts="; ".join(filter(None, (problem.facts, expiry))))
    else:
        overdue = situation.dated and (limit is None or situation.now - network.calendar.end(era) >= limit)
        if f"{_BLOCKED}{problem.topic.anchor}" in findings.present or not (limit is None or is_open or overdue):
            return None
    return Present(key, kind, rank, f"era {era}", replace(problem, level=level), era)


def _how_paid(records: Sequence[Payout]) -> str:
    transaction = next((one.tx_hash for one in reversed(records) if one.tx_hash), None)
    return f"is paid, transaction {transaction}" if transaction else "is paid"


# --- accounts, funds, calendar and books ---------------------------------------------------------------------------------


def _account(
    account: WatchedAccount,
    state: NetworkState,
    open_kind: str | None,
    seen: Mapping[int, StakingStatus],
    findings: Findings,
) -> None:
    """The alert of an account with a known status.

    :param seen: its statuses by era, oldest first.
    """
    key = f"{_ACCOUNT}{account.status_key}"
    era, status = list(seen.items())[-1]
    # An account with `expect: any` has an alert from the end of its staking until it stakes again.
    stopped = open_kind == "not_staking" or StakingStatus.IS_STAKING in seen.values()
    is_staking = status is StakingStatus.IS_STAKING
    if account.expect.allows(status) and not (account.expect is Expectation.ANY and stopped and not is_staking):
        findings.absent[key] = _as_expected(open_kind, is_staking=is_staking)
        return
    if is_staking:
        kind, facts = "staking", "staking.yaml expects that it is not staking, but it is"
    else:
        kind = "not_staking"
        facts = "it has stopped staking" if stopped else "staking.yaml expects that it is staking, but it is not"
    problem = Problem(Topic.ACCOUNTS, f"{facts}; last checked in era {era}", level=Level.ATTENTION)
    findings.present[key] = Present(key, kind, 1, account.name, located(problem, state.name, state.network))


def _as_expected(open_kind: str | None, *, is_staking: bool) -> End:
    """The end of an alert about an account."""
    if open_kind == "staking":
        return (
            End("may be staking", "may be staking")
            if is_staking
            else End("is not staking any more", "are not staking any more")
        )
    if is_staking:
        return End("is staking again", "are staking again")
    return End("need not be staking", "need not be staking")


def _funds(state: NetworkState, problem: Problem | None, findings: Findings) -> None:
    funds = state.funds
    if funds.eras is None or f"{_BLOCKED}{Topic.PAYER_EMPTY.anchor}" in findings.present:
        return
    if not funds.short or problem is None:
        findings.absent[_RUNWAY] = End(f"last for {count(funds.eras, 'era')} again")
        return
    subject, rank = f"the funds of the payer {state.network.payer}", 2 if funds.critical else 1
    findings.present[_RUNWAY] = Present(_RUNWAY, "runway", rank, subject, problem)


def _calendar(state: NetworkState, problem: Problem | None, findings: Findings) -> None:
    active = state.situation.active
    if active.chain is None or active.calendar is None:
        return
    if problem is None:
        findings.absent[_CALENDAR] = End("agrees with the chain again")
        return
    if not active.credible:
        doubt = "which is not credible: nothing is signed, and no expiry is reported, until they agree"
        problem = replace(problem, facts=f"{problem.facts}, {doubt}")
    level = Level.DANGER if active.far_apart else Level.ATTENTION
    present = Present(_CALENDAR, "drift", int(level), "the calendar", replace(problem, level=level))
    findings.present[_CALENDAR] = present


def _books(state: NetworkState, open_alerts: Mapping[str, str], findings: Findings) -> None:
    """One alert for each era about which ledger and chain disagree."""
    for row in state.differences:
        key, command = f"{_BOOKS}{row.era}", f"Command: airflow staking reconcile --network {state.name}"
        problem = Problem(Topic.BOOKS, row.text, more=command)
        findings.present.setdefault(key, Present(key, "books", 1, f"era {row.era}", problem, row.era))
    for key in open_alerts:
        if key.startswith(_BOOKS) and key not in findings.present:
            kept = int(key.removeprefix(_BOOKS)) >= state.situation.active.payable.start
            findings.settled[key] = (
                End("agrees with the chain again", "agree with the chain again")
                if kept
                else End("can no longer be compared with the chain", "can no longer be compared with the chain")
            )
