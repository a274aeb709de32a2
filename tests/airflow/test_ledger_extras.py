"""What a ledger's connection says is what the database is asked with; what cannot be used is refused by its name."""

import json

import pytest
import sqlalchemy as sa
from airflow.sdk import DAG
from names import ERA, NETWORK, network_settings
from staking_commands import airflow
from tasks import Task

from staking_gateway.errors import ConfigError, InvalidInput, LedgerError
from staking_gateway_provider.extras import PostgresExtras
from staking_gateway_provider.networks import ledger_url
from staking_gateway_provider.operators.payout import PayoutStakersOperator
from staking_gateway_provider.settings import LEDGER_VARIABLE
from tests.support.ledgers import connected

SERVER = {"conn_type": "postgres", "host": "db.example", "login": "pay", "password": "hunter2", "schema": "ledger"}
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


@pytest.fixture
def connected_to(connect):
    """URL of the ledger a connection leads to; arguments replace the fields of a server's."""

    def read(**fields):
        connect("l", **{**SERVER, **fields})
        return sa.make_url(ledger_url("l"))

    return read


def test_every_extra_reaches_the_driver(connected_to):
    assert set(GIVEN) == set(PostgresExtras.model_fields)
    url = connected_to(extra=GIVEN)
    assert dict(url.query) == {**GIVEN, "connect_timeout": "5"}
    _, told = sa.create_engine(url).dialect.create_connect_args(url)
    assert {name: str(told[name]) for name in GIVEN} == dict(url.query)
    assert (url.password, url.host, url.database) == ("hunter2", "db.example", "ledger")
    assert dict(connected_to(extra={"sslmode": "", "sslrootcert": None}).query) == {}, "a form left them blank"


@pytest.mark.parametrize(
    ("fields", "match"),
    [
        (
            {"extra": {"sslmod": "verify-full"}},
            "'l', extra 'sslmod': is unknown. Remove it, or use one of sslmode, sslrootcert",
        ),
        ({"extra": {"passfile": "hunter2"}}, "'l', extra 'passfile': is unknown"),
        (
            {"extra": {"sslmode": "verify"}},
            "'l', extra 'sslmode': is none of its words. Write disable, .* or verify-full",
        ),
        ({"extra": {"sslmode": "hunter2"}}, "'l', extra 'sslmode': is none of its words"),
        ({"extra": {"connect_timeout": ["hunter2"]}}, "'l', extra 'connect_timeout': is not a whole number in range"),
        ({"extra": {"channel_binding": "yes"}}, "'l', extra 'channel_binding': is none of its words"),
        ({"extra": {"sslrootcert": True}}, "'l', extra 'sslrootcert': is not a text"),
        ({"extra": {"connect_timeout": "soon"}}, "'l', extra 'connect_timeout': is not a whole number in range"),
        ({"extra": "sslmode=verify-full"}, "'l', extra: is not a JSON object"),
        (
            {"conn_type": "sqlite", "host": "/l.db", "extra": {"timeout": 1}},
            "'l', extra 'timeout': is unknown. Remove it",
        ),
    ],
)
def test_an_extra_that_cannot_be_used_is_refused_by_its_name(connected_to, fields, match):
    with pytest.raises(InvalidInput, match=match) as refused:
        connected_to(**fields)
    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize(
    "host",
    [
        "ledger.db",
        "./ledger.db",
        "~/ledger.db",
        "file:mem?mode=memory&uri=true",
        "/ledger.db?mode=memory&uri=true",
        ":memory:",
    ],
)
def test_a_file_is_named_by_its_absolute_path_and_nothing_else(connected_to, host):
    with pytest.raises(
        InvalidInput, match=r"'l', host: is no absolute path of a file.* Write the whole path, e.g. /var/lib"
    ):
        connected_to(conn_type="sqlite", host=host)


NAMED = [
    ("argument", "an argument"),
    ("file", "ledger_conn_id of staking.yaml"),
    ("environment", LEDGER_VARIABLE),
]


@pytest.mark.parametrize(("by", "named"), NAMED)
def test_a_connection_that_is_not_there_is_looked_for_where_it_was_named(by, named, monkeypatch, tmp_path):
    path = tmp_path / "staking.yaml"
    path.write_text(
        json.dumps(
            {"networks": {NETWORK: network_settings()}, **({"ledger_conn_id": "nowhere"} if by == "file" else {})}
        )
    )
    monkeypatch.setenv("STAKING_GATEWAY_CONFIG", str(path))
    monkeypatch.setenv(LEDGER_VARIABLE, "nowhere")
    argument = "nowhere" if by == "argument" else None
    with pytest.raises(
        LedgerError, match=f"`nowhere` isn't defined.*named by .*{named}. Create the connection"
    ) as refused:
        ledger_url(argument)
    assert ("staking.yaml" in str(refused.value)) is (by == "file")


PASTED = "postgresql://staking:hunter2@db/ledger"
HOW = "this is not a connection id. Write the id of an Airflow connection"


@pytest.mark.parametrize(("by", "field"), [("argument", "ledger_conn_id"), ("environment", LEDGER_VARIABLE)])
def test_an_address_in_the_place_of_the_ledgers_id_is_refused_and_not_quoted(by, field, network, monkeypatch, capsys):
    network()
    if by == "environment":
        monkeypatch.setenv(LEDGER_VARIABLE, PASTED)
    argument = PASTED if by == "argument" else None
    with pytest.raises(InvalidInput, match=f"^{field}: {HOW}") as refused:
        ledger_url(argument)
    assert isinstance(refused.value, ConfigError) is (by == "environment"), (
        "on the page the one is no fault of who asks"
    )
    with pytest.raises(SystemExit) as end:
        airflow(*(("ledger", "status", "--ledger-conn-id", PASTED) if argument else ("doctor",)))
    told = "".join(capsys.readouterr()) + str(end.value)
    assert field in told
    assert "hunter2" not in told


@pytest.mark.parametrize("name", ["user_signer_conn_id", "payer_signer_conn_id", "gateway_conn_id"])
def test_nor_is_one_that_an_operator_is_given(gateway, network, name):
    network()
    with DAG("pay"):
        pay = PayoutStakersOperator(task_id="payout", network=NETWORK, **{name: PASTED})
    with pytest.raises(InvalidInput, match=HOW) as refused:
        Task(pay, era=ERA).run()
    assert "hunter2" not in str(refused.value)


# --- a ledger of another version ----------------------------------------------------------------------------------------


def test_the_status_of_a_ledger_of_another_version_says_what_to_install(gateway, ledger, tmp_path, capsys):
    with connected(f"sqlite:///{tmp_path / 'ledger.db'}") as connection:
        connection.exec_driver_sql("UPDATE staking_ledger_version SET version_num = '9999'")
    with pytest.raises(SystemExit, match="install that version of airflow-provider-staking-gateway on this machine"):
        airflow("ledger", "status")
    assert "schema 9999" in capsys.readouterr().out
