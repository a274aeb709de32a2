"""Storage items that are read by their key alone, and their bytes.

A key is twox128(pallet) ++ twox128(item). The layouts are those of pallet-staking since its first release with these items.
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from staking_gateway.types import ElectionWindow

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
ACTIVE_ERA = "0x5f3e4907f716ac89b6347d15ececedca487df464e44a534ba6b0cbb32407b587"
"""Staking.ActiveEra: u32 index, then Option<u64> start in milliseconds since 1970."""
ERA_ELECTION_STATUS = "0x5f3e4907f716ac89b6347d15ececedcae1791577e4efcb083fdc3cb21e85b2e4"
"""Staking.EraElectionStatus: 0 for Close, 1 and a block number for Open."""
MULTI_PHASE = "0xede8e4fdc3c8b556f0ce2f77fc2575e3d9764401941df7f707a47ba7db64a6ea"
"""ElectionProviderMultiPhase.CurrentPhase; its presence is a hint only."""
MULTI_BLOCK = "0xb4033c147baa712e4c2772a8afe0f1a9d9764401941df7f707a47ba7db64a6ea"
"""MultiBlockElection.CurrentPhase; its presence is a hint only."""
NOW = "0xf0c365c3cf59d671eb72da0e7a4113c49f1f0515f462cdcf84e0f1d6045dfcbb"
"""Timestamp.Now: u64 milliseconds since 1970."""


def key(prefix: str, item: str) -> str:
    """The key of a plain storage item.

    :param prefix: the pallet's, which is its name unless its metadata says otherwise.
    """
    import xxhash

    halves = (xxhash.xxh64_intdigest(name.encode(), seed=seed) for name in (prefix, item) for seed in (0, 1))
    return "0x" + b"".join(half.to_bytes(8, "little") for half in halves).hex()


def decode_active_era(raw: bytes) -> tuple[int, datetime | None]:
    """Index and start of the active era.

    :raises ValueError: not the bytes of an `ActiveEraInfo`.
    """
    if len(raw) == 5 and raw[4] == 0:
        return int.from_bytes(raw[:4], "little"), None
    if len(raw) == 13 and raw[4] == 1:
        return int.from_bytes(raw[:4], "little"), moment(int.from_bytes(raw[5:], "little"))
    raise ValueError(f"{len(raw)} bytes are not an active era")


def decode_election_status(raw: bytes | None) -> tuple[ElectionWindow, str]:
    """The window, and the runtime's word for it. Nothing stored means the default, which is Close.

    :raises ValueError: not the bytes of an `ElectionStatus`.
    """
    if raw is None or raw == b"\x00":
        return ElectionWindow.CLOSED, "Close"
    if len(raw) in (5, 9) and raw[0] == 1:  # block numbers have 32 bits, on some chains 64
        return ElectionWindow.OPEN, "Open"
    raise ValueError(f"{len(raw)} bytes are not an election status")


def decode_moment(raw: bytes) -> datetime:
    """A `Timestamp.Now`.

    :raises ValueError: not 8 bytes, or no time of this calendar.
    """
    if len(raw) != 8:
        raise ValueError(f"{len(raw)} bytes are not a moment")
    return moment(int.from_bytes(raw, "little"))


def moment(milliseconds: int) -> datetime:
    """Milliseconds since 1970 as an aware time.

    :raises ValueError: beyond the year 9999.
    """
    return later(_EPOCH, milliseconds)


def later(start: datetime, milliseconds: int) -> datetime:
    """So much after a time.

    :raises ValueError: beyond the year 9999.
    """
    try:
        return start + timedelta(milliseconds=milliseconds)
    except OverflowError:
        raise ValueError(f"{milliseconds} ms is no time of this calendar") from None
