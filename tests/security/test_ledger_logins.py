"""The logins of a ledger as the pages say to make them, word for word; what each is told; and who can listen on the way.

On a real PostgreSQL, which offers TLS with a certificate of its own authority.
"""

import re
import uuid
from contextlib import closing

import pytest
import sqlalchemy as sa
from airflow.models.variable import Variable
from airflow.utils.session import create_session
from installation import PASSWORD, Installation, by_deployed_file, by_distributed_page, text
from staking_commands import airflow

from staking_gateway.errors import LedgerError
from staking_gateway.ledger import Ledger
from staking_gateway.ledger.database import NotGranted
from staking_gateway.ledger.schema import VERSION_TABLE, identity_of, schema_version
from staking_gateway.problem import Level
from staking_gateway_provider.doctor import case as examined_case
from staking_gateway_provider.doctor.gateway import check_alerts
from staking_gateway_provider.doctor.installation import check_ledger
from staking_gateway_provider.ledger_identity import LedgerMismatch
from staking_gateway_provider.networks import open_ledger
from tests.support.airflow_home import forget_variables, migrated
from tests.support.alerting import network
from tests.support.certificates import certify
from tests.support.ledgers import connected, make_tables, planned


@pytest.fixture(scope="module")
def granted(postgresql, tmp_path_factory):
    """An installation made as docs/deploy.md says."""
    return Installation(by_distributed_page, postgresql, tmp_path_factory.mktemp("made"))


@pytest.fixture(scope="module", params=[by_distributed_page, by_deployed_file], ids=lambda way: way.__name__)
def every(request, granted, postgresql, tmp_path_factory):
    """An installation made in each of the documented ways."""
    if request.param is by_distributed_page:
        return granted
    return Installation(request.param, postgresql, tmp_path_factory.mktemp("made"))


@pytest.fixture
def ask(granted, connection, monkeypatch):
    """The ledger's connection with a login; arguments change its fields. No Variable records a ledger."""
    migrated()
    forget_variables()
    monkeypatch.setenv("STAKING_GATEWAY_LEDGER_CONN_ID", "asked")

    def as_login(name, conn_id="asked", **changes):
        url = granted.url(name)
        fields = {"host": url.host, "port": url.port, "login": url.username, "password": url.password}
        connection(conn_id, **{"conn_type": "postgres", **fields, "schema": url.database, **changes})

    return as_login


def examined():
    """What the check of the ledger says: level and words, and the remedy of a problem."""
    setup = examined_case.Installation()
    with setup.stack:
        return [
            (None, one, "") if isinstance(one, str) else (one.level, one.facts, one.remedy)
            for one in check_ledger(setup)
        ]


# --- the SQL of the pages -------------------------------------------------------------------------------------------------


def test_with_the_sql_of_the_pages_each_login_does_what_it_is_for(every):
    with closing(Ledger(text(every.url("staking_worker")))) as ledger:
        ((payout,),) = ledger.payouts_of("testnet", range(2**31)).values()
        assert ledger.events(payout)[-1].cause == "signed"
    with closing(Ledger(text(every.url("staking_page")))) as ledger:
        assert ledger.era_payouts("testnet", payout.era) == [payout]
        with pytest.raises(NotGranted, match="permission denied for table payouts"):
            planned(ledger, era=1)
    with connected(every.url("staking_report")) as report:
        assert report.exec_driver_sql("SELECT state FROM staking_payouts").all() == [("SIGNED",)]
        with pytest.raises(sa.exc.ProgrammingError, match="permission denied"):
            report.exec_driver_sql("SELECT state FROM payouts")


# --- what a login is told -------------------------------------------------------------------------------------------------


