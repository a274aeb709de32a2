"""Metadata of version 14: types, storage items and constants of a runtime.

The format is frame-metadata's `v14` with scale-info's types, in SCALE. Most of it is skipped: decoding everything would take a second
and a hundred megabytes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from staking_gateway.chain.scale import blob, compact, many, maybe, skip_text, skip_texts, text

_COMPOSITE, _VARIANT, _SEQUENCE, _ARRAY, _TUPLE, _PRIMITIVE, _COMPACT, _BITS = range(8)
_BOOL = 0
_UNSIGNED = {3: 1, 4: 2, 5: 4, 6: 8, 7: 16, 8: 32}
"""Sizes of the primitives u8 to u256, in bytes."""
_HASHERS = ("Blake2_128", "Blake2_256", "Blake2_128Concat", "Twox128", "Twox256", "Twox64Concat", "Identity")
_DEEPEST, _MOST_VALUES = 16, 1000


class Item(NamedTuple):
    """A storage item.

    :param kind: type number of the value; None for a map.
    :param default: encoded default value, or None.
    :param hashers: names of a map's hashers.
    """

    kind: int | None
    default: bytes | None
    hashers: tuple[str, ...] = ()


class Constant(NamedTuple):
    """A constant: type number and encoded value."""

    kind: int
    value: bytes


class Pallet(NamedTuple):
    """A pallet; its storage keys begin with the hash of `prefix`."""

    prefix: str
    items: dict[str, Item]
    constants: dict[str, Constant]


class Metadata14:
    """The metadata of a runtime.

    :param raw: the answer to `state_getMetadata`, as bytes.
    :raises ValueError: the bytes are not metadata, or have a wrong length.
    """

    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        self._left = 0
        self.pallets: dict[str, Pallet] = {}
        try:
            self._types, at = _types(raw, 5)
            at = self._read_pallets(at)
            at = _extrinsic(raw, at)
            _, at = compact(raw, at)
        except IndexError:
            raise ValueError("it ends too early") from None
        if at != len(raw):
            raise ValueError(f"{len(raw)} bytes are not {at}")

    def decode(self, kind: int, data: bytes) -> Any:
        """A value of a type.

        :returns: an int or a bool; for a structure a dictionary or a tuple; for an enumeration a word, or a dictionary with the word as
            its only key when it holds fields.
        :raises ValueError: invalid bytes, or a type that eras and elections do not use.
        """
        self._left = _MOST_VALUES
        try:
            value, end = self._value(kind, data, 0, _DEEPEST)
        except IndexError:
            raise ValueError(f"{len(data)} bytes are too few") from None
        if end != len(data):
            raise ValueError(f"{len(data)} bytes are not {end}")
        return value

    # --- values --------------------------------------------------------------------------------------------------------

    def _value(self, kind: int, data: bytes, at: int, depth: int) -> tuple[Any, int]:
        raw, definition = self._raw, self._types.get(kind)
        if definition is None or depth == 0:
            raise ValueError(f"type {kind} {'is not described' if definition is None else 'holds itself'}")
        self._left -= 1
        if self._left < 0:  # a few hundred bytes can describe an endless value
            raise ValueError(f"type {kind} holds too much")
        form, definition = raw[definition], definition + 1
        if form == _PRIMITIVE:
            return _primitive(raw[definition], data, at)
        if form == _COMPACT:
            return compact(data, at)
        if form == _COMPOSITE:
            return self._fields(_fields(raw, definition)[0], data, at, depth)
        if form == _VARIANT:
            return self._variant(definition, data, at, depth)
        if form == _TUPLE:
            kinds, _ = many(raw, definition, compact)
            return self._fields([("", kind) for kind in kinds], data, at, depth)
        raise ValueError(f"type {kind} is not read here")

    def _fields(self, fields: list[tuple[str, int]], data: bytes, at: int, depth: int) -> tuple[Any, int]:
        values = []
        for _, kind in fields:
            value, at = self._value(kind, data, at, depth - 1)
            values.append(value)
        names = [name for name, _ in fields]
        if names and all(names):
            return dict(zip(names, values, strict=True)), at
        return values[0] if len(values) == 1 else tuple(values), at

    def _variant(self, definition: int, data: bytes, at: int, depth: int) -> tuple[Any, int]:
        variants, _ = many(self._raw, definition, _one_variant)
        for name, fields, number in variants:
            if number == data[at]:
                if not fields:
                    return name, at + 1
                value, at = self._fields(fields, data, at + 1, depth)
                return {name: value}, at
        raise ValueError(f"{data[at]} is none of {', '.join(name for name, *_ in variants)}")

    # --- the metadata --------------------------------------------------------------------------------------------------

    def _read_pallets(self, at: int) -> int:
        raw = self._raw
        count, at = compact(raw, at)
        for _ in range(count):
            name, at = text(raw, at)
            (prefix, items), at = maybe(raw, at, _storage, ("", {}))
            for _ in ("calls", "events"):
                _, at = maybe(raw, at, compact, None)
            constants, at = many(raw, at, _constant)
            _, at = maybe(raw, at, compact, None)  # errors
            at += 1  # index of the pallet
            self.pallets[name] = Pallet(prefix, items, dict(constants))
        return at


def _primitive(which: int, data: bytes, at: int) -> tuple[Any, int]:
    if which == _BOOL and data[at] <= 1:
        return bool(data[at]), at + 1
    size = _UNSIGNED.get(which)
    if size is None:
        raise ValueError(f"primitive {which} is not read here")
    if at + size > len(data):
        raise IndexError
    return int.from_bytes(data[at : at + size], "little"), at + size


def _field(raw: bytes, at: int) -> tuple[tuple[str, int], int]:
    name, at = maybe(raw, at, text, "")
    kind, at = compact(raw, at)
    _, at = maybe(raw, at, blob, None)  # the type's name in the source
    return (name, kind), skip_texts(raw, at)


def _fields(raw: bytes, at: int) -> tuple[list[tuple[str, int]], int]:
    return many(raw, at, _field)


def _one_variant(raw: bytes, at: int) -> tuple[tuple[str, list[tuple[str, int]], int], int]:
    name, at = text(raw, at)
    fields, at = _fields(raw, at)
    return (name, fields, raw[at]), skip_texts(raw, at + 1)


def _item(raw: bytes, at: int) -> tuple[tuple[str, Item], int]:
    name, at = text(raw, at)
    optional, plain = raw[at] == 0, raw[at + 1] == 0
    if raw[at] > 1 or raw[at + 1] > 1:
        raise ValueError(f"{name} is neither a plain item nor a map")
    hashers: tuple[str, ...] = ()
    if plain:
        kind, at = compact(raw, at + 2)
    else:
        numbers, at = blob(raw, at + 2)
        hashers = tuple(_HASHERS[number] if number < len(_HASHERS) else "unknown" for number in numbers)
        _, at = compact(raw, at)  # the key's type
        kind, at = compact(raw, at)
    default, at = blob(raw, at)
    return (name, Item(kind if plain else None, None if optional else default, hashers)), skip_texts(raw, at)


def _storage(raw: bytes, at: int) -> tuple[tuple[str, dict[str, Item]], int]:
    prefix, at = text(raw, at)
    items, at = many(raw, at, _item)
    return (prefix, dict(items)), at


def _constant(raw: bytes, at: int) -> tuple[tuple[str, Constant], int]:
    name, at = text(raw, at)
    kind, at = compact(raw, at)
    value, at = blob(raw, at)
    return (name, Constant(kind, value)), skip_texts(raw, at)


def _extrinsic(raw: bytes, at: int) -> int:
    _, at = compact(raw, at)
    extensions, at = compact(raw, at + 1)
    for _ in range(extensions):
        _, at = blob(raw, at)
        for _ in ("type", "additional signed type"):
            _, at = compact(raw, at)
    return at


# --- types: most of the metadata, and nearly all skipped ----------------------------------------------------------------


def _types(raw: bytes, at: int) -> tuple[dict[int, int], int]:
    """The offset of each type's definition, and the offset behind the types."""
    begin: dict[int, int] = {}
    count, at = compact(raw, at)
    for _ in range(count):
        kind, at = compact(raw, at)
        at = skip_texts(raw, at)  # path
        parameters, at = compact(raw, at)
        for _ in range(parameters):
            at = skip_text(raw, at)
            _, at = maybe(raw, at, compact, None)
        begin[kind] = at
        at = skip_texts(raw, _skip_definition(raw, at))
    return begin, at


