"""The rules of `payout.decide`, one by one and by their numbers. Nothing here reads a clock, a ledger or a gateway."""

from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest

from staking_gateway.eras import EraAnchor, EraCalendar
from staking_gateway.errors import Failed, GatewayError, InvalidEra, SendAnswer
from staking_gateway.ledger import PayoutState
from staking_gateway.ledger.invariant import InvariantBroken, check
from staking_gateway.ledger.records import Copy, Mark, Payout, Send, Sight, Sighting
from staking_gateway.payout.copies import Copies, in_flight
from staking_gateway.payout.decide import after_send, decide
from staking_gateway.payout.evidence import (
    Ask,
    Done,
    Evidence,
    Fact,
    Lane,
    Me,
    Move,
    Raise,
    Reading,
    Repeat,
    SendResult,
    Settle,
    Sign,
)
from staking_gateway.payout.fee_limits import Spent
from staking_gateway.payout.outcomes import Hold, Outcome, Wait, WaitFor
from staking_gateway.payout.terms import ConfirmBy, PayoutTerms
from staking_gateway.signing import MessageKind, Proofs, payout_message
from staking_gateway.types import ElectionWindow, RequestState, RequestStatus
from tests.support.ledgers import PAYER, RELAYER, USER
from tests.support.simulated import ALICE

NOW = datetime(2026, 6, 1, 12, tzinfo=timezone.utc)
ERA = 1392
TERMS = PayoutTerms("testnet", RELAYER, USER, PAYER, max_fee_per_payout=100, max_fee_per_day=1000)
FINAL, LEASE, SETTLE, GRACE = TERMS.final_after, TERMS.lease, TERMS.settle_within, TERMS.not_found_grace
A_MOMENT = timedelta(microseconds=1)
ME = Me("run", 1, USER.hex, PAYER.hex, RELAYER.hex)
DRIVING = replace(ME, own=False)
"""The same, at another era's part that is in its way."""
GIVEN = Proofs("0x" + "11" * 64, "0x" + "22" * 64, payment_nonce=7, staking_nonce=5)
REQUEST = "0f14d0ab-9605-4a62-a9e4-5ed26688389b"
ERROR = GatewayError("not now", method="m", how=Failed.TIMEOUT)
ELSE = "another run"
PLANNED, SIGNED, SUBMITTED, UNKNOWN, HELD, REJECTED, CONFIRMED, EMPTY = PayoutState
PENDING, PROCESSED, FAILED_REQUEST = RequestStatus.PENDING, RequestStatus.PROCESSED, RequestStatus.REJECTED


def send(answer=SendAnswer.ACCEPTED, *, ago=SETTLE, number=1, run=ELSE, **known):
    began = NOW - ago
    told = {} if answer is None else {"answer": answer.value, "answered_at": began}
    request = {"request_id": REQUEST} if answer is SendAnswer.ACCEPTED else {}
    return Send(number, began, run, 1, **{**told, **request, **known})


def copy(*sends, nonce=5, payment=7, fee=10, number=1, payer=PAYER, run=ELSE, **changed):
    signed = sends[0].began if sends else NOW
    made = Copy(
        number, "testnet", USER.hex, payer.hex, RELAYER.hex, nonce, payment, fee, "0xproxy", "0xfee", signed, run, 1
    )
    return replace(made, sends=tuple(sends) or (send(),), **changed)


SHOWN = {"status": "Processed", "block_number": 40}
"""What the first look showed of a request."""
SEEN_DONE = send(request_id="another", **SHOWN)
DONE = copy(send(**SHOWN))


def seen_at(kind, ago=timedelta(0), nonce=5, **facts):
    return Sighting(kind, NOW - ago, nonce, **{"user_key": USER.hex} | facts)


def part(*copies, state=SUBMITTED, sightings=(), **changed):
    row = Payout(
        1, "testnet", "testnet", ERA, 0, state, 3, USER.hex, PAYER.hex, RELAYER.hex,
        hold=None, reason=None, confirmed_by=None, confirmed_at=None, executed=None, settled_by=None,
        created_at=NOW, updated_at=NOW, copies=copies, sightings=tuple(sightings),
    )  # fmt: skip
    return replace(row, **changed)


def rival(*sightings, state=SUBMITTED, sends=None, **changed):
    """Another era's part with a copy of the same staking nonce."""
    return part(
        copy(*(sends or [send(request_id="another")]), number=9),
        state=state,
        sightings=sightings,
        id=2,
        era=ERA - 1,
        **changed,
    )


def lane_of(highest=None, lowest=None, rivals=(), **known):
    told = {"before_signed": False, "next_signed": False, "since": None, "unknown": False}
    return Lane(highest, lowest, rivals, **told | known)


def told(status, block=None):
    return RequestState(status, status.value, "0xhash", block)


def facts(**changed):
    """Evidence in which everything is read; a fact of None is one that the gateway does not have."""
    read = {
        "staking": 5, "payment": 7, "request": told(PENDING), "paid": None, "active": ERA + 1, "window": ElectionWindow.CLOSED,
        "fee": 10, "automatic": False, "lane": lane_of(5, 5), "busy": None, "spent": Spent(), "floor": None, "used": False,
        "shared": False, "began": NOW, "payment_began": NOW, "sends": 0, "other": None,
    } | changed  # fmt: skip
    began, key = read["began"], ("testnet", PAYER.hex)
    named = {
        (Fact.STAKING_NONCE, USER.hex): read["staking"],
        (Fact.PAYMENT_NONCE, PAYER.hex): read["payment"],
        (Fact.REQUEST, REQUEST): read["request"],
        (Fact.REQUEST, "another"): read["other"],
        (Fact.ERA_PAID, None): read["paid"],
        (Fact.ACTIVE_ERA, None): read["active"],
        (Fact.WINDOW, None): read["window"],
        (Fact.FEE, None): read["fee"],
        (Fact.PAYS_BY_ITSELF, None): read["automatic"],
        (Fact.COPIES, None): 3,
        **{(Fact.LANE, (USER.hex, nonce)): read["lane"] for nonce in (0, 4, 5, 6)},
        (Fact.FLOOR, USER.hex): read["floor"],
        **{(Fact.BUSY, (PAYER.hex, nonce)): read["busy"] for nonce in (6, 7, 8, 9)},
        **{(Fact.SPENT, (*key, nonce)): read["spent"] for nonce in (6, 7, 8, 9)},
        **{(Fact.KEY_USED, (*key, nonce)): read["used"] for nonce in (6, 7, 8, 9)},
        **{(Fact.KEY_SHARED, (*key, nonce)): read["shared"] for nonce in (6, 7, 8, 9)},
    }
    readings = {about: Reading(value, began) for about, value in named.items()}
    readings[Fact.PAYMENT_NONCE, PAYER.hex] = Reading(read["payment"], read["payment_began"])
    return Evidence(readings, read["sends"])


def ask(record, evidence=None, *, me=ME, terms=TERMS, mark=None):
    return decide(record, Copies(record, mark), me, facts() if evidence is None else evidence, NOW, terms)


def kinds(move):
    return [one.kind for one in move.sightings]


def passed(ago=FINAL, **known):
    """The first look at the passed nonce."""
    return seen_at(Sight.PASSED, ago, **known)


GONE = {"staking": 6, "payment": 8}
"""The nonces after the copy was executed."""
REJECTED_TOLD, PROCESSED_TOLD = told(FAILED_REQUEST), told(PROCESSED, 40)


def judged(*copies, look=None, terms=TERMS, mark=None, **evidence):
    """What is said of copies at the second look, by default when their nonces have passed."""
    record = part(*(copies or [copy()]), sightings=[look or passed()])
    return ask(record, facts(**GONE | evidence), terms=terms, mark=mark)


def is_green(action):
    return isinstance(action, Move) and action.state is CONFIRMED


# --- what is read ----------------------------------------------------------------------------------------------------------


def test_a_fact_is_asked_for_when_a_rule_needs_it_and_not_before():
    assert ask(part(copy()), Evidence()) == Ask(Fact.STAKING_NONCE, USER.hex)
    assert ask(part(state=PLANNED), Evidence()) == Ask(Fact.PAYS_BY_ITSELF)


