"""What is owed: which eras a catch-up pays, in which order; expiry; plans that are approved; and paying them in turn."""

import json
from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from staking_gateway.catch_up import (
    Request,
    approved_plan,
    differences,
    requested_eras,
    survey,
    terms_by_hash,
    write_notices,
)
from staking_gateway.config.models import NetworkConfig
from staking_gateway.eras import Countdown, EraAnchor, EraCalendar, payable_eras
from staking_gateway.errors import Failed, InvalidEra, InvalidInput
from staking_gateway.ledger import Actor, PayoutState
from staking_gateway.payout.copies import NEVER_TRIED, is_paid, why_unpaid
from staking_gateway.payout.decide import PAYS_BY_ITSELF
from staking_gateway.payout.drive import pay_eras
from staking_gateway.payout.terms import PayoutTerms
from tests.support.failed import fails
from tests.support.ledgers import PAYER, RELAYER, USER
from tests.support.world import ERA_LENGTH, NETWORK, START

STATES = st.sampled_from(PayoutState)


def record(state, reason=None, hold=None, part=0):
    return SimpleNamespace(state=PayoutState(state), reason=reason, copies=(), sightings=(), hold=hold, part=part)


CALENDAR = SimpleNamespace(era_or_none=lambda now: None, first_era_from=lambda era: era)
TERMS = PayoutTerms("net", RELAYER, USER, PAYER)


def settings(depth, calendar, start=None, accounts=()):
    of, own = SimpleNamespace(eras=calendar, max_drift=10), [SimpleNamespace(history_depth=one) for one in accounts]
    return NetworkConfig.model_construct(history_depth=depth, calendar_settings=of, start_date=start, accounts=own)


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
    network = settings(depth, CALENDAR, since, accounts)
    return survey(replace(TERMS, **terms), gateway, ledger, network, request=Request(**chosen or {}))


def test_eras_that_wait_for_a_person_use_up_no_budget():
    for waits in record(PayoutState.HELD, hold="charged"), record(PayoutState.PLANNED, part=20):
        held = {"since": 98, "records": {98: [waits]}, "parts": None}
        assert (plan(**held, chosen={"max_eras": 1}).eras, plan(**held).eras) == ([99], [99, 98])
    assert plan(**{**held, "max_parts": 21}).eras == [98, 99], "a higher limit pays it in its turn"


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
        ([record("PLANNED")], "planned; nothing was sent (PLANNED)"),
        ([record("CONFIRMED"), record("PLANNED", "no answer")], "planned; nothing was sent (PLANNED): no answer"),
        *(([record("CONFIRMED"), *left], "1 parts are paid, more may be unpaid") for left in ([], [record("PLANNED")])),
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
    found = Countdown(era, 100, 84)
    assert (found.eras_left, found.warning) == (eras_left, warning)


def test_an_account_with_less_time_makes_its_eras_urgent_and_no_other_unpayable():
    for era, left in ((72, 0), (71, 55), (20, 4)):  # of era 71 its share is gone, the others' is not
        assert settings(84, CALENDAR, accounts=(28, 200)).countdown(era, 100).eras_left == left
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
        ({"payer": USER, "parts": None}, [f"payer: was {PAYER}, is {USER}", "parts: was 1, is until_empty"]),
    ],
)
def test_an_approval_outlives_newer_and_paid_eras_and_nothing_else(changed, told):
    approved, now = plan(since=90), plan(**{"since": 90, **changed})
    assert differences(json.loads(json.dumps(approved.as_dict())), now) == told
    assert (approved.hash == now.hash) is (changed == {})


def test_an_approved_plan_pays_its_own_eras_with_its_own_fee():
    made, now = plan(since=98, chosen={"max_eras": 1}), plan(since=98)
    assert ["expires in" in line for line in made.lines()[:3]] == [False, True, True]
    told = {1: "call, 1", 3: "call, 3 calls an era, 1", None: "call, calls until nothing is left, 1"}
    for parts, words in told.items():
        assert (
            f"2 eras to pay at a fee of 10 planck a {words}"
            in plan(since=97, chosen={"max_eras": 2}, parts=parts).lines()[0]
        )
    journal = SimpleNamespace(plan=lambda network, wanted: made.as_dict() if wanted == made.hash else None)
    approved = approved_plan(journal, made.hash, now)
    assert (now.eras, approved.eras, approved.later) == ([98, 99], [98], ())
    with pytest.raises(InvalidInput, match="there is no plan 'x' of net"):
        approved_plan(journal, "x", now)
    with pytest.raises(InvalidInput, match=r"the plan has changed: .*was 10 planck, is 11 planck"):
        approved_plan(journal, made.hash, plan(since=98, fee=11))
    assert terms_by_hash(TERMS, journal, made.hash, 98).max_fee_per_payout == 10
    for asked in ((made.hash, 99), ("x", 98)):  # an approval of something else is none
        with pytest.raises(InvalidInput, match=f"no plan '{asked[0]}' of net pays era {asked[1]}"):
            terms_by_hash(TERMS, journal, *asked)
    for edited in ({"payer": USER}, {"parts": None}, {"parts": 2}):  # the settings were edited since
        with pytest.raises(InvalidInput, match="pays era 98 with these accounts and"):
            terms_by_hash(replace(TERMS, **edited), journal, made.hash, 98)


