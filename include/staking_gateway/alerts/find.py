"""The alerts of a network now, from its state and its problems. Pure: no network, no disk, no clock.

An alert is about an era, an account, the payer's funds, the calendar, the books of an era, or a problem that stands before every payout. It has one
problem, and a rank. The ranks of an era::

    not_paid -> held -> rejected -> expiring (50, 80, 95 %) -> expired

While a problem that stands before every payout has its alert, the eras that it blocks send only `expiring` and `expired`. While the calendar is
refused, or apart from the chain, that alert comes first, and those that rest on the calendar pause: not paid in time, held too long.

A message is sent for a higher rank than in the last message, and once for the end. So an era sends five messages at most, and one when it is paid.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from staking_gateway.config.models import Expectation
from staking_gateway.eras import URGENT_PERCENT
from staking_gateway.health.problems import problem_of
from staking_gateway.health.remedies import located
from staking_gateway.health.state import State
from staking_gateway.ledger.alerts import End, Findings, Present
from staking_gateway.payout.copies import unsettled
from staking_gateway.problem import Level, Problem, Topic
from staking_gateway.text import count, era_ranges
from staking_gateway.types import ElectionWindow, StakingStatus

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from datetime import timedelta

    from staking_gateway.config.models import WatchedAccount
    from staking_gateway.health.state import NetworkState
    from staking_gateway.ledger.records import AlertMessage

KINDS = {
    "not_paid": ("not paid in time", Topic.UNPAID),
    "held": ("held back", Topic.HELD_FEE),
    "rejected": ("rejected", Topic.REJECTED),
    "expiring": ("unpaid, and will expire", Topic.UNPAID),
    "expired": ("expired unpaid", Topic.EXPIRED),
    "not_staking": ("not staking", Topic.ACCOUNTS),
    "staking": ("staking, and must not be", Topic.ACCOUNTS),
    "runway": ("too little for the next eras", Topic.RUNWAY),
    "books": ("ledger and chain disagree", Topic.BOOKS),
    "drift": ("calendar and chain disagree", Topic.DRIFT),
    "blocked": ("nothing is paid", Topic.UNPAID),
}
"""Kind of an alert: what a message says after its subjects, and the section of the runbook when it has ended."""


def find_alerts(
    state: NetworkState,
    found: Sequence[Problem],
    open_alerts: Mapping[str, str],
    statuses: Mapping[int, Mapping[str, StakingStatus]],
    *,
    airflow_known: bool = True,
) -> Findings:
    """The alerts of a network.

    :param found: its problems, as `problems` gives them.
    :param open_alerts: key of an open alert to its kind.
    :param statuses: staking statuses of the newest eras: era, then the account's 0x key.
    :param airflow_known: whether anything is known of Airflow's programs.
    """
    look = _Look(state, found, open_alerts, statuses, airflow_known)
    groups = (look.standing, look.eras(), look.accounts(), look.funds(), look.calendar(), look.books())
    present = {one.topic: one for group in groups for one in group}
    ended = {key: look.end(*key.partition(":")[::2]) for key in open_alerts if key not in present}
    return Findings(present, {key: end for key, end in ended.items() if end is not None})


def open_eras(open_alerts: Collection[str]) -> list[int]:
    """The eras among the keys of open alerts."""
    return [int(key.removeprefix("era:")) for key in open_alerts if key.startswith("era:")]


def blocked(problem: Problem) -> Present:
    """The alert of a problem that stands before every payout."""
    return Present(f"blocked:{problem.topic.anchor}", "blocked", 1, problem.topic.heading, problem)


@dataclass
class _Look:
    """One look at a network: a method for each kind of subject, and `end`."""

    state: NetworkState
    found: Sequence[Problem]
    open: Mapping[str, str]
    statuses: Mapping[int, Mapping[str, StakingStatus]]
    airflow_known: bool

    def _problem(self, topic: Topic) -> Problem | None:
        return next((problem for problem in self.found if problem.topic is topic), None)

    def _is_told(self, topic: Topic) -> bool:
        """Whether a problem that stands before every payout has its alert."""
        return any(one.problem.topic is topic for one in self.standing)

    @cached_property
    def standing(self) -> list[Present]:
        """What stands before every payout."""
        state, alerts = self.state, []
        for problem in self.found:
            refused = state.refused is not None and problem.topic is Topic.CONFIGURATION
            if not problem.standing or problem.topic.passes:
                continue
            # Whether an era is late is known by the calendar alone.
            overdue = state.now - state.calendar.end(problem.eras[0]) if problem.eras and state.dated else None
            late = overdue is not None and overdue >= state.network.alerts.paid_within
            if late or refused or problem.topic.certain:
                alerts.append(blocked(replace(problem, level=Level.DANGER)))
        return alerts

    def eras(self) -> Iterator[Present]:
        for era, judged in self.state.cells.items():
            key = f"era:{era}"
            if judged.state is State.EXPIRED:
                if era in self.state.expired or key in self.open:
                    gone = Problem(Topic.EXPIRED, judged.reason)
                    yield Present(key, "expired", 100, f"Era {era}", gone, era, final=True)
            elif judged.state not in (State.PAID, State.IGNORED, State.EARLIER) and (unpaid := self._unpaid(key, era)):
                yield unpaid

    def _unpaid(self, key: str, era: int) -> Present | None:
        """The alert of an unpaid era. A problem that has its own alert leaves only the expiry to the era."""
        state, network, alerts = self.state, self.state.network, self.state.network.alerts
        problem, untried = problem_of(era, state, self.found), unsettled(state.records.get(era, ())) is None
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
            if self._is_told(problem.topic) or not (limit is None or key in self.open or overdue):
                return None
        return Present(key, kind, rank, f"Era {era}", replace(problem, level=level), era)

    @cached_property
    def _watched(self) -> Mapping[str, tuple[WatchedAccount, Mapping[int, StakingStatus]]]:
        """The watched accounts by their 0x key, each with its known statuses by era, oldest first."""
        accounts = {account.status_key: account for account in self.state.network.accounts}
        return {
            key: (account, {era: self.statuses[era][key] for era in sorted(self.statuses) if key in self.statuses[era]})
            for key, account in accounts.items()
        }

    def accounts(self) -> Iterator[Present]:
        for own, (account, seen) in self._watched.items():
            if not seen:
                continue
            key, (era, status) = f"account:{own}", list(seen.items())[-1]
            # An account with `expect: any` has an alert from the end of its staking until it stakes again.
            stopped = self.open.get(key) == "not_staking" or StakingStatus.IS_STAKING in seen.values()
            is_staking = status is StakingStatus.IS_STAKING
            if account.expect.allows(status) and not (account.expect is Expectation.ANY and stopped and not is_staking):
                continue
            kind, facts = "not_staking", "staking.yaml expects that it is staking, but it is not"
            if is_staking:
                kind, facts = "staking", "staking.yaml expects that it is not staking, but it is"
            elif stopped:
                facts = "it has stopped staking"
            problem = Problem(Topic.ACCOUNTS, f"{facts}; last checked in era {era}", level=Level.ATTENTION)
            yield Present(key, kind, 1, account.name, located(problem, self.state.name, self.state.network))

    def funds(self) -> Iterator[Present]:
        state, problem = self.state, self._problem(Topic.RUNWAY)
        if problem is not None and not self._is_told(Topic.PAYER_EMPTY):
            subject = f"The funds of the payer {state.network.payer.spelling}"
            yield Present("runway", "runway", 2 if state.critical else 1, subject, problem)

    def calendar(self) -> Iterator[Present]:
        active, problem = self.state.active, self._problem(Topic.DRIFT)
        if active.chain is None or active.calendar is None or problem is None:
            return
        level = Level.DANGER if active.far_apart else Level.ATTENTION
        yield Present("calendar", "drift", int(level), "The calendar", replace(problem, level=level))

    def books(self) -> Iterator[Present]:
        """One alert for each era about which ledger and chain disagree."""
        for era, row in {row.era: row for row in reversed(self.state.differences)}.items():
            problem = located(Problem(Topic.BOOKS, row.text), self.state.name, self.state.network)
            yield Present(f"books:{era}", "books", 1, f"Era {era}", problem, era)

    def end(self, kind: str, subject: str) -> End | None:
        """How an alert has ended whose problem is not present; None: that is unknown. The parameters are the two parts of its key."""
        state, live, active = self.state, self.state.live, self.state.active
        if kind == "blocked":
            topic = Topic.of(subject)
            known = self.airflow_known if topic.ends == "airflow" else live.at is not None and live.problem is None
            return End(at_once=True) if topic is Topic.CONFIGURATION else End() if known else None
        if kind == "era":
            judged = state.cells.get(int(subject))
            ended = judged is not None and judged.state in (State.PAID, State.IGNORED)
            return End(judged.state.word, at_once=True) if judged is not None and ended else None
        if kind == "account":
            if subject not in self._watched:
                return End("no longer watched", at_once=True)
            return End("in the right state again") if self._watched[subject][1] else None
        if kind == "books":
            comparable = int(subject) >= active.payable.start
            return End("in agreement again" if comparable else "too old to be compared", at_once=True)
        if kind == "runway":
            enough = state.runway is not None and not state.short
            return End(f"enough for {count(state.runway or 0, 'era')} again") if enough else None
        return None if active.chain is None or active.calendar is None else End("in agreement again")


# --- words: for logs, chats and e-mails -----------------------------------------------------------------------------------


def announcement(message: AlertMessage) -> dict[str, Any]:
    """A message for notifiers: plain JSON.

    :returns: `id` (the same in a repeated message), `network`, `phase`, `kind`, `severity`, `title`, `text`, `at`, `era` (the oldest),
        `eras`, `cause`, `next_step`, `runbook` (anchor of its section), `count`, and `conditions`. Of many, `eras` and `conditions` list the first; `count` counts all.
    """
    conditions, raised, several = message.conditions, message.phase == "raised", message.total > 1
    eras = sorted(condition["era"] for condition in conditions if condition["era"] is not None)
    first = min(conditions, key=lambda condition: (condition["era"] is None, condition["era"] or 0))
    said, topic = KINDS[message.kind]
    if not raised:
        ends = {str(condition["cause"]) for condition in conditions}
        said = ends.pop() if len(ends) == 1 and message.total == len(conditions) else "over"
    title = f"[{message.network}] {_subjects(message, eras)}: {said}"
    lines = [f"{title}."]
    if raised:
        for one in conditions if message.kind == "blocked" else [first]:
            about = f" ({one['subject']})" if several else ""
            lines += [f"Cause{about}: {one['cause']}.", f"Next: {one['next_step']}."]
    elif said == "over" and several:
        lines += [f"{condition['subject']}: {condition['cause']}." for condition in conditions]
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
        "runbook": first.get("runbook") or topic.anchor,
        "count": message.total,
        "conditions": list(conditions),
    }


def _subjects(message: AlertMessage, eras: Sequence[int]) -> str:
    unlisted = message.total - len(message.conditions)
    others = f" and {unlisted} more" if unlisted else ""
    if eras and message.total > 1:
        return f"{count(message.total, 'era')} ({era_ranges(eras, most=len(eras))}{others})"
    return f"{', '.join(condition['subject'] for condition in message.conditions)}{others}"
