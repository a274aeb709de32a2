"""Every command: its row in the table, one line for a mistake, a status for scripts, and words for people."""

import argparse
import io
import json
import logging
import os
import re
import shlex
import signal
import sys
import time
import warnings
from contextlib import nullcontext
from pathlib import Path

import pytest
from names import ACTIVE, NETWORK
from staking_commands import Terminal, airflow, as_json, parse

from staking_gateway.errors import InvalidInput
from staking_gateway.ledger.schema import HEAD
from staking_gateway.types import AccountId, StakingStatus
from staking_gateway_provider.cli import COMMANDS, STATUSES, get_commands
from staking_gateway_provider.commands import output
from staking_gateway_provider.networks import LEDGER_FILE
from tests.support import airflow_home
from tests.support.ledgers import connected

ROWS = {command.name: command for command in COMMANDS}
HERE = ("--network", NETWORK)


# --- the table --------------------------------------------------------------------------------------------------------------


def test_there_are_twelve_commands_and_six_of_the_ledger():
    (staking,) = get_commands()
    names = [command.name for command in staking.args[0].commands]
    told = "init status why doctor pay accounts report reconcile export eras ledger simulator"
    assert sorted(names) == sorted(told.split())
    of_ledger = [name.split()[1] for name in ROWS if name.startswith("ledger ")]
    assert of_ledger == ["status", "upgrade", "stop", "go", "restored", "forget-calendar"]


@pytest.mark.parametrize("row", COMMANDS, ids=lambda row: row.name)
def test_the_help_is_the_row_its_examples_are_right_and_the_first_needs_no_number_of_an_era(row):
    action = row.action()
    assert action.help
    assert all(argument.kwargs["help"] for argument in action.args)
    assert ("--output" in {flag for one in action.args for flag in one.flags}) is (row.name != "simulator")
    for example in row.examples:
        assert example.startswith(row.name)
        assert f"  airflow staking {example}" in action.epilog
        parse(*shlex.split(example))
    if row.name != "simulator":
        assert not re.search(r"\b[0-9]{3,}\b", row.examples[0])
    for status, told in ((0, row.zero), (1, row.one), (2, STATUSES[2])):
        assert f"  {status}  {told}" in action.epilog


ROOT = Path(__file__).parents[2]
TEXTS = [
    *(ROOT / "include").rglob("*.py"),
    *(ROOT / "plugins").rglob("*.py"),
    *(ROOT / "docs").rglob("*.md"),
    *(ROOT / "deploy").rglob("*.sql"),
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "demo/__main__.py", "tests/docs_snippets/quick_start.sh")),
]


def test_every_command_and_option_that_a_text_names_exists():
    named = 0
    for text in TEXTS:
        for words in re.findall(r"airflow staking ((?:ledger )?[a-z][a-z-]+)([^`\n;]*)", text.read_text()):
            name, rest = words
            if name in ("simulator", "ledger"):  # the options are those of another program; the group
                continue
            assert name in ROWS, (text, words)
            known = {flag for argument in ROWS[name].action().args for flag in argument.flags}
            assert set(re.findall(r"(?<=\s)--[a-z-]+", rest)) <= known, (text, words)
            named += 1
    assert named > 80


# --- mistakes ---------------------------------------------------------------------------------------------------------------


ASK_A_GATEWAY = {"eras": [], "pay": ["--yes"], "reconcile": [], "accounts": ["--check"]}


def test_a_missing_connection_or_a_network_nobody_knows_ends_in_one_line_that_names_it(gateway, network, monkeypatch):
    network()
    monkeypatch.delenv("AIRFLOW_CONN_STAKING_GATEWAY_DEFAULT")
    missing = r"`staking_gateway_default` isn't defined(?s:.)*#connection-missing"
    for name, words in ASK_A_GATEWAY.items():
        with pytest.raises(SystemExit, match=missing):
            airflow(name, *HERE, *words)
    for name in (*ASK_A_GATEWAY, "status", "why"):
        with pytest.raises(SystemExit, match=r"network: there is no such network as atlantis. Known networks: testnet"):
            airflow(name, "--network", "atlantis", *ASK_A_GATEWAY.get(name, ()))


