"""Payloads that fail: their fees count, the era is asked after, and a person decides before fees are charged without end."""

import pytest

from staking_gateway.ledger import Ledger, PayoutState
from staking_gateway.payout.outcomes import Hold, Outcome
from tests.support.ledgers import sqlite_url
from tests.support.world import ALICE, CHARLIE, NETWORK, START

JUDGED_BY_THE_CHAIN = {"door_checks": False, "fee_on_failure": True}
"""The gateway accepts what the chain refuses, and the chain charges the fee of a payload whose inner call fails."""
FEE = 6


@pytest.fixture
def costly(make_world):
    """A chain that charges failed payloads, whose newest era somebody else has paid."""

    def make(*, paid=True, simulator=JUDGED_BY_THE_CHAIN, **terms):
        world = make_world(simulator=simulator, **terms)
        world.control("fee", amount=str(FEE))
        if paid:
            other = Ledger(f"{world.ledger_url}.other", clock=world.now)
            assert world.drive(world.era, world.engine("another deployment", ledger=other)).outcome is Outcome.PAID
            other.close()
            world.gateway.sent.clear()
        return world

    return make


def charged(world):
    return int(world.truth()["fees_charged"])


def part_of(world, era):
    return world.ledger.payout(NETWORK, era, 0)


def test_fees_for_nothing_end_with_a_hold_that_says_what_a_person_has_to_do(costly):
    world = costly()
    era, before = world.era, charged(world)
    outcome = world.drive(era)
    (part,) = outcome.parts
    assert (part.state, part.hold, part.wasted) == (PayoutState.HELD, Hold.CHARGED.value, 2)
    assert outcome.outcome is Outcome.REJECTED
    assert f"airflow staking pay --network {NETWORK} --era {era} --again" in outcome.reason
    assert charged(world) - before == 2 * FEE
    spent = world.ledger.committed(NETWORK, day=START), world.ledger.committed(NETWORK, run="run")
    assert spent == (2 * FEE, 2 * FEE)
    for run in ("run", "run", "backfill"):
        assert world.drive(era, world.engine(run)).outcome is Outcome.REJECTED
    assert (charged(world) - before, part_of(world, era).plans) == (2 * FEE, part.plans), "until a person has looked"


def fail_the_first(world, era):
    """The payload is rejected on the chain and its fee is charged, because the payment nonce is used elsewhere."""
    engine = world.engine()
    world.gateway.lose = ["before"]
    engine.advance(era)
    world.control("nonce", account=str(CHARLIE.account), kind="payment", by=1)
    return engine


def test_after_a_fee_for_nothing_the_era_is_asked_after_with_the_dead_bytes_before_more_is_signed(make_world, tmp_path):
    world = make_world()
    era = world.era
    engine = fail_the_first(world, era)
    other = Ledger(sqlite_url(tmp_path, "other.db"), clock=world.now)
    world.drive(era, world.engine("another deployment", ledger=other))
    other.close()
    bytes_of = world.gateway.sent[0]["proxy_signature"]
    world.gateway.sent.clear()
    # The other one's execution moved both nonces, so it cannot be told whose it was; the era's own word decides.
    world.control("nonce", account=str(ALICE.account), kind="staking", by=1)
    outcome = world.drive(era, engine)
    assert (outcome.outcome, outcome.parts[0].state) == (Outcome.ALREADY_PAID, PayoutState.EMPTY)
    assert {sent["proxy_signature"] for sent in world.gateway.sent} == {bytes_of}, "nothing more was signed"


def test_the_call_after_the_last_batch_costs_one_fee_and_ends_the_era(costly):
    world = costly(paid=False, stakers=600, parts=None)
    era = world.era
    outcome = world.drive(era)
    assert outcome.outcome is Outcome.PAID
    assert [part.state.value for part in outcome.parts] == ["CONFIRMED"] * 3 + ["EMPTY"]
    assert charged(world) == 4 * FEE == world.ledger.committed(NETWORK, day=START)
