"""The present conditions of a network. Pure: no network, no disk, no clock."""

from __future__ import annotations

from typing import TYPE_CHECKING

from staking_gateway.alerts.facts import CALENDAR_TOPIC, RUNWAY_TOPIC, AlertFacts, era_topic, open_eras
from staking_gateway.config.watched import Expectation
from staking_gateway.eras.expiry import URGENT_PERCENT, countdown
from staking_gateway.health.eras import Judgement, State, judge_era
from staking_gateway.health.funds import runway
from staking_gateway.ledger.conditions import AlertKind, Condition, Findings, Severity
from staking_gateway.payout.outcomes import WINDOW_REASON, Outcome, hold_of
from staking_gateway.payout.standing import unsettled, why_unpaid
from staking_gateway.text import count
from staking_gateway.types import ElectionWindow, StakingStatus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from staking_gateway.config.models import NetworkConfig
    from staking_gateway.config.watched import WatchedAccount
    from staking_gateway.health.eras import Situation
    from staking_gateway.ledger import Payout

_CLEAR = "Clear the payout task of the era's run, or trigger staking_catch_up_{network}"
_STEPS = {
    Outcome.HELD_WINDOW: f"Nothing, while its run waits until the window closes. If the run has ended: {_CLEAR}",
    Outcome.HELD_FEE: f"Raise the limit in staking.yaml, or wait until the fee has fallen. {_CLEAR}",
    Outcome.UNSUPPORTED: f"Set payout_method in the extras of the gateway connection. {_CLEAR}",
    Outcome.REJECTED: (
        "Check the transaction and the era on the chain, then run: airflow staking pay --network {network} --era {era} --again"
    ),
}
"""Next step for a held part."""
_RANKS = {AlertKind.NOT_PAID: 1, AlertKind.HELD: 2, AlertKind.REJECTED: 3, AlertKind.EXPIRED: 100}


def find_conditions(name: str, network: NetworkConfig, facts: AlertFacts) -> Findings:
    """Judge every topic of a network. A topic in none of the three groups is unknown, and its alert stays."""
    found = Findings()
    for era in _eras(facts, network.history_depth):
        _judge_era(name, network, era, facts, found)
    watched = {f"account:{account.status_key}": account for account in network.accounts}
    for topic, account in watched.items():
        _judge_account(topic, account, facts, found)
    for topic in facts.open:
        if topic.startswith("account:") and topic not in watched:
            found.settled[topic] = "is no longer watched"
    _judge_runway(network, facts, found)
    _judge_calendar(name, network, facts, found)
    return found


# --- eras ----------------------------------------------------------------------------------------------------------------


def oldest_judged(situation: Situation, depth: int) -> int:
    """The oldest era to judge: of the eras to pay, and of those that have expired recently."""
    active = situation.active
    return active.era if situation.first is None else max(situation.first, active.payable.start - 2 * depth, 0)


def _eras(facts: AlertFacts, depth: int) -> list[int]:
    """The eras to judge, and those with an open alert."""
    active = facts.situation.active.era
    with_alert = (era for era in open_eras(facts.open) if era < active)
    return sorted({*range(oldest_judged(facts.situation, depth), active), *with_alert})


def _judge_era(name: str, network: NetworkConfig, era: int, facts: AlertFacts, found: Findings) -> None:
    topic, records = era_topic(era), facts.records.get(era, ())
    judged = judge_era(era, records, facts.situation)
    if judged.state is State.PAID:
        found.settled[topic] = _how_paid(records)
    elif judged.state is State.IGNORED:
        found.settled[topic] = f"is ignored: {judged.reason}"
    elif era in facts.lost and topic not in facts.open:
        return
    elif judged.state is State.EXPIRED:
        found.present[topic] = _expired(era, judged.reason)
    else:
        found.unpaid.append(era)
        condition = _unpaid(name, network, era, judged, facts)
        if condition is not None:
            found.present[topic] = condition


def _unpaid(name: str, network: NetworkConfig, era: int, judged: Judgement, facts: AlertFacts) -> Condition | None:
    """The most severe condition of an unpaid era."""
    situation, alerts = facts.situation, network.alerts
    left, overdue = countdown(era, situation.active.era, network.depths), situation.now - network.calendar.end(era)
    kind, cause, step = _why_unpaid(era, judged, facts)
    rank = _RANKS[kind]
    limits = {AlertKind.HELD: alerts.held_after, AlertKind.NOT_PAID: alerts.paid_within}
    if left.warning is not None:
        kind, rank = AlertKind.EXPIRING, left.warning
        when = f"in {count(left.eras_left, 'era')}" if left.eras_left > 0 else "now, if the calendar is right"
        cause = f"{cause}; it expires {when}, when era {left.expires_at_era} begins"
    elif kind in limits and overdue < limits[kind] and era_topic(era) not in facts.open:
        return None
    severe = kind is AlertKind.REJECTED or rank >= URGENT_PERCENT
    return Condition(
        era_topic(era),
        kind,
        rank,
        Severity.CRITICAL if severe else Severity.WARNING,
        f"era {era}",
        cause,
        step.format(network=name, era=era),
        era,
    )


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
        "See why its runs failed, so that the next era is paid",
        era,
        final=True,
    )


