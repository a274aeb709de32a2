"""What each family of staking runtimes tells of its era and its election, whichever version of metadata describes it."""

import pytest

from staking_gateway.chain import ChainReader, ChainState, NodeEndpoint
from staking_gateway.errors import Failed, may_pass
from staking_gateway.types import ElectionWindow
from tests.chain import storage
from tests.chain.metadata14 import ACTIVE_ERA, ERA, PHASE, item, old_runtime, pallet, small_runtime
from tests.support.failed import fails

OPEN, CLOSED = ElectionWindow.OPEN, ElectionWindow.CLOSED
ERA_7 = "0x070000000100b2ac0d8c010000"
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
    node.storage = {storage.ACTIVE_ERA: ERA_7}
    return node


@pytest.fixture
def asking(node):
    return ChainReader(NodeEndpoint(node.url("ws"), timeout=5))


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


class TestProbing:
    def test_happens_anew_when_the_runtime_is_upgraded(self, node, asking, runtime):
        node.metadata = runtime(SYSTEM, OLD_STAKING)
        node.store("Staking", "EraElectionStatus", "0x0109000000")
        assert asking.state().window is OPEN
        node.spec_version, node.metadata = 2, runtime(SYSTEM, STAKING, ELECTION)
        assert asking.state().window is CLOSED
        assert node.calls["state_getMetadata"] == 2


class TestWhatCannotBeRead:
    @pytest.mark.parametrize("version", [8, 16])
    def test_metadata_of_another_version_is_refused_by_its_number(self, node, asking, version):
        node.metadata = f"0x6d657461{version:02x}00"
        with fails(Failed.NODE_UNSUPPORTED, match=f"has version {version}, and this package reads 9 to 15"):
            asking.state()

    @pytest.mark.parametrize("metadata", ["", "0x", "0x00000000", "0xzz", "meta"])
    def test_what_is_no_metadata_is_named(self, node, asking, metadata):
        node.metadata = metadata
        with fails(Failed.NODE_UNSUPPORTED, match=r"metadata cannot be read: .*\. Use another"):
            asking.state()

    def test_a_runtime_that_does_not_stake_is_named(self, node, asking):
        node.metadata = small_runtime(SYSTEM, BABE)
        with fails(Failed.NODE_UNSUPPORTED, match=r"neither Staking\.ActiveEra nor ParachainStaking\.Era\. Set Host"):
            asking.state()
