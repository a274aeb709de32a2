"""The rules of `payout.decide`, one by one and by their numbers. Nothing here reads a clock, a ledger or a gateway."""

from dataclasses import fields, replace
from datetime import datetime, timedelta, timezone

import pytest

from staking_gateway.errors import GatewayTimeout, TransactionTypeRefused
from staking_gateway.http.meanings import SendAnswer
from staking_gateway.ledger import Payout, PayoutState
from staking_gateway.ledger.records import NoncesUsed
from staking_gateway.payout.decide import SENT_IN_VAIN, decide
from staking_gateway.payout.evidence import (
    Ask,
    Done,
    Evidence,
    Fact,
    Me,
    Move,
    Raise,
    SendResult,
    Shared,
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
LATER = NOW + AGREE + A_MOMENT
"""A read of this moment shows what was so NOW."""
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


READ = {
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
    "payment_shared": None,
    "spent": Spent(),
}
"""A gateway where everything can be read, where nothing of what was signed has executed, and the era can be paid."""
FACTS = {field.name for field in fields(Evidence)}


def request(word):
    return RequestState(RequestStatus(word), word, tx_hash="0xhash", block_number=9)


def sent(kind, error=None):
    return SendResult(SendAnswer[kind], "what the gateway said", request_id=REQUEST, error=error)


def decided(record, *, me=ME, at=NOW, **given):
    """The decision; `given` are facts that were read, and terms."""
    evidence = Evidence(**READ | {name: value for name, value in given.items() if name in FACTS})
    terms = {name: value for name, value in given.items() if name not in FACTS}
    return decide(record, me, evidence, at, replace(TERMS, **terms))


def told(action):
    """An action in a word or two: what is done, what is waited for, the outcome, the error, or the new state."""
    if isinstance(action, Wait):
        return f"wait for {action.reason.name}"
    if isinstance(action, Done):
        return f"ends {action.outcome.name}"
    if isinstance(action, Raise):
        return type(action.error).__name__
    if isinstance(action, Move):
        return "repeat" if action.changes.get("lease_owner") == ME.owner else action.state.name
    return type(action).__name__.lower()


def after(action, record):
    """The record once a change was written down."""
    assert isinstance(action, Move), action
    return replace(record, state=action.state, version=record.version + 1, **action.changes)


def columns(record, *names):
    return tuple(getattr(record, name) for name in names)


def case(record, expected, **given):
    """A record, what `decided` is given, and the action as `told`."""
    return record, expected, given


def needs_a_person(action, record):
    """The contradiction is in the ledger once, and no call goes on by itself; the record that is kept."""
    kept = after(action, record)
    assert columns(kept, "state", "hold") == (record.state, Hold.CONTRADICTION.value)
    assert (action.then.outcome, "disagree" in action.then.reason) == (Outcome.UNKNOWN, True)
    return kept


def once_agreed(record, kind, **facts):
    """What is decided when no read can lag behind any more; until then the disagreement is noted, and read again."""
    noted = after(decided(record, **facts), record)
    assert columns(noted, "state", "disagree", "disagree_since") == (record.state, kind, NOW)
    assert told(decided(noted, at=NOW + AGREE, **facts)) == "wait for REPLAY"
    return noted, decided(noted, at=LATER, **facts)


MOVED = {"staking": 6, "payment": 8}
"""Both nonces, each by one."""
THEIRS = {"lease_owner": "another process", "lease_until": NOW + timedelta(seconds=120)}
OURS = {"lease_owner": ME.owner, "lease_until": NOW + TERMS.lease}
OPEN = ElectionWindow.OPEN
SPENT = {"signed_by": "run", "signed_try": 1, "signatures": TERMS.max_replans + 1}
"""This try may sign no more."""
NEXT_TRY = replace(ME, try_number=2)
WITH_PROOFS = replace(ME, given=GIVEN)
SAME_PROOFS = {"proxy_signature": GIVEN.proxy_signature, "fee_payment_signature": GIVEN.fee_payment_signature}
FAILED = {"request_status": "Rejected", "disagree": "final, not moved", "disagree_since": NOW}
"""A request that failed, and whose nonce stood still."""
NO_NONCES = {"staking": None, "payment": None}
LAST_CALL = {"part": 1, "wasted": 1, "request_status": "Rejected"}
WITHOUT = [PLANNED, HELD, REJECTED]
"""States of a part that has no payload in flight."""

RULES = {
    "rule_01_while_another_process_is_sending_it_wait_until_its_lease_ends": [
        *(case(part(state, **THEIRS), "wait for LANE") for state in (SIGNED, UNKNOWN)),
        *(case(part(state, **THEIRS), "UNKNOWN", at=THEIRS["lease_until"]) for state in (SIGNED, UNKNOWN)),
        case(part(UNKNOWN, lease_owner="gone", lease_until=NOW + TERMS.lease), "wait for LANE"),
    ],
    "rule_03_what_this_process_has_leased_it_sends_while_the_lease_lasts": [
        *(case(record, "send") for record in (part(SIGNED), part(UNKNOWN, **OURS))),
        *(case(record, "UNKNOWN", at=NOW + TERMS.lease) for record in (part(SIGNED), part(UNKNOWN, **OURS))),
    ],
    "rule_05_no_word_of_the_request_is_no_contradiction": [
        case(part(SUBMITTED, **FAILED), "wait for CONFIRMATION", at=LATER, request=word)
        for word in (None, Unreadable(ERROR), request("Transaction not found"))
    ],
    "rule_06_witnesses_of_an_execution": [
        case(part(SUBMITTED), "CONFIRMED", **MOVED),
        case(part(SUBMITTED, copies_out=True), "CONFIRMED", **MOVED, request=request("Rejected")),
        case(part(UNKNOWN, request_id=REQUEST), "CONFIRMED", **MOVED, request=request("SendingFailed")),
        case(part(UNKNOWN), "CONFIRMED", staking=6, payment=None),
    ],
    "rule_09_a_wait_for_confirmation_begins_when_the_payload_was_accepted": [
        case(part(SUBMITTED, accepted_at=NOW - SETTLE - A_MOMENT), "UNKNOWN", request=request("Pending")),
        case(part(SUBMITTED, accepted_at=None), "UNKNOWN", request=request("Pending")),
        case(part(UNKNOWN, request_id=REQUEST, accepted_at=NOW), "repeat", request=request("Pending")),
        case(part(SUBMITTED, **FAILED, copies_out=True), "UNKNOWN", at=LATER, request=request("Rejected")),
    ],
    "rule_10_an_execution_is_believed_also_after_the_end_of_the_era": [
        case(part(UNKNOWN, over=over, over_since=NOW), "CONFIRMED", at=LATER, **MOVED) for over in ("paid", "expired")
    ],
    "rule_11_in_an_open_window_nothing_is_repeated_unless_it_is_guarded_elsewhere": [
        case(part(UNKNOWN, unanswered=9, refused=True), "wait for WINDOW", window=OPEN),
        case(part(UNKNOWN, unanswered=9, refused=True), "sign", window=OPEN, wait_for_closed_window=False),
    ],
    "rule_12_what_can_no_longer_be_accepted_is_signed_again_with_the_same_nonces_whoever_needs_the_lane": [
        case(part(UNKNOWN, **vain), "sign", me=me)
        for vain in ({"refused": True}, {"unanswered": SENT_IN_VAIN + 1})
        for me in (ME, BLOCKING)
    ],
    "rule_12_nothing_is_signed_again_once_a_nonce_has_moved": [
        case(part(UNKNOWN, refused=True), "UNKNOWN", **moved) for moved in ({"staking": 6}, {"payment": 8})
    ],
    "rule_12_only_the_payloads_own_accounts_and_network_sign_it_again": [
        case(part(UNKNOWN, refused=True, **other), "repeat")
        for other in ({"user_key": RELAYER.hex}, {"payer_key": RELAYER.hex}, {"network": "another"})
    ],
    "rule_12_only_other_proofs_of_their_own_era_replace_it": [
        case(part(UNKNOWN, refused=True), "sign", me=WITH_PROOFS),
        case(part(UNKNOWN, refused=True, **SAME_PROOFS), "repeat", me=WITH_PROOFS),
        case(part(UNKNOWN, refused=True), "repeat", me=replace(WITH_PROOFS, own=False)),
    ],
    "rule_12_a_gateway_that_stopped_reporting_fees_is_named_as_the_reason": [
        case(part(UNKNOWN, refused=True), "ends UNSUPPORTED", fee=None),
    ],
    "rule_12_a_try_signs_a_bounded_number_of_times": [
        case(part(UNKNOWN, refused=True, **SPENT), "ends UNKNOWN"),
        case(part(UNKNOWN, refused=True, **{**SPENT, "signatures": TERMS.max_replans}), "sign"),
        case(part(UNKNOWN, refused=True, **SPENT), "sign", me=NEXT_TRY),
        case(part(UNKNOWN, unanswered=9, **SPENT), "repeat"),
        case(part(UNKNOWN, refused=True, **SPENT), "repeat", me=BLOCKING),
    ],
    "rule_12_a_payload_is_signed_again_with_its_own_nonces_alone": [
        case(part(UNKNOWN, refused=True, staking_nonce=None), "wait for REPLAY"),
        case(part(UNKNOWN, refused=True), "wait for LANE", used=NoncesUsed(None, 7)),
    ],
    "rule_13_the_same_bytes_are_sent_once_a_call": [case(part(UNKNOWN), "wait for REPLAY", sends=1)],
    "rule_13_no_time_that_passes_gives_a_payload_up": [
        case(part(UNKNOWN), "repeat", at=NOW + timedelta(days=days)) for days in (0, 1, 400)
    ],
    "rule_13_a_repetition_goes_on_without_what_cannot_be_read": [
        *(
            case(part(UNKNOWN, request_id=REQUEST), "repeat", **{fact: Unreadable(ERROR)})
            for fact in ("request", "era_paid", "window", "active")
        ),
        case(part(UNKNOWN), "repeat", payment=None),
        case(part(UNKNOWN), "repeat", active=None),
        case(part(UNKNOWN), "repeat", active=ERA + 84),
        case(part(UNKNOWN, request_id=REQUEST), "repeat", request=request("SendingFailed")),
    ],
    "rule_14_an_era_that_cannot_be_paid_is_not_asked_for": [
        *(case(part(state), "ends UNSUPPORTED", pays_by_itself=True) for state in WITHOUT),
        *(case(part(state), "ends EXPIRED", active=ERA + 85) for state in WITHOUT),
        *(case(part(), "InvalidEra", active=active) for active in (ERA, ERA - 1)),
        case(part(), "sign", active=ERA + 84),
        case(part(), "sign", active=None),
    ],
    "rule_15_an_era_that_a_node_says_is_paid_needs_nothing": [
        case(part(state, asked=False), "EMPTY", era_paid=True) for state in WITHOUT
    ],
    "rule_16_after_a_fee_for_nothing_the_dead_bytes_ask_whether_the_era_is_paid": [
        case(part(REJECTED, asked=False, fee_charged=True, wasted=1), "send"),
        case(part(REJECTED, asked=False, fee_charged=True, wasted=1), "EMPTY", sent=sent("PAID")),
        case(part(REJECTED, asked=False), "GatewayTimeout", sent=sent("DOOR", ERROR)),
        case(part(REJECTED, asked=True, fee_charged=True, wasted=1), "sign"),
    ],
    "rule_17_a_person_who_has_looked_lets_it_be_signed_once": [
        case(part(HELD, hold=Hold.CHARGED.value, **{**SPENT, "wasted": 3}), "ends REJECTED", again=True),
        case(part(HELD, hold=Hold.CHARGED.value, **{**SPENT, "wasted": 3}), "sign", me=NEXT_TRY, again=True),
        case(part(REJECTED, wasted=TERMS.max_fees_for_nothing - 1), "sign"),
    ],
    "rule_17_the_call_after_the_last_batch_may_pay_its_fee_to_learn_that_nothing_is_left": [
        case(part(REJECTED, fee_charged=True, **LAST_CALL), "EMPTY", parts=None),
        case(part(REJECTED, fee_charged=True, **LAST_CALL), "sign", parts=2),
        case(part(REJECTED, fee_charged=True, **{**LAST_CALL, "part": 0}), "sign", parts=None),
        case(part(REJECTED, fee_charged=True, **{**LAST_CALL, "request_status": None}), "sign", parts=None),
        case(part(REJECTED, fee_charged=False, **LAST_CALL), "sign", parts=None),
    ],
    "rule_18_a_try_that_has_signed_often_enough_gives_the_reason": [
        case(part(REJECTED, **{**SPENT, "signatures": TERMS.max_replans}), "sign"),
        case(part(REJECTED, **{**SPENT, "signatures": 9}), "sign", me=NEXT_TRY),
        case(part(HELD, hold=Hold.WINDOW.value, **SPENT), "sign"),
        case(part(REJECTED), "sign", me=WITH_PROOFS),
    ],
    "rule_19_an_open_window_holds_nothing_that_is_guarded_elsewhere": [
        case(part(state), "sign", window=OPEN, wait_for_closed_window=False) for state in (PLANNED, REJECTED)
    ],
    "rule_20_another_payload_that_is_in_the_way_is_settled_first": [
        case(part(), "settle", blocker=part(UNKNOWN, id=2))
    ],
    "rule_21_a_nonce_that_is_already_used_is_not_signed": [
        *(
            case(part(), "wait for LANE", used=used)
            for used in (NoncesUsed(5, None), NoncesUsed(None, 7), NoncesUsed(6, 8))
        ),
        case(part(), "sign", used=NoncesUsed(4, 6)),
        case(
            part(),
            "sign",
            used=NoncesUsed(9, 9),
            staking=None,
            me=replace(ME, given=replace(GIVEN, staking_nonce=None)),
        ),
    ],
    "rule_22_a_payload_in_flight_is_not_signed_again_above_a_limit_and_stays_in_flight": [
        case(part(UNKNOWN, refused=True), "ends UNKNOWN", fee=12, max_fee_per_payout=11),
        case(part(UNKNOWN, unanswered=9), "repeat", fee=12, max_fee_per_payout=11),
        case(part(UNKNOWN, refused=True), "repeat", me=BLOCKING, fee=12, max_fee_per_payout=11),
        case(part(UNKNOWN, refused=True, fee=12), "sign", fee=10, max_fee_per_day=11),
    ],
    "rule_22_the_fee_of_ready_made_proofs_is_limited_when_they_name_it": [
        case(part(), "HELD", me=replace(ME, given=replace(GIVEN, relayer_fee=12)), max_fee_per_payout=11),
        case(part(), "sign", me=replace(ME, given=replace(GIVEN, relayer_fee=12)), max_fee_per_payout=12),
        case(part(), "sign", me=WITH_PROOFS, max_fee_per_payout=1),
    ],
    "rule_23_sign": [case(part(state), "sign") for state in WITHOUT],
    "a_signature_needs_everything_it_asks_for": [
        case(part(), "GatewayTimeout", **{fact: Unreadable(ERROR)})
        for fact in ("window", "fee", "payment", "staking", "active", "pays_by_itself")
    ],
    "a_gateway_that_reports_no_fee_or_nonce_needs_ready_made_proofs": [
        case(part(), "ends UNSUPPORTED", **{fact: None}) for fact in ("fee", "payment", "staking")
    ],
    "a_setting_that_is_wrong_for_good_is_unsupported": [
        case(
            part(),
            "ends UNSUPPORTED",
            fee=Unreadable(TransactionTypeRefused(method="m", code=1, rpc_message=""), permanent=True),
        ),
    ],
    "without_confirmation_what_this_network_had_accepted_is_confirmed": [
        case(part(SUBMITTED), "CONFIRMED", confirm_by=ConfirmBy.NONE),
        case(part(UNKNOWN), "repeat", confirm_by=ConfirmBy.NONE),
        case(part(SUBMITTED, network="another"), "wait for CONFIRMATION", me=BLOCKING, confirm_by=ConfirmBy.NONE),
    ],
    "without_nonces_the_requests_state_is_the_only_witness": [
        *(
            case(part(SUBMITTED, **blind), expected, **NO_NONCES, request=request(word))
            for blind in ({"staking_nonce": None}, {})
            for word, expected in (
                ("Processed", "CONFIRMED"),
                ("Rejected", "REJECTED"),
                ("Pending", "wait for CONFIRMATION"),
            )
        ),
        case(part(SUBMITTED), "ends UNKNOWN", **NO_NONCES),
        case(part(SUBMITTED, staking_nonce=None), "CONFIRMED", request=request("Processed"), staking=6),
    ],
    "without_nonces_what_came_to_no_end_is_sent_again_in_time": [
        case(part(SUBMITTED), "wait for CONFIRMATION", **NO_NONCES, request=request("Pending"), at=NOW + SETTLE),
        case(part(SUBMITTED), "UNKNOWN", **NO_NONCES, request=request("Pending"), at=NOW + SETTLE + A_MOMENT),
        case(part(SUBMITTED, copies_out=True), "wait for CONFIRMATION", **NO_NONCES, request=request("Rejected")),
        case(part(UNKNOWN, request_id=REQUEST), "repeat", **NO_NONCES, request=request("Pending")),
        case(part(SUBMITTED, request_id=None), "ends UNKNOWN", **NO_NONCES),
        case(part(SUBMITTED, request_id=None), "ends UNKNOWN", **NO_NONCES, request=request("Pending")),
    ],
}


@pytest.mark.parametrize(
    ("record", "expected", "given"), [pytest.param(*row, id=rule) for rule, rows in RULES.items() for row in rows]
)
def test(record, expected, given):
    assert told(decided(record, **given)) == expected


# --- rule 1: a clock that goes back ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["signed_at", "accepted_at", "disagree_since", "over_since"])
def test_rule_01_a_time_that_lies_ahead_counts_from_now(name):
    record = part(SUBMITTED, **{name: NOW + timedelta(days=365)})
    assert getattr(after(decided(record), record), name) == NOW
    assert decided(part(UNKNOWN, **{name: NOW})).changes.get(name) is None


def test_rule_01_a_lease_that_lies_ahead_ends_in_time():
    record = part(UNKNOWN, lease_owner="gone", lease_until=NOW + timedelta(days=365))
    assert after(decided(record), record).lease_until == NOW + TERMS.lease


@pytest.mark.parametrize("kind", list(SendAnswer))
def test_rule_01_no_answer_is_lost_when_the_clock_goes_back_while_a_payload_is_sent(kind):
    """The lease still stands, so a lost answer would be followed by a second send that counts as the first."""
    record = part(SIGNED, lease_until=NOW + TERMS.lease + SETTLE, signed_at=NOW + SETTLE)
    written = after(decided(record, sent=sent(kind.name, ERROR)), record)
    assert (written.lease_owner, written.state is SIGNED) == (None, False)


# --- rules 2 to 4: an answer, or none ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "state", "hold"),
    [
        ("ACCEPTED", SUBMITTED, None),
        ("LOST", UNKNOWN, None),
        ("PAID", EMPTY, None),
        ("WINDOW", HELD, Hold.WINDOW.value),
        ("NO_METHOD", HELD, Hold.UNSUPPORTED.value),
        ("DOOR", PLANNED, None),
        ("REFUSED", REJECTED, None),
    ],
)
def test_rule_02_the_answer_to_the_only_send_there_ever_was_is_written_down(kind, state, hold):
    record = after(decided(part(SIGNED), sent=sent(kind, ERROR)), part(SIGNED))
    assert columns(record, "state", "hold", "lease_owner", "lease_until") == (state, hold, None, None)
    assert columns(record, "unanswered", "unanswered_at") == ((1, NOW) if kind == "LOST" else (0, None))
    assert record.accepted_at == (NOW if kind == "ACCEPTED" else None)


