"""A runtime's metadata: storage items and constants of its pallets, and the encoding of their values.

All versions have the outline of frame-metadata; `metadata14` and `metadata9` read the differences.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, NamedTuple

from staking_gateway.chain.scale import Reader

if TYPE_CHECKING:
    from collections.abc import Iterator

_HASHERS = ("Blake2_128", "Blake2_256", "Blake2_128Concat", "Twox128", "Twox256", "Twox64Concat", "Identity")
_HEAD = 5
"""The bytes `meta` and the version."""


class Item(NamedTuple):
    """A storage item.

    :param kind: type of the value, a number or, before metadata 14, a text; None for a map.
    :param default: encoded default value, or None.
    :param hashers: names of a map's hashers.
    """

    kind: int | str | None
    default: bytes | None
    hashers: tuple[str, ...] = ()


class Constant(NamedTuple):
    """A constant: type, a number or a text, and encoded value."""

    kind: int | str
    value: bytes


class Pallet(NamedTuple):
    """A pallet; its storage keys begin with the hash of `prefix`."""

    prefix: str
    items: dict[str, Item]
    constants: dict[str, Constant]


class Description(ABC):
    """The metadata of a runtime. Time and memory are linear in its bytes.

    :param raw: the answer to `state_getMetadata`, as bytes.
    :raises ValueError: the bytes are not metadata, have a wrong length, or more entries than `limits.METADATA_ENTRIES`.
    """

    modifiers = 2
    """Number of modifiers of a storage item; the first is `Optional`."""
    hashers: tuple[str, ...] = _HASHERS
    """Names of the hashers, in their order."""

    def __init__(self, raw: bytes) -> None:
        self.pallets: dict[str, Pallet] = {}
        self._reader = Reader(raw, _HEAD)
        try:
            self._read()
        except IndexError:
            raise ValueError("it ends too early") from None
        if self._reader.at != len(raw):
            raise ValueError(f"{len(raw)} bytes are not {self._reader.at}")

    def decode(self, kind: int | str, data: bytes) -> Any:
        """A value of a type.

        :returns: an int, a bool, a text or bytes; a list; for a structure a dictionary or a tuple; for an enumeration a word, or a
            dictionary with the word as its only key when it holds fields.
        :raises ValueError: invalid bytes, or a type that is not described or not read here.
        """
        reader = Reader(data)
        try:
            value = self._value(kind, reader)
        except IndexError:
            raise ValueError(f"{len(data)} bytes are too few") from None
        if reader.at != len(data):
            raise ValueError(f"{len(data)} bytes are not {reader.at}")
        return value

    def entries(self, kind: Any, data: bytes) -> Iterator[Any]:
        """The entries of a sequence, one at a time, with the limits of events.

        :raises ValueError: invalid bytes, no sequence, more parts than `limits.EVENT_PARTS`, or metadata that does not describe types.
        """
        del data
        raise ValueError(f"metadata older than version 14 does not describe type {str(kind)[:40]!r}")

    @abstractmethod
    def _read(self) -> None:
        """Read everything behind the version."""

    @abstractmethod
    def _value(self, kind: Any, data: Reader) -> Any:
        """Read a value of a type."""

    @abstractmethod
    def _kind(self) -> int | str:
        """Read the name of a type."""

    @abstractmethod
    def _map(self, form: int) -> tuple[str, ...]:
        """Read hashers and types of a map; `form` is the number of its form, above 0."""

    @abstractmethod
    def _skip_calls(self) -> None: ...

    @abstractmethod
    def _skip_events(self) -> None: ...

    @abstractmethod
    def _skip_errors(self) -> None:
        """Skip a pallet's errors, and its index."""

    def _read_pallets(self) -> None:
        reader = self._reader
        for _ in range(reader.count()):
            name = reader.text()
            prefix, items = reader.maybe(self._storage) or ("", {})
            reader.maybe(self._skip_calls)
            reader.maybe(self._skip_events)
            constants = dict(reader.many(self._constant))
            self._skip_errors()
            self.pallets[name] = Pallet(prefix, items, constants)

    def _storage(self) -> tuple[str, dict[str, Item]]:
        return self._reader.text(), dict(self._reader.many(self._item))

    def _item(self) -> tuple[str, Item]:
        reader = self._reader
        name, modifier, form = reader.text(), reader.byte(), reader.byte()
        if modifier >= self.modifiers:
            raise ValueError(f"{name[:40]!r} is neither optional nor has a default")
        kind, hashers = (self._kind(), ()) if form == 0 else (None, self._map(form))
        default = reader.blob()
        reader.skip_texts()
        return name, Item(kind, default if modifier else None, hashers)

    def _hasher_names(self, numbers: bytes) -> tuple[str, ...]:
        return tuple(self.hashers[number] if number < len(self.hashers) else "unknown" for number in numbers)

    def _constant(self) -> tuple[str, Constant]:
        reader = self._reader
        name, constant = reader.text(), Constant(self._kind(), reader.blob())
        reader.skip_texts()
        return name, constant
