"""`airflow staking ...`: what it prints, and that it ends with a status a script can use."""

from __future__ import annotations

import json

import pytest
import yaml
from names import ACTIVE, ALICE_STASH, BOB_STASH, DAVE, ERA, NETWORK
from simulated_chain import RUNNING_CLOCK, executed, sends
from staking_commands import COMMANDS, airflow

from staking_gateway.ledger.schema import HEAD
from tests.support import airflow_home


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("AIRFLOW_HOME", str(tmp_path))
    monkeypatch.delenv("STAKING_GATEWAY_LEDGER_CONN_ID", raising=False)
    airflow_home.migrated()
    airflow_home.forget_variables()  # they record the ledger of an earlier test
    return tmp_path


def test_the_commands_are_listed_each_with_its_help():
    assert list(COMMANDS) == [
        "staking init",
        "staking state",
        "staking why",
        "staking doctor",
        "staking eras",
        "staking accounts",
        "staking report",
        "staking plan",
        "staking pay",
        "staking catch-up",
        "staking backfill",
        "staking reconcile",
        "staking status",
        "staking export",
        "staking ledger status",
        "staking ledger upgrade",
        "staking ledger history",
        "staking ledger stop",
        "staking ledger go",
        "staking ledger restored",
        "staking ledger forget-calendar",
        "staking simulator",
    ]
    for command in COMMANDS.values():
        assert command.help
        assert all(argument.kwargs["help"] for argument in command.args)


# --- ledger -----------------------------------------------------------------------------------------------------------------


def test_a_ledger_is_made_by_upgrade_and_status_says_what_is_due(home, capsys):
    with pytest.raises(SystemExit, match="airflow staking ledger upgrade"):
        airflow("ledger", "status")
    assert not list(home.glob("*.db")), "asking makes nothing"
    airflow("ledger", "upgrade")
    airflow("ledger", "status")
    assert f"schema {HEAD}" in capsys.readouterr().out


# --- plan and catch-up ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("simulator", [RUNNING_CLOCK], indirect=True)
class TestPlan:
    @pytest.fixture(autouse=True)
    def prepared(self, gateway, network):
        network(history_depth=9)

    def plan(self, *words):
        airflow("plan", "--network", NETWORK, *words)

    def test_shows_what_would_be_paid_in_which_order_and_sends_nothing(self, gateway, capsys):
        self.plan("--from-era", ACTIVE - 3, "--max-eras", 2)
        printed = capsys.readouterr().out
        assert "2 eras to pay at a fee of 100000000000000000 a call, 1 left for later, 0 expired" in printed
        rows = [line.split()[:3] for line in printed.splitlines() if line.startswith("99")]
        assert rows == [["997", "|", "pay"], ["998", "|", "pay"], ["999", "|", "later"]]
        assert sends(gateway) == 0

    def test_is_paid_when_approved_and_still_the_same(self, gateway, capsys):
        self.plan("--eras", f"{ACTIVE - 2}-{ACTIVE - 1}", "--output", "json")
        told = json.loads(capsys.readouterr().out)
        assert [entry["era"] for entry in told["pay"]] == [998, 999]
        self.plan("--from-era", ACTIVE - 2, "--approve", told["hash"])
        assert executed(gateway) == [ACTIVE - 2, ACTIVE - 1]
        assert capsys.readouterr().out.splitlines()[-1] == f"era {ACTIVE - 1}: PAID"

    def test_of_what_makes_no_sense_is_refused_by_name(self, gateway):
        for words, told in (
            (["--max-eras", "0"], "max_eras: a budget of 0 pays nothing"),
            (["--max-fees", "0"], "max_fees: a budget of 0 pays nothing"),
            (["--eras", "5"], "eras: era 5 has expired"),
        ):
            with pytest.raises(SystemExit, match=f"airflow staking: {told}"):
                self.plan(*words)

    def test_catching_up_pays_in_order_and_ends_well_only_when_nothing_is_owed(self, gateway, capsys):
        with pytest.raises(SystemExit, match="left for the next run: 2 eras"):
            airflow("catch-up", "--network", NETWORK, "--from-era", ACTIVE - 4, "--max-eras", 2)
        assert executed(gateway) == [ACTIVE - 4, ACTIVE - 3]
        airflow("catch-up", "--network", NETWORK, "--from-era", ACTIVE - 4)
        assert executed(gateway) == list(range(ACTIVE - 4, ACTIVE))
        calls = sends(gateway)
        airflow("catch-up", "--network", NETWORK, "--from-era", ACTIVE - 4)
        assert sends(gateway) == calls

    def test_a_calendar_that_was_edited_is_refused_until_it_is_forgotten_on_purpose(self, gateway, network, capsys):
        airflow("ledger", "forget-calendar", "--network", NETWORK)
        assert capsys.readouterr().out.startswith(f"0 anchors of {NETWORK} are forgotten")
        airflow("catch-up", "--network", NETWORK, "--from-era", ACTIVE - 1)
        network(
            history_depth=9, calendar={"era_length": "20s", "anchors": [{"era": 0, "start": "2026-01-01T00:00:01Z"}]}
        )
        with pytest.raises(SystemExit, match="forget-calendar"):
            self.plan()
        with pytest.raises(
            SystemExit, match=f"The ledger has payouts of {NETWORK} from era {ACTIVE - 1} on.* append an anchor"
        ):
            airflow("ledger", "forget-calendar", "--network", NETWORK)
        airflow("ledger", "forget-calendar", "--network", NETWORK, "--yes")
        self.plan()


