"""What people met on real chains: two reward pots, staking that has moved, a pallet under another prefix, blocks that are not final.

`tests/data/runtimes` has the storage of published runtimes, cut from the metadata of npm `@polkadot/types-support` (Apache 2.0): Polkadot's
relay chain of 2021 in metadata 13, byte for byte, and Polkadot Asset Hub 2.0.0, written down as metadata 14.
"""

from pathlib import Path

import pytest

from staking_gateway.chain import ChainReader, EraReward, NodeEndpoint
from staking_gateway.errors import Failed, may_pass
from staking_gateway.types import ElectionWindow
from tests.chain import storage
from tests.chain.fake_node import map_key
from tests.chain.metadata14 import ACTIVE_ERA, U32, avn_runtime, item, map_item, pallet, small_runtime
from tests.contract.test_node_rewards import (
    ACCOUNT,
    ANN,
    BLOCK,
    BOB,
    ERA_5,
    U128,
    eventful,
    got,
    records,
    tell,
)
from tests.support.failed import fails

RUNTIMES = Path(__file__).parents[1] / "data" / "runtimes"
OPEN, CLOSED = ElectionWindow.OPEN, ElectionWindow.CLOSED
STASH, ERA_6 = bytes(range(32)), (6).to_bytes(4, "little")


def published(name):
    return "0x" + (RUNTIMES / f"{name}.scale").read_bytes().hex()


@pytest.fixture
def asking(node):
    return ChainReader(NodeEndpoint(node.url("http"), timeout=5))


def put(node, item, value, *arguments, prefix="Staking", hasher="Twox64Concat"):
    node.storage[map_key(prefix, item, *arguments, hasher=hasher)] = "0x" + value.hex()


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


class TestTwoPots:
    POTS = tuple(map_item(name, U32, U32) for name in ("ErasValidatorIncentiveBudget", "ErasNominatorBonus"))

    def test_are_one_reward(self, node, asking):
        node.metadata = with_items(*self.POTS[:1])
        put(node, "ErasValidatorReward", (6921564).to_bytes(16, "little"), ERA_5)
        assert asking.era_reward(5).amount == 6921564
        put(node, "ErasValidatorIncentiveBudget", (3460782).to_bytes(16, "little"), ERA_5)
        assert asking.era_reward(5).amount == 10382346

    def test_of_a_name_that_is_not_known_leave_the_reward_unknown(self, node, asking):
        node.metadata = with_items(*self.POTS)
        put(node, "ErasValidatorReward", bytes([7] + [0] * 15), ERA_5)
        assert asking.era_reward(5).amount == 7
        put(node, "ErasNominatorBonus", bytes([1] + [0] * 15), ERA_5)
        told = asking.era_reward(5)
        assert told.amount is None
        assert told.reason.startswith("partly unknown: item Staking.ErasNominatorBonus may hold a part of the reward")

    STARTED = ("era_index", U32), ("validator_stash", ACCOUNT)
    INCENTIVE = ("era", U32), ("validator_stash", ACCOUNT), ("dest", U32), ("amount", U128)
    REWARDED = ("stash", ACCOUNT), ("amount", U128)

    def test_are_told_by_two_events(self, node, asking):
        node.metadata = eventful(
            "Staking", PayoutStarted=self.STARTED, ValidatorIncentivePaid=self.INCENTIVE, Rewarded=self.REWARDED
        )
        incentive = ERA_5 + got(ANN, 500)[:32] + bytes(4) + got(ANN, 500)[32:]
        paid = [(1, 0, ERA_5 + bytes(32)), (1, 1, incentive), (1, 2, got(ANN, 100)), (1, 2, got(BOB, 300))]
        tell(node, records(*paid))
        found = asking.paid_rewards(BLOCK)
        assert (found.amounts(5), found.amounts(6)) == ({ANN: 600, BOB: 300}, {})

    @pytest.mark.parametrize("fields", [REWARDED, (ACCOUNT, U128)], ids=["names", "no names"])
    def test_with_an_event_that_is_not_known_are_partly_unknown(self, node, asking, fields):
        node.metadata = eventful("Staking", Rewarded=self.REWARDED, BonusPaid=fields)
        tell(node, records((1, 0, got(ANN, 100)), (1, 1, got(ANN, 2**64))))
        found = asking.paid_rewards(BLOCK)
        assert found.rewards is None
        assert "partly unknown: event Staking.BonusPaid may pay an account" in found.reason

    @pytest.mark.parametrize("name", ["Bonded", "Unbonded", "Withdrawn", "Slashed", "CurrencyMigrated"])
    def test_do_not_include_what_pays_nobody(self, node, asking, name):
        node.metadata = eventful("Staking", Rewarded=self.REWARDED, **{name: self.REWARDED})
        tell(node, records((1, 1, got(BOB, 2**64)), (2, 0, got(ANN, 100))))
        assert asking.paid_rewards(BLOCK).amounts(5) == {ANN: 100}


def with_items(*items):
    """A runtime whose pallet Staking has further items."""
    active = item("ActiveEra", ACTIVE_ERA, "00", "Optional")
    return small_runtime(pallet("Staking", active, map_item("ErasValidatorReward", U32, U32), *items))


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


def test_a_pallet_under_another_prefix_is_read(node, asking):
    prefix = "DarwiniaStaking"
    node.metadata = avn_runtime(prefix=prefix)
    value = node.storage.pop(storage.ACTIVE_ERA)
    with fails(Failed.NODE_NO_ERA):
        ChainReader(NodeEndpoint(node.url("http"), timeout=0.1)).state()
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
