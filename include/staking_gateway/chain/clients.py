"""Gateway clients that read era, election window and paid eras from a node of the chain."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from staking_gateway.errors import GatewayError
from staking_gateway.gateway.async_client import AsyncGatewayClient
from staking_gateway.gateway.capabilities import aif_supported, if_supported
from staking_gateway.gateway.client import GatewayClient
from staking_gateway.http.meanings import is_transient
from staking_gateway.types import ElectionWindow

if TYPE_CHECKING:
    from staking_gateway.chain.reader import ChainReader
    from staking_gateway.chain.state import ChainState
    from staking_gateway.http.endpoint import Endpoint
    from staking_gateway.http.token import TokenSource
    from staking_gateway.text import Token

_log = logging.getLogger(__name__)


class ChainGatewayClient(GatewayClient):
    """A gateway client whose `active_era`, `election_window`, `pays_by_itself` and `era_paid` come from a node.

    The window is open when the node or the gateway reports it open. A gateway without the method is ignored. A gateway that cannot be
    reached fails the read unless the node reports the window open. A node that cannot be reached fails the read with a `ChainError`.

    :param node: reads the chain.
    """

    def __init__(
        self, base_url: str | Endpoint, token: str | TokenSource, *, node: ChainReader, **options: Any
    ) -> None:
        super().__init__(base_url, token, **options)
        self._node = node
        self._warn_once = _OnceLogger().warn

    @property
    def node(self) -> ChainReader:
        """Reads the chain."""
        return self._node

    def active_era(self) -> int:
        """Index of the running era, from the chain."""
        return self._state().active_era

    def election_window(self) -> ElectionWindow:
        """State of the election window: open when the chain or the gateway reports it open."""
        state = self._state()
        failure = ""
        try:
            gateway = if_supported(super().election_window)
        except GatewayError as error:
            failure, gateway = _unless_open(state, error), None
        window, remark = _combined(state, gateway)
        self._warn_once(failure or remark)
        return window

    def pays_by_itself(self) -> bool:
        """Whether the chain pays its stakers by itself; then there is nothing to submit."""
        return self._state().pays_by_itself

    def era_paid(self, era: int | str) -> bool | None:
        """Whether nothing of an era is unpaid, from the chain; None when its storage does not show it.

        :raises ChainError: the node cannot be read.
        """
        with self._reporting():
            return self._node.era_paid(era)

    def genesis_hash(self) -> str:
        """The hash of the chain's first block: its identity.

        :raises ChainError: the node cannot be read.
        """
        with self._reporting():
            return self._node.identity().genesis_hash

    def token(self) -> Token | None:
        """The chain's token; None when the node names none.

        :raises ChainError: the node cannot be read.
        """
        with self._reporting():
            return self._node.token()

    def _state(self) -> ChainState:
        with self._reporting():
            return self._node.state()


class AsyncChainGatewayClient(AsyncGatewayClient):
    """`ChainGatewayClient` for an event loop; a thread reads the node.

    :param node: reads the chain.
    """

    def __init__(
        self, base_url: str | Endpoint, token: str | TokenSource, *, node: ChainReader, **options: Any
    ) -> None:
        super().__init__(base_url, token, **options)
        self._node = node
        self._warn_once = _OnceLogger().warn

    async def active_era(self) -> int:
        """Index of the running era, from the chain."""
        return (await asyncio.to_thread(self._node.state)).active_era

    async def election_window(self) -> ElectionWindow:
        """State of the election window: open when the chain or the gateway reports it open."""
        state = await asyncio.to_thread(self._node.state)
        failure = ""
        try:
            gateway = await aif_supported(super().election_window())
        except GatewayError as error:
            failure, gateway = _unless_open(state, error), None
        window, remark = _combined(state, gateway)
        self._warn_once(failure or remark)
        return window

    async def pays_by_itself(self) -> bool:
        """Whether the chain pays its stakers by itself."""
        return (await asyncio.to_thread(self._node.state)).pays_by_itself

    async def era_paid(self, era: int | str) -> bool | None:
        """Whether nothing of an era is unpaid, from the chain; None when its storage does not show it."""
        return await asyncio.to_thread(self._node.era_paid, era)


def node_of(client: object) -> ChainReader | None:
    """The node that a client reads; None for one without a node."""
    node: ChainReader | None = getattr(client, "node", None)
    return node


class _OnceLogger:
    """Logs a warning when its text changes, not at every read."""

    def __init__(self) -> None:
        self._last = ""

    def warn(self, text: str) -> None:
        if text and text != self._last:
            _log.warning("%s", text)
        self._last = text


def _unless_open(state: ChainState, error: GatewayError) -> str:
    """A warning about a transient error of the gateway, when the node reports the window open; other errors are raised."""
    if state.window is not ElectionWindow.OPEN or not is_transient(error):
        raise error
    return f"The gateway did not report the election window, and the node reports it open: {error}"


def _combined(state: ChainState, gateway: ElectionWindow | None) -> tuple[ElectionWindow, str]:
    if gateway is None or gateway is state.window:
        return state.window, state.remark
    node = f"the node says the election window is {state.window} ({state.phase or 'the runtime has none'})"
    difference = f"{node}, the gateway says {gateway}; taken as open"
    return ElectionWindow.OPEN, f"{state.remark}; {difference}" if state.remark else difference
