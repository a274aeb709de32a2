"""The words for an era: paid, in progress, held, rejected, expired or unpaid, and its cell on the page."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from staking_gateway.text import amount

if TYPE_CHECKING:
    from datetime import datetime

    from staking_gateway.text import Token


class State(str, Enum):
    """State of an era's payout; the value is its letter on the page."""

    PAID = "P"
    WAITING = "W"
    HELD = "H"
    REJECTED = "R"
    EXPIRED = "X"
    UNKNOWN = "U"
    UNPAID = "O"
    EARLIER = "?"
    IGNORED = "-"

    @property
    def word(self) -> str:
        """The state in one or two words."""
        return _WORDS[self][0]

    @property
    def meaning(self) -> str:
        """Meaning of the word; may be empty."""
        return _WORDS[self][1]


_WORDS = {
    State.PAID: ("paid", ""),
    State.WAITING: ("in progress", "its payment is in progress"),
    State.HELD: (
        "held",
        "not sent: the election window is open, the fee is above your limit, or the gateway lacks the payout method",
    ),
    State.REJECTED: ("rejected", "refused by the gateway or the chain, or held until a person decides"),
    State.EXPIRED: ("expired", "never paid, and its rewards are gone"),
    State.UNKNOWN: ("result unknown", "sent; result unknown"),
    State.UNPAID: ("unpaid", "can still be paid"),
    State.EARLIER: ("status unknown", ""),
    State.IGNORED: ("ignored", "not managed by this installation"),
}
OPEN = (State.WAITING, State.HELD, State.REJECTED, State.UNKNOWN, State.UNPAID, State.EARLIER)
"""States of an era that is unpaid and can be paid."""


@dataclass(frozen=True)
class EraRun:
    """A run of an Airflow DAG.

    :param state: as Airflow spells it, e.g. `running`.
    """

    dag_id: str
    run_id: str
    state: str = ""

    @property
    def active(self) -> bool:
        """Whether the run has not ended."""
        return self.state in ("queued", "running")

    def as_dict(self) -> dict[str, str]:
        return {"dag_id": self.dag_id, "run_id": self.run_id, "state": self.state}


@dataclass(frozen=True)
class Judgement:
    """State of an era, and why.

    :param in_hand: its payment is in progress.
    """

    state: State
    reason: str
    in_hand: bool = False

    @property
    def is_unpaid(self) -> bool:
        """Whether the era is unpaid, can be paid, and has no payment in progress."""
        return self.state in OPEN and self.state is not State.EARLIER and not self.in_hand


@dataclass(frozen=True, kw_only=True)
class PayoutCell(Judgement):
    """The payout of one era, for the page.

    :param lag: seconds from the era's end to the confirmation.
    :param fee: of all confirmed parts, in the smallest unit.
    """

    era: int
    run: EraRun | None
    tx_hash: str | None
    fee: int | None
    lag: float | None
    ended_at: datetime

    def as_dict(self, token: Token | None = None) -> dict[str, Any]:
        """Plain JSON without empty values; `fee_text` is the fee in the token's unit."""
        data = {
            "era": self.era,
            "state": self.state.value,
            "reason": self.reason,
            "in_hand": self.in_hand or None,
            "dag_id": self.run.dag_id if self.run else None,
            "run_id": self.run.run_id if self.run else None,
            "tx_hash": self.tx_hash,
            "fee": None if self.fee is None else str(self.fee),
            "fee_text": None if self.fee is None else amount(self.fee, token),
            "lag": None if self.lag is None else round(self.lag, 1),
            "ended_at": self.ended_at.isoformat(),
        }
        return {name: value for name, value in data.items() if value not in (None, "")}


def run_of(actor: str | None) -> EraRun | None:
    """The run of Airflow behind an `Actor.run`; None for a command or a script."""
    dag_id, slash, run_id = (actor or "").partition("/")
    return EraRun(dag_id, run_id) if slash and run_id and " " not in dag_id else None
