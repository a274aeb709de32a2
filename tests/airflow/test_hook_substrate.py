"""The connection to a node, and gateway connections that leave era and window to it."""

import asyncio
import re
import socket

import pytest
from airflow.sdk import DAG
from names import ACCOUNTS, ACTIVE, ERA, SIGNERS
from tasks import Task

from staking_gateway import AsyncGatewayClient, GatewayClient, errors
from staking_gateway.chain import AsyncChainGatewayClient, ChainGatewayClient, storage
from staking_gateway.errors import InvalidConnection
from staking_gateway.types import ElectionWindow
from staking_gateway_provider.extras import NodeExtras
from staking_gateway_provider.hooks.gateway import StakingGatewayHook
from staking_gateway_provider.hooks.substrate import SubstrateHook
from staking_gateway_provider.operators.payout import PayoutStakersOperator
from staking_gateway_provider.sensors.election import ElectionWindowClosedSensor
from tests.chain.fake_node import GENESIS, NAME, map_key, serving
from tests.chain.metadata14 import ERA as PARACHAIN_ERA
from tests.chain.metadata14 import item, pallet, small_runtime

OPEN, CLOSED = ElectionWindow.OPEN, ElectionWindow.CLOSED
SECRET = "aSecretPath42"


@pytest.fixture
def nothing_is_sent(monkeypatch):
    """Fails when anybody opens a connection."""
    opened = []
    monkeypatch.setattr(socket.socket, "connect", lambda self, address: opened.append(address))
    yield
    assert not opened


@pytest.fixture
def node():
    """A node whose active era is the gateway's next one."""
    with serving(
        {storage.ACTIVE_ERA: f"0x{(ACTIVE + 1).to_bytes(4, 'little').hex()}00", storage.ERA_ELECTION_STATUS: "0x00"}
    ) as running:
        yield running


def substrate_hook(connect, **fields):
    connect("node", **{"conn_type": "substrate", "host": "wss://node.example", **fields})
    return SubstrateHook("node")


def open_both(hook):
    """Make both kinds of connection of a hook; both must see its fields alike."""

    async def opened():
        return await hook.aget_conn()

    return hook.get_conn(), asyncio.run(opened())


def refusal(hook):
    """The error both ways of using a hook raise."""

    async def opened():
        await hook.aget_conn()

    with pytest.raises(errors.StakingGatewayError) as blocking:
        hook.get_conn()
    with pytest.raises(type(blocking.value), match=re.escape(str(blocking.value))):
        asyncio.run(opened())
    assert SECRET not in str(blocking.value)
    return blocking.value


class TestNodeConnection:
    @pytest.mark.parametrize(
        ("fields", "url"),
        [
            ({"host": "ws://127.0.0.1:9944"}, "ws://127.0.0.1:9944"),
            ({"host": "ws://127.0.0.1", "port": 9944}, "ws://127.0.0.1:9944"),
            ({"host": f"wss://node.example/{SECRET}?x=1"}, f"wss://node.example/{SECRET}?x=1"),
            ({"host": "https://node.example"}, "https://node.example"),
            ({"host": "ws://node.example", "extra": {"allow_ws": True}}, "ws://node.example"),
        ],
    )
    def test_host_is_the_url_of_the_node(self, connect, nothing_is_sent, fields, url):
        for reader in open_both(substrate_hook(connect, **fields)):
            assert reader.endpoint.url == url

    @pytest.mark.parametrize("spelt", [str, lambda value: value])
    def test_extras_are_what_is_expected_of_the_node_and_a_blank_one_is_the_default(
        self, connect, nothing_is_sent, spelt
    ):
        plain, _ = open_both(substrate_hook(connect))
        for reader in open_both(substrate_hook(connect, extra=dict.fromkeys(NodeExtras.model_fields, ""))):
            assert reader.endpoint == plain.endpoint
        extra = {"timeout": spelt(2.5), "genesis_hash": GENESIS, "chain_name": NAME, "allow_ws": spelt(False)}
        for reader in open_both(substrate_hook(connect, extra=extra)):
            endpoint = reader.endpoint
            assert (endpoint.timeout, endpoint.genesis_hash, endpoint.chain_name) == (2.5, GENESIS, NAME)

    @pytest.mark.parametrize(
        ("fields", "field", "remedy"),
        [
            ({"host": None}, "host", "ws://127.0.0.1:9944"),
            ({"host": "node.example"}, "host", "Write it like ws://"),
            ({"host": "ws://node.example"}, "host", "Use wss, or set allow_ws"),
            ({"host": f"wss://me:{SECRET}@node.example"}, "host", "Remove them"),
            ({"host": f"wss://node.example/{SECRET}#x"}, "host", "Remove everything from #"),
            ({"schema": "wss"}, "schema", "Leave it empty"),
            ({"login": "me"}, "login", "Leave it empty"),
            ({"password": SECRET}, "password", "an access key of the node belongs into Host"),
            ({"conn_type": "http"}, "type", "Name a connection of type substrate"),
            ({"extra": {"genesis": GENESIS}}, "extra 'genesis'", "or use one of timeout"),
            ({"extra": {"genesis_hash": "0x12"}}, "extra 'genesis_hash'", "Write 0x and 64 hex digits"),
            ({"extra": {"chain_name": True}}, "extra 'chain_name'", "Write it in quotes"),
            ({"extra": {"timeout": 0}}, "extra 'timeout'", "Write 0.1 to 600"),
            ({"extra": {"allow_ws": "perhaps"}}, "extra 'allow_ws'", "Write true or false"),
            ({"extra": {"ca_bundle": "/no/such/file"}}, "extra 'ca_bundle'", "Name a PEM file"),
        ],
    )
    def test_a_field_that_cannot_be_used_is_refused_by_name_with_a_remedy(
        self, connect, nothing_is_sent, fields, field, remedy
    ):
        error = refusal(substrate_hook(connect, **fields))
        assert isinstance(error, InvalidConnection)
        assert error.field == f"Connection 'node', {field}"
        assert remedy in error.remedy


