"""The alerts of a network now, from its state and its problems. Pure: no network, no disk, no clock.

An alert is about an era, an account, the payer's funds, the calendar, the books of an era, or a problem that stands before every payout. It has one
problem, and a rank. The ranks of an era::

    not_paid -> held -> rejected -> expiring (50, 80, 95 %) -> expired

While a problem that stands before every payout has its alert, the eras that it blocks send only `expiring` and `expired`. While the calendar is
refused, or apart from the chain, that alert comes first, and those that rest on the calendar pause: not paid in time, held too long.

A message is sent for a higher rank than in the last message, and once for the end. So an era sends five messages at most, and one when it is paid.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from staking_gateway.config.models import Expectation
from staking_gateway.eras import URGENT_PERCENT
from staking_gateway.health.problems import problem_of
from staking_gateway.health.remedies import located
from staking_gateway.health.state import OPEN, NetworkState, State
from staking_gateway.ledger.records import Alert, AlertMessage
from staking_gateway.payout.copies import unsettled
from staking_gateway.problem import Level, Problem, Topic
from staking_gateway.text import count, era_ranges
from staking_gateway.types import ElectionWindow, StakingStatus

KINDS = {
    "not_paid": "not paid in time",
    "held": "held back",
    "rejected": "rejected",
    "expiring": "unpaid, and will expire",
    "expired": "expired unpaid",
    "not_staking": "not staking",
    "staking": "staking, and must not be",
    "runway": "too little for the next eras",
    "books": "ledger and chain disagree",
    "drift": "calendar and chain disagree",
    "blocked": "nothing is paid",
}
"""Kind of an alert: what a message says after its subjects."""
_SURE = (
    *(Topic.CONNECTION_MISSING, Topic.CONNECTION_INVALID, Topic.WRONG_KEY, Topic.INPUT),
    *(Topic.LIMIT_MISSING, Topic.PAYER_EMPTY),
)
"""One look shows it for certain, and it needs a person: the alert waits for no late era."""


def find_alerts(
    state: NetworkState,
    problems: Sequence[Problem],
    open_alerts: Sequence[Alert],
    statuses: Mapping[int, Mapping[str, StakingStatus]],
    *,
    airflow_known: bool = True,
) -> list[Alert]:
    """The alerts of a network: those whose problem is present, and the open ones that have ended.

    :param problems: as `health.problems.problems` gives them.
    :param statuses: staking statuses of the newest eras: era, then the account's 0x key.
    :param airflow_known: whether anything is known of Airflow's programs.
    """
    look = _Look(state, problems, {alert.topic: alert for alert in open_alerts}, statuses, airflow_known)
    present = {alert.topic: alert for alert in (*look.network(), *look.eras(), *look.accounts())}
    over = (look.end(alert) for alert in open_alerts if alert.topic not in present)
    return [*present.values(), *(alert for alert in over if alert is not None)]


def open_eras(open_alerts: Sequence[Alert]) -> list[int]:
    """The eras of open alerts."""
    return [int(alert.topic.removeprefix("era:")) for alert in open_alerts if alert.topic.startswith("era:")]


def blocked(problem: Problem, network: str, now: datetime) -> Alert:
    """The alert of a problem that stands before every payout."""
    alert = _alert(problem, network, now, "blocked", f"blocked:{problem.topic.anchor}", problem.topic.heading)
    return replace(alert, severity="critical", cause=problem.facts or problem.topic.heading)


def ended(alert: Alert, how: str = "over") -> Alert:
    """An open alert whose problem is over."""
    return replace(alert, state="over", severity="info", cause=how, next_step="")


def _alert(  # noqa: PLR0917 - columns of a row
    problem: Problem, network: str, now: datetime, kind: str, topic: str, subject: str, rank: int = 1, **more: Any
) -> Alert:
    about = {"cause": problem.title, "next_step": problem.remedy, "runbook": problem.topic.anchor, "era": None, **more}
    severity = "critical" if problem.level is Level.DANGER else "warning"
    return Alert(network, topic, kind, rank, severity, subject, raised_at=now, **about)


@dataclass
class _Look:
    """One look at a network: a method for each kind of subject, and `end`."""

    state: NetworkState
    problems: Sequence[Problem]
    open: Mapping[str, Alert]
    statuses: Mapping[int, Mapping[str, StakingStatus]]
    airflow_known: bool

    def _alert(self, problem: Problem, kind: str, topic: str, subject: str, rank: int = 1, **more: Any) -> Alert:
        return _alert(problem, self.state.name, self.state.now, kind, topic, subject, rank, **more)

    @cached_property
    def standing(self) -> list[Problem]:
        """The problems before every payout that have their alert: an era that they block is late, or one look is sure."""
        state, found = self.state, []
        for problem in self.problems:
            # Whether an era is late is known by the calendar alone.
            overdue = state.now - state.calendar.end(problem.eras[0]) if problem.eras and state.dated else None
            late = overdue is not None and overdue >= state.network.alerts.paid_within
            sure = problem.topic in _SURE or (problem.topic is Topic.CONFIGURATION and state.refused is not None)
            if problem.standing and not problem.topic.passes and (late or sure):
                found.append(problem)
        return found

    def network(self) -> Iterator[Alert]:
        """What stands before every payout, the payer's funds, the calendar, and each era about which ledger and chain disagree."""
        state, active = self.state, self.state.active
        yield from (blocked(problem, state.name, state.now) for problem in self.standing)
        for problem in self.problems:
            if problem.topic is Topic.RUNWAY:
                subject = f"The funds of the payer {state.network.payer.spelling}"
                yield self._alert(problem, "runway", "runway", subject, rank=problem.level)
            elif problem.topic is Topic.DRIFT and None not in (active.chain, active.calendar):
                yield self._alert(problem, "drift", "calendar", "The calendar", rank=problem.level)
            elif problem.topic is Topic.BOOKS:
                for era, row in {row.era: row for row in reversed(state.differences)}.items():
                    of_era = replace(problem, facts=row.text)
                    yield self._alert(of_era, "books", f"books:{era}", f"Era {era}", era=era)

    def eras(self) -> Iterator[Alert]:
        for era, judged in self.state.cells.items():
            key = f"era:{era}"
            if judged.state is State.EXPIRED:
                if era in self.state.expired or key in self.open:
                    gone = Problem(Topic.EXPIRED, judged.reason)
                    yield self._alert(gone, "expired", key, f"Era {era}", rank=100, era=era, state="final")
            elif judged.state in OPEN and (unpaid := self._unpaid(key, era)):
                yield unpaid

    def _unpaid(self, key: str, era: int) -> Alert | None:
        """The alert of an unpaid era. A problem that has its own alert leaves only the expiry to the era."""
        state, network, alerts = self.state, self.state.network, self.state.network.alerts
        problem, untried = problem_of(era, state, self.problems), unsettled(state.records.get(era, ())) is None
        newest = era == state.active.era - 1
        if untried and newest and state.live.window is ElectionWindow.OPEN and not problem.standing:
            problem = Problem(Topic.HELD_WINDOW)  # its run waits
        kind, rank, level = "not_paid", 1 + (problem.topic is not Topic.UNPAID), Level.ATTENTION
        limit: timedelta | None = alerts.paid_within
        if state.cells[era].state is State.REJECTED:
            kind, rank, limit, level = "rejected", 4, None, Level.DANGER
        elif problem.topic is Topic.HELD_WINDOW or state.cells[era].state is State.HELD:
            kind, rank, limit = "held", 3, alerts.held_after
        left = network.countdown(era, state.active.era)
        if left.warning is not None:
            kind, rank = "expiring", left.warning
            level = Level.DANGER if left.warning >= URGENT_PERCENT else level
            expiry = f"it expires {left.when}, when era {left.expires_at_era} begins"
            problem = replace(problem, facts="; ".join(filter(None, (problem.facts, expiry))))
        else:
            overdue = state.dated and (limit is None or state.now - state.calendar.end(era) >= limit)
            is_told = problem.topic in {one.topic for one in self.standing}
            if is_told or not (limit is None or key in self.open or overdue):
                return None
        return self._alert(replace(problem, level=level), kind, key, f"Era {era}", rank, era=era)

    @cached_property
    def _seen(self) -> Mapping[str, Mapping[int, StakingStatus]]:
        """The known statuses of each account by its 0x key: by era, oldest first."""
        found: dict[str, dict[int, StakingStatus]] = defaultdict(dict)
        for era, statuses in sorted(self.statuses.items()):
            for key, status in statuses.items():
                found[key][era] = status
        return dict(found)

    def accounts(self) -> Iterator[Alert]:
        for account in self.state.network.accounts:
            if account.account.hex not in self._seen:
                continue
            seen, key = self._seen[account.account.hex], f"account:{account.account.hex}"
            era, status = list(seen.items())[-1]
            # An account with `expect: any` has an alert from the end of its staking until it stakes again.
            known = key in self.open and self.open[key].kind == "not_staking"
            stopped, is_staking = known or StakingStatus.IS_STAKING in seen.values(), status is StakingStatus.IS_STAKING
            if account.expect.allows(status) and not (account.expect is Expectation.ANY and stopped and not is_staking):
                continue
            kind = "staking" if is_staking else "not_staking"
            expected = "any, but it was staking" if account.expect is Expectation.ANY else account.expect.value
            facts = f"{status.value} in era {era}, expected {expected}"
            problem = located(
                Problem(Topic.ACCOUNTS, facts, level=Level.ATTENTION), self.state.name, self.state.network
            )
            yield self._alert(problem, kind, key, account.name)

    def end(self, alert: Alert) -> Alert | None:
        """An open alert as it ends, because its problem is not present; None: that is unknown."""
        state, live, active = self.state, self.state.live, self.state.active
        kind, _, subject = alert.topic.partition(":")
        if kind == "era":
            judged = state.cells.get(int(subject))
            paid = judged is not None and judged.state in (State.PAID, State.IGNORED)
            return ended(alert, judged.state.word) if judged is not None and paid else None
        if kind == "books":
            comparable = int(subject) >= active.payable.start
            return ended(alert, "in agreement again" if comparable else "too old to be compared")
        if alert.topic == f"blocked:{Topic.CONFIGURATION.anchor}":
            return ended(alert)
        if kind == "blocked" and Topic.of(subject).ends == "airflow":
            known = self.airflow_known
        elif kind == "blocked":
            known = live.at is not None and live.problem is None
        elif kind == "account":
            watched = {account.account.hex for account in state.network.accounts}
            known = subject in self._seen or subject not in watched
        elif kind == "runway":
            known = state.runway is not None and not state.funds
        else:
            known = active.chain is not None and active.calendar is not None
        return replace(ended(alert), state="absent") if known else None


