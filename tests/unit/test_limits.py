"""What others send is limited in values and depth before it is built, so its time and memory are linear in its bytes."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from staking_gateway.http import limits
from staking_gateway.http.foreign_json import read_json


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
