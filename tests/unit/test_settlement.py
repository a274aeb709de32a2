"""What became of a payload, told by gateways that are behind, silent or at odds with themselves."""

from dataclasses import replace
from functools import partial

import pytest

from staking_gateway.errors import Forbidden, GatewayTimeout, GatewayUnreachable, RpcInvalidRequest, UnexpectedResult
from staking_gateway.ledger import PayoutState
from staking_gateway.payout.outcomes import Outcome, WaitFor
from staking_gateway_simulator.events import Delayed
from staking_gateway_simulator.settings import to_micros
from tests.support.world import ready_made_proofs

BATCHES = 1000
"""Stakers of four calls: a call too many is executed, and seen."""
FORGOTTEN = "6d1c6ee8-51a8-4c29-9a0c-31a1a31e2d1a"
"""A request of which the gateway knows nothing."""


@pytest.fixture
def make_world(make_world):
    return partial(make_world, stakers=BATCHES)


@pytest.mark.parametrize("error", [GatewayTimeout, UnexpectedResult])
def test_what_the_nonces_prove_needs_no_request_state(world, error):
    def fail(_):
        raise error("not now", method="requestState")

    world.gateway.request_state = fail
    outcome = world.drive(world.era)
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
    world.gateway.payout_stakers = lambda **params: repeated.append(params) or FORGOTTEN
    for _ in range(24):
        assert other.advance(newer).reason is WaitFor.LANE
        world.elapse(295)
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


def test_given_proofs_without_a_staking_nonce_are_confirmed_by_the_one_read_before_they_were_sent(world):
    era = world.era
    proofs = replace(ready_made_proofs(world, era), staking_nonce=None)
    world.gateway.missing, world.gateway.lose = {"requestState"}, ["after"]
    outcome = world.drive(era, world.engine(proofs=proofs))
    assert (outcome.outcome, outcome.parts[0].confirmed_by) == (Outcome.PAID, "nonce")
    assert len(world.executed(era)) == 1


def test_an_era_that_is_called_paid_twice_is_already_paid(world):
    text = "era 29 has already been paid out"
    refused = RpcInvalidRequest(method="m", code=-32600, rpc_message="Invalid Request", gateway_error=text)
    world.gateway.lose = [refused] * 2
    outcome = world.drive(world.era)
    assert (outcome.outcome, outcome.parts[0].state) == (Outcome.ALREADY_PAID, PayoutState.EMPTY)
