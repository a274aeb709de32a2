"""The blocking gateway client, over requests, and the access tokens that a client makes and its owner signs."""

from __future__ import annotations

import base64
import json
import math
import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime, timezone
from functools import cached_property, wraps
from time import time
from typing import Any, Concatenate, ParamSpec, TypeVar

from staking_gateway.errors import Failed, GatewayError
from staking_gateway.gateway import calls
from staking_gateway.http.endpoint import Endpoint, IssuedToken, TokenSource
from staking_gateway.http.foreign_text import GATEWAY_ANSWER_BYTES
from staking_gateway.http.session import Answer, Session
from staking_gateway.signing import MessageKind, Signer, access_token_message, signature_of
from staking_gateway.types import AccountId

T = TypeVar("T")
P = ParamSpec("P")
MAX_TOKEN_AGE = 60.0
"""Seconds after which old gateways refuse a self-made token; newer ones accept ten minutes."""


def _asks(make: Callable[P, calls.Call[Any]]) -> Callable[Concatenate[Any, P], Any]:
    """The method of a client that asks for one call."""

    @wraps(make, ("__name__", "__doc__"))
    def method(self: Caller, /, *args: P.args, **kwargs: P.kwargs) -> Any:
        return self.ask(make(*args, **kwargs))

    return method


class Caller(ABC):
    """What the blocking and the asynchronous client share. A read gives its result, or an awaitable of it, as `ask` does."""

    def __init__(
        self, base_url: str | Endpoint, token: str | TokenSource, *, dialect: calls.Dialect | None = None
    ) -> None:
        self.endpoint = base_url if isinstance(base_url, Endpoint) else Endpoint(base_url)
        self.base_url = self.endpoint.base_url
        self.dialect = dialect or calls.Dialect()
        self._token = token if hasattr(token, "value") else IssuedToken(token)
        self._answered: set[str] = set()

    @abstractmethod
    def ask(self, call: calls.Call[Any]) -> Any:
        """The result of a call."""

    staking_status = _asks(calls.staking_status)
    active_era = _asks(calls.active_era)
    election_window = _asks(calls.election_window)
    nonce = _asks(calls.nonce)
    request_state = _asks(calls.request_state)
    chain_info = _asks(calls.chain_info)
    free_balance = _asks(calls.free_balance)

    def relayer_fee(self, relayer: str | AccountId, payer: str | AccountId) -> Any:
        """Fee of one payout, in the smallest unit."""
        return self.ask(calls.relayer_fee(relayer, payer, self.dialect.payout_method))

    def _request(self, call: calls.Call[Any]) -> tuple[int, str, bytes]:
        """Id, path and body of a call. What a gateway sent before it was asked has another id."""
        request_id = secrets.randbits(52)  # exact in every JSON reader
        return request_id, getattr(self.dialect, call.path), call.body(request_id)

    def _decoded(self, call: calls.Call[T], request_id: int, answered: Answer, token: str) -> T:
        """The result. Nothing proves that a method has gone whose read has answered this client."""
        try:
            value = calls.decode(call, request_id, answered, token=token)
        except GatewayError as error:
            if call.method not in self._answered or not (call.repeatable and error.how.denies_method):
                raise
            facts = f"{Failed.WITHDRAWN.sentence}; is it being replaced? {error}"
            raise GatewayError(facts, method=call.method, how=Failed.WITHDRAWN) from error
        self._answered.add(call.method)
        return value


class GatewayClient(Caller, AbstractContextManager["GatewayClient"]):
    """A client of one gateway for one thread, as a context manager or with `close()`. It serves the payout engine as it is.

    Reads are repeated after transient errors (`Endpoint.retry`); a payout is sent exactly once.

    :param token: issued access token, or a `TokenSource`.
    :ivar on_error: called with the error of each failed call, before it is raised.
    :raises InvalidConnection: the address or the token cannot be used.
    """

    on_error: Callable[[GatewayError], None] = staticmethod(lambda _: None)

    @cached_property
    def _session(self) -> Session:
        return Session(self.base_url, self.endpoint.timeouts, GATEWAY_ANSWER_BYTES, self.endpoint.ca_bundle)

    def ask(self, call: calls.Call[T]) -> T:
        """The result of a call. GatewayError: `error.how` says how it failed, and of a payout `error.how.sent` whether it may be accepted."""
        try:
            return self.endpoint.retry.call(self._send, call) if call.repeatable else self._send(call)
        except GatewayError as error:
            if error.how is Failed.OTHER_SPELLING and call.otherwise is not None:
                return self.ask(call.otherwise(error))
            self.on_error(error)
            raise

    def payout_stakers(self, **payload: Any) -> str:
        """Submit the payout of an era. Sends once and retries nothing.

        :param payload: `relayer`, `user` and `payer`: SS58 address or 0x public key; `era`; `proxy_signature` and `fee_payment_signature`:
            the proofs of user and payer, 0x hex; `payment_nonce`: the one that the payer signed.
        :returns: the request identifier; the outcome of the payout is still unknown.
        :raises ElectionWindowOpen: nothing was submitted; send again after the window has closed.
        :raises GatewayError: `error.how.sent` says whether the gateway may have accepted the payout.
        """
        return self.ask(calls.payout(**payload, payout_method=self.dialect.payout_method))

    def pays_by_itself(self) -> bool:
        """False: gateways do not report it."""
        return False

    def close(self) -> None:
        self._session.close()

    def __exit__(self, *raised: object) -> None:
        self.close()

    def _send(self, call: calls.Call[T]) -> T:
        token, (request_id, path, body) = self._token.value(), self._request(call)
        answered = self._session.ask("POST", path, data=body, token=token, call=call.method)
        return self._decoded(call, request_id, answered, token)


class SelfMadeToken(TokenSource):
    """A token signed by its owner, and renewed at half of its maximum age or when the clock was set back: base64 of JSON
    `{pk, iat, hasPayer, payer, sig}`; `payer`, who covers the owner's fees, is optional.
    """

    __slots__ = ("_made", "_payer", "_signer")

    def __init__(self, signer: Signer, *, payer: AccountId | None = None) -> None:
        self._signer = signer
        self._payer = payer
        self._made = -math.inf, ""

    @property
    def is_fresh(self) -> bool:
        """Whether the next `value` needs no signature."""
        return 0 <= time() - self._made[0] < MAX_TOKEN_AGE / 2

    def value(self) -> str:
        if not self.is_fresh:
            now = time()
            self._made = now, self._make(datetime.fromtimestamp(now, timezone.utc))
        return self._made[1]

    def _make(self, moment: datetime) -> str:
        owner, payer = self._signer.account, self._payer
        issued_at = moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        message = access_token_message(owner, issued_at, payer is not None, payer)
        token: dict[str, str | bool] = {"pk": owner.hex, "iat": issued_at, "hasPayer": payer is not None}
        token |= {} if payer is None else {"payer": payer.hex}
        token["sig"] = signature_of(self._signer, MessageKind.ACCESS_TOKEN, message)
        return base64.b64encode(json.dumps(token, separators=(",", ":")).encode()).decode()
