"""Checking staking statuses from a task, and reporting on an era."""

import asyncio
import json

import pytest
from airflow.sdk import DAG
from names import ALICE_STASH, BOB_STASH, DAVE, ERA, NETWORK
from tasks import Task, TaskInstance

from staking_gateway import AsyncGatewayClient
from staking_gateway.accounts import BATCH
from staking_gateway.errors import (
    AccountsNotStaking,
    ConfigError,
    EraNotPaid,
    InvalidAccount,
    InvalidEra,
    InvalidInput,
    RpcInvalidParams,
)
from staking_gateway.http.rate_limit import Pace
from staking_gateway.types import AccountId, StakingStatus
from staking_gateway_provider.operators.era import EraReportOperator
from staking_gateway_provider.operators.status import StakingStatusOperator

IDLE = "0x02" + "01" * 31
"""An account that does not stake, by the simulator's rule: the second byte of its key is odd."""
STASH_KEY = AccountId.parse(BOB_STASH).hex


def status(run_era=None, /, **arguments):
    return Task(StakingStatusOperator(task_id="staking_status", **arguments), era=run_era)


def stored(ledger, network="staking_gateway_default", era=ERA):
    return {found.account_key: found.status.value for found in ledger.statuses(network, era)}


def key(number):
    return "0x" + number.to_bytes(32, "big").hex()


class ManyAccounts:
    """Stands in for the calls themselves: everybody is staking.

    :ivar refuse: accounts the gateway does not know.
    :ivar end_at: how many are asked for before the task is ended.
    """

    def __init__(self):
        self.refuse = set()
        self.end_at = None
        self.asked = self.in_flight = self.most_in_flight = 0

    async def answer(self, call):
        self.asked += 1
        if self.asked == self.end_at:
            raise KeyboardInterrupt
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        await asyncio.sleep(0)
        self.in_flight -= 1
        if AccountId.parse(call.params["accountId"]).hex in self.refuse:
            raise RpcInvalidParams(method=call.method, code=-32602, rpc_message="who is that?")
        return StakingStatus.IS_STAKING


@pytest.fixture
def many(gateway, monkeypatch):
    stand_in = ManyAccounts()
    monkeypatch.setattr(AsyncGatewayClient, "_send", lambda client, call: stand_in.answer(call))
    return stand_in


def asked(simulator):
    return simulator.control.truth()["calls"]["by_method"].get("getStakingStatus", 0)


