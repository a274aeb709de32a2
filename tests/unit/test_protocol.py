"""The wire: requests are built as documented, and a sound `result` becomes a value."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from wire import ALICE, BOB, CALLS, HASH, PAYOUT, UUID, WIRE, answer, decode, failure, outcome

from staking_gateway import errors
from staking_gateway.errors import Fate
from staking_gateway.gateway.protocol import RawResponse, decode_response
from staking_gateway.types import (
    MAX_AMOUNT,
    MAX_ERA,
    MAX_NONCE,
    AccountId,
    ChainInfo,
    ElectionWindow,
    RequestState,
    RequestStatus,
    StakingStatus,
)

# ------------------------------------------------------------------------------------------------------------- requests


def test_the_envelope_is_compact_json_in_ascii_with_an_integer_id():
    body = CALLS["status"].body(3)
    assert body == (
        b'{"jsonrpc":"2.0","method":"getStakingStatus","params":{"accountId":"%s"},"id":3}' % ALICE.encode()
    )


def test_every_param_of_every_call_is_a_text():
    for call in CALLS.values():
        assert all(type(value) is str for value in call.params.values())


def test_a_public_key_goes_out_as_an_address_except_where_the_document_allows_both():
    key = AccountId.parse(ALICE).hex
    assert WIRE.payout_stakers(**{**PAYOUT, "user": key}).params["user"] == ALICE
    assert WIRE.nonce(key, "staking").params["accountId"] == ALICE
    assert WIRE.staking_status(key).params == {"accountId": key}
    assert WIRE.staking_status(AccountId.parse(BOB)).params == {"accountId": BOB}


@given(st.integers(0, MAX_ERA), st.integers(0, MAX_NONCE))
def test_era_and_nonce_go_out_as_plain_digits(era, nonce):
    for spell in (int, str):
        params = WIRE.payout_stakers(**{**PAYOUT, "era": spell(era), "payment_nonce": spell(nonce)}).params
        assert (params["era"], params["paymentNonce"]) == (f"{era:d}", f"{nonce:d}")


@pytest.mark.parametrize(
    ("argument", "value", "kind"),
    [
        ("relayer", "nobody", errors.InvalidAccount),
        ("user", None, errors.InvalidAccount),
        ("payer", b"5Grwva", errors.InvalidAccount),
        ("era", -1, errors.InvalidEra),
        ("era", True, errors.InvalidEra),
        ("era", "abc", errors.InvalidEra),
        ("proxy_signature", "0x12", errors.InvalidInput),
        ("proxy_signature", "1a" * 64, errors.InvalidInput),
        ("fee_payment_signature", None, errors.InvalidInput),
        ("fee_payment_signature", "0x" + "2b" * 64 + "\n", errors.InvalidInput),
        ("payment_nonce", 2**64, errors.InvalidInput),
        ("payment_nonce", "", errors.InvalidInput),
        pytest.param("payment_nonce", 10**5000, errors.InvalidInput, id="huge"),
    ],
)
def test_a_payout_argument_that_cannot_be_right_is_refused_by_name(argument, value, kind):
    with pytest.raises(kind) as caught:
        WIRE.payout_stakers(**{**PAYOUT, argument: value})
    assert type(caught.value) is kind
    assert caught.value.field == argument


@pytest.mark.parametrize("account", [None, 5, b"x", "", "nobody"])
def test_a_status_is_not_asked_for_what_is_no_account(account):
    with pytest.raises(errors.InvalidAccount):
        WIRE.staking_status(account)


@pytest.mark.parametrize("kind", ["", "Staking", "bonding", None])
def test_only_the_two_nonce_kinds_are_asked_for(kind):
    with pytest.raises(errors.InvalidInput, match="kind"):
        WIRE.nonce(ALICE, kind)


@pytest.mark.parametrize("request_id", ["", "7", None, UUID + " ", "../" + UUID])
def test_only_a_request_id_is_polled(request_id):
    with pytest.raises(errors.InvalidInput, match="request_id"):
        WIRE.request_state(request_id)


# -------------------------------------------------------------------------------------------------------------- results

WORDS_ON_THE_WIRE = set(RequestStatus) - {RequestStatus.UNRECOGNISED, RequestStatus.UNREADABLE}
RESULTS: list[tuple[str, Any, Any]] = [
    ("payout", UUID, UUID),
    ("payout", UUID.upper(), UUID.upper()),
    ("status", "isStaking", StakingStatus.IS_STAKING),
    ("status", "isNotStaking", StakingStatus.IS_NOT_STAKING),
    ("era", "1392", 1392),
    ("era", 1392, 1392),
    ("era", MAX_ERA, MAX_ERA),
    ("window", "isOpen", ElectionWindow.OPEN),
    ("window", "isClosed", ElectionWindow.CLOSED),
    ("nonce", "0", 0),
    ("nonce", 5, 5),
    ("nonce", str(MAX_NONCE), MAX_NONCE),
    ("fee", "10000000000000000", 10**16),
    ("fee", str(MAX_AMOUNT), MAX_AMOUNT),
    ("fee", {"proxyPayoutstakers": "77", "proxyBond": "1"}, 77),
    ("info", {"name": "net", "version": "3"}, ChainInfo("net", "3")),
    ("info", {"name": "net", "version": 3}, ChainInfo("net", "3")),
    ("info", {"name": "net"}, ChainInfo("net", "")),
    ("state", {"status": "Pending"}, RequestState(RequestStatus.PENDING, "Pending")),
    ("state", {"status": "Pending", "txHash": "", "blockNumber": ""}, RequestState(RequestStatus.PENDING, "Pending")),
    ("state", {"status": "Pending", "txHash": None}, RequestState(RequestStatus.PENDING, "Pending")),
    (
        "state",
        {"status": "Processed", "txHash": HASH, "blockNumber": "12", "transactionIndex": 0},
        RequestState(RequestStatus.PROCESSED, "Processed", HASH, 12, 0),
    ),
    ("state", {"status": "Transaction not found"}, RequestState(RequestStatus.NOT_FOUND, "Transaction not found")),
    ("state", {"status": "Teleported"}, RequestState(RequestStatus.UNRECOGNISED, "Teleported")),
    ("state", {"status": "processed"}, RequestState(RequestStatus.UNRECOGNISED, "processed")),
    ("state", {"status": ""}, RequestState(RequestStatus.UNRECOGNISED, "")),
    ("state", {"status": "a\ud800\x00b"}, RequestState(RequestStatus.UNRECOGNISED, "a\ufffd\ufffdb")),
    ("state", {"status": "unreadable"}, RequestState(RequestStatus.UNRECOGNISED, "unreadable")),
]


@pytest.mark.parametrize(("name", "result", "value"), RESULTS)
def test_a_sound_result_is_decoded(name, result, value):
    decoded = decode(name, answer(result=result))
    assert decoded == value
    assert type(decoded) is type(value)


WRONG_RESULTS: list[tuple[str, Any]] = [
    *[
        ("payout", wrong)
        for wrong in (
            None, True, 1, 1.0, "", [], {}, [UUID], {"requestId": UUID}, "isStaking", "failed to send proxy transaction",
            UUID + "\n", " " + UUID, UUID.replace("-", ""), "{" + UUID + "}", UUID[:-1], UUID + "0", UUID.replace("c", "g"),
            "urn:uuid:" + UUID, UUID.replace("4", "\u0664"), "\ud800" * 36,
        )
    ],
    *[
        ("status", wrong)
        for wrong in (
            None, True, 0, "", "isstaking", "IS_STAKING", "isStaking ", "isStaking\n", ["isStaking"], {"isStaking": True},
            "Internal server error", "\ud800",
        )
    ],
    *[
        ("era", wrong)
        for wrong in (
            None, True, False, 1.0, 1392.0, -1, "-1", "+1", "01", " 5", "5 ", "5\n", "", "abc", "0x10", "1e3", "1_000",
            "\u0663", 2**32, str(2**32), [1392], {"era": 1392},
        )
    ],
    *[("window", wrong) for wrong in (None, True, "open", "closed", "isopen", "isOpen ", "", ["isClosed"], 0, "isUnknown")],
    *[("nonce", wrong) for wrong in (None, False, -1, 0.5, "", "0x1", 2**64, str(2**64), "null", [0])],
    *[
        ("fee", wrong)
        for wrong in (
            None, True, -1, 1.5, 2**128, "0.1", "could not get relayer fee", {}, {"proxyPayoutStakers": "1"},
            {"proxyPayoutstakers": None}, {"proxyPayoutstakers": {"fee": 1}}, {"proxyPayoutstakers": True}, ["1"],
        )
    ],
    *[
        ("info", wrong)
        for wrong in (None, "net", [], {}, {"name": 1}, {"version": "1"}, {"name": "net", "version": None},
                      {"name": "net", "version": True}, {"name": "net", "version": {}})
    ],
]  # fmt: skip


@pytest.mark.parametrize(("name", "result"), WRONG_RESULTS)
def test_a_result_of_the_wrong_type_or_value_is_unexpected_and_nothing_else(name, result):
    error = failure(name, answer(result=result))
    assert type(error) is errors.UnexpectedResult
    assert error.fate is Fate.UNKNOWN


@pytest.mark.parametrize("zero", [0, "0"])
def test_active_era_zero_is_no_era(zero):
    assert type(failure("era", answer(result=zero))) is errors.EraUnknown


def test_a_number_beyond_every_float_is_no_era():
    assert type(failure("era", b'{"jsonrpc":"2.0","id":7,"result":1e999}')) is errors.UnexpectedResult


def test_a_long_error_text_in_place_of_a_result_is_quoted_in_part():
    for name in CALLS.keys() - {"state"}:
        text = str(failure(name, answer(result="back end failed " * 10_000)))
        assert "back end failed" in text
        assert len(text) < 400


# ------------------------------------------------------------------------------------------------------- request states


@pytest.mark.parametrize("status", sorted(WORDS_ON_THE_WIRE))
def test_a_request_state_may_be_the_word_alone(status):
    assert decode("state", answer(result=status.value)) == RequestState(status, status.value)


UNREADABLE: list[tuple[Any, str]] = [
    (None, "null"), (True, "true"), (0, "0"), ([], "[]"), (["Processed"], '["Processed"]'), ({}, "{}"),
    ({"status": None}, '{"status": null}'), ({"status": 1}, '{"status": 1}'),
    ({"status": ["Processed"]}, '{"status": ["Processed"]}'), ({"state": "Processed"}, '{"state": "Processed"}'),
    ({"status": {"ok": "Processed"}, "txHash": HASH}, f'{{"status": {{"ok": "Processed"}}, "txHash": "{HASH}"}}'),
    ("processed", "processed"), ("Processed ", "Processed "), ("unreadable", "unreadable"), ("Simmering", "Simmering"),
    ("failed to poll chain", "failed to poll chain"), ("", ""), ("two\nlines\x1b[2J", "two lines\ufffd[2J"),
]  # fmt: skip


@pytest.mark.parametrize(("result", "shown"), UNREADABLE)
def test_an_answer_that_tells_no_state_is_no_evidence_and_no_error(result, shown):
    state = decode("state", answer(result=result))
    assert state == RequestState(RequestStatus.UNREADABLE, f"unreadable: {shown}")
    assert not state.status.succeeded
    assert not state.status.failed


def test_the_description_of_an_unreadable_answer_is_short():
    state = decode("state", answer(result="back end failed " * 10_000))
    assert state.wire_status.startswith("unreadable: back end failed")
    assert len(state.wire_status) == 200


NO_HASHES = [UUID, "", "junk", "0x12", "0x" + "cd" * 31, "0x" + "cd" * 33, HASH[2:], HASH + "\n", 1, False, [HASH], {}]


@pytest.mark.parametrize("tx_hash", NO_HASHES)
def test_what_is_no_transaction_hash_is_left_out_of_a_state(tx_hash):
    told = {"status": "Processed", "txHash": tx_hash, "blockNumber": 12, "transactionIndex": "1"}
    assert decode("state", answer(result=told)) == RequestState(RequestStatus.PROCESSED, "Processed", None, 12, 1)


@pytest.mark.parametrize("position", [True, False, -1, 1.5, "soon", "", "01", [1], {"n": 1}, 2**64, "9" * 99])
def test_what_is_no_position_is_left_out_of_a_state(position):
    told = {"status": "Rejected", "txHash": HASH, "blockNumber": position, "transactionIndex": position}
    assert decode("state", answer(result=told)) == RequestState(RequestStatus.REJECTED, "Rejected", HASH)


# ----------------------------------------------------------------------------------------------------------- properties

any_text = st.text(st.characters())  # lone surrogates included
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | any_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(any_text, inner, max_size=3),
    max_leaves=6,
)
statuses = st.sampled_from([200, 201, 204, 301, 400, 401, 429, 500, 503])


@given(st.sampled_from(sorted(CALLS)), st.binary(max_size=300), statuses)
@example("payout", b"\xef\xbb\xbf", 200)
@example("payout", b'"\\ud800"', 200)
def test_no_bytes_escape_the_tree_or_pass_for_a_result(name, body, status):
    assert isinstance(outcome(name, body, status), errors.GatewayError)


@given(st.sampled_from(sorted(CALLS)), json_values, statuses)
def test_no_json_value_escapes_the_tree(name, result, status):
    value = outcome(name, answer(result=result), status)
    if status >= 300:
        assert isinstance(value, errors.HttpError)
    elif name == "payout":
        assert isinstance(value, errors.UnexpectedResult)
    elif name == "state":
        assert value.status in (RequestStatus.UNREADABLE, RequestStatus.UNRECOGNISED)
        assert value.wire_status.isprintable()
        assert len(value.wire_status) <= 200
    elif not isinstance(value, errors.UnexpectedResult):
        # the only results that hypothesis can make by itself and that decode
        assert name in {"era", "nonce", "fee"}
        assert str(value) == str(result)
        assert type(result) in (int, str)


@given(json_values, json_values, json_values, statuses)
def test_no_error_object_escapes_the_tree_or_passes_for_a_result(code, message, data, status):
    error = outcome("payout", answer(error={"code": code, "message": message, "data": data}), status)
    assert isinstance(error, errors.GatewayError)
    str(error).encode()


@given(st.dictionaries(st.sampled_from(["jsonrpc", "id", "result", "error"]), json_values))
def test_no_envelope_passes_for_a_payout_by_accident(members):
    assert isinstance(outcome("payout", json.dumps(members).encode(), 200), errors.GatewayError)


@given(st.uuids(), st.integers(0, 2**63))
def test_every_uuid_under_the_right_id_is_a_request_id(uuid, request_id):
    body = json.dumps({"jsonrpc": "2.0", "result": str(uuid), "id": request_id}).encode()
    assert decode_response(CALLS["payout"], request_id, RawResponse(200, body)) == str(uuid)
