"""The wire: every answer that is wrong or hostile becomes exactly one class of the tree, never a success."""

import json
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime

import pytest
from wire import CALLS, ID, UUID, answer, decode, failure

from staking_gateway import errors
from staking_gateway.errors import Fate
from staking_gateway.gateway.protocol import decode_response
from staking_gateway.http.endpoint import Answer
from staking_gateway.types import (
    RequestState,
    RequestStatus,
)

# ------------------------------------------------------------------------------------------------------------ envelopes

SOUND = answer(result=UUID)
ERROR = {"code": -32600, "message": "Invalid Request"}
DEEP = b"[" * 100_000
MALFORMED = {
    "empty": b"",
    "html": b"<html>Bad Gateway</html>",
    "half": SOUND[:-5],
    "two": SOUND + SOUND,
    "null": b"null",
    "number": b"7",
    "string": json.dumps(UUID).encode(),
    "batch": b"[" + SOUND + b"]",
    "no members": b"{}",
    "no version": json.dumps({"id": ID, "result": UUID}).encode(),
    "version as number": answer(jsonrpc=2.0, result=UUID),
    "neither": answer(),
    "both": answer(result=UUID, error=ERROR),
    "both, error null": answer(result=UUID, error=None),
    "both, result null": answer(result=None, error=ERROR),
    "misspelt result": answer(Result=UUID),
    "error null": answer(error=None),
    "error text": answer(error="election window is open"),
    "error list": answer(error=[ERROR]),
    "error without code": answer(error={"message": "Invalid Request"}),
    "error without message": answer(error={"code": -32600}),
    "error code text": answer(error={"code": "-32600", "message": "Invalid Request"}),
    "error code true": answer(error={"code": True, "message": "Invalid Request"}),
    "error code endless": answer(error={"code": 10**300, "message": "Invalid Request"}),
    "error message null": answer(error={"code": -32600, "message": None}),
    "NaN": b'{"jsonrpc":"2.0","result":NaN,"id":7}',
    "result twice": b'{"jsonrpc":"2.0","result":"x","result":"%s","id":7}' % UUID.encode(),
    "a member twice, deep inside": b'{"jsonrpc":"2.0","result":{"status":"Rejected","status":"Processed"},"id":7}',
    "huge integer": b'{"jsonrpc":"2.0","result":' + b"9" * 5000 + b',"id":7}',
    "deep nesting": DEEP,
    "deep result": b'{"jsonrpc":"2.0","id":7,"result":' + DEEP + b"]" * 100_000 + b"}",
    "deep objects": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "UTF-16": SOUND.decode().encode("utf-16"),
    "latin-1": b'{"jsonrpc":"2.0","result":"\xe9","id":7}',
    "raw control character": b'{"jsonrpc":"2.0","result":"\n","id":7}',
    "gzip": b"\x1f\x8b\x08\x00",
}


@pytest.mark.parametrize("body", MALFORMED.values(), ids=MALFORMED)
def test_what_is_not_one_json_rpc_response_is_malformed_for_every_call(body):
    for name in CALLS:
        error = failure(name, body)
        assert type(error) is errors.MalformedResponse
        assert error.fate is Fate.UNKNOWN


@pytest.mark.parametrize("wrong", [True, 8, 7.0, "7", None, [7], {"id": 7}, -7, 2**64])
def test_an_answer_with_another_id_is_refused(wrong):
    assert type(failure("payout", answer(result=UUID, id=wrong))) is errors.ResponseIdMismatch


@pytest.mark.parametrize("status", [200, 502])
def test_the_id_true_is_not_the_id_1(status):
    body = answer(result=UUID, id=True) if status == 200 else answer(error=ERROR, id=True)
    with pytest.raises(errors.ResponseIdMismatch if status == 200 else errors.GatewayUnavailable):
        decode_response(CALLS["payout"], 1, Answer(status, body))