@pytest.mark.parametrize("copies", [{"unanswered": 1}, {"copies_out": True}])
@pytest.mark.parametrize("kind", ["PAID", "WINDOW", "NO_METHOD", "DOOR", "REFUSED"])
def test_rule_02_a_refusal_frees_no_nonce_while_another_copy_may_execute(kind, copies):
    record = after(decided(part(SIGNED, **copies), sent=sent(kind, ERROR)), part(SIGNED, **copies))
    assert record.state is UNKNOWN
    assert columns(record, "over", "over_since") == (("paid", NOW) if kind == "PAID" else (None, None))
    assert record.refused is (kind == "REFUSED")


def test_rule_02_an_open_window_and_a_closed_door_are_told_to_the_caller():
    for record in (part(SIGNED), part(SIGNED, unanswered=1)):
        assert told(decided(record, sent=sent("WINDOW")).then) == "wait for WINDOW"
        assert decided(record, sent=sent("DOOR", ERROR)).then == Raise(ERROR)


@pytest.mark.parametrize("record", [part(SIGNED), part(REJECTED, asked=False)])
def test_rule_02_a_gateway_that_says_paid_while_a_node_denies_it_leaves_it_to_a_person(record):
    kept = after(decided(record, sent=sent("PAID"), era_paid=False), record)
    assert columns(kept, "state", "hold", "asked") == (REJECTED, Hold.CONTRADICTION.value, True)
    assert "a node says that it is not" in kept.reason
    assert told(decided(kept, era_paid=False)) == "HELD"
    assert told(decided(kept, era_paid=False, again=True)) == "sign"
    for word in (None, True, Unreadable(ERROR)):
        assert told(decided(record, sent=sent("PAID"), era_paid=word)) == "EMPTY"


