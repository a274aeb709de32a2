"""The least a database login needs, on a real PostgreSQL: what the documentation grants suffices, and nothing of it can be spared."""

import re
import uuid
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from unittest.mock import patch

import pytest
import sqlalchemy as sa
from installation import NAMES, Installation, by_distributed_page, psql, text

from staking_gateway.alerts import deliver, watch
from staking_gateway.config.models import NetworkConfig
from staking_gateway.eras import EraAnchor, EraCalendar
from staking_gateway.errors import LedgerError
from staking_gateway.health.state import LiveFacts
from staking_gateway.ledger import Actor, Ledger, PayoutState, schema
from staking_gateway.ledger.records import AccountReward, EraFacts, Reconciliation
from staking_gateway.ledger.schema import identity_of
from staking_gateway.ledger.tables import metadata
from staking_gateway.ledger.views import VIEWS
from staking_gateway.payout.outcomes import Outcome
from staking_gateway.problem import Problem, Topic
from staking_gateway.types import StakingStatus
from staking_gateway_provider.doctor.installation import check_clock
from tests.support.alerting import network
from tests.support.ledgers import NOW, USER, answered, assert_made, connected, judged, planned, signed
from tests.support.world import World

RUN = Actor("staking_payout_testnet/run")
CALENDAR = EraCalendar((EraAnchor(0, datetime(2026, 1, 1, tzinfo=timezone.utc), timedelta(hours=1)),))


@pytest.fixture(scope="module")
def database(postgresql, tmp_path_factory):
    """URLs of a ledger's database by login. `only_reads` is made as the page about data says."""
    made = Installation(by_distributed_page, postgresql, tmp_path_factory.mktemp("made"))
    urls = {"owner": made.url("staking_ledger"), **{role: made.url(role) for role in NAMES}}
    made.names["staking_report"] = f"only_reads_{made.mark}"
    psql(made.in_ledger, "--file", made.page("ledger_report.sql"))
    return {**urls, "only_reads": made.url("staking_report")}


@contextmanager
def ledger_as(database, role):
    with closing(Ledger(text(database[role]), clock=lambda: NOW)) as ledger:
        yield ledger


def use_as_worker(database, era):
    """Everything tasks do with a ledger, once. Each era is a fresh one: nothing is left out because it was done before."""
    name = f"net{era}"
    assert identity_of(text(database["staking_worker"]))
    with ledger_as(database, "staking_worker") as ledger:
        payout = planned(ledger, era, network=name)
        ledger.stop("a test", RUN)
        assert ledger.go(RUN)
        sent = answered(ledger, signed(ledger, payout, fee=7, mark=ledger.restored("a test", RUN)))
        sent = ledger.count_send(sent, sent.last.id, "again", RUN, mark=ledger.mark())
        told = {"status": "Rejected", "read_at": NOW, "rejected_at": NOW, "block_number": 1, "tx_hash": "0xab"}
        sent = ledger.transition(
            sent, sent.state, "read", RUN, reads=[(sent.last.id, replace(sent.last.sends[0], **told))]
        )
        settled = judged(ledger, sent, PayoutState.REJECTED)
        assert ledger.committed(name) == 7
        assert [event.version for event in ledger.events(settled)] == [1, 2, 3, 4, 5, 6]
        assert ledger.rekey(name, f"chain {era}", RUN) == 1
        for status in (StakingStatus.IS_STAKING, StakingStatus.IS_NOT_STAKING):
            ledger.record_statuses(name, era, [(USER, status)], keep_from=1)
        assert ledger.statuses_of(name, range(era, era + 1))
        journal = ledger.journal
        assert journal.note_once(name, era, "expired", "text")
        assert journal.notices(name)
        for active in (era, era + 1):
            journal.note_active_era(name, active, 84)
        for words in ("missing", "still missing"):
            journal.note_failure(name, era, Problem(Topic.CONNECTION_MISSING, words), RUN)
        assert journal.failures(name)[era].problem.facts == "still missing"
        journal.forget_failure(name, era)
        for body in ({"pay": []}, {"pay": [1]}):
            journal.keep_plan(name, "0" * 64, body)
        assert journal.plan(name, "0" * 64) == {"pay": [1]}
        journal.agree_on_calendar(name, CALENDAR)
        assert journal.check_calendar(name, CALENDAR) == []
        note_facts(ledger.facts, name, era)
        assert all(any(True for _ in ledger.views.rows(view, name, range(era, era + 1))) for view in VIEWS)
        watch_and_tell(database, name)


