"""Whether an era is paid, as each family of staking runtimes stores them."""

import pytest

from tests.chain import storage
from tests.chain.fake_node import map_key
from tests.chain.metadata14 import (
    ACTIVE_ERA,
    ERA,
    PHASE,
    U32,
    avn_runtime,
    item,
    map_item,
    old_runtime,
    pallet,
    small_runtime,
)

PAID_ERA, NEWEST, DEPTH = 100, 103, 84
ANN, BOB, CAT = (bytes([letter]) * 32 for letter in b"abc")
CONTROLLERS = {stash: stash[::-1][:31] + b"!" for stash in (ANN, BOB, CAT)}
BLAKE = "Blake2_128Concat"


def u32(number):
    return number.to_bytes(4, "little")


def compact(number):
    return bytes([number << 2]) if number < 64 else (number << 2 | 1).to_bytes(2, "little")


def numbers(values):
    return compact(len(values)) + b"".join(map(u32, values))


CURRENT = item("CurrentEra", U32, "00", "Optional")
STAKING_MAPS = [CURRENT, *(map_item(name, U32, U32) for name in ("ErasRewardPoints", "ErasValidatorReward", "Bonded"))]
LEDGER = map_item("Ledger", U32, U32, hasher=BLAKE)
OVERVIEW = map_item("ErasStakersOverview", U32, U32, U32)
ACTIVE = item("ActiveEra", ACTIVE_ERA, "00", "Optional")
ELECTION = pallet("MultiBlockElection", item("CurrentPhase", PHASE, "00"))
DEPTH_ITEM = item("HistoryDepth", U32, u32(DEPTH).hex())


def with_pages(name, *more):
    items = (ACTIVE, *STAKING_MAPS, LEDGER, OVERVIEW, map_item(name, U32, U32, U32), *more)
    return small_runtime(pallet("Staking", *items, HistoryDepth=(DEPTH, 4)))


RUNTIMES = {
    "election status": avn_runtime(),
    "ledger, 13": old_runtime(pallet("Staking", ACTIVE, *STAKING_MAPS, LEDGER, DEPTH_ITEM), ELECTION),
    "ledger, 14": small_runtime(pallet("Staking", ACTIVE, *STAKING_MAPS, LEDGER, HistoryDepth=(DEPTH, 4)), ELECTION),
    "pages": with_pages("ClaimedRewards"),
    "pages, renamed": with_pages("ErasClaimedRewards"),
}
FAMILIES = [family for family in RUNTIMES if family != "ledger, 13"]
"""Metadata 13 costs a fifth of a second to read; once read, it is a runtime like any other."""
LEDGERS = ["election status", "ledger, 14"]
PAGES = {"pages": "ClaimedRewards", "pages, renamed": "ErasClaimedRewards"}


class Staking:
    """Writes what pallet-staking stores into a node."""

    def __init__(self, node, family):
        self._node, self.pages = node, PAGES.get(family)
        node.metadata = RUNTIMES[family]
        node.storage[storage.ACTIVE_ERA] = "0x" + u32(NEWEST).hex() + "00"
        if family == "election status":
            node.storage[storage.ERA_ELECTION_STATUS] = "0x00"
        node.store("Staking", "CurrentEra", "0x" + u32(NEWEST).hex())
        self.reward(PAID_ERA, 5 * 10**18)

    def put(self, name, value, *arguments, hasher="Twox64Concat"):
        key = map_key("Staking", name, *arguments, hasher=hasher)
        self._node.storage[key] = None if value is None else "0x" + value.hex()

    def reward(self, era, amount):
        self.put("ErasValidatorReward", amount.to_bytes(16, "little"), u32(era))

    def points(self, earned, era=PAID_ERA):
        entries = b"".join(stash + u32(points) for stash, points in earned.items())
        self.put("ErasRewardPoints", u32(sum(earned.values())) + compact(len(earned)) + entries, u32(era))

    def ledger(self, stash, *claimed, tail=b""):
        """A bonded stash whose ledger lists these eras, with one unlocking chunk."""
        controller = CONTROLLERS.get(stash, stash)
        amounts = compact(9) + b"\x13\x00\x00\x64\xa7\xb3\xb6\xe0\x0d" + compact(1) + compact(5) + compact(110)
        self.put("Bonded", controller, stash)
        self.put("Ledger", stash + amounts + (numbers(claimed) + tail), controller, hasher=BLAKE)

    def claim(self, stash, *, count=1, pages=(), era=PAID_ERA, own=7):
        """An exposure of so many pages, some of them paid; in older families all or none."""
        if self.pages is None:
            self.ledger(stash, 90, *([era] if len(set(pages)) == count else []), 102)
            return
        self.put("ErasStakersOverview", compact(60) + compact(own) + u32(3) + u32(count), u32(era), stash)
        self.put(self.pages, numbers(pages) if pages else None, u32(era), stash)


