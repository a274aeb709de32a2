"""Sends alerts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from staking_gateway_provider.alerting import (
    configured_receivers,
    log_message,
    raise_if_left,
    receivers_of,
    send_alerts,
)
from staking_gateway_provider.explanations import logs_failure
from staking_gateway_provider.metrics import emit_unsent, emit_watch
from staking_gateway_provider.networks import run_actor, run_era
from staking_gateway_provider.operators.base import StakingOperator

if TYPE_CHECKING:
    from airflow.sdk import BaseNotifier

__all__ = ["StakingAlertsOperator", "check_and_send"]


def check_and_send(
    task: StakingOperator, context: Any, era: int | str | None, notifiers: Sequence[BaseNotifier] | None = None
) -> dict[str, Any]:
    """Check the network of a task, and send its alerts; see `StakingAlertsOperator`.

    :raises StakingGatewayError: a notifier failed.
    """
    name = str(task.network)
    config = task.config()
    if notifiers is None:
        receivers = configured_receivers({name: config.alerts}, context)
    else:
        receivers = receivers_of(notifiers, context)
    found, delivery = send_alerts(
        name,
        config,
        actor=run_actor(context),
        era=run_era(context, era),
        receivers={"log": log_message, **receivers},
    )
    emit_watch(name, found)
    emit_unsent(name, delivery.left)
    for line in found.lines:
        task.log.info("Open: %s", line)
    raise_if_left([delivery])
    return {"open": found.lines, "sent": delivery.sent, "left": delivery.left}


class StakingAlertsOperator(StakingOperator):
    """Checks a network, and sends an alert when a problem begins or ends, once for all runs.

    `alerts` in `staking.yaml` sets the limits. Messages go to the task's log and to the notifiers. Notifiers get a message as
    `staking_alert` in their context: `{{ staking_alert.title }}`, `{{ staking_alert.text }}`, and `id`, `network`,
    `phase` (raised, cleared), `kind`, `severity` (info, warning, critical), `era`, `eras`, `cause`, `next_step`, `runbook`, `help`, `count`, `conditions`,
    `at`.

    The task fails when a notifier fails. A retry does not repeat messages that were sent. Make it a teardown of its DAG
    (`.as_teardown()`): then it does not change whether the run is red or green. A task that reports can send the alerts itself:
    `send_alerts`, the default.

    Returns `{"open": [...], "sent": [...], "left": n}`: the open problems (the oldest 50, and how many more), the titles of the
    sent messages, and the number of unsent messages.

    :param notifiers: any Airflow notifiers; by default those of the network's settings, `alerts.notifiers`.
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

    @logs_failure
    def execute(self, context: Any) -> dict[str, Any]:
        """Check the network and send the alerts.

        :raises InvalidInput: the ledger is a file, and other tasks may run on other machines, each with its own file.
        :raises StakingGatewayError: a notifier failed.
        """
        return check_and_send(self, context, self.era, self.notifiers)
