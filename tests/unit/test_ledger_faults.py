"""When the ledger fails it says which one, why and what to do, and nobody's signature; nothing is damaged, and the next call goes on."""

import logging
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import partial

import pytest
import sqlalchemy as sa

from staking_gateway.errors import LedgerConflict, LedgerError
from staking_gateway.ledger import Ledger, PayoutState, database
from staking_gateway.ledger.database import NotGranted
from staking_gateway.ledger.standing import LedgerStopped
from tests.support.ledgers import (
    NETWORK,
    POSTGRESQL,
    RUN,
    SIGNATURES,
    assert_consistent,
    assert_discreet,
    connected,
    fresh_url,
    heard,
    planned,
    postgresql,
    refused,
    signed,
)


@contextmanager
def full_disk():
    """SQLite's own limit of the pages of a file, which it reports as a full disk."""

    def limit(connection):
        connection.connection.driver_connection.execute("PRAGMA max_page_count=1")

    with heard("engine_connect", limit):
        yield


def test_a_full_disk_is_told_and_the_ledger_goes_on_when_there_is_room_again(file):
    url = f"sqlite:///{file}"
    with closing(Ledger(url)) as ledger:
        payout = planned(ledger)
        with (
            full_disk(),
            refused(url, "full", "Free space for it; the change was not made, and the next call repeats it"),
        ):
            for _ in range(2_000):
                payout = signed(ledger, payout)
        assert ledger.payout(NETWORK, 1392, 0) == payout
        ledger.close()
        assert signed(ledger, payout).version == payout.version + 1
        assert_consistent(ledger, url)


@pytest.fixture
def impatient(url):
    """The URL of a ledger of which nobody waits half a minute for a lock."""
    if url.startswith("sqlite"):
        yield f"{url}?timeout=0.05"
        return

    def hurry(connection):
        connection.exec_driver_sql("SET LOCAL lock_timeout = '50ms'")

    with heard("begin", hurry):
        yield url


@contextmanager
def locked(url):
    """Somebody else has begun to write, and takes his time."""
    with connected(url) as connection:
        if url.startswith("sqlite"):
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        else:
            connection.exec_driver_sql("BEGIN")
            connection.exec_driver_sql("LOCK TABLE payouts IN SHARE MODE")
        yield
        connection.exec_driver_sql("ROLLBACK")


def test_a_ledger_somebody_else_holds_says_so_and_goes_on_when_it_is_free(impatient):
    with closing(Ledger(impatient)) as ledger:
        payout = planned(ledger)
        with locked(impatient):
            with refused(impatient, "lock", "wait for that", "try again"):
                signed(ledger, payout)
            assert ledger.payout(NETWORK, 1392, 0) == payout, "reading goes on"
        assert signed(ledger, payout).version == 2


def test_a_file_that_was_replaced_under_an_open_ledger_is_the_one_written_to(file):
    with closing(Ledger(f"sqlite:///{file}")) as backed_up:
        planned(backed_up)
    backup = file.read_bytes()
    with closing(Ledger(f"sqlite:///{file}")) as ledger:
        assert signed(ledger, ledger.payout(NETWORK, 1392, 0)).version == 2
        for path in file.parent.iterdir():
            path.unlink()
        file.write_bytes(backup)
        restored = ledger.payout(NETWORK, 1392, 0)
        assert restored.state is PayoutState.PLANNED
        signed(ledger, restored, relayer_key="after the backup")
        with closing(Ledger(f"sqlite:///{file}")) as another:
            assert another.payout(NETWORK, 1392, 0).last.relayer_key == "after the backup"
            assert_consistent(another, f"sqlite:///{file}")


def test_a_file_that_was_deleted_under_an_open_ledger_is_named_and_not_made_anew(file):
    url = f"sqlite:///{file}"
    with closing(Ledger(url)) as ledger:
        payout = planned(ledger)
        for path in file.parent.iterdir():
            path.unlink()
        for attempt in (partial(signed, ledger, payout), partial(ledger.payout, NETWORK, 1392, 0)):
            with refused(url, "its file is missing", "Put it back"):
                attempt()
        assert not file.exists(), "an empty ledger would sign all eras again"


