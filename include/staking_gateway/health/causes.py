"""The causes of a network: why eras are unpaid, what else is wrong, and what to do.

`find_causes` judges in this order. A cause that stands before every payout blocks all unpaid eras that have no reason of their own.

1. Airflow: no DAG, no scheduler, no triggerer.
2. Connections, keys and gateway: the gateway's problem now, and the newest failure of a run that nothing has disproved.
3. Money: a missing limit, a fee above the limit, a payer without funds.
4. Calendar and chain are far apart; the payout DAG is paused.
5. The reason of each era: its hold, its rejection, its result, or the failure of its run.
6. What blocks no era: a failed catch-up, expired eras, accounts, funds that run short, a small drift.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from staking_gateway.health.eras import OPEN, State
from staking_gateway.ledger.records import PayoutState
from staking_gateway.payout.outcomes import hold_of
from staking_gateway.payout.standing import STATE_WORDS, reason_of, unsettled
from staking_gateway.text import count, era_ranges
from staking_gateway.topics import Topic
from staking_gateway.types import ElectionWindow, RequestStatus

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from staking_gateway.config.models import NetworkConfig
    from staking_gateway.health.eras import PayoutCell, Situation
    from staking_gateway.health.facts import AirflowFacts, LiveFacts
    from staking_gateway.health.funds import Runway
    from staking_gateway.ledger import Payout, TaskFailure

ATTENTION, DANGER = 1, 2

_PASSING = {
    *(Topic.GATEWAY_UNREACHABLE, Topic.GATEWAY_FAILS, Topic.RATE_LIMITED, Topic.NODE),
    *(Topic.PAUSED, Topic.HELD_FEE, Topic.HELD_WINDOW, Topic.DRIFT, Topic.UNPAID, Topic.RUN_FAILED, Topic.PARTIAL),
}
"""These may pass without a person, or hurt nothing yet."""
_OF_GATEWAY = {
    *(Topic.GATEWAY_UNREACHABLE, Topic.GATEWAY_FAILS, Topic.GATEWAY_WRONG, Topic.TOKEN_REFUSED, Topic.RATE_LIMITED),
    *(Topic.NODE, Topic.DRIFT),
}
"""An answer of the gateway disproves a failure with one of these."""
_LASTING = {
    Topic.WRONG_KEY,
    Topic.SIGNER,
    Topic.CONNECTION_MISSING,
    Topic.CONNECTION_INVALID,
    Topic.INPUT,
    Topic.LEDGER,
}
"""A failure with one of these stops every run, until a later run signs."""


@dataclass(frozen=True)
class Cause:
    """A cause, its remedy and what it blocks.

    :param detail: the facts in one sentence, without heading and remedy.
    :param level: `ATTENTION` or `DANGER`.
    :param eras: unpaid eras that it blocks, oldest first; for `EXPIRED` the lost eras.
    :param since: the first known time.
    :param action: one step that the page offers: `kind` is `unpause`, `pay`, `connection`, `top_up` or `run`, with its arguments.
    """

    topic: Topic
    detail: str = ""
    level: int = DANGER
    eras: tuple[int, ...] = ()
    since: datetime | None = None
    action: Mapping[str, Any] | None = None

    @property
    def text(self) -> str:
        """Heading and facts in one line, without a full stop."""
        return f"{self.topic.heading}: {self.detail}" if self.detail else self.topic.heading

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return {
            "topic": self.topic.anchor,
            "heading": self.topic.heading,
            "detail": self.detail,
            "remedy": self.topic.remedy,
            "level": "danger" if self.level == DANGER else "attention",
            "eras": list(self.eras),
            "since": None if self.since is None else self.since.isoformat(),
            "action": None if self.action is None else dict(self.action),
        }


@dataclass(frozen=True)
class Evidence:
    """What the causes of a network are found from.

    :param cells: the judged eras, at least all that can be paid.
    :param records: their parts in the ledger.
    :param failures: why runs have failed, by era; None for the catch-up's.
    :param missing_limit: the limit of fees without which nothing is signed, if any.
    :param expired: eras lost lately.
    :param wrong_accounts: names of accounts in the wrong state, the first ones; `unexpected` is their number.
    :param urgent: unpaid eras close to expiry.
    """

    name: str
    network: NetworkConfig
    situation: Situation
    cells: Mapping[int, PayoutCell]
    records: Mapping[int, Sequence[Payout]]
    live: LiveFacts
    airflow: AirflowFacts
    funds: Runway
    failures: Mapping[int | None, TaskFailure] = field(default_factory=dict)
    missing_limit: str | None = None
    expired: Sequence[int] = ()
    wrong_accounts: Sequence[str] = ()
    unexpected: int = 0
    urgent: frozenset[int] = frozenset()

    @property
    def unpaid(self) -> list[int]:
        """Unpaid eras without a payment in progress, oldest first."""
        return [
            era
            for era, cell in sorted(self.cells.items())
            if cell.state in OPEN and cell.state is not State.EARLIER and not cell.in_hand
        ]


def find_causes(evidence: Evidence) -> list[Cause]:
    """The causes, those with danger first, else in the order of the module's description."""
    standing = list(_standing(evidence))
    own, blocked = _of_eras(evidence, {cause.topic for cause in standing})
    by_topic = {cause.topic: cause for cause in own}
    joined = [
        replace(
            cause,
            eras=tuple(sorted({*blocked, *(by_topic[cause.topic].eras if cause.topic in by_topic else ())})),
        )
        for cause in standing
    ]
    topics = {cause.topic for cause in joined}
    found = [*joined, *(cause for cause in own if cause.topic not in topics)]
    found += _beside(evidence, {cause.topic for cause in found})
    levelled = [replace(cause, level=_level(cause, evidence)) for cause in found]
    return sorted(levelled, key=lambda cause: -cause.level)


