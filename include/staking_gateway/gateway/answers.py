"""A call as a value, and its answer, decoded strictly: the JSON-RPC 2.0 envelope, errors, and the readers of `result`. No I/O.

Readers take foreign JSON, and raise `ValueError` for invalid values. The reader of request states never raises: an invalid answer must
not end the wait for an accepted payout.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from staking_gateway.errors import Failed, GatewayError, InvalidInput, call_failed
from staking_gateway.http.foreign_text import QUOTED_CHARACTERS, ForeignTexts, read_json, redirect_target
from staking_gateway.http.meanings import how_of_error, how_of_status, says_not_found, seconds_to_wait
from staking_gateway.text import one_line
from staking_gateway.types import (
    MAX_AMOUNT,
    MAX_ERA,
    MAX_NONCE,
    ChainInfo,
    ElectionWindow,
    RequestState,
    RequestStatus,
    StakingStatus,
    is_request_id,
    parse_unsigned,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from staking_gateway.http.session import Answer

T = TypeVar("T")

# `json.dumps` with options would make a new encoder at every call.
_encode = json.JSONEncoder(separators=(",", ":")).encode
_CODES = 10**QUOTED_CHARACTERS
"""Limit of error codes, because messages quote them; JSON-RPC 2.0 defines some of five digits."""


@dataclass(frozen=True)
class Call(Generic[T]):
    """One call.

    :param decode: turns `result` into a value, or raises ValueError with a reason.
    :param path: field of `Dialect` with the path.
    :param instead: the value in place of an error that is a valid answer; returns None for other errors.
    """

    method: str
    params: Mapping[str, str]
    decode: Callable[[Any], T]
    path: str = "query_path"
    instead: Callable[[GatewayError], T | None] | None = None

    @property
    def repeatable(self) -> bool:
        """Whether the call may be repeated: a payout is sent once."""
        return self.path != "send_path"

    def body(self, request_id: int) -> bytes:
        """The request envelope (section 2.1) as UTF-8 JSON."""
        return _encode({"jsonrpc": "2.0", "method": self.method, "params": self.params, "id": request_id}).encode()


_SIGNATURES = ("proxySignature", "feePaymentSignature")
"""Parameters that a gateway may repeat, and that no text may show."""


def decode(call: Call[T], request_id: int, response: Answer, *, token: str = "") -> T:
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
    except GatewayError:
        if accepted:
            raise
        raise http_error(call.method, response, texts) from None
    # The interface document defines no HTTP statuses: an error object with the id of this call counts with any status.
    if not accepted and (error is None or envelope["id"] is None):
        raise http_error(call.method, response, texts)
    if error is None:
        return _decode_result(call, envelope["result"])
    value = None if call.instead is None else call.instead(error)
    if value is None:
        raise error
    return value


def _decode_result(call: Call[T], result: Any) -> T:
    try:
        value = call.decode(result)
    except ValueError as error:
        reason = error.fault if isinstance(error, InvalidInput) else str(error)
        raise GatewayError(
            f"unexpected result {_quote(result)}: {reason}", method=call.method, how=Failed.WRONG_RESULT
        ) from None
    if call.method == "getActiveEra" and value == 0:
        raise GatewayError(method=call.method, how=Failed.NO_ERA)
    return value


def _read_envelope(method: str, body: bytes, texts: ForeignTexts) -> dict[str, Any]:
    try:
        envelope = texts.clean_answer(read_json(body, _decode))
    except ValueError:
        start = texts.clean(body.decode("utf-8", "replace"), QUOTED_CHARACTERS)
        raise GatewayError(
            f"the answer cannot be read as JSON: {start!r}", method=method, how=Failed.MALFORMED
        ) from None
    if not isinstance(envelope, dict) or envelope.get("jsonrpc") != "2.0":
        raise GatewayError(f"not a JSON-RPC 2.0 response: {_quote(envelope)}", method=method, how=Failed.MALFORMED)
    if ("result" in envelope) == ("error" in envelope):
        raise GatewayError("a response carries either result or error", method=method, how=Failed.MALFORMED)
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
    raise GatewayError(
        f"asked with id {request_id}, answered with {_quote(answered)}", method=method, how=Failed.OTHER_ID
    )


def _rpc_error(call: Call[Any], error: Any, texts: ForeignTexts) -> GatewayError:
    method = call.method
    code = error.get("code") if isinstance(error, dict) else None
    if type(code) is not int or abs(code) >= _CODES or not isinstance(error.get("message"), str):
        raise GatewayError(f"not a JSON-RPC error object: {_quote(error)}", method=method, how=Failed.MALFORMED)
    data = error.get("data")
    details = data if isinstance(data, dict) else {}
    gateway_error = details.get("gatewayError")
    if gateway_error is None and isinstance(data, str):
        gateway_error = data
    text = None if gateway_error is None else texts.clean(gateway_error)
    message = texts.clean(error["message"])
    how = how_of_error(code, message, text)
    detail = f" ({text[:300]})" if text else ""
    used = f"; the call said {call.params.get('transactionType')}" if how is Failed.OTHER_SPELLING else ""
    facts = f"JSON-RPC error {code}: {message[:300]}{detail}{used}"
    return call_failed(how, facts, method=method, code=code, gateway_error=text or message)


def http_error(method: str, response: Answer, texts: ForeignTexts) -> GatewayError:
    """The error for an answer that is not JSON-RPC."""
    how, wait = how_of_status(response.status), seconds_to_wait(response.headers.get("Retry-After"))
    sentence = how.sentence
    if 300 <= response.status < 400:
        sentence = sentence.replace("another address", redirect_target(response.headers.get("Location"), texts))
    asked = "" if wait is None else f"; it asks to wait {wait:g} s"
    facts = f"HTTP {response.status}: {sentence}{asked}"
    return call_failed(how, facts, method=method, status=response.status, retry_after=wait)


def _quote(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= QUOTED_CHARACTERS else text[:QUOTED_CHARACTERS] + "..."


# --- readers of `result`

_SURROGATE = re.compile("[\ud800-\udfff]")
_TX_HASH = re.compile(r"0x[0-9a-fA-F]{64}\Z")


def _normal(word: str) -> str:
    """A state without case, blanks and underscores: versions of gateways spell it `SendingFailed` or `SENDING_FAILED`."""
    return word.replace("_", "").replace(" ", "").lower()


_STATUSES = {
    _normal(status.value): status
    for status in RequestStatus
    if status not in (RequestStatus.UNRECOGNISED, RequestStatus.UNREADABLE)
}


def read_unsigned(result: Any, limit: int) -> int:
    """A number, or its decimal digits as text."""
    if isinstance(result, (str, int)):
        return parse_unsigned(result, limit, field="result")
    raise ValueError(f"expected a number, got {type(result).__name__}")


def read_request_id(result: Any) -> str:
    """A request identifier (UUID)."""
    if not is_request_id(result):
        raise ValueError("expected a UUID-formatted request identifier")
    return str(result)


def read_active_era(result: Any) -> int:
    """An era; 0 too, which `decode` refuses."""
    return read_unsigned(result, MAX_ERA)


def read_nonce(result: Any) -> int:
    """A nonce."""
    return read_unsigned(result, MAX_NONCE)


def read_fee(result: Any, payout_method: str) -> int:
    """The fee of the payout method: the only value, or that of a table of fees, whose names may differ in case."""
    if isinstance(result, dict):
        result = next((fee for name, fee in result.items() if name.lower() == payout_method.lower()), None)
    return read_unsigned(result, MAX_AMOUNT)


def read_staking_status(result: Any) -> StakingStatus:
    """`isStaking` or `isNotStaking`."""
    if result in ("isStaking", "isNotStaking"):
        return StakingStatus(result)
    raise ValueError("expected isStaking or isNotStaking")


def read_election_window(result: Any) -> ElectionWindow:
    """`isOpen` or `isClosed`."""
    if result == "isOpen":
        return ElectionWindow.OPEN
    if result == "isClosed":
        return ElectionWindow.CLOSED
    raise ValueError("expected isOpen or isClosed")


def read_chain_info(result: Any) -> ChainInfo:
    """Name and version. The ledger stores the name, so unstorable names are refused."""
    name, version = (result.get("name"), result.get("version", "")) if isinstance(result, dict) else (None, None)
    if not isinstance(name, str) or type(version) not in (str, int):
        raise ValueError("expected an object with name and version")
    if len(name) > QUOTED_CHARACTERS or _SURROGATE.search(name):
        raise ValueError(f"expected a name of up to {QUOTED_CHARACTERS} characters")
    return ChainInfo(name=_shortened(name), version=_shortened(str(version)))


def read_free_balance(result: Any) -> int:
    """An amount in the smallest unit."""
    if not isinstance(result, dict):
        raise ValueError("expected an object with freeBalance")
    return parse_unsigned(result.get("freeBalance"), MAX_AMOUNT, field="freeBalance")


def read_request_state(result: Any) -> RequestState:
    """State of a request, from an object with a status or the status alone. Other answers are `UNREADABLE`.

    Invalid hashes and positions become None: old gateways put the request id into `txHash` of unsent requests.
    """
    if isinstance(result, str) and _normal(result) in _STATUSES:
        return RequestState(_STATUSES[_normal(result)], result)
    if not isinstance(result, dict) or not isinstance(result.get("status"), str):
        return _unreadable(result if isinstance(result, str) else json.dumps(result))
    word: str = result["status"]
    tx_hash = result.get("txHash")
    return RequestState(
        status=_STATUSES.get(_normal(word), RequestStatus.UNRECOGNISED),
        wire_status=_shortened(word),
        tx_hash=tx_hash if isinstance(tx_hash, str) and _TX_HASH.match(tx_hash) else None,
        block_number=_optional_position(result.get("blockNumber")),
        transaction_index=_optional_position(result.get("transactionIndex")),
    )


def read_state_error(error: GatewayError) -> RequestState | None:
    """The state in place of an error that came as an answer; None when nobody answered, or the gateway has no request states."""
    if says_not_found(error):
        return RequestState(RequestStatus.NOT_FOUND, RequestStatus.NOT_FOUND.value)
    if error.how.denies_method or (error.code is None and not error.how.breaks_rules):
        return None
    return _unreadable(error.problem.facts.removeprefix(f"{error.method}: "))


def _unreadable(answer: str) -> RequestState:
    return RequestState(RequestStatus.UNREADABLE, _shortened(f"unreadable: {answer}"))


def _shortened(text: str) -> str:
    return one_line(text[:QUOTED_CHARACTERS])


def _optional_position(value: Any) -> int | None:
    if not isinstance(value, (str, int)):
        return None
    try:
        return parse_unsigned(value, MAX_NONCE, field="position")
    except InvalidInput:
        return None
