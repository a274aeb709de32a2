"""Waits until an era may be paid."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from airflow.sdk import BaseSensorOperator, RetryPolicy, conf
from airflow.sdk.exceptions import AirflowSensorTimeout

from staking_gateway.config import defaults
from staking_gateway.errors import GatewayError
from staking_gateway_provider.explanations import explain
from staking_gateway_provider.failure_log import cause_lines, report_failure_of
from staking_gateway_provider.failure_notes import ERA
from staking_gateway_provider.hooks.gateway import StakingGatewayHook
from staking_gateway_provider.links import LINKS
from staking_gateway_provider.networks import network_config, run_era
from staking_gateway_provider.operators.base import DEFAULT_GATEWAY_CONN_ID, is_left_out
from staking_gateway_provider.retry import RETRY_POLICY
from staking_gateway_provider.triggers.election import ElectionWindowTrigger, by_calendar
from staking_gateway_provider.triggers.polling import DEFER_GRACE_SECONDS, EventStatus, read_event

if TYPE_CHECKING:
    from staking_gateway.config.models import NetworkConfig


class ElectionWindowClosedSensor(BaseSensorOperator):
    """Waits until the election window is closed and, in a run with an era, that era has ended.

    :param network: name of a network in `staking.yaml`, which sets what is left out below.
    :param gateway_conn_id: connection of the gateway.
    :param era: era to be paid; templated; the run's when left out. Without an era only the window counts.
    :param poke_interval: seconds between two requests.
    :param timeout: seconds to wait; then the task fails without a retry.
    :param deferrable: wait without a worker slot.
    :param retry_policy: the failures after which the task is retried.
    """

    stops = ERA
    template_fields: Sequence[str] = ("network", "gateway_conn_id", "era")
    operator_extra_links = LINKS

    def __init__(
        self,
        *,
        network: str | None = None,
        gateway_conn_id: str | None = None,
        era: int | str | None = None,
        poke_interval: float | None = None,
        timeout: float | None = None,
        deferrable: bool = conf.getboolean("operators", "default_deferrable", fallback=False),
        # A default in the signature also applies to mapped tasks.
        retry_policy: RetryPolicy | None = RETRY_POLICY,
        **kwargs: Any,
    ) -> None:
        # The network's settings replace defaults when the task runs.
        self._given = (poke_interval is not None, timeout is not None)
        super().__init__(
            poke_interval=defaults.POLL_INTERVAL.total_seconds() if poke_interval is None else poke_interval,
            timeout=defaults.WINDOW_TIMEOUT.total_seconds() if timeout is None else timeout,
            retry_policy=retry_policy,
            **kwargs,
        )
        self.network = network
        self.gateway_conn_id = gateway_conn_id
        self.era = era
        self.deferrable = deferrable
        self._settings: tuple[str | None, NetworkConfig | None] = (None, None)

    def pre_execute(self, context: Any) -> None:
        """Let a failure of this task end in its log with the remedy."""
        report_failure_of(self, context)

    def execute(self, context: Any) -> None:
        """Poke once, then defer; or keep poking."""
        self._configure()
        if not self.deferrable:
            super().execute(context)
        elif not self.poke(context):
            config, era = self._config(), self._era(context)
            self.defer(
                trigger=ElectionWindowTrigger(
                    gateway_conn_id=self._conn_id(),
                    poll_interval=float(self.poke_interval),
                    deadline=time.time() + self.timeout,
                    era=era,
                    window=self._window(),
                    **(by_calendar(config.calendar, era) if config else {}),
                ),
                method_name="execute_complete",
                timeout=self.timeout + DEFER_GRACE_SECONDS,
            )

    def execute_complete(self, context: Any, event: Any) -> None:
        """Continue after the trigger.

        :raises AirflowSensorTimeout: the window did not close in time.
        :raises ValueError: the event is missing or of an unknown kind.
        """
        del context
        status, message = read_event(event)
        if status is EventStatus.TIMEOUT:
            raise AirflowSensorTimeout(f"The era could not be paid in time: {message}")
        self.log.info("%s", message)

    def poke(self, context: Any) -> bool:
        """Ask the gateway once. A transient error, such as an unreachable gateway, counts as not ready."""
        from staking_gateway.gateway.readiness import readiness
        from staking_gateway.http.endpoint import is_transient

        era, window = self._era(context), self._window()
        with StakingGatewayHook(self._conn_id()).get_conn() as client:
            try:
                answer = readiness(client, era=era, window=window)
            except GatewayError as error:
                if not is_transient(error):
                    raise
                explained = explain(error)
                for line in (f"A request failed, and is repeated: {explained.what}", *cause_lines(explained)):
                    self.log.warning("%s", line)
                return False
        self.log.info("%s", answer.message)
        return answer.ready

    def _config(self) -> NetworkConfig | None:
        """The network's settings, read once: the file may hold thousands of accounts."""
        if self.network and self._settings[0] != self.network:
            self._settings = (self.network, network_config(self.network))
        return self._settings[1] if self.network else None

    def _configure(self) -> None:
        config = self._config()
        if config is not None and not self._given[0]:
            self.poke_interval = config.timing.poll_interval.total_seconds()
        if config is not None and not self._given[1]:
            self.timeout = config.timing.window_timeout.total_seconds()

    def _conn_id(self) -> str:
        config = self._config()
        return self.gateway_conn_id or (config.gateway_conn_id if config else DEFAULT_GATEWAY_CONN_ID)

    def _window(self) -> bool:
        config = self._config()
        return config.timing.wait_for_closed_window if config else True

    def _era(self, context: Any) -> int | None:
        from staking_gateway.types import parse_era

        return run_era(context) if is_left_out(self.era) else parse_era(self.era)
