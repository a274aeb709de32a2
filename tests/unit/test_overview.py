"""The overview: what is owed, at risk or wrong, and the grid."""

import sqlite3
from contextlib import closing
from datetime import timedelta
from unittest.mock import Mock

import pytest

from staking_gateway.errors import Failed, GatewayError
from staking_gateway.health.overview import Overview
from staking_gateway.health.state import AirflowFacts, EraRun, LiveFacts, NetworkState, State, read_facts
from staking_gateway.ledger import Actor, Ledger, PayoutState
from staking_gateway.problem import Problem, Topic
from staking_gateway.types import AccountId, ElectionWindow, StakingStatus
from tests.support.alerting import ACCOUNTS, HOUR, START, network
from tests.support.ledgers import planned, put, sqlite_url

ACTIVE = 200
NOW = START + ACTIVE * HOUR + HOUR / 2
NETWORK = "net"
ALICE, BOB, CAROL = ACCOUNTS[:3]
RUN = EraRun("staking_payout_net", "run", "running")
CATCH_UP = EraRun("staking_catch_up_net", "manual__1", "running")


def settings(**more):
    accounts = [{"account": ALICE.address, "label": "alice", "expect": "staking"}, {"account": BOB.address}]
    return network(**{"accounts": accounts, "history_depth": 84, **more})


@pytest.fixture
def ledger(tmp_path):
    opened = Ledger(sqlite_url(tmp_path), clock=lambda: opened.time)
    opened.time = NOW - HOUR
    yield opened
    opened.close()


def record(ledger, era, state=PayoutState.CONFIRMED, *, at=None, actor="staking_payout_net/run-1", **changes):
    """Let a payout come to a state."""
    ledger.time = at or NOW - HOUR
    payout = planned(ledger, era, network=NETWORK, actor=Actor(actor))
    if state is not PayoutState.PLANNED:
        payout = put(ledger, payout, state, Actor(actor), **changes)
    return payout


@pytest.fixture(scope="module")
def all_paid(tmp_path_factory):
    """A ledger in which the last 84 eras are paid."""
    folder = tmp_path_factory.mktemp("paid")
    with closing(Ledger(sqlite_url(folder), clock=lambda: NOW - HOUR)) as ledger:
        for era in range(ACTIVE - 84, ACTIVE):
            record(ledger, era)
    return folder / "ledger.db"


@pytest.fixture
def pay_all(ledger, all_paid, tmp_path):
    """Copies what `all_paid` holds, but for some eras."""

    def pay(*, but=()):
        left_out = ", ".join(str(era) for era in (-1, *but))
        with closing(sqlite3.connect(tmp_path / "ledger.db", isolation_level=None)) as file:
            file.execute("ATTACH ? AS paid", [str(all_paid)])
            kept = f"(SELECT id FROM paid.payouts WHERE era NOT IN ({left_out}))"
            of_copy = f"copy_id IN (SELECT id FROM paid.payout_copies WHERE payout_id IN {kept})"
            tables = dict.fromkeys(("payout_copies", "payout_events", "payout_sightings"), f"payout_id IN {kept}")
            for table, which in {"payouts": f"id IN {kept}", **tables, "payout_sends": of_copy}.items():
                file.execute(f"INSERT INTO {table} SELECT * FROM paid.{table} WHERE {which}")

    return pay


SILENT = LiveFacts(problem=Problem(Topic.GATEWAY_UNREACHABLE, "no connection"), at=NOW)


def look(ledger, *, facts=None, runs=None, eras=84, paused=False, now=NOW, catch_up=None, **more):
    given = {"airflow": lambda _: AirflowFacts(runs=runs, paused=paused, catch_up=catch_up), "newest": eras}
    return Overview(NetworkState(NETWORK, settings(**more), ledger, facts or LiveFacts(), now=now, **given)).as_dict()


def cell(told, era):
    return told["grid"]["cells"][era - told["grid"]["first"]]


def details(told):
    """Anchor of each cause to its facts."""
    return {cause["topic"]: cause["detail"] for cause in told["causes"]}


