"""The report of an era: what it says, and when it is red."""

import json

import pytest

from staking_gateway.errors import AccountsNotStaking, EraNotPaid
from staking_gateway.ledger import Ledger
from staking_gateway.outcomes import Outcome
from staking_gateway.report import NOT_CHECKED, era_report
from staking_gateway.settings import WatchedAccount
from staking_gateway.types import AccountId, StakingStatus

ALICE = "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY"
BOB = "5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty"
CHARLIE = "5FLSigC9HGRKVhB9FiEo4Y3koPsNmBmLJbpXg2mp1hXcS59Y"
NETWORK, ERA = "testnet", 1391
IS, IS_NOT = StakingStatus.IS_STAKING, StakingStatus.IS_NOT_STAKING
PART = {
    "part": 0,
    "state": "CONFIRMED",
    "request_id": "c9b1c6f6-4c3a-4a55-9d2e-0f6b1a2c3d4e",
    "tx_hash": "0x" + "12" * 32,
    "fee": "100",
    "confirmed_by": "nonce",
    "reason": None,
}
PAID = {"network": NETWORK, "era": ERA, "outcome": "PAID", "reason": "", "parts": [PART]}


@pytest.fixture
def ledger(tmp_path):
    opened = Ledger(f"sqlite:///{tmp_path / 'ledger.db'}")
    yield opened
    opened.close()


@pytest.fixture
def report(ledger):
    """Reports on accounts, given as account to (expected, found)."""

    def make(accounts=(), outcome=PAID):
        watched = [WatchedAccount(account=name, expect=expect) for name, (expect, _) in dict(accounts).items()]
        found = [(AccountId.parse(name), status) for name, (_, status) in dict(accounts).items() if status is not None]
        ledger.record_statuses(NETWORK, ERA, found)
        return era_report(NETWORK, ERA, outcome, watched, ledger)

    return make


def test_an_era_that_is_paid_with_all_accounts_as_expected_is_green(report):
    made = report({ALICE: ("staking", IS), BOB: ("not_staking", IS_NOT), CHARLIE: ("any", IS_NOT)})
    made.raise_if_red()
    assert (made.staking, made.not_staking, made.unexpected) == (1, 2, {})


@pytest.mark.parametrize("outcome", list(Outcome))
def test_it_is_red_for_every_outcome_but_the_two_green_ones(report, outcome):
    made = report(outcome={**PAID, "outcome": outcome.value, "reason": "why"})
    if outcome in (Outcome.PAID, Outcome.ALREADY_PAID):
        made.raise_if_red()
    else:
        with pytest.raises(EraNotPaid, match=f"Era {ERA} of {NETWORK} ended {outcome.value}: why"):
            made.raise_if_red()


@pytest.mark.parametrize("nothing", [None, {}])
def test_a_payout_that_came_to_no_outcome_is_unknown_and_red(report, nothing):
    made = report(outcome=nothing)
    assert made.payout["outcome"] == "UNKNOWN"
    with pytest.raises(EraNotPaid, match="the payout task came to no outcome; see its log"):
        made.raise_if_red()


@pytest.mark.parametrize(
    ("expect", "status", "said"),
    [
        ("staking", IS_NOT, "isNotStaking, expected staking"),
        ("not_staking", IS, "isStaking, expected not_staking"),
        ("staking", None, NOT_CHECKED),
        ("any", None, NOT_CHECKED),
    ],
)
def test_it_is_red_when_an_account_is_not_as_it_must_be_or_was_not_checked(report, expect, status, said):
    made = report({ALICE: (expect, status), BOB: ("any", IS)})
    assert made.unexpected == {ALICE: said}
    with pytest.raises(AccountsNotStaking, match=f"1 accounts are not as expected: {ALICE}: {said}") as red:
        made.raise_if_red()
    assert red.value.accounts == {ALICE: said}


def test_what_is_owed_is_said_before_what_is_not_staking(report):
    made = report({ALICE: ("staking", IS_NOT)}, outcome={**PAID, "outcome": "REJECTED"})
    with pytest.raises(EraNotPaid):
        made.raise_if_red()


def test_an_account_is_found_whichever_way_it_was_spelt(report, ledger):
    ledger.record_statuses(NETWORK, ERA, [(AccountId.parse(ALICE), IS)])
    made = era_report(NETWORK, ERA, PAID, [WatchedAccount(account=AccountId.parse(ALICE).hex)], ledger)
    assert (made.staking, made.unexpected) == (1, {})


def test_the_statuses_of_other_eras_and_networks_do_not_count(ledger):
    ledger.record_statuses(NETWORK, ERA - 1, [(AccountId.parse(ALICE), IS)])
    ledger.record_statuses("another", ERA, [(AccountId.parse(ALICE), IS)])
    made = era_report(NETWORK, ERA, PAID, [WatchedAccount(account=ALICE, label="alice")], ledger)
    assert made.unexpected == {f"alice ({ALICE})": NOT_CHECKED}


def test_as_a_dictionary_it_is_plain_json_with_the_outcome_in_it(report):
    made = report({ALICE: ("staking", IS_NOT)}).as_dict()
    assert json.loads(json.dumps(made)) == made
    assert made == {**PAID, "staking": 0, "not_staking": 1, "unexpected": {ALICE: "isNotStaking, expected staking"}}


def test_its_lines_name_the_outcome_each_part_and_each_account_that_is_not_as_expected(report):
    rejected = {**PART, "part": 1, "state": "REJECTED", "confirmed_by": None, "reason": "no"}
    made = report({ALICE: ("staking", IS_NOT), BOB: ("any", IS)}, outcome={**PAID, "parts": [PART, rejected]})
    assert made.lines() == [
        f"Era {ERA} of {NETWORK}: PAID",
        f"  part 0: CONFIRMED, request {PART['request_id']}, transaction {PART['tx_hash']}, fee 100, confirmed by nonce",
        f"  part 1: REJECTED, request {PART['request_id']}, transaction {PART['tx_hash']}, fee 100, no",
        "  accounts: 1 staking, 1 not staking",
        f"  {ALICE}: isNotStaking, expected staking",
    ]
