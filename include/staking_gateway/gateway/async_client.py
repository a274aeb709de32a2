"""The asynchronous gateway client, over aiohttp."""

from __future__ import annotations

import asyncio
import itertools
import time
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

import aiohttp
from aiohttp.http_exceptions import ContentEncodingError

from staking_gateway import errors
from staking_gateway.gateway import calls
from staking_gateway.gateway.answers import Call, decode
from staking_gateway.gateway.methods import answered_methods, check_denial
from staking_gateway.gateway.token import SelfMadeToken
from staking_gateway.http.endpoint import HEADERS, Answer, Endpoint
from staking_gateway.http.meanings import asks_for_fewer_calls
from staking_gateway.http.network import proxy_for, tls_context
from staking_gateway.http.no_answer import (
    NoAnswer,
    broken,
    no_connection,
    refused_by_proxy,
    undecodable,
)
from staking_gateway.http.rate_limit import RATE_LIMITER
from staking_gateway.http.token import TokenSource, token_source

if TYPE_CHECKING:
    from typing import Self

    from staking_gateway.http.rate_limit import AsyncRateLimiter
    from staking_gateway.types import AccountId, ChainInfo, ElectionWindow, NonceKind, RequestState, StakingStatus

T = TypeVar("T")
_MOST_REFUSALS = 10
"""Refusals of a rate-limited call within one attempt."""


class AsyncGatewayClient:
    """A client of one gateway for one event loop, as an async context manager or with `close()`.

    It offers `ask` and the reads that wait or come in bulk, as `GatewayClient` does.

    :param base_url: the gateway's address, or an `Endpoint` that carries it with timeouts, retries and limits.
    :param token: issued access token, or a `TokenSource`.
    :param dialect: method names and paths, where a gateway spells them its own way.
    :param concurrency: most connections kept open at a time.
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
        # With trust_env, aiohttp would look up the proxy at every call, and use a .netrc.
        self._proxy = proxy_for(self.endpoint.base_url)
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
            timeouts = self.endpoint.timeouts
            is_plain = all((url or "http:").startswith("http:") for url in (self.endpoint.base_url, self._proxy))
            tls = True if is_plain else tls_context(self.endpoint.ca_bundle)
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=self._concurrency, ssl=tls),
                timeout=aiohttp.ClientTimeout(
                    total=timeouts.total, sock_connect=timeouts.connect, sock_read=timeouts.read
                ),
                headers=HEADERS,
                cookie_jar=aiohttp.DummyCookieJar(),
            )
        return self._session

    async def _repeated(self, call: Call[T]) -> T:
        limiter, policy = RATE_LIMITER.get(), self.endpoint.retry
        started = time.monotonic()
        try:
            # The retry controller costs more than a successful call.
            return await (self._read(call) if limiter is None else self._ask_limited(call, limiter))
        except errors.GatewayError as error:
            if limiter is not None:  # Time in the queue does not count.
                policy, started = replace(policy, total=limiter.rules.patience), time.monotonic()
            retry, failures = policy.remaining(error, started), [error]

        async def attempt() -> T:
            if failures:
                raise failures.pop()
            return await (self._read(call) if limiter is None else self._ask_until_accepted(call, limiter))

        return await retry.async_controller()(attempt)

    async def _ask_until_accepted(self, call: Call[T], limiter: AsyncRateLimiter) -> T:
        """One attempt. Refusals are not attempts, because the limiter has slowed down for them."""
        for _ in range(_MOST_REFUSALS):
            try:
                return await self._ask_limited(call, limiter, again=True)
            except errors.GatewayError as error:
                if not asks_for_fewer_calls(error) or limiter.rules.given_up is not None:
                    raise
        return await self._ask_limited(call, limiter, again=True)

    async def _ask_limited(self, call: Call[T], limiter: AsyncRateLimiter, *, again: bool = False) -> T:
        slowdowns = await limiter.acquire(again=again)
        try:
            answer = await self._read(call)
        except asyncio.CancelledError:
            limiter.cancelled()
            raise
        except BaseException as error:
            limiter.failed(slowdowns, error)
            raise
        limiter.answered()
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
            past_proxy = self._is_past_proxy(error)
            return no_connection(error.__cause__ or error, self.endpoint.base_url, self._proxy, past_proxy=past_proxy)
        if isinstance(error, TimeoutError):
            return NoAnswer(errors.Failed.TIMEOUT)
        return broken(error)

    def _is_past_proxy(self, error: Exception) -> bool:
        """Whether the proxy may have been reached. Errors of the way to the proxy name it; a time-out names nothing."""
        proxy = urlsplit(self._proxy or "")
        at_proxy = getattr(error, "host", None) == proxy.hostname and proxy.port in (None, getattr(error, "port", None))
        return not at_proxy


_NOT_CONNECTED = (
    aiohttp.ClientConnectorError,
    aiohttp.ClientConnectorCertificateError,
    aiohttp.ClientHttpProxyError,
    aiohttp.ConnectionTimeoutError,
    aiohttp.InvalidURL,
)
