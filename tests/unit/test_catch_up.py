"""Finding what is owed, and paying it in turn."""

from dataclasses import replace
from datetime import timedelta

import pytest

from staking_gateway.catch_up.lost import EXPIRED, REVIEWED_BEFORE, note_lost_eras
from staking_gateway.catch_up.plan import Budget, approved_terms
from staking_gateway.catch_up.survey import Request, survey, write_notices
from staking_gateway.eras.calendar import EraAnchor, EraCalendar
from staking_gateway.eras.expiry import Depths
from staking_gateway.errors import ActiveEraDoubtful, GatewayUnreachable, InvalidEra, Unauthorized
from staking_gateway.ledger import Actor
from staking_gateway.payout.decide import PAYS_BY_ITSELF
from staking_gateway.payout.drive import Patience, pay_eras
from staking_gateway.payout.outcomes import Outcome
from tests.support.growth import statements
from tests.support.transactions import death_at
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


def look(world, *, depth=9, start=None, calendar=None, accounts=(), **request):
    return survey(
        world.terms,
        world.gateway,
        world.ledger,
        kept=Depths(depth, tuple(accounts)),
        calendar=calendar,
        since=calendar.first_era_from(start) if start else None,
        request=Request(**request),
        clock=world.now,
    )


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


def test_eras_before_the_start_date_are_nobodys_business_unless_asked_for(world):
    calendar = calendar_of(world)
    start = calendar.start(world.era - 1)
    plan = look(world, calendar=calendar, start=start)
    assert plan.eras == [world.era - 1, world.era]
    assert plan.notes == (
        f"eras before {world.era - 1} started before the start_date, and are ignored unless they are requested",
    )
    assert look(world, calendar=calendar, start=start, first=world.era - 4).eras[0] == world.era - 4


def test_chosen_eras_are_planned_alone_and_the_paid_ones_are_named(world):
    newest, calendar = world.era, calendar_of(world)
    world.drive(newest - 2)
    plan = look(world, calendar=calendar, eras=f"{newest}, {newest - 4}-{newest - 2}")
    assert (plan.eras, plan.paid, plan.notes) == ([newest - 4, newest - 3, newest], (newest - 2,), ())
    same = look(world, calendar=calendar, first=newest - 4, budget=Budget(eras=2))
    assert look(world, calendar=calendar, eras=f"{newest - 4}-{newest - 3}").hash == same.hash, "the same decisions"
    with pytest.raises(InvalidEra, match=f"eras: era {newest - 4} started before the start_date"):
        look(world, calendar=calendar, start=calendar.start(newest - 3), eras=f"{newest - 4}")


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
    said = write_notices(plan, world.ledger, ACTOR)
    assert [line for line in said if "EXPIRED" in line] == [
        f"era {era} was never paid and has EXPIRED; its rewards are gone" for era in plan.expired
    ]
    again = look(world, depth=3)
    assert (again.expired, write_notices(again, world.ledger, ACTOR)) == ((), [])
    assert [notice.era for notice in world.ledger.journal.notices(NETWORK, EXPIRED)] == list(plan.expired)


def test_each_expired_era_is_reported_once_though_no_plan_reads_the_oldest_again(world):
    first = world.era
    world.drive(first)  # from here on this ledger is responsible
    paid, reported = [first], []
    for _ in range(5):
        world.elapse(4 * ERA_LENGTH)
        paid.append(world.era)
        world.drive(world.era)
        plan = look(world, depth=3)
        write_notices(plan, world.ledger, ACTOR)
        reported += plan.expired
    reviewed = world.ledger.journal.last_noted(NETWORK, REVIEWED_BEFORE)
    assert reported == sorted({*range(first, world.era - 2)} - {*paid})
    assert first + 9 < reviewed <= world.era - 2
    with statements() as seen:
        look(world, depth=3)
    read = [parameters for text, parameters in seen if text.startswith("SELECT payouts.id")]
    assert min(one for parameters in read for one in parameters if isinstance(one, int)) == reviewed


def check(world, *, depth=3):
    """What a task does that checks the network, and is no catch-up."""
    expired = range(world.ledger.oldest_era(NETWORK), world.era + 1 - depth)
    note_lost_eras(world.ledger, NETWORK, expired, depth=depth, actor=ACTOR)
    return expired


