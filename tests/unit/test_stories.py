"""Stories: what a chain, a gateway, a database or a person does to a payout, and what must not come of it.

Each story was found by a search, and broke an earlier engine. In all of them: no era is executed twice, no era is green that the final
chain has not paid, no more fees are signed than a limit allows, and an era that can be paid ends green in bounded time. (5,7) is a
payload with staking nonce 5 of the user and payment nonce 7 of the payer. Eras 10 and 11 can be paid; era 12 ends at noon.
"""

import itertools
import random
from contextlib import ExitStack, closing, suppress
from dataclasses import replace

import pytest

from staking_gateway.errors import LedgerConflict, StakingGatewayError
from staking_gateway.ledger import Actor
from staking_gateway.payout import EraOutcome
from staking_gateway.signing import ProofMaker
from staking_gateway.types import ConfirmBy, RequestStatus
from tests.support.ledgers import KINDS, ledger_url
from tests.support.simulated import ALICE, BOB, CHARLIE, DAVE
from tests.support.story_world import (
    FEE,
    HOUR,
    NEXT_ERA,
    PAYMENT,
    STAKING,
    Payload,
    Sent,
    World,
    is_green,
    watch_commits,
)
from tests.support.world import Crash

REJECTED, PROCESSED = RequestStatus.REJECTED, RequestStatus.PROCESSED
REJECTED_FOR_EVER = ((0, REJECTED),)
DAY = 24 * HOUR


@pytest.fixture(params=KINDS)
def make_world(request, tmp_path, monkeypatch):
    with ExitStack() as stack:
        url = stack.enter_context(ledger_url(request.param, tmp_path))
        commits = watch_commits(url, monkeypatch)

        def make(**settings):
            world = World(url, commits, settings)
            stack.enter_context(closing(world.ledger))
            return world

        yield make


def proofs_of(era, staking, payment, *, fee=FEE):
    """Ready-made proofs, whose fee is not told."""
    nonces = {"staking_nonce": staking, "payment_nonce": payment}
    made = ProofMaker(ALICE, CHARLIE).make(relayer=BOB.account, era=era, relayer_fee=fee, **nonces)
    return replace(made, relayer_fee=None)


# --- a process or a ledger fails between two steps -------------------------------------------------------------------------


def test_an_era_whose_answer_could_not_be_stored_is_not_signed_anew_after_it_was_paid(make_world):
    world = make_world(calls=2)
    world.gateway.door = [Sent(after=lambda: world.commits.append("not done"))]
    world.must_pay(10)


@pytest.mark.parametrize("fault", ["not done", "not answered"])
def test_an_era_is_not_paid_twice_whichever_commit_fails(make_world, fault):
    world = make_world(calls=2)
    for before in itertools.count():
        world.commits[:] = [None] * before + [fault]
        world.must_pay(11 - before)
        if world.commits:
            break
    assert before > 2, "commits did fail"


def test_a_refusal_that_is_stored_twice_does_not_free_the_payload_of_a_sender_that_stands_still(make_world):
    world = make_world(calls=2, max_replans=0)
    second = world.engine()

    def stand_still():
        world.elapse(150)
        for _ in range(2):
            world.step(10, second)

    def die():
        raise Crash

    refused = Sent("invalid nonce", runs=None, after=lambda: world.commits.append("not answered"))
    world.gateway.door = [Sent(before=stand_still, after=die), refused, refused]
    with pytest.raises(Crash):
        world.step(10, world.engine())
    world.elapse(20)
    world.must_pay(10)


def test_a_ledger_that_is_stopped_while_a_task_decides_sends_nothing(make_world):
    world = make_world()
    gateway, person = world.gateway, Actor("a person")
    read = gateway.relayer_fee

    def read_slowly(*accounts):
        gateway.relayer_fee = read
        world.ledger.stop("an exercise", person)
        return read(*accounts)

    gateway.relayer_fee = read_slowly
    with suppress(StakingGatewayError):
        world.engine().advance(10)
    assert gateway.sent == []
    world.ledger.go(person)
    world.must_pay(10)


# --- refusals, and states that change ------------------------------------------------------------------------------------


