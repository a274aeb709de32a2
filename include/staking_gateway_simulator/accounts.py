"""Values from outside: the accounts everybody knows, how accounts are spelt, and what pydantic reads."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar

from pydantic import ValidationError

from staking_gateway.config.types import explained
from staking_gateway.errors import InvalidInput
from staking_gateway.types import AccountId

_T = TypeVar("_T")

DEV_ACCOUNTS = {
    "//Alice": "0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d",
    "//Alice//stash": "0xbe5ddb1579b72e84524fc29e78609e3caf42e85aa118ebfe0b0ad404b5bdd25f",
    "//Bob": "0x8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48",
    "//Bob//stash": "0xfe65717dad0447d715f660a0a58411de509b42e6efb8375f562f58a554d5860e",
    "//Charlie": "0x90b5ab205c6974c9ea841be688864633dc9ca8a357843eeacf2314649965fe22",
    "//Charlie//stash": "0x1e07379407fecc4b89eb7dbd287c2c781cfb1907a96947a3eb18e4f8e7198625",
    "//Dave": "0x306721211d5404bd9da88e0204360a1a9ab8b87c66c1bc2fcdd37f3c2222cc20",
    "//Dave//stash": "0xe860f1b1c7227f7c22602f53f15af80747814dffd839719731ee3bba6edc126c",
    "//Eve": "0xe659a7a1628cdd93febc04a4e0646ea20e9f5f0ce097d9a05290d4a9e054df4e",
    "//Eve//stash": "0x8ac59e11963af19174d0b94d5d78041c233f55d2e19324665bafdfb62925af2d",
    "//Ferdie": "0x1cbd2d43530a44705ad088af313e18f80b53ef16b36177cd4b77b846f2a5f07c",
    "//Ferdie//stash": "0x101191192fc877c24d725b337120fa3edc63d227bbc92705db1e2cb65f56981a",
}
"""Key URIs of the public development keys (sr25519) and their public keys. Anybody can sign with them."""

_DEV_KEYS = frozenset(bytes.fromhex(key[2:]) for key in DEV_ACCOUNTS.values())


@lru_cache(maxsize=65536)
def read_account(text: str) -> AccountId:
    """Read an account, spelt with SS58 format 42 whatever way it was written; cached, for a call has one or more.

    :raises InvalidInput: neither an SS58 address nor a 0x public key.
    """
    return AccountId.parse(AccountId.parse(text).hex)


def stakes_by_default(public_key: bytes) -> bool:
    """Whether an account stakes as long as nobody said otherwise: the development accounts do, and of the others those
    whose public key has an even second byte, so that a list of generated accounts gives both answers.

    The first byte would not do: it is even in every sr25519 public key (RFC 9496, section 4.3.2).
    """
    return public_key in _DEV_KEYS or public_key[1] % 2 == 0


@lru_cache(maxsize=65536)
def staker(place: int) -> str:
    """The 0x public key of a staker by its place, from 0: the development accounts, then accounts without a key. All stake."""
    if place < len(DEV_ACCOUNTS):
        return list(DEV_ACCOUNTS.values())[place]
    digest = bytearray(hashlib.blake2b(b"staker %d" % place, digest_size=32).digest())
    digest[1] &= 0xFE
    return "0x" + digest.hex()


def make(kind: Callable[..., _T], fields: dict[str, Any]) -> _T:
    """Make a pydantic dataclass of values that somebody else gave, or call a function that pydantic validates.

    :raises InvalidInput: the first value that is refused; `field` names it.
    """
    try:
        return kind(**fields)
    except ValidationError as refused:
        error = refused.errors(include_url=False)[0]
        reason = error.get("ctx", {}).get("error")
        if isinstance(reason, InvalidInput):
            raise reason from None
        raise InvalidInput(str(error["loc"][0])[:40], *explained(error)) from None
