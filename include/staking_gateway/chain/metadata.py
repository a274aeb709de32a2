"""A runtime's metadata: under which keys its storage lies, and what the values look like.

Read are the versions 9 to 15 of frame-metadata, up to the last pallet. From 14 on, metadata describes each type (scale-info). Older metadata
names types only; `_OLD_TYPES` has those of eras.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from staking_gateway.chain import scale
from staking_gateway.chain.scale import blob, choice, compact, decode, many, maybe, number, row, struct, text, u8, u32

if TYPE_CHECKING:
    from staking_gateway.chain.scale import Decode, Reader

_VERSIONS = range(9, 16)
_DESCRIBED = 14
"""The first version that describes types."""
_TWOX, _BLAKE = "Twox64Concat", "Blake2_128Concat"
_HASHERS = ("Blake2_128", "Blake2_256", _BLAKE, "Twox128", "Twox256", _TWOX, "Identity")


def storage_key(prefix: str, item: str) -> str:
    """The key of a plain storage item: twox128(prefix) ++ twox128(item), 0x hex."""
    import xxhash

    halves = (xxhash.xxh64_intdigest(name.encode(), seed=seed) for name in (prefix, item) for seed in (0, 1))
    return "0x" + b"".join(half.to_bytes(8, "little") for half in halves).hex()


@dataclass(frozen=True)
class Item:
    """A storage item.

    :param kind: type of the value: a number, before metadata 14 a text.
    :param default: encoded default value, or None.
    :param hashers: one for each argument of a map; a plain item has none.
    """

    kind: Any
    default: bytes | None
    hashers: tuple[str, ...]


@dataclass(frozen=True)
class Pallet:
    """A pallet. The keys of its storage begin with the hash of `prefix`, which need not be its name.

    :param constants: type and encoded value.
    """

    prefix: str
    items: dict[str, Item]
    constants: dict[str, tuple[Any, bytes]]


class Metadata:
    """The metadata of one runtime.

    :param raw: the answer to `state_getMetadata`, as bytes.
    :raises ValueError: not metadata of a version that is read.
    """

    def __init__(self, raw: bytes) -> None:
        reader = scale.Reader(raw)
        if reader.take(4) != b"meta":
            raise ValueError("it is no metadata")
        self._version = version = reader.take(1)[0]
        if version not in _VERSIONS:
            raise ValueError(f"it has version {version}, and this package reads {_VERSIONS[0]} to {_VERSIONS[-1]}")
        described = version >= _DESCRIBED
        self._types: dict[int, dict[str, Any]] = {one["id"]: one["form"] for one in _TYPES(reader)} if described else {}
        self._decoders: dict[Any, Decode] = {}
        self.pallets = {one["name"]: self._pallet(one) for one in many(_pallet_of(version))(reader)}

    def _pallet(self, raw: dict[str, Any]) -> Pallet:
        stored = raw["storage"] or {"prefix": "", "items": []}
        items = {one["name"]: self._item(one) for one in stored["items"]}
        return Pallet(stored["prefix"], items, {one["name"]: (one["kind"], one["value"]) for one in raw["constants"]})

    def _item(self, raw: dict[str, Any]) -> Item:
        ((form, entry),) = raw["entry"].items()
        default = raw["default"] if raw["modifier"] else None
        if form == "plain":
            return Item(entry, default, ())
        names = _HASHERS if self._version > _VERSIONS[0] else _HASHERS[:2] + _HASHERS[3:6]
        hashers = entry["hashers"] + entry.get("more_hashers", b"")
        return Item(entry["value"], default, tuple(names[one] if one < len(names) else "unknown" for one in hashers))

    # --- keys ---------------------------------------------------------------------------------------------------------

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

    # --- values -------------------------------------------------------------------------------------------------------

    def decode(self, kind: Any, raw: bytes) -> Any:
        """A value of a type.

        :returns: a number, a bool, a text or bytes; a list; for a structure a dictionary or a tuple; for an enumeration see `choice`.
        :raises ValueError: the bytes are no such value, or the type is not described.
        """
        return decode(partial(self._value, kind), raw)

    def constant(self, pallet: str, name: str) -> Any:
        """A constant; None when the runtime has none of this name.

        :raises ValueError: it cannot be read.
        """
        found = self.pallets.get(pallet)
        constant = found.constants.get(name) if found is not None else None
        return None if constant is None else self.decode(*constant)

    def _value(self, kind: Any, reader: Reader) -> Any:
        if kind not in self._decoders:
            self._decoders[kind] = self._decoder(kind)
        return self._decoders[kind](reader)

    def _decoder(self, kind: Any) -> Decode:
        """The function that reads a type. It finds the types inside when it reads them, because types may hold themselves."""
        if self._version < _DESCRIBED:
            return _old_type(kind)
        if kind not in self._types:
            raise ValueError(f"type {kind} is not described")
        ((form, content),) = self._types[kind].items()
        decoder: Decode = getattr(self, f"_{form}")(content)
        return decoder

    def _composite(self, fields: list[dict[str, Any]]) -> Decode:
        inner = [partial(self._value, one["kind"]) for one in fields]
        names = [one["name"] for one in fields]
        if names and all(names):
            return struct(**dict(zip(names, inner, strict=True)))
        return inner[0] if len(inner) == 1 else row(*inner)

    def _tuple(self, kinds: list[int]) -> Decode:
        return self._composite([{"name": None, "kind": one} for one in kinds])

    def _variant(self, variants: list[dict[str, Any]]) -> Decode:
        holding = {one["index"]: self._composite(one["fields"]) for one in variants if one["fields"]}
        return choice({one["index"]: (one["name"], holding.get(one["index"])) for one in variants})

    def _sequence(self, inner: int) -> Decode:
        return blob if self._is_byte(inner) else many(partial(self._value, inner))

    def _array(self, content: tuple[int, int]) -> Decode:
        size, inner = content
        if self._is_byte(inner):
            return scale.exactly(size)
        return lambda reader: [self._value(inner, reader) for _ in range(size)]

    def _compact(self, inner: int) -> Decode:
        del inner
        return compact

    def _bits(self, content: tuple[int, int]) -> Decode:
        """A bit sequence, in units of its store: u8 to u64."""
        size = 2 ** (self._types[content[0]]["primitive"] - _U8)
        return lambda reader: reader.take(-(-compact(reader) // (8 * size)) * size)

    def _primitive(self, which: int) -> Decode:
        if which not in _PRIMITIVES:
            raise ValueError(f"{which} is no primitive type")
        return _PRIMITIVES[which]

    def _is_byte(self, kind: int) -> bool:
        return self._types.get(kind) == {"primitive": _U8}


def _hashed(hasher: str, argument: bytes) -> str:
    """An argument of a map's key behind its hash, in hex digits."""
    import xxhash

    if hasher == _TWOX:
        digest = xxhash.xxh64_intdigest(argument).to_bytes(8, "little")
    else:
        digest = blake2b(argument, digest_size=16).digest()
    return (digest + argument).hex()


