"""Deferred waits. Triggers only read; each ends with one event of a known status."""

from __future__ import annotations

import asyncio
import time
from abc import abstractmethod
from collections.abc import AsyncIterator
from enum import Enum
from typing import TYPE_CHECKING, Any

from airflow.sdk.exceptions import AirflowRuntimeError
from airflow.triggers.base import BaseTrigger, TriggerEvent

from staking_gateway.errors import ConnectionMissing, StakingGatewayError
from staking_gateway.types import RequestStatus
from staking_gateway_provider.explanations import cause_lines, explain
from staking_gateway_provider.hooks.gateway import StakingGatewayHook

if TYPE_CHECKING:
    from staking_gateway import AsyncGatewayClient
    from staking_gateway.gateway.gateway import Readiness

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
    """The status of a trigger's event. Events cross processes and versions, so the receiver checks it.

    With `FAILED` the triggerer cannot use a connection: a worker asks again, and raises what is wrong.
    """

    DONE = "done"
    TIMEOUT = "timeout"
    FAILED = "failed"


def read_event(event: Any) -> tuple[EventStatus, str]:
    """Status and message of a trigger's event.

    :raises ValueError: the event is missing or has an unknown status.
    """
    status = event.get("status") if isinstance(event, dict) else None
    if status not in [known.value for known in EventStatus]:
        raise ValueError(
            f"The trigger ended with an event of no known status: {event!r}. Clear the task to run it again"
        )
    return EventStatus(status), str(event.get("message", ""))


class GatewayPollTrigger(BaseTrigger):
    """Polls a gateway until `ask` returns a message, or until the deadline.

    The first request comes after a pause, because a worker has just asked, and the last one at the deadline. A failed request does not end the
    wait: the next one reads the connection again.

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
            pause, left = self.pause(), self.deadline - time.time()
            await asyncio.sleep(max(0.0, min(pause, left)))
            before, (message, problem) = problem, await self._ask()
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

    While the era lasts, the trigger sleeps until its end by the calendar. After that it polls once per `poll_interval`.

    :param era: the era to be paid, or None to wait for the window alone.
    :param window: whether to wait for the window; some chains have none.
    :param expected_at: the era's end by the calendar, in seconds since 1970.
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
        from staking_gateway.gateway.gateway import areadiness

        self._readiness = None  # after a failed request the plain interval counts
        self._readiness = answer = await areadiness(client, era=self.era, window=self.window)
        return answer.message if answer.ready else None

    def pause(self) -> float:
        """Seconds until the end of the era by the calendar, or the plain interval."""
        plain = super().pause()
        if self.expected_at is None or self._readiness is None or not self._readiness.is_active:
            return plain
        return max(plain, self.expected_at - time.time())


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
        from staking_gateway.gateway.gateway import aif_supported

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
    """Fires at a given time, for waits that poll nothing.

    :param until: seconds since 1970.
    """

    def __init__(self, *, until: float) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.until = until

    def serialize(self) -> tuple[str, dict[str, Any]]:
        """Import path and arguments."""
        return f"{type(self).__module__}.{type(self).__qualname__}", {"until": self.until}

    async def run(self) -> AsyncIterator[TriggerEvent]:
        await asyncio.sleep(max(0.0, self.until - time.time()))
        yield TriggerEvent({"status": EventStatus.DONE.value, "message": "The wait is over; the engine decides again"})