def test_rule_02_an_accepted_repetition_starts_without_what_was_seen_of_the_request_before():
    old = {**FAILED, "request_id": "old", "refused": True, "hold": Hold.CONTRADICTION.value, "reason": "why"}
    new = after(decided(part(SIGNED, **old), sent=sent("ACCEPTED")), part(SIGNED, **old))
    assert columns(new, "request_id", "request_status", "refused", "disagree") == (REQUEST, None, False, None)
    assert columns(new, "hold", "reason") == (None, None)


@pytest.mark.parametrize("owner", [ME.owner, "a process that is gone"])
def test_rule_04_what_a_process_wrote_that_it_would_send_counts_as_sent(owner):
    signed = part(SIGNED, lease_owner=owner, lease_until=NOW, updated_at=NOW - timedelta(minutes=2))
    for record in (signed, replace(signed, state=UNKNOWN, unanswered=1)):
        lost = after(decided(record), record)
        assert columns(lost, "state", "unanswered") == (UNKNOWN, record.unanswered + 1)
        assert columns(lost, "unanswered_at", "lease_owner") == (record.updated_at, None)


# --- rules 5 to 9: the witnesses ---------------------------------------------------------------------------------------------


def test_rule_05_a_state_that_contradicts_a_final_one_told_before_signs_nothing_until_a_person_has_looked():
    record, contradiction = part(SUBMITTED, **FAILED), {**MOVED, "request": request("Processed"), "at": LATER}
    kept = needs_a_person(decided(record, **contradiction), record)
    assert decided(kept, **contradiction) == decided(record, **contradiction).then, "writes nothing more"
    assert told(decided(record, **contradiction, again=True)) == "CONFIRMED"
    needs_a_person(decided(record, **contradiction, me=BLOCKING, again=True), record)


