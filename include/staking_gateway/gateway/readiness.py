"""Whether an era may be paid now: the chain has left it, and the election window is closed.

Several who wait for different eras of one chain can share what a gateway told: one asks with `alook`, each judges for itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from staking_gateway.gateway.capabilities import aif_supported, if_supported
from staking_gateway.types import ElectionWindow

if TYPE_CHECKING:
    from collections.abc import Iterable

    from staking_gateway.gateway.async_client import AsyncGatewayClient
    from staking_gateway.gateway.client import GatewayClient


@dataclass(frozen=True)
class Wanted:
    """What somebody waits for.

    :param era: the era to be paid; None asks for the window alone.
    :param window: whether the election window matters.
    """

    era: int | None = None
    window: bool = True

    def needs_window(self, active: int | None) -> bool:
        """Whether the window has a say yet: not while the era runs."""
        return self.window and not self.still_runs(active)

    def still_runs(self, active: int | None) -> bool:
        """Whether the era has not ended, as far as the gateway tells."""
        return self.era is not None and active is not None and active <= self.era


@dataclass(frozen=True)
class Look:
    """What a gateway told, all of it asked for within one look.

    :param active: the active era; None when it was not asked for, or this gateway does not tell.
    :param window: state of the window, likewise.
    :param asked_era: whether the active era was asked for; `asked_window` likewise.
    """

    active: int | None = None
    window: ElectionWindow | None = None
    asked_era: bool = False
    asked_window: bool = False


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
    wanted = Wanted(era, window)
    active = if_supported(client.active_era) if era is not None else None
    needs_window = wanted.needs_window(active)
    state = if_supported(client.election_window) if needs_window else None
    return judge(wanted, Look(active, state, era is not None, needs_window))


async def areadiness(client: AsyncGatewayClient, *, era: int | None = None, window: bool = True) -> Readiness:
    """`readiness` over the asynchronous client."""
    wanted = Wanted(era, window)
    return judge(wanted, await alook(client, [wanted]))


async def alook(client: AsyncGatewayClient, wanted: Iterable[Wanted]) -> Look:
    """Ask once, on behalf of several, for what at least one of them needs to know.

    :raises GatewayError: the gateway did not answer properly.
    """
    wanted = tuple(wanted)
    asks_era = any(one.era is not None for one in wanted)
    active = await aif_supported(client.active_era()) if asks_era else None
    asks_window = any(one.needs_window(active) for one in wanted)
    window = await aif_supported(client.election_window()) if asks_window else None
    return Look(active, window, asks_era, asks_window)


def judge(wanted: Wanted, look: Look) -> Readiness:
    """What a look means for somebody.

    What the gateway does not tell does not hold a payout back: then only the payout call itself can find out. What the look did
    not ask for does, as it does when the look began before this one had come.
    """
    if wanted.still_runs(look.active):
        return Readiness(False, f"era {wanted.era} has not ended, era {look.active} is active")
    if (wanted.era is not None and not look.asked_era) or (wanted.window and not look.asked_window):
        return Readiness(False, "not asked yet")
    if wanted.window and look.window is ElectionWindow.OPEN:
        return Readiness(False, "the election window is open")
    told = [f"era {look.active} is active"] if wanted.era is not None and look.active is not None else []
    told += ["the election window is closed"] if wanted.window and look.window is ElectionWindow.CLOSED else []
    return Readiness(True, ", ".join(told) or "this gateway tells neither era nor window")
