"""The results of the payout engine: how an era ended, or why it waits."""

from dataclasses import dataclass
from datetime import timedelta
from enum import Enum
from typing import Any

from staking_gateway.ledger.records import Payout, PayoutState
from staking_gateway.problem import Topic
from staking_gateway.types import RequestStatus


class Outcome(str, Enum):
    """How a run of an era ended. PAID: a payload of this run was executed. ALREADY_PAID: another run or another tool paid the era. UNKNOWN: a payload
    was sent, and its result is unknown. NOT_TRIED: nothing was ever signed.
    """

    PAID = "PAID"
    ALREADY_PAID = "ALREADY_PAID"
    PARTIAL = "PARTIAL"
    HELD_WINDOW = "HELD_WINDOW"
    HELD_FEE = "HELD_FEE"
    EXPIRED = "EXPIRED"
    REJECTED = "REJECTED"
    UNKNOWN = "UNKNOWN"
    NOT_TRIED = "NOT_TRIED"
    UNSUPPORTED = "UNSUPPORTED"

    @property
    def is_green(self) -> bool:
        """Whether nothing is left to pay."""
        return self in (Outcome.PAID, Outcome.ALREADY_PAID)

    @property
    def topic(self) -> Topic:
        return Topic.of(self.value.lower())


WINDOW_REASON = "the election window is open"


class Hold(str, Enum):
    """Why a part is held back; a column of the ledger.

    WINDOW: the election window is open. FEE: the fee is above a limit. LIMIT: a limit of fees is not set.
    CHARGED: fees were charged and nothing was paid.
    CONTRADICTION: the witnesses disagree; it also marks a payload in flight. UNSUPPORTED: the gateway has no payout method.
    CHARGED and CONTRADICTION wait for a person.
    """

    WINDOW = "window"
    FEE = "fee"
    LIMIT = "limit"
    CHARGED = "charged"
    CONTRADICTION = "contradiction"
    UNSUPPORTED = "unsupported"

    @property
    def outcome(self) -> Outcome:
        """The outcome of an era that ends with this hold."""
        if self in (Hold.FEE, Hold.LIMIT):
            return Outcome.HELD_FEE
        return {Hold.WINDOW: Outcome.HELD_WINDOW, Hold.UNSUPPORTED: Outcome.UNSUPPORTED}.get(self, Outcome.REJECTED)


def hold_of(payout: Payout) -> Outcome | None:
    """The outcome that a held part stands for; None: the part is not held."""
    return None if payout.state is not PayoutState.HELD or payout.hold is None else Hold(payout.hold).outcome


def topic_of(outcome: Outcome, part: Payout | None) -> Topic:
    """The section of the runbook for an outcome that is not green. The record of the part that is not settled may have a more exact reason."""
    if part is None:
        return outcome.topic
    if outcome is Outcome.HELD_FEE and part.hold == Hold.LIMIT.value:
        return Topic.LIMIT_MISSING
    sent = None if part.hold else part.accepted
    refused = sent is not None and sent.status == RequestStatus.PAYER_REFUSED.value
    return Topic.PAYER_EMPTY if outcome is Outcome.REJECTED and refused else outcome.topic


class WaitFor(str, Enum):
    """What the engine waits for. ERA: its end. FINALITY: what was seen must be seen again when the chain can no longer take it back. STOPPED: a person
    has stopped the ledger.
    """

    WINDOW = "window"
    CONFIRMATION = "confirmation"
    LANE = "lane"
    REPLAY = "replay"
    ERA = "era"
    FINALITY = "finality"
    STOPPED = "stopped"


@dataclass(frozen=True)
class Wait:
    """The engine can do nothing more for now; call `advance` again when the cause is gone.

    :param message: the reason in words, for a log.
    :param retry_in: ask again after this time at the latest.
    :param request_id: the request whose confirmation is awaited.
    :param abandoned: the outcome if the caller stops waiting.
    """

    reason: WaitFor
    message: str
    retry_in: timedelta
    abandoned: Outcome
    request_id: str | None = None


@dataclass(frozen=True)
class EraOutcome:
    """The outcome of an era, why it is not green, and the ledger's record of each part."""

    network: str
    era: int
    outcome: Outcome
    reason: str
    parts: tuple[Payout, ...]

    @property
    def topic(self) -> Topic:
        return topic_of(self.outcome, next((part for part in self.parts if not part.state.settled), None))

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON: no signature, no key; amounts as decimal text, times as ISO 8601 UTC."""
        return {
            "network": self.network,
            "era": self.era,
            "outcome": self.outcome.value,
            "reason": self.reason,
            "topic": self.topic.anchor,
            "parts": [
                {
                    "part": part.part,
                    "state": part.state.value,
                    "request_id": part.request_id,
                    "tx_hash": part.tx_hash,
                    "block_number": part.block_number,
                    "fee": None if part.fee is None else str(part.fee),
                    "confirmed_by": part.confirmed_by,
                    "accepted_at": sent.answered_at.isoformat() if sent and sent.answered_at else None,
                    "confirmed_at": part.confirmed_at.isoformat() if part.confirmed_at else None,
                    "reason": part.reason,
                }
                for part, sent in ((part, part.accepted) for part in self.parts)
            ],
        }
