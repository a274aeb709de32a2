"""What a payout, a plan and an alert cost must not grow with the ledger. Work is counted, because times differ between machines."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

import pytest

from staking_gateway.catch_up.survey import survey, write_notices
from staking_gateway.eras.expiry import Depths
from staking_gateway.ledger import Actor, Ledger
from staking_gateway.payout.lanes import chain_of
from staking_gateway.payout.outcomes import Outcome
from staking_gateway.types import NonceKind
from tests.support.growth import Steps, fill, rows_read, scans, statements
from tests.support.ledgers import POSTGRESQL, connected, fresh_url
from tests.support.world import ALICE, CHARLIE, World

RUN = Actor("staking_catch_up_testnet/run")
DEPTH = 84


class Grown(World):
    """A world whose ledger holds the payouts of many eras before the first that can be paid.

    :param before: their number.
    """

    def __init__(self, folder, before, url=None):
        super().__init__(folder, unpaid_eras=8, max_fee_per_day=10**30, max_fee_per_run=10**30)
        if url is not None:
            self.ledger.close()
            self.ledger = Ledger(url, clock=self.now)
        self.first = self.era - 7
        eras = range(self.first - before, self.first)
        owner = {"user": ALICE.account, "payer": CHARLIE.account}
        fill(self.ledger, eras, network=self.terms.network, chain=self.terms.lane, now=self.now(), **owner)
        for account, kind in ((ALICE, NonceKind.STAKING), (CHARLIE, NonceKind.PAYMENT)):
            self.control("nonce", account=account.account.address, kind=kind.value, by=before)

    def pay_in_every_way(self):
        """Every rule that reads the ledger: sent and confirmed, an answer that was lost, a limit, a fee for nothing, a blocker."""
        first = self.first
        assert self.drive(first).outcome is Outcome.PAID
        self.gateway.lose = ["after"]
        assert self.drive(first + 1).outcome is Outcome.PAID
        assert self.drive(first + 1, self.engine("another")).outcome is Outcome.ALREADY_PAID
        low = replace(self.terms, max_fee_per_day=1)
        assert self.drive(first + 2, self.engine(terms=low)).outcome is Outcome.HELD_FEE
        self.gateway.lose = ["before"]
        self.engine("waits").advance(first + 2)
        assert self.drive(first + 3, self.engine("another")).outcome is Outcome.PAID
        self.gateway.before_send = lambda: self.control("fee", amount="25000000000000")
        self.engine(terms=replace(self.terms, max_replans=0)).advance(first + 4)
        self.gateway.before_send = None
        self.drive(first + 4)

    def plan(self):
        return survey(self.terms, self.gateway, self.ledger, kept=Depths(DEPTH), clock=self.now)

    def catch_up(self):
        write_notices(self.plan(), self.ledger, RUN)
        return self.plan()


@pytest.fixture
def grown(tmp_path):
    made = []

    def make(before):
        folder = tmp_path / str(before)
        folder.mkdir()
        made.append(Grown(folder, before))
        return made[-1]

    yield make
    for world in made:
        world.close()


def test_no_statement_of_a_payout_or_a_plan_reads_a_whole_table(grown):
    world = grown(200)
    with statements(world.ledger) as seen:
        chain_of(_Nameless(world.gateway), world.ledger, world.terms.network)
        world.pay_in_every_way()
        world.catch_up()
    assert {text.split()[0] for text, _ in seen} == {"SELECT", "INSERT", "UPDATE"}
    assert len({text for text, _ in seen}) > 20
    assert scans(world.ledger, seen) == {}


class _Nameless:
    """A gateway that does not know the chain's name, so that the ledger is asked."""

    base_url = "https://gateway.example"

    def __init__(self, gateway):
        self.gateway = gateway

    def chain_info(self):
        return None


def test_the_work_of_a_payout_does_not_grow_with_the_ledger(grown):
    few, many = (Steps(world.ledger).of(world.pay_in_every_way)[0] for world in (grown(200), grown(2_000)))
    assert many < 1.2 * few


def test_the_work_of_a_plan_does_not_grow_with_the_ledger_once_a_catch_up_has_seen_it(grown):
    worlds = grown(200), grown(2_000)
    for world in worlds:
        world.catch_up()
    (few, first), (many, second) = (Steps(world.ledger).of(world.catch_up) for world in worlds)
    assert many < 1.2 * few
    assert first.unpaid == second.unpaid != ()


if POSTGRESQL:

    def test_a_postgresql_server_reads_few_rows_for_each_statement_of_a_payout_and_of_a_plan(tmp_path):
        with fresh_url("postgresql", tmp_path) as url, closing(Grown(tmp_path, 6_000, url)) as world:
            with connected(url) as server:
                server.exec_driver_sql("ANALYZE")
            with statements(world.ledger) as seen:
                chain_of(_Nameless(world.gateway), world.ledger, world.terms.network)
                world.pay_in_every_way()
                world.catch_up()
            read = rows_read(world.ledger, seen)
        assert len(read) > 20
        assert {text: rows for text, rows in read.items() if rows > 4 * DEPTH} == {}
