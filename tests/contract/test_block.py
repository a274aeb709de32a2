"""What each family of staking runtimes tells of its era, its election and its nonces, whichever version of metadata describes it."""

import pytest

from staking_gateway.chain import ChainReader, ChainState, block
from staking_gateway.errors import Failed, may_pass
from staking_gateway.types import ElectionWindow
from tests.chain import storage
from tests.chain.fake_node import map_key
from tests.chain.metadata14 import (
    ACTIVE_ERA,
    BLAKE,
    ERA,
    PHASE,
    U32,
    U64,
    item,
    map_item,
    old_runtime,
    pallet,
    small_runtime,
)
from tests.support.failed import fails
from tests.support.nodes import close_nodes

OPEN, CLOSED = ElectionWindow.OPEN, ElectionWindow.CLOSED
SYSTEM = pallet("System")
STAKING = pallet("Staking", item("ActiveEra", ACTIVE_ERA, "00", "Optional"), SessionsPerEra=(6, 4))
OLD_STAKING = pallet(
    "Staking",
    item("ActiveEra", ACTIVE_ERA, "00", "Optional"),
    item("EraElectionStatus", PHASE, "00"),
    SessionsPerEra=(6, 4),
)
BABE = pallet("Babe", EpochDuration=(2400, 8), ExpectedBlockTime=(6000, 8))
PARACHAIN = pallet("ParachainStaking", item("Era", ERA, "00" * 12))
ELECTION = pallet("MultiBlockElection", item("CurrentPhase", PHASE, "00"))


@pytest.fixture
def node(node):
    """A node whose runtime shows by its metadata alone what it has."""
    del node.storage[storage.ERA_ELECTION_STATUS]
    return node


@pytest.fixture(params=[small_runtime, old_runtime], ids=["14", "13"])
def runtime(request):
    """Writes the metadata of a small runtime."""
    return request.param


class TestPalletStaking:
    @pytest.mark.parametrize(("stored", "window"), [("0x00", CLOSED), ("0x0109000000", OPEN), (None, CLOSED)])
    def test_with_an_election_status_tells_it(self, node, asking, runtime, stored, window):
        node.metadata = runtime(SYSTEM, OLD_STAKING, BABE)
        node.store("Staking", "EraElectionStatus", stored)
        assert asking.state() == ChainState(7, window, pays_by_itself=False, block=100)

    def test_without_one_has_a_closed_window_whatever_its_election_does(self, node, asking, runtime):
        """Such a pallet never refuses payouts."""
        node.metadata = runtime(SYSTEM, STAKING, ELECTION)
        node.store("MultiBlockElection", "CurrentPhase", "0x01")
        assert asking.state() == ChainState(7, CLOSED, pays_by_itself=False, block=100)

    @pytest.mark.parametrize("stored", ["0x02", "0x0109"])
    def test_with_a_status_of_another_layout_is_not_read(self, node, once, stored):
        node.metadata = small_runtime(SYSTEM, OLD_STAKING)
        node.store("Staking", "EraElectionStatus", stored)
        with fails(Failed.NODE_ANSWER, match="bytes are not an election status"):
            ChainReader(node.url("ws")).state()

    def test_that_has_not_begun_its_first_era_says_so(self, node, once):
        node.metadata = small_runtime(SYSTEM, STAKING)
        node.storage.clear()
        with fails(Failed.NODE_NO_ERA, match=r"no active era yet\. Ask again") as caught:
            ChainReader(node.url("ws")).state()
        assert may_pass(caught.value)


class TestParachain:
    @pytest.fixture(autouse=True)
    def parachain(self, node):
        node.metadata = small_runtime(SYSTEM, PARACHAIN)
        node.storage = {}
        node.store("ParachainStaking", "Era", "0x2a0000005a00000014000000")

    def test_tells_its_era_has_no_window_and_pays_by_itself(self, node, asking):
        assert asking.state() == ChainState(42, CLOSED, pays_by_itself=True, block=100)

    def test_with_an_era_of_another_type_is_not_read(self, node, once):
        node.metadata = small_runtime(SYSTEM, pallet("ParachainStaking", item("Era", U64, "00" * 8)))
        node.store("ParachainStaking", "Era", "0x" + "07" * 8)
        with fails(Failed.NODE_ANSWER, match=r"8 bytes are no \(u32, u32, u32\)"):
            ChainReader(node.url("ws")).state()


