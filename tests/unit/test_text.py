"""Amounts for people."""

import pytest

from staking_gateway.text import Token, amount

DOT = Token("DOT", 10)


@pytest.mark.parametrize(
    ("number", "token", "text"),
    [
        (0, DOT, "0 DOT"),
        (1, DOT, "0.0000000001 DOT"),
        (10**10, DOT, "1 DOT"),
        (12_345 * 10**10 + 5 * 10**9, DOT, "12 345.5 DOT"),
        (2**128 - 1, DOT, "34 028 236 692 093 846 346 337 460 743.1768211455 DOT"),
        (1234, Token("WHOLE", 0), "1 234 WHOLE"),
        (10**17, None, "100 000 000 000 000 000"),
        (999, None, "999"),
    ],
)
def test_an_amount_is_exact(number, token, text):
    assert amount(number, token) == text
