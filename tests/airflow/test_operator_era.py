"""Which era a run is about; checking staking statuses from a task; reporting on an era."""

import re
from types import SimpleNamespace

import pytest
from airflow.sdk import RetryAction
from airflow.sdk.exceptions import AirflowSkipException
from names import ACTIVE, ALICE_STASH, BOB_STASH, DAVE, ERA, NETWORK
from simulated_chain import calls
from tasks import Task, TaskInstance

from staking_gateway.errors import ConfigError, InvalidEra, InvalidInput, StakingGatewayError
from staking_gateway.types import MAX_ERA, AccountId
from staking_gateway_provider.networks import run_era
from staking_gateway_provider.operators.era import EraReportOperator, PreviousEraOperator
from staking_gateway_provider.operators.payout import PayoutStakersOperator
from staking_gateway_provider.operators.status import StakingStatusOperator
from staking_gateway_provider.reporting import RETRY_POLICY
from tests.contract.faults import envelope, result

IDLE = "0x02" + "01" * 31
"""An account that does not stake, by the simulator's rule: the second byte of its key is odd."""
STASH_KEY = AccountId.parse(BOB_STASH).hex


def previous_era(era=None, **arguments):
    return Task(PreviousEraOperator(task_id="previous_era", **arguments), era=era).run()


def test_a_run_without_an_era_pays_the_one_before_the_active_era(gateway):
    assert previous_era() == ERA
    gateway.control.advance(eras=3)
    assert previous_era() == ERA + 3


@pytest.mark.parametrize(
    ("given", "paid"), [(ERA - 1, ERA - 1), (str(ERA - 1), ERA - 1), (None, ERA - 2), ("", ERA - 2), ("None", ERA - 2)]
)
def test_an_era_given_as_argument_counts_more_than_the_runs_unless_its_template_rendered_to_nothing(
    gateway, given, paid
):
    assert Task(PreviousEraOperator(task_id="previous_era", era=given), era=ERA - 2).run() == paid


@pytest.mark.parametrize("key", ["abc", "-1", str(2**32), ""])
def test_a_key_that_is_no_era_is_refused_by_name_before_anything_is_sent(gateway, key):
    with pytest.raises(InvalidEra, match=f"partition key: {re.escape(repr(key))} is not a number") as refused:
        previous_era(key)
    assert refused.value.problem.remedy == "An era is a whole number such as 1392"
    assert gateway.control.truth()["calls"]["by_path"] == {}


def test_an_expired_and_a_future_era_are_refused_and_the_history_depth_is_the_networks_or_the_arguments(
    gateway, network
):
    network(history_depth=3)
    assert previous_era(ACTIVE - 3, network="testnet") == ACTIVE - 3
    with pytest.raises(InvalidEra, match=f"the oldest that can be paid is {ACTIVE - 3}"):
        previous_era(ACTIVE - 4, network="testnet")
    with pytest.raises(InvalidEra, match=f"era {ACTIVE + 1} has not ended, era {ACTIVE} is active. Name an era that"):
        previous_era(ACTIVE + 1, network="testnet")
    assert previous_era(ACTIVE - 4, network="testnet", history_depth=4) == ACTIVE - 4
    with pytest.raises(InvalidInput, match="history_depth: '0' is refused"):
        previous_era(ERA, history_depth=0)


@pytest.mark.usefixtures("gateway_without_methods")
def test_a_gateway_that_does_not_tell_the_active_era_needs_a_run_with_an_era():
    assert previous_era(7) == 7
    with pytest.raises(
        InvalidEra, match=r"this run has none and the gateway does not report .*\. Start the run with an Era"
    ):
        previous_era()


# --- statuses ---------------------------------------------------------------------------------------------------------------


def status(run_era=None, /, **arguments):
    return Task(StakingStatusOperator(task_id="staking_status", **arguments), era=run_era)


def stored(ledger, network="staking_gateway_default", era=ERA):
    return {key: found.value for key, found in ledger.statuses_of(network, range(era, era + 1)).get(era, {}).items()}


