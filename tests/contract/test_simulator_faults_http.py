"""Faults that lose an answer, over HTTP: seen from a plain socket and through the blocking client."""

import contextlib
from datetime import datetime, timezone

import pytest

from staking_gateway import GatewayClient
from staking_gateway.errors import Failed, GatewayError
from staking_gateway.http.endpoint import Endpoint, ReadRetry
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


@pytest.fixture
def simulator():
    with RunningSimulator(SETTINGS) as simulator:
        yield simulator


@contextlib.contextmanager
def client(simulator, read=30):
    endpoint = Endpoint(simulator.url, timeouts=(30, read, 60), retry=ReadRetry(attempts=1))
    with GatewayClient(endpoint, simulator.token) as opened:
        yield opened


def expected_error(name):
    """What the fault says of itself where there is no network; only a real refusal can be told from a loss."""
    fault = FaultPlan([FaultRule(name)]).next("/send", "proxyPayoutstakers").wire
    return Failed.BROKEN if name == "refuse" else fault.error("x").how


@pytest.mark.parametrize("name", [name for name, kind in FAULTS.items() if kind.delivery is not Delivery.ANSWERED])
def test_a_client_makes_of_it_what_the_fault_says_and_the_chain_knows_whether_it_was_accepted(simulator, name):
    simulator.control.set_faults(f"{name}:path=/send:times=1")
    late = expected_error(name) is Failed.TIMEOUT
    with client(simulator) as gateway, client(simulator, QUIET) as hurried, pytest.raises(GatewayError) as raised:
        pay(gateway, ALICE, CHARLIE, ERA, send_with=hurried if late else gateway)
    assert raised.value.how is expected_error(name)
    assert len(simulator.control.truth()["requests"]) == FAULTS[name].reached
    assert simulator.control.faults()["counts"] == {name: 1}