def note_facts(facts, name, era):
    """Each twice, because the second time changes a row."""
    about = {"network": name, "era": era}
    found = {"subject": "fee", "agrees": False, "finding": "fee_differs", "text": "it differs"}
    for _ in range(2):
        facts.note(EraFacts(**about, reward=1, reward_source="storage", noted_at=NOW))
        reward = {"account_key": USER.hex, "address": USER.address, "amount": 1, "source": "events"}
        facts.note(AccountReward(**about, **reward, noted_at=NOW))
        facts.note(Reconciliation(**about, **found, checked_at=NOW, run="r"))
    read_facts(facts, name, era)


def read_facts(facts, name, era):
    assert facts.era(name, era)
    assert facts.rows(Reconciliation, name, range(era, era + 1))


def watch_and_tell(database, name):
    """An alert is raised, told of, and over."""
    now, told = datetime(2026, 6, 5, tzinfo=timezone.utc), []
    settings = network(start_date=now.isoformat())
    with closing(Ledger(text(database["staking_worker"]), clock=lambda: now)) as ledger:
        for balance in (0, 10**9, 10**9):
            live = LiveFacts(fee=100, balance=balance, at=now)
            with patch.object(NetworkConfig, "alerts_clear_after", timedelta(0)):
                watch(name, settings, ledger, live, clock=lambda: now)
            deliver(name, ledger.journal.alerts, {"somebody": told.append})
    # The difference that `note_facts` stored is another alert, and stays.
    assert (told[0]["phase"], told[-1]["phase"]) == ("raised", "cleared")


def grants_of(database, role):
    """Tables, sequences and columns a login has rights to, as (privilege, object)."""
    login = database[role].username
    queries = (
        "SELECT privilege_type, quote_ident(table_name) FROM information_schema.role_table_grants WHERE grantee = %s",
        "SELECT privilege_type, 'SEQUENCE ' || quote_ident(object_name) FROM information_schema.role_usage_grants "
        "WHERE grantee = %s AND object_type = 'SEQUENCE'",
        "SELECT format('%%s (%%I)', privilege_type, column_name), quote_ident(table_name) FROM information_schema.role_column_grants AS one "
        "WHERE grantee = %s AND NOT EXISTS (SELECT 1 FROM information_schema.role_table_grants AS whole WHERE whole.grantee = "
        "one.grantee AND whole.table_name = one.table_name AND whole.privilege_type = one.privilege_type)",
    )
    with connected(database["owner"]) as connection:
        return sorted({tuple(row) for query in queries for row in connection.exec_driver_sql(query, (login,))})


def statement(database, role, sql):
    """Execute something past the ledger; its rows, if it gives any."""
    with connected(database[role]) as connection:
        result = connection.exec_driver_sql(sql)
        return result.all() if result.returns_rows else []


# --- a worker ----------------------------------------------------------------------------------------------------------


def test_a_worker_pays_eras_with_what_it_is_granted(database, tmp_path):
    world = World(tmp_path, unpaid_eras=3)
    world.ledger.close()
    world.ledger = Ledger(text(database["staking_worker"]), clock=world.now)
    try:
        for era in (world.era - 1, world.era):
            world.gateway.lose = ["after"]
            assert world.drive(era).outcome is Outcome.PAID
            assert len(world.executed(era)) == 1
    finally:
        world.close()


def test_nothing_a_worker_is_granted_can_be_spared(database):
    use_as_worker(database, 1)
    login, spared = database["staking_worker"].username, []
    granted = grants_of(database, "staking_worker")
    for number, (privilege, where) in enumerate(granted, 100):
        with connected(database["owner"]) as owner:
            owner.exec_driver_sql(f"REVOKE {privilege} ON {where} FROM {login}")
            try:
                use_as_worker(database, number)
                spared.append((privilege, where))
            except LedgerError as error:
                assert "permission denied" in str(error), (privilege, where)  # noqa: PT017 - any other error is a failure
            finally:
                owner.exec_driver_sql(f"GRANT {privilege} ON {where} TO {login}")
    assert ("USAGE", "SEQUENCE payouts_id_seq") in granted
    assert len(granted) > 20
    # Without these two, a restore of the server is not detected.
    assert spared == [("UPDATE (server)", "ledger_identity"), ("UPDATE (timeline)", "ledger_identity")]


