"""Decoders of `result`. They take foreign JSON, and raise `ValueError` for invalid values.

The decoder of request states never raises: an invalid answer must not end the wait for an accepted payout.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from staking_gateway.errors import InvalidInput, RpcMethodNotFound
from staking_gateway.http.limits import QUOTED_CHARACTERS
from staking_gateway.http.meanings import says_not_found
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
    from staking_gateway.errors import GatewayError, RpcError

_SURROGATE = re.compile("[\ud800-\udfff]")
_TX_HASH = re.compile(r"0x[0-9a-fA-F]{64}\Z")
_STATUSES = {
    status.value: status
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
    return read_unsigned(result, MAX_ERA)


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
    if isinstance(result, str) and result in _STATUSES:
        return RequestState(_STATUSES[result], result)
    if not isinstance(result, dict) or not isinstance(result.get("status"), str):
        return _unreadable(result if isinstance(result, str) else json.dumps(result))
    word: str = result["status"]
    tx_hash = result.get("txHash")
    return RequestState(
        status=_STATUSES.get(word, RequestStatus.UNRECOGNISED),
        wire_status=_shortened(word),
        tx_hash=tx_hash if isinstance(tx_hash, str) and _TX_HASH.match(tx_hash) else None,
        block_number=_optional_position(result.get("blockNumber")),
        transaction_index=_optional_position(result.get("transactionIndex")),
    )


def read_state_error(error: RpcError) -> RequestState | None:
    """The state in a JSON-RPC error; None when the gateway does not report request states."""
    if says_not_found(error):
        return RequestState(RequestStatus.NOT_FOUND, RequestStatus.NOT_FOUND.value)
    return None if isinstance(error, RpcMethodNotFound) else unreadable_state(error)


def unreadable_state(error: GatewayError) -> RequestState:
    """The state of a request after an invalid answer, which `error` describes."""
    return _unreadable(str(error).removeprefix(f"{error.method}: "))


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
