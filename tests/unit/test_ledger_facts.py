"""What is on record beside payouts: facts about eras, of which unknown never replaces known; their report; notices, failures and anchors."""

from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest

from staking_gateway.eras import EraAnchor, EraCalendar
from staking_gateway.errors import ConfigError, InvalidInput
from staking_gateway.ledger import PayoutState
from staking_gateway.ledger.records import AccountReward, EraFacts, Reconciliation, TaskFailure
from staking_gateway.ledger.tables import DIFFERS
from staking_gateway.ledger.views import Total
from staking_gateway.problem import Problem, Topic
from staking_gateway.text import Token
from staking_gateway.types import StakingStatus
from tests.support.ledgers import NETWORK, NOW, PAYER, RUN, USER, judged, planned, signed

MOST = 2**128 - 1
FACTS = EraFacts(
    network=NETWORK,
    era=7,
    chain="westend",
    ended_at=NOW,
    reward=MOST,
    reward_source="storage",
    reward_block=123,
    symbol="UNIT",
    decimals=12,
    noted_at=NOW,
)
LATER = NOW + timedelta(hours=1)
NOTHING = EraFacts(network=NETWORK, era=7, noted_at=LATER)
REWARD = AccountReward(
    network=NETWORK, era=7, account_key=USER.hex, address="5F", amount=MOST, source="events", noted_at=NOW
)
FOUND = Reconciliation(
    network=NETWORK, era=7, subject="fee", agrees=True, finding="agrees", text="equal", checked_at=NOW, run="run#1"
)


@pytest.fixture
def facts(ledger):
    return ledger.facts


@pytest.mark.parametrize(
    ("then", "stored"),
    [
        (NOTHING, replace(FACTS, noted_at=LATER)),
        (
            replace(NOTHING, reward=0, reward_source="events", reward_block=9),
            replace(FACTS, reward=0, reward_source="events", reward_block=9, noted_at=LATER),
        ),
        (replace(FACTS, symbol="DOT", decimals=10), replace(FACTS, symbol="DOT", decimals=10)),
    ],
    ids=["unknown replaces nothing", "a reward comes with its own source and block", "the newest counts"],
)
def test_facts_of_an_era_are_kept_until_newer_ones_are_known(facts, then, stored):
    assert facts.era(NETWORK, 7) is None
    facts.note(FACTS)
    assert facts.era(NETWORK, 7) == FACTS
    facts.note(then)
    assert facts.era(NETWORK, 7) == stored


def test_rewards_of_accounts_replace_earlier_ones(ledger):
    facts, payer = ledger.facts, replace(REWARD, account_key=PAYER.hex, amount=0, block_number=9)
    facts.note(REWARD, payer)
    facts.note()
    facts.note(replace(REWARD, amount=5))
    found = ledger.views.rows("staking_rewards", NETWORK, range(9))
    assert [(row.account_key, row.amount) for row in found] == [(USER.hex, 5), (PAYER.hex, 0)]
    with pytest.raises(InvalidInput, match="number"):
        facts.note(replace(REWARD, amount=MOST + 1))


def test_the_newest_comparison_of_a_subject_counts_and_only_differences_are_listed_as_such(facts):
    differs = replace(FOUND, agrees=False, finding="fee_differs", ledger_says="1", chain_says="2")
    unknown = replace(FOUND, subject="nonces", agrees=None, finding="unknown")
    facts.note(differs, unknown, replace(differs, era=8), replace(differs, network="another"))
    assert facts.rows(Reconciliation, NETWORK, range(9), DIFFERS) == [differs, replace(differs, era=8)]
    facts.note(FOUND)
    assert facts.rows(Reconciliation, NETWORK, range(8)) == [FOUND, unknown]
    assert facts.rows(Reconciliation, NETWORK, range(9), DIFFERS) == [replace(differs, era=8)]
    assert facts.paid_on_chain(NETWORK, ()) == facts.paid_on_chain(NETWORK, (7,)) == set()


# --- the report of a range of eras -----------------------------------------------------------------------------------------


def paid(ledger, era, fee, *, after):
    judged(ledger, signed(ledger, planned(ledger, era), fee=fee), confirmed_at=NOW + after)