def test_a_plan_has_each_lost_era_also_where_no_catch_up_has_run_for_long(world):
    first, paid = world.era, {world.era}
    world.drive(first)  # from here on this ledger is responsible
    for _ in range(5):
        world.elapse(4 * ERA_LENGTH)
        paid.add(world.era)
        world.drive(world.era)
        expired = check(world)
        assert look(world, depth=3).expired == tuple(sorted({*expired} - paid))
    assert world.ledger.journal.last_noted(NETWORK, REVIEWED_BEFORE) > first + 9
    write_notices(look(world, depth=3), world.ledger, ACTOR)
    assert look(world, depth=3).expired == ()
    check(world)
    assert look(world, depth=3).expired == (), "each is reported once"


def test_a_noted_era_that_turns_out_to_be_paid_is_not_reported(world):
    first = world.era
    world.drive(first)
    world.elapse(6 * ERA_LENGTH)
    check(world)
    assert first + 1 in look(world, depth=3).expired
    world.drive(first + 1)  # the confirmation of an earlier payload comes late
    assert first + 1 not in look(world, depth=3).expired


@pytest.mark.parametrize("step", [0, 1, 2, 6, 7])
def test_a_check_that_dies_loses_no_era(world, step):
    world.drive(world.era)
    world.elapse(6 * ERA_LENGTH)
    lost = look(world, depth=3).expired
    assert len(lost) == 3, "each is a transaction of a statement and a commit, and so is the note of the checked eras"
    with death_at(step):
        check(world)
    assert (look(world, depth=3).expired, world.ledger.journal.last_noted(NETWORK, REVIEWED_BEFORE)) == (lost, None)
    check(world)
    assert look(world, depth=3).expired == lost
    assert world.ledger.journal.last_noted(NETWORK, REVIEWED_BEFORE) == lost[-1] + 1


def test_what_a_catch_up_once_saw_and_left_is_missed_when_it_expires(world):
    first = look(world, depth=4, budget=Budget(eras=1))
    write_notices(first, world.ledger, ACTOR)
    world.elapse(2 * ERA_LENGTH)
    assert look(world, depth=4).expired == tuple(owed.era for owed in first.unpaid[:2])


def test_each_warning_is_given_once_for_each_era(world):
    newest = world.era
    plan = look(world, depth=10, first=newest, last=newest)
    assert write_notices(plan, world.ledger, ACTOR) == []
    seen = []
    for _ in range(9):
        world.elapse(ERA_LENGTH)
        seen += write_notices(look(world, depth=10, first=newest, last=newest), world.ledger, ACTOR)
    assert [line.split(" expires in ")[1].split(" era")[0] for line in seen] == ["6", "3", "1"]
    kinds = [notice.kind for notice in world.ledger.journal.notices(NETWORK) if notice.era == newest]
    assert kinds == ["expiry_50_of_10", "expiry_80_of_10", "expiry_95_of_10", "watched_from"]


def test_no_expiry_is_reported_while_the_chains_era_cannot_be_true(world):
    calendar, wrong = calendar_of(world), calendar_of(world, ahead=17)
    world.drive(world.era)
    world.elapse(6 * ERA_LENGTH)
    plan = look(world, depth=3, calendar=wrong)
    assert plan.expired == ()
    with pytest.raises(ActiveEraDoubtful, match=r"calendar\.max_drift 10, so nothing is signed"):
        plan.check()
    assert "and no expiry is reported" in plan.notes[0]
    assert write_notices(plan, world.ledger, ACTOR) == []
    right = look(world, depth=3, calendar=calendar)
    assert len(right.expired) == 3
    assert len(write_notices(right, world.ledger, ACTOR)) > 3


def test_a_chain_that_stood_still_is_caught_up_and_its_eras_do_not_expire_unpaid(world):
    paid = world.era
    world.drive(paid)
    world.elapse(2 * ERA_LENGTH)
    behind = look(world, calendar=calendar_of(world, ahead=-20))
    behind.check()
    assert behind.eras
    world.gateway.active_era = lambda: paid  # no chain goes back to an era that was paid
    with pytest.raises(ActiveEraDoubtful, match="nothing is signed"):
        look(world, calendar=calendar_of(world, ahead=-20)).check()