# --- the headline -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("unpaid", "given", "headline"),
    [
        ((), {}, "Nothing is unpaid."),
        ((), {"facts": LiveFacts(automatic=True)}, "This chain pays its stakers by itself: nothing is unpaid."),
        ((199,), {"runs": {199: RUN}}, "1 era being paid."),
        ((199,), {"runs": {199: RUN}, "facts": SILENT}, "The gateway does not answer. 1 era not paid yet."),
        (
            (198, 199),
            {"runs": {198: RUN, 199: RUN}, "facts": SILENT},
            "The gateway does not answer. 2 eras not paid yet.",
        ),
        ((), {"paused": True}, "The payout DAG is paused. Nothing is unpaid."),
        ((198,), {}, "1 era unpaid; era 198 expires first, in 82 eras (3d 9h)."),
        (
            (198,),
            {"catch_up": CATCH_UP},
            "1 era unpaid, and a catch-up is paying; era 198 expires first, in 82 eras (3d 9h).",
        ),
        (
            (150, 190),
            {"accounts": [{"account": ALICE.address, "history_depth": 28}]},
            "2 eras unpaid; era 190 expires first, in 18 eras (17h 30m).",
        ),
        ((), {"now": START - HOUR}, "Nothing is unpaid."),
    ],
)
def test_the_headline_says_what_is_unpaid_and_what_expires_first(ledger, pay_all, unpaid, given, headline):
    pay_all(but=unpaid)
    assert look(ledger, **given)["headline"] == headline


def test_owed_eras_are_counted_and_the_first_to_expire_is_named_with_its_time(ledger, pay_all):
    pay_all(but=(150, 180, 181))
    told = look(ledger)
    assert told["headline"] == "3 eras unpaid; era 150 expires first, in 34 eras (1d 9h)."
    assert told["level"] == "attention"
    assert [entry["era"] for entry in told["owed"]["eras"]] == [150, 180, 181]
    first = told["owed"]["eras"][0]
    assert (first["expires_at_era"], first["eras_left"]) == (234, 34)
    assert first["expires_at"] == (START + 234 * HOUR).isoformat()
    assert told["owed"]["count"] == 3


def test_a_catch_up_whose_dag_is_paused_is_not_under_way(ledger, pay_all):
    pay_all(but=(180,))
    facts = AirflowFacts(runs={}, catch_up=CATCH_UP, catch_up_paused=True)
    told = Overview(NetworkState(NETWORK, settings(), ledger, LiveFacts(), now=NOW, airflow=lambda _: facts)).data
    assert told["state"]["catch_up"]["paused"]
    assert "a catch-up is paying" not in told["headline"]


def test_a_loss_at_an_unknown_time_is_no_missing_loss(ledger, pay_all):
    """The list of networks sorts an empty text before all times, and None after them."""
    pay_all(but=(180,))
    states = (NetworkState(NETWORK, settings(), ledger, LiveFacts(active=at), now=NOW) for at in (ACTIVE + 5, 0))
    assert [Overview(state).strip()["first_loss"] for state in states] == ["", None]


def test_eras_from_before_the_first_payout_or_the_start_date_are_told_apart(ledger):
    told = look(ledger, start_date=(START + 195 * HOUR).isoformat())
    assert [entry["era"] for entry in told["owed"]["eras"]] == [195, 196, 197, 198, 199]
    assert cell(told, 194)["state"] == State.IGNORED.value
    for era in range(190, ACTIVE):
        record(ledger, era)
    told = look(ledger)
    assert cell(told, 189)["state"] == State.EARLIER.value
    assert told["headline"] == "Nothing is unpaid since this installation started."
    assert (told["owed"]["count"], told["owed"]["earlier"]["count"], told["level"]) == (0, 74, "ok")


# --- cells ------------------------------------------------------------------------------------------------------------------


def test_a_paid_era_tells_its_run_transaction_fee_and_lag(ledger):
    record(ledger, 190, fee=70, tx_hash="0xab", confirmed_at=START + 191 * HOUR + timedelta(seconds=42))
    told = cell(look(ledger), 190)
    assert told == {
        "era": 190,
        "state": "P",
        "reason": "confirmed by request_state",
        "dag_id": "staking_payout_net",
        "run_id": "run-1",
        "tx_hash": "0xab",
        "fee": "70",
        "fee_text": "70 planck",
        "lag": 42.0,
        "ended_at": (START + 191 * HOUR).isoformat(),
    }


