"""Metadata 14 is read to its last byte or refused, and values only as it describes them."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from substrateinterface.utils.hasher import blake2_128_concat, two_x64_concat

from staking_gateway.chain import storage
from staking_gateway.chain.description import Constant, Item
from staking_gateway.chain.metadata14 import Metadata14
from staking_gateway.chain.scale import Reader
from tests.chain.metadata14 import ACTIVE_ERA, ERA, PHASE, U32, U64, item, metadata, pallet, small_runtime

RUNTIME = small_runtime(
    pallet("System"),
    pallet("Staking", item("ActiveEra", ACTIVE_ERA, "00", "Optional"), SessionsPerEra=(6, 4)),
    pallet("MultiBlockElection", item("CurrentPhase", PHASE, "00")),
)
RAW = bytes.fromhex(RUNTIME[2:])


def types(*definitions):
    """A description of these types, numbered from 0."""
    entries = [
        {"id": number, "type": {"path": ["a", "b" * 70], "params": [{"name": "T", "type": 0}], "def": one, "docs": []}}
        for number, one in enumerate(definitions)
    ]
    return Metadata14(bytes.fromhex(metadata(entries, [])[2:]))


def field(kind, name=None):
    return {"name": name, "type": kind, "typeName": "Kind"}


class TestDescription:
    def test_names_what_each_pallet_stores_and_its_constants(self):
        pallets = Metadata14(RAW).pallets
        assert list(pallets) == ["System", "Staking", "MultiBlockElection"]
        assert pallets["Staking"].items == {"ActiveEra": Item(ACTIVE_ERA, None)}
        assert pallets["Staking"].constants == {"SessionsPerEra": Constant(U32, (6).to_bytes(4, "little"))}
        assert pallets["MultiBlockElection"].items == {"CurrentPhase": Item(PHASE, b"\0")}

    def test_that_is_cut_anywhere_or_goes_on_after_its_end_is_refused(self):
        for length in range(5, len(RAW)):
            with pytest.raises(ValueError, match=r"too early|are not|is no|neither"):
                Metadata14(RAW[:length])
        with pytest.raises(ValueError, match=f"{len(RAW) + 1} bytes are not {len(RAW)}"):
            Metadata14(RAW + b"\0")

    @given(st.data())
    def test_that_is_damaged_is_read_or_refused_and_nothing_else(self, data):
        damaged = bytearray(RAW)
        for _ in range(data.draw(st.integers(1, 4))):
            damaged[data.draw(st.integers(5, len(RAW) - 1))] = data.draw(st.integers(0, 255))
        with suppress(ValueError):
            described = Metadata14(bytes(damaged))
            for kind in (U32, U64, PHASE, ERA, ACTIVE_ERA):
                described.decode(kind, b"\1" * 12)


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
        )
        for kind, raw, value in [
            (2, "0100000002000000", {"current": 1, "first": 2}),
            (3, "09000000", 9),
            (5, "00", "Off"),
            (5, "0407000000", {"Signed": 7}),
            (5, "020105000000", {"Unsigned": (True, 5)}),
            (5, "030700000001", {"Export": {"page": 7, "last": True}}),
        ]:
            assert described.decode(kind, bytes.fromhex(raw)) == value
        for wrong in ("", "01", "05", "0000", "0407", "0202050000", "03070000"):
            with pytest.raises(ValueError, match=r"bytes|none of Off, Signed, Unsigned, Export|2 is no flag"):
                described.decode(5, bytes.fromhex(wrong))

    @pytest.mark.parametrize(
        ("definition", "told"),
        [
            ({"array": {"len": 2**32 - 1, "type": 1}}, "holds too much"),
            ({"array": {"len": 2**32 - 1, "type": 2}}, "bytes are too few"),
            ({"bitSequence": {"bitStoreType": 0, "bitOrderType": 0}}, "type 0 stores no bits"),
            ({"composite": {"fields": [field(7)]}}, "type 7 is not described"),
            ({"composite": {"fields": [field(0)]}}, "type 0 holds itself"),
        ],
    )
    def test_of_other_types_are_refused(self, definition, told):
        with pytest.raises(ValueError, match=told):
            types(definition, {"tuple": []}, {"primitive": "U8"}).decode(0, bytes(8))


def test_a_text_is_utf8_of_its_length():
    assert Reader(b"\x18Hall\xc3\xa4.").text() == "Hallä"
    with pytest.raises(UnicodeDecodeError):
        Reader(b"\x04\xff").text()
    with pytest.raises(IndexError):
        Reader(b"\x08a").text()


class TestMapKeys:
    @given(era=st.integers(0, 2**32 - 1), account=st.binary(min_size=32, max_size=32))
    def test_are_what_the_library_makes_of_the_arguments(self, era, account):
        raw = era.to_bytes(4, "little")
        begin = storage.key("Staking", "X")
        key = storage.map_key("Staking", "X", ["Twox64Concat", "Blake2_128Concat"], [raw, account])
        assert key == begin + two_x64_concat(raw).hex() + blake2_128_concat(account).hex()

    @pytest.mark.parametrize(
        ("hashers", "arguments"),
        [
            (["Twox64Concat"], []),
            ([], [b""]),
            (["Twox64Concat"], [b"", b""]),
            (["Identity"], [b""]),
            (["Blake2_128Concat", "unknown"], [b"", b""]),
        ],
    )
    def test_need_as_many_known_hashers_as_arguments(self, hashers, arguments):
        assert storage.map_key("Staking", "X", hashers, arguments) is None

    def test_of_older_runtimes_are_known_for_the_items_of_payouts_only(self):
        assert storage.old_map_key("Staking", "Ledger", bytes(32)) == storage.map_key(
            "Staking", "Ledger", ["Blake2_128Concat"], [bytes(32)]
        )
        assert storage.old_map_key("Staking", "ClaimedRewards", bytes(4), bytes(32)) is None
        assert storage.old_map_key("Staking", "Ledger") is None