def test_a_fact_that_cannot_be_read_ends_the_call_and_one_that_never_can_ends_the_era():
    assert ask(part(copy()), facts(staking=ERROR)) == Raise(ERROR)
    refused = GatewayError("", method="m", code=1, gateway_error="", how=Failed.OTHER_SPELLING)
    assert ask(part(state=PLANNED), facts(fee=refused)).outcome is Outcome.UNSUPPORTED


# --- 1: sending ------------------------------------------------------------------------------------------------------------


def test_1_a_send_without_an_answer_is_waited_for_as_long_as_a_lease():
    assert ask(part(copy(send(None, ago=LEASE - A_MOMENT)))).reason is WaitFor.LANE
    assert isinstance(ask(part(copy(send(None, ago=LEASE)))), Repeat)


def test_1_a_send_of_the_future_is_from_before_the_clock_went_back():
    assert isinstance(ask(part(copy(send(None, ago=-A_MOMENT)))), Repeat)


# --- 2: no confirmation ----------------------------------------------------------------------------------------------------


def test_2_without_confirmation_an_accepted_part_is_green_and_its_nonce_stays_open():
    terms = replace(TERMS, confirm_by=ConfirmBy.NONE)
    move = ask(part(copy()), terms=terms)
    assert (move.state, move.changes["confirmed_by"], move.sightings) == (CONFIRMED, "none", ())
    assert not isinstance(ask(part(copy(), state=UNKNOWN), terms=terms), Move)
    assert not isinstance(ask(part(copy(send(ago=A_MOMENT))), terms=terms, me=DRIVING), Move)


# --- 3: behind -------------------------------------------------------------------------------------------------------------


def test_3_a_nonce_below_the_signed_one_is_a_late_read_for_a_while_and_signs_nothing():
    behind = facts(staking=4)
    for ago in (FINAL - A_MOMENT, -FINAL):
        assert ask(part(copy(send(ago=ago))), behind).reason is WaitFor.REPLAY
    later = copy(number=2, signed_at=NOW)
    began_early = facts(staking=4, began=NOW - A_MOMENT)
    assert ask(part(copy(send(ago=FINAL)), later), began_early).reason is WaitFor.REPLAY
    below = part(copy(nonce=4, number=9), id=2, era=ERA - 1)
    assert ask(part(copy(send(ago=FINAL)), later), facts(staking=4, lane=lane_of(5, 4, (below,)))) == Settle(below)
    doubt = ask(part(copy(send(ago=FINAL)), later), behind)
    assert (doubt.then.outcome, doubt.changes["hold"]) == (Outcome.UNKNOWN, Hold.CONTRADICTION.value)
    again = ask(part(copy(send(ago=FINAL)), later), behind, terms=replace(TERMS, again=True))
    assert kinds(again) == [Sight.WAIVED]
    assert kinds(ask(part(copy(send(ago=FINAL)), sightings=[passed()]), behind)) == [Sight.STOOD]


# --- 4 to 10: the nonce has passed -----------------------------------------------------------------------------------------


def test_4_a_passed_nonce_is_judged_at_a_second_look_that_began_late_enough():
    seen = facts(**GONE, request=told(PROCESSED, 40))
    first = ask(part(copy()), seen)
    assert (kinds(first), first.then.reason, first.then.retry_in) == ([Sight.PASSED], WaitFor.FINALITY, FINAL)
    assert [(read.status, read.block_number) for _, read in first.reads] == [("Processed", 40)]
    early = ask(part(DONE, sightings=[passed(FINAL - A_MOMENT)]), seen)
    assert (early.reason, early.request_id) == (WaitFor.FINALITY, None), "a request that has ended is not watched"
    assert is_green(ask(part(DONE, sightings=[passed()]), seen))


@pytest.mark.parametrize(
    ("sightings", "evidence", "waits"),
    [
        ([passed()], GONE, WaitFor.FINALITY),
        ([Sighting(Sight.PAID, NOW - FINAL)], {"paid": True}, WaitFor.FINALITY),
        ([seen_at(Sight.CHARGED, TERMS.lag, 7, payer_key=PAYER.hex)], {"payment": 8}, WaitFor.REPLAY),
    ],
    ids=["passed", "paid", "charged"],
)
def test_the_time_between_two_looks_ends_when_the_read_of_the_second_began(sightings, evidence, waits):
    looked = part(copy(), sightings=sightings)
    assert ask(looked, facts(**evidence, began=NOW - A_MOMENT)).reason is waits
    assert not isinstance(ask(looked, facts(**evidence)), Wait)


@pytest.mark.parametrize(
    "stored", [{}, {"status": "Rejected"}, {**SHOWN, "block_number": 39}, {**SHOWN, "block_number": None}]
)
def test_4_a_request_that_is_first_called_processed_by_this_look_starts_the_wait_again(stored):
    """A gateway may call a request Processed before it is judged, and a fork may execute it in another block."""
    move = judged(copy(send(**stored)), request=PROCESSED_TOLD, paid=True)
    assert (kinds(move), [read.block_number for _, read in move.reads]) == ([Sight.PASSED], [40])


@pytest.mark.parametrize(
    ("stored", "now", "read"), [(SHOWN, PENDING, ["Pending"]), ({}, PENDING, []), (SHOWN, None, [])]
)
def test_4_a_stored_processed_that_the_first_look_does_not_repeat_is_erased(stored, now, read):
    move = ask(part(copy(send(**stored))), facts(**GONE, request=now and told(now)))
    assert (kinds(move), [one.status for _, one in move.reads]) == ([Sight.PASSED], read)


def test_4_a_look_of_another_network_whose_gateway_names_no_block_does_not_start_the_wait_again():
    """Each of two networks of a chain would void the look of the other one for ever."""
    record = part(copy(send(**SHOWN)), sightings=[passed()])
    seen = facts(**GONE, request=told(PROCESSED))
    assert is_green(ask(record, seen))
    assert ask(record, seen, me=DRIVING).reason is WaitFor.FINALITY


def test_5_the_request_of_dead_bytes_that_were_sent_to_ask_is_no_witness():
    asked_since = send(request_id="another", ago=FINAL - A_MOMENT, number=2, **SHOWN)
    shared = {"request": told(PENDING), "other": PROCESSED_TOLD, "lane": lane_of(6, 5, (rival(sends=[send()]),))}
    assert not is_green(judged(copy(send(), asked_since), **shared))
    assert is_green(judged(copy(send(), replace(asked_since, began=NOW - FINAL)), **shared))


def test_4_a_look_of_this_moment_counts_and_other_sightings_are_none():
    assert judged(look=passed(timedelta(0)), request=None).reason is WaitFor.FINALITY
    beside = part(copy(), sightings=[passed(), seen_at(Sight.FLOOR), seen_at(Sight.PASSED, nonce=4)])
    assert is_green(ask(beside, facts(**GONE, request=None)))


@pytest.mark.parametrize("seen", [seen_at(Sight.STOOD, FINAL), seen_at(Sight.PASSED, -A_MOMENT)])
def test_4_a_look_that_was_not_repeated_or_is_of_the_future_starts_again(seen):
    assert kinds(ask(part(copy(), sightings=[passed(), seen]), facts(**GONE))) == [Sight.PASSED]


def test_5_an_own_processed_request_pays_and_the_executed_copy_is_named():
    copies = copy(send(request_id="another"), number=4), replace(DONE, id=5, payment_nonce=8)
    move = judged(*copies, payment=9, request=PROCESSED_TOLD, other=REJECTED_TOLD)
    assert (move.state, move.changes["executed"], move.changes["confirmed_by"]) == (CONFIRMED, 5, "request_state")
    assert kinds(move) == [Sight.CHARGED, Sight.CHARGED, Sight.MINE]
    assert [(copy_id, read.status) for copy_id, read in move.reads] == [(5, "Processed")]


OLD = Mark(NOW - 9 * FINAL, "why", "who", copies=0)
"""A restore before the copy was signed."""