@pytest.fixture
def node(node):
    """A node whose storage is empty."""
    node.storage.clear()
    return node


@pytest.fixture(params=FAMILIES)
def staking(node, request):
    return Staking(node, request.param)


@pytest.fixture(params=PAGES)
def paged(node, request):
    return Staking(node, request.param)


@pytest.fixture(params=LEDGERS)
def listed(node, request):
    return Staking(node, request.param)


class TestPaidByCalls:
    @pytest.mark.parametrize("staking", RUNTIMES, indirect=True)
    @pytest.mark.parametrize("stashes", [(ANN, BOB), (BOB, ANN)], ids=["first", "last"])
    def test_is_false_while_a_validator_has_not_claimed(self, staking, asking, stashes):
        staking.points({ANN: 20, BOB: 40})
        staking.claim(ANN)
        staking.claim(BOB)
        told = [asking.era_paid(PAID_ERA)]
        for stash in stashes:
            staking.claim(stash, pages=[0])
            told.append(asking.era_paid(PAID_ERA))
        assert told == [False, False, True]

    @pytest.mark.parametrize("era", [0, NEWEST - DEPTH - 1, NEWEST, NEWEST + 1, 2**32 - 1])
    def test_is_unknown_of_an_era_without_rewards(self, staking, asking, era):
        staking.points({ANN: 20}, era=era)
        staking.claim(ANN, pages=[0], era=era)
        assert asking.era_paid(era) is None

    @pytest.mark.parametrize(("era", "told"), [(NEWEST - DEPTH, True), (NEWEST - DEPTH - 1, None)])
    @pytest.mark.parametrize("staking", RUNTIMES, indirect=True)
    def test_is_unknown_of_an_era_outside_the_history(self, staking, asking, era, told):
        """Some runtimes forget an old era item by item."""
        staking.reward(era, 5)
        staking.points({ANN: 20}, era=era)
        staking.claim(ANN, pages=[0], era=era)
        assert asking.era_paid(era) is told

    @pytest.mark.parametrize("points", [None, {}, {ANN: 0}])
    def test_is_unknown_when_nobody_earned_points(self, staking, asking, points):
        """A payout of such an era could still be executed."""
        if points is not None:
            staking.points(points)
        staking.claim(ANN)
        assert asking.era_paid(PAID_ERA) is None

    @pytest.mark.parametrize("item_", ["ErasRewardPoints", "CurrentEra"])
    @pytest.mark.parametrize("value", [b"", b"\1\0\0", bytes(40), bytes(4) + b"\xff" * 9])
    def test_is_unknown_when_a_value_has_another_layout(self, node, staking, asking, item_, value):
        staking.points({ANN: 20})
        staking.claim(ANN, pages=[0])
        staking.put(item_, value, u32(PAID_ERA))
        if item_ == "CurrentEra":
            node.store("Staking", "CurrentEra", "0x" + value.hex())
        assert asking.era_paid(PAID_ERA) is None


