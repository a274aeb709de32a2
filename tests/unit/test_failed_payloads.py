"""Payloads that fail: their fees count, the era is asked after, and a person decides before fees are charged without end."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import pytest

from staking_gateway.errors import ConnectionLost, Forbidden, RpcInternalError
from staking_gateway.ledger import Ledger, PayoutState
from staking_gateway.payout.outcomes import Hold, Outcome, WaitFor
from staking_gateway.types import RequestState, RequestStatus
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


# --- fees that were charged for nothing ----------------------------------------------------------------------------------


def test_fees_for_nothing_end_with_a_hold_that_says_what_a_person_has_to_do(costly):
    world = costly()
    era, before = world.era, charged(world)
    outcome = world.drive(era)
    (part,) = outcome.parts
    assert (part.state, part.hold, part.wasted) == (PayoutState.HELD, Hold.CHARGED.value, 2)
    assert outcome.outcome is Outcome.REJECTED
    assert f"airflow staking pay --network {NETWORK} --era {era} --again" in outcome.reason
    assert charged(world) - before == 2 * FEE


def test_no_run_and_no_try_charges_more_until_a_person_has_looked(costly):
    world = costly()
    era = world.era
    world.drive(era)
    before, signed = charged(world), part_of(world, era).plans
    for run in ("run", "run", "backfill"):
        assert world.drive(era, world.engine(run)).outcome is Outcome.REJECTED
    assert (charged(world), part_of(world, era).plans) == (before, signed)


def test_every_fee_that_was_charged_for_nothing_counts_against_the_limits(costly):
    world = costly()
    era, before = world.era, charged(world)
    world.drive(era)
    assert (
        world.ledger.committed_fees(NETWORK, START)
        == world.ledger.fees_of_run(NETWORK, "run")
        == charged(world) - before
    )


@pytest.mark.parametrize("limit", ["max_fee_per_day", "max_fee_per_run"])
def test_a_fee_that_was_charged_for_nothing_leaves_less_to_spend(costly, limit):
    world = costly(**{limit: 2 * FEE - 1})
    era, before = world.era, charged(world)
    outcome = world.drive(era)
    assert (outcome.outcome, limit in outcome.reason) == (Outcome.HELD_FEE, True)
    assert charged(world) - before == FEE


def test_how_many_fees_may_be_charged_for_nothing_is_a_term(costly):
    world = costly(max_fees_for_nothing=1)
    before = charged(world)
    assert world.drive(world.era).outcome is Outcome.REJECTED
    assert charged(world) - before == FEE


def test_a_person_who_has_looked_lets_the_part_be_signed_again(costly):
    world = costly(paid=False)
    era = world.era
    world.control("window", state="open")
    unguarded = replace(world.terms, wait_for_closed_window=False)
    assert world.drive(era, world.engine("unguarded", terms=unguarded)).outcome is Outcome.REJECTED
    assert world.executed(era) == []
    world.control("window", state="closed")
    assert world.drive(era).outcome is Outcome.REJECTED, "nobody has looked yet"
    assert world.drive(era, world.engine("person", terms=replace(world.terms, again=True))).outcome is Outcome.PAID
    assert len(world.executed(era)) == 1


# --- is the era paid already? --------------------------------------------------------------------------------------------


def test_a_node_that_says_that_the_era_is_paid_saves_every_fee(costly):
    world = costly()
    before = charged(world)
    world.gateway.era_paid = lambda era: True
    outcome = world.drive(world.era)
    assert (outcome.outcome, outcome.parts[0].state) == (Outcome.ALREADY_PAID, PayoutState.EMPTY)
    assert (charged(world), world.gateway.sent) == (before, [])


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
    other = Ledger(f"sqlite:///{tmp_path / 'other.db'}", clock=world.now)
    world.drive(era, world.engine("another deployment", ledger=other))
    other.close()
    bytes_of = world.gateway.sent[0]["proxy_signature"]
    world.gateway.sent.clear()
    # The other one's execution moved both nonces, so it cannot be told whose it was; the era's own word decides.
    world.control("nonce", account=str(ALICE.account), kind="staking", by=1)
    outcome = world.drive(era, engine)
    assert (outcome.outcome, outcome.parts[0].state) == (Outcome.ALREADY_PAID, PayoutState.EMPTY)
    assert {sent["proxy_signature"] for sent in world.gateway.sent} == {bytes_of}, "nothing more was signed"


@pytest.mark.parametrize(
    ("error", "times"),
    [(ConnectionLost("reset", method="proxyPayoutstakers"), 1), (Forbidden("no", method="m", status=403), 2)],
    ids=["lost", "turned away at the door"],
)
def test_a_question_without_an_answer_is_told_to_the_caller_and_the_next_try_goes_on(world, error, times):
    era = world.era
    world.control("window", state="closed")
    engine = fail_the_first(world, era)
    asks = []

    def ask():
        if part_of(world, era).state is PayoutState.REJECTED:
            asks.append(part_of(world, era).asked)
            if len(asks) == 1:
                raise error

    world.gateway.before_send = ask
    with pytest.raises(type(error)):
        world.drive(era, engine)
    assert (part_of(world, era).state, part_of(world, era).plans) == (PayoutState.REJECTED, 1)
    assert world.drive(era, engine).outcome is Outcome.PAID
    assert asks == [False] * times, "what was turned away at the door was not asked"
    assert len(world.executed(era)) == 1


def test_a_gateway_that_never_answers_the_question_does_not_stop_the_era_for_ever(make_world):
    """The staking nonce stands still: a fee was charged, and nothing was paid. The question only saves another fee."""
    world = make_world(history_depth=1_000_000)
    era, deliver = world.era, world.gateway.payout_stakers
    world.control("window", state="closed")
    fail_the_first(world, era)
    dead = world.gateway.sent[0]["proxy_signature"]

    def answer(**params):
        if params["proxy_signature"] == dead:
            raise RpcInternalError(method="proxyPayoutstakers", code=-32603, rpc_message="failed to look at it")
        return deliver(**params)

    world.gateway.payout_stakers = answer
    for _ in range(30):
        with suppress(RpcInternalError):
            assert world.drive(era).outcome is Outcome.PAID
            break
        world.elapse(3600)
    assert len(world.executed(era)) == 1


def test_the_era_is_not_asked_after_while_the_window_is_open(world):
    era = world.era
    engine = fail_the_first(world, era)
    assert engine.advance(era).reason is WaitFor.REPLAY
    world.elapse(world.terms.nonces_agree_within.total_seconds() + 1)
    world.control("window", state="open")
    sent = len(world.gateway.sent)
    step = engine.advance(era)
    assert (step.reason, step.abandoned) == (WaitFor.WINDOW, Outcome.HELD_WINDOW)
    assert len(world.gateway.sent) == sent
    world.control("window", state="closed")
    assert world.drive(era, engine).outcome is Outcome.PAID


# --- rejected on the chain -----------------------------------------------------------------------------------------------


def test_a_rejected_request_is_signed_anew_only_when_no_read_can_lag_behind_it(make_world):
    world = make_world(simulator={"door_checks": False})
    era, engine = world.era, world.engine()
    world.control("window", state="closed")
    engine.advance(era)
    world.control("window", state="open")
    world.elapse(2)
    world.control("window", state="closed")
    seen = world.now()
    step = engine.advance(era)
    record = part_of(world, era)
    assert (step.reason, record.state, record.request_status) == (WaitFor.REPLAY, PayoutState.SUBMITTED, "Rejected")
    outcome = world.drive(era, engine)
    assert outcome.outcome is Outcome.PAID
    assert outcome.parts[0].signed_at - seen > world.terms.nonces_agree_within
    assert (len(world.executed(era)), outcome.parts[0].wasted) == (1, 0)


def test_a_request_that_is_told_rejected_but_executed_is_not_paid_again(make_world):
    """The witnesses disagree: nothing more is signed before the era itself was asked after, or a person has looked."""
    world = make_world(stakers=1000)
    era = world.era
    world.gateway.request_state = lambda _: RequestState(RequestStatus.REJECTED, "Rejected")
    outcome = world.drive(era)
    (part,) = outcome.parts
    assert (outcome.outcome, part.state, part.hold) == (Outcome.REJECTED, PayoutState.HELD, Hold.CONTRADICTION.value)
    assert "--again" in outcome.reason
    assert world.drive(era, world.engine("another")).outcome is Outcome.REJECTED
    assert (len(world.executed(era)), part.plans) == (1, 1)


def test_a_request_that_is_told_rejected_but_executed_is_already_paid_when_the_era_says_so(world):
    era = world.era
    world.gateway.request_state = lambda _: RequestState(RequestStatus.REJECTED, "Rejected")
    assert world.drive(era).outcome is Outcome.ALREADY_PAID
    assert len(world.executed(era)) == 1


@pytest.mark.parametrize("word", ["Rejected", "Processed"])
def test_an_inner_call_that_failed_pays_nothing_whatever_the_gateway_calls_it(make_world, word):
    world = make_world(simulator={**JUDGED_BY_THE_CHAIN, "inner_failure_status": word}, wait_for_closed_window=False)
    era, engine = world.era, world.engine()
    world.control("window", state="open")
    engine.advance(era)
    world.elapse(2)
    world.control("window", state="closed")
    outcome = world.drive(era, engine)
    assert (outcome.outcome, outcome.parts[0].wasted) == (Outcome.PAID, 1)
    assert len(world.executed(era)) == 1


def test_a_state_that_lags_behind_the_one_told_before_is_read_again(world):
    """Gateways are several machines: a read that lags by a few seconds is no contradiction."""
    era, engine = world.era, world.engine()
    engine.advance(era)
    world.elapse(2)
    nonce, ask = world.gateway.nonce, world.gateway.request_state
    world.gateway.nonce = lambda *_: 0
    assert engine.advance(era).reason is WaitFor.REPLAY
    world.elapse(6)
    world.gateway.request_state = lambda _: RequestState(RequestStatus.PENDING, "Pending")
    assert engine.advance(era).reason in (WaitFor.REPLAY, WaitFor.CONFIRMATION)
    world.elapse(6)
    world.gateway.nonce, world.gateway.request_state = nonce, ask
    assert world.drive(era, engine).outcome is Outcome.PAID
    assert len(world.executed(era)) == 1


# --- until nothing is left -----------------------------------------------------------------------------------------------


def test_the_call_after_the_last_batch_costs_one_fee_and_ends_the_era(costly):
    world = costly(paid=False, stakers=600, parts=None)
    era = world.era
    outcome = world.drive(era)
    assert outcome.outcome is Outcome.PAID
    assert [part.state.value for part in outcome.parts] == ["CONFIRMED"] * 3 + ["EMPTY"]
    assert charged(world) == 4 * FEE == world.ledger.committed_fees(NETWORK, START)


def drive_until_part_is_sent(world, era, engine, part):
    for _ in range(20):
        if len(world.gateway.sent) > part:
            return
        engine.advance(era)
        if len(world.gateway.sent) <= part:
            world.elapse(6)
    raise AssertionError("never sent")


def test_a_payment_nonce_that_somebody_else_used_does_not_end_an_era_of_several_batches(make_world):
    world = make_world(stakers=600, parts=None)
    era, engine = world.era, world.engine()
    world.gateway.lose = [None, "before"]
    drive_until_part_is_sent(world, era, engine, 1)
    world.control("nonce", account=str(CHARLIE.account), kind="payment", by=1)
    assert world.drive(era, engine).outcome is Outcome.PAID
    assert len(world.executed(era)) == 3, "green with batches unpaid"


def test_a_batch_that_failed_for_an_open_window_does_not_end_an_era_of_several_batches(make_world):
    world = make_world(simulator=JUDGED_BY_THE_CHAIN, stakers=600, parts=None)
    era, engine = world.era, world.engine()
    drive_until_part_is_sent(world, era, engine, 1)
    world.control("window", state="open")
    for _ in range(20):
        step = engine.advance(era)
        world.elapse(6)
    assert (step.reason, step.abandoned) == (WaitFor.WINDOW, Outcome.HELD_WINDOW)
    world.control("window", state="closed")
    assert world.drive(era, engine).outcome is Outcome.PAID
    assert len(world.executed(era)) == 3, "green with batches unpaid"


def test_a_contradiction_does_not_end_an_era_of_several_batches(make_world):
    """A request is told Rejected; its nonces stand still in a read that lags behind, and then they have moved."""
    world = make_world(stakers=600, parts=None)
    era, engine = world.era, world.engine()
    world.control("window", state="closed")
    drive_until_part_is_sent(world, era, engine, 1)
    world.elapse(2)
    nonce, told = world.gateway.nonce, RequestState(RequestStatus.REJECTED, "Rejected")
    world.gateway.request_state = lambda _: told
    world.gateway.nonce = lambda *asked: nonce(*asked) - 1
    assert engine.advance(era).reason is WaitFor.REPLAY
    world.gateway.nonce = nonce
    world.elapse(6)
    outcome = world.drive(era, engine)
    assert not outcome.outcome.is_green, f"green with {len(world.executed(era))} of 3 batches paid"
    assert (outcome.parts[1].state, outcome.parts[1].hold) == (PayoutState.HELD, Hold.CONTRADICTION.value)


def test_the_fee_of_a_payload_that_failed_because_its_nonce_was_used_elsewhere_counts(costly):
    world = costly(paid=False)
    era, engine = world.era, world.engine()
    engine.advance(era)
    world.control("nonce", account=str(ALICE.account), kind="staking", by=2)
    assert world.drive(era, engine).outcome is Outcome.PAID
    assert (len(world.executed(era)), charged(world)) == (1, 2 * FEE)
    assert world.ledger.committed_fees(NETWORK, START) == 2 * FEE
