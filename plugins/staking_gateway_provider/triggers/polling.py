"""What all triggers share: they only read, wait on through network errors, and end with an event of a known status."""

from __future__ import annotations

import asyncio
import time
from abc import abstractmethod
from collections.abc import AsyncIterator
from enum import Enum
from typing import TYPE_CHECKING, Any

from airflow.sdk.exceptions import AirflowNotFoundException, AirflowRuntimeError
from airflow.triggers.base import BaseTrigger, TriggerEvent

from staking_gateway.errors import StakingGatewayError
from staking_gateway_provider.hooks.gateway import StakingGatewayHook

if TYPE_CHECKING:
    from staking_gateway import AsyncGatewayClient

_SHORTEST_PAUSE_SECONDS = 0.1
_LAST_ANSWER_SECONDS = 10.0
"""How much longer than its deadline a wait may take when the gateway is slow to answer."""


class EventStatus(str, Enum):
    """What a trigger's event says. The event crosses processes and versions, so it is checked when it arrives."""

    DONE = "done"
    TIMEOUT = "timeout"
    FAILED = "failed"


def read_event(event: Any) -> tuple[EventStatus, str]:
    """Status and message of a trigger's event.

    :raises ValueError: the event is missing or of an unknown kind; resuming on it could take silence for success.
    """
    status = event.get("status") if isinstance(event, dict) else None
    if status not in [known.value for known in EventStatus]:
        raise ValueError(
            f"The trigger ended with an event of no known status: {event!r}. Clear the task to run it again"
        )
    return EventStatus(status), str(event.get("message", ""))


class GatewayPollTrigger(BaseTrigger):
    """Asks a gateway again and again until there is an answer to end with, or the deadline has passed.

    The first question comes after one interval, for the worker has just asked. At the deadline the gateway is asked once more. A question
    that fails does not end the wait; the next one goes over a new client, since the connection may have been corrected meanwhile.

    :param gateway_conn_id: connection of the gateway; the trigger is given no secret.
    :param poll_interval: seconds between two questions.
    :param deadline: seconds since 1970 at which to give up; absolute, so that it survives a restart.
    """

    def __init__(self, *, gateway_conn_id: str, poll_interval: float, deadline: float) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.gateway_conn_id = gateway_conn_id
        self.poll_interval = poll_interval
        self.deadline = deadline

    def arguments(self) -> dict[str, Any]:
        """Arguments to make this trigger again elsewhere."""
        return {
            "gateway_conn_id": self.gateway_conn_id,
            "poll_interval": self.poll_interval,
            "deadline": self.deadline,
        }

    def serialize(self) -> tuple[str, dict[str, Any]]:
        """Import path and arguments."""
        return f"{type(self).__module__}.{type(self).__qualname__}", self.arguments()

    @property
    def interval(self) -> float:
        """Seconds between two questions."""
        return max(self.poll_interval, _SHORTEST_PAUSE_SECONDS)

    @abstractmethod
    async def ask(self, client: AsyncGatewayClient) -> str | None:
        """Ask once.

        :returns: a message when the wait is over, None to go on.
        """

    def pause(self, now: float) -> float:
        """Seconds until the next question; `now` is seconds since 1970."""
        del now
        return self.interval

    async def run(self) -> AsyncIterator[TriggerEvent]:
        """Wait, then report."""
        try:
            event = await self._wait()
        except StakingGatewayError as error:
            event = _event(EventStatus.FAILED, str(error))
        yield event

    async def _wait(self) -> TriggerEvent:
        connection, problem, pause = _Connection(self.gateway_conn_id), "", self.interval
        try:
            while True:
                left = self.deadline - time.time()
                await asyncio.sleep(max(0.0, min(pause, left)))
                before, (message, problem) = problem, await self._ask(connection)
                if message is not None:
                    return _event(EventStatus.DONE, message)
                if left <= pause or time.time() >= self.deadline:
                    last = f"; the last answer was: {problem}" if problem else ""
                    return _event(EventStatus.TIMEOUT, f"the time to wait is up{last}")
                if problem and problem != before:
                    # A blip is no verdict: the wait goes on within the deadline.
                    self.log.warning("Will ask again: %s", problem)
                pause = self.interval if problem else self.pause(time.time())
        finally:
            await connection.close()

    async def _ask(self, connection: _Connection) -> tuple[str | None, str]:
        """What `ask` returns, and why there was no answer."""
        client = await connection.client()
        if client is None:
            return None, connection.problem
        # Not `asyncio.wait_for`: in Python 3.11 it may lose a cancellation that comes together with the answer.
        asking = asyncio.ensure_future(self.ask(client))
        try:
            await asyncio.wait({asking}, timeout=max(0.0, self.deadline - time.time()) + _LAST_ANSWER_SECONDS)
            return (asking.result(), "") if asking.done() else (None, "no answer in time")
        except StakingGatewayError as error:
            await connection.close()
            return None, str(error) or type(error).__name__
        finally:
            if not asking.done():
                asking.cancel()
                await asyncio.wait({asking})


class _Connection:
    """The client a trigger asks with, made when it is needed.

    :ivar problem: why Airflow did not give the connection, though it gave it before.
    """

    def __init__(self, gateway_conn_id: str) -> None:
        self._gateway_conn_id = gateway_conn_id
        self._client: AsyncGatewayClient | None = None
        self._worked = False
        self.problem = ""

    async def client(self) -> AsyncGatewayClient | None:
        """The client; None when Airflow cannot give the connection for a moment.

        :raises AirflowNotFoundException: there is no such connection.
        :raises InvalidConnection: it cannot be used.
        """
        if self._client is None:
            try:
                self._client = await StakingGatewayHook(self._gateway_conn_id).aget_conn(concurrency=1)
            except (AirflowNotFoundException, AirflowRuntimeError) as error:
                if not self._worked:
                    raise
                self.problem = str(error) or type(error).__name__
            self._worked = True
        return self._client

    async def close(self) -> None:
        """Close the client, if there is one."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()


def _event(status: EventStatus, message: str) -> TriggerEvent:
    return TriggerEvent({"status": status.value, "message": message})
