"""Waits until an era may be paid."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from airflow.sdk import BaseSensorOperator, conf
from airflow.sdk.exceptions import AirflowSensorTimeout
from airflow.triggers.base import StartTriggerArgs

from staking_gateway.config.models import TimingSettings
from staking_gateway.errors import GatewayError
from staking_gateway_provider.explanations import cause_lines, explain, logs_failure
from staking_gateway_provider.failure_notes import ERA
from staking_gateway_provider.hooks.gateway import StakingGatewayHook
from staking_gateway_provider.networks import run_era
from staking_gateway_provider.operators.base import StakingOperator
from staking_gateway_provider.triggers.election import (
    ElectionWindowStartTrigger,
    ElectionWindowTrigger,
    end_by_calendar,
    readiness_lines,
)
from staking_gateway_provider.triggers.polling import DEFER_GRACE_SECONDS, EventStatus, read_event

if TYPE_CHECKING:
    from staking_gateway.config.models import NetworkConfig


class ElectionWindowClosedSensor(StakingOperator, BaseSensorOperator):
    """Waits until the election window is closed and, in a run with an era, that era has ended.

    It also takes `network`, `gateway_conn_id` and `retry_policy`, as every operator here. A network of `staking.yaml` sets what is left out.

    :param era: era to be paid; templated; the run's when left out. Without an era only the window counts.
    :param poke_interval: seconds between two requests.
    :param timeout: seconds to wait; then the task fails without a retry.
    :param deferrable: wait without a worker slot.
    :param start_from_trigger: wait without any worker: the triggerer asks first, and ends the task. `timeout` is then the default when left
        out, not the network's. Listeners of Airflow get no event of a task that ends so. Mapped tasks ignore it.
    """

    stops = ERA
    template_fields: Sequence[str] = ("network", "gateway_conn_id", "era")

    def __init__(
        self,
        *,
        era: int | str | None = None,
        poke_interval: float | None = None,
        timeout: float | None = None,
        deferrable: bool = conf.getboolean("operators", "default_deferrable", fallback=False),
        start_from_trigger: bool = False,
        **kwargs: Any,
    ) -> None:
        # The network's settings replace defaults when the task runs.
        self._given = (poke_interval is not None, timeout is not None)
        super().__init__(
            poke_interval=TimingSettings().poll_interval.total_seconds() if poke_interval is None else poke_interval,
            timeout=TimingSettings().window_timeout.total_seconds() if timeout is None else timeout,
            **kwargs,
        )
        self.era = era
        self.deferrable = deferrable
        self.start_from_trigger = start_from_trigger
        if start_from_trigger:
            self.start_trigger_args = StartTriggerArgs(
                trigger_cls=f"{ElectionWindowStartTrigger.__module__}.{ElectionWindowStartTrigger.__qualname__}",
                trigger_kwargs={
                    "network": self.network,
                    "gateway_conn_id": self.gateway_conn_id,
                    "era": era,
                    "poll_interval": poke_interval,
                    "timeout": float(self.timeout),
                },
                next_method="execute_after_start",
                timeout=timedelta(seconds=self.timeout + DEFER_GRACE_SECONDS),
            )
        self._settings: tuple[NetworkConfig | None] | None = None

    @logs_failure
    def execute(self, context: Any) -> None:
        """Poke once, then defer; or keep poking."""
        self._wait(context)

    def _wait(self, context: Any) -> None:
        self._configure()
        if not self.deferrable:
            super().execute(context)
        elif not self.poke(context):
            config, era = self.config(), run_era(context, self.era)
            self.defer(
                trigger=ElectionWindowTrigger(
                    gateway_conn_id=self.conn_id(config),
                    poll_interval=float(self.poke_interval),
                    deadline=time.time() + self.timeout,
                    era=era,
                    window=self._window(),
                    expected_at=end_by_calendar(config.calendar, era) if config else None,
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

    def execute_after_start(self, context: Any, event: Any) -> None:
        """Continue after a trigger that started this task. It failed, or the time is over: otherwise it has ended the task.

        After a failure this asks once more, and raises what is wrong.

        :raises AirflowSensorTimeout: the window did not close in time.
        """
        if event.get("status") == EventStatus.FAILED.value:
            self.log.info("The triggerer could not ask: %s", event.get("message"))
            self._wait(context)
        else:
            self.execute_complete(context, event)

    def poke(self, context: Any) -> bool:
        """Ask the gateway once. A transient error, such as an unreachable gateway, counts as not ready."""
        from staking_gateway.errors import may_pass
        from staking_gateway.gateway.gateway import readiness

        era, window = run_era(context, self.era), self._window()
        with StakingGatewayHook(self.conn_id(self.config())).get_conn() as client:
            try:
                answer = readiness(client, era=era, window=window)
            except GatewayError as error:
                if not may_pass(error):
                    raise
                explained = explain(error, self.network)
                for line in (f"A request failed, and is repeated: {explained.facts}", *cause_lines(explained)):
                    self.log.warning("%s", line)
                return False
        for line in readiness_lines(answer, self.config(), self.network):
            self.log.info("%s", line)
        return answer.ready

    def config(self, *, required: bool = True) -> NetworkConfig | None:
        """The network's settings, read once: the file may hold thousands of accounts."""
        if self._settings is None:
            self._settings = (super().config(required=required),)
        return self._settings[0]

    def _configure(self) -> None:
        config = self.config()
        if config is not None and not self._given[0]:
            self.poke_interval = config.timing.poll_interval.total_seconds()
        if config is not None and not self._given[1]:
            self.timeout = config.timing.window_timeout.total_seconds()

    def _window(self) -> bool:
        config = self.config()
        return config.timing.wait_for_closed_window if config else True
