"""Deferred waits. Triggers only read; each ends with one event of a known status."""

from __future__ import annotations

import asyncio
import math
import time
from abc import abstractmethod
from collections.abc import AsyncIterator
from datetime import datetime, timezone
from enum import Enum
from typing import TYPE_CHECKING, Any

from airflow.sdk.exceptions import AirflowRuntimeError
from airflow.triggers.base import BaseTrigger, TaskSuccessEvent, TriggerEvent

from staking_gateway.config.models import NetworkConfig
from staking_gateway.eras import utc_now
from staking_gateway.errors import InvalidEra, StakingGatewayError, may_pass
from staking_gateway.gateway.gateway import Readiness, aif_supported, readiness
from staking_gateway.problem import Problem, Topic
from staking_gateway.types import RequestStatus
from staking_gateway_provider.connections import ConnectionMissing
from staking_gateway_provider.hooks.gateway import StakingGatewayHook
from staking_gateway_provider.networks import end_by_calendar, run_era, task_config
from staking_gateway_provider.reporting import cause_lines, explain, with_object

if TYPE_CHECKING:
    from staking_gateway import AsyncGatewayClient

DEFER_GRACE_SECONDS = 120
"""Airflow's own time-out comes this much after the trigger's deadline, for a triggerer that has died."""
SHORTEST_PAUSE_SECONDS = 0.1
LAST_ANSWER_SECONDS = 10.0
"""A request may end this much after the deadline."""
_ENDS = {
    RequestStatus.PROCESSED: "was executed",
    RequestStatus.REJECTED: "was rejected by the chain",
    RequestStatus.SENDING_FAILED: "failed: the gateway could not send the transaction",
    RequestStatus.PAYER_REFUSED: "was refused: the payer cannot pay the fee",
}
"""Words of the log for a request that has ended."""


class EventStatus(str, Enum):
    """The status of a trigger's event. With `FAILED` the triggerer cannot use a connection: a worker asks again, and raises what is wrong."""

    DONE = "done"
    TIMEOUT = "timeout"
    FAILED = "failed"


def read_event(event: Any) -> tuple[EventStatus, str]:
    """Status and message of a trigger's event, which crosses processes and versions; ValueError for an unknown status."""
    status = event.get("status") if isinstance(event, dict) else None
    if status not in [known.value for known in EventStatus]:
        raise ValueError(
            f"The trigger ended with an event of no known status: {event!r}. Clear the task to run it again"
        )
    return EventStatus(status), str(event.get("message", ""))


