"""The problems of a network: why eras are unpaid, what else is wrong, and what to do. Page, alerts, commands and doctor print this list.

`problems` judges in this order. A problem that stands before every payout blocks all unpaid eras that have no reason of their own.

1. The calendar is refused, or apart from the chain: this comes first, whatever its level.
2. A person stopped the ledger. Airflow: no scheduler, no triggerer, no DAG.
3. Connections, keys and gateway: what `doctor` found, the gateway's problem now, and the newest failure of a run that nothing has disproved.
4. Money: a missing limit, a fee above the limits, a payer without funds.
5. The payout DAG is paused.
6. The reason of each era: its hold, its rejection, its result, or the failure of its run.
7. What blocks no era: a failed catch-up, expired eras, differences between ledger and chain, accounts, funds that run short.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from staking_gateway.health.remedies import anchor, completed, copy_payer, cost, for_a_person, pay_again
from staking_gateway.health.state import OPEN
from staking_gateway.ledger.records import PayoutState
from staking_gateway.payout.copies import STATE_WORDS, unsettled
from staking_gateway.payout.fee_limits import missing_limit
from staking_gateway.payout.outcomes import Outcome, hold_of, topic_of
from staking_gateway.payout.terms import terms_of
from staking_gateway.problem import Level, Problem, Topic, connection
from staking_gateway.text import amount, count, era_ranges
from staking_gateway.types import ElectionWindow

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from staking_gateway.health.state import NetworkState
    from staking_gateway.ledger import Payout, TaskFailure

_OUTCOMES = {
    **dict.fromkeys((PayoutState.SIGNED, PayoutState.SUBMITTED, PayoutState.UNKNOWN), Outcome.UNKNOWN),
    PayoutState.REJECTED: Outcome.REJECTED,
}
"""What the state of a part without a hold stands for."""
_MOST_FACTS = 3
"""A cause tells up to so many reasons, each with its eras. If there are more, it tells the newest era's."""


def problems(state: NetworkState) -> list[Problem]:
    """The problems, those with danger first, else in the order of the module's description. Each topic comes once, but for the set-up's."""
    standing, own = list(_standing(state)), _reasons(state)
    topics = {problem.topic for problem in standing}
    if standing:
        blocked = sorted(era for topic in {Topic.UNPAID, *topics} for era in own.pop(topic, {}))
        standing = [replace(problem, eras=tuple(blocked), standing=True) for problem in standing]
    works = topics <= {Topic.PAUSED}  # a catch-up pays while the payout DAG is paused
    judged = [*standing, *(_group(topic, reasons, state, works=works) for topic, reasons in own.items())]
    distinct = {problem.facts for problem in state.setup or ()}
    found: list[Problem] = []
    for problem in (*judged, *_beside(state, {problem.topic for problem in judged})):
        same = [place for place, one in enumerate(found) if one.topic is problem.topic]
        if problem.facts in distinct:
            same = [place for place in same if found[place].facts == problem.facts]
        if not same:
            found.append(problem)
        else:
            found[same[0]] = replace(found[same[0]], eras=tuple(sorted({*found[same[0]].eras, *problem.eras})))
    urgent = frozenset(era for era in state.urgent if not (works and state.airflow.catches_up([era])))
    levelled = [completed(replace(one, level=_level(one, urgent, state)), state) for one in found]
    return sorted(levelled, key=lambda one: _place(one, found, state))


def _place(problem: Problem, found: Sequence[Problem], state: NetworkState) -> tuple[int, int]:
    """The calendar first, because deadlines rest on it; before it the clock by which it is read; else those with danger."""
    if problem.topic is Topic.CLOCK and any(_of_calendar(one.topic, state) for one in found):
        return 0, -problem.level
    return 1 if _of_calendar(problem.topic, state) else 2, -problem.level


def _level(problem: Problem, urgent: frozenset[int], state: NetworkState) -> Level:
    if problem.topic in {one.topic for one in state.setup or ()}:
        return problem.level
    hurts = urgent.intersection(problem.eras) or (problem.eras and problem.topic.ends == "answer")
    return problem.level if hurts else min(problem.level, problem.topic.level)


