"""Reading the three messages back: what was built is read, and nothing else is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from staking_gateway.errors import InvalidInput
from staking_gateway.signing import MessageKind, access_token_message, fee_payment_message, payout_message
from staking_gateway.types import MAX_AMOUNT, MAX_ERA, MAX_NONCE, AccountId
from staking_gateway_simulator.signing_policy import (
    AccessTokenMessage,
    FeePaymentMessage,
    PayoutMessage,
    decode_message,
)

accounts = st.binary(min_size=32, max_size=32).map(lambda key: AccountId.parse("0x" + key.hex()))
signatures = st.binary(min_size=64, max_size=64).map(lambda signature: "0x" + signature.hex())
eras = st.integers(0, MAX_ERA)
nonces = st.integers(0, MAX_NONCE)
times = st.datetimes().map(lambda moment: f"{moment.year:04}-{moment:%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03}Z")
payouts = st.builds(PayoutMessage, accounts, eras, nonces)
fee_payments = st.builds(FeePaymentMessage, accounts, accounts, signatures, st.integers(0, MAX_AMOUNT), nonces)
access_tokens = st.builds(AccessTokenMessage, accounts, times, st.booleans(), st.none() | accounts)
messages = st.one_of(
    st.tuples(st.just(MessageKind.PAYOUT), payouts),
    st.tuples(st.just(MessageKind.FEE_PAYMENT), fee_payments),
    st.tuples(st.just(MessageKind.ACCESS_TOKEN), access_tokens),
)


def build(message):
    if isinstance(message, PayoutMessage):
        return payout_message(message.relayer, message.era, message.nonce)
    if isinstance(message, FeePaymentMessage):
        return fee_payment_message(
            message.user, message.relayer, message.proxy_signature, message.relayer_fee, message.payment_nonce
        )
    return access_token_message(message.owner, message.issued_at, message.has_payer, message.payer)


def is_read(kind, content):
    try:
        decode_message(kind, content)
    except InvalidInput as refused:
        return refused.field != "message"
    return True


@given(messages)
def test_what_was_built_is_read_back_as_its_own_kind_alone(message):
    own, given_message = message
    content = build(given_message)
    assert decode_message(own, content) == given_message
    assert [kind for kind in MessageKind if is_read(kind, content)] == [own]


RELAYER, OTHER = (AccountId.parse("0x" + octet * 32) for octet in ("11", "22"))
FEE_PAYMENT = build(FeePaymentMessage(OTHER, RELAYER, "0x" + "ab" * 64, 7, 8))
TOKEN = build(AccessTokenMessage(OTHER, "2026-01-01T00:00:00.000Z", True, RELAYER))


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        (MessageKind.FEE_PAYMENT, FEE_PAYMENT[:96] + b"\x00" + FEE_PAYMENT[97:]),
        (MessageKind.FEE_PAYMENT, FEE_PAYMENT[:161] + OTHER.public_key + FEE_PAYMENT[193:]),
        (MessageKind.FEE_PAYMENT, FEE_PAYMENT.replace(b"authorization", b"Authorization")),
        (MessageKind.ACCESS_TOKEN, TOKEN[:73] + b"\x02" + TOKEN[74:]),
        (MessageKind.ACCESS_TOKEN, TOKEN[:73] + b"\x00"),
        (MessageKind.ACCESS_TOKEN, TOKEN.replace(b"2026-", b"2026/")),
        (MessageKind.ACCESS_TOKEN, TOKEN.replace(b"2026-", b"\xff026-")),
    ],
    ids=["no sr25519", "two relayers", "context", "flag", "flag without payer", "time", "not ASCII"],
)
def test_a_message_that_is_nearly_one_is_refused(kind, content):
    with pytest.raises(InvalidInput, match=rf"message: the bytes are not a {kind.value} message\. Send exactly"):
        decode_message(kind, content)
