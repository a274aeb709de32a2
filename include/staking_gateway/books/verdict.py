"""The comparison of one subject of an era."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple

AGREES, UNKNOWN = "agrees", "unknown"
SETTLED = timedelta(minutes=5)
"""A payout that was confirmed within this time may be missing in the state that a node reads."""


class Judgement(NamedTuple):
    """A result without the words of the sides.

    :param agrees: None: unknown.
    :param finding: a word of `Reconciliation.finding`.
    """

    agrees: bool | None
    finding: str
    text: str


def unknown(text: str) -> Judgement:
    return Judgement(None, UNKNOWN, text)


def agreed(text: str) -> Judgement:
    return Judgement(True, AGREES, text)


@dataclass(frozen=True)
class Verdict:
    """A result with what each side says.

    :param ledger: the words of the ledger; None: it says nothing. Likewise `gateway` and `chain`.
    """

    subject: str
    judged: Judgement
    ledger: str | None = None
    gateway: str | None = None
    chain: str | None = None
