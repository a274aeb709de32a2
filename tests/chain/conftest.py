"""Real runtimes and real metadata."""

import pytest
from chopsticks import Chopsticks
from fake_node import serving

from tests.support.nodes import close_nodes
from tests.support.npm import install


@pytest.fixture(scope="session")
def packages():
    """The packages, installed."""
    install(chain=True)


@pytest.fixture(scope="module")
def chain(packages, tmp_path_factory):
    """Westend's first runtime at its genesis."""
    running = Chopsticks(tmp_path_factory.mktemp("chain"))
    try:
        running.start()
        yield running
    finally:
        close_nodes()
        running.close()


@pytest.fixture
def node(packages):
    """A node that tells what a test puts into it."""
    with serving({}) as running:
        yield running
