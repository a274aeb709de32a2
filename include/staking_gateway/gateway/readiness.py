"""Whether an era may be paid now: it has ended, and the election window is closed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from staking_gateway.gateway.methods import aif_supported, if_supported
from staking_gateway.types import ElectionWindow

if TYPE_CHECKING:
    from staking_gateway.gateway.gateway import AsyncGateway, Gateway


@dataclass(frozen=True)
class Readiness:
    """Whether an era may be paid now. An unavailable fact does not delay the payout; the payout call checks it again.

    :param era: the era to be paid; None for the window alone.
    :param active: the active era; None when not read, or not reported by the gateway.
    :param window: state of the election window, likewise.
    """

    era: int | None
    active: int | None = None
    window: ElectionWindow | None = None

    @property
    def is_active(self) -> bool:
        """Whether the gateway reports that the era has not ended."""
        return self.era is not None and self.active is not None and self.active <= self.era

    @property
    def ready(self) -> bool:
        """Whether the era may be paid."""
        return not self.is_active and self.window is not ElectionWindow.OPEN

    @property
    def message(self) -> str:
        """The facts, for a log."""
        if self.is_active:
            return f"era {self.era} has not ended, era {self.active} is active"
        if self.window is ElectionWindow.OPEN:
            return "the election window is open"
        found = [] if self.active is None else [f"era {self.active} is active"]
        found += ["the election window is closed"] if self.window is ElectionWindow.CLOSED else []
        return ", ".join(found) or "this gateway reports neither era nor window"


def readiness(gateway: Gateway, *, era: int | None = None, window: bool = True) -> Readiness:
    """Read era and window once. The window is not read while the era is active.

    :param era: the era to be paid; None reads the window alone.
    :param window: whether the election window matters.
    :raises GatewayError: a read failed.
    """
    found = Readiness(era, if_supported(gateway.active_era) if era is not None else None)
    if not window or found.is_active:
        return found
    return Readiness(era, found.active, if_supported(gateway.election_window))


async def areadiness(gateway: AsyncGateway, *, era: int | None = None, window: bool = True) -> Readiness:
    """`readiness` in an event loop."""
    found = Readiness(era, await aif_supported(gateway.active_era()) if era is not None else None)
    if not window or found.is_active:
        return found
    return Readiness(era, found.active, await aif_supported(gateway.election_window()))
