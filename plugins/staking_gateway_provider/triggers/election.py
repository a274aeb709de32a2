"""Waiting, deferred, until an era may be paid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from staking_gateway_provider.triggers.polling import GatewayPollTrigger

if TYPE_CHECKING:
    from staking_gateway import AsyncGatewayClient


class ElectionWindowTrigger(GatewayPollTrigger):
    """Fires when the election window is closed and, if an era is given, the chain has left that era.

    :param era: the era to be paid, or None to wait for the window alone.
    :param window: whether the window matters at all; some chains have none.
    """

    # A gateway that refuses payouts may not tell, or deny, that its window is open; without a pause the refused payout would be
    # signed and sent again at once.
    asks_at_once: ClassVar[bool] = False

    def __init__(
        self,
        *,
        gateway_conn_id: str,
        poll_interval: float,
        deadline: float,
        era: int | None = None,
        window: bool = True,
    ) -> None:
        super().__init__(gateway_conn_id=gateway_conn_id, poll_interval=poll_interval, deadline=deadline)
        self.era = era
        self.window = window

    def arguments(self) -> dict[str, Any]:
        """Arguments to make this trigger again elsewhere."""
        return {**super().arguments(), "era": self.era, "window": self.window}

    async def check(self, client: AsyncGatewayClient) -> str | None:
        """Ask for the active era, then for the window."""
        from staking_gateway.readiness import areadiness

        readiness = await areadiness(client, era=self.era, window=self.window)
        return readiness.message if readiness.ready else None
