"""`airflow staking accounts`: the watched accounts and what was stored of them."""

from __future__ import annotations

import json

import pytest
from names import ALICE_STASH, BOB_STASH, DAVE, ERA, NETWORK
from staking_commands import airflow

from staking_gateway.types import AccountId, StakingStatus

STAKING, IDLE = StakingStatus.IS_STAKING, StakingStatus.IS_NOT_STAKING


@pytest.fixture(autouse=True)
def prepared(gateway, network):
    network(
        accounts=[
            {"account": ALICE_STASH, "label": "alice-stash", "expect": "staking"},
            {"account": BOB_STASH, "label": "bob", "expect": "not_staking"},
            DAVE,
        ]
    )


def accounts(*words):
    airflow("accounts", "--network", NETWORK, *words)


def store(ledger, era, alice, bob, dave):
    pairs = zip((ALICE_STASH, BOB_STASH, DAVE), (alice, bob, dave), strict=True)
    ledger.record_statuses(NETWORK, era, [(AccountId.parse(one), status) for one, status in pairs if status])


def test_shows_each_account_with_what_is_expected_and_what_was_found(ledger, capsys):
    store(ledger, ERA, STAKING, IDLE, IDLE)
    accounts("--output", "json")
    told = json.loads(capsys.readouterr().out)
    assert [(row["account"], row["label"], row["expected"], row["status"]) for row in told] == [
        (ALICE_STASH, "alice-stash", "staking", "isStaking"),
        (BOB_STASH, "bob", "not_staking", "isNotStaking"),
        (DAVE, "", "any", "isNotStaking"),
    ]
    assert all(row["era"] == ERA and row["as_expected"] for row in told)


def test_takes_the_newest_era_that_has_statuses_unless_one_is_named(ledger, capsys):
    store(ledger, ERA - 1, IDLE, IDLE, IDLE)
    store(ledger, ERA, STAKING, IDLE, IDLE)
    accounts()
    assert f"{NETWORK}: the statuses stored for era {ERA}" in capsys.readouterr().out
    with pytest.raises(SystemExit, match=r"1 account in the wrong state.*alice-stash. Check again with"):
        accounts("--era", ERA - 1)


@pytest.mark.parametrize(
    ("statuses", "wrong"),
    [
        ((IDLE, IDLE, IDLE), "alice-stash"),
        ((STAKING, STAKING, IDLE), "bob"),
        ((STAKING, IDLE, None), DAVE),
    ],
)
def test_ends_badly_when_one_is_not_as_expected_or_was_not_checked(ledger, statuses, wrong):
    store(ledger, ERA, *statuses)
    with pytest.raises(SystemExit, match=f"^1 account in the wrong state, or not checked: {wrong}. "):
        accounts()


def test_ends_badly_when_no_era_has_statuses(capsys):
    with pytest.raises(SystemExit, match="3 accounts in the wrong state, or not checked"):
        accounts()
    assert "No era has statuses yet" in capsys.readouterr().out


def test_asks_nobody(gateway, ledger):
    store(ledger, ERA, STAKING, IDLE, IDLE)
    before = gateway.control.truth()["calls"]
    accounts()
    assert gateway.control.truth()["calls"] == before
