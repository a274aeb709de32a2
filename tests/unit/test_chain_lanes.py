"""One chain has one lane: its genesis hash, or its name where no node tells that."""

from contextlib import nullcontext

import pytest

from staking_gateway.errors import ConfigError
from staking_gateway.ledger import PayoutState
from staking_gateway.payout.lanes import chain_of, check_user, learn_genesis
from staking_gateway.payout.terms import PayoutTerms
from staking_gateway.types import ChainInfo
from tests.support.ledgers import NETWORK, PAYER, RELAYER, RUN, USER, judged, planned, signed

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
    assert chain_of(Gateway("the chain"), ledger, NETWORK) == ONE, "also when the node is gone"
    assert chain_of(Gateway(OTHER), ledger, "new") == URL, "a name is no genesis hash"


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
    with pytest.raises(ConfigError, match="in flight on the chain") if is_refused else nullcontext():
        check_user(ledger, terms_on(second, "another"), 2000)
    judged(ledger, payout)
    check_user(ledger, terms_on(second, "another"), 2000)


@pytest.mark.parametrize(("nonce", "is_refused"), [(None, True), (9, True), (10, True), (11, False), (100, False)])
def test_a_payload_that_nobody_confirmed_may_run_until_its_staking_nonce_has_passed(ledger, nonce, is_refused):
    part = signed(ledger, paid_on(ledger, "a", 1392), staking_nonce=10)
    ledger.transition(part, PayoutState.CONFIRMED, "accepted", RUN, confirmed_by="none", executed=part.copies[0].id)
    with pytest.raises(ConfigError, match="in flight on the chain") if is_refused else nullcontext():
        check_user(ledger, terms_on("b", "another"), nonce)
