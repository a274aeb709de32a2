"""Records of the ledger, as frozen values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

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
        """Whether the part is done: executed, or nothing was left to pay."""
        return self in (PayoutState.CONFIRMED, PayoutState.EMPTY)


@dataclass(frozen=True)
class Actor:
    """The author of a change: a run of a DAG, a command, a script.

    :param run: name of the run, e.g. `staking_payout_devnet/scheduled__era-1392`.
    :param try_number: try of the task.
    """

    run: str
    try_number: int = 1

    def __str__(self) -> str:
        return f"{self.run}#{self.try_number}"


@dataclass(frozen=True)
class Payout:
    """One part of an era's payout; amounts in the smallest unit, keys as 0x hex.

    :param chain: the chain that the nonces belong to; networks of the same chain share its lanes.
    :param fee: the highest possible cost of the current payload, or of an earlier one with the same nonces.
    :param plans: number of signed payloads.
    :param unanswered: sends of the current payload with an unknown result; `unanswered_at` is the time of the last.
    :param settled_by: the actor that settled the part.
    :param hold: why a HELD part is held: a value of `payout.outcomes.Hold`.
    :param copies_out: whether an earlier payload with the same staking nonce may still execute.
    :param refused: whether the last repetition of the current payload was refused.
    :param request_status: final state of the request from the gateway, while the nonces do not confirm it yet.
    :param disagree: which witnesses disagree; `disagree_since` is the first time.
    :param over: `paid` or `expired` once the era is known to be; `over_since` is the first time.
    :param fee_charged: whether the last payload's fee was charged; None: unknown.
    :param used_nonce: the highest staking nonce that a failed payload of this part has used.
    :param asked: whether the gateway was asked since the last payload failed if the era is paid.
    :param wasted: number of fees that were charged for this part without a payout.
    :param signed_by: the run that signed the current payload; `signed_try` is its try.
    :param signatures: number of payloads that this try has signed for this part.
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
    used_nonce: int | None

    def signatures_by(self, run: str, try_number: int) -> int:
        """Number of payloads that a try of a run has signed for this part; 0 after another try has signed."""
        return self.signatures if (self.signed_by, self.signed_try) == (run, try_number) else 0

    def __repr__(self) -> str:
        return f"Payout({self.network} era {self.era} part {self.part}: {self.state.value} v{self.version})"


class NoncesUsed(NamedTuple):
    """The highest used nonces of a user and a payer; None without any."""

    staking: int | None
    payment: int | None

    def newer(self, staking: int, payment: int) -> bool:
        """Whether both nonces come after these."""
        return (self.staking is None or staking > self.staking) and (self.payment is None or payment > self.payment)


@dataclass(frozen=True)
class PayoutEvent:
    """One transition of a part."""

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
    """A notice about an era, once per kind.

    :param kind: e.g. `expired`.
    :param run: the actor that wrote the notice.
    """

    era: int
    kind: str
    text: str
    at: datetime
    run: str


@dataclass(frozen=True)
class TaskFailure:
    """Why the newest try of an era's run, or of a catch-up, has failed.

    :param era: None for a catch-up.
    :param topic: anchor of the runbook's section.
    :param text: the error's text without its remedy.
    :param run: the run that failed.
    """

    era: int | None
    topic: str
    text: str
    at: datetime
    run: str
