"""What is wrong with a network right now. Pure: no network, no disk, no clock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from staking_gateway.alerts.facts import CALENDAR_TOPIC, RUNWAY_TOPIC, AlertFacts, era_topic, open_eras
from staking_gateway.catch_up.plan import is_paid, reason_of, standing, unsettled, was_paid
from staking_gateway.config.models import Expectation
from staking_gateway.eras.calendar import payable_eras
from staking_gateway.eras.expiry import countdown
from staking_gateway.ledger.conditions import AlertKind, Condition, Findings, Severity
from staking_gateway.ledger.records import PayoutState
from staking_gateway.payout.decide import PAYS_BY_ITSELF
from staking_gateway.payout.outcomes import WINDOW_REASON, Outcome, hold_of
from staking_gateway.text import count
from staking_gateway.types import StakingStatus

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from staking_gateway.config.models import NetworkConfig, WatchedAccount
    from staking_gateway.ledger import Payout

_CLEAR = "Clear the payout task of the era's run, or trigger staking_catch_up_{network}"
_NO_REASON = "no reason was given"
_SEVERE = 80
_STATES = {
    PayoutState.PLANNED: "it was begun, and nothing was sent for it",
    PayoutState.SIGNED: "it was signed, and perhaps sent",
    PayoutState.SUBMITTED: "it was sent and taken, and is not confirmed yet",
    PayoutState.UNKNOWN: "it was sent, and its result is unknown",
    PayoutState.HELD: "it is held back",
    PayoutState.REJECTED: "it was rejected",
}
_CHECKED = "Check the transaction and the era on the chain, then run: airflow staking pay --network {network} --era {era} --again"
_STEPS = {
    Outcome.HELD_FEE: f"Raise the limit in staking.yaml, or wait until the fee has fallen. {_CLEAR}",
    Outcome.UNSUPPORTED: f"Set payout_method in the extras of the gateway connection. {_CLEAR}",
}
"""What to do about a part that is held back."""
_RANKS = {AlertKind.NOT_PAID: 1, AlertKind.HELD: 2, AlertKind.REJECTED: 3, AlertKind.EXPIRED: 100}


def find_conditions(name: str, network: NetworkConfig, facts: AlertFacts) -> Findings:
    """Judge every topic of a network; a topic in none of the three groups cannot be judged now and stays as it is."""
    found = Findings()
    payable = payable_eras(facts.active, network.history_depth)
    judge = _EraJudge(name, network, facts, payable, _lost_before(network, facts), network.payout.calls)
    for era in _eras(facts, payable, network.history_depth):
        judge.judge(era, found)
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


def _eras(facts: AlertFacts, payable: range, depth: int) -> Iterator[int]:
    """The eras to judge: those that should be paid, those lost lately, and those somebody was told of."""
    oldest = facts.active if facts.first is None else max(facts.first, payable.start - 2 * depth, 0)
    eras = {*range(oldest, facts.active), *(era for era in open_eras(facts.open) if era < facts.active)}
    yield from sorted(eras)


def _lost_before(network: NetworkConfig, facts: AlertFacts) -> int:
    """What is unpaid and older than this is lost for certain."""
    return 0 if facts.surely_active is None else payable_eras(facts.surely_active, network.history_depth).start


@dataclass(frozen=True)
class _EraJudge:
    """Judges the eras of one network."""

    name: str
    network: NetworkConfig
    facts: AlertFacts
    payable: range
    lost_before: int
    parts: int | None

    def judge(self, era: int, found: Findings) -> None:
        topic, records = era_topic(era), self.facts.records.get(era, ())
        old, gone = era < self.payable.start, era < self.lost_before
        if is_paid(records, self.parts) or (gone and was_paid(records)):
            found.settled[topic] = _how_paid(records)
        elif self.facts.automatic:
            found.settled[topic] = f"is left alone: {PAYS_BY_ITSELF}"
        elif old and (was_paid(records) or (era in self.facts.lost and topic not in self.facts.open)):
            return
        elif gone:
            found.present[topic] = _expired(era, records)
        else:
            found.unpaid.append(era)
            condition = self._owed(era, records)
            if condition is not None:
                found.present[topic] = condition

    def _owed(self, era: int, records: Sequence[Payout]) -> Condition | None:
        """The highest rung of the ladder an unpaid era has come to."""
        alerts, left = self.network.alerts, countdown(era, self.facts.active, self.network.depths)
        overdue = self.facts.now - self.network.calendar.end(era)
        kind, cause, step = _standstill(era, records, self.facts)
        rank = _RANKS[kind]
        limits = {AlertKind.HELD: alerts.held_after, AlertKind.NOT_PAID: alerts.paid_within}
        if left.warning is not None:
            kind, rank = AlertKind.EXPIRING, left.warning
            when = f"in {count(left.eras_left, 'era')}" if left.eras_left > 0 else "by now, if the chain keeps its time"
            cause = f"{cause}; it expires {when}, when era {left.expires_at_era} begins"
        elif kind in limits and overdue < limits[kind] and era_topic(era) not in self.facts.open:
            return None
        severe = kind is AlertKind.REJECTED or rank >= _SEVERE
        return Condition(
            era_topic(era),
            kind,
            rank,
            Severity.CRITICAL if severe else Severity.WARNING,
            f"era {era}",
            cause,
            step.format(network=self.name, era=era),
            era,
        )


def _how_paid(records: Sequence[Payout]) -> str:
    transaction = next((one.tx_hash for one in reversed(records) if one.tx_hash), None)
    return f"is paid, transaction {transaction}" if transaction else "is paid"


def _expired(era: int, records: Sequence[Payout]) -> Condition:
    return Condition(
        era_topic(era),
        AlertKind.EXPIRED,
        _RANKS[AlertKind.EXPIRED],
        Severity.CRITICAL,
        f"era {era}",
        f"it was never paid, and its rewards are gone; {_standing(records)}",
        "Nothing can be done for this era. See why its runs failed, so that the next one is paid",
        era,
        final=True,
    )


def _standing(records: Sequence[Payout]) -> str:
    """Where an unpaid era stands, for people who do not know the ledger's states."""
    waiting = unsettled(records)
    if waiting is None:
        return standing(records)
    why = reason_of(waiting)
    because = f": {why}" if why else ""
    return f"{_STATES[waiting.state]} ({waiting.state.value}){because}"


