"""The three signed messages, the signers that hold a key in this process, and the proofs of a payout.

The layouts come from the AvN gateway's public JavaScript client; `tests/data/vectors.json` fixes every byte. Texts are SCALE strings:
compact length, then UTF-8. Integers are little-endian. Signatures are sr25519. Accounts are SS58 addresses or 0x public keys.
"""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NoReturn, Protocol

from staking_gateway.errors import InvalidInput, SigningError
from staking_gateway.problem import Topic
from staking_gateway.types import MAX_AMOUNT, MAX_NONCE, AccountId, parse_era, parse_hex, parse_unsigned

if TYPE_CHECKING:
    from substrateinterface import Keypair

_ISSUED_AT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z\Z")


class MessageKind(StrEnum):
    """What a message is for."""

    PAYOUT = "payout"
    FEE_PAYMENT = "fee_payment"
    ACCESS_TOKEN = "access_token"


def _text(value: str) -> bytes:
    """An ASCII text of up to 63 characters, which has a compact length of one byte."""
    return bytes([len(value) << 2]) + value.encode()


def payout_message(relayer: str | AccountId, era: int, nonce: int) -> bytes:
    """The user's message (`proxySignature`), 94 bytes: the relayer may submit the payout. `nonce` is the user's current staking nonce."""
    return (
        _text("authorization for signed payout stakers operation")
        + AccountId.parse(relayer, field="relayer").public_key
        + parse_era(era).to_bytes(4, "little")
        + parse_unsigned(nonce, MAX_NONCE, field="nonce").to_bytes(8, "little")
    )


def fee_payment_message(
    user: str | AccountId, relayer: str | AccountId, proxy_signature: str, relayer_fee: int, payment_nonce: int
) -> bytes:
    """The payer's message (`feePaymentSignature`), 217 bytes: the relayer may charge its fee.

    :param proxy_signature: the user's signature, 0x and 128 hex digits.
    :param relayer_fee: in the smallest unit.
    :param payment_nonce: the payer's current payment nonce.
    """
    relayer_key = AccountId.parse(relayer, field="relayer").public_key
    return (
        _text("authorization for proxy payment")
        + AccountId.parse(user, field="user").public_key
        + relayer_key
        + b"\x01"  # sr25519
        + bytes.fromhex(parse_hex(proxy_signature, field="proxy_signature", size=64)[2:])
        + relayer_key
        + parse_unsigned(relayer_fee, MAX_AMOUNT, field="relayer_fee").to_bytes(16, "little")
        + parse_unsigned(payment_nonce, MAX_NONCE, field="payment_nonce").to_bytes(8, "little")
    )


def access_token_message(
    public_key: str | AccountId, issued_at: str, has_payer: bool = False, payer: str | AccountId | None = None
) -> bytes:
    """The message of a self-made access token: 73 bytes, 74 with has_payer alone, 106 with a payer.

    :param public_key: the token's owner.
    :param issued_at: `YYYY-MM-DDTHH:MM:SS.mmmZ`.
    :param payer: covers the owner's fees; its key is appended without the tag byte of a SCALE Option.
    """
    if not isinstance(issued_at, str) or not _ISSUED_AT.match(issued_at):
        problem = f"{str(issued_at)[:80]!r} is not a UTC time with milliseconds"
        raise InvalidInput("issued_at", problem, "Write YYYY-MM-DDTHH:MM:SS.mmmZ")
    message = _text("awt_gateway_api") + AccountId.parse(public_key, field="public_key").public_key
    message += _text(issued_at)
    if has_payer or payer is not None:
        message += bytes([bool(has_payer)])
        message += AccountId.parse(payer, field="payer").public_key if payer is not None else b""
    return message


def verify(message: bytes, signature: object, account: str | AccountId) -> bool:
    """Whether `signature` (0x hex) is the account's signature of exactly these bytes, checked as on the chain."""
    import sr25519

    public_key = AccountId.parse(account).public_key
    try:
        raw = bytes.fromhex(parse_hex(signature, field="signature", size=64)[2:])
        return bool(sr25519.verify(raw, message, public_key))
    except ValueError:  # not a signature, or not a key
        return False


class Signer(Protocol):
    """Signs the three kinds of messages for `account`; raises SigningError when it cannot."""

    account: AccountId

    def check(self) -> None:
        """SigningError when it cannot sign."""

    def sign(self, kind: MessageKind, message: bytes) -> str:
        """The signature of a message: 0x and 128 hex digits. `signature_of` checks it."""


class LocalSigner:
    """Signs with a key in this process. The key never appears in logs, pickles or errors.

    :param secret: a mnemonic, a 0x seed of 32 bytes, or a key URI (`//Alice`, `<mnemonic>//hard/soft///password`).
    :param account: the expected account; None accepts any.
    :raises SigningError: the secret cannot be read, or the key belongs to another account.
    """

    __slots__ = ("_keypair", "account")

    def __init__(self, secret: str, account: str | AccountId | None = None, *, field: str = "key") -> None:
        keypair = _load_keypair(secret, field)
        own = AccountId.parse("0x" + keypair.public_key.hex())
        expected = AccountId.parse(account, field=field) if account is not None else own
        if own != expected:
            raise key_mismatch(field, own, expected)
        self._keypair = keypair
        self.account = expected

    def check(self) -> None:
        """Nothing to check: the constructor has read the key."""

    def sign(self, kind: MessageKind, message: bytes) -> str:
        del kind  # every one is allowed
        signature: bytes = self._keypair.sign(bytes(message))
        return "0x" + signature.hex()

    def __repr__(self) -> str:
        return f"LocalSigner({self.account})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a LocalSigner holds a private key and is never pickled")