def test_a_payload_that_was_refused_and_runs_all_the_same_is_not_followed_by_another(make_world):
    world = make_world(calls=2, max_replans=0)
    world.gateway.door = [Sent("invalid nonce, kept")]
    world.must_pay(10)


def test_the_nonce_of_a_refused_payload_that_runs_does_not_confirm_the_next_era(make_world):
    world = make_world(max_replans=0)
    world.gateway.door = [Sent("invalid nonce, kept", runs=20)]
    world.until_outcome(10, within=10)
    world.gateway.door = [Sent(runs=60)]
    world.must_pay(11, 10)


def test_an_era_that_was_rejected_once_and_then_processed_does_not_stay_red(make_world):
    world = make_world()
    world.gateway.door = [Sent(states=((0, REJECTED), (20, PROCESSED)))]
    world.must_pay(10)


@pytest.mark.parametrize("node", [True, False])
def test_a_rejection_that_is_false_for_ever_does_not_give_the_nonce_away(make_world, node):
    """The request is delivered twice on its way: the first delivery is rejected, the second one runs."""
    world = make_world(calls=2, node=node, max_replans=0)
    world.gateway.always = {10: Sent(runs=100, states=REJECTED_FOR_EVER)}
    world.until_outcome(10, within=90)
    world.gateway.door = [Sent(runs=200)]
    world.drive(11)
    world.drive(10)
    world.must_pay(*[11, 10] if node else [])


def test_a_rejected_era_is_not_green_because_something_else_used_its_nonce(make_world):
    world = make_world()
    world.gateway.always = {10: Sent(runs=None, states=REJECTED_FOR_EVER)}
    foreign = Payload(9, ALICE.account, CHARLIE.account, 5, 7)
    world.later(20, lambda: world.chain.include(foreign, world.time))
    world.drive(10)
    world.check()


def test_an_id_that_the_gateway_used_before_does_not_make_a_paid_era_red(make_world):
    world = make_world(words=False)
    used = "00000000-0000-0000-0000-00000000abcd"
    world.gateway.door = [Sent(runs=None, states=REJECTED_FOR_EVER, request_id=used)]
    world.drive(10)
    world.gateway.always = {11: Sent(request_id=used)}
    world.must_pay(11, 10)


@pytest.mark.parametrize(
    ("first", "second", "shown"),
    [
        (Sent("lost", runs=200), ((0, REJECTED),), None),
        (Sent("lost", runs=200), ((0, PROCESSED), (30, REJECTED)), None),
        (Sent(runs=1000), ((0, PROCESSED), (30, REJECTED)), 1),
    ],
    ids=["failed before the nonce passed", "called Processed before", "called Processed before the first one was"],
)
def test_a_paid_era_shows_no_transaction_of_a_request_that_did_not_pay_it(make_world, first, second, shown):
    """The first of two requests with one payload pays the era; what the gateway told of the second one was stored before."""
    world = make_world()
    world.gateway.door = [first]
    world.gateway.always = {10: Sent(runs=None, states=second)}
    world.must_pay(10)
    (part,) = world.ledger.era_payouts("testnet", 10)
    stored = [send.status for send in part.copies[0].sends[1:]]
    assert {*stored} & {REJECTED.value, PROCESSED.value}
    assert part.tx_hash == (shown and f"0x{shown:064x}")
    (row,) = world.ledger.views.rows("staking_payouts", "testnet", range(10, 11))
    assert (row.tx_hash, row.block_number) == (part.tx_hash, part.block_number)


@pytest.mark.parametrize("sent", [Sent(runs=None, states=REJECTED_FOR_EVER), Sent("lost", runs=None)])
def test_an_era_that_the_chain_never_pays_does_not_hold_up_the_next_one(make_world, sent):
    world = make_world()
    world.gateway.always = {10: sent}
    for _ in range(3):
        world.until_outcome(10, within=120)
    world.must_pay(11)


