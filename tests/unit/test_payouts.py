"""The rules of the payout engine, each by its name, against the simulator's own truth."""

from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

import pytest

from staking_gateway.errors import Failed, GatewayError, InvalidEra, InvalidInput, SigningError
from staking_gateway.gateway.gateway import Gateway
from staking_gateway.ledger import Ledger, PayoutState
from staking_gateway.payout.outcomes import Hold, Outcome, Wait, WaitFor
from staking_gateway.payout.terms import ConfirmBy, PayoutTerms, terms_of
from staking_gateway.problem import Topic
from staking_gateway.signing import LocalSigner, ProofMaker
from tests.support.alerting import network
from tests.support.failed import fails
from tests.support.world import ALICE, BOB, CHARLIE, NETWORK, ready_made_proofs

# --- limits of fees ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limits", "missing"),
    [
        ({"max_fee_per_day": 10**20}, "max_fee_per_payout"),
        ({"max_fee_per_payout": 10**18}, "max_fee_per_day"),
        ({"max_fee_per_payout": 10**18, "max_fee_per_run": 10**20}, None),
    ],
)
def test_a_gateway_on_another_machine_gets_no_signature_without_limits(world, limits, missing):
    world.gateway = Gateway(world.gateway)
    world.gateway.is_remote = True
    outcome = world.drive(world.era, world.engine(terms=replace(world.terms, **limits)))
    assert outcome.outcome is (Outcome.HELD_FEE if missing else Outcome.PAID)
    assert not missing or outcome.reason.endswith(f"the settings lack {missing}: write the highest fees to accept")
    assert len(world.gateway.client.sent) == (missing is None)
    if missing:
        assert (outcome.topic, outcome.parts[0].hold) == (Topic.LIMIT_MISSING, "limit")


def test_a_fee_that_comes_above_a_limit_after_the_limit_was_missing_has_the_limit_as_its_cause(world):
    world.gateway = Gateway(world.gateway)
    world.gateway.is_remote = True
    missing = world.drive(world.era)
    limits = {"max_fee_per_payout": 1, "max_fee_per_day": 1}
    above = world.drive(world.era, world.engine(terms=replace(world.terms, **limits)))
    assert [missing.topic, above.topic] == [Topic.LIMIT_MISSING, Topic.HELD_FEE]


# --- the plain way -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("same_try", [True, False], ids=["resumed after deferral", "another try"])
def test_paid_is_told_to_the_run_that_signed_in_every_try(world, same_try):
    era = world.era
    assert isinstance(world.engine().advance(era), Wait)
    for _ in range(2):
        assert world.drive(era, world.engine(same_try=same_try)).outcome is Outcome.PAID
    assert len(world.gateway.sent) == 1


def test_paid_is_told_to_the_run_that_signed_and_not_to_the_one_that_settled(make_world):
    world = make_world(unpaid_eras=2)
    older, newer = world.era - 1, world.era
    world.engine("signs").advance(older)
    settles = world.engine("settles")
    assert [world.drive(era, settles).outcome for era in (newer, older)] == [Outcome.PAID, Outcome.ALREADY_PAID]
    (part,) = world.ledger.era_payouts(NETWORK, older)
    assert (part.state, part.last.run, part.settled_by) == (PayoutState.CONFIRMED, "signs", "settles#1")
    assert world.drive(older, world.engine("signs")).outcome is Outcome.PAID
    assert len(world.executed(older)) == len(world.executed(newer)) == 1


def test_the_signed_payload_is_in_the_ledger_before_it_leaves(world):
    era, seen = world.era, []
    world.gateway.before_send = lambda: seen.append(world.ledger.payout(NETWORK, era, 0))
    world.drive(era)
    (record,), (sent,) = seen, world.gateway.sent
    assert (record.state, record.copies[0].sends[0].answer) == (PayoutState.SIGNED, None)
    for field in ("proxy_signature", "fee_payment_signature", "payment_nonce"):
        assert getattr(record.copies[0], field) == sent[field]


# --- the election window ----------------------------------------------------------------------------------------------


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
        with suppress(GatewayError):
            world.engine().advance(newer)
    world.engine("in the way").advance(older)
    engine = world.engine()
    assert engine.abandon(newer, engine.advance(newer)).outcome is outcome


