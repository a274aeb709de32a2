"""The three messages and the signers, against vectors of the gateway's own client. `test_who_can_sign` changes them."""

import copy
import json
import pickle
import traceback
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from staking_gateway.errors import InvalidEra, InvalidInput, SigningError
from staking_gateway.signing import (
    LocalSigner,
    MessageKind,
    ProofMaker,
    Proofs,
    access_token_message,
    fee_payment_message,
    payout_message,
    verify,
)
from staking_gateway.types import AccountId

VECTORS = json.loads((Path(__file__).parents[1] / "data" / "vectors.json").read_text())
KEYS = {key["name"]: key for key in VECTORS["keys"]}
PHRASE = "bottom drive obey lake curtain smoke basket hold race lonely fit walk"
SEED = "0x9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"


def payout_of(vector):
    relayer = KEYS[vector["relayer"]]
    spellings = relayer["ss58_42"], relayer["ss58_0"], vector["relayer_public_key"]
    (message,) = {payout_message(one, int(vector["era"]), int(vector["staking_nonce"])) for one in spellings}
    return MessageKind.PAYOUT, message, KEYS[vector["signer"]]


def fee_payment_of(vector):
    accounts = KEYS[vector["user"]]["ss58_42"], vector["relayer_public_key"]
    numbers = int(vector["relayer_fee"]), int(vector["payment_nonce"])
    message = fee_payment_message(*accounts, vector["proxy_signature"], *numbers)
    return MessageKind.FEE_PAYMENT, message, KEYS[vector["payer"]]


def access_token_of(vector):
    signer, payer = KEYS[vector["signer"]], vector["payer_public_key"] or None
    message = access_token_message(signer["public_key"], vector["iat"], vector["has_payer"], payer)
    return MessageKind.ACCESS_TOKEN, message, signer


PUBLISHED = [
    pytest.param(made_of, vector, id=vector["id"])
    for name, made_of in (("payout_proof", payout_of), ("fee_proof", fee_payment_of), ("awt", access_token_of))
    for vector in VECTORS[name]
]


@pytest.mark.parametrize(("made_of", "vector"), PUBLISHED)
def test_messages_and_signatures_are_those_of_the_vectors(made_of, vector):
    """The bytes are the published ones; the published signature and two of ours are the signer's over them."""
    kind, message, signer = made_of(vector)
    assert ("0x" + message.hex(), len(message)) == (vector["message"], vector["message_len"])
    own = LocalSigner(signer["suri"], signer["ss58_42"])
    signatures = {vector["signature"], own.sign(kind, message), own.sign(kind, message)}
    assert len(signatures) == 3, "a signature differs every time"
    for signature in signatures:
        assert verify(message, signature, signer["public_key"])
        assert verify(message, signature, signer["ss58_2"])
        assert not verify(message + b"\0", signature, signer["public_key"])
        assert not verify(b"<Bytes>" + message + b"</Bytes>", signature, signer["public_key"])


@pytest.mark.parametrize("vector", VECTORS["negative"], ids=lambda vector: vector["id"])
def test_no_negative_vector_verifies(vector):
    message = bytes.fromhex(vector["message"][2:])
    assert not verify(message, vector["signature"], vector["public_key"])


accounts = st.binary(min_size=32, max_size=32)