# --- reads that lag, and forks ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lag", [0, 30])
def test_an_era_is_not_green_for_a_block_that_a_fork_takes_back(make_world, lag):
    world = make_world()
    world.later(50, lambda: world.gateway.lag.update(dict.fromkeys((STAKING, PAYMENT, "request"), lag)))
    world.later(60, lambda: world.chain.undo(10, world.time))
    world.must_pay(10)


@pytest.mark.parametrize(("looks", "confirm_by"), [((18, 92), ConfirmBy.AUTO), ((), ConfirmBy.NONCE)])
def test_an_era_is_not_green_for_two_blocks_that_two_forks_take_back(make_world, looks, confirm_by):
    """Few looks see the payout in two blocks, and do not see it missing. Many looks see it missing between the two."""
    world = make_world(confirm_by=confirm_by)
    chain = world.chain
    world.later(30, lambda: chain.undo(10, world.time))
    world.later(65, lambda: chain.include(world.gateway.sent[0][1], world.time))
    world.later(120, lambda: chain.undo(10, world.time))
    for seconds in looks:
        world.step(10, world.engine())
        world.elapse(seconds)
    world.must_pay(10)


@pytest.mark.parametrize(("slow", "fork"), [(0, 20), (55, 110)])
def test_an_era_is_not_green_for_another_tools_payout_that_a_fork_takes_back(make_world, slow, fork):
    world = make_world()
    world.gateway.door = [Sent("era already paid", runs=None, before=lambda: world.elapse(slow))]
    world.later(slow and slow - 1, lambda: world.chain.pay_by_other_tool(10, world.time))
    world.later(fork, lambda: world.chain.undo(10, world.time))
    world.must_pay(10)


def test_a_first_signature_after_reads_that_were_ahead_does_not_hold_up_the_lane(make_world):
    world = make_world()
    world.gateway.ahead = 1
    world.step(10, world.engine())
    world.gateway.ahead = 0
    world.drive(10)
    world.must_pay(11, 10)


def test_a_nonce_that_a_person_has_given_up_is_not_signed_for_the_same_era_again(make_world):
    """Its payload could execute, and nobody would look. Another era may use the nonce."""
    world = make_world(calls=2)
    refused = Sent("invalid nonce", runs=None)
    world.gateway.ahead, world.gateway.door = 1, [refused]
    world.step(10, world.engine())
    world.gateway.ahead, world.gateway.always = 0, {10: refused}
    world.drive(10)
    world.until_outcome(10, world.engine(again=True), within=600)
    world.must_pay(11)
    world.gateway.always = {}
    world.drive(10)
    world.must_pay(9, 10)


def test_a_nonce_that_a_person_has_given_up_is_signed_for_the_next_era(make_world):
    """Its payload was accepted, and may still execute."""
    world = make_world(calls=2)
    world.gateway.ahead, world.gateway.door = 1, [Sent(runs=None)]
    world.step(10, world.engine())
    world.gateway.ahead = 0
    world.drive(10)
    world.until_outcome(10, world.engine(again=True))
    world.must_pay(10, 11, 9)


def test_an_era_that_was_green_when_it_was_accepted_is_in_the_way_only_while_it_can_execute(make_world):
    world = make_world(confirm_by=ConfirmBy.NONE)
    world.gateway.request_state, world.gateway.door = lambda _: None, [Sent(runs=None)]
    world.step(10, world.engine())
    world.chain.charge(CHARLIE.account, world.time)
    world.green.clear()  # it was asked not to look
    world.must_pay(11)


def test_an_era_that_was_green_when_it_was_accepted_is_passed_by_when_another_network_used_its_payment_nonce(
    make_world,
):
    world = make_world(confirm_by=ConfirmBy.NONE)
    world.gateway.door = [Sent(runs=None)]
    world.step(10, world.engine())
    world.green.clear()  # it was asked not to look
    world.elapse(HOUR)
    world.must_pay(9, network="other", user=DAVE.account)
    world.must_pay(11)


def test_two_networks_of_one_payer_do_not_send_one_payment_nonce_because_nobody_waits_for_a_confirmation(make_world):
    world = make_world(confirm_by=ConfirmBy.NONE)
    world.step(10, world.engine())
    world.must_pay(9, network="other", user=DAVE.account)