class TestTestingTheNode:
    def test_tells_era_chain_and_window(self, connect, node):
        hook = substrate_hook(connect, host=node.url("ws"))
        told = f"Era {ACTIVE + 1} is active on {NAME} (genesis {GENESIS})"
        assert hook.test_connection() == (True, f"{told}; the election window is closed")

    def test_tells_of_a_chain_that_pays_by_itself(self, connect, node):
        node.metadata = small_runtime(pallet("ParachainStaking", item("Era", PARACHAIN_ERA, "00" * 12)))
        node.storage = {}
        passed, said = substrate_hook(connect, host=node.url("http")).test_connection()
        assert (passed, said.rpartition("; ")[2]) == (True, "this chain pays its stakers by itself")

    @pytest.mark.parametrize(
        ("fields", "match"),
        [
            ({"host": f"ws://127.0.0.1:1/{SECRET}"}, r"'node', host: connect: node ws://127\.0\.0\.1:1: no connection"),
            ({"extra": {"chain_name": "Polkadot"}}, r"'node', host: .*chain_name is 'Fake Chain', not 'Polkadot'"),
            ({"extra": {"chain": "x"}}, r"'node', extra 'chain': is unknown"),
        ],
    )
    def test_fails_and_says_what_to_correct(self, connect, node, fields, match):
        passed, said = substrate_hook(connect, **{"host": node.url("ws"), **fields}).test_connection()
        assert not passed
        assert re.search(match, said), said
        assert SECRET not in said


def gateway_hook(connect, gateway, **extra):
    extra = {"read_attempts": 1, **extra}
    connect("gw", conn_type="staking_gateway", host=gateway.url, password=gateway.token, extra=extra)
    return StakingGatewayHook("gw")


