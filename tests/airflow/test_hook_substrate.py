"""The connection to a node, and gateway connections that name it."""

import asyncio

import pytest
from names import ACCOUNTS, ACTIVE, ERA, SIGNERS
from simulated_chain import calls
from tasks import Task

from staking_gateway.gateway.gateway import readiness
from staking_gateway.types import ElectionWindow
from staking_gateway_provider.hooks.gateway import StakingGatewayHook, SubstrateHook
from staking_gateway_provider.operators.payout import PayoutStakersOperator
from tests.chain import storage
from tests.chain.fake_node import GENESIS, NAME, serving

SECRET = "aSecretPath42"
OPEN_WINDOW, CLOSED_WINDOW = "0x0109000000", "0x00"


def active(era):
    """An active era as the chain stores it."""
    return f"0x{era.to_bytes(4, 'little').hex()}00"


@pytest.fixture
def node():
    """A node whose active era is the gateway's next one."""
    told = {storage.ACTIVE_ERA: active(ACTIVE + 1), storage.ERA_ELECTION_STATUS: CLOSED_WINDOW}
    with serving(told) as running:
        yield running


def test_testing_the_node_tells_era_chain_and_window(connect, node):
    connect("node", conn_type="substrate", host=node.url("ws"))
    told = f"Era {ACTIVE + 1} is active on {NAME} (genesis {GENESIS})"
    assert SubstrateHook("node").test_connection() == (True, f"{told}; the election window is closed")


@pytest.fixture
def gateway_hook(connect, gateway):
    """The hook of a gateway with these extras."""

    def make(**extra):
        extra = {"read_attempts": 1, **extra}
        connect("gw", conn_type="stakinggateway", host=gateway.url, password=gateway.token, extra=extra)
        return StakingGatewayHook("gw")

    return make


def asked_async(hook):
    """Active era and election window, read in an event loop."""

    async def ask():
        async with await hook.aget_conn() as client:
            found = await readiness(client, era=0)
            return found.active, found.window

    return asyncio.run(ask())


class TestNamedNode:
    def test_without_one_the_gateway_reports_the_era(self, gateway_hook):
        for extra in ({}, {"node_conn_id": ""}, {"node_conn_id": None}):
            hook = gateway_hook(**extra)
            assert hook.get_node() is None
            assert asked_async(hook)[0] == ACTIVE
            with hook.get_conn() as client:
                assert client.node is None
                assert (client.active_era(), client.pays_by_itself()) == (ACTIVE, False)

    def test_is_used_for_everything_by_both_clients(self, connect, gateway_hook, node):
        connect("my_node", conn_type="substrate", host=node.url("ws"))
        hook = gateway_hook(node_conn_id="my_node")
        assert hook.get_node().state().active_era == ACTIVE + 1
        with hook.get_conn() as client:
            told = (client.active_era(), client.election_window(), client.pays_by_itself())
        assert told == (ACTIVE + 1, ElectionWindow.CLOSED, False)
        assert asked_async(hook) == told[:2]

    def test_is_tested_with_the_gateway(self, connect, gateway_hook, node):
        connect("substrate_default", conn_type="substrate", host=node.url("ws"))
        hook = gateway_hook(node_conn_id="substrate_default")
        passed, said = hook.test_connection()
        assert (passed, said.partition("; ")[2]) == (True, f"the node reports that era {ACTIVE + 1} is active")
        node.close()
        passed, said = hook.test_connection()
        assert not passed
        assert said.startswith("Connection 'gw', extra 'node_conn_id': ")


def test_the_payout_waits_for_the_nodes_window_and_then_pays(connect, gateway_hook, node, gateway):
    connect("substrate_default", conn_type="substrate", host=node.url("ws"), extra={"timeout": 0.5})
    gateway_hook(node_conn_id="substrate_default")
    node.storage = {storage.ACTIVE_ERA: active(ACTIVE), storage.ERA_ELECTION_STATUS: OPEN_WINDOW}
    given = {"gateway_conn_id": "gw", "deferrable": True, "poll_interval": 0.1, "era": ERA, **ACCOUNTS, **SIGNERS}

    def time_passes(trigger):
        node.storage[storage.ERA_ELECTION_STATUS] = CLOSED_WINDOW
        gateway.control.advance(seconds=1)

    task = Task(PayoutStakersOperator(task_id="pay", **given), on_wait=time_passes)
    assert task.run()["outcome"] == "PAID"
    assert task.triggers[0] == "ElectionWindowTrigger"
    assert "getActiveEra" not in calls(gateway)
    assert calls(gateway)["getEraElectionStatus"] > 0
