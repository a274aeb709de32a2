"""What a ledger's connection says is what the database is asked with; what cannot be used is refused by its name."""

import json

import pytest
import sqlalchemy as sa
from names import NETWORK, network_settings
from staking_commands import airflow

from staking_gateway.errors import InvalidInput, LedgerError
from staking_gateway_provider.connections import LEDGER_EXTRAS
from staking_gateway_provider.networks import LEDGER_VARIABLE, ledger_url

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
    assert set(GIVEN) == set(LEDGER_EXTRAS)
    url = connected_to(extra=GIVEN)
    assert dict(url.query) == {**GIVEN, "connect_timeout": "5"}
    _, told = sa.create_engine(url).dialect.create_connect_args(url)
    assert {name: str(told[name]) for name in GIVEN} == dict(url.query)
    assert (url.password, url.host, url.database) == ("hunter2", "db.example", "ledger")


def test_an_extra_of_a_connection_written_as_a_uri_counts_as_well(monkeypatch):
    monkeypatch.setenv(
        "AIRFLOW_CONN_L", "postgres://pay:hunter2@db.example/ledger?sslmode=verify-full&connect_timeout=7"
    )
    assert dict(sa.make_url(ledger_url("l")).query) == {"sslmode": "verify-full", "connect_timeout": "7"}


def test_what_a_form_left_blank_is_left_out(connected_to):
    assert dict(connected_to(extra={"sslmode": "", "sslrootcert": None}).query) == {}


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
        ({"extra": {"channel_binding": "yes"}}, "'l', extra 'channel_binding': is none of its words"),
        ({"extra": {"sslrootcert": True}}, "'l', extra 'sslrootcert': is not a text"),
        ({"extra": {"connect_timeout": "soon"}}, "'l', extra 'connect_timeout': is not a number in range"),
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


NAMED = [("argument", "an argument"), ("file", "ledger_conn_id of staking.yaml"), ("environment", LEDGER_VARIABLE)]


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
        LedgerError, match=f"`nowhere` isn't defined.*{named} names it. Create the connection"
    ) as refused:
        ledger_url(argument)
    assert ("staking.yaml" in str(refused.value)) is (by == "file")


# --- a ledger of another version ----------------------------------------------------------------------------------------


@pytest.fixture
def of_version(gateway, ledger):
    def turn(revision):
        with ledger._database.writing() as connection:
            connection.exec_driver_sql(f"UPDATE staking_ledger_version SET version_num = '{revision}'")

    return turn


@pytest.mark.parametrize(
    ("revision", "remedy"),
    [
        ("9999", "upgrade airflow-provider-staking-gateway on this machine"),
        ("0002", "Run: airflow staking ledger upgrade"),
    ],
)
def test_the_status_says_what_is_to_be_upgraded(of_version, revision, remedy, capsys):
    of_version(revision)
    with pytest.raises(SystemExit, match=remedy) as end:
        airflow("ledger", "status")
    assert end.value.code not in (None, 0)
    assert ("ledger upgrade" in str(end.value)) is (revision == "0002")
    assert f"schema {revision}" in capsys.readouterr().out
