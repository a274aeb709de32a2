"""The simulator over HTTP, called with plain `requests`: every row of the interface, every refusal, every restart."""

import json
import re
import sqlite3
from contextlib import closing
from datetime import datetime, timezone

import pytest
import requests
from aiohttp import web

from staking_gateway import signing
from staking_gateway_simulator.__main__ import main
from staking_gateway_simulator.running import RunningSimulator, SimulatorControl
from staking_gateway_simulator.settings import SimulatorSettings

ALICE, BOB, DAVE = (signing.LocalSigner(name) for name in ("//Alice", "//Bob", "//Dave"))
START = datetime(2026, 1, 1, 0, 10, tzinfo=timezone.utc)
SETTINGS = SimulatorSettings(manual_clock=True, start_time=START, unpaid_eras=3)
ERA = 30
FEE = 10**17
TIMEOUT = 10
INVALID_REQUEST = (-32600, "Invalid Request")


def envelope(method, params=None, identity=7):
    """A request; without params when there are none."""
    given = {} if params is None else {"params": params}
    return {"jsonrpc": "2.0", "method": method, **given, "id": identity}


class Caller:
    """A client that knows nothing but the interface document."""

    def __init__(self, url, token="simulator-token"):
        self.url, self.token = url, token
        self.control = SimulatorControl(url)

    def post(self, path, body, headers=None):
        headers = {"Authorization": f"bearer {self.token}"} if headers is None else headers
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return requests.post(
            self.url + path, data=content, headers={"Content-Type": "application/json", **headers}, timeout=TIMEOUT
        )

    def call(self, path, method, params):
        response = self.post(path, envelope(method, params))
        assert response.status_code == 200
        assert response.headers["Content-Type"] == "application/json"
        value = response.json()
        assert (value.pop("jsonrpc"), value.pop("id")) == ("2.0", 7)
        return value

    def query(self, method, **params):
        return self.call("/query", method, params)["result"]

    def state_of(self, request_id):
        return self.call("/poll", "requestState", {"requestId": request_id})["result"]

    def error(self, path, method, params=None):
        error = self.call(path, method, params)["error"]
        assert json.loads(error["data"]["request"])["method"] == method
        assert set(error) == {"code", "message", "data"}
        return error["code"], error["message"], error["data"]["gatewayError"]

    def payout_params(self, era=ERA - 1, user=ALICE, payer=ALICE):
        """Params of a payout, made from what the gateway answers."""
        staking_nonce = int(self.query("getNonce", accountId=user.account.address, nonceType="staking"))
        payment_nonce = self.query("getNonce", accountId=payer.account.address, nonceType="payment")
        fee = self.query(
            "getRelayerFees",
            relayer=BOB.account.address,
            user=payer.account.address,
            transactionType="proxyPayoutstakers",
        )
        proof = user.sign(signing.MessageKind.PAYOUT, signing.payout_message(BOB.account, era, staking_nonce))
        message = signing.fee_payment_message(user.account, BOB.account, proof, int(fee), int(payment_nonce))
        return {
            "relayer": BOB.account.address,
            "user": user.account.address,
            "payer": payer.account.address,
            "era": str(era),
            "proxySignature": proof,
            "feePaymentSignature": payer.sign(signing.MessageKind.FEE_PAYMENT, message),
            "paymentNonce": payment_nonce,
        }

    def payout(self, params):
        return self.call("/send", "proxyPayoutstakers", params)


@pytest.fixture
def running():
    with RunningSimulator(SETTINGS) as simulator:
        yield Caller(simulator.url)


@pytest.fixture(scope="module")
def untouched():
    """A simulator for tests that change nothing."""
    with RunningSimulator(SETTINGS) as simulator:
        yield Caller(simulator.url)


# -- the interface document -----------------------------------------------------------------------------------------------


def test_a_payout_is_answered_with_a_uuid_and_executed(running):
    params = running.payout_params(user=ALICE, payer=DAVE)
    request_id = running.payout(params)["result"]
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", request_id)
    assert running.state_of(request_id) == {"txHash": None, "status": "AwaitingToSend"}
    running.control.advance(seconds=0.5)
    state = running.state_of(request_id)
    assert set(state) == {"txHash", "status"}
    assert state["status"] == "Pending"
    running.control.advance(seconds=0.5)
    tx_hash = state["txHash"]
    assert re.fullmatch("0x[0-9a-f]{64}", tx_hash)
    final = {"txHash": tx_hash, "status": "Processed", "blockNumber": "602", "transactionIndex": "0"}
    assert running.state_of(request_id) == final
    assert running.query("getNonce", accountId=ALICE.account.address, nonceType="staking") == "1"
    assert running.query("getNonce", accountId=DAVE.account.address, nonceType="payment") == "1"
    assert int(running.query("getAccountInfo", accountId=DAVE.account.address)["freeBalance"]) == 10**24 - FEE
    assert running.control.truth()["payouts"][0]["request_id"] == request_id
    paid = running.error("/send", "proxyPayoutstakers", params)
    assert paid == (*INVALID_REQUEST, "era 29 has already been paid out")
    assert running.control.truth()["calls"]["by_path"] == {"/query": 6, "/send": 2, "/poll": 3}


def test_an_open_window_is_refused_with_exactly_the_documented_error(running):
    params = running.payout_params()
    running.control.window("open")
    assert running.query("getEraElectionStatus") == "isOpen"
    request = envelope("proxyPayoutstakers", params)
    data = {"gatewayError": "election window is open", "request": json.dumps(request)}
    refused = {"code": -32600, "message": "Invalid Request", "data": data}
    assert running.post("/send", request).json() == {"jsonrpc": "2.0", "id": 7, "error": refused}
    running.control.window("closed")
    assert "result" in running.payout(params)


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
        ("--state s.db --era-length 30", "s.db was made with another era length: 20 s, not 30 s"),
        ("--state new.db --window 99", "window: 99.0 s is longer than an era"),
        ("--state new.db --faults flood", "fault: 'flood' is no fault. Use any, or one of: refuse"),
        ("--state new.db --relayer x", "account: 'x' is not an SS58 address"),
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
