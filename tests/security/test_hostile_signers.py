"""A hostile remote signer can refuse; nothing else."""

from __future__ import annotations

import logging

import pytest
from faults import ALICE, SLOW_FAULTS, TOKEN
from hostile_servers import FLOODS

from staking_gateway.chain import ChainReader, NodeEndpoint, close_nodes
from staking_gateway.errors import ChainError, SigningError, StakingGatewayError
from staking_gateway.http.endpoint import ReadRetry
from staking_gateway.signing import MessageKind, payout_message
from staking_gateway.signing import remote as remote_signer
from staking_gateway.signing.remote import RemoteSigner
from staking_gateway.types import AccountId

ACCOUNT = AccountId.parse(ALICE)
MESSAGE = payout_message(ALICE, 1391, 7)


SECRET = "T0P-s3cret-Path"


@pytest.mark.parametrize("flood", FLOODS)
def test_a_signer_that_sends_without_end_is_given_up(server, monkeypatch, flood):
    monkeypatch.setattr(remote_signer, "ANSWER_SECONDS", 1)
    server.script = [FLOODS[flood]]
    with pytest.raises(SigningError):
        RemoteSigner(server.url, TOKEN, ACCOUNT).sign(MessageKind.PAYOUT, MESSAGE)


@pytest.mark.parametrize("drip", SLOW_FAULTS)
def test_does_not_hold_its_client_up(server, monkeypatch, drip):
    """A drip that was waited for would never end: the test would hang."""
    monkeypatch.setattr(remote_signer, "ANSWER_SECONDS", 0.3)
    server.script = [SLOW_FAULTS[drip]]
    with pytest.raises(SigningError, match="did not answer"):
        RemoteSigner(server.url, TOKEN, ACCOUNT).sign(MessageKind.PAYOUT, MESSAGE)


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
def test_no_log_however_loud_names_the_address_of_a_node(server, caplog, place, strange, monkeypatch):
    """The path or the query of such an address is often its access key."""
    monkeypatch.setattr(NodeEndpoint, "retry", ReadRetry(attempts=1))
    caplog.set_level(logging.DEBUG)
    for name in ("urllib3", "urllib3.connectionpool", "urllib3.connection", "websocket", "requests"):
        caplog.set_level(logging.DEBUG, logger=name)
    server.script = [lambda exchange: exchange.send(STRANGE[strange])]
    address = f"{server.url}/{SECRET}/x" if place == "path" else f"{server.url}/x?key={SECRET}"
    told = []
    for scheme in ("http", "ws"):
        with pytest.raises(ChainError) as caught:
            ChainReader(NodeEndpoint(address.replace("http", scheme, 1), timeout=5)).state()
        told.append(caught.value)
    close_nodes()
    assert server.count >= 2
    assert SECRET in server.requests[0].target
    for error in told:
        assert isinstance(error, StakingGatewayError)
        assert SECRET not in f"{error!r} {error} {vars(error)}"
    assert SECRET not in caplog.text
    assert not [record for record in caplog.records if SECRET in str(record.args)]