@pytest.mark.parametrize(
    ("evidence", "green"),
    [
        *(({"request": state}, True) for state in (None, told(PENDING), told(RequestStatus.NOT_FOUND), ERROR)),
        ({"lane": lane_of(6, 5, (rival(),))}, False),
        ({"lane": lane_of(6, 5, (rival(state=EMPTY),))}, False),
        ({"lane": lane_of(6, 5, (rival(seen_at(Sight.NOT_MINE, nonce=4)),))}, False),
        ({"lane": lane_of(6, 5, (rival(seen_at(Sight.WAIVED)),))}, False),
        ({"lane": lane_of(6, 5, (rival(seen_at(Sight.NOT_MINE)),))}, True),
        ({"staking": 7, "payment": 7, "lane": lane_of(6, 5, next_signed=True)}, True),
        ({"staking": 7, "payment": 7, "lane": lane_of(6, 5)}, False),
        ({"payment": 7, "lane": lane_of(6, 3, before_signed=True)}, True),
        ({"payment": 7, "lane": lane_of(6, 3)}, False),
        ({"payment": 7, "lane": lane_of(6, 5, unknown=True)}, False),
        ({"mark": OLD, "floor": 4}, True),
        ({"mark": OLD, "floor": 5}, False),
        ({"mark": OLD, "floor": None}, False),
        ({"request": REJECTED_TOLD}, False),
        ({"request": REJECTED_TOLD, "mark": replace(OLD, copies=1), "floor": 4}, True),
    ],
)
def test_6_a_nonce_pays_when_nothing_else_could_use_it_and_not_every_send_reads_rejected(evidence, green):
    action = judged(**evidence)
    assert is_green(action) is green
    if green:
        assert (action.changes["confirmed_by"], kinds(action)[-1:]) == ("nonce", [Sight.MINE])


def test_6_the_first_nonce_of_a_user_is_a_nonce_too():
    seen = facts(staking=1, lane=lane_of(1, 0))
    seen.readings[Fact.LANE, (USER.hex, 0)] = seen.readings[Fact.LANE, (USER.hex, 5)]
    first = part(copy(send(SendAnswer.LOST), nonce=0), sightings=[passed(nonce=0)])
    assert is_green(ask(first, seen))


@pytest.mark.parametrize(("payments", "executed"), [((7, 9), 4), ((6, 7), 5)])
def test_6_of_several_copies_the_newest_whose_payment_nonce_has_passed_was_executed(payments, executed):
    copies = [copy(send(SendAnswer.LOST), number=4 + at, payment=nonce) for at, nonce in enumerate(payments)]
    assert judged(*copies).changes["executed"] == executed


def test_6_a_copy_whose_payment_nonce_passed_alone_was_not_executed():
    wasted = seen_at(Sight.CHARGED, 2 * FINAL, 8, payer_key=PAYER.hex)
    record = part(copy(number=4), copy(number=5, payment=8), sightings=[wasted, passed()])
    assert ask(record, facts(**GONE | {"payment": 9})).changes["executed"] == 4


def test_6_of_several_copies_one_was_executed_whose_payment_nonce_no_other_part_signed():
    seen = facts(**GONE | {"payment": 9})
    seen.readings[Fact.KEY_SHARED, ("testnet", PAYER.hex, 8)] = Reading(True, NOW)
    record = part(copy(number=4), copy(number=5, payment=8), sightings=[passed()])
    assert ask(record, seen).changes["executed"] == 4


@pytest.mark.parametrize(
    ("sends", "green"),
    [
        ([send(), send(SendAnswer.LOST, number=2)], True),
        ([send(), send(SendAnswer.REFUSED, ago=timedelta(0), number=2)], False),
        ([send(SendAnswer.LOST), send(SendAnswer.REFUSED, ago=timedelta(0), number=2)], True),
        ([send(), send(SendAnswer.LOST, ago=FINAL, number=2)], True),
        ([send(SendAnswer.LOST, ago=timedelta(0))], True),
    ],
    ids=["lost", "asked since", "lost, and asked since", "sent at the look", "the clock went back"],
)
def test_6_dead_bytes_that_were_sent_to_ask_are_no_send_that_may_have_paid_and_the_first_send_always_is(sends, green):
    assert is_green(judged(copy(*sends), request=REJECTED_TOLD)) is green


@pytest.mark.parametrize(("own", "state"), [(PENDING, REJECTED), (PROCESSED, SUBMITTED)])
def test_7_a_node_that_calls_the_era_unpaid_denies_the_nonce(own, state):
    early = judged(DONE, look=passed(2 * FINAL - A_MOMENT), paid=False, request=told(own, 40))
    assert isinstance(early, Wait) is (own is PENDING)
    move = judged(DONE, look=passed(2 * FINAL), paid=False, request=told(own, 40))
    assert move.state is state
    assert (kinds(move) == [Sight.CHARGED, Sight.NOT_MINE]) is (own is PENDING)
    assert (move.changes.get("hold") == Hold.CONTRADICTION.value) is (own is PROCESSED)
    assert is_green(judged(DONE, paid=False, request=told(own, 40), terms=replace(TERMS, parts=2))), (
        "of one of two calls"
    )


def test_7_a_node_that_calls_the_era_paid_confirms_a_nonce_that_is_not_shared():
    move = judged(paid=True, request=REJECTED_TOLD)
    assert (move.state, move.changes["confirmed_by"], kinds(move)) == (CONFIRMED, "node", [Sight.MINE])
    shared = judged(paid=True, lane=lane_of(6, 5, (rival(),)))
    assert (shared.state, kinds(shared)) == (EMPTY, []), (
        "something else may have paid, and the other part used the nonce"
    )
    assert judged(paid=ERROR).reason is WaitFor.REPLAY


@pytest.mark.parametrize(
    ("other", "word", "node", "state"),
    [
        (rival(seen_at(Sight.MINE)), None, None, REJECTED),
        (rival(seen_at(Sight.MINE)), None, True, REJECTED),
        (rival(passed(), sends=[SEEN_DONE]), PROCESSED_TOLD, None, REJECTED),
        (rival(passed(), sends=[SEEN_DONE]), REJECTED_TOLD, None, None),
        (rival(seen_at(Sight.WAIVED), sends=[SEEN_DONE]), PROCESSED_TOLD, None, None),
    ],
)
def test_8_another_part_that_used_the_nonce_frees_this_one_and_a_rejection_proves_nothing(other, word, node, state):
    action = judged(lane=lane_of(6, 5, (other,)), other=word, paid=node, shared=True)
    if state is None:
        assert isinstance(action, Repeat)
        return
    reason = f"era {ERA - 1} used the staking nonce"
    assert (action.state, action.changes, kinds(action)) == (state, {"hold": None, "reason": reason}, [Sight.NOT_MINE])


@pytest.mark.parametrize(
    "other",
    [
        rival(),
        rival(passed()),
        rival(sends=[SEEN_DONE]),
        rival(passed(FINAL - A_MOMENT), sends=[SEEN_DONE]),
        rival(passed(-A_MOMENT), sends=[SEEN_DONE]),
        rival(passed(), seen_at(Sight.STOOD, FINAL), sends=[SEEN_DONE]),
    ],
    ids=["new", "no state stored", "no look", "a look too late", "a look of the future", "a look that is void"],
)
def test_8_another_part_whose_request_reads_processed_is_driven_on_until_two_looks_show_it(other):
    assert judged(lane=lane_of(6, 5, (other,)), other=PROCESSED_TOLD, shared=True) == Settle(other)


SHARED = {"lane": lane_of(6, 5, (rival(),))}


def asked(*answers):
    """Sends of dead bytes after the nonce was seen passed: each an answer and how long ago."""
    first = send(SendAnswer.LOST, ago=9 * FINAL)
    return copy(first, *(send(answer, ago=ago, number=2 + at) for at, (answer, ago) in enumerate(answers)))


PAID_WORD, NO_WORD = SendAnswer.PAID, SendAnswer.LOST