WRONG_USE = [
    ("init", "--network", "Main Net"),
    ("init", "--network", "mainnet", "--demo"),
    ("init", "--demo", "--no-dags"),
    ("status", "--network", "atlantis"),
    ("why", *HERE, "--era", "x"),
    ("doctor", "--era", "1"),
    ("eras", *HERE, "--last", "0"),
    ("accounts", *HERE, "--era", "x"),
    ("report", *HERE, "--from", "soon"),
    ("report", *HERE, "--from", "9", "--to", "8"),
    ("pay", *HERE, "--eras", "x"),
    ("pay", *HERE, "--eras", ACTIVE, "--yes"),
    ("pay", *HERE, "--from-era", "5", "--yes"),
    ("pay", *HERE, "--eras", "1", "--from-era", "1"),
    ("pay", *HERE, "--max-eras", "0"),
    ("pay", *HERE, "--approve", "1f0c2ab34d5e6f70"),
    ("pay", *HERE, "--approve", "1f0c2ab34d5e6f70", "--max-eras", "1"),
    ("pay", *HERE, "--again"),
    ("pay", *HERE, "--eras", "999", "--again", "--runs"),
    ("pay", *HERE),
    ("reconcile", *HERE, "--to-era", "x"),
    ("export", *HERE, "--target", "warehouse"),
    ("export", *HERE, "--target", "/tmp", "--format", "xlsx"),
    ("export", *HERE, "--target", "/tmp", "--tables", "payouts"),
    ("ledger", "status", "--ledger-conn-id", "no name"),
    ("ledger", "upgrade", "--ledger-conn-id", "no name"),
    ("ledger", "forget-calendar", *HERE, "--output", "xlsx"),
    ("ledger", "stop", "--why", " "),
    ("ledger", "go", "--output", "xlsx"),
    ("ledger", "restored", "--why", ""),
    ("simulator", "--era-length", "0"),
]
"""A wrong command line of each command: an unknown option, or a wrong value, found by argparse or by the command."""
REFUSED = [("doctor", "--network", "atlantis"), ("export", *HERE, "--target", "FILE")]
"""The command line is right, and something else waits for a person."""


def test_a_wrong_command_line_ends_with_2_and_every_other_failure_with_1(gateway, network, ledger, tmp_path, capsys):
    network()
    (tmp_path / "file").write_text("")
    ledger.record_statuses(NETWORK, 1, [(AccountId.parse("0x" + "22" * 32), StakingStatus.IS_STAKING)])
    for status, words in (*((2, one) for one in WRONG_USE), *((1, one) for one in REFUSED)):
        with pytest.raises(SystemExit) as ended:
            airflow(*(tmp_path / "file" if word == "FILE" else word for word in words))
        code = ended.value.code if isinstance(ended.value.code, int) else 1  # of a text
        assert (words, code) == (words, status)
        if isinstance(ended.value, output.WrongUse):
            assert str(ended.value) in capsys.readouterr().err
    tried = [" ".join(map(str, words)) for words in WRONG_USE]
    assert {name for name in ROWS if not any(one.startswith(f"{name} ") for one in tried)} == set()


def test_a_reader_that_has_read_enough_ends_a_command_without_a_traceback(capfd):
    @output.report_errors
    def told(arguments):
        raise BrokenPipeError

    kept = os.dup(sys.stdout.fileno())
    try:
        with pytest.raises(SystemExit) as ended:
            told(None)
        os.write(sys.stdout.fileno(), b"the rest")
    finally:
        os.dup2(kept, sys.stdout.fileno())
        os.close(kept)
    assert ended.value.code == 128 + signal.SIGPIPE
    assert ended.value.code in STATUSES
    assert capfd.readouterr().out == ""


def test_a_connection_that_is_kept_in_the_metadata_database_is_used(airflow_db, gateway, network, capsys):
    from airflow.models.connection import Connection

    network(gateway_conn_id="kept_in_the_database", history_depth=2)
    kept = Connection("kept_in_the_database", "stakinggateway", host=gateway.url, password=gateway.token)
    with airflow_home.stored(kept):
        airflow("pay", *HERE, "--dry-run")
    printed = capsys.readouterr()
    assert "2 eras to pay" in printed.out
    assert "RFC3986" not in printed.out + printed.err, "Airflow's warning about the type of the connection"


