"""Who may call: issued access tokens, and tokens callers make themselves."""

from __future__ import annotations

import base64
import json
from datetime import datetime, timezone
from typing import TYPE_CHECKING

from staking_gateway import signing

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_FUTURE_SECONDS = 15
"""How far ahead of this machine's clock the maker of a token may be."""
_REMEMBERED = 4096


class TokenGate:
    """Decides whether a token is good.

    :param issued: tokens that are always good.
    :param max_age: how old a self-made token may be, in seconds.
    """

    def __init__(self, issued: Iterable[str], max_age: float) -> None:
        self._issued = frozenset(issued)
        self._max_age = max_age
        self._verified: dict[str, float] = {}

    def admits(self, token: str, now: float) -> bool:
        """Whether a token is good at a real time, in seconds since 1970. A signature is verified once per token."""
        if token in self._issued:
            return True
        issued_at = self._verified.get(token)
        if issued_at is None:
            issued_at = _verify(token)
            if issued_at is None:
                return False
            if len(self._verified) >= _REMEMBERED:
                del self._verified[next(iter(self._verified))]
            self._verified[token] = issued_at
        return -MAX_FUTURE_SECONDS <= now - issued_at <= self._max_age


def names_payer(token: str) -> bool:
    """Whether a token says that a payer covers its owner's fees."""
    try:
        return json.loads(base64.b64decode(token, validate=True))["hasPayer"] is True
    except (ValueError, TypeError, KeyError):
        return False


def _verify(token: str) -> float | None:
    """When a self-made token was issued, in seconds since 1970; None when it is not one, or its signature is wrong."""
    try:
        claims = json.loads(base64.b64decode(token, validate=True))
        public_key, issued_at, signature = claims["pk"], claims["iat"], claims["sig"]
        has_payer, payer = claims.get("hasPayer", False), claims.get("payer")
        if not isinstance(has_payer, bool) or not all(
            isinstance(key, str) and key.startswith("0x") for key in (public_key, payer or "0x")
        ):
            return None
        message = signing.access_token_message(public_key, issued_at, has_payer, payer)
        if not signing.verify(message, signature, public_key):
            return None
        return datetime.strptime(issued_at, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc).timestamp()
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        # Whatever a stranger put in the header is not a token, and that is all there is to say.
        return None
