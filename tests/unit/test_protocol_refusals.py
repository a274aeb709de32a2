"""The wire: every answer that is wrong or hostile becomes exactly one row of the table, never a success."""

import json
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime

import pytest
from wire import CALLS, ID, UUID, answer, decode, failure

from staking_gateway import errors
from staking_gateway.errors import Failed, SendAnswer
from staking_gateway.types import RequestState, RequestStatus

# ------------------------------------------------------------------------------------------------------------ envelopes

SOUND = answer(result=UUID)
ERROR = {"code": -32600, "message": "Invalid Request"}
DEEP = b"[" * 100_000
MALFORMED = {
    "empty": b"",
    "html": b"<html>Bad Gateway</html>",
    "half": SOUND[:-5],
    "two": SOUND + SOUND,
    "batch": b"[" + SOUND + b"]",
    "no version": json.dumps({"id": ID, "result": UUID}).encode(),
    "neither": answer(),
    "both": answer(result=UUID, error=ERROR),
    "error null": answer(error=None),
    "error text": answer(error="election window is open"),
    "error without code": answer(error={"message": "Invalid Request"}),
    "error without message": answer(error={"code": -32600}),
    "error code text": answer(error={"code": "-32600", "message": "Invalid Request"}),
    "result twice": b'{"jsonrpc":"2.0","result":"x","result":"%s","id":7}' % UUID.encode(),
    "a member twice, deep inside": b'{"jsonrpc":"2.0","result":{"status":"Rejected","status":"Processed"},"id":7}',
    "huge integer": b'{"jsonrpc":"2.0","result":' + b"9" * 5000 + b',"id":7}',
    "deep nesting": DEEP,
    "nested beyond what anybody says": b"[" * 100 + b"]" * 100,
    "latin-1": b'{"jsonrpc":"2.0","result":"\xe9","id":7}',
}


@pytest.mark.parametrize("body", MALFORMED.values(), ids=MALFORMED)
def test_what_is_not_one_json_rpc_response_is_malformed_for_every_call(body):
    for name in CALLS.keys() - {"state"}:
        error = failure(name, body)
        assert error.how is Failed.MALFORMED
        assert error.how.sent is SendAnswer.LOST
    assert decode("state", body).status is RequestStatus.UNREADABLE


@pytest.mark.parametrize("wrong", [True, 8, 7.0, "7", None, [7], {"id": 7}, -7, 2**64])
def test_an_answer_with_another_id_is_refused(wrong):
    assert failure("payout", answer(result=UUID, id=wrong)).how is Failed.OTHER_ID


def test_an_answer_without_an_id_is_refused_and_an_error_may_carry_null_but_no_other_id():
    for told in ({"result": UUID}, {"error": ERROR}):
        without = json.dumps({"jsonrpc": "2.0", **told}).encode()
        assert failure("payout", without).how is Failed.OTHER_ID
    assert failure("payout", answer(error=ERROR, id=None)).how is Failed.INVALID_REQUEST
    assert failure("payout", answer(error=ERROR, id=8)).how is Failed.OTHER_ID


def test_a_byte_order_mark_and_unknown_members_are_forgiven():
    assert decode("payout", b"\xef\xbb\xbf" + SOUND) == UUID
    assert decode("payout", answer(result=UUID, trace="x")) == UUID
    assert decode("payout", SOUND, 299) == UUID


# --------------------------------------------------------------------------------------------------------------- errors

OPEN = {
    "code": -32600,
    "message": "Invalid Request",
    "data": {"gatewayError": "election window is open", "request": "{..}"},
}
RPC_ERRORS = [
    (OPEN, Failed.WINDOW),
    ({**OPEN, "code": -32602}, Failed.INVALID_PARAMETER),
    ({**OPEN, "data": {"gatewayError": ["election window is open"]}}, Failed.INVALID_REQUEST),
    ({**OPEN, "data": {"GatewayError": "election window is open"}}, Failed.INVALID_REQUEST),
    ({**OPEN, "data": ["election window is open"]}, Failed.INVALID_REQUEST),
    ({**OPEN, "data": {"gatewayError": "method not found"}}, Failed.NO_METHOD),
    ({"code": -32700, "message": "Parse error"}, Failed.UNREADABLE),
    ({"code": -32601, "message": "Method not found"}, Failed.NO_METHOD),
    ({"code": -32602, "message": "Invalid params"}, Failed.INVALID_PARAMETER),
    ({"code": -32603, "message": "Internal error"}, Failed.INTERNAL),
    ({"code": -32000, "message": "Server error"}, Failed.INTERNAL),
]


