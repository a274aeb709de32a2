"""What the example signer may sign: the three messages, the limits of each, and what was signed before.

Only the exact bytes that `signing` builds are accepted: each decoded message is built again and compared. What was signed is in a SQLite file
before a signature leaves, so a restart forgets nothing.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timezone
from enum import Enum
from pathlib import Path
from typing import Annotated, NamedTuple, TypeAlias

from pydantic import BeforeValidator, ConfigDict, Field, InstanceOf, model_validator
from pydantic.dataclasses import dataclass

from staking_gateway.errors import InvalidInput, SigningError, StakingGatewayError
from staking_gateway.signing import MessageKind, access_token_message, fee_payment_message, payout_message
from staking_gateway.types import MAX_AMOUNT, MAX_ERA, AccountId
from staking_gateway_simulator.accounts import read_account


class PayoutMessage(NamedTuple):
    """The user's message: the relayer may submit the payout of an era once, at this staking nonce."""

    relayer: AccountId
    era: int
    nonce: int


class FeePaymentMessage(NamedTuple):
    """The payer's message: the relayer may charge this fee for the user's signed call once, at this payment nonce."""

    user: AccountId
    relayer: AccountId
    proxy_signature: str
    relayer_fee: int
    payment_nonce: int


class AccessTokenMessage(NamedTuple):
    """The message of a self-made access token; `issued_at` is `YYYY-MM-DDTHH:MM:SS.mmmZ`."""

    owner: AccountId
    issued_at: str
    has_payer: bool
    payer: AccountId | None


Message: TypeAlias = "PayoutMessage | FeePaymentMessage | AccessTokenMessage"


def decode_message(kind: MessageKind, message: bytes) -> Message:
    """Decode a message.

    :raises InvalidInput: the bytes are not exactly a message of this kind.
    """
    decode, build = _FORMATS[kind]
    with suppress(ValueError):
        found = decode(message)
        if build(*found) == message:
            return found
    raise InvalidInput(
        "message", f"the bytes are not a {kind.value} message", "Send exactly what staking_gateway.signing builds"
    )


def _payout(message: bytes) -> Message:
    return PayoutMessage(_account_of(message[50:82]), _number(message[82:86]), _number(message[86:]))


def _fee_payment(message: bytes) -> Message:
    return FeePaymentMessage(
        user=_account_of(message[32:64]),
        relayer=_account_of(message[64:96]),
        proxy_signature="0x" + message[97:161].hex(),
        relayer_fee=_number(message[193:209]),
        payment_nonce=_number(message[209:]),
    )


def _access_token(message: bytes) -> Message:
    has_payer, payer = message[73:74], message[74:]
    return AccessTokenMessage(
        owner=_account_of(message[16:48]),
        issued_at=message[49:73].decode("ascii"),
        has_payer=has_payer == b"\x01",
        payer=_account_of(payer) if payer else None,
    )


_FORMATS: dict[MessageKind, tuple[Callable[[bytes], Message], Callable[..., bytes]]] = {
    MessageKind.PAYOUT: (_payout, payout_message),
    MessageKind.FEE_PAYMENT: (_fee_payment, fee_payment_message),
    MessageKind.ACCESS_TOKEN: (_access_token, access_token_message),
}
"""Decoder and builder of each kind. A builder takes the fields of the decoded message in their order."""


def _account_of(key: bytes) -> AccountId:
    return AccountId.parse("0x" + key.hex())


def _number(octets: bytes) -> int:
    return int.from_bytes(octets, "little")


class Role(str, Enum):
    """What a key is for. A key of either role signs access tokens of its own account."""

    USER = "user"
    """Signs payouts."""
    PAYER = "payer"
    """Signs fee payments."""


_Account = Annotated[
    InstanceOf[AccountId], BeforeValidator(lambda given: read_account(given) if isinstance(given, str) else given)
]


@dataclass(frozen=True, config=ConfigDict(extra="forbid", allow_inf_nan=False))
class SigningPolicy:
    """The limits of a signer; its command line has an option for each.

    Access tokens are not counted: a client makes one every half minute, and they move nothing.

    :raises ValidationError: a value is out of range.
    """

    relayers: frozenset[_Account] = Field(description="a relayer to sign for; repeatable")
    max_fee: int = Field(ge=0, le=MAX_AMOUNT, description="highest fee of one payout, in the smallest unit")
    users: frozenset[_Account] = Field(description="a user to pay fees for; repeatable")
    first_era: int = Field(default=0, ge=0, le=MAX_ERA, description="first era whose payout is signed")
    last_era: int = Field(default=MAX_ERA, ge=0, le=MAX_ERA, description="last era whose payout is signed")
    daily_count: int = Field(
        default=100,
        ge=1,
        le=1_000_000,
        description="payouts, and likewise fee payments, in a UTC day, for each account",
    )
    token_skew: float = Field(
        default=300.0, ge=0, le=86400, description="seconds that an access token's time may be off"
    )

    @model_validator(mode="after")
    def _check_eras(self) -> SigningPolicy:
        if self.last_era < self.first_era:
            raise InvalidInput("last_era", f"{self.last_era} is before the first era", "Use a later one")
        return self

    def judge(self, account: AccountId, role: Role, message: Message, now: float) -> None:
        """Raise SigningError if a message may not be signed for an account whose key has this role."""
        if isinstance(message, PayoutMessage):
            _check_role(role, Role.USER, "payouts")
            self._check_relayer(message.relayer)
            if not self.first_era <= message.era <= self.last_era:
                raise SigningError(f"era {message.era} is not one of {self.first_era} to {self.last_era}")
        elif isinstance(message, FeePaymentMessage):
            _check_role(role, Role.PAYER, "fee payments")
            self._check_relayer(message.relayer)
            if message.user not in self.users:
                raise SigningError(f"fees are not paid for user {message.user}")
            if message.relayer_fee > self.max_fee:
                raise SigningError(f"the fee {message.relayer_fee} is more than {self.max_fee}")
        else:
            self._check_token(account, message, now)

    def _check_relayer(self, relayer: AccountId) -> None:
        if relayer not in self.relayers:
            raise SigningError(f"relayer {relayer} is not allowed")

    def _check_token(self, account: AccountId, message: AccessTokenMessage, now: float) -> None:
        if message.owner != account:
            raise SigningError(f"the access token is of {message.owner}, not of {account}")
        try:
            issued = datetime.strptime(message.issued_at, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc)
        except ValueError:
            raise SigningError(f"the access token's time {message.issued_at} is none") from None
        if abs(issued.timestamp() - now) > self.token_skew:
            raise SigningError(
                f"the access token's time {message.issued_at} is more than {self.token_skew:g} s from this machine's"
            )


