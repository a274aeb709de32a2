"""Whether the right alerts were sent: each with its reason, each once, and none left out. Pure."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

from staking_gateway.alerts.alert_facts import BLOCKED_PREFIX, CALENDAR_TOPIC, era_topic
from staking_gateway.alerts.announcement import CLEARED, RAISED
from staking_gateway.ledger.conditions import AlertKind
from staking_gateway.ledger.records import PayoutState
from staking_gateway.types import StakingStatus

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.soak.evidence import Idle, NetworkEvidence

_LOOK = timedelta(seconds=10)
"""From the look at the ledger to the message about it."""
_NOTICED_ERAS = 8
_NOTICED = timedelta(minutes=3)
"""When a late era must have been told of: so many eras and so much time after its limit, for who looks may have been killed."""
_SEEN = timedelta(minutes=1)
"""For how long the newest check must have found an account idle for somebody to have looked."""
_RUNGS = {AlertKind.EXPIRING.value: 3}
"""How often a kind may be told of one era: it is rung by rung."""


@dataclass(frozen=True)
class Word:
    """One alert's word about one topic."""

    phase: str
    kind: str
    at: datetime


def wrong_alerts(network: NetworkEvidence) -> Iterator[str]:
    """Everything that is wrong about the messages."""
    topics: dict[str, list[Word]] = defaultdict(list)
    for message in {message["id"]: message for message in network.messages}.values():
        for condition in message["conditions"]:
            word = Word(message["phase"], condition["kind"], datetime.fromisoformat(message["at"]))
            topics[condition["topic"]].append(word)
    for message in network.messages:
        if message["key"] != message["id"]:
            yield f"alert {message['id']} came under the key {message['key']}"
    judged = {era_topic(era): era for era in network.eras}
    for topic, words in topics.items():
        words.sort(key=lambda word: word.at)
        if topic in judged:
            yield from _about_era(network, judged[topic], words)
        elif topic == CALENDAR_TOPIC:
            yield from _about_calendar(network, words)
        elif topic.startswith(BLOCKED_PREFIX):
            yield from _about_cause(network, topic, words)
        elif not topic.startswith(("account:", "era:")):
            yield f"alert about {topic}, which was in order"
    yield from _left_out(network, topics)
    yield from _about_accounts(network, topics)


def _about_era(network: NetworkEvidence, era: int, words: Sequence[Word]) -> Iterator[str]:
    raised = [word for word in words if word.phase == RAISED]
    cleared = [word for word in words if word.phase == CLEARED]
    for kind in {word.kind for word in raised}:
        times = sum(word.kind == kind for word in raised)
        if times > _RUNGS.get(kind, 1):
            yield f"era {era}: told {times} times that it is {kind}"
    for word in raised:
        if not _has_reason(network, era, word, told_before=word is not raised[0]):
            yield f"era {era}: told at {word.at.isoformat()} that it is {word.kind}, which it was not"
    # What is over before its receiver could be reached is told only as over.
    if len(cleared) != 1:
        yield f"era {era}: told {len(cleared)} times that it is over, not once"
    elif raised and cleared[0].at < raised[-1].at:
        yield f"era {era}: told that it is over, and then something new"
    elif not states_around(network, era, cleared[0].at) & {PayoutState.CONFIRMED, PayoutState.EMPTY}:
        yield f"era {era}: told at {cleared[0].at.isoformat()} that it is paid, which it was not"


def _about_calendar(network: NetworkEvidence, words: Sequence[Word]) -> Iterator[str]:
    """A chain that has fallen behind its calendar disagrees with it; told of once until they agree again.

    Until its first era has ended, a chain is on the way to where its calendar is.
    """
    begun = network.ends[network.eras.start]
    for word in words:
        if word.phase != RAISED or word.at < begun:
            continue
        active = min((era for era, end in network.ends.items() if end > word.at - _LOOK), default=max(network.ends) + 1)
        if network.calendar.era_at(word.at) - active <= 1:
            yield f"told at {word.at.isoformat()} that the calendar does not agree with the chain, which it did"
    if any(earlier.phase == later.phase == RAISED for earlier, later in pairwise(words)):
        yield f"told of the calendar: {', '.join(word.phase for word in words)}"


def _about_cause(network: NetworkEvidence, topic: str, words: Sequence[Word]) -> Iterator[str]:
    """An alert about a cause is right while an era is late. It is sent again only after its end. The faults here need no person.

    The calendar goes on after the last of the soak's eras, and while a chain waits.
    """
    for word in words:
        late = Word(RAISED, AlertKind.NOT_PAID.value, word.at)
        ended = range(network.eras.start, network.calendar.era_at(word.at))
        if word.phase == RAISED and not any(_has_reason(network, era, late, told_before=False) for era in ended):
            yield f"told at {word.at.isoformat()} of {topic}, and no era was late"
    if any(earlier.phase == later.phase == RAISED for earlier, later in pairwise(words)):
        yield f"told of {topic}: {', '.join(word.phase for word in words)}"


