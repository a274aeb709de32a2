"""The ledger remembers every payout and status, with its history, exactly as it was told."""

import dataclasses
from contextlib import closing
from datetime import datetime, timedelta, timezone

import pytest
import sqlalchemy as sa

from staking_gateway.errors import InvalidInput
from staking_gateway.ledger import Actor, Ledger, Payout, PayoutState
from staking_gateway.ledger.tables import payouts
from staking_gateway.types import MAX_AMOUNT, MAX_NONCE, AccountId, StakingStatus
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
    assert_consistent,
    connected,
    ledger_url,
    planned,
    signed,
    together,
)

IN_FLIGHT = [state for state in PayoutState if state.in_flight]


@pytest.fixture(params=KINDS)
def url(request, tmp_path):
    with ledger_url(request.param, tmp_path) as fresh:
        yield fresh


@pytest.fixture
def ledger(url):
    with closing(Ledger(url, clock=lambda: NOW)) as opened:
        yield opened
        assert_consistent(opened, url)


def test_a_part_is_planned_once(ledger):
    assert ledger.payout(NETWORK, 1392, 0) is None
    payout = planned(ledger)
    assert (payout.state, payout.version, payout.plans, payout.unanswered) == (PayoutState.PLANNED, 1, 0, 0)
    assert (payout.user_key, payout.payer_key, payout.relayer_key) == (USER.hex, PAYER.hex, RELAYER.hex)
    assert payout.created_at == payout.updated_at == NOW
    assert planned(ledger, user=account(9), actor=Actor("another")) == payout == ledger.payout(NETWORK, 1392, 0)
    assert [(event.to_state, event.run) for event in ledger.events(payout)] == [(PayoutState.PLANNED, RUN.run)]


def test_a_part_that_others_plan_at_the_same_moment_is_one_record(ledger, monkeypatch):
    plans = together(lambda number: planned(ledger, actor=Actor(f"run {number}")), range(8))
    assert set(plans) == {ledger.payout(NETWORK, 1392, 0)}
    assert len(ledger.events(plans[0])) == 1
    monkeypatch.setattr(ledger, "payout", lambda *_: None)
    assert planned(ledger, actor=Actor("a moment too late")) == plans[0]


def test_networks_eras_and_parts_are_kept_apart(ledger):
    keys = [(NETWORK, 7, 1), (NETWORK, 7, 0), (NETWORK, 2**32 - 1, 0), ("other", 7, 0)]
    for network, era, part in keys:
        planned(ledger, era, part, network=network)
    assert [(one.era, one.part) for one in ledger.era_payouts(NETWORK, 7)] == [(7, 0), (7, 1)]
    assert [one.network for one in ledger.era_payouts("other", 7)] == ["other"]
    assert ledger.era_payouts(NETWORK, 8) == []


def test_a_transition_stores_every_field(ledger):
    later = NOW + timedelta(seconds=7)
    times = ("unanswered_at", "lease_until", "signed_at", "accepted_at", "confirmed_at", "disagree_since", "over_since")
    numbers = ("staking_nonce", "payment_nonce", "fee", "block_number", "plans", "unanswered", "wasted", "signed_try")
    texts = ("chain", "reason", "lease_owner", "request_status", "disagree", "over", "signed_by")
    changes = {
        **SIGNATURES,
        **dict.fromkeys(times, later),
        **{name: number for number, name in enumerate((*numbers, "signatures", "used_nonce"), 1)},
        **{name: f"the {name}"[:16] for name in texts},
        **{role: account(number).hex for number, role in enumerate(("user_key", "payer_key", "relayer_key"), 11)},
        **dict.fromkeys(("copies_out", "refused"), True),
        **dict.fromkeys(("fee_charged", "asked"), False),
        "request_id": "0f14d0ab-9605-4a62-a9e4-5ed26688389b",
        "tx_hash": "0x" + "ef" * 32,
        "confirmed_by": "nonce",
        "settled_by": str(RUN),
        "hold": "fee",
    }
    before = planned(ledger)
    after = ledger.transition(before, PayoutState.CONFIRMED, "all at once", RUN, **changes)
    expected = dataclasses.replace(before, state=PayoutState.CONFIRMED, version=2, updated_at=NOW, **changes)
    assert after == expected == ledger.payout(NETWORK, 1392, 0)
    assert set(changes) == {field.name for field in dataclasses.fields(after)} - {
        *("id", "network", "era", "part", "state", "version", "created_at", "updated_at")
    }


