"""The gateway's JSON-RPC 2.0 without I/O: build requests, and decode answers strictly.

Both clients send the result of `Call.body`, and pass the answer to `decode_response`. Calls and fields come from the gateway
interface document (sections 2 to 5 and 7). Reads outside the document come from the AvN gateway's public documentation.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from staking_gateway import errors
from staking_gateway.gateway.decoding import (
    read_active_era,
    read_chain_info,
    read_election_window,
    read_free_balance,
    read_request_id,
    read_request_state,
    read_staking_status,
    read_state_error,
    read_unsigned,
)
from staking_gateway.http.foreign_json import read_json
from staking_gateway.http.foreign_text import ForeignTexts
from staking_gateway.http.limits import QUOTED_CHARACTERS
from staking_gateway.http.meanings import meaning_of_status, rpc_error_class, seconds_to_wait
from staking_gateway.http.no_answer import (
    CallFailed,
    ConnectionBroke,
    NoAnswer,
    NoConnection,
    Undecodable,
    redirect_target,
)
from staking_gateway.types import (
    MAX_AMOUNT,
    MAX_NONCE,
    AccountId,
    ChainInfo,
    ElectionWindow,
    NonceKind,
    RequestState,
    StakingStatus,
    is_request_id,
    parse_era,
    parse_proof,
    parse_unsigned,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from staking_gateway.http.endpoint import Answer

T = TypeVar("T")

JSONRPC_VERSION = "2.0"
_CODES = 10**QUOTED_CHARACTERS
"""Limit of error codes, because messages quote them; JSON-RPC 2.0 defines some of five digits."""
# `json.dumps` with options would make a new encoder at every call.
_encode = json.JSONEncoder(separators=(",", ":")).encode


@dataclass(frozen=True)
class Call(Generic[T]):
    """One call: path, parameters, and the decoder of `result`.

    :param decode: turns `result` into a value, or raises ValueError with a reason.
    :param decode_error: turns a JSON-RPC error that is a valid answer into a value; returns None for other errors.
    """

    method: str
    path: str
    params: Mapping[str, str]
    decode: Callable[[Any], T]
    decode_error: Callable[[errors.RpcError], T | None] | None = None

    def body(self, request_id: int) -> bytes:
        """The request envelope (section 2.1) as UTF-8 JSON."""
        envelope = {"jsonrpc": JSONRPC_VERSION, "method": self.method, "params": self.params, "id": request_id}
        return _encode(envelope).encode()


@dataclass(frozen=True)
class Dialect:
    """Names and paths that differ between gateway versions; the defaults come from the interface document."""

    payout_method: str = "proxyPayoutstakers"
    send_path: str = "/send"
    query_path: str = "/query"
    poll_path: str = "/poll"

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
    ) -> Call[str]:
        """Section 2.2: all seven parameters, `era` and `paymentNonce` as strings."""
        params = {
            "relayer": AccountId.parse(relayer, field="relayer").address,
            "user": AccountId.parse(user, field="user").address,
            "payer": AccountId.parse(payer, field="payer").address,
            "era": str(parse_era(era)),
            "proxySignature": parse_proof(proxy_signature, field="proxy_signature"),
            "feePaymentSignature": parse_proof(fee_payment_signature, field="fee_payment_signature"),
            "paymentNonce": str(parse_unsigned(payment_nonce, MAX_NONCE, field="payment_nonce")),
        }
        return Call(self.payout_method, self.send_path, params, read_request_id)

    def staking_status(self, account: str | AccountId) -> Call[StakingStatus]:
        """Section 2.3: `accountId` is the account as it was given, SS58 address or public key."""
        params = {"accountId": AccountId.parse(account).spelling}
        return Call("getStakingStatus", self.query_path, params, read_staking_status)

    def active_era(self) -> Call[int]:
        """Index of the running era."""
        return Call("getActiveEra", self.query_path, {}, read_active_era)

    def election_window(self) -> Call[ElectionWindow]:
        """State of the era election window."""
        return Call("getEraElectionStatus", self.query_path, {}, read_election_window)

    def nonce(self, account: str | AccountId, kind: NonceKind | str) -> Call[int]:
        """Next unused nonce of an account; one counter per account and kind."""
        params = {"accountId": AccountId.parse(account).address, "nonceType": _nonce_kind(kind).value}
        return Call("getNonce", self.query_path, params, lambda result: read_unsigned(result, MAX_NONCE))

    def relayer_fee(self, relayer: str | AccountId, payer: str | AccountId) -> Call[int]:
        """Fee of one payout in the smallest unit; `user` names the payer here."""
        params = {
            "relayer": AccountId.parse(relayer, field="relayer").address,
            "user": AccountId.parse(payer, field="payer").address,
            "transactionType": self.payout_method,
        }
        return Call("getRelayerFees", self.query_path, params, self._relayer_fee)

    def _relayer_fee(self, result: Any) -> int:
        return read_unsigned(result.get(self.payout_method) if isinstance(result, dict) else result, MAX_AMOUNT)

    def request_state(self, request_id: str) -> Call[RequestState]:
        """State of a submitted payout. Unreadable answers and most errors become `UNREADABLE`."""
        if not is_request_id(request_id):
            raise errors.InvalidInput(
                "request_id", "not UUID-formatted", "Pass the identifier the payout call returned"
            )
        return Call(
            "requestState", self.poll_path, {"requestId": request_id}, read_request_state, decode_error=read_state_error
        )

    def chain_info(self) -> Call[ChainInfo]:
        """Name and version of the chain behind the gateway."""
        return Call("getChainInfo", self.query_path, {}, read_chain_info)

    def free_balance(self, account: str | AccountId) -> Call[int]:
        """Spendable balance of an account, in the smallest unit."""
        params = {"accountId": AccountId.parse(account).address}
        return Call("getAccountInfo", self.query_path, params, read_free_balance)


def _nonce_kind(kind: NonceKind | str) -> NonceKind:
    try:
        return NonceKind(kind)
    except ValueError:
        raise errors.InvalidInput("kind", f"{str(kind)[:40]!r} is not a nonce kind", "Use staking or payment") from None


def transport_error(method: str, failure: CallFailed) -> errors.GatewayError:
    """The error for a call without a complete answer; its class depends on whether the request can have left."""
    error = _BY_FAILURE[type(failure)](str(failure), method=method)
    error.remedy = failure.remedy
    return error


_BY_FAILURE: dict[type[CallFailed], type[errors.GatewayError]] = {
    NoConnection: errors.GatewayUnreachable,
    NoAnswer: errors.GatewayTimeout,
    ConnectionBroke: errors.ConnectionLost,
    Undecodable: errors.MalformedResponse,
}


_SIGNATURES = ("proxySignature", "feePaymentSignature")
"""Parameters that a gateway may repeat, and that no text may show."""


def decode_response(call: Call[T], request_id: int, response: Answer, *, token: str = "") -> T:
    """The decoded `result` of an answer.

    :param token: the access token of the call. It is removed from every text of the answer, like the signatures of the call.
    :raises GatewayError: the answer holds no valid result; see `staking_gateway.errors`.
    """
    accepted = 200 <= response.status < 300
    texts = ForeignTexts((token, *(call.params[name] for name in _SIGNATURES if name in call.params)))
    try:
        envelope = _read_envelope(call.method, response.body, texts)
        _check_id(call.method, envelope, request_id)
        error = _rpc_error(call, envelope["error"], texts) if "error" in envelope else None
    except errors.ProtocolError:
        if accepted:
            raise
        raise http_error(call.method, response, texts) from None
    # The interface document defines no HTTP statuses: an error object with the id of this call counts with any status.
    if not accepted and (error is None or envelope["id"] is None):
        raise http_error(call.method, response, texts)
    if error is None:
        return _decode_result(call, envelope["result"])
    value = None if call.decode_error is None else call.decode_error(error)
    if value is None:
        raise error
    return value


def _decode_result(call: Call[T], result: Any) -> T:
    try:
        value = call.decode(result)
    except ValueError as error:
        reason = error.problem if isinstance(error, errors.InvalidInput) else str(error)
        raise errors.UnexpectedResult(f"unexpected result {_quote(result)}: {reason}", method=call.method) from None
    if call.method == "getActiveEra" and value == 0:
        raise errors.EraUnknown("active era 0 also means that the gateway has no data yet", method=call.method)
    return value


def _read_envelope(method: str, body: bytes, texts: ForeignTexts) -> dict[str, Any]:
    try:
        envelope = texts.clean_answer(read_json(body, _decode))
    except ValueError:
        start = texts.clean(body.decode("utf-8", "replace"), QUOTED_CHARACTERS)
        raise errors.MalformedResponse(f"the answer cannot be read as JSON: {start!r}", method=method) from None
    if not isinstance(envelope, dict) or envelope.get("jsonrpc") != JSONRPC_VERSION:
        raise errors.MalformedResponse(f"not a JSON-RPC 2.0 response: {_quote(envelope)}", method=method)
    if ("result" in envelope) == ("error" in envelope):
        raise errors.MalformedResponse("a response carries either result or error", method=method)
    return envelope


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


def _refuse_duplicates(members: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(members)
    if len(found) != len(members):
        raise ValueError("a member is given twice")
    return found


# Refuses NaN, Infinity and duplicate members.
_decode = json.JSONDecoder(parse_constant=_refuse_constant, object_pairs_hook=_refuse_duplicates).decode


def _check_id(method: str, envelope: dict[str, Any], request_id: int) -> None:
    answered = envelope.get("id")
    if type(answered) is int and answered == request_id:
        return
    # JSON-RPC 2.0, section 5: the id is null when the server could not read the request's id.
    if "error" in envelope and answered is None and "id" in envelope:
        return
    raise errors.ResponseIdMismatch(f"asked with id {request_id}, answered with {_quote(answered)}", method=method)


def _rpc_error(call: Call[Any], error: Any, texts: ForeignTexts) -> errors.RpcError:
    method = call.method
    code = error.get("code") if isinstance(error, dict) else None
    if type(code) is not int or abs(code) >= _CODES or not isinstance(error.get("message"), str):
        raise errors.MalformedResponse(f"not a JSON-RPC error object: {_quote(error)}", method=method)
    data = error.get("data")
    details = data if isinstance(data, dict) else {}
    gateway_error = details.get("gatewayError")
    if gateway_error is None and isinstance(data, str):
        gateway_error = data
    text = None if gateway_error is None else texts.clean(gateway_error)
    message = texts.clean(error["message"])
    request = details.get("request")
    kind = rpc_error_class(code, message, text)
    return kind(
        method=method,
        code=code,
        rpc_message=message,
        gateway_error=text,
        request=None if request is None else texts.clean(request),
        transaction_type=call.params.get("transactionType") if kind is errors.TransactionTypeRefused else None,
    )


def http_error(method: str, response: Answer, texts: ForeignTexts) -> errors.HttpError:
    """The error for an answer that is not JSON-RPC. Its text is the docstring of the class, from the first colon on."""
    found = meaning_of_status(response.status)
    retry_after = seconds_to_wait(response.headers.get("Retry-After"))
    text = (found.error.__doc__ or "").partition(": ")[2]
    if found.error is errors.RedirectRefused:
        text = text.replace("another address", redirect_target(response.headers.get("Location"), texts))
    return found.error(
        text if retry_after is None else f"{text.rstrip('.')}; it asks to wait {retry_after:g} s.",
        method=method,
        status=response.status,
        fate=found.fate,
        retry_after=retry_after,
    )


def _quote(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= QUOTED_CHARACTERS else text[:QUOTED_CHARACTERS] + "..."
