"""The scenarios of `make explore`, and the assumptions whose loss is explored."""

from __future__ import annotations

from dataclasses import dataclass

from staking_gateway.proof.explore.scenario import LAG, Bounds, Era, Scenario

_ONE = (Era(),)
_TWO_ERAS = (Era(), Era())
_TWO_RUNS = (Era(runs=2),)
_TWO_NETWORKS = (Era(user=0, network=0), Era(user=1, network=1))
_TWO_BATCHES = (Era(batches=2),)
_FEW = Bounds(faults=1, preemptions=1)


def scenarios(faults: int = 1, preemptions: int = 1) -> list[Scenario]:
    """Every world that is explored, with the same bounds for all."""
    usual = Bounds(faults=faults, preemptions=preemptions, lost=faults, crash=faults, fee=faults)
    calm = Bounds(faults=faults, preemptions=0, lost=faults, crash=faults, fee=faults)
    window = Bounds(faults=faults, preemptions=0, window=1, lost=faults)
    expiry = Bounds(faults=faults, preemptions=0, expiry=4, lost=faults, fee=0, crash=0, late=1)
    elsewhere = Bounds(faults=faults, preemptions=0, paid_elsewhere=1, lost=faults)
    foreign = Bounds(faults=faults, preemptions=0, foreign_payment=faults, lost=faults)
    return [
        Scenario("one era", _ONE, usual),
        Scenario("one era, more batches left", _TWO_BATCHES, usual),
        Scenario("two eras of one user", _TWO_ERAS, usual),
        Scenario("two eras, more batches left", (Era(batches=2), Era(batches=2)), calm),
        Scenario("two eras, no request states", _TWO_ERAS, calm, poll="none"),
        Scenario("two eras, unreadable request states", _TWO_ERAS, calm, poll="unreadable"),
        Scenario("two runs of one era", _TWO_RUNS, usual),
        Scenario("two runs of one era, more batches left", (Era(batches=2, runs=2),), calm),
        Scenario("two networks with one payer", _TWO_NETWORKS, usual),
        Scenario("paid already, refused", (Era(batches=0),), usual),
        Scenario("paid already, accepted and charged", (Era(batches=0),), usual, door=False, charge=True),
        Scenario("paid already, accepted and free", (Era(batches=0),), usual, door=False),
        Scenario("paid already, called Processed", (Era(batches=0),), calm, door=False, charge=True, lie=True),
        Scenario("paid already, a node says so", (Era(batches=0),), calm, door=False, charge=True, node=True),
        Scenario("no checks at the door", _TWO_ERAS, calm, door=False),
        Scenario("no checks at the door, failures cost their fee", _TWO_ERAS, calm, door=False, charge=True),
        Scenario(
            "no checks at the door, the chain leaves out", _TWO_ERAS, calm, door=False, silent=True, forgets=False
        ),
        Scenario("until empty", _TWO_BATCHES, calm, until_empty=True),
        Scenario("until empty, no checks at the door", _TWO_BATCHES, calm, until_empty=True, door=False, charge=True),
        Scenario("window", _TWO_ERAS, window),
        Scenario("window, no checks at the door", _ONE, window, door=False, charge=True),
        Scenario("expiry", _TWO_ERAS, expiry),
        Scenario("paid elsewhere meanwhile", _TWO_ERAS, elsewhere),
        Scenario("foreign payment nonces", _TWO_ERAS, foreign),
        Scenario("a limit of fees", _TWO_ERAS, calm, door=False, charge=True, limit=3),
        Scenario("left by version 0.1.0", _TWO_ERAS, calm, given_up=True),
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


_CALM = Bounds(faults=1, preemptions=0, crash=0, lost=0, late=0, dropped=0, fee=0)
TWICE, NOT_EXECUTED, UNPAID = (
    "an era is executed twice",
    "an era is green and was not executed",
    "an era is green and unpaid",
)
SHARED, LIMIT, WASTED = (
    "two parts share a staking nonce that may still execute",
    "the fees are above the limit",
    "more than two fees are charged for nothing",
)
ENDLESS = "an era never ends"
ASSUMPTIONS = [
    Assumption(
        "Nothing else signs payouts for the same user.",
        "Give each deployment and tool a user of its own. The doctor warns when it sees foreign nonces.",
        Scenario(
            "a second signer",
            _TWO_BATCHES,
            Bounds(faults=2, preemptions=0, crash=0, late=0, dropped=0, fee=0, lost=1, foreign_staking=1),
        ),
        frozenset({NOT_EXECUTED}),
    ),
    Assumption(
        "A network device does not deliver one request twice.",
        "Do not put a proxy that repeats POST requests in front of the gateway.",
        Scenario(
            "duplicated requests",
            _TWO_BATCHES,
            Bounds(faults=1, preemptions=0, crash=0, lost=0, late=0, dropped=0, fee=0, duplicated=1),
            door=False,
        ),
        frozenset({ENDLESS}),
    ),
    Assumption(
        "No read lags behind the chain by more than `nonces_agree_within`.",
        "Raise `nonces_agree_within` for a gateway whose replicas are slower.",
        Scenario(
            "slow replicas",
            _TWO_BATCHES,
            Bounds(faults=1, preemptions=0, crash=0, late=0, dropped=0, fee=0, lost=1),
            lag=LAG + 2,
        ),
        frozenset({TWICE}),
    ),
]


def killers() -> list[Scenario]:
    """Small worlds, each complete within seconds, that together find changed rules."""
    one = Bounds(faults=1, preemptions=0)
    return [scenario.but(bounds=scenario.bounds) for scenario in scenarios(1, 0)] or [Scenario("one era", _ONE, one)]