@pytest.mark.parametrize("column", ["server", "timeline"])
def test_a_server_that_was_restored_or_replaced_sets_one_mark_when_a_worker_looks(database, column):
    def marks():
        return [row.why for row in statement(database, "owner", "SELECT why FROM ledger_marks ORDER BY id")]

    for role in ("staking_worker", "staking_page"):
        with ledger_as(database, role):
            before = marks()
    statement(database, "owner", f"UPDATE ledger_identity SET {column} = 'another'")
    with ledger_as(database, "staking_page"):
        assert marks() == before, "the page's login writes none"
    for _ in range(2):
        with ledger_as(database, "staking_worker") as ledger:
            assert "PostgreSQL's system identifier and timeline changed from " in ledger.mark().why
    assert marks() == [*before, ledger.mark().why]


HISTORY = {
    *("payout_events", "payout_copies", "payout_sends", "payout_sightings", "ledger_marks", "ledger_identity"),
    *("era_notices", "calendar_anchors", "staking_ledger_version"),
}


def test_a_worker_cannot_rewrite_history_or_drop_what_keeps_payloads_apart(database):
    granted = grants_of(database, "staking_worker")
    assert {where for right, where in granted if right in ("DELETE", "TRUNCATE")} == {
        "account_statuses",
        "task_failures",
    }
    assert not {where for right, where in granted if right == "UPDATE"} & HISTORY
    assert ("UPDATE (fee)", "payout_copies") not in granted
    for sql in (
        "DROP TABLE payouts",
        "CREATE TABLE more (id int)",
        "SELECT setval('payouts_id_seq', 1)",
        "UPDATE payout_sends SET number = 7",
        "DROP TRIGGER payout_copies_are_not_changed ON payout_copies",
    ):
        with pytest.raises(sa.exc.ProgrammingError, match=r"permission denied|must be owner"):
            statement(database, "staking_worker", sql)


# --- the page, exports and reports -------------------------------------------------------------------------------------


@pytest.mark.parametrize("role", ["staking_page", "staking_report"])
def test_who_only_reads_can_make_no_era_look_paid(database, role):
    assert {right for right, where in grants_of(database, role) if where != "catch_up_plans"} == {"SELECT"}
    with pytest.raises(sa.exc.ProgrammingError, match="permission denied"):
        statement(database, role, "UPDATE payouts SET network = 'x'")


@pytest.mark.parametrize("role", ["staking_report", "only_reads"])
def test_a_report_reads_the_views_and_neither_tables_nor_signatures(database, role):
    use_as_worker(database, 4 if role == "staking_report" else 5)
    for view in VIEWS:
        assert statement(database, role, f"SELECT * FROM {view}"), view
        with pytest.raises(sa.exc.DBAPIError, match=r"permission denied|cannot delete from view"):
            statement(database, role, f"DELETE FROM {view}")
        columns = {column.name for column in VIEWS[view]}
        assert not columns & {"proxy_signature", "fee_payment_signature"}
    for table in (*metadata.tables, schema.VERSION_TABLE):
        with pytest.raises(sa.exc.ProgrammingError, match="permission denied"):
            statement(database, role, f"SELECT * FROM {table}")


def test_a_new_ledger_has_what_the_code_expects_on_postgresql(postgresql):
    name = f"made_{uuid.uuid4().hex[:8]}"
    with connected(postgresql.admin) as admin:
        admin.exec_driver_sql(f"CREATE DATABASE {name}")
    assert_made(text(postgresql.admin.set(database=name)))


# --- clocks --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("ahead", "words"), [(3600, "behind"), (-3600, "ahead of")])
def test_a_ledgers_server_with_another_time_is_named(database, ahead, words):
    """The test moves the clock of this machine: the server's clock cannot be moved."""
    with closing(Ledger(text(database["staking_page"]))) as ledger:
        (finding,) = check_clock(ledger, datetime.now(timezone.utc) + timedelta(seconds=ahead))
        told = (
            rf"the clock of the ledger's server is 3[56]\d\d s {words} this machine's"  # a busy machine takes its time
        )
        assert re.search(told, finding.facts)
        assert list(check_clock(ledger, datetime.now(timezone.utc))) == []
