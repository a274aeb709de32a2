"""What became of a payload, told by gateways that are behind, silent or at odds with themselves."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest

from staking_gateway.errors import Forbidden, GatewayTimeout, GatewayUnreachable, RpcInvalidRequest, UnexpectedResult
from staking_gateway.ledger import Actor, PayoutState
from staking_gateway.payout.decide import SENT_IN_VAIN
from staking_gateway.payout.engine import PayoutEngine
from staking_gateway.payout.outcomes import Outcome, Wait, WaitFor
from staking_gateway.signing import ProofMaker, Proofs
from staking_gateway.types import NonceKind, RequestState, RequestStatus
from tests.support.world import ALICE, BOB, CHARLIE, NETWORK, Crash, ready_made_proofs

BATCHES = 1000
"""Stakers of four calls: a call too many is executed, and seen."""


@pytest.fixture
def make_world(make_world):
    return partial(make_world, stakers=BATCHES)


def behind(world, seconds):
    """Let the gateway tell a nonce as it was `seconds(kind)` ago."""
    tell = world.gateway.nonce

    def told(account, kind):
        chain, now = world.simulation.chain, world.simulation.now
        return tell(account, kind) - chain.nonces_used_since(account.hex, kind, now - round(seconds(kind) * 1e6))

    world.gateway.nonce = told


def causes(world, era):
    return [event.cause for event in world.ledger.events(world.ledger.payout(NETWORK, era, 0))]


def sent_nonces(world):
    return [params["payment_nonce"] for params in world.gateway.sent]


# --- nodes that are behind -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", NonceKind)
@pytest.mark.parametrize("lost", [[], ["after"], ["before"]])
def test_a_nonce_that_is_told_late_never_leads_to_a_second_payout(world, kind, lost):
    era = world.era
    world.gateway.missing, world.gateway.lose = {"requestState"}, list(lost)
    behind(world, lambda asked: 20 if asked is kind else 0)
    assert world.drive(era).outcome is Outcome.PAID
    assert len(world.executed(era)) == 1


@pytest.mark.parametrize("seed", range(30))
def test_of_two_nodes_one_of_which_is_behind_each_era_is_paid_once(make_world, seed):
    world, draw = make_world(unpaid_eras=2), random.Random(seed)
    world.gateway.missing = {"requestState"} if seed % 2 else set()
    world.gateway.lose = ["after", "before", "after"][seed % 3 :]
    behind(world, lambda _: draw.choice((0, 12)))
    for era in (world.era - 1, world.era):
        assert world.drive(era).outcome is Outcome.PAID
        assert len(world.executed(era)) == 1


@pytest.mark.parametrize(
    ("kind", "signer", "moved", "signed"),
    [
        (NonceKind.STAKING, ALICE, "staking moved", (1, 0)),
        (NonceKind.PAYMENT, CHARLIE, "payment moved", (0, 1)),
    ],
)
def test_a_nonce_that_alone_has_moved_was_used_elsewhere_once_time_has_passed(world, kind, signer, moved, signed):
    era = world.era
    world.gateway.lose = ["before"]
    engine = world.engine()
    engine.advance(era)
    world.control("nonce", account=str(signer.account), kind=kind.value, by=1)
    begun = world.now()
    step = engine.advance(era)
    record = world.ledger.payout(NETWORK, era, 0)
    assert (step.reason, record.disagree, record.disagree_since) == (WaitFor.REPLAY, moved, begun)
    outcome = world.drive(era, engine)
    assert outcome.outcome is Outcome.PAID
    (part,) = outcome.parts
    assert part.signed_at - begun > world.terms.nonces_agree_within
    assert (part.staking_nonce, part.payment_nonce) == signed
    assert part.wasted == (kind is NonceKind.PAYMENT), "only a payment nonce that moved is a fee"
    assert len(world.executed(era)) == 1


def test_reads_that_take_turns_between_two_nodes_send_no_more_than_once_before_waiting(world):
    era, engine = world.era, world.engine()
    world.gateway.lose = ["after"]
    engine.advance(era)
    world.elapse(3)
    turns = iter(range(10_000))
    behind(world, lambda kind: 24 if kind is NonceKind.PAYMENT or next(turns) % 2 == 0 else 0)
    for _ in range(4):
        sent = len(world.gateway.sent)
        assert isinstance(engine.advance(era), Wait)
        assert len(world.gateway.sent) <= sent + 1
        world.elapse(6)
    world.elapse(60)
    assert world.drive(era, engine).outcome is Outcome.PAID
    assert len(world.executed(era)) == 1


# --- requests that come to no end ----------------------------------------------------------------------------------------


DROPPED = "6d1c6ee8-51a8-4c29-9a0c-31a1a31e2d1a"


def drop_the_first(world, status=None):
    """The gateway takes the first payout and forgets it; it says `status` of it for ever, or tells no states."""
    deliver, tell, dropped = world.gateway.payout_stakers, world.gateway.request_state, []

    def take(**params):
        if dropped:
            return deliver(**params)
        dropped.append(params)
        return DROPPED

    def state_of(asked):
        return RequestState(status, status.value) if asked == DROPPED else tell(asked)

    world.gateway.payout_stakers = take
    if status is None:
        world.gateway.missing = {"requestState"}
    else:
        world.gateway.request_state = state_of
    return dropped


STUCK = [None, RequestStatus.PENDING, RequestStatus.UNRECOGNISED]


@pytest.mark.parametrize("status", STUCK)
def test_an_accepted_payload_that_was_dropped_is_sent_again_byte_for_byte(world, status):
    dropped = drop_the_first(world, status)
    era, begun = world.era, world.now()
    assert world.drive(era).outcome is Outcome.PAID
    assert world.now() - begun > world.terms.settle_within
    assert world.gateway.sent == dropped
    assert len(world.executed(era)) == 1


@pytest.mark.parametrize("status", STUCK)
def test_what_was_accepted_is_not_given_up_for_another_era_but_sent_again_by_it(make_world, status):
    world = make_world(unpaid_eras=2, history_depth=1000)
    older, newer = world.era - 1, world.era
    dropped = drop_the_first(world, status)
    world.engine("dead").advance(older)
    begun = world.now()
    assert world.drive(newer, world.engine("other")).outcome is Outcome.PAID
    assert world.now() - begun > world.terms.settle_within
    assert world.gateway.sent[0] == dropped[0]
    assert world.drive(older).outcome is Outcome.ALREADY_PAID
    assert len(world.executed(older)) == len(world.executed(newer)) == 1


@pytest.mark.parametrize("word", [RequestStatus.NOT_FOUND, RequestStatus.PENDING, RequestStatus.SENDING_FAILED])
def test_what_was_accepted_and_executes_hours_later_is_never_taken_for_another_eras(make_world, word):
    world = make_world(unpaid_eras=2, history_depth=100_000)
    older, newer = world.era - 1, world.era
    drop_the_first(world, RequestStatus.PENDING)
    world.engine("dead").advance(older)
    deliver = world.gateway.payout_stakers
    taken = []
    # The gateway takes the repetitions too, and they come to nothing either.
    world.gateway.payout_stakers = lambda **params: taken.append(params) or DROPPED

    def state_of(_):
        return RequestState(word, word.value) if taken else RequestState(RequestStatus.PENDING, "Pending")

    world.gateway.request_state = state_of
    other = world.engine("other")
    for _ in range(100):
        assert other.advance(newer).reason is WaitFor.LANE
        world.elapse(60)
    assert {params["era"] for params in taken} == {older}
    late = taken[0]
    deliver(**late)
    world.elapse(3)
    world.gateway.payout_stakers = deliver
    del world.gateway.request_state
    assert world.drive(newer, other).outcome is Outcome.PAID
    assert world.drive(older).outcome is Outcome.ALREADY_PAID
    assert len(world.executed(older)) == len(world.executed(newer)) == 1


def test_a_payload_that_comes_to_nothing_again_and_again_is_signed_anew_with_the_same_staking_nonce(make_world):
    world = make_world(history_depth=100_000)
    era, engine = world.era, world.engine()
    deliver, taken = world.gateway.payout_stakers, []

    def take(**params):
        # Validated on the chain only: what carries the old fee is dropped there.
        taken.append(params)
        if params["proxy_signature"] == taken[0]["proxy_signature"]:
            return DROPPED
        return deliver(**params)

    world.control("window", state="closed")
    world.gateway.payout_stakers, world.gateway.missing = take, {"requestState"}
    engine.advance(era)
    world.control("fee", amount="7")
    assert world.drive(era, engine, patience=1000).outcome is Outcome.PAID
    assert [params == taken[0] for params in taken] == [True] * (SENT_IN_VAIN + 1) + [False]
    assert len(world.executed(era)) == 1


def test_a_process_that_died_while_it_repeated_a_payload_counts_as_having_sent_it(make_world):
    world = make_world(unpaid_eras=2)
    older, newer = world.era - 1, world.era
    world.gateway.lose = ["before", "crash"]
    engine = world.engine()
    engine.advance(older)
    world.real += 800
    with pytest.raises(Crash):
        engine.advance(older)
    crashed_at = world.now()
    world.real += world.terms.lease.total_seconds() + 1
    seen = []
    world.gateway.nonce, tell = (
        lambda *asked: seen.append(world.ledger.payout(NETWORK, older, 0)) or tell(*asked),
        (world.gateway.nonce),
    )
    assert world.engine("other").advance(newer).reason is WaitFor.LANE
    assert (seen[0].unanswered, seen[0].unanswered_at, seen[0].lease_owner) == (2, crashed_at, None)


def test_a_payload_of_other_accounts_is_not_replaced(make_world):
    world = make_world()
    era = world.era
    world.gateway.lose = ["before"]
    world.engine().advance(era)
    world.control("fee", amount="7")
    terms = replace(world.terms, user=BOB.account)
    engine = PayoutEngine(
        terms, world.gateway, ProofMaker(BOB, CHARLIE), world.ledger, Actor("new", 1), clock=world.now
    )
    for _ in range(20):
        step = engine.advance(era)
        assert isinstance(step, Wait)
        world.elapse(6)
    assert {params["user"] for params in world.gateway.sent} == {ALICE.account}


def test_what_another_network_of_the_chain_sent_is_repeated_and_not_replaced(make_world):
    world = make_world(unpaid_eras=2, history_depth=100_000)
    older, newer = world.era - 1, world.era
    one, other = (replace(world.terms, network=name, chain="the chain") for name in ("one", "other"))
    dropped = drop_the_first(world)
    world.engine("one", terms=one).advance(older)
    world.control("fee", amount="7")
    engine = world.engine("other", terms=other)
    for _ in range(100):
        assert engine.advance(newer).reason is WaitFor.LANE
        world.elapse(60)
    assert {params["proxy_signature"] for params in world.gateway.sent} == {dropped[0]["proxy_signature"]}
    assert world.drive(older, world.engine("again", terms=one)).outcome is Outcome.PAID
    assert world.drive(newer, engine).outcome is Outcome.PAID
    assert len(world.executed(older)) == len(world.executed(newer)) == 1


def test_the_fee_of_a_payload_is_not_counted_on_top_of_the_one_it_is_replaced_by(make_world):
    world = make_world(max_fee_per_run=10, max_fee_per_day=10)
    era = world.era
    world.control("fee", amount="6")
    world.gateway.lose = ["before"]
    engine = world.engine()
    engine.advance(era)
    world.control("fee", amount="7")
    assert world.drive(era, engine).outcome is Outcome.PAID
    assert len(world.executed(era)) == 1


def test_an_era_that_is_paid_already_is_not_let_go_while_its_own_payout_may_not_show_yet(make_world):
    world = make_world(unpaid_eras=2, stakers=100)
    older, newer = world.era - 1, world.era
    world.gateway.missing, world.gateway.lose = {"requestState"}, ["after"]
    engine = world.engine()
    engine.advance(older)
    world.elapse(3)
    behind(world, lambda _: 30)
    told_at = world.now()
    step = engine.advance(older)
    assert isinstance(step, Wait)
    record = world.ledger.payout(NETWORK, older, 0)
    assert (record.state, record.over, record.over_since) == (PayoutState.UNKNOWN, "paid", told_at)
    world.elapse(40)
    outcome = engine.advance(older)
    assert (outcome.outcome, outcome.parts[0].confirmed_by) == (Outcome.PAID, "nonce")
    assert world.drive(newer).outcome is Outcome.PAID


@pytest.mark.parametrize("error", [GatewayTimeout, UnexpectedResult])
def test_what_the_nonces_prove_needs_no_request_state(world, error):
    def fail(_):
        raise error("not now", method="requestState")

    world.gateway.request_state = fail
    era, engine = world.era, world.engine()
    assert engine.advance(era).reason is WaitFor.CONFIRMATION, "no evidence is no error"
    world.elapse(3)
    outcome = engine.advance(era)
    assert (outcome.outcome, outcome.parts[0].confirmed_by) == (Outcome.PAID, "nonce")


# --- proofs that are handed over -----------------------------------------------------------------------------------------


def test_given_proofs_that_met_an_open_window_are_sent_when_it_has_closed(world):
    era = world.era
    proofs = ready_made_proofs(world, era)
    world.gateway.missing = {"getActiveEra", "getEraElectionStatus", "getNonce", "getRelayerFees", "requestState"}
    world.control("window", state="open")
    engine = world.engine(proofs=proofs)
    assert engine.advance(era).reason is WaitFor.WINDOW
    world.control("window", state="closed")
    outcome = world.drive(era, engine)
    assert (outcome.outcome, "not confirmed" in outcome.reason) == (Outcome.UNKNOWN, True), "there is no witness"
    world.elapse(3)
    assert len(world.executed(era)) == 1


def test_given_proofs_that_were_turned_away_at_the_door_are_sent_again(world):
    era = world.era
    engine = world.engine(proofs=ready_made_proofs(world, era))
    world.gateway.lose = [Forbidden("no", method="proxyPayoutstakers", status=403), "refused"]
    for error in (Forbidden, GatewayUnreachable):
        with pytest.raises(error):
            engine.advance(era)
    assert world.drive(era, engine).outcome is Outcome.PAID
    assert len(world.executed(era)) == 1


def test_given_proofs_that_were_refused_are_refused_for_good_and_new_ones_are_taken(world):
    era = world.era
    old = ready_made_proofs(world, era)
    world.control("fee", amount="7")
    for _ in range(2):
        outcome = world.drive(era, world.engine(proofs=old))
        assert outcome.outcome is Outcome.REJECTED
        assert "supply new proofs" in outcome.reason
    assert len(world.gateway.sent) == 1
    assert world.drive(era, world.engine(proofs=ready_made_proofs(world, era))).outcome is Outcome.PAID
    assert len(world.executed(era)) == 1


def test_a_fee_charged_for_nothing_does_not_confirm_given_proofs_that_tell_no_staking_nonce(world):
    era = world.era
    full = ready_made_proofs(world, era)
    proofs = Proofs(full.proxy_signature, full.fee_payment_signature, full.payment_nonce)
    world.gateway.missing, world.gateway.lose = {"requestState"}, ["before"]
    engine = world.engine(proofs=proofs)
    engine.advance(era)
    world.control("nonce", account=str(CHARLIE.account), kind="payment", by=1)
    outcome = world.drive(era, engine, patience=400)
    assert (outcome.outcome, world.executed(era)) == (Outcome.REJECTED, [])


def test_given_proofs_without_a_staking_nonce_are_confirmed_by_the_one_read_before_they_were_sent(world):
    era = world.era
    proofs = replace(ready_made_proofs(world, era), staking_nonce=None)
    world.gateway.missing, world.gateway.lose = {"requestState"}, ["after"]
    outcome = world.drive(era, world.engine(proofs=proofs))
    assert (outcome.outcome, outcome.parts[0].confirmed_by) == (Outcome.PAID, "nonce")
    assert len(world.executed(era)) == 1


def test_given_proofs_of_the_same_staking_nonce_replace_those_that_are_refused(world):
    era = world.era
    old = ready_made_proofs(world, era)
    world.gateway.lose = ["before"]
    world.engine(proofs=old).advance(era)
    world.control("fee", amount="7")
    new = ready_made_proofs(world, era)
    assert new.staking_nonce == old.staking_nonce
    assert world.drive(era, world.engine(proofs=new)).outcome is Outcome.PAID
    assert len(world.executed(era)) == 1


def test_given_proofs_of_one_era_never_replace_those_of_another(make_world):
    world = make_world(unpaid_eras=2, history_depth=100_000)
    older, newer = world.era - 1, world.era
    drop_the_first(world)
    world.engine(proofs=ready_made_proofs(world, older)).advance(older)
    world.control("fee", amount="7")
    engine = world.engine(proofs=ready_made_proofs(world, newer))
    for _ in range(100):
        step = engine.advance(newer)
        assert step.reason is WaitFor.LANE
        world.elapse(60)
    assert {params["era"] for params in world.gateway.sent} == {older}


def test_given_proofs_that_name_a_nonce_too_high_block_no_other_era(make_world):
    world = make_world(unpaid_eras=2, stakers=100)
    older, newer = world.era - 1, world.era
    proofs = ready_made_proofs(world, older)
    wrong = replace(proofs, staking_nonce=proofs.staking_nonce + 90)
    world.control("fee", amount="7")
    assert world.drive(older, world.engine(proofs=wrong)).outcome is Outcome.REJECTED
    assert world.drive(newer, world.engine("scheduled")).outcome is Outcome.PAID
    assert world.drive(older, world.engine("scheduled")).outcome is Outcome.PAID


# --- words ---------------------------------------------------------------------------------------------------------------


def refused(text):
    return RpcInvalidRequest(
        method="proxyPayoutstakers", code=-32600, rpc_message="Invalid Request", gateway_error=text, request=None
    )


@pytest.mark.parametrize(
    "text",
    [
        "invalid fee authorisation: payment nonce already claimed",
        "relayer fee was already paid for this nonce",
        "could not get relayer fee: nothing left in the payer account",
        "no stakers known: the node is still syncing",
        "invalid proxy authorisation: already paid",
    ],
)
def test_what_is_said_of_fees_nonces_and_accounts_does_not_make_an_era_paid(make_world, text):
    world = make_world(max_replans=0)
    world.gateway.lose = [refused(text)]
    outcome = world.drive(world.era)
    assert (outcome.outcome, outcome.reason) == (Outcome.REJECTED, str(refused(text)))


@pytest.mark.parametrize(
    "text",
    [
        "era 29 has already been paid out",
        "era 29 has no stakers to pay out",
        "AlreadyClaimed",
        "nothing left to pay for era 29",
        "no unpaid stakers left",
    ],
)
def test_an_era_of_which_nothing_is_left_is_already_paid(world, text):
    world.gateway.lose = [refused(text)]
    outcome = world.drive(world.era)
    assert outcome.outcome is Outcome.ALREADY_PAID
    assert outcome.parts[0].state is PayoutState.EMPTY


def test_the_time_nonces_have_to_agree_is_a_term(make_world):
    world = make_world(nonces_agree_within=timedelta(seconds=300))
    era, engine = world.era, world.engine()
    world.gateway.lose = ["before"]
    engine.advance(era)
    world.control("nonce", account=str(ALICE.account), kind="staking", by=1)
    begun = world.now()
    assert world.drive(era, engine).outcome is Outcome.PAID
    assert world.now() - begun > timedelta(seconds=300)