@pytest.mark.parametrize("number", [0, 1, 2**63 - 1, 2**63, MAX_NONCE, MAX_AMOUNT])
def test_numbers_of_any_size_come_back_as_they_were(ledger, number):
    payout = planned(ledger)
    changes = {"fee": number, "staking_nonce": number, "payment_nonce": number, "block_number": number}
    signed(ledger, payout, **changes)
    stored = ledger.payout(NETWORK, 1392, 0)
    assert {name: getattr(stored, name) for name in changes} == changes
    assert ledger.committed_fees(NETWORK, NOW) == number


@pytest.mark.parametrize(
    ("field", "change"),
    [
        *(("number", {"fee": wrong}) for wrong in (-1, MAX_AMOUNT + 1, 1.5, True)),
        ("time", {"signed_at": datetime(2026, 6, 1)}),  # noqa: DTZ001 - the point
        *(("changes", {name: 1}) for name in ("amount", "version", "era")),
    ],
)
def test_what_cannot_be_stored_is_refused_and_changes_nothing(ledger, field, change):
    payout = planned(ledger)
    with pytest.raises(InvalidInput) as caught:
        ledger.transition(payout, PayoutState.HELD, "cause", RUN, **change)
    assert caught.value.field == field
    assert ledger.payout(NETWORK, 1392, 0) == payout


def test_times_come_back_in_utc_whatever_zone_they_were_given_in(url):
    elsewhere = NOW.astimezone(timezone(timedelta(hours=-9, minutes=-30)))
    with closing(Ledger(url, clock=lambda: elsewhere)) as ledger:
        payout = signed(ledger, planned(ledger), signed_at=elsewhere)
        (account_status,) = checked(ledger, {USER: StakingStatus.IS_STAKING})
        events = ledger.events(payout)
    times = [payout.created_at, payout.updated_at, payout.signed_at, account_status.checked_at, *(e.at for e in events)]
    assert times == [NOW] * 6
    assert {moment.utcoffset() for moment in times} == {timedelta(0)}
    with closing(Ledger(url)) as ledger:
        before = datetime.now(timezone.utc)
        assert before <= planned(ledger, 7).created_at <= datetime.now(timezone.utc), "the machine's clock"


def test_words_of_others_never_stop_a_payout(ledger):
    nasty = "fee \x00 too \ud800 low: \N{SNOWMAN} %s {} '; DROP TABLE payouts" + "!" * 10_000
    payout = ledger.transition(planned(ledger), PayoutState.HELD, nasty, RUN, reason=nasty)
    kept = nasty.replace("\x00", "?").replace("\ud800", "?")[:2000]
    assert payout.reason == ledger.events(payout)[-1].cause == kept


def test_proofs_of_any_length_are_kept(ledger):
    proofs = dict.fromkeys(SIGNATURES, "0x" + "1a" * 5000)
    kept = signed(ledger, planned(ledger), **proofs)
    assert ledger.payout(NETWORK, 1392, 0) == kept
    assert {name: getattr(kept, name) for name in proofs} == proofs


def test_names_of_runs_may_be_as_long_as_airflow_allows(ledger):
    actor = Actor(f"{'d' * 250}/{'r' * 250}", 99)
    payout = ledger.transition(planned(ledger), PayoutState.EMPTY, "", actor, settled_by=str(actor))
    assert payout.settled_by == f"{actor.run}#99"
    last = ledger.events(payout)[-1]
    assert Actor(last.run, last.try_number) == actor


def test_a_record_does_not_show_its_signatures(ledger):
    payout = signed(ledger, planned(ledger))
    assert repr(payout) == "Payout(testnet era 1392 part 0: SIGNED v2)"


# --- history -----------------------------------------------------------------------------------------------------------


CHANGED = [
    "UPDATE payout_events SET cause = 'it was not me'",
    "UPDATE payout_events SET to_state = to_state WHERE version = 1",
    "DELETE FROM payout_events",
    "DELETE FROM payout_events WHERE version = 2",
    "DELETE FROM payouts",
]
REPLACED = {
    "sqlite": [
        f"INSERT OR REPLACE INTO payout_events SELECT {columns}, '', run, 1 FROM payout_events"
        for columns in (
            "id, payout_id, at, from_state, to_state, version",
            "id + 10, payout_id, at, from_state, to_state, version",
            "id, payout_id, at, from_state, to_state, version + 10",
        )
    ],
    "postgresql": ["TRUNCATE payout_events", "TRUNCATE payouts CASCADE"],
}


