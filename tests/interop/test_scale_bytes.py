"""The messages our signers are given are, byte for byte, what polkadot-js' SCALE encoder makes of the same fields."""

import itertools

from staking_gateway.signing import LocalSigner, MessageKind, ProofMaker
from staking_gateway.types import MAX_AMOUNT, MAX_ERA, MAX_NONCE

PAYOUT = "(Text, AccountId, EraIndex, u64)"
FEE_PAYMENT = "(Text, (AccountId, AccountId, MultiSignature), AccountId, Balance, u64)"
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
