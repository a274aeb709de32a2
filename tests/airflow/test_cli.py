"""`airflow staking ...`: what it prints, and that it ends with a status a script can use."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from airflow.cli import cli_parser
from names import ACTIVE, NETWORK

from staking_gateway.ledger import Actor, Ledger
from staking_gateway.ledger.schema import HEAD
from staking_gateway.types import AccountId
from staking_gateway_provider import cli

ACCOUNT = AccountId.parse("0x" + "22" * 32)


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("AIRFLOW_HOME", str(tmp_path))
    monkeypatch.delenv("STAKING_GATEWAY_LEDGER_CONN_ID", raising=False)
    return tmp_path


def airflow(*words):
    """Run a command as `airflow` does, in this process."""
    arguments = cli_parser.get_parser().parse_args(["staking", *map(str, words)])
    arguments.func(arguments)


def leaves(commands, *path):
    for command in commands:
        if hasattr(command, "subcommands"):
            yield from leaves(command.subcommands, *path, command.name)
        else:
            yield " ".join([*path, command.name]), command


def test_the_commands_are_listed_each_with_its_help():
    listed = dict(leaves(cli.get_commands()))
    assert list(listed) == [
        "staking plan",
        "staking catch-up",
        "staking ledger status",
        "staking ledger upgrade",
        "staking ledger history",
        "staking ledger forget-calendar",
    ]
    for command in listed.values():
        assert command.help
        assert all(argument.kwargs["help"] for argument in command.args)


def test_listing_the_commands_loads_nothing_of_ours_but_the_list():
    code = "import sys; from staking_gateway_provider.cli import get_commands as g; g(); print(sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**os.environ})
    loaded = done.stdout
    for module in ("staking_gateway.", "staking_gateway_provider.commands", "staking_gateway_provider.networks"):
        assert f"'{module}" not in loaded


# --- ledger -----------------------------------------------------------------------------------------------------------------


def test_a_ledger_is_made_by_upgrade_and_status_says_what_is_due(home, capsys):
    with pytest.raises(SystemExit, match="airflow staking ledger upgrade"):
        airflow("ledger", "status")
    assert not list(home.glob("*.db")), "asking makes nothing"
    airflow("ledger", "upgrade")
    airflow("ledger", "status")
    assert f"schema {HEAD}" in capsys.readouterr().out


def test_the_history_of_an_era_is_told_event_by_event(home, capsys):
    ledger = Ledger(f"sqlite:///{home / 'staking_ledger.db'}")
    ledger.plan("devnet", 7, 0, user=ACCOUNT, payer=ACCOUNT, relayer=ACCOUNT, actor=Actor("run 1", 2))
    ledger.close()
    airflow("ledger", "history", "--network", "devnet", "--era", 7)
    printed = capsys.readouterr().out
    assert "era 7 part 0: PLANNED" in printed
    assert "run 1#2: planned" in printed


def test_what_cannot_be_answered_ends_in_one_line(home):
    airflow("ledger", "upgrade")
    with pytest.raises(SystemExit, match="no payout of era 7 of devnet"):
        airflow("ledger", "history", "--network", "devnet", "--era", 7)
    with pytest.raises(SystemExit, match="airflow staking: era: 'abc' is not a number"):
        airflow("ledger", "history", "--network", "devnet", "--era", "abc")


# --- plan and catch-up ------------------------------------------------------------------------------------------------------

RUNNING_CLOCK = {"manual_clock": False, "era_length": 3600.0, "window": 0.0, "confirm_seconds": 0.05}


def executed(simulator):
    return [payout["era"] for payout in simulator.control.truth()["payouts"]]


def sends(simulator):
    return simulator.control.truth()["calls"]["by_path"].get("/send", 0)


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

    def test_is_told_to_scripts_as_json(self, gateway, capsys):
        self.plan("--from-era", ACTIVE - 2, "--output", "json")
        (told,) = json.loads(capsys.readouterr().out)
        assert [entry["era"] for entry in told["pay"]] == [998, 999]
        assert len(told["hash"]) == 16

    def test_is_paid_when_approved_and_still_the_same(self, gateway, capsys):
        self.plan("--from-era", ACTIVE - 2, "--output", "json")
        (told,) = json.loads(capsys.readouterr().out)
        self.plan("--from-era", ACTIVE - 2, "--approve", told["hash"])
        assert executed(gateway) == [ACTIVE - 2, ACTIVE - 1]
        assert capsys.readouterr().out.splitlines()[-1] == f"era {ACTIVE - 1}: PAID"

    def test_that_has_changed_is_refused_with_the_difference(self, gateway, capsys):
        self.plan("--from-era", ACTIVE - 2, "--output", "json")
        (told,) = json.loads(capsys.readouterr().out)
        gateway.control.fee(7)
        with pytest.raises(SystemExit, match="the plan has changed: fee: was 100000000000000000, is 7"):
            self.plan("--from-era", ACTIVE - 2, "--approve", told["hash"])
        with pytest.raises(SystemExit, match="approve: there is no plan 'abc' of testnet"):
            self.plan("--approve", "abc")
        assert sends(gateway) == 0

    @pytest.mark.parametrize(
        ("words", "told"),
        [
            (["--max-eras", "0"], "max_eras: a budget of 0 pays nothing"),
            (["--max-fees", "0"], "max_fees: a budget of 0 pays nothing"),
            (["--from-era", "999", "--to-era", "998"], "from_era: era 999 comes after to_era 998"),
            (["--from-era", "5"], "from_era: era 5 has expired"),
            (["--to-era", "x"], "to_era: 'x' is not a number"),
        ],
    )
    def test_of_what_makes_no_sense_is_refused_by_name(self, gateway, words, told):
        with pytest.raises(SystemExit, match=f"airflow staking: {told}"):
            self.plan(*words)

    def test_catching_up_pays_in_order_and_ends_well_only_when_nothing_is_owed(self, gateway, capsys):
        with pytest.raises(SystemExit, match="2 eras are left for the next time"):
            airflow("catch-up", "--network", NETWORK, "--from-era", ACTIVE - 4, "--max-eras", 2)
        assert executed(gateway) == [ACTIVE - 4, ACTIVE - 3]
        airflow("catch-up", "--network", NETWORK, "--from-era", ACTIVE - 4)
        assert executed(gateway) == list(range(ACTIVE - 4, ACTIVE))
        calls = sends(gateway)
        airflow("catch-up", "--network", NETWORK, "--from-era", ACTIVE - 4)
        assert sends(gateway) == calls

    def test_catching_up_with_an_era_that_is_refused_ends_badly_and_names_it(self, gateway, network):
        network(history_depth=9, payout={"max_replans": 0})
        gateway.control.set_faults("request-rejected:times=1")
        with pytest.raises(SystemExit, match=f"1 eras of {NETWORK} are not paid: era {ACTIVE - 2}: REJECTED"):
            airflow("catch-up", "--network", NETWORK, "--from-era", ACTIVE - 2)
        assert executed(gateway) == [ACTIVE - 1]

    def test_a_calendar_that_was_edited_is_refused_until_it_is_forgotten_on_purpose(self, gateway, network, capsys):
        self.plan()
        network(
            history_depth=9, calendar={"era_length": "20s", "anchors": [{"era": 0, "start": "2026-01-01T00:00:01Z"}]}
        )
        with pytest.raises(SystemExit, match="forget-calendar"):
            self.plan()
        airflow("ledger", "forget-calendar", "--network", NETWORK)
        self.plan()
