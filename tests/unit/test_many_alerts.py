"""Alerts about very many accounts: short transactions and small messages, and each account is counted once."""

import json
from contextlib import closing, contextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from staking_gateway.alerts.delivery import deliver
from staking_gateway.alerts.find import announcement
from staking_gateway.ledger import Ledger
from staking_gateway.ledger.alerts import MOST_LISTED, End, Findings, Present, listed
from staking_gateway.ledger.records import AlertMessage
from staking_gateway.problem import Level, Problem, Topic
from tests.support.alerting import HOUR, IS_NOT, NAME, RUN, Watched
from tests.support.ledgers import KINDS, NOW, account, heard, ledger_url, sqlite_url
from tests.support.transactions import death_at

MANY = 450
LONGEST = 64_000


def stopped(accounts, cause="it has stopped staking"):
    """The findings when so many accounts have stopped staking."""
    found = [
        Present(f"account:{account(number).hex}", "not_staking", 1, f"no. {number}", Problem(Topic.ACCOUNTS, cause, level=Level.ATTENTION))
        for number in range(accounts)
    ]  # fmt: skip
    return Findings(present={one.topic: one for one in found})


def staking_again(accounts):
    return Findings(settled=dict.fromkeys(stopped(accounts).present, End("is staking again", "are staking again")))


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


def test_all_accounts_are_told_of_in_one_message(book):
    assert update(book, stopped(MANY)) == 1
    assert len(book.open(NAME)) == MANY
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
    assert (message["phase"], message["count"], book.open(NAME)) == ("cleared", MANY, [])
    assert "no. 0 is staking again." in message["text"]


@pytest.mark.parametrize("step", range(3))
def test_a_run_that_dies_at_any_step_loses_no_alert_and_repeats_none(book, step):
    """Alerts, message and commit are one transaction: the next run stores and reports all."""
    with death_at(step):
        update(book, stopped(MANY))
    assert (book.open(NAME), said(book)) == ([], [])
    update(book, stopped(MANY))
    assert len(book.open(NAME)) == MANY
    assert [message["count"] for message in said(book)] == [MANY]
    assert said(book) == [], "each message is sent once"


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
        {**about, "subject": subject, "cause": f"{number}{cause}", "next_step": step, "several": cause}
        for number in range(many)
    ]
    made = listed(conditions)
    assert 1 <= len(made) <= min(many, MOST_LISTED)
    message = AlertMessage("ab" * 16, "n" * 250, phase, "not_staking", "warning", tuple(made), NOW, (), 1, many)
    body = announcement(message)
    assert len(json.dumps({"text": body["text"], "staking_alert": body})) < LONGEST
