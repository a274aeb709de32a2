"""What the ledger remembers beside payouts: notices, failures and anchors."""

from contextlib import closing
from datetime import datetime, timedelta, timezone

import pytest

from staking_gateway.eras import EraAnchor, EraCalendar
from staking_gateway.errors import ConfigError
from staking_gateway.ledger import Actor, Ledger, TaskFailure
from staking_gateway.problem import Problem, Topic
from tests.support.ledgers import KINDS, ledger_url

START = datetime(2026, 6, 1, tzinfo=timezone.utc)
HOUR = timedelta(hours=1)
ACTOR = Actor("run", 2)


@pytest.fixture(params=KINDS)
def ledger(request, tmp_path):
    with ledger_url(request.param, tmp_path) as url, closing(Ledger(url, clock=lambda: START)) as opened:
        yield opened


def calendar(*anchors):
    return EraCalendar(tuple(EraAnchor(era, START + era * HOUR + shift, length) for era, shift, length in anchors))


# --- notices ----------------------------------------------------------------------------------------------------------------


def test_a_notice_is_given_once_per_era_and_kind(ledger):
    journal = ledger.journal
    assert journal.note_once("net", 7, "expired", "gone")
    assert not journal.note_once("net", 7, "expired", "gone again")
    assert journal.note_once("net", 8, "expired", "gone too")
    assert journal.note_once("net", 7, "expiry_50", "half")
    assert journal.note_once("other", 7, "expired", "elsewhere")
    assert [(notice.era, notice.kind, notice.text) for notice in journal.notices("net")] == [
        (7, "expired", "gone"),
        (7, "expiry_50", "half"),
        (8, "expired", "gone too"),
    ]
    (first, second) = journal.notices("net", "expired")
    assert (first.at, second.era) == (START, 8)


# --- failures ---------------------------------------------------------------------------------------------------------------


def test_the_newest_failure_of_each_era_and_of_the_catch_up_is_kept_until_it_is_forgotten(ledger):
    journal = ledger.journal
    for era, words in [(7, "first"), (7, "second"), (None, "no plan"), (2**32 - 1, "last")]:
        journal.note_failure("net", era, Problem(Topic.SIGNER, words), ACTOR)
    journal.note_failure("other", 7, Problem(Topic.WRONG_KEY, "elsewhere"), ACTOR)
    found = journal.failures("net")
    assert {era: failure.problem.facts for era, failure in found.items()} == {
        7: "second",
        None: "no plan",
        2**32 - 1: "last",
    }
    assert found[7] == TaskFailure(7, Problem(Topic.SIGNER, "second"), START, "run")
    for era in (7, None, 1):
        journal.forget_failure("net", era)
    assert list(journal.failures("net")) == [2**32 - 1]
    assert list(journal.failures("other").values()) == [
        TaskFailure(7, Problem(Topic.WRONG_KEY, "elsewhere"), START, "run")
    ]
    assert journal.failures("unheard of") == {}


# --- calendars --------------------------------------------------------------------------------------------------------------

FIRST = (0, timedelta(0), HOUR)
SECOND = (100, HOUR, 2 * HOUR)


@pytest.mark.parametrize(
    ("anchors", "told"),
    [
        ([(0, timedelta(seconds=1), HOUR), SECOND], r"anchors\[0\].*era 0 was 2026-06-01T00:00:00.*00:00:01"),
        ([FIRST, (100, HOUR, HOUR)], r"anchors\[1\].*7200 s.*3600 s"),
        ([FIRST], r"anchors\[1\].*now it is gone"),
        ([FIRST, (50, timedelta(0), HOUR), SECOND], "era 50 comes before the earlier anchor of era 100"),
    ],
)
def test_an_anchor_that_dated_runs_is_not_moved_removed_or_preceded(ledger, anchors, told):
    ledger.journal.agree_on_calendar("net", calendar(FIRST, SECOND))
    with pytest.raises(ConfigError, match=told) as caught:
        ledger.journal.agree_on_calendar("net", calendar(*anchors))
    assert "ppend" in caught.value.problem.remedy
    ledger.journal.agree_on_calendar("net", calendar(FIRST, SECOND))
    ledger.journal.agree_on_calendar("another", calendar(*anchors))


def test_anchors_may_be_appended_and_a_calendar_be_forgotten_on_purpose(ledger):
    for anchors in ([FIRST], [FIRST], [FIRST, SECOND], [FIRST, SECOND, (200, 300 * HOUR, HOUR)]):
        ledger.journal.agree_on_calendar("net", calendar(*anchors))
    assert ledger.journal.forget_calendar("net") == 3
    ledger.journal.agree_on_calendar("net", calendar((0, timedelta(seconds=1), HOUR)))
