"""The gateway's three doors: /send, /query and /poll (interface document, section 4, and what goes beyond it)."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from staking_gateway import signing
from staking_gateway.errors import InvalidInput
from staking_gateway.types import (
    MAX_ERA,
    MAX_NONCE,
    ElectionWindow,
    NonceKind,
    RequestStatus,
    StakingStatus,
    parse_hex,
    parse_unsigned,
)
from staking_gateway_simulator.accounts import read_account
from staking_gateway_simulator.events import Dropped, PayoutCall
from staking_gateway_simulator.payout_rules import Refusal
from staking_gateway_simulator.rpc import (
    ABSENT,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    Params,
    Request,
    RpcRefusal,
)
from staking_gateway_simulator.settings import WINDOW_IS_OPEN

if TYPE_CHECKING:
    from staking_gateway_simulator.chain import Request as ChainRequest
    from staking_gateway_simulator.simulation import Simulation

PATHS = ("/send", "/query", "/poll")
CHAIN_NAME = "staking-gateway simulator"
CHAIN_VERSION = "1"
_STAKED = 10**21
_WITHOUT_PARAMS = frozenset({"getActiveEra", "getEraElectionStatus", "getChainInfo"})
"""Methods beyond the interface document that take no params. The network's JavaScript client leaves the field out."""
NOT_FOUND: dict[str, str | None] = {"txHash": None, "status": RequestStatus.NOT_FOUND.value}
_JSON = {"Content-Type": "application/json"}
_MAX_FUTURE_SECONDS = 15
"""How far ahead of this machine's clock the maker of a token may be."""
_REMEMBERED = 4096


