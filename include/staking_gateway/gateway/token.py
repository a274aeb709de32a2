"""Access tokens that a client makes and its owner signs."""

from __future__ import annotations

import base64
import json
import time
from datetime import datetime, timezone
from typing import TYPE_CHECKING, NoReturn

from staking_gateway.signing import MessageKind, Signer, access_token_message

if TYPE_CHECKING:
    from collections.abc import Callable

    from staking_gateway.types import AccountId

MAX_TOKEN_AGE = 60.0
"""Seconds after which old gateways refuse a self-made token; newer ones accept ten minutes."""


class SelfMadeToken:
    """A token signed by its owner, and renewed at half of its maximum age or when the clock was set back.

    Format: base64 of JSON `{pk, iat, hasPayer, payer, sig}`; `payer` is optional.

    :param signer: the owner's signer.
    :param payer: covers the owner's fees.
    :param clock: seconds since 1970, for tests.
    """

    __slots__ = ("_clock", "_made", "_payer", "_signer")

    def __init__(
        self, signer: Signer, *, payer: AccountId | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        self._signer = signer
        self._payer = payer
        self._clock = clock
        self._made: tuple[float, str] | None = None

    @property
    def is_fresh(self) -> bool:
        """Whether the next `value` needs no signature."""
        return self._made is not None and 0 <= self._clock() - self._made[0] < MAX_TOKEN_AGE / 2

    def value(self) -> str:
        """The current token, or a new one."""
        if self._made is None or not self.is_fresh:
            now = self._clock()
            self._made = (now, self._make(datetime.fromtimestamp(now, timezone.utc)))
        return self._made[1]

    def _make(self, moment: datetime) -> str:
        owner, payer = self._signer.account, self._payer
        issued_at = f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z"
        message = access_token_message(owner, issued_at, payer is not None, payer)
        token: dict[str, str | bool] = {"pk": owner.hex, "iat": issued_at, "hasPayer": payer is not None}
        token |= {} if payer is None else {"payer": payer.hex}
        token["sig"] = self._signer.sign(MessageKind.ACCESS_TOKEN, message)
        return base64.b64encode(json.dumps(token, separators=(",", ":")).encode()).decode()

    def __repr__(self) -> str:
        return f"SelfMadeToken({self._signer.account})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a SelfMadeToken is a secret and is never pickled")
