"""The meaning of every failed call: HTTP statuses, JSON-RPC codes and the texts of gateways. Pure. No other module judges them.

| Question | Answer |
|---|---|
| May the same read succeed shortly after? | `is_transient` |
| Does the gateway ask for fewer calls, and for how long? | `asks_for_fewer_calls`, `seconds_to_wait` |
| Was a payout accepted, refused, or perhaps accepted? | `meaning_of_send` |
| Which error is a status or a code of a gateway? May a node be asked again? | `meaning_of_status`, `rpc_error_class` |
| Does the server have the method? | `denies_method` |

An example: HTTP 429 is transient and asks for fewer calls, and the payout was not accepted (`SendAnswer.DOOR`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from enum import Enum
from typing import TypeGuard

from staking_gateway import errors
from staking_gateway.errors import Fate, GatewayError, HttpError

# --- HTTP statuses ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class StatusMeaning:
    """The meaning of an HTTP status that is no success.

    :param error: the error of a gateway's answer.
    :param transient: whether the same call may succeed shortly after.
    :param fate: whether the gateway may have accepted a payout; None: as `error` says.
    """

    error: type[HttpError]
    transient: bool = False
    fate: Fate | None = None


_NEVER_PROCESSED = StatusMeaning(errors.UnexpectedStatus, fate=Fate.NOT_ACCEPTED)
_MOVED = StatusMeaning(errors.RedirectRefused, fate=Fate.NOT_ACCEPTED)
_TOO_EARLY = StatusMeaning(errors.UnexpectedStatus, transient=True)
_STATUSES = {
    401: StatusMeaning(errors.Unauthorized),
    403: StatusMeaning(errors.Forbidden),
    429: StatusMeaning(errors.RateLimited, transient=True),
    **dict.fromkeys((404, 405, 413, 415), _NEVER_PROCESSED),  # RFC 9110
    **dict.fromkeys((301, 307, 308), _MOVED),  # a 302 or 303 may follow a processed request
    **dict.fromkeys((408, 425), _TOO_EARLY),
}
_OVERLOADED = (429, 503)
_METHOD_MISSING = (404, 405)


def meaning_of_status(status: int) -> StatusMeaning:
    """The meaning of an HTTP status that is no success."""
    if status in _STATUSES:
        return _STATUSES[status]
    if 300 <= status < 400:
        return StatusMeaning(errors.RedirectRefused)
    return StatusMeaning(errors.GatewayUnavailable, transient=True) if status >= 500 else _UNEXPECTED


_UNEXPECTED = StatusMeaning(errors.UnexpectedStatus)


def seconds_to_wait(retry_after: str | None) -> float | None:
    """The header `Retry-After` in seconds; RFC 9110 allows a number or a date. None: no wait, or an unreadable one."""
    if retry_after is None:
        return None
    if retry_after.strip().isdecimal():
        return float(retry_after.strip()[:9])
    try:
        when = parsedate_to_datetime(retry_after)
        if when.tzinfo is None:
            when = when.replace(tzinfo=timezone.utc)
        return max(0.0, (when - datetime.now(timezone.utc)).total_seconds())
    except (TypeError, ValueError, IndexError, OverflowError):
        return None


# --- errors ----------------------------------------------------------------------------------------------------------------

_TRANSIENT = (
    errors.TransportError,
    errors.ProtocolError,
    errors.RpcInternalError,
    errors.MethodWithdrawn,
    errors.NodeUnreachable,
    errors.NodeRefused,
    errors.NodeAnswerInvalid,
    errors.EraNotBegun,
)


def is_transient(error: BaseException) -> bool:
    """Whether the same read may succeed shortly after, as it may after HTTP 429, 5xx or no answer."""
    if isinstance(error, HttpError):
        return meaning_of_status(error.status).transient
    return isinstance(error, _TRANSIENT)


def asks_for_fewer_calls(error: BaseException) -> TypeGuard[HttpError]:
    """Whether the gateway is overloaded (HTTP 429, 503). The error's `retry_after` is the wait that it asks for."""
    return isinstance(error, HttpError) and error.status in _OVERLOADED


def is_outage(error: BaseException) -> TypeGuard[GatewayError]:
    """Whether the gateway gave no answer, or an answer of an overloaded or broken server."""
    return isinstance(error, (errors.TransportError, errors.GatewayUnavailable)) or asks_for_fewer_calls(error)


def denies_method(error: GatewayError) -> bool:
    """Whether the server says that it has no such method."""
    return isinstance(error, errors.RpcMethodNotFound) or (
        isinstance(error, errors.UnexpectedStatus) and error.status in _METHOD_MISSING
    )