@pytest.mark.parametrize("away", [-11, -10, 10, 11])
def test_only_a_person_approves_eras_of_a_gateway_that_is_far_from_the_calendar(world, away):
    terms = replace(world.terms, calendar=calendar_of(world, ahead=away))
    plan = look(world, calendar=terms.calendar, first=world.era)
    assert f"active era: {world.era + 1 - away} from calendar, {world.era + 1} from chain" in plan.notes[0]
    if abs(away) <= 10:
        plan.check()
    else:
        with pytest.raises(ActiveEraDoubtful, match="nothing is signed"):
            plan.check()
    if away == 11:
        with pytest.raises(ActiveEraDoubtful, match="nothing is signed"):
            pay(world, plan, terms=terms)
        assert world.gateway.sent == []
        terms = approved_terms(terms, plan)
    assert [outcome.outcome for outcome in pay(world, plan, terms=terms)] == [Outcome.PAID]


def test_the_era_that_a_node_tells_needs_no_calendar(world):
    terms = replace(world.terms, calendar=calendar_of(world, ahead=1000))
    world.gateway.era_paid = lambda era: None
    plan = look(world, calendar=terms.calendar, first=world.era)
    plan.check()
    assert [outcome.outcome for outcome in pay(world, plan, terms=terms)] == [Outcome.PAID]


def test_an_approved_plan_is_paid_at_no_higher_fee(world):
    plan = look(world, first=world.era - 2)
    world.control("fee", amount=str(plan.fee + 1))
    outcomes = pay(world, plan, terms=approved_terms(world.terms, plan))
    assert {outcome.outcome for outcome in outcomes} == {Outcome.HELD_FEE}
    assert world.gateway.sent == []
    lower = replace(world.terms, max_fee_per_payout=plan.fee - 1)
    assert approved_terms(lower, plan) == lower


def test_eras_are_paid_in_turn_each_once(world):
    plan = look(world)
    outcomes = pay(world, plan)
    assert [outcome.era for outcome in outcomes] == plan.eras
    found = [outcome.outcome for outcome in outcomes]
    assert found == [Outcome.ALREADY_PAID] * 4 + [Outcome.PAID] * 5
    assert [payout["era"] for payout in world.truth()["payouts"]] == plan.eras[4:]
    assert look(world, last=plan.eras[-1]).unpaid == ()


def test_one_that_cannot_be_paid_does_not_stop_the_others_and_a_refused_token_stops_all(world):
    first = world.era - 2
    plan = look(world, first=first)
    world.gateway.lose = [GatewayUnreachable("no", method="send")] * 8
    outcomes = pay(world, plan, patience=Patience(confirmation=timedelta(seconds=30)))
    assert [outcome.outcome for outcome in outcomes] == [Outcome.UNKNOWN, Outcome.PAID, Outcome.PAID]
    left = look(world, first=first, last=first + 2)
    assert left.eras == [first]
    world.gateway.lose = [Unauthorized("no token", method="send", status=401)]
    assert pay(world, left)[0].outcome is Outcome.PAID, "the later eras have sent its payload again"
    with pytest.raises(Unauthorized):
        pay(world, look(world, first=first - 1))


def test_a_window_that_stays_open_holds_an_era_for_as_long_as_it_may(world):
    world.control("window", state="open")
    told, era = [], world.era
    (outcome,) = pay(
        world, look(world, first=era), patience=Patience(window=timedelta(seconds=60)), on_wait=told.append
    )
    assert outcome.outcome is Outcome.HELD_WINDOW
    assert [wait.message for wait in told] == [f"era {era}: the election window is open"]
    assert world.gateway.sent == []


def test_a_run_never_pays_more_fees_than_its_budget(world):
    fee = look(world).fee
    plan = look(world, first=world.era - 4, budget=Budget(fees=3 * fee))
    assert len(plan.pay) == 3
    limited = replace(world.terms, max_fee_per_run=3 * fee)
    world.control("fee", amount=str(2 * fee))
    outcomes = pay(world, plan, terms=limited)
    assert [outcome.outcome for outcome in outcomes] == [Outcome.PAID, Outcome.HELD_FEE, Outcome.HELD_FEE]
    assert "on top of this run's" in outcomes[1].reason
    assert world.truth()["fees_charged"] == str(2 * fee)
