"""Where the ledger is: named, or the file in AIRFLOW_HOME, and never guessed; what its connection says is what the database is asked with."""

import pytest
import sqlalchemy as sa
from staking_commands import airflow

from staking_gateway.errors import ConfigError, InvalidInput, LedgerError
from staking_gateway_provider.connections import PostgresExtras
from staking_gateway_provider.networks import LEDGER_FILE, LEDGER_VARIABLE, ledger_url, open_ledger

SERVER = {
    "conn_type": "postgres",
    "host": "db.example",
    "port": 5433,
    "login": "pay",
    "password": "hunter2@/",
    "schema": "ledger",
}
GIVEN = {
    "sslmode": "verify-full",
    "sslrootcert": "/etc/ssl/certs/my ca.pem",
    "sslcrl": "/etc/ssl/revoked.pem",
    "sslcert": "/etc/ssl/client.pem",
    "sslkey": "/etc/ssl/client.key",
    "channel_binding": "require",
    "connect_timeout": 5,
    "target_session_attrs": "read-write",
    "application_name": "staking",
    "options": "-csearch_path=ledger -cstatement_timeout=60000",
}


@pytest.fixture(autouse=True)
def nothing_named(monkeypatch, tmp_path):
    monkeypatch.delenv("STAKING_GATEWAY_CONFIG", raising=False)
    monkeypatch.delenv(LEDGER_VARIABLE, raising=False)
    monkeypatch.setattr("staking_gateway_provider.networks.CONFIG_NAME", "no-such-file.yaml")
    monkeypatch.setenv("AIRFLOW_HOME", str(tmp_path / "home"))


@pytest.fixture
def connected_to(connect):
    """URL of the ledger a connection leads to; arguments replace the fields of a server's."""

    def read(**fields):
        connect("l", **{**SERVER, **fields})
        return sa.make_url(ledger_url("l"))

    return read


# --- which one --------------------------------------------------------------------------------------------------------------


def test_it_is_a_file_in_airflows_home_when_nothing_is_named(tmp_path, network):
    network()
    assert ledger_url() == f"sqlite:///{tmp_path / 'home' / LEDGER_FILE}"


@pytest.mark.parametrize("home", ["airflow", "$NOT_SET_ANYWHERE/airflow", ""])
def test_a_home_that_is_another_one_in_each_folder_is_refused_by_its_variable(monkeypatch, home):
    monkeypatch.setenv("AIRFLOW_HOME", home)
    with pytest.raises(ConfigError, match=r"^AIRFLOW_HOME: .* is not an absolute path.* Write the whole path, or name"):
        ledger_url()


def test_an_argument_counts_more_than_the_file_and_the_file_more_than_the_environment(connect, network, monkeypatch):
    for name in ("argued", "filed", "environed"):
        connect(name, conn_type="sqlite", host=f"/ledgers/{name}.db")
    monkeypatch.setenv(LEDGER_VARIABLE, "environed")
    network()
    assert ledger_url() == "sqlite:////ledgers/environed.db"
    network(top={"ledger_conn_id": "filed"})
    assert ledger_url() == "sqlite:////ledgers/filed.db"
    assert ledger_url("argued") == "sqlite:////ledgers/argued.db"


@pytest.mark.parametrize(
    ("by", "named"),
    [("argument", "an argument"), ("file", "ledger_conn_id of staking.yaml"), ("environment", LEDGER_VARIABLE)],
)
def test_a_connection_that_is_not_there_is_looked_for_where_it_was_named(by, named, monkeypatch, network):
    network(top={"ledger_conn_id": "nowhere"} if by == "file" else {})
    monkeypatch.setenv(LEDGER_VARIABLE, "nowhere")
    with pytest.raises(LedgerError, match=f"`nowhere` isn't defined.*named by .*{named}. Create the connection"):
        ledger_url("nowhere" if by == "argument" else None)


