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

from staking_gateway import errors
from staking_gateway.errors import Fate
from staking_gateway.http.endpoint import Endpoint, Timeouts


@pytest.fixture
def nobody():
    """The address of a port on which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    return Endpoint(f"http://127.0.0.1:{port}", retry=QUICK_RETRY)


def test_a_refused_connection_means_that_nothing_was_sent(connect, nobody):
    client = connect(nobody)
    with pytest.raises(errors.GatewayUnreachable) as caught:
        client.payout_stakers(**PAYOUT)
    assert caught.value.fate is Fate.NOT_ACCEPTED
    with pytest.raises(errors.GatewayUnreachable):
        client.active_era()


def test_a_lost_answer_is_not_mistaken_for_the_failure_the_caller_is_just_handling(connect, server, nobody):
    """A payout sent from an `except` block: the refused connection before it says nothing about this call."""
    server.script = [raw(b"")]
    second = connect(endpoint(server))
    try:
        connect(nobody).payout_stakers(**PAYOUT)
    except errors.GatewayUnreachable:
        with pytest.raises(errors.ConnectionLost) as caught:
            second.payout_stakers(**PAYOUT)
    assert caught.value.fate is Fate.UNKNOWN


def test_neither_a_proxy_nor_a_netrc_of_the_environment_counts_for_a_gateway_on_this_machine(
    connect, server, proxy, netrc
):
    server.script = [result(REQUEST_ID)]
    assert connect(endpoint(server)).payout_stakers(**PAYOUT) == REQUEST_ID
    assert proxy.connections == 0
    assert server.requests[0].header("Authorization") == [f"bearer {TOKEN}"]
    assert not server.requests[0].header("Proxy-Authorization")


def test_a_proxy_of_the_environment_gets_its_own_credentials_and_leaves_the_token_alone(connect, proxy, netrc):
    proxy.script = [result(REQUEST_ID)]
    client = connect(Endpoint("http://gateway.invalid", allow_http=True))
    assert client.payout_stakers(**PAYOUT) == REQUEST_ID
    (request,) = proxy.requests
    assert request.target == "http://gateway.invalid/send"
    assert request.header("Authorization") == [f"bearer {TOKEN}"]
    assert request.header("Proxy-Authorization") == ["Basic dXNlcjpwYXNz"]


def test_a_proxy_that_refuses_the_tunnel_means_that_nothing_was_sent(connect, proxy):
    proxy.script = [status("407 Proxy Authentication Required")]
    with pytest.raises(errors.GatewayUnreachable) as caught:
        connect(Endpoint("https://gateway.invalid")).payout_stakers(**PAYOUT)
    assert caught.value.fate is Fate.NOT_ACCEPTED
    assert [(request.verb, request.header("Authorization")) for request in proxy.requests] == [("CONNECT", [])]


def test_a_proxy_that_does_not_reach_the_server_means_that_nothing_was_sent(connect, proxy):
    def behave(exchange):
        exchange.send(b"HTTP/1.1 200 Connection established\r\n\r\n")
        exchange.hold()

    proxy.script = [behave]
    with pytest.raises(
        errors.GatewayUnreachable, match=r"no connection to gateway\.invalid:443 through the proxy"
    ) as caught:
        connect(Endpoint("https://gateway.invalid", timeouts=Timeouts(0.3, 0.3, 5))).payout_stakers(**PAYOUT)
    assert caught.value.fate is Fate.NOT_ACCEPTED


def test_an_unknown_host_means_that_nothing_was_sent(connect):
    with pytest.raises(errors.GatewayUnreachable) as caught:
        connect(Endpoint("https://gateway.invalid", retry=QUICK_RETRY)).payout_stakers(**PAYOUT)
    assert caught.value.fate is Fate.NOT_ACCEPTED


# TLS


def test_a_self_signed_certificate_is_refused_and_nothing_is_sent(connect, tls_server):
    tls_server.script = [result(REQUEST_ID)]
    with pytest.raises(errors.GatewayUnreachable, match="ca_bundle") as caught:
        connect(endpoint(tls_server)).payout_stakers(**PAYOUT)
    assert caught.value.fate is Fate.NOT_ACCEPTED
    assert tls_server.count == 0
