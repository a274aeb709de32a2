"""The causes of a network: why eras are unpaid, what else is wrong, and what to do.

`find_causes` judges in this order. A cause that stands before every payout blocks all unpaid eras that have no reason of their own.

1. A person stopped the ledger. Airflow: no scheduler, no triggerer, no DAG.
2. Connections, keys and gateway: the gateway's problem now, and the newest failure of a run that nothing has disproved.
3. Money: a missing limit, a fee above the limit, a payer without funds.
4. Calendar and chain are far apart; the payout DAG is paused.
5. The reason of each era: its hold, its rejection, its result, or the failure of its run.
6. What blocks no era: a failed catch-up, expired eras, differences between ledger and chain, accounts, funds that run short, a small drift.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from staking_gateway.health.eras import OPEN
from staking_gateway.health.evidence import ATTENTION, DANGER, Cause, Evidence
from staking_gateway.health.remedies import anchor, completed, cost, for_a_person, further_eras, names, pay_again
from staking_gateway.ledger.records import PayoutState
from staking_gateway.payout.fee_limits import missing_limit
from staking_gateway.payout.outcomes import Outcome, hold_of, topic_of
from staking_gateway.payout.standing import STATE_WORDS, unsettled
from staking_gateway.payout.terms import terms_of
from staking_gateway.problem import Ends, Level, Topic
from staking_gateway.text import amount, count, era_ranges
from staking_gateway.types import ElectionWindow

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from staking_gateway.ledger import Payout, TaskFailure

_OUTCOMES = {
    **dict.fromkeys((PayoutState.SIGNED, PayoutState.SUBMITTED, PayoutState.UNKNOWN), Outcome.UNKNOWN),
    PayoutState.REJECTED: Outcome.REJECTED,
}
"""What the state of a part without a hold stands for."""
_FAILED_REQUEST = re.compile(r"\brequest \S+ is ")
"""A request that the gateway accepted, and that failed on the chain."""
_NO_REASON = (Topic.UNPAID, Topic.RUN_FAILED)
"""Eras with one of these have no reason of their own, while a cause stands before every payout."""


def find_causes(evidence: Evidence) -> list[Cause]:
    """The causes, those with danger first, else in the order of the module's description. Each topic is one cause."""
    standing, own = list(_standing(evidence)), _reasons(evidence)
    topics = {cause.topic for cause in standing}
    if standing:
        blocked = sorted(era for topic in {*_NO_REASON, *topics} for era in own.pop(topic, {}))
        standing = [replace(cause, eras=tuple(blocked), standing=True) for cause in standing]
    works = topics <= {Topic.PAUSED}  # a catch-up pays while the payout DAG is paused
    judged = [*standing, *(_group(topic, reasons, evidence, works=works) for topic, reasons in own.items())]
    found: dict[Topic, Cause] = {}
    for cause in (*judged, *_beside(evidence, {cause.topic for cause in judged})):
        first = found.setdefault(cause.topic, cause)
        found[cause.topic] = replace(first, eras=tuple(sorted({*first.eras, *cause.eras})))
    urgent = evidence.urgent if not (works and evidence.situation.catching_up) else frozenset()
    levelled = [completed(replace(cause, level=_level(cause, urgent)), evidence) for cause in found.values()]
    return sorted(levelled, key=lambda cause: -cause.level)


def _level(cause: Cause, urgent: frozenset[int]) -> int:
    hurts = urgent.intersection(cause.eras) or (cause.eras and cause.topic.ends is Ends.ANSWER)
    return ATTENTION if cause.topic.level is Level.ATTENTION and not hurts else cause.level


# --- before every payout -------------------------------------------------------------------------------------------------


def _standing(evidence: Evidence) -> Iterator[Cause]:
    yield from not_running(evidence)
    lasting = _lasting_failure(evidence)
    if lasting is not None:
        yield Cause(Topic.of(lasting.topic), lasting.text, since=lasting.at)
    yield from _of_money(evidence)
    if evidence.situation.active.far_apart:
        yield _drift(evidence, "; nothing is signed")
    if evidence.airflow.paused:
        dag_id = _payout_dag(evidence)
        yield Cause(Topic.PAUSED, f"{dag_id} starts no runs", action={"kind": "unpause", "dag_id": dag_id})


def obstacle(evidence: Evidence) -> Cause | None:
    """What would stop a catch-up that is started now; None: nothing. A failure of an earlier run may be repaired by now."""
    return next(iter((*not_running(evidence), *_of_money(evidence))), None)


def not_running(evidence: Evidence) -> Iterator[Cause]:
    """Ledger, programs, DAG and gateway that do not run."""
    airflow, live, stop = evidence.airflow, evidence.live, evidence.stopped
    if stop is not None:
        yield Cause(Topic.STOPPED, f"{stop.why} ({stop.run}); nothing is signed or sent", since=stop.at)
    for topic, since in airflow.dead.items():
        last = "" if since is None else f"the last sign of life was at {since:%Y-%m-%d %H:%M:%S} UTC"
        yield Cause(topic, last, since=since)
    if airflow.known is False:
        yield Cause(Topic.DAG_MISSING, _payout_dag(evidence))
    if live.silent:
        yield Cause(live.topic, live.problem.rstrip("."), instead=live.remedy)


