"""The ledger's tables: made on first use, whoever comes first."""

import hashlib
import stat
from contextlib import closing

import pytest
import sqlalchemy as sa

from staking_gateway.errors import LedgerError
from staking_gateway.ledger import Ledger, identity_of, schema_state, upgrade_schema
from staking_gateway.ledger.database import Database
from staking_gateway.ledger.schema import HEAD, current_version, ensure_schema
from staking_gateway.ledger.views import VIEWS, View
from tests.support.ledgers import (
    POSTGRESQL,
    assert_made,
    connected,
    fresh_url,
    heard,
    planned,
)


def test_a_new_ledger_has_what_the_code_expects(url):
    assert_made(url)


def test_the_schema_can_be_asked_for_without_making_a_ledger(url):
    state = schema_state(url)
    assert (state.current, state.head, state.up_to_date, state.of_another_version) == (None, HEAD, False, False)
    database = Database(url)
    assert database.missing is database.is_sqlite
    state = upgrade_schema(url)
    assert (state.current, state.head, state.up_to_date) == (HEAD, HEAD, True)
    assert schema_state(url) == upgrade_schema(url) == state
    assert state.ledger == database.name


def test_a_ledger_has_an_identity_and_keeps_it(url, tmp_path):
    another = f"sqlite:///{tmp_path / 'another.db'}"
    assert (identity_of(url), identity_of(another)) == (None, None)
    identities = [(upgrade_schema(one), identity_of(one))[1] for one in (url, another, url, another)]
    assert identities[:2] == identities[2:]
    assert len({*identities}) == 2
    assert {len(one) for one in identities} == {32}


def test_a_creation_that_fails_leaves_the_database_as_it_was(url, monkeypatch):
    def tables():
        with connected(url) as connection:
            return set(sa.inspect(connection).get_table_names())

    monkeypatch.setitem(VIEWS, "staking_odd", View((), "nonsense"))
    with pytest.raises(LedgerError, match=r"syntax error|does not exist"):
        Ledger(url)
    assert (schema_state(url).current, tables()) == (None, set())
    monkeypatch.undo()
    assert upgrade_schema(url).current == HEAD


def test_tables_made_while_somebody_looks_for_them_are_no_strangers(url):
    faster = []

    def somebody_was_faster(*_):
        if not faster:
            faster.append(True)
            upgrade_schema(url)

    with closing(Database(url)) as database, heard("after_cursor_execute", somebody_was_faster):
        database.make_file()
        ensure_schema(database)
        assert (current_version(database), faster) == (HEAD, [True])


def test_an_sqlite_ledger_keeps_what_it_was_told_to_keep_to_its_user(file):
    url = f"sqlite:///{file}"
    with closing(Ledger(url)) as ledger:
        planned(ledger)
        assert {stat.S_IMODE(one.stat().st_mode) for one in file.parent.iterdir()} == {0o600}
    with closing(Database(url)) as database, database.reading() as connection:
        for pragma, expected in (("journal_mode", "wal"), ("synchronous", 2), ("foreign_keys", 1)):
            assert connection.exec_driver_sql(f"PRAGMA {pragma}").scalar() == expected
    with connected(url) as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode=DELETE").scalar() == "delete"
    with closing(Ledger(url)), connected(url) as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"


if POSTGRESQL:

    def test_a_postgresql_session_waits_for_locks_for_a_while_and_sees_what_was_committed(tmp_path):
        option = "default_transaction_isolation=serializable"
        with fresh_url("postgresql", tmp_path, option) as url, closing(Database(url)) as database:
            for connect in (database.writing, database.reading):
                with connect() as connection:
                    assert connection.exec_driver_sql("SHOW lock_timeout").scalar() == "30s"
            with database.writing() as connection:
                assert connection.exec_driver_sql("SHOW transaction_isolation").scalar() == "read committed"


def test_another_schema_has_another_version(tmp_path):
    """So a ledger of an earlier build is refused by name, and never read by names of columns that it has not."""
    url = f"sqlite:///{tmp_path / 'ledger.db'}"
    upgrade_schema(url)
    with connected(url) as connection:
        made = "SELECT of.name, its.* FROM sqlite_master AS of, pragma_table_info(of.name) AS its ORDER BY of.name, its.cid"
        columns = [tuple(row) for row in connection.exec_driver_sql(made)]
    assert hashlib.sha256(repr(columns).encode()).hexdigest()[:12] == HEAD, "give the schema this version"
