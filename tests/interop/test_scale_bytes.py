"""The messages our signers are given are, byte for byte, what polkadot-js' SCALE encoder makes of the same fields."""

from __future__ import annotations

import itertools
import re

import pytest

from staking_gateway.errors import InvalidInput
from staking_gateway.signing import LocalSigner, MessageKind, ProofMaker, access_token_message, payout_message
from staking_gateway.types import MAX_AMOUNT, MAX_ERA, MAX_NONCE

PAYOUT = "(Text, AccountId, EraIndex, u64)"
FEE_PAYMENT = "(Text, (AccountId, AccountId, MultiSignature), AccountId, Balance, u64)"
ACCESS_TOKEN = "(Text, AccountId, Text)"
ERAS = [0, 1, 255, 256, 2**31, MAX_ERA]
NONCES = [0, 1, 256, 2**32, 2**53 + 1, 2**63, MAX_NONCE]
FEES = [0, 1, 2**53 + 1, 2**63, 2**64, 2**127, MAX_AMOUNT]
USER, PAYER, RELAYER = (LocalSigner(uri) for uri in ("//Alice", "//Charlie", "//Bob"))


class Watched:
    """A signer that keeps what it is asked to sign."""

    def __init__(self, signer):
        self._signer = signer
        self.account = signer.account
        self.asked = []

    def check(self):
        self._signer.check()

    def sign(self, kind, message):
        self.asked.append((kind, "0x" + message.hex()))
        return self._signer.sign(kind, message)


def encoded(client, *rows):
    """Bytes of [type, fields], and the fields read back from them."""
    return [answer["value"] for answer in client.run("encode", rows)]


def test_both_messages_of_a_payout_at_every_boundary(client):
    user, payer = Watched(USER), Watched(PAYER)
    rows = []
    for era, nonce, fee in itertools.product(ERAS, NONCES, FEES):
        payment_nonce = MAX_NONCE - nonce
        proofs = ProofMaker(user, payer).make(
            relayer=RELAYER.account, era=era, relayer_fee=fee, staking_nonce=nonce, payment_nonce=payment_nonce
        )
        relayer = RELAYER.account.address
        proof = [USER.account.hex, relayer, {"Sr25519": proofs.proxy_signature}]
        rows += [
            [PAYOUT, ["authorization for signed payout stakers operation", relayer, str(era), str(nonce)]],
            [FEE_PAYMENT, ["authorization for proxy payment", proof, relayer, str(fee), str(payment_nonce)]],
        ]
    asked = [message for pair in zip(user.asked, payer.asked, strict=True) for message in pair]
    assert len(asked) == 2 * len(ERAS) * len(NONCES) * len(FEES)
    # One by one: what a difference between the whole lists is takes minutes to work out.
    for (kind, message), (type_name, fields), row in zip(asked, rows, encoded(client, *rows), strict=True):
        assert kind == (MessageKind.PAYOUT if type_name == PAYOUT else MessageKind.FEE_PAYMENT)
        assert message == row["bytes"], fields


def test_polkadot_js_reads_the_fields_of_a_payout_back_from_our_bytes(client):
    message = payout_message(RELAYER.account, MAX_ERA, 2**53 + 1)
    (row,) = encoded(client, [PAYOUT, "0x" + message.hex()])
    assert row["bytes"] == "0x" + message.hex()
    context, relayer, era, nonce = row["read"]
    assert (context, relayer) == ("authorization for signed payout stakers operation", RELAYER.account.address)
    assert (era.replace(",", ""), nonce.replace(",", "")) == (str(MAX_ERA), str(2**53 + 1))


def test_the_message_of_an_access_token_without_a_payer(client):
    issued_at = "2026-10-18T12:00:00.007Z"
    (row,) = encoded(client, [ACCESS_TOKEN, ["awt_gateway_api", USER.account.address, issued_at]])
    assert row["bytes"] == "0x" + access_token_message(USER.account, issued_at).hex()


def test_a_number_that_does_not_fit_is_refused_by_both(client):
    misfits = [("u32", MAX_ERA + 1, 0), ("u64", 0, MAX_NONCE + 1), ("u32", -1, 0), ("u64", 0, -1)]
    for _, era, nonce in misfits:
        with pytest.raises(InvalidInput):
            payout_message(RELAYER.account, era, nonce)
    answers = client.run("encode", [[type_name, str(era or nonce)] for type_name, era, nonce in misfits])
    assert [re.search("too large|Negative", answer["error"])[0] for answer in answers] == ["too large"] * 2 + [
        "Negative"
    ] * 2
