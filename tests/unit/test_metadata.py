"""Metadata and values: read as the runtime describes them, or refused by ValueError and nothing else."""

import pytest

from staking_gateway.chain.metadata import Metadata
from staking_gateway.types import MAX_ERA
from staking_gateway_simulator.metadata import encode_pallet
from tests.chain import storage
from tests.chain.fake_node import map_key
from tests.chain.metadata14 import U32, item, map_item, metadata, pallet


def types(*definitions):
    """A description of these types, numbered from 0."""
    entries = [
        {"id": number, "type": {"path": ["a", "b" * 70], "params": [{"name": "T", "type": 0}], "def": one, "docs": []}}
        for number, one in enumerate(definitions)
    ]
    return Metadata(bytes.fromhex(metadata(entries, [])[2:]))


def field(kind, name=None):
    return {"name": name, "type": kind, "typeName": "Kind"}


class TestValues:
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
            {"array": {"len": 2, "type": 8}},
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
            (11, "0300000040", 2**30),
            (12, "abcd", b"\xab\xcd"),
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
        for wrong in (bytes(3), bytes(5)):
            with pytest.raises(ValueError, match="bytes"):
                described.decode("u32", wrong)
        with pytest.raises(ValueError, match=r"does not describe type 'Vec<Null>'"):
            described.decode("Vec<Null>", bytes(4))


@pytest.mark.parametrize(
    ("raw", "told"), [(b"0000\x0e", "it is no metadata"), (b"meta\x10", "has version 16"), (b"meta\x08", "8")]
)
def test_what_is_no_metadata_or_of_another_version_is_refused(raw, told):
    with pytest.raises(ValueError, match=told):
        Metadata(raw)


def test_keys_are_those_of_the_hashers_that_hold_their_arguments():
    maps = [map_item(hasher, U32, U32, hasher=hasher) for hasher in ("Twox64Concat", "Blake2_128Concat", "Identity")]
    described = pallet("Staking", item("ActiveEra", U32, "00"), *maps)
    read = Metadata(b"meta\x0f\0\4" + encode_pallet(described) + b"\0")
    assert read.key("Staking", "ActiveEra") == storage.ACTIVE_ERA
    for hasher in ("Twox64Concat", "Blake2_128Concat"):
        assert read.key("Staking", hasher, b"era") == map_key("Staking", hasher, b"era", hasher=hasher)
    assert [read.key("Staking", *asked) for asked in (("Identity", b"era"), ("ActiveEra", b"era"), ("Bonded",))] == [
        None
    ] * 3
