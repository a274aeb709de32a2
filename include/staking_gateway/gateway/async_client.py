"""The asynchronous gateway client, over aiohttp."""

from __future__ import annotations

import asyncio
import itertools
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import aiohttp
from aiohttp.http_exceptions import ContentEncodingError

from staking_gateway import errors
from staking_gateway.gateway import calls
from staking_gateway.gateway.answers import Call, decode
from staking_gateway.gateway.methods import answered_methods, check_denial
from staking_gateway.gateway.token import SelfMadeToken
from staking_gateway.http.endpoint import Endpoint
from staking_gateway.http.network import way_to
from staking_gateway.http.session import (
    HEADERS,
    Answer,
    NoAnswer,
    broken,
    no_connection,
    refused_by_proxy,
    undecodable,
)
from staking_gateway.http.token import TokenSource, token_source

if TYPE_CHECKING:
    from typing import Self

    from staking_gateway.http.pace import Pace
    from staking_gateway.types import AccountId, ChainInfo, ElectionWindow, NonceKind, RequestState, StakingStatus

T = TypeVar("T")
_NOT_CONNECTED = (
    aiohttp.ClientConnectorError,
    aiohttp.ClientConnectorCertificateError,
    aiohttp.ClientHttpProxyError,
    aiohttp.ConnectionTimeoutError,
    aiohttp.InvalidURL,
)


class AsyncGatewayClient:
    """A client of one gateway for one event loop, as an async context manager or with `close()`.

    It offers `ask` and the reads that wait or come in bulk, as `GatewayClient` does.

    :param base_url: the gateway's address, or an `Endpoint` that carries it with timeouts, retries and limits.
    :param token: issued access token, or a `TokenSource`.
    :param dialect: method names and paths, where a gateway spells them its own way.
    :param concurrency: most connections kept open at a time.
    :ivar pace: the pace of all reads; None for no limit.
    """

    def __init__(
        self,
        base_url: str | Endpoint,
        token: str | TokenSource,
        *,
        dialect: calls.Dialect | None = None,
        concurrency: int = 64,
    ) -> None:
        self.endpoint = base_url if isinstance(base_url, Endpoint) else Endpoint(base_url)
        self.dialect = dialect or calls.Dialect()
        self._token = token_source(token)
        self._answered = answered_methods(self.endpoint.base_url)
        self._ids = itertools.count(1)
        self._concurrency = concurrency
        self.pace: Pace | None = None
        # With trust_env, aiohttp would look up the proxy at every call, and use a .netrc.
        self._proxy, self._tls = way_to(self.endpoint.base_url, self.endpoint.ca_bundle)
        self._session: aiohttp.ClientSession | None = None

    @property
    def base_url(self) -> str:
        """The gateway's address."""
        return self.endpoint.base_url

    async def ask(self, call: Call[T]) -> T:
        """The result of a call.

        :raises GatewayError: as `GatewayClient.ask`.
        """
        try:
            return await (self._repeated(call) if call.repeatable else self._send(call))
        except errors.GatewayError as error:
            value = None if call.instead is None else call.instead(error)
            if value is None:
                raise
            return value

    async def staking_status(self, account: str | AccountId) -> StakingStatus:
        """Whether an account (SS58 address or 0x public key) is staking."""
        return await self.ask(calls.staking_status(account))

    async def active_era(self) -> int:
        """Index of the running era."""
        return await self.ask(calls.active_era())

    async def election_window(self) -> ElectionWindow:
        """State of the era election window."""
        return await self.ask(calls.election_window())

    async def nonce(self, account: str | AccountId, kind: NonceKind | str) -> int:
        """Next unused nonce of an account, `staking` or `payment`."""
        return await self.ask(calls.nonce(account, kind))

    async def relayer_fee(self, relayer: str | AccountId, payer: str | AccountId) -> int:
        """Fee of one payout, in the smallest unit."""
        return await self.ask(calls.relayer_fee(relayer, payer, payout_method=self.dialect.payout_method))

    async def request_state(self, request_id: str) -> RequestState:
        """State of a submitted payout; `RequestStatus.UNREADABLE` when the answer holds none."""
        return await self.ask(calls.request_state(request_id))

    async def chain_info(self) -> ChainInfo:
        """Name and version of the chain."""
        return await self.ask(calls.chain_info())

    async def close(self) -> None:
        """Close the kept-alive connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self.close()

    def _connected(self) -> aiohttp.ClientSession:
        if self._session is None:
            limits = self.endpoint.timeouts
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=self._concurrency, ssl=self._tls or True),
                timeout=aiohttp.ClientTimeout(total=limits.total, sock_connect=limits.connect, sock_read=limits.read),
                headers=HEADERS,
                cookie_jar=aiohttp.DummyCookieJar(),
            )
        return self._session

    async def _repeated(self, call: Call[T]) -> T:
        read = self._read if self.pace is None else partial(self.pace.call, self._read)
        answer: T = await self.endpoint.retry.acall(read, call)
        return answer

    async def _read(self, call: Call[T]) -> T:
        try:
            return await self._send(call)
        except errors.GatewayError as error:
            check_denial(error, self._answered)
            return await self._send(call)

    async def _current_token(self) -> str:
        if isinstance(self._token, SelfMadeToken) and not self._token.is_fresh:
            # A remote signer must not block the event loop.
            return await asyncio.to_thread(self._token.value)
        return self._token.value()

    async def _send(self, call: Call[T]) -> T:
        request_id = next(self._ids)
        token = await self._current_token()
        try:
            async with self._connected().post(
                self.endpoint.url(getattr(self.dialect, call.path)),
                data=call.body(request_id),
                headers={"Authorization": f"bearer {token}"},
                allow_redirects=False,
                proxy=self._proxy,
            ) as response:
                if response.status == 407 and self._proxy:
                    raise refused_by_proxy(self._proxy, 407)
                body = await self._read_body(response, call.method)
                answered = Answer(response.status, body, response.headers)
        except (TimeoutError, aiohttp.ClientError, OSError, NoAnswer) as error:
            raise self._failed(call.method, error) from None
        answer = decode(call, request_id, answered, token=token)
        self._answered.add(call.method)
        return answer

    async def _read_body(self, response: aiohttp.ClientResponse, method: str) -> bytes:
        limit = self.endpoint.max_response_bytes
        length, headers = response.content_length, response.headers
        # Then the answer cannot be longer, and one read is faster.
        is_bounded = "Content-Encoding" not in headers and "Transfer-Encoding" not in headers
        if length is not None and length <= limit and is_bounded:
            return await response.content.read()
        body = bytearray()
        async for piece in response.content.iter_any():
            body += piece
            if len(body) > limit:
                raise errors.GatewayError(
                    f"the answer is longer than {limit} bytes", method=method, how=errors.Failed.TOO_LONG
                )
        return bytes(body)

    def _failed(self, method: str, error: Exception) -> errors.GatewayError:
        found = error if isinstance(error, NoAnswer) else self._failure(error)
        return errors.call_failed(found.how, found.facts, method=method, remedy=found.remedy)

    def _failure(self, error: Exception) -> NoAnswer:
        if isinstance(error.__cause__, ContentEncodingError):
            return undecodable()
        if isinstance(error, _NOT_CONNECTED):
            return no_connection(error.__cause__ or error, self.endpoint.base_url, self._proxy)
        return NoAnswer(errors.Failed.TIMEOUT) if isinstance(error, TimeoutError) else broken(error)