# --- what people and scripts read -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["table", "plain"])
def test_rows_keep_foreign_words_and_every_digit_and_move_no_cursor(capsys, form):
    output.show(form, None, [{"why": "[red]no[/red] \x1b[2J gone\nfake row", "fee": "1e5", "other": None}])
    printed = capsys.readouterr().out
    assert "[red]no[/red]  [2J gone fake row" in printed
    assert "1e5" in printed
    output.show(form, None, [{"fee": 2**128 - 1}])
    assert str(2**128 - 1) in capsys.readouterr().out
    output.show(form, None, [])
    assert capsys.readouterr().out == "No data found\n"


def test_a_narrow_terminal_breaks_no_state_and_no_time(monkeypatch):
    screen, row = Terminal(), {"time": "2026-11-29 14:00:01", "state": "CONFIRMED", "detail": "a long sentence " * 9}
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setenv("COLUMNS", "60")
    output.show("table", None, [{**row, "run": "staking_payout_devnet/scheduled__era-1392"}])
    assert re.search("2026-11-29 14:00:01.* CONFIRMED.* a long", screen.getvalue())


@pytest.mark.parametrize("verbose", [False, True])
def test_logs_and_stray_prints_go_beside_the_result_and_those_of_others_only_when_asked_for(capsys, verbose):
    handler = logging.StreamHandler(sys.stdout)
    logging.getLogger().addHandler(handler)
    strict = pytest.warns(DeprecationWarning, match="some day") if verbose else nullcontext()

    @output.report_errors
    def chatty(arguments):
        logging.getLogger("somebody").warning("a log line")
        logging.getLogger("another_library").error("a failure of another library")
        logging.getLogger("staking_gateway.http").warning("our own line")
        warnings.warn("gone some day", DeprecationWarning, stacklevel=1)
        sys.stdout.write("a stray print\n")
        output.say("the result")
        output.show("json", [{"era": 1}])

    try:
        with strict:
            chatty(argparse.Namespace(verbose=verbose))
        assert handler.stream is sys.stdout
        assert not handler.filters
    finally:
        logging.getLogger().removeHandler(handler)
    printed = capsys.readouterr()
    assert printed.out == 'the result\n[{"era": 1}]\n'
    assert ("a log line" in printed.err) is verbose
    for line in ("a failure of another library", "our own line", "a stray print"):
        assert line in printed.err


def test_a_command_that_works_longer_than_two_seconds_says_what_it_waits_for_and_says_it_again(capsys, monkeypatch):
    assert output.PATIENCE == 2
    monkeypatch.setattr(output, "PATIENCE", 0.05)
    monkeypatch.setattr(output, "REMINDER", 0.2)

    @output.report_errors
    def slow(arguments):
        output.working("Asking the gateway")
        time.sleep(2)

    slow(argparse.Namespace(verbose=False))
    told = capsys.readouterr()
    assert told.err.count("Asking the gateway ...") > 1
    assert told.out == ""


def test_a_question_needs_a_terminal_and_only_yes_is_a_yes(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", Terminal("y\nno\n"))
    assert [output.agreed("Pay 2 eras?") for _ in range(2)] == [True, False]
    assert capsys.readouterr().err == "Pay 2 eras? [y/N]\n" * 2
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    with pytest.raises(InvalidInput, match="nobody can be asked"):
        output.agreed("Pay 2 eras?")


# --- ledger -----------------------------------------------------------------------------------------------------------------


def test_a_ledger_is_made_by_upgrade_and_status_says_what_is_due(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("AIRFLOW_HOME", str(tmp_path))
    monkeypatch.delenv("STAKING_GATEWAY_LEDGER_CONN_ID", raising=False)
    airflow_home.migrated()
    airflow_home.forget_variables()  # they record the ledger of an earlier test
    with pytest.raises(SystemExit, match="airflow staking ledger upgrade"):
        airflow("ledger", "status")
    assert not list(tmp_path.glob("*.db")), "asking makes nothing"
    assert as_json(capsys, "ledger", "upgrade")["schema"] == HEAD
    airflow("ledger", "status")
    assert f"schema {HEAD}" in capsys.readouterr().out
    airflow("ledger", "status", "-o", "json")
    assert json.loads(capsys.readouterr().out)["up_to_date"] is True
    with connected(f"sqlite:///{tmp_path / LEDGER_FILE}") as connection:
        connection.exec_driver_sql("UPDATE staking_ledger_version SET version_num = '9999'")
    with pytest.raises(SystemExit, match="install that version of airflow-provider-staking-gateway on this machine"):
        airflow("ledger", "status")
    assert "schema 9999" in capsys.readouterr().out