CELLS = {
    "paid elsewhere": ((PayoutState.EMPTY, {}), {}, {"state": "P", "reason": "already paid, from gateway"}),
    "a part is missing": (
        (PayoutState.CONFIRMED, {}),
        {"payout": {"parts": 2}},
        {"state": "O", "reason": "1 parts are paid, more may be unpaid"},
    ),
    "the run under way": (
        (PayoutState.HELD, {"hold": "window", "reason": "the window is open"}),
        {"runs": {190: RUN}},
        {"state": "H", "run_id": "run"},
    ),
    "a failed run": (
        None,
        {"runs": {190: EraRun("staking_payout_net", "manual__1", "failed")}},
        {"state": "O", "run_id": "manual__1"},
    ),
    "a command": ((PayoutState.CONFIRMED, {"actor": "airflow staking/2026"}), {}, {"state": "P", "run_id": None}),
}


@pytest.mark.parametrize(("stored", "given", "shown"), CELLS.values(), ids=CELLS)
def test_a_cell_has_the_state_the_reason_and_the_run_of_its_era(ledger, stored, given, shown):
    if stored is not None:
        record(ledger, 190, stored[0], **stored[1])
    told = cell(look(ledger, **given), 190)
    assert {name: told.get(name) for name in shown} == shown


def test_an_era_that_has_just_ended_waits_for_its_run(ledger, pay_all):
    pay_all(but=(199,))
    assert cell(look(ledger, now=START + ACTIVE * HOUR + timedelta(seconds=30)), 199)["state"] == "W"
    assert cell(look(ledger), 199)["state"] == "O"


def test_eras_that_were_lost_are_expired_where_they_were_ours(ledger):
    record(ledger, 100)
    told = look(ledger, eras=110)
    assert cell(told, 100)["state"] == "P"
    assert cell(told, 101)["state"] == "X"
    assert cell(told, 99)["state"] == "-"
    assert cell(look(ledger, eras=110, payout={"parts": 2}), 100)["state"] == "P", "paid by the parts of its time"
    planned(ledger, 100, 1, network=NETWORK)
    assert cell(look(ledger, eras=110, payout={"parts": 2}), 100)["state"] == "X", "more may be left"
    assert told["expired"] == list(range(101, 116))
    assert details(told)["expired"] == "eras 101-115; the rewards are gone"
    assert told["level"] == "danger"


def test_a_loss_is_shown_although_its_era_has_left_the_grid(ledger, pay_all):
    pay_all()
    record(ledger, 114)
    told = look(ledger)
    assert told["grid"]["first"] > 115
    assert told["headline"] == "Eras expired unpaid. Nothing is unpaid."
    assert (details(told), told["level"]) == ({"expired": "era 115; the rewards are gone"}, "danger")


# --- accounts ---------------------------------------------------------------------------------------------------------------


def test_a_row_has_one_letter_for_each_era(ledger):
    ledger.record_statuses(NETWORK, 197, [(ALICE, STAKING), (BOB, IDLE)])
    ledger.record_statuses(NETWORK, 199, [(ALICE, IDLE), (CAROL, STAKING)])
    accounts = [{"account": ALICE.address, "label": "alice", "expect": "staking"}, {"account": BOB.address}]
    told = look(ledger, eras=4, accounts=[*accounts, {"account": CAROL.address, "expect": "not_staking"}])
    rows = [(row["label"], row["letters"]) for row in told["grid"]["accounts"]]
    assert sorted(rows) == [("", "...A"), ("", ".N.."), ("alice", ".S.B")]
    counts = {"watched": 3, "staking": 1, "not_staking": 2, "unexpected": 2, "checked": 3, "right": 1}
    assert told["accounts"] == counts
    wrong = f"2 accounts: alice ({ALICE.address}) is not staking, {CAROL.address} is staking"
    assert details(told)["accounts"] == wrong


