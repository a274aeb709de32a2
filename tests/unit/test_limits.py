"""What others send is limited in values and depth before it is built, so its time and memory are linear in its bytes."""

import json
import time
import tracemalloc

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

MB = 1024 * 1024
ROOM = 64 * MB
UNIT = {"path": [], "params": [], "docs": []}


def peak(action):
    """The most memory an action has used, in bytes; it may refuse its input."""
    tracemalloc.start()
    try:
        action()
    except ValueError:
        pass
    finally:
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return most


def filled(begin, piece, end):
    """A text of the longest answer's length."""
    return begin + piece * ((limits.NODE_ANSWER_BYTES - len(begin) - len(end)) // len(piece)) + end


HUGE = {
    "lists": filled(b"[", b"[],", b"[]]"),
    "objects": filled(b"[", b'{"":1},', b"1]"),
    "numbers": filled(b"[", b"1,", b"1]"),
    "depth": filled(b"", b"[", b""),
    "escapes": filled(b'"', rb"\u00e9", b'"'),
    "a text": filled(b'"\xf0\x9f\x98\x80', b"x", b'"'),
    "bad bytes": filled(b'"', b"\xff", b'"'),
    "digits": filled(b"1.", b"1", b""),
}


@pytest.mark.parametrize("name", HUGE)
def test_no_json_of_the_longest_answer_needs_more_than_64_mb(name):
    assert peak(lambda: read_json(HUGE[name])) < ROOM


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


EVENTS = {
    "nested structures": [
        {"array": {"len": 2**32 - 1, "type": 2}},
        {"composite": {"fields": [{"name": "a", "type": 3}]}},
        {"tuple": []},
    ],
    "numbers": [{"sequence": {"type": 2}}, {"primitive": "U16"}, {"tuple": []}],
    "a type that holds itself": [{"composite": {"fields": [{"name": "a", "type": 1}]}}, {"tuple": []}, {"tuple": []}],
    "two of itself": [{"tuple": [1, 1]}, {"tuple": []}, {"tuple": []}],
}


@pytest.mark.parametrize("name", EVENTS)
def test_no_events_of_a_block_need_more_than_64_mb_or_a_second(name):
    """A few bytes of metadata can describe events without an end."""
    definitions = [{"sequence": {"type": 1}}, *EVENTS[name]]
    described = Metadata14(
        bytes.fromhex(
            metadata([{"id": number, "type": {**UNIT, "def": one}} for number, one in enumerate(definitions)], [])[2:]
        )
    )
    raw = b"\x04" + compact(limits.EVENTS_BYTES // 4) + bytes(limits.EVENTS_BYTES // 2)
    started = time.process_time()
    with pytest.raises(ValueError, match=r"holds too much|holds itself|more than \d+ entries"):
        list(described.entries(0, raw))
    assert time.process_time() - started < 1
    assert peak(lambda: list(described.entries(0, raw))) < ROOM


ENTRIES = limits.METADATA_ENTRIES // 20
"""A limit for these tests: tracing memory is slow."""
MANY = 2 * MB // 8
NAMES = [f"{number:05x}".encode() for number in range(ENTRIES - 10)]


@pytest.fixture
def lower(monkeypatch):
    monkeypatch.setattr(limits, "METADATA_ENTRIES", ENTRIES)


def listed(entries):
    return compact(len(entries)) + b"".join(entries)


def described(names, piece):
    return [b"\x14" + name + piece for name in names]


PALLETS_14, PALLETS_9 = b"\0" * 6, b"\0" * 5
GROWN = {
    "constants": b"\0\4\0\0\0\0" + listed(described(NAMES, b"\0\0\0")) + bytes(6),
    "items": b"\0\4\0\1\0" + listed(described(NAMES, b"\1\0\0\0\0")) + bytes(9),
    "pallets": b"\0" + listed(described(NAMES, PALLETS_14)) + bytes(4),
    "types": listed([compact(number) + b"\0\0\5\0\0" for number in range(len(NAMES))]) + bytes(5),
}


@pytest.mark.parametrize("name", GROWN)
def test_no_description_of_a_runtime_needs_more_than_64_mb(lower, name):
    assert peak(lambda: Metadata14(b"meta\x0e" + GROWN[name])) < ROOM // 20
    many = (b"meta\x0e\0\4\0\0\0\0" + compact(MANY) + bytes(4 * MANY), b"meta\x0e" + compact(MANY) + bytes(MANY * 8))
    for raw in many:
        with pytest.raises(ValueError, match=f"more than {ENTRIES} entries"):
            Metadata14(raw)


def test_a_description_of_an_older_runtime_needs_no_more(lower):
    assert peak(lambda: Metadata9(b"meta\x0d" + listed(described(NAMES, PALLETS_9 + b"\0")) + b"\4\0")) < ROOM // 20
    with pytest.raises(ValueError, match=f"more than {ENTRIES} entries"):
        Metadata9(b"meta\x09" + compact(MANY) + bytes(MANY * 8))


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