@pytest.mark.parametrize(
    ("answers", "then"),
    [
        ([], Repeat),
        ([(PAID_WORD, FINAL - A_MOMENT)], Wait),
        ([(PAID_WORD, FINAL)], Repeat),
        ([(PAID_WORD, FINAL), (PAID_WORD, timedelta(0))], EMPTY),
        ([(NO_WORD, FINAL)], Repeat),
        ([(SendAnswer.REFUSED, FINAL)], Move),
        ([(SendAnswer.REFUSED, FINAL * 3)], Repeat),
        ([(PAID_WORD, FINAL * 2), (SendAnswer.REFUSED, FINAL)], Move),
    ],
)
def test_9_dead_bytes_ask_twice_whether_the_era_is_paid(answers, then):
    action = ask(part(asked(*answers), sightings=[passed(FINAL * 3)]), facts(**GONE, **SHARED))
    if then is EMPTY:
        assert (action.state, action.changes["reason"]) == (EMPTY, None)
    else:
        assert isinstance(action, then)
    if then is Move:  # 10
        assert action.changes["hold"] == Hold.CONTRADICTION.value


def test_9_the_word_is_asked_for_again_when_the_last_one_is_final():
    words = asked((PAID_WORD, 3 * A_MOMENT), (PAID_WORD, A_MOMENT))
    action = ask(part(words, sightings=[passed(FINAL * 3)]), facts(**GONE, **SHARED))
    assert action.retry_in == FINAL - A_MOMENT


def test_9_the_time_of_a_slow_answer_counts_and_not_that_of_its_question():
    slow = send(PAID_WORD, ago=2 * FINAL, number=2, answered_at=NOW - A_MOMENT)
    record = part(copy(send(SendAnswer.LOST, ago=9 * FINAL), slow), sightings=[passed(FINAL * 3)])
    assert ask(record, facts(**GONE, **SHARED)).retry_in == FINAL - A_MOMENT


def test_9_and_13_the_word_is_repeated_when_it_was_asked_for_again_and_not_when_the_answer_came():
    first, slow = send(PAID_WORD, ago=FINAL, number=2), send(PAID_WORD, ago=A_MOMENT, number=3, answered_at=NOW)
    gone = part(copy(send(SendAnswer.LOST, ago=9 * FINAL), first, slow), sightings=[passed(FINAL * 3)])
    for action in (ask(gone, facts(**GONE, **SHARED)), ask(part(copy(first, slow), state=REJECTED))):
        assert action.reason is WaitFor.FINALITY
    slow = replace(slow, began=NOW - 2 * FINAL, answered_at=NOW - A_MOMENT)
    assert ask(part(copy(slow), state=REJECTED)).retry_in == FINAL - A_MOMENT


def test_9_bytes_that_could_cost_a_fee_ask_nothing():
    unused = facts(staking=6, payment=7, **SHARED)
    doubt = ask(part(asked(), sightings=[passed()]), unused)
    assert (doubt.state, doubt.changes["hold"]) == (SUBMITTED, Hold.CONTRADICTION.value)


def test_10_doubt_is_judged_anew_and_a_person_ends_it_once():
    seen = facts(staking=6, payment=7, **SHARED)
    held = part(asked(), sightings=[passed()], hold=Hold.CONTRADICTION.value)
    assert ask(held, seen).outcome is Outcome.UNKNOWN
    assert "--again" in ask(held, seen).reason
    again = replace(TERMS, again=True)
    assert kinds(ask(held, seen, terms=again)) == [Sight.WAIVED]
    signed = part(replace(asked(), run="run"), sightings=[passed()], hold=Hold.CONTRADICTION.value)
    assert isinstance(ask(signed, seen, terms=again), Done)


def test_a_part_of_another_era_is_only_driven_on_and_its_own_runs_judge_it():
    seen, judged = facts(**GONE), part(copy(), sightings=[passed()])
    assert kinds(ask(part(copy()), seen, me=DRIVING)) == [Sight.PASSED]
    assert ask(judged, seen, me=DRIVING).reason is WaitFor.FINALITY
    over = part(copy(), sightings=[Sighting(Sight.PAID, NOW - FINAL)])
    assert ask(over, facts(paid=True), me=DRIVING).reason is WaitFor.FINALITY
    dear = replace(TERMS, max_fee_per_payout=9)
    assert ask(part(copy()), facts(fee=11), me=DRIVING, terms=dear).then.outcome is Outcome.HELD_FEE
    green = part(copy(), state=CONFIRMED, confirmed_by="none")
    assert isinstance(ask(green, me=DRIVING), Repeat)
    assert isinstance(ask(green, facts(fee=11, payment=8), me=DRIVING), Repeat)


# --- 11 to 18: the nonce stands ----------------------------------------------------------------------------------------------


def test_11_a_nonce_that_stands_makes_the_earlier_look_void():
    assert kinds(ask(part(copy(), sightings=[passed()]))) == [Sight.STOOD]


@pytest.mark.parametrize(
    ("state", "limit"),
    [
        (told(PENDING), SETTLE),
        (None, SETTLE),
        (ERROR, SETTLE),
        (told(RequestStatus.NOT_FOUND), GRACE),
        (told(RequestStatus.SENDING_FAILED), GRACE),
    ],
)
def test_12_an_accepted_payload_is_waited_for(state, limit):
    waits = ask(part(copy(send(ago=limit - A_MOMENT))), facts(request=state))
    assert (waits.reason, waits.request_id) == (WaitFor.CONFIRMATION, REQUEST)
    assert isinstance(ask(part(copy(send(ago=limit))), facts(request=state)), Repeat)


@pytest.mark.parametrize("status", [PROCESSED, FAILED_REQUEST])
def test_12_a_final_state_is_stored_and_processed_waits_for_the_nonce(status):
    move = ask(part(copy(send(ago=A_MOMENT))), facts(request=told(status, 3)))
    ((_, read),), failed = move.reads, status is FAILED_REQUEST
    assert (move.state, "reason" in move.changes) == (REJECTED if failed else SUBMITTED, failed)
    assert (read.status, read.block_number, read.rejected_at) == (
        status.value,
        3,
        NOW if status is FAILED_REQUEST else None,
    )
    known = copy(send(ago=SETTLE, status=status.value, read_at=NOW - FINAL + A_MOMENT))
    action = ask(part(known), facts(request=told(status)))
    assert action.request_id is None if status is PROCESSED else isinstance(action, Repeat)
    known = copy(send(ago=SETTLE, status=status.value, read_at=NOW - FINAL))
    assert isinstance(ask(part(known), facts(request=told(status))), Repeat)


def test_12_a_payload_whose_payment_nonce_has_passed_is_not_waited_for():
    assert kinds(ask(part(copy(send(ago=A_MOMENT))), facts(payment=8))) == [Sight.CHARGED]


@pytest.mark.parametrize(("fact", "kind"), [({"paid": True}, Sight.PAID), ({"active": ERA + 85}, Sight.EXPIRED)])
def test_13_a_word_about_the_era_ends_the_part_when_it_is_repeated(fact, kind):
    seen = facts(**fact)
    first = ask(part(copy()), seen)
    assert (kinds(first), first.then.reason) == ([kind], WaitFor.FINALITY)
    for ago in (FINAL - A_MOMENT, timedelta(0)):
        assert ask(part(copy(), sightings=[Sighting(kind, NOW - ago)]), seen).reason is WaitFor.FINALITY
    assert kinds(ask(part(copy(), sightings=[Sighting(kind, NOW + A_MOMENT)]), seen)) == [kind], "the clock went back"
    ended = ask(part(copy(), sightings=[Sighting(kind, NOW - FINAL)]), seen)
    assert ended.state is (EMPTY if kind is Sight.PAID else REJECTED)
    assert kinds(ask(part(copy(), sightings=[Sighting(kind, NOW - FINAL)]))) == [Sight.DENIED]


def test_13_an_expired_part_is_not_in_flight_and_each_look_tells_it_again():
    seen, word = facts(active=ERA + 85), [Sighting(Sight.EXPIRED, NOW - FINAL)]
    move = ask(part(copy(), sightings=word, hold=Hold.CONTRADICTION.value), seen)
    assert (move.then.outcome, move.changes) == (Outcome.EXPIRED, {"hold": None, "reason": move.then.reason})
    assert ask(part(copy(), sightings=word, state=REJECTED), seen) == move.then
    assert not isinstance(ask(part(copy()), facts(active=ERA + 84)), Move)