class GatewayPollTrigger(BaseTrigger):
    """Polls a gateway until `ask` returns a message, or until the deadline.

    The first request comes after a pause, because a worker has just asked, and the last one at the deadline. A failed request does not end the
    wait: the next one reads the connection again. Where no worker has asked, the first request comes at once, and may end the wait.

    :param gateway_conn_id: connection of the gateway; the trigger gets no secret.
    :param poll_interval: seconds between two requests.
    :param deadline: end of the wait, in seconds since 1970.
    """

    def __init__(self, *, gateway_conn_id: str, poll_interval: float, deadline: float) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.gateway_conn_id = gateway_conn_id
        self.poll_interval = poll_interval
        self.deadline = deadline
        self._asked = True
        """Whether a worker or this trigger has asked the gateway before."""
        self._client: AsyncGatewayClient | None = None
        self._causes: tuple[str, ...] = ()

    def arguments(self) -> dict[str, Any]:
        return {"gateway_conn_id": self.gateway_conn_id, "poll_interval": self.poll_interval, "deadline": self.deadline}

    def serialize(self) -> tuple[str, dict[str, Any]]:
        """Import path and arguments."""
        return f"{type(self).__module__}.{type(self).__qualname__}", self.arguments()

    @abstractmethod
    async def ask(self, client: AsyncGatewayClient) -> str | None:
        """Send one request; a message ends the wait."""

    def pause(self) -> float:
        """Seconds until the next request."""
        return max(self.poll_interval, SHORTEST_PAUSE_SECONDS)

    async def run(self) -> AsyncIterator[TriggerEvent]:
        """Wait, then yield the event."""
        try:
            status, message = await self._wait()
        except StakingGatewayError as error:
            status, message = EventStatus.FAILED, str(error)
        finally:
            await self._close()
        yield TriggerEvent({"status": status.value, "message": message})

    async def _wait(self) -> tuple[EventStatus, str]:
        problem = ""
        while True:
            pause, left = self.pause() if self._asked else 0.0, self.deadline - time.time()
            await asyncio.sleep(max(0.0, min(pause, left)))
            before, (message, problem) = problem, await self._ask()
            self._asked = True
            if message is not None:
                return EventStatus.DONE, message
            if left <= pause or time.time() >= self.deadline:
                last = f"; the last request failed: {problem}" if problem else ""
                return EventStatus.TIMEOUT, f"the time to wait is over{last}"
            if problem and problem != before:
                for line in (f"A request failed, and is repeated: {problem}", *self._causes):
                    self.log.warning("%s", line)

    async def _ask(self) -> tuple[str | None, str]:
        """The result of `ask`, and why there is none."""
        try:
            self._client = self._client or await StakingGatewayHook(self.gateway_conn_id).aget_conn()
        except (ConnectionMissing, AirflowRuntimeError) as error:
            if not self._asked and isinstance(error, ConnectionMissing):
                raise
            # This connection was used before: Airflow will find it again.
            self._causes = ()
            return None, str(error) or type(error).__name__
        # `asyncio.wait_for` of Python 3.11 may lose a cancellation that comes together with the answer.
        asking = asyncio.ensure_future(self.ask(self._client))
        try:
            await asyncio.wait({asking}, timeout=max(0.0, self.deadline - time.time()) + LAST_ANSWER_SECONDS)
            return (asking.result(), "") if asking.done() else (None, "no answer in time")
        except StakingGatewayError as error:
            if not self._asked and not may_pass(error):
                raise
            await self._close()
            explained = explain(error)
            self._causes = cause_lines(explained)
            return None, explained.facts
        finally:
            if not asking.done():
                asking.cancel()
                await asyncio.wait({asking})

    async def _close(self) -> None:
        if self._client is not None:
            await self._client.close()  # a cancelled call is repeated
            self._client = None


class ElectionWindowTrigger(GatewayPollTrigger):
    """Fires when the election window is closed and, if an era is given, that era has ended.

    While the era lasts, the trigger sleeps until `expected_at`, its end by the calendar in seconds since 1970. Some chains have no `window`.
    """

    def __init__(
        self, *, era: int | None = None, window: bool = True, expected_at: float | None = None, **polling: Any
    ) -> None:
        super().__init__(**polling)
        self.era = era
        self.window = window
        self.expected_at = expected_at
        self._readiness: Readiness | None = None

    def arguments(self) -> dict[str, Any]:
        return {**super().arguments(), "era": self.era, "window": self.window, "expected_at": self.expected_at}

    async def ask(self, client: AsyncGatewayClient) -> str | None:
        """Read whether the era may be paid."""
        self._readiness = None  # after a failed request the plain interval counts
        self._readiness = answer = await readiness(client, era=self.era, window=self.window)
        return answer.message if answer.ready else None

    def pause(self) -> float:
        """Seconds until the end of the era by the calendar, or the plain interval."""
        plain = super().pause()
        if self.expected_at is None or self._readiness is None or not self._readiness.is_active:
            return plain
        return max(plain, self.expected_at - time.time())


