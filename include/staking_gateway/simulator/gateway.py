"""The gateway's three doors: /send, /query and /poll (interface document, section 4, and what goes beyond it)."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from staking_gateway.errors import InvalidInput
from staking_gateway.simulator.accounts import read_account
from staking_gateway.simulator.chain import WINDOW_IS_OPEN, PayoutCall, Refusal
from staking_gateway.simulator.events import Dropped
from staking_gateway.simulator.rpc import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    Params,
    Request,
    RpcRefusal,
)
from staking_gateway.simulator.tokens import TokenGate
from staking_gateway.types import (
    MAX_ERA,
    MAX_NONCE,
    ElectionWindow,
    NonceKind,
    RequestStatus,
    StakingStatus,
    parse_signature,
    parse_unsigned,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from staking_gateway.simulator.simulation import Simulation

PATHS = ("/send", "/query", "/poll")
CHAIN_NAME = "staking-gateway simulator"
CHAIN_VERSION = "1"
_STAKED = 10**21
_JSON = {"Content-Type": "application/json"}


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
            return Answer(200, request.success(self._dispatch(call.path, request)))
        except RpcRefusal as refusal:
            return Answer(200, request.error(refusal))

    def count(self, call: Call) -> None:
        """Count a call that has arrived."""
        traffic = self._simulation.traffic
        traffic.calls_by_path[call.path] += 1
        traffic.bytes_by_path[call.path] += len(call.body)

    def _dispatch(self, path: str, request: Request) -> Any:
        handler = self._methods[path].get(request.method)
        known = any(request.method in methods for methods in self._methods.values())
        self._simulation.traffic.calls_by_method[request.method if known else "(unknown)"] += 1
        if handler is None:
            raise RpcRefusal(METHOD_NOT_FOUND, "method not found")
        if not isinstance(request.params, dict):
            raise RpcRefusal(INVALID_PARAMS, f"invalid params passed to {request.method}: they must be an object")
        self._simulation.settle()
        return handler(Params(request.method, request.params))

    # -- /send --------------------------------------------------------------------------------------------------------

    def _payout(self, params: Params) -> str:
        if self._simulation.chain.window(self._simulation.now) is ElectionWindow.OPEN:
            # Whatever is asked for: the document names no other condition of this answer.
            raise RpcRefusal(INVALID_REQUEST, WINDOW_IS_OPEN)
        relayer = params.account("relayer")
        if relayer not in self._relayers:
            raise params.refusal("relayer", "this gateway does not work for it")
        call = PayoutCall(
            relayer=relayer,
            user=params.account("user"),
            payer=params.account("payer"),
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

    def _active_era(self, params: Params) -> str | int:
        del params
        era = self._simulation.chain.active_era(self._simulation.now)
        return era if self._settings.era_as_number else str(era)

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
        relayer = params.account("relayer")
        if relayer not in self._relayers:
            raise RpcRefusal(INVALID_REQUEST, "could not get relayer fee: this gateway does not work for the relayer")
        if params.values.get("user") is not None:
            params.account("user")
        fee, method = str(self._simulation.chain.fee), self._settings.payout_method
        if params.values.get("transactionType") is None:
            return {method: fee}
        # Versions differ in the one capital letter; the fee is the same.
        if params.text("transactionType").lower() != method.lower():
            raise RpcRefusal(INVALID_REQUEST, "could not get relayer fee: unknown transaction type")
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
        if request is None:
            return {"txHash": None, "status": RequestStatus.NOT_FOUND.value}
        status = request.status_at(self._simulation.tick)
        state: dict[str, str | None] = {"txHash": request.tx_hash, "status": status.value}
        if status is RequestStatus.AWAITING_TO_SEND or isinstance(request.ended, Dropped):
            state["txHash"] = None
        elif request.ended is not None:
            # The network's documentation shows both as decimal strings.
            state |= {"blockNumber": str(request.ended.block), "transactionIndex": str(request.ended.index)}
        return state


def front_door(status: int, message: str) -> Answer:
    """An answer given before JSON-RPC is reached."""
    return Answer(status, json.dumps({"message": message}).encode())


def _digits(params: Params, name: str, limit: int) -> int:
    value = params.text(name)
    try:
        return parse_unsigned(value, limit, field=name)
    except InvalidInput as error:
        raise params.refusal(name, error.problem) from None


def _signature(params: Params, name: str) -> str:
    value = params.text(name)
    try:
        return parse_signature(value, field=name)
    except InvalidInput as error:
        raise params.refusal(name, f"{error.problem}; 0x and 128 hex digits are") from None
