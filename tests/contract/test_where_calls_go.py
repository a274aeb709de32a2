"""Both clients call the configured gateway and nobody else: redirects, proxies, TLS."""

import socket

import pytest
from faults import (
    PAYOUT,
    QUICK_RETRY,
    REQUEST_ID,
    TOKEN,
    endpoint,
    raw,
    result,
    status,
)

from staking_gateway import GatewayClient, errors
from staking_gateway.errors import Failed, SendAnswer
from staking_gateway.http.endpoint import Endpoint
from tests.support.failed import fails

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


def test_a_proxy_of_the_environment_gets_its_own_credentials_and_leaves_the_token_alone(connect, proxy, netrc):
    proxy.script = [result(REQUEST_ID)]
    client = connect(Endpoint("http://gateway.invalid", allow_http=True))
    assert client.payout_stakers(**PAYOUT) == REQUEST_ID
    (request,) = proxy.requests
    assert request.target == "http://gateway.invalid/send"
    assert request.header("Authorization") == [f"bearer {TOKEN}"]
    assert request.header("Proxy-Authorization") == ["Basic dXNlcjpwYXNz"]
