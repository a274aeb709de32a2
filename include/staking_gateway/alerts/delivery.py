"""Finding and sending the alerts of a network.

`watch` stores the present conditions and writes messages about changes. `deliver` sends the unsent messages. Both may run in several processes
at once. A message is marked as sent after its receivers have accepted it. A crash before that repeats the message with the same `id`.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from staking_gateway.alerts.find import announcement, blocked, ended, find_alerts, open_eras
from staking_gateway.catch_up import WATCHED_FROM, responsible_from
from staking_gateway.eras import utc_now
from staking_gateway.health.facts import AirflowFacts, LiveFacts, active_era
from staking_gateway.health.problems import problems
from staking_gateway.health.state import NetworkState, network_state

if TYPE_CHECKING:
    from staking_gateway.config.models import NetworkConfig
    from staking_gateway.errors import ConfigError
    from staking_gateway.ledger import Ledger
    from staking_gateway.ledger.alerts import AlertBook
    from staking_gateway.ledger.records import Alert

LEASE = timedelta(minutes=5)
"""How long a run may take to send a message before another run sends it."""
_STATUS_ERAS = 8
"""Eras whose statuses show that an account has stopped staking."""


@dataclass(frozen=True)
class Watch:
    """The result of `watch`.

    :param open: the open alerts after this check, oldest first.
    :param unexpected: watched accounts in the wrong state, by their newest check; None: no status is known.
    """

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
    """Check a network, and store its alerts.

    :param live: from the gateway; alerts about unavailable values stay as they are.
    :param era: the era of the present run. This installation should pay this era and later ones, also without a record.
    :param airflow: what is known of Airflow's programs; None: nothing.
    :raises LedgerError: the ledger failed.
    """
    if era is not None and responsible_from(ledger, name, network.first_era) is None:
        ledger.journal.note_once(name, era, WATCHED_FROM, "eras from here on should be paid")
    active = active_era(network, live, clock())
    if active.chain is not None and active.credible:
        ledger.journal.note_active_era(name, active.chain, network.history_depth)
    book, now = ledger.journal.alerts, clock()
    open_alerts = book.open(name)
    state = network_state(name, network, ledger, live, now=now, airflow=airflow, also=open_eras(open_alerts))
    newest = state.active.era
    statuses = ledger.statuses_of(name, range(max(newest - _STATUS_ERAS, 0), newest + 1))
    found = find_alerts(state, problems(state), open_alerts, statuses, airflow_known=airflow is not None)
    book.update(name, found, clear_after=network.alerts_clear_after)
    watched = {account.account.hex for account in network.accounts}
    checked = any(watched & known.keys() for known in statuses.values())
    wrong = sum(alert.topic.startswith("account:") and alert.state == "open" for alert in found)
    return Watch(state, book.open(name), wrong if checked else None)


def watch_mistake(name: str, error: ConfigError, book: AlertBook) -> None:
    """Store the alert about a mistake in `staking.yaml` that stops a network. `watch` ends it.

    :raises LedgerError: the ledger failed.
    """
    problem = replace(error.problem, facts=f"{error.field}: {error.fault}")
    book.update(name, [blocked(problem, name, utc_now())], clear_after=timedelta(0))


def end_alerts(name: str, book: AlertBook) -> None:
    """End all open alerts.

    :raises LedgerError: the ledger failed.
    """
    over = [ended(alert) for alert in book.open(name)]
    book.update(name, over, clear_after=timedelta(0))


@dataclass
class Delivery:
    """The result of `deliver`.

    :param sent: titles of the messages that all receivers have.
    :param errors: receiver to its error; it got no further messages in this run.
    :param left: number of messages for the next run.
    """

    sent: list[str] = field(default_factory=list)
    errors: dict[str, Exception] = field(default_factory=dict)
    left: int = 0


def deliver(
    name: str,
    book: AlertBook,
    receivers: Mapping[str, Callable[[dict[str, Any]], object]],
    *,
    complete: Callable[[dict[str, Any]], dict[str, Any]] = lambda words: words,
) -> Delivery:
    """Send the unsent messages, oldest first. An error of one receiver does not stop the others.

    :param receivers: name to a function that takes a message as `announcement` gives it. Each gets a message once, unless the run dies.
        Without receivers, the messages stay unsent.
    :param complete: adds to a message what only the caller knows, such as the address of the runbook.
    :raises LedgerError: the ledger failed.
    """
    delivery = Delivery()
    for waiting in book.unsent(name) if receivers else []:
        message = book.claim(waiting, LEASE)
        if message is None:
            continue
        words = complete(announcement(message))
        for receiver, send in receivers.items():
            if receiver in message.received or receiver in delivery.errors:
                continue
            try:
                send(copy.deepcopy(words))
            except Exception as error:  # noqa: BLE001 - a receiver is foreign code; the caller gets the error, and the message stays unsent
                delivery.errors[receiver] = error
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
