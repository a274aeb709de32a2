"""What engine, plan, page and doctor see of a network: its gateway, and a node of its chain if there is one."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from staking_gateway.errors import Failed, GatewayError, may_pass
from staking_gateway.gateway.methods import aif_supported, if_supported
from staking_gateway.types import ElectionWindow

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from staking_gateway.gateway.async_client import AsyncGatewayClient
    from staking_gateway.text import Token
    from staking_gateway.types import AccountId, ChainInfo, NonceKind, RequestState

T = TypeVar("T")
_log = logging.getLogger(__name__)


class Client(Protocol):
    """The calls that pay an era. `GatewayClient` has them, and any object with these methods will do."""

    def payout_stakers(
        self,
        *,
        relayer: AccountId,
        user: AccountId,
        payer: AccountId,
        era: int,
        proxy_signature: str,
        fee_payment_signature: str,
        payment_nonce: int,
    ) -> str:
        """Send once."""

    def active_era(self) -> int:
        """Index of the running era."""

    def election_window(self) -> ElectionWindow:
        """State of the window."""

    def pays_by_itself(self) -> bool:
        """Whether the chain pays its stakers without being asked."""

    def nonce(self, account: AccountId, kind: NonceKind) -> int:
        """Next unused nonce."""

    def relayer_fee(self, relayer: AccountId, payer: AccountId) -> int:
        """Fee in the smallest unit."""

    def request_state(self, request_id: str) -> RequestState:
        """State of a request."""


class NodeState(Protocol):
    """The chain at one block; `remark` is a warning, or empty."""

    @property
    def active_era(self) -> int: ...
    @property
    def window(self) -> ElectionWindow: ...
    @property
    def phase(self) -> str | None: ...
    @property
    def pays_by_itself(self) -> bool: ...
    @property
    def pays_in_election(self) -> bool: ...
    @property
    def remark(self) -> str: ...


class Node(Protocol):
    """The reads of a node of the chain; `ChainReader` has them."""

    def state(self) -> NodeState:
        """Era and window."""

    def era_paid(self, era: int) -> bool | None:
        """Whether nothing of an era is unpaid; None when the storage does not show it."""

    def identity(self) -> Any:
        """The chain; `genesis_hash` is the hash of its first block."""

    def token(self) -> Token | None:
        """The chain's token; None when the node names none."""


