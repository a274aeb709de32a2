"""The total reward of an era, as each family of staking runtimes stores it, and what accounts got, as events tell it."""

import pytest

from staking_gateway.chain import EraReward
from staking_gateway.chain.rewards import _rewards
from staking_gateway_simulator.metadata import UNIT, compact, metadata, named, structure
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

AMOUNT, ERA_5 = 17_149_935_740_000, (5).to_bytes(4, "little")
ACTIVE = item("ActiveEra", ACTIVE_ERA, "00", "Optional")
REWARD = map_item("ErasValidatorReward", U32, U32)
ELECTION = pallet("MultiBlockElection", item("CurrentPhase", PHASE, "00"))
DELAYED = map_item("DelayedPayouts", U32, U32)
PARACHAIN = item("Era", ERA, "00" * 12)
FAMILIES = {
    "election status": (avn_runtime(), "Staking", "ErasValidatorReward"),
    "phases, 13": (old_runtime(pallet("Staking", ACTIVE, REWARD), ELECTION), "Staking", "ErasValidatorReward"),
    "phases, 14": (small_runtime(pallet("Staking", ACTIVE, REWARD), ELECTION), "Staking", "ErasValidatorReward"),
    "no window": (small_runtime(pallet("Staking", ACTIVE, REWARD)), "Staking", "ErasValidatorReward"),
    "parachain": (small_runtime(pallet("ParachainStaking", PARACHAIN, DELAYED)), "ParachainStaking", "DelayedPayouts"),
}
STORED = "0x" + AMOUNT.to_bytes(16, "little").hex()


def prepare(node, family, value):
    """A node of this family that stores these bytes as the reward of era 5."""
    node.metadata, *entry = FAMILIES[family]
    node.storage[map_key(*entry, ERA_5)] = value
    if family != "election status":
        node.storage.pop(storage.ERA_ELECTION_STATUS)
    if family == "parachain":
        node.storage.pop(storage.ACTIVE_ERA)
    node.store("ParachainStaking", "Era", "0x070000005a00000014000000")


