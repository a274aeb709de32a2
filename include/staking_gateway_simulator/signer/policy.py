"""What may be signed. Pure: the time is handed in, and what was signed before is left to `counts`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone
from enum import Enum
from typing import TYPE_CHECKING

from staking_gateway.errors import SigningError
from staking_gateway.types import MAX_AMOUNT, MAX_ERA
from staking_gateway_simulator.limits import check_number
from staking_gateway_simulator.signer.messages import AccessTokenMessage, FeePaymentMessage, Message, PayoutMessage

if TYPE_CHECKING:
    from staking_gateway.types import AccountId


class Role(str, Enum):
    """What a key is for. A key of either role signs access tokens of its own account."""

    USER = "user"
    """Signs payouts."""
    PAYER = "payer"
    """Signs fee payments."""


@dataclass(frozen=True)
class SigningPolicy:
    """The limits of a signer.

    :param relayers: payouts and fees are signed for these relayers alone.
    :param max_fee: highest fee of one payout, in the smallest unit.
    :param users: fees are paid for these users alone.
    :param first_era: the first era whose payout is signed.
    :param last_era: the last one.
    :param daily_count: payouts, and likewise fee payments, signed for one account in a UTC day. Access tokens are not counted:
        a client makes one every half minute, and they move nothing.
    :param token_skew: how far the time in an access token may be from the signer's clock, in seconds.
    :raises InvalidInput: a value is out of range.
    """

    relayers: frozenset[AccountId]
    max_fee: int
    users: frozenset[AccountId]
    first_era: int = 0
    last_era: int = MAX_ERA
    daily_count: int = 100
    token_skew: float = 300.0

    def __post_init__(self) -> None:
        check_number("max_fee", self.max_fee, 0, MAX_AMOUNT)
        check_number("first_era", self.first_era, 0, MAX_ERA)
        check_number("last_era", self.last_era, self.first_era, MAX_ERA)
        check_number("daily_count", self.daily_count, 1, 1_000_000)
        check_number("token_skew", self.token_skew, 0, 86400)

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
