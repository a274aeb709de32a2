"""Faults that lose an answer, over HTTP: seen from a plain socket and through the blocking client."""

import contextlib
import json
import socket
from datetime import datetime, timezone

import pytest

from staking_gateway import GatewayClient, errors
from staking_gateway.errors import GatewayError
from staking_gateway.http.endpoint import Endpoint, ReadRetry, Timeouts
from staking_gateway.signing import LocalSigner
from staking_gateway_simulator.fault_plan import FaultPlan, FaultRule
from staking_gateway_simulator.faults import FAULTS, Delivery
from staking_gateway_simulator.running import RunningSimulator
from staking_gateway_simulator.settings import SimulatorSettings
from tests.support.payouts import pay

ALICE, BOB, CHARLIE = (LocalSigner(uri) for uri in ("//Alice", "//Bob", "//Charlie"))
START = datetime(2026, 1, 1, 0, 10, tzinfo=timezone.utc)
ERA = 29
SETTINGS = SimulatorSettings(manual_clock=True, start_time=START, unpaid_eras=3)
QUIET = 0.2
"""How long nothing must arrive on a connection to call it silent."""
ANSWER = b'{"jsonrpc":"2.0","id":7,"result":"0"}'
LOST = {
    "refuse": "closed",
    "reset-before": "reset",
    "reset-after": "reset",
    "silence-before": "silent",
    "silence-after": "silent",
}
"""Faults that bring no answer, and how the connection ends."""


@pytest.fixture(scope="module")
def shared():
    """A simulator whose faults each test sets itself."""
    with RunningSimulator(SETTINGS) as simulator:
        yield simulator


@pytest.fixture
def simulator():
    with RunningSimulator(SETTINGS) as simulator:
        yield simulator


def exchange(simulator, patience=30):
    """What arrives of one call over a connection of its own, and how that ends: closed, reset or silent."""
    params = {"accountId": BOB.account.address, "nonceType": "staking"}
    body = json.dumps({"jsonrpc": "2.0", "method": "getNonce", "params": params, "id": 7})
    head = (
        f"POST /query HTTP/1.1\r\nHost: localhost\r\nAuthorization: bearer {simulator.token}\r\nConnection: close\r\n"
    )
    data = b""
    with socket.create_connection(("127.0.0.1", simulator.port), timeout=patience) as connection:
        connection.sendall(
            f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()
        )
        try:
            while piece := connection.recv(1 << 16):
                data += piece
        except ConnectionResetError:
            return data, "reset"
        except TimeoutError:
            return data, "silent"
    return data, "closed"


@pytest.mark.parametrize(("name", "ending"), LOST.items())
def test_a_lost_call_ends_its_connection_as_a_network_would(shared, name, ending):
    shared.control.set_faults(f"{name}:times=1")
    assert exchange(shared, QUIET if ending == "silent" else 30) == (b"", ending)
    answer, ending = exchange(shared)
    assert (answer.endswith(b"\r\n\r\n" + ANSWER), ending) == (True, "closed")
    assert shared.control.faults()["rules"][0]["struck"] == 1


@contextlib.contextmanager
def client(simulator, read=30):
    endpoint = Endpoint(simulator.url, timeouts=Timeouts(30, read, 60), retry=ReadRetry(attempts=1))
    with GatewayClient(endpoint, simulator.token) as opened:
        yield opened


def expected_error(name):
    """What the fault says of itself where there is no network; only a real refusal can be told from a loss."""
    fault = FaultPlan([FaultRule(name)]).next("/send", "proxyPayoutstakers").wire
    return errors.ConnectionLost if name == "refuse" else type(fault.error("x"))


@pytest.mark.parametrize("name", [name for name, kind in FAULTS.items() if kind.delivery is not Delivery.ANSWERED])
def test_a_client_makes_of_it_what_the_fault_says_and_the_chain_knows_whether_it_was_accepted(simulator, name):
    simulator.control.set_faults(f"{name}:path=/send:times=1")
    late = expected_error(name) is errors.GatewayTimeout
    with client(simulator) as gateway, client(simulator, QUIET) as hurried, pytest.raises(GatewayError) as raised:
        pay(gateway, ALICE, CHARLIE, ERA, send_with=hurried if late else gateway)
    assert type(raised.value) is expected_error(name)
    assert len(simulator.control.truth()["requests"]) == FAULTS[name].reached
    assert simulator.control.faults()["counts"] == {name: 1}