@dataclass(frozen=True)
class Proofs:
    """The two proofs of a payout, made by `ProofMaker` or supplied, in 0x and hex digits, and what they sign; None is unknown."""

    proxy_signature: str
    fee_payment_signature: str
    payment_nonce: int
    staking_nonce: int | None = None
    relayer_fee: int | None = None

    def __post_init__(self) -> None:
        for name in ("proxy_signature", "fee_payment_signature"):
            parse_hex(getattr(self, name), field=name)
        for name, limit in {"payment_nonce": MAX_NONCE, "staking_nonce": MAX_NONCE, "relayer_fee": MAX_AMOUNT}.items():
            value = getattr(self, name)
            if value is not None or name == "payment_nonce":
                object.__setattr__(self, name, parse_unsigned(value, limit, field=name))

    def nonce_near(self, next_nonce: int | None, user: AccountId, relayer: AccountId, era: int) -> int | None:
        """The staking nonce that the user's proof shows, if it is within 50 of the next one; otherwise `staking_nonce`."""
        near = range(0) if next_nonce is None else range(max(0, next_nonce - 50), next_nonce + 50)
        signed = (nonce for nonce in near if verify(payout_message(relayer, era, nonce), self.proxy_signature, user))
        return next(signed, self.staking_nonce)

    def __repr__(self) -> str:
        return f"Proofs(staking_nonce={self.staking_nonce}, payment_nonce={self.payment_nonce})"


class ProofMaker:
    """Makes both proofs of a payout, with the signers of the user and of the payer, who covers the relayer's fee."""

    def __init__(self, user: Signer, payer: Signer) -> None:
        self.user = user
        self.payer = payer

    def check(self, *, user: AccountId, payer: AccountId) -> None:
        """Raise SigningError when a signer does not sign for its account."""
        for role, signer, account in (("user", self.user, user), ("payer", self.payer, payer)):
            if signer.account != account:
                raise key_mismatch(role, signer.account, account)

    def make(self, *, relayer: AccountId, era: int, relayer_fee: int, staking_nonce: int, payment_nonce: int) -> Proofs:
        """Sign both messages. SigningError: a signer refused, or answered with an invalid signature."""
        proxy = signature_of(self.user, MessageKind.PAYOUT, payout_message(relayer, era, staking_nonce))
        fee_message = fee_payment_message(self.user.account, relayer, proxy, relayer_fee, payment_nonce)
        fee_payment = signature_of(self.payer, MessageKind.FEE_PAYMENT, fee_message)
        return Proofs(proxy, fee_payment, payment_nonce, staking_nonce, relayer_fee)


def key_mismatch(field: str, own: object, expected: object) -> SigningError:
    """The error for a key that belongs to another account; `field` is the account's role, or the field of the key."""
    topic = Topic.WRONG_KEY
    return SigningError(
        f"{field}: the key belongs to {own}, not to {expected}", topic=topic, remedy=topic.remedy, about=str(expected)
    )


def signature_of(signer: Signer, kind: MessageKind, message: bytes) -> str:
    """The verified signature of a message; SigningError without one."""
    signature = signer.sign(kind, message)
    if not verify(message, signature, signer.account):
        text = f"The signer of {signer.account} answered with a signature that does not verify"
        raise SigningError(text, remedy="Check its key", about=str(signer.account))
    return signature


_KEY_URI = re.compile(r"(?P<phrase>[^/]*)(?P<path>(//?[^/]+)*)(///(?P<password>.*))?\Z", re.DOTALL)


def _load_keypair(secret: str, field: str) -> Keypair:
    """The key of a secret, whose URI is parsed here: substrate-interface refuses hex seeds and passwords, and takes spaces as part of a path."""
    import sr25519
    from bip39 import bip39_to_mini_secret
    from substrateinterface import Keypair
    from substrateinterface.keypair import DEV_PHRASE, extract_derive_path

    match = _KEY_URI.match(secret.strip()) if isinstance(secret, str) else None
    # A foreign error may quote the secret. The error below is raised outside of the handler, so it has no context.
    with contextlib.suppress(ValueError, TypeError, OverflowError):
        if match is None or not (match["phrase"] or match["path"]) or re.search(r"\s", match["path"]):
            raise ValueError
        phrase = " ".join(match["phrase"].split()) or DEV_PHRASE
        if phrase.startswith("0x"):
            if len(phrase) != 66 or match["password"]:
                raise ValueError
            seed = bytes.fromhex(phrase[2:])
        else:
            seed = bytes(bip39_to_mini_secret(phrase, match["password"] or "", "en"))
        keypair = Keypair.create_from_seed(seed)
        public_key, private_key = keypair.public_key, keypair.private_key
        for junction in extract_derive_path(match["path"]):
            derive = sr25519.hard_derive_keypair if junction.is_hard else sr25519.derive_keypair
            _, public_key, private_key = derive((junction.chain_code, public_key, private_key), b"")
        return Keypair(public_key=public_key, private_key=private_key, ss58_format=42)
    remedy = "Use a mnemonic, a 0x seed of 64 hex digits, or a key URI such as //Alice or <mnemonic>//path"
    raise SigningError(f"{field}: the key cannot be read", remedy=remedy)
