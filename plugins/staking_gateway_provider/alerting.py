"""Checks a network and sends alerts, for tasks; makes the notifiers that `staking.yaml` names: any of Airflow's, with their arguments."""

from __future__ import annotations

import copy
import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from airflow.sdk import BaseNotifier

from staking_gateway.errors import ConfigError, StakingGatewayError
from staking_gateway.problem import Topic
from staking_gateway.text import one_line, shorten
from staking_gateway_provider.help import help_address, help_line
from staking_gateway_provider.live_facts import ask_gateway
from staking_gateway_provider.networks import open_ledger

if TYPE_CHECKING:
    from collections.abc import Iterable

    from staking_gateway.alerts.delivery import Delivery, Watch
    from staking_gateway.config.models import AlertSettings, NetworkConfig
    from staking_gateway.ledger import Actor

Receivers = Mapping[str, Callable[[dict[str, Any]], object]]

log = logging.getLogger(__name__)
_LONGEST = 300


def send_alerts(
    name: str,
    network: NetworkConfig,
    *,
    actor: Actor,
    era: int | None,
    receivers: Receivers,
) -> tuple[Watch, Delivery]:
    """Check a network, store its new messages, and send them.

    :param era: an era that is being paid.
    :raises LedgerError: the ledger failed; the next call sends the same messages.
    """
    from staking_gateway.alerts.delivery import deliver, watch

    with closing(open_ledger()) as ledger:
        live = ask_gateway(network, count_as=name)
        found = watch(name, network, ledger, live, actor=actor, era=era)
        return found, deliver(name, ledger.journal.alerts, receivers, complete=with_help)


def with_help(message: dict[str, Any]) -> dict[str, Any]:
    """A message with the address of its section in the runbook."""
    topic = Topic.of(message["runbook"])
    text = message["text"] if message["phase"] == "cleared" else f"{message['text']}\n{help_line(topic)}"
    return {**message, "text": text, "help": help_address(topic)}


def raise_if_left(deliveries: Iterable[Delivery]) -> None:
    """Raise an error with the names of the receivers that failed."""
    failed = [delivery for delivery in deliveries if delivery.errors]
    if failed:
        errors = {receiver: error for delivery in failed for receiver, error in delivery.errors.items()}
        named = "; ".join(f"{receiver}: {error}" for receiver, error in errors.items())
        left = sum(delivery.left for delivery in failed)
        # Without its cause: the traceback of an HTTP hook holds the whole address, which may be a secret.
        raise StakingGatewayError(
            f"{left} messages are not sent yet, and are kept: {named}", topic=Topic.ALERTS_NOT_SENT
        )


def receivers_of(notifiers: Sequence[BaseNotifier], context: Mapping[str, Any]) -> Receivers:
    """Airflow notifiers as receivers; a message is `staking_alert` in their context."""
    return _receivers(((type(notifier).__name__, partial(copy.copy, notifier)) for notifier in notifiers), context)


def configured_receivers(alerts: Mapping[str, AlertSettings], context: Mapping[str, Any]) -> Receivers:
    """The notifiers of networks' settings. A notifier with a mistake is a receiver that fails.

    :param alerts: by network. Receivers that several networks name get each message once.
    """
    known: list[Mapping[str, Any]] = []
    notifiers = []
    for network, settings in alerts.items():
        for index, entry in enumerate(settings.notifiers):
            if entry not in known:
                known.append(entry)
                make = partial(make_notifier, notifier_path(network, index), entry)
                notifiers.append((entry["class"].rpartition(".")[2], make))
    return _receivers(notifiers, context)


def _receivers(notifiers: Iterable[tuple[str, Callable[[], BaseNotifier]]], context: Mapping[str, Any]) -> Receivers:
    # The names must be the same in each run: the ledger stores which receiver has which message.
    numbers: Counter[str] = Counter()
    receivers = {}
    for kind, make in notifiers:
        numbers[kind] += 1
        receivers[f"{kind} {numbers[kind]}"] = partial(_notify, make, context)
    return receivers


def _notify(make: Callable[[], BaseNotifier], context: Mapping[str, Any], message: dict[str, Any]) -> None:
    # A notifier replaces its templates by the rendered texts, so each message gets its own.
    make()({**context, "staking_alert": message})


def log_message(message: dict[str, Any]) -> None:
    """A receiver that writes messages to the log."""
    level = logging.WARNING if message["phase"] == "raised" else logging.INFO
    for line in message["text"].splitlines():
        log.log(level, "%s", line)


# --- notifiers -----------------------------------------------------------------------------------------------------------


def notifier_path(network: str, index: int) -> str:
    return f"networks.{network}.alerts.notifiers[{index}]"


def make_notifier(path: str, entry: Mapping[str, Any]) -> BaseNotifier:
    """A notifier from its entry.

    :param path: of the entry in `staking.yaml`.
    :param entry: `class`, and the keyword arguments of the class.
    :raises ConfigError: there is no such class, it is no notifier, or it refuses the arguments.
    """
    named = entry["class"]
    try:
        module, _, name = named.rpartition(".")
        found = getattr(import_module(module), name)
    except Exception as error:
        raise ConfigError(
            f"{path}.class",
            f"{named} cannot be imported ({type(error).__name__})",
            "Correct the path of the class, or install its package on each machine that runs tasks",
        ) from error
    if not (isinstance(found, type) and issubclass(found, BaseNotifier)):
        raise ConfigError(
            f"{path}.class", f"{named} is not a notifier", "Name a class that is derived from Airflow's BaseNotifier"
        )
    try:
        return found(**{name: value for name, value in entry.items() if name != "class"})
    except Exception as error:
        raise ConfigError(
            path,
            f"{named} refuses its arguments: {shorten(one_line(str(error)), _LONGEST)}",
            "Write the arguments that the documentation of the class names",
        ) from error


def check_notifiers(network: str, alerts: AlertSettings) -> None:
    """Raise ConfigError for the first notifier with a mistake."""
    for index, entry in enumerate(alerts.notifiers):
        make_notifier(notifier_path(network, index), entry)


def connection_ids(alerts: AlertSettings) -> list[str]:
    """The connections that the notifiers' arguments name, each once."""
    named = (value for entry in alerts.notifiers for name, value in entry.items() if name.endswith("_conn_id"))
    return list(dict.fromkeys(value for value in named if isinstance(value, str)))
