"""`airflow staking` alone, `why` and `status --watch`: what is so, why, and the next command to type."""

from __future__ import annotations

import io
import json
import re
import sys
from datetime import datetime, timedelta, timezone

import pytest
import yaml
from broken_set_ups import free_port, paid, planned
from names import ACTIVE, NETWORK, network_settings
from staking_commands import COMMANDS, airflow, parse

from staking_gateway.health.eras import EraRun
from staking_gateway.health.facts import AirflowFacts
from staking_gateway.ledger import Actor, PayoutState
from staking_gateway.topics import Topic
from staking_gateway_provider.commands import grid, views

DEPTH = 4
RUN = Actor("staking_payout_testnet/scheduled__era-999")


@pytest.fixture
def settings(gateway, network):
    """Writes the configuration; eras of an hour, the active one began five minutes ago."""

    def write(networks=None, **changes):
        start = (datetime.now(timezone.utc) - timedelta(minutes=5)).isoformat()
        calendar = {"era_length": "1h", "anchors": [{"era": ACTIVE, "start": start}]}
        more = {"history_depth": DEPTH, "calendar": calendar}
        if networks:
            return network({name: network_settings(**more, **own) for name, own in networks.items()})
        return network(**more, **changes)

    write()
    return write


@pytest.fixture
def airflow_knows(monkeypatch):
    """Sets what Airflow knows of the networks; nothing by default."""

    def set_to(**facts):
        monkeypatch.setattr(views, "read_airflow", lambda name, eras: AirflowFacts(**facts))

    set_to()
    return set_to


@pytest.fixture
def payable(ledger):
    """Pays the payable eras, but for some."""

    def pay(*, but=()):
        for era in range(ACTIVE - DEPTH, ACTIVE):
            if era not in but:
                paid(ledger, era)

    return pay


def told(capsys, *words):
    airflow(*words, "--output", "json")
    return json.loads(capsys.readouterr().out)


# --- the state --------------------------------------------------------------------------------------------------------------


class TestState:
    @pytest.fixture(autouse=True)
    def prepared(self, settings, airflow_knows):
        pass

    def test_alone_is_five_lines_that_end_with_the_command_to_type(self, payable, ledger, capsys):
        payable(but=(997,))
        rejected = planned(ledger, 997)
        ledger.transition(rejected, PayoutState.REJECTED, "no", RUN, reason="request 7 is rejected: BadOrigin")
        arguments = parse()
        arguments.func(arguments)
        lines = capsys.readouterr().out.splitlines()
        assert len(lines) == 5
        assert [line.split(":")[0].strip() for line in lines] == [NETWORK, "Cause", "Remedy", "Help", "Next"]
        assert "request 7 is rejected: BadOrigin" in lines[1]
        assert lines[2].endswith(Topic.REJECTED.remedy)
        assert lines[3].endswith("/staking/help#rejected")
        assert lines[4].endswith(f"airflow staking why --network {NETWORK} --era 997")

    def test_of_a_network_where_all_is_well_names_no_cause(self, payable, capsys):
        payable()
        airflow("state")
        assert capsys.readouterr().out.splitlines() == [
            f"{NETWORK}: Nothing is unpaid.",
            f"  Next:   airflow staking status --network {NETWORK} --watch",
        ]

    def test_names_the_root_cause_and_the_eras_that_it_blocks(self, payable, airflow_knows, capsys):
        payable(but=(998, 999))
        airflow_knows(known=True, dead={Topic.SCHEDULER_DEAD: None})
        (row,) = told(capsys, "state")
        assert row["cause"].startswith(Topic.SCHEDULER_DEAD.heading)
        assert (row["blocks"], row["next"]) == ([998, 999], "airflow scheduler")

    @pytest.mark.parametrize("output", ["yaml", "plain"])
    def test_has_every_form_of_output(self, payable, capsys, output):
        payable()
        airflow("state", "-o", output)
        printed = capsys.readouterr().out
        if output == "yaml":
            assert yaml.safe_load(printed)[0]["network"] == NETWORK
        else:
            assert len(printed.splitlines()) == 2

    def test_of_a_network_with_a_mistake_leaves_the_others_alone(self, settings, payable, capsys):
        payable()
        settings({NETWORK: {}, "wrong": {"payuot": {}, "user_signer_conn_id": "another"}})
        rows = {row["network"]: row for row in told(capsys, "state")}
        assert rows[NETWORK]["headline"] == "Nothing is unpaid."
        assert "payuot" in rows["wrong"]["cause"]
        assert rows["wrong"]["help"].endswith("#configuration")

    def test_without_a_file_says_what_to_create_and_is_no_failure(self, monkeypatch, tmp_path, capsys):
        monkeypatch.setenv("STAKING_GATEWAY_CONFIG", str(tmp_path / "nowhere.yaml"))
        airflow("state")
        lines = capsys.readouterr().out.splitlines()
        assert lines[0].startswith("staking.yaml: ")
        assert lines[-1].endswith("airflow staking doctor")

    def test_of_a_network_nobody_knows_is_refused(self):
        with pytest.raises(SystemExit, match="there is no such network"):
            airflow("state", "--network", "atlantis")

    @pytest.mark.parametrize("topic", list(Topic))
    def test_each_cause_has_a_next_command_that_airflow_takes(self, topic):
        command = views.next_command(NETWORK, {"topic": topic.anchor, "eras": [7]})
        words = command.split()
        assert words[0] == "airflow"
        assert words[1] in ("scheduler", "triggerer") or parse(*words[2:])


