"""Metadata of version 14: types, storage items and constants of a runtime.

The format is frame-metadata's `v14` with scale-info's types, in SCALE. Most of it is skipped: decoding everything would take a second
and a hundred megabytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from staking_gateway.chain.description import Description
from staking_gateway.chain.scale import Reader
from staking_gateway.http import limits

if TYPE_CHECKING:
    from collections.abc import Iterator

_COMPOSITE, _VARIANT, _SEQUENCE, _ARRAY, _TUPLE, _PRIMITIVE, _COMPACT, _BITS = range(8)
_BOOL, _CHAR, _STR, _U8 = range(4)
_INTEGERS = {_CHAR: 4, _U8: 1, 4: 2, 5: 4, 6: 8, 7: 16, 8: 32, 9: 1, 10: 2, 11: 4, 12: 8, 13: 16, 14: 32}
"""Sizes of char, u8 to u256 and i8 to i256, in bytes."""
_FIRST_SIGNED = 9
_STORES = {_U8: 1, 4: 2, 5: 4, 6: 8}
"""Sizes of the stores of a bit sequence, in bytes."""

_Fields = list[tuple[str, int]]
"""Name, or an empty text, and type of each field."""


class _Definition(NamedTuple):
    """A type.

    :param form: its form.
    :param content: fields; fields of each variant with its name, by its number; the number of a primitive; the type of a sequence's
        entries; number and type of an array's entries; the type of a bit sequence's store.
    """

    form: int
    content: Any = None


class Metadata14(Description):
    """Metadata of version 14; see `Description`."""

    def _read(self) -> None:
        reader = self._reader
        self._offsets: dict[int, int] = {}
        self._definitions: dict[int, _Definition] = {}
        self._read_types()
        self._read_pallets()
        reader.compact()  # the extrinsic's type
        reader.byte()  # and version
        for _ in range(reader.count()):
            reader.skip_text()
            for _ in ("type", "additional signed type"):
                reader.compact()
        reader.compact()  # the runtime's type

    # --- values --------------------------------------------------------------------------------------------------------

    def entries(self, kind: int, data: bytes) -> Iterator[Any]:
        form, content = self._definition(kind)
        if form != _SEQUENCE:
            raise ValueError(f"type {kind} is no sequence")
        reader = Reader(data)
        self._parts_left = limits.EVENT_PARTS
        try:
            for _ in range(reader.count()):
                yield self._part(content, reader, limits.EVENT_DEPTH)
        except IndexError:
            raise ValueError(f"{len(data)} bytes are too few") from None
        if reader.at != len(data):
            raise ValueError(f"{len(data)} bytes are not {reader.at}")

    def _value(self, kind: int, data: Reader) -> Any:
        self._parts_left = limits.VALUE_PARTS
        return self._part(kind, data, limits.TYPE_DEPTH)

    def _part(self, kind: int, data: Reader, depth: int) -> Any:
        form, content = self._definition(kind)
        if depth == 0:
            raise ValueError(f"type {kind} holds itself")
        self._parts_left -= 1
        if self._parts_left < 0:
            raise ValueError(f"type {kind} holds too much")
        if form == _PRIMITIVE:
            return _primitive(content, data)
        if form == _COMPACT:
            return data.compact()
        if form in (_COMPOSITE, _TUPLE):
            return self._structure(content, data, depth)
        if form == _VARIANT:
            number = data.byte()
            if number not in content:
                raise ValueError(f"{number} is none of {', '.join(name for name, _ in content.values())}")
            name, fields = content[number]
            return {name: self._structure(fields, data, depth)} if fields else name
        if form == _BITS:
            return self._bits(content, data)
        inner = content if form == _SEQUENCE else content[1]
        if self._definition(inner) == (_PRIMITIVE, _U8):
            return data.take(data.compact() if form == _SEQUENCE else content[0])
        count = data.count() if form == _SEQUENCE else content[0]
        return [self._part(inner, data, depth - 1) for _ in range(count)]

    def _bits(self, store: int, data: Reader) -> bytes:
        form, content = self._definition(store)
        if form != _PRIMITIVE or content not in _STORES:
            raise ValueError(f"type {store} stores no bits")
        size = _STORES[content]
        return data.take(-(-data.compact() // (8 * size)) * size)

    def _structure(self, fields: _Fields, data: Reader, depth: int) -> Any:
        values = [self._part(kind, data, depth - 1) for _, kind in fields]
        names = [name for name, _ in fields]
        if names and all(names):
            return dict(zip(names, values, strict=True))
        return values[0] if len(values) == 1 else tuple(values)

    def _definition(self, kind: int) -> _Definition:
        """A type, parsed once: thousands of values may have it."""
        if kind not in self._definitions:
            if kind not in self._offsets:
                raise ValueError(f"type {kind} is not described")
            self._reader.at = self._offsets[kind]
            self._definitions[kind] = self._read_definition()
        return self._definitions[kind]

    def _read_definition(self) -> _Definition:
        reader = self._reader
        reader.entries_left = limits.METADATA_ENTRIES
        form = reader.byte()
        if form == _COMPOSITE:
            return _Definition(form, reader.many(self._field))
        if form == _TUPLE:
            return _Definition(form, [("", kind) for kind in reader.many(reader.compact)])
        if form == _PRIMITIVE:
            return _Definition(form, reader.byte())
        if form == _VARIANT:
            return _Definition(form, dict(reader.many(self._variant)))
        if form == _ARRAY:
            return _Definition(form, (int.from_bytes(reader.take(4), "little"), reader.compact()))
        return _Definition(form, reader.compact())  # a compact number's type is of no use

    def _field(self) -> tuple[str, int]:
        reader = self._reader
        name, kind = reader.maybe(reader.text) or "", reader.compact()
        reader.maybe(reader.skip_text)  # the type's name in the source
        reader.skip_texts()
        return name, kind

    def _variant(self) -> tuple[int, tuple[str, _Fields]]:
        reader = self._reader
        name, fields, number = reader.text(), reader.many(self._field), reader.byte()
        reader.skip_texts()
        return number, (name, fields)

    # --- pallets -------------------------------------------------------------------------------------------------------

    def _kind(self) -> int:
        return self._reader.compact()

    def _map(self, form: int) -> tuple[str, ...]:
        if form > 1:
            raise ValueError(f"{form} is neither a plain item nor a map")
        hashers = self._hasher_names(self._reader.blob())
        for _ in ("key", "value"):
            self._reader.compact()
        return hashers

    def _skip_calls(self) -> None:
        self._reader.compact()

    def _skip_events(self) -> None:
        self._reader.compact()

    def _skip_errors(self) -> None:
        self._reader.maybe(self._reader.compact)
        self._reader.byte()  # the pallet's index

    # --- types: most of the metadata, and nearly all skipped -----------------------------------------------------------

    def _read_types(self) -> None:
        """The offset of each type's definition."""
        reader = self._reader
        for _ in range(reader.count()):
            kind = reader.compact()
            reader.skip_texts()  # path
            for _ in range(reader.count()):  # parameters
                reader.skip_text()
                reader.maybe(reader.compact)
            self._offsets[kind] = reader.at
            _skip_definition(reader)
            reader.skip_texts()


