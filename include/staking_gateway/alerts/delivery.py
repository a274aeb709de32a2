"""From a network's ledger and gateway to the messages people get, each once.

`watch` takes in what is there now and writes the messages about what changed; `deliver` sends what was not sent yet. Both may run in
several places at once. A message is marked as sent only when its receivers have taken it: a crash in between makes it come again,
with the same `id`, which receivers may tell repetitions by.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from staking_gateway.alerts.conditions import find_conditions, oldest_judged
from staking_gateway.alerts.facts import AlertFacts, open_eras
from staking_gateway.alerts.wording import CLEARED, announcement
from staking_gateway.catch_up.survey import EXPIRED, WATCHED_FROM, responsible_from
from staking_gateway.eras.calendar import utc_now
from staking_gateway.health.overview import LiveFacts, situation_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from staking_gateway.config.models import NetworkConfig
    from staking_gateway.ledger import Actor, Ledger
    from staking_gateway.ledger.alert_book import AlertBook, AlertMessage
    from staking_gateway.ledger.conditions import Findings

LEASE = timedelta(minutes=5)
"""How long a run may take to send a message before another one sends it."""
_STATUS_ERAS = 8
"""Eras whose statuses tell whether an account has stopped staking."""
_LATELY = timedelta(days=7)
"""A loss that was told of longer ago, before there were alerts, is not told of again."""


@dataclass(frozen=True)
class Watch:
    """What a look at a network found.

    :param open: the open alerts, this look included, oldest first; one line each.
    :param oldest_unpaid_age: since the end of the oldest unpaid era; None when nothing is unpaid.
    """

    facts: AlertFacts
    findings: Findings
    open: tuple[str, ...]
    oldest_unpaid_age: timedelta | None


def watch(
    name: str,
    network: NetworkConfig,
    ledger: Ledger,
    live: LiveFacts,
    *,
    actor: Actor,
    era: int | None = None,
    clock: Callable[[], datetime] = utc_now,
) -> Watch:
    """Look at a network, and write down the alerts.

    :param live: what its gateway reports; alerts that depend on what it does not report stay as they are.
    :param era: an era that is being paid; it and later ones should be paid, even when the ledger has no record of them yet.
    :raises LedgerError: the ledger failed.
    """
    if era is not None and responsible_from(ledger, name, network.first_era) is None:
        ledger.journal.note_once(name, era, WATCHED_FROM, "eras from here on should be paid", actor)
    facts = _facts(name, network, ledger, live, paying=era, now=clock())
    findings = find_conditions(name, network, facts)
    book = ledger.journal.alerts
    book.update(name, findings, clear_after=network.alerts_clear_after, actor=actor)
    oldest = min(findings.unpaid, default=None)
    return Watch(
        facts,
        findings,
        tuple(f"{alert.subject}: {alert.kind}, {alert.cause}" for alert in book.open(name)),
        None if oldest is None else max(facts.situation.now - network.calendar.end(oldest), timedelta(0)),
    )


def _facts(
    name: str, network: NetworkConfig, ledger: Ledger, live: LiveFacts, *, paying: int | None, now: datetime
) -> AlertFacts:
    situation = situation_of(name, network, ledger, live, now=now)
    topics = {alert.topic: alert.kind for alert in ledger.journal.alerts.open(name)}
    active, oldest = situation.active.era, min([*open_eras(topics), oldest_judged(situation, network.history_depth)])
    return AlertFacts(
        situation=situation,
        live=live,
        records=ledger.payouts_of(name, range(max(oldest, 0), active)),
        statuses=ledger.statuses_of(name, range(max(active - _STATUS_ERAS, 0), active + 1)),
        open=topics,
        lost=[notice.era for notice in ledger.journal.notices(name, EXPIRED) if now - notice.at > _LATELY],
        paying=paying,
    )


@dataclass
class Delivery:
    """What became of the messages.

    :param sent: titles of those all receivers have.
    :param errors: receiver to what it failed with; it was not asked again this time.
    :param left: how many messages are left for the next time.
    """

    sent: list[str] = field(default_factory=list)
    errors: dict[str, Exception] = field(default_factory=dict)
    left: int = 0


def deliver(
    name: str,
    book: AlertBook,
    receivers: Mapping[str, Callable[[dict[str, Any]], object]],
    *,
    lease: timedelta = LEASE,
) -> Delivery:
    """Send what was not sent yet, the oldest first; what one receiver refuses, the others still get.

    What was wrong and is over meanwhile is not sent any more, only that it is over.

    :param receivers: name to what takes a message as `announcement` gives it. Each gets it once, unless the run dies meanwhile.
        With none, the messages wait for somebody who has some.
    :raises LedgerError: the ledger failed.
    """
    told = Delivery()
    unsent = book.unsent(name) if receivers else []
    ends = _ends(unsent)
    for waiting in unsent:
        message = book.claim(waiting, lease)
        if message is None:
            continue
        current = _still_true(message, ends)
        if not current:
            book.end_claim(message, sent=True)
            continue
        message = _send(message, announcement(replace(message, conditions=current)), book, receivers, told)
        if message is None:
            continue
        done = set(receivers) <= set(message.received)
        book.end_claim(message, sent=done)
        if done:
            told.sent.append(announcement(replace(message, conditions=current))["title"])
    told.left = len(book.unsent(name))
    return told


def _ends(messages: Iterable[AlertMessage]) -> dict[str, datetime]:
    """Topics that are over, and when the newest message that says so was made."""
    over = sorted((one for one in messages if one.phase == CLEARED), key=lambda message: message.made_at)
    return {condition["topic"]: message.made_at for message in over for condition in message.conditions}


def _still_true(message: AlertMessage, ends: Mapping[str, datetime]) -> tuple[dict[str, Any], ...]:
    """What of a message is worth saying: after an outage nobody needs to hear what was wrong and is over, only that it is over.

    The end is always told. That a receiver failed does not prove that it has not got the message, and may have opened an incident.
    """
    if message.phase == CLEARED:
        return message.conditions
    return tuple(
        condition
        for condition in message.conditions
        if condition["topic"] not in ends or ends[condition["topic"]] <= message.made_at
    )


def _send(
    message: AlertMessage,
    words: dict[str, Any],
    book: AlertBook,
    receivers: Mapping[str, Callable[[dict[str, Any]], object]],
    told: Delivery,
) -> AlertMessage | None:
    for receiver, send in receivers.items():
        if receiver in message.received or receiver in told.errors:
            continue
        try:
            send(copy.deepcopy(words))
        except Exception as error:  # noqa: BLE001 - a receiver is anybody's code; the caller is told, and the message kept
            told.errors[receiver] = error
            continue
        noted = book.note_received(message, receiver)
        if noted is None:
            return None
        message = noted
    return message
