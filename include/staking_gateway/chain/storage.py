"""Storage keys, and decoders for items that are read without metadata.

A key is twox128(pallet) ++ twox128(item), followed by the hashed arguments of a map's entry. The layouts come from pallet-staking.
Decoders raise ValueError for bytes of another layout, and for invalid times.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta, timezone
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from staking_gateway.chain.scale import Reader
from staking_gateway.types import ElectionWindow

if TYPE_CHECKING:
    from collections.abc import Sequence

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
ACTIVE_ERA = "0x5f3e4907f716ac89b6347d15ececedca487df464e44a534ba6b0cbb32407b587"
"""Staking.ActiveEra: u32 index, then Option<u64> start in milliseconds since 1970."""
ERA_ELECTION_STATUS = "0x5f3e4907f716ac89b6347d15ececedcae1791577e4efcb083fdc3cb21e85b2e4"
"""Staking.EraElectionStatus: 0 for Close, 1 and a block number for Open."""
MULTI_PHASE = "0xede8e4fdc3c8b556f0ce2f77fc2575e3d9764401941df7f707a47ba7db64a6ea"
"""ElectionProviderMultiPhase.CurrentPhase; its presence only hints at the family."""
MULTI_BLOCK = "0xb4033c147baa712e4c2772a8afe0f1a9d9764401941df7f707a47ba7db64a6ea"
"""MultiBlockElection.CurrentPhase; its presence only hints at the family."""
EVENTS = "0x26aa394eea5630e07c48ae0c9558cef780d41e5e16056765bc8461851072c9d7"
"""System.Events: the events of the block."""
NOW = "0xf0c365c3cf59d671eb72da0e7a4113c49f1f0515f462cdcf84e0f1d6045dfcbb"
"""Timestamp.Now: u64 milliseconds since 1970."""
TWOX, BLAKE = "Twox64Concat", "Blake2_128Concat"
OLD_MAPS = {
    ("Staking", "ErasRewardPoints"): (TWOX,),
    ("Staking", "ErasValidatorReward"): (TWOX,),
    ("Staking", "Bonded"): (TWOX,),
    ("Staking", "Ledger"): (BLAKE,),
    ("Staking", "Nominators"): (TWOX,),
    ("ValidatorsManager", "ProxyNonces"): (BLAKE,),
    ("AvnProxy", "PaymentNonces"): (BLAKE,),
}
"""Hashers of pallet-staking 2.0 to 3.0, and of the AvN pallets in the same runtimes."""
OLD_HISTORY_DEPTH = 84
"""Default of `Staking.HistoryDepth` in those runtimes."""


def key(prefix: str, item: str) -> str:
    """The key of a plain storage item. The prefix is usually the name of the pallet."""
    import xxhash

    halves = (xxhash.xxh64_intdigest(name.encode(), seed=seed) for name in (prefix, item) for seed in (0, 1))
    return "0x" + b"".join(half.to_bytes(8, "little") for half in halves).hex()


def map_key(prefix: str, item: str, hashers: Sequence[str], arguments: Sequence[bytes]) -> str | None:
    """The key of a map's entry.

    :param hashers: the hasher of each argument.
    :param arguments: the encoded arguments.
    :returns: None when the numbers differ, or a hasher is unknown.
    """
    if len(hashers) != len(arguments) or not set(hashers) <= {TWOX, BLAKE}:
        return None
    import xxhash

    found = key(prefix, item)
    for hasher, argument in zip(hashers, arguments, strict=True):
        if hasher == TWOX:
            digest = xxhash.xxh64_intdigest(argument).to_bytes(8, "little")
        else:
            digest = blake2b(argument, digest_size=16).digest()
        found += (digest + argument).hex()
    return found


def old_map_key(pallet: str, item: str, *arguments: bytes) -> str | None:
    """The key of a map's entry in a runtime with `Staking.EraElectionStatus`; None when there is no such map."""
    hashers = OLD_MAPS.get((pallet, item))
    return map_key(pallet, item, hashers, arguments) if hashers else None


