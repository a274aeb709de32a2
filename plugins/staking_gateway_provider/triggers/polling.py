"""The base of the triggers that poll a gateway. Triggers only read; each ends with an event of a known status."""

from __future__ import annotations

import asyncio
import time
from abc import abstractmethod
from collections.abc import AsyncIterator
from enum import Enum
from typing import TYPE_CHECKING, Any

from airflow.sdk.exceptions import AirflowRuntimeError
from airflow.triggers.base import BaseTrigger, TriggerEvent

from staking_gateway.errors import ConnectionMissing, InvalidConnection, StakingGatewayError
from staking_gateway_provider.explanations import cause_lines, explain
from staking_gateway_provider.hooks.gateway import StakingGatewayHook

if TYPE_CHECKING:
    from staking_gateway import AsyncGatewayClient

DEFER_GRACE_SECONDS = 120
"""Airflow's own time-out comes this much after the trigger's deadline, for a triggerer that has died."""
SHORTEST_PAUSE_SECONDS = 0.1
LAST_ANSWER_SECONDS = 10.0
"""A request may end this much after the deadline."""


class EventStatus(str, Enum):
    """The status of a trigger's event. Events cross processes and versions, so the receiver checks it."""

    DONE = "done"
    TIMEOUT = "timeout"
    FAILED = "failed"


def read_event(event: Any) -> tuple[EventStatus, str]:
    """Status and message of a trigger's event.

    :raises ValueError: the event is missing or has an unknown status.
    :raises InvalidConnection: the trigger could not use a connection.
    """
    status = event.get("status") if isinstance(event, dict) else None
    if status not in [known.value for known in EventStatus]:
        raise ValueError(
            f"The trigger ended with an event of no known status: {event!r}. Clear the task to run it again"
        )
    message = str(event.get("message", ""))
    if status == EventStatus.FAILED.value:
        raise InvalidConnection(
            "connection", message, event.get("remedy", "Correct the connection and clear this task")
        )
    return EventStatus(status), message


class GatewayPollTrigger(BaseTrigger):
    """Polls a gateway until `ask` returns a message, or until the deadline.

    The first request comes after `first_pause`, the last one at the deadline. A failed request does not end the wait, unless `ends_wait`:
    the next one reads the connection again.

    :param gateway_conn_id: connection of the gateway; the trigger gets no secret.
    :param poll_interval: seconds between two requests.
    :param deadline: end of the wait, in seconds since 1970.
    """

    def __init__(self, *, gateway_conn_id: str, poll_interval: float, deadline: float) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.gateway_conn_id = gateway_conn_id
        self.poll_interval = poll_interval
        self.deadline = deadline
        self._client: AsyncGatewayClient | None = None
        self._causes: tuple[str, ...] = ()

    def arguments(self) -> dict[str, Any]:
        return {
            "gateway_conn_id": self.gateway_conn_id,
            "poll_interval": self.poll_interval,
            "deadline": self.deadline,
        }

    def serialize(self) -> tuple[str, dict[str, Any]]:
        """Import path and arguments."""
        return f"{type(self).__module__}.{type(self).__qualname__}", self.arguments()

    network: str | None = None
    """The network that remedies in the log name."""

    @property
    def interval(self) -> float:
        """Seconds between two requests."""
        return max(self.poll_interval, SHORTEST_PAUSE_SECONDS)

    @property
    def first_pause(self) -> float:
        """Seconds until the first request; a worker has just asked."""
        return self.interval

    def ends_wait(self, error: StakingGatewayError) -> bool:
        """Whether the error of a request ends the wait."""
        del error
        return False

    @abstractmethod
    async def ask(self, client: AsyncGatewayClient) -> str | None:
        """Send one request; a message ends the wait."""

    def pause(self, now: float) -> float:
        """Seconds until the next request; `now` is seconds since 1970."""
        del now
        return self.interval

    async def run(self) -> AsyncIterator[TriggerEvent]:
        """Wait, then yield the event."""
        try:
            status, message = await self._wait()
            event: dict[str, Any] = {"status": status.value, "message": message}
        except StakingGatewayError as error:
            event = {"status": EventStatus.FAILED.value, "message": error.problem.facts, "remedy": error.problem.remedy}
        finally:
            await self._close()
        yield TriggerEvent(event)

    async def _wait(self) -> tuple[EventStatus, str]:
        problem, pause = "", self.first_pause
        while True:
            left = self.deadline - time.time()
            await asyncio.sleep(max(0.0, min(pause, left)))
            before, (message, problem) = problem, await self._ask()
            if message is not None:
                return EventStatus.DONE, message
            if left <= pause or time.time() >= self.deadline:
                last = f"; the last request failed: {problem}" if problem else ""
                return EventStatus.TIMEOUT, f"the time to wait is over{last}"
            if problem and problem != before:
                self.log.warning("A request failed, and is repeated: %s", problem)
                for line in self._causes:
                    self.log.warning("%s", line)
            pause = self.interval if problem else self.pause(time.time())

    async def _ask(self) -> tuple[str | None, str]:
        """The result of `ask`, and why there is none."""
        try:
            self._client = self._client or await StakingGatewayHook(self.gateway_conn_id).aget_conn(concurrency=1)
        except (ConnectionMissing, AirflowRuntimeError) as error:
            # A worker has used this connection before the wait: Airflow will find it again.
            self._causes = ()
            return None, str(error) or type(error).__name__
        # `asyncio.wait_for` of Python 3.11 may lose a cancellation that comes together with the answer.
        asking = asyncio.ensure_future(self.ask(self._client))
        try:
            await asyncio.wait({asking}, timeout=max(0.0, self.deadline - time.time()) + LAST_ANSWER_SECONDS)
            return (asking.result(), "") if asking.done() else (None, "no answer in time")
        except StakingGatewayError as error:
            if self.ends_wait(error):
                raise
            await self._close()
            explained = explain(error, self.network)
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
