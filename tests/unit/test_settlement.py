"""What became of a payload, told by gateways that are behind, silent or at odds with themselves."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import timedelta

import pytest

from staking_gateway.errors import Forbidden, GatewayTimeout, GatewayUnreachable, RpcInvalidRequest, UnexpectedResult
from staking_gateway.ledger import PayoutState
from staking_gateway.outcomes import Outcome, Wait, WaitFor
from staking_gateway.settlement import PayloadFate
from staking_gateway.signing import Proofs
from staking_gateway.types import NonceKind, RequestState, RequestStatus
from tests.support.world import ALICE, CHARLIE, NETWORK, World
from tests.unit.test_payouts import ready_made_proofs

BATCHES = 1000
"""Stakers of four calls: a call too many is executed, and seen."""


@pytest.fixture
def make_world(tmp_path):
    worlds = []

    def make(**options):
        folder = tmp_path / str(len(worlds))
        folder.mkdir()
        worlds.append(World(folder, **{"stakers": BATCHES, **options}))
        return worlds[-1]

    yield make
    for world in worlds:
        world.close()


@pytest.fixture
def world(make_world):
    return make_world()


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


def test_a_staking_nonce_that_alone_has_moved_is_another_tools_once_time_has_passed(world):
    era = world.era
    world.gateway.lose = ["before"]
    engine = world.engine()
    engine.advance(era)
    world.control("nonce", account=str(ALICE.account), kind="staking", by=1)
    begun = world.now()
    step = engine.advance(era)
    assert (step.reason, PayloadFate.STAKING_ONLY.value in step.message) == (WaitFor.REPLAY, True)
    assert world.drive(era, engine).outcome is Outcome.PAID
    assert world.now() - begun > world.terms.not_found_grace
    assert PayloadFate.DEAD.value in causes(world, era)
    assert len(world.executed(era)) == 1


def test_a_fee_charged_for_nothing_is_no_payout_and_the_era_is_signed_with_the_same_staking_nonce(world):
    era = world.era
    world.gateway.lose = ["before"]
    engine = world.engine()
    engine.advance(era)
    world.control("nonce", account=str(CHARLIE.account), kind="payment", by=1)
    step = engine.advance(era)
    assert PayloadFate.PAYMENT_ONLY.value in step.message
    assert world.drive(era, engine).outcome is Outcome.PAID
    assert sent_nonces(world)[-1] == sent_nonces(world)[0] + 1
    assert any(cause.startswith("signed again with the same staking nonce 0") for cause in causes(world, era))
    assert len(world.executed(era)) == 1


def test_reads_that_take_turns_between_two_nodes_send_no_more_than_once_before_waiting(world):
    era, engine = world.era, world.engine()
    world.gateway.lose = ["after"]
    engine.advance(era)
    world.elapse(3)
    turns = iter(range(10_000))
    behind(world, lambda kind: 60 if kind is NonceKind.PAYMENT or next(turns) % 2 == 0 else 0)
    for _ in range(10):
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
def test_what_was_accepted_is_not_given_up_for_another_era_which_waits_until_it_is_sent_again(make_world, status):
    world = make_world(unpaid_eras=2, history_depth=1000)
    older, newer = world.era - 1, world.era
    dropped = drop_the_first(world, status)
    world.engine("dead").advance(older)
    other = world.engine("other")
    for _ in range(5):
        step = other.advance(newer)
        assert (step.reason, f"waits for era {older}" in step.message) == (WaitFor.LANE, True)
        world.elapse(900)
    assert world.drive(older, world.engine("alive")).outcome is Outcome.PAID
    assert world.drive(newer, other).outcome is Outcome.PAID
    assert world.gateway.sent[0] == dropped[0]
    assert len(world.executed(older)) == len(world.executed(newer)) == 1


@pytest.mark.parametrize("error", [GatewayTimeout, UnexpectedResult])
def test_what_the_nonces_prove_needs_no_request_state(world, error):
    def fail(_):
        raise error("not now", method="requestState")

    world.gateway.request_state = fail
    era, engine = world.era, world.engine()
    with pytest.raises(error, match="not now"):
        engine.advance(era)
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
    assert world.drive(era, engine).outcome is Outcome.PAID
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
        assert "hand over new ones" in outcome.reason
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


def test_the_time_nonces_have_to_agree_is_a_term(make_world):
    world = make_world(not_found_grace=timedelta(seconds=300))
    era, engine = world.era, world.engine()
    world.gateway.lose = ["before"]
    engine.advance(era)
    world.control("nonce", account=str(ALICE.account), kind="staking", by=1)
    begun = world.now()
    assert world.drive(era, engine).outcome is Outcome.PAID
    assert world.now() - begun > timedelta(seconds=300)