# --- status -----------------------------------------------------------------------------------------------------------------


class TestStatus:
    def status(self, *words):
        airflow("status", "--network", NETWORK, *words)

    def test_shows_every_account_in_the_order_of_the_file_and_then_the_counts(self, gateway, network, capsys):
        network(accounts=[DAVE, {"account": ALICE_STASH, "label": "alice-stash", "expect": "staking"}, BOB_STASH])
        self.status("--output", "plain")
        lines = capsys.readouterr().out.splitlines()
        assert [line.split() for line in lines[1:4]] == [
            [DAVE, "isStaking", "any"],
            [ALICE_STASH, "alice-stash", "isStaking", "staking"],
            [BOB_STASH, "isStaking", "any"],
        ]
        assert lines[4] == "3 of 3 accounts: 3 staking, 0 not staking, 0 could not be checked"

    @pytest.mark.parametrize(("output", "read"), [("json", json.loads), ("yaml", yaml.safe_load)])
    def test_tells_scripts_nothing_but_the_rows(self, gateway, network, capsys, output, read):
        network()
        self.status("--output", output)
        assert read(capsys.readouterr().out) == [
            {"account": ALICE_STASH, "label": "alice-stash", "status": "isStaking", "expected": "staking"},
            {"account": BOB_STASH, "label": "", "status": "isStaking", "expected": "any"},
        ]

    def test_stores_the_statuses_for_an_era_when_there_is_one(self, gateway, network, ledger, tmp_path):
        network()
        self.status()
        assert ledger.newest_status_era(NETWORK) is None
        self.status("--era", ERA)
        assert {found.address for found in ledger.statuses(NETWORK, ERA)} == {ALICE_STASH, BOB_STASH}
        self.status("--era", ERA - 1, "--ledger-conn-id", "test_ledger")
        assert len(ledger.statuses(NETWORK, ERA - 1)) == 2
        with pytest.raises(SystemExit, match=r"no longer known\. Leave out --era"):
            self.status("--era", ERA - 50)
        assert ledger.statuses(NETWORK, ERA - 50) == []

    def test_ends_badly_when_an_account_is_not_as_expected(self, gateway, network, capsys):
        network()
        gateway.control.staking(ALICE_STASH, False)
        with pytest.raises(SystemExit, match=r"^1 account in the wrong state or not checked: alice-stash$"):
            self.status()
        assert "1 staking, 1 not staking" in capsys.readouterr().out
