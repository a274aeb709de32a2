"""A hostile node of the chain cannot crash a reader, hold it up, fill its memory, or have it tell what no chain can be."""

from __future__ import annotations

import logging
import logging.config
from datetime import datetime

import pytest
from hostile_servers import bounded

from staking_gateway.chain import ChainReader, NodeEndpoint, close_nodes
from staking_gateway.errors import ChainError, NodeRefused
from staking_gateway.http.endpoint import ReadRetry
from staking_gateway.types import MAX_ERA, ElectionWindow
from tests.chain import storage
from tests.chain.fake_node import serving

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


OPENED = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"


@pytest.mark.parametrize("head", [b"\r\n\r\n", OPENED + b"\r\n", OPENED + b"X: " + b"y" * 100_000])
def test_a_handshake_that_the_library_refuses_is_an_error_of_ours(server, head):
    server.script = [lambda exchange: exchange.send(head)]
    assert check(read(server.url.replace("http", "ws")), head) is False


@pytest.mark.parametrize("code", ["7" * 1_000_000, 10**4000, {"a": [1] * 1000}, [], None, True])
def test_an_error_of_a_node_is_quoted_in_part(node, code):
    node.errors[("state_getRuntimeVersion", node.hash_of(99))] = (code, "m" * 1_000_000)
    error = read(node.url("http"))
    assert isinstance(error, NodeRefused)
    assert len(str(error)) < 700
    assert abs(error.code) < 2**31
