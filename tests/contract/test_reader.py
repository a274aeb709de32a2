"""Staking statuses at the end of a past era: which block is read, and what is unknown."""

from bisect import bisect_right

import pytest
from hypothesis import given
from hypothesis import strategies as st

from staking_gateway import errors
from staking_gateway.chain.reader import last_block
from staking_gateway.types import StakingStatus
from tests.chain import storage
from tests.chain.fake_node import map_key
from tests.chain.metadata14 import ERA, U32, item, map_item, pallet, small_runtime

ANN, BOB = "0x" + "aa" * 32, "0x" + "bb" * 32
STAKING, NOT_STAKING = StakingStatus.IS_STAKING, StakingStatus.IS_NOT_STAKING


@given(
    starts=st.lists(st.integers(0, 10_000), min_size=1, max_size=20, unique=True).map(sorted),
    pruned=st.integers(0, 10_000),
    era=st.integers(-1, 18),
)
def test_the_last_block_of_an_era_is_found_with_few_questions(starts, pruned, era):
    """Eras begin at these blocks; older states than `pruned` are unavailable."""
    newest = 10_001
    if era >= len(starts) - 1:
        era = len(starts) - 2
    asked = []

    def era_of(block):
        asked.append(block)
        index = bisect_right(starts, block) - 1
        return None if block < pruned or index < 0 else index

    assert last_block(era, newest, era_of) == max(starts[era + 1] - 1, min(pruned, newest) - 1)
    assert len(asked) <= newest.bit_length()


# --- a node whose runtimes change -------------------------------------------------------------------------------------------

BLOCK_TIMES = 100


def u32(number):
    return number.to_bytes(4, "little").hex()


def nominated(pallet_name, name, account):
    return {map_key(pallet_name, name, bytes.fromhex(account[2:])): "0x00"}


def test_statuses_are_those_of_the_eras_last_block(node, asking):
    """Era N lasts ten blocks from 10 N; Ann stakes until block 49, Bob from block 50 on."""
    for number in range(BLOCK_TIMES + 1):
        era = {storage.ACTIVE_ERA: f"0x{u32(number // 10)}00", storage.ERA_ELECTION_STATUS: "0x00"}
        node.blocks[node.hash_of(number)] = era | nominated("Staking", "Nominators", ANN if number < 50 else BOB)
    node.storage = node.blocks[node.hash_of(BLOCK_TIMES)]
    for era, statuses in ((4, {ANN: STAKING, BOB: NOT_STAKING}), (5, {ANN: NOT_STAKING, BOB: STAKING})):
        assert asking.staking_at_end_of(era, [ANN, BOB]) == statuses
    assert asking.staking_at_end_of(5, []) == {}
    assert asking.staking_at_end_of(10, [ANN]) == "era 10 has not ended. Ask again after its end"


PARACHAIN = item("Era", ERA, "00" * 12)
NOMINATORS = map_item("NominatorState", U32, U32)
ERA_KEY = storage.key("ParachainStaking", "Era")


def parachain(node, *items, first=0):
    """A parachain whose era N lasts ten blocks from 10 N; from block 50 on it has another runtime."""
    node.metadata = small_runtime(pallet("System"))
    for number in range(first, BLOCK_TIMES + 1):
        era = {ERA_KEY: f"0x{u32(number // 10)}{u32(number // 10 * 10)}{u32(10)}"} if number >= 20 else {}
        node.blocks[node.hash_of(number)] = era | nominated("ParachainStaking", "NominatorState", ANN)
    node.storage = node.blocks[node.hash_of(BLOCK_TIMES)]
    older, newer = (small_runtime(pallet("ParachainStaking", PARACHAIN, *one)) for one in (items, (NOMINATORS,)))

    def of_the_block(method, params, result):
        number = node.number_of(params[0]) if method.startswith("state_get") and len(params) == 1 else 0
        if method == "state_getMetadata" and number >= 19:
            return newer if number >= 50 else older
        return (
            result | {"specVersion": 1 + (number >= 19) + (number >= 50)}
            if method == "state_getRuntimeVersion"
            else result
        )

    node.changing = of_the_block


def test_each_block_is_read_with_its_own_runtime(node, asking):
    parachain(node, NOMINATORS)
    for era in (2, 4, 5, 9):
        assert asking.staking_at_end_of(era, [ANN, BOB]) == {ANN: STAKING, BOB: NOT_STAKING}
    assert asking.staking_at_end_of(1, [ANN]) == "the node has no block of era 1. Use an archive node of the chain"


def test_a_runtime_without_nominators_shows_no_statuses(node, asking):
    parachain(node)
    assert asking.staking_at_end_of(6, [ANN]) == {ANN: STAKING}
    assert "block 49 are unknown: its runtime has no ParachainStaking.Nominator" in asking.staking_at_end_of(4, [ANN])


def test_a_pruned_era_is_unknown_and_says_so(node, asking):
    parachain(node, NOMINATORS, first=75)
    assert asking.staking_at_end_of(7, [ANN]) == {ANN: STAKING}
    pruned = "the node has pruned the state of block 74. Use an archive node"
    assert (asking.staking_at_end_of(6, [ANN]), asking.paid_rewards(74, 5)) == (pruned, pruned)
    assert asking.paid_rewards(75, 5) != pruned


def test_only_a_used_nonce_has_a_block(node, asking):
    """Ann uses nonces 0 and 1 in block 40, and nonce 2 in block 60; the state of block 45 and of older ones is pruned."""
    key = map_key("ValidatorsManager", "ProxyNonces", bytes.fromhex(ANN[2:]), hasher="Blake2_128Concat")
    for number in range(46, BLOCK_TIMES + 1):
        era = {storage.ACTIVE_ERA: f"0x{u32(9)}00", storage.ERA_ELECTION_STATUS: "0x00"}
        node.blocks[node.hash_of(number)] = era | {key: f"0x0{2 + (number >= 60)}00000000000000"}
    node.storage = node.blocks[node.hash_of(BLOCK_TIMES)]
    assert {nonce: asking.block_of_nonce(ANN, "staking", nonce) for nonce in range(4)} == {
        0: None,
        1: None,
        2: 60,
        3: None,
    }
    with pytest.raises(errors.InvalidInput, match="nonce"):
        asking.block_of_nonce(ANN, "staking", -1)
