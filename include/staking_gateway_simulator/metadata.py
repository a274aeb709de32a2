"""Writes a runtime's metadata in version 14: the bytes that a node answers to `state_getMetadata`.

Types and pallets have the JSON form of polkadot-js, so published ones can be encoded too. The format is frame-metadata's `v14`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

T = TypeVar("T")
Json = dict[str, Any]

_PRIMITIVES = [
    "Bool", "Char", "Str", "U8", "U16", "U32", "U64", "U128", "U256", "I8", "I16", "I32", "I64", "I128", "I256",
]  # fmt: skip
_HASHERS = ["Blake2_128", "Blake2_256", "Blake2_128Concat", "Twox128", "Twox256", "Twox64Concat", "Identity"]
_DEFINITIONS = ["composite", "variant", "sequence", "array", "tuple", "primitive", "compact", "bitSequence"]
UNIT: Json = {"id": 0, "type": {"path": [], "params": [], "def": {"tuple": []}, "docs": []}}


# --- SCALE ---------------------------------------------------------------------------------------------------------------


def compact(number: int) -> bytes:
    if number < 1 << 6:
        return bytes([number << 2])
    if number < 1 << 14:
        return (number << 2 | 1).to_bytes(2, "little")
    if number < 1 << 30:
        return (number << 2 | 2).to_bytes(4, "little")
    size = (number.bit_length() + 7) // 8
    return bytes([(size - 4) << 2 | 3]) + number.to_bytes(size, "little")


def text(value: str) -> bytes:
    return compact(len(value.encode())) + value.encode()


def blob(value: bytes) -> bytes:
    return compact(len(value)) + value


def several(values: Sequence[T], encode: Callable[[T], bytes]) -> bytes:
    return compact(len(values)) + b"".join(map(encode, values))


def maybe(value: T | None, encode: Callable[[T], bytes]) -> bytes:
    return b"\0" if value is None else b"\1" + encode(value)


# --- metadata ------------------------------------------------------------------------------------------------------------


def _field(field: Json) -> bytes:
    name, type_name = maybe(field.get("name"), text), maybe(field.get("typeName"), text)
    return name + compact(field["type"]) + type_name + several([], text)


def _variant(variant: Json) -> bytes:
    fields = several(variant.get("fields", []), _field)
    return text(variant["name"]) + fields + bytes([variant["index"]]) + several([], text)


def _definition(definition: Json) -> bytes:
    ((kind, given),) = definition.items()
    encode: dict[str, Callable[[], bytes]] = {
        "composite": lambda: several(given["fields"], _field),
        "variant": lambda: several(given["variants"], _variant),
        "sequence": lambda: compact(given["type"]),
        "array": lambda: given["len"].to_bytes(4, "little") + compact(given["type"]),
        "tuple": lambda: several(given, compact),
        "primitive": lambda: bytes([_PRIMITIVES.index(given)]),
        "compact": lambda: compact(given["type"]),
        "bitSequence": lambda: compact(given["bitStoreType"]) + compact(given["bitOrderType"]),
    }
    return bytes([_DEFINITIONS.index(kind)]) + encode[kind]()


def _type(entry: Json) -> bytes:
    kind = entry["type"]
    params = several(kind["params"], lambda param: text(param["name"]) + maybe(param["type"], compact))
    return compact(entry["id"]) + several(kind["path"], text) + params + _definition(kind["def"]) + several([], text)


def _item(item: Json, kind_of: Callable[[int], bytes]) -> bytes:
    ((kind, given),) = item["type"].items()
    if kind == "plain":
        where = b"\0" + kind_of(given)
    elif kind_of is not compact:  # metadata 13: a map has one key, a value and a flag without meaning
        (hasher,) = given["hashers"]
        where = b"\1" + bytes([_HASHERS.index(hasher)]) + kind_of(given["key"]) + kind_of(given["value"]) + b"\0"
    else:
        hashers = several(given["hashers"], lambda hasher: bytes([_HASHERS.index(hasher)]))
        where = b"\1" + hashers + compact(given["key"]) + compact(given["value"])
    modifier = bytes([("Optional", "Default").index(item["modifier"])])
    fallback = blob(bytes.fromhex(item["fallback"].removeprefix("0x")))
    return text(item["name"]) + modifier + where + fallback + several([], text)


def _constant(constant: Json, kind_of: Callable[[int], bytes]) -> bytes:
    value = blob(bytes.fromhex(constant["value"].removeprefix("0x")))
    return text(constant["name"]) + kind_of(constant["type"]) + value + several([], text)


def encode_pallet(pallet: Json, kind_of: Callable[[int], bytes] = compact) -> bytes:
    """A pallet without calls, events and errors; `kind_of` encodes the number of a type."""

    def storage(given: Json) -> bytes:
        return text(given["prefix"]) + several(given["items"], lambda item: _item(item, kind_of))

    nothing = b"\0"
    return b"".join(
        (
            text(pallet["name"]),
            maybe(pallet.get("storage"), storage),
            nothing,  # calls
            nothing,  # events
            several(pallet.get("constants", []), lambda constant: _constant(constant, kind_of)),
            nothing,  # errors
            bytes([pallet["index"]]),
        )
    )


def metadata(types: Sequence[Json], pallets: Sequence[Json]) -> str:
    """The metadata as 0x hex."""
    extrinsic = compact(0) + b"\4" + several([], text)
    encoded = b"meta\x0e" + several(types, _type) + several(pallets, encode_pallet) + extrinsic + compact(0)
    return "0x" + encoded.hex()


# --- short forms ---------------------------------------------------------------------------------------------------------


def named(number: int, path: Sequence[str], definition: Json) -> Json:
    """A type by its number."""
    return {"id": number, "type": {"path": path, "params": [], "def": definition, "docs": []}}


def structure(**types: int) -> Json:
    """The definition of a structure with these fields."""
    return {"composite": {"fields": [{"name": name, "type": kind} for name, kind in types.items()]}}


def item(name: str, kind: int, fallback: str, modifier: str = "Default") -> Json:
    """A plain storage item."""
    return {"name": name, "modifier": modifier, "type": {"plain": kind}, "fallback": fallback}


def map_item(name: str, kind: int, *keys: int, hasher: str = "Twox64Concat") -> Json:
    """A map whose keys are hashed alike. Metadata 13 writes maps of one key only."""
    of_map = {"hashers": [hasher] * len(keys), "key": keys[0], "value": kind}
    return {"name": name, "modifier": "Optional", "type": {"map": of_map}, "fallback": "00"}