# --- eras that cannot be paid ----------------------------------------------------------------------------------------------


def test_the_active_era_is_waited_for_a_future_one_is_refused_and_both_leave_no_record(world):
    active = world.era + 1
    assert world.engine().advance(active).reason is WaitFor.ERA
    with pytest.raises(InvalidEra, match="cannot be paid while era"):
        world.engine().advance(active + 5)
    assert world.ledger.era_payouts(NETWORK, active) + world.ledger.era_payouts(NETWORK, active + 5) == []


# --- parts -------------------------------------------------------------------------------------------------------------------


def test_until_empty_pays_every_part_and_then_learns_that_nothing_is_left(make_world):
    world = make_world(stakers=600, parts=None)
    era = world.era
    outcome = world.drive(era)
    assert outcome.outcome is Outcome.PAID
    assert [payout["part"] for payout in world.executed(era)] == [0, 1, 2]
    assert [part.state.value for part in outcome.parts] == ["CONFIRMED"] * 3 + ["EMPTY"]


@pytest.mark.parametrize("parts", [None, 3])
def test_an_era_that_is_not_paid_has_a_part_that_is_not(make_world, parts):
    world, known = make_world(stakers=600, parts=parts), []

    def transition(payout, state, *given, **more):
        if state is PayoutState.CONFIRMED:
            known.append([part.part for part in world.ledger.era_payouts(NETWORK, payout.era)])
        return Ledger.transition(world.ledger, payout, state, *given, **more)

    world.ledger.transition = transition
    assert world.drive(world.era).outcome is Outcome.PAID
    assert known == [[0, 1], [0, 1, 2], [0, 1, 2] if parts else [0, 1, 2, 3]]


def test_a_call_in_flight_above_a_lowered_limit_is_finished(make_world):
    world = make_world(stakers=600, parts=None, max_parts=3)
    era, engine = world.era, world.engine()
    while not world.gateway.sent[1:]:
        world.elapse(engine.advance(era).retry_in.total_seconds())
    outcome = world.drive(era, world.engine(terms=replace(world.terms, max_parts=1)))
    assert (outcome.outcome, "2 parts" in outcome.reason, len(world.executed(era))) == (Outcome.PARTIAL, True, 2)


def test_reaching_the_cap_is_partial_and_leaves_a_part_for_a_higher_one(make_world):
    world = make_world(stakers=600, parts=None)
    era, told = world.era, []
    for cap in (2, 3, 4, 1):
        outcome = world.drive(era, world.engine(terms=replace(world.terms, max_parts=cap)))
        (row,) = world.ledger.views.rows("staking_eras", NETWORK, range(era, era + 1))
        told.append((outcome.outcome.value, "max_parts" in outcome.reason, row.state, len(world.executed(era))))
    partial, paid = ("PARTIAL", True, "UNPAID"), ("PAID", False, "PAID")
    assert told == [(*partial, 2), (*partial, 3), (*paid, 3), (*paid, 3)]


# --- several at once -----------------------------------------------------------------------------------------------------------


LEAST = {
    "parts": 1, "max_parts": 1, "max_fee_per_payout": 1, "max_fee_per_day": 1, "max_fee_per_run": 1, "max_replans": 0,
    "max_fees_for_nothing": 1, "history_depth": 1,
}  # fmt: skip


@pytest.mark.parametrize("name", LEAST)
def test_terms_that_make_no_sense_are_refused_by_name(world, name):
    assert getattr(replace(world.terms, **{name: LEAST[name]}), name) == LEAST[name]
    for senseless in (LEAST[name] - 1, True, "1"):
        with pytest.raises(InvalidInput) as caught:
            replace(world.terms, **{name: senseless})
        assert caught.value.field == name


def test_terms_that_nobody_sets_are_those_of_the_documents():
    terms = PayoutTerms(NETWORK, BOB.account, ALICE.account, CHARLIE.account)
    assert replace(terms, nonces_agree_within=timedelta(seconds=7)).lag == timedelta(seconds=7)
    assert (terms.wait_for_closed_window, terms.again, terms.needs_limits, terms.max_replans) == (True, False, False, 3)
    times = (terms.not_found_grace, terms.lag, terms.finalized_within, terms.settle_within, terms.lease)
    assert [time.total_seconds() for time in times] == [60, 30, 60, 900, 120]
    assert (terms.parts, terms.history_depth, terms.confirm_by, terms.final_after.total_seconds()) == (
        1,
        84,
        ConfirmBy.AUTO,
        90,
    )


