"""Both clients against broken gateways: one row of the table for each fault, a payout never sent twice, a read repeated."""

import socket
import time
from email.utils import formatdate

import pytest
from faults import (
    DENIALS,
    FAULTS,
    PAYOUT,
    QUICK_RETRY,
    REQUEST_ID,
    SHORT,
    SLOW_FAULTS,
    TOKEN,
    endpoint,
    raw,
    result,
    status,
)

from staking_gateway import GatewayClient, errors
from staking_gateway.errors import Failed, SendAnswer
from staking_gateway.http.endpoint import Endpoint
from tests.contract.broken_server import Exchange
from tests.support.failed import fails


@pytest.mark.parametrize("fault", FAULTS)
def test_a_payout_meets_a_fault_once_and_says_what_it_means(connect, server, fault):
    behaviour, how = FAULTS[fault]
    server.script = [behaviour]
    with fails(how) as caught:
        connect(endpoint(server)).payout_stakers(**PAYOUT)
    assert caught.value.method == "proxyPayoutstakers"
    assert TOKEN not in str(caught.value)
    assert server.count == 1


@pytest.mark.parametrize("fault", FAULTS)
def test_a_read_is_asked_again_when_the_fault_may_pass_and_only_then(connect, server, fault):
    behaviour, how = FAULTS[fault]
    server.script = [behaviour, behaviour, result("1392")]
    client = connect(endpoint(server))
    if how.passes:
        assert client.active_era() == 1392
        assert server.count == 3
    else:
        with fails(how):
            client.active_era()
        assert server.count == (2 if fault in DENIALS else 1)


@pytest.mark.parametrize("fault", DENIALS)
def test_a_method_that_was_answered_before_is_asked_for_again_and_its_denial_is_not_believed(connect, server, fault):
    denied = FAULTS[fault][0]
    server.script = [result("1392"), denied, denied, result("1393"), *[denied] * QUICK_RETRY.attempts]
    client = connect(endpoint(server))
    assert client.active_era() == 1392
    assert client.active_era() == 1393
    with fails(Failed.WITHDRAWN, match=r"has answered before; is it being replaced\?") as caught:
        client.active_era()
    assert caught.value.method == "getActiveEra"
    assert server.count == 4 + QUICK_RETRY.attempts


def test_a_payout_that_is_denied_is_not_sent_a_second_time(connect, server):
    server.script = [result(REQUEST_ID), FAULTS["method not found"][0]]
    client = connect(endpoint(server))
    client.payout_stakers(**PAYOUT)
    with fails(Failed.NO_METHOD):
        client.payout_stakers(**PAYOUT)
    assert server.count == 2


UNANSWERED_POLLS = [
    fault for fault, (_, how) in FAULTS.items() if not how.breaks_rules and how not in (Failed.WINDOW, Failed.NO_METHOD)
]


@pytest.mark.parametrize("fault", [*UNANSWERED_POLLS, "method not found"])
def test_a_poll_that_nobody_answered_is_an_error(connect, server, fault):
    behaviour, how = FAULTS[fault]
    server.script = [behaviour]
    with fails(how):
        connect(endpoint(server)).request_state(REQUEST_ID)


@pytest.mark.parametrize("drip", SLOW_FAULTS)
def test_a_gateway_that_always_has_a_little_more_is_given_up(connect, server, drip):
    server.script = [SLOW_FAULTS[drip]]
    with fails(Failed.TIMEOUT) as caught:
        connect(endpoint(server, timeouts=SHORT)).payout_stakers(**PAYOUT)
    assert caught.value.how.sent is SendAnswer.LOST
    assert server.count == 1


def test_a_read_survives_a_gateway_that_did_not_answer_in_time(connect, server):
    server.script = [Exchange.hold, result("1392")]
    assert connect(endpoint(server, timeouts=(5, 1, 5))).active_era() == 1392
    assert server.count == 2


def test_when_to_come_back_is_told_and_not_waited_for_beyond_the_total_time(connect, server):
    server.script = [status("429 Slow Down", b"", f"Retry-After: {formatdate(time.time() + 600, usegmt=True)}")]
    with fails(Failed.TOO_MANY) as caught:
        connect(endpoint(server)).active_era()
    assert caught.value.retry_after == pytest.approx(600, abs=5)
    assert server.count == 1


# --- without a connection ---------------------------------------------------------------------------------------------

FAR = "https://gateway.invalid"


def nobody_listens(_):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    return Endpoint(f"http://127.0.0.1:{port}", retry=QUICK_RETRY)


def unknown_host(_):
    return Endpoint(FAR, retry=QUICK_RETRY)


def refused_tunnel(fixture):
    fixture("proxy").script = [status("407 Proxy Authentication Required")]
    return Endpoint(FAR)


def broken_tunnel(fixture):
    def behave(exchange):
        exchange.send(b"HTTP/1.1 200 Connection established\r\n\r\n")
        exchange.hold()

    fixture("proxy").script = [behave]
    return Endpoint(FAR, timeouts=(0.3, 0.3, 5))


def silent_handshake(fixture):
    listener = socket.create_server(("127.0.0.1", 0))
    fixture("request").addfinalizer(listener.close)
    return Endpoint(f"https://127.0.0.1:{listener.getsockname()[1]}", timeouts=(0.3, 0.3, 0.5))


def self_signed(fixture):
    server = fixture("tls_server")
    server.script = [result(REQUEST_ID)]
    return endpoint(server)


PLACES = [nobody_listens, unknown_host, refused_tunnel, broken_tunnel, silent_handshake, self_signed]


@pytest.mark.parametrize("place", PLACES)
def test_without_a_connection_nothing_was_sent(connect, request, place):
    with fails(Failed.UNREACHABLE) as caught:
        connect(place(request.getfixturevalue)).payout_stakers(**PAYOUT)
    assert caught.value.how.sent is not SendAnswer.LOST


@pytest.mark.parametrize("tunnel", [b"", b"HTTP/1.1 200 Connection established\r\n\r\n", b"SSH-2.0\r\n\r\n"])
def test_a_payout_whose_proxy_breaks_before_the_tunnel_stands_was_never_sent(proxy, tunnel):
    proxy.script = [raw(tunnel)]
    with GatewayClient(FAR, TOKEN) as client, fails(Failed.UNREACHABLE):
        client.payout_stakers(**PAYOUT)
    assert proxy.count == 1


def test_a_lost_answer_is_not_mistaken_for_the_failure_the_caller_is_just_handling(connect, server):
    """A payout sent from an `except` block: the refused connection before it says nothing about this call."""
    server.script = [raw(b"")]
    second = connect(endpoint(server))
    try:
        connect(nobody_listens(None)).payout_stakers(**PAYOUT)
    except errors.GatewayError:
        with pytest.raises(errors.ConnectionLost) as caught:
            second.payout_stakers(**PAYOUT)
    assert caught.value.how.sent is SendAnswer.LOST
