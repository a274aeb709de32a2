"""The problems of a network: why eras are unpaid, what else is wrong, and what to do. Page, alerts, commands and doctor print this list."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from staking_gateway.config.models import NetworkConfig
from staking_gateway.health.state import OPEN, NetworkState, State
from staking_gateway.ledger.records import Payout, PayoutState, TaskFailure
from staking_gateway.payout.copies import STATE_WORDS, is_capped, unsettled
from staking_gateway.payout.outcomes import Hold, Outcome, hold_of, topic_of
from staking_gateway.problem import Level, Problem, Topic, connection
from staking_gateway.text import amount, count, era_ranges
from staking_gateway.types import ElectionWindow

_SIGNER = "Staking Signer (stakingsigner), Login (the {role}'s account {account}), and Password (its key)"
_GATEWAY = "Staking Gateway (stakinggateway), Host (the gateway's address), and Password (the token)"
_MOST_FACTS = 3
"""A cause tells up to so many accounts, or reasons, each with its eras. If there are more reasons, it tells the newest era's."""


def problems(state: NetworkState) -> list[Problem]:
    """Those about the calendar first, then those with danger. Each topic comes once, but for the set-up's."""
    standing, own = list(_standing(state)), _reasons(state)
    topics = {problem.topic for problem in standing}
    if standing:
        blocked = sorted(era for topic in {Topic.UNPAID, *topics} for era in own.pop(topic, {}))
        standing = [replace(problem, eras=tuple(blocked), standing=True) for problem in standing]
    works = topics <= {Topic.PAUSED}  # a catch-up pays while the payout DAG is paused
    judged = [*standing, *(_group(topic, reasons, state, works=works) for topic, reasons in own.items())]
    distinct = {problem.facts for problem in state.setup or ()}
    found: dict[tuple[Topic, str], Problem] = {}
    for problem in (*judged, *_beside(state, {problem.topic for problem in judged})):
        own_key = problem.topic, problem.facts
        key = own_key if problem.facts in distinct else next((one for one in found if one[0] is problem.topic), own_key)
        first = found.setdefault(key, problem)
        found[key] = replace(first, eras=tuple(sorted({*first.eras, *problem.eras})))
    urgent = {era for era in state.urgent if not (works and state.airflow.catches_up([era]))}
    levelled = [completed(replace(one, level=_level(one, urgent, state)), state) for one in found.values()]
    return sorted(levelled, key=lambda one: (_place(one.topic, state), -one.level))


def _place(topic: Topic, state: NetworkState) -> int:
    """The calendar first, because deadlines rest on it; before it the clock by which it is read."""
    if topic is Topic.CLOCK and not state.dated:
        return 0
    return 1 if topic is Topic.DRIFT or (topic is Topic.CONFIGURATION and state.refused is not None) else 2


def _level(problem: Problem, urgent: set[int], state: NetworkState) -> Level:
    if problem.topic in {one.topic for one in state.setup or ()}:
        return problem.level
    hurts = urgent.intersection(problem.eras) or (problem.eras and problem.topic.ends == "answer")
    return problem.level if hurts else min(problem.level, problem.topic.level)


def _standing(state: NetworkState) -> Iterator[Problem]:
    """Before every payout: these block all unpaid eras that have no reason of their own."""
    if state.refused is not None:
        refused = state.refused.problem
        yield replace(refused, facts=f"{refused.facts}; nothing is signed, and deadlines are unknown")
    elif state.active.far_apart or (state.active.drifts and state.active.calendar is None):
        yield _drift(state, "nothing is signed" if state.active.far_apart else "no run begins")
    yield from not_running(state)
    lasting = [
        failure
        for era, failure in state.failures.items()
        if failure.problem.topic.ends == "signature"
        and (era is None or (era in state.cells and state.cells[era].state in (*OPEN, State.EARLIER)))
        and not _is_over(failure, state)
    ]
    if lasting:
        newest = max(lasting, key=lambda failure: failure.at)
        yield replace(newest.problem, since=newest.at)
    yield from _of_money(state)
    if state.airflow.paused:
        dag_id = f"staking_payout_{state.name}"
        yield Problem(Topic.PAUSED, f"{dag_id} starts no runs", action={"kind": "unpause", "dag_id": dag_id})


