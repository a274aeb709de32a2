"""The alerts of a network. A message is sent for a higher rank than in the last message, and once for the end. `watch` writes messages, `deliver` sends
them; both may run in several processes at once.
"""

import copy
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from staking_gateway.catch_up import WATCHED_FROM, responsible_from
from staking_gateway.config.models import Expectation, NetworkConfig
from staking_gateway.eras import URGENT_PERCENT, utc_now
from staking_gateway.errors import ConfigError
from staking_gateway.health.problems import located, problem_of, problems
from staking_gateway.health.state import OPEN, AirflowFacts, LiveFacts, NetworkState, State
from staking_gateway.ledger import Ledger
from staking_gateway.ledger.journal import AlertBook
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
_CONNECTIONS = (Topic.CONNECTION_MISSING, Topic.CONNECTION_INVALID, Topic.WRONG_KEY)
_SURE = (*_CONNECTIONS, Topic.INPUT, Topic.LIMIT_MISSING, Topic.PAYER_EMPTY)
"""One look shows it for certain, and it needs a person: the alert waits for no late era."""
_PATIENCE = 60.0
"""Seconds of failures after which a receiver gets nothing more in a run. One message that it refuses holds up no other."""
LEASE = timedelta(minutes=5)
"""How long a run may take to send a message before another run sends it."""
_STATUS_ERAS = 8
"""Eras whose statuses show that an account has stopped staking."""


@dataclass(frozen=True)
class Watch:
    """The open alerts, oldest first, and how many watched accounts are in the wrong state; None: no status is known."""

    state: NetworkState
    open: list[Alert]
    unexpected: int | None


def watch(
    name: str,
    network: NetworkConfig,
    ledger: Ledger,
    live: LiveFacts,
    *,
    era: int | None = None,
    airflow: AirflowFacts | None = None,
    clock: Callable[[], datetime] = utc_now,
) -> Watch:
    """Check a network, and store its alerts; those about values that are unavailable stay as they are. This installation should pay the era of the
    present run, and later ones, also without a record.
    """
    if era is not None and responsible_from(ledger, name, network.first_era) is None:
        ledger.journal.note_once(name, era, WATCHED_FROM, "eras from here on should be paid")
    book, now = ledger.journal.alerts, clock()
    known = {alert.topic: alert for alert in book.open(name)}
    eras = [int(topic.removeprefix("era:")) for topic in known if topic.startswith("era:")]
    state = NetworkState(name, network, ledger, live, now=now, airflow=lambda _: airflow or AirflowFacts(), also=eras)
    active, newest = state.active, state.active.era
    if active.chain is not None and active.credible and state.refused is None:
        ledger.journal.note_active_era(name, active.chain, network.history_depth)
    statuses = ledger.statuses_of(name, range(max(newest - _STATUS_ERAS, 0), newest + 1))
    found = _Look(state, problems(state), known, statuses, airflow is not None).alerts()
    book.update(name, found, clear_after=network.alerts_clear_after)
    watched = {account.account.hex for account in network.accounts}
    checked = any(watched & known.keys() for known in statuses.values())
    wrong = sum(alert.topic.startswith("account:") and alert.state == "open" for alert in found)
    return Watch(state, book.open(name), wrong if checked else None)


def note_mistake(name: str, error: ConfigError | None, book: AlertBook) -> None:
    """Store the alert about a mistake in `staking.yaml` that stops a network, which `watch` ends; None ends all open alerts."""
    found = [ended(alert) for alert in book.open(name)]
    if error is not None:
        problem = replace(error.problem, facts=f"{error.field}: {error.fault}")
        found = [blocked(problem, name, utc_now())]
    book.update(name, found, clear_after=timedelta(0))


def blocked(problem: Problem, network: str, now: datetime) -> Alert:
    topic, worst = problem.topic, replace(problem, level=Level.DANGER)
    cause = problem.facts or topic.heading
    return _alert(worst, network, now, "blocked", f"blocked:{topic.anchor}", topic.heading, cause=cause)


def ended(alert: Alert, how: str = "over", state: str = "over") -> Alert:
    return replace(alert, state=state, severity="info", cause=how, next_step="")


def _alert(  # noqa: PLR0917 - columns of a row
    problem: Problem, network: str, now: datetime, kind: str, topic: str, subject: str, rank: int = 1, **more: Any
) -> Alert:
    about = {"cause": problem.title, "next_step": problem.remedy, "runbook": problem.topic.anchor, "era": None, **more}
    severity = "critical" if problem.level is Level.DANGER else "warning"
    return Alert(network, topic, kind, rank, severity, subject, raised_at=now, **about)