def _payout_dag(evidence: Evidence) -> str:
    return f"staking_payout_{evidence.name}"


def _drift(evidence: Evidence, more: str = "", level: int = DANGER) -> Cause:
    active = evidence.situation.active
    by_calendar = "none" if active.calendar is None else active.calendar
    detail = f"era {by_calendar} from calendar, era {active.chain} from chain{more}"
    return Cause(
        Topic.DRIFT, detail, level, action={"kind": "copy", "name": "anchor", "text": anchor(evidence.situation)}
    )


def _lasting_failure(evidence: Evidence) -> TaskFailure | None:
    """The newest failure that stops every run: of a catch-up, or of an era that is still unpaid."""
    lasting = [
        failure
        for era, failure in evidence.failures.items()
        if Topic.of(failure.topic).blocks
        and (era is None or (era in evidence.cells and evidence.cells[era].state in OPEN))
        and not _is_over(failure, evidence)
    ]
    return max(lasting, key=lambda failure: failure.at, default=None)


def _is_over(failure: TaskFailure, evidence: Evidence) -> bool:
    """Whether the cause of a failure is gone: the gateway has answered since, or a run has signed since."""
    topic, live = Topic.of(failure.topic), evidence.live
    if topic.ends is Ends.ANSWER or names(failure.text, evidence.network.gateway_conn_id):
        persists = live.problem and live.topic is topic
        if live.at is not None and live.at > failure.at and not persists:
            return True
    parts = (part for records in evidence.records.values() for part in records)
    return topic.blocks and any(part.signed_at is not None and part.signed_at > failure.at for part in parts)


def _of_money(evidence: Evidence) -> Iterator[Cause]:
    live, network, token = evidence.live, evidence.network, evidence.token
    limit = network.payout.max_fee_per_payout
    if evidence.missing_limit:
        fee = "" if live.fee is None else f"; the fee is {amount(live.fee, token)}"
        yield Cause(Topic.LIMIT_MISSING, f"the settings lack {evidence.missing_limit}{fee}")
    elif live.fee is not None and limit is not None and live.fee > limit:
        yield Cause(
            Topic.HELD_FEE, f"the fee is {amount(live.fee, token)}, max_fee_per_payout is {amount(limit, token)}"
        )
    if evidence.funds.eras == 0 and live.fee is not None and live.balance is not None:
        yield Cause(
            Topic.PAYER_EMPTY,
            f"the balance of {network.payer} is {amount(live.balance, token)}, the fee is {amount(live.fee, token)}",
            action=_top_up(evidence),
        )


def _top_up(evidence: Evidence) -> dict[str, Any]:
    """The account, and the amount that pays the unpaid eras and `runway_warning` further ones; None: unknown."""
    live, network, needed = evidence.live, evidence.network, None
    if live.fee is not None and live.balance is not None:
        eras = len(evidence.unpaid) + further_eras(network)
        needed = max(live.fee * (network.payout.parts or 1) * eras - live.balance, 0)
    return {
        "kind": "top_up",
        "account": network.payer,
        "amount": None if needed is None else str(needed),
        "text": None if needed is None else amount(needed, evidence.token),
    }


# --- the reason of each era ----------------------------------------------------------------------------------------------


def _reasons(evidence: Evidence) -> dict[Topic, dict[int, str]]:
    """The topics of the unpaid eras, and of those that wait long for the window; for each its eras, oldest first, and the facts."""
    groups: dict[Topic, dict[int, str]] = defaultdict(dict)
    for era in evidence.unpaid:
        topic, detail = _reason(era, evidence)
        groups[topic][era] = detail
    for era in _waits_long(evidence):
        groups[Topic.HELD_WINDOW][era] = "its run waits until the window closes"
    return groups


def _group(topic: Topic, reasons: Mapping[int, str], evidence: Evidence, *, works: bool) -> Cause:
    """One cause for eras with the same topic.

    :param works: a catch-up can pay.
    """
    eras = sorted(reasons)
    detail, level, action, instead = reasons[eras[-1]], DANGER, None, ""
    if len(set(reasons.values())) > 1:
        detail = f"era {eras[-1]}: {detail}"
    if topic is Topic.PAYER_EMPTY:
        action = _top_up(evidence)
    elif topic is Topic.REJECTED and (era := for_a_person(eras, evidence)) is not None:
        action = {"kind": "copy", "name": "command", "text": pay_again(era, evidence)}
    elif works and topic is not Topic.HELD_WINDOW:
        if evidence.situation.catching_up:
            level, detail = ATTENTION, f"{detail}; a catch-up is paying {'it' if len(eras) == 1 else 'them'}"
            instead = "Wait for the catch-up" if topic in _NO_REASON else ""
        else:
            action = {"kind": "pay", "cost": cost(eras, evidence)}
    which = f"{'era' if len(eras) == 1 else 'eras'} {era_ranges(eras)}"
    since = evidence.situation.calendar.end(eras[0])
    return Cause(topic, f"{which}: {detail}", level, tuple(eras), since, action, instead=instead)