ACTOR = Actor("catch-up")


@pytest.fixture
def world(make_world):
    return make_world(unpaid_eras=5)


def calendar_of(world, *, ahead=0):
    length = timedelta(seconds=ERA_LENGTH)
    return EraCalendar((EraAnchor(world.era + 1, START + ahead * length, length),))


def look(world, *, depth=9, calendar=None, **request):
    network = settings(depth, calendar or calendar_of(world))
    return survey(world.terms, world.gateway, world.ledger, network, request=Request(**request), clock=world.now)


def pay(world, plan, **options):
    engine = world.engine("catch-up", terms=options.pop("terms", None))
    clock = options.pop("clock", lambda: world.real)
    outcomes = {one.era: one for one in pay_eras(engine, plan.eras, sleep=world.elapse, clock=clock, **options)}
    return [outcomes[era] for era in plan.eras]


def test_every_era_that_can_be_paid_and_is_not_in_the_ledger_is_found_and_looking_writes_nothing(world):
    newest = world.era
    plan = look(world)
    assert plan.eras == list(range(newest - 8, newest + 1))
    assert (world.gateway.sent, world.ledger.journal.notices(NETWORK)) == ([], [])
    assert world.ledger.oldest_era(NETWORK) is None
    world.drive(newest)
    assert (look(world).eras, look(world).paid) == (list(range(newest - 8, newest)), (newest,))
    world.gateway.missing.add("getActiveEra")
    with pytest.raises(InvalidEra, match="node_conn_id"):
        look(world)


def test_on_a_chain_that_pays_by_itself_nothing_is_owed(world):
    calendar = calendar_of(world)
    world.drive(world.era)
    world.elapse(6 * ERA_LENGTH)
    world.gateway.automatic = True
    plan = look(world, depth=3, calendar=calendar)
    assert (plan.paid, plan.unpaid, plan.expired) == ((), (), ())
    assert plan.notes == (PAYS_BY_ITSELF,)


def test_what_was_never_paid_and_is_gone_is_said_once(world):
    newest, calendar = world.era, calendar_of(world)
    assert look(world, calendar=calendar).notes == ()
    world.drive(newest)  # from here on this ledger is responsible
    world.elapse(6 * ERA_LENGTH)
    assert look(world, depth=3, first=world.era).expired == (), "outside of what was asked for"
    plan = look(world, depth=3)
    assert plan.expired == (newest + 1, newest + 2, newest + 3)
    assert plan.eras == [newest + 4, newest + 5, newest + 6][-len(plan.eras) :]
    said = write_notices(plan, world.ledger)
    assert [line for line in said if "rewards are gone" in line] == [
        f"a catch-up reported era {era} while era {plan.active} was active: never paid, and its rewards are gone"
        for era in plan.expired
    ]
    again = look(world, depth=3)
    assert (again.expired, write_notices(again, world.ledger)) == ((), [])
    assert world.ledger.views.report(NETWORK, range(newest, newest + 7), since=newest).states["EXPIRED"] == 3


def test_what_a_catch_up_once_saw_and_left_is_missed_when_it_expires(world):
    first = look(world, depth=4, max_eras=1)
    write_notices(first, world.ledger)
    world.elapse(2 * ERA_LENGTH)
    assert look(world, depth=4).expired == tuple(owed.era for owed in first.unpaid[:2])


def test_each_warning_is_given_once_for_each_era(world):
    newest = world.era
    plan = look(world, depth=10, first=newest, last=newest)
    assert write_notices(plan, world.ledger) == []
    seen = []
    for _ in range(9):
        world.elapse(ERA_LENGTH)
        seen += write_notices(look(world, depth=10, first=newest, last=newest), world.ledger)
    assert [line.split(" expires ")[1].split(",")[0] for line in seen] == ["in 5 eras", "in 2 eras", "now"]
    kinds = [notice.kind for notice in world.ledger.journal.notices(NETWORK) if notice.era == newest]
    assert kinds == ["expiry_50_of_10", "expiry_80_of_10", "expiry_95_of_10", "watched_from"]


def test_no_expiry_is_reported_while_the_chains_era_cannot_be_true(world):
    calendar, wrong = calendar_of(world), calendar_of(world, ahead=17)
    world.drive(world.era)
    world.elapse(6 * ERA_LENGTH)
    plan = look(world, depth=3, calendar=wrong)
    assert plan.expired == ()
    with fails(Failed.DOUBTFUL_ERA, match=r"calendar\.max_drift 10, so nothing is signed"):
        plan.seen.check(NETWORK)
    assert write_notices(plan, world.ledger) == []
    right = look(world, depth=3, calendar=calendar)
    assert len(right.expired) == 3
    assert len(write_notices(right, world.ledger)) > 3


def test_a_chain_that_stood_still_is_caught_up_and_its_eras_do_not_expire_unpaid(world):
    paid = world.era
    world.drive(paid)
    world.elapse(2 * ERA_LENGTH)
    behind = look(world, calendar=calendar_of(world, ahead=-20))
    behind.seen.check(NETWORK)
    assert behind.eras
    world.gateway.active_era = lambda: paid  # no chain goes back to an era that was paid
    with fails(Failed.DOUBTFUL_ERA, match="nothing is signed"):
        look(world, calendar=calendar_of(world, ahead=-20)).seen.check(NETWORK)