def test_rule_05_a_replica_that_lags_behind_may_still_call_a_final_request_pending():
    record = part(SUBMITTED, **{**FAILED, "request_status": "Processed"})
    assert told(decided(record, request=request("Pending"), at=NOW + AGREE)) == "wait for REPLAY"
    needs_a_person(decided(record, request=request("Pending"), at=LATER), record)
    needs_a_person(decided(record, request=request("Rejected")), record)


def test_rule_06_both_nonces_moved_by_one_so_the_part_is_executed():
    confirmed = after(decided(part(UNKNOWN), **MOVED), part(UNKNOWN))
    assert columns(confirmed, "state", "confirmed_by", "confirmed_at") == (CONFIRMED, "nonce", NOW)
    assert confirmed.fee_charged is True


def test_rule_06_the_requests_state_and_the_staking_nonce_are_two_witnesses():
    record = after(decided(part(SUBMITTED), request=request("Processed"), staking=6), part(SUBMITTED))
    assert columns(record, "state", "confirmed_by", "tx_hash") == (CONFIRMED, "request_state", "0xhash")


def test_rule_06_what_something_else_can_have_moved_confirms_nothing():
    action = decided(part(UNKNOWN), payment=8, staking=7)
    dead = after(action, part(UNKNOWN))
    assert columns(dead, "state", "asked", "used_nonce") == (REJECTED, False, 5)
    assert (dead.fee_charged, action.changes["wasted"]) == (False, 0), "its fee counts against the limits alone"