def test_an_answer_without_an_id_is_refused_and_an_error_may_carry_null_but_no_other_id():
    for told in ({"result": UUID}, {"error": ERROR}):
        without = json.dumps({"jsonrpc": "2.0", **told}).encode()
        assert type(failure("payout", without)) is errors.ResponseIdMismatch
    assert type(failure("payout", answer(error=ERROR, id=None))) is errors.RpcInvalidRequest
    assert type(failure("payout", answer(error=ERROR, id=8))) is errors.ResponseIdMismatch


def test_a_byte_order_mark_and_unknown_members_are_forgiven():
    assert decode("payout", b"\xef\xbb\xbf" + SOUND) == UUID
    assert decode("payout", answer(result=UUID, trace="x")) == UUID
    assert decode("payout", SOUND, 201) == UUID


# --------------------------------------------------------------------------------------------------------------- errors

OPEN = {
    "code": -32600,
    "message": "Invalid Request",
    "data": {"gatewayError": "election window is open", "request": "{..}"},
}
RPC_ERRORS = [
    (OPEN, errors.ElectionWindowOpen, Fate.NOT_ACCEPTED),
    ({**OPEN, "code": -32602}, errors.RpcInvalidParams, Fate.NOT_ACCEPTED),
    ({**OPEN, "data": {"gatewayError": ["election window is open"]}}, errors.RpcInvalidRequest, Fate.NOT_ACCEPTED),
    ({**OPEN, "data": {"GatewayError": "election window is open"}}, errors.RpcInvalidRequest, Fate.NOT_ACCEPTED),
    ({**OPEN, "data": ["election window is open"]}, errors.RpcInvalidRequest, Fate.NOT_ACCEPTED),
    ({**OPEN, "data": {"gatewayError": "method not found"}}, errors.RpcMethodNotFound, Fate.NOT_ACCEPTED),
    ({"code": -32700, "message": "Parse error"}, errors.RpcParseError, Fate.NOT_ACCEPTED),
    ({"code": -32601, "message": "Method not found"}, errors.RpcMethodNotFound, Fate.NOT_ACCEPTED),
    ({"code": -32602, "message": "Invalid params"}, errors.RpcInvalidParams, Fate.NOT_ACCEPTED),
    ({"code": -32603, "message": "Internal error"}, errors.RpcInternalError, Fate.UNKNOWN),
    ({"code": -32000, "message": "Server error"}, errors.RpcInternalError, Fate.UNKNOWN),
    ({"code": 10**100, "message": "far"}, errors.RpcInternalError, Fate.UNKNOWN),
]


@pytest.mark.parametrize(("error", "kind", "fate"), RPC_ERRORS)
def test_a_json_rpc_error_becomes_the_class_of_its_code(error, kind, fate):
    for name in CALLS.keys() - {"state"}:
        raised = failure(name, answer(error=error))
        assert type(raised) is kind
        assert isinstance(raised, errors.RpcError)
        assert (raised.fate, raised.code, raised.message) == (fate, error["code"], error["message"])


@pytest.mark.parametrize(
    ("data", "gateway_error", "seen_request"),
    [
        (None, None, None),
        ("plain", "plain", None),
        ({"gatewayError": None, "request": {"id": 1}}, None, '{"id": 1}'),
        ({"gatewayError": {"a": [1]}, "request": ["x"]}, '{"a": [1]}', '["x"]'),
        ({"gatewayError": False, "request": 0}, "false", "0"),
        ({"gatewayError": "a\ud800\x00b", "request": "\udfff"}, "a\ufffd\ufffdb", "\ufffd"),
        ({"gatewayError": "two\nlines\tand €"}, "two lines and €", None),
    ],
)
def test_whatever_stands_in_error_data_the_words_are_fit_for_a_log_and_a_database(data, gateway_error, seen_request):
    error = failure("payout", answer(error={**ERROR, "data": data}))
    assert isinstance(error, errors.RpcError)
    assert (error.gateway_error, error.request) == (gateway_error, seen_request)
    for text in (error.gateway_error, error.request, error.message):
        (text or "").encode()


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
    assert isinstance(failure("payout", answer(error=error)), errors.RpcError)


