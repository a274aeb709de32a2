"""What the ledger remembers, as frozen values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from staking_gateway.types import StakingStatus


class PayoutState(str, Enum):
    """State of one part of an era's payout."""

    PLANNED = "PLANNED"
    SIGNED = "SIGNED"
    SUBMITTED = "SUBMITTED"
    UNKNOWN = "UNKNOWN"
    HELD = "HELD"
    REJECTED = "REJECTED"
    CONFIRMED = "CONFIRMED"
    EMPTY = "EMPTY"

    @property
    def in_flight(self) -> bool:
        """Whether a signed payload may still execute."""
        return self in (PayoutState.SIGNED, PayoutState.SUBMITTED, PayoutState.UNKNOWN)

    @property
    def settled(self) -> bool:
        """Whether nothing is left to do: executed, or the gateway says that nothing is left to pay."""
        return self in (PayoutState.CONFIRMED, PayoutState.EMPTY)


@dataclass(frozen=True)
class Actor:
    """Who makes a change: a run of a DAG, a command, a script.

    :param run: name of the run, e.g. `staking_payout_devnet/scheduled__era-1392`.
    :param try_number: which try of the task.
    """

    run: str
    try_number: int = 1

    def __str__(self) -> str:
        return f"{self.run}#{self.try_number}"


@dataclass(frozen=True)
class Payout:
    """One part of an era's payout; amounts in the smallest unit, keys as 0x hex.

    :param chain: what the nonces belong to; networks that are the same chain share its lanes.
    :param fee: the most that the current payload, or an earlier one of the same nonces, can cost.
    :param plans: how many payloads have been signed for this part.
    :param unanswered: sends of the current payload whose fate is unknown; `unanswered_at` is when the last was made.
    :param settled_by: the actor whose transition settled it.
    :param hold: why a HELD part is held: a value of `payout.outcomes.Hold`.
    :param copies_out: whether an earlier payload of the same staking nonce may still execute.
    :param refused: whether the last repetition of the current payload was refused.
    :param request_status: the final state that the gateway reported for the request, while the nonces have yet to agree.
    :param disagree: which witnesses do not agree yet; `disagree_since` is when that was seen first.
    :param over: `paid` or `expired` once the era is known to be; `over_since` is when that was known first.
    :param fee_charged: whether the last payload's fee was charged; None while that is unknown.
    :param used_nonce: the highest staking nonce of a payload of this part that failed while its nonce was used all the same.
    :param asked: whether the gateway was asked if the era is paid, since the last payload failed.
    :param wasted: how many fees were charged for this part without a payout.
    :param signed_by: name of the run that signed the current payload, `signed_try` its try.
    :param signatures: how many payloads that try has signed for this part.
    :param given_up_by: name of the run that gave a payload up although it may have executed; only version 0.1.0 did.
    """

    id: int
    network: str
    chain: str
    era: int
    part: int
    state: PayoutState
    version: int
    user_key: str
    payer_key: str
    relayer_key: str
    staking_nonce: int | None
    payment_nonce: int | None
    fee: int | None
    proxy_signature: str | None
    fee_payment_signature: str | None
    request_id: str | None
    tx_hash: str | None
    block_number: int | None
    confirmed_by: str | None
    reason: str | None
    plans: int
    unanswered: int
    unanswered_at: datetime | None
    lease_owner: str | None
    lease_until: datetime | None
    created_at: datetime
    updated_at: datetime
    signed_at: datetime | None
    accepted_at: datetime | None
    confirmed_at: datetime | None
    settled_by: str | None
    hold: str | None
    copies_out: bool
    refused: bool
    request_status: str | None
    disagree: str | None
    disagree_since: datetime | None
    over: str | None
    over_since: datetime | None
    fee_charged: bool | None
    asked: bool
    wasted: int
    signed_by: str | None
    signed_try: int | None
    signatures: int
    given_up_by: str | None
    used_nonce: int | None

    def signatures_by(self, run: str, try_number: int) -> int:
        """How many payloads one try of a run has signed for this part, as far as no other try has signed since."""
        return self.signatures if (self.signed_by, self.signed_try) == (run, try_number) else 0

    def __repr__(self) -> str:
        return f"Payout({self.network} era {self.era} part {self.part}: {self.state.value} v{self.version})"


@dataclass(frozen=True)
class NoncesUsed:
    """The highest nonces of a user and a payer that are on record as used; None when none is."""

    staking: int | None
    payment: int | None


@dataclass(frozen=True)
class PayoutEvent:
    """One transition, as it happened."""

    at: datetime
    from_state: PayoutState | None
    to_state: PayoutState
    version: int
    cause: str
    run: str
    try_number: int


@dataclass(frozen=True)
class AccountStatus:
    """Staking status of one account in one era."""

    account_key: str
    address: str
    status: StakingStatus
    checked_at: datetime


@dataclass(frozen=True)
class Notice:
    """Something that was said about an era, once.

    :param kind: what, e.g. `expired`.
    :param run: the actor that said it.
    """

    era: int
    kind: str
    text: str
    at: datetime
    run: str