def test_a_login_that_may_not_use_the_schema_is_not_told_that_there_is_no_ledger(granted, ask, capsys):
    ask("staking_worker")
    told = r"is in a schema that its login may not use.*GRANT USAGE ON SCHEMA public"
    with connected(granted.in_ledger) as admin:
        admin.exec_driver_sql(f"REVOKE USAGE ON SCHEMA public FROM {granted.names['staking_worker']}")
        try:
            for attempt in (schema_version, Ledger):
                with pytest.raises(NotGranted, match=told):
                    attempt(text(granted.url("staking_worker")))
            with pytest.raises(NotGranted, match=told):
                examined()
            with pytest.raises(SystemExit, match=told):
                airflow("ledger", "status")
        finally:
            admin.exec_driver_sql(f"GRANT USAGE ON SCHEMA public TO {granted.names['staking_worker']}")
    assert "none yet" not in capsys.readouterr().out


def test_a_login_that_may_read_nothing_is_told_so(granted, ask):
    ask("staking_report")
    with pytest.raises(NotGranted, match=f"permission denied for table {VERSION_TABLE}"):
        examined()


@pytest.mark.parametrize("name", ["staking_ledger", "staking_worker"])
def test_owner_and_worker_are_told_that_all_is_well(ask, name):
    ask(name)
    assert {level for level, _, _ in examined()} == {None}


def test_the_pages_login_is_told_what_it_is_not_for_and_no_check_ends_in_an_error(ask):
    ask("staking_page")
    setup = examined_case.Installation()
    with setup.stack:
        finding, *_ = check_ledger(setup)
        (unsent,) = check_alerts(examined_case.Case(setup, "testnet", network()))
    assert finding.level is Level.ATTENTION
    assert "its login may not write payouts: nothing is paid with it" in finding.facts
    assert "correct for the API server" in finding.remedy
    assert (unsent.level, "unsent messages were not checked" in unsent.facts) == (Level.OK, True)


# --- one ledger or none ---------------------------------------------------------------------------------------------------


def test_all_logins_reach_the_one_ledger_and_another_database_pays_nothing(granted, ask, monkeypatch):
    """Each login has a connection of its own: the identity is the database's."""
    empty = f"empty_{uuid.uuid4().hex[:8]}"
    with connected(granted.admin) as admin:
        admin.exec_driver_sql(f"CREATE DATABASE {empty}")
    for name in ("staking_worker", "staking_page", "staking_ledger"):
        ask(name, conn_id=name)
        monkeypatch.setenv("STAKING_GATEWAY_LEDGER_CONN_ID", name)
        open_ledger(pays=name == "staking_worker").close()
    with create_session() as session:
        ((record, shown),) = [(one.key, one.val) for one in session.scalars(sa.select(Variable))]
    assert record == f"staking_ledger.staking_worker.{identity_of(text(granted.url('staking_page')))}"
    assert PASSWORD not in shown
    ask("staking_ledger", schema=empty)
    monkeypatch.setenv("AIRFLOW_HOME", str(granted.folder))
    for setting in ("asked", ""):
        monkeypatch.setenv("STAKING_GATEWAY_LEDGER_CONN_ID", setting)
        for pays in (True, False):
            with pytest.raises(LedgerMismatch, match=f"airflow variables delete {record}"):
                open_ledger(pays=pays)
    assert schema_version(text(granted.admin.set(database=empty))) is None
    assert not (granted.folder / "staking_ledger.db").exists()


# --- a database of Airflow's ----------------------------------------------------------------------------------------------


@pytest.fixture
def airflows(postgresql):
    """A database with some of Airflow's tables."""
    name = f"airflow_{uuid.uuid4().hex[:8]}"
    with connected(postgresql.admin) as admin:
        admin.exec_driver_sql(f"CREATE DATABASE {name}")
    url = postgresql.admin.set(database=name)
    with connected(url) as inside:
        inside.exec_driver_sql("CREATE SCHEMA apart")
        for table in ("alembic_version", "dag_run", "connection"):
            inside.exec_driver_sql(f"CREATE TABLE {table} (id integer)")
    return url


@pytest.mark.parametrize("query", [{}, {"options": "-csearch_path=apart"}])
def test_no_ledger_is_made_in_airflows_own_database(airflows, query):
    url = airflows.set(query=query)
    for attempt in (schema_version, Ledger):
        with pytest.raises(LedgerError, match=r"share Airflow's own database.*Create a database for the ledger alone"):
            attempt(text(url))
    with connected(airflows) as inside:
        assert VERSION_TABLE not in sa.inspect(inside).get_table_names()


