"""Readers of SCALE, Substrate's encoding.

Each takes bytes and an offset, and returns the value and the offset behind it. All raise IndexError when the bytes end too early.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def compact(raw: bytes, at: int) -> tuple[int, int]:
    """A compact number."""
    mode = raw[at] & 3
    size = (1, 2, 4)[mode] if mode < 3 else 5 + (raw[at] >> 2)
    if at + size > len(raw):
        raise IndexError
    if mode == 3:
        return int.from_bytes(raw[at + 1 : at + size], "little"), at + size
    return int.from_bytes(raw[at : at + size], "little") >> 2, at + size


def blob(raw: bytes, at: int) -> tuple[bytes, int]:
    """Bytes with their length in front."""
    size, at = compact(raw, at)
    if at + size > len(raw):
        raise IndexError
    return raw[at : at + size], at + size


def text(raw: bytes, at: int) -> tuple[str, int]:
    """A text."""
    found, at = blob(raw, at)
    return found.decode(), at


def many(raw: bytes, at: int, read: Callable[[bytes, int], tuple[Any, int]]) -> tuple[list[Any], int]:
    """A list; `read` reads an entry."""
    count, at = compact(raw, at)
    found = []
    for _ in range(count):
        one, at = read(raw, at)
        found.append(one)
    return found, at


def maybe(raw: bytes, at: int, read: Callable[[bytes, int], tuple[Any, int]], otherwise: Any) -> tuple[Any, int]:
    """An option; `otherwise` when it is empty."""
    if raw[at] > 1:
        raise ValueError(f"{raw[at]} is no option")
    return read(raw, at + 1) if raw[at] else (otherwise, at + 1)


def skip_text(raw: bytes, at: int) -> int:
    """The offset behind a text or bytes. Metadata has tens of thousands of texts, so short lengths are read here."""
    size = raw[at]
    if not size & 3:
        return at + 1 + (size >> 2)
    size, at = compact(raw, at)
    return at + size


def skip_texts(raw: bytes, at: int) -> int:
    """The offset behind a list of texts."""
    if raw[at] == 0:
        return at + 1
    texts, at = compact(raw, at)
    for _ in range(texts):
        at = skip_text(raw, at)
    return at
