"""Metadata and values: read by the library, or refused by ValueError and nothing else."""

import pytest

from staking_gateway.chain.metadata import Metadata, decode
from staking_gateway.types import MAX_ERA
from staking_gateway_simulator.metadata import encode_pallet
from tests.chain import storage
from tests.chain.fake_node import map_key
from tests.chain.metadata14 import U32, item, map_item, metadata, pallet


def field(kind, name=None):
    return {"name": name, "type": kind, "typeName": "Kind"}


FORMS = [
    {"primitive": "U8"},
    {"composite": {"fields": [field(0, "current"), field(0)]}},
    {"variant": {"variants": [{"name": "Off", "index": 0}, {"name": "On", "index": 4, "fields": [field(1)]}]}},
    {"sequence": {"type": 0}},
    {"array": {"len": 2**31, "type": 0}},
    {"tuple": [1, 0]},
    {"compact": {"type": 0}},
    {"bitSequence": {"bitStoreType": 0, "bitOrderType": 0}},
]
"""Every form of a type, which the reader of keys passes over."""


def described(forms):
    """Metadata with these types and one pallet."""
    types = [
        {
            "id": number,
            "type": {"path": ["a", "b" * 70], "params": [{"name": "T", "type": 0}], "def": one, "docs": []},
        }
        for number, one in enumerate(forms)
    ]
    return bytes.fromhex(metadata(types, [pallet("Staking", item("ActiveEra", 3, "00"), Depth=(84, 4))])[2:])


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
    with pytest.raises(ValueError, match="version 15 does not describe events"):
        read.events(b"")


def test_pallets_are_found_behind_types_of_every_form():
    found = Metadata(described(FORMS)).pallets
    assert list(found) == ["Staking"]
    assert found["Staking"].constants == {"Depth": b"\x54\0\0\0"}


def test_metadata_that_ends_early_or_has_a_form_that_nobody_knows_is_refused():
    raw = described(FORMS[:1])
    for size in range(raw.index(b"\x1cStaking")):
        with pytest.raises(ValueError, match=r"bytes are|no metadata"):
            Metadata(raw[:size])
    before, known, after = raw.partition(b"\x05\x03")
    assert known
    with pytest.raises(ValueError, match="form 9 of a type is not known"):
        Metadata(before + b"\x09\x03" + after)
    with pytest.raises(ValueError, match="too large"):
        Metadata(raw[:5] + b"\x03" + raw[6:])


@pytest.mark.parametrize(
    ("kind", "raw", "value"),
    [
        ("u32", "ffffffff", MAX_ERA),
        ("ActiveEraInfo", "0700000000", {"index": 7, "start": None}),
        ("ActiveEraInfo", "07000000010100000000000000", {"index": 7, "start": 1}),
        ("Vec<u32>", "080900000001000000", [9, 1]),
        ("Bytes", "0c616263", "0x616263"),
    ],
)
def test_values_are_read_whole_or_not_at_all(kind, raw, value):
    assert decode(kind, bytes.fromhex(raw)) == value
    for wrong in (raw[:-2], raw + "00"):
        with pytest.raises(ValueError, match="bytes are no"):
            decode(kind, bytes.fromhex(wrong))