def _primitive(which: int, data: Reader) -> Any:
    if which == _BOOL:
        flag = data.byte()
        if flag > 1:
            raise ValueError(f"{flag} is no flag")
        return bool(flag)
    if which == _STR:
        return data.text()
    size = _INTEGERS.get(which)
    if size is None:
        raise ValueError(f"{which} is no primitive type")
    return int.from_bytes(data.take(size), "little", signed=which >= _FIRST_SIGNED)


def _skip_definition(reader: Reader) -> None:
    form = reader.byte()
    if form == _COMPOSITE:
        _skip_fields(reader)
    elif form == _VARIANT:
        for _ in range(reader.count()):
            reader.skip_text()
            _skip_fields(reader)
            reader.at += 1  # index
            reader.skip_texts()
    elif form == _PRIMITIVE:
        reader.byte()
    elif form == _TUPLE:
        for _ in range(reader.count()):
            reader.compact()
    elif form in (_SEQUENCE, _ARRAY, _COMPACT, _BITS):
        reader.at += 4 * (form == _ARRAY)
        for _ in range(1 + (form == _BITS)):
            reader.compact()
    else:
        raise ValueError(f"{form} is no form of a type")


def _skip_fields(reader: Reader) -> None:
    raw = reader.raw
    if raw[reader.at] == 0:
        reader.at += 1
        return
    for _ in range(reader.count()):
        reader.at += 1
        if raw[reader.at - 1]:
            reader.skip_text()
        reader.compact()
        reader.at += 1
        if raw[reader.at - 1]:
            reader.skip_text()
        reader.skip_texts()
