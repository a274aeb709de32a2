"""The row of `Failed` for every answer: HTTP statuses, JSON-RPC codes and the texts of gateways. Pure. No other module judges them."""

import re
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime

from staking_gateway.errors import Failed, SendAnswer

_STATUSES = {
    401: Failed.NO_TOKEN,
    403: Failed.BAD_TOKEN,
    429: Failed.TOO_MANY,
    **dict.fromkeys((404, 405), Failed.NO_PATH),
    **dict.fromkeys((413, 415), Failed.NOT_TAKEN),  # RFC 9110
    **dict.fromkeys((301, 307, 308), Failed.MOVED),  # a 302 or 303 may follow a processed request
    **dict.fromkeys((408, 425), Failed.TOO_EARLY),
}


def how_of_status(status: int) -> Failed:
    """The row of an HTTP status that is no success."""
    if status in _STATUSES:
        return _STATUSES[status]
    if status // 100 == 3:
        return Failed.REDIRECTED
    return Failed.FAILED if status >= 500 else Failed.ODD_STATUS


def seconds_to_wait(retry_after: str | None) -> float | None:
    """The header `Retry-After` in seconds; RFC 9110 allows a number or a date in GMT. None: no wait, or an unreadable one."""
    if retry_after is None:
        return None
    if retry_after.strip().isdecimal():
        return float(retry_after.strip()[:9])
    try:
        return max(0.0, (parsedate_to_datetime(retry_after) - datetime.now(timezone.utc)).total_seconds())
    except (TypeError, ValueError, IndexError, OverflowError):
        return None


# Gateways use -32600 for an open election window and for bad requests, and -32603 for failures and permanent refusals. So the text
# decides. The texts come from the interface document and the AvN gateway's handlers.

METHOD_NOT_FOUND = -32601
WINDOW_OPEN_TEXT = "election window is open"
NOT_FOUND_TEXT = "transaction not found"
_BEGINNINGS = {
    "invalid transaction type": Failed.OTHER_SPELLING,
    "invalid currencytoken": Failed.CURRENCY,
    "split fee transaction already contains payment info": Failed.PAYER_TWICE,
}
"""How texts begin."""
_REFUSED = re.compile(
    r"invalid (fee|proxy) authori[sz]ation|invalid (parameter|payment nonce)|could not get relayer fee|unknown relayer"
)
"""How texts of internal errors for good begin; other codes tell more."""
_NOTHING_LEFT = re.compile(
    r"already (been )?(paid|claimed)|alreadyclaimed|nothing (is )?left|no (unpaid )?stakers (are )?(left|to pay)"
)
_NOT_ABOUT_ERA = re.compile(
    r"nonce|fee|authori[sz]|signature|payer|balance|funds|could not|request|queue|worker|retry|try again|later"
)
"""Words of texts about something else than the era, e.g. a fee that is paid, or a request that another worker has claimed."""
_OUTCOME_UNKNOWN = re.compile(r"fail|time[d-]? ?out")
"""Words of failures. After a failure, the gateway may have sent the payout."""
_ERROR_PREFIX = re.compile(r"\A(error: ?)+")
_BY_CODE = {
    -32700: Failed.UNREADABLE,
    -32600: Failed.INVALID_REQUEST,
    METHOD_NOT_FOUND: Failed.NO_METHOD,
    -32602: Failed.INVALID_PARAMETER,
}


def how_of_error(code: int, message: str, gateway_error: str | None) -> Failed:
    """The row of a gateway's JSON-RPC error, by its words in lower case with single spaces, without `Error:` and full stop."""
    told = gateway_error if gateway_error and gateway_error.strip() else message
    words = _ERROR_PREFIX.sub("", " ".join(told.split()).lower()).rstrip(". ")
    how = _how_of_words(code, words)
    submitted_nothing = how.sent not in (SendAnswer.LOST, SendAnswer.WINDOW)
    if how is Failed.INTERNAL:
        submitted_nothing = not _OUTCOME_UNKNOWN.search(words)
    nothing_left = _NOTHING_LEFT.search(words) and not _NOT_ABOUT_ERA.search(words)
    return Failed.PAID if submitted_nothing and nothing_left else how


def _how_of_words(code: int, words: str) -> Failed:
    by_code = _BY_CODE.get(code, Failed.INTERNAL)
    if by_code in (Failed.INVALID_REQUEST, Failed.INTERNAL) and words == WINDOW_OPEN_TEXT:
        return Failed.WINDOW
    if by_code is Failed.INVALID_REQUEST and words == "method not found":
        return Failed.NO_METHOD
    if by_code is Failed.INTERNAL and _REFUSED.match(words):
        return Failed.REFUSED
    return next((how for beginning, how in _BEGINNINGS.items() if words.startswith(beginning)), by_code)
