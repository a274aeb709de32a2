"""Gateway clients that leave the questions for era, window and paid eras to a node of the chain."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from staking_gateway.errors import GatewayError
from staking_gateway.gateway.async_client import AsyncGatewayClient
from staking_gateway.gateway.capabilities import aif_supported, if_supported
from staking_gateway.gateway.client import GatewayClient
from staking_gateway.http.endpoint import is_transient
from staking_gateway.types import ElectionWindow

if TYPE_CHECKING:
    from staking_gateway.chain.reader import ChainReader
    from staking_gateway.chain.state import ChainState
    from staking_gateway.http.endpoint import Endpoint
    from staking_gateway.http.token import TokenSource

_log = logging.getLogger(__name__)


class ChainGatewayClient(GatewayClient):
    """A gateway client whose `active_era`, `election_window` and `pays_by_itself` are what a node tells.

    The window is open when either of node and gateway says so, and closed when nobody objects: a gateway that has no word for it
    does not count, but one that cannot be reached does, for it could have said "open", and nothing can be paid through it anyway.
    A node that cannot be reached fails the question with a `ChainError`. Nobody guesses. Beside the methods of a gateway client it has
    `era_paid`, which the node answers.

    :param node: reads the chain.
    """

    def __init__(
        self, base_url: str | Endpoint, token: str | TokenSource, *, node: ChainReader, **options: Any
    ) -> None:
        super().__init__(base_url, token, **options)
        self._node = node
        self._tell_once = _Once().tell

    def active_era(self) -> int:
        """Index of the running era, as the chain has it."""
        return self._node.state().active_era

    def election_window(self) -> ElectionWindow:
        """State of the election window: closed when the chain says so and the gateway does not object."""
        state = self._node.state()
        trouble = ""
        try:
            gateway = if_supported(super().election_window)
        except GatewayError as error:
            trouble, gateway = _unless_open(state, error), None
        verdict, doubt = _verdict(state, gateway)
        self._tell_once(trouble or doubt)
        return verdict

    def pays_by_itself(self) -> bool:
        """Whether the chain pays its stakers without being asked; then there is nothing to submit."""
        return self._node.state().pays_by_itself

    def era_paid(self, era: int | str) -> bool | None:
        """Whether nothing of an era is left to pay, from the chain; None when its storage does not show it. The gateway is not asked.

        :raises ChainError: the node cannot be read.
        """
        return self._node.era_paid(era)


class AsyncChainGatewayClient(AsyncGatewayClient):
    """`ChainGatewayClient` for an event loop; the node is asked in a thread.

    :param node: reads the chain.
    """

    def __init__(
        self, base_url: str | Endpoint, token: str | TokenSource, *, node: ChainReader, **options: Any
    ) -> None:
        super().__init__(base_url, token, **options)
        self._node = node
        self._tell_once = _Once().tell

    async def active_era(self) -> int:
        """Index of the running era, as the chain has it."""
        return (await asyncio.to_thread(self._node.state)).active_era

    async def election_window(self) -> ElectionWindow:
        """State of the election window: closed when the chain says so and the gateway does not object."""
        state = await asyncio.to_thread(self._node.state)
        trouble = ""
        try:
            gateway = await aif_supported(super().election_window())
        except GatewayError as error:
            trouble, gateway = _unless_open(state, error), None
        verdict, doubt = _verdict(state, gateway)
        self._tell_once(trouble or doubt)
        return verdict

    async def pays_by_itself(self) -> bool:
        """Whether the chain pays its stakers without being asked."""
        return (await asyncio.to_thread(self._node.state)).pays_by_itself

    async def era_paid(self, era: int | str) -> bool | None:
        """Whether nothing of an era is left to pay, from the chain; None when its storage does not show it. The gateway is not asked.

        :raises ChainError: the node cannot be read.
        """
        return await asyncio.to_thread(self._node.era_paid, era)


class _Once:
    """Logs a doubt when it arises, not at every question."""

    def __init__(self) -> None:
        self._told = ""

    def tell(self, doubt: str) -> None:
        if doubt and doubt != self._told:
            _log.warning("%s", doubt)
        self._told = doubt


def _unless_open(state: ChainState, error: GatewayError) -> str:
    """A gateway that cannot answer just now changes nothing while the node says that the window is open."""
    if state.window is not ElectionWindow.OPEN or not is_transient(error):
        raise error
    return f"The gateway did not tell the election window, which the node says is open: {error}"


def _verdict(state: ChainState, gateway: ElectionWindow | None) -> tuple[ElectionWindow, str]:
    """The window's state, and what is to be said about it."""
    if gateway is None or gateway is state.window:
        return state.window, state.remark
    says = f"the node says the election window is {state.window} ({state.phase or 'the runtime has none'})"
    return ElectionWindow.OPEN, "; ".join(
        word for word in (state.remark, f"{says}, the gateway says {gateway}; taken as open") if word
    )
