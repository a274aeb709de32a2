"""What a network reports now, as facts that fail no task and no page; and its alerts, by any of Airflow's notifiers that `staking.yaml` names."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import closing
from contextvars import copy_context
from copy import copy
from dataclasses import replace
from functools import partial
from importlib import import_module
from threading import Thread
from typing import Any

from airflow.sdk import BaseNotifier

from staking_gateway.alerts import Delivery, deliver, watch
from staking_gateway.books.compare import Sides
from staking_gateway.config.models import AlertSettings, NetworkConfig
from staking_gateway.eras import utc_now
from staking_gateway.errors import ConfigError, StakingGatewayError
from staking_gateway.health.state import LiveFacts, read_facts
from staking_gateway.ledger import Actor, Ledger
from staking_gateway.ledger.records import EraFacts
from staking_gateway.problem import Level, Problem, Topic
from staking_gateway.text import one_line
from staking_gateway_provider.connections import ConnectionMissing, find_connection
from staking_gateway_provider.hooks.gateway import StakingGatewayHook
from staking_gateway_provider.metrics import count_error, emit_unsent, emit_watch
from staking_gateway_provider.networks import open_ledger, read_config, run_era
from staking_gateway_provider.reporting import explain, help_address, help_line

Receivers = Mapping[str, Callable[[dict[str, Any]], object]]

log = logging.getLogger(__name__)
_LONGEST = 300
PATIENCE = 30.0
"""Seconds for a message to a receiver."""


# --- facts ---------------------------------------------------------------------------------------------------------------


def ask_gateway(network: NetworkConfig, *, count_as: str | None = None) -> LiveFacts:
    """Present values of a network's gateway; an error becomes the `problem`. Failed calls are counted for `count_as`."""
    try:
        with StakingGatewayHook(network.gateway_conn_id).get_conn() as client:
            if count_as is not None:
                client.report_errors(partial(count_error, count_as))
            return read_facts(client, network)
    except StakingGatewayError as error:
        return LiveFacts(problem=explain(error))


def set_up_problems(name: str, network: NetworkConfig, *, signs: bool) -> list[Problem]:
    """Why a network cannot pay, or check an account: it is disabled, it `signs` and a signer's connection is missing, an account is mistaken."""
    found = []
    try:
        network.check_enabled(name)
    except ConfigError as error:
        found.append(explain(error, name))
    for field in ("user_signer_conn_id", "payer_signer_conn_id") if signs else ():
        try:
            find_connection(field, getattr(network, field))
        except ConnectionMissing as error:
            found.append(explain(error, name))
    mistake = read_config().mistaken_accounts(name)
    mistaken = () if mistake is None else mistake.mistakes or (mistake.problem,)
    return [*found, *(replace(one, level=Level.ATTENTION) for one in mistaken)]


def note_token(name: str, config: NetworkConfig, era: int, *, ledger: Ledger) -> None:
    """Store the token of `staking.yaml` for an era, so that its amounts have a unit, whichever DAG pays it."""
    if (token := config.token) is None:
        return
    unit = EraFacts(network=name, era=era, symbol=token.symbol, decimals=token.decimals, noted_at=utc_now())
    try:
        ledger.facts.note(unit)
    except StakingGatewayError as error:
        log.warning("The amounts of era %s have no unit until its report: %s", era, error)


def note_eras(name: str, config: NetworkConfig, eras: Collection[int], *, ledger: Ledger, actor: Actor) -> None:
    """Store the amounts of ended eras, paid or not, after a report. What is missing, the next comparison fills."""
    from staking_gateway.books.reconcile import note_amounts  # loads aiohttp

    try:
        node = StakingGatewayHook(config.gateway_conn_id).get_node() if eras else None
        sides = Sides(name, config, ledger, None, node, actor, utc_now())
        sides.store(note_amounts(sides, eras))
        problem = "" if node is None else sides.node_problem
    except StakingGatewayError as error:
        problem = explain(error).facts
    if problem:
        log.warning("The reward stays unknown until the next comparison with the chain: %s", problem)


