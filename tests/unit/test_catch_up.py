"""Finding what is owed, and paying it in turn."""

from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace

import pytest

from staking_gateway.catch_up import Request, approved_terms, survey, write_notices
from staking_gateway.eras import Depths, EraAnchor, EraCalendar
from staking_gateway.errors import Failed, InvalidEra
from staking_gateway.gateway.gateway import Gateway
from staking_gateway.ledger import Actor
from staking_gateway.payout.decide import PAYS_BY_ITSELF
from staking_gateway.payout.drive import pay_eras
from staking_gateway.payout.outcomes import Outcome
from staking_gateway.types import ElectionWindow
from tests.support.failed import fails
from tests.support.world import ERA_LENGTH, NETWORK, START, World

ACTOR = Actor("catch-up")


@pytest.fixture
def world(tmp_path):
    made = World(tmp_path, unpaid_eras=5)
    yield made
    made.close()


def calendar_of(world, *, ahead=0):
    length = timedelta(seconds=ERA_LENGTH)
    return EraCalendar((EraAnchor(world.era + 1, START + ahead * length, length),))


def look(world, *, depth=9, start=None, calendar=None, **request):
    calendar = calendar or calendar_of(world)
    first = calendar.first_era_from(start) if start else None
    network = SimpleNamespace(depths=Depths(depth), calendar=calendar, first_era=first)
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
    seen = world.ledger.journal.active_era(NETWORK)
    assert (seen.active, seen.history_depth) == (plan.active, 3)


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
        plan.check()
    assert write_notices(plan, world.ledger) == []
    right = look(world, depth=3, calendar=calendar)
    assert len(right.expired) == 3
    assert len(write_notices(right, world.ledger)) > 3


def test_a_chain_that_stood_still_is_caught_up_and_its_eras_do_not_expire_unpaid(world):
    paid = world.era
    world.drive(paid)
    world.elapse(2 * ERA_LENGTH)
    behind = look(world, calendar=calendar_of(world, ahead=-20))
    behind.check()
    assert behind.eras
    world.gateway.active_era = lambda: paid  # no chain goes back to an era that was paid
    with fails(Failed.DOUBTFUL_ERA, match="nothing is signed"):
        look(world, calendar=calendar_of(world, ahead=-20)).check()


@pytest.mark.parametrize("away", [-11, -10, 10, 11])
def test_only_a_person_approves_eras_of_a_gateway_that_is_far_from_the_calendar(world, away):
    terms = replace(world.terms, calendar=calendar_of(world, ahead=away))
    plan = look(world, calendar=terms.calendar, first=world.era)
    if abs(away) <= 10:
        plan.check()
    else:
        with fails(Failed.DOUBTFUL_ERA, match="nothing is signed"):
            plan.check()
    if away == 11:
        with fails(Failed.DOUBTFUL_ERA, match="nothing is signed"):
            pay(world, plan, terms=terms)
        assert world.gateway.sent == []
        terms = approved_terms(terms, plan.fee)
    assert [outcome.outcome for outcome in pay(world, plan, terms=terms)] == [Outcome.PAID]


def test_the_era_that_a_node_tells_needs_no_calendar(world):
    terms = replace(world.terms, calendar=calendar_of(world, ahead=1000))
    chain = SimpleNamespace(
        active_era=world.gateway.active_era(),
        pays_by_itself=False,
        window=ElectionWindow.CLOSED,
    )
    world.gateway = Gateway(world.gateway, SimpleNamespace(state=lambda: chain, era_paid=lambda era: None))
    plan = look(world, calendar=terms.calendar, first=world.era)
    plan.check()
    assert [outcome.outcome for outcome in pay(world, plan, terms=terms)] == [Outcome.PAID]


def test_a_run_never_pays_more_fees_than_its_budget(world):
    fee = look(world).fee
    plan = look(world, first=world.era - 4, max_fees=3 * fee)
    assert len(plan.pay) == 3
    limited = replace(world.terms, max_fee_per_run=3 * fee)
    world.control("fee", amount=str(2 * fee))
    outcomes = pay(world, plan, terms=limited)
    assert [outcome.outcome for outcome in outcomes] == [Outcome.PAID, Outcome.HELD_FEE, Outcome.HELD_FEE]
    assert "on top of this run's" in outcomes[1].reason
    assert world.truth()["fees_charged"] == str(2 * fee)
