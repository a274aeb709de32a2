"""The wire: requests are built as documented, and a sound `result` becomes a value."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wire import ALICE, BOB, CALLS, HASH, PAYOUT, UUID, answer, decode, failure

from staking_gateway import errors
from staking_gateway.errors import Failed, SendAnswer
from staking_gateway.gateway import calls
from staking_gateway.http.foreign_text import QUOTED_CHARACTERS
from staking_gateway.http.session import Answer
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
from tests.support.failed import fails

# ------------------------------------------------------------------------------------------------------------- requests


def test_only_a_payout_is_sent_once():
    assert [name for name, call in CALLS.items() if not call.repeatable] == ["payout"]


def test_a_public_key_goes_out_as_an_address_except_where_the_document_allows_both():
    key = AccountId.parse(ALICE).hex
    assert calls.payout(**{**PAYOUT, "user": key}).params["user"] == ALICE
    assert calls.nonce(key, "staking").params["accountId"] == ALICE
    assert calls.staking_status(key).params == {"accountId": key}
    assert calls.staking_status(AccountId.parse(BOB)).params == {"accountId": BOB}


@given(st.integers(0, MAX_ERA), st.integers(0, MAX_NONCE))
def test_era_and_nonce_go_out_as_plain_digits(era, nonce):
    for spell in (int, str):
        params = calls.payout(**{**PAYOUT, "era": spell(era), "payment_nonce": spell(nonce)}).params
        assert (params["era"], params["paymentNonce"]) == (f"{era:d}", f"{nonce:d}")


@pytest.mark.parametrize(
    ("argument", "value", "kind"),
    [
        ("relayer", "nobody", errors.InvalidInput),
        ("user", None, errors.InvalidInput),
        ("payer", b"5Grwva", errors.InvalidInput),
        ("era", -1, errors.InvalidEra),
        ("proxy_signature", "1a" * 64, errors.InvalidInput),
        ("fee_payment_signature", "0x" + "2b" * 64 + "\n", errors.InvalidInput),
        ("payment_nonce", 2**64, errors.InvalidInput),
    ],
)
def test_a_payout_argument_that_cannot_be_right_is_refused_by_name(argument, value, kind):
    with pytest.raises(kind) as caught:
        calls.payout(**{**PAYOUT, argument: value})
    assert type(caught.value) is kind
    assert caught.value.field == argument


@pytest.mark.parametrize(
    ("ask", "wrong", "field"),
    [
        *[(calls.staking_status, wrong, "account") for wrong in (None, b"x", "", "nobody")],
        *[(partial(calls.nonce, ALICE), wrong, "kind") for wrong in ("", "Staking", "bonding", None)],
        *[(calls.request_state, wrong, "request_id") for wrong in ("", "7", None, UUID + " ", "../" + UUID)],
    ],
)
def test_what_cannot_be_right_is_not_asked_for(ask, wrong, field):
    with pytest.raises(errors.InvalidInput, match=field):
        ask(wrong)


# -------------------------------------------------------------------------------------------------------------- results

WORDS_ON_THE_WIRE = set(RequestStatus) - {RequestStatus.UNRECOGNISED, RequestStatus.UNREADABLE}
RESULTS = [
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
    ("info", {"name": "x" * (QUOTED_CHARACTERS + 1)}, ChainInfo("x" * QUOTED_CHARACTERS, "")),
    ("info", {"name": "a\r\nb\x1b[2J\u2028", "version": "\n"}, ChainInfo("a  b\ufffd[2J ", " ")),
    ("balance", {"totalBalance": "9", "freeBalance": "5"}, 5),
    ("state", {"status": "Pending"}, RequestState(RequestStatus.PENDING, "Pending")),
    ("state", {"status": "Pending", "txHash": "", "blockNumber": ""}, RequestState(RequestStatus.PENDING, "Pending")),
    (
        "state",
        {"status": "Processed", "txHash": HASH, "blockNumber": "12", "transactionIndex": 0},
        RequestState(RequestStatus.PROCESSED, "Processed", HASH, 12, 0),
    ),
    ("state", {"status": "Transaction not found"}, RequestState(RequestStatus.NOT_FOUND, "Transaction not found")),
    ("state", {"status": "PROCESSED"}, RequestState(RequestStatus.PROCESSED, "PROCESSED")),
    ("state", {"status": "SENDING_FAILED"}, RequestState(RequestStatus.SENDING_FAILED, "SENDING_FAILED")),
    ("state", "awaiting_to_send", RequestState(RequestStatus.AWAITING_TO_SEND, "awaiting_to_send")),
    ("state", {"status": "Errored"}, RequestState(RequestStatus.UNRECOGNISED, "Errored")),
    ("state", {"status": "a\ud800\x00b"}, RequestState(RequestStatus.UNRECOGNISED, "a\ufffd\ufffdb")),
    ("state", {"status": "unreadable"}, RequestState(RequestStatus.UNRECOGNISED, "unreadable")),
]


@pytest.mark.parametrize(("name", "result", "value"), RESULTS)
def test_a_sound_result_is_decoded(name, result, value):
    decoded = decode(name, answer(result=result))
    assert decoded == value
    assert type(decoded) is type(value)


NO_ERAS = (
    *(None, True, 1.0, -1, "+1", "01", " 5", "5\n", "", "0x10", "1e3", "1_000", "\u0663", 2**32, str(2**32)),
    *([1392], {"era": 1392}),
)
NO_IDS = (None, True, 1, "", [UUID], {"requestId": UUID}, "failed to send proxy transaction", UUID + "\n", UUID[:-1])
WRONG_RESULTS = [
    *[("payout", wrong) for wrong in (*NO_IDS, UUID.replace("-", ""), "urn:uuid:" + UUID, UUID.replace("4", "\u0664"))],
    *[("status", wrong) for wrong in (None, True, 0, "", "isstaking", "isStaking\n", ["isStaking"], "\ud800")],
    *[("era", wrong) for wrong in NO_ERAS],
    *[("window", wrong) for wrong in (None, True, "open", "isopen", "isOpen ", "", ["isClosed"], 0, "isUnknown")],
    *[("nonce", wrong) for wrong in (None, False, -1, 0.5, "", "0x1", 2**64, str(2**64), "null", [0])],
    *[("fee", wrong) for wrong in (None, True, -1, 1.5, 2**128, "0.1", "could not get relayer fee", ["1"])],
    *[("fee", {"proxyPayoutstakers": wrong}) for wrong in (None, True, {"fee": 1})],
    *[("info", wrong) for wrong in (None, "net", [], {}, {"name": 1}, {"version": "1"})],
    *[("info", {"name": "net", "version": wrong}) for wrong in (None, True, {})],
    *[("balance", wrong) for wrong in (None, "5", {}, {"freeBalance": -1}, {"freeBalance": 2**128})],
]


@pytest.mark.parametrize(("name", "result"), WRONG_RESULTS)
def test_a_result_of_the_wrong_type_or_value_is_unexpected_and_nothing_else(name, result):
    error = failure(name, answer(result=result))
    assert error.how is Failed.WRONG_RESULT
    assert error.how.sent is SendAnswer.LOST


def test_a_table_of_fees_without_the_payout_spells_it_differently():
    refusal = failure("fee", answer(result={"proxyBond": "1"}))
    assert refusal.how is Failed.OTHER_SPELLING
    for code, how in ((-32602, Failed.OTHER_SPELLING), (-32603, Failed.INTERNAL)):
        with fails(how):
            calls.decode(CALLS["fee"].otherwise(refusal), 7, Answer(200, answer(error={"code": code, "message": "no"})))


def test_active_era_zero_is_no_era():
    for zero in (0, "0"):
        assert failure("era", answer(result=zero)).how is Failed.NO_ERA
    assert failure("era", b'{"jsonrpc":"2.0","id":7,"result":1e999}').how is Failed.WRONG_RESULT


# ------------------------------------------------------------------------------------------------------- request states


@pytest.mark.parametrize("status", sorted(WORDS_ON_THE_WIRE))
def test_a_request_state_may_be_the_word_alone(status):
    assert decode("state", answer(result=status.value)) == RequestState(status, status.value)


UNREADABLE = [
    (None, "null"), (True, "true"), (0, "0"), ([], "[]"), (["Processed"], '["Processed"]'), ({}, "{}"),
    ({"status": None}, '{"status": null}'), ({"status": 1}, '{"status": 1}'),
    ({"status": ["Processed"]}, '{"status": ["Processed"]}'), ({"state": "Processed"}, '{"state": "Processed"}'),
    ({"status": {"ok": "Processed"}, "txHash": HASH}, f'{{"status": {{"ok": "Processed"}}, "txHash": "{HASH}"}}'),
    ("Processed!", "Processed!"), ("unreadable", "unreadable"), ("Simmering", "Simmering"),
    ("failed to poll chain", "failed to poll chain"), ("", ""), ("two\nlines\x1b[2J", "two lines\ufffd[2J"),
]  # fmt: skip


@pytest.mark.parametrize(("result", "shown"), UNREADABLE)
def test_an_answer_that_tells_no_state_is_no_evidence_and_no_error(result, shown):
    state = decode("state", answer(result=result))
    assert state == RequestState(RequestStatus.UNREADABLE, f"unreadable: {shown}")
    assert not state.status.succeeded
    assert not state.status.failed