def obstacle(state: NetworkState) -> Problem | None:
    """What would stop a catch-up that is started now; None: nothing. A failure of an earlier run may be repaired by now."""
    return next(iter((*not_running(state), *_of_money(state))), None)


def not_running(state: NetworkState) -> Iterator[Problem]:
    airflow, live, stop = state.airflow, state.live, state.stopped
    if stop is not None:
        yield Problem(Topic.STOPPED, f"{stop.why} ({stop.run}); nothing is signed or sent", since=stop.at)
    for topic, since in airflow.dead.items():
        last = "" if since is None else f"the last sign of life was at {since:%Y-%m-%d %H:%M:%S} UTC"
        yield Problem(topic, last, since=since)
    if airflow.known is False and state.network.enabled and Topic.SCHEDULER_DEAD not in airflow.dead:
        yield Problem(Topic.DAG_MISSING, f"staking_payout_{state.name}")
    yield from (problem for problem in state.setup or () if problem.level is Level.DANGER)
    if live.problem is not None and live.silent:
        yield live.problem


def _drift(state: NetworkState, follows: str = "") -> Problem:
    """Calendar and chain disagree. The remedy has the anchor by which they agree, if eras begin at the calendar's times."""
    active, calendar, level = state.active, state.calendar, Level.DANGER if follows else Level.ATTENTION
    facts = f"era {'none' if active.calendar is None else active.calendar} from calendar, era {active.chain} from chain"
    facts = "; ".join(filter(None, (facts, follows)))
    began = state.now if active.calendar is None else calendar.start(active.calendar)
    line = f'- {{era: {active.chain}, start: "{began.replace(microsecond=0).isoformat()}"}}'
    remedy = f"Check that the gateway connection leads to this network, then append `{line}` to networks.{state.name}.calendar.anchors; correct its start if the era began later"
    if any(problem.topic is Topic.CLOCK for problem in state.setup or ()):
        remedy = "Set the clock first: the calendar is read by it"
    return Problem(Topic.DRIFT, facts, level=level, own_remedy=remedy)


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
    return topic.ends == "signature" and any(
        (part.last is not None and part.last.signed_at > failure.at) or (part.hold and part.updated_at > failure.at)
        for part in parts
    )


def _of_money(state: NetworkState) -> Iterator[Problem]:
    live, network, token = state.live, state.network, state.token
    if state.missing_limit:
        fee = "" if live.fee is None else f"; the fee is {amount(live.fee, token)}"
        yield Problem(Topic.LIMIT_MISSING, f"the settings lack {state.missing_limit}{fee}")
    elif state.exceeded_limit is not None:
        yield Problem(Topic.HELD_FEE, state.exceeded_limit)
    if state.runway == 0 and live.fee is not None and live.balance is not None:
        facts = f"the balance of {network.payer.spelling} is {amount(live.balance, token)}, the fee is {amount(live.fee, token)}"
        yield Problem(Topic.PAYER_EMPTY, facts)


def _reasons(state: NetworkState) -> dict[Topic, dict[int, Problem]]:
    """Of the unpaid eras, and of those whose runs wait for the window longer than `alerts.held_after`; oldest first."""
    groups: dict[Topic, dict[int, Problem]] = defaultdict(dict)
    for era in state.owed:
        reason = _reason(era, state)
        long = state.dated and state.now - state.calendar.end(era) > state.network.alerts.held_after
        if era in state.unpaid or (long and reason.topic is Topic.HELD_WINDOW):
            groups[reason.topic][era] = reason
    return groups


def _group(topic: Topic, reasons: Mapping[int, Problem], state: NetworkState, *, works: bool) -> Problem:
    """One problem for eras with the same topic; `works`: a catch-up can pay."""
    eras, told = list(reasons), defaultdict[str, list[int]](list)
    for era, reason in reasons.items():
        told[reason.facts].append(era)
    newest = reasons[eras[-1]]
    facts = "; ".join(f"{_eras(of)}: {why}" for why, of in told.items())
    if len(told) > _MOST_FACTS:
        facts = f"{_eras(eras)}: era {eras[-1]}: {newest.facts}"
    found = replace(newest, facts=facts, eras=tuple(eras), since=state.calendar.end(eras[0]))
    person = topic is Topic.REJECTED and for_a_person(eras, state) is not None
    if not works or person or topic in (Topic.PAYER_EMPTY, Topic.HELD_WINDOW):
        return found
    if not state.airflow.catches_up(eras):
        return replace(found, action={"kind": "pay"})
    remedy = "Wait for the catch-up" if topic is Topic.UNPAID else found.own_remedy
    return replace(found, facts=f"{facts}; a catch-up is paying", level=Level.ATTENTION, own_remedy=remedy)


