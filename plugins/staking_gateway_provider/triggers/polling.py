"""What all triggers share: they only read, keep polling through network errors, and end with an event of a known status."""

from __future__ import annotations

import asyncio
import time
from abc import abstractmethod
from collections.abc import AsyncIterator
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar

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
    """Asks a gateway again and again until there is something to tell or the deadline has passed.

    :param gateway_conn_id: connection of the gateway; the trigger is given no secret.
    :param poll_interval: seconds between two questions.
    :param deadline: seconds since 1970 at which to give up; absolute, so that it survives a restart.
    """

    asks_at_once: ClassVar[bool] = True

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

    @abstractmethod
    async def check(self, client: AsyncGatewayClient) -> str | None:
        """Ask once.

        :returns: a message when the wait is over, None to go on.
        """

    async def run(self) -> AsyncIterator[TriggerEvent]:
        """Poll until the wait is over."""
        yield await self._wait()

    async def _wait(self) -> TriggerEvent:
        try:
            client = await StakingGatewayHook(self.gateway_conn_id).aget_conn(concurrency=1)
        except StakingGatewayError as error:
            return _event(EventStatus.FAILED, str(error))
        async with client:
            return await self._poll(client)

    async def _poll(self, client: AsyncGatewayClient) -> TriggerEvent:
        if not self.asks_at_once:
            await self._pause()
        while True:
            left, error_told = max(0.0, self.deadline - time.time()), ""
            try:
                message = await self._ask(client, left + _LAST_ANSWER_SECONDS)
            except (StakingGatewayError, asyncio.TimeoutError) as error:
                # A blip is no verdict: keep polling within the deadline.
                message, error_told = None, str(error) or "no answer in time"
                self.log.warning("Will ask again: %s", error_told)
            if message is not None:
                return _event(EventStatus.DONE, message)
            if time.time() >= self.deadline:
                last = f"; the last answer was: {error_told}" if error_told else ""
                return _event(EventStatus.TIMEOUT, f"the time to wait is up{last}")
            await self._pause()

    async def _ask(self, client: AsyncGatewayClient, seconds: float) -> str | None:
        """`check` with a time limit. Before Python 3.12 `asyncio.wait_for` loses a cancellation that comes with the answer."""
        question = asyncio.ensure_future(self.check(client))
        try:
            done, _ = await asyncio.wait({question}, timeout=seconds)
            if not done:
                raise asyncio.TimeoutError
            return question.result()
        finally:
            question.cancel()
            await asyncio.gather(question, return_exceptions=True)

    async def _pause(self) -> None:
        await asyncio.sleep(
            max(0.0, min(max(self.poll_interval, _SHORTEST_PAUSE_SECONDS), self.deadline - time.time()))
        )


def _event(status: EventStatus, message: str) -> TriggerEvent:
    return TriggerEvent({"status": status.value, "message": message})
