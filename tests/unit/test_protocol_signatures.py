"""The wire: gateways repeat signatures in their texts; no part of one gets into an error, a log or the ledger."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wire import CALLS, answer, decode, failure, outcome

from staking_gateway import errors
from staking_gateway.text import without_signatures

SIGNATURE = "1a2B" * 32
SENT = json.dumps({"method": "proxyPayoutstakers", "params": {"proxySignature": "0x" + SIGNATURE, "era": "7"}})
PIECE = SIGNATURE[:12]


@pytest.mark.parametrize(
    "written",
    ["0X" + SIGNATURE, SIGNATURE, "0x" + SIGNATURE[:65], SIGNATURE[:96], "0x" + SIGNATURE * 3],
    ids=["0X", "bare", "0x, cut by the gateway", "bare, cut by the gateway", "three in a row"],
)
@pytest.mark.parametrize("padding", [0, 170, 290])
def test_no_part_of_a_signature_stays_in_any_word_of_a_gateway(written, padding):
    text = f"{'x ' * (padding // 2)}invalid fee authorisation: {written}"
    bodies = [
        answer(error={"code": -32603, "message": text, "data": {"gatewayError": text, "request": text}}),
        answer(error={"code": -32603, "message": "m", "data": {"gatewayError": {"x": text}, "request": {"x": [text]}}}),
        answer(error={"code": -32603, "message": "m", "data": text}),
        answer(error=text),
        answer(result=text),
        answer(result={"status": text}),
        answer(result={"freeBalance": text, "name": 1, "proxyPayoutstakers": text}),
        answer(result={"name": text, "version": text}),
        answer(result={"name": "net", "version": text}),
        answer(result=[text]),
        answer(result=text, id=text),
        text.encode(),
        json.dumps(text).encode(),
    ]
    for name in CALLS:
        for status in (200, 500):
            for body in bodies:
                answered = outcome(name, body, status)
                words = [answered, *vars(answered).values()] if isinstance(answered, Exception) else [answered]
                assert PIECE not in " ".join(map(str, words))


def test_the_request_that_a_gateway_repeats_keeps_all_but_its_signatures():
    error = failure("payout", answer(error={"code": -32600, "message": "Invalid Request", "data": SENT}))
    assert error.gateway_error == SENT.replace("0x" + SIGNATURE, "0x... (removed)")


def test_hashes_and_public_keys_are_no_signatures():
    text = f"0x{'ab' * 32} 0x{'CD' * 32}, {'ef' * 32} and {'12' * 47}"
    assert without_signatures(text) == text
    error = failure("payout", answer(error={"code": -32603, "message": text, "data": {"gatewayError": text}}))
    assert isinstance(error, errors.GatewayError)
    assert error.gateway_error == text


@given(st.integers(0, 300), st.integers(0, 300), st.booleans())
def test_a_shortened_text_holds_no_shortened_signature(before, digits, prefixed):
    written = ("0x" if prefixed else "") + "a" * digits
    removed = digits >= (65 if prefixed else 96)
    assert without_signatures("." * before + written) == "." * before + ("0x... (removed)" if removed else written)
    state = decode("state", answer(result="." * before + written))
    assert not removed or "aa" not in state.wire_status.removeprefix("unreadable")
