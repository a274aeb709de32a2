"""Which eras a catch-up pays, in which order; expiry; and plans that are approved."""

import json
from dataclasses import replace
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from staking_gateway.catch_up import Request, differences, requested_eras, survey
from staking_gateway.eras import Depths, payable_eras
from staking_gateway.errors import InvalidEra, InvalidInput
from staking_gateway.ledger import PayoutState
from staking_gateway.payout.copies import NEVER_TRIED, is_paid, why_unpaid
from staking_gateway.payout.terms import PayoutTerms
from tests.support.ledgers import PAYER, RELAYER, USER

STATES = st.sampled_from(PayoutState)


def record(state, reason=None):
    return SimpleNamespace(state=PayoutState(state), reason=reason, copies=(), sightings=(), hold=None)


CALENDAR = SimpleNamespace(era_or_none=lambda now: None)
TERMS = PayoutTerms("net", RELAYER, USER, PAYER)


def plan(active=100, *, records=None, depth=84, accounts=(), since=16, fee=10, chosen=None, **terms):
    """The plan of the eras from `since` on, by a ledger of these records."""
    gateway = Mock()
    gateway.active_era.return_value, gateway.pays_by_itself.return_value = active, False
    gateway.relayer_fee.return_value = fee
    facts = SimpleNamespace(paid_on_chain=lambda name, eras: ())
    ledger = SimpleNamespace(
        newest_era=lambda name, state: None,
        oldest_era=lambda name: None,
        journal=SimpleNamespace(notices=lambda *about, **since: []),
        payouts_of=lambda name, eras: records or {},
        facts=facts,
    )
    network = SimpleNamespace(depths=Depths(depth, tuple(accounts)), first_era=since, calendar=CALENDAR)
    return survey(replace(TERMS, **terms), gateway, ledger, network, request=Request(**chosen or {}))


# --- what is paid -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("states", "parts", "paid"),
    [
        ([], 1, False),
        (["CONFIRMED"], 2, False),
        (["CONFIRMED", "CONFIRMED"], 2, True),
        (["CONFIRMED", "EMPTY"], 3, True),
        (["CONFIRMED"], None, False),
        (["UNKNOWN"], 1, False),
    ],
)
def test_an_era_is_paid_when_all_its_parts_are_or_nothing_is_left(states, parts, paid):
    assert is_paid([record(state) for state in states], parts) is paid


@pytest.mark.parametrize(
    ("records", "told"),
    [
        ([], NEVER_TRIED),
        ([record("CONFIRMED"), record("REJECTED", "no funds")], "rejected (REJECTED): no funds"),
        ([record("UNKNOWN")], "sent; result unknown (UNKNOWN)"),
        ([record("CONFIRMED")], "1 parts are paid, more may be unpaid"),
        ([record("HELD", "the fee is 7")], "held (HELD): the fee is 7"),
    ],
)
def test_an_unpaid_era_says_where_it_stands(records, told):
    assert why_unpaid(records) == told


@given(
    active=st.integers(0, 400),
    depth=st.integers(1, 120),
    parts=st.one_of(st.none(), st.integers(1, 3)),
    accounts=st.lists(st.integers(1, 150), max_size=3),
    most=st.one_of(st.none(), st.integers(1, 50)),
    data=st.data(),
)
def test_the_paid_and_the_unpaid_partition_the_payable_range(*, active, depth, parts, accounts, most, data):
    payable = payable_eras(active, depth)
    states = data.draw(
        st.dictionaries(st.sampled_from(payable) if payable else st.nothing(), st.lists(STATES, max_size=3))
    )
    records = {era: [record(state) for state in listed] for era, listed in states.items()}
    chosen = {"max_eras": most}
    made = plan(active, records=records, depth=depth, accounts=accounts, parts=parts, since=None, chosen=chosen)
    unpaid = [owed.era for owed in made.unpaid]
    assert sorted([*made.paid, *unpaid]) == list(payable)
    assert len({*made.paid, *unpaid}) == len(payable)
    left = [owed.countdown.eras_left for owed in made.unpaid]
    assert left == sorted(left)
    assert all(eras >= 0 for eras in left)
    assert len(made.pay) == min(len(unpaid), most or len(unpaid))


# --- order and expiry -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("era", "eras_left", "warning"),
    [(59, 43, None), (58, 42, 50), (32, 16, 80), (20, 4, 95), (16, 0, 95), (15, -1, 95)],
)
def test_an_era_is_warned_of_at_half_four_fifths_and_the_last_twentieth_of_its_time(era, eras_left, warning):
    found = Depths(84).countdown(era, 100)
    assert (found.eras_left, found.warning) == (eras_left, warning)


