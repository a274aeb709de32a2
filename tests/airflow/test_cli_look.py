"""`airflow staking` alone, `status`, `why`, `eras` and `accounts`: what is so, why, and the next command to type."""

import re
from datetime import datetime, timedelta

import pytest
import yaml
from broken_set_ups import paid, planned
from names import ACTIVE, ALICE_STASH, BOB_STASH, DAVE, ERA, NETWORK, PARTY, hourly, network_settings
from simulated_chain import calls
from staking_commands import airflow, as_json, parse

from staking_gateway.catch_up import WATCHED_FROM
from staking_gateway.health.state import AirflowFacts
from staking_gateway.ledger.records import AccountStatus, Actor, PayoutState, Reconciliation
from staking_gateway.problem import Problem, Topic
from staking_gateway.types import AccountId, StakingStatus
from staking_gateway_provider.commands import session
from tests.support.ledgers import put

DEPTH = 4
PAYABLE = range(ACTIVE - DEPTH, ACTIVE)
RUN = Actor("staking_payout_testnet/scheduled__era-999")
CALENDAR = hourly()
ENDED = datetime.fromisoformat(CALENDAR["anchors"][0]["start"])
"""When era 999 ended."""
STAKING, IDLE = StakingStatus.IS_STAKING, StakingStatus.IS_NOT_STAKING


@pytest.fixture(autouse=True)
def settings(gateway, network):
    """Writes the configuration; eras of an hour, the active one began at ENDED."""

    def write(networks=None, **changes):
        more = {"history_depth": DEPTH, "calendar": CALENDAR}
        if networks:
            return network({name: network_settings(**{**more, **own}) for name, own in networks.items()})
        return network(**{**more, **changes})

    write()
    return write


@pytest.fixture(autouse=True)
def airflow_knows(monkeypatch):
    """Sets what Airflow knows of the networks; nothing by default."""

    def set_to(**facts):
        monkeypatch.setattr(session, "read_airflow", lambda name, eras: AirflowFacts(**facts))

    set_to()
    return set_to


@pytest.fixture
def payable(ledger):
    """Pays the payable eras, but for some; of the first of those the payout was rejected if there is a reason."""

    def pay(*, but=(), rejected=""):
        for era in PAYABLE:
            if era not in but:
                paid(ledger, era)
        if rejected:
            ledger.transition(planned(ledger, but[0]), PayoutState.REJECTED, "no", RUN, reason=rejected)

    return pay


