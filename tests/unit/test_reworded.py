"""No rule reads a sentence: with every cause and every reason in the ledger replaced, all ends in the same way.

In each scenario a later step comes back to a part that was held, refused or rejected with a reason.
"""

from dataclasses import fields, is_dataclass, replace

import pytest

from staking_gateway.ledger import Ledger
from staking_gateway.payout.outcomes import EraOutcome, hold_of
from tests.support.world import CHARLIE, NETWORK, ready_made_proofs

MEANINGLESS = "x"


class Reworded(Ledger):
    """Keeps no text that `decide` or the engine writes."""

    def sign(self, payout, copy, cause, actor, **more):
        return super().sign(payout, copy, MEANINGLESS, actor, **more)

    def count_send(self, payout, copy_id, cause, actor, **more):
        return super().count_send(payout, copy_id, MEANINGLESS, actor, **more)

    def answer(self, *which, reason, **facts):
        facts |= {"cause": MEANINGLESS, "text": MEANINGLESS}
        return super().answer(*which, reason=reason and MEANINGLESS, **facts)

    def transition(self, payout, to_state, cause, actor, **changes):
        if changes.get("reason") is not None:
            changes["reason"] = MEANINGLESS
        return super().transition(payout, to_state, MEANINGLESS, actor, **changes)


def told(step):
    """What a caller goes by."""
    return step.outcome if isinstance(step, EraOutcome) else (step.reason, step.abandoned)


def a_fee_above_a_limit(world, era):
    terms = replace(world.terms, max_fee_per_payout=5)
    for fee in ("6", "5"):
        world.control("fee", amount=fee)
        yield world.drive(era, world.engine(terms=terms))


def a_refusal(world, era):
    fees = iter((3, 5))
    world.gateway.before_send = lambda: world.control("fee", amount=str(next(fees, 5)))
    yield world.drive(era)


def fees_that_were_charged_for_nothing_again_and_again(world, era):
    terms = replace(world.terms, max_fees_for_nothing=1)
    world.gateway.lose = ["before"]
    engine = world.engine(terms=terms)
    yield engine.advance(era)
    world.control("nonce", account=str(CHARLIE.account), kind="payment", by=1)
    yield world.drive(era, engine)
    yield world.drive(era, world.engine("person", terms=replace(terms, again=True)))


def an_era_that_was_told_paid_after_a_lost_answer(world, era):
    world.gateway.lose = ["before"]
    engine = world.engine()
    yield engine.advance(era)
    other = Ledger(f"{world.ledger_url}.other", clock=world.now)
    world.drive(era, world.engine("another deployment", ledger=other))
    other.close()
    yield world.drive(era, engine)


def proofs_that_were_refused(world, era):
    proofs = ready_made_proofs(world, era)
    world.control("fee", amount="7")
    yield world.drive(era, world.engine(proofs=proofs))
    yield world.drive(era, world.engine(proofs=ready_made_proofs(world, era)))


def a_gateway_without_the_method(world, era):
    for missing in ({"proxyPayoutstakers"}, set()):
        world.gateway.missing = missing
        yield world.drive(era)


SCENARIOS = [
    a_fee_above_a_limit,
    a_refusal,
    fees_that_were_charged_for_nothing_again_and_again,
    an_era_that_was_told_paid_after_a_lost_answer,
    proofs_that_were_refused,
    a_gateway_without_the_method,
]
NOT_COMPARED = ("request_id", "tx_hash", "proxy_signature", "fee_payment_signature", "text", "reason")


def compared(record):
    """A record as nested pairs of name and value, without the texts and what is made by chance."""
    if isinstance(record, (list, tuple)):
        return [compared(one) for one in record]
    if not is_dataclass(record):
        return record
    return [(one.name, compared(getattr(record, one.name))) for one in fields(record) if one.name not in NOT_COMPARED]


def play(world, scenario):
    """What the caller was told, and what the ledger and the chain hold in the end."""
    world.control("window", state="closed")
    era = world.era
    steps = [told(step) for step in scenario(world, era)]
    (record,) = world.ledger.era_payouts(NETWORK, era)
    moves = [(event.at, event.to_state, event.run) for event in world.ledger.events(record)]
    return steps, compared(record), moves, hold_of(record), len(world.executed(era))


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.__name__)
def test_the_words_of_the_ledger_decide_nothing(make_world, scenario):
    plain, reworded = make_world(unpaid_eras=2), make_world(unpaid_eras=2)
    reworded.ledger.close()
    reworded.ledger = Reworded(reworded.ledger_url, clock=reworded.now)
    era = reworded.era
    assert play(reworded, scenario) == play(plain, scenario)
    (record,) = reworded.ledger.era_payouts(NETWORK, era)
    assert {event.cause for event in reworded.ledger.events(record)} <= {"planned", MEANINGLESS}
    assert record.reason in (None, MEANINGLESS)
