"""Alerts about very many accounts: short transactions and small messages, and each account is counted once."""

import json
from contextlib import closing, contextmanager

import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st

from staking_gateway.alerts.announcement import announcement
from staking_gateway.alerts.delivery import deliver
from staking_gateway.ledger import Ledger
from staking_gateway.ledger.alert_book import AlertMessage
from staking_gateway.ledger.alert_changes import MOST_LISTED, listed
from staking_gateway.ledger.conditions import AlertKind, Condition, Findings, Severity
from staking_gateway.ledger.tables import alert_messages, alerts
from staking_gateway.text import shorten
from tests.support.alerting import HOUR, IS_NOT, NAME, RUN, Watched
from tests.support.ledgers import KINDS, NOW, account, connected, heard, ledger_url, sqlite_url, together
from tests.support.transactions import death_at, transactions

MANY = 450
MOST_AT_ONCE = 100
"""Rows of one transaction."""
LONGEST = 64_000


def stopped(accounts, cause="it has stopped staking"):
    """The findings when so many accounts have stopped staking."""
    found = [
        Condition(f"account:{account(number).hex}", AlertKind.NOT_STAKING, 1, Severity.WARNING, f"no. {number}", cause, "Nominate")
        for number in range(accounts)
    ]  # fmt: skip
    return Findings(present={one.topic: one for one in found})


def staking_again(accounts):
    return Findings(settled=dict.fromkeys(stopped(accounts).present, "is staking again"))


@pytest.fixture(params=KINDS)
def url(request, tmp_path):
    with ledger_url(request.param, tmp_path) as made:
        yield made


@pytest.fixture
def book(url):
    with closing(Ledger(url, clock=lambda: NOW)) as opened:
        yield opened.journal.alerts


def update(book, findings):
    return book.update(NAME, findings, clear_after=HOUR, actor=RUN)


def said(book):
    got = []
    deliver(NAME, book, {"somebody": got.append})
    return got


@contextmanager
def before_each(what, do=lambda number: None):
    """Do something before each statement that begins with some word; it gets the number of the statement."""
    seen = []

    def note(_connection, _cursor, text, parameters, _context, _many):
        if text.startswith(what):
            seen.append(parameters)
            do(len(seen))

    with heard("before_cursor_execute", note):
        yield seen


