"""What servers say is one line without what they were sent, and JSON of few levels."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from staking_gateway.http.foreign_text import LONGEST_TEXT, ForeignTexts, read_json, secrets_of_address
from staking_gateway.text import one_line, without_signatures

TOKEN, SIGNATURE = "Tk7-an+issued/token==", "0x" + "1a" * 64
TEXTS = ForeignTexts([TOKEN, "era", *secrets_of_address("https://h/hook/PathKey99?key=a%2Bb%2Fc%3DdEf9")])


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (f"refused: {TOKEN}!", "refused: (removed)!"),
        (TOKEN * 2, "(removed)(removed)"),
        ({"token": [TOKEN]}, '{"token": ["(removed)"]}'),
        (f"no\r\n{TOKEN}\x1b[31m\n", one_line("no\r\n(removed)\x1b[31m\n")),
        (f"bad {SIGNATURE}", "bad 0x... (removed)"),
        ("at /hook/PathKey99 or PathKey99", "at (removed) or (removed)"),
        ("a%2Bb%2Fc%3DdEf9 is a+b/c=dEf9", "(removed) is (removed)"),
        *((text, text) for text in ("era 7 is over", "0x" + "ab" * 32, "Tk7-", "", "ServerError: İ 時代")),
    ],
)
def test_a_secret_that_was_sent_is_removed_and_other_texts_stay(said, shown):
    made = TEXTS.clean(said)
    assert made.isprintable()
    assert made == shown
    assert TOKEN not in str(TEXTS.clean_answer([said, 7]))


@pytest.mark.parametrize("endless", ["x" * 1_000_000, TOKEN * 50_000, SIGNATURE * 7_000, [TOKEN] * 100])
def test_an_endless_text_is_cut(endless):
    assert len(TEXTS.clean(endless)) <= LONGEST_TEXT
    assert len(TEXTS.clean(endless, 20)) <= 20
    assert TOKEN[:8] not in TEXTS.clean(endless)


@given(st.integers(0, 300), st.integers(0, 300), st.booleans())
def test_a_signature_is_removed_whole_or_cut_wherever_it_stands(before, digits, prefixed):
    written = ("0x" if prefixed else "") + "a" * digits
    removed = digits >= (65 if prefixed else 96)
    assert without_signatures("." * before + written) == "." * before + ("0x... (removed)" if removed else written)


def test_json_of_few_levels_is_read():
    assert read_json(b"\xef\xbb\xbf[[7]]") == [[7]]
    for depth in (70, 100_000):
        with pytest.raises(ValueError, match="nested"):
            read_json(b"[" * depth + b"]" * depth)