def problem_of(era: int, state: NetworkState, found: Sequence[Problem]) -> Problem:
    """The first problem of an unpaid era that `problems` found, with the facts of this era alone."""
    first = next((problem for problem in found if era in problem.eras), None)
    if first is not None and first.standing:
        return first
    return completed(replace(_reason(era, state), eras=(era,)), state)


def _reason(era: int, state: NetworkState) -> Problem:
    """Why an era is unpaid, or waits: its part in the ledger, or the newest failure of its run, unless the cause is gone."""
    records, cell = state.records.get(era, ()), state.cells[era]
    part, failure, payout = unsettled(records), state.failures.get(era), state.network.payout
    if part is None and cell.in_hand and state.live.window is ElectionWindow.OPEN:
        return Problem(Topic.HELD_WINDOW, "its run waits until the window closes")
    if part is not None and part.state is not PayoutState.PLANNED:
        return _of_part(part, state)
    if is_capped(records, payout.parts, payout.max_parts):
        return Problem(Topic.PARTIAL, cell.reason)
    if failure is None or failure.problem.topic is Topic.PARTIAL or any(one.updated_at > failure.at for one in records):
        return Problem(Topic.UNPAID, cell.reason)
    return _gone(failure.problem) if _is_over(failure, state) else failure.problem


def _of_part(part: Payout, state: NetworkState) -> Problem:
    hold, live, why = hold_of(part), state.live, part.reason or STATE_WORDS[part.state]
    topic = topic_of(hold or (Outcome.REJECTED if part.state is PayoutState.REJECTED else Outcome.UNKNOWN), part)
    if topic is Topic.HELD_FEE and state.missing_limit:
        topic = Topic.LIMIT_MISSING
    over = {
        Topic.HELD_WINDOW: live.window is ElectionWindow.CLOSED,
        Topic.HELD_FEE: live.fee is not None and state.exceeded_limit is None,
        Topic.LIMIT_MISSING: live.at is not None and state.missing_limit is None,
        Topic.PAYER_EMPTY: bool(state.runway),
    }
    if topic is Topic.REJECTED and hold is None and part.accepted and part.accepted.status and part.tx_hash is None:
        why = f"{why}; the gateway names neither a transaction nor a reason"
    found = Problem(topic, why, transaction=part.tx_hash)
    return _gone(found) if over.get(topic) else found


def _gone(problem: Problem) -> Problem:
    return Problem(Topic.UNPAID, f"{problem.facts}; the cause is gone")


def _beside(state: NetworkState, known: set[Topic]) -> Iterator[Problem]:
    """What blocks no era."""
    live, active = state.live, state.active
    if active.drifts and state.refused is None:
        yield _drift(state)
    yield from (problem for problem in state.setup or () if problem.level is Level.ATTENTION)
    if live.problem is not None:
        yield replace(live.problem, level=Level.ATTENTION)
    failure = state.failures.get(None)
    if failure is not None and failure.problem.topic not in known and not state.airflow.dead:
        yield Problem(Topic.CATCH_UP_FAILED, failure.problem.facts, level=Level.ATTENTION, since=failure.at)
    if lost := state.expired:
        yield Problem(Topic.EXPIRED, f"{_eras(lost)}; the rewards are gone", eras=tuple(lost))
    if state.differences:
        differing = tuple(dict.fromkeys(row.era for row in state.differences))
        first, more = state.differences[0], len(state.differences) - 1
        others = f"; and {count(more, 'more difference')}" if more else ""
        yield Problem(Topic.BOOKS, f"{first.text}{others}", eras=differing, since=first.checked_at)
    if wrong := state.wrong_accounts:
        others = f", and {len(wrong) - _MOST_FACTS} more" if len(wrong) > _MOST_FACTS else ""
        yield Problem(Topic.ACCOUNTS, f"{count(len(wrong), 'account')}: {', '.join(wrong[:_MOST_FACTS])}{others}")
    if state.funds and Topic.PAYER_EMPTY not in known:
        yield Problem(Topic.RUNWAY, f"the balance pays {count(state.runway or 0, 'more era')}", level=state.funds)