def _level(cause: Cause, evidence: Evidence) -> int:
    if cause.level == ATTENTION:
        return ATTENTION
    if cause.topic not in _PASSING or (evidence.urgent.intersection(cause.eras) and not evidence.situation.catching_up):
        return DANGER
    blocks = cause.eras and cause.topic in _OF_GATEWAY
    return DANGER if blocks else ATTENTION


# --- before every payout -------------------------------------------------------------------------------------------------


def _standing(evidence: Evidence) -> Iterator[Cause]:
    airflow, live, network = evidence.airflow, evidence.live, evidence.network
    if airflow.known is False:
        yield Cause(Topic.DAG_MISSING, f"staking_payout_{evidence.name}")
    for topic, since in airflow.dead.items():
        yield Cause(
            topic, "" if since is None else f"the last sign of life was at {since:%Y-%m-%d %H:%M:%S} UTC", since=since
        )
    silent = live.problem and live.active is None and live.window is None and live.fee is None
    if silent:
        conn_id = network.gateway_conn_id
        yield Cause(live.topic, live.problem.rstrip("."), action={"kind": "connection", "conn_id": conn_id})
    lasting = _lasting_failure(evidence)
    if lasting is not None and not (silent and lasting.topic == live.topic.anchor):
        yield Cause(Topic.of(lasting.topic), lasting.text, since=lasting.at)
    yield from _of_money(evidence)
    active = evidence.situation.active
    if active.far_apart:
        by_calendar = "none" if active.calendar is None else active.calendar
        yield Cause(Topic.DRIFT, f"era {by_calendar} from calendar, era {active.chain} from chain; nothing is signed")
    if airflow.paused:
        dag_id = f"staking_payout_{evidence.name}"
        yield Cause(Topic.PAUSED, f"{dag_id} starts no runs", action={"kind": "unpause", "dag_id": dag_id})


def _lasting_failure(evidence: Evidence) -> TaskFailure | None:
    """The newest failure that stops every run, unless a run has signed since."""
    lasting = [one for one in evidence.failures.values() if Topic.of(one.topic) in _LASTING]
    newest = max(lasting, key=lambda failure: failure.at, default=None)
    if newest is None or any(
        part.signed_at is not None and part.signed_at > newest.at
        for parts in evidence.records.values()
        for part in parts
    ):
        return None
    answered = evidence.live.at is not None and not evidence.live.problem
    of_gateway = evidence.network.gateway_conn_id in newest.text
    return None if answered and of_gateway else newest


def _of_money(evidence: Evidence) -> Iterator[Cause]:
    live, network = evidence.live, evidence.network
    limit = network.payout.max_fee_per_payout
    if evidence.missing_limit:
        yield Cause(Topic.LIMIT_MISSING, f"{evidence.missing_limit} of {evidence.name}")
    elif live.fee is not None and limit is not None and live.fee > limit:
        yield Cause(Topic.HELD_FEE, f"the fee is {live.fee}, max_fee_per_payout is {limit}")
    if evidence.funds.eras == 0 and live.fee is not None and live.balance is not None:
        yield Cause(
            Topic.PAYER_EMPTY,
            f"the balance of {network.payer} is {live.balance}, the fee is {live.fee}",
            action=_top_up(evidence),
        )


def _top_up(evidence: Evidence) -> dict[str, Any]:
    """The account, and the amount that pays the unpaid eras and `runway_warning` further ones."""
    live, network = evidence.live, evidence.network
    eras = len(evidence.unpaid) + max(network.alerts.runway_warning, 1)
    needed = (live.fee or 0) * (network.payout.calls or 1) * eras - (live.balance or 0)
    return {"kind": "top_up", "account": network.payer, "amount": str(max(needed, 0))}


# --- the reason of each era ----------------------------------------------------------------------------------------------


