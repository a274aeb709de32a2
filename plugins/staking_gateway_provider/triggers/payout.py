"""Deferred waits for a submitted payout."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from airflow.triggers.base import BaseTrigger, TriggerEvent

from staking_gateway.types import RequestStatus
from staking_gateway_provider.triggers.polling import EventStatus, GatewayPollTrigger

if TYPE_CHECKING:
    from staking_gateway import AsyncGatewayClient

_ENDS = {
    RequestStatus.PROCESSED: "was executed",
    RequestStatus.REJECTED: "was rejected by the chain",
    RequestStatus.SENDING_FAILED: "failed: the gateway could not send the transaction",
    RequestStatus.PAYER_REFUSED: "was refused: the payer cannot pay the fee",
}
"""Words of the log for a request that has ended."""


class PayoutConfirmationTrigger(GatewayPollTrigger):
    """Fires when a request is final, or when only the worker can find its result.

    :param request_id: identifier that the payout call returned.
    :param patience: seconds to wait while the gateway does not report a state of the request.
    """

    def __init__(
        self, *, gateway_conn_id: str, poll_interval: float, deadline: float, request_id: str, patience: float = 90.0
    ) -> None:
        super().__init__(gateway_conn_id=gateway_conn_id, poll_interval=poll_interval, deadline=deadline)
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