@pytest.mark.parametrize(
    ("since", "payable_from", "states"),
    [
        (None, 0, {4: "UNKNOWN", 5: "HELD", 6: "IN_FLIGHT", 7: "UNKNOWN", 8: "HELD", 9: "PAID", 10: "UNKNOWN"}),
        (7, 0, {4: "UNKNOWN", 5: "HELD", 6: "IN_FLIGHT", 7: "UNPAID", 8: "HELD", 9: "PAID", 10: "UNPAID"}),
        (4, 8, {4: "EXPIRED", 5: "EXPIRED", 6: "IN_FLIGHT", 7: "EXPIRED", 8: "HELD", 9: "PAID", 10: "UNPAID"}),
        (5, 99, {4: "UNKNOWN", 5: "EXPIRED", 6: "IN_FLIGHT", 7: "EXPIRED", 8: "EXPIRED", 9: "PAID", 10: "EXPIRED"}),
    ],
)
def test_an_era_without_a_payout_is_unpaid_then_expired_and_unknown_only_before_the_installation(
    ledger, since, payable_from, states
):
    """Eras 4 and 10 have no row, and 7 has facts only."""
    for number, era in enumerate((5, 8)):
        ledger.transition(signed(ledger, planned(ledger, era), payment_nonce=50 + number), PayoutState.HELD, "", RUN)
    paid(ledger, 9, 1, after=timedelta(hours=1))
    signed(ledger, planned(ledger, 6), fee=1, payment_nonce=60, staking_nonce=11)
    ledger.facts.note(FACTS)
    ledger.journal.note_active_era(NETWORK, payable_from + 84, 84)
    found = ledger.views.report(NETWORK, range(4, 11), since=since)
    assert {era.era: era.state for era in found.eras} == states


def test_a_wasted_fee_is_reported_also_while_its_era_is_in_flight(ledger):
    wasted = judged(ledger, signed(ledger, planned(ledger, 7), fee=5), PayoutState.REJECTED)
    paid(ledger, 8, 20, after=timedelta(hours=1))
    signed(ledger, wasted, fee=6, payment_nonce=9, staking_nonce=9)
    ledger.record_statuses(NETWORK, 8, [(USER, StakingStatus.IS_STAKING)])
    found = ledger.views.report(NETWORK, range(7, 9))
    assert (found.total("fee"), found.total("wasted")) == (Total(20, 1), Total(5, 0))
    states = [ledger.views.report(NETWORK, range(7, 8), in_hand={7: told}).eras[0].state for told in (True, False)]
    assert states == ["IN_FLIGHT", "UNPAID"]
    assert [(era.fee, era.wasted, era.staking) for era in found.eras] == [(None, 5, None), (20, 0, 1)]


def test_amounts_of_a_range_with_several_tokens_have_no_unit(ledger):
    own, settings = Token("UNIT", 12), Token("DOT", 10)
    ledger.facts.note(FACTS, replace(FACTS, era=8, symbol="DOT", decimals=10))
    for eras, given, told in (
        (range(7, 9), settings, None),
        (range(7, 8), None, own),
        (range(7, 8), settings, settings),
        (range(9, 10), None, settings),
    ):
        assert ledger.views.report(NETWORK, eras, token=given).token == told


def test_nothing_known_is_no_zero(ledger):
    found = ledger.views.report(NETWORK, range(1, 3))
    assert {found.total(name).known for name in ("fee", "wasted", "reward")} == {None} == {found.median_lag}
    assert found.states["UNKNOWN"] == found.total("fee").unknown_eras == 2
    assert found.as_dict()["fee"] == {"known": None, "unknown_eras": 2}


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
    assert (first.at, second.era) == (NOW, 8)


# --- failures ---------------------------------------------------------------------------------------------------------------


def test_the_newest_failure_of_each_era_and_of_the_catch_up_is_kept_until_it_is_forgotten(ledger):
    journal = ledger.journal
    for era, words in [(7, "first"), (7, "second"), (None, "no plan"), (2**32 - 1, "last")]:
        journal.note_failure("net", era, Problem(Topic.SIGNER, words), RUN)
    journal.note_failure("other", 7, Problem(Topic.WRONG_KEY, "elsewhere"), RUN)
    found = journal.failures("net")
    assert {era: failure.problem.facts for era, failure in found.items()} == {
        7: "second",
        None: "no plan",
        2**32 - 1: "last",
    }
    assert found[7] == TaskFailure(7, Problem(Topic.SIGNER, "second"), NOW, RUN.run)
    for era in (7, None, 1):
        journal.forget_failure("net", era)
    assert list(journal.failures("net")) == [2**32 - 1]
    assert list(journal.failures("other").values()) == [
        TaskFailure(7, Problem(Topic.WRONG_KEY, "elsewhere"), NOW, RUN.run)
    ]
    assert journal.failures("unheard of") == {}


# --- calendars --------------------------------------------------------------------------------------------------------------

START, HOUR = datetime(2026, 6, 1, tzinfo=timezone.utc), timedelta(hours=1)
FIRST = (0, timedelta(0), HOUR)
SECOND = (100, HOUR, 2 * HOUR)


def calendar(*anchors):
    return EraCalendar(tuple(EraAnchor(era, START + era * HOUR + shift, length) for era, shift, length in anchors))


@pytest.mark.parametrize(
    ("anchors", "told"),
    [
        ([(0, timedelta(seconds=1), HOUR), SECOND], r"anchors\[0\].*was era 0, 2026-06-01T00:00:00"),
        ([FIRST, (100, HOUR, HOUR)], r"anchors\[1\].*was era 100, .* and 7200 s"),
        ([FIRST], r"anchors\[1\].*was era 100, .*now it is another one, or gone"),
        ([FIRST, (50, timedelta(0), HOUR), SECOND], r"anchors\[1\].*was era 100, .*now it is another one, or gone"),
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
