"""Signs that somebody else signs for the same user or payer: two deployments that share them by mistake, or another tool.

A gateway's nonce is that of the next payload. While only one ledger signs for a user and a payer, it is never more than one ahead of
the highest nonce that ledger has used; every nonce in between was used by others. What is paid does not depend on it: nothing is
signed with a nonce the gateway has not just told, and `settlement` judges each payload by itself. But two that share user *and* payer
can take an era for paid that was not, see `docs/decisions/0003-nonces-as-evidence.md`, so it is said at the moment it is seen.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from staking_gateway.ledger import Actor, Ledger
    from staking_gateway.terms import PayoutTerms

NONCES_USED_ELSEWHERE = "nonces_used_elsewhere"
"""Kind of the notice that is left for an era."""

log = logging.getLogger(__name__)
log.addHandler(logging.NullHandler())  # a script that has set up no logging is not spoken to


def nonces_used_elsewhere(ledger: Ledger, terms: PayoutTerms, *, staking_nonce: int, payment_nonce: int) -> str | None:
    """What the nonces a gateway told a moment ago say about others, or None.

    Read the nonces first: a payload is in the ledger before it is sent, so what the ledger knows then is at least as new.

    :param staking_nonce: of the user; likewise `payment_nonce` of the payer.
    """
    used = ledger.nonces_used(terms.lane, user=terms.user, payer=terms.payer)
    others = (
        ("staking", "user", terms.user, _gap(staking_nonce, used.staking)),
        ("payment", "payer", terms.payer, _gap(payment_nonce, used.payment)),
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
    """How many nonces lie between what the gateway told and what this ledger used; none when it never used any."""
    return 0 if used is None else max(0, told - used - 1)


def warn_of_others(
    ledger: Ledger, terms: PayoutTerms, era: int, actor: Actor, *, staking_nonce: int, payment_nonce: int
) -> None:
    """Say it once for each era: in the log, and as a notice in the ledger, where `airflow staking doctor` finds it.

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
