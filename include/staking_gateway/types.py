"""Value types of the gateway's messages: validated and frozen."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum

from staking_gateway.errors import InvalidEra, InvalidInput
from staking_gateway.text import count, shown

MAX_ERA, MAX_NONCE, MAX_AMOUNT = 2**32 - 1, 2**64 - 1, 2**128 - 1
"""Eras are u32 on the chain, nonces u64, and amounts u128 in the smallest unit of the currency."""
MOST_ERAS = 1000
"""The most eras that one list names."""

_ERA_RANGE = re.compile(" *([0-9]{1,39}) *(?:- *([0-9]{1,39}) *)?")
_DECIMAL = re.compile(r"(0|[1-9][0-9]{0,38})\Z")
_REQUEST_ID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z")
_HASH = re.compile(r"0x[0-9a-fA-F]{64}\Z")
_HEX = re.compile(r"0x[0-9a-fA-F]+\Z")
_PUBLIC_KEY = re.compile(r"(0x)?([0-9a-fA-F]{64})\Z")
_BASE58 = re.compile(r"[1-9A-HJ-NP-Za-km-z]{1,64}\Z")


class StakingStatus(StrEnum):
    """Result of `getStakingStatus`, spelt as on the wire (interface document, section 3.1)."""

    IS_STAKING = "isStaking"
    IS_NOT_STAKING = "isNotStaking"


class ElectionWindow(StrEnum):
    """State of the era election window (interface document, section 3.2)."""

    OPEN = "open"
    CLOSED = "closed"


class NonceKind(StrEnum):
    """The two nonces of an account."""

    STAKING = "staking"
    PAYMENT = "payment"


class RequestStatus(StrEnum):
    """State of a submitted payout request, spelt as the poll endpoint answers; the last two are in no answer, see `RequestState`."""

    AWAITING_TO_SEND = "AwaitingToSend"
    VALIDATING = "Validating"
    PENDING = "Pending"
    PROCESSED = "Processed"
    REJECTED = "Rejected"
    SENDING_FAILED = "SendingFailed"
    PAYER_REFUSED = "PayerRefused"
    NOT_FOUND = "Transaction not found"
    UNRECOGNISED = "unrecognised"
    UNREADABLE = "unreadable"

    @property
    def succeeded(self) -> bool:
        """Whether the payout was executed."""
        return self is RequestStatus.PROCESSED

    @property
    def failed(self) -> bool:
        """Whether the request ended without an executed payout."""
        return self in (RequestStatus.REJECTED, RequestStatus.SENDING_FAILED, RequestStatus.PAYER_REFUSED)


@dataclass(frozen=True)
class RequestState:
    """Answer of the poll endpoint to `requestState`.

    :param status: `UNRECOGNISED`: an unknown word, treated as pending. `UNREADABLE`: no state, which proves nothing. After both, poll again.
    :param wire_status: the word as received, on one line; for `UNREADABLE` a short description of the answer.
    :param tx_hash: 0x transaction hash; `block_number` and `transaction_index`, its position there, are None until the transaction is final.
    """

    status: RequestStatus
    wire_status: str
    tx_hash: str | None = None
    block_number: int | None = None
    transaction_index: int | None = None


@dataclass(frozen=True)
class ChainInfo:
    """Answer to `getChainInfo`: the chain's name, and the version of its runtime."""

    name: str
    version: str