def test_no_fee_is_wasted_on_the_nonce_that_an_era_has_used_which_was_green_when_it_was_accepted(make_world):
    world = make_world(confirm_by=ConfirmBy.NONE, charges=True)
    world.step(10, world.engine())
    world.gateway.always, read = {11: Sent()}, world.gateway.nonce

    def slowly(account, kind):
        told = read(account, kind)
        world.elapse(12 * (kind is STAKING))  # a block comes between the reads
        return told

    world.gateway.nonce = slowly
    world.must_pay(11)
    assert [call.paid for call in world.chain.included] == [True, True]


# --- restored ledgers ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("node", [True, False])
def test_an_era_that_was_being_sent_in_a_backup_is_not_confirmed_by_the_nonce_of_the_next_era(make_world, node):
    world = make_world(node=node, max_replans=0)
    world.gateway.door = [Sent("invalid fee authorisation", runs=None, before=world.backup)]
    world.gateway.always = {10: Sent("invalid fee authorisation", runs=None)}
    world.until_outcome(10, within=3)
    world.drive(11)
    world.gateway.always = {}
    world.green.clear()  # the restored ledger does not know it
    world.restore()
    world.later(80, lambda: world.chain.pay_by_other_tool(10, world.time))
    world.later(139, lambda: world.chain.undo(10, world.time))
    world.drive(10)
    world.must_pay(*[10] if node else [])


@pytest.mark.parametrize("node", [True, False])
def test_an_era_signed_after_a_restore_is_not_confirmed_by_a_payload_that_the_ledger_lost(make_world, node):
    world = make_world(node=node)
    world.backup()
    world.gateway.door = [Sent(runs=300)]
    world.step(10, world.engine())
    world.restore()
    world.gateway.door = [Sent(runs=600)]
    world.drive(11)
    world.must_pay(*[11, 10] if node else [])


# --- changed settings ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("change", [{"payer": DAVE.account}, {"network": "renamed"}], ids=["payer", "network"])
def test_a_payload_that_cannot_be_accepted_any_more_is_not_repeated_until_its_era_expires(make_world, change):
    world = make_world()
    world.gateway.door = [Sent(runs=None)]
    world.step(10, world.engine())
    world.gateway.fee = 2 * FEE
    world.must_pay(10, **change)


def test_a_changed_payer_does_not_cost_more_fees_for_nothing_than_are_allowed(make_world):
    world = make_world(charges=True, max_fees_for_nothing=1)
    world.gateway.runs = 2000
    world.step(10, world.engine())
    world.later(1900, lambda: world.chain.pay_by_other_tool(10, world.time))
    world.drive(10, payer=DAVE.account)
    world.check()
    assert sum(not call.paid for call in world.chain.included) <= 1


# --- fees --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("answer", ["lost", "invalid nonce, kept"])
def test_a_payload_that_may_still_be_charged_does_not_leave_the_sum_of_the_day(make_world, answer):
    world = make_world(charges=True, max_fee_per_day=FEE, max_replans=0)
    world.gateway.door = [Sent(answer, runs=200)]
    world.later(1, lambda: world.chain.pay_by_other_tool(10, world.time))
    world.until_outcome(10, within=190)
    world.elapse(200)
    world.drive(11)
    world.elapse(DAY)
    world.must_pay(11)


def test_an_era_that_costs_fees_for_nothing_does_not_hold_up_the_next_one(make_world):
    world = make_world(charges=True, words=False)
    world.chain.pay_by_other_tool(10, world.time)
    world.drive(10)
    world.must_pay(11)


@pytest.mark.parametrize("seed", range(2))
def test_a_gateway_that_lies_costs_the_limit_of_each_day(make_world, seed):
    """It refuses and keeps, loses, drops, asks for more, and lets nonces rise; tries of all eras go on for two days."""
    world = make_world(charges=True, max_fee_per_day=5 * FEE, max_replans=20, max_fees_for_nothing=20)
    chance = random.Random(seed)
    for _ in range(24):
        world.gateway.fee = FEE * chance.randint(1, 3)
        lies = ("lost", "invalid nonce, kept", "invalid fee authorisation, kept", "era already paid, kept")
        world.gateway.door = [Sent(chance.choice(lies), runs=chance.choice([None, 12, 900])) for _ in range(3)]
        if chance.random() < 0.5:
            world.chain.charge(CHARLIE.account, world.time)
        began = world.time
        world.until_outcome(chance.randrange(12), within=HOUR / 2)
        world.elapse(began + 2 * HOUR - world.time)
    days = world.fees_by_day()
    assert sorted(days) == [0, 1]
    assert 3 * FEE < max(days.values()) <= 5 * FEE


