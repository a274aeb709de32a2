"""Telling people what is wrong, once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from staking_gateway.errors import StakingGatewayError
from staking_gateway_provider.alerting import look, receivers_of, tell_log
from staking_gateway_provider.metrics import emit_unsent, emit_watch
from staking_gateway_provider.networks import network_config, run_actor
from staking_gateway_provider.notifications.webhook import StakingWebhookNotifier
from staking_gateway_provider.operators.base import StakingOperator

if TYPE_CHECKING:
    from airflow.sdk import BaseNotifier

    from staking_gateway.alerts.delivery import Delivery
    from staking_gateway.config.models import NetworkConfig


class AlertsNotSent(StakingGatewayError):
    """Messages are left to be sent; the next try, or the next run, sends them."""


class StakingAlertsOperator(StakingOperator):
    """Looks at a network, and tells what has gone wrong and what is over: each once, whichever runs see it.

    What is told of, and when, is set below `alerts` in `staking.yaml`. Messages go to the task's log and to the notifiers. A message is
    offered to them as `staking_alert` in their context: `{{ staking_alert.title }}`, `{{ staking_alert.text }}`, and `id`, `network`,
    `phase` (raised, cleared), `kind`, `severity` (info, warning, critical), `era`, `eras`, `cause`, `next_step`, `conditions`, `at`.

    The task fails, to be tried again, when a notifier fails; what others took is not sent to them again. Make it a teardown of its
    DAG (`.as_teardown()`), and a run is not red because a message could not be sent, nor green because one could.

    Returns `{"open": [...], "sent": [...], "left": n}`: what is wrong, the titles of what was said, and how much is left to be said.

    :param network: name of a network in `staking.yaml`.
    :param notifiers: any Airflow notifiers. Left out, a `StakingWebhookNotifier` with the network's `alerts.webhook_conn_id`, if set.
    :param era: the era this run pays; templated; the run's when left out. It counts as owed even when no payout of it was begun.
    :param ledger_conn_id: connection of the ledger, when the other tasks name one.
    """

    template_fields: Sequence[str] = ("era", "network", "gateway_conn_id")

    def __init__(
        self,
        *,
        network: str,
        notifiers: Sequence[BaseNotifier] | None = None,
        era: int | str | None = None,
        ledger_conn_id: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(network=network, **kwargs)
        self.notifiers = notifiers
        self.era = era
        self.ledger_conn_id = ledger_conn_id

    def execute(self, context: Any) -> dict[str, Any]:
        """Look, and tell.

        :raises InvalidInput: the ledger is a file, and other tasks may run on other machines, each with a file of its own.
        :raises AlertsNotSent: a notifier failed.
        """
        name = str(self.network)
        config = network_config(name)
        notifiers = default_notifiers(config) if self.notifiers is None else self.notifiers
        seen, told = look(
            name,
            config,
            gateway_conn_id=self.conn_id(config),
            ledger_conn_id=self.ledger_conn_id,
            executor=self.executor,
            actor=run_actor(context),
            era=self.era_of(context, self.era),
            receivers={"log": tell_log, **receivers_of(notifiers, context)},
        )
        emit_watch(name, seen)
        emit_unsent(name, told.left)
        for line in seen.open:
            self.log.info("Open: %s", line)
        raise_if_left(told)
        return {"open": list(seen.open), "sent": told.sent, "left": told.left}


def default_notifiers(config: NetworkConfig) -> list[BaseNotifier]:
    """Who is told unless somebody else is named."""
    conn_id = config.alerts.webhook_conn_id
    return [] if conn_id is None else [StakingWebhookNotifier(conn_id)]


def raise_if_left(told: Delivery) -> None:
    """Say which receivers failed.

    :raises AlertsNotSent: one did.
    """
    if told.errors:
        failed = "; ".join(f"{receiver}: {error}" for receiver, error in told.errors.items())
        raise AlertsNotSent(f"{told.left} messages are not sent yet, and are kept. {failed}") from next(
            iter(told.errors.values())
        )
