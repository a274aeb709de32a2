"""Hostile answers: valid ones, changed at random.

`contract_success` says apart from the product what a success is: read with another JSON library, judged by patterns written anew from
the interface document and the gateway's facts.
"""

import json
import re

from pydantic_core import from_json

REQUEST_ID = "c9b1c6f6-4c3a-4a55-9d2e-0f6b1a2c3d4e"
TX_HASH = "0x" + "cd" * 32
STATE = {"txHash": TX_HASH, "status": "Processed", "blockNumber": "5", "transactionIndex": 1}

# method of the client: a sound result
RESULTS = {
    "payout_stakers": REQUEST_ID,
    "staking_status": "isStaking",
    "active_era": "1392",
    "election_window": "isClosed",
    "nonce": "7",
    "relayer_fee": "10000000000000000",
    "request_state": STATE,
    "chain_info": {"name": "somenet", "version": "9"},
    "free_balance": {"totalBalance": "9", "freeBalance": "5"},
}
ERRORS = [
    {
        "code": -32600,
        "message": "Invalid Request",
        "data": {"gatewayError": "election window is open", "request": "{}"},
    },
    {"code": -32601, "message": "Method not found"},
    {"code": -32603, "message": "Internal error", "data": "failed to send proxy transaction"},
]
DEEP = "[" * 400 + "]" * 400
HUGE = "9" * 5000
TOKENS = [
    "NaN", "Infinity", "-Infinity", "-0", "-1", "1e999", "1.0", "0", "true", "null", '""', "[]", "{}", HUGE, DEEP, '"\\ud800"',
    '"\\udfff\\ud800"', '"\\u0000"', '"isStaking"', '"isClosed"', '"Processed"', f'"{REQUEST_ID}"', '"0x"', "4294967295",
    "4294967296", "18446744073709551616", '"340282366920938463463374607431768211456"', '"1392 "', '" 1392"', '"01392"', '"+7"',
    '"\u0667"', '"\uff11"', "7.0", '"isstaking"', '["isStaking"]', '{"isStaking": true}', '"\\u0069sStaking"', "/**/1", "'1'",
    '"\x01"', '"=HYPERLINK(1)"', '"<script>alert(1)</script>"', '"\\u001b[31m\\nERROR forged"', '"%s%n{0}"', '"{{ 7*7 }}"',
]  # fmt: skip
PLACE = "\x00PLACE\x00"


def changed_answer(chance, call, request_id):
    """The body of an answer to a call."""
    envelope = {"jsonrpc": "2.0", "id": request_id}
    if chance.random() < 0.2:
        envelope["error"] = chance.choice(ERRORS)
    else:
        envelope["result"] = RESULTS[call]
    return changed_text(chance, envelope).encode("utf-8", "surrogatepass")


def changed_text(chance, envelope):
    kind = chance.choice((0, 0, 1, 1, 1, 2, 3, 4, 5))
    if kind == 0:
        return json.dumps(envelope)
    if kind == 1:  # another value somewhere
        changed = json.loads(json.dumps(envelope))
        _put(chance, changed)
        return json.dumps(changed).replace(json.dumps(PLACE), chance.choice(TOKENS))
    text = json.dumps(envelope)
    if kind == 2:  # a member twice
        member = chance.choice(list(envelope))
        other = chance.choice([json.dumps(envelope[member]), *TOKENS])
        twice = f'"{member}": {other}, '
        return "{" + twice + text[1:] if chance.random() < 0.5 else text[:-1] + ", " + twice[:-2] + "}"
    if kind == 3:  # members missing, added or spelt otherwise
        changed = dict(envelope)
        member = chance.choice(list(changed))
        value = changed.pop(member)
        if chance.random() < 0.6:
            changed[chance.choice(("Result", "RESULT", "result ", "error", "result", "ID", "x"))] = value
        return json.dumps(changed)
    if kind == 4:  # around it
        return chance.choice(
            (f"[{text}]", f"[{text},{text}]", text + text, f"\ufeff{text}", f" {text}\n", f")]}}'\n{text}", f'"{text}"')
        )
    depth = chance.choice((10, 200, 990, 3000, 20_000))
    return text.replace(
        chance.choice(('"2.0"', '"result"', '"id"')), "[" * depth + "]" * chance.choice((depth, depth - 1))
    )


