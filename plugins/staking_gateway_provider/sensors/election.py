"""Waits until an era may be paid."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from airflow.sdk import BaseSensorOperator, conf
from airflow.sdk.exceptions import AirflowSensorTimeout

from staking_gateway.config.models import TimingSettings
from staking_gateway.errors import GatewayError
from staking_gateway.problem import Problem, Topic
from staking_gateway_provider.explanations import ERA, cause_lines, explain, logs_failure, with_object
from staking_gateway_provider.hooks.gateway import StakingGatewayHook
from staking_gateway_provider.networks import end_by_calendar, run_era
from staking_gateway_provider.operators.base import StakingOperator
from staking_gateway_provider.triggers.gateway import (
    DEFER_GRACE_SECONDS,
    ElectionWindowTrigger,
    EventStatus,
    read_event,
)

if TYPE_CHECKING:
    from staking_gateway.config.models import NetworkConfig
    from staking_gateway.gateway.gateway import Readiness


class ElectionWindowClosedSensor(StakingOperator, BaseSensorOperator):
    """Waits until the election window is closed and, in a run with an era, that era has ended.

    It also takes `network`, `gateway_conn_id` and `retry_policy`, as every operator here. A network of `staking.yaml` sets what is left out.

    :param era: era to be paid; templated; the run's when left out. Without an era only the window counts.
    :param poke_interval: seconds between two requests.
    :param timeout: seconds to wait; then the task fails without a retry.
    :param deferrable: wait without a worker slot.
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
        """Continue after the trigger.

        :raises AirflowSensorTimeout: the window did not close in time.
        :raises ValueError: the event is missing or of an unknown kind.
        """
        status, message = read_event(event)
        if status is EventStatus.TIMEOUT:
            raise AirflowSensorTimeout(f"The era could not be paid in time: {message}")
        self.log.info("%s", message)
        if status is EventStatus.FAILED:
            self.execute(context)

    def poke(self, context: Any) -> bool:
        """Ask the gateway once. A transient error, such as an unreachable gateway, counts as not ready."""
        from staking_gateway.errors import may_pass
        from staking_gateway.gateway.gateway import readiness

        config, era = self.config(), run_era(context, self.era)
        with StakingGatewayHook(config.gateway_conn_id).get_conn() as client:
            try:
                answer = readiness(client, era=era, window=config.timing.wait_for_closed_window)
            except GatewayError as error:
                if not may_pass(error):
                    raise
                explained = explain(error, self.network)
                for line in (f"A request failed, and is repeated: {explained.facts}", *cause_lines(explained)):
                    self.log.warning("%s", line)
                return False
        self.log.info("%s", answer.message)
        if (topic := _held_by(answer, config)) is not None:
            for line in cause_lines(with_object(Problem(topic, answer.message), self.network)):
                self.log.info("%s", line)
        return answer.ready


def _held_by(answer: Readiness, config: NetworkConfig) -> Topic | None:
    """Why an era may not be paid, unless it has just not ended."""
    from staking_gateway.eras.calendar import utc_now
    from staking_gateway.health.facts import LiveFacts, active_era

    if answer.ready:
        return None
    if not answer.is_active:
        return Topic.HELD_WINDOW
    drifts = config.known_calendar and active_era(config, LiveFacts(active=answer.active), utc_now()).drifts
    return Topic.DRIFT if drifts else None
