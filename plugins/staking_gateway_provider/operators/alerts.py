"""Sends alerts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from staking_gateway.errors import StakingGatewayError
from staking_gateway.topics import Topic
from staking_gateway_provider.alerting import log_message, receivers_of, send_alerts
from staking_gateway_provider.metrics import emit_unsent, emit_watch
from staking_gateway_provider.networks import network_config, run_actor
from staking_gateway_provider.notifications.webhook import StakingWebhookNotifier
from staking_gateway_provider.operators.base import StakingOperator

if TYPE_CHECKING:
    from airflow.sdk import BaseNotifier

    from staking_gateway.alerts.delivery import Delivery
    from staking_gateway.config.models import NetworkConfig


class AlertsNotSent(StakingGatewayError):
    """Messages could not be sent; the next try, or the next run, sends them."""

    topic = Topic.ALERTS_NOT_SENT


class StakingAlertsOperator(StakingOperator):
    """Checks a network, and sends an alert when a problem begins or ends, once for all runs.

    `alerts` in `staking.yaml` sets the limits. Messages go to the task's log and to the notifiers. Notifiers get a message as
    `staking_alert` in their context: `{{ staking_alert.title }}`, `{{ staking_alert.text }}`, and `id`, `network`,
    `phase` (raised, cleared), `kind`, `severity` (info, warning, critical), `era`, `eras`, `cause`, `next_step`, `count`, `conditions`, `at`.

    The task fails when a notifier fails. A retry does not repeat messages that were sent. Make it a teardown of its DAG
    (`.as_teardown()`): then it does not change whether the run is red or green.

    Returns `{"open": [...], "sent": [...], "left": n}`: the open problems (the oldest 50, and how many more), the titles of the
    sent messages, and the number of unsent messages.

    :param notifiers: any Airflow notifiers; by default a `StakingWebhookNotifier` with the network's `alerts.webhook_conn_id`, if set.
    :param era: the era that this run pays; templated; the run's when left out. It counts as unpaid even before its first payout.
    """

    template_fields: Sequence[str] = ("era", "network", "gateway_conn_id")

    def __init__(
        self,
        *,
        network: str,
        notifiers: Sequence[BaseNotifier] | None = None,
        era: int | str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(network=network, **kwargs)
        self.notifiers = notifiers
        self.era = era

    def execute(self, context: Any) -> dict[str, Any]:
        """Check the network and send the alerts.

        :raises InvalidInput: the ledger is a file, and other tasks may run on other machines, each with its own file.
        :raises AlertsNotSent: a notifier failed.
        """
        name = str(self.network)
        config = network_config(name)
        notifiers = default_notifiers(config) if self.notifiers is None else self.notifiers
        found, delivery = send_alerts(
            name,
            config,
            gateway_conn_id=self.conn_id(config),
            ledger_conn_id=self.ledger_conn_id,
            executor=self.executor,
            actor=run_actor(context),
            era=self.era_of(context, self.era),
            receivers={"log": log_message, **receivers_of(notifiers, context)},
        )
        emit_watch(name, found)
        emit_unsent(name, delivery.left)
        for line in found.lines:
            self.log.info("Open: %s", line)
        raise_if_left(delivery)
        return {"open": found.lines, "sent": delivery.sent, "left": delivery.left}


def default_notifiers(config: NetworkConfig) -> list[BaseNotifier]:
    """The notifier of the network's `alerts.webhook_conn_id`, if set."""
    conn_id = config.alerts.webhook_conn_id
    return [] if conn_id is None else [StakingWebhookNotifier(conn_id)]


def raise_if_left(delivery: Delivery) -> None:
    """Raise `AlertsNotSent` with the names of the receivers that failed."""
    if delivery.errors:
        failed = "; ".join(f"{receiver}: {error}" for receiver, error in delivery.errors.items())
        first = next(iter(delivery.errors.values()))
        raise AlertsNotSent(f"{delivery.left} messages are not sent yet, and are kept. {failed}") from first
