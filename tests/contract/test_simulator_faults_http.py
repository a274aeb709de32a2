"""Every fault over HTTP, seen from a plain socket and through the blocking client: real resets, halves and silence."""

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
WHOLE = b'{"jsonrpc":"2.0","id":7,"result":"0"}'


@pytest.fixture(scope="module")
def shared():
    """A simulator whose chain each test leaves as it likes, and whose faults each test sets itself."""
    with RunningSimulator(SETTINGS) as simulator:
        yield simulator


@pytest.fixture
def simulator(shared):
    yield shared
    shared.control.set_faults()


@pytest.fixture
def fresh():
    with RunningSimulator(SETTINGS) as simulator:
        yield simulator


def ask(simulator, method="getNonce", path="/query", **params):
    """A whole request, as bytes."""
    params = params or {"accountId": BOB.account.address, "nonceType": "staking"}
    body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, "id": 7}).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: bearer {simulator.token}\r\n"
    return f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


def receive(connection, patience=30):
    """What arrives on a connection, and how it ends: whole, closed, reset or, when nothing came in time, silent."""
    data = b""
    connection.settimeout(patience)
    with contextlib.suppress(ConnectionResetError, TimeoutError):
        while piece := connection.recv(1 << 20):
            data += piece
            head, found, body = data.partition(b"\r\n\r\n")
            if found and len(body) == length_of(head):
                return data, "whole"
        return data, "closed"
    try:
        connection.settimeout(0)
        connection.recv(1)
    except BlockingIOError:
        return data, "silent"
    except OSError:
        pass
    return data, "reset"


def length_of(head):
    lines = head.decode("latin-1").lower().split("\r\n")
    return int(next(line for line in lines if line.startswith("content-length:")).partition(":")[2])


def exchange(simulator, request=None, patience=30):
    """Status, headers, body and ending of one call over a connection of its own."""
    with socket.create_connection(("127.0.0.1", simulator.port), timeout=30) as connection:
        connection.sendall(request or ask(simulator))
        data, ending = receive(connection, patience)
    head, _, body = data.partition(b"\r\n\r\n")
    return (int(head.split()[1]) if head else None), head, body, ending


LOST = {
    "refuse": "closed",
    "reset-before": "reset",
    "reset-after": "reset",
    "silence-before": "silent",
    "silence-after": "silent",
}
"""Faults that bring no answer, and how the connection ends."""
FRONT_DOOR = {"http-401": "Unauthorized", "http-403": "Forbidden", "http-429": "Too Many Requests"}
UNAVAILABLE = {f"http-{status}-{when}" for status in (502, 503, 504) for when in ("before", "after")}
CODES = {f"rpc-{code}": -code for code in (32700, 32600, 32601, 32602)}
CODES |= {f"rpc-32603-{when}": -32603 for when in ("before", "after")}
ENVELOPE = {"jsonrpc": "2.0", "id": 7, "result": "0"}
BODIES = {
    "empty": b"",
    "not-json": b"upstream is busy, try again later\n",
    "oversized": WHOLE + b" " * 2 * 1024 * 1024,
    "wrong-id": {**ENVELOPE, "id": 8},
    "wrong-type": {**ENVELOPE, "result": True},
    "error-in-result": {**ENVELOPE, "result": "Error: the connection to the node was closed"},
}
"""Faults whose answer comes whole, and its body: as bytes, or as JSON."""


@pytest.mark.parametrize(("name", "ending"), LOST.items())
def test_a_lost_call_ends_its_connection_as_a_network_would(simulator, name, ending):
    simulator.control.set_faults(f"{name}:times=1")
    assert exchange(simulator, patience=QUIET if ending == "silent" else 30) == (None, b"", b"", ending)
    assert exchange(simulator)[2:] == (WHOLE, "whole")
    assert simulator.control.faults()["rules"][0]["struck"] == 1


def test_an_answer_with_another_status_or_body_comes_whole(simulator):
    for name in [*FRONT_DOOR, *UNAVAILABLE, *CODES, *BODIES]:
        simulator.control.set_faults(f"{name}:times=1")
        status, head, body, ending = exchange(simulator)
        assert (status, ending) == (int(name.split("-")[1]) if name.startswith("http-") else 200, "whole")
        assert (b"Retry-After: 1\r\n" in head + b"\r\n") is (status == 429)
        if name in UNAVAILABLE:
            assert b"Content-Type: text/html" in head
            assert body.startswith(b"<html>")
        elif name in FRONT_DOOR:
            assert json.loads(body) == {"message": FRONT_DOOR[name]}
        elif name in CODES:
            answer = json.loads(body)
            assert (answer["id"], answer["error"]["code"]) == (7, CODES[name])
            assert json.loads(answer["error"]["data"]["request"])["method"] == "getNonce"
            assert answer["error"]["data"]["gatewayError"]
        else:
            assert body == BODIES[name] or json.loads(body) == BODIES[name]


# -- the same through a client --------------------------------------------------------------------------------------------


@contextlib.contextmanager
def client(simulator, attempts=1, read=30):
    endpoint = Endpoint(
        simulator.url, timeouts=Timeouts(30, read, 60), retry=ReadRetry(attempts=attempts, total=20, max_wait=0.01)
    )
    with GatewayClient(endpoint, simulator.token) as opened:
        yield opened


def expected_error(name):
    """What the fault says of itself where there is no network; only a real refusal can be told from a loss."""
    fault = FaultPlan([FaultRule(name)]).next("/send", "proxyPayoutstakers").wire
    return errors.ConnectionLost if name == "refuse" else type(fault.error("x"))


@pytest.mark.parametrize("name", [name for name, kind in FAULTS.items() if kind.delivery is not Delivery.ANSWERED])
def test_a_client_makes_of_it_what_the_fault_says_and_the_chain_knows_whether_it_was_accepted(fresh, name):
    fresh.control.set_faults(f"{name}:path=/send:times=1")
    with client(fresh) as gateway, client(fresh, read=QUIET) as hurried, pytest.raises(GatewayError) as raised:
        pay(
            gateway,
            ALICE,
            CHARLIE,
            ERA,
            send_with=hurried if expected_error(name) is errors.GatewayTimeout else gateway,
        )
    assert type(raised.value) is expected_error(name)
    assert len(fresh.control.truth()["requests"]) == FAULTS[name].reached
    assert fresh.control.faults()["counts"] == {name: 1}