@pytest.mark.parametrize(("error", "how"), RPC_ERRORS)
def test_a_json_rpc_error_becomes_the_row_of_its_code(error, how):
    for name in CALLS.keys() - {"state"}:
        raised = failure(name, answer(error=error))
        assert (raised.how, raised.code) == (how, error["code"])


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (None, "Invalid Request"),
        ("plain", "plain"),
        ({"gatewayError": None, "request": {"id": 1}}, "Invalid Request"),
        ({"gatewayError": {"a": [1]}, "request": ["x"]}, '{"a": [1]}'),
        ({"gatewayError": False, "request": 0}, "false"),
        ({"gatewayError": "a\ud800\x00b", "request": "\udfff"}, "a\ufffd\ufffdb"),
        ({"gatewayError": "two\nlines\tand €"}, "two lines and €"),
    ],
)
def test_whatever_stands_in_error_data_the_words_are_fit_for_a_log_and_a_database(data, words):
    error = failure("payout", answer(error={**ERROR, "data": data}))
    assert error.gateway_error == words
    f"{error.gateway_error}{error}".encode()


@pytest.mark.parametrize(
    "error",
    [
        {"code": -32600, "message": "Invalid Request", "data": {"gatewayError": "Transaction not found"}},
        {"code": -32603, "message": "transaction not found"},
        {"code": -32000, "message": "Server error", "data": f"Transaction not found: {UUID}"},
    ],
)
def test_a_request_that_is_not_found_yet_is_a_state_also_where_it_is_spelt_as_an_error(error):
    assert decode("state", answer(error=error)) == RequestState(RequestStatus.NOT_FOUND, "Transaction not found")
    assert isinstance(failure("payout", answer(error=error)), errors.GatewayError)


FAILED_POLL = {"code": -32603, "message": "Internal error", "data": {"gatewayError": "failed to poll chain"}}


@pytest.mark.parametrize(("status", "call_id"), [(200, ID), (200, None), (400, ID), (500, ID)])
def test_an_error_in_place_of_a_request_state_is_no_evidence(status, call_id):
    assert decode("state", answer(error=FAILED_POLL, id=call_id), status) == RequestState(
        RequestStatus.UNREADABLE, "unreadable: JSON-RPC error -32603: Internal error (failed to poll chain)"
    )


def test_a_bad_http_status_of_the_poll_is_an_error_where_no_error_object_answers_this_very_call():
    for body in (answer(error=FAILED_POLL, id=None), answer(result="Processed"), b""):
        assert failure("state", body, 502).how is Failed.FAILED
        assert failure("state", body, 403).how is Failed.BAD_TOKEN


# -------------------------------------------------------------------------------------------------------- HTTP statuses

STATUSES = [
    (401, Failed.NO_TOKEN),
    (403, Failed.BAD_TOKEN),
    (429, Failed.TOO_MANY),
    *[(status, Failed.MOVED) for status in (301, 307, 308)],
    *[(status, Failed.REDIRECTED) for status in (300, 302, 399)],
    *[(status, Failed.TOO_EARLY) for status in (408, 425)],
    *[(status, Failed.FAILED) for status in (500, 502)],
    *[(status, Failed.ODD_STATUS) for status in (400, 499)],
    *[(status, Failed.NO_PATH) for status in (404, 405)],
    *[(status, Failed.NOT_TAKEN) for status in (413, 415)],
]
NO_ANSWER_TO_THIS_CALL = {
    "html": b"<html>Bad Gateway</html>",
    "a result": SOUND,
    "error of another call": answer(error=OPEN, id=8),
    "error with the id true": answer(error=OPEN, id=True),
    "error with the id null": answer(error=OPEN, id=None),
    "error without an id": json.dumps({"jsonrpc": "2.0", "error": OPEN}).encode(),
    "result and error": answer(error=OPEN, result=UUID),
    "deep nesting": DEEP,
}


@pytest.mark.parametrize(("status", "how"), STATUSES)
def test_an_http_status_speaks_unless_an_error_object_answers_this_very_call(status, how):
    for case, body in NO_ANSWER_TO_THIS_CALL.items():
        error = failure("payout", body, status)
        assert (error.how, error.status) == (how, status), case


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        *[(None, None), ("0", 0), (" 5 ", 5), ("9" * 400, 999_999_999), ("soon", None), ("-5", None), ("1.5", None)],
        *[("Wed, 21 Oct 2015 07:28:00 GMT", 0), ("Mon, 01 Jan 0001 00:00:00 +2359", 0)],
        *[
            (f"Wed, 21 Oct {wrong}", None)
            for wrong in ("99999999999999999999 07:28:00 GMT", "2015 07:28:00 +99999999999999")
        ],
        ("in two minutes", pytest.approx(120, abs=100)),
    ],
)
def test_retry_after_is_read_as_seconds_or_as_a_date_and_never_breaks_the_answer(header, seconds):
    if header == "in two minutes":  # not in the table, where each worker would write another time
        header = format_datetime(datetime.now(timezone.utc) + timedelta(minutes=2), usegmt=True)
    for status, kind in ((429, Failed.TOO_MANY), (503, Failed.FAILED)):
        error = failure("payout", b"", status, header)
        assert (error.how, error.retry_after) == (kind, seconds)
