"""The present conditions of a network. Pure: no network, no disk, no clock."""

from __future__ import annotations

from typing import TYPE_CHECKING

from staking_gateway.alerts.alert_facts import (
    BLOCKED_PREFIX,
    BOOKS_PREFIX,
    CALENDAR_TOPIC,
    RUNWAY_TOPIC,
    AlertFacts,
    blocked_topic,
    era_topic,
    open_eras,
)
from staking_gateway.config.models import Expectation
from staking_gateway.eras.expiry import URGENT_PERCENT
from staking_gateway.health.causes import cause_of, find_causes
from staking_gateway.health.eras import State, judge_era, oldest_judged
from staking_gateway.health.evidence import Cause, Evidence
from staking_gateway.health.facts import AirflowFacts
from staking_gateway.health.remedies import object_of
from staking_gateway.ledger.conditions import AlertKind, Condition, Findings, Severity
from staking_gateway.payout.standing import SEEN_PAID, unsettled
from staking_gateway.problem import Alert, Topic
from staking_gateway.text import count
from staking_gateway.types import ElectionWindow, StakingStatus

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from staking_gateway.config.models import NetworkConfig, WatchedAccount
    from staking_gateway.ledger import Payout

_COMMANDS = {
    Topic.UNPAID: "airflow dags trigger staking_catch_up_{network}",
    Topic.RUN_FAILED: "airflow dags trigger staking_catch_up_{network}",
}
"""The command that carries out a remedy."""
_OF_AIRFLOW = {Topic.SCHEDULER_DEAD, Topic.TRIGGERER_DEAD}
OVER = "this is over"
_KINDS = {State.HELD: AlertKind.HELD, State.REJECTED: AlertKind.REJECTED}
_RANKS = {AlertKind.NOT_PAID: 1, AlertKind.HELD: 3, AlertKind.REJECTED: 4, AlertKind.EXPIRED: 100}
"""`not_paid` has rank 2 once its cause is known: the message with the remedy follows the one without."""


def find_conditions(name: str, network: NetworkConfig, facts: AlertFacts) -> Findings:
    """Judge every topic of a network. A topic in none of the three groups is unknown, and its alert stays."""
    found = Findings()
    cells = {
        era: judge_era(era, facts.records.get(era, ()), facts.situation) for era in _eras(facts, network.history_depth)
    }
    evidence = Evidence(
        name=name,
        network=network,
        situation=facts.situation,
        cells=cells,
        records=facts.records,
        live=facts.live,
        airflow=facts.airflow or AirflowFacts(),
        failures=facts.failures,
        differences=facts.differences,
    )
    causes = find_causes(evidence)
    _judge_causes(causes, network, facts, found)
    for era in cells:
        _judge_era(evidence, era, causes, facts, found)
    watched = {f"account:{account.status_key}": account for account in network.accounts}
    for topic, account in watched.items():
        _judge_account(topic, account, evidence, facts, found)
    for topic in facts.open:
        if topic.startswith("account:") and topic not in watched:
            found.settled[topic] = "is no longer watched"
    remedies = {cause.topic: cause.remedy for cause in causes}
    _judge_runway(evidence, remedies, found)
    _judge_calendar(facts, remedies, found)
    _judge_books(name, facts, found)
    return found


# --- eras ----------------------------------------------------------------------------------------------------------------


def _eras(facts: AlertFacts, depth: int) -> list[int]:
    """The eras to judge, and those with an open alert."""
    active = facts.situation.active.era
    with_alert = (era for era in open_eras(facts.open) if era < active)
    return sorted({*range(oldest_judged(facts.situation, depth), active), *with_alert})


def _judge_era(evidence: Evidence, era: int, causes: Sequence[Cause], facts: AlertFacts, found: Findings) -> None:
    topic, records, judged = era_topic(era), facts.records.get(era, ()), evidence.cells[era]
    if judged.state is State.PAID:
        found.settled[topic] = f"is {SEEN_PAID}" if judged.reason == SEEN_PAID else _how_paid(records)
    elif judged.state is State.IGNORED:
        found.settled[topic] = f"is ignored: {judged.reason}"
    elif era in facts.lost and topic not in facts.open:
        return
    elif judged.state is State.EXPIRED:
        found.present[topic] = _expired(era, judged.reason)
    else:
        found.unpaid.append(era)
        condition = _unpaid(evidence, era, cause_of(era, evidence, causes), facts, found)
        if condition is not None:
            found.present[topic] = condition


