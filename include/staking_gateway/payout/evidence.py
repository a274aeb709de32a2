"""The input and the output of `decide`: the evidence, each fact read at most once per decision, and the actions."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from staking_gateway.errors import StakingGatewayError
    from staking_gateway.http.meanings import SendAnswer
    from staking_gateway.ledger import Payout, PayoutState
    from staking_gateway.ledger.records import NoncesUsed
    from staking_gateway.payout.fee_limits import Spent
    from staking_gateway.payout.outcomes import Outcome, Wait
    from staking_gateway.payout.terms import PayoutTerms
    from staking_gateway.signing import Proofs
    from staking_gateway.types import ElectionWindow, RequestState


class _Unread:
    def __repr__(self) -> str:
        return "UNREAD"


UNREAD: Any = _Unread()
"""A fact that was not read yet. None means that this gateway does not have the fact."""


class Fact(str, Enum):
    """A fact to read. The value is the name of the field of `Evidence`."""

    PAYS_BY_ITSELF = "pays_by_itself"
    ACTIVE_ERA = "active"
    WINDOW = "window"
    FEE = "fee"
    STAKING_NONCE = "staking"
    PAYMENT_NONCE = "payment"
    REQUEST = "request"
    ERA_PAID = "era_paid"
    BLOCKER = "blocker"
    NONCES_USED = "used"
    PAYMENT_SHARED = "payment_shared"
    SPENT = "spent"


class Shared(Enum):
    """Whether another payload with the same payment nonce may have used the nonce, or has used it."""

    IN_FLIGHT = "in flight"
    CONFIRMED = "confirmed"


@dataclass(frozen=True)
class Unreadable:
    """A read that failed.

    :param permanent: whether only a change of the settings helps.
    """

    error: StakingGatewayError
    permanent: bool = False


@dataclass(frozen=True)
class SendResult:
    """The result of one send of a payload.

    :param text: for the history, without signatures.
    :param error: None when the gateway accepted the payload.
    """

    kind: SendAnswer
    text: str = ""
    request_id: str | None = None
    error: Exception | None = None


@dataclass
class Evidence:
    """The facts that were read since the record. Facts of the gateway are values, None (not offered) or `Unreadable`.

    :param active: index of the active era.
    :param staking: the next staking nonce of the record's user; `payment` the next payment nonce of its payer.
    :param fee: the fee of the next payload, in the smallest unit.
    :param request: state of the record's request.
    :param era_paid: whether a node reports the era as paid.
    :param blocker: another payload in flight, for which this part must wait, or None.
    :param used: the nonces of confirmed payloads.
    :param payment_shared: another user's payload with the same payment nonce; None: there is none.
    :param spent: the fees that the limits count.
    :param sent: the result of the send of this decision.
    :param sends: how often this call has sent the record's payloads; it survives `anew`.
    """

    pays_by_itself: bool | Any = UNREAD
    active: int | Any = UNREAD
    window: ElectionWindow | Any = UNREAD
    fee: int | Any = UNREAD
    staking: int | Any = UNREAD
    payment: int | Any = UNREAD
    request: RequestState | Any = UNREAD
    era_paid: bool | Any = UNREAD
    blocker: Payout | Any = UNREAD
    used: NoncesUsed | Any = UNREAD
    payment_shared: Shared | Any = UNREAD
    spent: Spent | Any = UNREAD
    sent: SendResult | Any = UNREAD
    sends: int = 0

    def get(self, fact: Fact) -> Any:
        return getattr(self, fact.value)

    def anew(self) -> Evidence:
        """Empty evidence, for a record that has changed."""
        return Evidence(sends=self.sends)


@dataclass(frozen=True)
class Me:
    """The process that asks for a decision.

    :param owner: name of its leases, unique to the process.
    :param run: name of its run; `try_number` which try of the task.
    :param user_key: 0x public key it can sign for as the user; `payer_key` as the payer.
    :param given: ready-made proofs, when it does not make its own.
    :param own: whether the part belongs to the era it was asked to pay.
    """

    owner: str
    run: str
    try_number: int
    user_key: str
    payer_key: str
    given: Proofs | None = None
    own: bool = True

    @property
    def needed(self) -> tuple[Fact, ...]:
        """The facts to read before a signature."""
        if self.given is None:
            return Fact.FEE, Fact.PAYMENT_NONCE, Fact.STAKING_NONCE
        return () if self.given.staking_nonce is not None else (Fact.STAKING_NONCE,)

    def nonces(self, seen: Evidence) -> tuple[int | None, int]:
        """The staking and the payment nonce of the next payload."""
        if self.given is None:
            return seen.staking, seen.payment
        known = self.given.staking_nonce
        return (seen.staking if known is None else known), self.given.payment_nonce

    def given_is_of(self, record: Payout) -> bool:
        """Whether the ready-made proofs are those of the record's payload."""
        signed = record.proxy_signature, record.fee_payment_signature
        return self.given is not None and (self.given.proxy_signature, self.given.fee_payment_signature) == signed

    def lease(self, now: datetime, terms: PayoutTerms) -> dict[str, Any]:
        """The columns that keep other processes from sending a payload for a while."""
        return {"lease_owner": self.owner, "lease_until": now + terms.lease}


# --- actions ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ask:
    """Read a fact and decide again."""

    fact: Fact


@dataclass(frozen=True)
class Sign:
    """Sign the part with the fee and the nonces of the evidence, and store the payload under a lease."""


@dataclass(frozen=True)
class Send:
    """Send the payload of the record, byte for byte, and decide again with the answer."""


@dataclass(frozen=True)
class Settle:
    """Settle another payload first, then decide again."""

    blocker: Payout


@dataclass(frozen=True)
class Done:
    """The era has an outcome for now."""

    outcome: Outcome
    reason: str


@dataclass(frozen=True)
class Raise:
    """Raise an error. Nothing is lost, and the next call continues."""

    error: Exception | None


@dataclass(frozen=True)
class Move:
    """Store a change of the record, unless another process has changed the record since.

    :param cause: for people; no rule reads it.
    :param changes: further columns.
    :param then: the action after the write; None decides again.
    """

    state: PayoutState
    cause: str
    changes: Mapping[str, Any] = field(default_factory=dict)
    then: Wait | Done | Raise | None = None


Action: TypeAlias = "Ask | Sign | Send | Settle | Move | Wait | Done | Raise"
