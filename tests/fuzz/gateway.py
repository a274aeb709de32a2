"""Answers of a gateway. A case is three bytes - call, status, one without meaning - and a body. The body's id is 1."""

import json

from staking_gateway.errors import GatewayError
from staking_gateway.gateway import calls
from staking_gateway.gateway.calls import decode as decode_answer
from staking_gateway.http.session import Answer
from staking_gateway.types import RequestState, RequestStatus
from tests.fuzz.grammar import REQUEST_ID, RESULTS, TOKENS, changed_answer, contract_success
from tests.fuzz.runner import Target, judged, said

CALLS = list(RESULTS)
STATUSES = (200, 200, 200, 200, 201, 206, 301, 400, 401, 404, 429, 500, 503, 599)
TOKEN = "aSecretToken.42"
ALICE = "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY"
SIGNATURE = "0x" + "1a" * 64
PAYOUT = {
    "relayer": ALICE,
    "user": ALICE,
    "payer": ALICE,
    "era": 7,
    "proxy_signature": SIGNATURE,
    "fee_payment_signature": SIGNATURE,
    "payment_nonce": 1,
}
ARGUMENTS = {
    "payout_stakers": PAYOUT,
    "staking_status": {"account": ALICE},
    "nonce": {"account": ALICE, "kind": "payment"},
    "relayer_fee": {"relayer": ALICE, "payer": ALICE},
    "request_state": {"request_id": REQUEST_ID},
    "free_balance": {"account": ALICE},
}


def target():
    tokens = tuple(token.encode("utf-8", "surrogatepass")[:5000] for token in TOKENS)
    return Target("gateway", grow, decode, tokens=tokens)


def grow(chance):
    call, status = chance.randrange(len(CALLS)), chance.randrange(len(STATUSES))
    return bytes([call, status, 0]) + changed_answer(chance, CALLS[call], 1)


def decode(case):
    """An answer with a status of success is a success exactly when another reader of the contract says so."""
    head, body = case[:3].ljust(3, b"\0"), case[3:]
    call, status = CALLS[head[0] % len(CALLS)], STATUSES[head[1] % len(STATUSES)]
    asked = getattr(calls, {"payout_stakers": "payout"}.get(call, call))(**ARGUMENTS.get(call, {}))
    outcome = judged(lambda: decode_answer(asked, 1, Answer(status, body)), TOKEN, SIGNATURE[2:], kinds=GatewayError)
    given = None if isinstance(outcome, Exception) else spelt(call, outcome)
    right = contract_success(call, body, 1) if status < 300 else None
    if given != right:
        # Only the product says that an error spells "not found", and makes names and words fit for a log.
        assert given is not None, f"{call}: {right!r} is refused: {outcome}"
        shown = call in ("chain_info", "request_state") and not printable(body)
        assert "Transaction not found" in given or shown, (
            f"{call}: {given!r} is taken for a success, right is {right!r}"
        )
    return said(outcome)


def printable(body):
    try:
        return json.loads(f'"{body.decode()}"', strict=False).isprintable() if b"\\" not in body else False
    except ValueError:
        return False


def spelt(call, value):
    """A value as `contract_success` spells it; None for a request's state that could not be read."""
    if call == "request_state":
        if value.status is RequestStatus.UNREADABLE:
            assert value == RequestState(RequestStatus.UNREADABLE, value.wire_status)
            assert value.wire_status.isprintable()
            return None
        return str(value.status), value.tx_hash, value.block_number, value.transaction_index
    if call == "election_window":
        return {"open": "isOpen", "closed": "isClosed"}[str(value)]
    if call == "chain_info":
        assert value.name.isprintable()
        return value.name
    return str(value) if call == "staking_status" else value
