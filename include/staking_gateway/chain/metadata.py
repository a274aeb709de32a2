"""A runtime's metadata: under which keys its storage lies, and its events. scalecodec reads both, and values in storage.

Read are the versions 9 to 15 of frame-metadata, up to the last pallet. From 14 on, metadata begins with a description of all types. The library
needs a second for it, and only events need it. So it is passed over here, and read for events.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import blake2b
from typing import Any

_VERSIONS = range(9, 16)
_START = 5
"""Where types, or in older versions pallets, begin: behind the magic word and the version."""
_DESCRIBED = 14
"""The first version that describes types, and the only one whose types the library reads."""
_TWOX, _BLAKE = "Twox64Concat", "Blake2_128Concat"
_EXPOSURE = {"total": "Compact<u128>", "own": "Compact<u128>", "nominators": "u32", "page_count": "u32"}
_LAYOUT = {
    "type": ("number", "*text", "*parameter", "form", "*text"),
    "parameter": ("text", "?number"),
    "field": ("?text", "number", "?text", "*text"),
    "variant": ("text", "*field", "byte", "*text"),
    "form 0": ("*field",),  # a structure
    "form 1": ("*variant",),  # an enumeration
    "form 2": ("number",),  # a sequence
    "form 3": ("byte", "byte", "byte", "byte", "number"),  # an array
    "form 4": ("*number",),  # a tuple
    "form 5": ("byte",),  # a primitive
    "form 6": ("number",),  # a compact number
    "form 7": ("number", "number"),  # a sequence of bits
}
"""The layout of a type in metadata (scale-info). `*` is a list, `?` a value or none."""


@cache
def _library() -> Any:
    """The library with the types of pallet-staking, as they are called in metadata before version 14."""
    from scalecodec.base import RuntimeConfigurationObject
    from scalecodec.type_registry import load_type_registry_preset

    found = RuntimeConfigurationObject()
    for preset in ("core", "legacy"):
        found.update_type_registry(load_type_registry_preset(preset))
    newer = [*found.get_decoder_class("PalletMetadataV14").type_mapping, ("docs", "Vec<Text>")]
    types = {
        "Bytes": "HexBytes",  # else bytes that are UTF-8 become a text
        "StorageHasherV9": {"type": "enum", "value_list": ["Blake2_128", "Blake2_256", "Twox128", "Twox256", _TWOX]},
        "PalletMetadataV15": {"type": "struct", "type_mapping": newer},
        "PagedExposureMetadata": {"type": "struct", "type_mapping": list(_EXPOSURE.items())},
    }
    found.update_type_registry({"types": types})
    return found


def decode(kind: str, raw: bytes, start: int | None = None, *, library: Any = None) -> Any:
    """The value of a type of the library that all of the bytes are, or that begins at a place in them.

    :returns: a number, a bool, a text, or bytes and accounts as 0x hex; a list or a tuple; for a structure a dictionary.
    :raises ValueError: they are no such value.
    """
    from scalecodec.base import ScaleBytes
    from scalecodec.exceptions import InvalidScaleTypeValueException, RemainingScaleBytesNotEmptyException

    data = ScaleBytes(raw)
    data.offset = start or 0
    try:
        return (library or _library()).create_scale_object(kind, data).decode(check_remaining=start is None)
    except (
        *(RemainingScaleBytesNotEmptyException, InvalidScaleTypeValueException),
        *(ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError),
    ) as error:
        raise ValueError(f"{len(raw)} bytes are no {kind}: {error}") from None


def storage_key(prefix: str, item: str) -> str:
    """The key of a plain storage item: twox128(prefix) ++ twox128(item), 0x hex."""
    import xxhash

    halves = (xxhash.xxh64_intdigest(name.encode(), seed=seed) for name in (prefix, item) for seed in (0, 1))
    return "0x" + b"".join(half.to_bytes(8, "little") for half in halves).hex()


@dataclass(frozen=True)
class Item:
    """A storage item.

    :param default: encoded default value, or None.
    :param hashers: one for each argument of a map; a plain item has none.
    """

    default: bytes | None
    hashers: tuple[str, ...]


@dataclass(frozen=True)
class Pallet:
    """A pallet. The keys of its storage begin with the hash of `prefix`, which need not be its name.

    :param constants: encoded values.
    """

    prefix: str
    items: dict[str, Item]
    constants: dict[str, bytes]


class Metadata:
    """The metadata of one runtime.

    :param raw: the answer to `state_getMetadata`, as bytes.
    :raises ValueError: not metadata of a version that is read.
    """

    def __init__(self, raw: bytes) -> None:
        if raw[:4] != b"meta" or len(raw) < _START:
            raise ValueError("it is no metadata")
        self._raw, self._version = raw, raw[4]
        if self._version not in _VERSIONS:
            raise ValueError(
                f"it has version {self._version}, and this package reads {_VERSIONS[0]} to {_VERSIONS[-1]}"
            )
        described = self._version >= _DESCRIBED
        start = _Types(raw).end() if described else _START
        pallets = decode(f"Vec<{'Pallet' if described else 'Module'}MetadataV{self._version}>", raw, start)
        self.pallets = {one["name"]: _pallet(one) for one in pallets}

    def item(self, pallet: str, name: str) -> Item | None:
        """A storage item; None when the runtime has no such item."""
        found = self.pallets.get(pallet)
        return found.items.get(name) if found is not None else None

    def key(self, pallet: str, name: str, *arguments: bytes) -> str | None:
        """The storage key of a plain item, or of a map's entry for encoded arguments.

        :returns: None when the runtime has no such item, or hashes its arguments in a way that does not hold them.
        """
        found = self.item(pallet, name)
        if found is None or len(found.hashers) != len(arguments) or not set(found.hashers) <= {_TWOX, _BLAKE}:
            return None
        key = storage_key(self.pallets[pallet].prefix, name)
        return key + "".join(map(_hashed, found.hashers, arguments))

    def events(self, raw: bytes) -> list[dict[str, Any]]:
        """The records of `System.Events`, as the library tells them.

        :raises ValueError: they cannot be read.
        """
        if self._version != _DESCRIBED:
            raise ValueError(f"metadata of version {self._version} does not describe events; version {_DESCRIBED} does")
        library, kind = self._described
        found: list[dict[str, Any]] = decode(kind, raw, library=library)
        return found

    @cached_property
    def _described(self) -> tuple[Any, str]:
        """The library with all types of the runtime, and the type of events. Takes a second and 70 MB."""
        from scalecodec.base import RuntimeConfigurationObject, ScaleBytes
        from scalecodec.type_registry import load_type_registry_preset

        library = RuntimeConfigurationObject()
        library.update_type_registry(load_type_registry_preset("core"))
        whole = library.create_scale_object("MetadataVersioned", ScaleBytes(self._raw))
        whole.decode()
        library.add_portable_registry(whole)
        return library, whole.get_metadata_pallet("System").get_storage_function("Events").get_value_type_string()


def _pallet(raw: dict[str, Any]) -> Pallet:
    stored = raw["storage"] or {"prefix": "", "entries": []}
    items = {one["name"]: Item(_default(one), _hashers(one["type"])) for one in stored["entries"]}
    constants = {one["name"]: bytes.fromhex(one["value"][2:]) for one in raw["constants"]}
    return Pallet(stored["prefix"], items, constants)


def _default(item: dict[str, Any]) -> bytes | None:
    return None if item["modifier"] == "Optional" else bytes.fromhex(item["default"][2:])


def _hashers(kind: dict[str, Any]) -> tuple[str, ...]:
    ((form, entry),) = kind.items()
    if form == "Plain":
        return ()
    return tuple(entry.get("hashers") or [entry[name] for name in ("hasher", "key2_hasher") if name in entry])


def _hashed(hasher: str, argument: bytes) -> str:
    """An argument of a map's key behind its hash, in hex digits."""
    import xxhash

    if hasher == _TWOX:
        digest = xxhash.xxh64_intdigest(argument).to_bytes(8, "little")
    else:
        digest = blake2b(argument, digest_size=16).digest()
    return (digest + argument).hex()


class _Types:
    """Passes over the types in metadata."""

    def __init__(self, raw: bytes) -> None:
        self._raw, self._at = raw, _START

    def end(self) -> int:
        """Where the pallets begin."""
        self._skip("*type")
        return self._at

    def _skip(self, part: str) -> None:
        if part[0] in "*?":
            for _ in range(self._number() if part[0] == "*" else self._take(1)[0]):
                self._skip(part[1:])
        elif part in _LAYOUT:
            for one in _LAYOUT[part]:
                self._skip(one)
        elif part == "form":
            self._skip(f"form {self._take(1)[0]}")
        elif part == "byte":
            self._take(1)
        elif part == "text":
            self._take(self._number())
        elif part == "number":
            self._number()
        else:
            raise ValueError(f"{part} of a type is not known")

    def _number(self) -> int:
        first = self._take(1)[0]
        if first & 3 == 3:
            raise ValueError("a number in a type is too large")
        return (int.from_bytes(self._take((0, 1, 3)[first & 3]), "little") << 8 | first) >> 2

    def _take(self, size: int) -> bytes:
        start, self._at = self._at, self._at + size
        if self._at > len(self._raw):
            raise ValueError(f"{len(self._raw)} bytes are too few")
        return self._raw[start : self._at]
