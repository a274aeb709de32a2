"""Looking at a network and telling people, for a task and for a missed deadline."""

from __future__ import annotations

import copy
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

from staking_gateway.errors import StakingGatewayError
from staking_gateway_provider.executors import check_sharing
from staking_gateway_provider.hooks.gateway import StakingGatewayHook
from staking_gateway_provider.metrics import counting_errors
from staking_gateway_provider.networks import ledger_url

if TYPE_CHECKING:
    from airflow.sdk import BaseNotifier

    from staking_gateway.alerts.delivery import Delivery, Watch
    from staking_gateway.config.models import NetworkConfig
    from staking_gateway.health.overview import LiveFacts
    from staking_gateway.ledger import Actor

Receivers = Mapping[str, Callable[[dict[str, Any]], object]]

log = logging.getLogger(__name__)


def look(
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
    """Look at a network now, write down what there is to say, and say it.

    :param executor: the task's own; None for what is no task.
    :param era: an era that is being paid.
    :param receivers: who is told; with none, the messages wait.
    :raises InvalidInput: the ledger is a file, and tasks may run on other machines, each with a file of its own.
    :raises LedgerError: the ledger failed; nothing was said that is not said again.
    """
    from staking_gateway.alerts.delivery import deliver, watch
    from staking_gateway.ledger import Ledger

    url = ledger_url(ledger_conn_id)
    check_sharing(url, executor)
    live = _ask(name, network, gateway_conn_id)
    with closing(Ledger(url)) as ledger:
        seen = watch(name, network, ledger, live, actor=actor, era=era)
        return seen, deliver(name, ledger.journal.alerts, receivers)


def _ask(name: str, network: NetworkConfig, gateway_conn_id: str) -> LiveFacts:
    """What the gateway tells. One that cannot be asked, or a connection that is wrong, is why an era is not paid."""
    from staking_gateway.health.overview import LiveFacts, read_facts

    try:
        with StakingGatewayHook(gateway_conn_id).get_conn() as client:
            asked = counting_errors(client, name)
            return read_facts(asked, network, free_balance=asked.free_balance)
    except StakingGatewayError as error:
        return LiveFacts(problem=str(error))


def receivers_of(notifiers: Sequence[BaseNotifier], context: Mapping[str, Any]) -> Receivers:
    """Airflow notifiers as receivers; a message is `staking_alert` in their context.

    :param context: the task's, or as much of it as there is.
    """
    kinds = [type(notifier).__name__ for notifier in notifiers]
    # The same name in each run, since the ledger remembers by it who has a message already.
    names = [f"{kind} {kinds[:index].count(kind) + 1}" for index, kind in enumerate(kinds)]
    return {name: _receiver(notifier, context) for name, notifier in zip(names, notifiers, strict=True)}


def _receiver(notifier: BaseNotifier, context: Mapping[str, Any]) -> Callable[[dict[str, Any]], object]:
    def tell(message: dict[str, Any]) -> None:
        # A copy, since a notifier replaces its templates by what they rendered to.
        copy.copy(notifier)({**context, "staking_alert": message})

    return tell


def tell_log(message: dict[str, Any]) -> None:
    """A receiver that writes messages to the log."""
    level = logging.WARNING if message["phase"] == "raised" else logging.INFO
    for line in message["text"].splitlines():
        log.log(level, "%s", line)