def _unpaid(evidence: Evidence, era: int, cause: Cause, facts: AlertFacts, found: Findings) -> Condition | None:
    """The most severe condition of an unpaid era. A cause that has its own alert leaves only the expiry to the era."""
    situation, network, judged = facts.situation, evidence.network, evidence.cells[era]
    left, overdue = network.depths.countdown(era, situation.active.era), situation.now - network.calendar.end(era)
    untried = unsettled(facts.records.get(era, ())) is None
    waits = era == (situation.active.era - 1 if facts.paying is None else facts.paying)
    if untried and waits and facts.live.window is ElectionWindow.OPEN and not cause.standing:
        cause = Cause(Topic.HELD_WINDOW)
    kind = _KINDS.get(judged.state, AlertKind.HELD if cause.topic is Topic.HELD_WINDOW else AlertKind.NOT_PAID)
    rank, text = _RANKS[kind] + (kind is AlertKind.NOT_PAID and cause.topic is not Topic.UNPAID), cause.text
    limits = {AlertKind.HELD: network.alerts.held_after, AlertKind.NOT_PAID: network.alerts.paid_within}
    if left.warning is not None:
        kind, rank = AlertKind.EXPIRING, left.warning
        when = f"in {count(left.eras_left, 'era')}" if left.eras_left > 0 else "now, if the calendar is right"
        text = f"{text}; it expires {when}, when era {left.expires_at_era} begins"
    elif blocked_topic(cause.topic) in found.present or (
        kind in limits and overdue < limits[kind] and era_topic(era) not in facts.open
    ):
        return None
    severe = kind is AlertKind.REJECTED or rank >= URGENT_PERCENT
    return Condition(
        era_topic(era),
        kind,
        rank,
        Severity.CRITICAL if severe else Severity.WARNING,
        f"era {era}",
        text,
        _next_step(cause, evidence.name, era),
        era,
        cause.topic.anchor,
    )


def _next_step(cause: Cause, network: str, era: int) -> str:
    command = _COMMANDS.get(cause.topic)
    return cause.remedy if command is None else f"{cause.remedy}. Command: {command.format(network=network, era=era)}"


def _how_paid(records: Sequence[Payout]) -> str:
    transaction = next((one.tx_hash for one in reversed(records) if one.tx_hash), None)
    return f"is paid, transaction {transaction}" if transaction else "is paid"


def _expired(era: int, reason: str) -> Condition:
    return Condition(
        era_topic(era),
        AlertKind.EXPIRED,
        _RANKS[AlertKind.EXPIRED],
        Severity.CRITICAL,
        f"era {era}",
        reason,
        Topic.EXPIRED.remedy,
        era,
        Topic.EXPIRED.anchor,
        final=True,
    )


# --- causes before every payout ------------------------------------------------------------------------------------------


def _judge_causes(causes: Sequence[Cause], network: NetworkConfig, facts: AlertFacts, found: Findings) -> None:
    """One condition for each cause that stands before every payout and needs a person."""
    for cause in causes:
        late = cause.eras and facts.situation.now - network.calendar.end(cause.eras[0]) >= network.alerts.paid_within
        if cause.standing and (cause.topic.alert is Alert.AT_ONCE or (cause.topic.alert is Alert.WHEN_LATE and late)):
            found.present[blocked_topic(cause.topic)] = blocked(cause.topic, cause.detail, cause.remedy)
    live = facts.live
    answers = live.at is not None and not live.problem
    for topic in facts.open:
        if not topic.startswith(BLOCKED_PREFIX) or topic in found.present:
            continue
        cause_topic = Topic.of(topic.removeprefix(BLOCKED_PREFIX))
        known = facts.airflow is not None if cause_topic in _OF_AIRFLOW else answers
        if cause_topic is Topic.PAYER_EMPTY:
            known = live.balance is not None
        if cause_topic is Topic.CONFIGURATION:
            found.settled[topic] = OVER
        elif known:
            found.absent[topic] = OVER


def blocked(topic: Topic, detail: str, remedy: str = "") -> Condition:
    """The condition of a cause that stands before every payout.

    :param remedy: empty: that of the topic.
    """
    return Condition(
        blocked_topic(topic),
        AlertKind.BLOCKED,
        1,
        Severity.CRITICAL,
        topic.heading,
        detail or topic.heading,
        remedy or topic.remedy,
        runbook=topic.anchor,
    )


# --- accounts and funds --------------------------------------------------------------------------------------------------


