"""A runtime's metadata, frame-metadata 9 to 15: under which keys its storage lies, and its events. scalecodec reads both, and values in storage."""

from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import blake2b
from typing import Any

_START = 5  # behind the magic word and the version
_DESCRIBED = 14
"""The first version that describes types, and the only one whose types the library reads."""
_TWOX, _BLAKE = "Twox64Concat", "Blake2_128Concat"
_FIRST = b"\x18System\x01\x18System"
"""How the first pallet of nearly every runtime begins: its name, and the prefix of its storage."""


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
    }
    found.update_type_registry({"types": types})
    return found


def decode(kind: str, raw: bytes, start: int | None = None, *, library: Any = None) -> Any:
    """The value of a type of the library that all of the bytes are, or that begins at a place in them; bytes and accounts are 0x hex. ValueError: none."""
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
    return f"0x{_twox(prefix.encode(), 0, 1)}{_twox(item.encode(), 0, 1)}"


def _twox(content: bytes, *seeds: int) -> str:
    import xxhash

    return "".join(xxhash.xxh64_intdigest(content, seed=seed).to_bytes(8, "little").hex() for seed in seeds)


@dataclass(frozen=True)
class Item:
    """A storage item: the prefix of its keys, which need not be its pallet's name, its encoded default, and its hashers."""

    prefix: str
    default: bytes | None
    hashers: tuple[str, ...]


class Metadata:
    """The metadata of one runtime: its pallets, and by pallet and name its storage items and encoded constants. ValueError: it cannot be read."""

    def __init__(self, raw: bytes) -> None:
        if raw[:4] != b"meta" or len(raw) < _START:
            raise ValueError("it is no metadata")
        self._raw, self._version = raw, raw[4]
        if not 9 <= self._version <= 15:
            raise ValueError(f"it has version {self._version}, and this package reads 9 to 15")
        pallets = _pallets(raw, self._version)
        self.pallets: list[str] = [pallet["name"] for pallet in pallets]
        self.items: dict[tuple[str, str], Item] = {}
        self.constants: dict[tuple[str, str], bytes] = {}
        for pallet in pallets:
            stored = pallet["storage"] or {"entries": []}
            for one in stored["entries"]:
                default = None if one["modifier"] == "Optional" else bytes.fromhex(one["default"][2:])
                self.items[pallet["name"], one["name"]] = Item(stored["prefix"], default, _hashers(one["type"]))
            for one in pallet["constants"]:
                self.constants[pallet["name"], one["name"]] = bytes.fromhex(one["value"][2:])

    def key(self, pallet: str, name: str, *arguments: bytes | int) -> str:
        """The storage key of a plain item, or of a map's entry. ValueError: no such item, or hashes that do not hold accounts and eras."""
        found = self.items.get((pallet, name))
        if found is None or len(found.hashers) != len(arguments) or not set(found.hashers) <= {_TWOX, _BLAKE}:
            raise ValueError(f"its runtime has no {pallet}.{name} of a known form")
        key = storage_key(found.prefix, name)
        for hasher, given in zip(found.hashers, arguments, strict=True):
            argument = given.to_bytes(4, "little") if isinstance(given, int) else given
            digest = _twox(argument, 0) if hasher == _TWOX else blake2b(argument, digest_size=16).hexdigest()
            key += digest + argument.hex()
        return key

    def events(self, raw: bytes) -> list[dict[str, Any]]:
        """The records of `System.Events`, as the library tells them; ValueError when they cannot be read."""
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


def _pallets(raw: bytes, version: int) -> Any:
    """The pallets, as the library tells them. It needs a second for the types before them: they are passed over where `_FIRST` shows their end."""
    if version < _DESCRIBED:
        return decode(f"Vec<ModuleMetadataV{version}>", raw, _START)
    kind, first = f"Vec<PalletMetadataV{version}>", raw.find(_FIRST)
    if first < 0:
        return decode(f"(PortableRegistry, {kind})", raw, _START)[1]
    size_of_number = 2 if raw[first - 1] & 3 else 1  # the number of pallets stands before the first one
    return decode(kind, raw, first - size_of_number)


def _hashers(kind: dict[str, Any]) -> tuple[str, ...]:
    ((form, entry),) = kind.items()
    if form == "Plain":
        return ()
    return tuple(entry.get("hashers") or [entry[name] for name in ("hasher", "key2_hasher") if name in entry])