def test_a_payment_nonce_of_two_networks_is_not_counted_twice(make_world):
    world = make_world(max_fee_per_day=2 * FEE)
    other = {"network": "other", "user": DAVE.account}
    world.gateway.door = [Sent("lost", runs=None)]
    world.step(10, world.engine(**other))
    world.must_pay(11)
    world.must_pay(10, **other)


def test_two_tasks_that_sign_for_two_users_at_the_same_moment_do_not_exceed_the_limit_of_a_day(make_world):
    world = make_world(max_fee_per_day=FEE)
    faster, sign = world.engine(user=DAVE.account, payer=ALICE.account), world.ledger.sign

    def slowly(*asked, **more):
        world.ledger.sign = sign
        world.step(10, faster)
        return sign(*asked, **more)

    world.ledger.sign = slowly
    world.step(11, world.engine())
    world.check()
    world.elapse(DAY)
    world.must_pay(10, 11)


def test_midnight_while_a_signer_works_does_not_exceed_the_limit_of_a_day_whose_clock_was_set_back(make_world):
    world = make_world(max_fee_per_day=2 * FEE)
    world.elapse(DAY + 10)
    world.must_pay(10, 11)
    world.fast = DAY - 2 - world.time
    maker, make = ProofMaker(ALICE, CHARLIE), ProofMaker(ALICE, CHARLIE).make
    maker.make = lambda **given: (world.elapse(5), make(**given))[1]
    world.step(9, world.engine(proofs=maker))
    assert world.ledger.committed("testnet", day=world.now().replace(hour=0, minute=0, second=0)) == 2 * FEE


def test_a_fee_that_has_fallen_is_not_held_for_what_was_signed_before(make_world):
    world = make_world()
    world.gateway.door = [Sent("invalid nonce", runs=None)]
    world.until_outcome(10, within=60)
    world.gateway.fee = FEE - 1
    world.must_pay(10, max_fee_per_payout=FEE - 1)


def test_an_era_that_was_planned_in_an_older_lane_lets_the_eras_of_the_present_one_go_first(make_world):
    world = make_world()
    owners = {"user": ALICE.account, "payer": CHARLIE.account, "relayer": BOB.account}
    world.ledger.plan("testnet", 10, 0, **owners, actor=Actor("run"), chain="http://gateway")
    world.gateway.door = [Sent("lost", runs=None)]
    world.step(11, world.engine())
    world.step(10, world.engine())
    assert {payload.era for _, payload in world.gateway.sent} == {11}
    world.must_pay(11, 10)


def test_an_era_that_was_planned_in_an_older_lane_finds_its_floor_after_a_restore(make_world):
    world = make_world()
    owners = {"user": ALICE.account, "payer": CHARLIE.account, "relayer": BOB.account}
    world.ledger.plan("testnet", 10, 0, **owners, actor=Actor("run"), chain="http://gateway")
    world.ledger.restored("a backup", Actor("run"))
    world.must_pay(10)


# --- ready-made proofs, and no confirmation -----------------------------------------------------------------------------------


@pytest.mark.parametrize("nonces", [(5, 7), (5, 8), (6, 7)])
def test_ready_made_proofs_whose_nonce_was_used_meanwhile_do_not_wait_for_other_nonces(make_world, nonces):
    world = make_world()
    world.must_pay(10)
    ended = world.until_outcome(11, world.engine(proofs=proofs_of(11, *nonces)))
    assert isinstance(ended, EraOutcome), ended
    world.must_pay(11)