def decode_active_era(raw: bytes) -> tuple[int, datetime | None]:
    """Index and start of the active era, from an `ActiveEraInfo`."""
    if len(raw) == 5 and raw[4] == 0:
        return decode_number(raw[:4]), None
    if len(raw) == 13 and raw[4] == 1:
        return decode_number(raw[:4]), decode_moment(raw[5:])
    raise ValueError(f"{len(raw)} bytes are not an active era")


def decode_election_status(raw: bytes | None) -> tuple[ElectionWindow, str]:
    """The window and its name, from an `ElectionStatus`. The default, None, is Close."""
    if raw is None or raw == b"\x00":
        return ElectionWindow.CLOSED, "Close"
    if len(raw) in (5, 9) and raw[0] == 1:  # block numbers have 32 bits, on some chains 64
        return ElectionWindow.OPEN, "Open"
    raise ValueError(f"{len(raw)} bytes are not an election status")


def decode_moment(raw: bytes) -> datetime:
    """The time of a `Timestamp.Now`."""
    if len(raw) != 8:
        raise ValueError(f"{len(raw)} bytes are not a moment")
    milliseconds = int.from_bytes(raw, "little")
    try:
        return _EPOCH + timedelta(milliseconds=milliseconds)
    except OverflowError:
        raise ValueError(f"{milliseconds} ms is not a valid time") from None


# --- the records of payouts --------------------------------------------------------------------------------------------


class ClaimedEras(NamedTuple):
    """Stash and claimed eras of a `StakingLedger`."""

    stash: bytes
    claimed: list[int]


def encode_number(number: int) -> bytes:
    """A u32."""
    return number.to_bytes(4, "little")


def decode_number(raw: bytes) -> int:
    """A u32."""
    if len(raw) != 4:
        raise ValueError(f"{len(raw)} bytes are not a u32")
    return int.from_bytes(raw, "little")


def decode_balance(raw: bytes) -> int:
    """A u128 amount, in the smallest unit."""
    if len(raw) != 16:
        raise ValueError(f"{len(raw)} bytes are not a u128")
    return int.from_bytes(raw, "little")


def decode_reward_points(raw: bytes) -> list[bytes]:
    """The stashes with points, from an `EraRewardPoints`: a u32 total and a map of 32-byte accounts to u32."""
    count, at = _count(raw, 4, size=36)
    entries = [raw[start : start + 36] for start in range(at, at + 36 * count, 36)]
    return [entry[:32] for entry in entries if any(entry[32:])]


def decode_ledger(raw: bytes) -> ClaimedEras:
    """A `StakingLedger` with claimed eras: stash, two compact balances, unlocking chunks, Vec<u32>.

    Runtimes with `ClaimedRewards` may have ledgers without the list.
    """
    reader = Reader(raw)
    try:
        stash = reader.take(32)
        for _ in ("total", "active"):
            reader.compact()
        for _ in range(reader.count()):  # unlocking chunks: an amount and an era each
            reader.compact()
            reader.compact()
    except IndexError:
        raise ValueError(f"{len(raw)} bytes are not a ledger") from None
    return ClaimedEras(stash, decode_numbers(raw, reader.at))


def decode_page_count(raw: bytes) -> int:
    """The number of pages, from a `PagedExposureMetadata`: compact total and own stake, u32 nominators, u32 pages.

    A validator without nominators has one page, for its own stake.
    """
    reader = Reader(raw)
    try:
        reader.compact()
        own = reader.compact()
        reader.take(4)
        pages = decode_number(reader.take(4))
    except IndexError:
        raise ValueError(f"{len(raw)} bytes are not an exposure") from None
    if reader.at != len(raw):
        raise ValueError(f"{len(raw)} bytes are not an exposure")
    return pages or int(own > 0)


def decode_numbers(raw: bytes, at: int = 0) -> list[int]:
    """A Vec<u32> at the end of the bytes."""
    count, at = _count(raw, at, size=4)
    return [decode_number(raw[start : start + 4]) for start in range(at, at + 4 * count, 4)]


def _count(raw: bytes, at: int, *, size: int) -> tuple[int, int]:
    """Number and offset of a list's entries. The bytes must end with the last entry."""
    reader = Reader(raw, at)
    with suppress(IndexError):
        count = reader.count()
        if len(raw) == reader.at + size * count:
            return count, reader.at
    raise ValueError(f"{len(raw)} bytes are not such a list")