@pytest.mark.parametrize(
    ("arguments", "kind", "field"),
    [
        (("nobody", 1, 1), InvalidInput, "relayer"),
        ((KEYS["bob"]["ss58_42"], 2**32, 1), InvalidEra, "era"),
        ((KEYS["bob"]["ss58_42"], 1, 2**64), InvalidInput, "nonce"),
        ((KEYS["bob"]["ss58_42"], 1, 1.0), InvalidInput, "nonce"),
        ((*[KEYS["bob"]["ss58_42"]] * 2, "0x" + "00" * 64, 2**128, 0), InvalidInput, "relayer_fee"),
        ((*[KEYS["bob"]["ss58_42"]] * 2, "0x" + "00" * 63, 1, 0), InvalidInput, "proxy_signature"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_by_name_instead_of_being_cut(arguments, kind, field):
    with pytest.raises(kind) as caught:
        (payout_message if len(arguments) == 3 else fee_payment_message)(*arguments)
    assert caught.value.field == field


@pytest.mark.parametrize(
    "issued_at", ["", "2024-01-02T03:04:05Z", "2024-01-02T03:04:05.006Z\n", "2024-01-02T03:04:05.006000Z", None]
)
def test_a_token_is_issued_at_a_utc_time_with_milliseconds(issued_at):
    with pytest.raises(InvalidInput, match="issued_at"):
        access_token_message(KEYS["alice"]["public_key"], issued_at)


# --------------------------------------------------------------------------------------------------------------- keys


@pytest.mark.parametrize("key", VECTORS["keys"], ids=lambda key: key["name"])
def test_every_form_of_a_key_is_read_with_stray_spaces_at_both_ends_and_shows_its_account_alone(key):
    for frame in ("{}", "\t{} \r\n"):
        signer = LocalSigner(frame.format(key["suri"]), key["ss58_0"])
        assert (signer.account.hex, str(signer.account)) == (key["public_key"], key["ss58_0"])
    signer = LocalSigner(key["suri"])
    assert repr(signer) == str(signer) == f"{signer}" == f"LocalSigner({key['ss58_42']})"
    assert not hasattr(signer, "__dict__")
    assert {name for name in dir(signer) if not name.startswith("_")} == {"account", "check", "sign"}


NO_PHRASES = [PHRASE.upper(), PHRASE + " secretive", PHRASE.rsplit(" ", 1)[0], PHRASE.replace("walk", "secretive")]
NO_SEEDS = ["0x", SEED[:-1], SEED + "0", SEED[:-1] + "g", SEED + "///secretive", SEED.replace("0x", "0X"), SEED[2:]]
NO_URIS = ["", "   ", "/", "//", "///secretive", "//Alice//", "//Alice //Bob", "secretive", "//" + "9" * 100]


@pytest.mark.parametrize("secret", [*NO_PHRASES, *NO_SEEDS, *NO_URIS, "//secretive\ud800", "secretive\x00", None, b""])
def test_a_key_that_cannot_be_read_is_refused_without_being_shown(secret):
    with pytest.raises(SigningError) as caught:
        LocalSigner(secret, field="user_key")
    error = caught.value
    assert type(error) is SigningError
    assert str(error).startswith("user_key: the key cannot be read. ")
    assert error.__context__ is None
    assert error.__cause__ is None
    shown = "".join(traceback.format_exception(error)) + repr(error) + repr(vars(error))
    assert "secretive" not in shown
    assert SEED[2:] not in shown


@pytest.mark.parametrize("account", [KEYS["bob"]["ss58_0"], KEYS["bob"]["public_key"]])
def test_the_key_of_another_account_is_a_mismatch_that_names_both_accounts_and_no_key(account):
    with pytest.raises(SigningError) as caught:
        LocalSigner(PHRASE + "///secretive", account, field="payer_key")
    text = str(caught.value)
    assert text.startswith("payer_key: ")
    for shown in (AccountId.parse(account), LocalSigner(PHRASE + "///secretive").account):
        assert str(shown) in text
    assert not [secret for secret in ("bottom", "secretive") if secret in text]


# ------------------------------------------------------------------------------------------------------------ secrecy


@pytest.mark.parametrize("take", [pickle.dumps, partial(pickle.dumps, protocol=0), copy.copy, copy.deepcopy])
def test_a_signer_is_never_pickled_or_copied(take):
    with pytest.raises(TypeError, match="never pickled"):
        take(LocalSigner("//Alice"))


@settings(max_examples=30)
@given(st.binary(min_size=64, max_size=64), st.binary(max_size=64), accounts)
def test_no_bytes_and_no_junk_make_verification_fail_in_any_other_way_than_false(signature, message, key):
    for junk in ("0x" + signature.hex(), "", "0x", "junk", "0x" + "ff" * 64, "0x" + "ab" * 63, None, 5):
        assert not verify(message, junk, "0x" + key.hex())


# ------------------------------------------------------------------------------------------------------------- proofs


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        *[
            ({name: wrong}, name)
            for name in ("proxy_signature", "fee_payment_signature")
            for wrong in ("0x", "12", "0x1g", "0x12\n", 7)
        ],
        *[({"payment_nonce": wrong}, "payment_nonce") for wrong in (-1, None, 2**64)],
        *[({"staking_nonce": 2**64}, "staking_nonce"), ({"relayer_fee": 2**128}, "relayer_fee")],
    ],
)
def test_proofs_that_cannot_be_right_are_refused_by_name_and_keep_their_signatures_to_themselves(changed, field):
    sound = {"proxy_signature": "0x" + "1a" * 64, "fee_payment_signature": "0x" + "2b" * 64, "payment_nonce": 7}
    proofs = Proofs(**sound)
    assert (proofs.payment_nonce, proofs.staking_nonce, proofs.relayer_fee) == (7, None, None)
    assert "1a1a" not in repr(proofs) + str(proofs)
    assert "2b2b" not in repr(proofs) + str(proofs)
    with pytest.raises(InvalidInput) as caught:
        Proofs(**{**sound, **changed})
    assert caught.value.field == field


@pytest.mark.parametrize("liar", ["user", "payer"])
def test_a_signature_that_does_not_verify_never_becomes_a_proof(liar):
    class Lying(LocalSigner):
        def sign(self, kind, message):
            return super().sign(kind, message + b"!")

    signers = {"user": LocalSigner("//Alice"), "payer": LocalSigner("//Alice//stash")}
    signers[liar] = Lying("//Alice")
    with pytest.raises(SigningError, match="does not verify"):
        ProofMaker(**signers).make(
            relayer=AccountId.parse(KEYS["bob"]["ss58_42"]), era=1, relayer_fee=1, staking_nonce=1, payment_nonce=1
        )