def cause_of(era: int, evidence: Evidence, causes: Sequence[Cause]) -> Cause:
    """The first cause of an unpaid era, with the facts of this era alone.

    :param causes: as `find_causes` gives them.
    """
    topic, detail = _reason(era, evidence)
    first = next((cause for cause in causes if era in cause.eras), None)
    if first is not None and first.standing:
        return first
    return completed(Cause(topic, detail, eras=(era,)), evidence)


def _reason(era: int, evidence: Evidence) -> tuple[Topic, str]:
    """The topic of an unpaid era, and the facts."""
    records, cell = evidence.records.get(era, ()), evidence.cells[era]
    part, failure, payout = unsettled(records), evidence.failures.get(era), evidence.network.payout
    if part is not None and (found := _of_part(part, evidence)) is not None:
        return found
    if part is None and payout.parts is None and len(records) >= payout.max_parts:
        return Topic.PARTIAL, cell.reason
    if failure is None or any(one.updated_at > failure.at for one in records):
        return Topic.UNPAID, cell.reason
    return Topic.RUN_FAILED if _is_over(failure, evidence) else Topic.of(failure.topic), failure.text


def _of_part(part: Payout, evidence: Evidence) -> tuple[Topic, str] | None:
    """The reason that the ledger has for a part; None without one. A reason that is gone leaves a failed run."""
    hold, why = hold_of(part), part.reason or STATE_WORDS[part.state]
    if hold is Outcome.HELD_WINDOW and evidence.live.window is ElectionWindow.CLOSED:
        return Topic.RUN_FAILED, "its run ended while the election window was open"
    outcome = hold or _OUTCOMES.get(part.state)
    if outcome is None:
        return None
    topic = topic_of(outcome, part)
    if topic is Topic.HELD_FEE and evidence.missing_limit:
        return Topic.LIMIT_MISSING, why
    if topic is Topic.HELD_FEE and _fits(evidence, why):
        return Topic.RUN_FAILED, "its run ended before the fee was within the limit"
    if topic is Topic.LIMIT_MISSING and missing_limit(terms_of(evidence.name, evidence.network)) is None:
        return Topic.RUN_FAILED, "its run ended before the limit was set"
    if topic is Topic.PAYER_EMPTY and evidence.funds.eras:
        return Topic.RUN_FAILED, why
    if topic is Topic.REJECTED and _FAILED_REQUEST.search(why) and "transaction 0x" not in why:
        why = f"{why}; the gateway names neither a transaction nor a reason"
    return topic, why


def _fits(evidence: Evidence, why: str) -> bool:
    """Whether the present fee is within the limit of one payout that held it."""
    limit, fee = evidence.network.payout.max_fee_per_payout, evidence.live.fee
    return "max_fee_per_payout" in why and fee is not None and (limit is None or fee <= limit)


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
    live, active, funds = evidence.live, evidence.situation.active, evidence.funds
    if live.problem:
        yield Cause(live.topic, live.problem.rstrip("."), ATTENTION, instead=live.remedy)
    run, failure = evidence.airflow.last_catch_up, evidence.failures.get(None)
    if failure is not None and Topic.of(failure.topic) not in known:
        link = None if run is None else {"kind": "run", "dag_id": run.dag_id, "run_id": run.run_id}
        yield Cause(Topic.CATCH_UP_FAILED, failure.text, ATTENTION, since=failure.at, action=link)
    if evidence.expired:
        lost = tuple(sorted(evidence.expired))
        yield Cause(
            Topic.EXPIRED,
            f"{'era' if len(lost) == 1 else 'eras'} {era_ranges(list(lost))}; the rewards are gone",
            eras=lost,
        )
    if evidence.differences:
        differing = tuple(dict.fromkeys(row.era for row in evidence.differences))
        first, more = evidence.differences[0], len(evidence.differences) - 1
        others = f"; and {count(more, 'more difference')}" if more else ""
        yield Cause(Topic.BOOKS, f"{first.text}{others}", eras=differing, since=first.checked_at)
    if evidence.unexpected:
        more = evidence.unexpected - len(evidence.wrong_accounts)
        names = ", ".join(evidence.wrong_accounts)
        yield Cause(
            Topic.ACCOUNTS,
            f"{count(evidence.unexpected, 'account')}: {names}{f', and {more} more' if more else ''}",
        )
    if funds.short and Topic.PAYER_EMPTY not in known:
        yield Cause(
            Topic.RUNWAY,
            f"the balance pays {count(funds.eras or 0, 'more era')}",
            DANGER if funds.critical else ATTENTION,
            action=_top_up(evidence),
        )
    if active.drifts:
        yield _drift(evidence, level=ATTENTION)