@pytest.mark.parametrize("accounts", [MANY, 4 * MANY])
def test_no_transaction_writes_more_however_many_accounts_change_at_once(book, accounts):
    with transactions() as seen:
        for findings in (stopped(accounts), staking_again(accounts), stopped(accounts)):
            assert update(book, findings) == 1
    assert len(seen) == 3 * -(-accounts // MOST_AT_ONCE)
    assert {one.statements for one in seen} == {2}, "the alerts, and their message"
    assert max(one.values for one in seen) < (MOST_AT_ONCE + 1) * len(alerts.columns)


def test_all_accounts_are_told_of_in_one_message(book):
    assert update(book, stopped(MANY)) == 1
    assert len(book.open_kinds(NAME)) == MANY
    (message,) = said(book)
    assert (message["count"], len(message["conditions"])) == (MANY, MOST_LISTED)
    names = ", ".join(f"no. {number}" for number in range(10))
    assert message["title"] == f"[{NAME}] {MANY} accounts ({names} and {MANY - 10} more) are not staking"
    assert len(json.dumps({"text": message["text"], "staking_alert": message})) < LONGEST
    with before_each(("INSERT", "UPDATE", "BEGIN")) as seen:
        assert update(book, stopped(MANY)) == 0
    assert seen == [], "nothing is written while nothing changes"
    assert update(book, staking_again(MANY)) == 1
    (message,) = said(book)
    assert (message["phase"], message["count"], book.open_kinds(NAME)) == ("cleared", MANY, {})
    assert "no. 0 is staking again." in message["text"]


STEPS = 3
"""Of a transaction: alerts, message, commit."""


@pytest.mark.parametrize("step", range(STEPS * -(-MANY // MOST_AT_ONCE)))
def test_a_run_that_dies_at_any_step_loses_no_alert_and_repeats_none(book, step):
    """The next run stores the rest, and reports the rest."""
    stored = step // STEPS * MOST_AT_ONCE
    with death_at(step):
        update(book, stopped(MANY))
    assert len(book.open_kinds(NAME)) == stored
    told = [message["count"] for message in said(book)]
    assert told == ([stored] if stored else [])
    update(book, stopped(MANY))
    assert len(book.open_kinds(NAME)) == MANY
    assert [message["count"] for message in said(book)] == [MANY - stored]
    assert said(book) == [], "each message is sent once"


def test_a_message_that_is_sent_meanwhile_is_followed_by_another_about_the_rest(url, book):
    got, returned = [], []
    with closing(Ledger(url, clock=lambda: NOW)) as other:

        def send(*_):
            returned.append(0)
            if len(returned) == 2:  # the alerts were read, and the first portion is committed
                deliver(NAME, other.journal.alerts, {"somebody": got.append})

        with heard("checkin", send, sa.pool.Pool):
            assert update(book, stopped(MANY)) == 2
    assert [message["count"] for message in [*got, *said(book)]] == [MOST_AT_ONCE, MANY - MOST_AT_ONCE]


def test_runs_that_find_the_same_count_each_account_once(url, book):
    def find(_):
        with closing(Ledger(url, clock=lambda: NOW)) as rival:
            return update(rival.journal.alerts, stopped(MANY))

    together(find, range(3))
    assert sum(message["count"] for message in said(book)) == MANY


def test_a_message_that_an_older_version_left_with_all_its_conditions_is_sent_as_a_summary(url, book):
    update(book, stopped(1))
    conditions = [one.as_dict() for one in stopped(MANY).present.values()]
    with connected(url) as connection:
        connection.execute(alert_messages.update().values(conditions=conditions, total=None))
    (message,) = said(book)
    assert (message["count"], len(message["conditions"])) == (MANY, MOST_LISTED)


def test_when_all_accounts_stop_the_task_says_so_in_a_few_lines(tmp_path):
    people = [account(number) for number in range(100, 200)]
    with Watched(sqlite_url(tmp_path), accounts=[(one, "staking") for one in people]) as net:
        net.pay(98, 99)
        net.ledger.record_statuses(NAME, 99, [(one, IS_NOT) for one in people])
        found = net.watch()
    assert (found.total, len(found.open)) == (100, MOST_LISTED)
    assert found.lines[-1] == "and 50 more alerts"


# --- sizes ---------------------------------------------------------------------------------------------------------------

TEXTS = st.text(max_size=3_000) | st.integers(0, 3_000).map(lambda length: "\U0001f600" * length)


@settings(deadline=None, max_examples=30)
@given(subject=TEXTS, cause=TEXTS, step=TEXTS, many=st.integers(1, 200), phase=st.sampled_from(["raised", "cleared"]))
def test_no_message_is_larger_than_64_kilobytes_whatever_the_texts(subject, cause, step, many, phase):
    about = {"topic": f"account:0x{'ab' * 32}", "kind": "not_staking", "severity": "warning", "era": 2**32 - 1}
    conditions = [
        {**about, "subject": subject, "cause": f"{number}{cause}", "next_step": step} for number in range(many)
    ]
    made = listed(conditions)
    assert 1 <= len(made) <= min(many, MOST_LISTED)
    message = AlertMessage("ab" * 16, "n" * 250, phase, "not_staking", "warning", tuple(made), NOW, (), 1, many)
    body = announcement(message)
    assert len(json.dumps({"text": body["text"], "staking_alert": body})) < LONGEST


@given(text=st.text(max_size=300), most=st.integers(5, 400))
def test_a_shortened_text_fits_and_a_short_one_stays(text, most):
    cut = shorten(text, most)
    assert len(json.dumps(cut)) <= most
    assert cut == text or (cut.endswith("...") and text.startswith(cut[:-3]))
    assert len(json.dumps(text)) > most or cut == text
