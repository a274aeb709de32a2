"""The report of an era: what it says, and when it is red."""

import json
from types import SimpleNamespace

import pytest

from staking_gateway.config.models import WatchedAccount
from staking_gateway.errors import EraNotPaid, StakingGatewayError
from staking_gateway.health.report import MOST_NAMED, NOT_CHECKED, catch_up_report, era_report
from staking_gateway.ledger import Actor, PayoutState
from staking_gateway.payout.outcomes import Outcome
from staking_gateway.problem import Problem, Topic
from staking_gateway.types import AccountId, StakingStatus
from tests.support.ledgers import account, planned, put

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
SETTINGS = {"token": None, "payout": SimpleNamespace(parts=1)}


def ended(outcome, **more):
    return {**PAID, "outcome": outcome.value, "topic": outcome.topic.anchor, **more}


@pytest.fixture
def report(ledger):
    """Reports on accounts, given as account to (expected, found)."""

    def make(accounts=(), outcome=PAID):
        watched = [WatchedAccount(account=name, expect=expect) for name, (expect, _) in dict(accounts).items()]
        found = [(AccountId.parse(name), status) for name, (_, status) in dict(accounts).items() if status is not None]
        ledger.record_statuses(NETWORK, ERA, found)
        return era_report(NETWORK, ERA, outcome, SimpleNamespace(accounts=watched, **SETTINGS), ledger)

    return make


def test_an_era_that_is_paid_with_all_accounts_as_expected_is_green(report):
    made = report({ALICE: ("staking", IS), BOB: ("not_staking", IS_NOT), CHARLIE: ("any", IS_NOT)})
    made.raise_if_red()
    assert [made.data[name] for name in ("staking", "not_staking", "unexpected")] == [1, 2, {}]
    assert "fee 100 planck, confirmed by nonce" in made.lines[1]


@pytest.mark.parametrize("outcome", list(Outcome))
def test_it_is_red_for_every_outcome_but_the_two_green_ones(report, outcome):
    made = report(outcome=ended(outcome, reason="why"))
    if outcome in (Outcome.PAID, Outcome.ALREADY_PAID):
        made.raise_if_red()
    else:
        with pytest.raises(EraNotPaid, match=f"Era {ERA} of {NETWORK} ended {outcome.value}: why"):
            made.raise_if_red()


def test_an_era_that_was_paid_after_its_payout_task_failed_is_green(report, ledger):
    put(ledger, planned(ledger, ERA), PayoutState.EMPTY, fee=1)
    made = report(outcome=ended(Outcome.UNKNOWN, reason="gave up waiting"))
    assert made.data["outcome"] == "ALREADY_PAID"
    made.raise_if_red()


@pytest.mark.parametrize("nothing", [None, {}])
@pytest.mark.parametrize("began", [False, True])
def test_an_era_without_an_outcome_for_which_nothing_was_signed_is_not_tried_and_red(report, ledger, nothing, began):
    if began:
        planned(ledger, ERA)
    made = report(outcome=nothing)
    assert made.data["outcome"] == "NOT_TRIED"
    with pytest.raises(EraNotPaid, match="paid, and nothing was sent: see the first failed task"):
        made.raise_if_red()
    ledger.journal.note_failure(
        NETWORK, ERA, Problem(Topic.WRONG_KEY, "user: the key belongs to another"), Actor("run")
    )
    with pytest.raises(EraNotPaid, match="paid, and nothing was sent: user: the key belongs to another") as raised:
        report(outcome=nothing).raise_if_red()
    assert raised.value.problem.topic is Topic.WRONG_KEY


def test_the_error_names_the_cause_of_the_outcome_or_else_the_outcome(report):
    held = ended(Outcome.HELD_FEE, reason="why")
    for given, topic in (({**held, "topic": "limit-missing"}, Topic.LIMIT_MISSING), (held, Topic.HELD_FEE)):
        with pytest.raises(EraNotPaid) as raised:
            report(outcome=given).raise_if_red()
        assert raised.value.problem.topic is topic