class TestStatuses:
    def test_are_told_for_each_account_as_it_was_spelt_and_stored_for_the_era(self, gateway, ledger):
        task = status(ERA, accounts=[ALICE_STASH, STASH_KEY, IDLE])
        answer = task.run()
        assert answer == {
            "era": ERA,
            "staking": 2,
            "not_staking": 1,
            "not_checked": 0,
            "statuses": {ALICE_STASH: "isStaking", STASH_KEY: "isStaking", IDLE: "isNotStaking"},
            "failed": {},
        }
        assert list(answer["statuses"]) == [ALICE_STASH, STASH_KEY, IDLE]
        assert task.ti.xcoms["statuses"] == answer
        assert stored(ledger) == {
            AccountId.parse(ALICE_STASH).hex: "isStaking",
            STASH_KEY: "isStaking",
            IDLE: "isNotStaking",
        }

    def test_are_stored_for_each_era_apart_and_a_later_check_replaces_an_earlier_one(self, gateway, ledger):
        status(ERA - 1, accounts=[ALICE_STASH]).run()
        gateway.control.staking(ALICE_STASH, False)
        status(ERA, accounts=[ALICE_STASH]).run()
        assert list(stored(ledger, era=ERA - 1).values()) == ["isStaking"]
        assert list(stored(ledger, era=ERA).values()) == ["isNotStaking"]
        gateway.control.staking(ALICE_STASH, True)
        status(ERA, accounts=[ALICE_STASH]).run()
        assert list(stored(ledger, era=ERA).values()) == ["isStaking"]

    def test_are_not_stored_without_an_era(self, gateway, tmp_path):
        assert status(accounts=[ALICE_STASH]).run() == {
            "era": None,
            "staking": 1,
            "not_staking": 0,
            "not_checked": 0,
            "statuses": {ALICE_STASH: "isStaking"},
            "failed": {},
        }
        assert not (tmp_path / "ledger.db").exists()

    def test_the_era_given_counts_more_than_the_runs(self, gateway, ledger):
        assert status(ERA, accounts=[ALICE_STASH], era=str(ERA - 2)).run()["era"] == ERA - 2
        assert stored(ledger, era=ERA - 2)

    def test_of_a_network_are_split_into_chunks(self, gateway, network, ledger):
        network(accounts=[ALICE_STASH, BOB_STASH, DAVE], statuses={"chunk_size": 2, "concurrency": 1})
        with DAG("d", schedule=None) as dag:
            StakingStatusOperator.partial(task_id="s", network=NETWORK).expand(chunk=[0, 1])
        mapped = dag.get_task("s")
        found = [Task(mapped.unmap({"chunk": chunk}), era=ERA).run()["statuses"] for chunk in (0, 1)]
        assert [list(chunk) for chunk in found] == [[ALICE_STASH, BOB_STASH], [DAVE]]
        assert len(stored(ledger, NETWORK)) == 3
        assert list(status(ERA, network=NETWORK).run()["statuses"]) == [ALICE_STASH, BOB_STASH, DAVE]

    @pytest.mark.parametrize("chunk", [2, -1, "abc"])
    def test_of_a_chunk_that_does_not_exist_are_refused(self, gateway, network, chunk):
        network(statuses={"chunk_size": 1})
        with pytest.raises(InvalidInput, match=f"chunk: '{chunk}' is not a number from 0 to 1"):
            status(ERA, network=NETWORK, chunk=chunk).run()

    def test_of_accounts_given_beside_a_known_network_are_stored_under_its_name(self, gateway, network, ledger):
        network()
        status(ERA, network=NETWORK, accounts=[DAVE]).run()
        assert list(stored(ledger, NETWORK)) == [AccountId.parse(DAVE).hex]

    def test_of_accounts_given_need_no_configuration_for_the_networks_name(self, gateway, ledger):
        status(ERA, network="another", accounts=[DAVE]).run()
        assert list(stored(ledger, "another")) == [AccountId.parse(DAVE).hex]

    def test_go_to_the_ledger_that_is_named(self, gateway, connect, tmp_path):
        connect("mine", conn_type="sqlite", host=str(tmp_path / "mine.db"))
        status(ERA, accounts=[DAVE], ledger_conn_id="mine").run()
        assert (tmp_path / "mine.db").exists()
        assert not (tmp_path / "ledger.db").exists()

    @pytest.mark.parametrize(
        ("arguments", "kind", "match"),
        [
            ({}, InvalidInput, r"accounts: not given, nor is a network\. Pass accounts=\[\.\.\.\] or network="),
            ({"accounts": []}, InvalidInput, "accounts: the list is empty"),
            ({"accounts": ALICE_STASH}, InvalidInput, "accounts: is one text. Pass a list"),
            ({"accounts": 5}, InvalidInput, "accounts: is of type int. Pass a list"),
            ({"accounts": {ALICE_STASH: 1}}, InvalidInput, "accounts: is of type dict. Pass a list"),
            ({"accounts": [ALICE_STASH, BOB_STASH, STASH_KEY]}, InvalidInput, r"accounts\[2\]: .* accounts\[1\] again"),
            ({"accounts": [ALICE_STASH, ALICE_STASH[:-1]]}, InvalidAccount, r"accounts\[1\]: "),
            ({"accounts": [ALICE_STASH, 7]}, InvalidAccount, r"accounts\[1\]: expected a text, got int"),
            (
                {"accounts": [ALICE_STASH], "concurrency": 0},
                InvalidInput,
                "concurrency: 0 is less than one. Write 1 or more",
            ),
            ({"accounts": [ALICE_STASH], "concurrency": -1}, InvalidInput, "concurrency: '-1' is not a number"),
            ({"accounts": [ALICE_STASH], "concurrency": "many"}, InvalidInput, "concurrency: 'many' is not a number"),
            ({"accounts": [ALICE_STASH], "rate": 0}, InvalidInput, "rate: 0 calls per second are refused. Write more"),
            ({"accounts": [ALICE_STASH], "rate": -0.5}, InvalidInput, "rate: -0.5 calls per second are refused"),
            ({"accounts": [ALICE_STASH], "rate": "10"}, InvalidInput, "rate: '10' is not a number of calls per second"),
            ({"accounts": [ALICE_STASH], "era": "abc"}, InvalidEra, "era: 'abc' is not a number"),
            ({"network": NETWORK}, ConfigError, "no-such-file.yaml: not found"),
        ],
    )
    def test_bad_arguments_are_refused_before_anything_is_sent(self, gateway, arguments, kind, match):
        with pytest.raises(kind, match=match):
            status(ERA, **arguments).run()
        assert asked(gateway) == 0

    def test_that_fail_for_some_accounts_are_named_and_the_others_stored(self, connect, broken, ledger, gateway):
        def answer(exchange):
            request = exchange.request.json
            if request["params"]["accountId"] == BOB_STASH:
                error = {"code": -32602, "message": "Invalid params", "data": {"gatewayError": "no such account"}}
                exchange.answer(json.dumps({"jsonrpc": "2.0", "error": error, "id": request["id"]}).encode())
            else:
                exchange.result("isStaking")

        broken.script = [answer]
        connect("staking_gateway_default", conn_type="staking_gateway", host=broken.url, password="x")
        task = status(ERA, accounts=[ALICE_STASH, BOB_STASH, DAVE])
        with pytest.raises(AccountsNotStaking, match=rf"1 accounts .*: {BOB_STASH}: .*no such account") as red:
            task.run()
        assert list(red.value.accounts) == [BOB_STASH]
        assert sorted(stored(ledger)) == sorted(AccountId.parse(account).hex for account in (ALICE_STASH, DAVE))
        told = task.ti.xcoms["statuses"]
        assert (told["staking"], told["not_checked"]) == (2, 1)
        assert (list(told["statuses"]), list(told["failed"])) == ([ALICE_STASH, DAVE], [BOB_STASH])

    def test_that_nobody_answers_are_all_named(self, gateway, ledger):
        gateway.stop()
        for era, start in ((ERA, f"Era {ERA}: "), (None, "")):
            told = f"^{start}2 accounts could not be checked: {ALICE_STASH}: "
            with pytest.raises(AccountsNotStaking, match=told) as red:
                status(era, accounts=[ALICE_STASH, DAVE]).run()
            assert list(red.value.accounts) == [ALICE_STASH, DAVE]
        assert stored(ledger) == {}

    def test_of_ten_thousand_accounts_are_counted_and_stored_and_a_bad_one_loses_no_other(self, many, ledger):
        accounts, unknown = [key(number) for number in range(10_000)], key(7777)
        many.refuse = {unknown}
        task = status(ERA, accounts=accounts, concurrency=64)
        with pytest.raises(AccountsNotStaking, match=r"1 accounts .*who is that"):
            task.run()
        counts = {"era": ERA, "staking": 9_999, "not_staking": 0, "not_checked": 1}
        told = task.ti.xcoms["statuses"]
        assert "who is that" in told["failed"].pop(unknown)
        assert told == {**counts, "failed": {}}
        assert stored(ledger).keys() == set(accounts) - {unknown}
        assert many.most_in_flight <= 64

    def test_are_told_in_full_of_up_to_a_thousand_accounts(self, many):
        for count in (1000, 1001):
            told = status(ERA, accounts=[key(number) for number in range(count)]).run()
            assert told["staking"] == count
            assert ("statuses" in told) == (count == 1000)

    def test_of_which_more_than_a_thousand_fail_are_named_up_to_a_thousand_and_counted(self, many):
        many.refuse = {key(number) for number in range(1500)}
        task = status(ERA, accounts=[key(number) for number in range(2000)])
        with pytest.raises(AccountsNotStaking, match="1500 accounts"):
            task.run()
        told = task.ti.xcoms["statuses"]
        assert (told["not_checked"], list(told["failed"])) == (1500, [key(number) for number in range(1000)])

    def test_among_ten_thousand_accounts_a_malformed_one_is_refused_by_its_place_and_nothing_sent(self, many, ledger):
        accounts = [key(number) for number in range(10_001)]
        accounts[5000] = accounts[5000][:-1]
        with pytest.raises(InvalidAccount, match=r"accounts\[5000\]: .* is not a public key"):
            status(ERA, accounts=accounts).run()
        assert many.asked == 0

    def test_that_were_found_before_the_task_was_ended_stay(self, many, ledger):
        many.end_at = 1800
        with pytest.raises(KeyboardInterrupt):
            status(ERA, accounts=[key(number) for number in range(3000)], concurrency=8).run()
        assert BATCH <= len(stored(ledger)) < 1800

    def test_are_asked_for_at_the_rate_of_the_argument_or_else_of_the_setting(self, many, network, monkeypatch):
        seen = []
        monkeypatch.setattr("staking_gateway.accounts.Pace", lambda *limits, **options: seen.append(limits) or Pace(8))
        network(statuses={"rate": 2.5, "concurrency": 7})
        status(ERA, network=NETWORK).run()
        status(ERA, network=NETWORK, rate=50, concurrency=3).run()
        status(ERA, accounts=[DAVE]).run()
        assert seen == [(7, 2.5), (3, 50.0), (32, None)]

    def test_a_gateway_that_is_overrun_is_asked_more_slowly_until_all_are_answered(
        self, connect, broken, ledger, gateway
    ):
        refusals = iter(range(3))

        def answer(exchange):
            if next(refusals, None) is None:
                exchange.result("isStaking")
            else:
                exchange.answer(b"", "429 Too Many Requests")
            return True

        broken.script = [answer]
        connect("staking_gateway_default", conn_type="staking_gateway", host=broken.url, password="x")
        assert status(ERA, accounts=[ALICE_STASH, BOB_STASH, DAVE]).run()["staking"] == 3
        assert broken.count == 6

    def test_templates_are_rendered(self):
        with DAG("d", schedule=None):
            operator = StakingStatusOperator(
                task_id="a",
                accounts=["{{ k }}"],
                chunk="{{ k }}",
                era="{{ k }}",
                network="{{ k }}",
                gateway_conn_id="{{ k }}",
            )
        operator.render_template_fields({"k": "7"})
        rendered = (operator.accounts, operator.chunk, operator.era, operator.network, operator.gateway_conn_id)
        assert rendered == (["7"], "7", "7", "7", "7")


