"""Whether an era may be paid now: the chain has left it, and the election window is closed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from staking_gateway.capabilities import aif_supported, if_supported
from staking_gateway.types import ElectionWindow

if TYPE_CHECKING:
    from staking_gateway.aio import AsyncGatewayClient
    from staking_gateway.client import GatewayClient


@dataclass(frozen=True)
class Readiness:
    """Answer to whether an era may be paid now.

    :param ready: whether it may.
    :param message: what was found, for a log.
    """

    ready: bool
    message: str


def readiness(client: GatewayClient, *, era: int | None = None, window: bool = True) -> Readiness:
    """Ask once.

    :param era: the era to be paid; None asks for the window alone.
    :param window: whether the election window matters.
    :raises GatewayError: the gateway did not answer properly.
    """
    active = if_supported(client.active_era) if era is not None else None
    state = if_supported(client.election_window) if window else None
    return _judge(era, active, state)


async def areadiness(client: AsyncGatewayClient, *, era: int | None = None, window: bool = True) -> Readiness:
    """`readiness` over the asynchronous client."""
    active = await aif_supported(client.active_era()) if era is not None else None
    state = await aif_supported(client.election_window()) if window else None
    return _judge(era, active, state)


def _judge(era: int | None, active: int | None, state: ElectionWindow | None) -> Readiness:
    """None stands for what the gateway does not tell; then only the payout call itself can find out."""
    if era is not None and active is not None and active <= era:
        return Readiness(False, f"era {era} has not ended, era {active} is active")
    if state is ElectionWindow.OPEN:
        return Readiness(False, "the election window is open")
    told = [f"era {active} is active"] if active is not None else []
    told += ["the election window is closed"] if state is ElectionWindow.CLOSED else []
    return Readiness(True, ", ".join(told) or "this gateway tells neither era nor window")