class TestEraSource:
    @pytest.mark.parametrize("extra", [{}, {"era_source": "gateway"}, {"era_source": ""}])
    def test_is_the_gateway_unless_told_otherwise(self, connect, gateway, extra):
        client, aclient = open_both(gateway_hook(connect, gateway, **extra))
        assert (type(client), type(aclient)) == (GatewayClient, AsyncGatewayClient)
        assert not hasattr(client, "era_paid")
        assert not hasattr(aclient, "era_paid")
        with client:
            assert client.active_era() == ACTIVE
            assert client.pays_by_itself() is False

    @pytest.mark.parametrize(
        ("extra", "conn_id"), [({}, "substrate_default"), ({"node_conn_id": "my_node"}, "my_node")]
    )
    def test_chain_makes_both_clients_ask_the_node(self, connect, gateway, node, extra, conn_id):
        connect(conn_id, conn_type="substrate", host=node.url("ws"))
        hook = gateway_hook(connect, gateway, era_source="chain", **extra)

        async def asked():
            async with await hook.aget_conn() as client:
                assert type(client) is AsyncChainGatewayClient
                return await client.active_era(), await client.election_window(), await client.pays_by_itself()

        with hook.get_conn() as client:
            assert type(client) is ChainGatewayClient
            told = (client.active_era(), client.election_window(), client.pays_by_itself())
        assert told == asyncio.run(asked()) == (ACTIVE + 1, CLOSED, False)

    def test_chain_offers_to_ask_the_node_whether_an_era_is_paid(self, connect, gateway, node):
        connect("substrate_default", conn_type="substrate", host=node.url("ws"))
        era = ACTIVE.to_bytes(4, "little")
        node.storage |= {
            storage.key("Staking", "CurrentEra"): f"0x{era.hex()}",
            map_key("Staking", "ErasValidatorReward", era): "0x" + "07" * 16,
            map_key("Staking", "ErasRewardPoints", era): "0x14000000" + "04" + "ab" * 32 + "14000000",
            map_key("Staking", "Bonded", b"\xab" * 32): "0x" + "cd" * 32,
        }

        async def asked(hook):
            async with await hook.aget_conn() as client:
                return await client.era_paid(ACTIVE)

        hook, told = gateway_hook(connect, gateway, era_source="chain"), []
        for claimed in ("00", f"04{era.hex()}"):
            ledger = map_key("Staking", "Ledger", b"\xcd" * 32, hasher="Blake2_128Concat")
            node.storage[ledger] = "0x" + "ab" * 32 + "000000" + claimed
            with hook.get_conn() as client:
                told += [client.era_paid(ACTIVE), asyncio.run(asked(hook))]
        assert told == [False, False, True, True]

    @pytest.mark.parametrize(
        ("extra", "field", "remedy"),
        [
            ({"era_source": "node"}, "extra 'era_source'", "Write gateway or chain"),
            ({"era_source": True}, "extra 'era_source'", "Write gateway or chain"),
            ({"node_conn_id": "node"}, "extra 'node_conn_id'", "Set era_source to chain, or remove it"),
            ({"era_source": "chain", "node_conn_id": 5}, "extra 'node_conn_id'", "Write it in quotes"),
        ],
    )
    def test_that_cannot_be_used_is_refused_by_name(self, connect, gateway, nothing_is_sent, *, extra, field, remedy):
        error = refusal(gateway_hook(connect, gateway, **extra))
        assert error.field == f"Connection 'gw', {field}"
        assert remedy in error.remedy

    def test_chain_needs_a_connection_that_can_be_used(self, connect, gateway):
        connect("my_node", conn_type="http", host="wss://node.example")
        error = refusal(gateway_hook(connect, gateway, era_source="chain", node_conn_id="my_node"))
        assert error.field == "Connection 'my_node', type"

    def test_is_tested_with_the_gateway(self, connect, gateway, node):
        connect("substrate_default", conn_type="substrate", host=node.url("ws"))
        hook = gateway_hook(connect, gateway, era_source="chain")
        passed, said = hook.test_connection()
        assert (passed, said.partition("; ")[2]) == (True, f"the node reports that era {ACTIVE + 1} is active")
        node.close()
        passed, said = hook.test_connection()
        assert not passed
        assert said.startswith("Connection 'gw', extra 'node_conn_id': ")


class TestWhoFollows:
    """Sensor, trigger and payout were not told of any node."""

    @pytest.fixture
    def followed(self, connect, gateway, node):
        connect("substrate_default", conn_type="substrate", host=node.url("ws"), extra={"timeout": 0.5})
        gateway_hook(connect, gateway, era_source="chain")
        return node

    @pytest.fixture
    def sensor(self):
        with DAG("d", schedule=None):
            return ElectionWindowClosedSensor(task_id="wait", gateway_conn_id="gw", era=ACTIVE)

    def test_the_sensor_waits_for_the_nodes_era_and_window(self, sensor, followed):
        assert sensor.poke({})
        followed.storage[storage.ERA_ELECTION_STATUS] = "0x0109000000"
        assert not sensor.poke({})
        followed.storage[storage.ERA_ELECTION_STATUS] = "0x00"
        followed.storage[storage.ACTIVE_ERA] = f"0x{ACTIVE.to_bytes(4, 'little').hex()}00"
        assert not sensor.poke({})

    @pytest.mark.parametrize("fault", ["silence", "busy"])
    def test_the_sensor_asks_again_when_the_node_did_not_answer(self, sensor, followed, fault):
        followed.faults = [fault] * 20
        assert not sensor.poke({})
        followed.faults = []
        assert sensor.poke({})

    def test_the_sensor_fails_for_good_on_a_node_of_another_chain(self, sensor, followed, connect):
        connect("substrate_default", conn_type="substrate", host=followed.url("ws"), extra={"chain_name": "Polkadot"})
        with pytest.raises(errors.WrongChain):
            sensor.poke({})

    def test_the_payout_waits_for_the_nodes_window_and_then_pays(self, followed, gateway):
        followed.storage = {
            storage.ACTIVE_ERA: f"0x{ACTIVE.to_bytes(4, 'little').hex()}00",
            storage.ERA_ELECTION_STATUS: "0x0109000000",
        }
        with DAG("d", schedule=None):
            operator = PayoutStakersOperator(
                task_id="pay",
                gateway_conn_id="gw",
                deferrable=True,
                poll_interval=0.1,
                era=ERA,
                **ACCOUNTS,
                **SIGNERS,
            )

        def time_passes(trigger):
            followed.storage[storage.ERA_ELECTION_STATUS] = "0x00"
            gateway.control.advance(seconds=1)

        task = Task(operator, on_wait=time_passes)
        assert task.run()["outcome"] == "PAID"
        assert task.triggers[0] == "ElectionWindowTrigger"
        asked = gateway.control.truth()["calls"]["by_method"]
        assert "getActiveEra" not in asked
        assert asked["getEraElectionStatus"] > 0