PAID = {"network": NETWORK, "era": ERA, "outcome": "PAID", "reason": "", "parts": []}


class TestReport:
    def report(self, outcome, era=ERA, **arguments):
        ti = TaskInstance()
        ti.xcoms["payout", "outcome"] = outcome
        return Task(EraReportOperator(task_id="report", network=NETWORK, **arguments), era=era, ti=ti)

    def test_is_green_when_the_era_is_paid_and_every_account_as_expected(self, gateway, network):
        network()
        status(ERA, network=NETWORK).run()
        task = self.report(PAID)
        report = task.run()
        assert report == {**PAID, "staking": 2, "not_staking": 0, "unexpected": {}, "expiry": None}
        assert task.ti.xcoms["report"] == report

    def test_is_red_when_the_payout_is_and_is_told_all_the_same(self, gateway, network):
        network()
        status(ERA, network=NETWORK).run()
        task = self.report({**PAID, "outcome": "HELD_FEE", "reason": "the fee is 9"})
        with pytest.raises(EraNotPaid, match=f"Era {ERA} of {NETWORK} ended HELD_FEE: the fee is 9"):
            task.run()
        assert task.ti.xcoms["report"]["outcome"] == "HELD_FEE"

    def test_is_red_when_the_run_failed_before_paying(self, gateway, network):
        network()
        with pytest.raises(EraNotPaid, match="NOT_TRIED: the run failed before paying; nothing was sent"):
            self.report(None).run()

    def test_is_red_when_an_account_is_not_as_expected(self, gateway, network):
        network()
        gateway.control.staking(ALICE_STASH, False)
        status(ERA, network=NETWORK).run()
        with pytest.raises(AccountsNotStaking, match=rf"alice-stash \({ALICE_STASH}\): isNotStaking, expected staking"):
            self.report(PAID).run()

    def test_is_red_when_accounts_were_not_checked(self, gateway, network, ledger):
        network()
        ledger.record_statuses(NETWORK, ERA, [(AccountId.parse(ALICE_STASH), StakingStatus.IS_STAKING)])
        with pytest.raises(AccountsNotStaking, match=f"1 accounts .*: {BOB_STASH}: not checked"):
            self.report(PAID).run()

    def test_without_an_era_says_where_to_look(self, gateway, network):
        network()
        with pytest.raises(
            InvalidEra, match=r"no task returned the era of this run.*See the log of the task before this one"
        ):
            self.report(None, era=None).run()

    def test_reads_the_outcome_of_the_task_and_the_ledger_that_are_named(self, gateway, network, connect, tmp_path):
        network(accounts=[DAVE])
        connect("mine", conn_type="sqlite", host=str(tmp_path / "mine.db"))
        status(ERA, network=NETWORK, ledger_conn_id="mine").run()
        task = self.report(None, payout_task_id="pay", ledger_conn_id="mine")
        task.ti.xcoms["pay", "outcome"] = PAID
        assert task.run()["staking"] == 1