def _of_calendar(topic: Topic, state: NetworkState) -> bool:
    return topic is Topic.DRIFT or (topic is Topic.CONFIGURATION and state.refused is not None)


# --- before every payout -------------------------------------------------------------------------------------------------


def _standing(state: NetworkState) -> Iterator[Problem]:
    if state.refused is not None:
        refused = state.refused.problem
        facts = f"{refused.facts}; nothing is signed, and deadlines are unknown"
        yield Problem(Topic.CONFIGURATION, facts, own_remedy=refused.own_remedy)
    elif state.active.far_apart:
        yield _drift(state, "; nothing is signed")
    elif state.active.chain is not None and state.active.calendar is None:
        yield _drift(state, "; no run begins")
    yield from not_running(state)
    lasting = _lasting_failure(state)
    if lasting is not None:
        yield replace(lasting.problem, since=lasting.at)
    yield from _of_money(state)
    if state.airflow.paused:
        dag_id = f"staking_payout_{state.name}"
        yield Problem(Topic.PAUSED, f"{dag_id} starts no runs", action={"kind": "unpause", "dag_id": dag_id})


def obstacle(state: NetworkState) -> Problem | None:
    """What would stop a catch-up that is started now; None: nothing. A failure of an earlier run may be repaired by now."""
    return next(iter((*not_running(state), *_of_money(state))), None)


def not_running(state: NetworkState) -> Iterator[Problem]:
    """Ledger, programs, DAG, set-up and gateway that do not work."""
    airflow, live, stop = state.airflow, state.live, state.stopped
    if stop is not None:
        yield Problem(Topic.STOPPED, f"{stop.why} ({stop.run}); nothing is signed or sent", since=stop.at)
    for topic, since in airflow.dead.items():
        last = "" if since is None else f"the last sign of life was at {since:%Y-%m-%d %H:%M:%S} UTC"
        yield Problem(topic, last, since=since)
    if airflow.known is False and Topic.SCHEDULER_DEAD not in airflow.dead:
        yield Problem(Topic.DAG_MISSING, f"staking_payout_{state.name}")
    yield from (problem for problem in state.setup or () if problem.level is Level.DANGER)
    if live.problem is not None and live.silent:
        yield live.problem


def _drift(state: NetworkState, more: str = "", level: Level = Level.DANGER) -> Problem:
    active = state.active
    by_calendar = "none" if active.calendar is None else active.calendar
    facts = f"era {by_calendar} from calendar, era {active.chain} from chain{more}"
    if any(problem.topic is Topic.CLOCK for problem in state.setup or ()):
        return Problem(Topic.DRIFT, facts, level=level, own_remedy="Set the clock first: the calendar is read by it")
    line = {"kind": "copy", "name": "anchor", "text": anchor(state)}
    return Problem(Topic.DRIFT, facts, level=level, action=line)


def _lasting_failure(state: NetworkState) -> TaskFailure | None:
    """The newest failure that stops every run: of a catch-up, or of an era that is still unpaid."""
    lasting = [
        failure
        for era, failure in state.failures.items()
        if failure.problem.topic.blocks
        and (era is None or (era in state.cells and state.cells[era].state in OPEN))
        and not _is_over(failure, state)
    ]
    return max(lasting, key=lambda failure: failure.at, default=None)


def _is_over(failure: TaskFailure, state: NetworkState) -> bool:
    """Whether the cause of a failure is gone: its connection exists, the gateway has answered since, or a run has come further since."""
    topic, about, live, network = failure.problem.topic, failure.problem.about, state.live, state.network
    signers = (connection(network.user_signer_conn_id), connection(network.payer_signer_conn_id))
    if topic is Topic.CONNECTION_MISSING and about in signers and state.setup is not None:
        return about not in {problem.about for problem in state.setup}
    if topic.ends == "answer" or about == connection(network.gateway_conn_id):
        persists = live.problem is not None and live.problem.topic is topic
        if live.at is not None and live.at > failure.at and not persists:
            return True
    parts = (part for records in state.records.values() for part in records)
    return topic.blocks and any(
        (part.last is not None and part.last.signed_at > failure.at) or (part.hold and part.updated_at > failure.at)
        for part in parts
    )


