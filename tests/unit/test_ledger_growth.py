"""What a payout, a plan and an alert cost must not grow with the ledger. Work is counted, because times differ between machines."""

from contextlib import closing
from dataclasses import replace

import pytest

from staking_gateway.accounts import oldest_kept_era
from staking_gateway.alerts.delivery import deliver, watch
from staking_gateway.catch_up.survey import survey, write_notices
from staking_gateway.health.facts import LiveFacts
from staking_gateway.health.overview import overview
from staking_gateway.ledger import Actor, Ledger
from staking_gateway.ledger.views import VIEWS
from staking_gateway.payout.lanes import chain_of
from staking_gateway.payout.outcomes import Outcome
from staking_gateway.problem import Problem, Topic
from staking_gateway.types import NonceKind
from tests.support.alerting import HOUR, IS, IS_NOT, NAME, START
from tests.support.alerting import network as network_of
from tests.support.growth import Steps, fill
from tests.support.ledgers import KINDS, account, fresh_url
from tests.support.world import ALICE, CHARLIE, World

RUN = Actor("staking_catch_up_testnet/run")
DEPTH = 84


class Grown(World):
    """A world whose ledger holds the payouts of many eras before the first that can be paid.

    :param before: their number.
    """

    def __init__(self, folder, before):
        super().__init__(folder, unpaid_eras=8, max_fee_per_day=10**30, max_fee_per_run=10**30)
        self.first = self.era - 7
        eras = range(self.first - before, self.first)
        owner = {"user": ALICE.account, "payer": CHARLIE.account}
        fill(self.ledger_url, eras, network=self.terms.network, chain=self.terms.lane, now=self.now(), **owner)
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
        return survey(self.terms, self.gateway, self.ledger, self.settings(), clock=self.now)

    def settings(self):
        calendar = {"era_length": "20s", "anchors": [{"era": self.era + 1, "start": self.now().isoformat()}]}
        return network_of(calendar=calendar, history_depth=DEPTH)

    def alert(self):
        """What a run does after its payout: it checks the network, and sends alerts."""
        live = LiveFacts(active=self.era + 1, at=self.now())
        watch(NAME, self.settings(), self.ledger, live, actor=RUN, clock=self.now)
        return deliver(NAME, self.ledger.journal.alerts, {"receiver": lambda message: None})

    def page(self):
        return overview(NAME, self.settings(), self.ledger, clock=self.now).as_dict()

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


def pages_and_exports(world):
    """What the page reads, an export of as many payouts, and a failure that is noted and forgotten."""
    ledger, name, eras = world.ledger, world.terms.network, range(world.first - DEPTH, world.first)
    keys = [account(number).hex for number in range(20)]
    assert len(ledger.newest_statuses(name, eras, keys)) == 10
    assert len(ledger.statuses_of(name, eras, keys)) == KEPT + 1
    for view in VIEWS:
        exported = [row.era for row in ledger.views.rows(view, name, eras)]
        assert exported == sorted(exported)
        assert exported == list(eras) or view not in ("staking_eras", "staking_payouts")
    assert {*ledger.views.eras(name)} >= {*eras}
    assert ledger.newest_era(name) >= eras.stop - 1
    assert not any(payout.state.settled for payout in ledger.in_flight_of(name))
    ledger.journal.note_failure(name, eras[0], Problem(Topic.SIGNER, "gone"), RUN)
    assert list(ledger.journal.failures(name)) == [eras[0]]
    ledger.journal.forget_failure(name, eras[0])


def pay_and_name(world):
    chain_of(_Nameless(world.gateway), world.ledger, world.terms.network)
    world.pay_in_every_way()


WORK = {
    "an alert": Grown.alert,
    "a plan": Grown.plan,
    "the page": Grown.page,
    "payouts in every way": pay_and_name,
    "a catch-up's plan": Grown.catch_up,
    "pages and exports": pages_and_exports,
    "statuses": lambda world: check_eras(world.ledger, range(world.first, world.first + 5), accounts=10),
}


def test_no_work_grows_with_the_ledger(grown):
    """A statement that reads a whole table takes ten times the steps in the larger ledger."""
    worlds = {grown(400): 1, grown(4_000): 10}
    for world, networks in worlds.items():
        for other in (NAME, *(f"network {number}" for number in range(1, networks))):
            check_eras(world.ledger, range(world.first - KEPT - 1, world.first), accounts=10, network=other)
        world.alert()
    for name, work in WORK.items():
        few, many = (Steps(world.ledger).of(lambda world=world, work=work: work(world)) for world in worlds)
        assert many < 1.2 * few, name


class _Nameless:
    """A gateway that does not know the chain's name, so that the ledger is asked."""

    base_url = "https://gateway.example"

    def __init__(self, gateway):
        self.gateway = gateway

    def chain_info(self):
        return None

    def genesis_hash(self):
        return None


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