def test_each_hold_ends_an_era_with_its_outcome():
    words = "HELD_WINDOW HELD_FEE HELD_FEE REJECTED REJECTED UNSUPPORTED"
    assert " ".join(hold.outcome.value for hold in Hold) == words


def test_a_process_that_sends_is_waited_for_until_a_read_shows_what_it_did():
    settings = network(timing={"lag": "7s", "finalized_within": "5s"})
    assert terms_of("net", settings).lease.total_seconds() == 12


def test_the_drift_of_a_calendar_is_the_one_that_the_settings_name():
    anchor = {"era": 0, "start": "2026-06-01T00:00:00Z"}
    settings = network(calendar={"era_length": "1h", "anchors": [anchor], "max_drift": 7})
    assert terms_of("net", settings).max_drift == 7


# --- gateways that can do less ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("missing", "automatic"),
    [({"getNonce", "getRelayerFees"}, False), ({"proxyPayoutstakers"}, False), (set(), True)],
    ids=["neither fees nor nonces", "no payout method", "a chain that pays by itself"],
)
def test_what_a_gateway_cannot_do_is_unsupported_and_executes_nothing(world, missing, automatic):
    world.gateway.missing, world.gateway.automatic = missing, automatic
    outcome = world.drive(world.era)
    assert outcome.outcome is Outcome.UNSUPPORTED
    assert ("pays its stakers by itself" in outcome.reason) is automatic
    assert world.executed(world.era) == []


@pytest.mark.parametrize(
    ("confirm_by", "told", "state", "by"),
    [
        (ConfirmBy.AUTO, Outcome.UNKNOWN, PayoutState.SUBMITTED, None),
        (ConfirmBy.NONE, Outcome.PAID, PayoutState.CONFIRMED, "none"),
    ],
)
def test_a_gateway_of_the_document_alone_is_paid_with_ready_made_proofs(make_world, confirm_by, told, state, by):
    world = make_world(confirm_by=confirm_by)
    era = world.era
    proofs = ready_made_proofs(world.gateway, era)
    world.gateway.missing = {"getActiveEra", "getEraElectionStatus", "getNonce", "getRelayerFees", "requestState"}
    outcome = world.drive(era, world.engine(proofs=proofs))
    (part,) = outcome.parts
    assert (outcome.outcome, part.state, part.confirmed_by) == (told, state, by)
    assert by or f"accepted as {part.request_id}, not confirmed" in outcome.reason
    world.elapse(3)
    assert len(world.executed(era)) == 1


def test_given_proofs_that_were_turned_away_at_the_door_are_sent_again(world):
    engine = world.engine(proofs=ready_made_proofs(world.gateway, world.era))
    world.gateway.lose = [GatewayError("no", method="proxyPayoutstakers", status=403, how=Failed.BAD_TOKEN), "refused"]
    for error in (Failed.BAD_TOKEN, Failed.UNREACHABLE):
        with fails(error):
            engine.advance(world.era)
    assert world.drive(world.era, engine).outcome is Outcome.PAID
    assert len(world.executed(world.era)) == 1


def test_a_signer_of_another_account_is_refused_before_anything(world):
    with pytest.raises(SigningError, match="payer"):
        world.engine(proofs=ProofMaker(ALICE, LocalSigner("//Dave")))


def test_an_outcome_as_json_says_what_was_paid_and_when_and_nothing_of_a_part_that_was_not(world):
    (paid,) = world.drive(world.era).as_dict()["parts"]
    (part,) = world.ledger.era_payouts(NETWORK, world.era)
    times = {"accepted_at": part.accepted.answered_at.isoformat(), "confirmed_at": part.confirmed_at.isoformat()}
    assert paid.items() >= {"fee": str(part.fee), **times}.items()
    limited = world.engine(terms=replace(world.terms, max_fee_per_payout=1))
    (unpaid,) = world.drive(world.era - 1, limited).as_dict()["parts"]
    assert [unpaid[name] for name in ("fee", "accepted_at", "confirmed_at")] == [None] * 3
