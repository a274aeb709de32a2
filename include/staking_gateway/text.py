"""Text for people: counts, amounts, eras, durations, and foreign text made safe for one line."""

import re
from collections.abc import Sequence
from datetime import timedelta
from itertools import dropwhile, groupby
from typing import NamedTuple

_NO_SECRET = re.compile(r"[A-Za-z][A-Za-z_ -]{0,23}|[\w.,:+ -]{0,12}|[0-9TZ.,:+ -]{1,40}", re.ASCII)
"""Words, short values, numbers and times. No key URI, no address with a password and no usual token has this form."""
_KEY = re.compile(r"(?=.{1,40}\Z)(?:[A-Za-z]+\d{0,4}|\d{1,4})(?:[_-](?:[A-Za-z]+\d{0,4}|\d{1,4}))*", re.ASCII)
"""Words, each with up to four digits, as in settings and in names of networks. No key and no usual token has this form."""
_SIGNATURE = re.compile(r"0[xX][0-9a-fA-F]{65,}|[0-9a-fA-F]{96,}")
SYMBOL = re.compile(r"[A-Za-z0-9]{1,12}\Z")
MAX_DECIMALS = 36


class Token(NamedTuple):
    """The token of a chain, e.g. `DOT`; it is 10 to the power of its decimals of the smallest unit."""

    symbol: str
    decimals: int


def one_line(text: str) -> str:
    """The text on one line, of the same length, safe for logs and terminals: line breaks are spaces, other unprintable characters U+FFFD."""
    return "".join(one if one.isprintable() else " " if one.isspace() else "\ufffd" for one in text)


def without_signatures(text: str) -> str:
    """The text without signatures, also truncated ones: remove them before you shorten a text. Hashes and public keys (32 bytes) stay."""
    return _SIGNATURE.sub("0x... (removed)", text)


def shown(value: object) -> str:
    """A text, or a value of YAML or JSON, for an error: short, printable, and never a possible key, token or address."""
    if isinstance(value, (dict, list)):
        return "a mapping" if isinstance(value, dict) else "a list"
    if value is None or isinstance(value, bool):
        return {None: "nothing", True: "true", False: "false"}[value]
    if isinstance(value, int) and value.bit_length() > 200:
        return "a huge integer"  # Python does not convert thousands of digits to text
    text = str(value)
    plain = _NO_SECRET.fullmatch(text) and len(text.split()) <= 3
    return repr(text) if plain else f"a text of {len(text)} characters"


def shown_key(key: str) -> str:
    """A key of a mapping for the path of an error: as it is, unless it may be a secret or move a terminal's cursor."""
    return key if _KEY.fullmatch(key) else shown(key)


def count(number: int, noun: str) -> str:
    """E.g. `1 era`, `3 eras`, `12 000 eras`."""
    return f"{number} {noun}" if number == 1 else f"{number:,} {noun}s".replace(",", " ")


def amount(number: int, token: Token | None) -> str:
    """A number of the smallest unit for people, exact, e.g. `1 234.5 DOT`, or without a token `12 345 000 000 000 planck`."""
    whole, rest = (number, 0) if token is None else divmod(number, 10**token.decimals)
    text = f"{whole:,}".replace(",", " ")
    if token is None:
        return f"{text} planck"
    fraction = f"{rest:0{token.decimals}}".rstrip("0") if rest else ""
    return f"{text}.{fraction} {token.symbol}" if fraction else f"{text} {token.symbol}"


def era_ranges(eras: Sequence[int], *, most: int = 5) -> str:
    """Eras in ascending order as ranges, e.g. `5, 7-8`. At most `most` ranges are listed; the eras of further ones are counted."""
    runs = [[era for _, era in run] for _, run in groupby(enumerate(eras), lambda one: one[1] - one[0])]
    listed = ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs[:most])
    rest = sum(map(len, runs[most:]))
    return f"{listed} and {rest} more" if rest else listed


def duration(length: timedelta) -> str:
    """A duration in its two largest units, e.g. `2d 3h` or `3d`; `0s` when negative."""
    seconds = length.total_seconds()
    if seconds < 1:
        return f"{seconds:.1f}s" if seconds > 0 else "0s"
    days, left = divmod(int(seconds), 86400)
    units = {"d": days, "h": left // 3600, "m": left // 60 % 60, "s": left % 60}
    largest = [f"{number}{unit}" for unit, number in dropwhile(lambda one: not one[1], units.items())][:2]
    return " ".join(one for one in largest if not one.startswith("0"))