@dataclass(frozen=True)
class Call:
    """An HTTP POST. Header names are looked up as the mapping does it."""

    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class Answer:
    """What is sent back."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=lambda: _JSON)


class Gateway:
    """Answers calls; `respond` is the whole of it, from the bytes that came in to the bytes that go out.

    :param simulation: the chain behind the gateway.
    """

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._settings = simulation.settings
        self._tokens = TokenGate(self._settings.tokens, self._settings.token_max_age)
        self._relayers = {read_account(relayer).hex for relayer in self._settings.relayers}
        self._methods: dict[str, dict[str, Callable[[Params], Any]]] = {
            "/send": {self._settings.payout_method: self._payout},
            "/query": {
                "getActiveEra": self._active_era,
                "getEraElectionStatus": self._election_status,
                "getStakingStatus": self._staking_status,
                "getNonce": self._nonce,
                "getRelayerFees": self._relayer_fees,
                "getAccountInfo": self._account_info,
                "getChainInfo": self._chain_info,
            },
            "/poll": {"requestState": self._request_state},
        }

    def respond(self, call: Call, *, skew: float = 0.0, failure: RpcRefusal | None = None) -> Answer:
        """Answer one call. A payout that is accepted is on disk when this returns.

        :param skew: seconds by which this gateway's clock is ahead of the real time when it judges a token.
        :param failure: answers a call that came through the door, instead of it being carried out.
        """
        self.count(call)
        scheme, _, token = call.headers.get("Authorization", "").partition(" ")
        token = token.strip()
        if scheme.lower() != "bearer" or not token:
            return front_door(401, "Unauthorized")
        if not self._tokens.admits(token, self._simulation.read_clock() + skew):
            return front_door(403, "Forbidden")
        request = Request(call.body)
        try:
            request.read()
            if failure is not None:
                raise failure
            if call.path == "/send" and _names_payer(token):
                raise RpcRefusal(INTERNAL_ERROR, "Split fee transaction already contains payment info")
            return Answer(200, request.success(self._dispatch(call.path, request)))
        except RpcRefusal as refusal:
            return Answer(200, request.error(refusal))

    def count(self, call: Call) -> None:
        """Count a call that has arrived."""
        self._simulation.traffic.calls_by_path[call.path] += 1

    def _dispatch(self, path: str, request: Request) -> Any:
        handler = self._methods[path].get(request.method)
        known = any(request.method in methods for methods in self._methods.values())
        self._simulation.traffic.calls_by_method[request.method if known else "(unknown)"] += 1
        if handler is None:
            raise RpcRefusal(METHOD_NOT_FOUND, "method not found")
        params = {} if request.params is ABSENT and request.method in _WITHOUT_PARAMS else request.params
        if not isinstance(params, dict):
            problem = "they are missing" if params is ABSENT else "they must be an object"
            raise RpcRefusal(INVALID_PARAMS, f"invalid params passed to {request.method}: {problem}")
        self._simulation.settle()
        return handler(Params(request.method, params))

    # -- /send --------------------------------------------------------------------------------------------------------

    def _payout(self, params: Params) -> str:
        window = self._simulation.chain.window(self._simulation.now)
        if self._settings.door_checks and window is ElectionWindow.OPEN:
            # Whatever is asked for: the document names no other condition of this answer.
            raise RpcRefusal(INVALID_REQUEST, WINDOW_IS_OPEN)
        if self._settings.currency:
            raise RpcRefusal(INVALID_PARAMS, "invalid currencyToken")
        relayer = params.address("relayer")
        if relayer not in self._relayers:
            raise params.refusal("relayer", "this gateway does not work for it")
        call = PayoutCall(
            relayer=relayer,
            user=params.address("user"),
            payer=params.address("payer"),
            era=_digits(params, "era", MAX_ERA),
            proxy_signature=_signature(params, "proxySignature"),
            fee_payment_signature=_signature(params, "feePaymentSignature"),
            payment_nonce=_digits(params, "paymentNonce", MAX_NONCE),
        )
        try:
            return self._simulation.submit(call)
        except Refusal as refusal:
            raise RpcRefusal(INVALID_REQUEST, str(refusal)) from None

    # -- /query -------------------------------------------------------------------------------------------------------

    def _active_era(self, params: Params) -> str:
        del params
        return str(self._simulation.chain.active_era(self._simulation.now))

    def _election_status(self, params: Params) -> str:
        del params
        window = self._simulation.chain.window(self._simulation.now)
        return "isOpen" if window is ElectionWindow.OPEN else "isClosed"

    def _staking_status(self, params: Params) -> str:
        staking = self._simulation.chain.is_staking(params.account("accountId"))
        return str(StakingStatus.IS_STAKING if staking else StakingStatus.IS_NOT_STAKING)

    def _nonce(self, params: Params) -> str:
        account = self._simulation.chain.account(params.account("accountId"))
        kind = params.text("nonceType")
        if kind == NonceKind.STAKING:
            return str(account.staking_nonce)
        if kind == NonceKind.PAYMENT:
            return str(account.payment_nonce)
        raise params.refusal("nonceType", "it must be staking or payment")

    def _relayer_fees(self, params: Params) -> str | dict[str, str]:
        if params.address("relayer") not in self._relayers:
            problem = "could not get relayer fee: this gateway does not work for the relayer"
            raise RpcRefusal(INVALID_REQUEST, problem)
        if params.values.get("user") is not None:
            params.account("user")
        if self._settings.currency:
            raise RpcRefusal(INVALID_PARAMS, "invalid currencyToken")
        fee, exact = str(self._simulation.chain.fee), self._settings.fee_method
        method = exact or self._settings.payout_method
        if params.values.get("transactionType") is None:
            return {method: fee}
        asked = params.text("transactionType")
        # Versions differ in the one capital letter; the fee is the same.
        if asked != method and (exact or asked.lower() != method.lower()):
            raise RpcRefusal(INVALID_PARAMS, "invalid transaction type")
        return fee

    def _account_info(self, params: Params) -> dict[str, str]:
        key = params.account("accountId")
        free = self._simulation.chain.balance(key)
        staked = _STAKED if self._simulation.chain.is_staking(key) else 0
        return {
            "totalBalance": str(free + staked),
            "freeBalance": str(free),
            "stakedBalance": str(staked),
            "unlockedBalance": "0",
            "unstakedBalance": "0",
        }

    def _chain_info(self, params: Params) -> dict[str, str]:
        del params
        return {"name": CHAIN_NAME, "version": CHAIN_VERSION}

    # -- /poll --------------------------------------------------------------------------------------------------------

    def _request_state(self, params: Params) -> dict[str, str | None]:
        request = self._simulation.chain.requests.get(params.text("requestId"))
        state = NOT_FOUND if request is None else state_of(request, self._simulation.tick)
        if self._settings.poll_form == "object":
            return state
        # The spelling of versions that write `SENDING_FAILED`.
        return {**state, "status": re.sub(r"(?<=[a-z])(?=[A-Z])", "_", str(state["status"])).upper()}


def state_of(request: ChainRequest, tick: int) -> dict[str, str | None]:
    """The state of a known request as an object, settled up to a tick."""
    ended = request.ended
    status = request.told_at(tick)
    if isinstance(ended, Dropped) or status == RequestStatus.AWAITING_TO_SEND:
        return {"txHash": None, "status": status}
    state: dict[str, str | None] = {"txHash": request.tx_hash, "status": status}
    if ended is not None:
        # The network's documentation shows both as decimal strings.
        state |= {"blockNumber": str(ended.block), "transactionIndex": str(ended.index)}
    return state


def unauthorised_fee(signature: str) -> RpcRefusal:
    """The refusal of a wrong fee proof as an internal error. Its text holds the whole signature."""
    return RpcRefusal(INTERNAL_ERROR, f"Error: invalid fee authorisation: {signature}")


def front_door(status: int, message: str) -> Answer:
    """An answer given before JSON-RPC is reached."""
    return Answer(status, json.dumps({"message": message}).encode())


def _digits(params: Params, name: str, limit: int) -> int:
    value = params.text(name)
    try:
        return parse_unsigned(value, limit, field=name)
    except InvalidInput as error:
        raise params.refusal(name, error.fault) from None


def _signature(params: Params, name: str) -> str:
    value = params.text(name)
    try:
        return parse_hex(value, field=name, size=64)
    except InvalidInput as error:
        raise params.refusal(name, f"{error.fault}; 0x and 128 hex digits are") from None


# -- who may call -----------------------------------------------------------------------------------------------------------


class TokenGate:
    """Decides whether a token is good.

    :param issued: tokens that are always good.
    :param max_age: how old a self-made token may be, in seconds.
    """

    def __init__(self, issued: Iterable[str], max_age: float) -> None:
        self._issued = frozenset(issued)
        self._max_age = max_age
        self._verified: dict[str, float] = {}

    def admits(self, token: str, now: float) -> bool:
        """Whether a token is good at a real time, in seconds since 1970. A signature is verified once per token."""
        if token in self._issued:
            return True
        issued_at = self._verified.get(token)
        if issued_at is None:
            issued_at = _verify(token)
            if issued_at is None:
                return False
            if len(self._verified) >= _REMEMBERED:
                del self._verified[next(iter(self._verified))]
            self._verified[token] = issued_at
        return -_MAX_FUTURE_SECONDS <= now - issued_at <= self._max_age


def _names_payer(token: str) -> bool:
    """Whether a token says that a payer covers its owner's fees."""
    try:
        return json.loads(base64.b64decode(token, validate=True))["hasPayer"] is True
    except (ValueError, TypeError, KeyError):
        return False


def _verify(token: str) -> float | None:
    """When a self-made token was issued, in seconds since 1970; None when it is not one, or its signature is wrong."""
    try:
        claims = json.loads(base64.b64decode(token, validate=True))
        public_key, issued_at, signature = claims["pk"], claims["iat"], claims["sig"]
        has_payer, payer = claims.get("hasPayer", False), claims.get("payer")
        if not isinstance(has_payer, bool) or not all(
            isinstance(key, str) and key.startswith("0x") for key in (public_key, payer or "0x")
        ):
            return None
        message = signing.access_token_message(public_key, issued_at, has_payer, payer)
        if not signing.verify(message, signature, public_key):
            return None
        return datetime.strptime(issued_at, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc).timestamp()
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        # Whatever a stranger put in the header is not a token, and that is all there is to say.
        return None
