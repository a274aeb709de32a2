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

    def __init__(self, sqlstate, text=""):
        super().__init__(text)
        self.sqlstate = sqlstate


SERVER = sa.make_url("postgresql+psycopg2://me:hunter2@host/db?password=hunter3")


def explained(sqlstate, kind=sa.exc.OperationalError, **text):
    return database.translate_error(kind("INSERT", SIGNATURES, ServerError(sqlstate, **text)), SERVER)


REMEDIES = [
    ("25006", "told", "name the primary one"),
    ("28P01", "told", "Correct the login or the password"),
    ("3D000", "told", "Create the database"),
    ("42501", "told", "Grant its login the right"),
    ("53100", "told", "Free space on the server"),
    ("53300", "told", "The server has reached one of its limits"),
    ("55P03", "told", "Another session holds it"),
    ("57014", "told", "took longer than its time limit"),
    ("57P01", "told", "Check that the server runs"),
    ("22001", "told", "restore a backup"),
    (None, "SSL SYSCALL error: EOF detected", "Check that the server runs, and host, port"),
    (None, 'connection failed: FATAL:  permission denied for database "db"', "GRANT CONNECT"),
    (None, "server does not support SSL, but SSL was required", "Check sslmode of its connection"),
    (
        None,
        'FATAL:  no pg_hba.conf entry for host "10.0.0.7", user "w"',
        "from this machine in the server's pg_hba.conf",
    ),
    (None, "connection failed: SSL error: certificate verify failed", "Check sslrootcert"),
]


@pytest.mark.parametrize(("sqlstate", "told", "remedy"), REMEDIES)
def test_each_trouble_of_a_server_has_its_remedy(sqlstate, told, remedy):
    error = explained(sqlstate, text=f"{told}\nDETAIL:  Failing row contains (0xabc)")
    assert str(error).startswith(f"The ledger at postgresql+psycopg2://me:***@host/db failed: {told}. ")
    assert remedy in str(error)
    assert type(error) is (NotGranted if sqlstate == "42501" else LedgerError)


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