def located(problem: Problem, name: str, network: NetworkConfig) -> Problem:
    """The problem with what to open, and with the object of its remedy."""
    sentence, about, gateway = problem.topic.object, problem.about, connection(network.gateway_conn_id)
    role, account, signer, fields, setting = "", "", "", _GATEWAY, "gateway_conn_id"
    signers = {
        "user": (network.user, network.user_signer_conn_id),
        "payer": (network.payer, network.payer_signer_conn_id),
    }
    for one, (key, conn_id) in signers.items():
        if about in (one, key.address, key.spelling, connection(conn_id)):
            role, account, signer = one, key.spelling, connection(conn_id)
            fields, setting = _SIGNER.format(role=role, account=account), f"{role}_signer_conn_id"
            break
    if "{signer}" in sentence:
        about = signer
    elif "{gateway}" in sentence:
        about = about or gateway
    if "{setting}" in sentence and not role and about != gateway:
        sentence = ""  # the DAG or another connection names it
    known = {"gateway": about, "signer": about, "setting": setting, "fields": fields, "role": role, "account": account}
    return replace(problem, about=about, more=sentence.format(**known, name=name, config=network))


def completed(problem: Problem, state: NetworkState) -> Problem:
    found = located(problem, state.name, state.network)
    return replace(found, more=". ".join(filter(None, (found.more, _then(problem, state)))))


def _then(problem: Problem, state: NetworkState) -> str:
    """What pays the eras that wait once the problem is gone; empty when the remedy says it, or none waits."""
    topic, eras, newest = problem.topic, problem.eras, state.active.era - 1
    if topic.says_all:
        return ""
    if topic is Topic.REJECTED:
        person = for_a_person(eras, state)
        era = eras[0] if person is None else person
        command = f"`airflow staking pay --network {state.name} --eras {era} --again`"
        then = _paid_by(eras, state) if person is None else f"No run pays {_eras(eras)} by itself"
        return f"{command} pays era {era}, and costs the fee again. {then}"
    waiting = {era for era, cell in state.cells.items() if cell.in_hand and problem.standing}
    waiting |= {era for era in eras if (run := state.run(era)) is not None and run.active}
    if topic is Topic.PAUSED and newest in eras and state.run(newest) is None:
        waiting.add(newest)
    left = [era for era in eras if era not in waiting]
    sentences = [f"Scheduled runs then pay {_eras(sorted(waiting))} by themselves"] if waiting else []
    sentences += [_paid_by(left, state)] if left else []
    if sentences and topic.ends == "signature" and problem.since is not None:
        sentences.append("This cause is shown until a run has tried again")
    return ". ".join(sentences)


def _paid_by(eras: Sequence[int], state: NetworkState) -> str:
    """What pays eras that no run waits for."""
    dag, due, which = f"the DAG staking_catch_up_{state.name}", state.airflow.catch_up_due, _eras(eras)
    if state.airflow.catches_up(eras):
        return f"The catch-up then pays {which} by itself"
    if not state.network.catch_up.scheduled:
        return f"Then start the catch-up: no run pays {which} by itself"
    if state.airflow.catch_up_paused:
        return f"Then unpause {dag}, which pays {which}"
    when = "" if due is None else ", due now," if due <= state.now else f", at {due:%Y-%m-%d %H:%M:%S} UTC,"
    return f"The next scheduled catch-up{when} then pays {which} by itself"


def for_a_person(eras: Sequence[int], state: NetworkState) -> int | None:
    """The first era that no run pays again, because a fee was charged for nothing or the witnesses disagree."""
    held = (Hold.CHARGED.value, Hold.CONTRADICTION.value)
    parts = {era: unsettled(state.records.get(era, ())) for era in eras}
    return next((era for era, part in parts.items() if part is not None and part.hold in held), None)


def _eras(eras: Sequence[int]) -> str:
    return f"{'era' if len(eras) == 1 else 'eras'} {era_ranges(eras)}"