class TestStatus:
    def test_alone_is_four_lines_with_one_next_step(self, payable, capsys):
        payable(but=(997,), rejected="request 7 is rejected: BadOrigin")
        arguments = parse()
        arguments.func(arguments)
        lines = capsys.readouterr().out.splitlines()
        assert [line.split(":")[0].strip() for line in lines] == [NETWORK, "Cause", "Remedy", "Help"]
        assert "request 7 is rejected: BadOrigin" in lines[1]
        assert lines[2].startswith(f"  Remedy: {Topic.REJECTED.remedy}. `airflow staking pay --network ")
        assert lines[3].endswith("/staking/help#rejected")

    def test_a_stop_of_the_ledger_comes_first_until_it_ends(self, payable, airflow_knows, capsys):
        payable(but=(997,))
        airflow_knows(dead={Topic.TRIGGERER_DEAD: None})
        for why in ("the key may be stolen", "another reason"):
            stop = as_json(capsys, "ledger", "stop", "--why", why)
        (row,) = as_json(capsys, "status")
        assert stop["why"] == "the key may be stolen", "the first reason stays"
        assert row["headline"].startswith("A person stopped the ledger. 1 era unpaid; era 997 ")
        assert row["cause"].startswith("A person stopped the ledger: the key may be stolen (airflow staking/")
        assert row["remedy"].startswith(Topic.STOPPED.remedy)
        assert (row["help"][-8:], row["blocks"]) == ("#stopped", [997])
        airflow("ledger", "go")
        airflow("ledger", "go")
        goes, again = capsys.readouterr().out.splitlines()
        assert (goes[:19], again) == ("The ledger goes on:", "It was not stopped")
        assert as_json(capsys, "status")[0]["cause"].startswith(Topic.TRIGGERER_DEAD.heading)

    def test_of_a_network_where_all_is_well_names_no_cause_and_of_one_with_a_mistake_leaves_the_others_alone(
        self, settings, payable, capsys
    ):
        payable()
        airflow("status", "-o", "yaml")
        (row,) = yaml.safe_load(capsys.readouterr().out)
        assert (row["network"], row["cause"], row["headline"]) == (NETWORK, None, "Nothing is unpaid.")
        settings({NETWORK: {}, "wrong": {"payuot": {}, "user_signer_conn_id": "another"}})
        rows = {row["network"]: row for row in as_json(capsys, "status")}
        assert rows[NETWORK]["headline"] == "Nothing is unpaid."
        assert "payuot" in rows["wrong"]["cause"]
        assert rows["wrong"]["help"].endswith("#configuration")

    def test_says_that_airflow_is_not_judged_when_its_database_is_away(self, payable, airflow_knows, capsys):
        payable()
        for facts, said in (({}, True), ({"known": True}, False)):
            airflow_knows(**facts)
            airflow("status")
            assert ("Airflow's database cannot be read" in capsys.readouterr().err) is said

    def test_of_a_disabled_network_is_that_it_is_and_no_missing_dag(self, settings, airflow_knows, capsys):
        settings(enabled=False)
        airflow_knows(known=False)
        (row,) = as_json(capsys, "status", "--network", NETWORK)
        assert row["cause"].endswith(f"networks.{NETWORK}.enabled: is false, so nothing is paid")
        assert Topic.DAG_MISSING.heading not in (row["headline"], *row["further_causes"])

    def test_names_a_connection_that_is_missing_now_before_a_run_has_failed_on_it(self, monkeypatch, capsys):
        monkeypatch.delenv("AIRFLOW_CONN_STAKING_SIGNER_PAYER")
        (row,) = as_json(capsys, "status")
        assert row["cause"].startswith("A connection is missing: payer_signer_conn_id: ")

    def test_before_any_init_says_what_to_type_and_is_no_failure(self, monkeypatch, capsys):
        monkeypatch.delenv("STAKING_GATEWAY_CONFIG")
        airflow("status")
        lines = capsys.readouterr().out.splitlines()
        assert lines[0].startswith("staking.yaml: ")
        assert "airflow staking init" in lines[2]
        with pytest.raises(SystemExit):
            airflow("doctor")
        assert "airflow staking init" in capsys.readouterr().out

    def test_the_network_may_be_left_out_while_one_is_enabled(self, settings, payable, capsys):
        payable()
        settings({NETWORK: {}, "abroad": {"enabled": False}})
        airflow("eras")
        assert f"Era {ACTIVE} is active" in capsys.readouterr().out
        settings({"abroad": {"gateway_conn_id": "another"}, NETWORK: {}})
        named = rf"network: 2 networks are enabled: abroad, {NETWORK}. Add --network with"
        with pytest.raises(SystemExit, match=named):
            airflow("eras")
        settings({NETWORK: {"enabled": False}})
        with pytest.raises(SystemExit, match="network: no network is enabled"):
            airflow("why", "--era", 999)


