"""The rules of `payout.decide`, one by one and by their numbers. Nothing here reads a clock, a ledger or a gateway."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import datetime, timedelta, timezone

import pytest

from staking_gateway.errors import GatewayTimeout, InvalidEra, TransactionTypeRefused
from staking_gateway.ledger import Payout, PayoutState
from staking_gateway.payout.decide import SENT_IN_VAIN, decide
from staking_gateway.payout.evidence import (
    Ask,
    Done,
    Evidence,
    Fact,
    Me,
    Move,
    NoncesUsed,
    Raise,
    Send,
    SendResult,
    Settle,
    Shared,
    Sign,
    Unreadable,
)
from staking_gateway.payout.fee_limits import Spent, read_spent
from staking_gateway.payout.lanes import blocker_of, shared_by
from staking_gateway.payout.outcomes import Hold, Outcome, Wait, WaitFor
from staking_gateway.payout.terms import ConfirmBy, PayoutTerms
from staking_gateway.signing import Proofs
from staking_gateway.types import ElectionWindow, RequestState, RequestStatus
from tests.support.ledgers import PAYER, RELAYER, USER

NOW = datetime(2026, 6, 1, 12, tzinfo=timezone.utc)
ERA = 1392
TERMS = PayoutTerms("testnet", RELAYER, USER, PAYER)
ME = Me("this process", "run", 1, USER.hex, PAYER.hex)
BLOCKING = replace(ME, own=False)
"""The same, at a payload of another era that is in its way."""
GIVEN = Proofs("0x" + "11" * 64, "0x" + "22" * 64, payment_nonce=7, staking_nonce=5)
AGREE, SETTLE = TERMS.nonces_agree_within, TERMS.settle_within
A_MOMENT = timedelta(microseconds=1)
REQUEST = "0f14d0ab-9605-4a62-a9e4-5ed26688389b"
ERROR = GatewayTimeout("not now", method="m")

PLANNED, SIGNED, SUBMITTED, UNKNOWN, HELD, REJECTED, CONFIRMED, EMPTY = (
    PayoutState(name)
    for name in ("PLANNED", "SIGNED", "SUBMITTED", "UNKNOWN", "HELD", "REJECTED", "CONFIRMED", "EMPTY")
)
DEFAULTS = {
    **dict.fromkeys((field.name for field in fields(Payout)), None),
    "id": 1,
    "network": "testnet",
    "chain": "testnet",
    "era": ERA,
    "part": 0,
    "version": 1,
    "user_key": USER.hex,
    "payer_key": PAYER.hex,
    "relayer_key": RELAYER.hex,
    "plans": 0,
    "unanswered": 0,
    "wasted": 0,
    "signatures": 0,
    "asked": True,
    "copies_out": False,
    "refused": False,
    "used_nonce": None,
    "created_at": NOW,
    "updated_at": NOW,
}
PAYLOAD = {
    "staking_nonce": 5,
    "payment_nonce": 7,
    "fee": 10,
    "plans": 1,
    "signed_at": NOW,
    "signed_by": "another run",
    "signed_try": 1,
    "signatures": 1,
    "proxy_signature": "0xproxy",
    "fee_payment_signature": "0xfee payment",
}


def part(state=PLANNED, **columns):
    """A part of an era. Unless it is only planned, a payload was signed for it, with nonces 5 and 7."""
    signed = {} if state is PLANNED else PAYLOAD
    lease = {"lease_owner": ME.owner, "lease_until": NOW + TERMS.lease} if state is SIGNED else {}
    accepted = {"request_id": REQUEST, "accepted_at": NOW} if state is SUBMITTED else {}
    lost = {"unanswered": 1, "unanswered_at": NOW} if state is UNKNOWN else {}
    return Payout(**{**DEFAULTS, **signed, **lease, **accepted, **lost, "state": state, **columns})


def seen(**facts):
    """A gateway where everything can be read, where nothing of what was signed has executed, and the era can be paid."""
    read = {
        "pays_by_itself": False,
        "active": ERA + 1,
        "window": ElectionWindow.CLOSED,
        "fee": 10,
        "staking": 5,
        "payment": 7,
        "request": None,
        "era_paid": None,
        "blocker": None,
        "used": NoncesUsed(None, None),
        "staking_shared": False,
        "payment_shared": None,
        "spent": Spent(),
    }
    return Evidence(**{**read, **facts})


def request(word):
    return RequestState(RequestStatus(word), word, tx_hash="0xhash", block_number=9)


def sent(kind, error=None):
    return SendResult(SendResult.Kind[kind], "what the gateway said", request_id=REQUEST, error=error)


def decided(record, evidence=None, *, me=ME, at=NOW, **terms):
    return decide(record, me, evidence or seen(), at, replace(TERMS, **terms))


def assert_needs_a_person(action, record):
    """The contradiction is in the ledger once, and no call goes on by itself."""
    kept = after(action, record)
    assert (kept.state, kept.hold) == (record.state, Hold.CONTRADICTION.value)
    assert (action.then.outcome, "disagree" in action.then.reason) == (Outcome.UNKNOWN, True)
    return kept


def after(action, record):
    """The record once a change was written down."""
    assert isinstance(action, Move), action
    return replace(record, state=action.state, version=record.version + 1, **action.changes)


# --- a payload that may have executed, or still may ----------------------------------------------------------------------


def test_rule_01_while_another_process_is_sending_it_wait_until_its_lease_ends():
    lease = {"lease_owner": "another process", "lease_until": NOW + timedelta(seconds=120)}
    for state in (SIGNED, UNKNOWN):
        assert decided(part(state, **lease)).reason is WaitFor.LANE
        over = decided(part(state, **lease), at=NOW + timedelta(seconds=120))
        assert not isinstance(over, Wait)


@pytest.mark.parametrize(
    ("kind", "state"),
    [
        ("ACCEPTED", SUBMITTED),
        ("LOST", UNKNOWN),
        ("PAID", EMPTY),
        ("WINDOW", HELD),
        ("NO_METHOD", HELD),
        ("DOOR", PLANNED),
        ("REFUSED", REJECTED),
    ],
)
def test_rule_02_the_answer_to_the_only_send_there_ever_was_is_written_down(kind, state):
    record = after(decided(part(SIGNED), seen(sent=sent(kind, ERROR))), part(SIGNED))
    assert (record.state, record.lease_owner, record.lease_until) == (state, None, None)
    assert record.unanswered == (kind == "LOST")
    assert (record.unanswered_at, record.accepted_at) == (
        NOW if kind == "LOST" else None,
        NOW if kind == "ACCEPTED" else None,
    )


@pytest.mark.parametrize("copies", [{"unanswered": 1}, {"copies_out": True}])
@pytest.mark.parametrize("kind", ["PAID", "WINDOW", "NO_METHOD", "DOOR", "REFUSED"])
def test_rule_02_a_refusal_frees_no_nonce_while_another_copy_may_execute(kind, copies):
    record = after(decided(part(SIGNED, **copies), seen(sent=sent(kind, ERROR))), part(SIGNED, **copies))
    assert record.state is UNKNOWN
    assert (record.over, record.over_since) == (("paid", NOW) if kind == "PAID" else (None, None))
    assert record.refused is (kind == "REFUSED")


def test_rule_02_an_open_window_and_a_closed_door_are_told_to_the_caller():
    for record in (part(SIGNED), part(SIGNED, unanswered=1)):
        assert decided(record, seen(sent=sent("WINDOW"))).then.reason is WaitFor.WINDOW
        assert decided(record, seen(sent=sent("DOOR", ERROR))).then == Raise(ERROR)


def test_rule_03_what_this_process_has_leased_it_sends():
    leased = {"lease_owner": ME.owner, "lease_until": NOW + TERMS.lease}
    for record in (part(SIGNED), part(UNKNOWN, **leased)):
        assert decided(record) == Send()
        assert decided(record, at=NOW + TERMS.lease) != Send(), "another process may have taken it over"


@pytest.mark.parametrize("owner", [ME.owner, "a process that is gone"])
def test_rule_04_what_a_process_wrote_that_it_would_send_counts_as_sent(owner):
    signed = part(SIGNED, lease_owner=owner, lease_until=NOW, updated_at=NOW - timedelta(minutes=2))
    repeated = replace(signed, state=UNKNOWN, unanswered=1)
    for record in (signed, repeated):
        lost = after(decided(record), record)
        assert (lost.state, lost.unanswered, lost.unanswered_at) == (UNKNOWN, record.unanswered + 1, record.updated_at)
        assert lost.lease_owner is None


def test_rule_05_a_state_that_contradicts_a_final_one_told_before_signs_nothing():
    record = part(SUBMITTED, request_status="Rejected", disagree="final, not moved", disagree_since=NOW)
    later = NOW + AGREE + A_MOMENT
    evidence = seen(request=request("Processed"), staking=6, payment=8)
    kept = assert_needs_a_person(decided(record, evidence, at=later), record)
    assert decided(kept, evidence, at=later) == decided(record, evidence, at=later).then, "writes nothing more"
    for no_word in (None, Unreadable(ERROR), request("Transaction not found")):
        action = decided(record, seen(request=no_word), at=later)
        assert isinstance(action, Wait) or "hold" not in action.changes
    assert decided(record, evidence, at=later, again=True).state is CONFIRMED


def test_rule_05_a_replica_that_lags_behind_may_still_call_a_final_request_pending():
    record = part(SUBMITTED, request_status="Processed", disagree="final, not moved", disagree_since=NOW)
    evidence = seen(request=request("Pending"))
    assert decided(record, evidence, at=NOW + AGREE).reason is WaitFor.REPLAY
    assert_needs_a_person(decided(record, evidence, at=NOW + AGREE + A_MOMENT), record)
    assert_needs_a_person(decided(record, seen(request=request("Rejected"))), record)


def test_rule_06_both_nonces_moved_by_one_so_the_part_is_executed():
    for record in (part(UNKNOWN), part(SUBMITTED)):
        confirmed = after(decided(record, seen(staking=6, payment=8)), record)
        assert (confirmed.state, confirmed.confirmed_by, confirmed.confirmed_at) == (CONFIRMED, "nonce", NOW)
        assert confirmed.fee_charged is True


def test_rule_06_the_requests_state_and_the_staking_nonce_are_two_witnesses():
    action = decided(part(SUBMITTED), seen(request=request("Processed"), staking=6, payment=7))
    record = after(action, part(SUBMITTED))
    assert (record.state, record.confirmed_by, record.tx_hash) == (CONFIRMED, "request_state", "0xhash")
    alone = decided(part(SUBMITTED), seen(request=request("Processed")))
    assert (alone.state, alone.changes["disagree"]) == (SUBMITTED, "final, not moved"), "one witness is not enough"


@pytest.mark.parametrize("facts", [{"staking": 7}, {"staking": 6, "staking_shared": True}])
def test_rule_06_what_something_else_can_have_moved_confirms_nothing(facts):
    dead = after(decided(part(UNKNOWN), seen(payment=8, **facts)), part(UNKNOWN))
    assert (dead.state, dead.asked, dead.used_nonce) == (REJECTED, False, 5)
    assert (dead.fee_charged, dead.wasted) == (False, 0), "its fee counts against the limits alone"


def test_rule_06_a_staking_nonce_that_moved_alone_was_used_elsewhere_once_the_reads_agree():
    evidence = seen(staking=6)
    noted = after(decided(part(UNKNOWN), evidence), part(UNKNOWN))
    assert (noted.state, noted.disagree, noted.disagree_since) == (UNKNOWN, "staking moved", NOW)
    assert decided(noted, evidence, at=NOW + AGREE).reason is WaitFor.REPLAY
    dead = after(decided(noted, evidence, at=NOW + AGREE + A_MOMENT), noted)
    assert (dead.state, dead.asked, dead.used_nonce) == (REJECTED, True, 5)
    assert decided(noted, seen(staking=6, payment=8)).state is CONFIRMED, "the payment nonce was read late"


def test_rule_06_a_request_that_failed_though_its_nonce_was_used_is_a_contradiction():
    evidence = seen(request=request("Rejected"), staking=6, payment=8)
    noted = after(decided(part(SUBMITTED), evidence), part(SUBMITTED))
    assert decided(noted, evidence, at=NOW + AGREE).reason is WaitFor.REPLAY
    dead = after(decided(noted, evidence, at=NOW + AGREE + A_MOMENT), noted)
    assert (dead.state, dead.hold, dead.asked) == (REJECTED, Hold.CONTRADICTION.value, False)
    copies = part(SUBMITTED, copies_out=True)
    assert decided(copies, evidence).state is CONFIRMED, "another copy of the same nonce executed"


def test_rule_06_a_staking_nonce_that_went_back_is_another_chain():
    evidence = seen(staking=4)
    noted = after(decided(part(UNKNOWN), evidence), part(UNKNOWN))
    assert decided(noted, evidence, at=NOW + AGREE).reason is WaitFor.REPLAY
    assert_needs_a_person(decided(noted, evidence, at=NOW + AGREE + A_MOMENT), noted)


@pytest.mark.parametrize("word", ["Processed", "Rejected", "PayerRefused"])
def test_rule_07_a_final_request_whose_nonce_stands_still_is_read_again_before_the_nonces_are_believed(word):
    evidence = seen(request=request(word))
    noted = after(decided(part(SUBMITTED), evidence), part(SUBMITTED))
    assert (noted.state, noted.request_status, noted.disagree_since) == (SUBMITTED, word, NOW)
    assert decided(noted, evidence, at=NOW + AGREE).reason is WaitFor.REPLAY
    believed = decided(noted, evidence, at=NOW + AGREE + A_MOMENT)
    assert believed.state is REJECTED
    assert "wasted" not in believed.changes


def test_rule_08_a_payment_nonce_that_moved_alone_is_a_fee_for_nothing_once_the_reads_agree():
    evidence = seen(payment=8)
    noted = after(decided(part(UNKNOWN), evidence), part(UNKNOWN))
    assert (noted.state, noted.disagree, noted.disagree_since) == (UNKNOWN, "payment moved", NOW)
    assert decided(noted, evidence, at=NOW + AGREE).reason is WaitFor.REPLAY
    dead = after(decided(noted, evidence, at=NOW + AGREE + A_MOMENT), noted)
    assert (dead.state, dead.fee_charged, dead.wasted, dead.asked) == (REJECTED, True, 1, False)
    assert decided(noted, seen(staking=6, payment=8)).state is CONFIRMED, "the staking nonce was read late"


def test_rule_08_a_request_that_failed_and_cost_its_fee_has_waited_already():
    evidence = seen(request=request("Rejected"), payment=8)
    record = part(SUBMITTED, request_status="Rejected", disagree="final, not moved", disagree_since=NOW)
    dead = after(decided(record, evidence, at=NOW + AGREE + A_MOMENT), record)
    assert (dead.state, dead.fee_charged, dead.wasted) == (REJECTED, True, 1)


@pytest.mark.parametrize(
    ("word", "patience"),
    [
        ("Pending", SETTLE),
        ("unrecognised", SETTLE),
        ("Transaction not found", TERMS.not_found_grace),
        ("SendingFailed", TERMS.not_found_grace),
        (None, SETTLE),
    ],
)
def test_rule_09_a_payload_that_was_accepted_a_short_while_ago_has_time_to_be_confirmed(word, patience):
    evidence = seen(request=None if word is None else request(word))
    wait = decided(part(SUBMITTED), evidence, at=NOW + patience)
    assert (wait.reason, wait.request_id) == (WaitFor.CONFIRMATION, REQUEST)
    assert word is None or f"is {word}" in wait.message
    lost = after(decided(part(SUBMITTED), evidence, at=NOW + patience + A_MOMENT), part(SUBMITTED))
    assert (lost.state, lost.unanswered) == (UNKNOWN, 1)


@pytest.mark.parametrize(("over", "state"), [("paid", EMPTY), ("expired", REJECTED)])
def test_rule_10_an_era_that_is_over_ends_the_part_once_a_read_would_show_an_execution(over, state):
    record = part(UNKNOWN, over=over, over_since=NOW)
    assert decided(record, at=NOW + AGREE).reason is WaitFor.REPLAY
    ended = after(decided(record, at=NOW + AGREE + A_MOMENT), record)
    assert (ended.state, ended.unanswered, ended.copies_out) == (state, 0, False)
    executed = decided(record, seen(staking=6, payment=8), at=NOW + AGREE + A_MOMENT)
    assert executed.state is CONFIRMED


def test_rule_10_an_era_expires_or_is_told_paid_by_a_node():
    expired = after(decided(part(UNKNOWN), seen(active=ERA + 85)), part(UNKNOWN))
    assert (expired.state, expired.over, expired.over_since) == (UNKNOWN, "expired", NOW)
    paid = after(decided(part(UNKNOWN), seen(era_paid=True)), part(UNKNOWN))
    assert (paid.state, paid.over, paid.over_since) == (UNKNOWN, "paid", NOW)


def test_rule_10_a_node_that_denies_that_the_era_is_paid_leaves_it_to_a_person():
    record, later = part(UNKNOWN, over="paid", over_since=NOW), NOW + AGREE + A_MOMENT
    assert_needs_a_person(decided(record, seen(era_paid=False), at=later), record)
    assert decided(record, seen(era_paid=False), at=later, again=True) == Sign(), "with the same staking nonce"
    blocked = decided(record, seen(era_paid=False), me=BLOCKING, at=later, again=True)
    assert_needs_a_person(blocked, record)
    others = replace(record, payer_key=RELAYER.hex)
    assert_needs_a_person(decided(others, seen(era_paid=False), at=later, again=True), others)


def test_rule_11_in_an_open_window_nothing_is_repeated():
    record = part(UNKNOWN, unanswered=9, refused=True)
    assert decided(record, seen(window=ElectionWindow.OPEN)).reason is WaitFor.WINDOW
    guarded_elsewhere = decided(record, seen(window=ElectionWindow.OPEN), wait_for_closed_window=False)
    assert guarded_elsewhere == Sign()


@pytest.mark.parametrize("vain", [{"refused": True}, {"unanswered": SENT_IN_VAIN + 1}])
def test_rule_12_what_can_no_longer_be_accepted_is_signed_again_with_the_same_nonces(vain):
    record = part(UNKNOWN, **vain)
    assert decided(record) == Sign()
    assert decided(record, me=BLOCKING) == Sign(), "whoever needs the lane"


@pytest.mark.parametrize("moved", [{"staking": 6}, {"payment": 8}])
def test_rule_12_nothing_is_signed_again_once_a_nonce_has_moved(moved):
    assert decided(part(UNKNOWN, refused=True), seen(**moved)) != Sign()


def test_rule_12_only_the_payloads_own_accounts_and_network_sign_it_again():
    for other in ({"user_key": RELAYER.hex}, {"payer_key": RELAYER.hex}, {"network": "another"}):
        action = decided(part(UNKNOWN, refused=True, **other))
        assert (action.state, action.changes["lease_owner"]) == (UNKNOWN, ME.owner), "the same bytes"


def test_rule_12_a_gateway_that_stopped_reporting_fees_is_named_as_the_reason():
    assert decided(part(UNKNOWN, refused=True), seen(fee=None)).outcome is Outcome.UNSUPPORTED


def test_rule_12_a_try_signs_a_bounded_number_of_times():
    spent = {"signed_by": "run", "signed_try": 1, "signatures": TERMS.max_replans + 1}
    assert decided(part(UNKNOWN, refused=True, **spent)).outcome is Outcome.UNKNOWN
    assert decided(part(UNKNOWN, refused=True, **spent), me=replace(ME, try_number=2)) == Sign()
    repeated = decided(part(UNKNOWN, unanswered=9, **spent))
    assert repeated.changes["lease_owner"] == ME.owner, "the same bytes"


def test_rule_13_otherwise_the_same_bytes_are_sent_again_and_once_a_call():
    record = part(UNKNOWN)
    leased = after(decided(record), record)
    assert (leased.state, leased.lease_owner, leased.lease_until) == (UNKNOWN, ME.owner, NOW + TERMS.lease)
    assert (leased.proxy_signature, leased.staking_nonce) == (record.proxy_signature, record.staking_nonce)
    assert decided(leased) == Send()
    assert decided(record, seen(sends=1)).reason is WaitFor.REPLAY


@pytest.mark.parametrize("days", [0, 1, 400])
def test_rule_13_no_time_that_passes_gives_a_payload_up(days):
    assert decided(part(UNKNOWN), at=NOW + timedelta(days=days)).changes["lease_owner"] == ME.owner


# --- a part without such a payload ---------------------------------------------------------------------------------------

WITHOUT = [PLANNED, HELD, REJECTED]


@pytest.mark.parametrize("state", WITHOUT)
def test_rule_14_an_era_that_cannot_be_paid_is_not_asked_for(state):
    assert decided(part(state), seen(pays_by_itself=True)).outcome is Outcome.UNSUPPORTED
    assert decided(part(state), seen(active=ERA + 84)) == Sign()
    assert decided(part(state), seen(active=ERA + 85)).outcome is Outcome.EXPIRED
    for active in (ERA, ERA - 1):
        refused = decided(part(state), seen(active=active))
        assert isinstance(refused.error, InvalidEra)


@pytest.mark.parametrize("state", WITHOUT)
def test_rule_15_an_era_that_a_node_says_is_paid_needs_nothing(state):
    assert decided(part(state, asked=False), seen(era_paid=True)).state is EMPTY


def test_rule_16_after_a_fee_for_nothing_the_dead_bytes_ask_whether_the_era_is_paid():
    record = part(REJECTED, asked=False, fee_charged=True, wasted=1)
    assert decided(record) == Send()
    assert decided(record, seen(sent=sent("PAID"))).state is EMPTY
    asked = after(decided(record, seen(sent=sent("REFUSED"))), record)
    assert (asked.state, asked.asked) == (REJECTED, True)
    assert decided(asked) == Sign()


def test_rule_16_no_answer_is_no_word_of_the_era_and_stops_it_once_at_most():
    record = part(REJECTED, asked=False)
    assert decided(record, seen(sent=sent("DOOR", ERROR))) == Raise(ERROR), "nothing was asked"
    lost = decided(record, seen(sent=sent("LOST", ERROR)))
    assert (lost.state, lost.changes["asked"], lost.then) == (REJECTED, True, Raise(ERROR))


def test_rule_16_waits_for_a_closed_window():
    record = part(REJECTED, asked=False)
    held = decided(record, seen(window=ElectionWindow.OPEN))
    assert (held.state, held.then.reason) == (HELD, WaitFor.WINDOW)
    refused = decided(record, seen(sent=sent("WINDOW")), wait_for_closed_window=False)
    assert refused.then.reason is WaitFor.WINDOW, "a call does not ask without end"
    assert after(refused, record).asked is False


@pytest.mark.parametrize(
    "reason",
    [{"wasted": TERMS.max_fees_for_nothing}, {"hold": Hold.CONTRADICTION.value}],
    ids=["fees", "contradiction"],
)
def test_rule_17_what_needs_a_person_is_held_until_one_has_looked(reason):
    record = part(REJECTED, reason="why", **reason)
    held = after(decided(record), record)
    assert held.state is HELD
    done = decided(held)
    assert (done.outcome, "why" in done.reason) == (Outcome.REJECTED, True)
    assert f"airflow staking pay --network testnet --era {ERA} --again" in done.reason
    for one in (record, held):
        assert decided(one, again=True) == Sign()
    assert decided(part(REJECTED, wasted=TERMS.max_fees_for_nothing - 1)) == Sign()


def test_rule_17_a_person_who_has_looked_lets_it_be_signed_once():
    record = part(HELD, hold=Hold.CHARGED.value, wasted=3, signed_by="run", signed_try=1, signatures=1)
    assert decided(record, again=True).outcome is Outcome.REJECTED
    assert decided(record, me=replace(ME, try_number=2), again=True) == Sign()


def test_rule_17_the_call_after_the_last_batch_may_pay_its_fee_to_learn_that_nothing_is_left():
    record = part(REJECTED, part=1, fee_charged=True, wasted=1, request_status="Rejected")
    assert decided(record, parts=None).state is EMPTY
    assert decided(record, parts=2) == Sign(), "so many calls were asked for"
    first = replace(record, part=0)
    assert decided(first, parts=None) == Sign(), "the first call has something to pay"
    nobody_said = replace(record, request_status=None)
    assert decided(nobody_said, parts=None) == Sign(), "something else may have used the payment nonce"


def test_rule_18_a_try_that_has_signed_often_enough_gives_the_reason():
    spent = {"signed_by": "run", "signed_try": 1, "reason": "why"}
    done = decided(part(REJECTED, signatures=TERMS.max_replans + 1, **spent))
    assert done == Done(Outcome.REJECTED, "why")
    assert decided(part(REJECTED, signatures=TERMS.max_replans, **spent)) == Sign()
    assert decided(part(REJECTED, signatures=9, **spent), me=replace(ME, try_number=2)) == Sign()


def test_rule_18_ready_made_proofs_that_were_refused_are_refused_for_good():
    refused = {"proxy_signature": GIVEN.proxy_signature, "fee_payment_signature": GIVEN.fee_payment_signature}
    me = replace(ME, given=GIVEN)
    done = decided(part(REJECTED, reason="why", **refused), me=me)
    assert (done.outcome, "supply new proofs" in done.reason) == (Outcome.REJECTED, True)
    assert decided(part(REJECTED, reason="why"), me=me) == Sign(), "other proofs"


@pytest.mark.parametrize("state", [PLANNED, REJECTED])
def test_rule_19_an_open_window_holds_the_part(state):
    action = decided(part(state), seen(window=ElectionWindow.OPEN))
    assert (action.state, action.changes["hold"]) == (HELD, Hold.WINDOW.value)
    assert (action.then.reason, action.then.abandoned) == (WaitFor.WINDOW, Outcome.HELD_WINDOW)
    held = decided(after(action, part(state)), seen(window=ElectionWindow.OPEN))
    assert held == action.then, "waiting on writes nothing"
    assert decided(part(state), seen(window=ElectionWindow.OPEN), wait_for_closed_window=False) == Sign()


def test_rule_20_another_payload_that_is_in_the_way_is_settled_first():
    blocker = part(UNKNOWN, id=2, era=ERA - 1)
    assert decided(part(), seen(blocker=blocker)) == Settle(blocker)


@pytest.mark.parametrize("used", [NoncesUsed(5, None), NoncesUsed(None, 7), NoncesUsed(6, 8)])
def test_rule_21_a_nonce_that_is_already_used_is_not_signed(used):
    assert decided(part(), seen(used=used)).reason is WaitFor.LANE
    assert decided(part(), seen(used=NoncesUsed(4, 6))) == Sign()


@pytest.mark.parametrize(
    ("limit", "spent"),
    [
        ({"max_fee_per_payout": 9}, Spent()),
        ({"max_fee_per_day": 19}, Spent(day=10)),
        ({"max_fee_per_run": 19}, Spent(run=10)),
    ],
)
def test_rule_22_a_fee_above_a_limit_holds_the_part(limit, spent):
    action = decided(part(), seen(spent=spent), **limit)
    assert (action.state, action.changes["hold"]) == (HELD, Hold.FEE.value)
    assert action.then.outcome is Outcome.HELD_FEE
    assert decided(after(action, part()), seen(spent=spent), **limit) == action.then, "holding on writes nothing"
    just_right = {name: value + 1 for name, value in limit.items()}
    assert decided(part(), seen(spent=spent), **just_right) == Sign()


def test_rule_22_a_payload_in_flight_is_not_signed_again_above_a_limit_and_stays_in_flight():
    record = part(UNKNOWN, refused=True)
    done = decided(record, seen(fee=12), max_fee_per_payout=11)
    assert (done.outcome, "max_fee_per_payout" in done.reason) == (Outcome.UNKNOWN, True), "something was sent"
    repeated = decided(part(UNKNOWN, unanswered=9), seen(fee=12), max_fee_per_payout=11)
    assert repeated.changes["lease_owner"] == ME.owner, "the same bytes"
    blocking = decided(record, seen(fee=12), me=BLOCKING, max_fee_per_payout=11)
    assert blocking.changes["lease_owner"] == ME.owner
    dearer = part(UNKNOWN, refused=True, fee=12)
    assert decided(dearer, seen(fee=10), max_fee_per_day=11) == Sign(), (
        "a cheaper one adds nothing to what may be charged"
    )


@pytest.mark.parametrize("state", WITHOUT)
def test_rule_23_sign(state):
    assert decided(part(state)) == Sign()


# --- what is read, and in which order -------------------------------------------------------------------------------------


def asked(record, **options):
    """Everything that is asked for until there is another action, and that action."""
    evidence, everything, order = Evidence(), seen(), []
    while isinstance(action := decided(record, evidence, **options), Ask):
        assert action.fact not in order, "asked twice"
        order.append(action.fact)
        setattr(evidence, action.fact.value, everything.get(action.fact))
    return order, action


def test_a_signature_reads_the_staking_nonce_after_the_fee_and_the_payment_nonce():
    order, action = asked(part())
    assert action == Sign()
    nonces = [fact for fact in order if fact in (Fact.FEE, Fact.PAYMENT_NONCE, Fact.STAKING_NONCE)]
    assert nonces == [Fact.FEE, Fact.PAYMENT_NONCE, Fact.STAKING_NONCE]


def test_a_payload_in_flight_reads_the_payment_nonce_after_the_staking_nonce():
    """Both move at once, so a payment nonce that is read after a moved staking nonce has moved as well."""
    order, _ = asked(part(UNKNOWN, request_id=REQUEST))
    assert order.index(Fact.REQUEST) < order.index(Fact.STAKING_NONCE) < order.index(Fact.PAYMENT_NONCE)


def test_ready_made_proofs_read_no_fee_and_no_nonce_they_know():
    order, action = asked(part(), me=replace(ME, given=GIVEN))
    assert action == Sign()
    assert not {Fact.FEE, Fact.PAYMENT_NONCE, Fact.STAKING_NONCE} & set(order)
    order, _ = asked(part(), me=replace(ME, given=replace(GIVEN, staking_nonce=None)))
    assert Fact.STAKING_NONCE in order


@pytest.mark.parametrize("fact", ["window", "fee", "payment", "staking", "active", "pays_by_itself"])
def test_a_signature_needs_everything_it_asks_for(fact):
    assert decided(part(), seen(**{fact: Unreadable(ERROR)})) == Raise(ERROR)


@pytest.mark.parametrize("fact", ["request", "era_paid", "window", "active"])
def test_a_repetition_goes_on_without_what_cannot_be_read(fact):
    record = part(UNKNOWN, request_id=REQUEST)
    assert decided(record, seen(**{fact: Unreadable(ERROR)})).changes["lease_owner"] == ME.owner


def test_a_setting_that_is_wrong_for_good_is_unsupported():
    error = TransactionTypeRefused(method="m", code=-32602, rpc_message="invalid transaction type")
    assert decided(part(), seen(fee=Unreadable(error, permanent=True))).outcome is Outcome.UNSUPPORTED


@pytest.mark.parametrize("fact", ["fee", "payment", "staking"])
def test_a_gateway_that_reports_no_fee_or_nonce_needs_ready_made_proofs(fact):
    assert decided(part(), seen(**{fact: None})).outcome is Outcome.UNSUPPORTED


# --- gateways and settings that tell less ---------------------------------------------------------------------------------


def test_without_confirmation_what_was_accepted_is_confirmed():
    action = decided(part(SUBMITTED), confirm_by=ConfirmBy.NONE)
    assert (action.state, action.changes["confirmed_by"]) == (CONFIRMED, "none")
    assert decided(part(UNKNOWN), confirm_by=ConfirmBy.NONE).state is UNKNOWN, "this was not accepted"


def test_by_nonce_no_request_is_asked_after():
    order, _ = asked(part(SUBMITTED), confirm_by=ConfirmBy.NONCE)
    assert Fact.REQUEST not in order


@pytest.mark.parametrize("blind", [{"staking_nonce": None}, {}])
def test_without_nonces_the_requests_state_is_the_only_witness(blind):
    record = part(SUBMITTED, **blind)
    facts = {"staking": None, "payment": None}
    assert decided(record, seen(request=request("Processed"), **facts)).state is CONFIRMED
    assert decided(record, seen(request=request("Rejected"), **facts)).state is REJECTED
    assert decided(record, seen(request=request("Pending"), **facts)).reason is WaitFor.CONFIRMATION
    done = decided(record, seen(**facts))
    assert (done.outcome, "not confirmed" in done.reason) == (Outcome.UNKNOWN, True)


def test_without_nonces_what_came_to_no_end_is_sent_again_in_time():
    facts = {"staking": None, "payment": None}
    pending = seen(request=request("Pending"), **facts)
    assert decided(part(SUBMITTED), pending, at=NOW + SETTLE).reason is WaitFor.CONFIRMATION
    assert decided(part(SUBMITTED), pending, at=NOW + SETTLE + A_MOMENT).state is UNKNOWN
    copies = decided(part(SUBMITTED, copies_out=True), seen(request=request("Rejected"), **facts))
    assert not isinstance(copies, Move), "another copy may execute"
    again = decided(part(UNKNOWN, request_id=REQUEST), pending)
    assert again.changes["lease_owner"] == ME.owner, "the same bytes"
    nameless = part(SUBMITTED, request_id=None)
    assert decided(nameless, seen(**facts)).outcome is Outcome.UNKNOWN
    assert decided(nameless, pending).outcome is Outcome.UNKNOWN, "the state of another request proves nothing"


def test_proofs_that_name_no_staking_nonce_are_not_compared_with_one():
    record = part(SUBMITTED, staking_nonce=None)
    assert decided(record, seen(request=request("Processed"), staking=6)).changes["confirmed_by"] == "request_state"


def test_a_gateway_that_reports_staking_nonces_alone_confirms_by_them():
    assert decided(part(UNKNOWN), seen(staking=6, payment=None)).state is CONFIRMED
    assert decided(part(UNKNOWN), seen(payment=None)).changes["lease_owner"] == ME.owner


def test_an_era_may_be_paid_although_the_gateway_does_not_report_the_active_one():
    assert decided(part(), seen(active=None)) == Sign()
    assert decided(part(UNKNOWN), seen(active=None)).changes["lease_owner"] == ME.owner


def test_a_request_that_has_no_id_is_not_asked_after():
    order, _ = asked(part(SUBMITTED, request_id=None))
    assert Fact.REQUEST not in order


# --- what is written down with a change --------------------------------------------------------------------------------------


def test_an_accepted_repetition_starts_without_what_was_seen_of_the_request_before():
    old = {"request_id": "old", "request_status": "Rejected", "refused": True, "disagree": "final, not moved"}
    record = part(SIGNED, **old, disagree_since=NOW, hold=Hold.CONTRADICTION.value, reason="why")
    new = after(decided(record, seen(sent=sent("ACCEPTED"))), record)
    assert (new.request_id, new.request_status, new.refused, new.disagree) == (REQUEST, None, False, None)
    assert (new.hold, new.reason) == (None, None)


@pytest.mark.parametrize(("kind", "hold"), [("WINDOW", Hold.WINDOW), ("NO_METHOD", Hold.UNSUPPORTED)])
def test_a_refusal_that_holds_the_part_says_why(kind, hold):
    assert after(decided(part(SIGNED), seen(sent=sent(kind))), part(SIGNED)).hold == hold.value


def test_a_part_that_has_ended_is_not_held():
    held = part(HELD, hold=Hold.CONTRADICTION.value, reason="why", asked=False)
    for evidence in (seen(era_paid=True), seen(sent=sent("PAID"))):
        ended = after(decided(held, evidence), held)
        assert (ended.state, ended.hold, ended.reason) == (EMPTY, None, None)
    in_flight = part(UNKNOWN, hold=Hold.CONTRADICTION.value)
    assert after(decided(in_flight, seen(staking=6, payment=8)), in_flight).hold is None
    last = part(REJECTED, part=1, fee_charged=True, wasted=1, request_status="Rejected", hold=Hold.CHARGED.value)
    assert after(decided(last, parts=None), last).hold is None


def test_what_ended_an_era_first_stays():
    record = part(UNKNOWN, over="expired", over_since=NOW - AGREE)
    signed = replace(record, lease_owner=ME.owner, lease_until=NOW + TERMS.lease)
    refused = after(decided(signed, seen(sent=sent("PAID"))), signed)
    assert (refused.over, refused.over_since) == ("expired", NOW - AGREE)


def test_only_a_nonce_that_is_used_is_kept_as_used():
    charged = part(UNKNOWN, disagree="payment moved", disagree_since=NOW, used_nonce=3)
    assert after(decided(charged, seen(payment=8), at=NOW + AGREE + A_MOMENT), charged).used_nonce == 3


def test_a_fee_that_was_perhaps_charged_counts_against_the_limits():
    assert decided(part(UNKNOWN), seen(staking=7, payment=8)).changes["wasted"] == 0
    assert "wasted" not in decided(part(UNKNOWN, over="expired", over_since=NOW), at=NOW + AGREE + A_MOMENT).changes


# --- at the edges ----------------------------------------------------------------------------------------------------------


def test_a_part_that_was_accepted_before_and_lost_since_is_sent_again_at_once():
    record = part(UNKNOWN, request_id=REQUEST, accepted_at=NOW)
    assert decided(record, seen(request=request("Pending"))).changes["lease_owner"] == ME.owner


def test_a_request_that_is_not_final_waits_until_reads_of_moved_nonces_agree():
    evidence = seen(request=request("Pending"), staking=6, payment=8)
    record = part(UNKNOWN, request_id=REQUEST)
    noted = after(decided(record, evidence), record)
    assert (noted.state, noted.disagree) == (UNKNOWN, "moved, not final")
    assert decided(noted, evidence, at=NOW + AGREE).reason is WaitFor.REPLAY
    assert decided(noted, evidence, at=NOW + AGREE + A_MOMENT).state is CONFIRMED
    assert decided(part(SUBMITTED), seen(staking=6, payment=8)).state is CONFIRMED, "no state was reported"


def test_a_failed_request_frees_nothing_while_another_copy_may_execute():
    facts = {"request_status": "Rejected", "disagree": "final, not moved", "disagree_since": NOW}
    record = part(SUBMITTED, copies_out=True, **facts)
    assert decided(record, seen(request=request("Rejected")), at=NOW + AGREE + A_MOMENT).state is UNKNOWN


def test_the_last_era_of_the_history_depth_is_not_expired():
    assert decided(part(UNKNOWN), seen(active=ERA + 84)).changes["lease_owner"] == ME.owner


def test_a_try_signs_again_as_often_as_it_may():
    spent = {"signed_by": "run", "signed_try": 1, "signatures": TERMS.max_replans}
    assert decided(part(UNKNOWN, refused=True, **spent)) == Sign()
    blocked = part(UNKNOWN, refused=True, signed_by="run", signed_try=1, signatures=TERMS.max_replans + 1)
    assert decided(blocked, me=BLOCKING).changes["lease_owner"] == ME.owner, (
        "the part of another era has no outcome here"
    )


def test_ready_made_proofs_replace_other_proofs_of_their_own_era_alone():
    refused, given = part(UNKNOWN, refused=True), replace(ME, given=GIVEN)
    assert decided(refused, me=given) == Sign()
    same = {"proxy_signature": GIVEN.proxy_signature, "fee_payment_signature": GIVEN.fee_payment_signature}
    for record, me in ((replace(refused, **same), given), (refused, replace(given, own=False))):
        assert decided(record, me=me).changes["lease_owner"] == ME.owner, "the same bytes"


def test_a_part_that_a_window_held_often_is_not_rejected():
    spent = {"signed_by": "run", "signed_try": 1, "signatures": TERMS.max_replans + 1}
    assert decided(part(HELD, hold=Hold.WINDOW.value, **spent)) == Sign()


def test_asking_whether_an_era_is_paid_raises_nothing_but_a_lost_answer():
    assert decided(part(REJECTED, asked=False), seen(sent=sent("REFUSED", ERROR))).then is None


@pytest.mark.parametrize(("before", "hold"), [(None, Hold.WINDOW), (Hold.CONTRADICTION.value, Hold.CONTRADICTION)])
def test_a_window_that_refuses_the_question_keeps_an_older_hold(before, hold):
    record = part(REJECTED, asked=False, hold=before)
    refused = decided(record, seen(sent=sent("WINDOW")), wait_for_closed_window=False)
    assert after(refused, record).hold == hold.value


def test_the_last_call_is_not_empty_while_the_window_is_open_or_nothing_was_charged():
    last = {"part": 1, "wasted": 1, "request_status": "Rejected"}
    opened = decided(part(REJECTED, fee_charged=True, **last), seen(window=ElectionWindow.OPEN), parts=None)
    assert (opened.state, opened.then.reason) == (HELD, WaitFor.WINDOW)
    assert opened.changes["request_status"] is None, "the open window explains the rejection"
    assert decided(part(REJECTED, fee_charged=False, **last), parts=None) == Sign()


def test_a_part_that_was_held_for_something_else_is_held_for_a_person():
    record = part(HELD, hold=Hold.WINDOW.value, wasted=TERMS.max_fees_for_nothing)
    assert after(decided(record), record).hold == Hold.CHARGED.value


def test_a_payload_is_signed_again_with_its_own_nonces_alone():
    """The nonces are read once more for the signature, and may have moved between the two reads."""
    record = part(UNKNOWN, refused=True, staking_nonce=None)
    assert decided(record).reason is WaitFor.REPLAY
    assert decided(part(UNKNOWN, refused=True), seen(used=NoncesUsed(None, 7))).reason is WaitFor.LANE


def test_ready_made_proofs_for_a_gateway_without_nonces_are_not_compared_with_used_ones():
    me = replace(ME, given=replace(GIVEN, staking_nonce=None))
    assert decided(part(), seen(staking=None, used=NoncesUsed(9, 9)), me=me) == Sign()


def test_a_person_who_looked_at_one_era_did_not_look_at_another():
    record = part(SUBMITTED, request_status="Rejected")
    evidence = seen(request=request("Processed"), staking=6, payment=8)
    assert decided(record, evidence, again=True).state is CONFIRMED
    assert_needs_a_person(decided(record, evidence, me=BLOCKING, again=True), record)


def test_a_request_is_named_only_while_its_confirmation_is_awaited():
    assert decided(part(SUBMITTED), seen(request=request("Pending"))).request_id == REQUEST
    repeated = decided(part(UNKNOWN, request_id=REQUEST), seen(sends=1))
    assert (repeated.reason, repeated.request_id) == (WaitFor.REPLAY, None)


def test_each_wait_begins_at_its_own_time():
    accepted = part(SUBMITTED, accepted_at=NOW - SETTLE - A_MOMENT)
    assert decided(accepted, seen(request=request("Pending"))).state is UNKNOWN
    unknown_since = part(SUBMITTED, accepted_at=None)
    assert decided(unknown_since, seen(request=request("Pending"))).state is UNKNOWN, "there is nothing to wait for"


# --- what is read from the ledger for a decision --------------------------------------------------------------------------


class Records:
    """A ledger of a few payloads in flight, and of fees."""

    def __init__(self, *in_flight):
        self._in_flight = in_flight

    def in_flight(self, chain):
        assert chain == TERMS.lane
        return list(self._in_flight)

    def committed_fees(self, network, since, *, excluding):
        assert (network, since, excluding.id) == ("testnet", NOW.replace(hour=0), 1)
        return 30

    def fees_of_run(self, network, run, *, excluding):
        assert (network, run, excluding.id) == ("testnet", "run", 1)
        return 40


OTHER_USER = {"user_key": RELAYER.hex}


@pytest.mark.parametrize(
    ("other", "blocks"),
    [
        ({"id": 1}, False),
        ({"staking_nonce": None}, False),
        ({}, True),
        ({"payer_key": RELAYER.hex, "signed_at": NOW - SETTLE - A_MOMENT}, True),
        (OTHER_USER, True),
        ({**OTHER_USER, "signed_at": NOW - SETTLE}, True),
        ({**OTHER_USER, "signed_at": NOW - SETTLE - A_MOMENT}, False),
        ({**OTHER_USER, "signed_at": None}, False),
        ({**OTHER_USER, "payer_key": RELAYER.hex}, False),
    ],
)
def test_a_user_is_blocked_by_its_own_payload_and_for_a_while_by_one_of_its_payer(other, blocks):
    in_the_way = part(UNKNOWN, **{"id": 2, **other})
    found = blocker_of(part(), Records(in_the_way), TERMS, NOW)
    assert found == (in_the_way if blocks else None)


def test_every_payload_in_flight_is_looked_at():
    harmless = part(UNKNOWN, id=2, **OTHER_USER, payer_key=RELAYER.hex)
    own, blocking = part(UNKNOWN), part(UNKNOWN, id=3)
    assert blocker_of(own, Records(own, harmless, blocking), TERMS, NOW) == blocking


@pytest.mark.parametrize(
    ("limits", "spent"),
    [
        ({}, Spent()),
        ({"max_fee_per_day": 99}, Spent(day=30)),
        ({"max_fee_per_run": 99}, Spent(run=40)),
    ],
)
def test_only_fees_that_are_limited_are_counted(limits, spent):
    assert read_spent(Records(), replace(TERMS, **limits), run="run", now=NOW, excluding=part()) == spent


# --- who used a payment nonce, which clock counts, and whose terms --------------------------------------------------------


@pytest.mark.parametrize(
    ("shared", "counted", "asked"), [(None, 1, False), (Shared.IN_FLIGHT, 0, False), (Shared.CONFIRMED, None, True)]
)
def test_a_payment_nonce_that_another_user_paid_with_cost_this_part_nothing(shared, counted, asked):
    record = part(UNKNOWN, disagree="payment moved", disagree_since=NOW)
    dead = decided(record, seen(payment=8, payment_shared=shared), at=NOW + AGREE + A_MOMENT)
    assert (dead.state, dead.changes.get("wasted"), dead.changes["asked"]) == (REJECTED, counted, asked)


@pytest.mark.parametrize(
    ("states", "shared"),
    [
        ([], None),
        ([REJECTED], None),
        ([REJECTED, UNKNOWN], Shared.IN_FLIGHT),
        ([UNKNOWN, CONFIRMED], Shared.CONFIRMED),
    ],
)
def test_a_confirmed_payload_used_its_payment_nonce_and_one_in_flight_may_have(states, shared):
    assert shared_by(part(state) for state in states) is shared


def test_a_gateway_whose_sending_failed_may_have_sent_it_all_the_same():
    record = part(UNKNOWN, request_id=REQUEST)
    evidence = seen(request=request("SendingFailed"))
    assert decided(record, evidence).changes["lease_owner"] == ME.owner, "the same bytes, and no nonce is free"
    executed = seen(request=request("SendingFailed"), staking=6, payment=8)
    assert decided(record, executed).state is CONFIRMED


@pytest.mark.parametrize("name", ["signed_at", "accepted_at", "disagree_since", "over_since"])
def test_a_time_that_lies_ahead_counts_from_now(name):
    year = NOW + timedelta(days=365)
    record = part(SUBMITTED, **{name: year})
    assert getattr(after(decided(record), record), name) == NOW
    just_now = part(UNKNOWN, **{name: NOW})
    assert decided(just_now).changes.get(name) is None


def test_a_lease_that_lies_ahead_ends_in_time():
    record = part(UNKNOWN, lease_owner="gone", lease_until=NOW + timedelta(days=365))
    assert after(decided(record), record).lease_until == NOW + TERMS.lease
    longest = replace(record, lease_until=NOW + TERMS.lease)
    assert decided(longest).reason is WaitFor.LANE


@pytest.mark.parametrize("kind", list(SendResult.Kind))
def test_no_answer_is_lost_when_the_clock_goes_back_while_a_payload_is_sent(kind):
    """The lease still stands, so a lost answer would be followed by a second send that counts as the first."""
    record = part(SIGNED, lease_until=NOW + TERMS.lease + SETTLE, signed_at=NOW + SETTLE)
    written = after(decided(record, seen(sent=SendResult(kind, "text", REQUEST, ERROR))), record)
    assert written.lease_owner is None
    assert written.state is not SIGNED


def test_another_networks_payload_is_not_confirmed_by_these_terms():
    theirs = part(SUBMITTED, network="another")
    assert isinstance(decided(theirs, me=BLOCKING, confirm_by=ConfirmBy.NONE), Wait)


@pytest.mark.parametrize("record", [part(SIGNED), part(REJECTED, asked=False)])
def test_a_gateway_that_says_paid_while_a_node_denies_it_leaves_it_to_a_person(record):
    kept = after(decided(record, seen(sent=sent("PAID"), era_paid=False)), record)
    assert (kept.state, kept.hold, kept.asked) == (REJECTED, Hold.CONTRADICTION.value, True)
    assert "a node says that it is not" in kept.reason
    assert decided(kept, seen(era_paid=False)).state is HELD
    assert decided(kept, seen(era_paid=False), again=True) == Sign()
    for word in (None, True, Unreadable(ERROR)):
        assert after(decided(record, seen(sent=sent("PAID"), era_paid=word)), record).state is EMPTY


def test_the_fee_of_ready_made_proofs_is_limited_when_they_name_it():
    given = replace(ME, given=replace(GIVEN, relayer_fee=12))
    assert decided(part(), me=given, max_fee_per_payout=11).then.outcome is Outcome.HELD_FEE
    assert decided(part(), me=given, max_fee_per_payout=12) == Sign()
    assert decided(part(), me=replace(ME, given=GIVEN), max_fee_per_payout=1) == Sign(), "the fee is not known"