def _put(chance, value):
    """Mark a place somewhere inside."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    key = chance.choice(keys)
    if isinstance(value[key], (dict, list)) and value[key] and chance.random() < 0.7:
        _put(chance, value[key])
    else:
        value[key] = PLACE


def changed_bytes(chance, body):
    """Some bytes more, less or others."""
    if not body:
        return body
    at = chance.randrange(len(body))
    kind = chance.randrange(7)
    if kind == 0:
        return body[:at] + bytes([body[at] ^ (1 << chance.randrange(8))]) + body[at + 1 :]
    if kind == 1:
        return body[:at] + body[at + chance.randrange(1, 9) :]
    if kind == 2:
        return body[:at] + body[at : at + chance.randrange(1, 40)] + body[at:]
    if kind == 3:
        return body[:at] + chance.randbytes(chance.randrange(1, 6)) + body[at:]
    if kind == 4:
        return body[:at]
    if kind == 5:
        return (
            body[:at] + chance.choice((b"\x00", b"\xff", b"\xed\xa0\x80", b"\xc0\xaf", b"\x1b[2J", b"\r\n")) + body[at:]
        )
    other = chance.choice(("utf-16", "utf-32", "latin-1", "utf-7"))
    return body.decode("utf-8", "replace").encode(other, "replace")


# ------------------------------------------------------------------------------------------------- what a success is

_NUMBER = re.compile(r"(0|[1-9][0-9]*)\Z", re.ASCII)
_UUID = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\Z")
_STATES = {
    "AwaitingToSend", "Validating", "Pending", "Processed", "Rejected", "SendingFailed", "PayerRefused", "Transaction not found",
}  # fmt: skip


def contract_success(call, body, request_id):
    """The value an answer with status 200 stands for, as the client should give it; None when it is no success.

    :returns: a text, a number or, for a request's state, a tuple.
    """
    try:
        # Lone halves of surrogate pairs, which that library refuses, do no harm where nobody reads them.
        text = _HALVES.sub("?", body.decode("utf-8-sig"))
        told = from_json(text.encode(), allow_inf_nan=False)
    except ValueError:
        return None
    if not isinstance(told, dict) or _has_duplicates(text) or told.get("jsonrpc") != "2.0":
        return None
    if type(told.get("id")) is not int or told["id"] != request_id or "error" in told or "result" not in told:
        return None
    return _READERS[call](told["result"])


def _has_duplicates(text):
    found = []

    def look(pairs):
        found.append(len({key for key, _ in pairs}) != len(pairs))

    json.loads(text, object_pairs_hook=look)
    return any(found)


_HALVES = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")


def _number(limit):
    def read(value):
        if type(value) is int or (isinstance(value, str) and _NUMBER.match(value)):
            return int(value) if 0 <= int(value) < limit else None
        return None

    return read


def _fee(value):
    return _number(2**128)(value.get("proxyPayoutstakers") if isinstance(value, dict) else value)


def _era(value):
    return _number(2**32)(value) or None  # 0 also means that there is no data


def _word(*words):
    return lambda value: value if isinstance(value, str) and value in words else None


def _state(value):
    """An object with a status, or the bare word of a known one. What is no hash and no position is left out."""
    if isinstance(value, str):
        return (value, None, None, None) if value in _STATES else None
    if not isinstance(value, dict) or not isinstance(value.get("status"), str):
        return None
    tx_hash = value.get("txHash")
    if not (isinstance(tx_hash, str) and re.match(r"0x[0-9a-fA-F]{64}\Z", tx_hash)):
        tx_hash = None
    places = [_number(2**64)(value.get(name)) for name in ("blockNumber", "transactionIndex")]
    return (value["status"] if value["status"] in _STATES else "unrecognised", tx_hash, *places)


def _info(value):
    """The name may be given as it is in a test: a lone half of a surrogate pair has become a question mark here."""
    if not isinstance(value, dict) or not isinstance(value.get("name"), str) or "?" in value["name"]:
        return None
    return value["name"] if type(value.get("version", "")) in (str, int) else None


_READERS = {
    "payout_stakers": lambda value: value if isinstance(value, str) and _UUID.match(value) else None,
    "staking_status": _word("isStaking", "isNotStaking"),
    "active_era": _era,
    "election_window": _word("isOpen", "isClosed"),
    "nonce": _number(2**64),
    "relayer_fee": _fee,
    "request_state": _state,
    "chain_info": _info,
    "free_balance": lambda value: _number(2**128)(value.get("freeBalance")) if isinstance(value, dict) else None,
}
