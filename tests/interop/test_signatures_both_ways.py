"""What either side signs, the other verifies - over the same bytes, for every form of a key; what is forged, neither does."""

import base64
import json
from pathlib import Path

import pytest

from staking_gateway.gateway.client import SelfMadeToken
from staking_gateway.signing import LocalSigner, ProofMaker, access_token_message, fee_payment_message, payout_message
from staking_gateway.types import MAX_AMOUNT, MAX_ERA, MAX_NONCE, AccountId

VECTORS = json.loads((Path(__file__).parents[1] / "data" / "vectors.json").read_text())
KEYS = VECTORS["keys"]
BOB = next(key for key in KEYS if key["name"] == "bob")
NUMBERS = [
    {"era": 0, "nonce": 0, "fee": 0},
    {"era": 1391, "nonce": 2**53 + 1, "fee": 10**17},
    {"era": MAX_ERA, "nonce": MAX_NONCE, "fee": MAX_AMOUNT},
]
ISSUED_AT = "2026-10-18T12:00:00.007Z"
POLKADOT_JS = ["signatureVerify", "sr25519Verify"]


def pairs(*others):
    """Every form of a key with each of the others."""
    return [(key, other) for key in KEYS for other in others]


def claims_of(token):
    return json.loads(base64.b64decode(token, validate=True))


def judged(client, claims):
    """What each verifier of polkadot-js says of (message, signature, account)."""
    rows = [
        {"message": "0x" + message.hex(), "signature": signature, "account": account}
        for message, signature, account in claims
    ]
    verdicts = client.run("verify", rows)
    assert len(verdicts) == len(rows) > 0
    return verdicts


def claims_of_ours():
    """(message, signature, account) of each kind, by each form of a key, at each end of the numbers."""
    relayer = AccountId.parse(BOB["ss58_42"])
    claims = []
    for key, numbers in pairs(*NUMBERS):
        signer = LocalSigner(key["suri"], key["ss58_42"])
        era, nonce, fee = numbers["era"], numbers["nonce"], numbers["fee"]
        proofs = ProofMaker(signer, signer).make(
            relayer=relayer, era=era, relayer_fee=fee, staking_nonce=nonce, payment_nonce=nonce
        )
        fee_message = fee_payment_message(signer.account, relayer, proofs.proxy_signature, fee, nonce)
        token = claims_of(SelfMadeToken(signer).value())
        claims += [
            (payout_message(relayer, era, nonce), proofs.proxy_signature, key["ss58_0"]),
            (fee_message, proofs.fee_payment_signature, key["ss58_2"]),
            (access_token_message(token["pk"], token["iat"], token["hasPayer"]), token["sig"], key["ss58_42"]),
        ]
    return claims


def test_proofs_and_tokens_of_ours_verify_with_polkadot_js(client):
    for verdict in judged(client, claims_of_ours()):
        assert verdict == dict.fromkeys(POLKADOT_JS, True)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [({}, {}), ({"payer": AccountId.parse(BOB["ss58_0"])}, {"hasPayer": True, "payerAddress": BOB["ss58_42"]})],
    ids=["own", "named payer"],
)
def test_a_token_of_ours_is_letter_for_letter_theirs_but_for_the_signature(client, ours, theirs):
    signer = LocalSigner("//Alice")
    token = SelfMadeToken(signer, **ours).value()
    claims = claims_of(token)
    made = [{"suri": "//Alice", "issued_at": claims["iat"], "options": theirs}]
    answer = client.run("tokens", {"made": made, "others": [token]})
    (twin,) = answer["made"]
    assert base64.b64decode(token) == base64.b64decode(twin).replace(
        claims_of(twin)["sig"].encode(), claims["sig"].encode()
    )
    assert answer["read"][0] == answer["read"][1]
    assert answer["read"][1]["usable"] is True
    message = bytes.fromhex(answer["read"][1]["message"][2:])
    assert judged(client, [(message, claims["sig"], signer.account.address)]) == [dict.fromkeys(POLKADOT_JS, True)]
