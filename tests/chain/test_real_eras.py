"""A reader follows a real runtime through its eras and elections, as its blocks are built."""

import pytest
from substrateinterface import Keypair

from staking_gateway.chain import ChainReader
from staking_gateway.types import ElectionWindow, StakingStatus
from staking_gateway_simulator.settings import DEFAULT_ERA_REWARD

OPEN, CLOSED = ElectionWindow.OPEN, ElectionWindow.CLOSED
ALICE = "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY"
BOB = "5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty"
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


SCHEMES = ["ws", "http"]
"""How the node is reached; the blocks are built once for both."""


def readers(chain):
    """A reader of the node for each scheme."""
    return {scheme: ChainReader(chain.url(scheme), timeout=30) for scheme in SCHEMES}


@pytest.fixture(scope="module")
def followed(chain):
    """The whole story: what is read after each block, by scheme, and what substrate-interface reads for itself."""
    told, reading = [], readers(chain)
    for slot, *_ in STORY:
        chain.build(slot)
        if slot == ERA - 1:
            chain.write("Staking", "Nominators", ALICE, b"\x04" + bytes(32 + 4 + 1))
        said = {scheme: reader.state() for scheme, reader in reading.items()}
        told.append((said, chain.query("ActiveEra"), chain.query("EraElectionStatus")))
    return told


@pytest.mark.parametrize("scheme", SCHEMES)
def test_era_and_window_are_followed_block_by_block(followed, scheme):
    for (said, era, status), (_, *wanted) in zip(followed, STORY, strict=True):
        state = said[scheme]
        assert [state.active_era, state.window] == wanted
        assert era["index"] == state.active_era
        assert (isinstance(status, dict) and "Open" in status) is (state.window is OPEN)
    assert not state.pays_by_itself
    assert state.block == len(STORY)


def test_an_era_is_paid_when_the_runtime_has_paid_each_of_its_validators(chain, followed):
    """Nothing but the runtime writes the claims. Without any, an era whose points belong to nobody is neither paid nor unpaid."""
    reading = [*readers(chain).values()]

    def era_paid(era):
        (answer,) = {reader.era_paid(era) for reader in reading}
        return answer

    assert era_paid(0) is None
    stashes = sorted(stash.value for stash, _ in chain.library.query_map("Staking", "ErasStakers", [0]))[:3]
    keys = sorted(Keypair(ss58_address=stash, ss58_format=42).public_key for stash in stashes)
    points = b"".join(key + (20).to_bytes(4, "little") for key in keys)
    chain.write("Staking", "ErasRewardPoints", 0, (60).to_bytes(4, "little") + b"\x0c" + points)
    chain.write("System", "Account", ALICE, bytes(4) + b"\1" + (10**15).to_bytes(16, "little") + bytes(48))

    def payout(stash):
        return chain.signed(ALICE, "Staking", "payout_stakers", {"validator_stash": stash, "era": 0})

    told = [era_paid(0)]
    for number, stash in enumerate(stashes, start=1):
        assert not chain.refuses(payout(stash))
        chain.build(ERA + number, payout(stash))
        assert chain.query("Ledger", chain.query("Bonded", stash))["claimed_rewards"] == [0]
        told.append(era_paid(0))
    assert told == [False, False, False, True]
    assert all(chain.refuses(payout(stash)) for stash in stashes)
    assert (era_paid(1), era_paid(5)) == (None, None)
    for reader in reading:
        reward = reader.era_reward(0)
        assert reward.amount == chain.query("ErasValidatorReward", 0)
        assert reward.amount == DEFAULT_ERA_REWARD
        assert (reader.era_reward(1), reader.era_reward(5)) == (None, None)
        assert "does not describe events" in reader.paid_rewards(reward.block, 0), "this runtime names types only"
    assert [reader.nonce(ALICE, "staking") for reader in reading] == [None, None], "Westend has no such pallet"


def test_the_statuses_of_a_past_era_are_those_of_its_last_block(chain, followed):
    """Alice nominates in the last block of era 0, and no more in the newest."""
    chain.erase("Staking", "Nominators", ALICE)
    assert chain.query("Nominators", ALICE) is None
    end = next(place for place, (_, era, _) in enumerate(STORY) if era == 1)
    told = chain.library.query("Staking", "Nominators", [ALICE], chain.library.get_block_hash(end)).value
    assert told["submitted_in"] == 0
    keys = {Keypair(ss58_address=one, ss58_format=42).public_key for one in (ALICE, BOB)}
    for reader in readers(chain).values():
        found = reader.staking_at_end_of(0, [ALICE, BOB])
        assert list(found.values()) == [StakingStatus.IS_STAKING, StakingStatus.IS_NOT_STAKING]
        assert {bytes.fromhex(key[2:]) for key in found} == keys