def test_an_account_with_less_time_makes_its_eras_urgent_and_no_other_unpayable():
    kept = Depths(84, (28, 200))
    assert kept.countdown(72, 100).eras_left == 0
    assert kept.countdown(71, 100).eras_left == 55  # its share is gone, the others' is not
    assert kept.countdown(20, 100).depth == 84
    made = plan(accounts=[28])
    assert made.eras[:4] == [16, 72, 17, 73]


# --- budgets ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("budget", "fee", "parts", "eras"),
    [
        ({"max_fees": 39}, 10, 1, 3),
        ({"max_fees": 39}, 10, 2, 1),
        ({"max_fees": 39}, None, 1, 5),
        ({"max_eras": 2, "max_fees": 39}, 10, 1, 2),
    ],
)
def test_a_budget_of_eras_or_fees_leaves_the_rest_for_later(budget, fee, parts, eras):
    made = plan(parts=parts, chosen={"first": 95, **budget}, fee=fee)
    assert (len(made.pay), len(made.later)) == (eras, 5 - eras)
    assert [f"leaves {5 - eras} eras for later" in note for note in made.notes] == [True] * bool(made.later)


@pytest.mark.parametrize(
    "limit", [{"max_eras": 0}, {"max_fees": 0}, {"max_eras": -1}, {"max_fees": "1.5"}, {"max_eras": "ten"}]
)
def test_a_budget_of_nothing_is_refused_by_name(limit):
    with pytest.raises(InvalidInput, match=next(iter(limit))):
        Request(**limit)


# --- ranges -----------------------------------------------------------------------------------------------------------------


def test_the_range_is_what_can_be_paid_unless_less_is_asked_for():
    assert requested_eras(100, 84, Request()) == range(16, 100)
    assert requested_eras(100, 84, Request(), 90) == range(90, 100)
    assert requested_eras(100, 84, Request(), 3) == range(16, 100)
    assert requested_eras(100, 84, Request(first=20, last=30)) == range(20, 31)
    assert requested_eras(100, 84, Request(first="20"), 90) == range(20, 100)
    assert requested_eras(100, 84, Request(eras="99, 20-21")) == (20, 21, 99)
    assert requested_eras(100, 84, Request(eras="90"), 90) == (90,)
    assert not requested_eras(0, 84, Request())
    assert not requested_eras(100, 84, Request(last=50), 90)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"first": 30, "last": 20}, "from_era: era 30 comes after to_era 20"),
        ({"first": 100}, "from_era: era 100 has not ended"),
        ({"last": 100}, "to_era: era 100 has not ended"),
        ({"first": 15}, "from_era: era 15 has expired.*16"),
        ({"last": 15}, "to_era: era 15 has expired"),
        ({"first": -1}, "from_era"),
        ({"last": "x"}, "to_era"),
        ({"eras": "20, 99-100"}, "eras: era 100 has not ended"),
        ({"eras": "15-20"}, "eras: era 15 has expired.*16"),
        ({"eras": "20-30", "since": 25}, "eras: era 20 started before the start_date.*Write 25 or more"),
        ({"eras": "20-"}, "eras: '20-' is not an era or a range"),
        ({"eras": "20", "first": 20}, "eras: from_era or to_era is given as well"),
        ({"eras": "20", "last": 20}, "eras: from_era or to_era is given as well"),
    ],
)
def test_eras_that_cannot_be_paid_are_refused_by_name(asked, told):
    since = asked.pop("since", None)
    with pytest.raises(InvalidEra, match=told):
        requested_eras(100, 84, Request(**asked), since)


# --- approval ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({}, []),
        ({"active": 101}, []),
        ({"records": {92: [record("CONFIRMED")]}}, []),
        ({"accounts": [8]}, []),
        ({"since": 91}, ["pay: no longer 90"]),
        ({"fee": 11}, ["fee: was 10 planck, is 11 planck"]),
        ({"payer": USER, "parts": None}, ["parts: was 1, is until_empty", f"payer: was {PAYER}, is {USER}"]),
    ],
)
def test_an_approval_outlives_newer_and_paid_eras_and_nothing_else(changed, told):
    approved, now = plan(since=90), plan(**{"since": 90, **changed})
    assert differences(json.loads(json.dumps(approved.as_dict())), now) == told
    assert (approved.hash == now.hash) is (changed == {})