# --- alerts --------------------------------------------------------------------------------------------------------------


def send_alerts(name: str, config: NetworkConfig, context: Any, era: int | str | None) -> dict[str, Any]:
    """Check a network, store its new messages, and send them to the log and to the receivers of its settings.

    :param era: an era that this run pays; the run's when left out. It counts as unpaid even before its first payout.
    :returns: `open`, the number of open alerts; `sent`, titles of messages; `left`, the number of unsent messages.
    :raises StakingGatewayError: a notifier or the ledger failed; the next call sends the same messages.
    """
    receivers = {"log": log_message, **configured_receivers({name: config.alerts}, context)}
    with closing(open_ledger()) as ledger:
        live = ask_gateway(config, count_as=name)
        found = watch(name, config, ledger, live, era=run_era(context, era))
        delivery = deliver(name, ledger.journal.alerts, receivers)
    emit_watch(name, found)
    emit_unsent(name, delivery.left)
    raise_if_left([delivery])
    return {"open": len(found.open), "sent": delivery.sent, "left": delivery.left}


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


def log_message(message: dict[str, Any]) -> None:
    """A receiver that writes messages to the log."""
    level = logging.WARNING if message["phase"] == "raised" else logging.INFO
    for line in with_help(message)["text"].splitlines():
        log.log(level, "%s", line)


# --- notifiers -----------------------------------------------------------------------------------------------------------


def configured_receivers(alerts: Mapping[str, AlertSettings], context: Mapping[str, Any]) -> Receivers:
    """The notifiers of networks' settings; one that several networks name gets each message once. A notifier with a mistake is a receiver that fails."""
    known: list[Mapping[str, Any]] = []
    receivers = {}
    # The names must be the same in each run: the ledger stores which receiver has which message.
    numbers: Counter[str] = Counter()
    for network, settings in alerts.items():
        for index, entry in enumerate(settings.notifiers):
            if entry not in known:
                known.append(entry)
                kind = entry["class"].rpartition(".")[2]
                numbers[kind] += 1
                make = partial(make_notifier, notifier_path(network, index), entry)
                receivers[f"{kind} {numbers[kind]}"] = partial(_notify, make, context)
    return receivers


def _notify(make: Callable[[], BaseNotifier], context: Mapping[str, Any], message: dict[str, Any]) -> None:
    """Call a notifier. One that takes too long has failed, and is left alone: it may hold up neither the other receivers nor the task."""
    failed: list[Exception] = []

    def call() -> None:
        try:
            _call(make, context, message)
        except Exception as error:  # noqa: BLE001 - raised below
            failed.append(error)

    thread = Thread(target=copy_context().run, args=(call,), daemon=True)
    thread.start()
    thread.join(PATIENCE)
    if thread.is_alive():
        raise StakingGatewayError(f"it has not ended within {PATIENCE:g} s", topic=Topic.ALERTS_NOT_SENT)
    for error in failed:
        raise error


def _call(make: Callable[[], BaseNotifier], context: Mapping[str, Any], message: dict[str, Any]) -> None:
    # A notifier replaces its templates by the rendered texts, so each message gets its own. A native DAG would turn JSON into a dict.
    dag = copy(context.get("dag"))
    if dag is not None:
        dag.render_template_as_native_obj = False
    make()({**context, "dag": dag, "staking_alert": with_help(message)})


def notifier_path(network: str, index: int) -> str:
    return f"networks.{network}.alerts.notifiers[{index}]"


def make_notifier(path: str, entry: Mapping[str, Any]) -> BaseNotifier:
    """A notifier from its entry: `class`, and the keyword arguments of the class.

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
            f"{named} refuses its arguments: {one_line(str(error))[:_LONGEST]}",
            "Write the arguments that the documentation of the class names",
        ) from error
