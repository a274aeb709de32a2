"""One chain has one lane: its genesis hash, or its name where no node tells that. Two deployments that share one are seen and said at once."""

import logging
import random
from contextlib import nullcontext, suppress
from dataclasses import replace

import pytest

from staking_gateway.errors import ConfigError, ConnectionLost, StakingGatewayError
from staking_gateway.ledger import Ledger, PayoutState
from staking_gateway.payout.lanes import NONCES_USED_ELSEWHERE, chain_of, check_user, learn_genesis
from staking_gateway.payout.outcomes import Outcome
from staking_gateway.payout.terms import PayoutTerms
from staking_gateway.types import ChainInfo
from tests.support.ledgers import NETWORK, PAYER, RELAYER, RUN, USER, judged, planned, signed
from tests.support.world import ALICE, CHARLIE, Crash

URL = "https://gateway.example"
ONE, OTHER = "0x" + "1a" * 32, "0x" + "2b" * 32
"""Genesis hashes."""


class Gateway:
    """One that tells a name, or has no such method."""

    base_url = URL

    def __init__(self, name=None):
        self.name = name

    def genesis_hash(self):
        return None

    def chain_info(self):
        if self.name is None:
            return None
        return ChainInfo(self.name, "1")


def paid_on(ledger, chain, era):
    return ledger.plan(NETWORK, era, 0, user=USER, payer=PAYER, relayer=RELAYER, actor=RUN, chain=chain)


def test_the_name_that_is_told_is_the_lane_or_the_last_that_was_or_the_address(ledger):
    planned(ledger, network="another")
    assert [chain_of(Gateway(name), ledger, NETWORK) for name in (None, "")] == [URL] * 2
    paid_on(ledger, "the old name", 1392)
    assert chain_of(Gateway("the chain"), ledger, NETWORK) == "the chain"
    paid_on(ledger, "the chain", 1391)
    assert [chain_of(Gateway(name), ledger, NETWORK) for name in (None, "")] == ["the chain"] * 2


@pytest.mark.parametrize("told", ["another name", None])
def test_what_was_sent_keeps_its_lane_until_it_is_settled(ledger, told):
    payout = signed(ledger, paid_on(ledger, "the chain", 1392))
    paid_on(ledger, "a later name", 1390)
    assert chain_of(Gateway(told), ledger, NETWORK) == "the chain"
    judged(ledger, payout)
    assert chain_of(Gateway(told), ledger, NETWORK) == (told or "a later name")


class WithNode(Gateway):
    """One whose node tells the genesis hash."""

    def genesis_hash(self):
        return self.name


def terms_on(lane, network=NETWORK):
    return PayoutTerms(network, RELAYER, USER, PAYER, chain=lane)


def test_with_a_node_the_lane_is_the_genesis_hash_and_what_was_signed_by_name_moves_there(ledger):
    payout = signed(ledger, paid_on(ledger, "the chain", 1392))
    assert chain_of(WithNode(ONE), ledger, NETWORK) == ONE
    learn_genesis(ledger, terms_on(ONE), RUN)
    moved = ledger.payout(NETWORK, 1392, 0)
    assert (moved.chain, moved.copies[0].chain, moved.version) == (ONE, ONE, payout.version + 1)
    assert learn_genesis(ledger, terms_on("the chain"), RUN).lane == ONE, "also a task from before"
    assert chain_of(Gateway("the chain"), ledger, NETWORK) == ONE, "also when the node is gone"
    assert chain_of(Gateway(OTHER), ledger, "new") == URL, "a name is no genesis hash"


def test_a_part_that_is_green_without_confirmation_moves_to_the_genesis_hash_also_when_the_chain_was_renamed(ledger):
    part = signed(ledger, paid_on(ledger, "the chain", 1392), staking_nonce=10)
    ledger.transition(part, PayoutState.CONFIRMED, "accepted", RUN, confirmed_by="none", executed=part.copies[0].id)
    paid_on(ledger, "its new name", 1393)
    learn_genesis(ledger, terms_on(ONE), RUN)
    assert {ledger.payout(NETWORK, era, 0).chain for era in (1392, 1393)} == {ONE}
    check_user(ledger, terms_on(ONE), 10)


def test_another_genesis_hash_is_refused_while_a_payload_is_in_flight(ledger):
    payout = signed(ledger, paid_on(ledger, ONE, 1392))
    with pytest.raises(
        ConfigError, match=f"networks.{NETWORK}: .* genesis {ONE}, and its node has genesis {OTHER}. Con"
    ):
        chain_of(WithNode(OTHER), ledger, NETWORK)
    judged(ledger, payout)
    assert chain_of(WithNode(OTHER), ledger, NETWORK) == OTHER
    for network in (NETWORK, "new"):
        learn_genesis(ledger, terms_on(OTHER, network), RUN)
    assert ledger.payout(NETWORK, 1392, 0).chain == ONE