@pytest.mark.parametrize(("kind", "statement"), [(kind, one) for kind in KINDS for one in CHANGED + REPLACED[kind]])
def test_history_cannot_be_changed_replaced_nor_forgotten(kind, statement, tmp_path):
    with ledger_url(kind, tmp_path) as url, closing(Ledger(url)) as ledger:
        payout = signed(ledger, planned(ledger))
        history = ledger.events(payout)
        with connected(url) as connection, pytest.raises(sa.exc.IntegrityError, match=r"append-only|never deleted"):
            connection.exec_driver_sql(statement)
        assert ledger.events(payout) == history
        assert ledger.payout(NETWORK, 1392, 0) == payout


# --- fees, requests, statuses --------------------------------------------------------------------------------------------


def test_fees_count_while_their_payload_executed_or_still_may(ledger):
    counted = [*IN_FLIGHT, PayoutState.CONFIRMED]
    for era, state in enumerate(PayoutState):
        lane = {"user_key": account(100 + era).hex, "payer_key": account(200 + era).hex}
        ledger.transition(planned(ledger, era), state, "", RUN, **lane, fee=2**era, signed_at=NOW)
    expected = sum(2**era for era, state in enumerate(PayoutState) if state in counted)
    assert ledger.committed_fees(NETWORK, NOW) == expected
    assert ledger.committed_fees(NETWORK, NOW - timedelta(days=1)) == expected
    assert ledger.committed_fees(NETWORK, NOW + timedelta(microseconds=1)) == 0
    assert ledger.committed_fees("other", NOW) == 0


def test_fees_add_up_beyond_128_bits_and_ready_made_proofs_tell_none(ledger):
    for era, fee in enumerate((MAX_AMOUNT, MAX_AMOUNT, None)):
        ledger.transition(planned(ledger, era), PayoutState.CONFIRMED, "", RUN, fee=fee, signed_at=NOW)
    assert ledger.committed_fees(NETWORK, NOW) == 2 * MAX_AMOUNT
    with pytest.raises(InvalidInput, match="no time zone"):
        ledger.committed_fees(NETWORK, datetime(2026, 6, 1))  # noqa: DTZ001 - the point


def test_a_request_is_known_by_the_other_payouts_of_its_network(ledger):
    request = "0f14d0ab-9605-4a62-a9e4-5ed26688389b"
    first = ledger.transition(planned(ledger, 1), PayoutState.CONFIRMED, "", RUN, request_id=request)
    assert ledger.knows_request(planned(ledger, 2), request)
    assert not ledger.knows_request(first, request)
    assert not ledger.knows_request(planned(ledger, 3, network="other"), request)


def checked(ledger, statuses, era=7):
    ledger.record_statuses(NETWORK, era, statuses.items())
    return ledger.statuses(NETWORK, era)


def test_a_later_check_of_an_account_replaces_the_earlier_one_whichever_way_it_is_spelt(url):
    clock, other = [NOW], AccountId(account(2).public_key, "another spelling")
    with closing(Ledger(url, clock=lambda: clock[0])) as ledger:
        checked(ledger, {account(2): StakingStatus.IS_STAKING, account(1): StakingStatus.IS_NOT_STAKING})
        clock[0] += timedelta(minutes=1)
        twice = [(account(2), StakingStatus.IS_STAKING), (other, StakingStatus.IS_NOT_STAKING)]
        assert ledger.record_statuses(NETWORK, 7, twice) == 1
        first, second = ledger.statuses(NETWORK, 7)
    assert (first.account_key, first.address, first.status) == (account(1).hex, account(1).address, "isNotStaking")
    assert (second.account_key, second.address, second.status) == (account(2).hex, other.address, "isNotStaking")
    assert (first.checked_at, second.checked_at) == (NOW, NOW + timedelta(minutes=1))


def test_statuses_of_many_accounts_are_stored_at_once(ledger):
    statuses = [(account(number), StakingStatus.IS_STAKING) for number in range(2500)]
    assert ledger.record_statuses(NETWORK, 7, iter(statuses)) == 2500
    assert [one.account_key for one in ledger.statuses(NETWORK, 7)] == [account(number).hex for number in range(2500)]
    assert ledger.statuses(NETWORK, 8) == ledger.statuses("other", 7) == []
    assert ledger.record_statuses(NETWORK, 8, []) == 0


def test_the_columns_of_a_payout_are_in_the_order_of_its_fields():
    assert payouts.c.keys() == [field.name for field in dataclasses.fields(Payout)]