@dataclass
class _Look:
    """One look at a network. `open` are the open alerts by topic, `statuses` those of the newest eras: era, then the account's 0x key."""

    state: NetworkState
    problems: Sequence[Problem]
    open: Mapping[str, Alert]
    statuses: Mapping[int, Mapping[str, StakingStatus]]
    airflow_known: bool

    def alerts(self) -> list[Alert]:
        """Those whose problem is present, and the open ones that have ended."""
        present = {alert.topic: alert for alert in (*self.network(), *self.eras(), *self.accounts())}
        over = (self.end(alert) for topic, alert in self.open.items() if topic not in present)
        return [*present.values(), *(alert for alert in over if alert is not None)]

    def _alert(self, problem: Problem, kind: str, topic: str, subject: str, rank: int = 1, **more: Any) -> Alert:
        return _alert(problem, self.state.name, self.state.now, kind, topic, subject, rank, **more)

    @cached_property
    def standing(self) -> list[Problem]:
        """The problems before every payout that have their alert: an era that they block is late, or one look is sure."""
        sure = _SURE if self.state.refused is None else (*_SURE, Topic.CONFIGURATION)
        told = [one for one in self.problems if one.standing and not one.topic.passes]
        limit = self.state.network.alerts.paid_within
        return [one for one in told if one.topic in sure or (one.eras and self._is_late(one.eras[0], limit))]

    def _is_late(self, era: int, limit: timedelta) -> bool:
        """By the calendar alone: while it is refused, or apart from the chain, nothing is late."""
        return self.state.dated and self.state.now - self.state.calendar.end(era) >= limit

    def network(self) -> Iterator[Alert]:
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
            if judged.state is State.EXPIRED and (era in self.state.expired or key in self.open):
                gone = Problem(Topic.EXPIRED, judged.reason)
                yield self._alert(gone, "expired", key, f"Era {era}", rank=100, era=era, state="final")
            elif judged.state in OPEN and (unpaid := self._unpaid(key, era)):
                yield unpaid

    def _unpaid(self, key: str, era: int) -> Alert | None:
        """By rank: not_paid, held, rejected, expiring. A problem that has its own alert leaves only the expiry to the era."""
        state, network, alerts = self.state, self.state.network, self.state.network.alerts
        problem, untried = problem_of(era, state, self.problems), unsettled(state.records.get(era, ())) is None
        newest = era == state.active.era - 1
        if untried and newest and state.live.window is ElectionWindow.OPEN and not problem.standing:
            problem = Problem(Topic.HELD_WINDOW)  # its run waits
        kind, rank, level = "not_paid", 1 + (problem.topic is not Topic.UNPAID), Level.ATTENTION
        limit = alerts.paid_within
        if state.cells[era].state is State.REJECTED:
            kind, rank, level = "rejected", 4, Level.DANGER
        elif problem.topic is Topic.HELD_WINDOW or state.cells[era].state is State.HELD:
            kind, rank, limit = "held", 3, alerts.held_after
        left = network.countdown(era, state.active.era)
        if left.warning is not None:
            kind, rank = "expiring", left.warning
            level = Level.DANGER if left.warning >= URGENT_PERCENT else level
            expiry = f"it expires {left.when}, when era {left.expires_at_era} begins"
            problem = replace(problem, facts="; ".join(filter(None, (problem.facts, expiry))))
        elif problem.topic in {one.topic for one in self.standing} or (
            kind != "rejected" and key not in self.open and not self._is_late(era, limit)
        ):
            return None
        return self._alert(replace(problem, level=level), kind, key, f"Era {era}", rank, era=era)

    def accounts(self) -> Iterator[Alert]:
        for account in self.state.network.accounts:
            key = account.account.hex
            seen = [(era, known[key]) for era, known in sorted(self.statuses.items()) if key in known]
            if not seen:
                continue
            (era, status), before = seen[-1], self.open.get(f"account:{key}")
            is_staking, is_free = status is StakingStatus.IS_STAKING, account.expect is Expectation.ANY
            # An account with `expect: any` has an alert from the end of its staking until it stakes again.
            known_idle = before is not None and before.kind == "not_staking"
            was_staking = known_idle or any(one is StakingStatus.IS_STAKING for _, one in seen)
            if account.expect.allows(status) and not (is_free and was_staking and not is_staking):
                continue
            expected = "any, but it was staking" if is_free else account.expect.value
            wrong = Problem(Topic.ACCOUNTS, f"{status.value} in era {era}, expected {expected}", level=Level.ATTENTION)
            problem = located(wrong, self.state.name, self.state.network)
            yield self._alert(problem, "staking" if is_staking else "not_staking", f"account:{key}", account.name)

    def end(self, alert: Alert) -> Alert | None:
        """An open alert whose problem is not present, as it ends; None: that is unknown."""
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
        if kind == "blocked":
            answered = live.at is not None and live.problem is None
            known = self.airflow_known if Topic.of(subject).ends == "airflow" else answered
        elif kind == "account":
            watched = {account.account.hex for account in state.network.accounts}
            known = subject not in watched or any(subject in statuses for statuses in self.statuses.values())
        elif kind == "runway":
            known = state.runway is not None and not state.funds
        else:
            known = active.chain is not None and active.calendar is not None
        return ended(alert, state="absent") if known else None