def _of_eras(evidence: Evidence, standing: set[Topic]) -> tuple[list[Cause], list[int]]:
    """The causes of eras with a reason of their own, newest reason first; and the eras that have none."""
    groups: dict[Topic, list[tuple[int, str]]] = defaultdict(list)
    blocked = []
    for era in evidence.unpaid:
        topic, detail = _reason(era, evidence)
        if standing and (topic in (Topic.UNPAID, Topic.RUN_FAILED) or topic in standing):
            blocked.append(era)
        else:
            groups[topic].append((era, detail))
    waiting = _waits_long(evidence)
    if waiting and Topic.HELD_WINDOW not in groups:
        groups[Topic.HELD_WINDOW] = [(era, "its run waits until it closes") for era in waiting]
    return [_group(topic, reasons, evidence) for topic, reasons in groups.items()], blocked


def _group(topic: Topic, reasons: list[tuple[int, str]], evidence: Evidence) -> Cause:
    eras, newest = tuple(era for era, _ in reasons), reasons[-1]
    same = len({detail for _, detail in reasons}) == 1
    detail = newest[1] if same else f"era {newest[0]}: {newest[1]}"
    level, action = DANGER, None
    if topic in (Topic.UNPAID, Topic.RUN_FAILED, Topic.PARTIAL, Topic.HELD_FEE, Topic.UNKNOWN):
        if evidence.situation.catching_up:
            level, detail = ATTENTION, "; ".join(filter(None, [detail, "a catch-up is paying them"]))
        else:
            action = {"kind": "pay"}
    elif topic is Topic.PAYER_EMPTY:
        action = _top_up(evidence)
    which = f"{'era' if len(eras) == 1 else 'eras'} {era_ranges(list(eras))}"
    oldest = evidence.situation.calendar.end(eras[0])
    return Cause(topic, f"{which}: {detail}" if detail else which, level, eras, oldest, action)


def _reason(era: int, evidence: Evidence) -> tuple[Topic, str]:
    """The topic of an unpaid era, and the facts."""
    records, cell = evidence.records.get(era, ()), evidence.cells[era]
    part, failure = unsettled(records), evidence.failures.get(era)
    hold = None if part is None else hold_of(part)
    if part is None and records:
        return Topic.PARTIAL, cell.reason
    if part is not None and part.request_status == RequestStatus.PAYER_REFUSED.value:
        return Topic.PAYER_EMPTY, reason_of(part)
    if part is not None and part.state.in_flight:
        return Topic.UNKNOWN, reason_of(part) or STATE_WORDS[part.state]
    if part is not None and hold is not None:
        return Topic.of(hold.value.lower()), reason_of(part)
    if part is not None and part.state is PayoutState.REJECTED:
        return Topic.REJECTED, reason_of(part)
    if failure is None or (part is not None and part.updated_at > failure.at):
        return Topic.UNPAID, cell.reason
    topic = Topic.of(failure.topic)
    answers = evidence.live.at is not None and not evidence.live.problem
    return (Topic.RUN_FAILED, failure.text) if answers and topic in _OF_GATEWAY else (topic, failure.text)


def _waits_long(evidence: Evidence) -> list[int]:
    """Eras whose runs wait for the window longer than `alerts.held_after`."""
    if evidence.live.window is not ElectionWindow.OPEN:
        return []
    limit, situation = evidence.network.alerts.held_after, evidence.situation
    return [
        era
        for era, cell in sorted(evidence.cells.items())
        if cell.in_hand and situation.now - situation.calendar.end(era) > limit
    ]


# --- what blocks no era --------------------------------------------------------------------------------------------------


def _beside(evidence: Evidence, known: set[Topic]) -> Iterator[Cause]:
    live, active = evidence.live, evidence.situation.active
    if live.problem and live.topic not in known:
        yield Cause(live.topic, live.problem.rstrip("."), ATTENTION)
    run, failure = evidence.airflow.last_catch_up, evidence.failures.get(None)
    if failure is not None and Topic.of(failure.topic) not in {*known, Topic.UNPAID}:
        link = None if run is None else {"kind": "run", "dag_id": run.dag_id, "run_id": run.run_id}
        yield Cause(Topic.CATCH_UP_FAILED, failure.text, since=failure.at, action=link)
    if evidence.expired:
        lost = tuple(sorted(evidence.expired))
        yield Cause(
            Topic.EXPIRED,
            f"{'era' if len(lost) == 1 else 'eras'} {era_ranges(list(lost))}; the rewards are gone",
            eras=lost,
        )
    if evidence.unexpected:
        more = evidence.unexpected - len(evidence.wrong_accounts)
        names = ", ".join(evidence.wrong_accounts)
        yield Cause(
            Topic.ACCOUNTS,
            f"{count(evidence.unexpected, 'account')}: {names}{f', and {more} more' if more else ''}",
        )
    funds = evidence.funds
    if funds.short and Topic.PAYER_EMPTY not in known:
        yield Cause(
            Topic.RUNWAY,
            f"the balance pays {count(funds.eras or 0, 'more era')}",
            DANGER if funds.critical else ATTENTION,
            action=_top_up(evidence),
        )
    if active.drifts and Topic.DRIFT not in known:
        by_calendar = "none" if active.calendar is None else active.calendar
        yield Cause(Topic.DRIFT, f"era {by_calendar} from calendar, era {active.chain} from chain", ATTENTION)
