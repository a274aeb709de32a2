"""Decoding of the three messages, for signers that check messages before they sign.

Only the exact bytes that `signing` builds are accepted: each decoded message is built again and compared.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from staking_gateway.errors import InvalidInput
from staking_gateway.signing import MessageKind, access_token_message, fee_payment_message, payout_message
from staking_gateway.types import AccountId

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class PayoutMessage:
    """The user's message: the relayer may submit the payout of an era once, at this staking nonce."""

    relayer: AccountId
    era: int
    nonce: int


@dataclass(frozen=True)
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


@dataclass(frozen=True)
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
    return PayoutMessage(_account(message[50:82]), _number(message[82:86]), _number(message[86:]))


def _fee_payment(message: bytes) -> Message:
    return FeePaymentMessage(
        user=_account(message[32:64]),
        relayer=_account(message[64:96]),
        proxy_signature="0x" + message[97:161].hex(),
        relayer_fee=_number(message[193:209]),
        payment_nonce=_number(message[209:]),
    )


def _access_token(message: bytes) -> Message:
    has_payer, payer = message[73:74], message[74:]
    return AccessTokenMessage(
        owner=_account(message[16:48]),
        issued_at=message[49:73].decode("ascii"),
        has_payer=has_payer == b"\x01",
        payer=_account(payer) if payer else None,
    )


_FORMATS: dict[MessageKind, tuple[Callable[[bytes], Message], Callable[..., bytes]]] = {
    MessageKind.PAYOUT: (_payout, payout_message),
    MessageKind.FEE_PAYMENT: (_fee_payment, fee_payment_message),
    MessageKind.ACCESS_TOKEN: (_access_token, access_token_message),
}
"""Decoder and builder of each kind. A builder takes the fields of the decoded message in their order."""


def _account(key: bytes) -> AccountId:
    return AccountId.parse("0x" + key.hex())


def _number(octets: bytes) -> int:
    return int.from_bytes(octets, "little")
