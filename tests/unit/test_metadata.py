"""Metadata and values: read by the library, or refused by ValueError and nothing else."""

import pytest

from staking_gateway.chain.metadata import Metadata, decode
from staking_gateway.types import MAX_ERA
from staking_gateway_simulator.metadata import UNIT, encode_pallet
from tests.chain import storage
from tests.chain.fake_node import map_key
from tests.chain.metadata14 import U32, item, map_item, metadata, pallet

STAKING = pallet("Staking", item("ActiveEra", U32, "00"), Depth=(84, 4))


def described(*pallets):
    """Metadata with a type and these pallets."""
    return bytes.fromhex(metadata([UNIT], pallets)[2:])


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        (b"0000\x0e", "it is no metadata"),
        (b"meta\x10", "version 16, and this package reads 9 to 15"),
        (b"meta\x08", "8"),
    ],
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
    for asked in (("Identity", b"era"), ("ActiveEra", b"era"), ("Bonded",)):
        with pytest.raises(ValueError, match="has no Staking"):
            read.key("Staking", *asked)
    with pytest.raises(ValueError, match="version 15 does not describe events"):
        read.events(b"")


@pytest.mark.parametrize("others", [0, 1, 62, 63, 200])
@pytest.mark.parametrize("first", ["System", "Other"])
def test_pallets_are_found_behind_the_types_whichever_is_first(first, others):
    found = Metadata(described(pallet(first), *[STAKING] * (others + 1)))
    assert found.pallets == [first] + ["Staking"] * (others + 1)
    assert found.constants == {("Staking", "Depth"): b"\x54\0\0\0"}


@pytest.mark.parametrize("first", ["System", "Other"])
def test_metadata_that_ends_early_is_refused(first):
    raw = described(pallet(first), STAKING)
    for size in range(raw.index(b"\x1cStaking") + 9):
        with pytest.raises(ValueError, match=r"bytes are|no metadata"):
            Metadata(raw[:size])


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
