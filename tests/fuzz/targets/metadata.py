"""Metadata of the versions 9 to 14: a case is the answer's bytes."""

from staking_gateway.chain.metadata9 import Metadata9
from staking_gateway.chain.metadata14 import Metadata14
from tests.chain.metadata14 import (
    ACTIVE_ERA,
    PHASE,
    U32,
    U64,
    compact,
    item,
    metadata,
    old_runtime,
    pallet,
    small_runtime,
    text,
)
from tests.fuzz.runner import Target, said

HEAD = b"meta"
NAMES = ("Staking", "Babe", "Elections", "ParachainStaking", "", "System", "\u00e4", "x" * 70)
KINDS = ("u32", "u64", "EraIndex", "Vec<Null>", "[Null; 4294967295]", "T::Moment", "Phase<T::BlockNumber>", "", "u256")
KINDS += ("(u8, Vec<()>)", "Box<Self>")
HUGE = (compact(2**30 - 1), b"\xff" * 70, compact(100_001), compact(99_999), compact(16_383))


def target():
    heads = (HEAD + bytes([version]) for version in range(8, 16))
    tokens = (*HUGE, *map(text, KINDS), b"\0" * 40, b"\4", *heads)
    return Target("metadata", grow, read, tokens=tokens)


def grow(chance):
    version = chance.choice((9, 10, 11, 12, 13, 14, 14, 14))
    return HEAD + bytes([version]) + (_types_and_pallets(chance) if version == 14 else _older(chance))


def _older(chance):
    """Pallets as version 13 describes them; what older versions leave out is wrong there."""

    def one():
        items = [
            item(chance.choice(NAMES), chance.choice((U32, U64, PHASE, ACTIVE_ERA)), chance.randbytes(4).hex())
            for _ in range(chance.randrange(5))
        ]
        return pallet(chance.choice(NAMES), *items, Length=(chance.randrange(2**32), 4))

    return bytes.fromhex(old_runtime(*(one() for _ in range(chance.randrange(5))))[2:])[5:]


def _types_and_pallets(chance):
    count = chance.randrange(1, 12)

    def kind():
        return chance.randrange(count + 1)

    def fields():
        named = chance.random() < 0.5
        return [
            {"name": chance.choice(NAMES) if named else None, "type": kind()}
            for _ in range(chance.choice((0, 1, 2, 30)))
        ]

    def definition():
        variants = [
            {"name": chance.choice(NAMES), "index": chance.randrange(4), "fields": fields()}
            for _ in range(chance.randrange(4))
        ]
        return chance.choice(
            [
                {"composite": {"fields": fields()}},
                {"variant": {"variants": variants}},
                {"sequence": {"type": kind()}},
                {"array": {"len": 2**32 - 1, "type": kind()}},
                {"tuple": [kind() for _ in range(chance.choice((0, 1, 3, 200)))]},
                {"primitive": chance.choice(["Bool", "U8", "U32", "U128", "U256", "Str", "I8"])},
                {"compact": {"type": kind()}},
                {"bitSequence": {"bitStoreType": kind(), "bitOrderType": kind()}},
            ]
        )

    if chance.random() < 0.2:
        whole = small_runtime(
            pallet("Staking", item("ActiveEra", ACTIVE_ERA, "00"), Length=(6, 4)),
            pallet("E", item("CurrentPhase", PHASE, "00")),
        )
    else:
        types = [
            {"id": number, "type": {"path": [], "params": [], "def": definition(), "docs": []}}
            for number in range(count)
        ]
        items = [
            item(chance.choice(NAMES), kind(), chance.randbytes(chance.randrange(12)).hex())
            for _ in range(chance.randrange(5))
        ]
        whole = metadata(types, [pallet(chance.choice(NAMES), *items)])
    return bytes.fromhex(whole[2:])[5:]


def read(case):
    """Metadata is read to its last byte, and every default and constant is read as described; or it is refused."""
    if case[:4] != HEAD or len(case) < 5 or case[4] not in range(9, 15):
        return "not metadata"
    reader = Metadata14 if case[4] == 14 else Metadata9
    try:
        outcome = reader(case)
    except ValueError as error:
        return said(error)
    values = []
    for one in list(outcome.pallets.values())[:20]:
        described = [(found.kind, found.default) for found in one.items.values()]
        described += [(found.kind, found.value) for found in one.constants.values()]
        for kind, data in described[:20]:
            if kind is not None and data is not None:
                values += [_decoded(outcome, kind, data), _listed(outcome, kind, data)]
    return f"{case[4]} {sorted(set(values))[:3]}"


def _decoded(description, kind, data):
    try:
        return type(description.decode(kind, data)).__name__
    except ValueError as error:
        return said(error)


def _listed(description, kind, data):
    try:
        return f"{min(sum(1 for _ in description.entries(kind, data)), 3)} entries"
    except ValueError as error:
        return said(error)
