"""Access tokens: issued to the client, or made by the client itself."""

from __future__ import annotations

import base64
import json
import re
import time
from datetime import datetime, timezone
from typing import TYPE_CHECKING, NoReturn, Protocol

from staking_gateway.errors import InvalidConnection
from staking_gateway.signing import MessageKind, Signer, access_token_message

if TYPE_CHECKING:
    from collections.abc import Callable

    from staking_gateway.types import AccountId

_KEY = re.compile(r"0x[0-9a-fA-F]{64}(/|\Z)|///|//\w{1,32}(//?\w{1,32})*(///.*)?\Z")
"""A seed, or a key URI of short junctions: a token may begin with `//` too. A mnemonic has spaces, which no token has."""
MAX_TOKEN_AGE = 60.0
"""Seconds after which old gateways refuse a self-made token; newer ones wait ten minutes."""


class TokenSource(Protocol):
    """Gives the access token for the next call."""

    def value(self) -> str:
        """The token, fresh enough to be used now."""


class IssuedToken:
    """A token issued to the client (interface document, section 5).

    :raises InvalidConnection: empty, holding a character that cannot stand in an HTTP header, or of the form of a private key, which
        would go to the other side in clear.
    """

    __slots__ = ("_token",)

    def __init__(self, token: str) -> None:
        if not isinstance(token, str) or not token:
            raise InvalidConnection("token", "is empty", "Store the issued access token in the connection's password")
        if not all("!" <= character <= "~" for character in token):
            raise InvalidConnection(
                "token", "holds a space, a line break or another character no token has", "Copy it again, on one line"
            )
        if _KEY.match(token):
            raise InvalidConnection(
                "token",
                "has the form of a private key, and would be sent to the host",
                "Write the token that was issued; a key belongs into a staking_signer connection whose host is empty",
            )
        self._token = token

    def value(self) -> str:
        """The token as it was issued."""
        return self._token

    def __repr__(self) -> str:
        return "IssuedToken(***)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("an IssuedToken is a secret and is never pickled")


class SelfMadeToken:
    """A token signed by its owner, made anew before the gateway could find it too old.

    Format: base64 of JSON `{pk, iat, hasPayer, payer, sig}`; `payer` only when there is one.

    :param signer: the owner's signer.
    :param has_payer: whether a payer covers the owner's fees.
    :param payer: that payer.
    :param max_age: age in seconds at which the gateway refuses a token; it is renewed at half of it.
    :param clock: seconds since 1970, for tests.
    """

    __slots__ = ("_clock", "_has_payer", "_made", "_payer", "_renew_after", "_signer")

    def __init__(
        self,
        signer: Signer,
        *,
        has_payer: bool = False,
        payer: AccountId | None = None,
        max_age: float = MAX_TOKEN_AGE,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._signer = signer
        self._has_payer = has_payer or payer is not None
        self._payer = payer
        self._renew_after = max_age / 2
        self._clock = clock
        self._made: tuple[float, str] | None = None

    @property
    def is_fresh(self) -> bool:
        """Whether the next `value` needs no signature."""
        return self._made is not None and 0 <= self._clock() - self._made[0] < self._renew_after

    def value(self) -> str:
        """The current token, or a new one when it has reached half its life or the clock was set back."""
        if self._made is None or not self.is_fresh:
            now = self._clock()
            self._made = (now, self._make(now))
        return self._made[1]

    def _make(self, now: float) -> str:
        moment = datetime.fromtimestamp(now, timezone.utc)
        issued_at = f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z"
        message = access_token_message(self._signer.account, issued_at, self._has_payer, self._payer)
        token: dict[str, str | bool] = {"pk": self._signer.account.hex, "iat": issued_at, "hasPayer": self._has_payer}
        if self._payer is not None:
            token["payer"] = self._payer.hex
        token["sig"] = self._signer.sign(MessageKind.ACCESS_TOKEN, message)
        return base64.b64encode(json.dumps(token, separators=(",", ":")).encode()).decode()

    def __repr__(self) -> str:
        return f"SelfMadeToken({self._signer.account})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a SelfMadeToken is a secret and is never pickled")


def token_source(token: str | TokenSource) -> TokenSource:
    """A token given as a text is an issued one.

    :raises InvalidConnection: no token at all.
    """
    return token if hasattr(token, "value") else IssuedToken(token)
