"""Where the ledger is: named, or the file in AIRFLOW_HOME, and never guessed."""

import json

import pytest
from names import network_settings

from staking_gateway.errors import ConfigError, InvalidInput, LedgerError
from staking_gateway_provider import networks
from staking_gateway_provider.networks import LEDGER_FILE, find_network, network_config, open_ledger
from staking_gateway_provider.settings import LEDGER_VARIABLE


@pytest.fixture
def opened(monkeypatch):
    """The URLs a ledger is opened with."""
    urls = []
    monkeypatch.setattr(networks, "open_checked", lambda place, *, pays: urls.append(place.url))
    return urls


@pytest.fixture(autouse=True)
def nothing_named(monkeypatch, tmp_path):
    monkeypatch.delenv("STAKING_GATEWAY_CONFIG", raising=False)
    monkeypatch.delenv(LEDGER_VARIABLE, raising=False)
    monkeypatch.setattr("staking_gateway.config.find.CONFIG_NAME", "no-such-file.yaml")
    monkeypatch.setenv("AIRFLOW_HOME", str(tmp_path / "home"))


@pytest.fixture
def config(tmp_path, monkeypatch):
    def write(**settings):
        path = tmp_path / "staking.yaml"
        path.write_text(json.dumps({"networks": {"testnet": network_settings()}, **settings}))
        monkeypatch.setenv("STAKING_GATEWAY_CONFIG", str(path))
        return path

    return write


def test_it_is_a_file_in_airflows_home_when_nothing_is_named(opened, tmp_path, config):
    open_ledger()
    config()
    open_ledger()
    assert opened == [f"sqlite:///{tmp_path / 'home' / LEDGER_FILE}"] * 2


@pytest.mark.parametrize("home", ["airflow", "./airflow", "$NOT_SET_ANYWHERE/airflow", ""])
def test_a_home_that_is_another_one_in_each_folder_is_refused_by_its_variable(opened, monkeypatch, home):
    monkeypatch.setenv("AIRFLOW_HOME", home)
    with pytest.raises(
        ConfigError, match=r"^AIRFLOW_HOME: .* is not an absolute path.* Write the whole path, or name a"
    ):
        open_ledger()
    assert opened == []


def test_an_argument_counts_more_than_the_file_and_the_file_more_than_the_environment(
    opened, connect, config, monkeypatch
):
    for name in ("argued", "filed", "environed"):
        connect(name, conn_type="sqlite", host=f"/ledgers/{name}.db")
    monkeypatch.setenv(LEDGER_VARIABLE, "environed")
    open_ledger()
    config()
    open_ledger()
    config(ledger_conn_id="filed")
    open_ledger()
    open_ledger("argued")
    assert opened == [f"sqlite:////ledgers/{name}.db" for name in ("environed", "environed", "filed", "argued")]


@pytest.mark.parametrize("kind", ["postgres", "postgresql"])
def test_postgresql_is_reached_with_all_the_connection_says(opened, connect, kind):
    fields = {"host": "db.example", "port": 5433, "login": "pay", "password": "p@ss/word", "schema": "ledger"}
    connect("pg", conn_type=kind, **fields)
    open_ledger("pg")
    assert opened == ["postgresql+psycopg2://pay:p%40ss%2Fword@db.example:5433/ledger"]


@pytest.mark.parametrize(
    ("fields", "match"),
    [
        (
            {"conn_type": "mysql", "host": "h", "password": "secretword"},
            "'l', type: 'mysql' is not a database the ledger",
        ),
        (
            {"conn_type": "generic", "host": "h", "password": "secretword"},
            "install apache-airflow-providers-postgres or apache-airflow-providers-sqlite, or set the connection",
        ),
        ({"conn_type": "sqlite"}, "'l', host: is empty. Set Host to the path"),
    ],
)
def test_a_connection_that_names_no_ledger_is_refused_by_its_field(opened, connect, fields, match):
    connect("l", **fields)
    with pytest.raises(InvalidInput, match=match) as refused:
        open_ledger("l")
    assert "secretword" not in str(refused.value)
    assert opened == []


def test_a_ledger_that_cannot_be_opened_is_no_reason_to_use_another(connect, tmp_path, airflow_db):
    connect("l", conn_type="sqlite", host=str(tmp_path / "missing" / "ledger.db"))
    with pytest.raises(LedgerError, match="missing"):
        open_ledger("l")
    assert not (tmp_path / "home").exists()


class TestNetworks:
    def test_one_that_is_not_known_is_none_or_refused(self, config):
        assert find_network("testnet") is None
        config()
        assert find_network("mainnet") is None
        with pytest.raises(ConfigError, match="Known networks: testnet"):
            network_config("mainnet")
