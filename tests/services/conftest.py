"""The servers, and one live Airflow of several machines, after everything has happened to it."""

from __future__ import annotations

import secrets

import pytest
import servers
import story
from clusternet import NETWORK, Clusternet, ClusterStack, settings

from demo.devnet import connections
from demo.stack import free_port
from staking_gateway.config.loader import load_config
from staking_gateway.signing import LocalSigner


@pytest.fixture(scope="session")
def postgresql():
    """A server, as yet without databases."""
    servers.install()
    with servers.PostgreSQL() as server:
        yield server


@pytest.fixture(scope="module")
def broker(postgresql):
    """A Redis."""
    with servers.Redis() as server:
        yield server


@pytest.fixture(scope="module")
def net(tmp_path_factory, postgresql, broker):
    """Airflow, and the chain; a run waits for every era's end."""
    folder = tmp_path_factory.mktemp("services")
    keys = {role: "0x" + secrets.token_hex(32) for role in ("user", "payer")}
    accounts = {role: LocalSigner(key).account.address for role, key in keys.items()}
    config = folder / "staking.yaml"
    config.write_text(settings(**accounts))
    port, ledger = free_port(), postgresql.database("ledger")
    given = connections(f"http://127.0.0.1:{port}", keys["user"], accounts["user"], keys["payer"], accounts["payer"])
    given["staking_gateway_default"]["extra"]["read_timeout"] = 25
    given["staking_ledger"] = {
        "conn_type": "postgres",
        "host": ledger.host,
        "port": ledger.port,
        "login": ledger.username,
        "password": ledger.password,
        "schema": ledger.database,
    }
    database = postgresql.database("airflow")
    with ClusterStack(folder / "home", config=config, connections=given, database=database, broker=broker.url) as stack:
        network = load_config(config).network(NETWORK)
        net = Clusternet(stack, network, port=port, postgresql=postgresql, redis=broker, ledger=ledger)
        net.bring_up()
        yield net


@pytest.fixture(scope="module")
def runs(net):
    """The id of each era's run; all have come to their end, in spite of everything."""
    return story.tell(net)