class ElectionWindowStartTrigger(ElectionWindowTrigger):
    """The whole wait of a sensor with `start_from_trigger`: it asks at once, and ends the task without a worker when the era may be paid.

    The deadline is Airflow's. Where settings cannot be read, or the first request fails for good, the event sends the task to a worker, which raises
    the error. The arguments are templates; what is None is the network's or the run's.
    """

    timeout_after: datetime | None = None
    """Airflow's time-out, which it sets before `run`. It survives a restart of the triggerer."""

    def __init__(self, **arguments: Any) -> None:
        super().__init__(gateway_conn_id="", poll_interval=0.0, deadline=math.inf)
        self._arguments, self._asked, self._logged = arguments, False, ""
        self.network, self.gateway_conn_id = arguments["network"], arguments["gateway_conn_id"]
        self.era = arguments["era"]
        self._context: Any = None

    def arguments(self) -> dict[str, Any]:
        return self._arguments

    def render_template_fields(self, context: Any, jinja_env: Any = None) -> None:
        """Render, and keep the context: it has the run's era. Airflow calls this before `run`."""
        super().render_template_fields(context, jinja_env)
        self._context = context

    async def run(self) -> AsyncIterator[TriggerEvent]:
        """Wait, then end the task; or yield an event for a worker."""
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

    async def _wait(self) -> tuple[EventStatus, str]:
        await asyncio.to_thread(self._configure)
        return await super()._wait()

    def _configure(self) -> None:
        """Fill in what was left out, from `staking.yaml` and from the run."""
        if self._context is None:
            raise InvalidEra("era", "Airflow did not tell the triggerer the run", "A worker asks")
        config = self._config = task_config(self.network, {"gateway_conn_id": self.gateway_conn_id}, alone=False)
        self.era, self.gateway_conn_id = run_era(self._context, self.era), config.gateway_conn_id
        self.poll_interval = self._arguments["poll_interval"] or config.timing.poll_interval.total_seconds()
        self.window, self.expected_at = config.timing.wait_for_closed_window, end_by_calendar(config, self.era)
        if (after := self.timeout_after) is not None:
            self.deadline = after.replace(tzinfo=after.tzinfo or timezone.utc).timestamp() - DEFER_GRACE_SECONDS


def readiness_lines(answer: Readiness, config: NetworkConfig, network: object) -> list[str]:
    """Lines of the log: whether the era may be paid, and why not, unless it has just not ended."""
    topic = None
    if not answer.ready and not answer.is_active:
        topic = Topic.HELD_WINDOW
    elif not answer.ready and config.known_calendar is not None:
        topic = Topic.DRIFT if config.active_era(utc_now(), answer.active).drifts else None
    if topic is None:
        return [answer.message]
    return [answer.message, *cause_lines(with_object(Problem(topic, answer.message), network))]


class PayoutConfirmationTrigger(GatewayPollTrigger):
    """Fires when a request is final, or when only the worker can find its result.

    :param request_id: identifier that the payout call returned.
    :param patience: seconds to wait while the gateway does not report a state of the request.
    """

    def __init__(self, *, request_id: str, patience: float = 90.0, **polling: Any) -> None:
        super().__init__(**polling)
        self.request_id = request_id
        self.patience = patience
        self._unknown_since: float | None = None

    def arguments(self) -> dict[str, Any]:
        return {**super().arguments(), "request_id": self.request_id, "patience": self.patience}

    async def ask(self, client: AsyncGatewayClient) -> str | None:
        """Read the state of the request."""
        state = await aif_supported(client.request_state(self.request_id))
        if state is None:
            return self._unknown("This gateway does not report request states")
        if (end := _ENDS.get(state.status)) is not None:
            return f"Request {self.request_id} {end}"
        if state.status is RequestStatus.NOT_FOUND:
            return self._unknown(f"The gateway does not know request {self.request_id}")
        # An unreadable answer does not prove that the gateway knows the request.
        if state.status is not RequestStatus.UNREADABLE:
            self._unknown_since = None
        return None

    def _unknown(self, message: str) -> str | None:
        now = time.time()
        self._unknown_since = self._unknown_since or now
        return message if now - self._unknown_since >= self.patience else None


class PauseTrigger(BaseTrigger):
    """Fires at a given time, in seconds since 1970, for waits that poll nothing."""

    def __init__(self, *, until: float) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.until = until

    def serialize(self) -> tuple[str, dict[str, Any]]:
        """Import path and arguments."""
        return f"{type(self).__module__}.{type(self).__qualname__}", {"until": self.until}

    async def run(self) -> AsyncIterator[TriggerEvent]:
        await asyncio.sleep(max(0.0, self.until - time.time()))
        yield TriggerEvent({"status": EventStatus.DONE.value, "message": "The wait is over; the engine decides again"})
