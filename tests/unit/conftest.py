"""Worlds for the tests of the payout engine, simulated gateways, and databases for the tests of the ledger."""

from contextlib import ExitStack, closing

import pytest

from staking_gateway.ledger import Ledger
from tests.support.ledgers import KINDS, NOW, assert_consistent, fresh_url, ledger_url
from tests.support.simulated import SimulatedGateway
from tests.support.world import World


@pytest.fixture
def simulated():
    """Makes simulated gateways, and closes them."""
    with ExitStack() as stack:
        yield lambda *rules, **settings: stack.enter_context(closing(SimulatedGateway(*rules, **settings)))


@pytest.fixture
def make_world(tmp_path):
    worlds = []

    def make(**options):
        folder = tmp_path / str(len(worlds))
        folder.mkdir()
        worlds.append(World(folder, **options))
        return worlds[-1]

    yield make
    for world in worlds:
        world.close()


@pytest.fixture
def world(make_world):
    return make_world()


@pytest.fixture(params=KINDS)
def url(request, tmp_path):
    """URL of a database that holds no ledger yet."""
    with fresh_url(request.param, tmp_path) as fresh:
        yield fresh


@pytest.fixture(params=KINDS)
def ledger_place(request, tmp_path):
    """URL of an empty ledger."""
    with ledger_url(request.param, tmp_path) as url:
        yield url


@pytest.fixture
def ledger(ledger_place):
    """That ledger at the moment NOW; in the end its records are as their history tells."""
    with closing(Ledger(ledger_place, clock=lambda: NOW)) as opened:
        yield opened
        assert_consistent(opened, ledger_place)


@pytest.fixture
def file(tmp_path):
    """The file of such a database in SQLite."""
    return tmp_path / "ledger.db"
