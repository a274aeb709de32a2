"""Each message is made once and gets to each receiver, whoever else is at it, dies or refuses it meanwhile; many alerts are one message."""

import json
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta

import pytest

from staking_gateway.alerts import LEASE, deliver, ended, note_mistake
from staking_gateway.config.models import NetworkConfig
from staking_gateway.errors import ConfigError
from staking_gateway.ledger import Ledger
from staking_gateway.ledger.journal import MOST_LISTED
from staking_gateway.ledger.records import Alert
from tests.support.alerting import HOUR, MINUTE, NAME, START, Watched
from tests.support.ledgers import KINDS, account, heard, ledger_url, together


@pytest.fixture(params=KINDS)
def net(request, tmp_path):
    """Era 99: not paid in time; nobody was told."""
    with ledger_url(request.param, tmp_path) as url, Watched(url) as watching:
        watching.url = url
        watching.pay(98)
        watching.now += 31 * MINUTE
        yield watching


@pytest.fixture
def book(net):
    return net.ledger.journal.alerts


class Refuses:
    """A receiver that is out of order for so many messages."""

    def __init__(self, times=10**6):
        self.times = times
        self.got = []

    def __call__(self, message):
        if self.times > 0:
            self.times -= 1
            raise ConnectionError("nobody listens")
        self.got.append(message)


def test_a_message_is_kept_until_its_receiver_has_taken_it_and_the_others_get_it_once(net, book):
    chat, mail = Refuses(times=2), Refuses(times=0)
    net.watch()
    assert deliver(NAME, book, {}).left == 1, "without receivers it waits"
    assert (deliver("other", book, {"chat": chat}).left, book.open("other")) == (0, [])
    for left in (1, 1, 0):
        told = deliver(NAME, book, {"chat": chat, "mail": mail})
        assert (told.left, bool(told.errors)) == (left, bool(left))
    (message,) = chat.got
    assert chat.got == mail.got
    assert (message["era"], len(message["id"])) == (99, 32)
    assert json.loads(json.dumps(message)) == message
    assert told.sent == ["[testnet] Era 99: not paid in time"]
    assert deliver(NAME, book, {"chat": chat}).sent == []
    (alert,) = book.open(NAME)
    assert (alert.topic, alert.kind, alert.era, alert.raised_at) == ("era:99", "not_paid", 99, net.now)


def test_a_message_that_a_receiver_refuses_holds_up_no_other(net, book):
    net.watch()
    net.now += HOUR
    net.watch()
    chat = Refuses(times=1)
    assert (deliver(NAME, book, {"chat": chat}).left, len(chat.got)) == (1, 1)


@pytest.mark.parametrize("sends", [False, True], ids=["while sending", "after sending"])
def test_who_dies_leaves_the_message_to_others_after_a_lease(net, book, sends):
    got, later = [], []

    def dies(message):
        if sends:
            got.append(message["id"])
        raise KeyboardInterrupt

    net.watch()
    with pytest.raises(KeyboardInterrupt):
        deliver(NAME, book, {"webhook": dies})
    assert (deliver(NAME, book, {"webhook": later.append}).left, later) == (1, []), "whoever sends may be alive"
    net.now += LEASE
    deliver(NAME, book, {"webhook": later.append})
    assert [message["era"] for message in later] == [99]
    assert {message["id"] for message in later} >= set(got), "it comes again with the same id"


def test_what_comes_again_after_it_was_over_is_told_of_again_in_order_also_to_who_was_away(net, book, monkeypatch):
    monkeypatch.setattr(NetworkConfig, "alerts_clear_after", timedelta(0))
    net.pay(99)
    log, chat = Refuses(times=0), Refuses(times=3)
    for balance in (0, 5000, 5000, 0):
        net.now += MINUTE
        net.live = {"fee": 100, "balance": balance}
        net.watch()
        deliver(NAME, book, {"log": log, "chat": chat})
    for _ in range(2):
        deliver(NAME, book, {"log": log, "chat": chat})
    for receiver in (log, chat):
        assert [message["phase"] for message in receiver.got] == ["raised", "cleared", "raised"]
    assert book.unsent(NAME) == []