def _has_reason(network: NetworkEvidence, era: int, word: Word, *, told_before: bool) -> bool:
    """Whether the ledger, at the time or just before, was so that this had to be told.

    :param told_before: the era is known to be late: that it is held back as well is told at once.
    """
    states = states_around(network, era, word.at)
    if word.kind == AlertKind.REJECTED.value:
        return bool(states & {PayoutState.REJECTED, PayoutState.HELD}) and _was_rejected(network, era, word.at)
    patient = word.kind == AlertKind.HELD.value and not told_before
    limit = network.held_after if patient else network.paid_within
    unpaid = not states or bool(states - {PayoutState.CONFIRMED, PayoutState.EMPTY})
    return unpaid and word.kind != AlertKind.EXPIRED.value and word.at >= network.calendar.end(era) + limit


def _was_rejected(network: NetworkEvidence, era: int, when: datetime) -> bool:
    """Whether a payload of an era was rejected by a time; what is held for a person was rejected before."""
    records = network.payouts.get(era, ())
    events = network.history.get(records[0].id, ()) if records else ()
    return any(event.to_state is PayoutState.REJECTED and event.at <= when for event in events)


def states_around(network: NetworkEvidence, era: int, when: datetime) -> set[PayoutState]:
    """The states an era's first record was in at a time, or just before; empty when there was none yet."""
    records = network.payouts.get(era, ())
    events = network.history.get(records[0].id, ()) if records else ()
    states = [event.to_state for event in events if event.at <= when - _LOOK][-1:]
    return {*states, *(event.to_state for event in events if when - _LOOK < event.at <= when)}


def _left_out(network: NetworkEvidence, topics: dict[str, list[Word]]) -> Iterator[str]:
    """Eras that were late for so long that somebody must have looked, and were not told of."""
    length = network.calendar.anchors[-1].length
    patience = network.held_after + _NOTICED_ERAS * length + _NOTICED
    for era in network.eras:
        records = network.payouts.get(era, ())
        paid_at = records[0].confirmed_at if records else None
        late = paid_at is None or paid_at - network.ends[era] > patience
        if late and not topics.get(era_topic(era)):
            yield f"era {era}: paid {'never' if paid_at is None else paid_at.isoformat()}, and nobody was told that it was late"


def _about_accounts(network: NetworkEvidence, topics: dict[str, list[Word]]) -> Iterator[str]:
    """One alert, which an outage may swallow, and one end of it for each time an account was seen not to stake.

    Of what only a moment's checks saw, nobody need have been told: alerts go by the newest era checked.
    """
    found = {topic.removeprefix("account:") for topic in topics if topic.startswith("account:")}
    for account in [*network.accounts, *sorted(found - set(network.accounts))]:
        lasted = [_found_idle_for(network, one) for one in network.idle if one.account == account]
        at_most = sum(time is not None for time in lasted)
        at_least = sum(time is not None and time >= _SEEN for time in lasted)
        words = [word.phase for word in topics.get(f"account:{account}", ())]
        over = words.count(CLEARED)
        twice = any(earlier == later == RAISED for earlier, later in pairwise(words))
        if not at_least <= over <= at_most or twice or words[-1:] == [RAISED]:
            wanted = [RAISED, CLEARED] * max(at_least, min(over, at_most))
            told, right = (", ".join(phases) or "nothing" for phases in (words, wanted))
            yield f"account {account}: told {told}; right would be {right}"


def _found_idle_for(network: NetworkEvidence, idle: Idle) -> timedelta | None:
    """How long the newest era checked was one in which the account was found not to stake; None: no check found it so."""
    checks = [
        (era, status)
        for era, statuses in network.statuses.items()
        for status in statuses
        if status.account_key == idle.account
    ]
    lasted = None
    for era, status in checks:
        if (
            status.status is not StakingStatus.IS_NOT_STAKING
            or not idle.since <= status.checked_at <= idle.until + _LOOK
        ):
            continue
        overtaken = (
            later.checked_at for newer, later in checks if newer > era and later.status is StakingStatus.IS_STAKING
        )
        ends = min(overtaken, default=datetime.max.replace(tzinfo=status.checked_at.tzinfo))
        lasted = max(lasted or timedelta(0), ends - status.checked_at)
    return lasted
