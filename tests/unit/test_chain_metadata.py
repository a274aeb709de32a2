"""Metadata and values: read as the runtime describes them, or refused by ValueError and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from substrateinterface.utils.hasher import blake2_128_concat, two_x64_concat

from staking_gateway.chain import scale
from staking_gateway.chain.metadata import Item, Metadata, storage_key
from staking_gateway.types import MAX_ERA
from tests.chain.metadata14 import (
    ACTIVE_ERA,
    BLAKE,
    U32,
    avn_runtime,
    item,
    map_item,
    metadata,
    old_runtime,
    pallet,
    small_runtime,
)

RUNTIMES = [bytes.fromhex(avn_runtime(describe=describe)[2:]) for describe in (small_runtime, old_runtime)]


def types(*definitions):
    """A description of these types, numbered from 0."""
    entries = [
        {"id": number, "type": {"path": ["a", "b" * 70], "params": [{"name": "T", "type": 0}], "def": one, "docs": []}}
        for number, one in enumerate(definitions)
    ]
    return Metadata(bytes.fromhex(metadata(entries, [])[2:]))


def field(kind, name=None):
    return {"name": name, "type": kind, "typeName": "Kind"}


class TestDescription:
    @pytest.mark.parametrize("raw", RUNTIMES, ids=["14", "13"])
    def test_names_what_each_pallet_stores(self, raw):
        pallets = Metadata(raw).pallets
        assert list(pallets) == ["System", "Timestamp", "Staking", "ValidatorsManager", "AvnProxy"]
        items = pallets["Staking"].items
        active, depth = (ACTIVE_ERA, U32) if raw is RUNTIMES[0] else ("ActiveEraInfo", "u32")
        assert items["ActiveEra"] == Item(active, None, ())
        assert items["HistoryDepth"] == Item(depth, (84).to_bytes(4, "little"), ())
        assert items["Ledger"].hashers == (BLAKE,)

    def test_has_constants(self):
        described = Metadata(bytes.fromhex(small_runtime(pallet("Staking", SessionsPerEra=(6, 4)))[2:]))
        assert described.constant("Staking", "SessionsPerEra") == 6
        assert described.constant("Staking", "Other") is described.constant("Babe", "EpochDuration") is None


class TestValues:
    @given(st.sampled_from([8, 16, 32, 64, 128, 256]), st.data())
    def test_of_numbers_are_as_wide_as_their_type(self, bits, data):
        number = data.draw(st.integers(0, (1 << bits) - 1))
        raw = number.to_bytes(bits // 8, "little")
        described = types({"primitive": f"U{bits}"})
        assert described.decode(0, raw) == number
        for wrong in (raw[:-1], raw + b"\0"):
            with pytest.raises(ValueError, match="bytes"):
                described.decode(0, wrong)

    @given(st.integers(0, 2**128 - 1))
    def test_of_compact_numbers_are_those_of_the_encoder(self, number):
        from staking_gateway_simulator.metadata import compact

        assert scale.decode(scale.compact, compact(number)) == number

    def test_of_structures_and_enumerations_are_told_by_their_names(self):
        variants = [
            {"name": "Off", "index": 0},
            {"name": "Signed", "index": 4, "fields": [field(3)]},
            {"name": "Unsigned", "index": 2, "fields": [field(4)]},
            {"name": "Export", "index": 3, "fields": [field(0, "page"), field(1, "last")]},
        ]
        described = types(
            {"primitive": "U32"},
            {"primitive": "Bool"},
            {"composite": {"fields": [field(0, "current"), field(0, "first")]}},
            {"composite": {"fields": [field(0)]}},
            {"tuple": [1, 0]},
            {"variant": {"variants": variants}},
            {"sequence": {"type": 0}},
            {"array": {"len": 2, "type": 0}},
            {"primitive": "U8"},
            {"sequence": {"type": 8}},
            {"bitSequence": {"bitStoreType": 8, "bitOrderType": 0}},
            {"compact": {"type": 0}},
        )
        for kind, raw, value in [
            (2, "0100000002000000", {"current": 1, "first": 2}),
            (3, "09000000", 9),
            (5, "00", "Off"),
            (5, "0407000000", {"Signed": 7}),
            (5, "020105000000", {"Unsigned": (True, 5)}),
            (5, "030700000001", {"Export": {"page": 7, "last": True}}),
            (6, "0809000000ffffffff", [9, 2**32 - 1]),
            (7, "0900000001000000", [9, 1]),
            (9, "08abcd", b"\xab\xcd"),
            (10, "24abcd", b"\xab\xcd"),
            (11, "a10f", 1000),
        ]:
            assert described.decode(kind, bytes.fromhex(raw)) == value
        for wrong in ("", "01", "05", "0000", "0407", "0202050000", "03070000"):
            with pytest.raises(ValueError, match=r"bytes|none of Off, Signed, Unsigned, Export|2 is no flag"):
                described.decode(5, bytes.fromhex(wrong))

    @pytest.mark.parametrize(
        ("definition", "told"),
        [
            ({"composite": {"fields": [field(7)]}}, "type 7 is not described"),
            ({"composite": {"fields": [field(0)]}}, "nested too deeply"),
        ],
    )
    def test_of_other_types_are_refused(self, definition, told):
        with pytest.raises(ValueError, match=told):
            types(definition).decode(0, bytes(8))

    def test_of_a_primitive_that_nobody_knows_or_that_is_cut_off_are_refused(self):
        described = {"path": [], "params": [], "def": {"primitive": "I256"}, "docs": []}
        raw = bytes.fromhex(metadata([{"id": 0, "type": described}], [])[2:])
        before, known, after = raw.partition(b"\x05\x0e")
        assert known
        with pytest.raises(ValueError, match="99 is no primitive type"):
            Metadata(before + b"\x05\x63" + after).decode(0, bytes(32))
        for size in range(len(before) + 2):
            with pytest.raises(ValueError, match=r"bytes|no metadata"):
                Metadata(raw[:size])

    def test_of_an_older_runtime_are_read_by_the_name_of_their_type(self):
        described = Metadata(b"meta\x09\0")
        assert described.decode("EraIndex", b"\xff" * 4) == MAX_ERA
        assert described.decode("T::Moment", b"\1" + bytes(7)) == 1
        assert described.decode("Phase<T::BlockNumber>", b"\2\1\5\0\0\0") == {"Unsigned": (True, 5)}
        numbers, phases = ("u32", bytes(3), bytes(5)), ("ElectionPhase", b"\4", b"\2\2" + bytes(4))
        for kind, wrong in ((kind, wrong) for kind, *wrongs in (numbers, phases) for wrong in wrongs):
            with pytest.raises(ValueError, match=r"bytes|none of Off|no flag"):
                described.decode(kind, wrong)
        with pytest.raises(ValueError, match=r"does not describe type 'Vec<Null>'"):
            described.decode("Vec<Null>", bytes(4))


class TestKeys:
    @given(era=st.integers(0, 2**32 - 1), account=st.binary(min_size=32, max_size=32))
    def test_are_what_the_library_makes_of_the_arguments(self, era, account):
        raw = era.to_bytes(4, "little")
        maps = [map_item("X", U32, U32), map_item("Y", U32, U32, hasher=BLAKE)]
        described = Metadata(bytes.fromhex(small_runtime(pallet("Staking", *maps))[2:]))
        assert described.key("Staking", "X", raw) == storage_key("Staking", "X") + two_x64_concat(raw).hex()
        assert described.key("Staking", "Y", account) == storage_key("Staking", "Y") + blake2_128_concat(account).hex()

    @pytest.mark.parametrize("describe", [small_runtime, old_runtime])
    def test_begin_with_the_pallets_prefix_which_need_not_be_its_name(self, describe):
        staking = pallet("Staking", item("ActiveEra", ACTIVE_ERA, "00"))
        staking["storage"]["prefix"] = "DarwiniaStaking"
        described = Metadata(bytes.fromhex(describe(staking)[2:]))
        assert described.key("Staking", "ActiveEra") == storage_key("DarwiniaStaking", "ActiveEra")

    def test_need_an_item_of_the_runtime_and_as_many_known_hashers_as_arguments(self):
        maps = [map_item("X", U32, U32), map_item("Y", U32, U32, hasher="Identity")]
        described = Metadata(bytes.fromhex(small_runtime(pallet("Staking", *maps))[2:]))
        for name, arguments in (("X", ()), ("X", (b"", b"")), ("Y", (b"",)), ("Z", (b"",))):
            assert described.key("Staking", name, *arguments) is None
        assert described.key("Other", "X", b"") is None