class Gateway:
    """A gateway, and a node of its chain if there is one: then era, window and paid eras come from the node.

    The window is open when the gateway reports it open, or when the node does and the runtime refuses payouts in an election. A gateway
    without the method is ignored. A gateway that cannot be reached fails the read unless the node reports the window open. A node that
    cannot be read fails the read with a `ChainError`.

    :param client: asks the gateway.
    :param node: reads the chain.
    :param remote: the gateway is on another machine: then nothing is signed without limits of fees. None: as its address says; an object
        without an address is in this process.
    """

    def __init__(self, client: Client, node: Node | None = None, *, remote: bool | None = None) -> None:
        from staking_gateway.gateway.client import GatewayClient

        self._http = client if isinstance(client, GatewayClient) else None
        self.client = client
        self.node = node
        self.is_remote = self._http is not None and not self._http.endpoint.is_local if remote is None else remote
        self._judge = _WindowJudge()

    def report_errors(self, to: Callable[[GatewayError], None]) -> None:
        """Call `to` with the error of each failed call, before it is raised."""
        if self._http is not None:
            self._http.on_error = to

    @classmethod
    def of(cls, gateway: Client | Gateway) -> Gateway:
        """The gateway itself, or a client as a gateway without a node."""
        return gateway if isinstance(gateway, Gateway) else cls(gateway)

    def payout_stakers(self, **payload: Any) -> str:
        """Send a payout once."""
        return self.client.payout_stakers(**payload)

    def nonce(self, account: AccountId, kind: NonceKind) -> int:
        """Next unused nonce, from the gateway."""
        return self.client.nonce(account, kind)

    def relayer_fee(self, relayer: AccountId, payer: AccountId) -> int:
        """Fee of one payout in the smallest unit, from the gateway."""
        return self.client.relayer_fee(relayer, payer)

    def request_state(self, request_id: str) -> RequestState:
        """State of a submitted payout, from the gateway."""
        return self.client.request_state(request_id)

    def active_era(self) -> int:
        """Index of the running era."""
        return self.client.active_era() if self.node is None else self._told(self.node.state).active_era

    def election_window(self) -> ElectionWindow:
        """State of the election window."""
        if self.node is None:
            return self.client.election_window()
        self._judge.state = self._told(self.node.state)
        try:
            return self._judge.by(if_supported(self.client.election_window))
        except GatewayError as error:
            return self._judge.without(error)

    def pays_by_itself(self) -> bool:
        """Whether the chain pays its stakers by itself; then there is nothing to submit."""
        return self.client.pays_by_itself() if self.node is None else self._told(self.node.state).pays_by_itself

    def era_paid(self, era: int) -> bool | None:
        """Whether nothing of an era is unpaid, from the node; None without one, or when its storage does not show it."""
        node = self.node
        return None if node is None else self._told(lambda: node.era_paid(era))

    def genesis_hash(self) -> str | None:
        """The hash of the chain's first block, from the node; None without one."""
        return None if self.node is None else self._told(self.node.identity).genesis_hash

    def token(self) -> Token | None:
        """The chain's token, from the node; None without one, or when the node names none."""
        return None if self.node is None else self._told(self.node.token)

    def chain_info(self, *, strict: bool = False) -> ChainInfo | None:
        """Name and version of the chain, from the gateway; None when it does not report them.

        :param strict: a path that the server does not have is an error: a test of the connection.
        """
        try:
            return None if self._http is None else self._http.chain_info()
        except GatewayError as error:
            if error.how is Failed.NO_METHOD or (error.how.denies_method and not strict):
                return None
            raise

    def free_balance(self, account: AccountId) -> int | None:
        """Spendable balance of an account, from the gateway; None when it does not report it."""
        http = self._http
        return None if http is None else if_supported(lambda: http.free_balance(account))

    @property
    def base_url(self) -> str:
        """The gateway's address; empty for an object without one."""
        return "" if self._http is None else self._http.base_url

    def close(self) -> None:
        """Close the kept-alive connections."""
        if self._http is not None:
            self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def _told(self, read: Callable[[], T]) -> T:
        """What the node says. Its errors are reported like those of the gateway."""
        try:
            return read()
        except GatewayError as error:
            if self._http is not None and self._http.on_error is not None:
                self._http.on_error(error)
            raise


class AsyncGateway:
    """`Gateway` for an event loop, as far as triggers wait for it; a thread reads the node."""

    def __init__(self, client: AsyncGatewayClient, node: Node | None = None) -> None:
        self.client = client
        self.node = node
        self._judge = _WindowJudge()

    async def active_era(self) -> int:
        """Index of the running era."""
        if self.node is None:
            return await self.client.active_era()
        return (await asyncio.to_thread(self.node.state)).active_era

    async def election_window(self) -> ElectionWindow:
        """State of the election window."""
        if self.node is None:
            return await self.client.election_window()
        self._judge.state = await asyncio.to_thread(self.node.state)
        try:
            return self._judge.by(await aif_supported(self.client.election_window()))
        except GatewayError as error:
            return self._judge.without(error)

    async def request_state(self, request_id: str) -> RequestState:
        """State of a submitted payout, from the gateway."""
        return await self.client.request_state(request_id)

    async def close(self) -> None:
        """Close the kept-alive connections."""
        await self.client.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self.close()


class _WindowJudge:
    """The window by the words of node and gateway. A warning is logged when its text changes, not at every read.

    :ivar state: the chain, by the node.
    """

    state: NodeState

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
        if self._by_node() is not ElectionWindow.OPEN or not may_pass(error):
            raise error
        self._warn(f"The gateway did not report the election window, and the node reports it open: {error}")
        return ElectionWindow.OPEN

    def _by_node(self) -> ElectionWindow:
        return ElectionWindow.CLOSED if self.state.pays_in_election else self.state.window

    def _warn(self, text: str) -> None:
        if text and text != self._warned:
            _log.warning("%s", text)
        self._warned = text
