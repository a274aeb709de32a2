"""The bases of the operators: network, ledger and retry policy of all, and the alerts of those that report."""

from __future__ import annotations

import inspect
from abc import abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, NoReturn

from airflow.sdk import BaseOperator, RetryPolicy

from staking_gateway.config.models import NetworkConfig
from staking_gateway.gateway.gateway import Gateway
from staking_gateway.health.report import Report
from staking_gateway.ledger import Ledger
from staking_gateway_provider.alerting import send_alerts
from staking_gateway_provider.hooks.gateway import StakingGatewayHook
from staking_gateway_provider.networks import is_left_out, open_network, run_form, task_config
from staking_gateway_provider.reporting import LINKS, RETRY_POLICY, cause_lines, explain, logs_failure


class StakingOperator(BaseOperator):
    """Base of the operators that work on one network. An argument that `staking.yaml` has too takes the place of the network's setting.

    :param network: name of a network in `staking.yaml`.
    :param gateway_conn_id: connection of the gateway; from the network's settings when left out.
    :param retry_policy: the failures after which the task is retried. None is the default.
    """

    operator_extra_links: Any = LINKS
    settings: Sequence[str] = ("gateway_conn_id",)
    """Arguments that take the place of a network's settings."""

    def __init__(
        self,
        *,
        network: str | None = None,
        gateway_conn_id: str | None = None,
        retry_policy: RetryPolicy | None = RETRY_POLICY,
        **kwargs: Any,
    ) -> None:
        kwargs.setdefault("doc_md", (inspect.getdoc(type(self)) or "").partition("\n")[0])
        # Airflow may fail a task that is resumed at once: a retry goes on where it was.
        if "retries" not in (kwargs.get("default_args") or {}):
            kwargs.setdefault("retries", 2)
        # Airflow before 3.3.2 passes None for mapped tasks.
        super().__init__(retry_policy=retry_policy or RETRY_POLICY, **kwargs)
        self.network = network
        self.gateway_conn_id = gateway_conn_id

    @logs_failure
    def resume_execution(self, next_method: str, next_kwargs: dict[str, Any] | None, context: Any) -> Any:
        """Continue after a wait."""
        return super().resume_execution(next_method, next_kwargs, context)

    def defer(self, **arguments: Any) -> NoReturn:
        """Wait. Airflow stores links at a wait too, and each is a row of its database."""
        self.operator_extra_links = ()
        super().defer(**arguments)

    def post_execute(self, context: Any, result: Any = None) -> None:
        """Keep no link of a task that succeeded, but an explorer's: help is for failures."""
        super().post_execute(context, result)
        self.operator_extra_links = [link for link in self.operator_extra_links if link not in LINKS]

    def config(self, *, alone: bool = False) -> NetworkConfig:
        """The settings of the task: the network's, with the task's arguments in their place, which may be enough `alone`."""
        return task_config(self.network, {name: getattr(self, name) for name in self.settings}, alone=alone)

    @property
    def ledger_name(self) -> str:
        """The network's name in ledger and metrics; without one the gateway's connection."""
        return str(self.network or self.given("gateway_conn_id") or StakingGatewayHook.default_conn_name)

    def given(self, name: str, context: Any = None) -> Any:
        """An argument, or else the field of that name in the form of the run; None: left out."""
        value = getattr(self, name)
        return run_form(context, name) if is_left_out(value) else value

    def open_network(self, config: NetworkConfig) -> AbstractContextManager[tuple[Ledger, Gateway]]:
        """The ledger, and a client of the gateway whose failed calls are counted; both are closed at the end of the block."""
        return open_network(config.gateway_conn_id, pays=True, count_as=self.ledger_name)


class ReportOperator(StakingOperator):
    """Base of the operators that report. The report alone decides whether the task succeeds; it runs also after a failed task.

    The XCom `report` holds the report, also of a failed task.

    :param send_alerts: also check the network, and send an alert when a problem begins or ends, once for all runs: to the task's log and to the
        receivers of `staking.yaml`. While a message cannot be sent, the task is retried, at most twice. After that only the log has the error.
    """

    era: Any = None

    def __init__(self, *, network: str, send_alerts: bool = True, **kwargs: Any) -> None:
        kwargs.setdefault("trigger_rule", "all_done")
        super().__init__(network=network, **kwargs)
        self.send_alerts = send_alerts

    @logs_failure
    def execute(self, context: Any) -> dict[str, Any]:
        """Report, and send alerts. EraNotPaid, or an error of the topic ACCOUNTS, UNPAID or ALERTS_NOT_SENT, if that is not green."""
        try:
            report = self.report(context)
            context["ti"].xcom_push(key="report", value=report.data)
            for line in report.lines:
                self.log.info("%s", line)
            report.raise_if_red()
        except Exception:
            self._send_alerts(context)
            raise
        self._send_alerts(context)
        return dict(report.data)

    @abstractmethod
    def report(self, context: Any) -> Report:
        """Make the report."""

    def _send_alerts(self, context: Any) -> None:
        """Send the alerts. A failure is raised only while the task is retried for it."""
        if not self.send_alerts:
            return
        instance = context["ti"]
        try:
            send_alerts(str(self.network), self.config(), context, self.era)
        except Exception as error:
            if instance.try_number <= min(2, instance.max_tries):  # a message is worth two retries
                raise
            explained = explain(error, self.network)
            for line in (f"The alerts were not sent: {explained.facts}", *cause_lines(explained)):
                self.log.error("%s", line)  # noqa: TRY400 - the text of a foreign error may hold a secret