class TestWhy:
    def test_of_a_paid_era_is_its_timeline_and_of_an_era_that_runs_no_cause(self, payable, capsys):
        payable()
        found = as_json(capsys, "why", "--era", 998)
        assert (found["state"], found["cause"]) == ("paid", None)
        names = ["ended", "planned", "signed", "submitted", "confirmed"]
        assert [(step["name"], step["state"]) for step in found["steps"]] == [(name, "done") for name in names]
        found = as_json(capsys, "why", "--era", ACTIVE)
        assert (found["state"], found["reason"]) == ("running", f"era {ACTIVE} has not ended")
        assert (found["cause"], len(found["steps"])) == (None, 1)

    def test_without_a_number_is_about_the_first_era_that_waits_or_else_the_newest(self, payable, ledger, capsys):
        payable(but=(997,))
        assert as_json(capsys, "why")["era"] == 997
        paid(ledger, 997)
        assert as_json(capsys, "why")["era"] == 999
        airflow("why")
        assert re.search(r"^confirmed +.*20\S+ \S+ ", capsys.readouterr().out, re.MULTILINE)

    def test_of_an_old_era_that_something_else_paid_is_no_expiry(self, payable, ledger, capsys):
        payable()
        ledger.journal.note_once(NETWORK, 300, WATCHED_FROM, "")
        seen = {"agrees": False, "finding": "paid_elsewhere", "chain_says": "paid"}
        row = Reconciliation(network=NETWORK, subject="execution", text="", checked_at=ENDED, run="r", era=400, **seen)
        ledger.facts.note(row)
        told = {era: as_json(capsys, "why", "--era", era) for era in (400, 401)}
        assert [(one["state"], one["cause"] is None) for one in told.values()] == [("paid", True), ("expired", False)]

    def test_of_an_era_whose_run_has_failed_is_the_run_the_cause_and_the_remedy(self, payable, ledger, capsys):
        payable(but=(999,))
        ledger.journal.note_failure(NETWORK, 999, Problem(Topic.WRONG_KEY, "the key belongs to another account"), RUN)
        found = as_json(capsys, "why", "--network", NETWORK, "--era", 999)
        last = found["steps"][-1]
        stopped = ("failed", "stopped", "the key belongs to another account")
        assert (last["name"], last["state"], last["detail"]) == stopped
        assert (last["dag_id"], last["run_id"]) == tuple(RUN.run.split("/"))
        assert found["cause"] == f"{Topic.WRONG_KEY.heading}: the key belongs to another account"
        assert found["remedy"].startswith(Topic.WRONG_KEY.remedy)
        assert found["help"].endswith("#wrong-key")


class TestEras:
    @pytest.fixture(autouse=True)
    def since(self, settings):
        settings(start_date=(ENDED - timedelta(hours=DEPTH)).isoformat())

    def confirm(self, ledger, *eras):
        for era in eras:
            put(
                ledger,
                ledger.plan(NETWORK, era, 0, **PARTY, actor=RUN),
                PayoutState.CONFIRMED,
                RUN,
                fee=10**30 + era,
                request_id=f"00000000-0000-4000-8000-{era:012}",
                tx_hash="0x" + "ab" * 32,
                confirmed_at=ENDED - timedelta(hours=ERA - era) + timedelta(seconds=90),
            )

    def rows(self, capsys, *words, fails="unpaid"):
        return {row["era"]: row for row in as_json(capsys, "eras", *words, fails=fails)}

    def test_lists_each_payable_era_oldest_first_with_what_proves_it(self, ledger, capsys):
        self.confirm(ledger, *PAYABLE)
        rows = self.rows(capsys, fails=None)
        assert list(rows) == list(PAYABLE)
        assert rows[999] == {
            "era": 999,
            "state": "paid",
            "ended_at": ENDED.isoformat(),
            "lag_seconds": 90.0,
            "fee": str(10**30 + 999),
            "tx_hash": "0x" + "ab" * 32,
            "eras_left": None,
            "why": "confirmed by request_state",
        }
        airflow("eras")
        first, *lines = capsys.readouterr().out.splitlines()
        assert first == "testnet: Nothing is unpaid. Era 1000 is active (times in UTC)"
        shown = [line for line in lines if line.startswith("99")]
        assert len(shown) == DEPTH
        for words in (f"{ENDED:%Y-%m-%d %H:%M:%S}", "1m 30s", "0xabababab..", "999 planck"):
            assert words in shown[-1]

    def test_names_the_era_that_is_lost_first_and_forgets_no_older_ones(self, ledger, capsys):
        self.confirm(ledger, 996)
        self.rows(capsys, fails=r"3 eras unpaid; era 997 expires first, in 1 era.*\nRemedy: Start the catch-up")
        self.confirm(ledger, 999)
        assert list(self.rows(capsys, "--last", 1, fails="2 of them are older than those listed")) == [999]

    def test_tells_what_the_ledger_knows_while_the_gateway_is_away_or_refuses_the_token(
        self, gateway, ledger, connect, capsys, away
    ):
        self.confirm(ledger, 999)
        away()
        told = r"(?s)comes from ledger and calendar: .*no connection.*3 eras unpaid"
        states = [row["state"] for row in self.rows(capsys, fails=told).values()]
        assert states == ["unpaid", "unpaid", "unpaid", "paid"]
        connect("staking_gateway_default", conn_type="stakinggateway", host=gateway.url, password="wrong")
        with pytest.raises(SystemExit, match="access token is wrong"):
            airflow("eras")