def _judge_account(topic: str, account: WatchedAccount, evidence: Evidence, facts: AlertFacts, found: Findings) -> None:
    key = topic.removeprefix("account:")
    seen = {era: facts.statuses[era][key] for era in sorted(facts.statuses) if key in facts.statuses[era]}
    if not seen:
        return
    found.checked = True
    era, status = list(seen.items())[-1]
    open_kind = facts.open.get(topic)
    # An account with `expect: any` has an alert from the end of its staking until it stakes again.
    stopped = open_kind == AlertKind.NOT_STAKING.value or StakingStatus.IS_STAKING in seen.values()
    has_stopped = account.expect is Expectation.ANY and stopped and status is StakingStatus.IS_NOT_STAKING
    if account.expect.allows(status) and not has_stopped:
        found.absent[topic] = _as_expected(status, open_kind)
        return
    found.unexpected += 1
    if status is StakingStatus.IS_STAKING:
        kind, cause = AlertKind.STAKING, "staking.yaml expects that it is not staking, but it is"
    else:
        kind = AlertKind.NOT_STAKING
        cause = "it has stopped staking" if stopped else "staking.yaml expects that it is staking, but it is not"
    found.present[topic] = Condition(
        topic,
        kind,
        1,
        Severity.WARNING,
        account.name,
        f"{cause}; last checked in era {era}",
        f"{Topic.ACCOUNTS.remedy}. {object_of(Topic.ACCOUNTS, '', evidence.name, evidence.network)}",
    )


def _as_expected(status: StakingStatus, open_kind: str | None) -> str:
    """The end of an alert about an account, in words."""
    if open_kind == AlertKind.STAKING.value:
        return "may be staking" if status is StakingStatus.IS_STAKING else "is not staking any more"
    return "is staking again" if status is StakingStatus.IS_STAKING else "need not be staking"


def _judge_runway(evidence: Evidence, remedies: Mapping[Topic, str], found: Findings) -> None:
    funds, waiting = evidence.funds, len(evidence.unpaid)
    found.runway = funds.eras
    if funds.eras is None:
        return
    if blocked_topic(Topic.PAYER_EMPTY) in found.present:
        return
    if not funds.short:
        found.absent[RUNWAY_TOPIC] = f"last for {count(funds.eras, 'era')} again"
        return
    unpaid = f", and {count(waiting, 'era')} are unpaid" if waiting > funds.eras else ""
    found.present[RUNWAY_TOPIC] = Condition(
        RUNWAY_TOPIC,
        AlertKind.RUNWAY,
        2 if funds.critical else 1,
        Severity.CRITICAL if funds.critical else Severity.WARNING,
        f"the funds of the payer {evidence.network.payer}",
        f"at the present fee they last for {funds.eras} more eras{unpaid}",
        remedies.get(Topic.RUNWAY, Topic.RUNWAY.remedy),
    )


# --- the calendar --------------------------------------------------------------------------------------------------------


def _judge_calendar(facts: AlertFacts, remedies: Mapping[Topic, str], found: Findings) -> None:
    active = facts.situation.active
    if active.chain is None or active.calendar is None:
        return
    if not active.drifts:
        found.absent[CALENDAR_TOPIC] = "agrees with the chain again"
        return
    cause = f"active era: {active.calendar} from calendar, {active.chain} from chain"
    if not active.credible:
        cause = f"{cause}, which is not credible: nothing is signed, and no expiry is reported, until they agree"
    found.present[CALENDAR_TOPIC] = Condition(
        CALENDAR_TOPIC,
        AlertKind.DRIFT,
        2 if active.far_apart else 1,
        Severity.CRITICAL if active.far_apart else Severity.WARNING,
        "the calendar",
        cause,
        remedies.get(Topic.DRIFT, Topic.DRIFT.remedy),
    )


# --- ledger and chain ----------------------------------------------------------------------------------------------------


def _judge_books(name: str, facts: AlertFacts, found: Findings) -> None:
    """One condition per era about which ledger and chain disagree."""
    for row in facts.differences:
        topic = f"{BOOKS_PREFIX}{row.era}"
        if topic in found.present:
            continue
        found.present[topic] = Condition(
            topic,
            AlertKind.BOOKS,
            1,
            Severity.CRITICAL,
            f"era {row.era}",
            row.text,
            f"{Topic.BOOKS.remedy}. Command: airflow staking reconcile --network {name}",
            row.era,
        )
    for topic in facts.open:
        if topic.startswith(BOOKS_PREFIX) and topic not in found.present:
            kept = int(topic.removeprefix(BOOKS_PREFIX)) >= facts.situation.active.payable.start
            found.settled[topic] = "agrees with the chain again" if kept else "can no longer be compared with the chain"