def announcement(message: AlertMessage) -> dict[str, Any]:
    """A message for notifiers: plain JSON, with the fields that docs/alerts.md names, but for `help`."""
    conditions, said = message.conditions, KINDS[message.kind]
    eras = sorted(condition["era"] for condition in conditions if condition["era"] is not None)
    first = min(conditions, key=lambda condition: (condition["era"] is None, condition["era"] or 0))
    if message.phase == "cleared":
        ends = {str(condition["cause"]) for condition in conditions}
        said = f"{said}: over" if len(ends) > 1 or "over" in ends else ends.pop()
    unlisted = message.total - len(conditions)
    others = f" and {unlisted} more" if unlisted else ""
    subjects = f"{', '.join(condition['subject'] for condition in conditions)}{others}"
    if eras and message.total > 1:
        subjects = f"{count(message.total, 'era')} ({era_ranges(eras, most=len(eras))}{others})"
    title = f"[{message.network}] {subjects}: {said}"
    lines = [f"{title}."]
    if message.phase == "raised":
        for one in conditions if message.kind == "blocked" else [first]:
            about = f" ({one['subject']})" if message.total > 1 else ""
            lines += [f"Cause{about}: {one['cause']}.", f"Next: {one['next_step']}."]
    return {
        **{name: getattr(message, name) for name in ("id", "network", "phase", "kind", "severity")},
        "title": title,
        "text": "\n".join(lines),
        "at": message.made_at.isoformat(),
        "era": eras[0] if eras else None,
        "eras": eras,
        **{name: first[name] for name in ("cause", "next_step", "runbook")},
        "count": message.total,
        "conditions": list(conditions),
    }


@dataclass
class Delivery:
    """The titles of the messages that all receivers have, the error of each receiver that failed, and the number of messages `left`."""

    sent: list[str] = field(default_factory=list)
    errors: dict[str, Exception] = field(default_factory=dict)
    left: int = 0


def deliver(name: str, book: AlertBook, receivers: Mapping[str, Callable[[dict[str, Any]], object]]) -> Delivery:
    """Send the unsent messages, oldest first. An error of one receiver does not stop the others.

    A message is marked as sent after all have accepted it. A crash before that repeats it with the same `id`.

    :param receivers: name to a function that takes a message as `announcement` gives it. Without receivers, the messages stay unsent.
    """
    delivery, lost = Delivery(), dict.fromkeys(receivers, 0.0)
    for waiting in book.unsent(name) if receivers else []:
        message = book.claim(waiting, LEASE)
        if message is None:
            continue
        words = announcement(message)
        for receiver, send in receivers.items():
            if receiver in message.received or lost[receiver] > _PATIENCE:
                continue
            began = time.monotonic()
            try:
                send(copy.deepcopy(words))
            except Exception as error:  # noqa: BLE001 - a receiver is foreign code; the caller gets the error, and the message stays unsent
                delivery.errors[receiver] = error
                lost[receiver] += time.monotonic() - began
                continue
            message = book.note_received(message, receiver)
            if message is None:  # another run has claimed it since
                break
        if message is not None:
            done = set(receivers) <= set(message.received)
            book.end_claim(message, sent=done)
            delivery.sent += [words["title"]] * done
    delivery.left = len(book.unsent(name))
    return delivery
