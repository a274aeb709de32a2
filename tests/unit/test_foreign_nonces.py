"""Two deployments that share a user or a payer by mistake: seen and said at the moment it happens, without changing what is paid."""

from __future__ import annotations

import logging
import random
from contextlib import suppress
from dataclasses import replace

import pytest

from staking_gateway.errors import ConnectionLost, StakingGatewayError
from staking_gateway.ledger import Ledger
from staking_gateway.payout.lanes import NONCES_USED_ELSEWHERE
from staking_gateway.payout.outcomes import Outcome
from tests.support.world import ALICE, CHARLIE, NETWORK, Crash

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
