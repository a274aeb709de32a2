"""What engine, plan, page and doctor see of a network: its gateway, and a node of its chain if there is one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar
from urllib.parse import urlsplit

from staking_gateway.errors import Failed, GatewayError
from staking_gateway.types import AccountId, ChainInfo, ElectionWindow, NonceKind, RequestState

if TYPE_CHECKING:
    from staking_gateway.chain.reader import ChainReader

T = TypeVar("T")


class Client(Protocol):
    """The calls that pay an era, as `GatewayClient` describes them. Any object with these methods will do."""

    def payout_stakers(self, *args: Any, **payload: Any) -> str: ...
    def active_era(self) -> int: ...
    def election_window(self) -> ElectionWindow: ...
    def pays_by_itself(self) -> bool: ...
    def nonce(self, account: AccountId, kind: NonceKind) -> int: ...
    def relayer_fee(self, relayer: AccountId, payer: AccountId) -> int: ...
    def request_state(self, request_id: str) -> RequestState: ...


class Gateway(AbstractContextManager["Gateway"]):
    """A gateway, and a node of its chain if there is one: then era, window and paid eras come from the node, or the read raises a `ChainError`.

    The window is open when the node or the gateway reports it open. A gateway without the method is ignored.

    :ivar base_url: the gateway's address; empty for an object without one.
    :ivar is_remote: the gateway is on another machine: then nothing is signed without limits of fees.
    """

    def __init__(self, client: Client, node: ChainReader | None = None) -> None:
        from staking_gateway.gateway.client import GatewayClient
        from staking_gateway.http.endpoint import is_loopback

        self._http = client if isinstance(client, GatewayClient) else None
        self.client = client
        self.node = node
        self.payout_stakers, self.nonce = client.payout_stakers, client.nonce
        self.relayer_fee, self.request_state = client.relayer_fee, client.request_state
        self.base_url = "" if self._http is None else self._http.base_url
        self.is_remote = bool(self.base_url) and not is_loopback(urlsplit(self.base_url).hostname or "")

    def report_errors(self, to: Callable[[GatewayError], None]) -> None:
        """Call `to` with the error of each failed call, before it is raised."""
        if self._http is not None:
            self._http.on_error = to

    @classmethod
    def of(cls, gateway: Client | Gateway) -> Gateway:
        """A gateway of any client."""
        return gateway if isinstance(gateway, Gateway) else cls(gateway)

    def active_era(self) -> int:
        """Index of the running era."""
        state = self._of_node(lambda node: node.state())
        return self.client.active_era() if state is None else state.active_era

    def election_window(self) -> ElectionWindow:
        """State of the election window."""
        state = self._of_node(lambda node: node.state())
        if state is None:
            return self.client.election_window()
        if state.window is ElectionWindow.OPEN:
            return state.window
        return if_supported(self.client.election_window) or state.window

    def pays_by_itself(self) -> bool:
        """Whether the chain pays its stakers by itself; then there is nothing to submit."""
        state = self._of_node(lambda node: node.state())
        return self.client.pays_by_itself() if state is None else state.pays_by_itself

    def era_paid(self, era: int) -> bool | None:
        """Whether nothing of an era is unpaid, from the node; None without one, or when its storage does not show it."""
        return self._of_node(lambda node: node.era_paid(era))

    def genesis_hash(self) -> str | None:
        """The hash of the chain's first block, from the node; None without one."""
        return self._of_node(lambda node: node.identity().genesis_hash)

    def chain_info(self, *, strict: bool = False) -> ChainInfo | None:
        """Name and version of the chain, from the gateway; None when it does not report them. With `strict`, a test of the connection, a path that the
        server does not have is an error.
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

    def close(self) -> None:
        if self._http is not None:
            self._http.close()

    def __exit__(self, *raised: object) -> None:
        self.close()

    def _of_node(self, read: Callable[[ChainReader], T]) -> T | None:
        """What the node says; None without one. Its errors are reported like those of the gateway, which is the cause if it is away too."""
        try:
            return None if self.node is None else read(self.node)
        except GatewayError as error:
            if self._http is not None:
                self._http.on_error(error)
            if error.how is Failed.NODE_UNREACHABLE:
                if_supported(self.client.election_window)
            raise


def if_supported(read: Callable[[], T]) -> T | None:
    """The result of a read, or None when the gateway has no such method."""
    try:
        return read()
    except GatewayError as error:
        if error.how.denies_method:
            return None
        raise


async def aif_supported(read: Awaitable[T]) -> T | None:
    """`if_supported` for an asynchronous read."""
    try:
        return await read
    except GatewayError as error:
        if error.how.denies_method:
            return None
        raise


@dataclass(frozen=True)
class Readiness:
    """Whether an era may be paid now. A fact that was not read, or that the gateway does not report, delays no payout: the call checks it."""

    era: int | None
    active: int | None = None
    window: ElectionWindow | None = None

    @property
    def is_active(self) -> bool:
        """Whether the gateway reports that the era has not ended."""
        return self.era is not None and self.active is not None and self.active <= self.era

    @property
    def ready(self) -> bool:
        return not self.is_active and self.window is not ElectionWindow.OPEN

    @property
    def message(self) -> str:
        """The facts, for a log."""
        found = [f"era {self.era} has not ended"] if self.is_active else []
        found += [] if self.active is None else [f"era {self.active} is active"]
        found += [] if self.window is None else [f"the election window is {self.window}"]
        return ", ".join(found) or "this gateway reports neither era nor window"


async def readiness(gateway: Any, *, era: int | None = None, window: bool = True) -> Readiness:
    """Read era and window once, as `Gateway` does. The window is not read while the era is active.

    :param gateway: an `AsyncGatewayClient`; its node is read in a thread.
    :param era: the era to be paid; None reads the window alone, unless `window` is false.
    """
    active, node = None, None if gateway.node is None else await asyncio.to_thread(gateway.node.state)
    if era is not None:
        active = await aif_supported(gateway.active_era()) if node is None else node.active_era
    found = Readiness(era, active)
    if not window or found.is_active:
        return found
    told = None if node is None else node.window
    if told is not ElectionWindow.OPEN:
        told = await aif_supported(gateway.election_window()) or told
    return Readiness(era, active, told)
