"""The hooks follow a real runtime through its eras and elections, as its blocks are built."""

import asyncio
from datetime import datetime, timezone

import pytest
from airflow.sdk import DAG
from chopsticks import GENESIS_SLOT, SLOT_MILLISECONDS
from substrateinterface import Keypair

from staking_gateway.types import ElectionWindow
from staking_gateway_provider.hooks.gateway import StakingGatewayHook
from staking_gateway_provider.hooks.substrate import SubstrateHook
from staking_gateway_provider.sensors.election import ElectionWindowClosedSensor

OPEN, CLOSED = ElectionWindow.OPEN, ElectionWindow.CLOSED
ALICE = "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY"
SESSION = 600
ERA = 6 * SESSION
STORY = [
    # slot to build, active era, window afterwards
    (1, 0, CLOSED),
    (SESSION, 0, CLOSED),
    (2 * SESSION, 0, CLOSED),
    (3 * SESSION, 0, CLOSED),
    (4 * SESSION, 0, CLOSED),
    (5 * SESSION - 151, 0, CLOSED),
    (5 * SESSION - 150, 0, OPEN),
    (5 * SESSION - 1, 0, OPEN),
    (5 * SESSION, 0, CLOSED),
    (ERA - 1, 0, CLOSED),
    (ERA, 1, CLOSED),
]
"""As pallet-staking has it: the window opens a quarter of a session before the era's last session, and closes with the plan."""


def time_of(slot):
    milliseconds = (GENESIS_SLOT + slot) * SLOT_MILLISECONDS
    return datetime.fromtimestamp(milliseconds / 1000, tz=timezone.utc)


@pytest.fixture(params=["ws", "http"])
def node_connection(request, chain, connect):
    connect("substrate_default", conn_type="substrate", host=chain.url(request.param), extra={"timeout": 30})


@pytest.fixture
def connections(node_connection, connect, gateway):
    connect(
        "staking_gateway_default",
        conn_type="staking_gateway",
        host=gateway.url,
        password=gateway.token,
        extra={"era_source": "chain"},
    )


def same_as_the_library(chain, state):
    """Whether substrate-interface, asked for itself, reads the same."""
    era, status = chain.query("ActiveEra"), chain.query("EraElectionStatus")
    start = int(state.started_at.timestamp() * 1000) if state.started_at else None
    open_ = isinstance(status, dict) and "Open" in status
    assert (era["index"], era["start"]) == (state.active_era, start)
    assert open_ == (state.window is OPEN)


def test_era_and_window_are_followed_block_by_block(chain, node_connection):
    reader, seen = SubstrateHook().get_conn(), []
    for slot, *_ in STORY:
        chain.build(slot)
        state = reader.state()
        same_as_the_library(chain, state)
        seen.append((slot, state.active_era, state.window))
    assert seen == STORY
    assert not state.pays_by_itself
    assert state.block == len(STORY)
    assert state.started_at == time_of(ERA)


def test_the_gateways_hook_the_sensor_and_its_trigger_follow(chain, connections):
    with DAG("d", schedule=None):
        sensor = ElectionWindowClosedSensor(task_id="wait", era="0")
    answers = []

    async def asked():
        async with await StakingGatewayHook().aget_conn() as client:
            return await client.active_era(), await client.election_window()

    with StakingGatewayHook().get_conn() as client:
        for slot, era, window in STORY:
            chain.build(slot)
            assert (client.active_era(), client.election_window()) == (era, window)
            assert asyncio.run(asked()) == (era, window)
            answers.append(sensor.poke({}))
    assert answers == [False] * (len(STORY) - 1) + [True]


def test_an_era_is_paid_when_the_runtime_has_paid_each_of_its_validators(chain, node_connection):
    """Nothing but the runtime writes the claims. Without any, an era whose points belong to nobody is neither paid nor unpaid."""
    reader = SubstrateHook().get_conn()
    for slot, *_ in STORY:
        chain.build(slot)
    assert reader.era_paid(0) is None
    stashes = sorted(stash.value for stash, _ in chain.library.query_map("Staking", "ErasStakers", [0]))[:3]
    keys = sorted(Keypair(ss58_address=stash, ss58_format=42).public_key for stash in stashes)
    points = b"".join(key + (20).to_bytes(4, "little") for key in keys)
    chain.write("Staking", "ErasRewardPoints", 0, (60).to_bytes(4, "little") + b"\x0c" + points)
    chain.write("System", "Account", ALICE, bytes(4) + b"\1" + (10**15).to_bytes(16, "little") + bytes(48))

    def payout(stash):
        return chain.signed(ALICE, "Staking", "payout_stakers", {"validator_stash": stash, "era": 0})

    told = [reader.era_paid(0)]
    for number, stash in enumerate(stashes, start=1):
        assert not chain.refuses(payout(stash))
        chain.build(ERA + number, payout(stash))
        assert chain.query("Ledger", chain.query("Bonded", stash))["claimed_rewards"] == [0]
        told.append(reader.era_paid(0))
    assert told == [False, False, False, True]
    assert all(chain.refuses(payout(stash)) for stash in stashes)
    assert (reader.era_paid(1), reader.era_paid(5)) == (None, None)
    assert reader.nonce(ALICE, "staking") is None, "Westend has no such pallet"
