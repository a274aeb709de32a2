"""A reader of SCALE, Substrate's encoding, with a limit for what it reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from staking_gateway.http import limits

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class Reader:
    """Reads bytes from front to back. Every method raises IndexError when the bytes end too early.

    A list's number of entries is checked before an entry is read: no encoding here has entries without a byte, and all lists together
    have a limit. So time and memory are linear in the bytes.

    :param raw: the bytes.
    :param at: offset of the first byte to read.
    :ivar entries_left: number of entries that further lists may have.
    """

    def __init__(self, raw: bytes, at: int = 0) -> None:
        self.raw = raw
        self.at = at
        self.entries_left = limits.METADATA_ENTRIES

    def byte(self) -> int:
        self.at += 1
        return self.raw[self.at - 1]

    def take(self, size: int) -> bytes:
        """Bytes of a known length."""
        start, end = self.at, self.at + size
        if end > len(self.raw):
            raise IndexError
        self.at = end
        return self.raw[start:end]

    def compact(self) -> int:
        raw, at = self.raw, self.at
        mode = raw[at] & 3
        if mode == 0:  # most numbers
            self.at = at + 1
            return raw[at] >> 2
        size = (1, 2, 4)[mode] if mode < 3 else 5 + (raw[at] >> 2)
        if at + size > len(raw):
            raise IndexError
        self.at = at + size
        if mode == 3:
            return int.from_bytes(raw[at + 1 : at + size], "little")
        return int.from_bytes(raw[at : at + size], "little") >> 2

    def count(self) -> int:
        """The number of a list's entries.

        :raises ValueError: more than `entries_left`.
        """
        number = self.compact()
        if number > len(self.raw) - self.at:
            raise IndexError
        self.entries_left -= number
        if self.entries_left < 0:
            raise ValueError(f"its lists have more than {limits.METADATA_ENTRIES} entries")
        return number

    def blob(self) -> bytes:
        """Bytes with their length in front."""
        return self.take(self.compact())

    def text(self) -> str:
        return self.blob().decode()

    def many(self, read: Callable[[], T]) -> list[T]:
        """A list; `read` reads an entry."""
        return [read() for _ in range(self.count())]

    def maybe(self, read: Callable[[], T]) -> T | None:
        """An option; None when it is empty."""
        flag = self.byte()
        if flag > 1:
            raise ValueError(f"{flag} is no option")
        return read() if flag else None

    # Metadata has tens of thousands of texts, most of them short and all of them skipped.

    def skip_text(self) -> None:
        size = self.raw[self.at]
        if size & 3:
            size = self.compact()
            self.at += size
        else:
            self.at += 1 + (size >> 2)

    def skip_texts(self) -> None:
        if self.raw[self.at] == 0:
            self.at += 1
            return
        for _ in range(self.count()):
            self.skip_text()
