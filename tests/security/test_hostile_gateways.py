"""A hostile gateway cannot crash a client, hold it up, fill its memory, or have anything taken for a success that is none."""

from __future__ import annotations

import json
import socket

import pytest
from faults import PAYOUT, REQUEST_ID, SHORT, SLOW_FAULTS, endpoint, envelope, result, status
from hostile_servers import FLOODS, bounded, plant_cookies

from staking_gateway import errors
from staking_gateway.errors import Failed, SendAnswer
from staking_gateway.http.endpoint import Endpoint, ReadRetry, Timeouts
from staking_gateway.problem import Topic
from tests.support.failed import fails

ONCE = ReadRetry(attempts=1)


@pytest.mark.parametrize("drip", SLOW_FAULTS)
def test_a_gateway_that_always_has_a_little_more_is_given_up(connect, server, drip):
    server.script = [SLOW_FAULTS[drip]]
    client = connect(endpoint(server, timeouts=SHORT))
    error = bounded(lambda: client.payout_stakers(**PAYOUT), errors.GatewayError)
    assert (error.method, error.how) == ("proxyPayoutstakers", Failed.TIMEOUT)
    assert server.count == 1


def test_a_tls_handshake_that_is_never_answered_is_given_up(connect):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"https://127.0.0.1:{listener.getsockname()[1]}"
        client = connect(Endpoint(address, timeouts=Timeouts(0.3, 0.3, 0.5), retry=ONCE))
        assert bounded(client.active_era, errors.GatewayError).how.topic is Topic.GATEWAY_UNREACHABLE


@pytest.mark.parametrize("flood", FLOODS)
def test_a_gateway_that_sends_without_end_is_given_up(connect, server, flood):
    server.script = [FLOODS[flood]]
    client = connect(endpoint(server, timeouts=Timeouts(5, 1, 1)))
    error = bounded(lambda: client.payout_stakers(**PAYOUT), errors.GatewayError)
    assert isinstance(error, errors.GatewayError)
    assert error.how.sent is SendAnswer.LOST
    assert server.count == 1


def test_a_cookie_is_never_sent_back(connect, server):
    server.script = [plant_cookies]
    client = connect(Endpoint(server.url.replace("127.0.0.1", "localhost")))
    for _ in range(3):
        assert client.active_era() == 1392
    assert [request.header("Cookie") for request in server.requests] == [[], [], []]


def test_what_is_sent_after_an_answer_is_not_taken_for_the_next_one(connect, server):
    """The next call's id can be guessed; an answer to it that came before it was asked is none."""

    def behave(exchange):
        number = exchange.request.json["id"]
        sound = json.dumps({"jsonrpc": "2.0", "result": "1392", "id": number}).encode()
        forged = json.dumps({"jsonrpc": "2.0", "result": REQUEST_ID, "id": number + 1}).encode()
        head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n"
        exchange.send(head % len(sound) + sound + head % len(forged) + forged)
        return True

    def refuse(exchange):
        exchange.answer(b"{}", "503 Busy")

    server.script = [behave, refuse]
    client = connect(endpoint(server))
    assert client.active_era() == 1392
    with fails(Failed.FAILED, Failed.BROKEN) as caught:
        client.payout_stakers(**PAYOUT)
    assert caught.value.how.sent is SendAnswer.LOST


FORGED = (
    "all is well\r\n[2026-11-20] {payouts.py} INFO - Era 7 is paid \x1b[2K\x9b31m\u2028\u202e%s {0} {{ 7*7 }} \ud800"
)


REFUSED = {"code": -32600, "message": "Invalid Request"}
QUOTED = {"gatewayError": FORGED, "request": FORGED}
PLACES = {
    "message": ("payout_stakers", {"error": {**REFUSED, "message": FORGED}}),
    "gatewayError": ("payout_stakers", {"error": {**REFUSED, "data": QUOTED}}),
    "data": ("payout_stakers", {"error": {**REFUSED, "data": FORGED}}),
    "status": ("request_state", {"result": {"status": FORGED}}),
    "name": ("chain_info", {"result": {"name": FORGED[:-1], "version": FORGED}}),
    "no JSON": ("payout_stakers", None),
}
"""A call, and the members of its answer."""


@pytest.mark.parametrize("place", PLACES)
def test_no_word_of_a_gateway_becomes_a_line_of_a_log(connect, server, place):
    call, members = PLACES[place]
    no_json = status("200 OK", FORGED.encode("utf-8", "replace"))
    server.script = [no_json if members is None else envelope(**members)]
    client = connect(endpoint(server, retry=ONCE))
    if call == "payout_stakers":
        with pytest.raises(errors.GatewayError) as caught:
            client.payout_stakers(**PAYOUT)
        told = [str(caught.value)]
    elif call == "request_state":
        told = [client.request_state(REQUEST_ID).wire_status]
    else:
        info = client.chain_info()
        told = [info.name, info.version]
    for text in told:
        assert "all is well" in text
        assert text.isprintable()


@pytest.mark.parametrize("name", ["x" * 201, "\ud800"])
def test_a_chains_name_that_no_ledger_could_keep_is_refused(connect, server, name):
    server.script = [result({"name": name, "version": "1"})]
    with fails(Failed.WRONG_RESULT):
        connect(endpoint(server, retry=ONCE)).chain_info()
