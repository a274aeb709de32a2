"""The ledger remembers every payout and status, with its history, exactly as it was told."""

from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from functools import partial

import pytest
import sqlalchemy as sa

from staking_gateway.errors import InvalidInput, LedgerConflict, LedgerError
from staking_gateway.ledger import Actor, Ledger, PayoutState
from staking_gateway.ledger.records import AccountStatus, Send, Sight, Sighting
from staking_gateway.types import MAX_AMOUNT, AccountId, StakingStatus
from tests.support.ledgers import (
    KINDS,
    NETWORK,
    NOW,
    PAYER,
    RELAYER,
    RUN,
    SIGNATURES,
    USER,
    account,
    answered,
    connected,
    copy_of,
    judged,
    ledger_url,
    planned,
    put,
    signed,
    together,
)


def test_a_part_is_planned_once(ledger):
    assert ledger.payout(NETWORK, 1392, 0) is None
    payout = planned(ledger)
    assert (payout.state, payout.version, payout.copies, payout.last) == (PayoutState.PLANNED, 1, (), None)
    assert (payout.user_key, payout.payer_key, payout.relayer_key) == (USER.hex, PAYER.hex, RELAYER.hex)
    assert payout.created_at == payout.updated_at == NOW
    assert planned(ledger, user=account(9), actor=Actor("another")) == payout == ledger.payout(NETWORK, 1392, 0)
    assert [(event.to_state, event.run) for event in ledger.events(payout)] == [(PayoutState.PLANNED, RUN.run)]


def test_what_is_told_of_eras_is_the_networks_own(ledger):
    for era, network in ((1390, NETWORK), (1391, NETWORK), (1392, NETWORK), (1393, "other"), (1389, "other")):
        planned(ledger, era, network=network, actor=Actor(f"run of {era}"))
    judged(ledger, signed(ledger, ledger.payout(NETWORK, 1391, 0)), actor=Actor("the last"))
    put(ledger, planned(ledger, 1391, 1), PayoutState.EMPTY, Actor("the last"))
    assert [ledger.newest_era(NETWORK, state) for state in (PayoutState.PLANNED, PayoutState.HELD)] == [1392, None]
    assert [ledger.oldest_era(network) for network in (NETWORK, "other", "none")] == [1390, 1389, None]
    assert ledger.runs_of(NETWORK, range(1390, 1392)) == {1390: "run of 1390", 1391: "the last"}
    assert [*ledger.payouts_of(NETWORK, [1390, 1391, 1392])] == [1390, 1391, 1392]
    put(ledger, ledger.payout("other", 1389, 0), PayoutState.EMPTY)
    assert [ledger.eras_found_paid(network) for network in (NETWORK, "other")] == [{1391: 1}, {1389: 0}]


def test_a_part_that_others_plan_at_the_same_moment_is_one_record(ledger, monkeypatch):
    plans = together(lambda number: planned(ledger, actor=Actor(f"run {number}")), range(8))
    assert set(plans) == {ledger.payout(NETWORK, 1392, 0)}
    assert len(ledger.events(plans[0])) == 1
    monkeypatch.setattr(ledger, "payout", lambda *_: None)
    assert planned(ledger, actor=Actor("a moment too late")) == plans[0]