class TestStatuses:
    def test_are_counted_and_stored_for_the_era(self, gateway, ledger):
        task = status(ERA, accounts=[ALICE_STASH, STASH_KEY, IDLE])
        answer = task.run()
        assert answer == {"era": ERA, "staking": 2, "not_staking": 1, "not_checked": 0, "failed": {}}
        assert task.ti.xcoms == {}
        alice = AccountId.parse(ALICE_STASH).hex
        assert stored(ledger) == {alice: "isStaking", STASH_KEY: "isStaking", IDLE: "isNotStaking"}

    @pytest.mark.parametrize("kind", [set, iter, tuple, lambda accounts: dict.fromkeys(accounts).keys()])
    def test_of_any_iterable_are_checked_also_of_accounts_that_were_read_before(self, gateway, no_ledger, kind):
        told = status(accounts=kind([ALICE_STASH, AccountId.parse(IDLE)])).run()
        assert (told["staking"], told["not_staking"]) == (1, 1)

    def test_are_not_stored_without_an_era(self, gateway, no_ledger):
        told = status(accounts=[ALICE_STASH]).run()
        assert (told["era"], told["staking"], told["not_checked"]) == (None, 1, 0)
        assert not no_ledger.exists()

    @pytest.mark.parametrize("name", [NETWORK, "another"])
    def test_of_accounts_given_are_stored_under_the_networks_name_configured_or_not(
        self, gateway, network, ledger, name
    ):
        network()
        status(ERA, network=name, accounts=[DAVE]).run()
        assert list(stored(ledger, name)) == [AccountId.parse(DAVE).hex]

    @pytest.mark.parametrize(
        ("calendar", "era", "is_known"),
        [
            ({"era_length": "6h"}, ERA - 1, False),
            ({"era_length": "6h", "delay": "7h"}, ERA - 1, True),
            ({"era_length": "6h", "delay": "7h"}, ERA - 2, False),
        ],
    )
    def test_of_today_are_never_stored_for_an_old_era(  # noqa: PLR0917 - fixtures
        self, gateway, network, ledger, calendar, era, is_known
    ):
        anchors = [{"era": 0, "start": "2026-01-01T00:00:00Z"}]
        network(calendar={"max_drift": MAX_ERA, "anchors": anchors, **calendar})
        task = status(era, network=NETWORK)
        if is_known:
            assert task.run()["staking"] == 2
        else:
            with pytest.raises(AirflowSkipException, match=f"Era {era}: .* are no longer known. Nothing was checked"):
                task.run()
            assert task.ti.xcoms == {"too_late": True}
            assert "getStakingStatus" not in calls(gateway)
        assert bool(stored(ledger, NETWORK, era)) is is_known

    def test_bad_arguments_are_refused_before_anything_is_sent(self, gateway):
        for arguments, kind, match in (
            ({}, InvalidInput, r"accounts: not given, nor is a network\. Pass accounts=\[\.\.\.\] or network="),
            ({"accounts": []}, InvalidInput, "accounts: an empty list names no accounts"),
            ({"accounts": ALICE_STASH}, InvalidInput, "accounts: a text of 48 characters names no accounts"),
            ({"accounts": [ALICE_STASH, "0x12"]}, InvalidInput, r"accounts\[1\]: '0x12' is neither"),
            ({"accounts": [ALICE_STASH, BOB_STASH, STASH_KEY]}, InvalidInput, r"accounts\[2\]: .* accounts\[1\] again"),
            ({"accounts": {"account": ALICE_STASH}}, InvalidInput, "accounts: a mapping names no accounts"),
            ({"accounts": [ALICE_STASH, 5]}, InvalidInput, r"accounts\[1\]: '5' is neither"),
            ({"accounts": [ALICE_STASH], "concurrency": 0}, InvalidInput, "concurrency: .0. is refused"),
            ({"accounts": [ALICE_STASH], "era": "abc"}, InvalidEra, "era: 'abc' is not a number"),
            ({"network": NETWORK}, ConfigError, "no-such-file.yaml: not found"),
        ):
            with pytest.raises(kind, match=match):
                status(ERA, **arguments).run()
        assert "getStakingStatus" not in calls(gateway)

    def test_with_a_mistake_of_the_file_lose_none_of_the_others_and_stop_no_payout(self, gateway, network, ledger):
        network(accounts=[ALICE_STASH, f"{BOB_STASH[:-1]}d", DAVE], payout={"confirm": "none"})
        with pytest.raises(ConfigError, match=rf"networks\.{NETWORK}\.accounts\[1\]"):
            status(ERA, network=NETWORK).run()
        assert sorted(stored(ledger, NETWORK)) == sorted(AccountId.parse(one).hex for one in (ALICE_STASH, DAVE))
        pay = PayoutStakersOperator(task_id="p", network=NETWORK, deferrable=True)
        assert Task(pay, era=ERA).run()["outcome"] == "PAID"

    def test_that_fail_for_some_accounts_are_named_and_the_others_stored(self, connect, broken, ledger, gateway):
        def answer(exchange):
            of_bob = exchange.request.json["params"]["accountId"] == BOB_STASH
            return (unknown if of_bob else result("isStaking"))(exchange)

        unknown = envelope(
            error={"code": -32602, "message": "Invalid params", "data": {"gatewayError": "no such account"}}
        )
        broken.script = [answer]
        connect("staking_gateway_default", conn_type="stakinggateway", host=broken.url, password="x")
        task = status(ERA, accounts=[ALICE_STASH, BOB_STASH, DAVE])
        with pytest.raises(StakingGatewayError, match=rf"1 accounts .*: {BOB_STASH}: .*no such account") as failed:
            task.run()
        assert RETRY_POLICY.evaluate(failed.value, 1, 3).action is RetryAction.RETRY
        assert sorted(stored(ledger)) == sorted(AccountId.parse(account).hex for account in (ALICE_STASH, DAVE))
        told = task.ti.xcoms["statuses"]
        assert (told["staking"], told["not_checked"]) == (2, 1)
        assert list(told["failed"]) == [BOB_STASH]


