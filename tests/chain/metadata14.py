"""Small runtimes written by hand, in the metadata of versions 14 and 13."""

from staking_gateway_simulator.metadata import (
    UNIT,
    blob,
    compact,
    encode_pallet,
    item,
    map_item,
    metadata,
    named,
    several,
    structure,
    text,
)

__all__ = [
    "avn_runtime",
    "blob",
    "compact",
    "item",
    "map_item",
    "metadata",
    "old_runtime",
    "pallet",
    "several",
    "small_runtime",
    "text",
]

U32, U64, PHASE, ERA, ACTIVE_ERA = 1, 2, 3, 4, 5
"""Types. A map's key and value may be described by any of them: its reader knows the bytes."""


def pallet(name, *items, **constants):
    """A pallet with plain items, and constants given as (number, bytes it takes)."""
    told = [
        {"name": key, "type": {4: U32, 8: U64}[size], "value": number.to_bytes(size, "little").hex()}
        for key, (number, size) in constants.items()
    ]
    return {"name": name, "index": len(name), "storage": {"prefix": name, "items": items}, "constants": told}


def small_runtime(*pallets):
    """A runtime with these pallets. The variants of PHASE are words without a value."""
    variants = [{"name": name, "index": index} for index, name in enumerate(("Off", "Signed"))]
    types = [
        UNIT,
        named(U32, [], {"primitive": "U32"}),
        named(U64, [], {"primitive": "U64"}),
        named(PHASE, ["pallet_election", "Phase"], {"variant": {"variants": variants}}),
        named(ERA, ["pallet_parachain_staking", "EraInfo"], structure(current=U32, first=U32, length=U32)),
        named(ACTIVE_ERA, ["pallet_staking", "ActiveEraInfo"], structure(index=U32, start=U64)),
    ]
    return metadata(types, pallets)


_NAMES = {U32: "u32", U64: "u64", PHASE: "ElectionPhase", ACTIVE_ERA: "ActiveEraInfo"}


def old_runtime(*pallets):
    """The same in metadata 13. The variants of PHASE are those the chains had then."""
    extrinsic = b"\4" + several([], text)
    encoded = several(pallets, lambda one: encode_pallet(one, lambda kind: text(_NAMES[kind])))
    return "0x" + (b"meta\x0d" + encoded + extrinsic).hex()


BLAKE = "Blake2_128Concat"


def avn_runtime(*more, status=True, prefix="Staking", describe=old_runtime):
    """A runtime like that of AvN's first chain: pallet-staking 2.0 with an election status, and proxied payouts; metadata 13.

    :param more: further pallets.
    :param status: whether it has the election status.
    :param prefix: that of the storage of the pallet Staking.
    """
    maps = [map_item(name, U32, U32) for name in ("ErasRewardPoints", "ErasValidatorReward", "Bonded", "Nominators")]
    items = [
        item("ActiveEra", ACTIVE_ERA, "00", "Optional"),
        item("CurrentEra", U32, "00", "Optional"),
        item("HistoryDepth", U32, "54000000"),
        *([item("EraElectionStatus", PHASE, "00")] if status else []),
    ]
    staking = pallet("Staking", *items, *maps, map_item("Ledger", U32, U32, hasher=BLAKE))
    staking["storage"]["prefix"] = prefix
    return describe(
        pallet("System", item("Events", U32, "00")),
        pallet("Timestamp", item("Now", U64, "00" * 8)),
        staking,
        pallet("ValidatorsManager", map_item("ProxyNonces", U64, U32, hasher=BLAKE)),
        pallet("AvnProxy", map_item("PaymentNonces", U64, U32, hasher=BLAKE)),
        *more,
    )
