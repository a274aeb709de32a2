"""What became of a payload, told by gateways that are behind, silent or at odds with themselves."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from staking_gateway.errors import Forbidden, GatewayTimeout, GatewayUnreachable, RpcInvalidRequest, UnexpectedResult
from staking_gateway.ledger import PayoutState
from staking_gateway.payout.outcomes import Outcome, WaitFor
from staking_gateway.signing import Proofs
from staking_gateway.types import RequestState, RequestStatus
from staking_gateway_simulator.events import Delayed
from staking_gateway_simulator.settings import to_micros
from tests.support.world import CHARLIE, ready_made_proofs

BATCHES = 1000
"""Stakers of four calls: a call too many is executed, and seen."""


@pytest.fixture
def make_world(make_world):
    return partial(make_world, stakers=BATCHES)


# --- nodes that are behind -----------------------------------------------------------------------------------------------


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


def test_what_was_accepted_and_executes_hours_later_is_never_taken_for_another_eras(make_world):
    world = make_world(unpaid_eras=2, history_depth=100_000)
    older, newer = world.era - 1, world.era
    world.control("window", state="closed")
    world.engine("dead").advance(older)
    (request,) = world.truth()["requests"]
    world.simulation.happen(Delayed(request["request_id"], to_micros(7200)))
    other = world.engine("other")
    deliver, repeated = world.gateway.payout_stakers, []
    # The gateway takes the repetitions too, and they come to nothing.
    world.gateway.payout_stakers = lambda **params: repeated.append(params) or DROPPED
    for _ in range(120):
        assert other.advance(newer).reason is WaitFor.LANE
        world.elapse(59)
    assert {params["era"] for params in repeated} == {older}
    world.gateway.payout_stakers = deliver
    world.elapse(300)
    assert world.drive(newer, other).outcome is Outcome.PAID
    assert world.drive(older).outcome is Outcome.ALREADY_PAID
    assert len(world.executed(older)) == len(world.executed(newer)) == 1


# --- proofs that are handed over -----------------------------------------------------------------------------------------


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