@pytest.mark.parametrize(("kind", "fact"), [(Sight.PAID, {"paid": ERROR}), (Sight.EXPIRED, {"active": ERROR})])
def test_13_a_word_is_not_erased_by_silence(kind, fact):
    assert ask(part(copy(), sightings=[Sighting(kind, NOW - FINAL)]), facts(**fact)).reason is WaitFor.REPLAY


@pytest.mark.parametrize(
    ("times", "node", "then"),
    [
        ([FINAL - A_MOMENT], None, Wait),
        ([FINAL], None, Repeat),
        ([FINAL, timedelta(0)], None, EMPTY),
        ([FINAL - A_MOMENT, timedelta(0)], None, Wait),
        ([FINAL, timedelta(0)], False, Move),
        ([FINAL * 2, FINAL], False, Repeat),
    ],
)
def test_13_the_gateways_word_is_asked_for_twice_and_a_node_denies_it(times, node, then):
    sends = [send(PAID_WORD, ago=ago, number=at + 1) for at, ago in enumerate(times)]
    told, again = part(copy(*sends), state=REJECTED), replace(TERMS, again=True)
    action = ask(told, facts(paid=node))
    assert node is False or ask(told, facts(paid=node), terms=again) == action
    if then is EMPTY:
        assert action.state is EMPTY
    else:
        assert isinstance(action, then)
    if then is Wait:
        assert action.retry_in == max(FINAL - times[-1], TERMS.poll_interval)
    if then is Move:
        assert action.changes["hold"] == Hold.CONTRADICTION.value
        assert isinstance(ask(told, facts(paid=node), terms=again), Repeat), "a person knows"


def test_13_another_answer_between_makes_the_gateways_word_void():
    sends = [
        send(answer, ago=ago)
        for answer, ago in ((PAID_WORD, FINAL * 2), (SendAnswer.REFUSED, FINAL), (PAID_WORD, timedelta(0)))
    ]
    numbered = [replace(one, number=at + 1) for at, one in enumerate(sends)]
    assert ask(part(copy(*numbered), state=REJECTED)).reason is WaitFor.FINALITY


def test_13_the_call_after_the_last_one_finds_nothing_left():
    until_empty = replace(TERMS, parts=None)
    last = copy(send(status="Rejected"))
    seen = facts(request=told(FAILED_REQUEST), payment=8)
    charged = [seen_at(Sight.CHARGED, FINAL, 7, payer_key=PAYER.hex)]
    assert ask(part(last, part=1, sightings=charged), seen, terms=until_empty).state is EMPTY
    assert ask(part(last, part=1, sightings=charged), seen, terms=until_empty, me=DRIVING).reason is WaitFor.FINALITY
    for ago in (FINAL - A_MOMENT, -FINAL):
        lately = [seen_at(Sight.CHARGED, ago, 7, payer_key=PAYER.hex)]
        assert ask(part(last, part=1, sightings=lately), seen, terms=until_empty).reason is WaitFor.FINALITY
    assert isinstance(ask(part(last, sightings=charged), seen, terms=until_empty), Sign)
    assert isinstance(ask(part(copy(), part=1, sightings=charged), facts(payment=8), terms=until_empty), Sign)
    assert isinstance(ask(part(last, part=1, sightings=charged), seen), Sign)
    forked = part(last, copy(send(SendAnswer.LOST), number=2, payment=8), part=1, sightings=charged)
    assert isinstance(ask(forked, facts(request=told(FAILED_REQUEST), payment=7), terms=until_empty), Sign)
    seen.readings[Fact.STAKING_NONCE, USER.hex] = Reading(5, NOW - A_MOMENT)
    assert ask(part(last, part=1, sightings=charged), seen, terms=until_empty).reason is WaitFor.FINALITY


def test_16_of_several_copies_the_newest_is_repeated():
    assert ask(part(copy(send(SendAnswer.LOST), number=4, fee=9), copy(send(SendAnswer.LOST), number=5))).copy.id == 5


def test_14_an_open_window_sends_nothing():
    wait = ask(part(copy()), facts(window=ElectionWindow.OPEN))
    assert (wait.reason, wait.abandoned) == (WaitFor.WINDOW, Outcome.HELD_WINDOW)
    asks = replace(TERMS, wait_for_closed_window=False)
    assert isinstance(ask(part(copy()), facts(window=ElectionWindow.OPEN), terms=asks), Repeat)


def test_14_an_open_window_sends_no_dead_bytes_to_ask():
    """A gateway may accept them, and call their request Processed until the window is closed."""
    dead = part(asked(), sightings=[passed(FINAL * 3)])
    assert isinstance(ask(dead, facts(**GONE, **SHARED)), Repeat)
    wait = ask(dead, facts(**GONE, **SHARED, window=ElectionWindow.OPEN))
    assert (wait.reason, wait.abandoned) == (WaitFor.WINDOW, Outcome.UNKNOWN)


def test_14_one_call_sends_once_and_reads_before_it_sends_again():
    assert ask(part(copy()), facts(sends=1)).reason is WaitFor.REPLAY
    for reason, words in (("too many calls", "too many calls"), (None, "its fate is unknown")):
        assert words in ask(part(copy(), reason=reason), facts(sends=1)).message


@pytest.mark.parametrize("run", ["run", ELSE])
@pytest.mark.parametrize("failure", [{"answer": SendAnswer.REFUSED}, {"rejected_at": NOW}], ids=["refused", "failed"])
def test_15_a_try_that_was_refused_too_often_ends(failure, run):
    sends = [send(**failure, ago=SETTLE, number=at + 1, run=run) for at in range(TERMS.max_replans + 1)]
    refused, pending = part(copy(*sends), state=UNKNOWN, reason="invalid nonce"), facts(request=None)
    action = ask(refused, pending)
    assert action == Done(Outcome.REJECTED, "invalid nonce") if run == "run" else isinstance(action, Repeat)
    assert isinstance(ask(refused, pending, me=DRIVING), Repeat)
    assert isinstance(ask(part(copy(*sends[:-1]), state=UNKNOWN), pending), Repeat)


@pytest.mark.parametrize(
    ("changed", "evidence"),
    [
        ({}, {"payment": 8, "payment_began": NOW - TERMS.lag}),
        ({}, {"fee": 11}),
        ({"payer_key": RELAYER.hex}, {}),
        ({"relayer_key": PAYER.hex}, {}),
    ],
)
def test_16_a_copy_that_can_no_longer_be_accepted_is_signed_again_with_the_same_nonce(changed, evidence):
    known = [seen_at(Sight.CHARGED, TERMS.lag, 7, payer_key=PAYER.hex)]
    seen = facts(**evidence)
    seen.readings[Fact.PAYMENT_NONCE, RELAYER.hex] = Reading(7, NOW)
    seen.readings[Fact.KEY_USED, ("testnet", RELAYER.hex, 7)] = Reading(False, NOW)
    action = ask(part(copy(**changed), sightings=known), seen)
    assert action == Sign(5, evidence.get("payment", 7), evidence.get("fee", 10), known=3)
    assert ask(part(copy()), facts()) == Repeat(copy())


def test_16_a_payment_nonce_behind_the_signed_one_is_a_late_read_for_a_while():
    assert ask(part(copy(send(SendAnswer.LOST, ago=TERMS.lag - A_MOMENT))), facts(payment=6)).reason is WaitFor.REPLAY
    assert ask(part(copy(send(SendAnswer.LOST, ago=TERMS.lag))), facts(payment=6)) == Sign(5, 6, 10, known=3)