@pytest.mark.parametrize(
    ("first", "second", "is_refused"),
    [("a", "a", False), ("a", "b", True), ("a", ONE, True), (ONE, "a", True), (ONE, OTHER, False)],
)
def test_a_user_signs_in_no_second_lane_that_may_be_the_same_chain(ledger, first, second, is_refused):
    payout = signed(ledger, paid_on(ledger, first, 1392))
    told = f"a payload of the network {NETWORK} in flight on the chain .* Let a run of {NETWORK} settle it"
    with pytest.raises(ConfigError, match=told) if is_refused else nullcontext():
        check_user(ledger, terms_on(second, "another"), 1392)
    judged(ledger, payout)
    check_user(ledger, terms_on(second, "another"), 1392)


@pytest.mark.parametrize("is_green", [False, True])
@pytest.mark.parametrize(("nonce", "is_refused"), [(None, True), (9, True), (10, True), (11, False), (100, False)])
def test_a_payload_in_another_lane_may_run_until_its_staking_nonce_has_passed(ledger, nonce, is_refused, is_green):
    part = signed(ledger, paid_on(ledger, "a", 1392), staking_nonce=10)
    if is_green:
        ledger.transition(part, PayoutState.CONFIRMED, "accepted", RUN, confirmed_by="none", executed=part.copies[0].id)
    with pytest.raises(ConfigError, match="in flight on the chain") if is_refused else nullcontext():
        check_user(ledger, terms_on("b", "another"), nonce)


ERAS = 8


@pytest.fixture
def world(make_world, caplog):
    caplog.set_level(logging.INFO, logger="staking_gateway")
    return make_world(unpaid_eras=ERAS)


@pytest.fixture
def other(world, tmp_path):
    """A second deployment: the same user, payer and chain, and a ledger of its own."""
    ledger = Ledger(f"sqlite:///{tmp_path / 'other.db'}", clock=world.now)
    yield ledger
    ledger.close()


@pytest.fixture
def said(caplog):
    """The lines in the log about nonces somebody else used."""
    return lambda: [record for record in caplog.records if record.name == "staking_gateway.payout.lanes"]


def eras(world):
    return list(range(world.era - ERAS + 1, world.era + 1))


def notices(ledger):
    return [notice.era for notice in ledger.journal.notices(NETWORK, NONCES_USED_ELSEWHERE)]


def pay(world, era, ledger=None, run="run"):
    return world.drive(era, world.engine(run, ledger=ledger)).outcome


def test_a_second_deployment_is_named_in_the_log_and_in_the_ledger_when_the_next_payload_is_signed(world, other, said):
    first, second, third, fourth, *_ = eras(world)
    assert {pay(world, era) for era in (first, second)} == {Outcome.PAID}
    assert said() == []

    assert pay(world, third, other) is Outcome.PAID
    assert said() == [], "the other one's ledger is new: it cannot know"

    assert pay(world, fourth) is Outcome.PAID
    (line,) = said()
    assert line.levelno == logging.WARNING
    text = line.getMessage()
    assert f"Era {fourth} of {NETWORK}: 1 staking nonce of the user {ALICE.account}" in text.replace(
        "something else than this ledger used ", ""
    )
    assert f"1 payment nonce of the payer {CHARLIE.account}: another deployment" in text
    assert "stop one of the two" in text
    assert "\n" not in text
    assert notices(world.ledger) == [fourth]


def test_two_networks_of_one_ledger_or_an_old_chain_with_a_new_ledger_are_no_reason_to_worry(world, said):
    for account, kind in ((ALICE, "staking"), (CHARLIE, "payment")):
        world.control("nonce", account=account.account.address, kind=kind, by=500)
    first, second, *_ = eras(world)
    terms = replace(world.terms, chain="one-chain")
    world.drive(first, world.engine(terms=terms))
    world.drive(second, world.engine(terms=replace(terms, network="another")))
    assert len(world.executed(first)) == len(world.executed(second)) == 1
    assert said() == []


def paid_at_last(world, era, run):
    """Whether a try came to a good end; it may be killed, or fail, and the next one goes on."""
    with suppress(Crash, StakingGatewayError):
        return pay(world, era, run=run).is_green
    return False


@pytest.mark.parametrize("seed", range(2))
def test_one_deployment_alone_never_suspects_itself_whatever_goes_wrong(world, said, seed):
    """Lost answers, refused connections, killed processes, rejected requests, windows: the nonces are all its own."""
    chance = random.Random(seed)
    lost = ["before", "after", "refused", "crash", ConnectionLost("reset", method="x")]
    for era in eras(world):
        world.gateway.lose = [chance.choice(lost) for _ in range(chance.randrange(4))]
        if chance.random() < 0.3:
            world.control(
                "faults", rules=[chance.choice(["request-rejected:times=1", "request-payer-refused:times=1"])]
            )
        for attempt in range(9):
            if paid_at_last(world, era, f"run-{attempt}"):
                break
            world.elapse(1)
    assert said() == []
    assert notices(world.ledger) == []
