"""What all copies of a chain tell: nonces of users, keys of payers and their fees; when nothing may be signed; the invariant."""

from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from functools import partial
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from staking_gateway import eras
from staking_gateway.errors import LedgerConflict
from staking_gateway.ledger import Actor, Ledger, PayoutState
from staking_gateway.ledger.database import NotGranted
from staking_gateway.ledger.invariant import InvariantBroken
from staking_gateway.ledger.records import Sight, Sighting
from staking_gateway.ledger.standing import LedgerStopped
from staking_gateway.payout.fee_limits import Spent, above_limit, missing_limit, read_spent
from staking_gateway.payout.terms import PayoutTerms
from staking_gateway.types import NonceKind
from tests.support.ledgers import NETWORK, NOW, PAYER, RUN, USER, account, answered, connected, judged, planned, signed

DAY, TODAY = timedelta(days=1), NOW.replace(hour=0, minute=0, second=0, microsecond=0)


def look(ledger, payout, *kinds, nonce=None, **fields):
    nonce = payout.last.staking_nonce if nonce is None else nonce
    fields = {"user_key": payout.user_key} | fields
    seen = [Sighting(kind, NOW, nonce, **fields) for kind in kinds]
    return ledger.transition(payout, payout.state, "a look", RUN, sightings=seen)


def test_parts_of_all_networks_of_a_chain_share_the_lane_of_their_user(ledger):
    first = signed(ledger, planned(ledger, 1), chain="a chain", staking_nonce=7)
    second = signed(ledger, planned(ledger, 2, network="other"), chain="a chain", staking_nonce=7)
    for fields in ({"user_key": account(9).hex}, {"chain": "another"}, {"staking_nonce": 70}):
        signed(ledger, planned(ledger, 3, network=str(fields)), **{"chain": "a chain", "staking_nonce": 7, **fields})
    assert ledger.lane("a chain", USER.hex, 7) == [first, second]
    assert ledger.lane("a chain", USER.hex, 8) == []


def test_the_lowest_and_the_highest_signed_nonce_and_when_the_highest_was_signed_first(ledger):
    assert ledger.signed_nonces(NETWORK, USER.hex) == (None, None, None)
    signed(ledger, planned(ledger, 1), staking_nonce=None)
    assert ledger.signed_nonces(NETWORK, USER.hex) == (None, None, None)
    for era, (nonce, hours) in enumerate(((9, 0), (10, 2), (10, 1), (10, 3))):
        signed(ledger, planned(ledger, 10 + era), staking_nonce=nonce, signed_at=NOW + timedelta(hours=hours))
    found = 9, 10, NOW + timedelta(hours=1)
    assert ledger.signed_nonces(NETWORK, USER.hex) == found, "as a number, not as text"
    assert ledger.signed_nonces(NETWORK, account(9).hex) == ledger.signed_nonces("other", USER.hex) == (None,) * 3
    assert ledger.highest_nonces(NETWORK, user_key=USER.hex, payer_key=PAYER.hex) == (10, 13)


def test_a_copy_of_an_unknown_nonce_may_use_any_nonce_until_it_is_known_whether_it_was_executed(ledger):
    other = planned(ledger, 1)
    parts = [signed(ledger, planned(ledger, era), staking_nonce=None) for era in (2, 3, 4)]
    for part, kind in zip(parts, (Sight.MINE, Sight.NOT_MINE, Sight.WAIVED), strict=True):
        assert ledger.unknown_nonce(NETWORK, USER.hex, excluding=other)
        look(ledger, part, kind)
    assert ledger.unknown_nonce(NETWORK, USER.hex, excluding=other), "a person knows nothing about other parts"
    assert not ledger.unknown_nonce(NETWORK, USER.hex, excluding=parts[2])
    assert not ledger.unknown_nonce("other", USER.hex, excluding=other)
    assert not ledger.unknown_nonce(NETWORK, account(9).hex, excluding=other)


def test_a_part_is_in_flight_until_it_is_settled_or_its_staking_nonce_is_judged(ledger):
    planned(ledger, 2)
    judged(ledger, signed(ledger, planned(ledger, 3)), PayoutState.REJECTED)
    judged(ledger, signed(ledger, planned(ledger, 4)))
    assert ledger.busy_chain(NETWORK) is None
    ledger.transition(signed(ledger, planned(ledger, 5), staking_nonce=None), PayoutState.HELD, "", RUN)
    signed(ledger, planned(ledger, 6, network="other"), chain="a chain")
    signed(ledger, planned(ledger, 1, network="third"), chain="its chain")
    planned(ledger, 7, network="never signed")
    busy = [ledger.busy_chain(network) for network in (NETWORK, "other", "third", "never signed", "none")]
    assert busy == [NETWORK, "a chain", "its chain", None, None]