class TestAccounts:
    @pytest.fixture(autouse=True)
    def watched(self, settings):
        settings(
            history_depth=84,
            accounts=[
                {"account": ALICE_STASH, "label": "alice-stash", "expect": "staking"},
                {"account": BOB_STASH, "label": "bob", "expect": "not_staking"},
                DAVE,
            ],
        )

    def store(self, ledger, era, alice, bob, dave):
        pairs = zip((ALICE_STASH, BOB_STASH, DAVE), (alice, bob, dave), strict=True)
        ledger.record_statuses(NETWORK, era, [(AccountId.parse(one), status) for one, status in pairs if status])

    def test_shows_what_is_expected_and_what_was_found_in_the_newest_era_and_asks_nobody(self, gateway, ledger, capsys):
        self.store(ledger, ERA - 1, IDLE, IDLE, IDLE)
        self.store(ledger, ERA, STAKING, IDLE, IDLE)
        before = calls(gateway)
        told = as_json(capsys, "accounts")
        assert [(row["account"], row["label"], row["expected"], row["status"]) for row in told] == [
            (ALICE_STASH, "alice-stash", "staking", "isStaking"),
            (BOB_STASH, "bob", "not_staking", "isNotStaking"),
            (DAVE, "", "any", "isNotStaking"),
        ]
        assert all(row["era"] == ERA and row["as_expected"] for row in told)
        assert calls(gateway) == before
        airflow("accounts")
        assert f"{NETWORK}: the statuses stored for era {ERA}" in capsys.readouterr().out
        with pytest.raises(
            SystemExit, match=r"1 account in the wrong state.*alice-stash. Check with: .*accounts --check"
        ):
            airflow("accounts", "--era", ERA - 1)

    def test_ends_badly_when_one_was_not_checked_or_no_era_has_statuses(self, ledger, capsys):
        with pytest.raises(SystemExit, match="3 accounts in the wrong state, or not checked"):
            airflow("accounts")
        assert "No era has statuses yet" in capsys.readouterr().out
        self.store(ledger, ERA, STAKING, IDLE, None)
        with pytest.raises(SystemExit, match=f"^1 account in the wrong state, or not checked: {DAVE}. "):
            airflow("accounts")

    def test_check_asks_now_and_stores_the_answers_for_an_era_when_there_is_one(self, gateway, ledger, capsys):
        gateway.control.staking(BOB_STASH, False)
        airflow("accounts", "--check")
        printed = capsys.readouterr().out
        assert "3 accounts: 2 staking, 1 not staking, 0 could not be checked" in printed
        assert ledger.newest_status_era(NETWORK) is None
        airflow("accounts", "--check", "--era", ERA)
        assert {found.address for found in ledger.facts.rows(AccountStatus, NETWORK, range(ERA, ERA + 1))} == {
            ALICE_STASH,
            BOB_STASH,
            DAVE,
        }
        with pytest.raises(SystemExit, match=r"no longer known\. Leave out --era"):
            airflow("accounts", "--check", "--era", ERA - 50)
        gateway.control.staking(ALICE_STASH, False)
        with pytest.raises(SystemExit, match=r"^1 account in the wrong state, or not checked: alice-stash$"):
            airflow("accounts", "--check")
