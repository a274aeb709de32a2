"""The wire: one code stands for different things, so the words of an error decide which row of the table it becomes."""

import pickle

import pytest
from wire import answer, decode, failure

from staking_gateway import errors
from staking_gateway.errors import Failed, SendAnswer, may_pass
from staking_gateway.gateway.gateway import if_supported
from tests.support.failed import fails

WINDOW_CODES = [-32600, -32603, -32099, 1000]


@pytest.mark.parametrize(
    "text",
    [
        "Election Window Is Open",
        "ELECTION WINDOW IS OPEN.",
        "Error: Error: election window is open",
        "error:election window is open",
        "  election   window\tis\nopen . ",
    ],
)
@pytest.mark.parametrize("place", ["gatewayError", "data", "message", "message beside blank data"])
def test_the_open_window_is_recognised_however_it_is_spelt_and_wherever_it_is_told(text, place):
    members = {
        "gatewayError": {"message": "Internal error", "data": {"gatewayError": text}},
        "data": {"message": "Internal error", "data": text},
        "message": {"message": text, "data": None},
        "message beside blank data": {"message": text, "data": {"gatewayError": " "}},
    }
    for code in WINDOW_CODES:
        error = failure("payout", answer(error={"code": code, **members[place]}))
        assert type(error) is errors.ElectionWindowOpen
        assert (error.how, error.code) == (Failed.WINDOW, code)


@pytest.mark.parametrize(
    "text",
    [
        "election window is open?",
        "election window is opening",
        "election window is not open",
        "Errors: election window is open",
        '["election window is open"]',
    ],
)
def test_a_sentence_that_only_names_the_open_window_is_no_open_window(text):
    for code, kind in ((-32600, Failed.INVALID_REQUEST), (-32603, Failed.INTERNAL)):
        for error in ({"message": text}, {"message": "Invalid Request", "data": {"gatewayError": text}}):
            assert failure("payout", answer(error={"code": code, **error})).how is kind


def test_the_gateways_own_error_counts_before_the_message_and_method_not_found_with_a_bad_request_only():
    kinds = {-32600: Failed.NO_METHOD, -32602: Failed.INVALID_PARAMETER, -32603: Failed.INTERNAL}
    for code, kind in kinds.items():
        data = {"gatewayError": "Error: Method not found."}
        assert failure("payout", answer(error={"code": code, "message": "Invalid Request", "data": data})).how is kind
    error = {"code": -32603, "message": "election window is open", "data": {"gatewayError": "failed to send"}}
    assert failure("payout", answer(error=error)).how is Failed.INTERNAL


PERMANENT = [
    "invalid fee authorisation",
    "Error: invalid fee authorisation: 0x" + "ab" * 64,
    "invalid fee authorization: 0xab",
    "invalid proxy authorisation",
    "Invalid proxy authorization: no such signature",
    "could not get relayer fee: Error: unknown relayer",
    "Error: invalid parameter (era) passed to proxyPayoutstakers",
    "invalid payment nonce",
    "unknown relayer 5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty",
    "invalid fee authorisation: payment nonce already claimed",
    "could not get relayer fee: nothing left in the payer account",
    "invalid proxy authorisation: already paid",
    "era 1391 has already been paid out",
    "all stakers already claimed",
    "staking.AlreadyClaimed",
    "no unpaid stakers left",
]
FIRST_OF_NOTHING_LEFT = PERMANENT.index("era 1391 has already been paid out")


@pytest.mark.parametrize("text", PERMANENT)
def test_a_permanent_refusal_is_a_refusal_although_its_code_says_internal_error(text):
    for code in (-32603, -32050, 0):
        for error in ({"message": text}, {"message": "Internal error", "data": {"gatewayError": text}}):
            raised = failure("payout", answer(error={"code": code, **error}))
            paid = PERMANENT.index(text) >= FIRST_OF_NOTHING_LEFT
            assert raised.how is (Failed.PAID if paid else Failed.REFUSED)


@pytest.mark.parametrize(
    "text",
    [
        "failed to send proxy transaction",
        "failed to send proxy transaction: invalid fee authorisation",
        "failed to send proxy transaction: staking.AlreadyClaimed",
        "timed out; the era may be already paid",
        "Internal error",
        "the relayer has no funds: invalid fee authorisation",
        "",
    ],
)
def test_any_other_internal_error_may_have_submitted_the_payout(text):
    raised = failure("payout", answer(error={"code": -32603, "message": "x", "data": {"gatewayError": text}}))
    assert raised.how is Failed.INTERNAL


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (-32700, Failed.UNREADABLE),
        (-32600, Failed.INVALID_REQUEST),
        (-32601, Failed.NO_METHOD),
        (-32602, Failed.INVALID_PARAMETER),
    ],
)
def test_a_permanent_refusal_with_a_code_of_its_own_keeps_the_row_of_the_code_unless_nothing_is_left(code, kind):
    for index, text in enumerate(PERMANENT):
        raised = failure("payout", answer(error={"code": code, "message": text}))
        assert raised.how is (Failed.PAID if index >= FIRST_OF_NOTHING_LEFT else kind)


@pytest.mark.parametrize("code", [-32602, -32603, -32601])
@pytest.mark.parametrize("text", ["invalid transaction type", "Error: Invalid transaction type: proxyPayoutstakers."])
def test_an_unknown_transaction_type_says_which_setting_to_change(code, text):
    for error in ({"message": text}, {"message": "Invalid params", "data": {"gatewayError": text}}):
        with fails(Failed.OTHER_SPELLING) as caught:
            if_supported(lambda error=error: decode("fee", answer(error={"code": code, **error})))
        assert "; the call said proxyPayoutstakers. " in str(caught.value)
        for word in ("payout_method", "gateway connection", "proxyPayoutStakers", "proxyPayoutstakers"):
            assert word in str(caught.value)
        assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


@pytest.mark.parametrize(
    ("code", "text", "how", "words"),
    [
        (-32602, "Error: invalid currencyToken", Failed.CURRENCY, "another currency"),
        (-32603, "Split fee transaction already contains payment info", Failed.PAYER_TWICE, "remove bearer_payer"),
    ],
)
def test_a_refusal_that_is_never_repeated_says_what_this_gateway_wants(code, text, how, words):
    error = failure("payout", answer(error={"code": code, "message": "x", "data": {"gatewayError": text}}))
    assert (error.how, error.how.sent, may_pass(error)) == (how, SendAnswer.REFUSED, False)
    assert words in error.problem.text + how.sentence


def test_every_row_says_whether_the_payout_may_have_been_accepted():
    lost = {how for how in Failed if how.sent is SendAnswer.LOST}
    assert lost == {
        *(Failed.TIMEOUT, Failed.BROKEN, Failed.REDIRECTED, Failed.TOO_EARLY, Failed.FAILED, Failed.ODD_STATUS),
        *(Failed.MALFORMED, Failed.TOO_LONG, Failed.OTHER_ID, Failed.WRONG_RESULT, Failed.NO_ERA),
        *(Failed.WITHDRAWN, Failed.INTERNAL),
    }
    assert {
        how: how.sent for how in Failed if how.sent not in (SendAnswer.LOST, SendAnswer.DOOR, SendAnswer.REFUSED)
    } == {
        Failed.WINDOW: SendAnswer.WINDOW,
        Failed.PAID: SendAnswer.PAID,
        Failed.NO_METHOD: SendAnswer.NO_METHOD,
        Failed.OTHER_SPELLING: SendAnswer.NO_METHOD,
    }
