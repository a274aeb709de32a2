"""What the tests of Airflow share: its home, the simulated gateway, connections, a ledger and a configuration file."""

import json
import socket
import warnings
from datetime import datetime, timedelta, timezone

import pytest
import yaml
from names import ACTIVE, ALICE, CHARLIE, NETWORK, network_settings

from staking_gateway import AsyncGatewayClient
from staking_gateway.config.models import NetworkConfig, TimingSettings
from staking_gateway.ledger import Ledger
from staking_gateway_simulator.running import RunningSimulator
from staking_gateway_simulator.settings import SimulatorSettings
from tests.contract.conftest import server
from tests.contract.faults import no_such_method, status
from tests.support import airflow_home as home
from tests.support.ledgers import sqlite_url

START = datetime(2026, 6, 1, tzinfo=timezone.utc)
LAG = timedelta(seconds=0.5)


@pytest.fixture(scope="session")
def airflow_home():
    """The folder Airflow reads and writes."""
    return home.HOME


@pytest.fixture(scope="module", autouse=True)
def no_runs():
    """Each file of tests begins without the runs, processes and import errors of earlier ones: commands judge eras by them."""
    if (home.HOME / "airflow.db").exists():
        home.migrated()
        home.forget_runs()


@pytest.fixture(scope="module")
def airflow_db():
    """A migrated metadata database, without the runs of earlier files of tests."""
    file = home.migrated()
    home.forget_runs()
    return file


@pytest.fixture(scope="session")
def airflow():
    """Everything `DAG.test` needs, loaded; Airflow's own libraries are deprecating one another."""
    home.migrated()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from airflow.sdk.execution_time.supervisor import in_process_api_server

        in_process_api_server()


@pytest.fixture
def simulator(request):
    """A gateway whose clock stands at the start of era 1000; eras 995 to 999 are unpaid. Its parameter changes settings."""
    settings = {
        "anchor_era": ACTIVE,
        "anchor_time": START,
        "start_time": START,
        "manual_clock": True,
        "unpaid_eras": 5,
        "confirm_seconds": 1.0,
        **getattr(request, "param", {}),
    }
    with RunningSimulator(SimulatorSettings(**settings)) as running:
        yield running


@pytest.fixture
def connect(monkeypatch):
    """Sets an Airflow connection."""

    def set_to(conn_id, **fields):
        monkeypatch.setenv(f"AIRFLOW_CONN_{conn_id.upper()}", json.dumps(fields))

    return set_to


@pytest.fixture
def gateway(simulator, connect, tmp_path, monkeypatch):
    """The simulator with all connections set, a new ledger of its own, which no Variable records, and no configuration file.

    No read lags behind the chain by more than LAG, and it takes nothing back after LAG: what has passed is judged a second later.
    """
    home.migrated()
    home.forget_variables()
    fields = {"host": simulator.url, "password": simulator.token, "extra": {"read_attempts": 1}}
    connect("staking_gateway_default", conn_type="stakinggateway", **fields)
    connect("staking_signer_user", conn_type="stakingsigner", login=ALICE, password="//Alice")
    connect("staking_signer_payer", conn_type="stakingsigner", login=CHARLIE, password="//Charlie")
    connect("test_ledger", conn_type="sqlite", host=str(tmp_path / "ledger.db"))
    sqlite_url(tmp_path)
    monkeypatch.delenv("STAKING_GATEWAY_CONFIG", raising=False)
    monkeypatch.setenv("STAKING_GATEWAY_LEDGER_CONN_ID", "test_ledger")
    monkeypatch.setattr("staking_gateway_provider.networks.CONFIG_NAME", "no-such-file.yaml")
    lag = LAG / 5 if simulator.settings.manual_clock else LAG
    timing = TimingSettings(lag=lag, finalized_within=lag)
    monkeypatch.setattr(NetworkConfig.model_fields["timing"], "default", timing)
    return simulator


@pytest.fixture
def away(connect):
    """Sets a connection of a gateway that does not answer."""

    def go():
        fields = {"host": "http://127.0.0.1:1", "password": "x", "extra": {"read_attempts": 1}}
        connect("staking_gateway_default", conn_type="stakinggateway", **fields)

    return go


@pytest.fixture
def nothing_is_sent(monkeypatch):
    """Fails when anybody opens a connection."""
    opened = []
    monkeypatch.setattr(socket.socket, "connect", lambda self, address: opened.append(address))
    yield
    assert not opened


class Clients(list):
    """The clients that were made.

    :ivar closed: those of them that were closed.
    """

    def __init__(self):
        super().__init__()
        self.closed = []


@pytest.fixture
def clients(monkeypatch):
    """Every asynchronous client a test makes; each is closed in the end."""
    made, make, close = Clients(), AsyncGatewayClient.__init__, AsyncGatewayClient.close

    def remember(self, *arguments, **options):
        make(self, *arguments, **options)
        made.append(self)

    async def note(self):
        await close(self)
        made.closed.append(self)

    monkeypatch.setattr(AsyncGatewayClient, "__init__", remember)
    monkeypatch.setattr(AsyncGatewayClient, "close", note)
    yield made
    assert set(made) == set(made.closed)


broken = server
"""A server with the answers of a test; `server` is another one."""


@pytest.fixture(params=[no_such_method, status("404 Not Found")], ids=["rpc", "http"])
def gateway_without_methods(request, gateway, connect, broken):
    """A gateway that denies every method, in an answer or by its status."""
    broken.script = [request.param]
    connect("staking_gateway_default", conn_type="stakinggateway", host=broken.url, password="x")


@pytest.fixture
def no_ledger(gateway, tmp_path):
    """The file of the ledger, which does not exist yet."""
    file = tmp_path / "ledger.db"
    file.unlink()
    return file


@pytest.fixture
def ledger(tmp_path):
    """The ledger the tasks write to."""
    file = tmp_path / "ledger.db"
    opened = Ledger(f"sqlite:///{file}" if file.exists() else sqlite_url(tmp_path))
    yield opened
    opened.close()


@pytest.fixture
def network(tmp_path, monkeypatch):
    """Writes a configuration file with one network, NETWORK; arguments replace its settings.

    `usual` are settings that a file of tests always replaces, and `top` is what stands beside the networks.
    """

    def write(networks=None, *, top=None, **settings):
        networks = networks or {NETWORK: network_settings(**{**write.usual, **settings})}
        path = tmp_path / "staking.yaml"
        path.write_text(yaml.safe_dump({"networks": networks, **(top or {})}))
        monkeypatch.setenv("STAKING_GATEWAY_CONFIG", str(path))
        return path

    write.usual = {}
    return write