@dataclass(frozen=True)
class AccountId:
    """An account: its public key of 32 bytes, and as `spelling` the SS58 address or public key that was given. Spellings do not count for equality."""

    public_key: bytes
    spelling: str = field(compare=False)

    def __str__(self) -> str:
        return self.address

    @property
    def address(self) -> str:
        """The SS58 address as it was given; that of the generic format where the public key was given."""
        if not _PUBLIC_KEY.match(self.spelling):
            return self.spelling
        from scalecodec.utils.ss58 import ss58_encode

        return str(ss58_encode(self.hex, 42))

    @property
    def hex(self) -> str:
        """The public key as 0x and 64 hex digits."""
        return "0x" + self.public_key.hex()

    @classmethod
    def parse(cls, value: str | AccountId, *, field: str = "account") -> AccountId:
        """Read an SS58 address of any network, or a public key with or without 0x. InvalidInput about `field` quotes no long text: it may be a key phrase."""
        if isinstance(value, AccountId):
            return value
        text = value if isinstance(value, str) else ""
        if key := _PUBLIC_KEY.match(text):
            return cls(bytes.fromhex(key[2]), text)
        from scalecodec.utils.ss58 import ss58_decode

        public_key = b""
        with suppress(ValueError, IndexError):  # the library would accept trailing spaces
            public_key = bytes.fromhex(ss58_decode(text)) if _BASE58.match(text) else b""
        if len(public_key) != 32:
            remedy = "Copy its whole address again, or write 0x and the 64 hex digits of its public key"
            raise InvalidInput(field, f"{shown(value)} is neither an SS58 address nor a public key", remedy)
        return cls(public_key, text)


def parse_unsigned(value: object, limit: int, *, field: str) -> int:
    """A number from 0 to `limit`, of an int or plain decimal digits. InvalidInput: another type, a sign, spaces, leading zeros, or too high."""
    number = int(value) if isinstance(value, str) and _DECIMAL.match(value) else value
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number <= limit:
        raise InvalidInput(field, f"{shown(value)} is not a number from 0 to {limit}", "Write it in plain digits")
    return number


def parse_era(value: object, *, field: str = "era") -> int:
    """Read an era index: 0 to 2**32 - 1, as an int or plain digits. InvalidEra: anything else."""
    try:
        return parse_unsigned(value, MAX_ERA, field=field)
    except InvalidInput as error:
        raise InvalidEra(field, error.fault, "An era is a whole number such as 1392") from None


def parse_eras(value: object, *, field: str = "eras") -> tuple[int, ...]:
    """The eras of a list of eras and ranges, such as `1391, 1395-1402`, each once, in ascending order. InvalidEra: another form, a range that goes
    backwards, or more than `MOST_ERAS` eras.
    """
    eras: set[int] = set()
    for part in value.split(",") if isinstance(value, str) else [str(parse_era(value, field=field))]:
        found = _ERA_RANGE.fullmatch(part)
        if found is None:
            raise InvalidEra(field, f"{shown(part)} is not an era or a range", "Write eras such as 1391, 1395-1402")
        first = parse_era(found[1], field=field)
        last = first if found[2] is None else parse_era(found[2], field=field)
        if first > last:
            raise InvalidEra(field, f"era {first} comes after era {last}", "Swap the two")
        if len(eras) + last - first >= MOST_ERAS:
            raise InvalidEra(field, f"more than {count(MOST_ERAS, 'era')}", "Name fewer eras")
        eras.update(range(first, last + 1))
    return tuple(sorted(eras))


def parse_hex(value: object, *, field: str, size: int | None = None) -> str:
    """Check 0x and hex digits of `size` bytes, of any number in a ready-made proof (interface document, section 2.2). Raises InvalidInput."""
    if not isinstance(value, str) or not _HEX.match(value) or (size and len(value) != 2 + 2 * size):
        digits = f"{2 * size} hex digits ({size} bytes)" if size else "hex digits"
        raise InvalidInput(field, "not a signature or proof", f"Write 0x followed by {digits}")
    return value


def is_request_id(value: object) -> bool:
    """Whether the value is a UUID, the format of request identifiers (interface document, section 2.4)."""
    return isinstance(value, str) and bool(_REQUEST_ID.match(value))


def is_hash(value: object) -> bool:
    """Whether the value is a text of 0x and 64 hex digits: the hash of a block or a transaction, or a public key."""
    return isinstance(value, str) and bool(_HASH.match(value))


class ConfirmBy(StrEnum):
    """The evidence of an executed payout. `AUTO` takes the first of request state, nonces and nothing that the gateway offers."""

    AUTO = "auto"
    REQUEST_STATE = "request_state"
    NONCE = "nonce"
    NONE = "none"
