"""The simulated chain as a node tells it: pallet-staking with `EraElectionStatus`, one validator, and all stakers behind it.

A block lasts a second. Its state is that of its last moment; the newest block grows until then, so node and gateway tell the same.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from staking_gateway.chain.metadata import storage_key
from staking_gateway.types import ElectionWindow, NonceKind
from staking_gateway_simulator.accounts import staker
from staking_gateway_simulator.gateway import CHAIN_NAME
from staking_gateway_simulator.metadata import UNIT, compact, item, map_item, metadata, named, several, structure
from staking_gateway_simulator.rpc import INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR

if TYPE_CHECKING:
    from staking_gateway_simulator.chain import Chain
    from staking_gateway_simulator.events import Executed
    from staking_gateway_simulator.settings import SimulatorSettings
    from staking_gateway_simulator.simulation import Simulation

VALIDATOR = hashlib.blake2b(b"validator", digest_size=32).digest()
"""Stash and controller of the only validator."""
SYMBOL, DECIMALS = "SIM", 18
_STAKE = 10**21
_POINTS = 20
_PREFIX = 2 + 2 * 32
"""Characters of a key before its hashed arguments."""
_TWOX, _BLAKE = "Twox64Concat", "Blake2_128Concat"
_DIGESTS = {_TWOX: 8, _BLAKE: 16}
_HISTORY_DEPTH = 84
"""Default of `Staking.HistoryDepth` in pallet-staking 2.0 to 3.0."""
_MAPS = {
    ("Staking", "ErasRewardPoints"): _TWOX,
    ("Staking", "ErasValidatorReward"): _TWOX,
    ("Staking", "Bonded"): _TWOX,
    ("Staking", "Ledger"): _BLAKE,
    ("Staking", "Nominators"): _TWOX,
    ("ValidatorsManager", "ProxyNonces"): _BLAKE,
    ("AvnProxy", "PaymentNonces"): _BLAKE,
}
"""Hashers of those runtimes, and of the AvN pallets in them."""
_EVENTS = storage_key("System", "Events")
_UNIT, _U32, _U64, _U128, _U8, _BYTES, _ACCOUNT, _PHASE, _STAKING_EVENT, _EVENT, _TOPICS, _RECORD, _RECORDS = range(13)
_STATUS, _START, _ACTIVE_ERA = range(13, 16)
_STAKING_INDEX = 8
_REWARDED = 1
_DISCARDED = (4003, "Client error: UnknownBlock: State already discarded for {}")
"""The code and the text of polkadot-sdk (`sc-rpc-api`) for the state of a pruned block."""
_NO_PARENT = "0x" + "0" * 64


class NodeRefusal(LookupError):
    """A JSON-RPC error: code and message."""

    def __init__(self, error: tuple[int, str], about: str = "") -> None:
        super().__init__((error[0], error[1].format(about)))


class NodeRpc(ABC):
    """A node, as far as readers of staking need it. Name, metadata (0x hex) and properties are answers."""

    name: str
    metadata: str
    spec_version = 1
    properties: dict[str, Any]

    @abstractmethod
    def newest(self) -> int:
        """Number of the newest block."""

    def finalized(self) -> int:
        """Number of the newest finalized block."""
        return self.newest()

    @abstractmethod
    def hash_of(self, number: int) -> str:
        """Hash of a block, 0x hex."""

    @abstractmethod
    def number_of(self, hash_: str) -> int | None:
        """Number of a block; None when there is no such block."""

    @abstractmethod
    def is_pruned(self, number: int) -> bool:
        """Whether the state of a block is gone."""

    @abstractmethod
    def value(self, key: str, number: int) -> str | None:
        """What a block's state holds under a storage key, 0x hex."""

    def check_runtime(self, params: list[Any]) -> None:
        """Refuse the runtime of a block whose state is gone."""
        self._state(params[:1])

    def result(self, method: str, params: list[Any]) -> Any:
        """The result of a call.

        :raises LookupError: its argument is the code and the message of a JSON-RPC error.
        """
        if method == "system_chain":
            return self.name
        if method == "system_properties":
            return self.properties
        if method == "chain_getFinalizedHead":
            return self.hash_of(self.finalized())
        if method in ("chain_getBlockHash", "chain_getHead"):
            number = params[0] if params else self.newest()
            return self.hash_of(number) if 0 <= number <= self.newest() else None
        if method == "chain_getHeader":
            return self._header(self._number(params[0]) if params else self.newest())
        if method == "state_getRuntimeVersion":
            self.check_runtime(params)
            return {"specName": "simulated", "specVersion": self.spec_version, "transactionVersion": 1}
        if method == "state_getMetadata":
            self.check_runtime(params)
            return self.metadata
        if method == "state_getStorage":
            return self.value(params[0], self._state(params[1:]))
        if method == "state_queryStorageAt":
            number = self._state(params[1:])
            return [{"block": self.hash_of(number), "changes": [[key, self.value(key, number)] for key in params[0]]}]
        raise NodeRefusal(METHOD_NOT_FOUND)

    def respond(self, body: bytes) -> dict[str, Any]:
        """The answer to the body of an HTTP request."""
        try:
            call = json.loads(body)
        except (ValueError, RecursionError):
            return _error(None, PARSE_ERROR)
        if not isinstance(call, dict) or not isinstance(call.get("method"), str):
            return _error(None, INVALID_REQUEST)
        params = call.get("params", [])
        try:
            if not isinstance(params, list):
                raise TypeError(params)
            return {"jsonrpc": "2.0", "id": call.get("id"), "result": self.result(call["method"], params)}
        except NodeRefusal as refusal:
            return _error(call.get("id"), refusal.args[0])
        except (TypeError, ValueError, IndexError, AttributeError):
            return _error(call.get("id"), INVALID_PARAMS)

    def _header(self, number: int | None) -> dict[str, str] | None:
        if number is None:
            return None
        parent = _NO_PARENT if number == 0 else self.hash_of(number - 1)
        return {"parentHash": parent, "number": hex(number)}

    def _state(self, params: list[Any]) -> int:
        """The number of a block whose state is kept; the newest block when none is named."""
        hash_ = params[0] if params and params[0] is not None else self.hash_of(self.newest())
        number = self._number(hash_)
        if number is None or self.is_pruned(number):
            raise NodeRefusal(_DISCARDED, hash_)
        return number

    def _number(self, hash_: str) -> int | None:
        number = self.number_of(hash_)
        return number if number is not None and number <= self.newest() else None