def _why_unpaid(era: int, judged: Judgement, facts: AlertFacts) -> tuple[AlertKind, str, str]:
    """Kind, cause and next step. An open window holds only the era of the present run, and records with that hold."""
    records = facts.records.get(era, ())
    waiting, cause = unsettled(records), why_unpaid(records)
    hold = None if waiting is None else hold_of(waiting)
    untried = waiting is None and facts.live.window is ElectionWindow.OPEN
    if hold is Outcome.HELD_WINDOW or (untried and era == facts.paying):
        return AlertKind.HELD, WINDOW_REASON, _STEPS[Outcome.HELD_WINDOW]
    if judged.state is State.REJECTED:
        return AlertKind.REJECTED, judged.reason, _STEPS[hold] if hold else f"Correct the cause. {_CLEAR}"
    if judged.state is State.HELD:
        return AlertKind.HELD, judged.reason, _STEPS[hold] if hold else f"See the cause. {_CLEAR}"
    if facts.live.problem:
        cause = f"{cause}; a request to the gateway failed: {facts.live.problem}"
    if waiting is not None and waiting.state.in_flight:
        return AlertKind.NOT_PAID, cause, "It was sent: do not pay it by other means. See its run, and the gateway"
    if untried:
        cause = f"{cause}; {WINDOW_REASON}, and nothing is paid before it closes"
    return AlertKind.NOT_PAID, cause, f"See its run of staking_payout_{{network}}. {_CLEAR}"


# --- accounts and funds --------------------------------------------------------------------------------------------------


def _judge_account(topic: str, account: WatchedAccount, facts: AlertFacts, found: Findings) -> None:
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
        step = "Stop nominating with this account"
    else:
        kind, step = AlertKind.NOT_STAKING, "Nominate again with this account"
        cause = "it has stopped staking" if stopped else "staking.yaml expects that it is staking, but it is not"
    found.present[topic] = Condition(
        topic,
        kind,
        1,
        Severity.WARNING,
        account.name,
        f"{cause}; last checked in era {era}",
        f"{step}, or change its `expect` in staking.yaml",
    )


def _as_expected(status: StakingStatus, open_kind: str | None) -> str:
    """The end of an alert about an account, in words."""
    if open_kind == AlertKind.STAKING.value:
        return "may be staking" if status is StakingStatus.IS_STAKING else "is not staking any more"
    return "is staking again" if status is StakingStatus.IS_STAKING else "need not be staking"


def _judge_runway(network: NetworkConfig, facts: AlertFacts, found: Findings) -> None:
    funds = runway(network, balance=facts.live.balance, fee=facts.live.fee, unpaid=len(found.unpaid))
    found.runway = funds.eras
    if funds.eras is None:
        return
    if not funds.short:
        found.absent[RUNWAY_TOPIC] = f"last for {count(funds.eras, 'era')} again"
        return
    unpaid = f", and {count(len(found.unpaid), 'era')} are unpaid" if len(found.unpaid) > funds.eras else ""
    found.present[RUNWAY_TOPIC] = Condition(
        RUNWAY_TOPIC,
        AlertKind.RUNWAY,
        2 if funds.critical else 1,
        Severity.CRITICAL if funds.critical else Severity.WARNING,
        f"the funds of the payer {network.payer}",
        f"at the present fee they last for {funds.eras} more eras{unpaid}",
        "Send funds to this account",
    )


# --- the calendar --------------------------------------------------------------------------------------------------------


def _judge_calendar(name: str, network: NetworkConfig, facts: AlertFacts, found: Findings) -> None:
    active = facts.situation.active
    if active.chain is None or active.calendar is None:
        return
    if not active.drifts:
        found.absent[CALENDAR_TOPIC] = "agrees with the chain again"
        return
    cause = f"active era: {active.calendar} from calendar, {active.chain} from chain"
    step = f"Append an anchor with the start of a recent era to networks.{name}.calendar.anchors in staking.yaml"
    if not active.credible:
        cause = f"{cause}, which is not credible: nothing is signed, and no expiry is reported, until they agree"
        step = f"Check that {network.gateway_conn_id} leads to this network. If it does: {step[0].lower()}{step[1:]}"
    found.present[CALENDAR_TOPIC] = Condition(
        CALENDAR_TOPIC,
        AlertKind.DRIFT,
        2 if active.far_apart else 1,
        Severity.CRITICAL if active.far_apart else Severity.WARNING,
        "the calendar",
        cause,
        step,
    )
