"""What the ledger's errors and logs say: each trouble with its remedy, and nobody's signature."""

import logging
from contextlib import closing

import pytest
import sqlalchemy as sa

from staking_gateway.errors import LedgerConflict, LedgerError
from staking_gateway.ledger import Ledger, NotGranted, database
from tests.support.ledgers import NETWORK, SIGNATURES, planned, signed, sqlite_url


@pytest.fixture
def ledger(tmp_path):
    with closing(Ledger(sqlite_url(tmp_path))) as opened:
        yield opened


@pytest.mark.parametrize("loud", ["", "sqlalchemy", "sqlalchemy.engine", "sqlalchemy.engine.Engine.staking_ledger"])
def test_no_log_shows_signatures_however_loud(ledger, caplog, loud):
    caplog.set_level(logging.NOTSET, logger="sqlalchemy.engine")  # another test's migrations may have set it
    caplog.set_level(logging.DEBUG, logger=loud)
    payout = signed(ledger, planned(ledger))
    assert ledger.in_flight_of(NETWORK) == [payout]
    assert ("UPDATE payouts" in caplog.text) == bool(loud)
    assert not [secret for secret in SIGNATURES.values() if secret in caplog.text]


class ServerError(Exception):
    """As a PostgreSQL driver raises it."""

    def __init__(self, sqlstate, text="told\nDETAIL:  Failing row contains (0xabc)"):
        super().__init__(text)
        self.sqlstate = sqlstate


SERVER = sa.make_url("postgresql+psycopg2://me:hunter2@host/db?password=hunter3")


def explained(sqlstate, kind=sa.exc.OperationalError, **text):
    return database.translate_error(kind("INSERT", SIGNATURES, ServerError(sqlstate, **text)), SERVER)


@pytest.mark.parametrize(
    ("sqlstate", "remedy"),
    [
        ("25006", "name the primary one"),
        ("28P01", "Correct the login or the password"),
        ("3D000", "Create the database"),
        ("42501", "Grant its login the right"),
        ("53100", "Free space on the server"),
        ("53300", "The server has reached one of its limits"),
        ("55P03", "Another session holds it"),
        ("57P01", "Check that the server runs"),
        (None, "Check that the server runs, and host, port"),
        ("22001", "restore a backup"),
        ("42P01", "restore a backup"),
    ],
)
def test_each_trouble_of_a_server_has_its_remedy(sqlstate, remedy):
    error = explained(sqlstate)
    assert str(error).startswith("The ledger at postgresql+psycopg2://me:***@host/db failed: told. ")
    assert remedy in str(error)
    assert type(error) is (NotGranted if sqlstate == "42501" else LedgerError)


@pytest.mark.parametrize(
    ("told", "remedy"),
    [
        (
            'connection to server at "db", port 5432 failed: FATAL:  permission denied for database "db"',
            "GRANT CONNECT",
        ),
        ("server does not support SSL, but SSL was required", "Check sslmode of its connection"),
        ("SSL connection has been closed unexpectedly", "Check that the server runs"),
        ("SSL SYSCALL error: EOF detected", "Check that the server runs"),
        (
            'FATAL:  no pg_hba.conf entry for host "10.0.0.7", user "w", database "db", SSL encryption',
            "from this machine in the server's pg_hba.conf",
        ),
        ("connection to server failed: SSL error: certificate verify failed", "Check sslrootcert"),
        ('root certificate file "/nowhere" does not exist', "Check sslrootcert"),
    ],
)
def test_a_connection_that_was_not_made_has_the_remedy_of_its_reason(told, remedy):
    assert remedy in str(explained(None, text=told))


@pytest.mark.parametrize("sqlstate", ["40001", "40P01"])
def test_a_race_lost_in_the_server_is_a_conflict(sqlstate):
    assert type(explained(sqlstate)) is LedgerConflict


def test_more_threads_than_connections_are_told_so():
    assert "too many connections" in str(
        database.translate_error(sa.exc.TimeoutError("QueuePool limit reached"), SERVER)
    )


def test_what_looks_like_a_signature_is_cut_out_of_the_servers_words():
    error = explained("22P02", text=f"invalid input syntax: {SIGNATURES['proxy_signature']}")
    assert "invalid input syntax: 0x.... " in str(error)


def test_an_error_without_words_is_called_by_its_name():
    assert "failed: ServerError. " in str(explained("XX000", text=""))