def _check_role(role: Role, needed: Role, messages: str) -> None:
    if role is not needed:
        raise SigningError(f"the account's key is a {role.value}'s; only a {needed.value}'s key signs {messages}")


# --- what was signed before ----------------------------------------------------------------------------------------------

_APPLICATION_ID = 0x53475343
"""Marks the file as a signer's; see https://www.sqlite.org/pragma.html#pragma_application_id."""
_TABLES = f"""
CREATE TABLE counts (day TEXT, account TEXT, kind TEXT, signed INTEGER NOT NULL, PRIMARY KEY (day, account, kind));
CREATE TABLE nonces (account TEXT, kind TEXT, nonce TEXT, subject TEXT NOT NULL, day TEXT NOT NULL,
                     PRIMARY KEY (account, kind, nonce));
PRAGMA application_id = {_APPLICATION_ID};
"""
_TAKE = (
    "INSERT INTO counts VALUES (?, ?, ?, 1) "
    "ON CONFLICT (day, account, kind) DO UPDATE SET signed = signed + 1 WHERE signed < ?"
)
_AFRESH = "start once with --new-counts: the new file knows nothing of earlier signatures"


class CountFile:
    """Counts signatures per UTC day, account and kind, and keeps what each nonce was signed for first. Several signers may share it.

    :param path: the file; None keeps everything in memory.
    :param new: make the file. It must not exist then, and must exist otherwise: a lost file is never replaced silently.
    :raises StakingGatewayError: the file cannot be used, is missing or damaged, or is another program's.
    """

    def __init__(self, path: Path | None, *, new: bool = False) -> None:
        self._path = path
        address = "file::memory:" if path is None else f"{path.absolute().as_uri()}?mode=rw"
        try:
            if path is not None:
                if new:
                    path.touch(mode=0o600, exist_ok=False)
                self._opened = path.stat()
            # Handed from the thread that builds a signer to the one that runs it, never shared between two at a time.
            self._database = sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)
        except FileExistsError:
            raise StakingGatewayError(f"{path} exists already", remedy="Start without --new-counts") from None
        except FileNotFoundError:
            remedy = f"Restore it from a backup, or {_AFRESH}"
            raise StakingGatewayError(f"{path} does not exist", remedy=remedy) from None
        except (OSError, sqlite3.Error) as error:
            raise self._unusable(error) from None
        try:
            if new or path is None:
                self._database.executescript(_TABLES)
            marks = self._database.execute("PRAGMA application_id"), self._database.execute("PRAGMA quick_check(1)")
            if [mark.fetchone()[0] for mark in marks] != [_APPLICATION_ID, "ok"]:
                raise sqlite3.DatabaseError("it is damaged, or no signer's")
            self._database.execute("PRAGMA synchronous = FULL")
        except sqlite3.Error as error:
            self._database.close()
            raise self._unusable(error) from None

    def take(self, day: str, account: str, kind: str, limit: int, *, nonce: int, subject: str) -> str | None:
        """Count one more, unless the day's limit is reached or the nonce was first signed for something else.

        :param subject: what the nonce is signed for, such as `era 1391`.
        :returns: None when it was counted, and is on disk; otherwise the reason.
        """
        key = (account, kind, str(nonce))
        try:
            if self._path is not None and not os.path.samestat(self._path.stat(), self._opened):
                raise OSError("it was replaced while the signer ran")
            with self._database as database:  # commits, or takes everything back
                database.execute("BEGIN IMMEDIATE")
                select = "SELECT subject, day FROM nonces WHERE (account, kind, nonce) = (?, ?, ?)"
                first = database.execute(select, key).fetchone()
                if first is not None and first[0] != subject:
                    return f"nonce {nonce} was signed for {first[0]} on {first[1]}, so it is not signed for {subject}"
                if database.execute(_TAKE, (day, account, kind, limit)).rowcount != 1:
                    return f"{limit} of this kind were signed for the account today"
                if first is None:
                    database.execute("INSERT INTO nonces VALUES (?, ?, ?, ?, ?)", (*key, subject, day))
                return None
        except (OSError, sqlite3.Error) as error:
            raise self._unusable(error) from None

    def close(self) -> None:
        """Give the file back."""
        self._database.close()

    def _unusable(self, problem: object) -> StakingGatewayError:
        return StakingGatewayError(
            f"{self._path or 'memory'} cannot be used as count file: {problem}",
            remedy=f"Restore it from a backup, or choose another file with --counts and {_AFRESH}",
        )
