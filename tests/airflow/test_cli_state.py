"""`airflow staking` alone, `why` and `status --watch`: what is so, why, and the next command to type."""

from __future__ import annotations

import re
import sys

import pytest
import yaml
from broken_set_ups import paid, planned
from names import ACTIVE, NETWORK, hourly, network_settings
from simulated_chain import RUNNING_CLOCK
from staking_commands import COMMANDS, Terminal, airflow, as_json, parse

from staking_gateway.health.facts import AirflowFacts
from staking_gateway.ledger import Actor, PayoutState
from staking_gateway.problem import Problem, Topic
from staking_gateway_provider.commands import grid, views

DEPTH = 4
RUN = Actor("staking_payout_testnet/scheduled__era-999")


@pytest.fixture(autouse=True)
def settings(gateway, network):
    """Writes the configuration; eras of an hour, the active one began five minutes ago."""

    def write(networks=None, **changes):
        more = {"history_depth": DEPTH, "calendar": hourly()}
        if networks:
            return network({name: network_settings(**{**more, **own}) for name, own in networks.items()})
        return network(**{**more, **changes})

    write()
    return write


@pytest.fixture(autouse=True)
def airflow_knows(monkeypatch):
    """Sets what Airflow knows of the networks; nothing by default."""

    def set_to(**facts):
        monkeypatch.setattr(views, "read_airflow", lambda name, eras: AirflowFacts(**facts))

    set_to()
    return set_to


@pytest.fixture
def payable(ledger):
    """Pays the payable eras, but for some; of the first of those the payout was rejected if there is a reason."""

    def pay(*, but=(), rejected=""):
        for era in range(ACTIVE - DEPTH, ACTIVE):
            if era not in but:
                paid(ledger, era)
        if rejected:
            ledger.transition(planned(ledger, but[0]), PayoutState.REJECTED, "no", RUN, reason=rejected)

    return pay


class TestState:
    def test_alone_is_five_lines_that_end_with_the_command_to_type(self, payable, capsys):
        payable(but=(997,), rejected="request 7 is rejected: BadOrigin")
        arguments = parse()
        arguments.func(arguments)
        lines = capsys.readouterr().out.splitlines()
        assert [line.split(":")[0].strip() for line in lines] == [NETWORK, "Cause", "Remedy", "Help", "Next"]
        assert "request 7 is rejected: BadOrigin" in lines[1]
        assert lines[2].startswith(f"  Remedy: {Topic.REJECTED.remedy}. `airflow staking pay --network ")
        assert lines[3].endswith("/staking/help#rejected")
        assert lines[4].endswith(f"airflow staking why --network {NETWORK} --era 997")

    def test_a_stop_of_the_ledger_comes_first_until_it_ends(self, payable, airflow_knows, capsys):
        payable(but=(997,))
        airflow_knows(dead={Topic.TRIGGERER_DEAD: None})
        with pytest.raises(SystemExit, match="why: is empty"):
            airflow("ledger", "stop", "--why", " ")
        for why in ("the key may be stolen", "another reason"):
            stop = as_json(capsys, "ledger", "stop", "--why", why)
        (row,) = as_json(capsys, "state")
        assert stop["why"] == "the key may be stolen", "the first reason stays"
        assert row["headline"].startswith("A person stopped the ledger. Era 997 is unpaid")
        assert row["cause"].startswith("A person stopped the ledger: the key may be stolen (airflow staking/")
        assert (row["next"], row["help"][-8:], row["blocks"]) == ("airflow staking ledger go", "#stopped", [997])
        airflow("ledger", "go")
        airflow("ledger", "go")
        goes, again = capsys.readouterr().out.splitlines()
        assert (goes[:19], again) == ("The ledger goes on:", "It was not stopped")
        assert as_json(capsys, "state")[0]["cause"].startswith(Topic.TRIGGERER_DEAD.heading)

    def test_of_a_network_where_all_is_well_names_no_cause_in_every_form_of_output(self, payable, capsys):
        payable()
        airflow("state")
        assert capsys.readouterr().out.splitlines() == [
            f"{NETWORK}: Nothing is unpaid.",
            f"  Next:   airflow staking status --network {NETWORK} --watch",
        ]
        airflow("state", "-o", "yaml")
        assert yaml.safe_load(capsys.readouterr().out)[0]["network"] == NETWORK
        airflow("state", "-o", "plain")
        assert len(capsys.readouterr().out.splitlines()) == 2

    def test_of_a_network_with_a_mistake_leaves_the_others_alone(self, settings, payable, capsys):
        payable()
        settings({NETWORK: {}, "wrong": {"payuot": {}, "user_signer_conn_id": "another"}})
        rows = {row["network"]: row for row in as_json(capsys, "state")}
        assert rows[NETWORK]["headline"] == "Nothing is unpaid."
        assert "payuot" in rows["wrong"]["cause"]
        assert rows["wrong"]["help"].endswith("#configuration")

    def test_without_a_file_says_what_to_create_and_is_no_failure(self, monkeypatch, tmp_path, capsys):
        monkeypatch.setenv("STAKING_GATEWAY_CONFIG", str(tmp_path / "nowhere.yaml"))
        airflow("state")
        lines = capsys.readouterr().out.splitlines()
        assert lines[0].startswith("staking.yaml: ")
        assert lines[-1].endswith("airflow staking doctor")

    def test_each_cause_has_a_next_command_that_airflow_takes(self):
        for topic in Topic:
            words = views.next_command(NETWORK, {"topic": topic.anchor, "eras": [7]}).split()
            assert words[0] == "airflow"
            assert words[1] in ("scheduler", "triggerer") or parse(*words[2:])