class SendAnswer(Enum):
    """What one send of a payout brought. The five refusals promise that this send was not accepted; LOST promises nothing.

    WINDOW: the election window is open. PAID: the era is paid already. NO_METHOD: the gateway has no payout method.
    DOOR: the gateway did not take the call, as with HTTP 429; the task is retried. REFUSED: every other refusal.
    """

    ACCEPTED = "accepted"
    LOST = "lost"
    WINDOW = "window"
    PAID = "paid"
    NO_METHOD = "no method"
    DOOR = "door"
    REFUSED = "refused"


def meaning_of_send(error: GatewayError) -> SendAnswer:
    """What a failed send of a payout means."""
    if error.fate is Fate.UNKNOWN:
        return SendAnswer.LOST
    if isinstance(error, errors.ElectionWindowOpen):
        return SendAnswer.WINDOW
    if says_nothing_left(error):
        return SendAnswer.PAID
    if isinstance(error, (errors.RpcMethodNotFound, errors.TransactionTypeRefused)):
        return SendAnswer.NO_METHOD
    return SendAnswer.REFUSED if isinstance(error, errors.RpcError) else SendAnswer.DOOR


# --- JSON-RPC codes and texts ----------------------------------------------------------------------------------------------
#
# Gateways use -32600 for an open election window and for bad requests, and -32603 for failures and permanent refusals. So the text
# decides. The texts come from the interface document and the AvN gateway's handlers.

METHOD_NOT_FOUND = -32601
WINDOW_OPEN_TEXT = "election window is open"
NOT_FOUND_TEXT = "transaction not found"
_METHOD_MISSING_TEXT = "method not found"
_TYPE_UNKNOWN_TEXT = "invalid transaction type"
_PERMANENT_BEGINNINGS = (
    "invalid fee authorisation",
    "invalid fee authorization",
    "invalid proxy authorisation",
    "invalid proxy authorization",
    "could not get relayer fee",
    "invalid parameter",
    "invalid payment nonce",
    "unknown relayer",
)
_NOTHING_LEFT = re.compile(
    r"already (been )?(paid|claimed)|alreadyclaimed|nothing (is )?left|no (unpaid )?stakers (are )?(left|to pay)",
    re.IGNORECASE,
)
_NOT_ABOUT_ERA = re.compile(
    r"nonce|fee|authori[sz]|signature|payer|balance|funds|could not|request|queue|worker|retry|try again|later",
    re.IGNORECASE,
)
"""Words of texts about something else than the era, e.g. a fee that is paid, or a request that another worker has claimed."""
_OUTCOME_UNKNOWN = re.compile(r"fail|time[d-]? ?out")
"""Words of failures. After a failure, the gateway may have sent the payout."""
_ERROR_PREFIX = re.compile(r"(error: ?)+")
_BY_CODE: dict[int, type[errors.RpcError]] = {
    -32700: errors.RpcParseError,
    -32600: errors.RpcInvalidRequest,
    METHOD_NOT_FOUND: errors.RpcMethodNotFound,
    -32602: errors.RpcInvalidParams,
}


def rpc_error_class(code: int, message: str, gateway_error: str | None) -> type[errors.RpcError]:
    """The class of a gateway's JSON-RPC error.

    :param message: `error.message`; used when there is no `gateway_error`.
    :param gateway_error: `error.data.gatewayError`, or None.
    """
    by_code = _BY_CODE.get(code, errors.RpcInternalError)
    words = _words(gateway_error if gateway_error and gateway_error.strip() else message)
    if words.startswith(_TYPE_UNKNOWN_TEXT):
        return errors.TransactionTypeRefused
    if by_code in (errors.RpcInvalidRequest, errors.RpcInternalError) and words == WINDOW_OPEN_TEXT:
        return errors.ElectionWindowOpen
    if by_code is errors.RpcInvalidRequest and words == _METHOD_MISSING_TEXT:
        return errors.RpcMethodNotFound
    if by_code is errors.RpcInternalError and _is_permanent(words):
        return errors.RpcRefused
    return by_code


def says_nothing_left(error: GatewayError) -> bool:
    """Whether the gateway refuses a payout because its era is paid or has no unpaid stakers. The texts are not documented."""
    return isinstance(error, errors.RpcError) and _names_nothing_left(error.gateway_error or error.message)


def says_not_found(error: GatewayError) -> bool:
    """Whether the gateway does not know a request."""
    return isinstance(error, errors.RpcError) and NOT_FOUND_TEXT in (error.gateway_error or error.message).lower()


def _is_permanent(words: str) -> bool:
    if words.startswith(_PERMANENT_BEGINNINGS):
        return True
    return _names_nothing_left(words) and not _OUTCOME_UNKNOWN.search(words)


def _names_nothing_left(text: str) -> bool:
    return bool(_NOTHING_LEFT.search(text)) and not _NOT_ABOUT_ERA.search(text)


def _words(text: str) -> str:
    """The text in lower case with single spaces, without leading `Error:` and trailing full stop."""
    words = " ".join(text.split()).lower()
    start = _ERROR_PREFIX.match(words)
    return words[start.end() if start else 0 :].rstrip(". ")