# --- why --------------------------------------------------------------------------------------------------------------------


class TestWhy:
    @pytest.fixture(autouse=True)
    def prepared(self, settings, airflow_knows):
        pass

    def test_of_a_paid_era_is_its_timeline_alone(self, payable, capsys):
        payable()
        found = told(capsys, "why", "--era", 998)
        assert (found["state"], found["cause"]) == ("paid", None)
        assert [step["name"] for step in found["steps"]] == [
            "ended",
            "window closed",
            "signed",
            "accepted",
            "confirmed",
        ]
        assert {step["state"] for step in found["steps"]} == {"done"}

    def test_of_an_era_whose_run_has_failed_is_the_run_the_cause_and_the_remedy(self, payable, ledger, capsys):
        payable(but=(999,))
        ledger.journal.note_failure(NETWORK, 999, "wrong-key", "the key belongs to another account", RUN)
        found = told(capsys, "why", "--network", NETWORK, "--era", 999)
        last = found["steps"][-1]
        assert (last["name"], last["state"], last["detail"]) == (
            "signed",
            "stopped",
            "the key belongs to another account",
        )
        assert (last["dag_id"], last["run_id"]) == tuple(RUN.run.split("/"))
        assert found["cause"] == f"{Topic.WRONG_KEY.heading}: the key belongs to another account"
        assert found["remedy"].startswith(Topic.WRONG_KEY.remedy)
        assert found["help"].endswith("#wrong-key")

    def test_of_an_era_whose_run_waits_for_its_next_try_is_the_cause_too(self, payable, ledger, airflow_knows, capsys):
        payable(but=(999,))
        ledger.journal.note_failure(NETWORK, 999, "connection-missing", "The connection x is missing", RUN)
        airflow_knows(known=True, runs={999: EraRun(*RUN.run.split("/"), "running")})
        found = told(capsys, "why", "--era", 999)
        assert found["cause"] == f"{Topic.CONNECTION_MISSING.heading}: The connection x is missing"
        assert found["remedy"] == Topic.CONNECTION_MISSING.remedy

    def test_people_read_the_steps_and_what_to_do(self, payable, ledger, capsys):
        payable(but=(997,))
        ledger.transition(planned(ledger, 997), PayoutState.REJECTED, "no", RUN, reason="request 7 is rejected")
        airflow("why", "--era", 997, "-o", "plain")
        lines = capsys.readouterr().out.splitlines()
        assert lines[0] == f"Era 997 of {NETWORK}: rejected: request 7 is rejected"
        assert lines[1].split()[:2] == ["step", "time"]
        assert re.match(r"signed +\S+ \S+ +stopped +request 7 is rejected +staking_payout_testnet/", lines[3])
        assert [line.split()[0] for line in lines[4:]] == ["Cause:", "Remedy:", "Help:", "Next:"]

    def test_of_an_expired_era_says_that_its_rewards_are_gone(self, payable, ledger, capsys):
        payable()
        planned(ledger, ACTIVE - DEPTH - 1)
        found = told(capsys, "why", "--era", ACTIVE - DEPTH - 1)
        assert (found["state"], found["steps"][-1]["name"]) == ("expired", "expired")
        assert found["cause"].startswith(Topic.EXPIRED.heading)

    def test_of_an_era_that_runs_is_no_cause(self, payable, capsys):
        payable()
        found = told(capsys, "why", "--era", ACTIVE)
        assert (found["state"], found["reason"]) == ("running", f"era {ACTIVE} has not ended")


