"""The bases of the operators: network, ledger and retry policy of all, and the alerts of those that report."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from airflow.sdk import BaseOperator, RetryPolicy

from staking_gateway.errors import InvalidInput
from staking_gateway.text import shown
from staking_gateway_provider.explanations import cause_lines, explain, logs_failure
from staking_gateway_provider.links import LINKS
from staking_gateway_provider.networks import (
    find_network,
    gateway_of,
    is_left_out,
    network_config,
    open_ledger,
    open_network,
)
from staking_gateway_provider.retry import RETRY_POLICY

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from staking_gateway.config.models import NetworkConfig
    from staking_gateway.gateway.gateway import Gateway
    from staking_gateway.health.report import CatchUpReport, EraReport
    from staking_gateway.ledger import Ledger

_RETRIES_FOR_ALERTS = 2
"""How often a report is retried because a message could not be sent."""


class StakingOperator(BaseOperator):
    """Base of the operators that work on one network.

    :param network: name of a network in `staking.yaml`.
    :param gateway_conn_id: connection of the gateway; from the network's settings when left out.
    :param retry_policy: the failures after which the task is retried. None is the default.
    """

    operator_extra_links: Any = LINKS

    def __init__(
        self,
        *,
        network: str | None = None,
        gateway_conn_id: str | None = None,
        retry_policy: RetryPolicy | None = RETRY_POLICY,
        **kwargs: Any,
    ) -> None:
        # Airflow before 3.3.2 passes None for mapped tasks.
        super().__init__(retry_policy=retry_policy or RETRY_POLICY, **kwargs)
        self.network = network
        self.gateway_conn_id = gateway_conn_id

    @logs_failure
    def resume_execution(self, next_method: str, next_kwargs: dict[str, Any] | None, context: Any) -> Any:
        """Continue after a wait."""
        return super().resume_execution(next_method, next_kwargs, context)

    def config(self, *, required: bool = True) -> NetworkConfig | None:
        """Settings of the network; None without a network or, if not `required`, for a network that the configuration does not name."""
        if is_left_out(self.network):
            return None
        if not isinstance(self.network, str):
            raise InvalidInput(
                "network", f"expected a text, got {type(self.network).__name__}", "Write a network's name"
            )
        return network_config(self.network) if required else find_network(self.network)

    def conn_id(self, config: NetworkConfig | None) -> str:
        """The gateway's connection."""
        return gateway_of(config, self.gateway_conn_id)

    def ledger_name(self, config: NetworkConfig | None) -> str:
        """The network's name in ledger and metrics."""
        return self.network or self.conn_id(config)

    def open_ledger(self) -> Ledger:
        """The ledger of the installation.

        :raises LedgerMismatch: it is not the ledger that pays.
        :raises LedgerError: the ledger cannot be opened.
        """
        return open_ledger(pays=True)

    def open_network(self, config: NetworkConfig | None) -> AbstractContextManager[tuple[Ledger, Gateway]]:
        """The ledger, and a client of the gateway whose failed calls are counted; both are closed at the end of the block."""
        return open_network(self.conn_id(config), None, pays=True, count_as=self.ledger_name(config))


class ReportOperator(StakingOperator):
    """Base of the operators that report. The report alone decides whether the task succeeds.

    The XCom `report` holds the report, also of a failed task.
    """

    era: Any = None

    def __init__(self, *, network: str, send_alerts: bool = False, **kwargs: Any) -> None:
        super().__init__(network=network, **kwargs)
        self.send_alerts = send_alerts

    @logs_failure
    def execute(self, context: Any) -> dict[str, Any]:
        """Report, and send alerts.

        :raises EraNotPaid: the era's outcome is not green.
        :raises StakingGatewayError: by its topic: accounts are in the wrong state (ACCOUNTS), eras of a catch-up are still unpaid or can no
            longer be paid (UNPAID), or a message was not sent and the task is retried (ALERTS_NOT_SENT).
        """
        try:
            report = self.report(context)
            context["ti"].xcom_push(key="report", value=report.as_dict())
            for line in report.lines():
                self.log.info("%s", line)
            report.raise_if_red()
        except Exception:
            self._send_alerts(context)
            raise
        self._send_alerts(context)
        return report.as_dict()

    def report(self, context: Any) -> EraReport | CatchUpReport:
        """Make the report."""
        raise NotImplementedError

    def _send_alerts(self, context: Any) -> None:
        """Send the alerts. A failure is raised only while the task is retried for it."""
        from staking_gateway_provider.operators.alerts import check_and_send

        if not self.send_alerts:
            return
        instance = context["ti"]
        try:
            check_and_send(self, context, self.era)
        except Exception as error:
            if instance.try_number <= min(_RETRIES_FOR_ALERTS, instance.max_tries):
                raise
            explained = explain(error, self.network)
            for line in (f"The alerts were not sent: {explained.facts}", *cause_lines(explained)):
                self.log.error("%s", line)  # noqa: TRY400 - the text of a foreign error may hold a secret


def check_seconds(field: str, value: object, *, least: float) -> None:
    """Refuse anything but None or a finite number of seconds, `least` or more."""
    if value is None:
        return
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not least <= value < math.inf:
        raise InvalidInput(field, f"{shown(value)} is no number of seconds", f"Write {least:g} or more")
