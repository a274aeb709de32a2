"""SCALE, the encoding of Substrate: small functions, each from a `Reader` to the value that stands next.

`struct`, `many`, `maybe` and `choice` make such functions from others. So a layout is written once, and reads like a type. Every function
raises ValueError for bytes of another layout.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Reader:
    """Bytes, read from front to back."""

    __slots__ = ("at", "raw")

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self.at = 0

    def take(self, size: int) -> bytes:
        """Bytes of a known length."""
        start, end = self.at, self.at + size
        if end > len(self.raw):
            raise ValueError(f"{len(self.raw)} bytes are too few")
        self.at = end
        return self.raw[start:end]


Decode = Callable[[Reader], Any]


def decode(layout: Decode, raw: bytes) -> Any:
    """The value of this layout that all of the bytes are.

    :raises ValueError: they are not.
    """
    reader = Reader(raw)
    try:
        value = layout(reader)
    except RecursionError:
        raise ValueError("the value is nested too deeply") from None
    if reader.at != len(raw):
        raise ValueError(f"{len(raw)} bytes are not {reader.at}")
    return value


def number(size: int, *, signed: bool = False) -> Decode:
    """A number of so many bytes."""
    return lambda reader: int.from_bytes(reader.take(size), "little", signed=signed)


def exactly(size: int) -> Decode:
    """So many bytes."""
    return lambda reader: reader.take(size)


u8, u32, u64, u128 = map(number, (1, 4, 8, 16))


def compact(reader: Reader) -> int:
    """A number whose first bits tell its length."""
    first = reader.take(1)[0]
    mode = first & 3
    if mode == 0:
        return first >> 2
    if mode == 3:
        return int.from_bytes(reader.take(4 + (first >> 2)), "little")
    rest = int.from_bytes(reader.take((0, 1, 3)[mode]), "little")
    return (rest << 8 | first) >> 2


def blob(reader: Reader) -> bytes:
    """Bytes with their length in front."""
    return reader.take(compact(reader))


def text(reader: Reader) -> str:
    """A text with its length in front."""
    return blob(reader).decode()


def flag(reader: Reader) -> bool:
    """A bool."""
    value = reader.take(1)[0]
    if value > 1:
        raise ValueError(f"{value} is no flag")
    return bool(value)


def count(reader: Reader) -> int:
    """The number of a list's entries, each of which has a byte or more."""
    found = compact(reader)
    if found > len(reader.raw) - reader.at:
        raise ValueError(f"{len(reader.raw)} bytes are too few")
    return found


def many(layout: Decode) -> Decode:
    """A list."""
    return lambda reader: [layout(reader) for _ in range(count(reader))]


def maybe(layout: Decode) -> Decode:
    """A value, or None."""
    return lambda reader: layout(reader) if flag(reader) else None


def struct(**fields: Decode) -> Decode:
    """Named fields: a dictionary."""
    parts = list(fields.items())
    return lambda reader: {name: layout(reader) for name, layout in parts}


def row(*fields: Decode) -> Decode:
    """Fields without names: a tuple."""
    return lambda reader: tuple([layout(reader) for layout in fields])


def choice(variants: dict[int, tuple[str, Decode | None]]) -> Decode:
    """An enumeration: the variant's name, or, when it holds a value, a dictionary with the name as its only key."""

    def read(reader: Reader) -> Any:
        index = reader.take(1)[0]
        if index not in variants:
            raise ValueError(f"{index} is none of {', '.join(name for name, _ in variants.values())}")
        name, layout = variants[index]
        return name if layout is None else {name: layout(reader)}

    return read
