"""What others send is limited in values and depth before it is built, so its time and memory are linear in its bytes."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from staking_gateway.chain.metadata9 import Metadata9
from staking_gateway.chain.metadata14 import Metadata14
from staking_gateway.http import limits
from staking_gateway.http.foreign_json import read_json
from staking_gateway.types import MAX_ERA
from tests.chain import metadata14
from tests.chain.metadata14 import compact, metadata

UNIT = {"path": [], "params": [], "docs": []}


@pytest.mark.parametrize("size", [1, 100, limits.JSON_MARKS // 2])
def test_a_json_text_has_as_many_values_as_the_limit_allows(size):
    assert len(read_json(b"[" + b"1," * size + b"1]")) == size + 1
    with pytest.raises(ValueError, match="more than 65536 brackets"):
        read_json(b"[" + b"1," * limits.JSON_MARKS + b"1]")


@given(st.integers(1, 200), st.text(st.sampled_from('[]{}"\\, x'), max_size=80))
def test_a_json_texts_depth_is_counted_outside_of_its_texts(depth, text):
    nested = json.dumps(text)
    for _ in range(depth):
        nested = f"[{nested}]"
    if depth <= limits.JSON_DEPTH:
        assert json.dumps(read_json(nested.encode()), separators=(",", ":")) == nested
    else:
        with pytest.raises(ValueError, match="nested more than 64 times"):
            read_json(nested.encode())


def test_a_type_is_parsed_once_however_many_values_have_it():
    """20,000 variants and 900 fields of them: 81 kB, and 53 s when the list was parsed for each field."""
    variants = [{"name": "", "index": number % 256} for number in range(20_000)]
    types = [
        {"id": 0, "type": {**UNIT, "def": {"variant": {"variants": variants}}}},
        {"id": 1, "type": {**UNIT, "def": {"tuple": [0] * 900}}},
    ]
    described = Metadata14(bytes.fromhex(metadata(types, [])[2:]))
    for _ in range(50):
        assert len(described.decode(1, bytes(900))) == 900


def listed(entries):
    return compact(len(entries)) + b"".join(entries)


def described(names, piece):
    return [b"\x14" + name + piece for name in names]


@pytest.mark.parametrize("kind", ["Vec<Null>", "[Null; 1073741824]", "(u32, Vec<()>)", "u256", ""])
def test_a_value_of_a_type_that_eras_do_not_use_is_refused_unread(kind):
    """A value of 4 bytes can stand for 2**30 elements without a byte."""
    name = metadata14.text(kind)
    pallet = b"\4A\0\0\0" + listed([metadata14.text("SessionsPerEra") + name + b"\x10\2\0\0\0" + b"\0"]) + b"\0"
    described = Metadata9(b"meta\x09" + listed([pallet]))
    found = described.pallets["A"].constants["SessionsPerEra"]
    with pytest.raises(ValueError, match="not read here"):
        described.decode(kind, found.value)
    assert found.kind == kind


def test_a_number_of_an_older_runtime_is_read_by_the_name_of_its_type():
    described = Metadata9(b"meta\x09\0")
    assert described.decode("EraIndex", b"\xff" * 4) == MAX_ERA
    assert described.decode("T::Moment", b"\1" + bytes(7)) == 1
    assert described.decode("Phase<T::BlockNumber>", b"\2\1\5\0\0\0") == {"Unsigned": (True, 5)}
    numbers, phases = ("u32", bytes(3), bytes(5)), ("ElectionPhase", b"\4", b"\2\2" + bytes(4))
    for kind, wrong in ((kind, wrong) for kind, *wrongs in (numbers, phases) for wrong in wrongs):
        with pytest.raises(ValueError, match=r"bytes|none of Off|no flag"):
            described.decode(kind, wrong)