class TestPages:
    @pytest.mark.parametrize(
        ("count", "claimed", "told"),
        [
            (0, [0], True),
            (2, [0, 1], True),
            (2, [1, 0], True),
            (3, [0, 2], False),
            (2, [1, 2], False),
            (2**32 - 1, [0], False),
        ],
    )
    def test_must_all_be_claimed(self, paged, asking, count, claimed, told):
        paged.points({ANN: 20})
        paged.claim(ANN, count=count, pages=claimed)
        assert asking.era_paid(PAID_ERA) is told

    def test_of_a_validator_without_any_stake_are_passed_over(self, paged, asking):
        paged.points({ANN: 20, BOB: 20})
        paged.claim(ANN, count=0, own=0)
        assert asking.era_paid(PAID_ERA) is None
        paged.claim(BOB, pages=[0])
        assert asking.era_paid(PAID_ERA) is True

    @pytest.mark.parametrize(("claimed", "told"), [([PAID_ERA], True), ([99], False)])
    def test_that_a_runtime_did_not_have_yet_are_looked_up_in_the_ledger(self, node, paged, asking, claimed, told):
        node.metadata = with_pages(paged.pages, map_item("ErasStakersClipped", U32, U32, U32))
        paged.points({ANN: 20, BOB: 20})
        paged.claim(ANN, pages=[0])
        paged.ledger(BOB, *claimed)
        assert asking.era_paid(PAID_ERA) is told

    def test_of_a_validator_without_exposure_are_nothing_to_claim(self, paged, asking):
        """It has points from the era after its active one. Only runtimes with `ErasStakersClipped` keep exposures of another form."""
        paged.points({ANN: 20, BOB: 2})
        paged.ledger(BOB, 99)
        paged.claim(ANN)
        assert asking.era_paid(PAID_ERA) is False
        paged.claim(ANN, pages=[0])
        assert asking.era_paid(PAID_ERA) is True

    def test_may_be_claimed_of_an_exposure_without_pages(self, paged, asking):
        paged.points({ANN: 20})
        paged.put(paged.pages, numbers([0]), u32(PAID_ERA), ANN)
        assert asking.era_paid(PAID_ERA) is True

    def test_are_unknown_without_their_number(self, node, asking):
        pages = map_item("ClaimedRewards", U32, U32, U32)
        staking = Staking(node, "pages")
        node.metadata = small_runtime(pallet("Staking", ACTIVE, *STAKING_MAPS, LEDGER, pages, HistoryDepth=(DEPTH, 4)))
        staking.points({ANN: 20})
        staking.claim(ANN, pages=[0])
        assert asking.era_paid(PAID_ERA) is None

    @pytest.mark.parametrize("value", [b"", b"\0", bytes(9), b"\xff" * 10])
    @pytest.mark.parametrize("name", ["ErasStakersOverview", "pages"])
    def test_of_another_layout_are_unknown(self, paged, asking, name, value):
        paged.points({ANN: 20})
        paged.claim(ANN, pages=[0])
        name = paged.pages if name == "pages" else name
        paged.put(name, value, u32(PAID_ERA), ANN)
        assert asking.era_paid(PAID_ERA) is (False if (name, value) == (paged.pages, b"\0") else None)