class SimulatedNode(NodeRpc):
    """A node of a simulated chain.

    :param simulation: the chain; settled before each answer.
    """

    name = CHAIN_NAME
    properties: dict[str, Any] = {"ss58Format": 42, "tokenSymbol": SYMBOL, "tokenDecimals": DECIMALS}  # noqa: RUF012

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._plain: dict[str, Callable[[int], bytes | None]] = {
            storage_key("Staking", "ActiveEra"): self._active_era,
            storage_key("Staking", "EraElectionStatus"): self._election_status,
            storage_key("Timestamp", "Now"): lambda at: _u64(at // 1000),
            storage_key("Staking", "CurrentEra"): lambda at: _u32(self._chain.active_era(at)),
            storage_key("Staking", "HistoryDepth"): lambda _: _u32(self._settings.history_depth),
        }
        maps: dict[tuple[str, str], Callable[[bytes, int], bytes | None]] = {
            ("Staking", "ErasValidatorReward"): self._reward,
            ("Staking", "ErasRewardPoints"): self._points,
            ("Staking", "Bonded"): lambda stash, _: stash if stash == VALIDATOR else None,
            ("Staking", "Ledger"): self._ledger,
            ("Staking", "Nominators"): self._nominations,
            ("ValidatorsManager", "ProxyNonces"): lambda key, at: self._nonce(key, NonceKind.STAKING, at),
            ("AvnProxy", "PaymentNonces"): lambda key, at: self._nonce(key, NonceKind.PAYMENT, at),
        }
        self._maps = {storage_key(*name): (_DIGESTS[_MAPS[name]], read) for name, read in maps.items()}
        born = repr(simulation.chain.born).encode()
        self._identity = hashlib.blake2b(born, digest_size=24).hexdigest()

    @property
    def metadata(self) -> str:  # type: ignore[override]
        return runtime_metadata()

    def respond(self, body: bytes) -> dict[str, Any]:
        self._simulation.settle()
        return super().respond(body)

    # --- blocks ------------------------------------------------------------------------------------------------------

    def newest(self) -> int:
        return self._chain.block_at(self._simulation.now)

    def hash_of(self, number: int) -> str:
        return f"0x{number:016x}{self._identity}"

    def number_of(self, hash_: str) -> int | None:
        return int(hash_[2:18], 16) if hash_[18:] == self._identity else None

    def is_pruned(self, number: int) -> bool:
        pruned = self._settings.pruned
        return pruned is not None and number < self.newest() - pruned

    def value(self, key: str, number: int) -> str | None:
        at = min(self._chain.end_of(number), self._simulation.now)
        found = None
        if number > 0:  # before its first block, the chain has no era
            found = self._stored(key, number, at)
        return None if found is None else "0x" + found.hex()

    def _stored(self, key: str, number: int, at: int) -> bytes | None:
        if key == _EVENTS:
            return self._events(number)
        if key in self._plain:
            return self._plain[key](at)
        digest, read = self._maps.get(key[:_PREFIX], (0, None))
        return read(bytes.fromhex(key[_PREFIX:])[digest:], at) if read is not None else None

    # --- storage at a chain time -------------------------------------------------------------------------------------

    @property
    def _chain(self) -> Chain:
        return self._simulation.chain

    @property
    def _settings(self) -> SimulatorSettings:
        return self._simulation.settings

    def _active_era(self, at: int) -> bytes:
        era = self._chain.active_era(at)
        return _u32(era) + b"\1" + _u64(self._chain.schedule.start_of(era) // 1000)

    def _election_status(self, at: int) -> bytes:
        if at == self._simulation.now:
            is_open = self._chain.window(at) is ElectionWindow.OPEN
        else:
            is_open = self._chain.schedule.is_window_open(at)
        return b"\1" + _u32(self._chain.block_at(at)) if is_open else b"\0"

    def _reward(self, era: bytes, at: int) -> bytes | None:
        kept = int.from_bytes(era, "little") in self._chain.payable_eras(at)
        return self._settings.era_reward.to_bytes(16, "little") if kept else None

    def _points(self, era: bytes, at: int) -> bytes | None:
        if int.from_bytes(era, "little") not in self._chain.payable_eras(at):
            return None
        points = _u32(_POINTS)
        return points + compact(1) + VALIDATOR + points

    def _ledger(self, controller: bytes, at: int) -> bytes | None:
        if controller != VALIDATOR:
            return None
        paid_at = self._chain.paid_at
        claimed = [era for era in self._chain.payable_eras(at) if era in paid_at and paid_at[era] <= at]
        return VALIDATOR + compact(_STAKE) * 2 + compact(0) + several(claimed, _u32)

    def _nominations(self, account: bytes, at: int) -> bytes | None:
        """Validators, the era of the nomination, and whether it is suppressed."""
        nominates = len(account) == len(VALIDATOR) and self._chain.is_staking("0x" + account.hex(), at)
        return compact(1) + VALIDATOR + _u32(0) + b"\0" if nominates else None

    def _nonce(self, account: bytes, kind: NonceKind, at: int) -> bytes | None:
        key = "0x" + account.hex()
        found = self._chain.account(key)
        nonce = found.staking_nonce if kind is NonceKind.STAKING else found.payment_nonce
        nonce -= self._chain.nonces_used_since(key, kind, at)
        return _u64(nonce) if nonce else None

    def _events(self, number: int) -> bytes:
        executed = self._chain.executed
        first, behind = (bisect_left(executed, block, key=lambda event: event.block) for block in (number, number + 1))
        records = [record for event in executed[first:behind] for record in self._rewarded(event)]
        return several(records, bytes)

    def _rewarded(self, event: Executed) -> list[bytes]:
        """The records of one payout: the era and its validator, then each staker's reward."""
        era = self._chain.requests[event.request_id].accepted.era
        places = self._chain.places_paid(event)
        told = [b"\0" + _u32(era) + VALIDATOR] if places else []
        for place in places:
            amount = self._chain.share(place).to_bytes(16, "little")
            told.append(bytes([_REWARDED]) + bytes.fromhex(staker(place)[2:]) + amount)
        phase = b"\0" + _u32(event.index)
        return [phase + bytes([_STAKING_INDEX]) + one + compact(0) for one in told]


def _error(identity: Any, error: tuple[int, str]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": identity, "error": {"code": error[0], "message": error[1]}}


def _u32(number: int) -> bytes:
    return number.to_bytes(4, "little")


def _u64(number: int) -> bytes:
    return number.to_bytes(8, "little")


@cache
def runtime_metadata() -> str:
    """The runtime in metadata 14: types, and the pallets with storage that is read."""
    event = [
        {"name": "PayoutStarted", "index": 0, **structure(era_index=_U32, validator_stash=_ACCOUNT)["composite"]},
        {"name": "Rewarded", "index": _REWARDED, **structure(stash=_ACCOUNT, amount=_U128)["composite"]},
    ]
    phases = [{"name": "ApplyExtrinsic", "index": 0, "fields": [{"type": _U32}]}, {"name": "Finalization", "index": 1}]
    status = [{"name": "Close", "index": 0}, {"name": "Open", "index": 1, "fields": [{"type": _U32}]}]
    option = [{"name": "None", "index": 0}, {"name": "Some", "index": 1, "fields": [{"type": _U64}]}]
    staking = [{"name": "Staking", "index": _STAKING_INDEX, "fields": [{"type": _STAKING_EVENT}]}]
    types = [
        UNIT,
        named(_U32, [], {"primitive": "U32"}),
        named(_U64, [], {"primitive": "U64"}),
        named(_U128, [], {"primitive": "U128"}),
        named(_U8, [], {"primitive": "U8"}),
        named(_BYTES, [], {"array": {"len": 32, "type": _U8}}),
        named(_ACCOUNT, ["sp_core", "crypto", "AccountId32"], {"composite": {"fields": [{"type": _BYTES}]}}),
        named(_PHASE, ["frame_system", "Phase"], {"variant": {"variants": phases}}),
        named(_STAKING_EVENT, ["pallet_staking", "pallet", "Event"], {"variant": {"variants": event}}),
        named(_EVENT, ["runtime", "Event"], {"variant": {"variants": staking}}),
        named(_TOPICS, [], {"sequence": {"type": _BYTES}}),
        named(_RECORD, ["frame_system", "EventRecord"], structure(phase=_PHASE, event=_EVENT, topics=_TOPICS)),
        named(_RECORDS, [], {"sequence": {"type": _RECORD}}),
        named(_STATUS, ["pallet_staking", "ElectionStatus"], {"variant": {"variants": status}}),
        named(_START, [], {"variant": {"variants": option}}),
        named(_ACTIVE_ERA, ["pallet_staking", "ActiveEraInfo"], structure(index=_U32, start=_START)),
    ]
    plain = {
        "System": [item("Events", _RECORDS, "00")],
        "Timestamp": [item("Now", _U64, "00" * 8)],
        "Staking": [
            item("ActiveEra", _ACTIVE_ERA, "00", "Optional"),
            item("EraElectionStatus", _STATUS, "00"),
            item("CurrentEra", _U32, "00", "Optional"),
            item("HistoryDepth", _U32, _u32(_HISTORY_DEPTH).hex()),
        ],
    }
    pallets: dict[str, list[Any]] = {**plain, "ValidatorsManager": [], "AvnProxy": []}
    for (pallet, name), hasher in _MAPS.items():
        pallets[pallet].append(map_item(name, _BYTES, _BYTES, hasher=hasher))
    indices = {"Staking": _STAKING_INDEX}
    return metadata(
        types,
        [
            {"name": name, "index": indices.get(name, place), "storage": {"prefix": name, "items": items}}
            for place, (name, items) in enumerate(pallets.items())
        ],
    )