def test_the_lanes_in_flight_of_a_user_are_those_whose_copies_may_execute_at_its_nonce(ledger):
    for era, chain, user, nonce in (
        (1, "a", USER, 7),
        (2, "b", USER, 8),
        (3, "c", USER, None),
        (4, "d", account(9), 7),
    ):
        signed(ledger, planned(ledger, era, network=chain), chain=chain, user_key=user.hex, staking_nonce=nonce)
    look(ledger, ledger.payout("a", 1, 0), Sight.MINE)
    signed(ledger, planned(ledger, 5, network="e"), chain="e", staking_nonce=7)
    lanes = [{chain for chain, _ in ledger.lanes_in_flight(USER.hex, nonce)} for nonce in (None, 7, 8, 9)]
    assert lanes == [{*"bce"}, {*"bce"}, {*"bc"}, {"c"}]


def test_nonces_on_record_leave_out_those_that_something_else_used(ledger):
    judged(ledger, signed(ledger, planned(ledger, 9), payment_nonce=10), PayoutState.REJECTED)
    signed(ledger, planned(ledger, 10, network="other"), chain=NETWORK)
    assert ledger.nonces_on_record(NETWORK, USER, NonceKind.STAKING) == [(10, "other", 10)]
    assert ledger.nonces_on_record(NETWORK, PAYER, NonceKind.PAYMENT) == [(10, "other", 10), (10, NETWORK, 9)]


def test_the_copies_of_a_key_are_told_oldest_first_each_with_its_part(ledger):
    early, late = planned(ledger, 1), planned(ledger, 2)
    second = signed(ledger, late, payment_nonce=7)
    first = signed(ledger, early, payment_nonce=7)
    signed(ledger, planned(ledger, 3), payment_nonce=70)
    assert ledger.copies_of((NETWORK, PAYER.hex, 7)) == [(second, second.last), (first, first.last)]
    for other in (("other", PAYER.hex, 7), (NETWORK, USER.hex, 7), (NETWORK, PAYER.hex, 8)):
        assert ledger.copies_of(other) == []


def test_a_request_is_counted_in_all_parts_of_its_chain(ledger):
    for era in (1, 2):
        answered(ledger, signed(ledger, planned(ledger, era)), request_id="the same")
    answered(ledger, signed(ledger, planned(ledger, 3, network="other")), request_id="the same")
    assert [ledger.request_ids(NETWORK, request) for request in ("the same", "another")] == [2, 0]


def test_a_fee_belongs_to_the_day_of_its_first_signature_also_when_the_clock_went_back(ledger):
    payout = signed(ledger, planned(ledger, 1), fee=5, payment_nonce=7)
    signed(ledger, payout, fee=4, payment_nonce=7, signed_at=NOW - DAY)
    assert [ledger.committed(NETWORK, day=day) for day in (TODAY - DAY, TODAY)] == [0, 5]


def test_a_fee_is_committed_once_for_its_key_at_its_highest_on_the_day_of_its_first_signature(ledger):
    """No refusal and no end of a part gives it back; ready-made proofs whose fee is unknown count nothing."""
    payout = signed(ledger, planned(ledger, 1), fee=5, payment_nonce=7, signed_at=NOW - DAY, run="yesterday's run")
    payout = signed(ledger, payout, staking_nonce=1, fee=9, payment_nonce=7)
    payout = signed(ledger, payout, staking_nonce=1, fee=100, payment_nonce=8)
    judged(ledger, payout, PayoutState.REJECTED)
    signed(ledger, planned(ledger, 2), fee=None, payment_nonce=10)
    signed(ledger, planned(ledger, 3, network="other"), chain=NETWORK, fee=11, payment_nonce=8)
    key = NETWORK, PAYER.hex, 8
    assert ledger.committed(NETWORK) == 9 + 11 + 0 + 100 - 11
    assert [ledger.committed(NETWORK, day=TODAY + number * DAY) for number in (-2, -1, 0, 1)] == [0, 9, 100, 0]
    assert [ledger.committed(NETWORK, run=run) for run in ("yesterday's run", RUN.run, "no")] == [5, 109, 0]
    assert ledger.committed(NETWORK, day=TODAY, excluding=key) == ledger.committed("none") == 0
    assert ledger.committed("other", day=TODAY) == 11, "its own signatures"