FAILED_POLL = {"code": -32603, "message": "Internal error", "data": {"gatewayError": "failed to poll chain"}}


@pytest.mark.parametrize(("status", "call_id"), [(200, ID), (200, None), (400, ID), (500, ID)])
def test_an_error_in_place_of_a_request_state_is_no_evidence(status, call_id):
    assert decode("state", answer(error=FAILED_POLL, id=call_id), status) == RequestState(
        RequestStatus.UNREADABLE, "unreadable: JSON-RPC error -32603: Internal error (failed to poll chain)"
    )


def test_a_bad_http_status_of_the_poll_is_an_error_where_no_error_object_answers_this_very_call():
    for body in (answer(error=FAILED_POLL, id=None), answer(result="Processed"), b""):
        assert type(failure("state", body, 502)) is errors.GatewayUnavailable
        assert type(failure("state", body, 403)) is errors.Forbidden


def test_a_gateway_without_request_states_says_so_all_the_same():
    for error in (
        {"code": -32601, "message": "Method not found"},
        {**OPEN, "data": {"gatewayError": "method not found"}},
    ):
        assert type(failure("state", answer(error=error))) is errors.RpcMethodNotFound


# -------------------------------------------------------------------------------------------------------- HTTP statuses

STATUSES = [
    (401, errors.Unauthorized, Fate.NOT_ACCEPTED),
    (403, errors.Forbidden, Fate.NOT_ACCEPTED),
    (429, errors.RateLimited, Fate.NOT_ACCEPTED),
    (301, errors.RedirectRefused, Fate.NOT_ACCEPTED),
    (303, errors.RedirectRefused, Fate.UNKNOWN),
    (308, errors.RedirectRefused, Fate.NOT_ACCEPTED),
    (500, errors.GatewayUnavailable, Fate.UNKNOWN),
    (502, errors.GatewayUnavailable, Fate.UNKNOWN),
    (599, errors.GatewayUnavailable, Fate.UNKNOWN),
    (101, errors.UnexpectedStatus, Fate.UNKNOWN),
    (400, errors.UnexpectedStatus, Fate.UNKNOWN),
    (404, errors.UnexpectedStatus, Fate.NOT_ACCEPTED),
    (413, errors.UnexpectedStatus, Fate.NOT_ACCEPTED),
]
NO_ANSWER_TO_THIS_CALL = {
    "html": b"<html>Bad Gateway</html>",
    "front door": b'{"message":"Unauthorized"}',
    "a result": SOUND,
    "error of another call": answer(error=OPEN, id=8),
    "error with the id true": answer(error=OPEN, id=True),
    "error with the id as real": answer(error=OPEN, id=7.0),
    "error with the id null": answer(error=OPEN, id=None),
    "error without an id": json.dumps({"jsonrpc": "2.0", "error": OPEN}).encode(),
    "not an error object": answer(error="election window is open"),
    "result and error": answer(error=OPEN, result=UUID),
    "deep nesting": DEEP,
}


@pytest.mark.parametrize(("status", "kind", "fate"), STATUSES)
def test_an_http_status_speaks_unless_an_error_object_answers_this_very_call(status, kind, fate):
    for case, body in NO_ANSWER_TO_THIS_CALL.items():
        error = failure("payout", body, status)
        assert (type(error), error.fate, error.status) == (kind, fate, status), case


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        *[(None, None), ("0", 0), (" 5 ", 5), ("9" * 400, 999_999_999), ("soon", None), ("-5", None), ("1.5", None)],
        *[
            ("Wed, 21 Oct 2015 07:28:00 GMT", 0),
            ("Wed, 21 Oct 2015 07:28:00", 0),
            ("Mon, 01 Jan 0001 00:00:00 +2359", 0),
        ],
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
    for status, kind in ((429, errors.RateLimited), (503, errors.GatewayUnavailable)):
        error = failure("payout", b"", status, header)
        assert isinstance(error, kind)
        assert error.retry_after == seconds
