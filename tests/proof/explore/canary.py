"""Rules that are switched off, so that a search that finds nothing is noticed: each rule of safety has a story that demands it."""

from __future__ import annotations

from typing import Any, NamedTuple

from tests.proof.explore.catalogue import NO_DOOR, ONE, OTHER_PROOFS, TWO
from tests.proof.explore.reach import Rules
from tests.proof.explore.scenario import Bounds, Era, Scenario, Settings, freely
from tests.proof.explore.search import (
    BROKEN,
    ENDLESS,
    LIMIT,
    NOT_EXECUTED,
    NOT_FINAL,
    TWICE,
    UNASKED,
    UNPAID,
    WASTED,
    explore,
)


class Canary(NamedTuple):
    """A rule that is changed, and a world in which that breaks a promise.

    :param old: a text of the source of `payout/decide.py`, and `new` what replaces it.
    """

    old: str
    new: str
    scenario: Scenario
    broken: str


_RESTORED = (Era(batches=1),) * 2
_KEPT = Scenario("two eras", TWO, freely(2, kept=1))
_SEEN_MISSING: Any = {"fresh": True, "times": (1, 1, 999)}
"""After a fork nothing executes again before a look has seen it missing."""
CANARIES = {
    3: Canary(
        "    if staking not in (None, nonce):\n",
        "    if False:\n",
        Scenario("two eras, a fork", TWO, freely(2, fork=1), **_SEEN_MISSING),
        ENDLESS,
    ),
    4: Canary(
        "    if not case.me.own or began - looked.began < case.terms.final_after:\n",
        "    if not case.me.own:\n",
        Scenario("a fork", ONE, freely(1, fork=1)),
        NOT_FINAL,
    ),
    5: Canary(
        "    denied = node is False and case.terms.parts == 1\n",
        "    denied = False\n",
        Scenario("called Processed", ONE, freely(1, window=1), node=True, lie=True, bump=True, **NO_DOOR),
        NOT_EXECUTED,
    ),
    6: Canary("    if exclusive and not _all_rejected(case):\n", "    if True:\n", _KEPT, NOT_EXECUTED),
    7: Canary(
        '        return _paid(case, "node", cause) if exclusive else _empty(cause)',
        '        return _paid(case, "node", cause)',
        Scenario("paid elsewhere", TWO, freely(2, paid_elsewhere=1), node=True),
        NOT_EXECUTED,
    ),
    8: Canary(
        "        if told is not None or executed(rival, case.nonce):\n",
        "        if True:\n",
        _KEPT,
        TWICE,
    ),
    9: Canary(
        "    if told is not None and told[1] - told[0] >= terms.final_after:\n        return _empty",
        "    if True:\n        return _empty",
        _KEPT,
        UNPAID,
    ),
    10: Canary(
        'return _ask_dead(case, looked) or _doubt(case, f"it cannot be known',
        'return _ask_dead(case, looked) or _not_mine(case, f"it cannot be known',
        _KEPT.but(word=False),
        TWICE,
    ),
    11: Canary(
        "    if case.copies.passed is not None:\n",
        "    if False:\n",
        Scenario("a fork, seen missing", ONE, freely(2, fork=1), blocks=False, **_SEEN_MISSING),
        NOT_FINAL,
    ),
    13: Canary(
        "    repeated = told[1] - told[0] >= after\n",
        "    repeated = True\n",
        Scenario("a fork, called paid", (Era(batches=1),), freely(2, fork=1)),
        UNPAID,
    ),
    17: Canary(
        "    mine = copy.user_key == me.user_key and part",
        "    mine = part",
        Scenario("another user", (Era((Settings(), Settings(user=1))),), freely(2, settings=1, lost=1)),
        BROKEN,
    ),
    19: Canary(
        "    if automatic:\n",
        "    if False:\n",
        Scenario("the chain pays by itself", ONE, Bounds(), never="pays by itself"),
        UNASKED,
    ),
    21: Canary(
        "    if mark is None or terms.parts == 1 or case.again or",
        "    if True or terms.parts == 1 or case.again or",
        Scenario("a restored ledger, two batches", (Era(batches=3),), freely(4, restore=1), parts=2),
        TWICE,
    ),
    23: Canary(
        "    if case.copies.mark is not None:\n        floor",
        "    if False:\n        floor",
        Scenario("a restored ledger", _RESTORED, freely(2, restore=1)),
        NOT_EXECUTED,
    ),
    28: Canary(
        "    if len(wasted) >= terms.max_fees_for_nothing and not case.again:\n",
        "    if False:\n",
        Scenario("paid already", (Era(batches=0),), Bounds(sends=4), **NO_DOOR, wasted=1),
        WASTED,
    ),
    29: Canary(
        "    too_high = None if sign.fee is None else above_limit(sign.fee, case.read(Fact.SPENT, key), terms)\n",
        "    too_high = None\n",
        Scenario("a low limit", (Era((Settings(limit=1),)),), freely(2, fee=1)),
        LIMIT,
    ),
    31: Canary(
        "    mine = mine and (case.staking is not None or case.again)  # 31\n",
        "",
        Scenario("other proofs", (OTHER_PROOFS,), freely(2, settings=1, lost=1), nonces=False),
        TWICE,
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
    verdict = explore(canary.scenario, rules=Rules(canary.old, canary.new), seconds=seconds)
    return any(promise.startswith(canary.broken) for promise in verdict.violations)