def test_what_is_signed_sent_answered_seen_and_read_comes_back_as_it_was_told(ledger):
    later = NOW + timedelta(seconds=7)
    first = signed(ledger, planned(ledger), fee=9, user_key=account(11).hex, payer_key=account(12).hex, chain="another")
    assert (first.chain, first.user_key, first.payer_key) == ("another", account(11).hex, account(12).hex)
    accepted = answered(ledger, first, text="it was accepted", request_id="a request")
    again = ledger.count_send(accepted, accepted.last.id, "again", RUN)
    seen = (
        Sighting(Sight.PASSED, later, 1392, user_key=account(11).hex),
        Sighting(Sight.CHARGED, later, 7, payer_key=PAYER.hex, user_key=account(13).hex),
    )
    told = {
        "status": "Rejected",
        "read_at": later,
        "rejected_at": later,
        "block_number": 44,
        "tx_hash": "0x" + "ef" * 32,
    }
    read = first.last.id, replace(accepted.last.sends[0], **told)
    changes = {"hold": "fee", "reason": "why", "confirmed_by": "nonce", "confirmed_at": later, "settled_by": str(RUN)}
    after = ledger.transition(
        again, PayoutState.CONFIRMED, "all", RUN, sightings=seen, reads=[read], executed=first.last.id, **changes
    )
    sends = (
        Send(1, NOW, RUN.run, 2, "accepted", NOW, "it was accepted", "a request", **told),
        Send(2, NOW, RUN.run, 2),
    )
    copy = replace(copy_of(first, fee=9), id=first.last.id, sends=sends)
    expected = replace(first, state=PayoutState.CONFIRMED, version=5, copies=(copy,), sightings=seen, **changes)
    assert after == replace(expected, executed=copy.id) == ledger.payout(NETWORK, 1392, 0)
    assert {NETWORK: [after]} == {NETWORK: ledger.era_payouts(NETWORK, 1392)}
    repeated = ledger.transition(after, after.state, "", RUN, reads=[(copy.id, replace(sends[1], number=1))])
    assert repeated.last.sends[0].rejected_at == later
    with pytest.raises(LedgerConflict, match=f"no send 3 of copy {copy.id} any more; read it again"):
        ledger.transition(repeated, after.state, "", RUN, reads=[(copy.id, replace(sends[1], number=3))])
    states = [event.to_state.value for event in ledger.events(after)]
    assert states == ["PLANNED", "SIGNED", "SUBMITTED", "SIGNED", "CONFIRMED", "CONFIRMED"]


def test_an_answer_is_stored_also_when_the_part_has_changed_since_and_never_changes(ledger):
    """Then state, hold and reason stay; whoever read the part before the answer came has to read it again."""
    sent = signed(ledger, planned(ledger))
    changed = ledger.transition(sent, PayoutState.HELD, "by another process", RUN, hold="fee")
    for _ in range(2):  # the second time, as after a commit that was not answered
        late = answered(ledger, sent, request_id="late")
        assert (late.state, late.hold, late.request_id) == (PayoutState.HELD, "fee", "late")
        assert late == ledger.payout(NETWORK, 1392, 0)
        assert late.version == changed.version + 1
    for stale in (lambda: signed(ledger, changed), lambda: answered(ledger, sent, request_id="another")):
        with pytest.raises(LedgerConflict):
            stale()
    assert ledger.payout(NETWORK, 1392, 0) == late


def test_a_payload_is_counted_again_only_while_its_part_is_as_it_was_read(ledger):
    sent = signed(ledger, planned(ledger))
    again = ledger.count_send(sent, sent.last.id, "again", RUN)
    assert [send.number for send in again.last.sends] == [1, 2]
    with pytest.raises(LedgerConflict):
        ledger.count_send(sent, sent.last.id, "again", RUN)
    settled = judged(ledger, answered(ledger, again))
    assert ledger.count_send(settled, settled.last.id, "driven on", RUN).state is PayoutState.CONFIRMED


@pytest.mark.parametrize("number", [0, 1, 2**63 - 1, 2**63, MAX_AMOUNT])
def test_numbers_of_any_size_come_back_as_they_were(ledger, number):
    nonce = min(number, 2**63 - 1)
    fields = {"fee": number, "staking_nonce": nonce, "payment_nonce": nonce}
    signed(ledger, planned(ledger), **fields)
    stored = ledger.payout(NETWORK, 1392, 0)
    assert {name: getattr(stored.last, name) for name in fields} == fields
    assert ledger.committed(NETWORK) == number


