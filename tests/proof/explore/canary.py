"""Rules that are switched off, so that a search that finds nothing is noticed."""

from __future__ import annotations

from staking_gateway.payout import decide as rules
from tests.proof.explore.catalogue import small
from tests.proof.explore.reach import without
from tests.proof.explore.search import explore

CANARIES = {
    3: "window",
    4: "one era, more batches left",
    7: "window",
    8: "paid already, accepted and charged",
    10: "paid elsewhere meanwhile",
}
"""Rules without which a promise breaks, and a world that shows it within a second. Each run draws one."""


def broken_without(rule: int) -> list[str]:
    """The promises that break in the world of `CANARIES` when a rule is switched off."""
    honest, rules.decide = rules.decide, without(rule)
    try:
        world = next(one for one in small() if one.name == CANARIES[rule])
        return list(explore(world, seconds=60).violations)
    finally:
        rules.decide = honest