def test_an_era_without_an_outcome_for_which_something_was_signed_is_unknown_and_red(report, ledger):
    put(ledger, planned(ledger, ERA), PayoutState.REJECTED, fee=1)
    made = report(outcome=None)
    with pytest.raises(EraNotPaid, match="UNKNOWN: the payout task left no outcome, and a payload was signed"):
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
    accounts = {ALICE: (expect, status), BOB: ("any", IS)}
    made = report(accounts)
    assert made.data["unexpected"] == {ALICE: said}
    with pytest.raises(StakingGatewayError, match=f"1 accounts are in the wrong state: {ALICE}: {said}"):
        made.raise_if_red()
    with pytest.raises(EraNotPaid):  # what is unpaid comes first
        report(accounts, ended(Outcome.REJECTED)).raise_if_red()


def test_fifty_accounts_are_named_and_the_others_counted(report):
    made = report({account(number).address: ("staking", IS_NOT) for number in range(MOST_NAMED + 2)})
    assert (len(made.data["unexpected"]), made.data["unexpected_count"]) == (50, 52)
    assert made.lines[-1] == "  and 2 accounts more in the wrong state"


# --- catch-up ---------------------------------------------------------------------------------------------------------------


def plan(**changes):
    pay = [{"era": 7}, {"era": 8}]
    about = {"network": NETWORK, "hash": "abcd", "terms": {"parts": 1}}
    return {**about, "dry_run": False, "pay": pay, "later": [], "expired": [], **changes}


def told(era, outcome="PAID"):
    return {**PAID, "era": era, "outcome": outcome}


def test_a_catch_up_is_green_when_every_era_of_its_plan_is(ledger):
    made = catch_up_report(plan(), [told(8, "ALREADY_PAID"), told(7)], ledger)
    made.raise_if_red()
    assert (list(made.data["outcomes"]), made.data["unpaid"]) == (["7", "8"], {})
    assert json.loads(json.dumps(made.data))["outcomes"]["7"]["outcome"] == "PAID"


def test_a_catch_up_is_green_for_an_era_that_was_paid_since_its_payout_task_failed(ledger):
    put(ledger, planned(ledger, 8), PayoutState.EMPTY, fee=1)
    made = catch_up_report(plan(terms={"parts": "until_empty"}), [told(7), told(8, "UNKNOWN")], ledger)
    made.raise_if_red()
    assert made.data["outcomes"]["8"]["outcome"] == "ALREADY_PAID"


@pytest.mark.parametrize(
    ("signed", "outcome"), [(False, "NOT_TRIED the run failed"), (True, "UNKNOWN the payout task")]
)
def test_a_catch_up_is_red_for_an_era_without_an_outcome_and_for_one_newly_expired(ledger, signed, outcome):
    payout = planned(ledger, 8)
    if signed:
        put(ledger, payout, PayoutState.REJECTED, fee=1)
    ledger.journal.note_failure(NETWORK, 8, Problem(Topic.SIGNER, "the signer is gone"), Actor("run"))
    made = catch_up_report(plan(expired=[3], later=[{"era": 9}]), [told(7, "REJECTED")], ledger)
    assert made.data["unpaid"]["8"].endswith(": the signer is gone")
    with pytest.raises(StakingGatewayError, match=f"3 eras of testnet not paid: era 7: REJECTED; era 8: {outcome}"):
        made.raise_if_red()
    assert list(made.data["unpaid"]) == ["7", "8", "3"]
    assert "  era 3: EXPIRED, its rewards are gone" in made.lines
    assert "  left for the next run: 1 era" in made.lines
    dry = catch_up_report(plan(dry_run=True, expired=[3]), [], ledger)
    dry.raise_if_red()
    assert (dry.data["outcomes"], dry.data["unpaid"]) == ({}, {})
