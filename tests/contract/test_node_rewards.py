"""The total reward of an era, as each family of staking runtimes stores it."""

import pytest

from staking_gateway import errors
from staking_gateway.chain import ChainReader, EraReward, NodeEndpoint, storage
from tests.chain.fake_node import map_key
from tests.chain.metadata14 import ACTIVE_ERA, ERA, PHASE, U32, item, map_item, old_runtime, pallet, small_runtime

AMOUNT, ERA_5 = 17_149_935_740_000, (5).to_bytes(4, "little")
ACTIVE = item("ActiveEra", ACTIVE_ERA, "00", "Optional")
REWARD = map_item("ErasValidatorReward", U32, U32)
ELECTION = pallet("MultiBlockElection", item("CurrentPhase", PHASE, "00"))
DELAYED = map_item("DelayedPayouts", U32, U32)
PARACHAIN = item("Era", ERA, "00" * 12)
FAMILIES = {
    "election status": ("0x", "Staking", "ErasValidatorReward"),
    "phases, 13": (old_runtime(pallet("Staking", ACTIVE, REWARD), ELECTION), "Staking", "ErasValidatorReward"),
    "phases, 14": (small_runtime(pallet("Staking", ACTIVE, REWARD), ELECTION), "Staking", "ErasValidatorReward"),
    "no window": (small_runtime(pallet("Staking", ACTIVE, REWARD)), "Staking", "ErasValidatorReward"),
    "parachain": (
        small_runtime(pallet("ParachainStaking", PARACHAIN, DELAYED)),
        "ParachainStaking",
        "DelayedPayouts",
    ),
}
STORED = "0x" + AMOUNT.to_bytes(16, "little").hex()


@pytest.fixture
def asking(node):
    return ChainReader(NodeEndpoint(node.url("ws"), timeout=10))


def prepare(node, family, value):
    """A node of this family that stores these bytes as the reward of era 5."""
    node.metadata, *entry = FAMILIES[family]
    node.storage[map_key(*entry, ERA_5)] = value
    if family != "election status":
        node.storage.pop(storage.ERA_ELECTION_STATUS)
    if family == "parachain":
        node.storage.pop(storage.ACTIVE_ERA)
    node.store("ParachainStaking", "Era", "0x070000005a00000014000000")


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(
    ("value", "told"),
    [
        (STORED, EraReward(AMOUNT, "storage", 100)),
        ("0x" + "ff" * 16, EraReward(2**128 - 1, "storage", 100)),
        ("0x" + "00" * 16, EraReward(0, "storage", 100)),
        (None, None),
        ("0x", None),
        (STORED[:-2], None),
        (STORED + "00", None),
    ],
)
def test_an_eras_reward_is_the_stored_number_or_unknown(node, asking, family, value, told):
    prepare(node, family, value)
    assert asking.era_reward(5) == told
    assert asking.era_reward("6") is None


def test_a_runtime_without_the_map_keeps_no_rewards(node, asking):
    prepare(node, "no window", STORED)
    node.metadata = small_runtime(pallet("Staking", ACTIVE))
    assert asking.era_reward(5) is None


def test_an_oldest_runtime_needs_no_metadata(node, asking):
    prepare(node, "election status", STORED)
    assert asking.era_reward(5).amount == AMOUNT
    assert node.calls["state_getMetadata"] == 0


@pytest.mark.parametrize("era", [-1, 2**32, "abc", True])
def test_only_an_era_index_is_asked_for(node, asking, era):
    with pytest.raises(errors.InvalidEra):
        asking.era_reward(era)
    assert not node.messages


def test_a_node_that_does_not_answer_is_no_unknown_reward(node, asking, once):
    prepare(node, "election status", STORED)
    node.on["state_getStorage"] = "busy"
    with pytest.raises(errors.ChainError):
        asking.era_reward(5)