def test_what_a_run_was_told_counts_whatever_airflow_makes_of_it_and_a_misspelt_field_is_refused():
    context = {"params": {"era": None}, "dag": SimpleNamespace(params={"era": None, "dry_run": False})}
    assert run_era({**context, "dag_run": SimpleNamespace(conf={"era": 998})}) == 998
    with pytest.raises(InvalidInput, match="eras: is no field of this DAG's form"):
        run_era({**context, "dag_run": SimpleNamespace(conf={"eras": 998})})


PAID = {"network": NETWORK, "era": ERA, "outcome": "PAID", "reason": "", "parts": []}


class TestReport:
    def report(self, outcome, era=ERA, **arguments):
        ti = TaskInstance()
        ti.xcoms["payout", "outcome"] = outcome
        return Task(EraReportOperator(task_id="report", network=NETWORK, **arguments), era=era, ti=ti)

    def test_is_green_when_the_statuses_of_its_era_are_no_longer_known(self, gateway, network):
        network()
        task = self.report(PAID)
        task.ti.xcoms["staking_status", "too_late"] = True
        assert task.run()["unexpected"] == {}

    def test_an_outcome_of_another_era_proves_nothing(self, gateway, network):
        network()
        with pytest.raises(StakingGatewayError, match="NOT_TRIED"):
            self.report({**PAID, "era": ERA - 1}).run()

    def test_what_an_earlier_try_of_the_run_left_proves_nothing(self, gateway, network):
        network()
        for era, error, match in ((ERA, StakingGatewayError, "NOT_TRIED"), (None, InvalidEra, "this run has none")):
            task = self.report(PAID, era=era)
            task.operator.era, task.ti.states = ERA, {"payout": "upstream_failed"}
            with pytest.raises(error, match=match):
                task.run()

    def test_without_an_era_says_where_to_look(self, gateway, network):
        network()
        with pytest.raises(InvalidEra, match=r"this run has none\..*see also the log of the task before this one"):
            self.report(None, era=None).run()
