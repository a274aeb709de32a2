"""Deferred waits until an era may be paid."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from airflow.triggers.base import TaskSuccessEvent, TriggerEvent

from staking_gateway.errors import InvalidEra, StakingGatewayError
from staking_gateway.problem import Problem, Topic
from staking_gateway_provider.explanations import cause_lines, with_object
from staking_gateway_provider.networks import gateway_of, is_left_out, network_config, run_era
from staking_gateway_provider.triggers.polling import DEFER_GRACE_SECONDS, EventStatus, GatewayPollTrigger

if TYPE_CHECKING:
    from staking_gateway import AsyncGatewayClient
    from staking_gateway.config.models import NetworkConfig
    from staking_gateway.eras.calendar import EraCalendar
    from staking_gateway.gateway.gateway import Readiness


class ElectionWindowTrigger(GatewayPollTrigger):
    """Fires when the election window is closed and, if an era is given, that era has ended.

    While the era lasts, the trigger sleeps until its end by the calendar. After that it polls once per `poll_interval`.

    :param era: the era to be paid, or None to wait for the window alone.
    :param window: whether to wait for the window; some chains have none.
    :param expected_at: the era's end by the calendar, in seconds since 1970.
    """

    def __init__(
        self,
        *,
        gateway_conn_id: str,
        poll_interval: float,
        deadline: float,
        era: int | None = None,
        window: bool = True,
        expected_at: float | None = None,
    ) -> None:
        super().__init__(gateway_conn_id=gateway_conn_id, poll_interval=poll_interval, deadline=deadline)
        self.era = era
        self.window = window
        self.expected_at = expected_at
        self._readiness: Readiness | None = None

    def arguments(self) -> dict[str, Any]:
        return {
            **super().arguments(),
            "era": self.era,
            "window": self.window,
            "expected_at": self.expected_at,
        }

    async def ask(self, client: AsyncGatewayClient) -> str | None:
        """Read whether the era may be paid."""
        from staking_gateway.gateway.gateway import areadiness

        self._readiness = answer = await areadiness(client, era=self.era, window=self.window)
        return answer.message if answer.ready else None

    def pause(self, now: float) -> float:
        """Seconds until the end of the era by the calendar, or the plain interval."""
        lasts = self._readiness is not None and self._readiness.is_active
        return max(self.interval, self.expected_at - now) if lasts and self.expected_at is not None else self.interval


class ElectionWindowStartTrigger(ElectionWindowTrigger):
    """The whole wait of a sensor with `start_from_trigger`. It asks at once, and ends the task without a worker when the era may be paid.

    Settings that are left out are the network's. Where they cannot be read, or the first request fails for good, the event sends the task to
    a worker: there the same request raises the error.

    :param timeout: seconds to wait.
    :param network: name of a network in `staking.yaml`; templated, as `gateway_conn_id` and `era`.
    :param era: the run's when left out.
    """

    timeout_after: datetime | None = None
    """Airflow's own time-out, which it sets before `run`. It survives a restart of the triggerer."""

    def __init__(
        self,
        *,
        timeout: float,
        network: str | None = None,
        gateway_conn_id: str | None = None,
        era: int | str | None = None,
        poll_interval: float | None = None,
    ) -> None:
        super().__init__(gateway_conn_id=gateway_conn_id or "", poll_interval=poll_interval or 0.0, deadline=0.0)
        self.network = network
        self.era: Any = era
        self.timeout = timeout
        self._arguments = {
            "timeout": timeout,
            "network": network,
            "gateway_conn_id": gateway_conn_id,
            "era": era,
            "poll_interval": poll_interval,
        }
        self._context: Mapping[str, Any] | None = None
        self._config: NetworkConfig | None = None
        self._logged: str | None = None

    first_pause = 0.0

    def arguments(self) -> dict[str, Any]:
        return self._arguments

    def render_template_fields(self, context: Any, jinja_env: Any = None) -> None:
        """Render, and keep the context: it has the run's era. Airflow calls this before `run`."""
        super().render_template_fields(context, jinja_env)
        self._context = context

    def ends_wait(self, error: StakingGatewayError) -> bool:
        """Whether the gateway has not answered yet, and a repetition corrects nothing."""
        from staking_gateway.errors import may_pass

        return self._readiness is None and not may_pass(error)

    async def run(self) -> AsyncIterator[TriggerEvent]:
        """Wait, then end the task; or yield an event for a worker."""
        try:
            await asyncio.to_thread(self._configure)
        except StakingGatewayError as error:
            yield TriggerEvent({"status": EventStatus.FAILED.value, "message": str(error)})
            return
        async for event in super().run():
            yield TaskSuccessEvent() if event.payload["status"] == EventStatus.DONE.value else event

    async def ask(self, client: AsyncGatewayClient) -> str | None:
        """Read whether the era may be paid, and log what has changed."""
        message = await super().ask(client)
        if self._readiness is not None and self._readiness.message != self._logged:
            self._logged = self._readiness.message
            for line in readiness_lines(self._readiness, self._config, self.network):
                self.log.info("%s", line)
        return message

    def _configure(self) -> None:
        """Fill in what was left out, from `staking.yaml` and from the run.

        :raises StakingGatewayError: the settings cannot be read, or the era of the run is unknown.
        """
        if self._context is None:
            raise InvalidEra("era", "Airflow did not tell the triggerer the run", "A worker asks")
        config = self._config = None if is_left_out(self.network) else network_config(str(self.network))
        self.era = run_era(self._context, self.era)
        self.gateway_conn_id = gateway_of(config, self.gateway_conn_id)
        if self.timeout_after is None:
            self.deadline = time.time() + self.timeout
        else:
            after = self.timeout_after
            self.deadline = after.replace(tzinfo=after.tzinfo or timezone.utc).timestamp() - DEFER_GRACE_SECONDS
        if config is not None:
            self.poll_interval = self.poll_interval or config.timing.poll_interval.total_seconds()
            self.window = config.timing.wait_for_closed_window
            self.expected_at = end_by_calendar(config.calendar, self.era)


def readiness_lines(answer: Readiness, config: NetworkConfig | None, network: object) -> list[str]:
    """Lines of the log: whether the era may be paid, and why not, unless it has just not ended."""
    from staking_gateway.eras.calendar import utc_now
    from staking_gateway.health.facts import LiveFacts, active_era

    topic = None
    if not answer.ready and not answer.is_active:
        topic = Topic.HELD_WINDOW
    elif not answer.ready and config is not None:
        topic = Topic.DRIFT if active_era(config, LiveFacts(active=answer.active), utc_now()).drifts else None
    if topic is None:
        return [answer.message]
    return [answer.message, *cause_lines(with_object(Problem(topic, answer.message), network))]


def end_by_calendar(calendar: EraCalendar, era: int | None) -> float | None:
    """When an era ends by the calendar, in seconds since 1970; None without an era."""
    try:
        return None if era is None else calendar.end(era).timestamp()
    except InvalidEra:
        return None  # beyond the year 9999