def _of_money(state: NetworkState) -> Iterator[Problem]:
    live, network, token = state.live, state.network, state.token
    if state.missing_limit:
        fee = "" if live.fee is None else f"; the fee is {amount(live.fee, token)}"
        yield Problem(Topic.LIMIT_MISSING, f"the settings lack {state.missing_limit}{fee}")
    elif state.exceeded_limit is not None:
        yield Problem(Topic.HELD_FEE, state.exceeded_limit[1], _limit_path(state))
    if state.runway == 0 and live.fee is not None and live.balance is not None:
        facts = f"the balance of {network.payer.spelling} is {amount(live.balance, token)}, the fee is {amount(live.fee, token)}"
        yield Problem(Topic.PAYER_EMPTY, facts, action=copy_payer(state))


def _limit_path(state: NetworkState) -> str:
    """The limit that the fee exceeds now, or all that are set, as paths in the file."""
    payout = state.network.payout
    named = [] if state.exceeded_limit is None else [state.exceeded_limit[0]]
    names = named or [name for name in ("max_fee_per_payout", "max_fee_per_day") if getattr(payout, name) is not None]
    return " and ".join(f"networks.{state.name}.payout.{name}" for name in names)


# --- the reason of each era ----------------------------------------------------------------------------------------------


def _reasons(state: NetworkState) -> dict[Topic, dict[int, Problem]]:
    """The topics of the unpaid eras, and of those that wait long for the window; for each its eras, oldest first, and the facts."""
    groups: dict[Topic, dict[int, Problem]] = defaultdict(dict)
    for era in state.unpaid:
        reason = _reason(era, state)
        groups[reason.topic][era] = reason
    for era in _waits_long(state):
        groups[Topic.HELD_WINDOW][era] = Problem(Topic.HELD_WINDOW, "its run waits until the window closes")
    return groups


def _group(topic: Topic, reasons: Mapping[int, Problem], state: NetworkState, *, works: bool) -> Problem:
    """One problem for eras with the same topic.

    :param works: a catch-up can pay.
    """
    eras = sorted(reasons)
    newest = reasons[eras[-1]]
    level, own_remedy = newest.level, newest.own_remedy
    action: dict[str, Any] | None = None
    told: dict[str, list[int]] = defaultdict(list)
    for unpaid in eras:
        told[reasons[unpaid].facts].append(unpaid)
    if len(told) > _MOST_FACTS:
        told = {f"era {eras[-1]}: {newest.facts}": eras}
    facts = "; ".join(f"{'era' if len(of) == 1 else 'eras'} {era_ranges(of)}: {why}" for why, of in told.items())
    if topic is Topic.PAYER_EMPTY:
        action = copy_payer(state)
    elif topic is Topic.REJECTED and (era := for_a_person(eras, state)) is not None:
        action = {"kind": "copy", "name": "command", "text": pay_again(era, state)}
    elif works and topic is not Topic.HELD_WINDOW:
        if state.airflow.catches_up(eras):
            level, facts = Level.ATTENTION, f"{facts}; a catch-up is paying {'it' if len(eras) == 1 else 'them'}"
            own_remedy = "Wait for the catch-up" if topic is Topic.UNPAID else own_remedy
        else:
            action = {"kind": "pay", "cost": cost(eras, state)}
    return replace(
        newest,
        facts=facts,
        level=level,
        eras=tuple(eras),
        since=state.calendar.end(eras[0]),
        action=action,
        own_remedy=own_remedy,
    )


def problem_of(era: int, state: NetworkState, found: Sequence[Problem]) -> Problem:
    """The first problem of an unpaid era, with the facts of this era alone.

    :param found: as `problems` gives them.
    """
    first = next((problem for problem in found if era in problem.eras), None)
    if first is not None and first.standing:
        return first
    return completed(replace(_reason(era, state), eras=(era,)), state)


def _reason(era: int, state: NetworkState) -> Problem:
    """Why an era is unpaid."""
    records, cell = state.records.get(era, ()), state.cells[era]
    part, failure, payout = unsettled(records), state.failures.get(era), state.network.payout
    if part is not None and (found := _of_part(part, state)) is not None:
        return found
    if part is None and payout.parts is None and len(records) >= payout.max_parts:
        return Problem(Topic.PARTIAL, cell.reason)
    if failure is None or any(one.updated_at > failure.at for one in records):
        return Problem(Topic.UNPAID, cell.reason)
    if _is_over(failure, state):
        return Problem(Topic.UNPAID, f"{failure.problem.facts}; the cause is gone")
    return failure.problem