if POSTGRESQL:

    def test_a_postgresql_connection_cut_while_nobody_used_it_is_not_missed(tmp_path):
        with fresh_url("postgresql", tmp_path) as url, closing(Ledger(url)) as ledger:
            payout = planned(ledger)
            others = "datname = current_database() AND pid <> pg_backend_pid()"
            with postgresql() as server:
                idle = f"SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE {others}"
                assert server.exec_driver_sql(idle).scalars().all() == [True]
            assert signed(ledger, payout).version == 2

    def test_a_row_that_something_holds_keeps_nobody_from_a_stop(tmp_path):
        with fresh_url("postgresql", tmp_path) as url, closing(Ledger(url)) as ledger, connected(url) as other:
            payout, threads = planned(ledger), ThreadPoolExecutor(1)
            for statement in ("BEGIN", "SELECT 1 FROM payouts FOR UPDATE"):
                other.exec_driver_sql(statement)
            waits = threads.submit(signed, ledger, payout)
            time.sleep(0.5)
            assert ledger.stop("why", RUN).why == "why"
            other.exec_driver_sql("COMMIT")
            assert isinstance(waits.exception(9), LedgerStopped)


def test_a_statement_that_takes_too_long_is_ended_and_the_ledger_goes_on(url, monkeypatch):
    session = {**database._SESSION, "postgresql": ("SET statement_timeout = '500ms'",)}
    numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9e8) SELECT count(*) FROM n"
    with closing(Ledger(url)) as ledger:
        payout = planned(ledger)
        ledger.close()
        monkeypatch.setattr(database, "_LONGEST_STATEMENT", 0.5)
        monkeypatch.setattr(database, "_SESSION", session)
        with refused(url, "took longer than its time limit"):
            ledger._database.rows(sa.text(numbers), tuple)
        assert ledger.payout(NETWORK, 1392, 0) == payout


@pytest.mark.parametrize("loud", ["", "sqlalchemy", "sqlalchemy.engine", "sqlalchemy.engine.Engine.staking_ledger"])
def test_no_log_shows_signatures_however_loud(ledger, caplog, loud):
    caplog.set_level(logging.NOTSET, logger="sqlalchemy.engine")  # another test's migrations may have set it
    caplog.set_level(logging.DEBUG, logger=loud)
    payout = signed(ledger, planned(ledger))
    assert ledger.era_payouts(NETWORK, payout.era) == [payout]
    assert ("UPDATE payouts" in caplog.text) == bool(loud)
    assert not [secret for secret in SIGNATURES.values() if secret in caplog.text]


class ServerError(Exception):
    """As a PostgreSQL driver raises it."""

    def __init__(self, sqlstate, text=""):
        super().__init__(text)
        self.pgcode = sqlstate


SERVER = sa.make_url("postgresql+psycopg2://me:hunter2@host/db?password=hunter3")


def explained(sqlstate, kind=sa.exc.OperationalError, **text):
    return database.translate_error(kind("INSERT", SIGNATURES, ServerError(sqlstate, **text)), SERVER)


REMEDIES = [
    ("25006", "told", "name the primary one"),
    ("28P01", "told", "Check that the server runs"),
    ("42501", "told", "Grant its login the right"),
    ("53100", "told", "Free space for it"),
    ("55P03", "told", "Another process holds it"),
    ("57014", "told", "took longer than its time limit"),
    ("57P01", "told", "Check that the server runs"),
    ("22001", "told", "restore a backup"),
    (None, "SSL SYSCALL error: EOF detected", "Check that the server runs, and host, port"),
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


def test_what_looks_like_a_signature_is_cut_out_of_the_servers_words():
    error = explained("22P02", text=f"invalid input syntax: {SIGNATURES['proxy_signature']}")
    assert "invalid input syntax: 0x... (removed). " in str(error)


def test_a_value_that_cannot_be_stored_is_named_by_its_error_alone():
    error = database.translate_error(sa.exc.ArgumentError(SIGNATURES["proxy_signature"]), SERVER)
    assert "failed: it cannot store or read a value (ArgumentError)" in str(error)
    assert_discreet(error)