def test_what_cannot_be_stored_is_refused_and_changes_nothing(ledger):
    payout, sent = planned(ledger), signed(ledger, planned(ledger, 8))
    naive = datetime(2026, 6, 1)  # noqa: DTZ001 - the point
    wrong = {
        "number": [*(partial(signed, ledger, payout, fee=fee) for fee in (-1, MAX_AMOUNT + 1, 1.5, True))],
        "time": [partial(signed, ledger, payout, signed_at=naive), partial(ledger.committed, NETWORK, day=naive)],
        "request_id": [partial(answered, ledger, signed(ledger, planned(ledger, 7)), answer="lost")],
    }
    for field, attempts in wrong.items():
        for attempt in attempts:
            with pytest.raises(InvalidInput) as caught:
                attempt()
            assert caught.value.field == field
    for unknown in (
        partial(ledger.count_send, payout, 1, "", RUN),
        partial(
            ledger.transition, sent, sent.state, "", RUN, reads=[(sent.last.id, replace(sent.last.sends[0], number=9))]
        ),
        partial(ledger.transition, payout, payout.state, "", RUN, reads=[(sent.last.id, sent.last.sends[0])]),
        partial(
            ledger.transition,
            sent,
            sent.state,
            "",
            RUN,
            reads=[(sent.last.id, replace(sent.last.sends[0], began=NOW - timedelta(1)))],
        ),
        partial(answered, ledger, replace(payout, copies=sent.copies), answer="lost", request_id=None, of=payout),
    ):
        with pytest.raises(LedgerError):
            unknown()
    assert ledger.payout(NETWORK, 1392, 0) == payout


def test_times_come_back_in_utc_whatever_zone_they_were_given_in(ledger_place):
    elsewhere = NOW.astimezone(timezone(timedelta(hours=-9, minutes=-30)))
    with closing(Ledger(ledger_place, clock=lambda: elsewhere)) as ledger:
        payout = signed(ledger, planned(ledger), signed_at=elsewhere)
        (account_status,) = checked(ledger, {USER: StakingStatus.IS_STAKING})
        events = ledger.events(payout)
    times = [
        payout.created_at,
        payout.updated_at,
        payout.last.signed_at,
        account_status.checked_at,
        *(e.at for e in events),
    ]
    assert times == [NOW] * 6
    assert {moment.utcoffset() for moment in times} == {timedelta(0)}
    with closing(Ledger(ledger_place)) as ledger:
        before = datetime.now(timezone.utc)
        assert before <= planned(ledger, 7).created_at <= datetime.now(timezone.utc), "the machine's clock"


def test_words_of_others_never_stop_a_payout(ledger):
    nasty = "fee \x00 too \ud800 low: \N{SNOWMAN} %s {} '; DROP TABLE payouts" + "!" * 10_000
    payout = ledger.transition(planned(ledger), PayoutState.HELD, nasty, RUN, reason=nasty)
    kept = nasty.replace("\x00", "?").replace("\ud800", "?")[:2000]
    assert payout.reason == ledger.events(payout)[-1].cause == kept


def test_a_record_does_not_show_its_signatures(ledger):
    payout = signed(ledger, planned(ledger))
    assert repr(payout) == "Payout(testnet era 1392 part 0: SIGNED v2)"
    assert not [one for one in SIGNATURES.values() if one in repr(payout.last)]


TABLES = ("payout_events", "payout_copies", "payout_sends", "payout_sightings", "ledger_marks")
CHANGED = [
    *(f"UPDATE {table} SET run = 'it was not me'" for table in TABLES if table != "payout_sightings"),
    *(f"DELETE FROM {table}" for table in (*TABLES, "payouts")),
    "UPDATE payout_events SET to_state = to_state WHERE version = 1",
    "UPDATE payout_copies SET staking_nonce = '7'",
    "UPDATE payout_sends SET number = 2",
    "UPDATE payout_sends SET answer = 'refused'",
    "UPDATE payout_sends SET request_id = NULL",
    "UPDATE payout_sightings SET kind = 'mine'",
]
REPLACED = {
    "sqlite": [
        *(f"INSERT OR REPLACE INTO {table} SELECT * FROM {table}" for table in TABLES),
        "INSERT OR REPLACE INTO payout_events SELECT id + 10, payout_id, at, to_state, version, '', run, 1 "
        "FROM payout_events",
    ],
    "postgresql": [f"TRUNCATE {table} CASCADE" for table in (*TABLES, "payouts")],
}