def test_a_ledger_that_is_there_already_goes_on_and_is_warned_of(airflows, connection, monkeypatch):
    migrated()
    forget_variables()
    monkeypatch.setenv("STAKING_GATEWAY_LEDGER_CONN_ID", "asked")
    with connected(airflows) as inside:
        inside.exec_driver_sql("ALTER TABLE dag_run RENAME TO hidden")
        make_tables(text(airflows))
        inside.exec_driver_sql("ALTER TABLE hidden RENAME TO dag_run")
    with closing(Ledger(text(airflows))) as ledger:
        planned(ledger)
    fields = {"login": airflows.username, "password": airflows.password, "schema": airflows.database}
    connection("asked", conn_type="postgres", host=airflows.host, port=airflows.port, **fields)
    fine, warned, _identity = examined()
    assert (fine[0], warned[0]) == (None, Level.ATTENTION)
    assert "Airflow's own tables are in the same database, in schema 'public'" in warned[1]
    assert "a database of their own" in warned[2]


# --- on the way -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def elsewhere(monkeypatch):
    """127.0.0.1 counts as another machine."""
    monkeypatch.setattr("staking_gateway_provider.doctor.installation.is_loopback", lambda host: False)


def on_the_way(ask, **extra):
    ask("staking_worker", extra=extra)
    first, *rest, _identity = examined()
    assert first[0] is None
    return rest


def test_a_connection_that_verifies_the_server_is_encrypted_and_doctor_says_so(ask, postgresql, elsewhere):
    ((level, what, _),) = on_the_way(ask, sslmode="verify-full", sslrootcert=str(postgresql.authority))
    assert level is None
    assert re.search(r"to 127.0.0.1 is encrypted \(TLSv1.\d\), and the server's certificate and name verified", what)


def test_by_default_doctor_warns_that_nobody_asks_whose_certificate_it_is(ask, elsewhere):
    ((level, what, remedy),) = on_the_way(ask)
    assert level is Level.ATTENTION
    assert "is encrypted (TLSv1." in what
    assert "the certificate is not verified" in what
    assert "extra sslmode of the ledger's connection to verify-full, and sslrootcert" in remedy


@pytest.mark.parametrize(
    ("sslmode", "level", "told"),
    [
        ("disable", Level.OK, "the connection to 127.0.0.1 is not encrypted, as its extra sslmode says"),
        ("allow", Level.ATTENTION, "is not encrypted: machines in between can read and change the ledger"),
    ],
)
def test_a_plain_connection_is_noted_when_it_is_so_on_purpose_and_else_warned_of(ask, elsewhere, sslmode, level, told):
    ((found, what, remedy),) = on_the_way(ask, sslmode=sslmode)
    assert found is level
    assert told in what
    assert level is Level.OK or "verify-full" in remedy


def test_on_this_machine_nobody_is_in_between(ask):
    assert on_the_way(ask) == []


@pytest.mark.parametrize(
    ("extra", "told"),
    [
        ({"sslmode": "verify-full", "sslrootcert": "{other}"}, "certificate verify failed. Check sslrootcert"),
        ({"sslmode": "verify-full", "sslrootcert": "/nowhere.pem"}, "does not exist. Check sslrootcert"),
    ],
)
def test_a_server_that_cannot_show_who_it_is_gets_nothing(ask, tmp_path, extra, told):
    other = certify(tmp_path)
    ask("staking_worker", extra={name: value.replace("{other}", str(other)) for name, value in extra.items()})
    with pytest.raises(LedgerError, match=told) as refused:
        examined()
    assert "password" not in str(refused.value)


def test_a_server_of_another_name_gets_nothing(ask, postgresql):
    ask("staking_worker", host="localhost", extra={"sslmode": "verify-full", "sslrootcert": str(postgresql.authority)})
    with pytest.raises(LedgerError, match="does not match host name"):
        examined()
