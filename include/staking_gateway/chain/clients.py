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
    from staking_gateway.chain.runtime import ChainState
    from staking_gateway.http.endpoint import Endpoint
    from staking_gateway.http.token import TokenSource
    from staking_gateway.text import Token

_log = logging.getLogger(__name__)


class ChainGatewayClient(GatewayClient):
    """A gateway client whose `active_era`, `election_window`, `pays_by_itself` and `era_paid` come from a node.

    The window is open when the gateway reports it open, or when the node does and the runtime refuses payouts in an election. A gateway
    without the method is ignored. A gateway that cannot be reached fails the read unless the node reports the window open. A node that
    cannot be read fails the read with a `ChainError`.

    :param node: reads the chain.
    """

    def __init__(
        self, base_url: str | Endpoint, token: str | TokenSource, *, node: ChainReader, **options: Any
    ) -> None:
        super().__init__(base_url, token, **options)
        self.node = node
        self._judge = _WindowJudge()

    def active_era(self) -> int:
        """Index of the running era."""
        return self._state().active_era

    def election_window(self) -> ElectionWindow:
        """State of the election window."""
        self._judge.state = self._state()
        try:
            return self._judge.by(if_supported(super().election_window))
        except GatewayError as error:
            return self._judge.without(error)

    def pays_by_itself(self) -> bool:
        """Whether the chain pays its stakers by itself; then there is nothing to submit."""
        return self._state().pays_by_itself

    def era_paid(self, era: int | str) -> bool | None:
        """Whether nothing of an era is unpaid; None when the chain's storage does not show it."""
        with self._reporting():
            return self.node.era_paid(era)

    def genesis_hash(self) -> str:
        """The hash of the chain's first block: its identity."""
        with self._reporting():
            return self.node.identity().genesis_hash

    def token(self) -> Token | None:
        """The chain's token; None when the node names none."""
        with self._reporting():
            return self.node.token()

    def _state(self) -> ChainState:
        with self._reporting():
            return self.node.state()


class AsyncChainGatewayClient(AsyncGatewayClient):
    """`ChainGatewayClient` for an event loop; a thread reads the node.

    :param node: reads the chain.
    """

    def __init__(
        self, base_url: str | Endpoint, token: str | TokenSource, *, node: ChainReader, **options: Any
    ) -> None:
        super().__init__(base_url, token, **options)
        self._node = node
        self._judge = _WindowJudge()

    async def active_era(self) -> int:
        """Index of the running era."""
        return (await asyncio.to_thread(self._node.state)).active_era

    async def election_window(self) -> ElectionWindow:
        """State of the election window."""
        self._judge.state = await asyncio.to_thread(self._node.state)
        try:
            return self._judge.by(await aif_supported(super().election_window()))
        except GatewayError as error:
            return self._judge.without(error)

    async def pays_by_itself(self) -> bool:
        """Whether the chain pays its stakers by itself."""
        return (await asyncio.to_thread(self._node.state)).pays_by_itself

    async def era_paid(self, era: int | str) -> bool | None:
        """Whether nothing of an era is unpaid; None when the chain's storage does not show it."""
        return await asyncio.to_thread(self._node.era_paid, era)


def node_of(client: object) -> ChainReader | None:
    """The node that a client reads; None for one without a node."""
    node: ChainReader | None = getattr(client, "node", None)
    return node


class _WindowJudge:
    """The window by the words of node and gateway. A warning is logged when its text changes, not at every read.

    :ivar state: the chain, by the node.
    """

    state: ChainState

    def __init__(self) -> None:
        self._warned = ""

    def by(self, gateway: ElectionWindow | None) -> ElectionWindow:
        """The window; `gateway` is the gateway's word, None when it has none."""
        node, remark = self._by_node(), self.state.remark
        if gateway is None or gateway is node:
            self._warn(remark)
            return node
        phase = self.state.phase or "the runtime has none"
        difference = f"the node says the election window is {node} ({phase}), the gateway says {gateway}; taken as open"
        self._warn(f"{remark}; {difference}" if remark else difference)
        return ElectionWindow.OPEN

    def without(self, error: GatewayError) -> ElectionWindow:
        """The window when the gateway failed.

        :raises GatewayError: `error`, unless it may pass and the node reports the window open.
        """
        if self._by_node() is not ElectionWindow.OPEN or not is_transient(error):
            raise error
        self._warn(f"The gateway did not report the election window, and the node reports it open: {error}")
        return ElectionWindow.OPEN

    def _by_node(self) -> ElectionWindow:
        return ElectionWindow.CLOSED if self.state.pays_in_election else self.state.window

    def _warn(self, text: str) -> None:
        if text and text != self._warned:
            _log.warning("%s", text)
        self._warned = text