@pytest.mark.parametrize(
    ("record", "kind", "facts", "expected"),
    [
        (part(UNKNOWN), "staking moved", {"staking": 6}, {"asked": True, "used_nonce": 5, "hold": None}),
        (
            part(SUBMITTED),
            "failed, but moved",
            {**MOVED, "request": request("Rejected")},
            {"asked": False, "used_nonce": 5, "hold": Hold.CONTRADICTION.value},
        ),
        *(
            (part(SUBMITTED), "final, not moved", {"request": request(word)}, {"asked": True, "wasted": 0})
            for word in ("Processed", "Rejected", "PayerRefused")
        ),
        (part(UNKNOWN), "payment moved", {"payment": 8}, {"asked": False, "fee_charged": True, "wasted": 1}),
        (
            part(SUBMITTED),
            "final, not moved",
            {"payment": 8, "request": request("Rejected")},
            {"fee_charged": True, "wasted": 1},
        ),
        (part(UNKNOWN, used_nonce=3), "payment moved", {"payment": 8}, {"used_nonce": 3}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_rules_06_to_08_a_payload_is_dead_once_the_reads_agree(record, kind, facts, expected):
    noted, action = once_agreed(record, kind, **facts)
    dead = after(action, noted)
    assert dead.state is REJECTED
    assert {name: getattr(dead, name) for name in expected} == expected
    if "moved" in kind.split()[-1] and "request" not in facts:
        assert told(decided(noted, **MOVED)) == "CONFIRMED", "the other nonce was read late"


def test_rule_06_a_staking_nonce_that_went_back_is_another_chain():
    noted, action = once_agreed(part(UNKNOWN), "went back", staking=4)
    needs_a_person(action, noted)


def test_rule_06_a_request_that_is_not_final_waits_until_reads_of_moved_nonces_agree():
    record = part(UNKNOWN, request_id=REQUEST)
    assert told(once_agreed(record, "moved, not final", **MOVED, request=request("Pending"))[1]) == "CONFIRMED"


@pytest.mark.parametrize(
    ("shared", "counted", "asked"), [(None, 1, False), (Shared.IN_FLIGHT, 0, False), (Shared.CONFIRMED, None, True)]
)
def test_rule_08_a_payment_nonce_that_another_user_paid_with_cost_this_part_nothing(shared, counted, asked):
    record = part(UNKNOWN, disagree="payment moved", disagree_since=NOW)
    dead = decided(record, payment=8, payment_shared=shared, at=LATER)
    assert (dead.state, dead.changes.get("wasted"), dead.changes["asked"]) == (REJECTED, counted, asked)


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
    facts = {"request": None if word is None else request(word)}
    wait = decided(part(SUBMITTED), at=NOW + patience, **facts)
    assert (wait.reason, wait.request_id) == (WaitFor.CONFIRMATION, REQUEST)
    assert word is None or f"is {word}" in wait.message
    lost = after(decided(part(SUBMITTED), at=NOW + patience + A_MOMENT, **facts), part(SUBMITTED))
    assert columns(lost, "state", "unanswered") == (UNKNOWN, 1)


# --- rules 10 to 13: an end, or once more --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("over", "state"), [("paid", EMPTY), ("expired", REJECTED)])
def test_rule_10_an_era_that_is_over_ends_the_part_once_a_read_would_show_an_execution(over, state):
    record = part(UNKNOWN, over=over, over_since=NOW)
    assert told(decided(record, at=NOW + AGREE)) == "wait for REPLAY"
    ended = decided(record, at=LATER)
    assert columns(after(ended, record), "state", "unanswered", "copies_out") == (state, 0, False)
    assert "wasted" not in ended.changes


@pytest.mark.parametrize(("facts", "over"), [({"active": ERA + 85}, "expired"), ({"era_paid": True}, "paid")])
def test_rule_10_an_era_expires_or_is_told_paid_by_a_node(facts, over):
    ended = after(decided(part(UNKNOWN), **facts), part(UNKNOWN))
    assert columns(ended, "state", "over", "over_since") == (UNKNOWN, over, NOW)


def test_rule_10_what_ended_an_era_first_stays():
    record = part(UNKNOWN, over="expired", over_since=NOW - AGREE, **OURS)
    refused = after(decided(record, sent=sent("PAID")), record)
    assert columns(refused, "over", "over_since") == ("expired", NOW - AGREE)


def test_rule_10_a_node_that_denies_that_the_era_is_paid_leaves_it_to_a_person():
    record, denied = part(UNKNOWN, over="paid", over_since=NOW), {"era_paid": False, "at": LATER}
    needs_a_person(decided(record, **denied), record)
    assert told(decided(record, **denied, again=True)) == "sign", "with the same staking nonce"
    needs_a_person(decided(record, **denied, me=BLOCKING, again=True), record)
    others = replace(record, payer_key=RELAYER.hex)
    needs_a_person(decided(others, **denied, again=True), others)


def test_rule_13_otherwise_the_same_bytes_are_sent_again():
    record = part(UNKNOWN)
    leased = after(decided(record), record)
    assert columns(leased, "state", *OURS) == (UNKNOWN, *OURS.values())
    assert columns(leased, *PAYLOAD) == columns(record, *PAYLOAD)
    assert told(decided(leased)) == "send"
    assert decided(part(UNKNOWN, request_id=REQUEST), sends=1).request_id is None, "no confirmation is awaited"


# --- rules 14 to 23: a part without such a payload -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "asked", "then"), [("REFUSED", True, None), ("LOST", True, Raise(ERROR))], ids=["refused", "lost"]
)
def test_rule_16_an_answer_ends_the_question_and_a_lost_one_stops_the_era_once_at_most(kind, asked, then):
    action = decided(part(REJECTED, asked=False), sent=sent(kind, ERROR))
    assert (action.state, action.changes["asked"], action.then) == (REJECTED, asked, then)


@pytest.mark.parametrize(("before", "hold"), [(None, Hold.WINDOW), (Hold.CONTRADICTION.value, Hold.CONTRADICTION)])
def test_rule_16_waits_for_a_closed_window_and_keeps_an_older_hold(before, hold):
    record = part(REJECTED, asked=False, hold=before)
    refused = decided(record, sent=sent("WINDOW"), wait_for_closed_window=False)
    assert told(refused.then) == "wait for WINDOW", "a call does not ask without end"
    assert columns(after(refused, record), "asked", "hold") == (False, hold.value)
    held = decided(replace(record, hold=None), window=OPEN)
    assert (held.state, told(held.then)) == (HELD, "wait for WINDOW")


@pytest.mark.parametrize(
    "why", [{"wasted": TERMS.max_fees_for_nothing}, {"hold": Hold.CONTRADICTION.value}], ids=["fees", "contradiction"]
)
def test_rule_17_what_needs_a_person_is_held_until_one_has_looked(why):
    record = part(REJECTED, reason="why", **why)
    held = after(decided(record), record)
    assert held.state is HELD
    done = decided(held)
    assert (done.outcome, "why" in done.reason) == (Outcome.REJECTED, True)
    assert f"airflow staking pay --network testnet --era {ERA} --again" in done.reason
    assert [told(decided(one, again=True)) for one in (record, held)] == ["sign"] * 2


def test_rule_17_a_part_that_was_held_for_something_else_is_held_for_a_person():
    record = part(HELD, hold=Hold.WINDOW.value, wasted=TERMS.max_fees_for_nothing)
    assert after(decided(record), record).hold == Hold.CHARGED.value


def test_rule_17_an_open_window_explains_why_the_last_call_was_rejected():
    opened = decided(part(REJECTED, fee_charged=True, **LAST_CALL), window=OPEN, parts=None)
    assert (opened.state, told(opened.then), opened.changes["request_status"]) == (HELD, "wait for WINDOW", None)


def test_rule_18_the_reason_of_a_try_that_signed_too_often_or_of_refused_proofs_is_given():
    assert decided(part(REJECTED, reason="why", **SPENT)) == Done(Outcome.REJECTED, "why")
    done = decided(part(REJECTED, reason="why", **SAME_PROOFS), me=WITH_PROOFS)
    assert (done.outcome, "supply new proofs" in done.reason) == (Outcome.REJECTED, True)


@pytest.mark.parametrize("state", [PLANNED, REJECTED])
def test_rule_19_an_open_window_holds_the_part(state):
    action = decided(part(state), window=OPEN)
    assert (action.state, action.changes["hold"]) == (HELD, Hold.WINDOW.value)
    assert (action.then.reason, action.then.abandoned) == (WaitFor.WINDOW, Outcome.HELD_WINDOW)
    assert decided(after(action, part(state)), window=OPEN) == action.then, "waiting on writes nothing"


@pytest.mark.parametrize(
    ("limit", "spent"),
    [
        ({"max_fee_per_payout": 9}, Spent()),
        ({"max_fee_per_day": 19}, Spent(day=10)),
        ({"max_fee_per_run": 19}, Spent(run=10)),
    ],
)
def test_rule_22_a_fee_above_a_limit_holds_the_part(limit, spent):
    action = decided(part(), spent=spent, **limit)
    assert (action.state, action.changes["hold"], action.then.outcome) == (HELD, Hold.FEE.value, Outcome.HELD_FEE)
    assert decided(after(action, part()), spent=spent, **limit) == action.then, "holding on writes nothing"
    assert told(decided(part(), spent=spent, **{name: value + 1 for name, value in limit.items()})) == "sign"


def test_rule_22_the_limit_is_named_when_a_payload_in_flight_is_not_signed_again():
    assert "max_fee_per_payout" in decided(part(UNKNOWN, refused=True), fee=12, max_fee_per_payout=11).reason


def test_a_part_that_has_ended_is_not_held():
    held = part(HELD, hold=Hold.CONTRADICTION.value, reason="why", asked=False)
    for facts in ({"era_paid": True}, {"sent": sent("PAID")}):
        assert columns(after(decided(held, **facts), held), "state", "hold", "reason") == (EMPTY, None, None)
    in_flight = part(UNKNOWN, hold=Hold.CONTRADICTION.value)
    assert after(decided(in_flight, **MOVED), in_flight).hold is None
    last = part(REJECTED, fee_charged=True, hold=Hold.CHARGED.value, **LAST_CALL)
    assert after(decided(last, parts=None), last).hold is None


# --- what is read, and in which order -------------------------------------------------------------------------------------


def asked(record, *, me=ME, **terms):
    """Everything that is asked for until there is another action."""
    evidence, order = Evidence(), []
    while isinstance(action := decide(record, me, evidence, NOW, replace(TERMS, **terms)), Ask):
        assert action.fact not in order, "asked twice"
        order.append(action.fact)
        setattr(evidence, action.fact.value, READ[action.fact.value])
    return order


def test_a_signature_reads_the_staking_nonce_after_the_fee_and_the_payment_nonce():
    nonces = [fact for fact in asked(part()) if fact in (Fact.FEE, Fact.PAYMENT_NONCE, Fact.STAKING_NONCE)]
    assert nonces == [Fact.FEE, Fact.PAYMENT_NONCE, Fact.STAKING_NONCE]


def test_a_payload_in_flight_reads_the_payment_nonce_after_the_staking_nonce():
    """Both move at once, so a payment nonce that is read after a moved staking nonce has moved as well."""
    order = asked(part(UNKNOWN, request_id=REQUEST))
    assert order.index(Fact.REQUEST) < order.index(Fact.STAKING_NONCE) < order.index(Fact.PAYMENT_NONCE)


def test_ready_made_proofs_read_no_fee_and_no_nonce_they_know():
    assert not {Fact.FEE, Fact.PAYMENT_NONCE, Fact.STAKING_NONCE} & set(asked(part(), me=WITH_PROOFS))
    assert Fact.STAKING_NONCE in asked(part(), me=replace(ME, given=replace(GIVEN, staking_nonce=None)))


def test_by_nonce_or_without_an_id_no_request_is_asked_after():
    assert Fact.REQUEST not in asked(part(SUBMITTED), confirm_by=ConfirmBy.NONCE)
    assert Fact.REQUEST not in asked(part(SUBMITTED, request_id=None))


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


def test_the_transaction_of_a_failed_request_is_named_if_the_gateway_knows_it():
    failed = part(SUBMITTED, **FAILED)
    named = decided(failed, at=LATER, request=request("Rejected"))
    assert named.cause == f"request {REQUEST} is Rejected (transaction 0xhash), and nothing was paid"
    unnamed = decided(failed, at=LATER, request=replace(request("Rejected"), tx_hash=None))
    assert unnamed.cause == f"request {REQUEST} is Rejected, and nothing was paid"
    paid = decided(part(SUBMITTED), **MOVED, request=request("Processed"))
    assert paid.cause == "request Processed, and the staking nonce moved"