def _of_part(part: Payout, state: NetworkState) -> Problem | None:
    """The reason that the ledger has for a part; None without one. A reason that is gone leaves a failed run."""
    hold, why = hold_of(part), part.reason or STATE_WORDS[part.state]
    outcome = hold or _OUTCOMES.get(part.state)
    if outcome is None:
        return None
    topic, live = topic_of(outcome, part), state.live
    if topic is Topic.HELD_FEE and state.missing_limit:
        return Problem(Topic.LIMIT_MISSING, why)
    limits_set = missing_limit(terms_of(state.name, state.network)) is None
    gone = {
        Topic.HELD_WINDOW: (live.window is ElectionWindow.CLOSED, "its run ended while the election window was open"),
        Topic.HELD_FEE: (
            live.fee is not None and state.exceeded_limit is None,
            "its run ended before the fee was within the limits",
        ),
        Topic.LIMIT_MISSING: (limits_set, "its run ended before the limit was set"),
        Topic.PAYER_EMPTY: (bool(state.runway), why),
    }
    over, facts = gone.get(topic, (False, ""))
    if over:
        return Problem(Topic.UNPAID, facts)
    if topic is Topic.REJECTED and hold is None and part.accepted and part.accepted.status and part.tx_hash is None:
        why = f"{why}; the gateway names neither a transaction nor a reason"
    about = _limit_path(state) if topic is Topic.HELD_FEE else ""
    return Problem(topic, why, about, transaction=part.tx_hash)


def _waits_long(state: NetworkState) -> list[int]:
    """Eras whose runs wait for the window longer than `alerts.held_after`."""
    if state.live.window is not ElectionWindow.OPEN or not state.dated:
        return []
    limit = state.network.alerts.held_after
    return [
        era for era, cell in sorted(state.cells.items()) if cell.in_hand and state.now - state.calendar.end(era) > limit
    ]


# --- what blocks no era --------------------------------------------------------------------------------------------------


def _beside(state: NetworkState, known: set[Topic]) -> Iterator[Problem]:
    live, active = state.live, state.active
    if active.drifts and state.refused is None:
        yield _drift(state, level=Level.ATTENTION)
    yield from (problem for problem in state.setup or () if problem.level is Level.ATTENTION)
    if live.problem is not None:
        yield replace(live.problem, level=Level.ATTENTION)
    run, failure = state.airflow.last_catch_up, state.failures.get(None)
    if failure is not None and failure.problem.topic not in known and not state.airflow.dead:
        link = None if run is None else {"kind": "run", "dag_id": run.dag_id, "run_id": run.run_id}
        facts, level = failure.problem.facts, Level.ATTENTION
        yield Problem(Topic.CATCH_UP_FAILED, facts, level=level, since=failure.at, action=link)
    if state.expired:
        lost = tuple(sorted(state.expired))
        which = f"{'era' if len(lost) == 1 else 'eras'} {era_ranges(list(lost))}; the rewards are gone"
        yield Problem(Topic.EXPIRED, which, eras=lost)
    if state.differences:
        differing = tuple(dict.fromkeys(row.era for row in state.differences))
        first, more = state.differences[0], len(state.differences) - 1
        others = f"; and {count(more, 'more difference')}" if more else ""
        yield Problem(Topic.BOOKS, f"{first.text}{others}", eras=differing, since=first.checked_at)
    if state.unexpected:
        more = state.unexpected - len(state.wrong_accounts)
        names = ", ".join(state.wrong_accounts)
        facts = f"{count(state.unexpected, 'account')}: {names}{f', and {more} more' if more else ''}"
        yield Problem(Topic.ACCOUNTS, facts)
    if state.short and Topic.PAYER_EMPTY not in known:
        facts, level = f"the balance pays {count(state.runway or 0, 'more era')}", Level.ATTENTION
        yield Problem(Topic.RUNWAY, facts, level=Level.DANGER if state.critical else level, action=copy_payer(state))
