"""Metadata of the versions 9 to 13: storage items and constants of a runtime.

These versions name types, and do not describe them. This module has the types of eras and elections, from pallet-staking, pallet-babe,
pallet-timestamp and pallet-election-provider-multi-phase of those years. It has no general decoder: the names may describe endless values.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from staking_gateway.chain.description import Description

if TYPE_CHECKING:
    from staking_gateway.chain.scale import Reader

_VERSION_AT = 4
_SIZES = {
    "u8": 1,
    "u16": 2,
    "u32": 4,
    "u64": 8,
    "u128": 16,
    "BlockNumber": 4,
    "EraIndex": 4,
    "SessionIndex": 4,
    "Moment": 8,
}
"""Bytes of the types that are numbers."""
_PHASE = re.compile(r"Phase<(T::)?BlockNumber>|ElectionPhase")
_PHASES = ("Off", "Signed", "Unsigned", "Emergency")
_UNSIGNED_PHASE = 2
"""The phase with a flag and a block number."""
_HASHERS_9 = ("Blake2_128", "Blake2_256", "Twox128", "Twox256", "Twox64Concat")
_MAP, _DOUBLE_MAP, _N_MAP = 1, 2, 3


class Metadata9(Description):
    """Metadata of the versions 9 to 13; see `Description`."""

    modifiers = 3

    def _read(self) -> None:
        reader = self._reader
        self._version = reader.raw[_VERSION_AT]
        if self._version == 9:
            self.hashers = _HASHERS_9
        self._read_pallets()
        if self._version >= 11:
            reader.byte()  # the extrinsic's version
            reader.skip_texts()  # and its extensions

    def _value(self, kind: str, data: Reader) -> Any:
        if _PHASE.fullmatch(kind):
            number = data.byte()
            if number >= len(_PHASES):
                raise ValueError(f"{number} is none of {', '.join(_PHASES)}")
            if number != _UNSIGNED_PHASE:
                return _PHASES[number]
            flag, block = data.byte(), data.take(_SIZES["BlockNumber"])
            if flag > 1:
                raise ValueError(f"{flag} is no flag")
            return {_PHASES[number]: (bool(flag), int.from_bytes(block, "little"))}
        size = _SIZES.get(kind.removeprefix("T::"))
        if size is None:
            raise ValueError(f"type {kind[:40]!r} is not read here")
        return int.from_bytes(data.take(size), "little")

    # --- pallets -------------------------------------------------------------------------------------------------------

    def _kind(self) -> str:
        return self._reader.text()

    def _map(self, form: int) -> tuple[str, ...]:
        reader = self._reader
        if form == _MAP:
            hashers = reader.take(1)
            self._skip_kinds(2)
            reader.byte()  # a flag that only mattered before
        elif form == _DOUBLE_MAP:
            first = reader.take(1)
            self._skip_kinds(3)
            hashers = first + reader.take(1)
        elif form == _N_MAP and self._version >= 13:
            reader.skip_texts()
            hashers = reader.blob()
            self._skip_kinds(1)
        else:
            raise ValueError(f"{form} is neither a plain item nor a map")
        return self._hasher_names(hashers)

    def _skip_kinds(self, number: int) -> None:
        for _ in range(number):
            self._reader.skip_text()

    def _skip_calls(self) -> None:
        reader = self._reader
        for _ in range(reader.count()):
            reader.skip_text()
            for _ in range(reader.count()):  # arguments
                self._skip_kinds(2)  # name and type
            reader.skip_texts()

    def _skip_events(self) -> None:
        reader = self._reader
        for _ in range(reader.count()):
            reader.skip_text()
            reader.skip_texts()  # arguments
            reader.skip_texts()

    def _skip_errors(self) -> None:
        reader = self._reader
        for _ in range(reader.count()):
            reader.skip_text()
            reader.skip_texts()
        if self._version >= 12:
            reader.byte()  # the pallet's index
