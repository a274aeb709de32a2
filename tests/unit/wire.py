"""What the tests of the wire share: one call of each kind, and the ways to decode an answer to it."""

import json

import pytest

from staking_gateway import errors
from staking_gateway.gateway import calls
from staking_gateway.http.session import Answer
from staking_gateway.types import NonceKind

ALICE = "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY"
BOB = "5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty"
ID = 7
UUID = "c9b1c6f6-4c3a-4a55-9d2e-0f6b1a2c3d4e"
HASH = "0x" + "cd" * 32
PAYOUT = {
    "relayer": BOB,
    "user": ALICE,
    "payer": ALICE,
    "era": 1391,
    "proxy_signature": "0x" + "1a" * 64,
    "fee_payment_signature": "0x" + "2b" * 64,
    "payment_nonce": 3,
}
CALLS = {
    "payout": calls.payout(**PAYOUT),
    "status": calls.staking_status(ALICE),
    "era": calls.active_era(),
    "window": calls.election_window(),
    "nonce": calls.nonce(ALICE, NonceKind.PAYMENT),
    "fee": calls.relayer_fee(BOB, ALICE, "proxyPayoutstakers"),
    "state": calls.request_state(UUID),
    "info": calls.chain_info(),
    "balance": calls.free_balance(ALICE),
}


def decode(name, body, status=200, retry_after=None):
    headers = {} if retry_after is None else {"Retry-After": retry_after}
    return calls.decode(CALLS[name], ID, Answer(status, body, headers))


def answer(**members):
    return json.dumps({"jsonrpc": "2.0", "id": ID, **members}).encode()


def failure(name, body, status=200, retry_after=None):
    """The one error of the tree that the answer becomes."""
    with pytest.raises(errors.GatewayError) as caught:
        decode(name, body, status, retry_after)
    assert caught.value.method == CALLS[name].method
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    str(caught.value).encode()  # fit for any log
    assert len(str(caught.value)) < 1000
    return caught.value