def test_17_another_users_copy_is_only_repeated():
    foreign = part(copy(user_key=RELAYER.hex))
    seen = facts()
    seen.readings[Fact.STAKING_NONCE, RELAYER.hex] = Reading(5, NOW)
    assert isinstance(ask(foreign, seen), Repeat)
    seen.readings[Fact.PAYMENT_NONCE, PAYER.hex] = Reading(8, NOW)
    assert RELAYER.hex in ask(foreign, seen).reason
    older = part(copy(user_key=RELAYER.hex, payment=8, number=4), copy(user_key=RELAYER.hex, number=5))
    assert ask(older, seen).copy.id == 4, "that can be accepted"
    assert isinstance(ask(foreign, seen, me=DRIVING), Repeat), "dead bytes, until others may pass"
    dead = part(copy(user_key=RELAYER.hex, number=4), copy(user_key=RELAYER.hex, number=5))
    assert ask(dead, seen, me=DRIVING).copy.id == 5


def test_18_each_payment_nonce_is_seen_once():
    both = part(copy(number=4, payment=6), copy(number=5))
    one = [seen_at(Sight.CHARGED, FINAL, 6, payer_key=PAYER.hex)]
    assert [seen.nonce for seen in ask(both, facts(payment=8)).sightings] == [6, 7]
    assert [seen.nonce for seen in ask(replace(both, sightings=tuple(one)), facts(payment=8)).sightings] == [7]
    now = [seen_at(Sight.CHARGED, timedelta(0), 7, payer_key=PAYER.hex)]
    assert ask(part(copy(), sightings=now), facts(payment=8)).reason is WaitFor.REPLAY


def test_18_after_a_payment_nonce_passed_alone_the_staking_nonce_is_read_again():
    assert kinds(ask(part(copy()), facts(payment=8))) == [Sight.CHARGED]
    early = [seen_at(Sight.CHARGED, TERMS.lag - A_MOMENT, 7, payer_key=PAYER.hex)]
    assert ask(part(copy(), sightings=early), facts(payment=8)).reason is WaitFor.REPLAY
    assert ask(part(copy()), facts(payment=8, shared=True)) == Sign(5, 8, 10, known=3), "another part was charged"


# --- 19 to 31: before a signature ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("evidence", "outcome"),
    [({"automatic": True}, Outcome.UNSUPPORTED), ({"active": ERA + 85}, Outcome.EXPIRED)],
)
def test_19_an_era_that_cannot_be_paid_has_its_outcome(evidence, outcome):
    assert ask(part(state=PLANNED), facts(**evidence)).outcome is outcome
    assert isinstance(ask(part(state=PLANNED), facts(active=ERA + 84)), Sign)


def test_19_an_era_that_has_not_ended_is_waited_for_and_a_later_one_is_refused():
    assert ask(part(state=PLANNED), facts(active=ERA)).reason is WaitFor.ERA
    assert isinstance(ask(part(state=PLANNED), facts(active=ERA - 1)).error, InvalidEra)
    assert ask(part(state=PLANNED), facts(active=ERROR)) == Raise(ERROR)


def test_20_a_node_that_calls_the_era_paid_leaves_nothing():
    assert ask(part(state=PLANNED), facts(paid=True)).state is EMPTY


RESTORED = Mark(NOW - FINAL, "why", "who", copies=0)


def test_21_after_a_restore_an_era_of_several_calls_waits_for_a_word():
    several = replace(TERMS, parts=2)
    held = ask(part(state=PLANNED), facts(floor=5), terms=several, mark=RESTORED)
    assert (held.state, held.then.outcome) == (HELD, Outcome.REJECTED)
    assert (
        ask(part(state=HELD, hold=Hold.CONTRADICTION.value), facts(floor=5), terms=several, mark=RESTORED) == held.then
    )
    for action in (
        ask(part(state=PLANNED), facts(floor=5), mark=RESTORED),
        ask(part(state=PLANNED), facts(floor=5, paid=False), terms=several, mark=RESTORED),
        ask(part(state=PLANNED), facts(floor=5), terms=replace(several, again=True), mark=RESTORED),
        ask(part(state=PLANNED), terms=several),
    ):
        assert isinstance(action, Sign)
    for start, signs in ((RESTORED.at, False), (RESTORED.at + A_MOMENT, True)):
        calendar = EraCalendar((EraAnchor(ERA + 1, start, timedelta(days=1)),))
        action = ask(part(state=PLANNED), facts(floor=5), terms=replace(several, calendar=calendar), mark=RESTORED)
        assert isinstance(action, Sign) is signs
        late = EraCalendar((EraAnchor(ERA, start, timedelta(days=1)),))  # the chain is an era ahead of it
        action = ask(part(state=PLANNED), facts(floor=5), terms=replace(several, calendar=late), mark=RESTORED)
        assert action == held


def test_22_a_try_has_a_number_of_signatures():
    signed = [copy(number=at, nonce=1, run="run") for at in range(TERMS.max_replans + 1)]
    used = part(*signed, sightings=[seen_at(Sight.NOT_MINE, nonce=1)], state=REJECTED, reason="why", hold=None)
    assert ask(used) == Done(Outcome.REJECTED, "why")
    assert isinstance(ask(replace(used, copies=tuple(signed[1:]))), Sign)
    assert isinstance(ask(used, me=replace(ME, try_number=2)), Sign)


def test_23_after_a_restore_nothing_is_signed_for_a_while_and_then_the_nonce_is_noted():
    early = replace(RESTORED, at=NOW - FINAL + A_MOMENT)
    assert ask(part(state=PLANNED), mark=early).reason is WaitFor.FINALITY
    assert ask(part(state=PLANNED), facts(began=NOW - A_MOMENT), mark=RESTORED).reason is WaitFor.FINALITY
    noted = ask(part(state=PLANNED), mark=RESTORED)
    assert [(one.kind, one.nonce) for one in noted.sightings] == [(Sight.FLOOR, 5)]
    assert isinstance(ask(part(state=PLANNED), facts(floor=5), mark=RESTORED), Sign)


@pytest.mark.parametrize(
    ("lane", "waits"),
    [
        (lane_of(None), False),
        (lane_of(4, since=NOW), False),
        (lane_of(5, since=NOW), True),
        (lane_of(6, since=NOW - FINAL + A_MOMENT), True),
        (lane_of(6, since=NOW - FINAL), False),
        (lane_of(6, since=NOW + FINAL), True),
        (lane_of(6, 4, (rival(seen_at(Sight.MINE)),), since=NOW - FINAL), True),
        (lane_of(5, 4, (rival(seen_at(Sight.NOT_MINE)),), since=NOW - FINAL), True),
    ],
)
def test_24_a_staking_nonce_that_was_used_is_not_signed_and_a_skipped_one_is(lane, waits):
    action = ask(part(state=PLANNED), facts(lane=lane))
    assert isinstance(action, Wait if waits else Sign)
    other = rival(seen_at(Sight.PASSED))
    assert ask(part(state=PLANNED), facts(lane=lane_of(6, 5, (other,), since=NOW))) == Settle(other), "it looks again"
    assert isinstance(ask(part(state=PLANNED), facts(lane=lane_of(6, since=NOW - FINAL), began=NOW - A_MOMENT)), Wait)
    own = part(copy(), sightings=[seen_at(Sight.NOT_MINE)], state=REJECTED)
    assert isinstance(ask(own, facts(lane=lane_of(7, 4, since=NOW - FINAL))), Wait)


@pytest.mark.parametrize(
    ("evidence", "then"),
    [
        ({}, Sign),
        ({"payment": 8}, Done),
        ({"staking": 6, "lane": lane_of(6)}, Done),
        ({"staking": 4, "lane": lane_of(None)}, Wait),
    ],
)
def test_25_ready_made_proofs_end_when_their_nonces_have_passed(evidence, then):
    seen = facts(**evidence)
    seen.readings[Fact.LANE, (USER.hex, 4)] = Reading(lane_of(None), NOW)
    action = ask(part(state=PLANNED), seen, me=replace(ME, given=GIVEN))
    assert isinstance(action, then)
    if then is Sign:
        assert action == Sign(5, 7, 10, known=3)
    if then is Done:
        assert "supply new proofs" in action.reason


