"""The comparison of one subject of an era."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from staking_gateway.ledger import Reconciliation

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from staking_gateway.ledger import Actor, Ledger

AGREES, UNKNOWN = "agrees", "unknown"
CORRECTED = "the ledger has the chain's now"
"""The end of the text of a difference that is over, because the ledger has taken the chain's value."""
SETTLED = timedelta(minutes=5)
"""A payout that was settled within this time may be missing in the state that a node reads."""


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


def as_row(name: str, era: int, verdict: Verdict, now: datetime, actor: Actor) -> Reconciliation:
    """The result as a row of the ledger."""
    agrees, finding, text = verdict.judged
    return Reconciliation(
        network=name,
        era=era,
        subject=verdict.subject,  # type: ignore[arg-type]
        agrees=agrees,
        finding=finding,  # type: ignore[arg-type]
        ledger_says=verdict.ledger,
        gateway_says=verdict.gateway,
        chain_says=verdict.chain,
        text=f"era {era}: {text}",
        checked_at=now,
        run=str(actor),
    )


def store_results(ledger: Ledger, name: str, rows: Sequence[Reconciliation]) -> list[Reconciliation]:
    """Store results. An unknown one replaces only a corrected difference: the chain keeps facts for some time only.

    :returns: the results; a known difference in place of an unknown result.
    """
    if not rows:
        return []
    eras = range(min(row.era for row in rows), max(row.era for row in rows) + 1)
    known = {
        (row.era, row.subject): row
        for row in ledger.facts.reconciliations(name, eras)
        if row.agrees is not None and not row.text.endswith(CORRECTED)
    }
    ledger.facts.note_reconciliation(
        [row for row in rows if row.agrees is not None or (row.era, row.subject) not in known]
    )
    found = []
    for row in rows:
        before = known.get((row.era, row.subject))
        differed = row.agrees is None and before is not None and before.agrees is False
        found.append(before if differed and before is not None else row)
    return found
