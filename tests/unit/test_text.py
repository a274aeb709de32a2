"""Texts for people: amounts, lengths of time, eras and values."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from staking_gateway.text import Token, amount, duration, era_ranges, one_line, shown, without_signatures

DOT = Token("DOT", 10)


@pytest.mark.parametrize(
    ("number", "token", "text"),
    [
        (1, DOT, "0.0000000001 DOT"),
        (10**10, DOT, "1 DOT"),
        (2**128 - 1, DOT, "34 028 236 692 093 846 346 337 460 743.1768211455 DOT"),
        (1234, Token("WHOLE", 0), "1 234 WHOLE"),
        (10**17, None, "100 000 000 000 000 000 planck"),
    ],
)
def test_an_amount_is_exact(number, token, text):
    assert amount(number, token) == text


@pytest.mark.parametrize(
    ("seconds", "words"), [(-1, "0s"), (0.2, "0.2s"), (45, "45s"), (100, "1m 40s"), (7300, "2h 1m"), (3 * 86400, "3d")]
)
def test_a_length_of_time_has_its_two_largest_units(seconds, words):
    assert duration(timedelta(seconds=seconds)) == words


@pytest.mark.parametrize(
    "text", ["\x1b[2J\x9b31m", "\ud800\udfff", "\x00\x7f\x85\xa0", "a\tb\nc\rd", "\u200b\u2066x\ufeff", "été 🙂"]
)
def test_a_hostile_text_is_made_one_line_of_as_many_characters(text):
    made = one_line(text)
    assert made.isprintable()
    assert len(made) == len(text)
    assert (made == text) is text.isprintable()


@pytest.mark.parametrize(
    ("value", "text"),
    [([], "a list"), ({}, "a mapping"), (None, "nothing"), (True, "true"), (7, "'7'"), (2**201, "a huge integer")],
)
def test_a_value_of_a_setting_is_shown_by_its_kind_or_as_a_short_text(value, text):
    assert shown(value) == text


def test_eras_are_ranges_and_what_is_too_many_is_counted():
    assert era_ranges([5, 7, 8]) == "5, 7-8"
    assert era_ranges([1, 3, 5, 6, 7], most=2) == "1, 3 and 3 more"


@given(st.integers(0, 300), st.integers(0, 300), st.booleans())
def test_a_signature_is_removed_whole_or_cut_wherever_it_stands(before, digits, prefixed):
    written = ("0x" if prefixed else "") + "a" * digits
    removed = digits >= (65 if prefixed else 96)
    assert without_signatures("." * before + written) == "." * before + ("0x... (removed)" if removed else written)