# --- words: for logs, chats and e-mails -----------------------------------------------------------------------------------


def announcement(message: AlertMessage) -> dict[str, Any]:
    """A message for notifiers: plain JSON.

    :returns: `id` (the same in a repeated message), `network`, `phase`, `kind`, `severity`, `title`, `text`, `at`, `era` (the oldest),
        `eras`, `cause`, `next_step`, `runbook` (anchor of its section), `count`, and `conditions`. Of many, `eras` and `conditions` list the first; `count` counts all.
    """
    conditions, several, said = message.conditions, message.total > 1, KINDS[message.kind]
    eras = sorted(condition["era"] for condition in conditions if condition["era"] is not None)
    first = min(conditions, key=lambda condition: (condition["era"] is None, condition["era"] or 0))
    if message.phase == "cleared":
        ends = {str(condition["cause"]) for condition in conditions}
        said = f"{said}: over" if len(ends) > 1 or "over" in ends else ends.pop()
    title = f"[{message.network}] {_subjects(message, eras)}: {said}"
    lines = [f"{title}."]
    if message.phase == "raised":
        for one in conditions if message.kind == "blocked" else [first]:
            about = f" ({one['subject']})" if several else ""
            lines += [f"Cause{about}: {one['cause']}.", f"Next: {one['next_step']}."]
    return {
        "id": message.id,
        "network": message.network,
        "phase": message.phase,
        "kind": message.kind,
        "severity": message.severity,
        "title": title,
        "text": "\n".join(lines),
        "at": message.made_at.isoformat(),
        "era": eras[0] if eras else None,
        "eras": eras,
        "cause": first["cause"],
        "next_step": first["next_step"],
        "runbook": first["runbook"],
        "count": message.total,
        "conditions": list(conditions),
    }


def _subjects(message: AlertMessage, eras: Sequence[int]) -> str:
    unlisted = message.total - len(message.conditions)
    others = f" and {unlisted} more" if unlisted else ""
    if eras and message.total > 1:
        return f"{count(message.total, 'era')} ({era_ranges(eras, most=len(eras))}{others})"
    return f"{', '.join(condition['subject'] for condition in message.conditions)}{others}"