def test_25_ready_made_proofs_are_for_the_nonce_that_their_signature_shows_or_for_none():
    unknown = replace(ME, given=replace(GIVEN, staking_nonce=None))
    assert "fit no staking nonce near 5" in ask(part(state=PLANNED), me=unknown).reason
    for nonce, then in ((4, Done), (5, Sign), (6, Wait)):
        proxy = ALICE.sign(MessageKind.PAYOUT, payout_message(RELAYER, ERA, nonce))
        shown = replace(ME, given=replace(GIVEN, proxy_signature=proxy, staking_nonce=5))
        action = ask(part(state=PLANNED), me=shown, terms=replace(TERMS, user=ALICE.account))
        assert isinstance(action, then), nonce
    assert isinstance(ask(part(copy()), facts(fee=11), me=replace(DRIVING, given=GIVEN)), Repeat)


def test_25_ready_made_proofs_are_for_nonce_0_of_a_new_user():
    proxy = ALICE.sign(MessageKind.PAYOUT, payout_message(RELAYER, ERA, 0))
    shown = replace(ME, given=replace(GIVEN, proxy_signature=proxy, staking_nonce=None))
    seen = facts(staking=0, lane=lane_of(None, None))
    assert ask(part(state=PLANNED), seen, me=shown, terms=replace(TERMS, user=ALICE.account)) == Sign(0, 7, 10, known=3)


def test_25_ready_made_proofs_pay_once():
    mine = copy(proxy_signature=GIVEN.proxy_signature, fee_payment_signature=GIVEN.fee_payment_signature)
    used = part(mine, sightings=[seen_at(Sight.NOT_MINE)], state=REJECTED)
    assert ask(used, me=replace(ME, given=GIVEN)).outcome is Outcome.REJECTED
    assert isinstance(ask(part(mine), me=replace(ME, given=GIVEN)), Repeat)
    assert ask(part(mine), facts(payment=8), me=replace(ME, given=GIVEN)).outcome is Outcome.REJECTED
    assert "another part has them" in ask(part(state=PLANNED), me=replace(ME, given=GIVEN, spent=True)).reason


@pytest.mark.parametrize(
    ("other", "first"),
    [
        (rival(), True),
        (rival(state=EMPTY), False),
        (rival(state=CONFIRMED, confirmed_by="none"), True),
        (rival(state=HELD, hold=Hold.CHARGED.value), False),
        (rival(state=HELD, hold=Hold.WINDOW.value), True),
        (rival(sends=[send(SendAnswer.REFUSED, ago=FINAL)]), False),
        (rival(sends=[send(SendAnswer.REFUSED, ago=FINAL - A_MOMENT)]), True),
        (rival(sends=[send(rejected_at=NOW - FINAL)]), False),
        (rival(sends=[send(SendAnswer.LOST, ago=FINAL)]), True),
        (rival(sends=[send(ago=FINAL * 2), send(ago=FINAL), send(ago=FINAL - A_MOMENT)]), True),
        (rival(sends=[send(answer, ago=FINAL) for answer in (None, SendAnswer.LOST, SendAnswer.ACCEPTED)]), False),
        (rival(sends=[send(answer, ago=FINAL) for answer in (SendAnswer.DOOR, SendAnswer.WINDOW, None)]), True),
        (rival(Sighting(Sight.EXPIRED, NOW - FINAL)), False),
        (rival(Sighting(Sight.EXPIRED, NOW - FINAL), Sighting(Sight.DENIED, NOW)), True),
    ],
)
def test_26_another_part_with_the_same_nonce_goes_first(other, first):
    action = ask(part(state=PLANNED), facts(lane=lane_of(5, 5, (other,))))
    assert action == Settle(other) if first else isinstance(action, Sign)


def test_26_a_part_that_can_no_longer_be_paid_hides_no_other():
    assert ask(part(state=PLANNED), facts(lane=lane_of(5, 5, (rival(state=EMPTY), rival())))) == Settle(rival())


@pytest.mark.parametrize(("payment", "first"), [(7, True), (8, False)])
def test_26_a_part_of_another_network_is_passed_by_once_its_bytes_cannot_be_accepted(payment, first):
    other = rival(network="other")
    action = ask(part(state=PLANNED), facts(lane=lane_of(5, 5, (other,)), payment=payment))
    assert action == Settle(other) if first else isinstance(action, Sign)


def test_26_of_two_parts_with_the_same_nonce_the_first_goes_first():
    other = rival()
    seen = facts(lane=lane_of(5, 5, (other,)), fee=11)
    assert isinstance(ask(part(copy(number=8)), seen), Sign)
    assert ask(part(copy(number=10)), seen) == Settle(other)


def test_27_another_user_of_the_payer_is_waited_for_but_not_by_a_part_that_signs_again():
    other = rival(user_key=RELAYER.hex)
    assert ask(part(state=PLANNED), facts(busy=other)).reason is WaitFor.LANE
    assert isinstance(ask(part(copy()), facts(busy=other, fee=11)), Sign)


def test_28_a_part_costs_a_number_of_fees_for_nothing():
    keys = [copy(send(SendAnswer.LOST), number=at, payment=8 + at) for at in range(TERMS.max_fees_for_nothing)]
    spent = part(*keys, state=UNKNOWN, reason="why")
    held = ask(spent)
    assert held.changes["reason"] == "2 fees may be charged, and nothing was paid: why"
    assert (held.state, held.changes["hold"], held.then.outcome) == (HELD, Hold.CHARGED.value, Outcome.REJECTED)
    again = ask(replace(spent, state=HELD, **held.changes))
    assert again == held.then, "its reason is not told twice"
    assert isinstance(ask(spent, facts(used=True)), Sign), "the payment nonces were used for another part's payout"
    assert isinstance(ask(spent, terms=replace(TERMS, again=True)), Sign)
    assert isinstance(ask(replace(spent, copies=tuple(keys[1:]))), Sign)


@pytest.mark.parametrize(
    ("limits", "spent", "held"),
    [
        ({"max_fee_per_payout": 9}, Spent(), True),
        ({"max_fee_per_payout": 10}, Spent(), False),
        ({"max_fee_per_payout": 10}, Spent(key=11), False),
        ({"max_fee_per_day": 20}, Spent(day=11), True),
        ({"max_fee_per_day": 20}, Spent(day=10), False),
        ({"max_fee_per_day": 20}, Spent(day=11, key=10), False),
        ({"max_fee_per_run": 20}, Spent(run=11), True),
        ({"max_fee_per_run": 20}, Spent(run=10), False),
        ({"max_fee_per_run": 20}, Spent(run=11, key=10, key_of_run=10), False),
        ({"needs_limits": True, "max_fee_per_day": None}, Spent(), True),
        ({"max_fee_per_payout": 9, "max_fee_per_day": None}, Spent(), True),
    ],
)
def test_29_nothing_is_signed_above_a_limit(limits, spent, held):
    terms = replace(TERMS, **limits)
    action = ask(part(state=PLANNED), facts(spent=spent), terms=terms)
    if not held:
        assert action == Sign(5, 7, 10, known=3)
        return
    assert (action.state, action.then.outcome) == (HELD, Outcome.HELD_FEE)
    assert action.changes["hold"] == ("limit" if "needs_limits" in limits else "fee")
    assert "the fee" in action.changes["reason"]
    held_part = part(state=HELD, hold=action.changes["hold"])
    assert ask(held_part, facts(spent=spent), terms=terms) == action.then


def test_29_ready_made_proofs_are_limited_by_the_gateways_fee_or_their_own():
    given = replace(ME, given=GIVEN)
    assert ask(part(state=PLANNED), facts(fee=101), me=given).then.outcome is Outcome.HELD_FEE
    dear = replace(ME, given=replace(GIVEN, relayer_fee=101))
    assert ask(part(state=PLANNED), me=dear).then.outcome is Outcome.HELD_FEE
    assert ask(part(state=PLANNED), facts(fee=None), me=given).outcome is Outcome.HELD_FEE
    unlimited = replace(TERMS, max_fee_per_payout=None, max_fee_per_day=None)
    assert ask(part(state=PLANNED), facts(fee=None), me=given, terms=unlimited) == Sign(5, 7, None, known=3)


@pytest.mark.parametrize("missing", ["staking", "payment", "fee"])
def test_30_without_nonces_and_fees_only_ready_made_proofs_are_sent(missing):
    assert ask(part(state=PLANNED), facts(**{missing: None})).outcome is Outcome.UNSUPPORTED


