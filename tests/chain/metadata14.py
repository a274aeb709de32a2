"""Writes a runtime's metadata in version 14: the bytes a node answers to `state_getMetadata`.

A small runtime can be written in version 13 as well, which names its types instead of describing them.

Types and pallets are given in the JSON form polkadot-js prints them in, so real ones can be transcoded and small ones be written
by hand. What is encoded is frame-metadata's V14, field by field.
"""

_PRIMITIVES = [
    "Bool", "Char", "Str", "U8", "U16", "U32", "U64", "U128", "U256", "I8", "I16", "I32", "I64", "I128", "I256",
]  # fmt: skip
_HASHERS = ["Blake2_128", "Blake2_256", "Blake2_128Concat", "Twox128", "Twox256", "Twox64Concat", "Identity"]
_DEFINITIONS = ["composite", "variant", "sequence", "array", "tuple", "primitive", "compact", "bitSequence"]
_UNIT = {"id": 0, "type": {"path": [], "params": [], "def": {"tuple": []}, "docs": []}}


def compact(number):
    if number < 1 << 6:
        return bytes([number << 2])
    if number < 1 << 14:
        return (number << 2 | 1).to_bytes(2, "little")
    return (number << 2 | 2).to_bytes(4, "little")


def text(value):
    return compact(len(value.encode())) + value.encode()


def blob(value):
    return compact(len(value)) + value


def several(values, encode):
    return compact(len(values)) + b"".join(map(encode, values))


def maybe(value, encode):
    return b"\0" if value is None else b"\1" + encode(value)


def _field(field):
    name, type_name = maybe(field.get("name"), text), maybe(field.get("typeName"), text)
    return name + compact(field["type"]) + type_name + several([], text)


def _variant(variant):
    fields = several(variant.get("fields", []), _field)
    return text(variant["name"]) + fields + bytes([variant["index"]]) + several([], text)


def _definition(definition):
    ((kind, given),) = definition.items()
    encode = {
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


def _type(entry):
    kind = entry["type"]
    params = several(kind["params"], lambda param: text(param["name"]) + maybe(param["type"], compact))
    return compact(entry["id"]) + several(kind["path"], text) + params + _definition(kind["def"]) + several([], text)


def _item(item, kind_of):
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


def _constant(constant, kind_of):
    value = blob(bytes.fromhex(constant["value"].removeprefix("0x")))
    return text(constant["name"]) + kind_of(constant["type"]) + value + several([], text)


def _pallet(pallet, kind_of=compact):
    def storage(given):
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


def metadata(types, pallets):
    """The metadata as 0x hex."""
    extrinsic = compact(0) + b"\4" + several([], text)
    encoded = b"meta\x0e" + several(types, _type) + several(pallets, _pallet) + extrinsic + compact(0)
    return "0x" + encoded.hex()


# --- runtimes written by hand --------------------------------------------------------------------------------------------

U32, U64, PHASE, ERA, ACTIVE_ERA = 1, 2, 3, 4, 5
"""Types. A map's key and value may be described by any of them: its reader knows the bytes."""


def _named(id_, path, definition):
    return {"id": id_, "type": {"path": path, "params": [], "def": definition, "docs": []}}


def _fields(**types):
    return {"composite": {"fields": [{"name": name, "type": kind} for name, kind in types.items()]}}


def item(name, kind, fallback, modifier="Default"):
    return {"name": name, "modifier": modifier, "type": {"plain": kind}, "fallback": fallback}


def map_item(name, kind, *keys, hasher="Twox64Concat"):
    """A map whose keys are hashed alike. Metadata 13 writes maps of one key only."""
    of_map = {"hashers": [hasher] * len(keys), "key": keys[0], "value": kind}
    return {"name": name, "modifier": "Optional", "type": {"map": of_map}, "fallback": "00"}


def pallet(name, *items, **constants):
    """A pallet with plain items, and constants given as (number, bytes it takes)."""
    told = [
        {"name": key, "type": {4: U32, 8: U64}[size], "value": number.to_bytes(size, "little").hex()}
        for key, (number, size) in constants.items()
    ]
    return {"name": name, "index": len(name), "storage": {"prefix": name, "items": items}, "constants": told}


def small_runtime(*pallets, phases=("Off", "Signed")):
    """A runtime with these pallets. The variants of PHASE are words without a value."""
    variants = [{"name": name, "index": index} for index, name in enumerate(phases)]
    types = [
        _UNIT,
        _named(U32, [], {"primitive": "U32"}),
        _named(U64, [], {"primitive": "U64"}),
        _named(PHASE, ["pallet_election", "Phase"], {"variant": {"variants": variants}}),
        _named(ERA, ["pallet_parachain_staking", "EraInfo"], _fields(current=U32, first=U32, length=U32)),
        _named(ACTIVE_ERA, ["pallet_staking", "ActiveEraInfo"], _fields(index=U32, start=U64)),
    ]
    return metadata(types, pallets)


_NAMES = {U32: "u32", U64: "u64", PHASE: "ElectionPhase", ACTIVE_ERA: "ActiveEraInfo"}


def old_runtime(*pallets):
    """The same in metadata 13. The variants of PHASE are those the chains had then."""
    extrinsic = b"\4" + several([], text)
    encoded = several(pallets, lambda one: _pallet(one, lambda kind: text(_NAMES[kind])))
    return "0x" + (b"meta\x0d" + encoded + extrinsic).hex()
