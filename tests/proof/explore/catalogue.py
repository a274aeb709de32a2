"""The worlds of `make explore`: features and freedoms in pairs, and the assumptions whose loss is explored."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

from tests.proof.explore.scenario import LAG, ORDERLY, Bounds, Era, Given, Scenario, Settings, freely
from tests.proof.explore.search import ENDLESS, NOT_EXECUTED, NOT_FINAL, TWICE, UNPAID

ONE = (Era(),)
TWO = (Era(), Era())
_PAID = (Era(batches=0),)
OTHER_PROOFS = Era((Settings(given=Given(known=False)), Settings(given=Given(6, 6, known=False))))
NO_DOOR: dict[str, Any] = {"door": False, "charge": True}
"""A gateway that accepts what the chain refuses, on a chain where a failed call costs its fee."""

FREEDOMS = (
    "crash", "lost", "duplicated", "kept", "failed", "unheard", "dropped", "denied", "early", "hasty", "fee", "window",
    "paid_elsewhere", "foreign_payment", "unreadable", "stalls", "slow",
)  # fmt: skip
"""What may happen in any world; each pair of them is a world of its own."""
FEATURES: dict[str, dict[str, Any]] = {
    "a node": {"node": True},
    "no request states": {"states": False},
    "no checks at the door": {"door": False},
    "failures cost their fee": NO_DOOR,
    "a door that does not say paid": {"word": False},
    "states without blocks": {"blocks": False},
    "requests stay Pending": {"forgets": False},
    "the chain leaves out": {"door": False, "silent": True, "forgets": False},
    "no confirmation": {"confirm": False},
    "real order of times": {"times": ORDERLY},
    "errors end the try": {"lives": False},
    "one fee for nothing": {**NO_DOOR, "wasted": 1},
}


def _bounds(*kinds: str, sends: int = 2) -> Bounds:
    """Each of some freedoms once. Standing still matters beside something else that happens."""
    return freely(sends, **dict.fromkeys(kinds, 1))


def singles() -> list[Scenario]:
    """Each freedom, and each feature, with one era and with two eras of a lane."""
    found = [Scenario("one era", ONE, Bounds(sends=3)), Scenario("two eras", TWO, Bounds(sends=2))]
    for kind in FREEDOMS:
        found.append(Scenario(f"one era, {kind}", ONE, _bounds(kind, sends=3)))
        found.append(Scenario(f"two eras, {kind}", TWO, _bounds(kind)))
    for name, changes in FEATURES.items():
        found.append(Scenario(f"one era, {name}", ONE, _bounds("lost")).but(**changes))
        found.append(Scenario(f"two eras, {name}", TWO, _bounds("lost")).but(**changes))
        found.append(Scenario(f"paid already, {name}", _PAID, Bounds(sends=2)).but(**changes))
    return found


def special() -> list[Scenario]:
    """Worlds with eras, settings or proofs of their own."""
    given = (Era((Settings(given=Given()),)),)
    twice_given = (Era((Settings(given=Given()), Settings(given=Given(6, 6)))),)
    moved = (Era((Settings(), Settings(user=1))),)
    restored = (Era(batches=1),)
    other_payer = Era((Settings(), Settings(payer=1)), batches=1)
    return [
        Scenario("two runs of one era", (Era(runs=2),), _bounds("lost")),
        Scenario("two users with one payer", (Era(), Era((Settings(user=1),), network=1)), Bounds(sends=2)),
        Scenario("two chains with one user and payer", (Era(), Era(lane=1, network=1)), Bounds(sends=2)),
        Scenario("another payer", (other_payer, other_payer), _bounds("settings", "lost")),
        Scenario("another relayer", (Era((Settings(), Settings(relayer=1))),), _bounds("settings", "lost", sends=3)),
        Scenario("another user", moved, _bounds("settings", "lost", sends=3)),
        Scenario("another user, two eras", (Era(), *moved), _bounds("settings", "kept")),
        Scenario("another limit", (Era((Settings(limit=2), Settings(limit=1))),), _bounds("settings", "lost", "fee")),
        Scenario("a limit of fees", (Era((Settings(limit=2),)),) * 2, _bounds("lost", "fee"), **NO_DOOR),
        Scenario("a low limit of fees", (Era((Settings(limit=1),)),), _bounds("fee")),
        Scenario("ready-made proofs", given, _bounds("lost")),
        Scenario("ready-made proofs for the next nonce", (Era((Settings(given=Given(6, 6)),)),), Bounds(sends=2)),
        Scenario("ready-made proofs of an old nonce", (Era((Settings(given=Given(4, 4)),)),), Bounds(sends=2)),
        Scenario("ready-made proofs of no nonce", (Era((Settings(given=Given(known=False)),)),), Bounds(sends=2)),
        Scenario("ready-made proofs, a limit", (Era((Settings(limit=1, given=Given(known=False)),)),), nonces=False),
        Scenario("ready-made proofs, no nonces", given, _bounds("lost"), nonces=False),
        Scenario("other ready-made proofs, no nonces", twice_given, _bounds("settings", "lost"), nonces=False),
        Scenario("other proofs of unknown nonces", (OTHER_PROOFS,), _bounds("settings", "lost"), nonces=False),
        Scenario("no nonces", ONE, Bounds(sends=2), nonces=False),
        Scenario("a person signs again", (Era(batches=1),), _bounds("again", "kept", "lost", sends=3)),
        Scenario("two batches", ONE, _bounds("lost"), parts=2),
        Scenario("two batches, a node", (Era(batches=3),), _bounds("lost", sends=3), parts=2, node=True),
        Scenario("until empty, a node", ONE, Bounds(sends=4), parts=None, node=True),
        Scenario("until empty", ONE, Bounds(sends=4), parts=None),
        Scenario("until empty, failures cost their fee", ONE, Bounds(sends=4), parts=None, **NO_DOOR),
        Scenario("expiry", ONE, freely(2, expiry=3)),
        Scenario("nothing tells what was paid", TWO, _bounds("paid_elsewhere"), states=False, door=False, silent=True),
        Scenario("reused request ids", TWO, _bounds("reused")),
        Scenario("green when it is accepted", TWO, _bounds("foreign_payment"), confirm=False, states=False),
        Scenario("a fork, one send", ONE, _bounds("fork", sends=1)),
        Scenario("a fork, paid elsewhere", ONE, _bounds("fork", "paid_elsewhere", "stalls"), fresh=True),
        Scenario("a fork, a node", (Era(batches=1),), _bounds("fork"), node=True, redone=True),
        Scenario("a restored ledger", restored, _bounds("restore", sends=3)),
        Scenario("a restored ledger, two eras", restored * 2, _bounds("restore")),
        Scenario("a restored ledger, a node", restored * 2, _bounds("restore"), node=True),
        Scenario("a restored ledger, two batches", (Era(),), _bounds("restore"), parts=2),
        Scenario("a clock that goes back", ONE, _bounds("back", "lost")),
        Scenario("the chain pays by itself", ONE, Bounds(), never="pays by itself"),
        Scenario("the gateway has no payout method", ONE, Bounds(), never="no method"),
        Scenario("the era has not ended", ONE, freely(2, expiry=1), never="not ended"),
        Scenario("no limits are set", ONE, Bounds(), never="no limits"),
        Scenario("called paid, a node says that it is not", ONE, Bounds(), node=True, never="called paid"),
        Scenario("stalls and crashes", ONE, _bounds("stalls", "crash")),
        Scenario("stalls and lost answers of the ledger", TWO, _bounds("stalls", "unheard")),
    ]


def pairs() -> list[Scenario]:
    """Each pair of freedoms."""
    return [
        Scenario(f"{'one era' if eras == ONE else 'two eras'}, {one} and {two}", eras, _bounds(one, two))
        for eras in (ONE, TWO)
        for one, two in combinations(FREEDOMS, 2)
    ]


def features() -> list[Scenario]:
    """Each feature with each freedom."""
    return [
        Scenario(f"two eras, {name}, {kind}", TWO, _bounds(kind)).but(**changes)
        for name, changes in FEATURES.items()
        for kind in FREEDOMS
        if kind != "lost"
    ]


@dataclass(frozen=True)
class Assumption:
    """Something the engine relies on, and what an operator does about it. In a world without it, exactly the listed promises break."""

    title: str
    why: str
    scenario: Scenario
    broken: frozenset[str]


ASSUMPTIONS = [
    Assumption(
        "Nothing else signs payouts for the same user.",
        "Give each deployment and each tool its own user. The doctor warns of foreign nonces.",
        Scenario("a second signer", ONE, freely(2, lost=1, foreign_staking=1)),
        frozenset({NOT_EXECUTED, ENDLESS}),
    ),
    Assumption(
        "A restored ledger is marked before anything is paid with it, and no fork took back a payout that it forgot.",
        "PostgreSQL's restore marks it by itself, except into the same server. Otherwise mark it with the command.",
        Scenario("a restore without a mark", (Era(batches=1),) * 2, freely(2, restore=1), marked=False),
        frozenset({NOT_EXECUTED, ENDLESS}),
    ),
    Assumption(
        "No read lags behind the chain by more than `timing.lag`.",
        "Do not use a gateway whose nodes are further behind.",
        Scenario("slow replicas", ONE, freely(2, lost=1), lag=LAG + 3, node=True),
        frozenset({TWICE}),
    ),
    Assumption(
        "A request that reads Processed at both looks was executed.",
        "Do not use a gateway that calls a failed call Processed, or give it a node.",
        Scenario("failed calls are called Processed", TWO, freely(2, kept=1), lie=True, **NO_DOOR),
        frozenset({TWICE, NOT_EXECUTED}),
    ),
    Assumption(
        "No payout is taken back by a fork and executed again between two looks, and no fork is longer than `timing.finalized_within`.",
        "A node that reads finalized blocks, or a gateway that names a request's block, makes most of it certain.",
        Scenario("forks that execute again", ONE, freely(2, fork=2), redone=True),
        frozenset({NOT_FINAL, NOT_EXECUTED}),
    ),
    Assumption(
        "A call that fails on the chain leaves the user's staking nonce as it was.",
        "Chains with `proxyPayoutstakers` do so: the nonce is part of the failing call.",
        Scenario("failed calls use their nonces", ONE, freely(2, window=1), bump=True, **NO_DOOR),
        frozenset({NOT_EXECUTED, ENDLESS}),
    ),
    Assumption(
        "The chain refuses to pay an era twice.",
        "It matters after a restore, and when a person signs again.",
        Scenario("a restored ledger, eras that can be paid twice", ONE, freely(2, restore=1)),
        frozenset({TWICE}),
    ),
    Assumption(
        "A chain has one name in the ledger.",
        "Networks of one chain need a node, or the same chain name from their gateways.",
        Scenario("one chain with two names", (Era(), Era(network=1, alias=True)), Bounds(sends=2)),
        frozenset({NOT_EXECUTED, ENDLESS}),
    ),
    Assumption(
        "`history_depth` is not smaller than the chain's.",
        "Take it from the constant of the chain's runtime. A value that is too large only asks for eras whose rewards are gone.",
        Scenario("a chain that keeps more eras", ONE, freely(2, expiry=3), kept=4),
        frozenset({ENDLESS}),
    ),
    Assumption(
        "The ledger's clock does not jump ahead by more than `timing.lag`, less what reads are late then.",
        "Synchronise the clock of the ledger's server, and correct it slowly. Other clocks do not count.",
        Scenario("a clock that jumps", ONE, freely(2, lost=1, jump=2), node=True),
        frozenset({TWICE}),
    ),
    Assumption(
        "Until empty, a later call that was accepted fails only because nothing is left.",
        "Set `payout.parts` to a number, and not back while a call has failed. Otherwise a window may open between two calls, or something "
        "else use the payer's nonce.",
        Scenario(
            "a short window until empty", ONE, freely(3, window=1, foreign_payment=1), lag=0, parts=None, **NO_DOOR
        ),
        frozenset({UNPAID}),
    ),
]
