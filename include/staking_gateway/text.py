"""Text for people: counts, and what others wrote, fit to stand in a line of this program."""

from __future__ import annotations

import re

_SIGNATURE = re.compile(r"0[xX][0-9a-fA-F]{65,}|[0-9a-fA-F]{96,}")
_REMOVED = "0x... (removed)"


def one_line(text: str) -> str:
    """The text on one line: no line break with which it could pass for a line of its own in a log, no escape code for a
    terminal, nothing that turns the direction of writing, no lone half of a character.

    :returns: as many characters as before; what cannot be shown is a space or U+FFFD.
    """
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else " " if one.isspace() else "\ufffd" for one in text)


def without_signatures(text: str) -> str:
    """The text with every signature removed, also one that its sender has cut. Hashes and public keys (32 bytes) stay.

    Remove signatures before you shorten a text: a shortened signature may look like a hash.
    """
    return _SIGNATURE.sub(_REMOVED, text)


def count(number: int, what: str) -> str:
    """E.g. `1 era`, `3 eras`, `12 000 eras`."""
    return f"{number} {what}" if number == 1 else f"{number:,} {what}s".replace(",", " ")
