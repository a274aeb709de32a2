"""Signs of a second signer: another deployment or tool that signs for the same user or payer.

The gateway reports the nonce of the next payload. While only this ledger signs for a user and a payer, that nonce is at most one ahead
of the highest nonce on record. Something else used every nonce in between. No payout depends on this check. But a second signer for the
same user can make an era look paid, see `docs/concepts.md`. So the engine warns as soon as it sees one.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from staking_gateway.ledger import Actor, Ledger
    from staking_gateway.payout.terms import PayoutTerms

NONCES_USED_ELSEWHERE = "nonces_used_elsewhere"
"""Kind of the notice about an era."""

log = logging.getLogger(__name__)
log.addHandler(logging.NullHandler())


def nonces_used_elsewhere(ledger: Ledger, terms: PayoutTerms, *, staking_nonce: int, payment_nonce: int) -> str | None:
    """A text about nonces that something else used, or None.

    Read the nonces before this call: a payload is in the ledger before it is sent, so the ledger is at least as new.

    :param staking_nonce: of the user; likewise `payment_nonce` of the payer.
    """
    staking, payment = ledger.highest_nonces(terms.lane, user_key=terms.user.hex, payer_key=terms.payer.hex)
    others = (
        ("staking", "user", terms.user, _gap(staking_nonce, staking)),
        ("payment", "payer", terms.payer, _gap(payment_nonce, payment)),
    )
    seen = [
        f"{gap} {kind} nonce{'' if gap == 1 else 's'} of the {role} {account}"
        for kind, role, account, gap in others
        if gap
    ]
    if not seen:
        return None
    verb = "was" if len(seen) == 1 and seen[0].startswith("1 ") else "were"
    return (
        f"{' and '.join(seen)} {verb} used by something else than this ledger: another deployment or tool, or a payload "
        "that was given up and executed late"
    )


def _gap(told: int, used: int | None) -> int:
    """How many nonces lie between the reported one and the highest on record; none when the ledger has no record."""
    return 0 if used is None else max(0, told - used - 1)


def warn_of_foreign_nonces(
    ledger: Ledger, terms: PayoutTerms, era: int, actor: Actor, *, staking_nonce: int, payment_nonce: int
) -> None:
    """Warn once for each era: in the log, and as a notice in the ledger, which `airflow staking doctor` shows.

    :param era: the era that is about to be signed for.
    """
    seen = nonces_used_elsewhere(ledger, terms, staking_nonce=staking_nonce, payment_nonce=payment_nonce)
    if seen and ledger.journal.note_once(terms.network, era, NONCES_USED_ELSEWHERE, seen, actor):
        log.warning(
            "Era %s of %s: %s. If a second deployment signs for them, stop one of the two: let both use one ledger, or give "
            "each a user and a payer of its own",
            era,
            terms.network,
            seen,
        )