class TestWhy:
    def test_of_a_paid_era_is_its_timeline_alone_and_of_an_era_that_runs_no_cause(self, payable, capsys):
        payable()
        found = as_json(capsys, "why", "--era", 998)
        assert (found["state"], found["cause"]) == ("paid", None)
        names = ["ended", "window closed", "signed", "accepted", "confirmed"]
        assert [(step["name"], step["state"]) for step in found["steps"]] == [(name, "done") for name in names]
        found = as_json(capsys, "why", "--era", ACTIVE)
        assert (found["state"], found["reason"]) == ("running", f"era {ACTIVE} has not ended")
        assert found["cause"] is None

    def test_of_an_era_whose_run_has_failed_is_the_run_the_cause_and_the_remedy(self, payable, ledger, capsys):
        payable(but=(999,))
        ledger.journal.note_failure(NETWORK, 999, Problem(Topic.WRONG_KEY, "the key belongs to another account"), RUN)
        found = as_json(capsys, "why", "--network", NETWORK, "--era", 999)
        last = found["steps"][-1]
        stopped = ("signed", "stopped", "the key belongs to another account")
        assert (last["name"], last["state"], last["detail"]) == stopped
        assert (last["dag_id"], last["run_id"]) == tuple(RUN.run.split("/"))
        assert found["cause"] == f"{Topic.WRONG_KEY.heading}: the key belongs to another account"
        assert found["remedy"].startswith(Topic.WRONG_KEY.remedy)
        assert found["help"].endswith("#wrong-key")


class TestGrid:
    def test_is_below_the_accounts(self, payable, capsys):
        payable()
        airflow("status")
        lines = capsys.readouterr().out.splitlines()
        assert "Nothing is unpaid." in lines
        assert any(re.fullmatch(r" +\d+  [-?P ]*PPPP", line) for line in lines), lines

    def test_is_drawn_again_on_a_terminal_until_it_is_stopped(self, payable, ledger, monkeypatch):
        with pytest.raises(SystemExit, match=r"watch: standard output is not a terminal. Leave --watch out"):
            airflow("status", "--watch")
        payable(but=(999,))
        screen, waits = Terminal(), []
        monkeypatch.setenv("TERM", "xterm-256color")
        monkeypatch.setattr(sys, "stdout", screen)

        def pause():
            waits.append(1)
            if len(waits) == 2:
                raise KeyboardInterrupt
            paid(ledger, 999)

        monkeypatch.setattr(grid, "pause", pause)
        airflow("status", "--watch")
        first, second = screen.getvalue().split("Ctrl-C ends", 1)
        assert len(waits) == 2
        assert "Era 999 is unpaid" in first
        assert "Nothing is unpaid." in second
        assert "\x1b[32mP" in second


class TestOptions:
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
            airflow("ledger", "history", "--era", 999)

    def test_every_command_takes_a_form_of_output(self):
        without = [
            name for name, command in COMMANDS.items() if not any("--output" in one.flags for one in command.args)
        ]
        assert without == ["staking simulator"]

    def test_the_history_and_the_ledger_are_told_as_objects(self, payable, tmp_path, capsys):
        payable()
        (part,) = as_json(capsys, "ledger", "history", "--era", 999)["parts"]
        assert [event["state"] for event in part["events"]] == ["PLANNED", "SIGNED", "SUBMITTED", "CONFIRMED"]
        assert as_json(capsys, "ledger", "status")["up_to_date"] is True
        assert as_json(capsys, "ledger", "upgrade")["schema"]
        assert as_json(capsys, "export", "--target", tmp_path / "exports")["eras"] == DEPTH
        forgotten = as_json(capsys, "ledger", "forget-calendar", "--yes")
        assert forgotten == {"network": NETWORK, "forgotten": 0}

    @pytest.mark.parametrize("simulator", [RUNNING_CLOCK], indirect=True)
    def test_paying_tells_one_object(self, capsys):
        found = as_json(capsys, "pay", "--era", 998)
        assert (found["era"], found["outcome"]) == (998, "PAID")
        outcomes = as_json(capsys, "catch-up")["outcomes"]
        assert {era: one["outcome"] for era, one in outcomes.items()} == dict.fromkeys(("996", "997", "999"), "PAID")