def test_30_an_open_window_holds_the_part():
    held = ask(part(state=PLANNED), facts(window=ElectionWindow.OPEN))
    assert (held.state, held.changes["hold"], held.then.abandoned) == (HELD, Hold.WINDOW.value, Outcome.HELD_WINDOW)
    assert isinstance(ask(part(state=HELD, hold=Hold.WINDOW.value), facts(window=ElectionWindow.OPEN)), Wait)


def test_31_without_nonces_processed_counts_at_two_looks_and_a_failed_request_ends_the_proofs():
    blind = {"staking": None, "payment": None}
    first = ask(part(copy()), facts(**blind, request=told(PROCESSED, 40)))
    assert (kinds(first), first.then.reason) == ([Sight.PASSED], WaitFor.FINALITY)
    assert is_green(ask(part(DONE, sightings=[passed()]), facts(**blind, request=told(PROCESSED, 40))))
    assert kinds(ask(part(copy(), sightings=[passed()]), facts(**blind))) == [Sight.STOOD]
    failed = copy(send(status="Rejected"))
    assert ask(part(failed), facts(**blind, request=told(FAILED_REQUEST))).outcome is Outcome.REJECTED
    assert ask(part(copy()), facts(**blind, request=None)).outcome is Outcome.UNKNOWN
    assert kinds(ask(part(copy()), facts(**blind, request=None, paid=True))) == [Sight.PAID], "a node is asked"
    assert isinstance(ask(part(copy()), facts(**blind, request=told(PENDING))), Repeat)
    assert isinstance(ask(part(copy(send(SendAnswer.LOST))), facts(**blind)), Repeat)


def test_31_without_nonces_what_another_part_used_is_neither_waited_for_nor_sent():
    blind = facts(staking=None, payment=None, lane=lane_of(5, 5, (rival(seen_at(Sight.MINE)),)))
    assert kinds(ask(part(copy()), blind)) == [Sight.NOT_MINE]
    refused = ask(part(state=PLANNED), blind, me=replace(ME, given=GIVEN))
    assert refused == Done(Outcome.REJECTED, "staking nonce 5 was used already; supply new proofs")


# --- answers ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "once", "more", "then"),
    [
        (SendAnswer.ACCEPTED, SUBMITTED, SUBMITTED, None),
        (SendAnswer.LOST, UNKNOWN, UNKNOWN, None),
        (SendAnswer.REFUSED, REJECTED, UNKNOWN, None),
        (SendAnswer.PAID, REJECTED, UNKNOWN, None),
        (SendAnswer.DOOR, PLANNED, UNKNOWN, Raise),
        (SendAnswer.WINDOW, HELD, HELD, Wait),
        (SendAnswer.NO_METHOD, HELD, HELD, Done),
    ],
)
def test_an_answer_makes_a_state(kind, once, more, then):
    result = SendResult(kind, "text", error=ERROR)
    for sends, state in (((send(None),), once), ((send(None), send(None, number=2)), more)):
        record = part(copy(*sends), state=SIGNED)
        move = after_send(record, Copies(record), result, TERMS)
        assert (move.state, move.changes["reason"]) == (state, None if kind is SendAnswer.ACCEPTED else "text")
        assert isinstance(move.then, then) if then else move.then is None


@pytest.mark.parametrize("record", [part(copy(), state=CONFIRMED), part(copy(), state=UNKNOWN, sightings=[passed()])])
def test_an_answer_about_dead_bytes_changes_no_state(record):
    move = after_send(record, Copies(record), SendResult(SendAnswer.REFUSED, "text", error=ERROR), TERMS)
    assert (move.state, move.changes, move.then) == (record.state, {}, None)


# --- the invariant ---------------------------------------------------------------------------------------------------------

FIRST, SECOND = copy(number=1), copy(send(number=2), number=2, payment=8)
NEXT = replace(SECOND, staking_nonce=6)
SOUND = [
    part(state=PLANNED),
    part(FIRST, SECOND),
    part(copy(send(), send(number=3)), SECOND),
    part(copy(nonce=None), replace(SECOND, staking_nonce=None, user_key=PAYER.hex), copy(send(number=3), number=3)),
    part(FIRST, NEXT, sightings=[seen_at(Sight.NOT_MINE)]),
    part(FIRST, NEXT, sightings=[seen_at(Sight.WAIVED)]),
    part(FIRST, replace(SECOND, user_key=PAYER.hex), sightings=[seen_at(Sight.NOT_MINE)]),
    part(FIRST, NEXT, state=CONFIRMED, executed=1, sightings=[seen_at(Sight.WAIVED), seen_at(Sight.MINE, nonce=6)]),
    part(FIRST, SECOND, state=CONFIRMED, executed=2, sightings=[seen_at(Sight.MINE), seen_at(Sight.MINE)]),
    part(copy(send(None)), state=CONFIRMED, confirmed_by="none", sightings=[seen_at(Sight.MINE, nonce=None)]),
]
BROKEN = {
    "its sends are not numbered from 1": part(SECOND),
    "its sends are not numbered": part(FIRST, replace(SECOND, sends=FIRST.sends)),
    "copy 1 has no send": part(replace(FIRST, sends=())),
    "a send of copy 1 has a request, and was not accepted": part(copy(send(SendAnswer.LOST, request_id=REQUEST))),
    "its executed copy 3 is missing": part(FIRST, SECOND, executed=3),
    "it is CONFIRMED without an executed copy": part(FIRST, state=CONFIRMED, confirmed_by="nonce"),
    "staking nonce 5 is called its own and another's": part(
        FIRST, sightings=[seen_at(Sight.MINE), seen_at(Sight.NOT_MINE), seen_at(Sight.NOT_MINE, nonce=4)]
    ),
    r"more than one of its staking nonces was executed \(5, 6\)": part(
        FIRST, sightings=[seen_at(Sight.MINE), seen_at(Sight.MINE, nonce=6)]
    ),
    "staking nonce 5 was signed while 5 may be its own": part(FIRST, replace(SECOND, user_key=PAYER.hex)),
    "staking nonce 5 was signed while 5 may be its": part(
        FIRST, replace(SECOND, chain="another"), sightings=[seen_at(Sight.NOT_MINE)]
    ),
    "staking nonce 6 was signed while 5 may be its own": part(FIRST, NEXT, sightings=[seen_at(Sight.PASSED)]),
    "staking nonce 6 was signed while 5 may be": part(
        copy(send(number=3), number=3, nonce=None), FIRST, NEXT, sightings=[seen_at(Sight.NOT_MINE, nonce=4)]
    ),
}


def test_a_copy_of_a_known_staking_nonce_takes_the_place_of_one_of_an_unknown_nonce():
    assert Copies(part(copy(nonce=None), SECOND)).open == (SECOND,)


def test_a_part_is_in_flight_until_it_is_settled_or_each_of_its_nonces_is_judged():
    over = part(copy(), sightings=[seen_at(Sight.NOT_MINE)], state=REJECTED)
    assert [in_flight(one) for one in (part(copy()), over, part(copy(), state=EMPTY))] == [True, False, False]


@pytest.mark.parametrize("before", SOUND)
def test_a_write_between_sound_records_is_allowed_and_a_settled_part_gets_no_more_copies(before):
    check(before, before)
    if before.state.settled:
        more = replace(before.copies[-1], id=9, sends=(send(number=len(before.copies) + 1),))
        with pytest.raises(InvariantBroken, match="a payload was to be signed, and the part is CONFIRMED"):
            check(before, replace(before, copies=(*before.copies, more)))


@pytest.mark.parametrize("rule", BROKEN)
def test_a_write_from_or_to_a_record_that_contradicts_itself_is_refused_by_name(rule):
    broken = BROKEN[rule]
    named = ", ".join(str(one.id) for one in broken.copies)
    for records in ((broken, SOUND[0]), (SOUND[0], broken)):
        with pytest.raises(InvariantBroken, match=rf"era {ERA} part 0 \(copies: {named}\): {rule}"):
            check(*records)
