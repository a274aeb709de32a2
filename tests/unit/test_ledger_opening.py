"""A ledger is made on first use. What cannot be one is refused when it is opened, by name, and left as it was."""

import hashlib
import sqlite3
import stat
import sys
from contextlib import closing

import pytest
import sqlalchemy as sa

from staking_gateway.errors import LedgerConflict, LedgerError
from staking_gateway.ledger import Ledger, PayoutState, schema, store
from staking_gateway.ledger.database import Database
from staking_gateway.ledger.records import Sight
from staking_gateway.ledger.schema import HEAD, VERSION_TABLE, identity_of, schema_version
from staking_gateway.payout.outcomes import Hold
from tests.support.ledgers import NETWORK, POSTGRESQL, assert_made, connected, fresh_url, planned, refused, signed

ATTEMPTS = Ledger, schema_version


# --- no ledger at all ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("told", "url"),
    [
        *(("is not valid", url) for url in ("", "ledger.db", None, "postgresql://me:hunter2@host:port/db")),
        ("does not support mysql", "mysql://me:hunter2@host/db"),
        ("does not support sqlite.aiosqlite", "sqlite+aiosqlite:////tmp/x.db"),
        ("does not support postgresql.asyncpg", "postgresql+asyncpg://me:hunter2@host/db"),
        *(
            ("needs an absolute path", f"sqlite://{path}")
            for path in ("", "/:memory:", "/ledger.db", "/./ledger.db", "//tmp/mem?mode=memory&uri=true")
        ),
    ],
)
def test_a_url_that_names_no_ledger_is_refused_with_one_that_does(url, told):
    with pytest.raises(LedgerError, match=told) as caught:
        Ledger(url)
    assert "Write sqlite:////path/to/file or postgresql://user@host/database" in str(caught.value)
    assert "hunter2" not in str(caught.value)


def test_a_missing_driver_is_named_with_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg2", None)
    url = "postgresql://me:hunter2@127.0.0.1/db"
    with refused(url, "driver", "psycopg2", "Install airflow-provider-staking-gateway[postgres]"):
        Ledger(url)


def test_a_missing_folder_is_named_and_not_made(tmp_path):
    url = f"sqlite:///{tmp_path / 'missing' / 'ledger.db'}"
    with refused(url, "unable to open database file", "Its folder must exist"):
        Ledger(url)
    assert not (tmp_path / "missing").exists()
    assert schema_version(url) is None


def served(**changes):
    return sa.make_url(POSTGRESQL).set(**changes).render_as_string(hide_password=False)


UNREACHABLE = [
    ("postgresql://me:hunter2@127.0.0.1:1/db", "Connection refused"),
    ("postgresql://me@127.0.0.1:1/db?password=hunter2&connect_timeout=2", "Connection refused"),
    ("postgres://me:hunter2@127.0.0.1:1/db", "Connection refused"),
    ("postgresql://me:hunter2@127.0.0.1:1/db?sslmode=hunter3", "invalid sslmode"),
]
if POSTGRESQL:
    UNREACHABLE += [
        (served(password="hunter2"), "password authentication failed"),
        (served(database="none_of_this_name"), 'database "none_of_this_name" does not exist'),
    ]


@pytest.mark.parametrize(("url", "told"), UNREACHABLE)
def test_a_server_that_lets_nobody_in_is_named_without_its_password(url, told):
    for attempt in ATTEMPTS:
        with refused(url, told, "Check that the server runs, and host, port, database, login and password") as caught:
            attempt(url)
        assert "hunter2" not in str(caught.value)


def test_an_empty_file_becomes_a_ledger(file):
    file.touch()
    Ledger(f"sqlite:///{file}").close()
    assert schema_version(f"sqlite:///{file}") == HEAD


if POSTGRESQL:

    def test_a_server_that_only_reads_is_named(tmp_path):
        option = "default_transaction_read_only=on"
        with fresh_url("postgresql", tmp_path, option) as url, refused(url, "read-only", "name the primary one"):
            Ledger(url)


# --- something else's database --------------------------------------------------------------------------------------------


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_a_file_that_is_no_database_is_refused_and_left_alone_without_a_connection(file, monkeypatch):
    file.write_bytes(b"to whom it may concern: these are no pages of a database" * 99)
    before, closed = contents(file.parent), []

    class Watched(Database):
        def close(self):
            super().close()
            closed.append(self.name)

    monkeypatch.setattr(store, "Database", Watched)
    for attempt in ATTEMPTS:
        with refused(f"sqlite:///{file}", "file is not a database", "name another one"):
            attempt(f"sqlite:///{file}")
    assert contents(file.parent) == before
    assert closed == [f"sqlite:///{file}"]


