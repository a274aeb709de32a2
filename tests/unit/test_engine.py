"""What the engine does beside deciding: it reads facts, drives other parts on, names accounts, and writes who settled a part."""

from datetime import timedelta

import pytest

from staking_gateway.eras import EraAnchor, EraCalendar
from staking_gateway.errors import ConnectionLost, Failed
from staking_gateway.ledger import Actor, PayoutState
from staking_gateway.payout import EraOutcome, PayoutEngine, Wait
from staking_gateway.payout.evidence import Ask, Evidence, Fact
from staking_gateway.payout.outcomes import WaitFor
from staking_gateway.signing import LocalSigner, ProofMaker
from staking_gateway.types import AccountId, ConfirmBy
from tests.support.failed import fails
from tests.support.ledgers import judged, ledger_url, signed
from tests.support.simulated import ALICE, BOB, CHARLIE, DAVE
from tests.support.story_world import ACTIVE, FEE, STAKING, Sent, World
from tests.support.world import START


@pytest.fixture
def make_world(tmp_path):
    worlds = []
    with ledger_url("sqlite", tmp_path) as url:

        def make(**settings):
            worlds.append(World(url, [], settings))
            return worlds[-1]

        yield make
        for world in worlds:
            world.ledger.close()


def plan(world, era, **accounts):
    terms = world.terms
    known = {"user": terms.user, "payer": terms.payer, "relayer": terms.relayer, **accounts}
    return world.ledger.plan("testnet", era, 0, **known, actor=Actor("run"), chain=terms.lane)


def test_the_lane_of_a_nonce_tells_whether_the_ledger_signed_the_one_before_and_the_one_after(make_world):
    world = make_world()
    for era, nonce in ((8, 0), (9, 2)):
        signed(world.ledger, plan(world, era), staking_nonce=nonce)
    lanes = [world.engine()._lane(plan(world, 10), world.terms.user.hex, nonce) for nonce in range(5)]
    sides = [(lane.before_signed, lane.next_signed, len(lane.rivals)) for lane in lanes]
    assert sides == [(False, False, 1), (True, True, 0), (False, False, 1), (True, False, 0), (False, False, 0)]
    assert {(lane.lowest, lane.highest) for lane in lanes} == {(0, 2)}


def test_a_payer_is_busy_for_a_while_with_the_payload_of_another_user_only(make_world):
    world = make_world()
    for era, user in ((9, DAVE.account), (10, ALICE.account)):
        signed(world.ledger, plan(world, era, user=user), payment_nonce=era, signed_at=world.now())
    engine, lane, payer = world.engine(), world.terms.lane, CHARLIE.account.hex
    assert (engine._busy(lane, payer, 9).era, engine._busy(lane, payer, 10)) == (9, None)
    for era in (12, 11):
        signed(world.ledger, plan(world, era, user=DAVE.account), payment_nonce=9, signed_at=world.now())
    assert engine._busy(lane, payer, 9).era == 11, "the newest one to sign it"
    signed(world.ledger, plan(world, 13, user=ALICE.account), payment_nonce=9, signed_at=world.now())
    assert engine._busy(lane, payer, 9) is None, "which is of the same user"
    signed(world.ledger, plan(world, 14, user=DAVE.account), payment_nonce=9, signed_at=world.now())
    assert engine._busy(lane, payer, 9).era == 14
    world.elapse(world.terms.settle_within.total_seconds())
    assert engine._busy(lane, payer, 9) is None
    world.fast = -86400
    assert engine._busy(lane, payer, 9) is None, "the clock went back"


def test_a_payment_nonce_is_shared_with_each_part_that_signed_it_and_used_by_the_copy_that_executed(make_world):
    world = make_world()
    key = world.terms.lane, CHARLIE.account.hex, 7
    first, second = (signed(world.ledger, plan(world, era), payment_nonce=7) for era in (8, 9))

    def known(fact, part):
        seen = Evidence()
        world.engine()._read(Ask(fact, key), part, seen)
        return seen.readings[fact, key].value

    assert known(Fact.KEY_SHARED, first) is known(Fact.KEY_SHARED, second) is True
    first = judged(world.ledger, first, PayoutState.REJECTED, executed=first.last.id)
    assert not known(Fact.KEY_USED, second), "it is not confirmed"
    first = judged(world.ledger, signed(world.ledger, first, staking_nonce=70, payment_nonce=8))
    assert not known(Fact.KEY_USED, second), "a copy with another one was executed"
    judged(world.ledger, second)
    assert known(Fact.KEY_USED, first)
    key = world.terms.lane, CHARLIE.account.hex, 8
    assert not known(Fact.KEY_SHARED, first)


def test_an_era_goes_on_in_the_same_call_once_the_one_before_it_only_waits_for_finality(make_world):
    """The staking nonce was read before the payload of era 10 executed."""
    world = make_world()
    engine = world.engine()
    world.step(10, engine)
    world.elapse(1)
    waits = engine.advance(11)
    assert (waits.reason, len(world.gateway.sent)) == (WaitFor.LANE, 1)
    read = world.gateway.nonce

    def slowly(account, kind):
        told = read(account, kind)
        world.elapse(12 * (kind is STAKING))
        return told

    world.gateway.nonce = slowly
    engine.advance(11)
    assert [(payload.era, payload.staking) for _, payload in world.gateway.sent] == [(10, 5), (11, 6)]