# --- the layout of metadata --------------------------------------------------------------------------------------------


def _skipped(reader: Reader) -> None:
    """Texts without use, such as documentation: half of the metadata."""
    for _ in range(scale.count(reader)):
        reader.take(compact(reader))


_FIELD = struct(name=maybe(text), kind=compact, source=maybe(blob), docs=_skipped)
_FORM = choice(
    {
        0: ("composite", many(_FIELD)),
        1: ("variant", many(struct(name=text, fields=many(_FIELD), index=u8, docs=_skipped))),
        2: ("sequence", compact),
        3: ("array", row(u32, compact)),
        4: ("tuple", many(compact)),
        5: ("primitive", u8),
        6: ("compact", compact),
        7: ("bits", row(compact, compact)),
    }
)
_PARAMETER = struct(name=text, kind=maybe(compact))
_TYPES = many(struct(id=compact, path=_skipped, parameters=many(_PARAMETER), form=_FORM, docs=_skipped))
_CALL = struct(name=text, arguments=many(row(text, text)), docs=_skipped)
_EVENT = struct(name=text, arguments=_skipped, docs=_skipped)


def _pallet_of(version: int) -> Decode:
    """The layout of a pallet in a version of metadata."""
    if version >= _DESCRIBED:
        kind: Decode = compact
        calls, events, errors = maybe(compact), maybe(compact), maybe(compact)
        entries: dict[int, tuple[str, Decode | None]] = {
            0: ("plain", compact),
            1: ("map", struct(hashers=blob, key=compact, value=compact)),
        }
    else:
        kind, calls, events, one = text, maybe(many(_CALL)), maybe(many(_EVENT)), scale.exactly(1)
        errors = many(row(text, _skipped))
        entries = {
            0: ("plain", text),
            1: ("map", struct(hashers=one, key=text, value=text, unused=u8)),
            2: ("map", struct(hashers=one, key=text, key2=text, value=text, more_hashers=one)),
            3: ("map", struct(keys=_skipped, hashers=blob, value=text)),
        }
    item = struct(name=text, modifier=u8, entry=choice(entries), default=blob, docs=_skipped)
    end = {"index": u8} if version >= 12 else {}
    if version >= 15:
        end["docs"] = _skipped
    return struct(
        name=text,
        storage=maybe(struct(prefix=text, items=many(item))),
        calls=calls,
        events=events,
        constants=many(struct(name=text, kind=kind, value=blob, docs=_skipped)),
        errors=errors,
        **end,
    )


# --- types ---------------------------------------------------------------------------------------------------------------

_U8 = 3
_PRIMITIVES: dict[int, Decode] = {
    0: scale.flag,
    1: u32,  # char
    2: text,
    **{_U8 + at: number(2**at) for at in range(6)},
    **{9 + at: number(2**at, signed=True) for at in range(6)},
}
_OLD_TYPES = {
    **dict.fromkeys(("u32", "BlockNumber", "EraIndex", "SessionIndex"), u32),
    **dict.fromkeys(("u64", "Moment"), scale.u64),
    "u128": scale.u128,
}


def _old_type(name: str) -> Decode:
    """A type of the years before metadata 14, from pallet-staking."""
    layout = _OLD_TYPES.get(name.removeprefix("T::"))
    if layout is None:
        raise ValueError(f"metadata older than version 14 does not describe type {name[:40]!r}")
    return layout
