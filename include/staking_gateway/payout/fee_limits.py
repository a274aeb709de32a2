"""The limits that are looked at before every signature: fees per payout, per UTC day and per run."""

from dataclasses import dataclass
from datetime import datetime
from math import inf

from staking_gateway.ledger import Ledger
from staking_gateway.payout.terms import PayoutTerms


@dataclass(frozen=True)
class Spent:
    """Fees in the smallest unit that count: a signature is spent when it is stored. A payment nonce is charged once, with its highest fee.

    :param day: of the UTC day in which the payment nonce was first signed, without its own fee; `run` of the run that asks, likewise.
    :param key: the highest fee that the network has signed with the payment nonce; `key_of_run` the run. A lower one commits nothing more.
    """

    day: int = 0
    run: int = 0
    key: int = 0
    key_of_run: int = 0


def read_spent(
    ledger: Ledger, terms: PayoutTerms, *, run: str, now: datetime, key: tuple[str, str, int] | None = None
) -> Spent:
    """The fees that the limits count, for a run that would sign now with a key: lane, payer and payment nonce. A day ends at midnight UTC."""
    copies = [] if key is None else [copy for part, copy in ledger.copies_of(key) if part.network == terms.network]
    signed_at = copies[0].signed_at if copies else now
    midnight = signed_at.replace(hour=0, minute=0, second=0, microsecond=0)
    return Spent(
        0 if terms.max_fee_per_day is None else ledger.committed(terms.network, day=midnight, excluding=key),
        0 if terms.max_fee_per_run is None else ledger.committed(terms.network, run=run, excluding=key),
        max((copy.fee for copy in copies if copy.fee), default=0),
        max((copy.fee for copy in copies if copy.fee and copy.run == run), default=0),
    )


def missing_limit(terms: PayoutTerms) -> str | None:
    """The limits that are not set, or None: one for each payout is needed, and one for their sum."""
    missing = ["max_fee_per_payout"] if terms.max_fee_per_payout is None else []
    missing += ["max_fee_per_day"] if terms.max_fee_per_day is None and terms.max_fee_per_run is None else []
    return " and ".join(missing) or None


def above_limit(fee: int, spent: Spent, terms: PayoutTerms) -> str | None:
    """Why the fee of the next payload is too high, or None. Without limits, no fee of a gateway on another machine is low enough."""
    if terms.needs_limits and (missing := missing_limit(terms)):
        return f"the fee is {fee} planck, and the settings lack {missing}: write the highest fees to accept"
    of_day = f"{spent.day} planck of the payment nonce's day"
    for name, before, signed, asked in (
        ("max_fee_per_payout", 0, -inf, f"is {fee} planck,"),
        ("max_fee_per_day", spent.day, spent.key, f"{fee} planck on top of {of_day} is"),
        ("max_fee_per_run", spent.run, spent.key_of_run, f"{fee} planck on top of this run's {spent.run} planck is"),
    ):
        limit = getattr(terms, name)
        if limit is not None and fee > signed and before + fee > limit:
            return f"the fee {asked} more than {name} {limit} planck"
    return None
