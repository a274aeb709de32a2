"""The blocking gateway client, over requests."""

from __future__ import annotations

import itertools
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from staking_gateway import errors
from staking_gateway.gateway.capabilities import answered_methods, check_denial
from staking_gateway.gateway.decoding import unreadable_state
from staking_gateway.gateway.protocol import Call, Dialect, decode_response, transport_error
from staking_gateway.http.endpoint import Endpoint
from staking_gateway.http.no_answer import CallFailed
from staking_gateway.http.token import TokenSource, token_source
from staking_gateway.http.transport import StrictSession

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType
    from typing import Self

    from staking_gateway.types import AccountId, ChainInfo, ElectionWindow, NonceKind, RequestState, StakingStatus

T = TypeVar("T")


class GatewayClient:
    """A client of one gateway for one thread, as a context manager or with `close()`.

    Reads are repeated after transient errors (`Endpoint.retry`); `payout_stakers` sends exactly once.

    :param base_url: the gateway's address, or an `Endpoint` with timeouts, retries and limits.
    :param token: issued access token, or a `TokenSource`.
    :param dialect: method names and paths of the gateway.
    :ivar on_error: called with the error of each failed call, before it is raised.
    :raises InvalidConnection: the address or the token cannot be used.
    """

    def __init__(self, base_url: str | Endpoint, token: str | TokenSource, *, dialect: Dialect | None = None) -> None:
        self.endpoint = base_url if isinstance(base_url, Endpoint) else Endpoint(base_url)
        self.dialect = dialect or Dialect()
        self.on_error: Callable[[errors.GatewayError], None] | None = None
        self._token = token_source(token)
        self._answered = answered_methods(self.endpoint.base_url)
        self._ids = itertools.count(1)
        self._session = StrictSession(self.endpoint.base_url, self.endpoint.timeouts.total, self.endpoint.ca_bundle)

    def payout_stakers(
        self,
        *,
        relayer: str | AccountId,
        user: str | AccountId,
        payer: str | AccountId,
        era: int | str,
        proxy_signature: str,
        fee_payment_signature: str,
        payment_nonce: int | str,
    ) -> str:
        """Submit the payout of an era. Sends once and retries nothing.

        :param relayer: SS58 address or 0x public key of the relayer, likewise `user` and `payer`.
        :param era: era to pay.
        :param proxy_signature: the user's proof, 0x and hex digits of any number.
        :param fee_payment_signature: the payer's proof.
        :param payment_nonce: the payment nonce the payer signed.
        :returns: the request identifier; the outcome of the payout is still unknown.
        :raises ElectionWindowOpen: nothing was submitted; send again after the window has closed.
        :raises GatewayError: `error.fate` says whether the gateway may have accepted the payout.
        """
        call = self.dialect.payout_stakers(
            relayer=relayer,
            user=user,
            payer=payer,
            era=era,
            proxy_signature=proxy_signature,
            fee_payment_signature=fee_payment_signature,
            payment_nonce=payment_nonce,
        )
        with self._reporting():
            return self._send(call)

    def staking_status(self, account: str | AccountId) -> StakingStatus:
        """Whether an account (SS58 address or 0x public key) is staking."""
        return self._read(self.dialect.staking_status(account))

    def active_era(self) -> int:
        """Index of the running era.

        :raises EraUnknown: the gateway answered 0, which also means it has no data.
        """
        return self._read(self.dialect.active_era())

    def election_window(self) -> ElectionWindow:
        """State of the era election window. Gateways report an unknown state as closed."""
        return self._read(self.dialect.election_window())

    def pays_by_itself(self) -> bool:
        """False: gateways do not report whether the chain pays its stakers by itself."""
        return False

    def nonce(self, account: str | AccountId, kind: NonceKind | str) -> int:
        """Next unused nonce of an account, `staking` or `payment`."""
        return self._read(self.dialect.nonce(account, kind))

    def relayer_fee(self, relayer: str | AccountId, payer: str | AccountId) -> int:
        """Fee of one payout, in the smallest unit. It changes; read it right before signing."""
        return self._read(self.dialect.relayer_fee(relayer, payer))

    def request_state(self, request_id: str) -> RequestState:
        """State of a submitted payout; `RequestStatus.UNREADABLE` when the answer holds none.

        :raises RpcMethodNotFound: the gateway does not report request states.
        :raises GatewayError: no answer, or an HTTP error status.
        """
        try:
            return self._read(self.dialect.request_state(request_id))
        except errors.ProtocolError as error:
            return unreadable_state(error)

    def chain_info(self) -> ChainInfo:
        """Name and version of the chain; a good test of a connection."""
        return self._read(self.dialect.chain_info())

    def free_balance(self, account: str | AccountId) -> int:
        """Spendable balance of an account, in the smallest unit."""
        return self._read(self.dialect.free_balance(account))

    @property
    def base_url(self) -> str:
        """The gateway's address."""
        return self.endpoint.base_url

    @property
    def is_local(self) -> bool:
        """Whether the gateway runs on this machine."""
        return self.endpoint.is_local

    def close(self) -> None:
        """Close the kept-alive connections."""
        self._session.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _read(self, call: Call[T]) -> T:
        with self._reporting():
            answer: T = self.endpoint.retry.call(self._ask, call)
            return answer

    @contextmanager
    def _reporting(self) -> Iterator[None]:
        """Call `on_error` when the call fails."""
        try:
            yield
        except errors.GatewayError as error:
            if self.on_error is not None:
                self.on_error(error)
            raise

    def _ask(self, call: Call[T]) -> T:
        try:
            return self._send(call)
        except errors.GatewayError as error:
            check_denial(error, self._answered)
            return self._send(call)

    def _send(self, call: Call[T]) -> T:
        request_id = next(self._ids)
        timeouts = self.endpoint.timeouts
        token = self._token.value()
        try:
            answered = self._session.ask(
                "POST",
                self.endpoint.url(call.path),
                limit=self.endpoint.max_response_bytes,
                data=call.body(request_id),
                headers={"Authorization": f"bearer {token}"},
                timeout=(timeouts.connect, timeouts.read),
            )
        except CallFailed as error:
            raise transport_error(call.method, error) from None
        if not answered.is_whole:
            limit = self.endpoint.max_response_bytes
            raise errors.ResponseTooLarge(f"the answer is longer than {limit} bytes", method=call.method)
        answer = decode_response(call, request_id, answered, token=token)
        self._answered.add(call.method)
        return answer