@pytest.mark.parametrize("table", ["users", "payouts"])
def test_a_database_of_something_else_is_refused_and_left_alone(file, table):
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(f"CREATE TABLE {table} (id)")
    before = contents(file.parent)
    for attempt in ATTEMPTS:
        with refused(f"sqlite:///{file}", "another program", f"'{table}'", "nothing was changed"):
            attempt(f"sqlite:///{file}")
    assert contents(file.parent) == before


def test_a_ledger_that_lost_its_version_is_not_taken_for_an_empty_one(url):
    Ledger(url).close()
    with connected(url) as connection:
        connection.exec_driver_sql(f"DELETE FROM {VERSION_TABLE}")
    with refused(url, "it has a table", VERSION_TABLE):
        Ledger(url)


@pytest.mark.parametrize("schema", ["9999", "0000"])
def test_a_ledger_of_another_version_is_refused_and_left_alone(url, schema):
    with closing(Ledger(url)) as ledger:
        payout = planned(ledger)
    with connected(url) as connection:
        connection.exec_driver_sql(f"UPDATE {VERSION_TABLE} SET version_num = '{schema}'")
    remedy = "Install the version of airflow-provider-staking-gateway that made it on this machine; nothing was changed"
    with refused(url, f"schema {schema}", f"knows {HEAD}", remedy):
        Ledger(url)
    assert schema_version(url) == schema
    with connected(url) as connection:
        assert connection.exec_driver_sql(f"SELECT version_num FROM {VERSION_TABLE}").scalar() == schema
        assert connection.exec_driver_sql("SELECT id FROM payouts").scalar() == payout.id


def test_a_history_that_does_not_fit_its_record_is_no_lost_race(url):
    """A lost race is read again and decided anew; this would be so for ever."""
    with closing(Ledger(url)) as ledger:
        payout = planned(ledger)
        with connected(url) as connection:
            connection.exec_driver_sql(
                "INSERT INTO payout_events (id, payout_id, at, to_state, version, cause, run, try_number) "
                f"VALUES (99, {payout.id}, '2026-06-01 00:00:00.000000', 'HELD', 2, '', '', 1)"
            )
        with refused(url, "restore a backup"):
            signed(ledger, payout)
        assert ledger.payout(NETWORK, 1392, 0) == payout
        with pytest.raises(LedgerError) as caught:
            signed(ledger, payout)
        assert not isinstance(caught.value, LedgerConflict)


# --- the tables ----------------------------------------------------------------------------------------------------------


def test_a_new_ledger_has_what_the_code_expects(url):
    assert_made(url)


def test_the_schema_can_be_asked_for_without_making_a_ledger(url):
    assert schema_version(url) is None
    database = Database(url)
    assert database.missing is database.is_sqlite
    Ledger(url).close()
    assert schema_version(url) == HEAD


def test_a_ledger_has_an_identity_and_keeps_it(url, tmp_path):
    another = f"sqlite:///{tmp_path / 'another.db'}"
    assert (identity_of(url), identity_of(another)) == (None, None)
    identities = [(Ledger(one).close(), identity_of(one))[1] for one in (url, another, url, another)]
    assert identities[:2] == identities[2:]
    assert len({*identities}) == 2
    assert {len(one) for one in identities} == {32}


def test_a_ledger_that_another_process_made_meanwhile_is_taken_as_it_is(url, monkeypatch):
    Ledger(url).close()
    made = (schema_version(url), identity_of(url))
    monkeypatch.setattr(schema, "_stored_version", lambda _: None)
    Ledger(url).close()
    monkeypatch.undo()
    assert (schema_version(url), identity_of(url)) == made


def test_a_creation_that_fails_leaves_the_database_as_it_was(url, monkeypatch):
    def tables():
        with connected(url) as connection:
            return set(sa.inspect(connection).get_table_names())

    monkeypatch.setattr(schema, "view_statements", lambda _dialect: ["CREATE VIEW staking_odd AS nonsense"])
    with pytest.raises(LedgerError, match=r"syntax error|does not exist"):
        Ledger(url)
    assert (schema_version(url), tables()) == (None, set())
    monkeypatch.undo()
    Ledger(url).close()


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
    """So a ledger of another build is refused by name: one whose columns, guards, views, indexes or stored words this version does not know."""
    url = f"sqlite:///{tmp_path / 'ledger.db'}"
    Ledger(url).close()
    with connected(url) as connection:
        made = "SELECT of.name, its.* FROM sqlite_master AS of, pragma_table_info(of.name) AS its ORDER BY of.name, its.cid"
        columns = [tuple(row) for row in connection.exec_driver_sql(made)]
        others = connection.exec_driver_sql(
            "SELECT sql FROM sqlite_master WHERE type <> 'table' AND sql <> '' ORDER BY name"
        )
        statements = [" ".join(sql.split()) for sql in others.scalars()]
    words = [[one.value for one in of] for of in (PayoutState, Hold, Sight)]
    assert hashlib.sha256(repr((columns, statements, words)).encode()).hexdigest()[:12] == HEAD, (
        "give the schema this version"
    )
