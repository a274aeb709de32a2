"""The meaning of JSON-RPC errors, from their texts. Pure.

Gateways use -32600 for an open election window and for bad requests, and -32603 for failures and permanent refusals. So the text
decides. The texts come from the interface document and the AvN gateway's handlers.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from staking_gateway import errors

if TYPE_CHECKING:
    from staking_gateway.errors import GatewayError

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
    -32601: errors.RpcMethodNotFound,
    -32602: errors.RpcInvalidParams,
}


def error_class(code: int, message: str, gateway_error: str | None) -> type[errors.RpcError]:
    """The class of a JSON-RPC error.

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
