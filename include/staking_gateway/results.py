"""What a `result` may be, call by call: each reader takes foreign JSON and raises `ValueError` for anything else."""

from __future__ import annotations

import json
import re
from typing import Any

from staking_gateway.one_line import one_line
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

_UNSTORABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
_HALF = re.compile("[\ud800-\udfff]")
_TX_HASH = re.compile(r"0x[0-9a-fA-F]{64}\Z")
QUOTED_CHARACTERS = 200
"""How much of a foreign text is quoted."""


def plain_text(value: Any) -> str:
    """A word of the gateway's, fit for a log and a database; what is not a text is shown as JSON."""
    if isinstance(value, str):
        return _UNSTORABLE.sub("\ufffd", value)
    try:
        return json.dumps(value)
    except RecursionError:
        return "(nested too deeply)"


def read_unsigned(result: Any, limit: int) -> int:
    """A number, perhaps as text."""
    if isinstance(result, (str, int)):
        return parse_unsigned(result, limit, field="result")
    raise ValueError(f"expected a number, got {type(result).__name__}")


def read_request_id(result: Any) -> str:
    """A request identifier."""
    if not is_request_id(result):
        raise ValueError("expected a UUID-formatted request identifier")
    return str(result)


def read_active_era(result: Any) -> int:
    """An era."""
    return read_unsigned(result, MAX_ERA)


def read_staking_status(result: Any) -> StakingStatus:
    """One of the two words."""
    if result in ("isStaking", "isNotStaking"):
        return StakingStatus(result)
    raise ValueError("expected isStaking or isNotStaking")


def read_election_window(result: Any) -> ElectionWindow:
    """One of the two words."""
    if result == "isOpen":
        return ElectionWindow.OPEN
    if result == "isClosed":
        return ElectionWindow.CLOSED
    raise ValueError("expected isOpen or isClosed")


def read_chain_info(result: Any) -> ChainInfo:
    """Name and version. By its name the ledger knows the chain, so one that could not be stored is none."""
    name, version = (result.get("name"), result.get("version", "")) if isinstance(result, dict) else (None, None)
    if not isinstance(name, str) or type(version) not in (str, int):
        raise ValueError("expected an object with name and version")
    if len(name) > QUOTED_CHARACTERS or _HALF.search(name):
        raise ValueError(f"expected a name of up to {QUOTED_CHARACTERS} characters")
    return ChainInfo(name=one_line(name), version=one_line(plain_text(version)[:QUOTED_CHARACTERS]))


def read_free_balance(result: Any) -> int:
    """An amount in the smallest unit."""
    if not isinstance(result, dict):
        raise ValueError("expected an object with freeBalance")
    return parse_unsigned(result.get("freeBalance"), MAX_AMOUNT, field="freeBalance")


def read_request_state(result: Any) -> RequestState:
    """Where a request stands; an unknown word is kept as it is."""
    if not isinstance(result, dict) or not isinstance(result.get("status"), str):
        raise ValueError("expected an object with a status")
    word: str = result["status"]
    try:
        status = RequestStatus(word)
    except ValueError:
        status = RequestStatus.UNRECOGNISED
    tx_hash = result.get("txHash")
    if tx_hash is not None and not (isinstance(tx_hash, str) and (not tx_hash or _TX_HASH.match(tx_hash))):
        raise ValueError("txHash is not a transaction hash")
    return RequestState(
        status=status,
        wire_status=one_line(word[:QUOTED_CHARACTERS]),
        tx_hash=tx_hash or None,
        block_number=_optional_position(result.get("blockNumber"), "blockNumber"),
        transaction_index=_optional_position(result.get("transactionIndex"), "transactionIndex"),
    )


def _optional_position(value: Any, name: str) -> int | None:
    if value is None or value == "":
        return None
    if not isinstance(value, (str, int)):
        raise ValueError(f"{name} is not a number")
    return parse_unsigned(value, MAX_NONCE, field=name)
