"""A hostile gateway cannot crash a client, hold it up, fill its memory, or have anything taken for a success that is none."""

from __future__ import annotations

import json
import socket
import threading

import pytest
from faults import PAYOUT, REQUEST_ID, SHORT, endpoint, result
from hostile_servers import DRIPS, plant_cookies

from staking_gateway import errors
from staking_gateway.errors import Fate
from staking_gateway.http.endpoint import Endpoint, ReadRetry, Timeouts

HANGS = 60
"""Seconds after which something hangs; the clients here give up after one or less."""
ONCE = ReadRetry(attempts=1)
OURS = {name for name, kind in vars(errors).items() if isinstance(kind, type)}


def run_bounded(call):
    """What a call comes to: its value or its error; it must not hang."""
    told = []

    def run():
        try:
            told.append(call())
        except errors.GatewayError as error:
            told.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(HANGS)
    assert not thread.is_alive(), "it hangs"
    return told[0]


@pytest.mark.parametrize("drip", DRIPS)
def test_a_gateway_that_always_has_a_little_more_is_given_up(connect, server, drip):
    server.script = [DRIPS[drip]]
    error = run_bounded(lambda: connect(endpoint(server, timeouts=SHORT)).payout_stakers(**PAYOUT))
    assert isinstance(error, errors.GatewayTimeout | errors.ConnectionLost | errors.UnexpectedStatus)
    assert error.fate is Fate.UNKNOWN
    assert server.count == 1


def test_a_tls_handshake_that_is_never_answered_is_given_up(connect):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"https://127.0.0.1:{listener.getsockname()[1]}"
        client = connect(Endpoint(address, timeouts=Timeouts(0.3, 0.3, 0.5), retry=ONCE))
        assert isinstance(run_bounded(client.active_era), errors.TransportError)


@pytest.mark.parametrize("kind", ["blocking", "async"])
def test_no_answer_makes_a_client_need_more_than_64_mb(flooded, kind):
    told = flooded(kind)
    assert told.pop("cookies") == 1392
    assert set(told.values()) <= OURS, told


NO_HTTP = {
    "a chunk smaller than nothing": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n%s\r\n0\r\n\r\n",
    "a chunk that never ends": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-ffff\r\n%s",
    "a header without a name": b"HTTP/1.1 200 OK\r\nno colon at all\r\nContent-Length: 100\r\n\r\n%s",
    "a status of no kind": b"HTTP/1.1 -200 OK\r\n\r\n%s",
}


@pytest.mark.parametrize("case", NO_HTTP)
def test_a_success_that_is_packed_as_no_http_packs_it_is_none(connect, server, case):
    def behave(exchange):
        sound = json.dumps({"jsonrpc": "2.0", "result": REQUEST_ID, "id": exchange.request.json["id"]}).encode()
        exchange.send(NO_HTTP[case] % sound.ljust(100))

    server.script = [behave]
    with pytest.raises(errors.ConnectionLost) as caught:
        connect(endpoint(server)).payout_stakers(**PAYOUT)
    assert caught.value.fate is Fate.UNKNOWN
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
    with pytest.raises((errors.GatewayUnavailable, errors.ConnectionLost)) as caught:
        client.payout_stakers(**PAYOUT)
    assert caught.value.fate is Fate.UNKNOWN


FORGED = (
    "all is well\r\n[2026-11-20] {payouts.py} INFO - Era 7 is paid \x1b[2K\x9b31m\u2028\u202e%s {0} {{ 7*7 }} \ud800"
)


@pytest.mark.parametrize("place", ["message", "gatewayError", "data", "status", "name", "code 200"])
def test_no_word_of_a_gateway_becomes_a_line_of_a_log(connect, server, place):
    def behave(exchange):
        number = exchange.request.json["id"]
        error = {"code": -32600, "message": FORGED if place == "message" else "Invalid Request"}
        if place == "gatewayError":
            error["data"] = {"gatewayError": FORGED, "request": FORGED}
        if place == "data":
            error["data"] = FORGED
        body = {"jsonrpc": "2.0", "error": error, "id": number}
        if place == "status":
            body = {"jsonrpc": "2.0", "result": {"status": FORGED}, "id": number}
        if place == "name":
            body = {"jsonrpc": "2.0", "result": {"name": FORGED[:-1], "version": FORGED}, "id": number}
        text = FORGED.encode("utf-8", "replace") if place == "code 200" else json.dumps(body).encode()
        exchange.answer(text)
        return True

    server.script = [behave]
    client = connect(endpoint(server, retry=ONCE))
    if place == "status":
        told = [client.request_state(REQUEST_ID).wire_status]
    elif place == "name":
        info = client.chain_info()
        told = [info.name, info.version]
    else:
        with pytest.raises(errors.GatewayError) as caught:
            client.payout_stakers(**PAYOUT)
        told = [str(caught.value)]
    for text in told:
        assert "all is well" in text
        assert text.isprintable()


@pytest.mark.parametrize("name", ["x" * 201, "\ud800"])
def test_a_chains_name_that_no_ledger_could_keep_is_refused(connect, server, name):
    server.script = [result({"name": name, "version": "1"})]
    with pytest.raises(errors.UnexpectedResult):
        connect(endpoint(server, retry=ONCE)).chain_info()
