"""What a payout, a plan and an alert cost must not grow with the ledger. Work is counted, because times differ between machines."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

import pytest

from staking_gateway.accounts import oldest_kept_era
from staking_gateway.catch_up.survey import survey, write_notices
from staking_gateway.config import defaults
from staking_gateway.eras.expiry import Depths
from staking_gateway.ledger import Actor, Ledger
from staking_gateway.payout.lanes import chain_of
from staking_gateway.payout.outcomes import Outcome
from staking_gateway.types import NonceKind
from tests.support.alerting import HOUR, IS, IS_NOT, NAME, START
from tests.support.alerting import network as network_of
from tests.support.growth import Steps, fill, rows_read, scans, statements
from tests.support.ledgers import KINDS, POSTGRESQL, account, connected, fresh_url
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
        for signer, kind in ((ALICE, NonceKind.STAKING), (CHARLIE, NonceKind.PAYMENT)):
            self.control("nonce", account=signer.account.address, kind=kind.value, by=before)

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


def test_no_statement_of_the_page_or_of_an_export_reads_a_whole_table(grown):
    world = grown(200)
    ledger, name, eras = world.ledger, world.terms.network, range(world.first - 84, world.first)
    keys = [account(number).hex for number in range(20)]
    check_eras(ledger, eras, accounts=10, network=name)
    with statements(ledger) as seen:
        assert len(ledger.newest_statuses(name, eras, keys)) == 10
        assert len(ledger.statuses_of(name, eras, keys)) == KEPT + 1
        assert len(list(ledger.each_payout(name, eras))) == ledger.count_payouts(name, eras) == 84
        ledger.journal.note_failure(name, eras[0], "signer", "gone", RUN)
        assert list(ledger.journal.failures(name)) == [eras[0]]
        ledger.journal.forget_failure(name, eras[0])
    assert scans(ledger, seen) == {}


def test_an_export_takes_the_same_work_for_each_payout(grown):
    few, many = grown(2_000), grown(8_000)
    steps = [Steps(world.ledger).of(lambda world=world: list(_all_payouts(world))) for world in (few, many)]
    (of_few, first), (of_many, second) = steps
    assert [len(first), len(second)] == [2_000, 8_000]
    assert [payout.era for payout in second] == sorted(payout.era for payout in second)
    assert of_many < 1.1 * 4 * of_few


def _all_payouts(world):
    return world.ledger.each_payout(world.terms.network, range(world.first))


# --- statuses ------------------------------------------------------------------------------------------------------------

KEPT = 30
"""Eras whose statuses are kept in these tests."""


def check_eras(ledger, eras, accounts=4, network=NAME):
    """Store the statuses of all accounts for each era, and forget older ones, as the task of each era does."""
    settings = network_of(statuses={"keep_eras": KEPT})
    for era in eras:
        found = [(account(number), [IS, IS_NOT][era % 2]) for number in range(accounts)]
        oldest = oldest_kept_era(settings, era, START + era * HOUR)
        ledger.record_statuses(network, era, found, keep_from=oldest)


@pytest.fixture(params=KINDS)
def ledger(request, tmp_path):
    with fresh_url(request.param, tmp_path) as url, closing(Ledger(url)) as opened:
        yield opened


def test_the_statuses_of_the_newest_eras_are_kept_and_older_ones_deleted(ledger):
    ledger.record_statuses("another", 1, [(account(1), IS)])
    check_eras(ledger, range(100, 200))
    found = ledger.statuses_of(NAME, range(300))
    assert list(found) == list(range(199 - KEPT, 200))
    assert {len(statuses) for statuses in found.values()} == {4}
    assert ledger.statuses("another", 1)


def test_a_year_of_statuses_is_forgotten_in_portions_and_none_too_many(ledger):
    check_eras(ledger, [1], accounts=12_000)
    check_eras(ledger, range(2, 2 + KEPT))
    left = []
    for era in range(2 + KEPT, 6 + KEPT):
        check_eras(ledger, [era])
        left.append(len(ledger.statuses(NAME, 1)))
    assert left == [7_000, 2_000, 0, 0]


@pytest.mark.parametrize(
    ("era", "oldest"),
    [(1_000, 970), (900, 870), (KEPT, 0), (3, 0), (1_000_000, 970)],
    ids=["now", "an earlier era", "all are kept", "young", "an era that the gateway made up"],
)
def test_the_oldest_era_to_keep_follows_the_calendar(era, oldest):
    settings = network_of(statuses={"keep_eras": KEPT})
    assert oldest_kept_era(settings, era, START + 1_000 * HOUR) == oldest


def test_without_settings_the_default_number_of_eras_is_kept():
    assert oldest_kept_era(None, 1_000, START) == 1_000 - defaults.KEEP_STATUSES


def test_storing_statuses_reads_no_whole_table_and_takes_the_same_work_whatever_was_stored(tmp_path):
    with closing(Ledger(f"sqlite:///{tmp_path / 'ledger.db'}")) as ledger:
        work = Steps(ledger)
        check_eras(ledger, range(1, KEPT), accounts=100)
        with statements(ledger) as seen:
            few, _ = work.of(lambda: check_eras(ledger, range(KEPT, KEPT + 10), accounts=100))
        check_eras(ledger, range(KEPT + 10, 10 * KEPT), accounts=100)
        many, _ = work.of(lambda: check_eras(ledger, range(10 * KEPT, 10 * KEPT + 10), accounts=100))
        assert scans(ledger, seen) == {}
        assert many < 2 * few, "it also deletes now"


def test_the_statuses_of_twenty_large_networks_stay_below_five_gigabytes(tmp_path):
    accounts, eras = 2_000, 6
    file = tmp_path / "ledger.db"
    with closing(Ledger(f"sqlite:///{file}")) as ledger:
        before = file.stat().st_size
        for era in range(650_000, 650_000 + eras):
            ledger.record_statuses("a_network_name", era, [(account(number), IS_NOT) for number in range(accounts)])
    with connected(f"sqlite:///{file}") as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    row = (file.stat().st_size - before) / (accounts * eras)
    assert 20 * 2_000 * defaults.KEEP_STATUSES * row < 5e9


if POSTGRESQL:

    def test_a_postgresql_server_reads_few_rows_for_each_statement_of_a_payout_and_of_a_plan(tmp_path):
        with fresh_url("postgresql", tmp_path) as url, closing(Grown(tmp_path, 6_000, url)) as world:
            with connected(url) as server:
                server.exec_driver_sql("ANALYZE")
            with statements(world.ledger) as seen:
                chain_of(_Nameless(world.gateway), world.ledger, world.terms.network)
                world.pay_in_every_way()
                world.catch_up()
                check_eras(world.ledger, range(1, 2 * KEPT), accounts=50)
            read = rows_read(world.ledger, seen)
        assert len(read) > 20
        assert {text: rows for text, rows in read.items() if rows > 4 * DEPTH} == {}
