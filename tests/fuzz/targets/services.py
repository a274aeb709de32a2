"""Answers of the remote signer and of the receiver of alerts: a case is a byte for the packing, one for the status, and a body."""

import json
import random
from functools import partial

from staking_gateway.errors import SigningError
from staking_gateway.signing import LocalSigner, MessageKind, payout_message, verify
from staking_gateway.signing.remote import RemoteSigner
from staking_gateway.types import AccountId
from tests.fuzz.grammar import (
    QUOTES,
    TOKENS,
    changed_bytes,
    changed_text,
    oddly_packed,
    packed,
    quoted,
    quotes,
    quoting_headers,
)
from tests.fuzz.runner import Target, answer_with, judged, said

ALICE = "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY"
TOKEN, KEY = "aSecretToken.42", "T0P-s3cret-Path"
STATUSES = (200, 200, 200, 201, 204, 301, 400, 401, 403, 429, 500, 503)
MESSAGE = payout_message(ALICE, 1391, 7)
SIGNATURES = [
    LocalSigner("//Alice").sign(MessageKind.PAYOUT, MESSAGE),
    LocalSigner("//Alice").sign(MessageKind.PAYOUT, payout_message(ALICE, 1392, 8)),
    LocalSigner("//Bob").sign(MessageKind.PAYOUT, MESSAGE),
]


def targets(server):
    tokens = (*(token.encode("utf-8", "surrogatepass")[:5000] for token in TOKENS), *QUOTES)
    return [Target("signer", grow, partial(sign, server), tokens=tokens)]


def grow(chance):
    body = changed_text(chance, {"signature": chance.choice(SIGNATURES), "reason": "no\r\n\x1b[31mforged"}).encode(
        "utf-8", "surrogatepass"
    )
    if chance.random() < 0.5:
        body = json.dumps({"signature": chance.choice(SIGNATURES)}).encode()
    if chance.random() < 0.3:
        body = changed_bytes(chance, body)
    return bytes([chance.choice((0, 0, chance.randrange(256))), chance.randrange(len(STATUSES))]) + body


def answer_of(case):
    """The answer to a request, and its status; 0 when it is oddly packed."""
    packing, status = case[:2].ljust(2, b"\0")
    code, body = STATUSES[status % len(STATUSES)], case[2:]
    if quotes(body):
        return lambda request: packed(code, quoted(body, request), *quoting_headers(request)), code
    if packing < 128:
        return lambda _: packed(code, body), code
    return lambda _: oddly_packed(random.Random(packing), body), 0


def sign(server, case):
    """Only a signature over the message by the account is a success."""
    answer, code = answer_of(case)
    answer_with(server, answer)
    account = AccountId.parse(ALICE)
    signer = RemoteSigner(f"http://127.0.0.1:{server.port}", TOKEN, account)
    outcome = judged(lambda: signer.sign(MessageKind.PAYOUT, MESSAGE), TOKEN, kinds=SigningError)
    if isinstance(outcome, str):
        assert code in (0, 200)
        assert verify(MESSAGE, outcome, account)
    return said(outcome)
