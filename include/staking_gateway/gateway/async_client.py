"""The asynchronous gateway client, over aiohttp, and the pace of its calls."""

import asyncio
import copy
import logging
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import aiohttp

from staking_gateway.errors import Failed, GatewayError
from staking_gateway.gateway.calls import Call, Dialect
from staking_gateway.gateway.client import Caller, SelfMadeToken
from staking_gateway.http.endpoint import Endpoint, TokenSource, way_to
from staking_gateway.http.foreign_text import GATEWAY_ANSWER_BYTES
from staking_gateway.http.session import HEADERS, Answer, no_answer, no_connection

if TYPE_CHECKING:
    from staking_gateway.chain.reader import ChainReader

A = TypeVar("A")
T = TypeVar("T")
PATIENCE = 300.0
"""Seconds without an answer, or in `Retry-After`, after which a check gives up."""
_NOT_CONNECTED = (
    aiohttp.ClientConnectorError,
    aiohttp.ClientHttpProxyError,
    aiohttp.ConnectionTimeoutError,
    aiohttp.InvalidURL,
)
_OUTAGES = (Failed.UNREACHABLE, Failed.TIMEOUT, Failed.BROKEN, Failed.FAILED, Failed.TOO_MANY)
_OVERLOADED = (429, 503)
_log = logging.getLogger(__name__)


class AsyncGatewayClient(Caller, AbstractAsyncContextManager["AsyncGatewayClient"]):
    """The calls and reads of `GatewayClient` for one event loop, as an async context manager or with `close()`.

    :param node: of the chain, for `readiness`.
    :ivar pace: the pace of all reads; None for no limit.
    """

    def __init__(
        self,
        base_url: str | Endpoint,
        token: str | TokenSource,
        *,
        dialect: Dialect | None = None,
        node: "ChainReader | None" = None,
    ) -> None:
        super().__init__(base_url, token, dialect=dialect)
        self.node = node
        self.pace: Pace | None = None
        # With trust_env, aiohttp would look up the proxy at every call, and use a .netrc.
        self._proxy, self._tls = way_to(self.base_url, self.endpoint.ca_bundle)
        self._session: aiohttp.ClientSession | None = None

    async def ask(self, call: Call[T]) -> T:
        """The result of a call; errors as `GatewayClient.ask`."""
        if not call.repeatable:
            return await self._send(call)
        read = self._send if self.pace is None else partial(self.pace.call, self._send)
        try:
            answer: T = await self.endpoint.retry.acall(read, call)
        except GatewayError as error:
            if error.how is not Failed.OTHER_SPELLING or call.otherwise is None:
                raise
            return await self.ask(call.otherwise(error))
        return answer

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def __aexit__(self, *raised: object) -> None:
        await self.close()

    def _connected(self) -> aiohttp.ClientSession:
        if self._session is None:
            connect, read, total = self.endpoint.timeouts
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=1000, ssl=self._tls or True),  # the highest setting
                timeout=aiohttp.ClientTimeout(total=total, sock_connect=connect, sock_read=read),
                headers=HEADERS,
                cookie_jar=aiohttp.DummyCookieJar(),
            )
        return self._session

    async def _send(self, call: Call[T]) -> T:
        request_id, path, body = self._request(call)
        source = self._token
        is_slow = isinstance(source, SelfMadeToken) and not source.is_fresh
        # A remote signer must not block the event loop.
        token = await asyncio.to_thread(source.value) if is_slow else source.value()
        try:
            async with self._connected().post(
                self.base_url + path,
                data=body,
                headers={"Authorization": f"bearer {token}"},
                allow_redirects=False,
                proxy=self._proxy,
            ) as response:
                if response.status == 407 and self._proxy:
                    raise no_connection(None, self.base_url, self._proxy, method=call.method, status=407)
                await response.content.readexactly(GATEWAY_ANSWER_BYTES + 1)
                raise GatewayError(method=call.method, how=Failed.TOO_LONG)
        except asyncio.IncompleteReadError as ended:
            answered = Answer(response.status, ended.partial, response.headers)
        except (TimeoutError, aiohttp.ClientError, OSError) as error:
            sent = not isinstance(error, _NOT_CONNECTED)
            reason = error if sent else error.__cause__ or error
            raise no_answer(reason, self.base_url, self._proxy, method=call.method, sent=sent) from None
        return self._decoded(call, request_id, answered, token)


class Pace:
    """Lets the calls of one event loop start.

    After HTTP 429 or 503 none starts for its `Retry-After`, or for as long as nothing was answered; the refused call is repeated.
    When nothing was answered for `PATIENCE`, or `Retry-After` is longer, it and all later calls get the error.

    :param rate: most calls per second; None for no limit.
    :ivar given_up: the error that ended all calls.
    """

    def __init__(self, rate: float | None = None) -> None:
        self._gap = 1 / rate if rate else 0.0
        self._next = 0.0
        self._failing_since: float | None = None
        self.given_up: GatewayError | None = None

    async def call(self, ask: Callable[[A], Awaitable[T]], question: A) -> T:
        while True:
            await self._turn()
            try:
                answer = await ask(question)
            except GatewayError as error:
                self._failed(error)
                if error.status not in _OVERLOADED:
                    raise
            else:
                self._failing_since = None
                return answer

    async def _turn(self) -> None:
        clock = asyncio.get_running_loop().time
        while self.given_up is None:
            wait = self._next - (now := clock())
            if wait <= 0:
                self._next = max(self._next, now - 0.01) + self._gap
                return
            await asyncio.sleep(min(wait, 1.0))
        raise copy.copy(self.given_up)

    def _failed(self, error: GatewayError) -> None:
        if error.how not in _OUTAGES:
            self._failing_since = None
            return
        now = asyncio.get_running_loop().time()
        self._failing_since = now if self._failing_since is None else self._failing_since
        failing, pause = now - self._failing_since, 0.0
        if error.status in _OVERLOADED:
            pause = error.retry_after or min(max(failing, 0.2), 15.0)
        if self.given_up is None and max(pause, failing) > PATIENCE:
            _log.warning("The remaining calls are not made: %s", error)
            self.given_up = error
        elif pause and now + pause > self._next:
            _log.info("The gateway refuses calls: none starts for %.1f s", pause)
            self._next = now + pause
