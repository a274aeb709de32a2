"""A hostile node of the chain cannot crash a reader, hold it up, fill its memory, or have it tell what no chain can be."""

from __future__ import annotations

import base64
import hashlib
import logging
import logging.config
from datetime import datetime

import pytest
from hostile_servers import FLOODS, bounded

from staking_gateway.chain import ChainReader, NodeEndpoint, close_nodes
from staking_gateway.errors import ChainError, Failed, NodeRefused
from staking_gateway.http.endpoint import ReadRetry
from staking_gateway.types import MAX_ERA, ElectionWindow
from tests.chain import storage
from tests.chain.fake_node import serving

PARENT = "0x" + "cd" * 32
ERA_7 = "0x070000000100b2ac0d8c010000"
STORED = {storage.ACTIVE_ERA: ERA_7, storage.ERA_ELECTION_STATUS: "0x00"}
FORGED = "no\r\n[INFO] Era 7 is paid \x1b[31m\x9b2J\u2028\u202e"


@pytest.fixture(autouse=True)
def once(monkeypatch):
    """Readers ask once, and nothing is left of a node between tests."""
    monkeypatch.setattr(NodeEndpoint, "retry", ReadRetry(attempts=1))
    yield
    close_nodes()


@pytest.fixture
def node():
    with serving(STORED) as running:
        yield running


def read(url, **options):
    """The state that a reader reads from a node, or its error."""
    reader = ChainReader(NodeEndpoint(url, **{"timeout": 30, **options}))
    return bounded(reader.state, ChainError)


def check(told, where):
    """Either an error that fits any log, or a state a chain can have; says which."""
    if isinstance(told, ChainError):
        assert str(told).isprintable(), where
        return False
    assert 0 <= told.active_era <= MAX_ERA, where
    assert isinstance(told.window, ElectionWindow), where
    assert told.started_at is None or isinstance(told.started_at, datetime), where
    assert 0 <= told.block < 2**64, where
    assert f"{told}".isprintable(), where
    return True


@pytest.mark.parametrize("number", ["0x" + "f" * 5000, "0x" + "f" * 17, "-0x5", "0x", 5])
def test_a_block_number_that_is_none_is_refused(node, number):
    node.results["chain_getHeader"] = {"parentHash": PARENT, "number": number}
    assert read(node.url("http")).how is Failed.NODE_ANSWER


@pytest.mark.parametrize("scheme", ["ws", "http"])
def test_no_word_of_a_node_becomes_a_line_of_a_log(node, scheme):
    node.name = FORGED
    identity = ChainReader(node.url(scheme)).identity()
    assert identity.chain_name.isprintable()
    assert "Era 7 is paid" in identity.chain_name
    error = read(node.url(scheme), chain_name="another")
    assert isinstance(error, ChainError)
    assert str(error).isprintable()
    close_nodes()
    node.results["state_queryStorageAt"] = [{"changes": [[storage.ACTIVE_ERA, FORGED]]}]
    assert check(read(node.url(scheme)), "a value") is False


@pytest.mark.parametrize("scheme", ["ws", "http"])
def test_no_log_shows_the_key_in_an_address(node, scheme, caplog):
    read(node.url(scheme))
    close_nodes()
    logging.config.dictConfig({"version": 1, "disable_existing_loggers": False})  # as Airflow does at any time
    caplog.set_level(logging.DEBUG)
    told = read(f"{node.url(scheme)}/T0P-s3cret-Key")
    assert check(told, "a path") is True
    assert "s3cret" not in caplog.text


@pytest.mark.parametrize("flood", FLOODS)
def test_a_node_that_sends_without_end_is_given_up(server, flood):
    server.script = [FLOODS[flood]]
    assert isinstance(read(server.url, timeout=1, max_response_bytes=65536), ChainError)


def greeted(head, behind=b""):
    """Opens a websocket with these headers; `KEY` is the accepted key."""

    def behave(exchange):
        key = exchange.request.header("Sec-WebSocket-Key")[0] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        accepted = base64.b64encode(hashlib.sha1(key.encode()).digest())
        exchange.send(head.replace(b"KEY", accepted) + behind)

    return behave


OPENED = (
    b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: KEY\r\n"
)


@pytest.mark.parametrize(
    "head",
    [
        OPENED + b"Set-Cookie: a/b=c; Domain=127.0.0.1\r\n\r\n",
        b"\r\n\r\n",
        b"\r\n" + OPENED + b"\r\n",
        OPENED.replace(b"KEY", b"\xff\xfe") + b"\r\n",
        OPENED.replace(b"101", b"101x") + b"\r\n",
        OPENED + b"no colon\r\n\r\n",
        OPENED + b"X: " + b"y" * 100_000,
        b"HTTP/1.1 401 No\r\nContent-Length: x\r\n\r\n",
        b"HTTP/1.1 302 Found\r\nLocation: ws://127.0.0.1:1/\r\n\r\n",
    ],
)
def test_no_handshake_raises_anything_but_an_error_of_ours(server, head):
    server.script = [greeted(head)]
    assert check(read(server.url.replace("http", "ws")), head) is False


def test_no_cookie_of_a_node_is_sent_back(server):
    server.script = [greeted(OPENED + b"Set-Cookie: a=planted\r\n\r\n")] * 2
    for _ in range(2):
        read(server.url.replace("http", "ws"))
    assert [request.header("Cookie") for request in server.requests] == [[]] * 2


@pytest.mark.parametrize("code", ["7" * 1_000_000, 10**4000, {"a": [1] * 1000}, [], None, True])
def test_an_error_of_a_node_is_quoted_in_part(node, code):
    node.errors[("state_getRuntimeVersion", node.hash_of(99))] = (code, "m" * 1_000_000)
    error = read(node.url("http"))
    assert isinstance(error, NodeRefused)
    assert len(str(error)) < 700
    assert abs(error.code) < 2**31