# --- the grid ---------------------------------------------------------------------------------------------------------------


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_the_grid_has_a_letter_for_each_era_and_says_what_the_letters_mean():
    cells = [{"state": letter} for letter in "PPPPPPPPPPPO"]
    lines = [line.plain for line in grid.grid_lines({"first": 988, "cells": cells}, width=25)]
    assert lines == ["     988  PPPPPPPPPP", "     998  PO", "          P paid 11   O unpaid 1   "]
    assert grid.grid_lines({"first": 0, "cells": []}) == []


def test_status_shows_the_eras_below_the_accounts(settings, airflow_knows, payable, capsys):
    payable()
    airflow("status")
    lines = capsys.readouterr().out.splitlines()
    assert "Nothing is unpaid." in lines
    assert any(re.fullmatch(r" +\d+  [-?P ]*PPPP", line) for line in lines), lines


def test_watching_draws_again_until_it_is_stopped(settings, airflow_knows, payable, ledger, monkeypatch):
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


def test_watching_needs_a_terminal(settings, airflow_knows):
    with pytest.raises(SystemExit, match=r"watch: standard output is not a terminal. Leave --watch out"):
        airflow("status", "--watch")


# --- options ----------------------------------------------------------------------------------------------------------------


def test_the_network_may_be_left_out_while_one_is_enabled(settings, airflow_knows, payable, capsys):
    payable()
    airflow("eras")
    assert f"{NETWORK}: era {ACTIVE} is active" in capsys.readouterr().out
    settings({NETWORK: {}, "abroad": {"enabled": False}})
    airflow("eras")
    settings({"abroad": {"gateway_conn_id": "another"}, NETWORK: {}})
    with pytest.raises(SystemExit, match=rf"network: 2 networks are enabled: abroad, {NETWORK}. Add --network with"):
        airflow("eras")
    settings({NETWORK: {"enabled": False}})
    with pytest.raises(SystemExit, match="network: no network is enabled"):
        airflow("ledger", "history", "--era", 999)


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "staking simulator"])
def test_every_command_takes_a_form_of_output(name):
    assert any("--output" in argument.flags for argument in COMMANDS[name].args)


def test_an_error_ends_with_the_address_of_its_help(settings, connect):
    connect(
        "staking_gateway_default", conn_type="staking_gateway", host=f"http://127.0.0.1:{free_port()}", password="x"
    )
    with pytest.raises(SystemExit, match=r"\nHelp: \S*/staking/help#gateway-unreachable"):
        airflow("plan")


def test_the_history_and_the_ledger_are_told_as_objects(settings, payable, tmp_path, capsys):
    payable()
    found = told(capsys, "ledger", "history", "--era", 999)
    assert [event["state"] for event in found["parts"][0]["events"]] == ["PLANNED", "SIGNED", "SUBMITTED", "CONFIRMED"]
    assert told(capsys, "ledger", "status")["up_to_date"] is True
    assert told(capsys, "ledger", "upgrade")["schema"]
    file = tmp_path / "payouts.csv"
    assert told(capsys, "ledger", "export", "--file", file)["payouts"] == DEPTH
    assert told(capsys, "ledger", "forget-calendar", "--yes") == {"network": NETWORK, "forgotten": 0}


RUNNING_CLOCK = {"manual_clock": False, "era_length": 3600.0, "window": 0.0, "confirm_seconds": 0.05}


@pytest.mark.parametrize("simulator", [RUNNING_CLOCK], indirect=True)
def test_paying_tells_one_object(settings, airflow_knows, capsys):
    found = told(capsys, "pay", "--era", 998)
    assert (found["era"], found["outcome"]) == (998, "PAID")
    found = told(capsys, "catch-up")
    assert {era: outcome["outcome"] for era, outcome in found["outcomes"].items()} == dict.fromkeys(
        ("996", "997", "999"), "PAID"
    )
