"""Waits until an era may be paid."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from airflow.sdk import BaseSensorOperator, conf
from airflow.sdk.exceptions import AirflowSensorTimeout
from airflow.triggers.base import StartTriggerArgs

from staking_gateway.config.models import TimingSettings
from staking_gateway.errors import GatewayError, may_pass
from staking_gateway.gateway.gateway import readiness
from staking_gateway_provider.hooks.gateway import StakingGatewayHook
from staking_gateway_provider.networks import end_by_calendar, run_era
from staking_gateway_provider.operators.base import StakingOperator
from staking_gateway_provider.reporting import ERA, cause_lines, explain, logs_failure
from staking_gateway_provider.triggers.gateway import (
    DEFER_GRACE_SECONDS,
    ElectionWindowStartTrigger,
    ElectionWindowTrigger,
    EventStatus,
    read_event,
    readiness_lines,
)

if TYPE_CHECKING:
    from staking_gateway.gateway.gateway import Readiness


class ElectionWindowClosedSensor(StakingOperator, BaseSensorOperator):
    """Waits until the election window is closed and, in a run with an era, that era has ended.

    It also takes `network`, `gateway_conn_id` and `retry_policy`, as every operator here. A network of `staking.yaml` sets what is left out.

    :param era: era to be paid; templated; the run's when left out. Without an era only the window counts.
    :param poke_interval: seconds between two requests.
    :param timeout: seconds to wait; then the task fails without a retry.
    :param deferrable: wait without a worker slot.
    :param start_from_trigger: wait without any worker: the triggerer asks first, and ends the task. `timeout` is then the default when left out,
        not the network's. Listeners of Airflow get no event of a task that ends so. Mapped tasks ignore it.
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
                },
                next_method="execute_complete",
                timeout=timedelta(seconds=self.timeout + DEFER_GRACE_SECONDS),
            )

    @logs_failure
    def execute(self, context: Any) -> None:
        """Poke once, then defer; or keep poking."""
        config = self.config()
        if not self._given[0]:
            self.poke_interval = config.timing.poll_interval.total_seconds()
        if not self._given[1]:
            self.timeout = config.timing.window_timeout.total_seconds()
        if not self.deferrable:
            super().execute(context)
        elif not self.poke(context):
            era = run_era(context, self.era)
            self.defer(
                trigger=ElectionWindowTrigger(
                    gateway_conn_id=config.gateway_conn_id,
                    poll_interval=float(self.poke_interval),
                    deadline=time.time() + self.timeout,
                    era=era,
                    window=config.timing.wait_for_closed_window,
                    expected_at=end_by_calendar(config, era),
                ),
                method_name="execute_complete",
                timeout=self.timeout + DEFER_GRACE_SECONDS,
            )

    def execute_complete(self, context: Any, event: Any) -> None:
        """Continue after the trigger; AirflowSensorTimeout if the window did not close in time."""
        status, message = read_event(event)
        if status is EventStatus.TIMEOUT:
            raise AirflowSensorTimeout(f"The era could not be paid in time: {message}")
        self.log.info("%s", message)
        if status is EventStatus.FAILED:
            self.execute(context)

    def poke(self, context: Any) -> bool:
        """Ask the gateway once. A transient error, such as an unreachable gateway, counts as not ready."""
        config, era = self.config(), run_era(context, self.era)
        client = StakingGatewayHook(config.gateway_conn_id).get_async_conn()

        async def ask() -> Readiness:
            async with client:
                return await readiness(client, era=era, window=config.timing.wait_for_closed_window)

        try:
            answer = asyncio.run(ask())
        except GatewayError as error:
            if not may_pass(error):
                raise
            explained = explain(error, self.network)
            for line in (f"A request failed, and is repeated: {explained.facts}", *cause_lines(explained)):
                self.log.warning("%s", line)
            return False
        for line in readiness_lines(answer, config, self.network):
            self.log.info("%s", line)
        return answer.ready