def test_the_fees_spent_are_read_for_the_limits_that_are_set_on_the_day_of_the_keys_first_signature(ledger):
    for era, at, run in ((1, NOW - DAY, "old"), (2, NOW - DAY, "old"), (3, NOW, "run"), (4, TODAY, "else")):
        signed(ledger, planned(ledger, era), fee=10 ** (era - 1), signed_at=at, run=run)
    signed(ledger, planned(ledger, 5), fee=1, signed_at=NOW, run="else", payment_nonce=1)  # again, a day later
    terms = PayoutTerms(NETWORK, account(3), USER, PAYER)
    both = replace(terms, max_fee_per_day=9, max_fee_per_run=9)
    spent = partial(read_spent, ledger, run="run", now=NOW)
    assert spent(terms) == Spent(day=0, run=0, key=0) == Spent()
    assert spent(both) == Spent(day=1100, run=100)
    for payment, found in ((1, Spent(10, 100, 1)), (3, Spent(1000, 0, 100, 100)), (9, Spent(1100, 100, 0))):
        assert spent(both, key=(NETWORK, PAYER.hex, payment)) == found


@pytest.mark.parametrize(
    ("fee", "name"), [(5, None), (6, "max_fee_per_run"), (7, "max_fee_per_day"), (8, "max_fee_per_payout")]
)
def test_the_limit_that_a_fee_exceeds_is_named_with_what_was_spent(fee, name):
    terms = PayoutTerms(NETWORK, account(3), USER, PAYER, max_fee_per_payout=7, max_fee_per_day=16, max_fee_per_run=25)
    found = above_limit(fee, Spent(day=10, run=20), terms)
    assert found is None if name is None else all(word in found for word in (name, str(fee), str(getattr(terms, name))))


@pytest.mark.parametrize(
    ("limits", "missing"),
    [
        ({}, "max_fee_per_payout and max_fee_per_day"),
        ({"max_fee_per_payout": 7}, "max_fee_per_day"),
        ({"max_fee_per_day": 7}, "max_fee_per_payout"),
        ({"max_fee_per_run": 7}, "max_fee_per_payout"),
        ({"max_fee_per_payout": 7, "max_fee_per_day": 7}, None),
        ({"max_fee_per_payout": 7, "max_fee_per_run": 7}, None),
    ],
)
def test_a_limit_of_each_payout_and_one_of_their_sum_are_needed(limits, missing):
    terms = PayoutTerms(NETWORK, account(3), USER, PAYER, needs_limits=True, **limits)
    assert missing_limit(terms) == missing
    refused = above_limit(1, Spent(), terms)
    assert refused is None if missing is None else missing in refused


def test_a_stopped_ledger_signs_and_counts_nothing_and_everything_else_goes_on(ledger):
    sent, other = signed(ledger, planned(ledger, 1)), planned(ledger, 2)
    stop = ledger.stop("maintenance", Actor("a person"))
    assert ledger.stop("again", RUN) == stop == ledger.stopped()
    for attempt in (lambda: signed(ledger, other), lambda: ledger.count_send(sent, sent.last.id, "again", RUN)):
        with pytest.raises(LedgerStopped, match=r"stopped at .* by a person: maintenance"):
            attempt()
    assert ledger.payout(NETWORK, 2, 0) == other
    assert answered(ledger, sent).state is PayoutState.SUBMITTED
    assert (ledger.go(RUN), ledger.go(RUN), ledger.stopped()) == (True, False, None)
    signed(ledger, other)


def test_who_has_not_seen_the_newest_mark_signs_and_counts_nothing(ledger):
    sent, other = signed(ledger, planned(ledger, 1)), planned(ledger, 2)
    assert ledger.mark() is None
    first, mark = ledger.restored("a backup", RUN), ledger.restored("another", RUN)
    assert (ledger.mark(), mark.copies, mark.why, mark.run) == (mark, sent.last.id, "another", RUN.run)
    for seen in (None, first, replace(mark, at=NOW + DAY)):
        for attempt in (
            lambda seen=seen: signed(ledger, other, mark=seen),
            lambda seen=seen: ledger.count_send(sent, sent.last.id, "again", RUN, mark=seen),
        ):
            with pytest.raises(LedgerConflict, match="was restored"):
                attempt()
    assert ledger.payout(NETWORK, 2, 0) == other
    signed(ledger, other, mark=mark)


def test_a_login_that_may_not_see_its_server_signs_all_the_same(ledger, monkeypatch):
    with monkeypatch.context() as postgresql:
        postgresql.setattr(ledger._database, "is_sqlite", False)
        postgresql.setattr(ledger, "_moved", Mock(side_effect=NotGranted("pg_control_system", remedy="")))
        assert ledger.mark() is None
    assert signed(ledger, planned(ledger)).copies