def test_a_ledger_that_cannot_be_opened_is_no_reason_to_use_another(connect, tmp_path, airflow_db):
    connect("l", conn_type="sqlite", host=str(tmp_path / "missing" / "ledger.db"))
    with pytest.raises(LedgerError, match="missing"):
        open_ledger("l")
    assert not (tmp_path / "home").exists()


# --- its connection ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["postgres", "postgresql"])
def test_every_field_and_extra_reaches_the_driver(connected_to, kind):
    assert set(GIVEN) == set(PostgresExtras.model_fields)
    url = connected_to(conn_type=kind, extra=GIVEN)
    assert dict(url.query) == {**GIVEN, "connect_timeout": "5"}
    _, told = sa.create_engine(url).dialect.create_connect_args(url)
    assert {name: str(told[name]) for name in GIVEN} == dict(url.query)
    assert (url.drivername, url.username, url.password) == ("postgresql+psycopg2", "pay", SERVER["password"])
    assert (url.host, url.port, url.database) == ("db.example", 5433, "ledger")
    assert dict(connected_to(extra={"sslmode": "", "sslrootcert": None}).query) == {}, "a form left them blank"


FILE = {"conn_type": "sqlite", "host": "/l.db"}
NO_PATH = "host: is no absolute path of a file.* Write the whole path, e.g. /var/lib"


@pytest.mark.parametrize(
    ("fields", "match"),
    [
        ({"conn_type": "mysql"}, "type: 'mysql' is not a database the ledger"),
        ({"conn_type": "generic"}, "install apache-airflow-providers-postgres or .* or set the connection"),
        ({"extra": {"passfile": "hunter2"}}, "extra 'passfile': is unknown. Remove it, or use one of sslmode"),
        (
            {"extra": {"sslmode": "hunter2"}},
            "extra 'sslmode': is refused. Input should be 'disable', .* or 'verify-full'",
        ),
        (
            {"extra": {"connect_timeout": ["hunter2"]}},
            "extra 'connect_timeout': is refused. Input should be a valid integer",
        ),
        ({"extra": {"sslrootcert": True}}, "extra 'sslrootcert': is refused. Input should be a valid string"),
        ({"extra": "sslmode=verify-full"}, "extra: is not a JSON object"),
        ({**FILE, "extra": {"timeout": 1}}, "extra 'timeout': is unknown. Remove it"),
        ({**FILE, "host": None}, "host: is empty. Set Host to the path"),
        *(({**FILE, "host": host}, NO_PATH) for host in ("ledger.db", "~/ledger.db", ":memory:")),
        *(({**FILE, "host": f"{host}mode=memory&uri=true"}, NO_PATH) for host in ("file:mem?", "/ledger.db?")),
    ],
)
def test_what_cannot_be_used_is_refused_by_its_field(connected_to, fields, match):
    with pytest.raises(InvalidInput, match=match) as refused:
        connected_to(**fields)
    assert "hunter2" not in str(refused.value)


PASTED = "postgresql://staking:hunter2@db/ledger"
HOW = "this is refused. Write the id of an Airflow connection"


@pytest.mark.parametrize(("by", "field"), [("argument", "ledger_conn_id"), ("environment", LEDGER_VARIABLE)])
def test_an_address_in_the_place_of_the_ledgers_id_is_refused_and_not_quoted(by, field, network, monkeypatch, capsys):
    network()
    if by == "environment":
        monkeypatch.setenv(LEDGER_VARIABLE, PASTED)
    argument = PASTED if by == "argument" else None
    with pytest.raises(InvalidInput, match=f"^{field}: {HOW}") as refused:
        ledger_url(argument)
    of_the_page = isinstance(refused.value, ConfigError)
    assert of_the_page is (by == "environment"), "on the page the one is no fault of who asks"
    with pytest.raises(SystemExit) as end:
        airflow(*(("ledger", "status", "--ledger-conn-id", PASTED) if argument else ("doctor",)))
    told = "".join(capsys.readouterr()) + str(end.value)
    assert field in told
    assert "hunter2" not in told