STAKING, IDLE = StakingStatus.IS_STAKING, StakingStatus.IS_NOT_STAKING


@pytest.fixture
def crowd(ledger):
    """1,000 accounts checked in 3 eras, of which each hundredth has stopped staking, as a function of a page's settings."""
    keys = [AccountId.parse(f"0x{index:04x}" + "22" * 30) for index in range(1000)]
    for era in range(ACTIVE - 3, ACTIVE):
        ledger.record_statuses(NETWORK, era, [(key, STAKING if i % 100 else IDLE) for i, key in enumerate(keys)])
    accounts = [{"account": key.hex, "label": f"stash-{i}", "expect": "staking"} for i, key in enumerate(keys)]
    found = Overview(NetworkState(NETWORK, settings(accounts=accounts), ledger, LiveFacts(), now=NOW, newest=3))
    return lambda **page: found.as_dict(**page)["grid"], found


def test_accounts_are_sent_in_pages_those_in_the_wrong_state_first(crowd):
    page, _ = crowd
    first = page()
    assert (len(first["accounts"]), first["start"], first["matching"]) == (200, 0, 1000)
    wrong_first = [f"stash-{100 * number}" for number in range(10)] + ["stash-1"]
    assert [row["label"] for row in first["accounts"]][:11] == wrong_first
    together = [row["label"] for start in range(0, 1000, 200) for row in page(start=start)["accounts"]]
    assert sorted(together) == sorted(f"stash-{number}" for number in range(1000))
    assert page(start=1000)["accounts"] == []
    for wanted, matching in (
        ({"words": " STASH-99 "}, 11),
        ({"words": "0x0063"}, 1),
        ({"wrong": True, "words": "-9"}, 1),
    ):
        looked_for = page(**wanted)
        assert (looked_for["matching"], len(looked_for["accounts"])) == (matching, matching)


# --- the network ------------------------------------------------------------------------------------------------------------


def test_without_the_chain_the_calendar_tells_the_era_and_its_end(ledger):
    told = look(ledger, facts=LiveFacts(problem=Problem(Topic.GATEWAY_FAILS, "no connection")))
    assert (told["state"]["active_era"], told["state"]["source"], told["state"]["window"]) == (ACTIVE, "calendar", None)
    assert told["state"]["next_era_at"] == (START + 201 * HOUR).isoformat()
    assert (told["funds"]["texts"], told["funds"]["runway"]) == ({}, None)
    assert look(ledger, facts=LiveFacts(active=199))["state"]["next_era_at"] is None, "the calendar is ahead"


class Gateway:
    """Tells what it is given. It runs on this machine, and asks no node."""

    is_remote, node = False, None

    def __init__(self, **told):
        self._told = {"free_balance": None, **told}

    def __getattr__(self, name):
        def read(*_):
            if isinstance(answer := self._told[name], Exception):
                raise answer
            return answer

        return read


@pytest.mark.parametrize(("era", "told"), [(0, 0), (1, 0), (2, None), (ACTIVE, None)])
def test_era_0_is_no_word_of_a_chain_that_must_be_further(era, told):
    gateway = Gateway(active_era=0, pays_by_itself=False, election_window=ElectionWindow.CLOSED, relayer_fee=3)
    facts = read_facts(gateway, settings(), clock=lambda: START + era * HOUR)
    assert (facts.active, facts.fee) == (told, 3)
    assert (facts.problem is None) == (told == 0)


@pytest.mark.parametrize(("answered", "asked"), [(False, 1), (True, 6)])
def test_a_gateway_that_is_away_is_asked_once_and_one_that_refuses_for_all_facts(answered, asked):
    error = GatewayError("no", method="x", how=Failed.INTERNAL, code=-32603 if answered else None)
    client = Mock(
        **dict.fromkeys(["active_era.side_effect", "pays_by_itself.side_effect", "election_window.side_effect"], error)
    )
    client.relayer_fee.side_effect = client.free_balance.side_effect = client.node.token.side_effect = error
    client.is_remote = False
    found = read_facts(client, settings(), clock=lambda: NOW)
    assert (len(found.failed), found.silent, found.problem) == (asked, True, error.problem)
