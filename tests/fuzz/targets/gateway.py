"""Answers of a gateway: decoded alone, and received by both clients.

A case is three bytes - call, status, packing - and a body. The body's id is 1.
"""

import asyncio
import json
import random

from staking_gateway import AsyncGatewayClient, GatewayClient
from staking_gateway.errors import GatewayError
from staking_gateway.gateway import calls
from staking_gateway.gateway.answers import decode as decode_answer
from staking_gateway.http.endpoint import Endpoint, ReadRetry, Timeouts
from staking_gateway.http.session import Answer
from staking_gateway.types import MAX_AMOUNT, RequestState, RequestStatus
from tests.fuzz.grammar import (
    QUOTES,
    REQUEST_ID,
    RESULTS,
    TOKENS,
    changed_answer,
    contract_success,
    oddly_packed,
    packed,
    quoted,
    quotes,
    quoting_headers,
)
from tests.fuzz.runner import Target, answer_with, judged, said

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


def targets(server, stack):
    tokens = tuple(token.encode("utf-8", "surrogatepass")[:5000] for token in TOKENS)
    loop = asyncio.new_event_loop()
    stack.callback(loop.close)
    return [
        Target("gateway", grow, decode, tokens=tokens),
        Target("clients", grow, lambda case: ask(server, loop, case), tokens=(*tokens, *QUOTES)),
    ]


def grow(chance):
    call, status, packing = chance.randrange(len(CALLS)), chance.randrange(len(STATUSES)), chance.randrange(256)
    return bytes([call, status, packing]) + changed_answer(chance, CALLS[call], 1)


def parts(case):
    call, status, packing = case[:3].ljust(3, b"\0")
    return CALLS[call % len(CALLS)], STATUSES[status % len(STATUSES)], packing, case[3:]


def decode(case):
    """An answer with a status of success is a success exactly when another reader of the contract says so."""
    call, status, _, body = parts(case)
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


def ask(server, loop, case):
    """However an answer is packed, a success is the one in its body."""
    call, status, packing, body = parts(case)

    def answer(request):
        if quotes(body):
            return packed(status, quoted(body, request), *quoting_headers(request))
        return packed(status, body) if packing < 128 else oddly_packed(random.Random(packing), body)

    answer_with(server, answer)
    once = ReadRetry(attempts=1)
    endpoint = Endpoint(server.url, timeouts=Timeouts(2, 2, 4), retry=once, max_response_bytes=64 * 1024)
    arguments = ARGUMENTS.get(call, {})

    async def talk():
        async with AsyncGatewayClient(endpoint, TOKEN) as client:
            return await getattr(client, call)(**arguments)

    def block():
        with GatewayClient(endpoint, TOKEN) as client:
            return getattr(client, call)(**arguments)

    action = block if packing % 2 else lambda: loop.run_until_complete(talk())
    outcome = judged(action, TOKEN, SIGNATURE[2:], kinds=GatewayError)
    assert server.count <= (1 if call == "payout_stakers" else 2), f"{call} is sent {server.count} times"
    if not isinstance(outcome, Exception):
        given = spelt(call, outcome)
        assert given is not None or call == "request_state"
        assert not isinstance(outcome, int) or 0 <= outcome <= MAX_AMOUNT
        if call == "payout_stakers":
            sent = quoted(body, server.requests[-1])
            assert contract_success(call, sent, 1) == given, "an accepted payout is none"
    return said(outcome)


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