def _skip_definition(raw: bytes, at: int) -> int:
    form, at = raw[at], at + 1
    if form == _COMPOSITE:
        return _skip_fields(raw, at)
    if form == _VARIANT:
        variants, at = compact(raw, at)
        for _ in range(variants):
            at = _skip_fields(raw, skip_text(raw, at))
            at = skip_texts(raw, at + 1)
        return at
    if form == _PRIMITIVE:
        return at + 1
    if form == _TUPLE:
        kinds, at = compact(raw, at)
        for _ in range(kinds):
            _, at = compact(raw, at)
        return at
    numbers = {_SEQUENCE: 1, _ARRAY: 1, _COMPACT: 1, _BITS: 2}.get(form)
    if numbers is None:
        raise ValueError(f"{form} is no form of a type")
    at += 4 * (form == _ARRAY)
    for _ in range(numbers):
        _, at = compact(raw, at)
    return at


def _skip_fields(raw: bytes, at: int) -> int:
    if raw[at] == 0:
        return at + 1
    fields, at = compact(raw, at)
    for _ in range(fields):
        at = skip_text(raw, at + 1) if raw[at] else at + 1
        _, at = compact(raw, at)
        at = skip_text(raw, at + 1) if raw[at] else at + 1
        at = skip_texts(raw, at)
    return at