def test_a_restored_ledger_that_repeats_versions_and_ids_refuses_what_was_read_before(file):
    times = iter(range(1000))
    with closing(Ledger(f"sqlite:///{file}", clock=lambda: NOW + timedelta(seconds=next(times)))) as ledger:
        backed_up = planned(ledger)
        ledger.close()
        backup = file.read_bytes()
        before = signed(ledger, backed_up)
        ledger.close()
        file.write_bytes(backup)
        after = signed(ledger, backed_up, payment_nonce=7)
        assert (before.version, before.last.id) == (after.version, after.last.id)
        for stale in (
            lambda: ledger.transition(before, PayoutState.HELD, "", RUN),
            lambda: ledger.count_send(before, before.last.id, "", RUN),
            lambda: answered(ledger, before),
        ):
            with pytest.raises(LedgerConflict):
                stale()
        assert ledger.payout(NETWORK, 1392, 0) == after


def test_the_floor_is_the_first_one_of_the_user_since_the_newest_mark(ledger):
    payout = planned(ledger)
    assert ledger.floor(NETWORK, USER.hex) is None
    with closing(Ledger(ledger._database.url.render_as_string(False), clock=lambda: NOW - DAY)) as earlier:
        earlier.restored("a backup", RUN)
        payout = look(ledger, payout, Sight.FLOOR, nonce=3)
        look(ledger, payout, Sight.FLOOR, nonce=4, user_key=account(9).hex)
        ledger.stop("it is no restore", RUN)
        assert [ledger.floor(NETWORK, key.hex) for key in (USER, account(9))] == [3, 4]
        assert ledger.floor("other", USER.hex) is None
        again = earlier.restored("another, after the clock went back", RUN)
    assert (again.copies, again.at) == (0, ledger.now())
    assert ledger.floor(NETWORK, USER.hex) is None


BROKEN = {
    "signed while 1 may be its own": lambda ledger, part: signed(ledger, part, staking_nonce=2),
    "a payload was to be signed, and the part is EMPTY": lambda ledger, part: signed(
        ledger, ledger.transition(part, PayoutState.EMPTY, "", RUN)
    ),
    "called its own and another's": lambda ledger, part: look(ledger, part, Sight.MINE, Sight.NOT_MINE),
}


@pytest.mark.parametrize("rule", BROKEN)
def test_a_write_that_breaks_the_invariant_is_refused_by_name(ledger, rule):
    part = signed(ledger, planned(ledger, 1))
    with pytest.raises(InvariantBroken, match=rf"testnet era 1 part 0 \(copies: {part.last.id}.*{rule}"):
        BROKEN[rule](ledger, part)
    kept = ledger.payout(NETWORK, 1, 0)
    assert len(kept.copies) == 1
    assert kept.state in (PayoutState.SIGNED, PayoutState.EMPTY)


def test_a_user_may_change_once_the_staking_nonce_is_judged(ledger):
    part = judged(ledger, signed(ledger, planned(ledger, 1)), PayoutState.REJECTED)
    assert len(signed(ledger, part, user_key=account(9).hex, staking_nonce=0).copies) == 2


def test_nothing_is_signed_for_a_part_that_something_else_has_broken_and_its_answers_are_kept(ledger_place):
    with closing(Ledger(ledger_place)) as ledger:
        part = signed(ledger, planned(ledger))
        with connected(ledger_place) as connection:
            connection.exec_driver_sql("UPDATE payouts SET state = 'REJECTED', executed = 77")
        broken = ledger.payout(NETWORK, 1392, 0)
        with pytest.raises(
            InvariantBroken, match=r"executed copy 77 is missing; nothing was signed. If the next try says so"
        ):
            signed(ledger, broken)
        assert ledger.payout(NETWORK, 1392, 0).copies == part.copies
        with pytest.raises(InvariantBroken):
            answered(ledger, broken)
        kept = ledger.payout(NETWORK, 1392, 0)
        assert (kept.state, kept.copies[0].sends[0].answer) == (PayoutState.REJECTED, "accepted")


def test_every_time_in_a_ledger_is_of_its_servers_clock_also_where_the_machines_is_late(url, monkeypatch):
    late = SimpleNamespace(now=lambda zone: datetime.now(zone) - timedelta(hours=1))
    monkeypatch.setattr(eras, "datetime", late)
    with closing(Ledger(url)) as ledger:
        began = ledger.now()
        assert (datetime.now(timezone.utc) - began < timedelta(minutes=10)) == url.startswith("postgresql")
        part = judged(ledger, answered(ledger, signed(ledger, planned(ledger))))
        (sent,) = part.copies[0].sends
        times = [part.created_at, part.updated_at, sent.began, sent.answered_at]
        times += [event.at for event in ledger.events(part)]
        times += [ledger.restored("a backup", RUN).at, ledger.stop("a test", RUN).at]
        assert all(began <= time <= ledger.now() for time in times)
