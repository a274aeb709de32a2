"""What people met on real chains: staking that has moved, a pallet under another prefix, blocks that are not final.

`tests/data/runtimes` has the storage of published runtimes, cut from the metadata of npm `@polkadot/types-support` (Apache 2.0): Polkadot's
relay chain of 2021 in metadata 13, byte for byte, and Polkadot Asset Hub 2.0.0, written down as metadata 14.
"""

from pathlib import Path

import pytest

from staking_gateway.chain import ChainReader, EraReward
from staking_gateway.errors import Failed, may_pass
from staking_gateway.types import ElectionWindow
from tests.chain import storage
from tests.chain.metadata14 import avn_runtime, pallet
from tests.contract.test_rewards import ANN, BLOCK, ERA_5, put
from tests.support.failed import fails

RUNTIMES = Path(__file__).parents[1] / "data" / "runtimes"
OPEN, CLOSED = ElectionWindow.OPEN, ElectionWindow.CLOSED
STASH, ERA_6 = bytes(range(32)), (6).to_bytes(4, "little")


def published(name):
    return "0x" + (RUNTIMES / f"{name}.scale").read_bytes().hex()


def pay_in_pages(node, claimed):
    """An exposure of two pages, some of them claimed."""
    put(node, "ErasStakersOverview", b"\x28\x04" + (600).to_bytes(4, "little") + b"\2\0\0\0", ERA_6, STASH)
    pages = b"".join(page.to_bytes(4, "little") for page in claimed)
    put(node, "ClaimedRewards", bytes([len(claimed) << 2]) + pages, ERA_6, STASH)


def pay_in_ledgers(node, claimed):
    """A ledger that has era 6 once both pages are claimed."""
    eras = ERA_6 * (len(claimed) == 2)
    put(node, "Bonded", STASH, STASH)
    put(node, "Ledger", STASH + b"\x28\x28\0" + bytes([len(eras)]) + eras, STASH, hasher="Blake2_128Concat")


CHAINS = {
    "Asset Hub": (published("asset-hub-2025"), storage.MULTI_BLOCK, "0x0103000000", CLOSED, pay_in_pages),
    "a relay chain of 2021": (published("relay-chain-2021"), storage.MULTI_PHASE, "0x01", CLOSED, pay_in_ledgers),
    "AvN": (avn_runtime(), storage.ERA_ELECTION_STATUS, "0x0109000000", OPEN, pay_in_ledgers),
}
"""Runtimes, and the window while their election goes on. On a test network phases went round for 15 days, and no era was paid."""


@pytest.mark.parametrize("chain", CHAINS)
def test_era_window_payment_and_reward_of_real_runtimes_are_read(node, asking, chain):
    node.metadata, election, goes_on, window, pay = CHAINS[chain]
    node.storage[election] = goes_on
    assert (asking.state().active_era, asking.state().window) == (7, window)
    node.storage[election] = None
    assert asking.state().window is CLOSED
    node.store("Staking", "CurrentEra", "0x08000000")
    put(node, "ErasValidatorReward", b"\7" * 16, ERA_6)
    put(node, "ErasRewardPoints", b"\x14\0\0\0\4" + STASH + b"\x14\0\0\0", ERA_6)
    told = []
    for claimed in ([], [0], [0, 1]):
        pay(node, claimed)
        told.append(asking.era_paid(6))
    assert told == [False, False, True]
    assert asking.era_reward(6) == EraReward(int.from_bytes(b"\7" * 16, "little"), BLOCK)


class TestNoActiveEra:
    @pytest.mark.parametrize("moved", [True, False])
    def test_of_a_chain_that_is_not_young_is_permanent_and_says_where_staking_is(self, node, asking, moved):
        node.metadata = avn_runtime(*([pallet("StakingAhClient")] if moved else []), status=False)
        node.storage, node.block = {}, 30_000_000
        remedy = "Set Host to a node of its Asset Hub" if moved else "Set Host to a node of the chain that stakes"
        with fails(Failed.NODE_UNSUPPORTED, match=remedy) as caught:
            asking.state()
        assert not may_pass(caught.value)
        assert ("staking has moved" if moved else f"no active era in block {node.block}") in str(caught.value)


def test_a_pallet_under_another_prefix_is_read(node, asking, once):
    prefix = "DarwiniaStaking"
    node.metadata = avn_runtime(prefix=prefix)
    value = node.storage.pop(storage.ACTIVE_ERA)
    with fails(Failed.NODE_NO_ERA):
        ChainReader(node.url("http")).state()
    node.store(prefix, "ActiveEra", value)
    put(node, "ErasValidatorReward", bytes([7] + [0] * 15), ERA_5, prefix=prefix)
    assert (asking.state().active_era, asking.era_reward(5).amount) == (7, 7)


def test_everything_is_read_at_the_newest_finalized_block(node, asking):
    """A block that is not final yet may be taken back."""
    node.blocks[node.hash_of(98)] = dict(node.storage)
    node.final = 98
    node.storage = {storage.ACTIVE_ERA: "0x080000000100b2ac0d8c010000"}
    state = asking.state()
    assert (state.block, state.active_era) == (98, 7)
    assert asking.nonce(ANN, "staking") == 0
    node.final = 100
    assert (asking.state().block, asking.state().active_era) == (100, 8)
