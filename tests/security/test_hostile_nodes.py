"""A hostile node of the chain cannot crash a reader, hold it up, fill its memory, or have it tell what no chain can be."""

import logging
import logging.config

import pytest

from staking_gateway.chain import ChainReader
from staking_gateway.errors import ChainError, Failed
from tests.chain import storage
from tests.support.nodes import close_nodes

pytestmark = pytest.mark.usefixtures("once")
FORGED = "no\r\n[INFO] Era 7 is paid \x1b[31m\x9b2J\u2028\u202e"


def refused(url, **options):
    """The error of a reader that reads a node, fit for any log."""
    with pytest.raises(ChainError) as caught:
        ChainReader(url, **{"timeout": 30, **options}).state()
    close_nodes()
    assert str(caught.value).isprintable()
    return caught.value


@pytest.mark.parametrize("scheme", ["ws", "http"])
def test_no_word_of_a_node_becomes_a_line_of_a_log(node, scheme):
    node.name = FORGED
    identity = ChainReader(node.url(scheme)).identity()
    assert identity.chain_name.isprintable()
    assert "Era 7 is paid" in identity.chain_name
    close_nodes()
    node.results["state_queryStorageAt"] = [{"changes": [[storage.ACTIVE_ERA, FORGED]]}]
    refused(node.url(scheme))


SECRET = "T0P-s3cret-Path"
STRANGE = {
    "sound": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
    "refused": b"HTTP/1.1 500 No\r\nContent-Length: 2\r\n\r\n{}",
    "redirect": b"HTTP/1.1 302 Found\r\nLocation: https://elsewhere.example/\r\nContent-Length: 0\r\n\r\n",
    "headers that cannot be read": b"HTTP/1.1 200 OK\r\nno colon at all\r\nContent-Length: 2\r\n\r\n{}",
    "not HTTP": b"SSH-2.0-OpenSSH\r\n\r\n",
    "nothing": b"",
}


@pytest.mark.parametrize("strange", STRANGE)
@pytest.mark.parametrize("place", ["path", "query"])
def test_no_log_however_loud_names_the_address_of_a_node(server, caplog, place, strange):
    """The path or the query of such an address is often its access key."""
    logging.config.dictConfig({"version": 1, "disable_existing_loggers": False})  # as Airflow does at any time
    caplog.set_level(logging.DEBUG)
    for name in ("urllib3", "urllib3.connectionpool", "urllib3.connection", "websocket", "requests"):
        caplog.set_level(logging.DEBUG, logger=name)
    server.script = [lambda exchange: exchange.send(STRANGE[strange])]
    address = f"{server.url}/{SECRET}/x" if place == "path" else f"{server.url}/x?key={SECRET}"
    told = []
    for scheme in ("http", "ws"):
        with pytest.raises(ChainError) as caught:
            ChainReader(address.replace("http", scheme, 1), timeout=5).state()
        told.append(caught.value)
    close_nodes()
    assert server.count >= 2
    assert SECRET in server.requests[0].target
    for error in told:
        assert SECRET not in f"{error!r} {error} {vars(error)}"
    assert SECRET not in caplog.text
    assert not [record for record in caplog.records if SECRET in str(record.args)]


OPENED = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"


@pytest.mark.parametrize("head", [b"\r\n\r\n", OPENED + b"\r\n", OPENED + b"X: " + b"y" * 100_000])
def test_a_handshake_that_the_library_refuses_is_an_error_of_ours(server, head):
    server.script = [lambda exchange: exchange.send(head)]
    refused(server.url.replace("http", "ws"))


@pytest.mark.parametrize("code", ["7" * 1_000_000, 10**4000, {"a": [1] * 1000}, [], None, True])
def test_an_error_of_a_node_is_quoted_in_part(node, code):
    node.errors[("state_getRuntimeVersion", node.hash_of(99))] = (code, "m" * 1_000_000)
    error = refused(node.url("http"))
    assert error.how is (Failed.NODE_REFUSED if type(code) is int else Failed.NODE_ANSWER)
    assert len(str(error)) < 700
