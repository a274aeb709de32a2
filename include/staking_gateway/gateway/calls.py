"""The calls of a gateway as values, and their answers, decoded strictly: by the interface document, and the AvN gateway's documentation."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from staking_gateway.errors import Failed, GatewayError, InvalidInput, call_failed, may_pass
from staking_gateway.http.foreign_text import QUOTED_CHARACTERS, ForeignTexts
from staking_gateway.http.meanings import NOT_FOUND_TEXT, how_of_error, how_of_status, seconds_to_wait
from staking_gateway.text import one_line
from staking_gateway.types import (
    MAX_AMOUNT,
    MAX_ERA,
    MAX_NONCE,
    AccountId,
    ChainInfo,
    ElectionWindow,
    NonceKind,
    RequestState,
    RequestStatus,
    StakingStatus,
    is_hash,
    is_request_id,
    parse_era,
    parse_hex,
    parse_unsigned,
)

if TYPE_CHECKING:
    from staking_gateway.http.session import Answer

T = TypeVar("T")


@dataclass(frozen=True)
class Dialect:
    """Names and paths that differ between gateway versions; the defaults come from the interface document."""

    payout_method: str = "proxyPayoutstakers"
    send_path: str = "/send"
    query_path: str = "/query"
    poll_path: str = "/poll"


@dataclass(frozen=True)
class Call(Generic[T]):
    """One call.

    :param decode: turns `result` into a value, or raises ValueError with a reason.
    :param path: field of `Dialect` with the path.
    :param instead: the value in place of an error that is a valid answer; returns None for other errors.
    :param otherwise: makes, of the refusal, the call for gateways that spell a name in this one differently.
    """

    method: str
    params: Mapping[str, str]
    decode: Callable[[Any], T]
    path: str = "query_path"
    instead: Callable[[GatewayError], T | None] | None = None
    otherwise: Callable[[GatewayError], Call[T]] | None = None

    @property
    def repeatable(self) -> bool:
        """Whether the call may be repeated: a payout is sent once."""
        return self.path != "send_path"

    def body(self, request_id: int) -> bytes:
        """The request envelope (section 2.1) as UTF-8 JSON."""
        request = {"jsonrpc": "2.0", "method": self.method, "params": self.params, "id": request_id}
        return json.dumps(request).encode()


def payout(
    *,
    relayer: str | AccountId,
    user: str | AccountId,
    payer: str | AccountId,
    era: int | str,
    proxy_signature: str,
    fee_payment_signature: str,
    payment_nonce: int | str,
    payout_method: str = Dialect.payout_method,
) -> Call[str]:
    """Section 2.2: all seven parameters, `era` and `paymentNonce` as strings."""
    params = {
        "relayer": AccountId.parse(relayer, field="relayer").address,
        "user": AccountId.parse(user, field="user").address,
        "payer": AccountId.parse(payer, field="payer").address,
        "era": str(parse_era(era)),
        "proxySignature": parse_hex(proxy_signature, field="proxy_signature"),
        "feePaymentSignature": parse_hex(fee_payment_signature, field="fee_payment_signature"),
        "paymentNonce": str(parse_unsigned(payment_nonce, MAX_NONCE, field="payment_nonce")),
    }
    return Call(payout_method, params, _request_id, "send_path")


def staking_status(account: str | AccountId) -> Call[StakingStatus]:
    """Section 2.3: `accountId` is the account as it was given, SS58 address or public key."""
    return Call("getStakingStatus", {"accountId": AccountId.parse(account).spelling}, StakingStatus)


def active_era() -> Call[int]:
    """Index of the running era; 0 is refused."""
    return Call("getActiveEra", {}, _era)


def election_window() -> Call[ElectionWindow]:
    """State of the era election window."""
    return Call("getEraElectionStatus", {}, _window)


def nonce(account: str | AccountId, kind: NonceKind | str) -> Call[int]:
    """Next unused nonce of an account; one counter per account and kind."""
    if kind not in list(NonceKind):
        raise InvalidInput("kind", f"{kind!r:.{QUOTED_CHARACTERS}} is not a nonce kind", "Use staking or payment")
    params = {"accountId": AccountId.parse(account).address, "nonceType": str(kind)}
    return Call("getNonce", params, _number)


def relayer_fee(relayer: str | AccountId, payer: str | AccountId, payout_method: str) -> Call[int]:
    """Fee of one payout in the smallest unit; `user` names the payer here. Some gateways spell the payout method differently in the table of fees: then
    all fees are asked for, and letter case does not count.
    """
    accounts = {
        "relayer": AccountId.parse(relayer, field="relayer").address,
        "user": AccountId.parse(payer, field="payer").address,
    }
    decode = partial(_fee, payout_method)

    def every_fee(refusal: GatewayError) -> Call[int]:
        def refused(error: GatewayError) -> None:
            if not may_pass(error):
                raise refusal from None  # it says more than that of all fees

        return Call("getRelayerFees", accounts, decode, instead=refused)

    return Call("getRelayerFees", {**accounts, "transactionType": payout_method}, decode, otherwise=every_fee)


def request_state(request_id: str) -> Call[RequestState]:
    """State of a submitted payout. Unreadable answers and most errors become `UNREADABLE`."""
    if not is_request_id(request_id):
        raise InvalidInput("request_id", "not UUID-formatted", "Pass the identifier the payout call returned")
    return Call("requestState", {"requestId": request_id}, _request_state, "poll_path", _state_of_error)


def chain_info() -> Call[ChainInfo]:
    """Name and version of the chain behind the gateway."""
    return Call("getChainInfo", {}, _chain_info)


def free_balance(account: str | AccountId) -> Call[int]:
    """Spendable balance of an account, in the smallest unit."""
    return Call("getAccountInfo", {"accountId": AccountId.parse(account).address}, _free_balance)


def decode(call: Call[T], request_id: int, response: Answer, *, token: str = "") -> T:
    """The decoded `result` of an answer.

    :param token: the access token of the call. It is removed from every text of the answer, like the call's proofs and all signatures.
    :raises GatewayError: the answer holds no valid result; see `staking_gateway.errors`.
    """
    texts = ForeignTexts([token, *(value for name, value in call.params.items() if name.endswith("Signature"))])
    result = None
    try:
        result = _result(call, request_id, response, texts)
        return call.decode(result)
    except GatewayError as error:
        value = None if call.instead is None else call.instead(error)
        if value is None:
            raise
        return value
    except ValueError as error:
        reason = error.fault if isinstance(error, InvalidInput) else str(error)[:QUOTED_CHARACTERS]
        facts = f"unexpected result {result!r:.{QUOTED_CHARACTERS}}: {reason}"
        raise GatewayError(facts, method=call.method, how=Failed.WRONG_RESULT) from None


def _result(call: Call[Any], request_id: int, response: Answer, texts: ForeignTexts) -> Any:
    counts, envelope = response.status // 100 == 2, {}
    try:
        envelope = texts.clean_answer(texts.read_response(response.body, request_id, call.method))
        # The interface document defines no HTTP statuses: an error object with the id of this call counts with any status.
        counts = counts or ("error" in envelope and envelope["id"] is not None)
    except GatewayError:
        if counts:
            raise
    if not counts:
        how, wait = how_of_status(response.status), seconds_to_wait(response.headers.get("Retry-After"))
        asked = "" if wait is None else f"; it asks to wait {wait:g} s"
        facts = f"HTTP {response.status}: {how.sentence}{asked}"
        raise call_failed(how, facts, method=call.method, status=response.status, retry_after=wait)
    if "error" in envelope:
        raise _rpc_error(call, envelope["error"], texts)
    return envelope["result"]


def _rpc_error(call: Call[Any], error: dict[str, Any], texts: ForeignTexts) -> GatewayError:
    code, data = error["code"], error.get("data")
    gateway_error = data.get("gatewayError") if isinstance(data, dict) else data if isinstance(data, str) else None
    text = None if gateway_error is None else texts.clean(gateway_error)
    message = texts.clean(error["message"])
    how = how_of_error(code, message, text)
    detail = f" ({text[:QUOTED_CHARACTERS]})" if text else ""
    used = f"; the call said {call.params.get('transactionType')}" if how is Failed.OTHER_SPELLING else ""
    facts = f"JSON-RPC error {code}: {message[:QUOTED_CHARACTERS]}{detail}{used}"
    return call_failed(how, facts, method=call.method, code=code, gateway_error=text or message)


def _number(result: Any, limit: int = MAX_NONCE) -> int:
    return parse_unsigned(result, limit, field="result")


def _era(result: Any) -> int:
    if (era := _number(result, MAX_ERA)) == 0:
        raise GatewayError(method="getActiveEra", how=Failed.NO_ERA)
    return era


def _window(result: Any) -> ElectionWindow:
    if result not in ("isOpen", "isClosed"):
        raise ValueError("expected isOpen or isClosed")
    return ElectionWindow.OPEN if result == "isOpen" else ElectionWindow.CLOSED


def _request_id(result: Any) -> str:
    if not is_request_id(result):
        raise ValueError("expected a UUID-formatted request identifier")
    return str(result)


def _fee(payout_method: str, result: Any) -> int:
    """The fee of the payout method: the only value, or that of a table of fees, whose names may differ in case."""
    if isinstance(result, dict):
        fees = [fee for name, fee in result.items() if name.lower() == payout_method.lower()]
        if not fees:
            facts = f"the table of fees does not name {payout_method}"
            raise GatewayError(facts, method="getRelayerFees", how=Failed.OTHER_SPELLING)
        result, *_ = fees
    return _number(result, MAX_AMOUNT)


def _chain_info(result: Any) -> ChainInfo:
    name, version = (result.get("name"), result.get("version", "")) if isinstance(result, dict) else (None, None)
    if not isinstance(name, str) or type(version) not in (str, int):
        raise ValueError("expected an object with name and version")
    return ChainInfo(name=_shortened(name), version=_shortened(str(version)))


def _free_balance(result: Any) -> int:
    free = result.get("freeBalance") if isinstance(result, dict) else None
    return parse_unsigned(free, MAX_AMOUNT, field="freeBalance")


def _normal(word: str) -> str:
    """A state without case, blanks and underscores: versions of gateways spell it `SendingFailed` or `SENDING_FAILED`."""
    return word.replace("_", "").replace(" ", "").lower()


_STATUSES = {
    _normal(status.value): status
    for status in RequestStatus
    if status not in (RequestStatus.UNRECOGNISED, RequestStatus.UNREADABLE)
}


def _request_state(result: Any) -> RequestState:
    """The state in an object with a status, or a status alone. Other answers do not end the wait for an accepted payout. Invalid hashes and positions
    become None: old gateways put the request id into `txHash` of unsent requests.
    """
    if isinstance(result, str) and _normal(result) in _STATUSES:
        result = {"status": result}
    word = result.get("status") if isinstance(result, dict) else None
    if not isinstance(word, str):
        return _unreadable(result if isinstance(result, str) else json.dumps(result))
    tx_hash = result.get("txHash")
    return RequestState(
        status=_STATUSES.get(_normal(word), RequestStatus.UNRECOGNISED),
        wire_status=_shortened(word),
        tx_hash=tx_hash if is_hash(tx_hash) else None,
        block_number=_position(result.get("blockNumber")),
        transaction_index=_position(result.get("transactionIndex")),
    )


def _state_of_error(error: GatewayError) -> RequestState | None:
    """The state in place of an error that came as an answer; None when the gateway has no request states or refuses to answer."""
    if error.code is not None and NOT_FOUND_TEXT in error.gateway_error.lower():
        return RequestState(RequestStatus.NOT_FOUND, RequestStatus.NOT_FOUND.value)
    if error.how.denies_method or (error.code is None and not error.how.breaks_rules):
        return None
    return _unreadable(error.problem.facts.removeprefix(f"{error.method}: "))


def _unreadable(answer: str) -> RequestState:
    return RequestState(RequestStatus.UNREADABLE, _shortened(f"unreadable: {answer}"))


def _shortened(text: str) -> str:
    return one_line(text[:QUOTED_CHARACTERS])


def _position(value: Any) -> int | None:
    try:
        return parse_unsigned(value, MAX_NONCE, field="position")
    except InvalidInput:
        return None