def test_who_took_longer_than_the_lease_changes_nothing_any_more(net, book):
    got = []

    def slow(message):
        net.now += 2 * LEASE
        deliver(NAME, book, {"webhook": got.append})

    net.watch()
    deliver(NAME, book, {"webhook": slow, "mail": got.append})
    assert len(got) == 1, "the slow one lost its claim and sends no further"


def test_eight_runs_that_see_the_same_say_it_once(net, book):
    ledgers = [Ledger(net.url, clock=lambda: net.now) for _ in range(8)]
    got = []

    def run(ledger):
        rival = object.__new__(Watched)
        rival.__dict__ |= {**net.__dict__, "ledger": ledger}
        rival.watch()
        deliver(NAME, ledger.journal.alerts, {"webhook": got.append})

    try:
        for phase in ("raised", "cleared"):
            together(run, ledgers)
            assert [message["phase"] for message in got] == [phase]
            got.clear()
            net.pay(99)
    finally:
        for ledger in ledgers:
            ledger.close()
    assert book.open(NAME) == []


# --- very many accounts --------------------------------------------------------------------------------------------------

MANY = 450
LONGEST = 64_000


def stopped(accounts):
    """The alerts when so many accounts have stopped staking."""
    about = {"severity": "warning", "era": None, "cause": "it has stopped", "next_step": "do", "runbook": "accounts"}
    topics = {f"account:{account(number).hex}": f"no. {number}" for number in range(accounts)}
    return [
        Alert(NAME, topic, "not_staking", 1, subject=who, raised_at=START, **about) for topic, who in topics.items()
    ]


def update(book, found):
    return book.update(NAME, found, clear_after=HOUR)


def said(book):
    got = []
    deliver(NAME, book, {"somebody": got.append})
    return got


def test_a_mistake_in_the_file_is_told_of_until_it_is_corrected(book):
    for error, phase in ((ConfigError("networks", "is empty", "Write one"), "raised"), (None, "cleared")):
        note_mistake(NAME, error, book)
        assert [message["phase"] for message in said(book)] == [phase]


def test_what_became_final_by_a_mistake_is_told_again(book):
    told = [update(book, [replace(stopped(1)[0], state=state)]) for state in ("final", "final", "open", "final")]
    assert told == [1, 0, 1, 0]


class Killed(BaseException):
    """The process died here. No code catches it."""


@contextmanager
def death_at(step):
    """The process dies before a step: the statements that write and the commits of their transactions are counted from 0."""
    passed = []

    def die():
        passed.append(None)
        if len(passed) == step + 1:
            raise Killed

    def execute(_connection, _cursor, text, *_):
        if text.startswith(("INSERT", "UPDATE", "DELETE")):
            die()

    with heard("before_cursor_execute", execute), heard("commit", lambda _connection: die()), pytest.raises(Killed):
        yield


def test_all_accounts_are_told_of_in_one_message(book):
    assert update(book, stopped(MANY)) == 1
    assert len(book.open(NAME)) == MANY
    (message,) = said(book)
    assert (message["count"], len(message["conditions"])) == (MANY, MOST_LISTED)
    names = ", ".join(f"no. {number}" for number in range(10))
    assert message["title"] == f"[{NAME}] {names} and {MANY - 10} more: not staking"
    assert len(json.dumps({"text": message["text"], "staking_alert": message})) < LONGEST
    assert update(book, stopped(MANY)) == 0
    assert update(book, [ended(one, "staking again") for one in stopped(MANY)]) == 1
    (message,) = said(book)
    assert (message["phase"], message["count"], book.open(NAME)) == ("cleared", MANY, [])
    assert message["title"].endswith("more: staking again")


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
