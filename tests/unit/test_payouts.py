"""The rules of the payout engine, each by its name, against the simulator's own truth."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import pytest

from staking_gateway.errors import (
    Forbidden,
    GatewayUnavailable,
    GatewayUnreachable,
    InvalidEra,
    InvalidInput,
    KeyMismatch,
    RpcInternalError,
    RpcInvalidParams,
)
from staking_gateway.ledger import Actor, Ledger, PayoutState
from staking_gateway.payout.engine import PayoutEngine
from staking_gateway.payout.fee_limits import above_limit, read_spent
from staking_gateway.payout.outcomes import Outcome, Wait, WaitFor
from staking_gateway.payout.terms import ConfirmBy
from staking_gateway.signing import LocalSigner, ProofMaker
from tests.support.world import ALICE, BOB, CHARLIE, NETWORK, Crash, ready_made_proofs


def states(world, era, part=0):
    return [event.to_state.value for event in world.ledger.events(world.ledger.payout(NETWORK, era, part))]


# --- the plain way -----------------------------------------------------------------------------------------------------


def test_an_unpaid_era_is_paid_once_and_the_outcome_says_how_it_was_confirmed(world):
    era = world.era
    outcome = world.drive(era)
    assert outcome.outcome is Outcome.PAID
    (executed,) = world.executed(era)
    (part,) = outcome.parts
    assert (part.request_id, part.tx_hash) == (executed["request_id"], executed["tx_hash"])
    assert part.confirmed_by == "request_state"
    assert str(part.fee) == executed["fee"]
    assert states(world, era) == ["PLANNED", "SIGNED", "SUBMITTED", "CONFIRMED"]


def test_a_paid_era_is_already_paid_for_everybody_else_and_nothing_is_sent(world):
    era = world.era
    world.drive(era)
    for run in ("backfill", "manual"):
        assert world.drive(era, world.engine(run)).outcome is Outcome.ALREADY_PAID
    assert len(world.gateway.sent) == 1


@pytest.mark.parametrize("same_try", [True, False], ids=["resumed after deferral", "another try"])
def test_paid_is_told_to_the_run_that_signed_in_every_try(world, same_try):
    era = world.era
    assert isinstance(world.engine().advance(era), Wait)
    world.elapse(2)
    for _ in range(2):
        assert world.engine(same_try=same_try).advance(era).outcome is Outcome.PAID
    assert len(world.gateway.sent) == 1


def test_paid_is_told_to_the_run_that_signed_and_not_to_the_one_that_settled(make_world):
    world = make_world(unpaid_eras=2)
    older, newer = world.era - 1, world.era
    world.engine("signs").advance(older)
    assert world.drive(newer, world.engine("settles")).outcome is Outcome.PAID
    (part,) = world.ledger.era_payouts(NETWORK, older)
    assert (part.state, part.signed_by, part.settled_by) == (PayoutState.CONFIRMED, "signs", "settles#1")
    assert world.drive(older, world.engine("settles")).outcome is Outcome.ALREADY_PAID
    assert world.drive(older, world.engine("signs")).outcome is Outcome.PAID
    assert len(world.executed(older)) == len(world.executed(newer)) == 1


def test_a_part_in_flight_names_no_lease_once_its_answer_is_known(world):
    world.gateway.before_send = lambda: leases.append(world.ledger.payout(NETWORK, world.era, 0))
    leases = []
    world.engine().advance(world.era)
    (sending,) = leases
    assert sending.lease_until == world.now() + world.terms.lease
    after = world.ledger.payout(NETWORK, world.era, 0)
    assert (after.state, after.lease_owner, after.lease_until) == (PayoutState.SUBMITTED, None, None)


def test_the_signed_payload_is_in_the_ledger_before_it_leaves(world):
    era, seen = world.era, []
    world.gateway.before_send = lambda: seen.append(world.ledger.payout(NETWORK, era, 0))
    world.drive(era)
    (record,) = seen
    (sent,) = world.gateway.sent
    assert record.state is PayoutState.SIGNED
    assert (record.proxy_signature, record.fee_payment_signature, record.payment_nonce) == (
        sent["proxy_signature"],
        sent["fee_payment_signature"],
        sent["payment_nonce"],
    )


def test_no_signature_is_shown_in_an_outcome_or_a_repr(world):
    outcome = world.drive(world.era)
    signature = outcome.parts[0].proxy_signature
    assert signature not in repr(outcome)
    assert signature not in str(outcome.as_dict())


# --- the election window ----------------------------------------------------------------------------------------------


def test_an_open_window_is_a_wait_that_costs_no_nonce_and_no_call(world):
    era = world.era
    world.control("window", state="open")
    step = world.engine().advance(era)
    assert (step.reason, step.abandoned) == (WaitFor.WINDOW, Outcome.HELD_WINDOW)
    assert world.gateway.sent == []
    assert states(world, era) == ["PLANNED", "HELD"]
    world.engine().advance(era)
    assert states(world, era) == ["PLANNED", "HELD"], "waiting on does not fill the history"
    world.control("window", state="closed")
    assert world.drive(era).outcome is Outcome.PAID


def test_a_window_that_opens_between_check_and_send_is_a_wait_and_the_era_is_signed_anew_later(world):
    era = world.era
    world.gateway.before_send = lambda: world.control("window", state="open")
    step = world.engine().advance(era)
    assert step.reason is WaitFor.WINDOW
    world.gateway.before_send = None
    world.control("window", state="closed")
    assert world.drive(era).outcome is Outcome.PAID
    assert len(world.executed(era)) == 1


def test_a_window_that_opens_while_an_answer_is_missing_keeps_the_payload(world):
    era = world.era
    world.gateway.lose = ["before"]
    engine = world.engine()
    assert engine.advance(era).reason is WaitFor.REPLAY
    world.control("window", state="open")
    assert engine.advance(era).reason is WaitFor.WINDOW
    assert world.ledger.payout(NETWORK, era, 0).state is PayoutState.UNKNOWN
    world.control("window", state="closed")
    assert world.drive(era, engine).outcome is Outcome.PAID
    assert len({sent["proxy_signature"] for sent in world.gateway.sent}) == 1


def test_a_network_without_the_guard_is_not_asked_for_its_window(make_world):
    world = make_world(wait_for_closed_window=False)
    world.gateway.missing = {"getEraElectionStatus"}
    assert world.drive(world.era).outcome is Outcome.PAID


@pytest.mark.parametrize(
    ("lost", "outcome"), [(["before"], Outcome.UNKNOWN), (["refused"], Outcome.UNKNOWN), (None, Outcome.NOT_TRIED)]
)
def test_giving_up_is_not_tried_only_when_nothing_was_ever_signed(make_world, lost, outcome):
    world = make_world(unpaid_eras=2)
    older, newer = world.era - 1, world.era
    if lost is not None:
        world.gateway.lose = lost
        with suppress(GatewayUnreachable):
            world.engine().advance(newer)
    world.engine("in the way").advance(older)
    engine = world.engine()
    assert engine.abandon(newer, engine.advance(newer)).outcome is outcome


def test_giving_up_says_what_was_waited_for_and_the_next_run_goes_on(world):
    era = world.era
    world.control("window", state="open")
    engine = world.engine()
    outcome = engine.abandon(era, engine.advance(era))
    assert outcome.outcome is Outcome.HELD_WINDOW
    assert "window is open" in outcome.reason
    world.control("window", state="closed")
    assert world.drive(era).outcome is Outcome.PAID


# --- lost answers and crashes -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", ["before", "after"])
def test_a_lost_answer_is_settled_by_repeating_the_same_bytes_or_by_the_nonces(world, fault):
    era = world.era
    world.gateway.lose = [fault]
    outcome = world.drive(era)
    assert outcome.outcome is Outcome.PAID
    assert len(world.executed(era)) == 1
    assert len({sent["proxy_signature"] for sent in world.gateway.sent}) == 1, "nothing was signed twice"


def test_an_executed_payout_whose_answer_was_lost_is_confirmed_by_the_nonces_without_sending_again(world):
    era = world.era
    world.gateway.lose = ["after"]
    engine = world.engine()
    engine.advance(era)
    world.elapse(5)
    outcome = engine.advance(era)
    assert outcome.parts[0].confirmed_by == "nonce"
    assert len(world.gateway.sent) == 1


def test_a_refused_connection_sends_nothing_and_is_raised_for_another_try(world):
    era = world.era
    world.gateway.lose = ["refused"]
    with pytest.raises(GatewayUnreachable):
        world.engine().advance(era)
    assert world.ledger.payout(NETWORK, era, 0).state is PayoutState.PLANNED
    assert world.drive(era).outcome is Outcome.PAID


@pytest.mark.parametrize(
    ("error", "state"),
    [
        (Forbidden("aged", method="m", status=403), PayoutState.PLANNED),
        (GatewayUnavailable("bad gateway", method="m", status=502), PayoutState.UNKNOWN),
        (RpcInternalError(method="m", code=-32603, rpc_message="failed"), PayoutState.UNKNOWN),
    ],
)
def test_whether_a_failure_frees_the_payload_depends_on_what_it_promises(world, error, state):
    era = world.era
    world.gateway.lose = [error]
    try:
        world.engine().advance(era)
    except Forbidden:
        assert state is PayoutState.PLANNED
    assert world.ledger.payout(NETWORK, era, 0).state is state
    assert world.drive(era).outcome is Outcome.PAID
    assert len(world.executed(era)) == 1


class CrashingLedger(Ledger):
    """Dies before or after the n-th change."""

    def __init__(self, url, clock, countdown, *, after):
        super().__init__(url, clock=clock)
        self.countdown = countdown
        self.after = after

    def transition(self, *args, **changes):
        self.countdown -= 1
        if self.countdown == 0 and not self.after:
            raise Crash
        result = super().transition(*args, **changes)
        if self.countdown == 0:
            raise Crash
        return result


@pytest.mark.parametrize("after", [False, True], ids=["before the write", "after the write"])
@pytest.mark.parametrize("write", [1, 2, 3])
@pytest.mark.parametrize("pause", [0, 5, 200], ids=["at once", "a moment later", "after the lease"])
def test_a_crash_at_any_write_pays_exactly_once(world, write, after, pause):
    era = world.era
    ledger = CrashingLedger(world.ledger_url, world.now, write, after=after)
    with pytest.raises(Crash):
        world.drive(era, world.engine(ledger=ledger))
    ledger.close()
    world.elapse(pause)
    assert world.drive(era).outcome.is_green
    assert len(world.executed(era)) == 1


def test_a_crash_between_acceptance_and_the_write_pays_exactly_once(world):
    era = world.era
    world.gateway.lose = ["crash"]
    with pytest.raises(Crash):
        world.drive(era)
    assert world.ledger.payout(NETWORK, era, 0).state is PayoutState.SIGNED
    assert world.drive(era).outcome is Outcome.PAID
    assert len(world.executed(era)) == 1


def test_a_record_being_sent_is_left_alone_until_its_lease_ends(world):
    era = world.era
    world.gateway.lose = ["crash"]
    with pytest.raises(Crash):
        world.drive(era)
    step = world.engine("other").advance(era)
    assert (step.reason, step.abandoned) == (WaitFor.LANE, Outcome.UNKNOWN)
    assert len(world.gateway.sent) == 1

    world.elapse(world.terms.lease.total_seconds())
    assert world.drive(era, world.engine("other")).outcome is Outcome.ALREADY_PAID
    assert len(world.executed(era)) == 1


def test_a_process_whose_payload_was_taken_over_while_it_sent_writes_nothing_and_reads_what_became_of_it(world):
    era, other = world.era, world.engine("other")

    def stand_still():
        world.gateway.before_send = None
        world.elapse(world.terms.lease.total_seconds())
        world.drive(era, other)

    world.gateway.before_send = stand_still
    assert world.engine("slow").advance(era).outcome is Outcome.PAID
    assert len(world.executed(era)) == 1
    runs = [event.run for event in world.ledger.events(world.ledger.payout(NETWORK, era, 0))]
    assert runs[:2] == ["slow", "slow"]
    assert set(runs[2:]) == {"other"}


def test_a_process_that_stood_still_until_its_lease_ended_sends_nothing(world):
    """What it signed may have been taken over. It counts as sent, and evidence decides."""
    era = world.era
    write = world.ledger.transition

    def stand_still(*args, **changes):
        written = write(*args, **changes)
        if written.state is PayoutState.SIGNED:
            world.real += world.terms.lease.total_seconds()
            sent_before.append(len(world.gateway.sent))
            world.ledger.transition = write
        return written

    sent_before, world.ledger.transition = [], stand_still
    outcome = world.drive(era)
    assert (outcome.outcome, sent_before) == (Outcome.PAID, [0])
    assert states(world, era)[:3] == ["PLANNED", "SIGNED", "UNKNOWN"]
    assert len(world.gateway.sent) == len(world.executed(era)) == 1


# --- rejections, nonces, fees --------------------------------------------------------------------------------------------


def test_a_fee_that_changed_between_reading_and_sending_is_signed_anew_within_the_bound(world):
    era = world.era
    fees = iter((3, 5, None))

    def change_fee():
        if (fee := next(fees)) is not None:
            world.control("fee", amount=str(fee))

    world.gateway.before_send = change_fee
    outcome = world.drive(era)
    assert outcome.outcome is Outcome.PAID
    assert outcome.parts[0].fee == 5
    assert states(world, era).count("REJECTED") == 2


def test_replanning_is_bounded_and_the_reason_is_the_gateways(make_world):
    world = make_world(max_replans=2)
    era, fee = world.era, iter(range(1, 100))
    world.gateway.before_send = lambda: world.control("fee", amount=str(next(fee)))
    outcome = world.drive(era)
    assert outcome.outcome is Outcome.REJECTED
    assert "invalid fee authorisation" in outcome.reason
    assert len(world.gateway.sent) == 3
    world.gateway.before_send = None
    assert world.drive(era).outcome is Outcome.PAID, "the next try has its own bound"


def test_a_request_rejected_on_the_chain_is_planned_again(world):
    era = world.era
    engine = world.engine()
    engine.advance(era)
    world.control("nonce", account=str(ALICE.account), kind="staking")
    outcome = world.drive(era, engine)
    assert outcome.outcome is Outcome.PAID
    assert len(world.executed(era)) == 1
    assert "REJECTED" in states(world, era)


def test_a_payload_whose_nonce_somebody_else_used_is_dead_and_planned_again(world):
    era = world.era
    world.gateway.lose = ["before"]
    engine = world.engine()
    engine.advance(era)
    world.control("nonce", account=str(ALICE.account), kind="staking")
    assert world.drive(era, engine).outcome is Outcome.PAID
    assert len(world.executed(era)) == 1


def test_a_payload_that_can_no_longer_be_repeated_is_replaced_by_one_of_the_same_staking_nonce(world):
    era = world.era
    world.gateway.lose = ["before"]
    engine = world.engine()
    engine.advance(era)
    world.control("fee", amount="7")
    assert world.drive(era, engine).outcome is Outcome.PAID
    assert len(world.executed(era)) == 1
    assert len({sent["proxy_signature"] for sent in world.gateway.sent}) == 2


def test_a_payload_that_executes_while_its_replacement_is_being_signed_is_not_paid_again(make_world):
    world = make_world(stakers=600, parts=1)
    era = world.era
    world.gateway.lose = ["after"]
    engine = world.engine()
    engine.advance(era)
    refused = RpcInvalidParams(method="m", code=-32602, rpc_message="could not be read")
    world.gateway.lose = [refused]  # so a replacement is signed
    fee, nonce, signing = world.gateway.relayer_fee, world.gateway.nonce, []

    def read_fee(relayer, payer):
        signing.append(True)
        return fee(relayer, payer)

    def read_nonce(account, kind):
        told = nonce(account, kind)
        if signing:
            signing.clear()
            world.elapse(5)  # the first payload executes between the two readings
        return told

    world.gateway.relayer_fee, world.gateway.nonce = read_fee, read_nonce
    assert world.drive(era, engine).outcome is Outcome.PAID
    assert len(world.executed(era)) == 1


@pytest.mark.parametrize("limits", [{"max_fee_per_payout": 5}, {"max_fee_per_day": 5}])
def test_above_a_ceiling_nothing_is_signed_or_sent(make_world, limits):
    world = make_world(**limits)
    era = world.era
    world.control("fee", amount="6")
    outcome = world.drive(era)
    assert outcome.outcome is Outcome.HELD_FEE
    assert next(iter(limits)) in outcome.reason
    assert world.gateway.sent == []
    world.control("fee", amount="5")
    assert world.drive(era).outcome is Outcome.PAID


def test_the_ceiling_of_a_day_counts_what_the_day_has_cost_and_ends_with_it(make_world):
    world = make_world(max_fee_per_day=10, unpaid_eras=2)
    world.control("fee", amount="6")
    older, newer = world.era - 1, world.era
    assert world.drive(older).outcome is Outcome.PAID
    assert world.drive(newer).outcome is Outcome.HELD_FEE
    world.elapse(86_400 - 20 * 4)
    world.real += 20 * 4  # the chain must not lose the era while the day passes
    spent = read_spent(world.ledger, world.terms, run="next", now=world.now())
    assert above_limit(6, spent, world.terms) is None


# --- eras that cannot be paid ----------------------------------------------------------------------------------------------


def test_the_active_and_a_future_era_are_refused_and_leave_no_record(world):
    active = world.era + 1
    for era in (active, active + 5):
        with pytest.raises(InvalidEra, match="cannot be paid while era"):
            world.engine().advance(era)
        assert world.ledger.era_payouts(NETWORK, era) == []


def test_an_era_beyond_the_history_depth_is_expired_and_never_sent(world):
    outcome = world.drive(world.era - 84)
    assert outcome.outcome is Outcome.EXPIRED
    assert world.gateway.sent == []


def test_an_unsettled_payload_of_an_expired_era_gives_the_lane_back(make_world):
    world = make_world(history_depth=2)
    era = world.era
    world.gateway.lose = ["before"]
    world.engine().advance(era)
    world.control("advance", eras=3)
    assert world.drive(era).outcome is Outcome.EXPIRED
    assert world.drive(world.era, world.engine("next")).outcome is Outcome.PAID


def test_an_era_somebody_else_paid_is_already_paid(make_world, tmp_path):
    world = make_world()
    other = Ledger(f"sqlite:///{tmp_path / 'other.db'}", clock=world.now)
    world.drive(world.era, world.engine(ledger=other))
    other.close()
    outcome = world.drive(world.era)
    assert outcome.outcome is Outcome.ALREADY_PAID
    assert outcome.parts[0].state is PayoutState.EMPTY


# --- parts -------------------------------------------------------------------------------------------------------------------


def test_until_empty_pays_every_part_and_then_learns_that_nothing_is_left(make_world):
    world = make_world(stakers=600, parts=None)
    era = world.era
    outcome = world.drive(era)
    assert outcome.outcome is Outcome.PAID
    assert [payout["part"] for payout in world.executed(era)] == [0, 1, 2]
    assert [part.state.value for part in outcome.parts] == ["CONFIRMED"] * 3 + ["EMPTY"]


def test_a_fixed_number_of_parts_makes_that_many_calls(make_world):
    world = make_world(stakers=600, parts=2)
    assert world.drive(world.era).outcome is Outcome.PAID
    assert len(world.gateway.sent) == 2


def test_reaching_the_cap_is_partial(make_world):
    world = make_world(stakers=600, parts=None, max_parts=2)
    outcome = world.drive(world.era)
    assert outcome.outcome is Outcome.PARTIAL
    assert "max_parts" in outcome.reason


# --- several at once -----------------------------------------------------------------------------------------------------------


def test_two_runs_of_one_era_pay_it_once(world):
    era = world.era
    first, second = world.engine("scheduled"), world.engine("manual")
    first.advance(era)
    assert isinstance(second.advance(era), Wait)
    world.elapse(3)
    assert {first.advance(era).outcome, second.advance(era).outcome} == {Outcome.PAID, Outcome.ALREADY_PAID}
    assert len(world.gateway.sent) == 1


def test_a_second_era_waits_for_the_lane_and_settles_what_a_dead_owner_left_there(make_world):
    world = make_world(unpaid_eras=2)
    older, newer = world.era - 1, world.era
    world.engine("dead").advance(older)
    engine = world.engine("alive")
    step = engine.advance(newer)
    assert step.reason is WaitFor.LANE
    assert f"era {older}" in step.message
    assert world.drive(newer, engine).outcome is Outcome.PAID
    assert world.drive(older).outcome is Outcome.ALREADY_PAID
    assert len(world.executed(older)) == len(world.executed(newer)) == 1


def test_a_nonce_read_before_another_payload_used_it_is_not_signed(make_world):
    world = make_world(unpaid_eras=2)
    older, newer = world.era - 1, world.era
    stale = ready_made_proofs(world, newer)
    world.drive(older)
    step = world.engine(proofs=stale).advance(newer)
    assert step.reason is WaitFor.LANE
    assert "used already" in step.message
    assert len(world.gateway.sent) == 1
    assert world.drive(newer).outcome is Outcome.PAID


def test_two_names_of_one_chain_share_its_lanes_and_its_nonces(make_world):
    world = make_world(unpaid_eras=2)
    older, newer = world.era - 1, world.era
    one, other = (replace(world.terms, network=name, chain="the chain") for name in ("one", "other"))
    world.gateway.lose = ["before"]
    lost = world.engine("lost", terms=one)
    lost.advance(older)
    step = world.engine("other", terms=other).advance(newer)
    assert step.reason is WaitFor.LANE
    assert f"era {older}" in step.message
    assert world.drive(older, lost).outcome is Outcome.PAID
    assert world.drive(newer, world.engine("other", terms=other)).outcome is Outcome.PAID
    assert len(world.executed(older)) == len(world.executed(newer)) == 1


@pytest.mark.parametrize("seconds", [60, 3600, 86_400 * 10])
def test_an_era_whose_payload_nobody_ever_took_is_paid_by_the_next_run_that_needs_the_lane(make_world, seconds):
    """Time proves nothing: the payload is repeated, byte for byte, however old it is."""
    world = make_world(unpaid_eras=2, history_depth=1_000_000)
    older, newer = world.era - 1, world.era
    world.gateway.lose = ["before"]
    world.engine("dead").advance(older)
    world.elapse(seconds)
    assert world.drive(newer, world.engine("alive")).outcome is Outcome.PAID
    first, again, _ = world.gateway.sent
    assert again == first
    assert world.ledger.payout(NETWORK, older, 0).state is PayoutState.CONFIRMED
    assert world.drive(older).outcome is Outcome.ALREADY_PAID
    assert len(world.executed(older)) == len(world.executed(newer)) == 1


def test_an_era_whose_payload_can_no_longer_be_accepted_is_signed_again_by_the_next_run_that_needs_the_lane(make_world):
    world = make_world(unpaid_eras=2)
    older, newer = world.era - 1, world.era
    world.gateway.lose = ["before"]
    world.engine("dead").advance(older)
    world.control("fee", amount="7")
    assert world.drive(newer, world.engine("alive")).outcome is Outcome.PAID
    (part,) = world.ledger.era_payouts(NETWORK, older)
    assert (part.state, part.staking_nonce, part.signed_by) == (PayoutState.CONFIRMED, 0, "alive")
    assert world.drive(older, world.engine("dead")).outcome is Outcome.ALREADY_PAID
    assert len(world.executed(older)) == len(world.executed(newer)) == 1


def test_a_payload_of_another_user_delays_the_payer_and_then_no_longer(make_world):
    world = make_world(unpaid_eras=2)
    older, newer = world.era - 1, world.era
    other = replace(world.terms, network="other", user=BOB.account, chain=NETWORK)
    ledger, gateway = world.ledger, world.gateway
    gateway.lose = ["before"]
    PayoutEngine(other, gateway, ProofMaker(BOB, CHARLIE), ledger, Actor("other"), clock=world.now).advance(older)
    engine = world.engine()
    step = engine.advance(newer)
    assert (step.reason, f"era {older}" in step.message) == (WaitFor.LANE, True)
    world.real += world.terms.settle_within.total_seconds() + 1
    assert world.drive(newer, engine).outcome is Outcome.PAID
    assert len(world.executed(newer)) == 1


def test_a_request_id_that_is_another_payouts_proves_nothing(make_world):
    world = make_world(unpaid_eras=2)
    older, newer = world.era - 1, world.era
    first = world.drive(older).parts[0].request_id
    gateway = world.gateway
    gateway.rename = lambda request_id: first
    outcome = world.drive(newer)
    assert outcome.outcome is Outcome.PAID
    assert outcome.parts[0].confirmed_by == "nonce"
    assert len(world.executed(newer)) == 1


@pytest.mark.parametrize(
    "limits",
    [{"max_fee_per_payout": 0}, {"max_fee_per_day": -1}, {"parts": 0}, {"max_replans": -1}, {"history_depth": True}],
)
def test_terms_that_make_no_sense_are_refused_by_name(make_world, limits):
    with pytest.raises(InvalidInput) as caught:
        make_world(**limits)
    assert caught.value.field == next(iter(limits))


# --- gateways that can do less ---------------------------------------------------------------------------------------------------


def test_without_request_states_the_nonces_confirm(world):
    world.gateway.missing = {"requestState"}
    assert world.drive(world.era).parts[0].confirmed_by == "nonce"


def test_a_confirmation_by_nonce_can_be_chosen(make_world):
    world = make_world(confirm_by=ConfirmBy.NONCE)
    assert world.drive(world.era).parts[0].confirmed_by == "nonce"


def test_confirmation_can_be_switched_off(make_world):
    world = make_world(confirm_by=ConfirmBy.NONE)
    assert world.drive(world.era).parts[0].confirmed_by == "none"


def test_a_gateway_of_the_document_alone_is_paid_with_ready_made_proofs(world):
    era = world.era
    proofs = ready_made_proofs(world, era)
    world.gateway.missing = {"getActiveEra", "getEraElectionStatus", "getNonce", "getRelayerFees", "requestState"}
    outcome = world.drive(era, world.engine(proofs=proofs))
    (part,) = outcome.parts
    assert outcome.outcome is Outcome.UNKNOWN, "nothing tells that it was executed"
    assert f"accepted as {part.request_id}, not confirmed" in outcome.reason
    assert part.state is PayoutState.SUBMITTED
    world.elapse(3)
    assert len(world.executed(era)) == 1


def test_a_gateway_of_the_document_alone_is_believed_when_that_is_asked_for(make_world):
    world = make_world(confirm_by=ConfirmBy.NONE)
    era = world.era
    proofs = ready_made_proofs(world, era)
    world.gateway.missing = {"getActiveEra", "getEraElectionStatus", "getNonce", "getRelayerFees", "requestState"}
    outcome = world.drive(era, world.engine(proofs=proofs))
    assert (outcome.outcome, outcome.parts[0].confirmed_by) == (Outcome.PAID, "none")
    world.elapse(3)
    assert len(world.executed(era)) == 1


def test_ready_made_proofs_that_are_refused_end_rejected_and_ask_for_new_ones(world):
    era = world.era
    proofs = ready_made_proofs(world, era)
    world.control("fee", amount="7")
    outcome = world.drive(era, world.engine(proofs=proofs))
    assert outcome.outcome is Outcome.REJECTED
    assert "supply new proofs" in outcome.reason


def test_without_fees_and_nonces_and_without_proofs_the_outcome_is_unsupported(world):
    world.gateway.missing = {"getNonce", "getRelayerFees"}
    assert world.drive(world.era).outcome is Outcome.UNSUPPORTED
    assert world.gateway.sent == []


def test_a_chain_that_pays_by_itself_is_unsupported_and_nothing_is_signed(world):
    world.gateway.automatic = True
    outcome = world.drive(world.era)
    assert (outcome.outcome, outcome.parts) == (Outcome.UNSUPPORTED, ())
    assert "pays its stakers by itself" in outcome.reason
    assert world.gateway.sent == []


def test_a_gateway_without_the_payout_method_is_unsupported(world):
    world.gateway.missing = {"proxyPayoutstakers"}
    outcome = world.drive(world.era)
    assert outcome.outcome is Outcome.UNSUPPORTED
    assert not world.ledger.in_flight(NETWORK)


def test_a_signer_of_another_account_is_refused_before_anything(world):
    with pytest.raises(KeyMismatch, match="payer"):
        world.engine(proofs=ProofMaker(ALICE, LocalSigner("//Dave")))