def _standstill(era: int, records: Sequence[Payout], facts: AlertFacts) -> tuple[AlertKind, str, str]:
    """Why an era is not paid: kind, cause and next step.

    An open window holds back what waits for it: what a record says was held, and the era of the run that looks. That it is open does
    not tell whether any other era has a run at all.
    """
    waiting = unsettled(records)
    cause = _standing(records)
    hold = None if waiting is None else hold_of(waiting)
    untried = waiting is None and facts.window_open
    if hold is Outcome.HELD_WINDOW or (untried and era == facts.paying):
        step = f"Nothing, while its run waits for the window to close. Has it ended? {_CLEAR}"
        return AlertKind.HELD, WINDOW_REASON, step
    if waiting is not None and hold is Outcome.REJECTED:
        return AlertKind.REJECTED, reason_of(waiting) or _NO_REASON, _CHECKED
    if waiting is not None and waiting.state is PayoutState.REJECTED:
        return AlertKind.REJECTED, waiting.reason or _NO_REASON, f"Correct the cause. {_CLEAR}"
    if waiting is not None and waiting.state is PayoutState.HELD:
        step = f"See the cause. {_CLEAR}" if hold is None else _STEPS[hold]
        return AlertKind.HELD, waiting.reason or _NO_REASON, step
    if facts.problem:
        cause = f"{cause}; the gateway cannot be asked: {facts.problem}"
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
    told = facts.open.get(topic)
    # What may be as it likes is told of when it stops, and until it stakes again.
    stopped = told == AlertKind.NOT_STAKING.value or StakingStatus.IS_STAKING in seen.values()
    watched = account.expect is Expectation.ANY and stopped and status is StakingStatus.IS_NOT_STAKING
    if account.expect.allows(status) and not watched:
        found.absent[topic] = _as_expected(status, told)
        return
    found.unexpected += 1
    if status is StakingStatus.IS_STAKING:
        kind, cause = AlertKind.STAKING, "it must not be staking, says staking.yaml, and is"
        step = "Stop nominating with this account"
    else:
        kind, step = AlertKind.NOT_STAKING, "Nominate again with this account"
        cause = (
            "it was staking, and is not any more" if stopped else "it must be staking, says staking.yaml, and is not"
        )
    found.present[topic] = Condition(
        topic,
        kind,
        1,
        Severity.WARNING,
        f"{account.label} ({account.account})" if account.label else account.account,
        f"{cause}; last checked in era {era}",
        f"{step}, or change its `expect` in staking.yaml",
    )


def _as_expected(status: StakingStatus, told: str | None) -> str:
    """How it is said that an account is as it should be, after what was told of it."""
    if told == AlertKind.STAKING.value:
        return "may be staking" if status is StakingStatus.IS_STAKING else "is not staking any more"
    return "is staking again" if status is StakingStatus.IS_STAKING else "need not be staking"


def _judge_runway(network: NetworkConfig, facts: AlertFacts, found: Findings) -> None:
    if facts.runway is None:
        return
    alerts = network.alerts
    critical = facts.runway < alerts.runway_critical
    if not critical and facts.runway >= alerts.runway_warning:
        found.absent[RUNWAY_TOPIC] = f"last for {count(facts.runway, 'era')} again"
        return
    found.present[RUNWAY_TOPIC] = Condition(
        RUNWAY_TOPIC,
        AlertKind.RUNWAY,
        2 if critical else 1,
        Severity.CRITICAL if critical else Severity.WARNING,
        f"the funds of the payer {network.payer}",
        f"at the present fee they last for {facts.runway} more eras",
        "Send funds to this account",
    )


# --- the calendar --------------------------------------------------------------------------------------------------------


def believes(told: int | None, dated: int | None, depth: int) -> bool:
    """Whether the active era a chain tells can be true. One that is ahead of the calendar by more than a history depth is rather
    another chain's, and would end all that is owed.

    :param told: the active era as the chain tells, and `dated` by the calendar; None: it does not.
    """
    return told is not None and (dated is None or told - dated <= depth)


def _judge_calendar(name: str, network: NetworkConfig, facts: AlertFacts, found: Findings) -> None:
    told, dated = facts.told, facts.dated
    if told is None or dated is None:
        return
    if abs(told - dated) <= 1:
        found.absent[CALENDAR_TOPIC] = "agrees with the chain again"
        return
    cause = f"era {dated} runs now by the calendar, era {told} by the chain"
    step = f"Append an anchor with the start of a recent era to networks.{name}.calendar.anchors in staking.yaml"
    credible = believes(told, dated, network.history_depth)
    if not credible:
        cause = f"{cause}, which is not believed: no loss of an era is told of until they agree"
        step = f"See that {network.gateway_conn_id} leads to this network. If it does: {step[0].lower()}{step[1:]}"
    found.present[CALENDAR_TOPIC] = Condition(
        CALENDAR_TOPIC,
        AlertKind.DRIFT,
        1 if credible else 2,
        Severity.WARNING if credible else Severity.CRITICAL,
        "the calendar",
        cause,
        step,
    )
