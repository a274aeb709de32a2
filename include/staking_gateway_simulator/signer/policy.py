"""What may be signed: the three messages, and the limits of each.

Only the exact bytes that `signing` builds are accepted: each decoded message is built again and compared. Pure: the time is
handed in, and what was signed before is left to `counts`.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass as plain_dataclass
from datetime import datetime, timezone
from enum import Enum
from typing import TYPE_CHECKING, Annotated, TypeAlias

from pydantic import BeforeValidator, ConfigDict, Field, InstanceOf, model_validator
from pydantic.dataclasses import dataclass

from staking_gateway.errors import InvalidInput, SigningError
from staking_gateway.signing import MessageKind, access_token_message, fee_payment_message, payout_message
from staking_gateway.types import MAX_AMOUNT, MAX_ERA, AccountId
from staking_gateway_simulator.accounts import read_account

if TYPE_CHECKING:
    from collections.abc import Callable


@plain_dataclass(frozen=True)
class PayoutMessage:
    """The user's message: the relayer may submit the payout of an era once, at this staking nonce."""

    relayer: AccountId
    era: int
    nonce: int


@plain_dataclass(frozen=True)
class FeePaymentMessage:
    """The payer's message: the relayer may charge this fee for the user's signed call once, at this payment nonce.

    :param proxy_signature: the user's signature, 0x and 128 hex digits.
    :param relayer_fee: in the smallest unit.
    """

    user: AccountId
    relayer: AccountId
    proxy_signature: str
    relayer_fee: int
    payment_nonce: int


@plain_dataclass(frozen=True)
class AccessTokenMessage:
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
        if build(*vars(found).values()) == message:
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
        """See whether a message may be signed for an account.

        :param role: the role of the account's key.
        :param now: seconds since 1970.
        :raises SigningError: it may not.
        """
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
