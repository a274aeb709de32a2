"""How an era ended, or what it is waiting for: the vocabulary between the payout engine and whoever drives it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from staking_gateway.ledger.records import PayoutState

if TYPE_CHECKING:
    from datetime import timedelta

    from staking_gateway.ledger.records import Payout


class Outcome(str, Enum):
    """The one word every run of an era ends with."""

    PAID = "PAID"
    ALREADY_PAID = "ALREADY_PAID"
    PARTIAL = "PARTIAL"
    HELD_WINDOW = "HELD_WINDOW"
    HELD_FEE = "HELD_FEE"
    EXPIRED = "EXPIRED"
    REJECTED = "REJECTED"
    UNKNOWN = "UNKNOWN"
    UNSUPPORTED = "UNSUPPORTED"

    @property
    def is_green(self) -> bool:
        """Whether nothing is owed any more."""
        return self in (Outcome.PAID, Outcome.ALREADY_PAID)


WINDOW_REASON = "the election window is open"
FEE_REASON = "the fee "
"""How the reason of a payout begins that a fee holds back."""


def hold_of(payout: Payout) -> Outcome | None:
    """Which of the holds keeps a payout back; None: none does, or one of no known kind."""
    if payout.state is not PayoutState.HELD:
        return None
    if payout.reason == WINDOW_REASON:
        return Outcome.HELD_WINDOW
    return Outcome.HELD_FEE if (payout.reason or "").startswith(FEE_REASON) else None


class WaitFor(str, Enum):
    """What the engine cannot hasten."""

    WINDOW = "window"
    CONFIRMATION = "confirmation"
    LANE = "lane"
    REPLAY = "replay"


@dataclass(frozen=True)
class Wait:
    """The engine has done all it can for now; call `advance` again when the cause is gone.

    :param reason: what is being waited for.
    :param message: the same in words, for a log.
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
    """The outcome of an era, with what proves it.

    :param parts: the ledger's record of each part.
    :param reason: why, when it is not green.
    """

    network: str
    era: int
    outcome: Outcome
    reason: str
    parts: tuple[Payout, ...]

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON: no signature, no key; amounts as decimal text, times as ISO 8601 UTC."""
        return {
            "network": self.network,
            "era": self.era,
            "outcome": self.outcome.value,
            "reason": self.reason,
            "parts": [
                {
                    "part": part.part,
                    "state": part.state.value,
                    "request_id": part.request_id,
                    "tx_hash": part.tx_hash,
                    "block_number": part.block_number,
                    "fee": None if part.fee is None else str(part.fee),
                    "confirmed_by": part.confirmed_by,
                    "accepted_at": part.accepted_at.isoformat() if part.accepted_at else None,
                    "confirmed_at": part.confirmed_at.isoformat() if part.confirmed_at else None,
                    "reason": part.reason,
                }
                for part in self.parts
            ],
        }
