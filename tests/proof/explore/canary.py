"""Rules that are switched off, so that a search that finds nothing is noticed: each rule of safety has a story that demands it."""

from __future__ import annotations

from typing import NamedTuple

from tests.proof.explore import search
from tests.proof.explore.catalogue import NO_DOOR, ONE, OTHER_PROOFS, TWO
from tests.proof.explore.reach import Rules
from tests.proof.explore.scenario import Bounds, Era, Scenario, Settings, freely


class Canary(NamedTuple):
    """A rule that is changed, and a world in which that breaks a promise.

    :param old: a text of the source of `payout/decide.py`, and `new` what replaces it.
    """

    old: str
    new: str
    scenario: Scenario
    broken: str


_KEPT = Scenario("two eras", TWO, freely(2, kept=1))
_FORKS = Scenario("a fork, seen missing", ONE, freely(2, fork=1), fresh=True, times=(1, 1, 999))
"""After a fork nothing executes again before a look has seen it missing."""
CANARIES = {
    3: Canary("staking not in (None, nonce)", "False", _FORKS.but(name="two eras, a fork", eras=TWO), search.ENDLESS),
    4: Canary(
        "not case.me.own or began - looked.began < case.terms.final_after:\n        return case.finality(message,",
        "not case.me.own:\n        return case.finality(message,",
        Scenario("a fork", ONE, freely(1, fork=1)),
        search.NOT_FINAL,
    ),
    5: Canary(
        "node is False and case.terms.parts == 1",
        "False",
        Scenario("called Processed", ONE, freely(1, window=1), node=True, lie=True, bump=True, **NO_DOOR),
        search.NOT_EXECUTED,
    ),
    6: Canary("exclusive and not _all_rejected(case)", "True", _KEPT, search.NOT_EXECUTED),
    7: Canary(
        "if exclusive else _empty(cause)",
        "",
        Scenario("paid elsewhere", TWO, freely(2, paid_elsewhere=1), node=True),
        search.NOT_EXECUTED,
    ),
    8: Canary("told is not None or executed(rival, case.slot)", "True", _KEPT, search.TWICE),
    9: Canary("told is not None and told[1] - told[0] >= terms.final_after", "True", _KEPT, search.UNPAID),
    10: Canary('or _doubt(case, f"it', 'or _not_mine(case, f"it', _KEPT.but(word=False), search.TWICE),
    11: Canary("case.copies.passed is not None", "False", _FORKS.but(blocks=False), search.NOT_FINAL),
    13: Canary(
        "repeated = told[1] - told[0] >= after",
        "repeated = True",
        Scenario("a fork, called paid", (Era(batches=1),), freely(2, fork=1)),
        search.UNPAID,
    ),
    17: Canary(
        "mine = copy.user_key == me.user_key and part",
        "mine = part",
        Scenario("another user", (Era((Settings(), Settings(user=1))),), freely(2, settings=1, lost=1)),
        search.BROKEN,
    ),
    19: Canary("if automatic:", "if False:", Scenario("pays by itself", ONE, never="pays by itself"), search.UNASKED),
    21: Canary(
        "if mark is None or terms.parts == 1 or case.again or",
        "if True or",
        Scenario("a restored ledger, two batches", (Era(batches=3),), freely(4, restore=1), parts=2),
        search.TWICE,
    ),
    23: Canary(
        "if case.copies.mark is not None:",
        "if False:",
        Scenario("a restored ledger", (Era(batches=1),) * 2, freely(2, restore=1)),
        search.NOT_EXECUTED,
    ),
    28: Canary(
        "len(wasted) >= terms.max_fees_for_nothing and not case.again",
        "False",
        Scenario("paid already", (Era(batches=0),), Bounds(sends=4), **NO_DOOR, wasted=1),
        search.WASTED,
    ),
    29: Canary(
        "too_high = None if sign.fee is None else above_limit(",
        "too_high = None if True else above_limit(",
        Scenario("a low limit", (Era((Settings(limit=1),)),), freely(2, fee=1)),
        search.LIMIT,
    ),
    31: Canary(
        "mine = mine and (case.staking is not None or case.again)",
        "pass",
        Scenario("other proofs", (OTHER_PROOFS,), freely(2, settings=1, lost=1), nonces=False),
        search.TWICE,
    ),
}
"""By the number of the rule. Each run draws one."""

NOT_SHOWN = {
    24: "no read is ahead of the chain; a story is: a nonce that a person has given up is not signed for the same era again",
}
"""Rules of safety that no world demands, and why."""


def broken_without(rule: int, seconds: float = 60) -> bool:
    """Whether the search finds the story of `CANARIES` when a rule is switched off."""
    canary = CANARIES[rule]
    verdict = search.explore(canary.scenario, rules=Rules(canary.old, canary.new), seconds=seconds)
    return any(promise.startswith(canary.broken) for promise in verdict.violations)
