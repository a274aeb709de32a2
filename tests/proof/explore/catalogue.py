"""The scenarios of `make explore`, and the assumptions whose loss is explored."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from tests.proof.explore.scenario import KEPT, LAG, Bounds, Era, Scenario

_ONE = (Era(),)
_TWO = (Era(), Era())
_TWO_RUNS = (Era(runs=2),)
_TWO_NETWORKS = (Era(user=0, network=0), Era(user=1, network=1))
_MORE_LEFT = (Era(batches=2),)
_PAID = (Era(batches=0),)
_NO_DOOR: dict[str, Any] = {"door": False, "charge": True}
"""A gateway that accepts what the chain refuses, on a chain where a failed call costs its fee."""

_LOST = Bounds(faults=1, preemptions=0, crash=0, late=0, dropped=0, fee=0)
_NONE = Bounds(faults=0, preemptions=0, crash=0, lost=0, late=0, dropped=0, fee=0)
SMALL = {
    "two eras of one user": _LOST,
    "until empty, no checks at the door": _LOST,
    "two networks with one payer": replace(_NONE, ticks=5),
    "two eras, more batches left": _NONE,
    "two eras, no request states": _NONE,
    "two eras, unreadable request states": _NONE,
    "two runs of one era": _LOST,
    "two runs of one era, more batches left": _LOST,
    "no checks at the door": _NONE,
    "no checks at the door, failures cost their fee": _LOST,
    "no checks at the door, the chain leaves out": _NONE,
    "window": replace(_NONE, faults=1, window=1),
    "expiry": replace(_NONE, faults=3, expiry=3),
    "paid elsewhere meanwhile": replace(_NONE, faults=1, paid_elsewhere=1),
    "foreign payment nonces": replace(_NONE, faults=1, foreign_payment=1, crash=0, lost=0, late=0, dropped=0, fee=0),
    "told as not sent, and executed": replace(_NONE, faults=1, denied=1),
    "a clock that goes back": replace(_NONE, faults=1, preemptions=1, back=1),
    "a limit of fees": replace(_NONE, faults=1, fee=1),
}
"""Bounds within which every state is visited in CI; scenarios that are not named here have one fault and no preemption."""

LARGE = (
    "two eras of one user",
    "two networks with one payer",
    "paid already, called Processed",
    "no checks at the door, failures cost their fee",
    "until empty",
    "until empty, no checks at the door",
    "told as not sent, and executed",
    "a clock that goes back",
)
"""The worlds with more than 50,000 states, but for those that alone reach a hold. With `--bound drawn`, the seed draws one of them, and one
of the assumptions."""


def scenarios(faults: int = 1, preemptions: int = 0) -> list[Scenario]:
    """Every world that is explored, with the same bounds for all."""
    usual = Bounds(faults=faults, preemptions=preemptions, lost=faults, crash=faults, fee=faults)

    def also(**more: int) -> Bounds:
        return replace(usual, **more)

    return [
        Scenario("one era", _ONE, usual),
        Scenario("one era, more batches left", _MORE_LEFT, usual),
        Scenario("two eras of one user", _TWO, usual),
        Scenario("two eras, more batches left", (Era(batches=2), Era(batches=2)), usual),
        Scenario("two eras, no request states", _TWO, usual, poll="none"),
        Scenario("two eras, unreadable request states", _TWO, usual, poll="unreadable"),
        Scenario("two runs of one era", _TWO_RUNS, usual),
        Scenario("two networks with one payer", _TWO_NETWORKS, usual),
        Scenario("paid already, refused", _PAID, usual),
        Scenario("paid already, accepted and charged", _PAID, usual, **_NO_DOOR),
        Scenario("paid already, accepted and free", _PAID, usual, door=False),
        Scenario("paid already, called Processed", _PAID, usual, lie=True, **_NO_DOOR),
        Scenario("paid already, a node says so", _PAID, usual, node=True, **_NO_DOOR),
        Scenario("no checks at the door", _TWO, usual, door=False),
        Scenario("no checks at the door, failures cost their fee", _TWO, usual, **_NO_DOOR),
        Scenario("no checks at the door, the chain leaves out", _TWO, usual, door=False, silent=True, forgets=False),
        Scenario("until empty", _MORE_LEFT, usual, until_empty=True),
        Scenario("until empty, no checks at the door", _MORE_LEFT, usual, until_empty=True, **_NO_DOOR),
        Scenario("window", _TWO, also(window=1)),
        Scenario("window, no checks at the door", _ONE, also(window=1), **_NO_DOOR),
        Scenario("expiry", _TWO, also(expiry=4, faults=faults + 3)),
        Scenario("paid elsewhere meanwhile", _TWO, also(paid_elsewhere=1)),
        Scenario("foreign payment nonces", _TWO, also(foreign_payment=faults)),
        Scenario("told as not sent, and executed", _TWO, also(denied=1)),
        Scenario("a clock that goes back", _MORE_LEFT, replace(also(back=1), preemptions=max(preemptions, 1))),
        Scenario("a limit of fees", _TWO, usual, limit=3, **_NO_DOOR),
        Scenario("the chain pays by itself", _ONE, usual, never="pays by itself"),
        Scenario("the gateway has no payout method", _ONE, usual, never="no method"),
        Scenario("no limits are set", _ONE, usual, never="no limits"),
        Scenario("called paid, a node says that it is not", _ONE, usual, node=True, never="called paid"),
    ]


def small() -> list[Scenario]:
    """The same worlds within bounds that are complete in some minutes."""
    fresh = ("two networks with one payer", "a limit of fees")
    alone = ("window", "expiry", "foreign payment nonces", "paid elsewhere meanwhile")
    return [
        one.but(
            bounds=SMALL.get(one.name, one.bounds),
            eras=_ONE if one.name in alone else one.eras,
            lag=0 if one.name in fresh else one.lag,
        )
        for one in scenarios()
    ]


@dataclass(frozen=True)
class Assumption:
    """Something the engine relies on. Without it, exactly the listed promises break.

    :param title: the assumption, as a sentence.
    :param why: what an operator does about it.
    :param scenario: a world without it.
    :param broken: the promises that break there.
    """

    title: str
    why: str
    scenario: Scenario
    broken: frozenset[str]


def _without(ticks: int | None = None, **kinds: int) -> Bounds:
    """Only the given kinds of faults, and all that can be seen within that many clock steps."""
    none = {"crash": 0, "lost": 0, "late": 0, "dropped": 0, "fee": 0}
    return Bounds(faults=sum(kinds.values()), preemptions=0, ticks=ticks, **{**none, **kinds})


TWICE, NOT_EXECUTED, UNPAID = (
    "an era is executed twice",
    "an era is green and was not executed",
    "an era is green and unpaid",
)
ENDLESS = "an era never ends"
COUNTED = "a fee is counted that was not charged"
SHARED = "two parts share a staking nonce that may still execute"
ASSUMPTIONS = [
    Assumption(
        "Nothing else signs payouts for the same user.",
        "Give each deployment and each tool its own user. The doctor warns of foreign nonces.",
        Scenario("a second signer", _MORE_LEFT, _without(lost=1, foreign_staking=1)),
        frozenset({TWICE, NOT_EXECUTED, ENDLESS, COUNTED}),
    ),
    Assumption(
        "Nothing on the way delivers one request twice.",
        "Do not put a proxy that repeats POST requests in front of the gateway.",
        Scenario("duplicated requests", _ONE, _without(duplicated=1), door=False),
        frozenset({ENDLESS}),
    ),
    Assumption(
        "No read lags behind the chain by more than `nonces_agree_within`.",
        "It is half a minute. Do not use a gateway whose nodes are further behind.",
        Scenario("slow replicas", _MORE_LEFT, _without(), lag=LAG + 2),
        frozenset({TWICE, ENDLESS, COUNTED}),
    ),
    Assumption(
        "The ledger's clock does not jump ahead by more than `nonces_agree_within`.",
        "Synchronise the clock of the ledger's server, and correct it slowly. Other clocks do not count.",
        Scenario("a clock that jumps", _MORE_LEFT, _without(lost=1, jump=1)),
        frozenset({TWICE, ENDLESS, COUNTED}),
    ),
    Assumption(
        "`history_depth` is not smaller than the chain's.",
        "Take it from the constant of the chain's runtime. A value that is too large only asks for eras whose rewards are gone.",
        Scenario("a chain that keeps more eras", _TWO, _without(ticks=4, late=1, expiry=3), lag=0, kept=KEPT + 2),
        frozenset({NOT_EXECUTED, ENDLESS, COUNTED, SHARED}),
    ),
    Assumption(
        "A call that fails on the chain leaves the user's staking nonce as it was.",
        "Chains with `proxyPayoutstakers` do so: the nonce is part of the failing call.",
        Scenario(
            "failed calls use their nonces",
            _TWO,
            _without(ticks=4, lost=1, window=1),
            bump=True,
            lag=0,
            **_NO_DOOR,
        ),
        frozenset({NOT_EXECUTED, ENDLESS}),
    ),
    Assumption(
        "With `until_empty`, on a gateway that accepts what the chain refuses, nothing else uses the payer's nonces.",
        "Set `payout.parts` to a number, or give the payer to one user alone.",
        Scenario(
            "foreign payment nonces until empty",
            _MORE_LEFT,
            _without(foreign_payment=1),
            lag=0,
            until_empty=True,
            **_NO_DOOR,
        ),
        frozenset({UNPAID, ENDLESS}),
    ),
    Assumption(
        "With `until_empty`, on such a gateway, a later call fails on the chain only because nothing is left.",
        "Set `payout.parts` to a number. Otherwise a window may open and close between two calls.",
        Scenario("a short window until empty", _MORE_LEFT, _without(window=1), lag=0, until_empty=True, **_NO_DOOR),
        frozenset({UNPAID}),
    ),
]