class TestLedgers:
    def test_of_validators_that_left_are_passed_over(self, listed, asking):
        listed.points({ANN: 20, BOB: 40})
        listed.claim(ANN, pages=[0])
        assert asking.era_paid(PAID_ERA) is True
        listed.claim(ANN)
        assert asking.era_paid(PAID_ERA) is False

    @pytest.mark.parametrize("ledger", [None, b"", bytes(31), bytes(33), b"\xff" * 33, ANN + bytes(3)])
    def test_that_cannot_be_read_show_nothing(self, listed, asking, ledger):
        listed.points({ANN: 20, BOB: 40})
        listed.claim(ANN, pages=[0])
        listed.claim(BOB, pages=[0])
        listed.put("Ledger", ledger, CONTROLLERS[BOB], hasher=BLAKE)
        assert asking.era_paid(PAID_ERA) is None

    def test_of_another_stash_show_nothing(self, listed, asking):
        listed.points({ANN: 20})
        listed.ledger(ANN, PAID_ERA)
        listed.put("Bonded", CONTROLLERS[BOB], ANN)
        listed.ledger(BOB, PAID_ERA)
        assert asking.era_paid(PAID_ERA) is None

    @pytest.mark.parametrize(
        ("missing", "hasher"),
        [
            *(
                (name, BLAKE)
                for name in ("ErasRewardPoints", "ErasValidatorReward", "Bonded", "Ledger", "HistoryDepth")
            ),
            *(("nothing", hasher) for hasher in ("Identity", "Twox128")),
        ],
    )
    def test_of_a_runtime_that_keeps_other_records_or_keys_show_nothing(self, node, asking, missing, hasher):
        staking = Staking(node, "ledger, 14")
        ledger = map_item("Ledger", U32, U32, hasher=hasher)
        items = [one for one in (ACTIVE, *STAKING_MAPS, ledger, DEPTH_ITEM) if one["name"] != missing]
        node.metadata = small_runtime(pallet("Staking", *items))
        staking.points({ANN: 20})
        staking.claim(ANN, pages=[0])
        assert asking.era_paid(PAID_ERA) is None

    @pytest.mark.parametrize(("stored", "told"), [(None, None), (84, None), (90, True), (2, None)])
    def test_of_older_runtimes_reach_as_far_as_their_stored_history(self, node, asking, stored, told):
        staking = Staking(node, "election status")
        if stored is not None:
            node.store("Staking", "HistoryDepth", "0x" + u32(stored).hex())
        staking.reward(15, 5)
        staking.points({ANN: 20}, era=15)
        staking.claim(ANN, pages=[0], era=15)
        assert asking.era_paid(15) is told


class TestPaidByTheChain:
    DELAYED, POINTS = (map_key("ParachainStaking", name, u32(40)) for name in ("DelayedPayouts", "Points"))

    @pytest.fixture(autouse=True)
    def parachain(self, node):
        maps = [map_item(name, U32, U32) for name in ("DelayedPayouts", "Points")]
        node.metadata = small_runtime(pallet("ParachainStaking", item("Era", ERA, "00" * 12), *maps))
        node.store("ParachainStaking", "Era", "0x2a0000005a00000014000000")

    @pytest.mark.parametrize(
        ("delayed", "points", "told"),
        [
            (None, None, True),
            (None, "0x00000000", True),
            (None, "0x14000000", False),
            (None, "0x1400", None),
            ("0x" + "07" * 16, "0x14000000", False),
            ("0x" + "07" * 16, None, False),
        ],
    )
    def test_is_true_when_nothing_waits_for_its_payment(self, node, asking, delayed, points, told):
        node.storage |= {self.DELAYED: delayed, self.POINTS: points}
        assert asking.era_paid(40) is told

    @pytest.mark.parametrize("era", [42, 43, 2**32 - 1])
    def test_is_unknown_of_an_era_that_has_not_ended(self, asking, era):
        assert asking.era_paid(era) is None

    @pytest.mark.parametrize("missing", ["DelayedPayouts", "Points"])
    def test_is_unknown_in_a_runtime_that_keeps_other_records(self, node, asking, missing):
        maps = [map_item(name, U32, U32) for name in ("DelayedPayouts", "Points") if name != missing]
        node.metadata = small_runtime(pallet("ParachainStaking", item("Era", ERA, "00" * 12), *maps))
        assert asking.era_paid(40) is None


class TestCost:
    def test_is_one_block_whatever_is_built_meanwhile(self, node, asking):
        staking = Staking(node, "election status")
        staking.points({ANN: 20})
        staking.claim(ANN, pages=[0])
        blocks = set()
        node.blocks[node.hash_of(100)] = dict(node.storage)

        def one_block_more(method, params, result):
            if method == "state_queryStorageAt":
                node.block, node.storage = 101, {}
                blocks.add(params[1])
            return result

        node.changing = one_block_more
        assert asking.era_paid(PAID_ERA) is True
        assert blocks == {node.hash_of(100)}