@pytest.mark.parametrize("kind", KINDS)
def test_history_cannot_be_changed_replaced_nor_forgotten(kind, tmp_path):
    """Only the name of a lane may change, and what was read of a request."""
    with ledger_url(kind, tmp_path) as url, closing(Ledger(url)) as ledger:
        payout = answered(ledger, signed(ledger, planned(ledger)))
        seen = [Sighting(Sight.CHARGED, NOW, 7, PAYER.hex)]
        payout = ledger.transition(payout, PayoutState.SUBMITTED, "", RUN, sightings=seen)
        ledger.restored("a test", RUN)
        history = ledger.events(payout)
        for statement in CHANGED + REPLACED[kind]:
            with connected(url) as connection, pytest.raises(sa.exc.IntegrityError, match="append-only"):
                connection.exec_driver_sql(statement)
        assert ledger.events(payout) == history
        assert ledger.payout(NETWORK, 1392, 0) == payout
        assert (ledger.rekey(NETWORK, "a chain", RUN), ledger.rekey(NETWORK, "a chain", RUN)) == (1, 0)
        moved = ledger.payout(NETWORK, 1392, 0)
        assert (moved.chain, moved.last.chain, moved.version) == ("a chain", "a chain", payout.version + 1)
        assert ledger.events(moved)[len(history) :][0].cause == f"its lane {NETWORK} is the chain a chain"


def checked(ledger, statuses, era=7):
    ledger.record_statuses(NETWORK, era, statuses.items())
    return ledger.facts.rows(AccountStatus, NETWORK, range(era, era + 1))


def test_a_later_check_of_an_account_replaces_the_earlier_one_whichever_way_it_is_spelt(ledger_place):
    clock, other = [NOW], AccountId(account(2).public_key, "another spelling")
    with closing(Ledger(ledger_place, clock=lambda: clock[0])) as ledger:
        checked(ledger, {account(2): StakingStatus.IS_STAKING, account(1): StakingStatus.IS_NOT_STAKING})
        clock[0] += timedelta(minutes=1)
        twice = [(account(2), StakingStatus.IS_STAKING), (other, StakingStatus.IS_NOT_STAKING)]
        assert ledger.record_statuses(NETWORK, 7, twice) == 1
        first, second = ledger.facts.rows(AccountStatus, NETWORK, range(7, 8))
        assert ledger.record_statuses(NETWORK, 8, [], keep_from=7) == 0
        assert ledger.statuses_of(NETWORK, range(9), [account(2).hex]) == {
            7: {account(2).hex: StakingStatus.IS_NOT_STAKING}
        }
        checked_at_last = ledger.record_statuses(NETWORK, 8, [(account(1), StakingStatus.IS_STAKING)], keep_from=8)
        assert (checked_at_last, [*ledger.statuses_of(NETWORK, range(9))]) == (1, [8])
    assert (first.account_key, first.address, first.status) == (account(1).hex, account(1).address, "isNotStaking")
    assert (second.account_key, second.address, second.status) == (account(2).hex, other.address, "isNotStaking")
    assert (first.checked_at, second.checked_at) == (NOW, NOW + timedelta(minutes=1))


def test_all_eras_are_one_question(ledger):
    planned(ledger)
    assert [*ledger.payouts_of(NETWORK, range(2**31))] == [1392]
    assert (ledger.payouts_of(NETWORK, range(0)), ledger.runs_of(NETWORK, range(1392))) == ({}, {})
