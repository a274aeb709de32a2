"""Checks a network and sends alerts, for a task and for a missed deadline."""

from __future__ import annotations

import copy
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

from staking_gateway_provider.live_facts import ask_gateway
from staking_gateway_provider.metrics import counting_errors
from staking_gateway_provider.networks import open_shared_ledger

if TYPE_CHECKING:
    from airflow.sdk import BaseNotifier

    from staking_gateway.alerts.delivery import Delivery, Watch
    from staking_gateway.config.models import NetworkConfig
    from staking_gateway.ledger import Actor

Receivers = Mapping[str, Callable[[dict[str, Any]], object]]

log = logging.getLogger(__name__)


def send_alerts(
    name: str,
    network: NetworkConfig,
    *,
    gateway_conn_id: str,
    ledger_conn_id: str | None,
    executor: str | None,
    actor: Actor,
    era: int | None,
    receivers: Receivers,
) -> tuple[Watch, Delivery]:
    """Check a network, store its new messages, and send them.

    :param executor: the task's own `executor`; None outside of a task.
    :param era: an era that is being paid.
    :raises LedgerError: the ledger failed; the next call sends the same messages.
    """
    from staking_gateway.alerts.delivery import deliver, watch

    with closing(open_shared_ledger(ledger_conn_id, executor)) as ledger:
        live = ask_gateway(network, gateway_conn_id, counted=lambda client: counting_errors(client, name))
        found = watch(name, network, ledger, live, actor=actor, era=era)
        return found, deliver(name, ledger.journal.alerts, receivers)


def receivers_of(notifiers: Sequence[BaseNotifier], context: Mapping[str, Any]) -> Receivers:
    """Airflow notifiers as receivers; a message is `staking_alert` in their context."""
    kinds = [type(notifier).__name__ for notifier in notifiers]
    # The names must be the same in each run: the ledger stores which receiver has which message.
    names = [f"{kind} {kinds[:index].count(kind) + 1}" for index, kind in enumerate(kinds)]
    return {name: _receiver(notifier, context) for name, notifier in zip(names, notifiers, strict=True)}


def _receiver(notifier: BaseNotifier, context: Mapping[str, Any]) -> Callable[[dict[str, Any]], object]:
    def notify(message: dict[str, Any]) -> None:
        # A notifier replaces its templates by the rendered texts, so each message needs a copy.
        copy.copy(notifier)({**context, "staking_alert": message})

    return notify


def log_message(message: dict[str, Any]) -> None:
    """A receiver that writes messages to the log."""
    level = logging.WARNING if message["phase"] == "raised" else logging.INFO
    for line in message["text"].splitlines():
        log.log(level, "%s", line)