def test_ready_made_proofs_do_not_wait_for_an_era_whose_bytes_can_be_accepted_no_more(make_world):
    world = make_world()
    world.gateway.door = [Sent(runs=None)]
    world.step(10, world.engine(proofs=proofs_of(10, 5, 7)))
    world.chain.charge(CHARLIE.account, world.time)
    assert is_green(world.until_outcome(11, world.engine(proofs=proofs_of(11, 5, 8))))


def test_ready_made_proofs_count_against_the_limit_of_a_day(make_world):
    world = make_world(max_fee_per_day=FEE)
    world.must_pay(10, engine=world.engine(proofs=proofs_of(10, 5, 7)))
    world.until_outcome(11, world.engine(proofs=proofs_of(11, 6, 8)))
    world.drive(11)
    world.elapse(DAY)
    world.must_pay(11)


def test_one_pair_of_ready_made_proofs_pays_one_call_of_an_era(make_world):
    world = make_world(parts=2)
    ended = world.until_outcome(10, world.engine(proofs=proofs_of(10, 5, 7)))
    assert ended.reason == "the given proofs are spent: another part has them; supply new proofs"
    world.must_pay(10)


@pytest.mark.parametrize("runs", [60, None])
def test_two_eras_do_not_get_one_nonce_because_nobody_waits_for_a_confirmation(make_world, runs):
    world = make_world(confirm_by=ConfirmBy.NONE)
    world.gateway.door = [Sent(runs=runs)]
    world.must_pay(10, 11)


# --- settings, clocks and ledgers that change while a payload is out ----------------------------------------------------------


def test_the_fees_of_a_network_stay_within_its_limits_when_another_one_drives_its_era_on(make_world):
    world = make_world(network="careful", max_fee_per_payout=FEE)
    world.gateway.door = [Sent(runs=None)]
    world.step(10, world.engine())
    world.chain.charge(CHARLIE.account, world.time)
    world.gateway.fee = 50 * FEE
    world.elapse(HOUR)
    assert is_green(world.drive(11, network="generous", max_fee_per_payout=None))
    assert world.ledger.committed("careful") == FEE
    world.gateway.fee = FEE
    world.must_pay(10)


@pytest.mark.parametrize(("before", "eras"), [((8, 9), (11, 10)), ((), (10, 11))])
def test_an_era_whose_nonce_was_used_by_others_is_paid_with_another_users_lower_or_equal_nonce(
    make_world, before, eras
):
    world = make_world(node=True)
    for era in before:
        assert is_green(world.drive(era))
    foreign = Payload(7, ALICE.account, CHARLIE.account, 5 + len(before), 7 + len(before))
    world.gateway.door = [Sent("lost", None, before=lambda: world.chain.include(foreign, world.time))]
    world.until_outcome(10, world.engine(max_replans=0))
    world.elapse(HOUR)
    world.must_pay(*eras, user=DAVE.account)


def test_a_task_ends_its_call_when_a_backup_without_its_era_is_restored(make_world):
    world = make_world()
    world.backup()
    engine = world.engine()
    world.step(10, engine)
    world.elapse(60)
    reads, nonce = itertools.count(), world.gateway.nonce

    def restored(account, kind):
        at = next(reads)
        if at == 0:
            world.restore()
        assert at < 100, "one call reads for ever"
        return nonce(account, kind)

    world.gateway.nonce = restored
    assert isinstance(world.step(10, engine), LedgerConflict)
    world.must_pay(10)


def test_an_era_that_was_called_paid_before_the_clock_went_back_is_asked_for_twice_more(make_world):
    world = make_world()
    world.chain.pay_by_other_tool(10, world.time)
    world.fast = DAY
    world.step(10, world.engine())
    world.fast = 0
    world.must_pay(10)
    assert len(world.gateway.sent) == 3


def test_an_era_that_a_fast_clock_calls_expired_does_not_hold_up_the_next_one(make_world):
    world = make_world(history_depth=3)
    world.gateway.door = [Sent(runs=None)]
    world.step(9, world.engine())
    world.elapse(NEXT_ERA + 60)
    world.fast = 30 * DAY
    world.step(9, world.engine())
    world.fast = 0
    world.must_pay(11)
