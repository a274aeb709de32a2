"""The alerts of a network now, from its state and its problems. Pure: no network, no disk, no clock.

An alert is about an era, an account, the payer's funds, the calendar, the books of an era, or a problem that stands before every payout. It has one
problem, and a rank. The ranks of an era::

    not_paid -> held -> rejected -> expiring (50, 80, 95 %) -> expired

While a problem that stands before every payout has its alert, the eras that it blocks send only `expiring` and `expired`. While the calendar is
refused, or apart from the chain, that alert comes first, and those that rest on the calendar pause: not paid in time, held too long.

A message is sent for a higher rank than in the last message, and once for the end. So an era sends five messages at most, and one when it is paid.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from staking_gateway.config.models import Expectation
from staking_gateway.eras.expiry import URGENT_PERCENT
from staking_gateway.health.eras import State
from staking_gateway.health.problems import problem_of
from staking_gateway.health.remedies import located
from staking_gateway.ledger.alerts import End, Findings, Present
from staking_gateway.payout.copies import SEEN_PAID, unsettled
from staking_gateway.problem import Alert, Ends, Level, Problem, Topic
from staking_gateway.text import count, era_ranges
from staking_gateway.types import ElectionWindow, StakingStatus

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import timedelta

    from staking_gateway.config.models import WatchedAccount
    from staking_gateway.health.state import NetworkState
    from staking_gateway.ledger.records import AlertMessage

RAISED, CLEARED = "raised", "cleared"
_MOST_NAMED = 10
_ACCOUNTS = ("not_staking", "staking")

PREDICATES = {
    "not_paid": ("is not paid in time", "are not paid in time", Topic.UNPAID),
    "held": ("is held back", "are held back", Topic.HELD_FEE),
    "rejected": ("was rejected", "were rejected", Topic.REJECTED),
    "expiring": ("is unpaid and will expire", "are unpaid and will expire", Topic.UNPAID),
    "expired": ("has expired unpaid", "have expired unpaid", Topic.EXPIRED),
    "not_staking": ("is not staking", "are not staking", Topic.ACCOUNTS),
    "staking": ("is staking and must not be", "are staking and must not be", Topic.ACCOUNTS),
    "runway": ("run short", "run short", Topic.RUNWAY),
    "books": ("does not agree with the chain", "do not agree with the chain", Topic.BOOKS),
    "drift": ("does not agree with the chain", "do not agree with the chain", Topic.DRIFT),
    "blocked": ("", "", Topic.UNPAID),
}
"""Kind of an alert: what a message says of one subject, and of several; and the section of the runbook when it has ended."""


OVER = End("this is over")
_RUNWAY, _CALENDAR = "runway", "calendar"
_BLOCKED, _BOOKS, _ERA, _ACCOUNT = "blocked:", "books:", "era:", "account:"


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
    look = _Look(state, found, open_alerts, state.active.era - 1 if paying is None else paying, airflow_known)
    look.standing()
    for era in state.cells:
        look.era(era)
    look.accounts(statuses)
    look.funds()
    look.calendar()
    look.books()
    return look.findings


def open_eras(open_alerts: Collection[str]) -> list[int]:
    """The eras among the keys of open alerts."""
    return [int(key.removeprefix(_ERA)) for key in open_alerts if key.startswith(_ERA)]


def blocked(problem: Problem) -> Present:
    """The alert of a problem that stands before every payout."""
    return Present(f"{_BLOCKED}{problem.topic.anchor}", "blocked", 1, problem.topic.heading, problem)


@dataclass
class _Look:
    """One look at a network: each method adds what it finds. `standing` comes first."""

    state: NetworkState
    found: Sequence[Problem]
    open: Mapping[str, str]
    paying: int
    airflow_known: bool
    findings: Findings = field(default_factory=Findings)

    def _problem(self, topic: Topic) -> Problem | None:
        return next((problem for problem in self.found if problem.topic is topic), None)

    def _is_told(self, topic: Topic) -> bool:
        """Whether a problem that stands before every payout has its alert."""
        return f"{_BLOCKED}{topic.anchor}" in self.findings.present

    # --- what stands before every payout

    def standing(self) -> None:
        state, live = self.state, self.state.live
        for problem in self.found:
            refused = state.refused is not None and problem.topic is Topic.CONFIGURATION
            if not problem.standing or (problem.topic.alert is Alert.NEVER and not refused):
                continue
            # Whether an era is late is known by the calendar alone.
            overdue = state.now - state.calendar.end(problem.eras[0]) if problem.eras and state.dated else None
            late = overdue is not None and overdue >= state.network.alerts.paid_within
            if late or problem.topic.alert is not Alert.WHEN_LATE:
                present = blocked(replace(problem, level=Level.DANGER))
                self.findings.present[present.topic] = present
        for key in self.open:
            if not key.startswith(_BLOCKED) or key in self.findings.present:
                continue
            topic = Topic.of(key.removeprefix(_BLOCKED))
            known = self.airflow_known if topic.ends is Ends.AIRFLOW else live.at is not None and live.problem is None
            if topic is Topic.PAYER_EMPTY:
                known = live.balance is not None
            if topic is Topic.CONFIGURATION:
                self.findings.settled[key] = OVER
            elif known:
                self.findings.absent[key] = OVER

    # --- eras

    def era(self, era: int) -> None:
        key, judged = f"{_ERA}{era}", self.state.cells[era]
        if judged.state is State.PAID:
            self.findings.settled[key] = End(self._how_paid(era), "are paid")
        elif judged.state is State.IGNORED:
            self.findings.settled[key] = End(f"is ignored: {judged.reason}", "are ignored")
        elif judged.state is State.EXPIRED:
            if era in self.state.expired or key in self.open:
                gone = Problem(Topic.EXPIRED, judged.reason)
                self.findings.present[key] = Present(key, "expired", 100, f"era {era}", gone, era, final=True)
        elif judged.state is not State.EARLIER and (unpaid := self._unpaid(key, era)) is not None:
            self.findings.present[key] = unpaid

    def _how_paid(self, era: int) -> str:
        if self.state.cells[era].reason == SEEN_PAID:
            return f"is {SEEN_PAID}"
        records = self.state.records.get(era, ())
        transaction = next((one.tx_hash for one in reversed(records) if one.tx_hash), None)
        return f"is paid, transaction {transaction}" if transaction else "is paid"

    def _unpaid(self, key: str, era: int) -> Present | None:
        """The alert of an unpaid era. A problem that has its own alert leaves only the expiry to the era."""
        state, network, alerts = self.state, self.state.network, self.state.network.alerts
        problem, untried = problem_of(era, state, self.found), unsettled(state.records.get(era, ())) is None
        if untried and era == self.paying and state.live.window is ElectionWindow.OPEN and not problem.standing:
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
        left = network.depths.countdown(era, state.active.era)
        if left.warning is not None:
            kind, rank = "expiring", left.warning
            level = Level.DANGER if left.warning >= URGENT_PERCENT else level
            expiry = f"it expires {left.when}, when era {left.expires_at_era} begins"
            problem = replace(problem, facts="; ".join(filter(None, (problem.facts, expiry))))
        else:
            overdue = state.dated and (limit is None or state.now - state.calendar.end(era) >= limit)
            if self._is_told(problem.topic) or not (limit is None or key in self.open or overdue):
                return None
        return Present(key, kind, rank, f"era {era}", replace(problem, level=level), era)

    # --- accounts, funds, calendar and books

    def accounts(self, statuses: Mapping[int, Mapping[str, StakingStatus]]) -> None:
        watched = {f"{_ACCOUNT}{account.status_key}": account for account in self.state.network.accounts}
        for key, account in watched.items():
            own = account.status_key
            if seen := {era: statuses[era][own] for era in sorted(statuses) if own in statuses[era]}:
                self._account(key, account, seen)
        for key in self.open:
            if key.startswith(_ACCOUNT) and key not in watched:
                self.findings.settled[key] = End("is no longer watched")

    def _account(self, key: str, account: WatchedAccount, seen: Mapping[int, StakingStatus]) -> None:
        """The alert of an account with a known status, from its statuses by era, oldest first."""
        era, status = list(seen.items())[-1]
        # An account with `expect: any` has an alert from the end of its staking until it stakes again.
        stopped = self.open.get(key) == "not_staking" or StakingStatus.IS_STAKING in seen.values()
        is_staking = status is StakingStatus.IS_STAKING
        if account.expect.allows(status) and not (account.expect is Expectation.ANY and stopped and not is_staking):
            self.findings.absent[key] = End("is in the right state again", "are in the right state again")
            return
        if is_staking:
            kind, facts = "staking", "staking.yaml expects that it is not staking, but it is"
        else:
            kind = "not_staking"
            facts = "it has stopped staking" if stopped else "staking.yaml expects that it is staking, but it is not"
        problem = Problem(Topic.ACCOUNTS, f"{facts}; last checked in era {era}", level=Level.ATTENTION)
        told = located(problem, self.state.name, self.state.network)
        self.findings.present[key] = Present(key, kind, 1, account.name, told)

    def funds(self) -> None:
        state, problem = self.state, self._problem(Topic.RUNWAY)
        if state.runway is None or self._is_told(Topic.PAYER_EMPTY):
            return
        if not state.short or problem is None:
            self.findings.absent[_RUNWAY] = End(f"last for {count(state.runway, 'era')} again")
            return
        subject, rank = f"the funds of the payer {state.network.payer.spelling}", 2 if state.critical else 1
        self.findings.present[_RUNWAY] = Present(_RUNWAY, "runway", rank, subject, problem)

    def calendar(self) -> None:
        active, problem = self.state.active, self._problem(Topic.DRIFT)
        if active.chain is None or active.calendar is None:
            return
        if problem is None:
            self.findings.absent[_CALENDAR] = End("agrees with the chain again")
            return
        if not active.credible:
            doubt = "which is not credible: nothing is signed, and no expiry is reported, until they agree"
            problem = replace(problem, facts=f"{problem.facts}, {doubt}")
        level = Level.DANGER if active.far_apart else Level.ATTENTION
        drift = Present(_CALENDAR, "drift", int(level), "the calendar", replace(problem, level=level))
        self.findings.present[_CALENDAR] = drift

    def books(self) -> None:
        """One alert for each era about which ledger and chain disagree."""
        for row in self.state.differences:
            key, command = f"{_BOOKS}{row.era}", f"Command: airflow staking reconcile --network {self.state.name}"
            problem = Problem(Topic.BOOKS, row.text, more=command)
            self.findings.present.setdefault(key, Present(key, "books", 1, f"era {row.era}", problem, row.era))
        compared = End("agrees with the chain again", "agree with the chain again")
        gone = End("is too old to be compared", "are too old to be compared")
        for key in self.open:
            if key.startswith(_BOOKS) and key not in self.findings.present:
                kept = int(key.removeprefix(_BOOKS)) >= self.state.active.payable.start
                self.findings.settled[key] = compared if kept else gone


# --- words: for logs, chats and e-mails -----------------------------------------------------------------------------------


def announcement(message: AlertMessage) -> dict[str, Any]:
    """A message for notifiers: plain JSON.

    :returns: `id` (the same in a repeated message), `network`, `phase`, `kind`, `severity`, `title`, `text`, `at`, `era` (the oldest),
        `eras`, `cause`, `next_step`, `runbook` (anchor of its section), `count`, and `conditions`. Of many, `eras` and `conditions` list the first; `count` counts all.
        As JSON less than 64 kB.
    """
    conditions = message.conditions
    eras = sorted(condition["era"] for condition in conditions if condition["era"] is not None)
    first = min(conditions, key=lambda condition: (condition["era"] is None, condition["era"] or 0))
    is_blocked = message.kind == "blocked"
    headline = _blocked(message) if is_blocked else f"{_subjects(message, eras)} {_predicate(message)}"
    if message.kind not in _ACCOUNTS and not is_blocked:  # an account's label keeps its case
        headline = f"{headline[0].upper()}{headline[1:]}"
    title = f"[{message.network}] {headline}"
    several = message.total > 1
    lines = [f"{title}."]
    if message.phase == RAISED:
        for one in conditions if is_blocked else [first]:
            which = f"Cause for {one['subject']}" if several and not is_blocked else "Cause"
            lines += [f"{which}: {one['cause']}.", f"Next: {one['next_step']}."]
    elif several and (message.summarised or len({condition["cause"] for condition in conditions}) > 1):
        lines += [f"{condition['subject']} {condition['cause']}." for condition in conditions[:_MOST_NAMED]]
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
        "runbook": first.get("runbook") or PREDICATES[message.kind][2].anchor,
        "count": message.total,
        "conditions": [{name: value for name, value in one.items() if name != "several"} for one in conditions],
    }


def _blocked(message: AlertMessage) -> str:
    causes = "; ".join(condition["subject"] for condition in message.conditions)
    return f"{causes}: {'nothing is paid' if message.phase == RAISED else 'this is over'}"


def _subjects(message: AlertMessage, eras: Sequence[int]) -> str:
    conditions, unlisted = message.conditions, message.total - len(message.conditions)
    if message.total == 1:
        return str(conditions[0]["subject"])
    if eras:
        others = f" and {unlisted} more" if unlisted else ""
        return f"{count(message.total, 'era')} ({era_ranges(eras, most=100)}{others})"
    named = ", ".join(condition["subject"] for condition in conditions[:_MOST_NAMED])
    more = message.total - min(len(conditions), _MOST_NAMED)
    return f"{count(message.total, 'account')} ({named}{f' and {more} more' if more > 0 else ''})"


def _predicate(message: AlertMessage) -> str:
    one, several, _ = PREDICATES[message.kind]
    if message.phase == RAISED:
        return several if message.total > 1 else one
    if message.total == 1:
        return str(message.conditions[0]["cause"])
    ends = {str(condition["several"]) for condition in message.conditions}
    return ends.pop() if len(ends) == 1 and not message.summarised else "are over"
