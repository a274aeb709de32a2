"""Numbers in sentences."""

from __future__ import annotations


def count(number: int, what: str) -> str:
    """E.g. `1 era`, `3 eras`, `12 000 eras`."""
    return f"{number} {what}" if number == 1 else f"{number:,} {what}s".replace(",", " ")