def put(node, name, value, *arguments, prefix="Staking", hasher="Twox64Concat"):
    node.storage[map_key(prefix, name, *arguments, hasher=hasher)] = "0x" + value.hex()


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(
    ("value", "told"),
    [
        (STORED, EraReward(AMOUNT, 100)),
        ("0x" + "ff" * 16, EraReward(2**128 - 1, 100)),
        ("0x" + "00" * 16, EraReward(0, 100)),
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


# --- events --------------------------------------------------------------------------------------------------------------

ANN, BOB = "0x" + "aa" * 32, "0x" + "bb" * 32
U8, BYTES, ACCOUNT, U128, KIND, EVENT, PHASE_KIND, RECORD, RECORDS, SHORT, TOPICS = range(2, 13)
EVENT_INDEX = 8
BLOCK = 100


def fields(*given):
    """Fields of an event: types, or names with types."""
    return [{"type": one} if isinstance(one, int) else {"name": one[0], "type": one[1]} for one in given]


def eventful(pallet_name, **events):
    """A runtime with the events of one pallet, numbered in their order."""
    variants = [
        {"name": name, "index": at, "fields": fields(*given)} for at, (name, given) in enumerate(events.items())
    ]
    pallets = [{"name": pallet_name, "index": EVENT_INDEX, "fields": fields(KIND)}]
    phases = [{"name": "ApplyExtrinsic", "index": 0, "fields": fields(U32)}, {"name": "Initialization", "index": 2}]
    types = [
        UNIT,
        named(U32, [], {"primitive": "U32"}),
        named(U8, [], {"primitive": "U8"}),
        named(BYTES, [], {"array": {"len": 32, "type": U8}}),
        named(ACCOUNT, ["sp_core", "crypto", "AccountId32"], {"composite": {"fields": fields(BYTES)}}),
        named(U128, [], {"primitive": "U128"}),
        named(KIND, [], {"variant": {"variants": variants}}),
        named(EVENT, ["runtime", "Event"], {"variant": {"variants": pallets}}),
        named(PHASE_KIND, [], {"variant": {"variants": phases}}),
        named(RECORD, ["frame_system", "EventRecord"], structure(phase=PHASE_KIND, event=EVENT, topics=TOPICS)),
        named(RECORDS, [], {"sequence": {"type": RECORD}}),
        named(SHORT, [], {"array": {"len": 20, "type": U8}}),
        named(TOPICS, [], {"sequence": {"type": BYTES}}),
    ]
    return metadata(types, [pallet("System", item("Events", RECORDS, "00"))])


def records(*given):
    """Records of (transaction or None, number of the event, its bytes)."""
    phases = [b"\2" if transaction is None else b"\0" + transaction.to_bytes(4, "little") for transaction, *_ in given]
    told = [
        phase + bytes([EVENT_INDEX, number]) + content + b"\0"
        for phase, (_, number, content) in zip(phases, given, strict=True)
    ]
    return compact(len(told)) + b"".join(told)


def got(account, amount):
    return bytes.fromhex(account[2:]) + amount.to_bytes(16, "little")


STARTED = ERA_5 + bytes(32)
FORMS = {
    "names": ("Staking", {"Rewarded": [("stash", ACCOUNT), ("dest", U32), ("amount", U128)]}, bytes(4)),
    "no names": ("Staking", {"Rewarded": [ACCOUNT, U128]}, b""),
    "the older event": ("Staking", {"Reward": [ACCOUNT, U128]}, b""),
    "parachain": ("ParachainStaking", {"Rewarded": [("account", ACCOUNT), ("rewards", U128)]}, b""),
}


def tell(node, raw):
    node.storage[storage.EVENTS] = "0x" + raw.hex()


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_the_event_is_read(node, asking, form):
    pallet_name, events, between = FORMS[form]
    node.metadata = eventful(pallet_name, **events, Other=[U32])
    given = [(1, ANN, 7), (None, BOB, 2**128 - 1)]
    told = [(at, 0, got(account, amount)[:32] + between + got(account, amount)[32:]) for at, account, amount in given]
    for one, (_, account, amount) in zip(told, given, strict=True):
        tell(node, records((0, 1, ERA_5), one))
        assert asking.paid_rewards(BLOCK, 5) == {account: amount}


def test_rewards_belong_to_the_payout_that_has_started_in_their_transaction(node, asking):
    node.metadata = eventful(
        "Staking", PayoutStarted=[("era_index", U32), ("validator_stash", ACCOUNT)], Rewarded=[ACCOUNT, U128]
    )
    six = (6).to_bytes(4, "little") + bytes(32)
    paid = [
        (1, 0, STARTED),
        (1, 1, got(ANN, 7)),
        (1, 0, six),
        (1, 1, got(ANN, 9)),
        (1, 1, got(ANN, 1)),
        (2, 1, got(BOB, 3)),
    ]
    tell(node, records(*paid))
    told = [asking.paid_rewards(BLOCK, era) for era in (5, "6", 7)]
    assert told == [{ANN: 7, BOB: 3}, {ANN: 10, BOB: 3}, {BOB: 3}]


def test_rewards_of_two_payouts_are_unknown_where_the_runtime_does_not_tell_their_eras(node, asking):
    node.metadata = eventful("Staking", Rewarded=[ACCOUNT, U128])
    tell(node, records((1, 0, got(ANN, 7)), (1, 0, got(BOB, 7))))
    assert asking.paid_rewards(BLOCK, 5) == {ANN: 7, BOB: 7}
    tell(node, records((1, 0, got(ANN, 7)), (2, 0, got(BOB, 7))))
    assert (
        asking.paid_rewards(BLOCK, 5) == "block 100 has several payouts, and its runtime does not tell their eras apart"
    )


UNKNOWN = {
    "a byte too few": (records((1, 0, got(ANN, 7)))[:-1], {}, "bytes are no"),
    "a byte too many": (records((1, 0, got(ANN, 7))) + b"\0", {}, "bytes are no"),
    "an unknown event": (records((1, 0, got(ANN, 7)), (1, 9, b"")), {}, "bytes are no"),
    "an unknown pallet": (records((1, 0, got(ANN, 7))).replace(b"\x08\0", b"\7\0"), {}, "bytes are no"),
    "a short account": (records((1, 0, bytes(20 + 16))), {"Rewarded": [SHORT, U128]}, "no public key"),
    "an amount of another type": (
        records((1, 0, got(ANN, 7)[:48] + b"\0" * 32)),
        {"Rewarded": [ACCOUNT, U128, ACCOUNT]},
        "another type",
    ),
    "other names": (records((1, 0, got(ANN, 7))), {"Rewarded": [("who", ACCOUNT), ("amount", U128)]}, "no stash"),
    "no fields": (records((1, 0, b"")), {"Rewarded": []}, "no stash"),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_events_that_cannot_all_be_read_tell_no_amount(node, asking, name):
    raw, events, reason = UNKNOWN[name]
    node.metadata = eventful("Staking", **(events or {"Rewarded": [ACCOUNT, U128]}))
    tell(node, raw)
    found = asking.paid_rewards(BLOCK, 5)
    assert found.startswith(f"the rewards of block {BLOCK} are unknown: ")
    assert reason in found


def test_events_are_read_as_the_runtime_before_their_block_describes_them(node, asking):
    """An upgrade takes effect after its block."""
    node.metadata = eventful("Staking", Rewarded=[ACCOUNT, U128])
    newer = eventful("Staking", Rewarded=[U128, ACCOUNT])
    tell(node, records((1, 0, got(ANN, 7))))

    def upgraded(method, params, result):
        return newer if method == "state_getMetadata" and params != [node.hash_of(BLOCK - 1)] else result

    node.changing = upgraded
    assert asking.paid_rewards(BLOCK, 5) == {ANN: 7}


def test_a_runtime_without_events_tells_no_rewards(node, asking):
    node.metadata = small_runtime(pallet("System"))
    assert "are unknown: its runtime has no System.Events" in asking.paid_rewards(BLOCK, 5)


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

    def test_of_which_one_is_hashed_in_an_unknown_way_are_those_of_the_others(self, node, asking):
        node.metadata = with_items(map_item("ErasNominatorBonus", U32, U32, hasher="Identity"))
        put(node, "ErasValidatorReward", bytes([7] + [0] * 15), ERA_5)
        assert asking.era_reward(5).amount == 7

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
        told = [asking.paid_rewards(BLOCK, era) for era in (5, 6)]
        assert told == [{ANN: 600, BOB: 300}, {}]

    @pytest.mark.parametrize("fields", [REWARDED, (ACCOUNT, U128)], ids=["names", "no names"])
    def test_with_an_event_that_is_not_known_are_partly_unknown(self, node, asking, fields):
        node.metadata = eventful("Staking", Rewarded=self.REWARDED, BonusPaid=fields)
        tell(node, records((1, 0, got(ANN, 100)), (1, 1, got(ANN, 2**64))))
        assert "partly unknown: event Staking.BonusPaid may pay an account" in asking.paid_rewards(BLOCK, 5)

    @pytest.mark.parametrize("name", ["Bonded", "Unbonded", "Withdrawn", "Slashed", "CurrencyMigrated"])
    def test_do_not_include_what_pays_nobody(self, node, asking, name):
        node.metadata = eventful("Staking", Rewarded=self.REWARDED, **{name: self.REWARDED})
        tell(node, records((1, 1, got(BOB, 2**64)), (2, 0, got(ANN, 100))))
        assert asking.paid_rewards(BLOCK, 5) == {ANN: 100}


def with_items(*items):
    """A runtime whose pallet Staking has further items."""
    return small_runtime(pallet("Staking", ACTIVE, REWARD, *items))


def test_an_event_of_another_pallet_pays_nobody():
    event = {"phase": 0, "extrinsic_idx": 1, "module_id": "Balances", "event_id": "Deposit", "attributes": (ANN, 5)}
    assert list(_rewards([event])) == []
