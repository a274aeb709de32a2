"""The simulator over HTTP: its documented refusal, faults that lose an answer, who may control it, and what cannot start."""

import sqlite3
from contextlib import closing

import pytest
import requests
from aiohttp import web

from staking_gateway import GatewayClient
from staking_gateway.errors import Failed, GatewayError
from staking_gateway.http.endpoint import Endpoint, ReadRetry
from staking_gateway_simulator.__main__ import main
from staking_gateway_simulator.fault_plan import FaultPlan, FaultRule
from staking_gateway_simulator.faults import FAULTS, Delivery
from staking_gateway_simulator.running import RunningSimulator
from staking_gateway_simulator.settings import SimulatorSettings
from tests.support.simulated import ERA, START
from tests.support.world import ALICE, BOB, CHARLIE, ready_made_proofs

SETTINGS = SimulatorSettings(manual_clock=True, start_time=START, unpaid_eras=3)
TIMEOUT = 10


@pytest.fixture(scope="module")
def untouched():
    with RunningSimulator(SETTINGS) as simulator:
        yield simulator


def test_an_open_window_is_refused_with_exactly_the_documented_error():
    with RunningSimulator(SETTINGS) as simulator:
        simulator.control.window("open")
        request = {"jsonrpc": "2.0", "method": "proxyPayoutstakers", "params": {}, "id": 7}
        headers = {"Authorization": f"bearer {simulator.token}"}
        answer = requests.post(f"{simulator.url}/send", json=request, headers=headers, timeout=TIMEOUT)
        sent = answer.request.body.decode()
    data = {"gatewayError": "election window is open", "request": sent}
    refused = {"code": -32600, "message": "Invalid Request", "data": data}
    assert (answer.status_code, answer.json()) == (200, {"jsonrpc": "2.0", "id": 7, "error": refused})


# -- faults ---------------------------------------------------------------------------------------------------------------


def pay(gateway, send_with):
    """One client asks for nonces and fee, another one sends."""
    proofs = ready_made_proofs(gateway, ERA)
    send_with.payout_stakers(
        relayer=BOB.account,
        user=ALICE.account,
        payer=CHARLIE.account,
        era=ERA,
        proxy_signature=proofs.proxy_signature,
        fee_payment_signature=proofs.fee_payment_signature,
        payment_nonce=proofs.payment_nonce,
    )


@pytest.mark.parametrize("name", [name for name, kind in FAULTS.items() if kind.delivery is not Delivery.ANSWERED])
def test_a_client_makes_of_a_fault_what_it_says_and_the_chain_knows_whether_the_payout_was_accepted(name):
    """Only a real refusal can be told from a loss."""
    fault = FaultPlan([FaultRule(name)]).next("/send", "proxyPayoutstakers").wire
    expected = Failed.BROKEN if name == "refuse" else fault.error("x").how
    with RunningSimulator(SETTINGS) as simulator:
        simulator.control.set_faults(f"{name}:path=/send:times=1")
        times = [(30, read, 60) for read in (30, 1 if expected is Failed.TIMEOUT else 30)]
        addresses = [Endpoint(simulator.url, timeouts=one, retry=ReadRetry(attempts=1)) for one in times]
        asks, sends = (GatewayClient(address, simulator.token) for address in addresses)
        with asks, sends, pytest.raises(GatewayError) as raised:
            pay(asks, send_with=sends)
        assert raised.value.how is expected
        assert len(simulator.control.truth()["requests"]) == FAULTS[name].reached
        assert simulator.control.faults()["counts"] == {name: 1}


# -- control --------------------------------------------------------------------------------------------------------------


FOREIGN_HOSTS = ("evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.1", "[::1", "")
CALLERS = [
    *((None, {"Host": host}, 200) for host in ("localhost:1", "127.9.9.9", "[::1]:80")),
    *((None, {"Host": host}, 403) for host in FOREIGN_HOSTS),
    (None, {"Origin": "http://localhost:3000"}, 200),
    *((None, {"Origin": origin}, 403) for origin in ("https://evil.example", "null")),
    *((peer, {}, 200) for peer in ("127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1")),
    *((peer, {}, 403) for peer in ("10.0.0.1", "192.168.0.1", "::ffff:10.0.0.1", "x")),
]
"""The address a call to `/control` comes from (None: this machine's), its headers, and the status of the answer."""


def test_control_answers_to_this_machine_and_its_pages_only(untouched, monkeypatch):
    for peer, headers, status in CALLERS:
        with monkeypatch.context() as patch:
            if peer is not None:
                patch.setattr(web.Request, "remote", peer, raising=False)
            response = requests.get(f"{untouched.url}/control/truth", headers=headers, timeout=TIMEOUT)
        assert (response.status_code, "payouts" in response.text) == (status, status == 200), (peer, headers)


# -- in a process of its own ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ("--state text.db", "text.db cannot be used as state file: file is not a database"),
        ("--state missing/s.db", "missing/s.db cannot be used as state file: unable to open database file"),
        ("--state other.db", "other.db cannot be used as state file: it is not one of this simulator"),
        ("--state s.db --era-length 30", "s.db was made with another era length. Use the same"),
        ("--state new.db --window 99", "window: 99.0 s is longer than an era"),
        ("--state new.db --faults flood", "fault: 'flood' is no fault. Use any, or one of: refuse"),
        ("--state new.db --relayer x", "account: 'x' is neither an SS58 address"),
        ("--state new.db --host 256.1.1.1", "cannot listen on 256.1.1.1:0"),
        ("--state new.db --port {port}", "cannot listen on 127.0.0.1:{port}: Address already in use. Choose another --port"),
    ],
)  # fmt: skip
def test_what_cannot_be_started_ends_with_one_line_and_status_2(
    tmp_path, monkeypatch, capsys, untouched, *, arguments, line
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.db").write_text("no database" * 100)
    with closing(sqlite3.connect("other.db")) as other:
        other.execute("CREATE TABLE t (x)")
    with RunningSimulator(SimulatorSettings(), state=tmp_path / "s.db"):
        pass
    port = untouched.url.rpartition(":")[2]
    assert main(["--port", "0", *arguments.format(port=port).split()]) == 2
    output, told = capsys.readouterr()
    assert (output, told.count("\n")) == ("", 1)
    assert told.startswith(f"Error: {line}".format(port=port))
