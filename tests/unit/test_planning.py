"""Which eras a catch-up pays, in which order; expiry; and plans that are approved."""

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from staking_gateway.catch_up import (
    Budget,
    Request,
    differences,
    plan_catch_up,
    requested_eras,
)
from staking_gateway.eras import ActiveEra, Depths, payable_eras
from staking_gateway.errors import InvalidEra, InvalidInput
from staking_gateway.ledger import PayoutState
from staking_gateway.payout.copies import NEVER_TRIED, is_paid, why_unpaid
from staking_gateway.payout.terms import PayoutTerms
from tests.support.ledgers import PAYER, RELAYER, USER

STATES = st.sampled_from(PayoutState)


def record(state, reason=None):
    return SimpleNamespace(state=PayoutState(state), reason=reason, copies=(), sightings=(), hold=None)


TERMS = PayoutTerms("net", RELAYER, USER, PAYER)


def plan(active=100, *, eras=None, records=None, depth=84, accounts=(), budget=None, fee=10, since=(), **terms):
    return plan_catch_up(
        replace(TERMS, **terms),
        ActiveEra(active, None, depth),
        records or {},
        eras=requested_eras(active, depth, Request()) if eras is None else eras,
        kept=Depths(depth, tuple(accounts)),
        budget=budget or Budget(),
        fee=fee,
        responsible=since,
    )


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
    made = plan(active, records=records, depth=depth, accounts=accounts, parts=parts, budget=Budget(eras=most))
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
    made = plan(accounts=[28], eras=range(16, 100))
    assert made.eras[:4] == [16, 72, 17, 73]


# --- budgets ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("budget", "fee", "parts", "eras"),
    [
        ({"fees": 39}, 10, 1, 3),
        ({"fees": 39}, 10, 2, 1),
        ({"fees": 39}, None, 1, 5),
        ({"eras": 2, "fees": 39}, 10, 1, 2),
    ],
)
def test_a_budget_of_eras_or_fees_leaves_the_rest_for_later(budget, fee, parts, eras):
    made = plan(eras=range(95, 100), parts=parts, budget=Budget(**budget), fee=fee)
    assert (len(made.pay), len(made.later)) == (eras, 5 - eras)
    assert [f"leaves {5 - eras} eras for later" in note for note in made.notes] == [True] * bool(made.later)


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [("eras", 0, ""), ("fees", 0, ""), ("eras", -1, ""), ("fees", "1.5", "smallest unit"), ("eras", "ten", "")],
)
def test_a_budget_of_nothing_is_refused_by_name(field, value, told):
    with pytest.raises(InvalidInput, match=f"max_{field}.*{told}"):
        Budget(**{field: value})


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


def test_the_same_decisions_have_the_same_hash_whatever_the_countdown():
    first, again = plan(eras=range(90, 100)), plan(eras=range(90, 100))
    later = plan(101, eras=range(90, 100))
    assert first.hash == again.hash == later.hash
    assert differences(json.loads(json.dumps(first.as_dict())), later) == []


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"eras": range(90, 101), "active": 101}, []),
        ({"records": {92: [record("CONFIRMED")]}}, []),
        ({"since": (4, 5)}, []),
        ({"accounts": [8]}, []),
        ({"eras": range(91, 100)}, ["pay: no longer 90"]),
        ({"fee": 11}, ["fee: was 10 planck, is 11 planck"]),
        ({"payer": USER, "parts": None}, ["parts: was 1, is until_empty", f"payer: was {PAYER}, is {USER}"]),
    ],
)
def test_an_approval_outlives_newer_and_paid_eras_and_nothing_else(changed, told):
    approved = plan(eras=range(90, 100))
    now = plan(**{"eras": range(90, 100), **changed})
    assert differences(json.loads(json.dumps(approved.as_dict())), now) == told