def test_a_state_that_cannot_be_read_leaves_the_nonce_as_a_witness(make_world):
    world = make_world()
    world.step(10, world.engine())

    def lost(_):
        raise ConnectionLost("reset", method="requestState")

    world.gateway.request_state = lost
    world.must_pay(10)
    assert world.ledger.payout("testnet", 10, 0).confirmed_by == ConfirmBy.NONCE.value


@pytest.mark.parametrize(
    ("node", "ahead", "believed"), [(True, 60, True), (False, 60, False), (False, 0, True), (False, -60, True)]
)
def test_an_active_era_far_ahead_of_the_calendar_is_believed_of_a_node_only(make_world, node, ahead, believed):
    calendar = EraCalendar((EraAnchor(ACTIVE + 60 - ahead, START, timedelta(days=1)),))
    world = make_world(node=node, calendar=calendar)
    world.gateway.active_era = lambda: ACTIVE + 60
    engine = world.engine(history_depth=100)
    if believed:
        assert engine.advance(10).reason is WaitFor.CONFIRMATION
        return
    with fails(Failed.DOUBTFUL_ERA):
        engine.advance(10)
    assert world.gateway.sent == []


def test_a_part_names_who_settled_it_and_nobody_before_or_after(make_world):
    world = make_world(confirm_by=ConfirmBy.NONE)
    engine = world.engine(confirm_by=ConfirmBy.AUTO)
    world.step(10, engine)
    world.elapse(18)
    world.step(10, engine)
    looked = world.ledger.payout("testnet", 10, 0)
    assert ([seen.kind.value for seen in looked.sightings], looked.settled_by) == (["passed"], None)
    settles = world.engine()
    for era in (11, 10):
        world.until_outcome(era, settles)
        assert world.ledger.payout("testnet", era, 0).settled_by == f"run#{world.tries}"
    green = world.ledger.payout("testnet", 11, 0)
    world.elapse(12)
    world.step(9, world.engine())
    driven = world.ledger.payout("testnet", 11, 0)
    assert (driven.state, driven.settled_by) == (PayoutState.CONFIRMED, green.settled_by)


def test_the_payload_that_is_signed_is_the_one_that_is_sent_and_answered(make_world):
    world = make_world()
    world.gateway.door = [Sent("invalid fee authorisation", runs=None)]
    world.step(10, world.engine())
    world.gateway.fee = 2 * FEE
    world.must_pay(10)
    part = world.ledger.payout("testnet", 10, 0)
    assert [[send.answer for send in copy.sends] for copy in part.copies] == [["refused"], ["accepted"]]
    assert [payload.fee for _, payload in world.gateway.sent] == [FEE, 2 * FEE]


def test_of_two_payers_the_one_paid_whose_nonce_no_other_era_has_signed(make_world):
    world = make_world()
    world.gateway.request_state = lambda _: None
    world.gateway.door = [Sent(runs=1000), Sent("try later", runs=None)]
    world.step(10, world.engine())
    world.elapse(990)
    engine = world.engine(payer=DAVE.account)
    world.step(10, engine)
    signed(world.ledger, plan(world, 9), payer_key=DAVE.account.hex, payment_nonce=7)
    world.chain.charge(DAVE.account, world.time)
    world.elapse(20)
    world.until_outcome(10, engine)
    part = world.ledger.payout("testnet", 10, 0)
    assert (len(part.copies), part.last.payer_key) == (2, CHARLIE.account.hex)


def test_a_process_takes_the_clock_it_is_given_or_else_that_of_its_ledger(make_world):
    world = make_world()
    engine = PayoutEngine(world.terms, world.gateway, ProofMaker(ALICE, CHARLIE), world.ledger, Actor("run"))
    assert isinstance(engine.advance(10), Wait)
    ahead = timedelta(days=1)
    own = PayoutEngine(
        world.terms,
        world.gateway,
        ProofMaker(ALICE, CHARLIE),
        world.ledger,
        Actor("run"),
        clock=lambda: world.now() + ahead,
    )
    world.elapse(90)
    while not isinstance(own.advance(10), EraOutcome):
        world.elapse(60)
    own.advance(11)
    parts = [world.ledger.payout("testnet", era, 0) for era in (10, 11)]
    assert [part.copies[0].signed_at - part.copies[0].sends[0].began for part in parts] == [timedelta(0), ahead]


def test_an_account_keeps_its_configured_spelling_while_it_is_the_same(make_world):
    world = make_world()
    accounts = {"relayer": AccountId.parse(BOB.account.hex), "payer": AccountId.parse(CHARLIE.account.address)}
    engine, sent = world.engine(**accounts), []
    send = world.gateway.payout_stakers
    world.gateway.payout_stakers = lambda **given: sent.append(given) or send(**given)
    engine.advance(10)
    assert [sent[0][role].spelling for role in accounts] == [BOB.account.hex, CHARLIE.account.address]
    stranger = LocalSigner("//Eve").account
    assert engine._account(stranger.hex) == stranger