class TestABlock:
    def test_that_is_not_there_is_told_from_one_that_is_pruned_and_from_a_busy_node(self, node, asking, once):
        assert asking.paid_rewards(50, 5) == "the node has pruned the state of block 50. Use an archive node"
        for fault, row in (("busy", Failed.NODE_REFUSED), ("not_json", Failed.NODE_ANSWER)):
            node.on["chain_getHeader"] = fault
            with fails(row):
                asking.paid_rewards(50, 5)
        node.on.clear()
        node.changing = lambda method, params, result: None if params == [200] else result
        assert asking.paid_rewards(200, 5) == "the node has no block 200. Use a node that has all blocks"


class TestProbing:
    def test_keeps_the_newest_of_many_runtimes(self, node, asking, monkeypatch):
        monkeypatch.setattr(block, "_KNOWN_RUNTIMES", 1)
        for node.spec_version in (1, 2, 1):
            assert asking.state().active_era == 7
        assert (node.calls["state_getMetadata"], len(block._runtimes)) == (3, 1)

    def test_happens_anew_when_the_runtime_is_upgraded(self, node, asking, runtime):
        node.metadata = runtime(SYSTEM, OLD_STAKING)
        node.store("Staking", "EraElectionStatus", "0x0109000000")
        assert asking.state().window is OPEN
        node.spec_version, node.metadata = 2, runtime(SYSTEM, STAKING, ELECTION)
        assert asking.state().window is CLOSED
        assert node.calls["state_getMetadata"] == 2


class TestWhatCannotBeRead:
    @pytest.mark.parametrize("metadata", ["", "0x", "0x00000000", "0xzz", "meta", "0x6d6574611000"])
    def test_what_is_no_metadata_is_named(self, node, asking, metadata):
        node.metadata = metadata
        with fails(Failed.NODE_UNSUPPORTED, match=r"metadata cannot be read: .*\. Use another"):
            asking.state()

    def test_a_runtime_that_does_not_stake_is_named(self, node, asking):
        node.metadata = small_runtime(SYSTEM, BABE)
        with fails(Failed.NODE_UNSUPPORTED, match=r"neither Staking\.ActiveEra nor ParachainStaking\.Era\. Set Host"):
            asking.state()


ANN = b"a" * 32
ACCOUNT = "0x" + ANN.hex()
PLACES = {
    "staking": map_key("ValidatorsManager", "ProxyNonces", ANN, hasher=BLAKE),
    "payment": map_key("AvnProxy", "PaymentNonces", ANN, hasher=BLAKE),
}
AVN = (
    pallet("ValidatorsManager", map_item("ProxyNonces", U64, U32, hasher=BLAKE)),
    pallet("AvnProxy", map_item("PaymentNonces", U64, U32, hasher=BLAKE)),
)


class TestNonces:
    def test_are_read_where_the_runtime_keeps_them_and_unknown_where_it_keeps_none(self, node, asking, runtime):
        node.metadata = runtime(OLD_STAKING, *AVN)
        for nonce in (0, 1, 255, 2**53 + 1, 2**64 - 1):
            stored = "0x" + nonce.to_bytes(8, "little").hex() if nonce else None
            node.storage |= dict.fromkeys(PLACES.values(), stored)
            assert [asking.nonce(ACCOUNT, kind) for kind in PLACES] == [nonce, nonce]
        close_nodes()
        plain = pallet("AvnProxy", item("PaymentNonces", U64, "00" * 8))
        node.metadata = runtime(
            OLD_STAKING, pallet("ValidatorsManager"), *([plain] if runtime is small_runtime else [])
        )
        assert [asking.nonce(ACCOUNT, kind) for kind in PLACES] == [None, None]

    def test_of_a_parachain_are_those_of_its_staking_pallet(self, node, asking):
        nonces = map_item("ProxyNonces", U64, U32)
        node.metadata = small_runtime(pallet("ParachainStaking", item("Era", ERA, "00" * 12), nonces), *AVN)
        node.storage[PLACES["staking"]] = "0x0700000000000000"
        node.storage[map_key("ParachainStaking", "ProxyNonces", ANN)] = "0x0900000000000000"
        assert asking.nonce(ACCOUNT, "staking") == 9
        assert asking.nonce(ACCOUNT, "payment") == 0
